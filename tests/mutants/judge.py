"""What is true of a mutant, and whether the findings say it. Truth comes from launch_truth.cpp and from the operator
alone where the API forbids the change as such; findings come from `ascsan run` with default options.

A mutant is
  stillborn    it does not compile
  equivalent   no race, no hang, no fault and the right result, by the proof that is named
  functional   wrong in the same way in every schedule and from every content of fresh memory: an error of arithmetic that
               a comparison of numbers finds and that is neither a race nor a memory fault
  faulty       all others; only these count for recall
"""
import re

# The API forbids these whatever the run shows.
CONTRACTS = {"double Free", "no Free", "FreeTensor early", "EnQue"}
# Rules that name a fault of each kind.
RULES = {"race": ("ASC1",), "hang": ("ASC5", "ASC42", "ASC43", "ASC41", "ASC1", "ASC2"), "bounds": ("ASC21", "ASC23"), "limit": ("ASC2",),
         "undefined": ("ASC3", "ASC21", "ASC23", "ASC1"), "flag": ("ASC41",), "cross": ("ASC43",), "contract": ("ASC42",), "cache": ("ASC61", "ASC14"),
         "differs": ("ASC1", "ASC3", "ASC6"), "crash": ("ASC",)}
WRONG = 9  # exit status of a kernel whose result is not that of the reference


def changed_lines(mutant):
    """The text of the lines that differ, before and after."""
    return [line[1:] for line in mutant["diff"].splitlines() if re.match(r"[-+](?![-+])", line)]


def truth_of(mutant, seen):
    """Kinds of faults, and how they are known."""
    kinds, proofs = set(), set()
    for launch in seen["truth"]:
        if launch["end"] in ("stalled", "endless") or launch["order"]["hangs"] or launch.get("schedules", {}).get("hanging"):
            kinds.add("hang")
        elif launch["end"] != "done":
            kinds.add("crash")
        if launch["pairs"]:
            kinds.add("race")
        kinds.update(fault["kind"] for fault in launch["faults"])
        if launch.get("fills", {}).get("differing"):
            kinds.add("undefined")
        if launch.get("schedules", {}).get("differing") and not kinds & {"race", "undefined"}:
            kinds.add("differs")
        proofs.add(launch["order"]["proof"])
    if seen["status"] not in (0, WRONG):
        kinds.add("crash")
    if mutant["operator"] in CONTRACTS:
        kinds.add("contract")
    if any("DataCacheCleanAndInvalid" in line for line in changed_lines(mutant)) and seen["status"] == WRONG and not kinds:
        kinds.add("cache")  # a line that does not reach memory, or a stale one, shows as a wrong result and nowhere else
    return kinds, "exhaustive" if proofs == {"exhaustive"} else "graph" if proofs <= {"exhaustive", "graph"} else "schedules"


def state_of(mutant, seen):
    if seen["compiler"]:
        return "stillborn"
    kinds, _ = truth_of(mutant, seen)
    if kinds:
        return "faulty"
    return "functional" if seen["status"] == WRONG else "equivalent"


def counted(seen):
    return [f for f in seen["findings"] if f["severity"] != "info"]


def hits(mutant, seen):
    """Findings that name one of the faults the mutant has."""
    kinds, _ = truth_of(mutant, seen)
    prefixes = tuple(prefix for kind in kinds for prefix in RULES[kind])
    return [f for f in counted(seen) if f["rule"].startswith(prefixes)]


def is_race(finding):
    return finding["rule"].startswith("ASC1")


def error_races(seen):
    return [f for f in seen.get("findings", []) if is_race(f) and f["severity"] == "error"]


def pairs_of(seen):
    return [pair for launch in seen["truth"] for pair in launch["pairs"]]


