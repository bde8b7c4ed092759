"""Interruption of a command by Ctrl-C: changes are rolled back, and the exit code is 130 without a traceback.

Python's default handler of Ctrl-C raises `KeyboardInterrupt`, which may get lost in the C code of large libraries.
"""

import signal
import sys
from collections.abc import Callable
from types import FrameType, TracebackType

INTERRUPTED = 130  # exit code that shells report after Ctrl-C
AGAIN = 0.01  # seconds until a lost interruption is raised again


class Interruption:
    """The handler of Ctrl-C for the process of a command."""

    def __init__(self) -> None:
        self.came = False

    def take_over(self) -> None:
        """Handle Ctrl-C from now on until the program ends."""
        signal.signal(signal.SIGINT, self._interrupt)
        signal.signal(signal.SIGALRM, self._interrupt)
        sys.unraisablehook = self._unraisable
        sys.excepthook = self._uncaught

    @staticmethod
    def ignore() -> None:
        """Ignore Ctrl-C from now on, because the work is finished or rolled back and the process is about to end."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self.came = True
        raise KeyboardInterrupt

    @staticmethod
    def _unraisable(lost: "sys.UnraisableHookArgs") -> None:
        """Raise an interruption again that was lost in code that cannot raise, such as a callback."""
        if issubclass(lost.exc_type, KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, AGAIN)
        else:
            sys.__unraisablehook__(lost)

    @staticmethod
    def _uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if not issubclass(kind, KeyboardInterrupt):  # Python exits as interrupted, all the same
            sys.__excepthook__(kind, error, trace)


def begun(program: Callable[[], object]) -> None:
    """Run a program and handle Ctrl-C from the start, while the program still imports its libraries."""
    interruption = Interruption()
    interruption.take_over()
    try:
        program()
    except BaseException:
        if not interruption.came:
            raise
        interruption.ignore()
        sys.exit(INTERRUPTED)
