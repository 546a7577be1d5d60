#!/usr/bin/env python3
"""check_pages.py ASCSAN PROGRAM SOURCE CUT [--update]: the pages of docs/rules tell what happens.

Every rule of rules.def has a page and every page a rule; the bad kernel gives the report the page shows and breaks the rule
of the page; the good kernel gives none. All bad kernels together in one program give the reports of tests/golden/rules, at
least 25 findings in each format, and a trace whose slices nest. CUT is the folder of cut_pages.py, where reports find the source lines. With
--update the made parts are written anew and differences are no failure; kernels that behave otherwise still are."""
import collections
import concurrent.futures
import difflib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from page import Page, rules, with_made_parts

ASCSAN, PROGRAM, SOURCE, CUT = sys.argv[1:5]
UPDATE = "--update" in sys.argv
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith("ASCSAN_")}
# Kernels of one function need no call stacks, and names of functions in those depend on the compiler.
COMMON = ["--keep=", "--progress=none", "--frames=site"]
# A witness carries a token of the very program, which no page can.
if re.search(r"^\s*--witness\b", subprocess.run([ASCSAN, "run", "--help"], capture_output=True, text=True).stdout, re.M):
    COMMON.append("--witness=off")
failures = []


def run(name, options):
    command = [ASCSAN, "run", *COMMON, "--out=text=-", *(options or "").split(), PROGRAM, name]
    done = subprocess.run(command, cwd=CUT, env=ENVIRONMENT, capture_output=True, text=True, encoding="utf-8", timeout=300)
    return done.returncode, done.stdout, done.stderr


def check(path, known, order):
    page = Page(path)
    problems = []
    if page.id not in known:
        return [f"{page.id}: no such rule in src/check/rules.def"]
    text = page.text
    if not page.without_kernel and sorted(page.kernels) != ["bad", "good"]:
        return [f"{page.id}: the page needs a block ```cpp behind ## Bad and one behind ## Good"]
    for which, kernel in page.kernels.items():
        options = f"--{kernel.options}" if kernel.options else ""
        code, out, err = run(f"{page.id.lower()}_{which}", options)
        broken = [line for line in out.splitlines() if line.startswith(("error ASC", "warning ASC", "info ASC"))]
        if which == "good" and (code != 0 or broken):
            problems.append(f"{page.id}: the good kernel is not clean, exit {code}\n{out}{err}")
        if which == "bad" and not any(line.split()[1] == page.id for line in broken):
            problems.append(f"{page.id}: the bad kernel does not break the rule, exit {code}\n{out}{err}")
        if which == "bad":
            text = page.with_report(out)
    text = with_made_parts(text, page.id, known[page.id], order)
    if text != page.text and UPDATE:
        page.path.write_text(text, encoding="utf-8")
    elif text != page.text:
        problems.append(f"{page.id}: the page is not what the tool says; if that is wanted: ./dev golden\n" + "\n".join(
            difflib.unified_diff(page.text.splitlines(), text.splitlines(), "page", "tool", lineterm="")))
    return problems


def trace_problems(trace):
    """Slices of a thread nest or follow each other, every flow that starts ends."""
    threads, flows = {}, collections.Counter()
    for event in trace["traceEvents"]:
        if event["ph"] == "X":
            threads.setdefault((event["pid"], event["tid"]), []).append((event["ts"], event["ts"] + event["dur"]))
        flows[event.get("id")] += {"s": 1, "f": -1}.get(event["ph"], 0)
    problems = [f"trace: flow {number} does not end or begin" for number, open_ends in flows.items() if open_ends != 0]
    for thread, slices in threads.items():
        ends = []
        for begin, end in sorted(slices, key=lambda item: (item[0], -item[1])):
            while ends and ends[-1] <= begin:
                ends.pop()
            if ends and end > ends[-1]:
                problems.append(f"trace: slices of thread {thread} overlap at {begin}")
            ends.append(end)
    return problems if len(threads) > 10 else problems + ["trace: hardly any slices"]


def check_formats():
    """One program that launches every bad kernel, as text, JSON, SARIF and JUnit."""
    listed = subprocess.run([PROGRAM], capture_output=True, text=True, check=True, env=ENVIRONMENT).stdout.split()
    names = [name for name in listed if name.endswith("_bad")]
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        files = {ending: os.path.join(folder, "report." + ending) for ending in ("txt", "json", "sarif", "junit.xml", "trace")}
        formats = {"txt": "text", "json": "json", "sarif": "sarif", "junit.xml": "junit", "trace": "trace"}
        command = [ASCSAN, "run", *COMMON, "--max-reports=1000",
                   *(f"--out={formats[ending]}={file}" for ending, file in files.items()), PROGRAM, *names]
        done = subprocess.run(command, cwd=CUT, env=ENVIRONMENT, capture_output=True, text=True, encoding="utf-8", timeout=300)
        if done.returncode != 1:
            return [f"all bad kernels together: exit {done.returncode}\n{done.stderr}"]
        texts = {ending: pathlib.Path(file).read_text(encoding="utf-8") for ending, file in files.items()}
    problems += trace_problems(json.loads(texts.pop("trace")))
    document = json.loads(texts["json"])
    del document["timing"]  # the only part that differs between equal runs
    del document["options"]  # a new option is no new report
    texts["json"] = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    counts = {
        "txt": len(re.findall(r"^(?:error|warning|info) ASC\d", texts["txt"], re.M)),
        "json": len(document["findings"]),
        "sarif": len(json.loads(texts["sarif"])["runs"][0]["results"]),
        "junit.xml": len(re.findall(r"ASC\d{4}-[0-9a-f]{6}", texts["junit.xml"])),
    }
    for ending, text in texts.items():
        if counts[ending] < 25:
            problems.append(f"{ending}: only {counts[ending]} findings of all bad kernels together")
        golden = pathlib.Path(SOURCE) / "tests/golden/rules" / ("report." + ending)
        old = golden.read_text(encoding="utf-8") if golden.exists() else ""
        if UPDATE:
            golden.parent.mkdir(exist_ok=True)
            golden.write_text(text, encoding="utf-8")
        elif old != text:
            problems.append(f"{golden.name} of tests/golden/rules differs; if that is wanted: ./dev golden\n" + "\n".join(
                difflib.unified_diff(old.splitlines(), text.splitlines(), "golden", "tool", lineterm="", n=1)))
    return problems


known, order = rules(SOURCE)
pages = sorted((pathlib.Path(SOURCE) / "docs/rules").glob("ASC*.md"))
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    for problems in pool.map(lambda path: check(path, known, order), pages):
        failures += problems
failures += [f"{rule}: no page docs/rules/{rule}.md; docs/rules/README.md says how to write one"
             for rule in known if rule not in {page.stem for page in pages}]
failures += check_formats()
for failure in failures:
    print("FAIL", failure)
print(f"{len(pages)} pages, {len(known)} rules, {len(failures)} failures")
sys.exit(1 if failures else 0)
