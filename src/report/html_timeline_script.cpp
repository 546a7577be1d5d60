// Timelines in the HTML report, in the page: one object per figure with its view, its tools (zoom, search, cores,
// arrows) and its input. The drawing is in html_draw_script.cpp. See as_html.h.
#include "report/html_parts.h"

namespace ascsan::report {

const char* const kHtmlTimelineScript = R"js(
const tip = document.createElement('div');
tip.className = 'tip';
tip.hidden = true;
document.body.appendChild(tip);

class TimelineView {
  constructor(figure, number) {
    this.figure = figure;
    this.spec = JSON.parse(figure.dataset.spec);
    this.data = launchData(this.spec.timeline);
    this.allCores = false;
    this.arrows = true;
    this.query = '';
    this.makeTools();
    this.chart = node('svg', {class: 'chart', id: 'chart-' + number, tabindex: 0, role: 'img',
      'aria-label': 'Timeline of cores and pipes: ' + this.spec.marks.map(mark => mark.label).join(', ')}, figure);
    this.overview = node('svg', {class: 'overview', height: 34}, figure);
    this.makeLegend();
    this.listen();
    this.arrange();
    this.view = homeView(this.layout, this.spec);
    this.draw();
  }

  button(text, title, action) {
    const made = document.createElement('button');
    made.type = 'button';
    made.textContent = text;
    made.title = title;
    made.addEventListener('click', action);
    this.tools.appendChild(made);
    return made;
  }

  check(text, on, action) {
    const label = document.createElement('label'), box = document.createElement('input');
    box.type = 'checkbox';
    box.checked = on;
    box.addEventListener('change', () => action(box.checked));
    label.append(box, text);
    this.tools.appendChild(label);
    return box;
  }

  makeTools() {
    this.tools = document.createElement('div');
    this.tools.className = 'tools';
    this.figure.appendChild(this.tools);
    this.button('\u2212', 'zoom out (key -)', () => this.zoom(1.6));
    this.button('+', 'zoom in (key +, or Ctrl and the wheel)', () => this.zoom(1 / 1.6));
    this.button('Sides', 'show both sides of the finding (key 0)', () => this.show(homeView(this.layout, this.spec)));
    this.button('All', 'show everything that was recorded', () => this.show([0, this.layout.width]));
    this.search = document.createElement('input');
    this.search.type = 'search';
    this.search.placeholder = 'search: operation, line, tensor \u2026';
    this.search.setAttribute('aria-label', 'search in the timeline');
    this.search.addEventListener('input', () => this.find(this.search.value));
    this.search.addEventListener('keydown', event => { if (event.key === 'Enter') this.nextHit(event.shiftKey ? -1 : 1); });
    this.found = document.createElement('span');
    this.found.className = 'found';
    this.tools.append(this.search, this.found);
    this.check('arrows', true, on => { this.arrows = on; this.draw(); });
    const involved = new Set(this.spec.marks.map(mark => this.data.slices[mark.slice].lane.core));
    const all = new Set(this.data.lanes.map(lane => lane.core));
    if (all.size > involved.size)
      this.check(`all ${all.size} cores`, false, on => { this.allCores = on; this.arrange(); this.show(homeView(this.layout, this.spec)); });
  }

  makeLegend() {
    const legend = document.createElement('div');
    legend.className = 'legend';
    const entry = (text, draw) => {
      const span = document.createElement('span'), svg = node('svg', {width: 22, height: 13}, span);
      draw(svg);
      span.append(text);
      legend.appendChild(span);
    };
    const box = cls => svg => node('rect', {class: 'slice ' + cls, x: 1, y: 1, width: 20, height: 11, rx: 3}, svg);
    const pipes = new Map();
    for (const {lane} of this.data.slices) pipes.set(lane.pipe, lane.pipeName);
    for (const [pipe, name] of [...pipes].sort((a, b) => a[0] - b[0])) entry(name === 'S' ? 'S, scalar' : name, box('p' + pipe));
    entry('waits', box('k2'));
    entry('barrier', box('k4'));
    entry('sets, arrives', svg => node('rect', {class: 'slice k3', x: 8, y: 1, width: 6, height: 11, rx: 2}, svg));
    entry('set \u2192 wait', svg => node('path', {class: 'arrow a1', d: 'M1 6.5L20 6.5', 'marker-end': 'url(#head)'}, svg));
    if (this.spec.missing) entry('absent link', svg => node('path', {class: 'missing', d: 'M1 6.5L21 6.5'}, svg));
    if (this.data.dropped > 0) {
      const note = document.createElement('span');
      note.textContent = `${this.data.dropped} slices farther away are left out`;
      legend.appendChild(note);
    }
    this.figure.appendChild(legend);
  }

  arrange() { this.layout = makeLayout(this.data, this.spec, this.allCores); }

  draw() {
    const width = Math.max(this.figure.clientWidth - 2, 480);
    drawChart(this.chart, this.data, this.layout, this.spec, this.view, width, this.query, this.arrows);
    this.toRank = drawOverview(this.overview, this.layout, this.spec, this.view, width);
    this.width = width;
  }

  show(view) {
    const length = Math.min(Math.max(view[1] - view[0], 2), this.layout.width);
    const begin = Math.min(Math.max(view[0], 0), this.layout.width - length);
    this.view = [begin, begin + length];
    this.draw();
  }

