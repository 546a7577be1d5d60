"""Builds and runs one mutant: the commands come from the build folder (target mutants_probe), the headers are
precompiled once, and everything a mutant shows is kept under a hash of what it hangs on. Left out: judging."""
import hashlib
import json
import os
import shlex
import shutil
import subprocess


class Toolchain:
    """usage: Toolchain(build, source).examine(name, text, wants_fix) -> a dictionary with all that was seen."""

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
        header = os.path.join(self.kernels, "corpus.h")
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

    def build_program(self, folder, file):
        """Empty when it was built, else what the compiler said. build.sh does the same for `ascsan fix`."""
        compile_words = self.compile + ["-ffile-prefix-map=$PWD/=", "-fmacro-prefix-map=$PWD/=", "-c", file, "-o", "mutant.o"]
        link_words = self.link[:1] + ["mutant.o"] + self.link[1:] + ["-o", "program"]
        quote = lambda words: " ".join('"' + word.replace('"', '\\"') + '"' for word in words)
        with open(os.path.join(folder, "build.sh"), "w", encoding="utf-8") as script:
            script.write("set -e\n" + quote(compile_words) + "\n" + quote(link_words) + "\nrm mutant.o\n")
        code, _, err = self._run(["sh", "build.sh"], folder)
        return "" if code == 0 else err or "the compiler failed"

    def look(self, folder):
        """The truth and the findings of the program in the folder."""
        seen = {}
        code, _, err = self._run(["./program"], folder, MUTANT_TRUTH=os.path.join(folder, "truth.json"), LD_PRELOAD=self.truth)
        seen["status"], seen["words"] = code, err[-400:]
        try:
            with open(os.path.join(folder, "truth.json"), encoding="utf-8") as file:
                seen["truth"] = json.load(file)["launches"]
        except (OSError, ValueError):
            seen["truth"] = []
        report = os.path.join(folder, "report.json")
        code, _, err = self._run([self.ascsan, "run", "--keep=", "--progress=none", "--out", "json=" + report, "./program"], folder)
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

    def fix(self, folder, finding):
        """What `ascsan fix` makes of a finding: its exit code and its words."""
        code, out, err = self._run([self.ascsan, "fix", finding["id"], "--build", "sh build.sh", "--source", folder, "--keep=", "./program"], folder)
        return {"id": finding["id"], "exit": code, "text": (out + err)[-3000:]}

    def examine(self, name, text, wants_fix):
        """`name`: the file and the number of the mutant; the same text under the same tools is not run again."""
        file, number = name
        key = hashlib.sha256((self.digest + file + str(wants_fix) + text).encode()).hexdigest()[:24]
        cached = os.path.join(self.folder, "cache", key + ".json")
        if os.path.exists(cached):
            with open(cached, encoding="utf-8") as stored:
                return json.load(stored)
        folder = os.path.join(self.folder, "work", f"{os.path.splitext(file)[0]}-{number}")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        with open(os.path.join(folder, file), "w", encoding="utf-8") as source:
            source.write(text)
        seen = {"compiler": self.build_program(folder, file)}
        if not seen["compiler"]:
            seen.update(self.look(folder))
            races = [f for f in seen["findings"] if f["rule"].startswith("ASC1") and f["severity"] == "error"]
            if wants_fix and races:
                seen["fix"] = self.fix(folder, races[0])
        os.makedirs(os.path.dirname(cached), exist_ok=True)
        part = cached + f".{os.getpid()}.{number}"
        with open(part, "w", encoding="utf-8") as stored:
            json.dump(seen, stored)
        os.replace(part, cached)
        shutil.rmtree(folder, ignore_errors=True)
        return seen
