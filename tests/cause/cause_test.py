#!/usr/bin/env python3
"""Witness, replay, diagnose, experiments and fix, from outside.

usage: cause_test.py BUILD_FOLDER SOURCE_FOLDER [--full]
The short form is part of the test run; --full makes 200 replays and fixes every sample. Exit 0 if all holds.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

BUILD, SOURCE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
FULL = "--full" in sys.argv
ASCSAN, SAMPLE = os.path.join(BUILD, "bin", "ascsan"), os.path.join(BUILD, "tests", "cause_sample")
FIX_SAMPLE, FILE = os.path.join(BUILD, "tests", "cause_fix_sample"), os.path.join(SOURCE, "tests/cause/sample.cpp")
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith("ASCSAN_")}
ENVIRONMENT["COLUMNS"] = "160"
failures = []
work = tempfile.TemporaryDirectory()


def expect(condition, text, more=""):
    print(("ok   " if condition else "FAIL ") + text + ("" if condition else "\n" + more), flush=True)
    if not condition:
        failures.append(text)


def run(*command, cwd=work.name, **more):
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=900, cwd=cwd, **more)
    return done.returncode, done.stdout, done.stderr


def checked(case, *options):
    report = os.path.join(work.name, "f.json")
    code, out, err = run(ASCSAN, "run", "--out", "json=" + report, *options, SAMPLE, case)
    with open(report, encoding="utf-8") as file:
        return code, json.load(file), err


def witnesses():
    """Races whose effect is known: which tensor becomes wrong, and that nothing else does."""
    tokens = {}
    for case, tensor in (("flag", "y"), ("reuse", "y"), ("cores", "y")):
        for schedule in ("in_order", "deferred"):
            code, report, err = checked(case, "--schedule", schedule)
            found = [f for f in report["findings"] if f["witness"]]
            expect(code == 1 and len(found) >= 1, f"{case}, {schedule}: a witness", err)
            if not found:
                continue
            finding = found[0]
            witness = finding["witness"]
            expect(finding["confidence"] == "proven" and "[proven]" in err, f"{case}, {schedule}: proven", err)
            expect(witness["forced_choices"] <= 3 and witness["runs"] <= 3, f"{case}, {schedule}: {witness['runs']} runs")
            expect([i["tensor"] for i in finding["impact"]] == [tensor], f"{case}, {schedule}: only {tensor} is wrong",
                   json.dumps(finding["impact"], indent=1))
            expect(len(witness["values"]) == 2 and witness["values"][0]["value"] != witness["values"][1]["value"],
                   f"{case}, {schedule}: two values that differ", json.dumps(witness["values"]))
            expect(witness["token"] in err, f"{case}, {schedule}: the text shows the token")
            tokens[case] = witness["token"]
    # x[i] = i % 97 + 1 doubled in the middle, so the value is known: what core 1 stored, not what was there before.
    code, report, err = checked("cores")
    values = {v["what"]: v for v in report["findings"][0]["witness"]["values"]}
    read, stored = values.get("read by the witness"), values.get("after the store")
    expect(read and stored and read["value"] == 0 and stored["value"] == 2 * (stored["element"] % 97 + 1),
           "cores: middle holds 0 when it is read and twice its input after the store", json.dumps(values))
    impact = report["findings"][0]["impact"][0]
    expect(impact["first"]["got"] == 1 and impact["first"]["expected"] > 1 and impact["elements_differing"] == 64,
           "cores: 64 elements of y are 1 instead of more", json.dumps(impact))
    code, report, err = checked("same")
    expect(len(report["findings"]) == 1 and report["findings"][0]["witness"] is None and report["findings"][0]["impact"] is None and
           report["findings"][0]["confidence"] == "certain" and "no schedule that was tried changes an output" in err,
           "same: no output changes, so certain and not proven", err)
    code, report, err = checked("cores", "--witness=off")
    expect(report["findings"][0]["witness"] is None and report["findings"][0]["confidence"] == "certain", "option witness=off", err)
    return tokens


def replays(tokens):
    count = 200 if FULL else 12
    for case, token in tokens.items():
        outputs = set()
        for _ in range(count):
            code, out, err = run(ASCSAN, "replay", token, "--", SAMPLE, case)
            outputs.add((code, out))
        expect(len(outputs) == 1 and next(iter(outputs))[0] == 0 and out.count("as in the token") == 3,
               f"{case}: {count} replays in fresh processes, the same digests", str(outputs) + err)
    token = tokens["cores"]
    path = os.path.join(work.name, "token.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write("  " + token + "\n")
    expect(run(ASCSAN, "replay", path, SAMPLE, "cores")[0] == 0, "a token from a file")
    for name, command, words in (
            ("another program", [token, "/bin/true", "cores"], "another program"),
            ("other arguments", [token, SAMPLE, "flag"], "other arguments"),
            ("a damaged token", [token[:20] + ("A" if token[20] != "A" else "B") + token[21:], SAMPLE, "cores"], "damaged"),
            ("half a token", [token[:40], SAMPLE, "cores"], "token"),
            ("no token", ["as2:AAAA", SAMPLE, "cores"], "begins with"),
            ("no program", [token], "usage")):
        code, out, err = run(ASCSAN, "replay", *command)
        expect(code == 2 and words in err, f"refused: {name}", err)
    code, report, err = checked("clock")
    token = report["findings"][0]["witness"]["token"]
    code, out, err = run(ASCSAN, "replay", token, SAMPLE, "clock")
    expect(code == 1 and "not deterministic" in err and "NOT as in the token" in out, "a program that reads the clock is recognised", out + err)


def diagnoses():
    code, out, err = run(ASCSAN, "diagnose", SAMPLE, "cores")
    flat = " ".join(out.split())
    expect(code == 1 and "wrong: y" in flat, "diagnose cores: y is wrong", out + err)
    expect("stages: Produce, Consume, Finish" in flat, "diagnose cores: the stages", out)
    expect("equal after Produce" in flat and "in Consume" in flat, "diagnose cores: Consume brings it in", out)
    expect("WRONG INPUT: middle" in flat, "diagnose cores: middle is wrong when read", out)
    expect(re.search(r"cause middle is read in Consume before other cores have stored it in Produce", flat), "diagnose cores: the cause", out)
    lines = open(os.path.join(SOURCE, "tests/cause/sample.cpp"), encoding="utf-8").read().splitlines()
    stored = next(i for i, line in enumerate(lines, 1) if "DataCopy(middle_[" in line)
    loaded = next(i for i, line in enumerate(lines, 1) if "DataCopy(in, middle_[" in line)
    expect(f"sample.cpp:{stored}" in flat and f"sample.cpp:{loaded}" in flat, "diagnose cores: both lines", out)
    expect("between Produce and Consume" in flat[flat.find("cure"):], "diagnose cores: the cure", out)
    code, out, err = run(ASCSAN, "diagnose", SAMPLE, "flag")
    expect(code == 1 and "excluded" in out and "y" in out, "diagnose flag: a cause on chip", out + err)
    code, out, err = run(ASCSAN, "diagnose", "--fix", SAMPLE, "hang")
    waits = next(i for i, line in enumerate(lines, 1) if "WaitFlag<HardEvent::MTE3_S>(EVENT_ID3)" in line)
    flat = " ".join(out.split())
    expect(code == 1 and "MTE3" in out and f"waits for ever in WaitFlag at tests/cause/sample.cpp:{waits} (hangs)" in flat and
           "no proven cure" in out and "looks for a patch" in flat, "diagnose hang: who waits, and where", out + err)
    expect("+  SetFlag<HardEvent::MTE3_S>(EVENT_ID3);" in out and "verified" in out, "diagnose --fix hang: the missing set, proven", out + err)
    code, out, err = run(ASCSAN, "diagnose", SAMPLE, "half")
    expect(code == 1 and "nobody wrote" in out and "128 of" in out and "no proven cure" in out and
           "ASC3101" in out and "the catalogue of ascsan fix has nothing for these" in " ".join(out.split()),
           "diagnose half: uninitialised, and no cure", out + err)
    code, out, err = run(ASCSAN, "diagnose", SAMPLE, "past")
    expect(code == 1 and "tramples" in out and "no proven cure" in out, "diagnose past: trampled", out + err)
    code, out, err = run(ASCSAN, "diagnose", FIX_SAMPLE, "stale")
    flat = " ".join(out.split())
    expect(code == 1 and re.search(r"cause ASC6101-\S+ x is read from a cached line", flat) and "nobody wrote" not in flat and
           "cure DataCacheCleanAndInvalid" in flat, "diagnose stale: the cache line and its cure", out + err)
    code, out, err = run(ASCSAN, "diagnose", SAMPLE, "count")
    expect(code == 5 and "not deterministic by itself" in out, "diagnose count: not deterministic by itself", out + err)


def experiments():
    code, report, err = checked("cores", "--what-if", "syncall@Consume")
    expect(code == 0 and not report["findings"], "what-if syncall@Consume: the race is gone", err)
    code, report, err = checked("cores", "--what-if=barrier=Consume")
    expect(code == 1 and report["findings"], "what-if barrier=Consume: it is not", err)
    code, report, err = checked("flag", "--what-if=barrier=no_load_flag")
    expect(code == 0 and not report["findings"], "what-if barrier in the kernel of a missing flag: gone", err)
    code, report, err = checked("cores", "--stop-after", "Produce")
    expect(code == 0 and not report["findings"], "stop-after Produce: nothing is read", err)
    code, out, err = run(ASCSAN, "run", "--dump", "middle@Produce", "--fill", "other=0x41", "--mute", "y", SAMPLE, "cores")
    path = os.path.join(work.name, "middle@Produce.bin")
    expect(os.path.exists(path) and "2, 4, 6" in err, "dump: middle behind Produce", err)
    if os.path.exists(path):
        import struct
        data = struct.unpack("256f", open(path, "rb").read())
        expect(list(data) == [2.0 * (i % 97 + 1) for i in range(256)], "dump: every element")
    for option, words in (("--what-if=syncall@Consum", "the stages are: Produce, Consume, Finish"), ("--what-if=x", "barrier=FUNCTION"),
                          ("--mute=z", "there are:"), ("--fill=y", "TENSOR=BYTE"), ("--fill=y=300", "0..255"), ("--dump=y", "TENSOR@STAGE"),
                          ("--stop-after=None", "the stages are")):
        code, out, err = run(ASCSAN, "run", option, SAMPLE, "cores")
        expect(code != 0 and words in err, f"refused: {option}", f"{code} {err}")


def read_only(fix):
    """As a user who may not write the source tree: the cure is found and proven, --apply says that it cannot be written."""
    nobody, more = 65534, {}
    if os.getuid() == 0:
        probe = subprocess.run(["test", "-r", FILE, "-a", "-x", SAMPLE, "-a", "!", "-w", FILE], user=nobody, group=nobody)
        if probe.returncode != 0:
            return print("skip read-only source tree: another user cannot read it here")
        more = {"user": nobody, "group": nobody}
    elif os.access(FILE, os.W_OK):
        return print("skip read-only source tree: this user can write it and is not root")
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        code, out, err = fix("flag", "--apply", cwd=folder, **more)
    expect(code == 2 and "verified" in out and "could not be written" in err and "nothing was changed" in err,
           "fix --apply in a tree that is read-only: proven, and said", out + err)


def fixes():
    def fix(case, *options, **more):
        code, report, err = checked(case)
        return run(ASCSAN, "fix", report["findings"][0]["id"], *options, SAMPLE, case, **more)

    before = open(os.path.join(SOURCE, "tests/cause/sample.cpp"), encoding="utf-8").read()
    code, out, err = fix("flag")
    expect(code == 0 and "HardEvent::MTE2_V" in out and "\n+" in out and "verified" in out and "needed" in out, "fix flag: the event pair", out + err)
    if FULL:
        code, out, err = fix("cores")
        expect(code == 0 and "+    SyncAll<true>();" in out and "between Produce and Consume" in out, "fix cores: one barrier", out + err)
        code, out, err = fix("reuse")
        expect(code == 0 and "HardEvent::MTE3_MTE2" in out, "fix reuse: the way back", out + err)
    code, out, err = fix("clock")
    expect(code == 1 and "not deterministic by itself" in out, "fix clock: a program that is not deterministic by itself", out + err)
    read_only(fix)
    code, out, err = fix("past")
    expect(code == 1 and "no proven cure" in out, "fix past: none in the catalogue", out + err)
    code, out, err = run(ASCSAN, "fix", "ASC1101-000000", SAMPLE, "flag")
    expect(code == 2 and "its findings are" in err, "fix of an id that is not there", err)
    expect(open(os.path.join(SOURCE, "tests/cause/sample.cpp"), encoding="utf-8").read() == before, "the source is untouched")


tokens = witnesses()
if len(tokens) == 3:
    replays(tokens)
diagnoses()
experiments()
fixes()
print(f"{len(failures)} failed")
sys.exit(1 if failures else 0)
