#!/usr/bin/env python3
"""Says whether the server of this container stores responses: exit code 0, or 1. It reads nothing of a survey.

`SURVEY_HOST` is the name that the server was given with `--trusted-host`, where it answers to no other.
"""

import os
import sys
from http.client import HTTPConnection, HTTPException

PORT = 8000
SECONDS = 4


def is_healthy() -> bool:
    """Whether the server answers its health address with 200."""
    connection = HTTPConnection("127.0.0.1", PORT, timeout=SECONDS)
    try:
        connection.request("GET", "/api/v1/health", headers={"Host": os.environ.get("SURVEY_HOST") or "localhost"})
        return connection.getresponse().status == 200  # of HTTP
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


if __name__ == "__main__":
    sys.exit(not is_healthy())
