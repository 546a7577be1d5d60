#!/usr/bin/env python3
"""check_pages.py ASCSAN PROGRAM SOURCE CUT [--update]: the pages of docs/rules tell what happens.

Every rule of rules.def has a page and every page a rule; the bad kernel gives the report the page shows and breaks the rule
of the page; the good kernel gives none. CUT is the folder of cut_pages.py, where reports find the source lines. With
--update the made parts are written anew and differences are no failure; kernels that behave otherwise still are."""
import concurrent.futures
import difflib
import os
import pathlib
import subprocess
import sys

from page import Page, rules, with_made_parts

ASCSAN, PROGRAM, SOURCE, CUT = sys.argv[1:5]
UPDATE = "--update" in sys.argv
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith("ASCSAN_")}
failures = []


def run(name, options):
    command = [ASCSAN, "run", "--keep=", "--out=text=-", "--progress=none", *(options or "").split(), PROGRAM, name]
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


known, order = rules(SOURCE)
pages = sorted((pathlib.Path(SOURCE) / "docs/rules").glob("ASC*.md"))
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    for problems in pool.map(lambda path: check(path, known, order), pages):
        failures += problems
failures += [f"{rule}: no page docs/rules/{rule}.md; docs/rules/README.md says how to write one"
             for rule in known if rule not in {page.stem for page in pages}]
for failure in failures:
    print("FAIL", failure)
print(f"{len(pages)} pages, {len(known)} rules, {len(failures)} failures")
sys.exit(1 if failures else 0)
