"""List the answers that may be behind a response, and compute P(codes sent | answers).

No other package computes the probability P(codes sent | answers).

`miner.behind.coins.SharedCoin` holds the questions that share a coin, or one plain question (sent as it is). For the
questions that were asked, under any channel and coding, a coin has

    P(sent | answers)  =  theta prod P(code | answer)  +  (1 - theta) prod P(code | answer, replaced)

A coin lists the answers that may be behind codes, with P(codes sent | answers) for each. Given rows of answers to the
other questions, the coin also computes P(codes sent | answers) for each answer to one question.
`miner.behind.candidates` multiplies coins. It lists every combination of answers behind a whole response, under any
sampling. `miner.behind.mixture` fits P(answers). `miner.behind.rows` combines candidates and mixture: rows of answers
behind each response with their probabilities, and the sums over rows that every likelihood needs.
"""
