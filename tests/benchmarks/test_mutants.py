"""Changes of the product that tests are to notice: every kind, each a module that still compiles, noticed or not."""

from __future__ import annotations

import ast
from pathlib import Path

from benchmarks.mutants import ROOT, copied, drawn, judged, mutants, sound
from soak import part_of

SOURCE = '''"""A module."""


def least(found: list[int], *, strict: bool = False) -> int:
    """The least, with its sign changed."""
    if strict and found[0] == 0:
        return 0
    return -min(found) + 1
'''
TEST = """from collector.made_up import least


def test_it_is_the_least() -> None:
    assert least([1, 2]) == 0
"""


def test_every_kind_of_change_is_made_once_at_each_of_its_places() -> None:
    found = list(mutants("made_up.py", SOURCE))
    kinds = [each.kind for each in found]
    assert sorted(kinds) == ["bound", "bound", "default", "operator", "operator", "operator", "return", "sign"]
    texts = {each.written(SOURCE) for each in found}
    assert len(texts) == len(found)
    assert all(ast.parse(text) for text in texts)
    assert SOURCE.replace(" -min", " min") in texts
    assert SOURCE.replace("and", "or") in texts
    assert SOURCE.replace("= False", "= True") in texts


def test_changes_of_the_product_compile_and_more_of_them_begin_with_the_same() -> None:
    found = drawn(part_of(60, least=20))
    assert drawn(5) == found[:5]
    for each in found:
        source = (ROOT / each.path).read_text(encoding="utf-8")
        assert ast.parse(each.written(source))
        assert (ROOT / each.tests).is_dir()


def test_a_change_is_noticed_by_the_tests_of_its_room_or_by_nothing_and_is_taken_back(tmp_path: Path) -> None:
    (tmp_path / "collector").mkdir()
    (tmp_path / "collector" / "__init__.py").touch()
    (tmp_path / "tests" / "collector").mkdir(parents=True)
    path = tmp_path / "collector" / "made_up.py"
    path.write_text(SOURCE, encoding="utf-8")
    (tmp_path / "tests" / "collector" / "test_made_up.py").write_text(TEST, encoding="utf-8")
    changes = {each.kind: each for each in mutants("collector/made_up.py", SOURCE)}
    found = [judged(changes[kind], tmp_path, suite=False) for kind in ("sign", "return", "default")]
    assert found == ["room", "room", "nothing"]
    assert path.read_text(encoding="utf-8") == SOURCE


def test_tests_that_fail_without_a_change_notice_nothing(tmp_path: Path) -> None:
    made_up = tmp_path / "collector" / "made_up.py"
    made_up.parent.mkdir()
    made_up.write_text(SOURCE, encoding="utf-8")
    (tmp_path / "tests" / "collector").mkdir(parents=True)
    (tmp_path / "tests" / "collector" / "test_it.py").write_text("def test_no() -> None:\n    assert 0\n", "utf-8")
    change = next(mutants("collector/made_up.py", SOURCE))
    assert judged(change, tmp_path, suite=False) == "tests that fail without it"


def test_the_tests_of_the_project_pass_in_a_copy_of_it(tmp_path: Path) -> None:
    copied(tmp_path / "copy")
    assert sound(tmp_path / "copy", "tests/collector/channel")
