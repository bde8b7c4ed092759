"""List the answers that may be behind a response, and compute P(codes sent | answers).

This package alone computes the probability P(codes sent | answers).

A coin (`miner.behind.coins.SharedCoin`) holds the questions of one group, or one plain question (sent as it is). For
the questions that were asked, under any channel and coding, a coin has

    P(sent | answers)  =  theta prod P(code | answer)  +  (1 - theta) prod P(code | answer, replaced)

A coin lists the answers that may be behind codes, with P(codes sent | answers) for each. Given rows of answers to the
other questions, the coin also computes P(codes sent | answers) for each answer to one question.
`miner.behind.candidates` multiplies coins. The module lists every combination of answers that may be behind a whole
response, under any sampling. `miner.behind.mixture` fits P(answers). `miner.behind.rows` lists the possible answers
(rows) behind each response with their probabilities, and computes the sums over rows that every likelihood needs.
"""
