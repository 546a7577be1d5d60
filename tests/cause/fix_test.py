#!/usr/bin/env python3
"""The catalogue of ascsan fix on small programs: a cure of each kind, found, proven and shown as a patch.

usage: fix_test.py BUILD_FOLDER SOURCE_FOLDER [--full]
Every candidate is compiled, so the short form takes the kinds that are found at once; --full takes all, applies the
patches to a copy of the source and builds and runs that. Exit 0 if all holds.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

BUILD, SOURCE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
FULL = "--full" in sys.argv
ASCSAN, PROGRAM = os.path.join(BUILD, "bin", "ascsan"), os.path.join(BUILD, "tests", "cause_fix_sample")
FILE = os.path.join(SOURCE, "tests/cause/fix_sample.cpp")
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith("ASCSAN_")}
failures = []
work = tempfile.TemporaryDirectory()


def expect(condition, text, more=""):
    print(("ok   " if condition else "FAIL ") + text + ("" if condition else "\n" + more), flush=True)
    if not condition:
        failures.append(text)


def run(*command, **more):
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=900, cwd=work.name, **more)
    return done.returncode, done.stdout, done.stderr


def findings(case, program=PROGRAM):
    path = os.path.join(work.name, "findings.json")
    run(ASCSAN, "run", "--witness=off", "--out", "json=" + path, program, case)
    with open(path, encoding="utf-8") as file:
        return json.load(file)["findings"]


def fix(case, rule, *options, **more):
    found = [f for f in findings(case) if f["rule"] == rule]
    expect(len(found) == 1, f"{case}: one {rule}", str(found))
    return run(ASCSAN, "fix", found[0]["id"], *options, PROGRAM, case, **more)


def added(patch):
    return [line[1:].strip() for line in patch.splitlines() if line.startswith("+") and not line.startswith("+++")]


def applies(case, patch):
    """The patch text is a patch: applied by the patch program to the file as it is, it gives what the lines say."""
    folder = os.path.join(work.name, "patched")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(os.path.join(folder, "tests/cause"))
    shutil.copy(FILE, os.path.join(folder, "tests/cause"))
    begin = patch.index("--- a/")
    text = "".join(line for line in patch[begin:].splitlines(True) if line[:1] in "+-@ ")
    done = subprocess.run(["patch", "-p1", "-s", "--fuzz=0"], input=text, capture_output=True, text=True, cwd=folder)
    expect(done.returncode == 0, f"{case}: the patch applies", done.stdout + done.stderr + text)


def cure(case, rule, lines, *options):
    code, out, err = fix(case, rule, *options)
    expect(code == 0 and "verified" in out and "needed" in out, f"{case}: proven", out + err)
    for line in lines:
        expect(line in added(out), f"{case}: {line}", out)
    if code == 0 and shutil.which("patch"):
        applies(case, out)
    return out


before = open(FILE, encoding="utf-8").read()
out = cure("group", "ASC1101", ["CrossCoreSetFlag<2, PIPE_FIX>(7);", "CrossCoreWaitFlag(7);"])
expect("vector cores wait for their matrix core" in out, "group: said", out)
out = cure("stale", "ASC6101",
           ["DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE>(gx[GetBlockIdx() * kTile]);"])
expect("shows the fault itself" in out, "stale: other outputs than before, and said", out)
cure("queue", "ASC1201", ["loads.EnQue(in);", "in = loads.DeQue<float>();"])
out = cure("two", "ASC1201", ["SetFlag<HardEvent::MTE2_V>(EVENT_ID7);", "WaitFlag<HardEvent::MTE2_V>(EVENT_ID7);"])
expect("not it alone" in out and "on top of" in out and "any one of its places left out" in out, "two: two places, both needed", out)
expect(any("V_MTE2" in line for line in added(out)), "two: and the way back", out)
if FULL:
    out = cure("turns", "ASC1202", [])
    expect(added(out) == ["SetFlag<HardEvent::V_MTE2>(EVENT_ID7);", "WaitFlag<HardEvent::V_MTE2>(EVENT_ID7);",
                          "SetFlag<HardEvent::V_MTE2>(EVENT_ID7);", "WaitFlag<HardEvent::V_MTE2>(EVENT_ID7);"],
           "turns: set before the loop and behind the computation, waited for before the load and behind the loop", out)
    out = cure("type", "ASC1101", ["SyncAll<true>();"])
    expect(any("KERNEL_TYPE_MIX_AIV_1_0" in line for line in added(out)) and "\n-  KERNEL_TASK_TYPE_DEFAULT" in out,
           "type: a kernel type that has flags between cores", out)
    out = cure("shadowed", "ASC1201", ["PipeBarrier<PIPE_ALL>();"])
    expect("does not compile" in out and re.search(r"error: .*SetFlag", out), "shadowed: a patch that does not compile is said", out)
    code, out, err = fix("turns", "ASC1202", "--all")
    expect(code == 0 and out.count("verified:") >= 3 and "also sufficient: " in out, "turns --all: every cure of the catalogue", out)
code, out, err = fix("group", "ASC1101", "--build", "false", "--source", SOURCE)
expect(code == 1 and "does not compile" in out and "no proven cure" in out or code == 2, "a build command that fails is said", out + err)
expect(open(FILE, encoding="utf-8").read() == before, "the source is untouched")
print(f"{len(failures)} failed")
sys.exit(1 if failures else 0)