  zoom(factor, at) {
    const [begin, end] = this.view, middle = at === undefined ? (begin + end) / 2 : at;
    this.show([middle - (middle - begin) * factor, middle + (end - middle) * factor]);
  }

  pan(ranks) { this.show([this.view[0] + ranks, this.view[1] + ranks]); }

  find(text) {
    this.query = text.trim().toLowerCase();
    this.hits = [];
    if (this.query) for (const entry of this.layout.lanes) for (const {slice} of entry.slices) if (slice.words.includes(this.query)) this.hits.push(slice);
    this.hits.sort((a, b) => a.begin - b.begin || a.i - b.i);
    this.hit = -1;
    this.found.textContent = this.query ? `${this.hits.length} found` : '';
    this.draw();
  }

  nextHit(by) {
    if (!this.query || this.hits.length === 0) return;
    this.hit = (this.hit + by + this.hits.length) % this.hits.length;
    this.found.textContent = `${this.hit + 1} of ${this.hits.length}`;
    const place = this.layout.at.get(this.hits[this.hit].i), half = Math.max((this.view[1] - this.view[0]) / 2, place.x1 - place.x0);
    this.show([(place.x0 + place.x1) / 2 - half, (place.x0 + place.x1) / 2 + half]);
  }

  rankAt(event) {
    const box = this.chart.getBoundingClientRect(), x = (event.clientX - box.left) * this.width / box.width;
    return this.view[0] + (x - GUTTER) / (this.width - GUTTER - RIGHT) * (this.view[1] - this.view[0]);
  }

  hover(event) {
    const i = event.target.dataset ? event.target.dataset.i : undefined;
    for (const path of this.chart.querySelectorAll('.arrow')) {
      const own = i !== undefined && (path.dataset.from === i || path.dataset.to === i);
      path.classList.toggle('hot', own);
      path.classList.toggle('cold', i !== undefined && !own);
    }
    tip.hidden = i === undefined;
    if (i === undefined) return;
    const slice = this.data.slices[i], mark = this.layout.marked.get(slice.i);
    const title = document.createElement('b');
    title.textContent = (mark ? mark.label + ': ' : '') + slice.name;
    const lines = [`${slice.lane.coreName} ${slice.lane.pipeName}` + (slice.index ? `, entry ${slice.index}` : ''), `steps ${slice.begin} to ${slice.end}`];
    if (slice.detail) lines.push(slice.detail);
    if (slice.place[0]) lines.push(slice.place[0] + (slice.place[1] ? '  ' + slice.place[1] : ''));
    tip.replaceChildren(title, lines.join('\n'));
    const x = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8), y = event.clientY + 18;
    tip.style.left = x + 'px';
    tip.style.top = (y + tip.offsetHeight > innerHeight ? event.clientY - tip.offsetHeight - 10 : y) + 'px';
  }

  listen() {
    let from = null;
    this.chart.addEventListener('pointerdown', event => {
      if (event.button !== 0) return;
      from = {x: event.clientX, view: this.view.slice()};
      this.chart.setPointerCapture(event.pointerId);
      this.chart.classList.add('drag');
    });
    this.chart.addEventListener('pointermove', event => {
      if (!from) return this.hover(event);
      const scale = (from.view[1] - from.view[0]) / (this.width - GUTTER - RIGHT), moved = (from.x - event.clientX) * scale;
      this.show([from.view[0] + moved, from.view[1] + moved]);
    });
    const stop = () => { from = null; this.chart.classList.remove('drag'); };
    this.chart.addEventListener('pointerup', stop);
    this.chart.addEventListener('pointercancel', stop);
    this.chart.addEventListener('pointerleave', () => { tip.hidden = true; });
    this.chart.addEventListener('dblclick', event => this.zoom(0.5, this.rankAt(event)));
    this.chart.addEventListener('wheel', event => {
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        this.zoom(event.deltaY > 0 ? 1.2 : 1 / 1.2, this.rankAt(event));
      } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault();
        this.pan((event.deltaX || event.deltaY) * (this.view[1] - this.view[0]) / 1200);
      }
    }, {passive: false});
    this.chart.addEventListener('keydown', event => {
      const step = (this.view[1] - this.view[0]) / 8;
      const keys = {'+': () => this.zoom(1 / 1.6), '=': () => this.zoom(1 / 1.6), '-': () => this.zoom(1.6), '0': () => this.show(homeView(this.layout, this.spec)),
        ArrowLeft: () => this.pan(-step), ArrowRight: () => this.pan(step)};
      if (!keys[event.key]) return;
      event.preventDefault();
      keys[event.key]();
    });
    const jump = event => {
      if (event.type === 'pointermove' && event.buttons !== 1) return;
      const box = this.overview.getBoundingClientRect(), half = (this.view[1] - this.view[0]) / 2;
      const rank = this.toRank((event.clientX - box.left) * this.width / box.width);
      this.show([rank - half, rank + half]);
    };
    this.overview.addEventListener('pointerdown', jump);
    this.overview.addEventListener('pointermove', jump);
  }
}

const timelines = [...document.querySelectorAll('figure.timeline')].map((figure, i) => new TimelineView(figure, i));
let resizing = 0;
addEventListener('resize', () => {
  cancelAnimationFrame(resizing);
  resizing = requestAnimationFrame(() => timelines.forEach(timeline => timeline.draw()));
});
)js";

}  // namespace ascsan::report
