// Style of the timelines in the HTML report. See as_html.h.
#include "report/html_parts.h"

namespace ascsan::report {

const char* const kHtmlTimelineStyle = R"css(
:root {
  --p0: #d3d9e1; --p1: #bfe5cd; --p2: #dccdf6; --p3: #b7e3e3; --p4: #c3d8f8; --p5: #f7d9b2; --p6: #e9cfc5;
  --p-ink: #263040; --wait: #98a2b3; --sync: #8893a5; --flag: #5b6b82; --grid: #edf0f3; --lane: #fbfcfd;
}
:root[data-theme="dark"] {
  --p0: #3d4754; --p1: #24563a; --p2: #483772; --p3: #1f5558; --p4: #28477c; --p5: #6b4a1c; --p6: #623f33;
  --p-ink: #e4e9f0; --wait: #7b8798; --sync: #7d8a9c; --flag: #9aa8bb; --grid: #222932; --lane: #13181f;
}
@media (prefers-color-scheme: dark) {
  :root:not([data-theme="light"]) {
    --p0: #3d4754; --p1: #24563a; --p2: #483772; --p3: #1f5558; --p4: #28477c; --p5: #6b4a1c; --p6: #623f33;
    --p-ink: #e4e9f0; --wait: #7b8798; --sync: #7d8a9c; --flag: #9aa8bb; --grid: #222932; --lane: #13181f;
  }
}
figure.timeline { margin-top: 18px; border: 1px solid var(--rule); border-radius: 10px; overflow: hidden; position: relative; }
figure.timeline figcaption { display: flex; flex-wrap: wrap; gap: 2px 12px; align-items: baseline; padding: 8px 14px; border-bottom: 1px solid var(--rule); }
figure.timeline figcaption span { color: var(--dim); font-size: 13px; }
.tools { display: flex; flex-wrap: wrap; gap: 6px; align-items: center; padding: 8px 14px; border-bottom: 1px solid var(--rule); font-size: 13px; }
.tools input[type="search"] { width: 250px; } .tools .found { color: var(--dim); } .tools .found:not(:empty) { min-width: 66px; }
.tools label { display: inline-flex; gap: 5px; align-items: center; color: var(--dim); cursor: pointer; margin-left: 6px; }
.chart { display: block; width: 100%; touch-action: pan-y; cursor: grab; background: var(--card); user-select: none; }
.chart.drag { cursor: grabbing; }
.chart text { font: 11px var(--sans); fill: var(--ink); pointer-events: none; }
.chart .core { font-weight: 700; font-size: 12px; } .chart .pipe, .chart .tick { fill: var(--dim); }
.chart .tick { font-size: 10.5px; text-anchor: middle; }
.chart .lane { fill: var(--lane); } .chart .lane.odd { fill: var(--card); } .chart .grid { stroke: var(--grid); } .chart .border { stroke: var(--rule); }
.chart .gutter { fill: var(--card); }
.slice { stroke: var(--card); stroke-width: .5; } .chart .slice + text { fill: var(--p-ink); }
.p0 { fill: var(--p0); } .p1 { fill: var(--p1); } .p2 { fill: var(--p2); } .p3 { fill: var(--p3); } .p4 { fill: var(--p4); } .p5 { fill: var(--p5); } .p6 { fill: var(--p6); }
.slice.k2 { fill: var(--wait); fill-opacity: .16; stroke: var(--wait); stroke-width: 1; stroke-dasharray: 3 2; }
.slice.k3 { fill: var(--sync); } .slice.k4 { fill: var(--sync); fill-opacity: .3; stroke: var(--sync); stroke-width: 1; }
.slice.k5 { fill: var(--cut); fill-opacity: .25; stroke: var(--cut); stroke-width: 1.5; }
.chart .slice.k2 + text, .chart .slice.k4 + text, .chart .slice.k5 + text { fill: var(--ink); }
.slice.dull { opacity: .22; } .slice.dull + text { opacity: .3; } .slice.hit { stroke: var(--ink); stroke-width: 2; }
.slice:hover { filter: brightness(.94); }
.mark { fill: var(--own); stroke: var(--own); stroke-width: 1.5; } .chart .mark + text { fill: #fff; font-weight: 600; }
:root[data-theme="dark"] .chart .mark + text { fill: #10151b; }
@media (prefers-color-scheme: dark) { :root:not([data-theme="light"]) .chart .mark + text { fill: #10151b; } }
.chart .flag-text { font-weight: 700; fill: var(--own) !important; paint-order: stroke; stroke: var(--card); stroke-width: 3px; stroke-linejoin: round; } .leader { stroke: var(--own); stroke-width: 1.2; }
.side-a { --own: var(--side-a); } .side-b { --own: var(--side-b); } .side-c { --own: var(--side-c); } .common-mark { --own: var(--common); }
.slice.common-mark { stroke: var(--common); stroke-width: 2; stroke-dasharray: none; }
.arrow { fill: none; stroke: var(--flag); stroke-width: 1.1; opacity: .75; } .arrow.a1, .arrow.a2 { stroke-width: 1.5; }
.arrow.hot { stroke: var(--ink); stroke-width: 2.2; opacity: 1; } .arrow.cold { opacity: .18; }
.head { fill: var(--flag); }
.missing { fill: none; stroke: var(--cut); stroke-width: 2.2; stroke-dasharray: 6 4; } .cross { stroke: var(--cut); stroke-width: 2.4; fill: var(--card); }
.chart .missing-text { font-weight: 700; fill: var(--cut) !important; paint-order: stroke; stroke: var(--card); stroke-width: 4px; stroke-linejoin: round; }
.overview { display: block; width: 100%; border-top: 1px solid var(--rule); background: var(--soft); cursor: pointer; touch-action: none; }
.overview .bit { fill: var(--dim); opacity: .55; } .overview .window { fill: var(--side-b); fill-opacity: .12; stroke: var(--side-b); }
.overview .own { fill: var(--own); }
.legend { display: flex; flex-wrap: wrap; gap: 3px 16px; padding: 7px 14px 9px; font-size: 12.5px; color: var(--dim); border-top: 1px solid var(--rule); }
.legend span { display: inline-flex; gap: 6px; align-items: center; } .legend svg { flex: none; }
.tip { position: fixed; z-index: 9; max-width: 460px; background: var(--card); color: var(--ink); border: 1px solid var(--rule); border-radius: 8px; box-shadow: 0 4px 18px rgba(0, 0, 0, .18); padding: 8px 12px; font-size: 13px; line-height: 1.45; pointer-events: none; white-space: pre-line; }
.tip b { display: block; }
)css";

}  // namespace ascsan::report
