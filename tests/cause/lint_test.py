#!/usr/bin/env python3
"""ascsan lint --redundant from outside: what is listed can really go, what stays is really needed.

usage: lint_test.py BUILD_FOLDER SOURCE_FOLDER [--full]
Checked with ascsan run --what-if drop=..., which shares nothing with the search. --full takes every clean litmus kernel;
the short form some of each kind of synchronisation. Exit 0 if all holds.
"""
import json
import os
import subprocess
import sys
import tempfile

BUILD, SOURCE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
FULL = "--full" in sys.argv
ASCSAN = os.path.join(BUILD, "bin", "ascsan")
SAMPLE, LITMUS = os.path.join(BUILD, "tests", "cause_sample"), os.path.join(BUILD, "bin", "litmus")
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith("ASCSAN_")}
failures = []
work = tempfile.TemporaryDirectory()


def expect(condition, text, more=""):
    print(("ok   " if condition else "FAIL ") + text + ("" if condition else "\n" + more), flush=True)
    if not condition:
        failures.append(text)


def run(*command):
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=600, cwd=work.name)
    return done.returncode, done.stdout, done.stderr


def lint(*words):
    path = os.path.join(work.name, "lint.json")
    if os.path.exists(path):
        os.remove(path)
    code, out, err = run(ASCSAN, "lint", "--redundant", "--out", "json=" + path, *words)
    report = None
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
    return code, report, out, err


def places(groups):
    return [f"{line['file']}:{line['line']}" for group in groups for line in group["lines"]]


def drop(lines, *program):
    return run(ASCSAN, "run", "--witness=off", "--what-if", "drop=" + ",".join(lines), *program)


def check_independently(name, report, *program):
    """Without the listed lines nothing is found; with one more left out something is."""
    out = places(report["redundant"])
    if out:
        code, _, err = drop(out, *program)
        expect(code == 0, f"{name}: clean without {len(out)} lines", err)
    for group in report["needed"]:
        if group["needed"].startswith("left alone"):
            continue
        code, _, err = drop(out + places([group]), *program)
        expect("0 errors · 0 warnings" not in err, f"{name}: not clean without {places([group])[0].rpartition('/')[2]} as well", err)


def marks(name):
    """Line numbers of the marks of sample.cpp."""
    with open(os.path.join(SOURCE, "tests/cause", name), encoding="utf-8") as file:
        return {line.partition("// @")[2].strip(): number for number, line in enumerate(file, 1) if "// @" in line}


def everywhere():
    at = marks("sample.cpp")
    number = lambda groups: sorted(line["line"] for group in groups for line in group["lines"])
    code, report, out, err = lint(SAMPLE, "--", "everywhere")
    expect(code == 1 and report["verdict"] == "findings" and report["exit_code"] == 1, "everywhere: exit code 1", out + err)
    expect(number(report["redundant"]) == sorted([at["first_load"], at["add"], at["store"]]),
           "everywhere: the barriers behind the first load, the addition and the store can go", out)
    expect(number(report["needed"]) == sorted([at["second_load"], at["muls"], at["end"]]), "everywhere: three stay", out)
    expect(all("PipeBarrier<PIPE_ALL>" == line["operation"] and line["function"] == "barriers_everywhere"
               for group in report["redundant"] + report["needed"] for line in group["lines"]), "everywhere: call and function",
           json.dumps(report, indent=1))
    expect("3 of 6 lines" in out and f"sample.cpp:{at['first_load']}" in out and "32 schedules" in out and
           "barriers_everywhere on 2 blocks" in out and "ASC1201" in out, "everywhere: the text", out)
    check_independently("everywhere", report, SAMPLE, "everywhere")
    again = lint(SAMPLE, "--", "everywhere")
    expect(again[1] == report and again[2] == out, "everywhere: the same again")
    # `once` does not read back what it has stored.
    code, report, out, err = lint(SAMPLE, "--", "once")
    expect(at["end"] in number(report["redundant"]), "once: the barrier behind the loop can go too", out)
    code, report, out, err = lint("--case", "everywhere", "--case", "once", SAMPLE)
    expect(at["end"] in number(report["needed"]) and len(report["cases"]) == 2, "two cases: it stays, one case needs it", out + err)
    code, report, out, err = lint("--profile", "strict", SAMPLE, "--", "everywhere")
    expect(at["add"] in number(report["needed"]), "profile strict: the barrier between two vector instructions stays", out + err)


def litmus():
    code, out, err = run(ASCSAN, "suite", os.path.join(SOURCE, "tests/litmus"), "--program", LITMUS, "--list")
    clean = [line.split()[0] for line in out.splitlines() if line.endswith(" clean")]
    expect(len(clean) > 80, "clean litmus kernels", err)
    chosen = clean if FULL else [k for k in ("r7_flag", "r5_all", "r8_v_v", "r15_reduce_sum", "class_clear_exact", "class_every_group",
                                             "class_dcache_dropped", "r4_mte3") if k in clean]
    expect(len(chosen) >= 6, f"{len(chosen)} kernels to look at", str(clean))
    listed = kept = refused = 0
    for kernel in chosen:
        code, report, out, err = lint(LITMUS, "--", kernel)
        if code == 5:  # options of its expectation make it clean, or two equal runs differ
            refused += 1
            continue
        expect(code == (1 if report["redundant"] else 0), f"{kernel}: exit code", out + err)
        listed += len(report["redundant"])
        kept += len(report["needed"])
        check_independently(kernel, report, LITMUS, kernel)
    expect(refused * 10 <= len(chosen), f"{refused} of {len(chosen)} kernels refused")
    print(f"{len(chosen)} litmus kernels: {listed} groups of lines can go, {kept} stay")


def refusals():
    code, report, out, err = lint(SAMPLE, "--", "flag")
    expect(code == 5 and "has findings as it is" in err and "ASC1201" in err and report["verdict"] == "incomplete",
           "refused: a program with findings", out + err)
    code, report, out, err = lint(SAMPLE, "--", "count")
    expect(code == 5 and "not deterministic by itself" in err, "refused: not deterministic by itself", out + err)
    code, report, out, err = lint("/bin/true")
    expect(code == 5 and "launched no kernel" in err, "refused: no kernel", out + err)
    for words, said in ((["lint", SAMPLE], "--redundant"), (["lint", "--redundant"], "no program"),
                        (["lint", "--redundant", "--schedules", "5", SAMPLE], "32..100000"),
                        (["lint", "--redundant", "--out", "sarif=x", SAMPLE], "json=FILE"),
                        (["lint", "--redundant", "nowhere/x"], "no such file")):
        code, out, err = run(ASCSAN, *words)
        expect(code == 2 and said in err, f"refused: {' '.join(words[:4])[-60:]}", f"{code} {out} {err}")
    code, out, err = run(ASCSAN, "run", "--what-if", "drop=sample.cpp", SAMPLE, "everywhere")
    expect(code not in (0, 1) and "write drop=FILE:LINE" in err, "what-if: no line", f"{code} {err}")
    code, out, err = run(ASCSAN, "run", "--what-if", "drop=sample.cpp:1", SAMPLE, "everywhere")
    expect(code == 5 and "was issued at sample.cpp:1" in err, "what-if: a line without synchronisation", err)
    code, out, err = run(ASCSAN, "lint", "--help")
    expect(code == 0 and "exit codes" in out, "help")


everywhere()
litmus()
refusals()
print(f"{len(failures)} failed")
sys.exit(1 if failures else 0)
