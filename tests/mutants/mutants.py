#!/usr/bin/env python3
"""Mutants of kernels against the product: every small change that takes order, room or a value away must be found, and
nothing that is right may be.

usage: mutants.py BUILD_FOLDER SOURCE_FOLDER [--sample N] [--seed S] [--jobs N] [--only KERNEL[:NUMBER]] [--no-fix]
Prints misses first (place, operator, what was expected, diff) and the table last. Exit 1 below the bars.
"""
import argparse
import collections
import concurrent.futures
import glob
import json
import os
import random
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import judge  # noqa: E402
from toolchain import Toolchain  # noqa: E402

BARS = {"recall": 0.99, "lines": 0.98, "witness": 0.9, "fix": 0.9}
LEAST_FAULTY = 600
GROUP = 16  # mutants that are compiled together


def arguments():
    parser = argparse.ArgumentParser(prog="./dev mutants", description=__doc__.split("\n\n")[0])
    parser.add_argument("build")
    parser.add_argument("source")
    parser.add_argument("--sample", type=int, metavar="N", help="N mutants, spread over kernels and operators")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", metavar="KERNEL[:NUMBER]", help="one kernel or one mutant, with all that was seen")
    parser.add_argument("--no-fix", action="store_true", help="do not ask for fixes, which compile most")
    return parser.parse_args()


def sample_of(mutants, count, seed):
    """One mutant after the other from the (kernel, operator) that has been drawn least, ties broken by the seed."""
    rng = random.Random(seed)
    by_place = collections.defaultdict(list)
    for mutant in mutants:
        by_place[mutant["operator"], mutant["file"]].append(mutant)
    drawn, chosen = collections.Counter(), []
    while by_place and len(chosen) < count:
        place = min(by_place, key=lambda p: (drawn[p], drawn["op", p[0]], drawn["file", p[1]], rng.random()))
        chosen.append(by_place[place].pop(rng.randrange(len(by_place[place]))))
        if not by_place[place]:
            del by_place[place]
        for key in (place, ("op", place[0]), ("file", place[1])):
            drawn[key] += 1
    return sorted(chosen, key=lambda m: (m["file"], m["number"]))


def corpus(toolchain, source):
    files = sorted(glob.glob(os.path.join(source, "tests", "mutants", "kernels", "*.cpp")))
    done = subprocess.run([os.path.join(toolchain.folder, "list_mutants"), *files], capture_output=True, text=True, check=True)
    originals, mutants = [], []
    for entry in json.loads(done.stdout):
        with open(entry["file"], encoding="utf-8") as file:
            text = file.read()
        name = os.path.basename(entry["file"])
        originals.append({"file": name, "number": 0, "text": text, "operator": "original", "group": "original", "lines": [], "link": "", "diff": "", "what": ""})
        mutants += [dict(mutant, file=name) for mutant in entry["mutants"]]
    return originals, mutants


