"""Opens the HTML report in headless Chromium with the network off and looks at it.

usage: browser_test.py MAKE_REPORTS [FOLDER]
Without a browser the test is skipped (exit status 77) and says so. With FOLDER the pictures stay there.

What is looked at: no script error; both source lines stand in their colours on the picture, in light and dark; the timeline
shows both sides, the absent link and every set -> wait arrow of the cores shown; zoom, search and the tools do what they say.
Places on the page are measured by a script added to a copy of the report; pictures are taken of the report itself.
"""
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zlib

MAKE_REPORTS = sys.argv[1]
KEEP = sys.argv[2] if len(sys.argv) > 2 else None
BROWSER = next((found for found in map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome")) if found), None)
WIDTH = 1280
SIDE_A = {"light": (0xC2, 0x41, 0x0C), "dark": (0xFF, 0x9A, 0x5C)}  # html_style.cpp
SIDE_B = {"light": (0x1D, 0x4E, 0xD8), "dark": (0x86, 0xB1, 0xFF)}

EARLY = "<script>window.problems = []; addEventListener('error', event => problems.push(String(event.message)));" \
        "addEventListener('securitypolicyviolation', event => problems.push('policy: ' + event.blockedURI));</script>"
LATE = """<script>
(() => {
  const box = element => { const r = element.getBoundingClientRect(); return [r.left + scrollX, r.top + scrollY, r.width, r.height]; };
  const boxes = selector => [...document.querySelectorAll(selector)].map(element => [element.getAttribute('class'), ...box(element)]);
  const t = timelines[0], result = {};
  result.lines = boxes('.source .marked');
  result.marks = boxes('.chart .mark');
  result.missing = boxes('.chart .missing');
  result.charts = boxes('.chart');
  result.height = document.documentElement.scrollHeight;
  result.overflow = document.documentElement.scrollWidth > innerWidth;
  const shown = new Set(t.layout.lanes.map(entry => entry.lane.i));
  t.show([0, t.layout.width]);
  result.arrows = t.chart.querySelectorAll('.arrow').length;
  result.expected = t.data.arrows.filter(a => shown.has(t.data.slices[a.from].lane.i) && shown.has(t.data.slices[a.to].lane.i)).length;
  result.slices = t.chart.querySelectorAll('.slice').length;
  const press = text => [...t.tools.querySelectorAll('button')].find(button => button.textContent === text).click();
  press('Sides');
  const before = t.view[1] - t.view[0];
  press('+');
  result.zoom = (t.view[1] - t.view[0]) / before;
  press('\\u2212');
  t.chart.dispatchEvent(new KeyboardEvent('keydown', {key: '0'}));
  result.home = t.view[1] - t.view[0] === before;
  t.search.value = 'exp';
  t.search.dispatchEvent(new Event('input'));
  result.found = t.found.textContent;
  result.hits = t.hits.length;
  result.really = t.layout.lanes.flatMap(entry => entry.slices).filter(item => item.slice.name === 'Exp').length;
  t.search.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter'}));
  result.hit = t.chart.querySelectorAll('.slice.hit').length;
  t.search.value = '';
  t.search.dispatchEvent(new Event('input'));
  const mark = t.chart.querySelector('.mark');
  mark.dispatchEvent(new PointerEvent('pointermove', {bubbles: true, clientX: 9, clientY: 9}));
  result.tip = tip.hidden ? '' : tip.textContent;
  const boxOf = words => [...t.tools.querySelectorAll('label')].find(label => label.textContent.includes(words)).querySelector('input');
  boxOf('arrows').click();
  result.withoutArrows = t.chart.querySelectorAll('.arrow').length;
  boxOf('arrows').click();
  boxOf('cores').click();
  result.cores = t.chart.querySelectorAll('.core').length;
  filter.value = 'no such thing';
  filter.dispatchEvent(new Event('input'));
  result.hidden = document.querySelectorAll('article[hidden]').length;
  document.getElementById('theme').click();
  result.theme = document.documentElement.dataset.theme;
  result.problems = problems;
  const out = document.createElement('pre');
  out.id = 'measured';
  out.textContent = JSON.stringify(result);
  document.body.appendChild(out);
})();
</script>"""


def browse(folder, *arguments):
    """Runs the browser without network or GPU, with a profile of its own; gives what it printed."""
    profile = tempfile.mkdtemp(dir=folder)
    command = [BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
               "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
               "--disable-dev-shm-usage", "--force-device-scale-factor=1", "--host-resolver-rules=MAP * ~NOTFOUND",
               "--proxy-server=127.0.0.1:9", "--virtual-time-budget=4000", "--run-all-compositor-stages-before-draw",
               "--user-data-dir=" + profile, *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300,
                          env={**os.environ, "HOME": profile, "XDG_RUNTIME_DIR": profile})
    shutil.rmtree(profile, ignore_errors=True)
    if done.returncode != 0:
        raise AssertionError("the browser failed with %d: %s" % (done.returncode, done.stderr.decode(errors="replace")[-2000:]))
    return done.stdout.decode("utf-8", errors="replace")


class Picture:
    """Pixels of an 8-bit RGB or RGBA PNG."""

    def __init__(self, data):
        assert data[:8] == b"\x89PNG\r\n\x1a\n"
        at, packed = 8, b""
        while at < len(data):
            length, kind = int.from_bytes(data[at:at + 4], "big"), data[at + 4:at + 8]
            chunk = data[at + 8:at + 8 + length]
            if kind == b"IHDR":
                self.width, self.height = int.from_bytes(chunk[:4], "big"), int.from_bytes(chunk[4:8], "big")
                assert chunk[8] == 8 and chunk[9] in (2, 6) and chunk[12] == 0, "unexpected kind of PNG"
                self.step = 3 if chunk[9] == 2 else 4
            packed += chunk if kind == b"IDAT" else b""
            at += 12 + length
        raw, step, row = zlib.decompress(packed), self.step, self.width * self.step
        self.rows, last = [], bytearray(row)
        for y in range(self.height):
            line = bytearray(raw[y * (row + 1) + 1:(y + 1) * (row + 1)])
            method = raw[y * (row + 1)]
            if method == 1:
                for x in range(step, row):
                    line[x] = (line[x] + line[x - step]) & 255
            elif method == 2:
                for x in range(row):
                    line[x] = (line[x] + last[x]) & 255
            elif method == 3:
                for x in range(row):
                    line[x] = (line[x] + ((line[x - step] if x >= step else 0) + last[x] >> 1)) & 255
            elif method == 4:
                for x in range(row):
                    a, b, c = (line[x - step] if x >= step else 0), last[x], (last[x - step] if x >= step else 0)
                    pa, pb, pc = abs(b - c), abs(a - c), abs(a + b - 2 * c)
                    line[x] = (line[x] + (a if pa <= pb and pa <= pc else b if pb <= pc else c)) & 255
            self.rows.append(line)
            last = line

    def at(self, x, y):
        return tuple(self.rows[y][x * self.step:x * self.step + 3])

    def colours(self, box):
        left, top, width, height = (int(round(value)) for value in box)
        return collections.Counter(self.at(x, y) for y in range(max(top, 0), min(top + height, self.height))
                                   for x in range(max(left, 0), min(left + width, self.width)))


def near(colour, wanted):
    return max(abs(a - b) for a, b in zip(colour, wanted)) <= 6


class Browser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(KEEP or cls.temporary.name)
        cls.folder.mkdir(parents=True, exist_ok=True)
        reports = cls.folder / "reports"
        reports.mkdir(exist_ok=True)
        subprocess.run([MAKE_REPORTS, str(reports)], check=True)
        cls.page = reports / "sample.html"
        cls.measured = cls.measure(cls.page)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def measure(cls, page):
        """Results of LATE in a copy of the page."""
        text = page.read_text(encoding="utf-8")
        copy = cls.folder / ("measured-" + page.name)
        copy.write_text(text.replace("<head>", "<head>" + EARLY, 1).replace("</body>", LATE + "</body>"), encoding="utf-8")
        dom = browse(cls.folder, "--window-size=%d,900" % WIDTH, "--dump-dom", copy.as_uri())
        found = re.search(r'<pre id="measured">(.*?)</pre>', dom, re.DOTALL)
        assert found, "the page did not get to its end: " + dom[-1500:]
        return json.loads(found.group(1).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))

    def shoot(self, page, name, *arguments, height=None):
        file = self.folder / (name + ".png")
        browse(self.folder, "--window-size=%d,%d" % (WIDTH, height or self.measured["height"]), "--screenshot=%s" % file, *arguments, page.as_uri())
        return Picture(file.read_bytes())

    def test_no_script_fails(self):
        self.assertEqual(self.measured["problems"], [])
        self.assertFalse(self.measured["overflow"], "the page is wider than the window")

    def check_picture(self, picture, theme):
        lines, marks = self.measured["lines"], self.measured["marks"]
        self.assertEqual(sorted({line[0].split()[-1] for line in lines}), ["side-a", "side-b"])
        for line in lines:
            wanted = (SIDE_A if line[0].endswith("side-a") else SIDE_B)[theme]
            bar = picture.colours((line[1], line[2] + 2, 4, line[4] - 4))
            self.assertTrue(near(bar.most_common(1)[0][0], wanted), "%s: bar of %s is %s" % (theme, line[0], bar.most_common(2)))
            self.assertGreater(len(picture.colours(line[1:])), 8, "no text on the marked line")
        self.assertEqual(len(marks), 2)
        for mark in marks:
            wanted = (SIDE_A if "side-a" in mark[0] else SIDE_B)[theme]
            share = picture.colours((mark[1] + 1, mark[2] + 2, max(mark[3] - 2, 1), mark[4] - 4))
            self.assertTrue(near(share.most_common(1)[0][0], wanted), "%s: %s is %s" % (theme, mark[0], share.most_common(2)))
        chart = picture.colours(self.measured["charts"][0][1:])
        self.assertGreater(len(chart), 60, "the timeline is empty")
        red = (0xD6, 0x20, 0x3A) if theme == "light" else (0xFF, 0x5D, 0x73)
        self.assertGreater(sum(count for colour, count in chart.items() if near(colour, red)), 60, "no absent link")

    def test_light_picture(self):
        self.check_picture(self.shoot(self.page, "light", "--blink-settings=preferredColorScheme=1"), "light")

    def test_dark_picture(self):
        self.check_picture(self.shoot(self.page, "dark", "--blink-settings=preferredColorScheme=0"), "dark")

    def test_every_arrow_is_drawn(self):
        self.assertGreater(self.measured["expected"], 30)
        self.assertEqual(self.measured["arrows"], self.measured["expected"])
        self.assertEqual(self.measured["withoutArrows"], 0)
        self.assertEqual(len(self.measured["missing"]), 1)
        self.assertGreater(self.measured["slices"], 60)

    def test_tools(self):
        self.assertAlmostEqual(self.measured["zoom"], 1 / 1.6, places=2)
        self.assertTrue(self.measured["home"])
        self.assertEqual(self.measured["hits"], self.measured["really"])
        self.assertGreater(self.measured["hits"], 0)
        self.assertEqual(self.measured["found"], "%d found" % self.measured["hits"])
        self.assertGreater(self.measured["hit"], 0)
        self.assertRegex(self.measured["tip"], r"^(writer|reader): DataCopyAIV [01] MTE[23], entry \d+\nsteps \d+ to \d+\n")
        self.assertEqual(self.measured["cores"], 4)
        self.assertEqual(self.measured["hidden"], 1)
        self.assertIn(self.measured["theme"], ("light", "dark"))

    def test_many_cores(self):
        measured = self.measure(self.folder / "reports" / "sample48.html")
        self.assertEqual(measured["problems"], [])
        self.assertEqual(measured["cores"], 48)
        self.assertEqual(measured["arrows"], measured["expected"])
        if KEEP:
            self.shoot(self.folder / "reports" / "sample48.html", "cores48", height=1600)

    def test_bytes_that_are_no_text(self):
        for seed in (1, 2):
            page = self.folder / "reports" / ("random-%d.html" % seed)
            copy = self.folder / ("plain-" + page.name)
            copy.write_text(page.read_text(encoding="utf-8").replace("<head>", "<head>" + EARLY, 1).replace(
                "</body>", "<script>document.title = JSON.stringify(problems);</script></body>"), encoding="utf-8")
            dom = browse(self.folder, "--dump-dom", copy.as_uri())
            self.assertIn("<title>[]</title>", dom, page.name)

    def test_paper(self):
        file = self.folder / "paper.pdf"
        browse(self.folder, "--print-to-pdf=%s" % file, "--no-pdf-header-footer", self.page.as_uri())
        data = file.read_bytes()
        self.assertTrue(data.startswith(b"%PDF-"))
        pages = len(re.findall(rb"/Type\s*/Page\b", data))
        self.assertTrue(1 <= pages <= 2, "%d pages" % pages)


if __name__ == "__main__":
    if BROWSER is None:
        print("skipped: no chromium, chromium-browser, google-chrome or chrome in PATH; on Debian: apt-get install chromium")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
