"""List the answers that may be behind a response, and compute the probability of the codes sent, given the answers.

P(codes sent | answers) is computed only in the package `miner.behind`.

A coin (`miner.behind.coins.SharedCoin`) belongs to the questions of one group, or to one plain question, whose answers
are not disguised. With truth probability theta, a coin has

    P(sent | answers)  =  theta prod P(code | answer)  +  (1 - theta) prod P(code | answer, replaced)

The class `SharedCoin` lists the answers that may be behind codes, with P(codes sent | answers).
`miner.behind.candidates` lists every combination of answers that may be behind a whole response. `miner.behind.mixture`
fits P(answers). `miner.behind.rows` lists the possible answers (rows) behind each response with their probabilities.
"""
