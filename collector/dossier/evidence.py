"""What is known about whether disguise makes answers more honest. README and docs/planning.md have the same text."""

EVIDENCE = (
    (
        "In a telephone survey of 2,245 garment workers, people reported harassment far more often when a program "
        "turned some “no” into “yes” than when asked directly (Boudreau et al. 2023, AEA registry "
        "AEARCTR-0007103). Its limits: the disguise was one-sided, the program saw the truth, and the true rate "
        "is unknown."
    ),
    (
        "In a dice game whose truth is known, direct questions missed 29 % of cheaters, and the crosswise model "
        "by hand erred by .119 among the honest (Höglinger & Jann 2018, "
        "https://doi.org/10.1371/journal.pone.0201770). No disguise mends lies told to the browser. Biases are "
        "typically below ten points, and in some domains about none (Blair, Coppock & Moor 2020, "
        "https://doi.org/10.1017/S0003055420000374): then ask openly."
    ),
)
"""Two paragraphs, with their sources and their limits."""
