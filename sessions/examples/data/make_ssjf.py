#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the request file of the SSJF examples: answer lengths with the published quantiles, and a class for each.

    python3 make_ssjf.py            (writes the file beside itself; standard library alone)

No prompt and no length of the authors is used: only the quantiles of the lengths in their prediction files
(Vicuna-13B's answers in LMSYS-Chat-1M, 85,482 of 2 to 511 tokens) and the published quality of their five-class
predictor. The file's 2,000 lengths are one from each 2,000th of the distribution, in random order; a session draws its
50 from them by its seed.

predicted_tokens is the upper end of the class that the predictor chose: up to 41, 140, 293, 502 or 512 tokens. With a
chance LOST it knows nothing and chooses as often as classes occur; otherwise the class is that of a length drawn
together with the true one by a Gaussian copula of correlation SKILL. The two are fitted to the published accuracy,
0.600, and the published rank agreement, Kendall's tau-b 0.635; the share of tied pairs (published: 24 %) is printed.
"""
import math
import pathlib
import random
import statistics

NORMAL = statistics.NormalDist()
ROWS, SEED, ACCURACY, TAU_B = 2000, 42, .600, .635
LENGTHS = [(0, 2), (.05, 9), (.25, 41), (.5, 140), (.75, 294), (.9, 397), (.95, 447), (.99, 502), (1, 511)]
UPPER_ENDS = [41, 140, 293, 502, 512]


def quantile(share):
    for (a, x), (b, y) in zip(LENGTHS, LENGTHS[1:]):
        if share <= b:
            return round(x + (y - x) * (share - a) / (b - a))
    return LENGTHS[-1][1]


def class_of(tokens):
    return sum(tokens > end for end in UPPER_ENDS[:-1])


def draws(count, seed):
    rng = random.Random(seed)
    shares = [(i + rng.random()) / count for i in range(count)]
    rng.shuffle(shares)
    return [(share, NORMAL.inv_cdf(share), rng.gauss(0, 1), rng.random()) for share in shares]


def guess(draw, lost, skill):
    _, true, other, share = draw
    normal = other if share < lost else skill * true + math.sqrt(1 - skill * skill) * other
    return class_of(quantile(NORMAL.cdf(normal)))


def pairs_of(rows, lost, skill):
    return [(quantile(draw[0]), guess(draw, lost, skill)) for draw in rows]


def accuracy(pairs):
    return sum(class_of(tokens) == chosen for tokens, chosen in pairs) / len(pairs)


def tau_b(pairs):
    agree = ties_a = ties_b = 0
    for i, (a, b) in enumerate(pairs):
        for c, d in pairs[:i]:
            agree += ((a > c) - (a < c)) * ((b > d) - (b < d))
            ties_a += a == c
            ties_b += b == d
    all_pairs = len(pairs) * (len(pairs) - 1) / 2
    return agree / math.sqrt((all_pairs - ties_a) * (all_pairs - ties_b)), ties_b / all_pairs


def fitted(rows):
    def skill_for(lost):
        low, high = .3, .9999
        for _ in range(12):
            middle = (low + high) / 2
            low, high = (middle, high) if accuracy(pairs_of(rows, lost, middle)) < ACCURACY else (low, middle)
        return (low + high) / 2

    low, high = 0.0, .4  # the more are lost at the same accuracy, the worse the order
    for _ in range(8):
        middle = (low + high) / 2
        low, high = (low, middle) if tau_b(pairs_of(rows, middle, skill_for(middle)))[0] < TAU_B else (middle, high)
    lost = round((low + high) / 2, 3)
    return lost, round(skill_for(lost), 4)


if __name__ == "__main__":
    rows = draws(ROWS, SEED)
    lost, skill = fitted(rows)
    pairs = pairs_of(rows, lost, skill)
    name = "ssjf-lmsys-2000.csv"
    with open(pathlib.Path(__file__).parent / name, "w", encoding="ascii") as out:
        out.write("prompt_tokens,output_tokens,predicted_tokens\n")
        for tokens, chosen in pairs:
            out.write(f"64,{tokens},{UPPER_ENDS[chosen]}\n")
    tau, tied = tau_b(pairs)
    print(f"{name}: lost {lost}, skill {skill}; mean length {statistics.fmean(t for t, _ in pairs):.1f}; accuracy "
          f"{accuracy(pairs):.3f}, tau-b {tau:.3f}, pairs tied {tied:.0%}")
