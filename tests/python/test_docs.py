"""Runs every python block of docs/operators and README.md. A print with a comment must print the numbers of that comment;
such prints come last in a block."""

import contextlib
import io
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs" / "operators"
NUMBER = re.compile(r"-?\d+(?:\.\d*)?(?:e[-+]?\d+)?")


def blocks():
    for page in [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]:
        for i, text in enumerate(re.findall(r"^```python\n(.*?)^```", page.read_text(), re.S | re.M)):
            yield pytest.param(text, id=f"{page.relative_to(ROOT)}-{i}")


def run(text):
    if "torch" in text:
        pytest.importorskip("torch")
    names, out = {}, io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(text, "example", "exec"), names)
    return names, out.getvalue()


@pytest.mark.parametrize("text", list(blocks()))
def test_example_prints_what_it_says(text):
    _, out = run(text)
    said = re.findall(r"^print\(.*#\s(.*)$", text, re.M)
    printed = out.splitlines()
    for want, got in zip(said, printed[len(printed) - len(said):]):
        a, b = [[float(n) for n in NUMBER.findall(line)] for line in (want, got)]
        assert a and len(a) == len(b), f"said {want!r}, printed {got!r}"
        assert b == pytest.approx(a, rel=2e-4, abs=1e-4), f"said {want!r}, printed {got!r}"
    assert len(printed) >= len(said)


def test_every_operator_page_has_an_example():
    for page in ("README", "online_max_sum", "loss_with_max_sum", "loss_with_max_sum_grad", "loss", "vocab_range"):
        assert "```python\n" in (DOCS / f"{page}.md").read_text(), page


@pytest.mark.parametrize("page", [ROOT / "README.md", DOCS / "README.md"], ids=lambda p: str(p.relative_to(ROOT)))
def test_torch_example_agrees_with_torch(page):
    pytest.importorskip("torch")
    text = re.search(r"^```python\n(import torch\n.*?)^```", page.read_text(), re.S | re.M).group(1)
    assert len(text.splitlines()) <= 10
    names, out = run(text)
    ours, theirs = [float(n) for n in out.split()]
    assert ours == pytest.approx(theirs, abs=1e-5)
    assert names["hidden"].grad.abs().sum() > 0 and names["weight"].grad.abs().sum() > 0
