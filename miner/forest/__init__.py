"""Random Response Forest: packed rows, compiled growth, votes. The estimator is `miner.learners.forest`."""
