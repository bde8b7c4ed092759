"""The answers that may be behind a response, and P(codes sent | answers): the one place that computes it.

`miner.behind.coins.SharedCoin` holds the questions that share a coin, or one that is sent as it is, and knows

    P(sent | answers)  =  theta prod P(code | answer)  +  (1 - theta) prod P(code | answer, replaced)

over those of its questions that were asked, for any channel and coding. It lists the answers that may be behind codes,
with this probability of each, and computes it for each answer to one question, given rows of answers to the others.
`miner.behind.candidates` multiplies coins: every combination of answers behind a whole response, under any sampling.
`miner.behind.mixture` fits P(answers). `miner.behind.rows` joins the two: rows of answers behind each response, with
their chances, and the sums over them that every likelihood asks for.
"""
