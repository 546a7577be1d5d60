#!/usr/bin/env python3
"""The story of the product, from outside: the real operator without one barrier, and with it.

usage: story_test.py BIN_FOLDER CASES_FOLDER [--full]
The short form is part of the test run; --full runs every seed and every shipped case. Exit 0 if all holds.
"""
import json
import os
import subprocess
import sys
import tempfile

BIN, CASES = sys.argv[1], sys.argv[2]
FULL = "--full" in sys.argv
ASCSAN, BATCH = os.path.join(BIN, "ascsan"), os.path.join(BIN, "flce_batch")
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith("ASCSAN_")}
failures = []


def case_file(name):
    return os.path.join(CASES, name + ".toml")


def expect(condition, text):
    print(("ok   " if condition else "FAIL ") + text, flush=True)
    if not condition:
        failures.append(text)


def run(command):
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=900)
    return done.returncode, done.stdout, done.stderr


def checked(batch_arguments, run_arguments=()):
    """ascsan run flce_batch ...: exit code, JSON, stdout of the program."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "f.json")
        code, out, err = run([ASCSAN, "run", *run_arguments, "--out", "json=" + report, BATCH, *batch_arguments])
        if not os.path.exists(report):
            sys.exit(f"no report: exit {code}\n{out}\n{err}")
        with open(report, encoding="utf-8") as file:
            return code, json.load(file), out


def without_timing(report):
    return json.dumps({key: value for key, value in report.items() if key != "timing"}, sort_keys=True)


def remarks_apart(findings):
    """Findings without the one remark the operator earns: predicted logits are added atomically, in no order."""
    return [f for f in findings if not (f["rule"] == "ASC1502" and f["severity"] == "info" and f["tensor"] == "predicted_logits")]


def check_finding(report, what):
    errors = [f for f in report["findings"] if f["severity"] != "info"]
    expect(len(errors) == 1 and errors[0]["severity"] == "error", f"{what}: exactly one finding, an error")
    if not errors:
        return None
    finding = errors[0]
    sides = {access["role"]: access for access in finding["accesses"]}
    writer, reader = sides.get("writer"), sides.get("reader")
    good = finding["tensor"] == "masked_target" and finding["space"] == "GM" and writer and reader
    expect(good, f"{what}: masked_target in GM, a writer and a reader")
    if not good:
        return finding["id"]

    def in_stage(access, stage):
        return access["file"] and access["line"] > 0 and any(stage in frame["function"] for frame in access["stack"])

    expect(writer["core"].startswith("AIV") and writer["pipe"] == "MTE3" and in_stage(writer, "TargetProcess"),
           f"{what}: written on an AIV in MTE3 inside TargetProcess")
    expect(reader["core"] != writer["core"] and reader["pipe"] == "MTE2" and in_stage(reader, "CVProcess"),
           f"{what}: read on another core in MTE2 inside CVProcess")
    expect(finding["last_common"] and finding["last_common"]["what"] == "SyncAll" and finding["last_common"]["line"] > 0,
           f"{what}: last common point is the barrier before")
    return finding["id"]


def missing_barrier():
    smoke = ["--variant", "missing_sync", "--cases", case_file("smoke")]
    ids, right = set(), 0
    schedules = [["--schedule", "in_order"], ["--schedule", "deferred"]]
    schedules += [["--schedule", "random", "--seed", str(seed)] for seed in (range(1, 21) if FULL else (1, 7, 16))]
    for schedule in schedules:
        what = " ".join(schedule).replace("--", "")
        code, report, out = checked(smoke + schedule)
        expect(code == 1, f"{what}: exit 1")
        ids.add(check_finding(report, what))
        right += " 0 flaky, 0 fail" in out
    expect(len(ids) == 1, f"the same finding under {len(schedules)} schedules: {ids}")
    expect(right >= 1, f"{right} of them with every number right")
    first = None
    repeats = 50 if FULL else 4
    for _ in range(repeats):
        text = without_timing(checked(smoke + ["--schedule", "in_order"])[1])
        first = first or text
        if text != first:
            break
    expect(text == first, f"{repeats} equal commands give equal JSON outside timing")


def flaky_batch():
    failing = set()
    for seed in range(1, 11) if FULL else (1, 3):
        code, out, _ = run([BATCH, "--variant", "missing_sync", "--cases", case_file("smoke"), "--schedule", "random",
                            "--seed", str(seed), "--progress", "none"])
        failing.add(tuple(line.split()[1] for line in out.splitlines() if line.startswith("fail")))
    expect(len(failing) > 1, "the set of failing cases differs between seeds")
    code, out, _ = run([BATCH, "--variant", "missing_sync", "--cases", case_file("smoke"), "--schedule", "random",
                        "--repeat", "20", "--progress", "none"])
    expect(code == 1, "20 runs a case of the variant: exit 1")
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines() if line[:1].islower() and "_" in line.split()[0]}
    flaky, relative = int(rows["predicted_logits_local"][1]), float(rows["predicted_logits_local"][4])
    expect(flaky >= 1 and relative > 10, f"predicted_logits_local flaky in {flaky} cases, relative error {relative:g}")
    for name, columns in rows.items():
        if name != "predicted_logits_local" and len(columns) > 3 and columns[0].isdigit():
            expect(columns[1:3] == ["0", "0"], f"{name}: neither flaky nor wrong")


def shipped():
    names = ["smoke"] + (["heads", "shapes", "targets", "values"] if FULL else [])
    for profile in ("auto", "strict"):
        code, report, out = checked(["--variant", "shipped", "--cases", *map(case_file, names)], ["--profile", profile])
        expect(code == 0 and not remarks_apart(report["findings"]) and report["verdict"] == "clean",
               f"shipped, {', '.join(names)}, profile {profile}: clean, exit 0")
        expect(" 0 flaky, 0 fail" in out, f"shipped, profile {profile}: {out.splitlines()[-1]}")


missing_barrier()
flaky_batch()
shipped()
print(f"{len(failures)} failed")
sys.exit(1 if failures else 0)
