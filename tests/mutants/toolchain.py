"""Builds and runs mutants: the commands come from the build folder (target mutants_probe), the headers are precompiled
once, the mutants of a kernel are compiled together, each in a namespace of its own, and everything a mutant shows is
kept under a hash of what it hangs on. Left out: judging."""
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess


class Toolchain:
    """examine(mutants of one kernel) -> what was seen of each; fix(mutant, finding) -> what `ascsan fix` says."""

    LIMIT_SECONDS = 120

    def __init__(self, build, source):
        self.build = os.path.abspath(build)
        self.kernels = os.path.join(os.path.abspath(source), "tests", "mutants", "kernels")
        self.folder = os.path.join(self.build, "mutants")
        self.ascsan = os.path.join(self.build, "bin", "ascsan")
        self.truth = os.path.join(self.folder, "lib", "libmutants_truth.so")
        self.core = os.path.join(self.folder, "lib", "libmutants_core.so")
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("ASCSAN_") and k != "LD_PRELOAD"}
        self.environment["COLUMNS"] = "160"
        self.compile, self.link = self._commands()
        self._precompile()
        self.digest = self._digest()

    def _commands(self):
        with open(os.path.join(self.build, "compile_commands.json"), encoding="utf-8") as file:
            entry = next(e for e in json.load(file) if "mutants_probe.dir" in e["command"])
        words, compile_words = shlex.split(entry["command"]), []
        while words:
            word = words.pop(0)
            if word in ("-o", "-c", "-MF", "-MT"):
                words.pop(0)
            elif word in ("-MD", "-O3", "-O2") or "ccache" in word or word == "-I" + self.kernels:
                continue
            else:
                compile_words.append(word)
        done = subprocess.run(["ninja", "-C", self.build, "-t", "commands", "-s", "mutants/mutants_probe"], capture_output=True,
                              text=True, check=True)
        words = [w for w in shlex.split(done.stdout.strip().splitlines()[-1]) if w not in (":", "&&")]
        link_words = []
        while words:
            word = words.pop(0)
            if word == "-o":
                words.pop(0)
            elif word.endswith(".o") or "ccache" in word:
                continue
            elif word.startswith("mutants/") or word.startswith("src/"):
                link_words.append(os.path.join(self.build, word))
            else:
                link_words.append(word)
        return compile_words + ["-O0"], link_words

    def _precompile(self):
        """corpus.h with everything it includes; gcc takes NAME.gch from the include path, clang wants to be told."""
        folder = os.path.join(self.folder, "pch")
        os.makedirs(folder, exist_ok=True)
        version = subprocess.run([self.compile[0], "--version"], capture_output=True, text=True, check=True).stdout
        header = os.path.join(folder, "corpus.h")
        with open(header, "w", encoding="utf-8") as file:
            file.write(f'#include "{self.kernels}/corpus.h"\n')
        clang = "clang" in version
        target = os.path.join(folder, "corpus.h.pch" if clang else "corpus.h.gch")
        stamp = os.path.join(folder, "stamp")
        wanted = version + repr(self.compile) + self._headers_digest()
        known = open(stamp, encoding="utf-8").read() if os.path.exists(stamp) else ""
        if known != wanted or not os.path.exists(target):
            subprocess.run(self.compile + ["-x", "c++-header", header, "-o", target], check=True)
            with open(stamp, "w", encoding="utf-8") as file:
                file.write(wanted)
        self.compile += (["-include-pch", target] if clang else []) + ["-I" + folder, "-I" + self.kernels]

    def _headers_digest(self):
        digest = hashlib.sha256()
        include = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(self.kernels))), "include")
        paths = [os.path.join(self.kernels, "corpus.h")]
        for folder, _, names in os.walk(include):
            paths += [os.path.join(folder, name) for name in names]
        for path in sorted(paths):
            with open(path, "rb") as file:
                digest.update(file.read())
        return digest.hexdigest()

    def _digest(self):
        digest = hashlib.sha256(repr((self.compile, self.link)).encode() + self._headers_digest().encode())
        for path in (self.ascsan, self.truth, self.core):
            with open(path, "rb") as file:
                digest.update(file.read())
        return digest.hexdigest()

    def _run(self, command, cwd, **more):
        environment = dict(self.environment, **more)
        try:
            done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, errors="replace",
                                  timeout=self.LIMIT_SECONDS)
            return done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired:
            return "timeout", "", ""

    def _build(self, folder, file):
        """Empty when ./program was built, else what the compiler said. build.sh does the same for `ascsan fix`."""
        compile_words = self.compile + ["-w", "-ffile-prefix-map=$PWD=.", "-c", file, "-o", "mutant.o"]
        link_words = self.link[:1] + ["mutant.o"] + self.link[1:] + ["-o", "program"]
        quote = lambda words: " ".join('"' + word.replace('"', '\\"') + '"' for word in words)
        with open(os.path.join(folder, "build.sh"), "w", encoding="utf-8") as script:
            script.write("set -e\n" + quote(compile_words) + "\n" + quote(link_words) + "\nrm mutant.o\n")
        code, _, err = self._run(["sh", "build.sh"], folder)
        return "" if code == 0 else err or "the compiler failed"

    def _folder(self, name):
        folder = os.path.join(self.folder, "work", name)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        return folder

    @staticmethod
    def _write(folder, name, text):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    @staticmethod
    def _together(mutants):
        """One source of many mutants: the n-th is namespace mutant_n, its lines are those of n/FILE."""
        text = '#include "corpus.h"\n'
        for mutant in mutants:
            body = mutant["text"].replace('#include "corpus.h"', "", 1).replace("int main()", "int mutant_main()", 1)
            text += f'namespace mutant_{mutant["number"]} {{\n#line 1 "{mutant["number"]}/{mutant["file"]}"\n{body}\n}}\n'
        text += '#line 1 "main"\nint main(int, char** words) {\n  switch (std::atoi(words[1])) {\n'
        for mutant in mutants:
            text += f'    case {mutant["number"]}: return mutant_{mutant["number"]}::mutant_main();\n'
        return text + "  }\n  return 2;\n}\n"

    def _look(self, folder, number):
        """The truth and the findings of one mutant of the program in the folder."""
        seen, truth, report = {"compiler": ""}, os.path.join(folder, "truth.json"), os.path.join(folder, "report.json")
        for path in (truth, report):
            if os.path.exists(path):
                os.remove(path)
        program = ["./program", str(number)]
        code, _, err = self._run(program, folder, MUTANT_TRUTH=truth, LD_PRELOAD=self.truth)
        seen["status"], seen["words"] = code, err[-400:]
        try:
            with open(truth, encoding="utf-8") as file:
                seen["truth"] = json.load(file)["launches"]
        except (OSError, ValueError):
            seen["truth"] = []
        code, _, err = self._run([self.ascsan, "run", "--keep=", "--progress=none", "--out", "json=" + report, *program], folder)
        seen["exit"] = code
        try:
            with open(report, encoding="utf-8") as file:
                data = json.load(file)
            seen["findings"], seen["unchecked"] = [self._short(f) for f in data["findings"]], data.get("unchecked", [])
        except (OSError, ValueError):
            seen["findings"], seen["unchecked"], seen["words"] = [], [], seen["words"] + err[-400:]
        return seen

    @staticmethod
    def _short(finding):
        return {"id": finding["id"], "rule": finding["rule"], "severity": finding["severity"], "title": finding["title"],
                "lines": [access["line"] for access in finding["accesses"]],
                "stacks": [[frame["line"] for frame in access["stack"]] for access in finding["accesses"]],
                "missing": finding.get("missing", ""), "witness": bool(finding.get("witness")), "notes": finding.get("notes", [])}

    def _cached(self, kind, mutant, make):
        key = hashlib.sha256((self.digest + kind + mutant["file"] + mutant["text"]).encode()).hexdigest()[:24]
        path = os.path.join(self.folder, "cache", key + ".json")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as stored:
                return json.load(stored)
        seen = make()
        if seen is not None:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            part = f"{path}.{os.getpid()}.{mutant['number']}"
            with open(part, "w", encoding="utf-8") as stored:
                json.dump(seen, stored)
            os.replace(part, path)
        return seen

    def examine(self, mutants):
        """Mutants of one kernel, with different numbers, in their order. Those the compiler complains about are tried
        alone, the rest together once more."""
        seen = {m["number"]: self._cached("look", m, lambda: None) for m in mutants}
        left = [m for m in mutants if seen[m["number"]] is None]
        keep = lambda mutant, result: seen.update({mutant["number"]: self._cached("look", mutant, lambda: result)})
        while left:
            first = left[0]
            folder = self._folder(f"{os.path.splitext(first['file'])[0]}-{first['number']}")
            self._write(folder, first["file"], self._together(left))
            words = self._build(folder, first["file"])
            if words and len(left) == 1:
                keep(first, {"compiler": words})
                left = []
            elif words:
                blamed = {int(n) for n in re.findall(r"\b(\d+)/" + re.escape(first["file"]), words)}
                alone = [m for m in left if m["number"] in blamed] or left
                for mutant in alone:
                    seen[mutant["number"]] = self.examine([mutant])[0]
                left = [m for m in left if m not in alone]
            else:
                for mutant in left:
                    keep(mutant, self._look(folder, mutant["number"]))
                left = []
            shutil.rmtree(folder, ignore_errors=True)
        return [seen[m["number"]] for m in mutants]

    def fix(self, mutant, finding):
        """What `ascsan fix` makes of a finding: its exit code and its words. The mutant is a program of its own there;
        the id hangs on the text of the lines, so it is asked for again."""

        def ask():
            folder = self._folder(f"{os.path.splitext(mutant['file'])[0]}-{mutant['number']}-fix")
            self._write(folder, mutant["file"], mutant["text"])
            words = self._build(folder, mutant["file"])
            same = [f for f in self._look(folder, 0)["findings"] if not words and (f["rule"], f["lines"], f["missing"]) ==
                    (finding["rule"], finding["lines"], finding["missing"])]
            if not same:
                return {"exit": 2, "text": "compiled alone the mutant does not show the finding; " + words}
            command = [self.ascsan, "fix", same[0]["id"], "--build", "sh build.sh", "--source", folder, "--keep=", "./program"]
            code, out, err = self._run(command, folder)
            shutil.rmtree(folder, ignore_errors=True)
            return {"exit": code, "text": (out + err)[-3000:]}

        return self._cached("fix", mutant, ask)
