// Drawing of timelines in the HTML report, in the page: what is visible, where it stands, and its SVG. Positions on the
// axis are ranks of the steps at which a visible slice begins or ends: the model has no clock, so gaps mean nothing.
// Only text nodes are made from data, never markup. See as_html.h.
#include "report/html_parts.h"

namespace ascsan::report {

const char* const kHtmlDrawScript = R"js(
'use strict';
const SVG = 'http://www.w3.org/2000/svg';
const GUTTER = 118, AXIS = 24, ROW = 20, PAD = 5, FLAG = 17, RIGHT = 14;
const WORK = 0, SCALAR = 1, WAIT = 2, SET = 3, BARRIER = 4, STALL = 5;

function node(name, attributes, parent, text) {
  const made = document.createElementNS(SVG, name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  if (text !== undefined) made.textContent = text;
  if (parent) parent.appendChild(made);
  return made;
}
function sideClass(side) { return ['side-a', 'side-b', 'side-c'][Math.min(side, 2)]; }
function firstAtLeast(list, value) {
  let low = 0, high = list.length;
  while (low < high) { const middle = (low + high) >> 1; if (list[middle] < value) low = middle + 1; else high = middle; }
  return low;
}

/** Slices as objects, once per launch. */
const launches = {};
function launchData(number) {
  if (launches[number]) return launches[number];
  const raw = JSON.parse(document.getElementById('timeline-' + number).textContent);
  const lanes = raw.lanes.map(([core, pipe, coreName, pipeName], i) => ({i, core, pipe, coreName, pipeName}));
  const slices = raw.slices.map(([lane, kind, begin, end, index, name, detail, place], i) => ({
    i, lane: lanes[lane], kind, begin, end, index, name: raw.texts[name], detail: raw.texts[detail], place: raw.places[place]}));
  for (const slice of slices)
    slice.words = [slice.lane.coreName, slice.lane.pipeName, slice.name, slice.detail, slice.place[0], slice.place[1]].join(' ').toLowerCase();
  return launches[number] = {lanes, slices, arrows: raw.arrows.map(([from, to, kind]) => ({from, to, kind})), steps: raw.steps, dropped: raw.dropped};
}

/** Which lanes are shown, their rows, and the axis. */
function makeLayout(data, spec, allCores) {
  const marked = new Map(spec.marks.map(mark => [mark.slice, mark]));
  const cores = new Set(spec.marks.map(mark => data.slices[mark.slice].lane.core));
  if (cores.size === 0 && !allCores) for (const lane of data.lanes) if (cores.size < 4) cores.add(lane.core);
  const shown = data.lanes.filter(lane => allCores || cores.has(lane.core));
  const lanes = new Map(shown.map(lane => [lane.i, {lane, slices: [], ends: [0], flags: false, marks: spec.marks.map(mark => data.slices[mark.slice]).filter(slice => slice.lane === lane)}]));
  const edges = new Set();
  for (const slice of data.slices) {
    const entry = lanes.get(slice.lane.i);
    if (!entry) continue;
    // Sides of the finding stand in the first row, under their label; copies in flight with them go below.
    const own = marked.has(slice.i), taken = row => row === 0 && !own && entry.marks.some(other => other.begin < slice.end && slice.begin < other.end);
    let row = entry.ends.findIndex((end, row) => end <= slice.begin && !taken(row));
    if (row < 0) row = entry.ends.length;
    entry.ends[row] = slice.end;
    entry.slices.push({slice, row});
    entry.flags = entry.flags || marked.has(slice.i) || spec.common.includes(slice.i);
    edges.add(slice.begin).add(slice.end);
  }
  const ranks = [...edges].sort((a, b) => a - b);
  const rankOf = new Map(ranks.map((step, i) => [step, i]));
  const at = new Map();
  let y = AXIS, core = -1;
  const groups = [];
  for (const entry of lanes.values()) {
    if (entry.lane.core !== core) { core = entry.lane.core; y += groups.length ? 7 : 0; groups.push({name: entry.lane.coreName, y}); }
    entry.y = y;
    entry.top = y + PAD + (entry.flags ? FLAG : 0);
    entry.height = entry.top - y + entry.ends.length * ROW + PAD;
    for (const item of entry.slices) at.set(item.slice.i, {x0: rankOf.get(item.slice.begin), x1: rankOf.get(item.slice.end),
      y: entry.top + item.row * ROW, row: entry.lane.i * 4096 + item.row});
    y += entry.height;
  }
  return {lanes: [...lanes.values()], groups, at, ranks, height: y + 8, width: Math.max(ranks.length - 1, 1), marked};
}

/** The part of the axis with the sides and the last common point, or all of it when that is small. */
function homeView(layout, spec) {
  const wanted = spec.marks.map(mark => layout.at.get(mark.slice)).concat(spec.common.map(i => layout.at.get(i))).filter(Boolean);
  if (wanted.length === 0 || layout.width <= 40) return [0, layout.width];
  const low = Math.min(...wanted.map(place => place.x0)), high = Math.max(...wanted.map(place => place.x1));
  const margin = Math.max((high - low) * 0.08, 3);
  return [Math.max(0, low - margin), Math.min(layout.width, high + margin)];
}

function fitText(text, width) {
  const letters = Math.floor((width - 8) / 6.1);
  if (letters >= text.length) return text;
  return letters < 3 ? '' : text.slice(0, letters - 1) + '\u2026';
}

function drawFrame(svg, layout, view, width) {
  layout.lanes.forEach((entry, i) => node('rect', {class: 'lane' + (i % 2 ? ' odd' : ''), x: GUTTER, y: entry.y, width: width - GUTTER, height: entry.height}, svg));
  const scale = (width - GUTTER - RIGHT) / (view[1] - view[0]);
  const every = Math.max(1, Math.ceil(72 / scale));
  for (let rank = Math.ceil(view[0] / every) * every; rank <= view[1]; rank += every) {
    const x = GUTTER + (rank - view[0]) * scale;
    node('line', {class: 'grid', x1: x, x2: x, y1: AXIS, y2: layout.height - 8}, svg);
    if (layout.ranks[rank] !== undefined && x > GUTTER + 12) node('text', {class: 'tick', x, y: 16}, svg, layout.ranks[rank]);
  }
  return rank => GUTTER + (rank - view[0]) * scale;
}

function drawGutter(svg, layout, width) {
  node('rect', {class: 'gutter', x: 0, y: 0, width: GUTTER, height: layout.height}, svg);
  node('text', {class: 'pipe', x: 14, y: 16}, svg, 'step');
  for (const group of layout.groups) {
    if (group.y > AXIS) node('line', {class: 'border', x1: 0, x2: width, y1: group.y - 3.5, y2: group.y - 3.5}, svg);
    node('text', {class: 'core', x: 14, y: group.y + 19}, svg, group.name);
  }
  for (const entry of layout.lanes)
    node('text', {class: 'pipe', x: 72, y: entry.top + 14}, svg, entry.lane.pipeName);
  node('line', {class: 'border', x1: GUTTER, x2: GUTTER, y1: 0, y2: layout.height}, svg);
}

function drawSlices(svg, layout, spec, view, X, query) {
  const last = new Map();
  const later = [];
  for (const entry of layout.lanes)
    for (const {slice} of entry.slices) {
      const place = layout.at.get(slice.i);
      if (place.x1 < view[0] || place.x0 > view[1]) continue;
      const left = Math.max(X(place.x0), GUTTER - 4), width = Math.max(X(place.x1) - left - 1, 2.5);
      const mark = layout.marked.get(slice.i), common = spec.common.includes(slice.i);
      const hit = query && slice.words.includes(query);
      // What would be narrower than a hair and lies on something drawn already is left out.
      if (!mark && !common && !hit && left + width < (last.get(place.row) || 0) + 0.8) continue;
      last.set(place.row, left + width);
      const item = {slice, place, left, width, mark, common, hit};
      if (mark || common) later.push(item); else drawSlice(svg, item, query);
    }
  return later;
}

function drawSlice(svg, item, query) {
  const {slice, place, left, width, mark, common, hit} = item;
  const kind = mark ? 'mark ' + sideClass(mark.side) : 'p' + slice.lane.pipe + ' k' + slice.kind + (common ? ' common-mark' : '');
  node('rect', {class: 'slice ' + kind + (query ? (hit ? ' hit' : ' dull') : ''), x: left, y: place.y + 1.5, width, height: ROW - 3, rx: 3, 'data-i': slice.i}, svg);
  const text = fitText(slice.kind === SET ? '' : slice.name, width);
  if (text) node('text', {x: left + 5, y: place.y + 14}, svg, text);
}

/** A label above a slice: which side of the finding it is. */
function drawFlag(svg, item, taken, limit) {
  const words = item.mark ? item.mark.label : 'last common point';
  const cls = item.mark ? sideClass(item.mark.side) : 'common-mark';
  const length = words.length * 6.4;
  let x = Math.max(GUTTER + 4, Math.min(item.left, limit - length));
  const y = item.place.y - 4;
  for (const other of taken) if (Math.abs(other.y - y) < 8 && x < other.x + other.length + 6 && other.x < x + length + 6) x = other.x + other.length + 8;
  taken.push({x, y, length});
  const group = node('g', {class: cls}, svg);
  node('text', {class: 'flag-text', x, y}, group, words);
  node('line', {class: 'leader', x1: item.left, x2: item.left, y1: y - 8, y2: item.place.y + 2}, group);
}

function drawArrows(svg, data, layout, view, X) {
  for (const arrow of data.arrows) {
    const from = layout.at.get(arrow.from), to = layout.at.get(arrow.to);
    if (!from || !to || Math.max(from.x1, to.x1) < view[0] || Math.min(from.x1, to.x1) > view[1]) continue;
    const x1 = X(from.x1) - 1, x2 = X(to.x1) - 1, down = from.y < to.y;
    const y1 = from.y + (from.y === to.y ? ROW / 2 : down ? ROW - 2 : 2), y2 = to.y + (from.y === to.y ? ROW / 2 : down ? 1 : ROW - 1);
    const bend = Math.max(Math.abs(y2 - y1) * 0.5, 10);
    const path = from.y === to.y ? `M${x1} ${y1}L${x2} ${y2}`
      : `M${x1} ${y1}C${x1} ${y1 + (down ? bend : -bend)} ${x2} ${y2 - (down ? bend : -bend)} ${x2} ${y2}`;
    node('path', {class: 'arrow a' + arrow.kind, d: path, 'marker-end': 'url(#head)', 'data-from': arrow.from, 'data-to': arrow.to}, svg);
  }
}

function drawMissing(svg, layout, spec, X, width) {
  if (!spec.missing) return;
  const from = layout.at.get(spec.marks[spec.missing[0]].slice), to = layout.at.get(spec.marks[spec.missing[1]].slice);
  if (!from || !to || from === to) return;
  // Between the edges that face each other; both in one row: an arc below it.
  const x1 = (X(from.x0) + X(from.x1)) / 2, x2 = (X(to.x0) + X(to.x1)) / 2, level = from.y === to.y, down = from.y <= to.y;
  const y1 = from.y + (down ? ROW - 1 : 1), y2 = to.y + (level ? ROW - 1 : down ? 1 : ROW - 1);
  const bend = level ? 44 : Math.max(Math.abs(y2 - y1) * 0.55, 24) * (down ? 1 : -1);
  node('path', {class: 'missing', d: `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${level ? y2 + bend : y2 - bend} ${x2} ${y2}`, 'marker-end': 'url(#cut-head)'}, svg);
  const x = (x1 + x2) / 2, y = level ? y1 + bend * 0.75 : (y1 + y2) / 2;
  node('circle', {class: 'cross', cx: x, cy: y, r: 8.5}, svg);
  node('path', {class: 'cross', d: `M${x - 3.5} ${y - 3.5}l7 7m0 -7l-7 7`}, svg);
  // Beside the cross, on the side that has room; below it the labels of the sides stand.
  const left = x > width - 190;
  node('text', {class: 'missing-text', x: x + (left ? -14 : 14), y: y + 4, 'text-anchor': left ? 'end' : 'start'}, svg, 'nothing orders these two');
}

function drawChart(svg, data, layout, spec, view, width, query, withArrows) {
  svg.replaceChildren();
  svg.setAttribute('viewBox', `0 0 ${width} ${layout.height}`);
  svg.style.aspectRatio = `${width} / ${layout.height}`;
  const defs = node('defs', {}, svg);
  for (const [id, cls] of [['head', 'head'], ['cut-head', 'cut-head']]) {
    const marker = node('marker', {id, viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto-start-reverse', markerUnits: 'userSpaceOnUse'}, defs);
    node('path', {d: 'M0 0.5L8 4L0 7.5z', class: cls, style: id === 'cut-head' ? 'fill: var(--cut)' : ''}, marker);
  }
  const clip = node('clipPath', {id: svg.id + '-clip'}, defs);
  node('rect', {x: GUTTER, y: 0, width: width - GUTTER, height: layout.height}, clip);
  const body = node('g', {'clip-path': `url(#${svg.id}-clip)`}, svg);
  const X = drawFrame(body, layout, view, width);
  const later = drawSlices(body, layout, spec, view, X, query);
  if (withArrows) drawArrows(body, data, layout, view, X);
  later.filter(item => item.common && !item.mark).concat(later.filter(item => item.mark)).forEach(item => drawSlice(body, item, query));
  drawMissing(body, layout, spec, X, width);
  const taken = [];
  later.forEach(item => drawFlag(body, item, taken, width - RIGHT));
  drawGutter(svg, layout, width);
}

function drawOverview(svg, layout, spec, view, width) {
  const height = 34;
  svg.replaceChildren();
  svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
  const X = rank => GUTTER + rank / layout.width * (width - GUTTER - RIGHT);
  const scale = (height - 8) / (layout.height - AXIS);
  const last = new Map();
  for (const entry of layout.lanes) for (const {slice} of entry.slices) {
    const place = layout.at.get(slice.i), x = X(place.x0), w = Math.max(X(place.x1) - x, 0.7);
    if (slice.kind === WAIT || x + w < (last.get(place.row) || 0) + 0.5) continue;
    last.set(place.row, x + w);
    node('rect', {class: 'bit', x, y: 4 + (place.y - AXIS) * scale, width: w, height: Math.max(ROW * scale - 1, 1)}, svg);
  }
  for (const mark of spec.marks) {
    const place = layout.at.get(mark.slice);
    if (place) node('rect', {class: 'own ' + sideClass(mark.side), x: X(place.x0), y: 1, width: Math.max(X(place.x1) - X(place.x0), 3), height: height - 2}, svg);
  }
  node('rect', {class: 'window', x: X(view[0]), y: 0.5, width: X(view[1]) - X(view[0]), height: height - 1, rx: 3}, svg);
  return x => (x - GUTTER) / (width - GUTTER - RIGHT) * layout.width;
}
)js";

}  // namespace ascsan::report