def related_lines(mutant):
    """Lines of the mutant that have to do with the change: those changed, and those that name the same event, queue,
    barrier or destination as the lines changed."""
    words = set()
    for line in changed_lines(mutant):
        words.update(re.findall(r"\b(?:MTE[123]|V|S|M|FIX)_(?:MTE[123]|V|S|M|FIX)\b", line))
        words.update(re.findall(r"(\w+)\.(?:template )?(?:EnQue|DeQue|AllocTensor|FreeTensor|SetValue)", line))
        words.update(re.findall(r"\b(SyncAll|CrossCoreSetFlag|CrossCoreWaitFlag|IBSet|IBWait|SetAtomic\w+)\b", line))
        words.update(re.findall(r"\b(?:EnQue|FreeTensor|InitBuffer)\((\w+)", line))
        words.update(re.findall(r"\b(?:DataCopy|DataCopyPad|Duplicate|LoadData|Mmad|Fixpipe|[A-Z]\w+)\((\w+)(?:\[[^,]*\])?,", line))
        words.update(re.findall(r"\bLocalTensor<\w+> (\w+) =", line))
        words.update(re.findall(r"\bCrossCore\w+(?:<[^>]*>)?\((\w+)\)", line))
        words.update(re.findall(r"\bDataCacheCleanAndInvalid<[^>]*>\((\w+)", line))
        words.update(re.findall(r"^\s*(\w+)\.\w+ =", line))
    lines, text = set(mutant["lines"]), mutant["text"].splitlines()
    for number in mutant["lines"]:  # of an `if`: what it guards
        indent = re.match(r"( *)if ", text[number - 1])
        for inner in range(number, len(text)) if indent else ():
            if text[inner].startswith(indent.group(1) + "}"):
                break
            lines.add(inner + 1)
    for number, line in enumerate(text, 1):
        if words & set(re.findall(r"\w+", line)):
            lines.add(number)
    return lines


def lines_right(mutant, seen):
    """Every race is a pair that truly races; every other fault is named at a line that has to do with it."""
    found = hits(mutant, seen)
    true_pairs = {tuple(sorted(pair["lines"])) for pair in pairs_of(seen)}
    races = [f for f in found if is_race(f)]
    if races and true_pairs:
        return all(tuple(sorted(f["lines"][:2])) in true_pairs for f in races)
    allowed = related_lines(mutant) | {fault["line"] for launch in seen["truth"] for fault in launch["faults"]}
    return any(allowed & (set(f["lines"]) | {line for stack in f["stacks"] for line in stack}) for f in found)


def link_of(finding):
    """"AIV 0 MTE2 -> AIV 0 V" as "MTE2 -> V"; between cores "cores"."""
    sides = [side.rsplit(" ", 1) for side in finding["missing"].split(" -> ")]
    if len(sides) != 2 or any(len(side) != 2 for side in sides):
        return ""
    return sides[0][1] + " -> " + sides[1][1] if sides[0][0] == sides[1][0] else "cores"


def link_right(mutant, seen):
    """None where no link was removed or no race follows. A removed link may show as another one, which it made by
    transitivity; then that one must truly be missing."""
    races = [f for f in hits(mutant, seen) if is_race(f)]
    true_links = {pair["link"] for pair in pairs_of(seen)}
    if not mutant["link"] or not races or not true_links:
        return None
    links = {link_of(f) for f in races}
    return mutant["link"] in links if mutant["link"] in true_links else links <= true_links


def witness_right(mutant, seen):
    """None where no schedule shows another output, or no race was found."""
    races = [f for f in hits(mutant, seen) if is_race(f)]
    shown = any(launch.get("schedules", {}).get("differing") for launch in seen["truth"])
    if not races or not shown or not pairs_of(seen):
        return None
    return any(f["witness"] for f in races)


def fix_right(seen):
    """None where no fix was asked for."""
    return seen["fix"]["exit"] == 0 if "fix" in seen else None


def wants_fix(mutant):
    return mutant["group"] == "delete" and bool(mutant["link"] or mutant["operator"] == "queue link")
