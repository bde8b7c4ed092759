"""Real tables through the whole line, speed against peers, and the seed papers' tables and figures reproduced."""