class Score:
    def __init__(self):
        self.states = collections.defaultdict(collections.Counter)  # by group
        self.proofs = collections.Counter()
        self.faults = collections.Counter()
        self.rates = {name: [0, 0] for name in ("recall", "lines", "link", "witness", "fix")}
        self.false_alarms = 0
        self.misses = 0
        self.found_functional = 0

    def rate(self, name):
        right, all_of = self.rates[name]
        return right / all_of if all_of else 1.0

    def miss(self, mutant, seen, what):
        self.misses += 1
        kinds, proof = judge.truth_of(mutant, seen)
        where = ",".join(map(str, mutant["lines"])) or "1"
        print(f"{mutant['file']}:{where}: {what}\n  mutant    {mutant['file']}:{mutant['number']} [{mutant['group']}] {mutant['operator']}: {mutant['what']}")
        print(f"  truth     {', '.join(sorted(kinds)) or 'nothing wrong'} ({proof})")
        for pair in judge.pairs_of(seen)[:6]:
            print(f"            {pair['space']} lines {pair['lines'][0]} and {pair['lines'][1]}, {pair['link']}")
        for fault in [f for launch in seen["truth"] for f in launch["faults"]][:4]:
            print(f"            {fault['kind']} line {fault['line']}: {fault['text']}")
        for finding in seen["findings"][:6]:
            print(f"  reported  {finding['rule']} lines {finding['lines']} {finding['missing']} {finding['title']}")
        if seen.get("unchecked") or seen.get("words"):
            print(f"  said      {seen.get('unchecked') or ''} {seen.get('words', '').strip()[-200:]}")
        print("".join(f"  {line}\n" for line in mutant["diff"].splitlines()), flush=True)

    def add(self, mutant, seen):
        state = judge.state_of(mutant, seen)
        self.states[mutant["group"]][state] += 1
        if state == "stillborn":
            if mutant["group"] == "original":
                print(seen["compiler"][-2000:])
            return
        if mutant["group"] == "original" and (state != "equivalent" or seen["exit"] != 0):
            return self.miss(mutant, seen, "the original is not clean, or not right")
        kinds, proof = judge.truth_of(mutant, seen)
        if state != "faulty":
            self.proofs[state, proof] += 1
            if judge.counted(seen) or seen["unchecked"]:
                self.false_alarms += 1
                self.miss(mutant, seen, "FALSE ALARM, or not checked")
            return
        self.faults.update(kinds)
        self.proofs[state, proof] += 1
        found = bool(judge.hits(mutant, seen))
        self.note("recall", found, mutant, seen, "NOT FOUND; expected a finding of " + " or ".join(sorted({r for k in kinds for r in judge.RULES[k]})))
        if not found:
            return
        self.note("lines", judge.lines_right(mutant, seen), mutant, seen, "WRONG LINES")
        self.note("link", judge.link_right(mutant, seen), mutant, seen, f"WRONG LINK; expected {mutant['link']}")
        self.note("witness", judge.witness_right(mutant, seen), mutant, seen, "NO WITNESS, though a schedule shows another output")
        right = judge.fix_right(seen)
        self.note("fix", right, mutant, seen, "NO FIX" + ("" if right is not False else ":\n    " + seen["fix"]["text"].strip().replace("\n", "\n    ")))

    def note(self, name, right, mutant, seen, words):
        if right is None:
            return
        self.rates[name][0] += bool(right)
        self.rates[name][1] += 1
        if not right:
            self.miss(mutant, seen, words)

    def table(self, sampled):
        total = collections.Counter()
        print(f"{'group':<11}{'mutants':>9}{'stillborn':>11}{'equivalent':>12}{'functional':>12}{'faulty':>8}")
        for group in ("original", "delete", "weaken", "move", "resource", "footprint", "initial"):
            row = self.states[group]
            if group != "original":
                total.update(row)
            print(f"{group:<11}{sum(row.values()):>9}{row['stillborn']:>11}{row['equivalent']:>12}{row['functional']:>12}{row['faulty']:>8}")
        print(f"{'all':<11}{sum(total.values()):>9}{total['stillborn']:>11}{total['equivalent']:>12}{total['functional']:>12}{total['faulty']:>8}")
        for state in ("equivalent", "functional", "faulty"):
            shown = ", ".join(f"{proof} {count}" for (of, proof), count in sorted(self.proofs.items()) if of == state)
            print(f"order of {state} ones known by: {shown or 'none'}")
        print("faults: " + ", ".join(f"{kind} {count}" for kind, count in sorted(self.faults.items())))
        good = self.false_alarms == 0 and not self.states["original"]["stillborn"] and not self.states["original"]["faulty"] and not self.states["original"]["functional"]
        for name, words in (("recall", "recall"), ("lines", "both lines right"), ("link", "missing link right"), ("witness", "witness where one exists"), ("fix", "fix right")):
            right, all_of = self.rates[name]
            bar = BARS.get(name)
            # A sample has one mutant of each rare operator as of each frequent one, so two more may be missed.
            allowed = (1 - (bar or 0)) * all_of + (2 if sampled else 0)
            bad = bar is not None and all_of - right > allowed
            good = good and not bad
            print(f"{words:<26}{right:>6} of {all_of:<6}{self.rate(name):8.4f}" + (f"   bar {bar}" if bar else "") + ("   BELOW" if bad else ""))
        print(f"{'false alarms':<26}{self.false_alarms:>6}                   bar 0" + ("   ABOVE" if self.false_alarms else ""))
        if not sampled:
            few = total["faulty"] < LEAST_FAULTY
            good = good and not few
            print(f"{'faulty mutants':<26}{total['faulty']:>6}                   bar {LEAST_FAULTY}" + ("   BELOW" if few else ""))
        return good


def examined(pool, toolchain, everything):
    """What was seen of each program; the mutants of a kernel go in groups, which compile together."""
    groups = collections.defaultdict(list)
    for i, mutant in enumerate(everything):
        groups[mutant["file"], mutant["number"] // GROUP].append(i)
    jobs = {pool.submit(toolchain.examine, [everything[i] for i in group]): group for group in groups.values()}
    seen, done = [None] * len(everything), 0
    for job in concurrent.futures.as_completed(jobs):
        for i, result in zip(jobs[job], job.result()):
            seen[i] = result
        done += len(jobs[job])
        print(f"{done} of {len(everything)}", file=sys.stderr, flush=True)
    return seen


def main():
    call = arguments()
    toolchain = Toolchain(call.build, call.source)
    originals, mutants = corpus(toolchain, call.source)
    if call.only:
        kernel, _, number = call.only.partition(":")
        kernel = kernel if kernel.endswith(".cpp") else kernel + ".cpp"
        mutants = [m for m in mutants if m["file"] == kernel and (not number or m["number"] == int(number))]
        originals = [o for o in originals if o["file"] == kernel]
        if not originals or (number and not mutants):
            sys.exit(f"mutants: no {call.only}; kernels are the files of tests/mutants/kernels, numbers those of the lists of misses")
    if call.sample:
        mutants = sample_of(mutants, call.sample, call.seed)
        files = {m["file"] for m in mutants}
        originals = [o for o in originals if o["file"] in files]
    start, score = time.time(), Score()
    everything = originals + mutants
    with concurrent.futures.ThreadPoolExecutor(max_workers=call.jobs) as pool:
        seen = examined(pool, toolchain, everything)
        print(f"looked at {len(everything)} programs, {time.time() - start:.0f} s", file=sys.stderr, flush=True)
        fixes = {} if call.no_fix else {
            i: pool.submit(toolchain.fix, everything[i], races[0]) for i, races in enumerate(map(judge.error_races, seen))
            if races and judge.wants_fix(everything[i])}
        for i, mutant in enumerate(everything):
            if i in fixes:
                seen[i]["fix"] = fixes[i].result()
            score.add(mutant, seen[i])
            if call.only and ":" in call.only and mutant["number"]:
                print(mutant["diff"], json.dumps(seen[i], indent=1))
    good = score.table(bool(call.sample or call.only))
    print(f"{len(mutants)} mutants of {len(originals)} kernels, {score.misses} misses listed above")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
