#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the request files of the Sequence-Scheduling examples: lengths with the published quantiles.

    python3 make_seqsch.py            (writes the files beside itself; standard library alone)

No prompt and no recorded length of the authors is used: only the quantiles of their recorded lengths (10,000 Alpaca
instructions answered by Vicuna-7B) and the published quality of their predictor.

Lengths. A request's greedy length and its label (the maximum, or the mean, of its four samples) are drawn together: a
Gaussian copula, each through its own quantiles. The 1,024 greedy lengths are one from each 1,024th of the distribution,
in random order, so that the file has the quantiles it was made from.

Predictions. With a chance LOST the predictor knows nothing and names a label at random; otherwise what it says and the
label are drawn by a copula of correlation SKILL. The two are fitted to two of the three published figures of the
predictor, against the maximum of the four samples, after rounding up to 50 as its labels are: a mean absolute error of
62 tokens and 59 % within 50. The third (81 % within 100) and the share of failures (16.5 %) are not fitted: what comes
out for them says how good the stand-in is. Predictions are written unrounded; bin_width rounds them. In the third file
the predictor says the label itself.
"""
import json
import math
import pathlib
import random
import statistics

NORMAL = statistics.NormalDist()
CAP, REQUESTS, PROMPT, SEED = 512, 1024, 100, 42
# Quantiles (share, tokens); a recorded length of 514 in these data is one cut at the cap.
GREEDY = [(0, 2), (.05, 12), (.25, 33), (.5, 101), (.75, 174), (.9, 276), (.95, 332), (.99, 484), (.9913, 512), (1, 512)]
LABELS = {
    "max": [(0, 4), (.05, 15), (.25, 55), (.5, 139), (.75, 242), (.9, 346), (.95, 416), (.9785, 512), (1, 512)],
    "mean": [(0, 3), (.05, 13.5), (.25, 40), (.5, 108), (.75, 178), (.9, 265), (.95, 315), (.99, 403), (.9994, 512), (1, 512)],
}
# Correlation of the copula of greedy length and label. max: from Spearman's 0.902 of the two. mean: from Kendall's
# 0.766 between the greedy run and the mean of the other three.
TOGETHER = {"max": 2 * math.sin(math.pi * .902 / 6), "mean": math.sin(math.pi * .766 / 2)}
ERROR, WITHIN_50 = 62.0, .59


def quantile(points, share):
    for (a, x), (b, y) in zip(points, points[1:]):
        if share <= b:
            return x + (y - x) * (share - a) / (b - a)
    return points[-1][1]


def rounded_up(tokens, width=50):
    return min(CAP, max(width, math.ceil(tokens / width) * width))


def draws(count, seed):
    """(greedy length, its normal, three more normals, a share), of which the first are one from each 1/count."""
    rng = random.Random(seed)
    shares = [(i + rng.random()) / count for i in range(count)]
    rng.shuffle(shares)
    for share in shares:
        yield round(quantile(GREEDY, share)), NORMAL.inv_cdf(share), rng.gauss(0, 1), rng.gauss(0, 1), rng.random()


def label_of(kind, draw):
    greedy, a, b, _, _ = draw
    rho = TOGETHER[kind]
    hidden = rho * a + math.sqrt(1 - rho * rho) * b
    label = quantile(LABELS[kind], NORMAL.cdf(hidden))
    return hidden, max(greedy, label) if kind == "max" else label


def predicted(kind, hidden, draw, lost, skill):
    _, _, _, c, share = draw
    normal = c if share < lost else skill * hidden + math.sqrt(1 - skill * skill) * c
    return quantile(LABELS[kind], NORMAL.cdf(normal))


def quality(rows, lost, skill):
    errors = [abs(rounded_up(predicted("max", hidden, draw, lost, skill)) - label) for hidden, label, draw in rows]
    return statistics.fmean(errors), sum(e <= 50 for e in errors) / len(errors), sum(e <= 100 for e in errors) / len(errors)


def fitted():
    rows = [(*label_of("max", draw), draw) for draw in draws(20_000, SEED + 1)]

    def skill_for(lost):
        low, high = .5, .9999
        for _ in range(14):
            middle = (low + high) / 2
            low, high = (low, middle) if quality(rows, lost, middle)[0] < ERROR else (middle, high)
        return (low + high) / 2

    low, high = 0.0, .3  # the more are lost, the better the rest must be, and the more are within 50
    for _ in range(10):
        middle = (low + high) / 2
        low, high = (low, middle) if quality(rows, middle, skill_for(middle))[1] > WITHIN_50 else (middle, high)
    lost = round((low + high) / 2, 3)
    skill = round(skill_for(lost), 4)
    print(f"fitted: lost {lost}, skill {skill}: error, within 50, within 100 =", *(round(q, 3) for q in quality(rows, lost, skill)))
    return lost, skill


def write(name, kind, lost, skill):
    here = pathlib.Path(__file__).parent
    lengths, fails, errors = [], 0, []
    with open(here / name, "w", encoding="ascii") as out:
        for i, draw in enumerate(draws(REQUESTS, SEED)):
            hidden, label = label_of(kind, draw)
            said = max(1, round(label if lost is None else predicted(kind, hidden, draw, lost, skill)))
            lengths.append(draw[0])
            errors.append(abs(rounded_up(said) - label))
            fails += draw[0] > rounded_up(said)
            out.write(json.dumps({"id": f"s{i}", "prompt_tokens": PROMPT, "output_tokens": draw[0], "predicted_tokens": said}) + "\n")
    print(f"{name}: mean {statistics.fmean(lengths):.1f}, median {statistics.median(lengths)}, {sum(n == CAP for n in lengths)} "
          f"at the cap; predictions: error {statistics.fmean(errors):.1f}, too short {fails / REQUESTS:.1%}")


if __name__ == "__main__":
    fit = fitted()
    write("seqsch-alpaca-1024.jsonl", "max", *fit)
    write("seqsch-alpaca-1024-mean-label.jsonl", "mean", *fit)
    write("seqsch-alpaca-1024-true-label.jsonl", "max", None, None)
