"""pure-ldp's direct encoding, in an interpreter of its own: it needs packages that it does not say it needs.

Run by `benchmarks.local_privacy.marginals` with the path of an array file; needs pure-ldp 1.2.0, scikit-learn and
statsmodels.
"""

from __future__ import annotations

import json
import sys

import numpy as np
from pure_ldp.frequency_oracles.direct_encoding import DEServer


def main() -> None:
    """Print the estimated shares of the values of every question, as JSON."""
    data = np.load(sys.argv[1])
    shares = []
    for codes, kinds, epsilon in zip(data["codes"].T, data["kinds"].tolist(), data["epsilons"].tolist(), strict=True):
        server = DEServer(epsilon, kinds, index_mapper=lambda code: code)
        for code in codes.tolist():
            server.aggregate(code)
        shares.append([server.estimate(value, suppress_warnings=True) / len(codes) for value in range(kinds)])
    print(json.dumps(shares))


if __name__ == "__main__":
    main()
