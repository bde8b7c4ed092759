"""Three priors for the coefficients of the logit, and the average of the three fits.

The likelihood of much disguised responses is flat, so that the prior matters. Its centre is that no answer tells
anything of the class (ridge regression: le Cessie & van Houwelingen 1992). How far from it effects may go is not known.
Responses held out can seldom tell under a differentially private channel, and to choose by them is to gamble. So
nothing is chosen: one logit is fitted under each prior, from firm to loose, and their probabilities are averaged
(stacking with equal weights: Wolpert 1992; Breiman 1996). Where the responses say much, all say the same.
"""

from __future__ import annotations

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

    They are fitted on as many threads as there are processors; the same whatever their number.

    Args:
        source: The responses, and the mixture's account of the other questions.
        nothing: A logit without effects.
        scales: Which effects go together.
        rng: Makes the result reproducible.
    """
    climb = partial(ascended, source, nothing, scales)
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        return Averaged(tuple(threads.map(climb, PRIORS, rng.spawn(len(PRIORS)))))
