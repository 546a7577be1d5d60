"""A page of docs/rules as data: which parts a person writes and which are made (see docs/rules/README.md).

# ASC1201 read before written        made from src/check/rules.def
*error*: a pipe reads ...            made
words
## Bad / ```cpp                      a kernel; its first line says how it is launched
## Report / ```                      made: what `ascsan run` prints about the bad kernel
## Good / ```cpp                     a kernel that is clean
## Where the rule comes from         list of order rules made, words behind it free
"""
import pathlib
import re

LAUNCH = re.compile(r"^// launch: (AIV|AIC|MIX|MIX_AIC_1_1|MIX_AIV_1_0|MIX_AIC_1_0) (\d+)((?:, \w+(?::\w+)?\[\d+\])*)(?:; (\S+))?$")
KERNEL = re.compile(r"__global__ __aicore__ void (\w+)\(")
RULE = re.compile(r'^ASCSAN_RULE\((\w+), (\w+), "((?:[^"\\]|\\.)*)",\s*"((?:[^"\\]|\\.)*)", "([^"]*)"\)', re.M)
ORDER = re.compile(r'^ASCSAN_ORDER_RULE\(([\w-]+), "((?:[^"\\]|\\.)*)", "((?:[^"\\]|\\.)*)"\)', re.M)
REPORT = re.compile(r"(## Report\n\n```\n)(.*?)(```\n)", re.S)
SOURCE = "## Where the rule comes from\n"


class Kernel:
    def __init__(self, text, where):
        self.text = text
        launch, name = LAUNCH.match(text.split("\n", 1)[0]), KERNEL.search(text)
        if not launch:
            raise SystemExit(f"{where}: the first line must be like: // launch: AIV 2, x[64], y:half[128]; profile=strict")
        if not name:
            raise SystemExit(f"{where}: no kernel `__global__ __aicore__ void NAME(`")
        self.kind, self.blocks, tensors, self.options = launch.groups()
        self.name = name.group(1)
        self.tensors = [(n, t or "float", c) for n, t, c in re.findall(r", (\w+)(?::(\w+))?\[(\d+)\]", tensors)]

    def launcher(self):
        """C++ that launches the kernel, inside its namespace."""
        mode = self.kind if "_" in self.kind else self.kind + "_MODE"
        lines = [f"  AscendC::SetKernelMode(KernelMode::{mode});"]
        lines += [f'  auto* {n} = Allocate<{t}>({c}, "{n}");' for n, t, c in self.tensors]
        names = ", ".join(n for n, _, _ in self.tensors)
        lines += [f"  ICPU_RUN_KF({self.name}, {self.blocks}{', ' if names else ''}{names});"]
        lines += [f"  AscendC::GmFree({n});" for n, _, _ in self.tensors]
        return "\n".join(lines)


class Page:
    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.id = self.path.stem
        self.text = self.path.read_text(encoding="utf-8")
        self.kernels = {}
        for which in ("Bad", "Good"):
            found = re.search(rf"^## {which}\n\n```cpp\n(.*?)```\n", self.text, re.S | re.M)
            if found:
                self.kernels[which.lower()] = Kernel(found.group(1), f"{self.path.name}, {which}")
        self.without_kernel = "<!-- no kernel:" in self.text

    def with_report(self, report):
        return REPORT.sub(lambda m: m.group(1) + report + m.group(3), self.text)


def rules(source):
    """id -> (severity, name, text, [order rules]) of rules.def, and id -> (name, text) of the order."""
    def plain(text):
        return text.replace('\\"', '"')
    checks = (pathlib.Path(source) / "src/check/rules.def").read_text(encoding="utf-8")
    order = (pathlib.Path(source) / "src/order/rules.def").read_text(encoding="utf-8")
    found = {i: (s, plain(n), plain(t), re.findall(r"[\w-]+", r)) for i, s, n, t, r in RULE.findall(checks)}
    if len(found) != len(re.findall(r"^ASCSAN_RULE\(", checks, re.M)):
        raise SystemExit("a row of rules.def is written in a way page.py does not read")
    return found, {i: (plain(n), plain(t)) for i, n, t in ORDER.findall(order)}


def with_made_parts(text, rule_id, rule, order):
    """The page with its title, summary and list of order rules as the tables have them."""
    severity, name, words, references = rule
    body = text.split("\n\n", 2)[2] if text.startswith("# ") else text
    head = f"# {rule_id} {name}\n\n*{severity}*: {words}.\n\n"
    before, mark, after = body.partition(SOURCE)
    after = re.sub(r"\A\n(\* \*\*[\w-]+\*\* .*\n)*\n?", "", after)
    made = "".join(f"* **{r}** {order[r][0]}: {order[r][1]}\n" for r in references if r in order)
    return head + before + SOURCE + "\n" + made + ("\n" if made and after else "") + after
