#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the request files of the Sequence-Scheduling examples: lengths with the published quantiles.

No prompt or length of the authors is used: only the quantiles of their recorded lengths (10,000 Alpaca instructions
answered by Vicuna-7B) and the published error of their predictor. Standard library alone; the same bytes everywhere.

A request's greedy length and the maximum of its four samples are drawn together: a Gaussian copula with the rank
correlation measured between the two (Spearman 0.902), each through its own quantiles, the maximum at least the greedy
one. What the predictor says is the maximum plus an error, rounded up to 50 as its labels are; the error's scale is set
so that its mean absolute error against the maximum is the published 62 tokens.
"""
import json, math, random, statistics, sys

GREEDY = [(0, 1), (.05, 12), (.25, 33), (.5, 101), (.75, 174), (.9, 276), (.95, 332), (.99, 484), (.9913, 512), (1, 512)]
LARGEST = [(0, 1), (.05, 15), (.25, 55), (.5, 139), (.75, 242), (.9, 346), (.95, 416), (.9785, 512), (1, 512)]
SPEARMAN, ERROR, REQUESTS, PROMPT, SEED = 0.902, 62.0, 1024, 100, 42


def at(points, share):
    for (a, x), (b, y) in zip(points, points[1:]):
        if share <= b:
            return x if b == a else x + (y - x) * (share - a) / (b - a)
    return points[-1][1]


def rounded_up(tokens, width=50):
    return max(width, math.ceil(tokens / width) * width)


def drawn():
    rng = random.Random(SEED)
    rho = 2 * math.sin(math.pi * SPEARMAN / 6)
    normal = statistics.NormalDist()
    for _ in range(REQUESTS):
        a, b, u = rng.gauss(0, 1), rng.gauss(0, 1), rng.random() - .5
        greedy = round(at(GREEDY, normal.cdf(a)))
        largest = max(greedy, round(at(LARGEST, normal.cdf(rho * a + math.sqrt(1 - rho * rho) * b))))
        yield greedy, largest, -math.copysign(1, u) * math.log(1 - 2 * abs(u))  # Laplace of scale 1


def predicted(label, noise, scale):
    return min(512, rounded_up(max(1, label + scale * noise)))


def scale_for(rows, error):
    low, high = 0.0, 400.0
    for _ in range(60):
        middle = (low + high) / 2
        mae = statistics.fmean(abs(predicted(largest, noise, middle) - largest) for _, largest, noise in rows)
        low, high = (middle, high) if mae < error else (low, middle)
    return low


rows = list(drawn())
scale = scale_for(rows, ERROR)
with open(sys.argv[1] if len(sys.argv) > 1 else "seqsch-alpaca-1024.jsonl", "w", encoding="ascii") as out:
    for i, (greedy, largest, noise) in enumerate(rows):
        row = {"id": f"s{i}", "prompt_tokens": PROMPT, "output_tokens": greedy, "predicted_tokens": predicted(largest, noise, scale)}
        out.write(json.dumps(row) + "\n")
lengths = [greedy for greedy, _, _ in rows]
print(f"mean {statistics.fmean(lengths):.1f}, median {statistics.median(lengths)}, at the cap {sum(n == 512 for n in lengths)}, "
      f"noise scale {scale:.1f}", file=sys.stderr)
