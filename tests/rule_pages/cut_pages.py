#!/usr/bin/env python3
"""cut_pages.py OUT PAGE...: the kernels of the pages as C++, one file a kernel in OUT/kernel (for source lines in reports), and rule_pages.inc that holds and launches them.

Files keep the text of the page, so that lines count from the first line of the block. Unchanged files are left alone."""
import pathlib
import sys

from page import Page

out = pathlib.Path(sys.argv[1])
(out / "kernel").mkdir(parents=True, exist_ok=True)
wanted = {}
table = ""
program = "// Made by cut_pages.py from docs/rules.\n"
for path in sys.argv[2:]:
    page = Page(path)
    for which, kernel in page.kernels.items():
        name = f"{page.id.lower()}_{which}"
        wanted[f"kernel/{name}.cpp"] = kernel.text
        # The name a report shows comes from #line, so it is the same wherever the build folder lies.
        program += (f'namespace {name} {{\nusing namespace AscendC;\n#line 1 "kernel/{name}.cpp"\n{kernel.text.rstrip()}\n'
                    f'#line 1 "{name}_launch"\nvoid launch() {{\n{kernel.launcher()}\n}}\n}}  // namespace {name}\n')
        table += f'    {{"{name}", {name}::launch}},\n'
wanted["rule_pages.inc"] = program + "constexpr Entry kEntries[] = {\n" + table + "};\n"
for old in list(out.glob("kernel/*.cpp")):
    if f"kernel/{old.name}" not in wanted:
        old.unlink()
for name, text in wanted.items():
    file = out / name
    if not file.exists() or file.read_text(encoding="utf-8") != text:
        file.write_text(text, encoding="utf-8")
