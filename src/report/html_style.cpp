// Style of the HTML report but for the timelines: colours of both themes, cards, source lines, paper. See as_html.h.
#include "report/html_parts.h"

namespace ascsan::report {

const char* const kHtmlStyle = R"css(
:root {
  --bg: #f4f5f7; --card: #ffffff; --ink: #1c2430; --dim: #667085; --rule: #e3e6eb; --soft: #f0f2f5; --code: #fafbfc;
  --error: #c92a2a; --warning: #b35900; --info: #1864ab; --good: #2b7a3d; --open: #9a6700;
  --side-a: #c2410c; --side-a-soft: #fdeee3; --side-b: #1d4ed8; --side-b-soft: #e6edfd; --side-c: #7e22ce; --side-c-soft: #f3e8fd;
  --common: #2b7a3d; --cut: #d6203a; --shadow: 0 1px 2px rgba(16, 24, 40, .06), 0 2px 8px rgba(16, 24, 40, .05);
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", Arial, sans-serif;
}
:root[data-theme="dark"] {
  --bg: #0e1116; --card: #161b22; --ink: #e4e9f0; --dim: #95a1b2; --rule: #2b323c; --soft: #1e252e; --code: #11161c;
  --error: #ff7b72; --warning: #f0a33f; --info: #74b3f5; --good: #63c174; --open: #e0b340;
  --side-a: #ff9a5c; --side-a-soft: #38230f; --side-b: #86b1ff; --side-b-soft: #17264a; --side-c: #cf9bff; --side-c-soft: #2c1a40;
  --common: #63c174; --cut: #ff5d73; --shadow: 0 1px 2px rgba(0, 0, 0, .4);
}
@media (prefers-color-scheme: dark) {
  :root:not([data-theme="light"]) {
    --bg: #0e1116; --card: #161b22; --ink: #e4e9f0; --dim: #95a1b2; --rule: #2b323c; --soft: #1e252e; --code: #11161c;
    --error: #ff7b72; --warning: #f0a33f; --info: #74b3f5; --good: #63c174; --open: #e0b340;
    --side-a: #ff9a5c; --side-a-soft: #38230f; --side-b: #86b1ff; --side-b-soft: #17264a; --side-c: #cf9bff; --side-c-soft: #2c1a40;
    --common: #63c174; --cut: #ff5d73; --shadow: 0 1px 2px rgba(0, 0, 0, .4);
  }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; }
body { margin: 0; background: var(--bg); color: var(--ink); font: 15px/1.5 var(--sans); overflow-wrap: break-word; }
h1, h2, h3, p, ul, ol, figure, pre { margin: 0; }
a { color: inherit; text-decoration-color: var(--dim); text-underline-offset: 3px; }
a:hover { text-decoration-thickness: 2px; }
button, input { font: inherit; color: inherit; }
button { background: var(--card); border: 1px solid var(--rule); border-radius: 7px; padding: 3px 10px; cursor: pointer; }
button:hover { border-color: var(--dim); }
button:focus-visible, input:focus-visible, a:focus-visible, svg:focus-visible { outline: 2px solid var(--side-b); outline-offset: 1px; }
input[type="search"] { background: var(--card); border: 1px solid var(--rule); border-radius: 7px; padding: 3px 10px; min-width: 0; }
.mono { font-family: var(--mono); font-size: .87em; }
.dim { color: var(--dim); }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.grow { flex: 1; }
.top { position: sticky; top: 0; z-index: 5; display: flex; align-items: center; gap: 14px; padding: 9px 24px;
  background: var(--card); border-bottom: 1px solid var(--rule); }
.brand { font-weight: 700; font-size: 17px; letter-spacing: -.01em; }
.brand span { font-weight: 400; color: var(--dim); margin-left: 6px; font-size: 13px; }
.badge { border-radius: 999px; padding: 1px 12px; font-size: 13px; font-weight: 600; color: #fff; }
.badge.bad { background: #c92a2a; } .badge.open { background: #9a6700; } .badge.good { background: #2b7a3d; }
main { max-width: 1240px; margin: 0 auto; padding: 24px; display: grid; gap: 20px; }
main > * { min-width: 0; }
h1 { font-size: 25px; line-height: 1.25; letter-spacing: -.015em; }
.verdict-line { color: var(--dim); margin-top: 4px; }
.tiles { display: flex; flex-wrap: wrap; gap: 10px; margin-top: 16px; }
.tile { background: var(--card); border: 1px solid var(--rule); border-radius: 10px; padding: 9px 16px; min-width: 104px; box-shadow: var(--shadow); }
.tile b { display: block; font-size: 21px; line-height: 1.3; font-variant-numeric: tabular-nums; }
.tile span { color: var(--dim); font-size: 13px; }
.tile.error b { color: var(--error); } .tile.warning b { color: var(--warning); } .tile.info b { color: var(--info); } .tile.good b { color: var(--good); }
.callout, .index, .panel, .finding { background: var(--card); border: 1px solid var(--rule); border-radius: 12px; box-shadow: var(--shadow); }
.callout { padding: 14px 20px; border-left: 4px solid var(--dim); }
.callout h2 { font-size: 16px; } .callout ul { margin: 6px 0 0; padding-left: 20px; }
.callout.bad { border-left-color: var(--error); } .callout.open { border-left-color: var(--open); } .callout.good { border-left-color: var(--good); }
.index-head { display: flex; align-items: center; gap: 14px; padding: 12px 20px; }
.index-head h2 { font-size: 17px; } .index-head input { width: 330px; } #filter-count { color: var(--dim); font-size: 13px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th { text-align: left; font-weight: 600; color: var(--dim); font-size: 12.5px; padding: 6px 12px; border-bottom: 1px solid var(--rule); white-space: nowrap; }
td { padding: 8px 12px; border-bottom: 1px solid var(--rule); vertical-align: top; overflow-wrap: break-word; }
td.mono { white-space: nowrap; } td.wide { min-width: 260px; }
tbody tr:last-child td { border-bottom: 0; } tbody tr:hover { background: var(--soft); }
th:first-child, td:first-child { padding-left: 20px; } th:last-child, td:last-child { padding-right: 20px; }
tr.quiet, .finding.quiet > h2 { color: var(--dim); }
.chip { display: inline-block; border-radius: 6px; padding: 0 8px; font-size: 12.5px; font-weight: 600; line-height: 20px; white-space: nowrap; border: 1px solid; }
.chip.error { color: var(--error); } .chip.warning { color: var(--warning); } .chip.info { color: var(--info); }
.chip.plain { color: var(--dim); border-color: var(--rule); font-weight: 500; }
.panel summary { cursor: pointer; padding: 10px 20px; font-weight: 600; } .panel table { border-top: 1px solid var(--rule); }
.more { color: var(--dim); padding: 8px 20px; }
.finding { padding: 20px 24px 0; border-top: 4px solid var(--info); scroll-margin-top: 64px; }
.finding.error { border-top-color: var(--error); } .finding.warning { border-top-color: var(--warning); } .finding.quiet { border-top-color: var(--rule); }
.finding .line { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; }
.finding .rule { font-weight: 700; font-size: 14px; }
.finding h2 { font-size: 20px; line-height: 1.35; margin-top: 8px; letter-spacing: -.01em; }
.what { margin-top: 6px; max-width: 100ch; }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(440px, 100%), 1fr)); gap: 16px; margin-top: 18px; }
.side { border: 1px solid var(--rule); border-radius: 10px; overflow: hidden; min-width: 0; --own: var(--dim); --own-soft: var(--soft); }
.side-a { --own: var(--side-a); --own-soft: var(--side-a-soft); }
.side-b { --own: var(--side-b); --own-soft: var(--side-b-soft); }
.side-c { --own: var(--side-c); --own-soft: var(--side-c-soft); }
.side h3 { display: flex; flex-wrap: wrap; column-gap: 10px; align-items: baseline; font-size: 15px; padding: 9px 14px 0; }
.side h3 b { color: var(--own); } .side h3 b::before { content: ""; display: inline-block; width: 9px; height: 9px; border-radius: 3px; background: var(--own); margin-right: 7px; }
.side h3 span { font-weight: 500; }
.side .action { padding: 0 14px 8px; color: var(--dim); font-size: 14px; }
.file { padding: 4px 14px; background: var(--soft); border-top: 1px solid var(--rule); color: var(--dim); }
.side > .dim { padding: 8px 14px; }
.source { font: 12.5px/1.62 var(--mono); background: var(--code); padding: 6px 0; overflow-x: auto; border-top: 1px solid var(--rule); tab-size: 4; }
.source .l { display: block; width: max-content; min-width: 100%; padding-right: 14px; white-space: pre; }
.source i { display: inline-block; width: 56px; padding-right: 14px; text-align: right; color: var(--dim); font-style: normal; user-select: none; }
.source .marked { background: var(--own-soft); box-shadow: inset 4px 0 0 var(--own); font-weight: 600; }
.source .marked i { color: var(--own); }
.stack { list-style: none; padding: 8px 14px 10px; border-top: 1px solid var(--rule); font-size: 14px; }
.stack li { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: baseline; column-gap: 14px; }
.stack li + li::before { content: "called by"; color: var(--dim); font-size: 12px; white-space: nowrap; }
.stack li span { overflow-wrap: anywhere; } .stack li span:first-child { flex: 1 1 auto; }
.ordering { display: flex; flex-wrap: wrap; gap: 12px 28px; align-items: center; margin-top: 18px; padding: 12px 16px; background: var(--soft); border-radius: 10px; }
.node { display: inline-flex; flex-direction: column; line-height: 1.35; }
.node small { color: var(--dim); font-size: 12px; } .node b { color: var(--own, var(--ink)); }
.node.common { --own: var(--common); border-left: 3px solid var(--common); padding-left: 10px; }
.absent { display: flex; align-items: center; gap: 16px; }
.cut { position: relative; width: 150px; border-top: 2px dashed var(--cut); text-align: center; height: 0; }
.cut span { position: relative; top: -12px; background: var(--soft); color: var(--cut); padding: 0 8px; font-size: 12.5px; font-weight: 600; white-space: nowrap; }
.cut span::before { content: "\2715\00a0"; }
.proof { display: grid; grid-template-columns: repeat(auto-fit, minmax(320px, 1fr)); gap: 16px; margin-top: 18px; font-size: 14.5px; }
.proof section { border: 1px solid var(--rule); border-radius: 10px; padding: 12px 16px; min-width: 0; }
.proof h3 { font-size: 15px; margin-bottom: 6px; } .proof ol, .proof ul { padding-left: 20px; } .proof li { margin-top: 2px; } .proof p { margin-top: 8px; }
.proof .value { margin-top: 4px; } .proof .token { font-size: 12px; overflow-wrap: anywhere; }
.notes { margin-top: 16px; padding-left: 20px; font-size: 14.5px; } .notes li { margin-top: 2px; }
.finding > footer { display: flex; flex-wrap: wrap; gap: 4px 22px; margin: 18px -24px 0; padding: 9px 24px; border-top: 1px solid var(--rule); color: var(--dim); font-size: 13px; }
main > footer { color: var(--dim); font-size: 13px; text-align: center; padding: 6px; }
[hidden] { display: none !important; }
@media print {
  :root, :root[data-theme="dark"], :root:not([data-theme="light"]) {
    --bg: #fff; --card: #fff; --ink: #000; --dim: #4a5260; --rule: #cfd4db; --soft: #f3f4f6; --code: #fff;
    --error: #b02020; --warning: #8a4500; --info: #124f8a; --good: #1f6b30; --open: #7a5200;
    --side-a: #b03a06; --side-a-soft: #fdeee3; --side-b: #1a45c2; --side-b-soft: #e6edfd; --side-c: #6b1bb0; --side-c-soft: #f3e8fd;
    --common: #1f6b30; --cut: #c4152f; --shadow: none;
  }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  @page { margin: 12mm; }
  body { font-size: 9pt; } h1 { font-size: 14pt; } .finding h2 { font-size: 12pt; margin-top: 4px; } .side h3, .notes, .what { font-size: 9pt; }
  .finding { padding: 10px 14px 0; } .finding > footer { margin: 10px -14px 0; padding: 5px 14px; font-size: 8pt; } table, .stack, .side .action { font-size: 8.5pt; }
  .sides, .ordering, .notes, figure.timeline { margin-top: 8px; } .ordering { padding: 7px 12px; } .index-head { padding: 6px 14px; } td { padding: 4px 10px; } .tiles { margin-top: 8px; }
  main { max-width: none; padding: 0; gap: 12px; display: block; } main > * { margin-bottom: 12px; }
  .top { position: static; padding: 4px 0; } .top button, .index-head input, .tools, .overview { display: none !important; }
  .finding, .side, .ordering, .callout, .tile, figure.timeline, tr { break-inside: avoid; }
  .finding { break-inside: auto; border-radius: 0; } .finding h2, .finding .line { break-after: avoid; }
  .sides { grid-template-columns: 1fr 1fr; } .source { font-size: 7pt; padding: 3px 0; } .source .l { white-space: pre-wrap; overflow-wrap: anywhere; width: auto; padding-left: 56px; text-indent: -56px; }
  .source i { text-indent: 0; } td, td.mono { white-space: normal; overflow-wrap: anywhere; } td:first-child, td:nth-child(2), .chip { white-space: nowrap; }
  .tile { min-width: 0; padding: 4px 10px; } .tile b { font-size: 11pt; }
}
)css";

}  // namespace ascsan::report
