"""The examples of the README, as they stand there."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

import pytest
from conftest import ROOT, Server


# proves: F9
def test_the_package_says_that_it_is_typed() -> None:
    assert (resources.files("quaestio") / "py.typed").is_file()


# proves: F9
def test_the_examples_of_the_readme_run_one_after_another(
    server: Server, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = (ROOT / "clients" / "python" / "README.md").read_text()
    examples = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(examples) == 4
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    for example in examples:
        exec(compile(example.replace("http://127.0.0.1:8400", server.url), "README.md", "exec"), {})
    printed = capsys.readouterr().out
    for wanted in ("8 September 1854", "quoted", "doc://cholera/", "3,840 firms", "Approve", "'proposed'", "finished"):
        assert wanted in printed, wanted
    assert (tmp_path / "answer.md").read_text()
