"""Reads report files with Python's own parsers and holds them to the JSON report of the same run.

usage: reports_test.py MAKE_REPORTS
JUnit with xml.etree, HTML with html.parser, SARIF and traces with json; nothing beyond the standard library.
"""
import html.parser
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

MAKE_REPORTS = sys.argv[1]
FORMATS = (".json", ".sarif", ".junit.xml", ".github", ".trace", ".html")
VOID = {"meta", "br", "input"}


def make(folder):
    subprocess.run([MAKE_REPORTS, folder], check=True)
    return {path.name: path.read_bytes() for path in pathlib.Path(folder).iterdir()}


def counts(finding):
    return finding["suppression"] is None and finding["baseline"] != "known"


class Page(html.parser.HTMLParser):
    """Structure of a page: balance of tags, references, texts of scripts and of marked lines."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.problems, self.references, self.data = [], [], [], {}
        self.marked, self.tags, self.attributes, self.figures = [], set(), set(), []
        self.feed(text)
        self.close()
        if self.open:
            self.problems.append("not closed: %s" % self.open)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.tags.add(tag)
        self.attributes.update(attributes)
        for name in ("src", "href", "action", "srcset", "data", "poster", "background"):
            if name in attributes:
                self.references.append(attributes[name])
        if "marked" in attributes.get("class", "").split():
            self.marked.append(attributes)
        if tag == "figure":
            self.figures.append(json.loads(attributes["data-spec"]))
        if tag not in VOID:
            self.open.append((tag, attributes))

    def handle_endtag(self, tag):
        if not self.open or self.open[-1][0] != tag:
            self.problems.append("unexpected </%s> in %s" % (tag, [name for name, _ in self.open]))
        else:
            self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1][0] == "script" and self.open[-1][1].get("type") == "application/json":
            key = self.open[-1][1]["id"]
            self.data[key] = self.data.get(key, "") + data


class Reports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
            cls.files = make(first)
            cls.again = make(second)
        cls.runs = sorted(name[:-len(".json")] for name in cls.files if name.endswith(".json"))

    def text(self, run, ending):
        return self.files[run + ending].decode("utf-8")  # strict: bad bytes of a program must be gone

    def json(self, run):
        return json.loads(self.text(run, ".json"))

    def each(self):
        for run in self.runs:
            with self.subTest(run):
                yield run

    def test_equal_runs_give_equal_bytes(self):
        self.assertGreater(len(self.runs), 50)
        self.assertEqual(set(self.files), {run + ending for run in self.runs for ending in FORMATS})
        for name in self.files:
            self.assertEqual(self.files[name], self.again[name], name)

    def test_junit(self):
        failures = 0
        for run in self.each():
            root = xml.etree.ElementTree.fromstring(self.files[run + ".junit.xml"])
            self.assertEqual(root.tag, "testsuites")
            report = self.json(run)
            expected = [finding for finding in report["findings"] if counts(finding) and finding["severity"] == "error"]
            found = list(root.iter("failure"))
            self.assertEqual(len(found), len(expected))
            failures += len(found)
            if run.startswith("golden"):  # texts come through
                self.assertEqual(sorted(node.get("message") for node in found), sorted(f["title"] for f in expected))
            for name, nodes in (("tests", "testcase"), ("skipped", "skipped"), ("errors", "error")):
                self.assertEqual(int(root.get(name)), len(list(root.iter(nodes))), name)
                self.assertEqual(sum(int(suite.get(name)) for suite in root.iter("testsuite")), int(root.get(name)))
            if report["unchecked"] or report["program"]["crash"]:
                passed = [case for case in root.iter("testcase") if len(case.findall("failure") + case.findall("skipped") + case.findall("error")) == 0]
                self.assertEqual([case.get("name") for case in passed], [])
        self.assertGreater(failures, 40)

    def test_sarif(self):
        for run in self.each():
            document, report = json.loads(self.text(run, ".sarif")), self.json(run)
            results = document["runs"][0]["results"]
            self.assertEqual(len(results), len(report["findings"]) + len(report["fixed"]))
            self.assertEqual(document["runs"][0]["invocations"][0]["exitCode"], report["exit_code"])

    def test_html(self):
        figures = 0
        for run in self.each():
            page = Page(self.text(run, ".html"))
            self.assertEqual(page.problems, [])
            self.assertTrue(all(re.fullmatch(r"#finding-\d+", reference) for reference in page.references), page.references)
            self.assertEqual([name for name in page.attributes if name.startswith("on")], [])
            self.assertFalse(page.tags & {"img", "link", "iframe", "object", "embed", "base", "audio", "video", "form"})
            for spec in page.figures:
                data = json.loads(page.data["timeline-%d" % spec["timeline"]])
                for mark in spec["marks"]:
                    self.assertLess(mark["slice"], len(data["slices"]))
                figures += 1
        self.assertGreater(figures, 1)

    def test_html_of_the_sample(self):
        page, report = Page(self.text("sample", ".html")), self.json("sample")
        accesses = report["findings"][0]["accesses"]
        lines = {(mark["data-line"], mark["class"].split()[-1]) for mark in page.marked}
        self.assertEqual(lines, {(str(accesses[0]["line"]), "side-a"), (str(accesses[1]["line"]), "side-b")})
        spec = page.figures[0]
        data = json.loads(page.data["timeline-0"])
        names = {(mark["label"], data["lanes"][data["slices"][mark["slice"]][0]][2], data["texts"][data["slices"][mark["slice"]][5]]) for mark in spec["marks"]}
        self.assertEqual(names, {("writer", "AIV 1", "DataCopy"), ("reader", "AIV 0", "DataCopy")})
        self.assertEqual(spec["missing"], [0, 1])
        self.assertEqual(len(spec["common"]), 2)

    def slices_by_thread(self, events):
        threads = {}
        for event in events:
            if event["ph"] == "X":
                threads.setdefault((event["pid"], event["tid"]), []).append((event["ts"], event["ts"] + event["dur"]))
        return threads

    def test_trace(self):
        for run in self.each():
            events = json.loads(self.text(run, ".trace"))["traceEvents"]
            for slices in self.slices_by_thread(events).values():
                ends = []
                for begin, end in sorted(slices, key=lambda slice: (slice[0], -slice[1])):
                    while ends and ends[-1] <= begin:
                        ends.pop()
                    self.assertTrue(not ends or end <= ends[-1])
                    ends.append(end)
            times = [event["ts"] for event in events if "ts" in event]
            self.assertEqual(times, sorted(times))

    def test_trace_of_the_sample(self):
        for run, cores in (("sample", 4), ("sample48", 48)):
            events = json.loads(self.text(run, ".trace"))["traceEvents"]
            processes = {event["args"]["name"] for event in events if event["name"] == "process_name"}
            self.assertEqual(processes, {"ascsan findings"} | {"AIV %d" % core for core in range(cores)})
            threads = {event["args"]["name"] for event in events if event["name"] == "thread_name" and event["pid"] == 1}
            self.assertEqual(threads, {"S (scalar unit)", "V", "MTE2", "MTE3"})
            slices = self.slices_by_thread(events)
            starts = {event["id"]: event for event in events if event["ph"] == "s"}
            ends = {event["id"]: event for event in events if event["ph"] == "f"}
            self.assertEqual(set(starts), set(ends))
            for key, start in starts.items():
                self.assertLessEqual(start["ts"], ends[key]["ts"])
                for side in (start, ends[key]):
                    self.assertTrue(any(begin <= side["ts"] < end for begin, end in slices[(side["pid"], side["tid"])]), side)
            # Every wait that is shown has its arrow, but for those whose set lies before the window.
            waits = [event for event in events if event.get("cat") == "wait"]
            self.assertGreater(len(waits), cores * 15)
            self.assertGreaterEqual(len(starts), len(waits))
            self.assertEqual(len([event for event in starts.values() if event["cat"] == "absent link"]), 1)
            self.assertTrue(any(event["ph"] == "C" and event["name"] == "queued MTE2" for event in events))

    def test_github(self):
        command = re.compile(r"::(error|warning|notice) (?:[a-z]+=[^,:\r\n]*,?)+::.*")
        for run in self.each():
            for line in self.text(run, ".github").split("\n")[:-1]:
                self.assertRegex(line, command)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
