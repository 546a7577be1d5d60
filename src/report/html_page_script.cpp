// Script of the HTML report's page: theme, filter of findings, paper. See as_html.h.
#include "report/html_parts.h"

namespace ascsan::report {

const char* const kHtmlPageScript = R"js(
const root = document.documentElement;
try { const kept = localStorage.getItem('ascsan-theme'); if (kept === 'light' || kept === 'dark') root.dataset.theme = kept; } catch (ignored) {}
document.getElementById('theme').addEventListener('click', () => {
  const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = dark ? 'light' : 'dark';
  try { localStorage.setItem('ascsan-theme', root.dataset.theme); } catch (ignored) {}
});

const filter = document.getElementById('filter');
if (filter) {
  const parts = [...document.querySelectorAll('[data-finding]')];
  const words = {};
  for (const part of parts) words[part.dataset.finding] = ((words[part.dataset.finding] || '') + ' ' + part.textContent).toLowerCase();
  const total = Object.keys(words).length;
  filter.addEventListener('input', () => {
    const wanted = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const shown = new Set(Object.keys(words).filter(number => wanted.every(word => words[number].includes(word))));
    for (const part of parts) part.hidden = !shown.has(part.dataset.finding);
    document.getElementById('filter-count').textContent = wanted.length ? `${shown.size} of ${total}` : '';
  });
}

// On paper the timelines show both sides, whatever was looked at last.
let before = [];
addEventListener('beforeprint', () => {
  before = timelines.map(timeline => timeline.view);
  timelines.forEach(timeline => timeline.show(homeView(timeline.layout, timeline.spec)));
});
addEventListener('afterprint', () => timelines.forEach((timeline, i) => timeline.show(before[i] || timeline.view)));
)js";

}  // namespace ascsan::report
