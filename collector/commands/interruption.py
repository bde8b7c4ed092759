"""Ctrl-C ends a command in one way wherever it strikes: everything is unwound, no traceback, exit code 130.

Python's own handler raises `KeyboardInterrupt`. That is not enough while large libraries are imported or compile: C
code may report it and go on, or make another exception of it.
"""

import signal
import sys
from collections.abc import Callable
from types import FrameType, TracebackType

INTERRUPTED = 130  # as shells report it
AGAIN = 0.01  # seconds


class Interruption:
    """An interruption of the whole process: for a program, never for a library."""

    def __init__(self) -> None:
        self.came = False

    def take_over(self) -> None:
        """Note interruptions from now on, and raise them until the program ends."""
        signal.signal(signal.SIGINT, self._interrupt)
        signal.signal(signal.SIGALRM, self._interrupt)
        sys.unraisablehook = self._unraisable
        sys.excepthook = self._uncaught

    @staticmethod
    def ignore() -> None:
        """The work is done or undone: let the process end in peace."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self.came = True
        raise KeyboardInterrupt

    @staticmethod
    def _unraisable(lost: "sys.UnraisableHookArgs") -> None:
        """An interruption that came where none can be raised, in a callback say, comes once more."""
        if issubclass(lost.exc_type, KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, AGAIN)
        else:
            sys.__unraisablehook__(lost)

    @staticmethod
    def _uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if not issubclass(kind, KeyboardInterrupt):  # Python exits as interrupted, all the same
            sys.__excepthook__(kind, error, trace)


def begun(program: Callable[[], object]) -> None:
    """Run a program that has yet to import all it needs: an interruption while it does so ends it quietly, too."""
    interruption = Interruption()
    interruption.take_over()
    try:
        program()
    except BaseException:
        if not interruption.came:
            raise
        interruption.ignore()
        sys.exit(INTERRUPTED)
