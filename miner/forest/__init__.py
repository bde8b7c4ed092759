"""The Random Response Forest: packed rows, compiled growth, votes. The classifier is in `miner.learners.forest`."""
