"""Three priors for the coefficients of the logit, and the average of the three fits.

The likelihood of strongly disguised responses is flat, so that the prior matters. Its mean is no effect (ridge
regression: le Cessie & van Houwelingen 1992). The best variance is unknown. Held-out responses seldom have the
precision to choose it under a differentially private channel. So no choice is made: one logit is fitted under each
prior, from narrow to wide, and their probabilities are averaged (stacking with equal weights: Wolpert 1992; Breiman
1996). If the responses are informative, the three agree.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np

from miner.latent.logit.ascent import Prior, ascended
from miner.latent.logit.chains import Source
from miner.latent.logit.logit import Averaged, Logit
from miner.latent.logit.scales import Scales

PRIORS = (Prior(0.5, 0.2), Prior(2.0, 0.4), Prior(8.0, 0.8))
"""From firm to loose; all pair effects together are thought to say less than main effects do."""


def averaged(source: Source, nothing: Logit, scales: Scales, rng: np.random.Generator) -> Averaged:
    """The average of the logits that are most probable under each prior.

    They are fitted in parallel, one thread per processor; the result does not depend on their number.
    """
    climb = partial(ascended, source, nothing, scales)
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        return Averaged(tuple(threads.map(climb, PRIORS, rng.spawn(len(PRIORS)))))
