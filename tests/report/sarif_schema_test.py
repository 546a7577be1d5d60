"""Holds SARIF files to the schema that OASIS has published for SARIF 2.1.0 (sarif-schema-2.1.0.json, errata 01, unchanged).

usage: sarif_schema_test.py MAKE_REPORTS GOLDEN_FOLDER
Checked: the reports made now, every golden file, and that broken copies of one are refused (a test that cannot fail
would be none).
"""
import copy
import json
import pathlib
import subprocess
import sys
import tempfile

import jsonschema


def broken_copies(report):
    """Each with one fault of its own kind."""
    result = report["runs"][0]["results"][0]
    faults = {
        "unknown property": lambda r: r["runs"][0].update(surprise=1),
        "wrong type": lambda r: r["runs"][0]["results"][0].update(ruleId=7),
        "unknown level": lambda r: r["runs"][0]["results"][0].update(level="fatal"),
        "no message": lambda r: r["runs"][0]["results"][0].pop("message"),
        "no driver": lambda r: r["runs"][0]["tool"].pop("driver"),
        "negative line": lambda r: r["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"].update(startLine=0),
    }
    assert result["message"] and result["locations"]
    for name, fault in faults.items():
        changed = copy.deepcopy(report)
        fault(changed)
        yield name, changed


def main():
    schema = json.loads((pathlib.Path(__file__).parent / "sarif-schema-2.1.0.json").read_text())
    jsonschema.Draft4Validator.check_schema(schema)
    validator = jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker())
    failures, results, sample = 0, 0, None
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.argv[1], folder], check=True)
        files = sorted(pathlib.Path(folder).glob("*.sarif")) + sorted(pathlib.Path(sys.argv[2]).rglob("*.sarif"))
        for file in files:
            report = json.loads(file.read_text())
            found = sum(len(run["results"]) for run in report["runs"])
            results += found
            for error in validator.iter_errors(report):
                failures += 1
                print("%s: %s: %s" % (file.name, "/".join(map(str, error.absolute_path)), error.message[:300]))
            if found and sample is None:
                sample = report
    for name, changed in broken_copies(sample):
        if validator.is_valid(changed):
            failures += 1
            print("a report with a fault (%s) passes as valid" % name)
    print("%d files, %d results, %d failures" % (len(files), results, failures))
    return failures != 0 or results < 25


sys.exit(main())
