"""Shell completion of the names of surveys, questions and files.

If a store or a file cannot be read, no names are completed and no error is shown.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from collector.database.address import Place, read_place
from collector.errors import DeniableError

STORE = Path("deniable.db")
Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def survey_names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the names of the surveys in the store that the command line names, or in the default store."""
    del parameter
    from collector.store.store import Store

    try:
        with Store(_store_path(context)) as store:
            titles = {each.name: each.survey.title[each.survey.languages[0]] for each in store.surveys()}
    except (DeniableError, OSError):
        return []
    return [CompletionItem(name, help=titles[name]) for name in sorted(titles) if name.startswith(incomplete)]


def question_names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the names of the questions of the survey that the command line names."""
    del parameter
    from collector.store.store import Store

    try:
        with Store(_store_path(context)) as store:
            survey = store.published(str(context.params.get("name")), context.params.get("version")).survey
    except (DeniableError, OSError):
        return []
    labels = {each.name: each.label[survey.languages[0]] for each in survey.questions}
    return [CompletionItem(name, help=label) for name, label in labels.items() if name.startswith(incomplete)]


def _store_path(context: click.Context) -> Place:
    given = context.params.get("store_path") or STORE
    return read_place(given) if isinstance(given, str) else given


def files(suffix: str, start: bytes = b"") -> Completer:
    """Return a function that completes the names of files with a suffix.

    Returns:
        A function that returns matching files and folders, or lets the shell complete the name.
    """

    def complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        del context, parameter
        found = [CompletionItem(text) for text in _matching(incomplete, suffix, start)]
        return found or [CompletionItem(incomplete, type="file")]

    return complete


def _matching(incomplete: str, suffix: str, start: bytes) -> Iterator[str]:
    folder, _, begun = incomplete.rpartition("/")
    head = f"{folder}/" if "/" in incomplete else ""
    try:
        inside = sorted(Path(head or ".").iterdir())
    except OSError:
        return
    for path in inside:
        shown = path.name.startswith(begun) and (begun.startswith(".") or not path.name.startswith("."))
        if shown and path.name.endswith(suffix) and _starts(path, start):
            yield f"{head}{path.name}"


def _starts(path: Path, start: bytes) -> bool:
    try:
        with path.open("rb") as stream:
            return stream.read(len(start)) == start
    except OSError:
        return False
