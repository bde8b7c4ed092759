"""The answers that may be behind a response, and P(codes sent | answers).

Only this package computes this probability.

`miner.behind.coins.SharedCoin` holds the questions that share a coin, or one question that is sent as it is. For the
questions that were asked, under any channel and coding, a coin has

    P(sent | answers)  =  theta prod P(code | answer)  +  (1 - theta) prod P(code | answer, replaced)

A coin lists the answers that may be behind codes, with this probability of each. Given rows of answers to the other
questions, the coin also computes the probability for each answer to one question. `miner.behind.candidates` multiplies
coins: it lists every combination of answers behind a whole response, under any sampling. `miner.behind.mixture` fits
P(answers). `miner.behind.rows` joins the two: rows of answers behind each response with their probabilities, and the
sums over rows that every likelihood needs.
"""
