"""The Random Response Forest: packed rows, compiled growth, votes. Begin with `classifier`."""
