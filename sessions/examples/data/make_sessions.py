#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the example sessions that repeat published figures, or show one idea each: 10-... to 29-....

    python3 make_sessions.py        (into the folder above; standard library alone)

They are plain session files, to be changed by hand like any other; this script only keeps their many strategies and
figures in one place. Published figures are facts, each with its source; a figure whose basis is "derived" was measured
by a re-run of the published code, not printed by its authors.
"""
import json
import pathlib

FOLDER = pathlib.Path(__file__).parent.parent


def strategy(name, predictor="none", ordering="fcfs", batching=None, correction=None, cap=512, kv_bytes=None, compat=()):
    part = lambda given: given if isinstance(given, dict) else {"type": given}
    one = {"name": name, "predictor": part(predictor), "ordering": part(ordering), "batching": batching or {"type": "none"}}
    if correction:
        one["correction"] = {"type": correction}
    one["limits"] = {"max_new_tokens": cap}
    if kv_bytes:
        one["limits"]["kv_bytes"] = kv_bytes
    if compat:
        one["compat"] = list(compat)
    return one


def figure(name, metric, value, reason="", **more):
    one = {"strategy": name, "metric": metric, "value": value}
    one.update({key: given for key, given in more.items() if given not in (None, "")})
    if reason:
        one["reason"] = reason
    return one


def write(number, slug, name, notes, workload, strategies, preset, figures=(), source="", repetitions=None, runs=1):
    session = {"schema": "batchscope.session/1", "name": name, "notes": notes}
    if runs > 1:
        session["repetitions"] = runs
    session.update({"backend": {"type": "simulated", "preset": preset}, "workload": workload, "strategies": strategies})
    if figures:
        session["published"] = {"source": source}
        if repetitions:
            session["published"]["repetitions"] = repetitions
        session["published"]["figures"] = list(figures)
    text = json.dumps(session, indent=2, ensure_ascii=False) + "\n"
    (FOLDER / f"{number:02}-{slug}.json").write_text(text, encoding="utf-8")


# --- Sequence-Scheduling ----------------------------------------------------------------------------------------

ALPACA = {"source": {"type": "file", "path": "data/seqsch-alpaca-1024.jsonl"}, "seed": 42,
          "arrivals": {"process": "all-at-once"}, "lengths": {"mode": "replayed"}}
QUIRKS = ("S-1", "S-4", "S-5")


def grouped(vbs="off", bin_width=50):
    return {"type": "grouped", "group": 256, "rows": 16, "bin_width": bin_width, "vbs": vbs, "delivery": "batch-end"}


VANILLA = strategy("vanilla", batching={"type": "static", "rows": 16, "delivery": "batch-end"})

FITTED = ("The preset's time of a pass was fitted to the published vanilla row, and nothing else was; what is left is the sample of "
          "lengths.")
SAMPLE = "Another sample of 1,024 requests from the same distribution of lengths."
PYTHON_LOOP = ("The published loop asks the device for each row at each step (S-16), so that its steps grow with rows: 36 ms in "
               "mixed batches where 16 rows take 31; the preset charges what a data sheet charges.")
NOISE = ("The predictor is a stand-in with the published error and share within 50 tokens: what it says of single requests, and "
         "so who fails, is another's.")
RERUNS = ("Rows that used the whole cap are computed again to the same cap (S-4, S-5), and failed rows from other requests' "
          "prompts (S-1); the column with its quirks shows what that does. " + PYTHON_LOOP)


ONE_ANSWER = ("The length of the very answer that is then generated: the bound of what any predictor gains. The published figure "
              "is most likely another (see the next row). ")
LABEL = ("Read as the label that the released data hold, the maximum of four sampled answers: an inference of ours, which gives "
         "the published steps and rate where the answer's own length does not. ")
TRUE_LABEL = {"workload.source.path": "data/seqsch-alpaca-1024-true-label.jsonl"}


def with_quirks(one):
    return {**one, "name": one["name"] + "-quirks", "compat": list(QUIRKS)}


def seqsch_rows(rows, strategies):
    """(strategy, label, samples/s, average length, ratio, failures, reason, point) as published; `length` counts one step more."""
    names = {one["name"] for one in strategies}
    figures = []
    for name, label, rate, length, ratio, failures, reason, at in rows:
        twin = name + "-quirks" if name + "-quirks" in names else None
        more = {"label": label, "as_published": twin, "at": at}
        figures.append(figure(name, "request_throughput", rate, reason, **more))
        figures.append(figure(name, "average_length", length, reason, offset=1, **more))
        if ratio:
            figures.append(figure(name, "effective_token_ratio", ratio, reason, **more))
        if failures:
            figures.append(figure(name, "rerun_ratio", failures, reason, **more))
    return figures


SEQSCH = strategy("seqsch", "recorded", "bins", grouped())
FULL = strategy("seqsch-vbs-fcr", "recorded", "bins", grouped("table"), "fcr")
TRUTH = strategy("gt-vbs-fcr", "oracle", "bins", grouped("table"), "fcr")
BLIND = strategy("po", {"type": "constant", "tokens": 150}, "sjf", grouped())
readme = [VANILLA, BLIND, SEQSCH, FULL, TRUTH, with_quirks(FULL), with_quirks(TRUTH)]
write(10, "published-seqsch-readme", "Published: Sequence-Scheduling's README",
      "The five rows of the repository's README (Vicuna-7B, Alpaca, one A100, 1,024 requests, group 256, batch 16, cap 512) on "
      "lengths with the published quantiles and a stand-in for the predictor with its published quality (data/README.md). The "
      "preset is fitted to the vanilla row alone: what it says of the other rows is a prediction. The strategies named "
      "…-quirks repeat what the published code does (compat), and show how much of a difference that explains.",
      ALPACA, readme, "vicuna-7b-a100",
      seqsch_rows([("vanilla", "", 1.39, 370.84, .3391, None, FITTED, None),
                   ("po", "po (no VBS/FCR)", 1.32, 374.83, .3353, None,
                    "The released po strategy sends the prompt that also asks for the answer and reads 8 tokens of it (S-3): its "
                    "numbers say nothing of the length, so the stand-in says the same of every request. The time of the query, up to "
                    "35 ms a request, is not charged here.", None),
                   ("seqsch", "seqsch (no VBS/FCR)", 1.64, 297.48, .4217, None,
                    NOISE + " The time of the length query, up to 35 ms a request, is not charged here.", None),
                   ("seqsch-vbs-fcr", "seqsch + VBS + FCR", 2.30, 215.06, .4722, .165, RERUNS, None),
                   ("gt-vbs-fcr", "gt + VBS + FCR", 2.69, 196.34, .6157, None, ONE_ANSWER + RERUNS, None),
                   ("seqsch-vbs-fcr", "gt + VBS + FCR, the label known", 2.69, 196.34, .6157, None, LABEL + RERUNS, TRUE_LABEL)],
                  readme),
      "zhengzangw/Sequence-Scheduling, README")

STANDIN = ("How good this predictor was could not be read from the paper, so the noise of the stand-in is set to give the "
           "published average length; only its samples a second say anything. ")
table4 = [VANILLA, strategy("ground-truth", "oracle", "bins", grouped("table"), "fcr"),
          strategy("pooling-mlp", {"type": "noisy-oracle", "noise": "laplace", "scale_tokens": 65}, "bins", grouped("table"), "fcr"),
          strategy("len-token", {"type": "noisy-oracle", "noise": "laplace", "scale_tokens": 56}, "bins", grouped("table"), "fcr"),
          strategy("perception-only", {"type": "noisy-oracle", "noise": "log-normal", "sigma": 1.68}, "sjf", grouped()),
          strategy("instruction", "recorded", "bins", grouped("table"), "fcr")]
table4 += [with_quirks(one) for one in table4 if "correction" in one]
MEAN_LABEL = {"workload.source.path": "data/seqsch-alpaca-1024-mean-label.jsonl"}
PAPER = "Zheng et al. 2023 (arXiv 2305.13144), Table "
write(11, "published-seqsch-table-4", "Published: Sequence-Scheduling's Table 4",
      "Table 4 of the paper: length predictors compared, Vicuna-7B on Alpaca. Its baseline is another than the README's (1.22 "
      "samples/s, not 1.39), so the preset is fitted to that row, and to that row alone. Predictors whose quality the sources do "
      "not give are stood in for by noise; each row says so.",
      ALPACA, table4, "vicuna-7b-a100-paper",
      seqsch_rows([("vanilla", "Vanilla", 1.22, 377, None, None, FITTED, None),
                   ("ground-truth", "Ground truth", 2.52, 201, None, None, ONE_ANSWER + RERUNS, None),
                   ("instruction", "Ground truth, the label known", 2.52, 201, None, None, LABEL + RERUNS, TRUE_LABEL),
                   ("pooling-mlp", "Pooling + MLP", 1.96, 216, None, None, STANDIN + RERUNS, None),
                   ("len-token", "[LEN]-token fine-tune", 2.10, 210, None, None, STANDIN + RERUNS, None),
                   ("perception-only", "Perception Only (no VBS/FCR)", 1.40, 328, None, None,
                    STANDIN + "The query is a pass through the big model for each request, which is not charged here.", None),
                   ("instruction", "Instruction tuning, mean label", 1.77, 211, None, None,
                    "The request file with labels of the mean of four samples. " + RERUNS, MEAN_LABEL),
                   ("instruction", "Instruction tuning, max label", 2.27, 208, None, None,
                    RERUNS + " The same configuration is 203 in Table 5: a discrepancy of the paper.", None)], table4),
      PAPER + "4")

rows5 = [("sorted", "off", None, 1, 1.73, 271), ("sorted-fcr", "off", "fcr", 1, 1.76, 222),
         ("sorted-fcr-vbs", "table", "fcr", 1, 2.22, 209), ("bins", "off", None, 50, 1.58, 300),
         ("bins-fcr", "off", "fcr", 50, 1.86, 209), ("bins-fcr-vbs", "table", "fcr", 50, 2.27, 203)]
table5 = [VANILLA] + [strategy(name, "recorded", "sjf" if width == 1 else "bins", grouped(vbs, width), correction)
                      for name, vbs, correction, width, _, _ in rows5]
table5 += [with_quirks(one) for one in table5 if "correction" in one]
write(12, "published-seqsch-table-5", "Published: Sequence-Scheduling's Table 5",
      "Table 5 of the paper: binning, failure collection and recomputation (FCR) and variable batch size (VBS), one by one, with "
      "the instruction-tuned predictor (max label). Without binning the raw prediction orders and limits a row; with it the "
      "order within a bin is that of arrival.",
      ALPACA, table5, "vicuna-7b-a100-paper",
      seqsch_rows([("vanilla", "Vanilla (Table 4)", 1.22, 377, None, None, FITTED, None)] +
                  [(name, "", rate, length, None, None, RERUNS if correction else NOISE, None)
                   for name, _, correction, _, rate, length in rows5], table5),
      PAPER + "5")

# --- SSJF -------------------------------------------------------------------------------------------------------

NONE, SJF, SRPT = {"type": "none"}, "sjf", "srpt"
FIVE_CLASS = "recorded"
REGRESSION = {"type": "noisy-oracle", "noise": "laplace", "scale_tokens": 63}
JCT, EARLY, WHOLE = "e2el_s.mean", "ssjf_throughput_25", "request_throughput"
BAND, EARLY_BAND = [-.396, -.305], [2.2, 3.6]
SSJF = "Qiu et al. 2024 (arXiv 2404.08509)"
RERUN = SSJF + ", its code run again"


def ssjf_workload(process, **arrivals):
    return {"source": {"type": "file", "path": "data/ssjf-lmsys-2000.csv"}, "requests": 50, "seed": 42,
            "arrivals": {"process": process, **arrivals}, "lengths": {"mode": "replayed"}}


def rates(*values, **more):
    return [{"workload.arrivals.rate": value, **more} for value in values]


def change(name, metric, value, at=None, against="fcfs", reason="", derived=True, **more):
    return figure(name, metric, value, reason, measure="change", against=against, at=at,
                  basis="derived" if derived else None, source=RERUN if derived else None, **more)


def ratio(name, metric, value, at=None, against="fcfs", reason="", derived=True, **more):
    return figure(name, metric, value, reason, measure="ratio", against=against, at=at,
                  basis="derived" if derived else None, source=RERUN if derived else None, **more)


BANDS = ("The published band is one over all modes and arrivals; no figure of each is printed. Throughput is measured when a "
         "quarter of the jobs are done (J-14); over all of them it is FCFS's.")
DRAWN = "Lengths and predictions with the published quantiles and quality, not the authors' rows; other seeds."
FEW = 60  # repetitions: intervals of about a point


def unbatched(compat=()):
    return [strategy("fcfs", compat=compat), strategy("sjf", "oracle", SJF, compat=compat),
            strategy("ssjf", FIVE_CLASS, SJF, compat=compat), strategy("ssjf-regression", REGRESSION, SJF, compat=compat)]


def bands(at):
    return [change("ssjf-regression", JCT, BAND, at, reason=BANDS, derived=False),
            ratio("ssjf-regression", EARLY, EARLY_BAND, at, reason=BANDS, derived=False),
            ratio("ssjf-regression", WHOLE, 1.0, at)]


def as_is(at, sjf, sjf_early, ssjf, ssjf_early):
    return [change("sjf", JCT, sjf, at, reason=DRAWN), ratio("sjf", EARLY, sjf_early, at, reason=DRAWN),
            change("ssjf", JCT, ssjf, at, reason=DRAWN), ratio("ssjf", EARLY, ssjf_early, at, reason=DRAWN)]


def clean(at, jct, gain, p50, p99, early):
    return [figure("fcfs", JCT, jct, DRAWN, at=at, basis="derived", source=RERUN), change("ssjf", JCT, gain, at, reason=DRAWN),
            change("ssjf", "e2el_s.median", p50, at, reason=DRAWN), change("ssjf", "e2el_s.p99", p99, at, reason=DRAWN),
            ratio("ssjf", EARLY, early, at, reason=DRAWN)]


ABOUT = ("Execution time 0.1 s + 0.02 s per output token, 50 jobs a run, Vicuna-13B's lengths on LMSYS-Chat-1M by their published "
         "quantiles (data/README.md), one server. sjf knows the lengths, ssjf has a five-class predictor of the published accuracy, "
         "ssjf-regression one with the published error of 63 tokens. ")
overload = rates(1, 3, 5, 7, 9)
write(13, "published-ssjf-poisson", "Published: SSJF without batching, Poisson arrivals",
      ABOUT + "One server is full at 0.275 jobs/s: the published rates, 1 to 9 a second, are all overload. Below them, rates that the "
      "server can serve.",
      ssjf_workload("poisson", rate=1), unbatched(), "ssjf",
      bands(overload) + as_is(overload, -.425, 4.4, -.32, 3.1) + clean(rates(.15), 7.0, -.098, -.17, .20, 1.01) +
      clean(rates(.2), 10.0, -.171, -.32, .33, 1.03) + clean(rates(.26), 15.9, -.25, -.51, .45, 1.07) +
      clean(rates(1), 68.3, -.335, -.66, .02, 1.72), SSJF, FEW)

SORTED = ("The published code sorts the drawn gaps before it adds them up (J-2), as these strategies ask: most jobs come in a flood "
          "at the start. It also loses the last job of nearly every run (J-1), which nothing here does.")
variation = [{"workload.arrivals.cv": cv} for cv in (1, 2, 3, 4, 5)]
write(14, "published-ssjf-gamma-sorted", "Published: SSJF without batching, gamma arrivals as published",
      ABOUT + SORTED, ssjf_workload("gamma", rate=.03, cv=2), unbatched(["J-2"]), "ssjf",
      bands(variation) + as_is(variation, -.372, 3.3, -.28, 2.4) +
      clean([{"workload.arrivals.cv": 2}], 28.5, -.293, -.65, .26, 1.82), SSJF, FEW)
write(15, "published-ssjf-gamma", "Published: SSJF without batching, gamma arrivals unsorted",
      ABOUT + "The same gaps in the order in which they were drawn: true bursts, and a queue that is mostly empty.",
      ssjf_workload("gamma", rate=.03, cv=2), unbatched(), "ssjf",
      clean([{"workload.arrivals.rate": .03, "workload.arrivals.cv": 2}], 6.7, -.082, -.10, .05, 1.00) +
      clean([{"workload.arrivals.rate": .03, "workload.arrivals.cv": 5}], 22.6, -.256, -.46, .05, 1.21) +
      clean([{"workload.arrivals.rate": .2, "workload.arrivals.cv": 2}], 18.4, -.25, -.49, .25, 1.09), SSJF, FEW)

AZURE = "The trace's gaps vary as Poisson's do (cv 0.99 within 50 jobs), so Poisson at its rate stands in for it."
slowed = rates(*[round(5.53 * scale / 1000, 5) for scale in (.5, 2, 10, 50, 200)])
write(16, "published-ssjf-azure", "Published: SSJF without batching, arrivals like Azure's",
      ABOUT + "Azure's conversation trace brings 5.53 requests a second. " + AZURE + " The published sweep takes the trace's milliseconds "
      "for seconds (J-5): its scales of 0.5 to 500 mean 0.003 to 2.8 a second, and only the last ones make a queue. To run the "
      "trace itself, give the workload a source of type trace.",
      ssjf_workload("poisson", rate=5.53), unbatched(), "ssjf",
      as_is(slowed, -.388, 1.5, -.301, 1.4) + clean(rates(5.53), 89.2, -.305, -.51, 0.0, 3.06), SSJF, FEW)

# Batching. FCFS as published waits up to 10 s for a batch to fill, even when nothing can come (J-7); SJF never does.
def static(rows, window=0):
    return {"type": "static", "rows": rows, "window_s": window, "delivery": "batch-end"}


WAITS = ("The published FCFS waits up to 10 s for its batch to fill, even when nothing can arrive (J-7), and the published SJF never "
         "does: the whole difference between the two rows.")
SIZES = "The published sizes; where no figure was published or derived for a size, none stands here."
gamma = {"workload.arrivals.process": "gamma", "workload.arrivals.rate": .03, "workload.arrivals.cv": 2}
poisson = lambda rate: {"workload.arrivals.process": "poisson", "workload.arrivals.rate": rate}


def rows(points, count):
    return [{**point, "batching.rows": count} for point in points]


ARRIVALS = {"Poisson": [poisson(rate) for rate in (1, 3, 5, 7, 9)],
            "gamma": [{**gamma, "workload.arrivals.cv": cv} for cv in (1, 2, 3, 4, 5)],
            "Azure-like": [poisson(point["workload.arrivals.rate"]) for point in slowed]}
batched = [strategy("fcfs", batching=static(8), compat=["J-2"]), strategy("fcfs-waits", batching=static(8, 10), compat=["J-2", "J-7"]),
           strategy("sjf", "oracle", SJF, static(8), compat=["J-2"]), strategy("ssjf", FIVE_CLASS, SJF, static(8), compat=["J-2"])]
figures = []
for arrivals, sjf, ssjf in (("Poisson", -.57, -.36), ("gamma", -.53, -.35), ("Azure-like", -.57, -.47)):
    at = rows(ARRIVALS[arrivals], 2)
    figures += [change("sjf", JCT, sjf, at, "fcfs-waits", WAITS, label=f"sjf, {arrivals}, batches of 2"),
                change("ssjf", JCT, ssjf, at, "fcfs-waits", WAITS, label=f"ssjf, {arrivals}, batches of 2")]
for arrivals, waits, fair in (("Poisson", -.225, -.225), ("gamma", -.341, -.19), ("Azure-like", -.542, -.055)):
    at = rows(ARRIVALS[arrivals], 8)
    figures += [change("ssjf", JCT, waits, at, "fcfs-waits", WAITS, label=f"ssjf, {arrivals}, batches of 8, FCFS waits 10 s"),
                change("ssjf", JCT, fair, at, "fcfs", WAITS, label=f"ssjf, {arrivals}, batches of 8, nobody waits")]
figures += [change("ssjf", JCT, BAND, rows(ARRIVALS["Poisson"], count), "fcfs-waits", BANDS, derived=False,
                   label=f"ssjf, Poisson, batches of {count}") for count in (4, 6, 10)]
write(17, "published-ssjf-static", "Published: SSJF with static batches of 2 to 10",
      ABOUT + "A batch costs as much as its longest member (J-15). Gamma gaps are sorted as published (J-2). " + SIZES,
      ssjf_workload("poisson", rate=1), batched, "ssjf", figures, SSJF, 20)


def running(slots, **more):
    return {"type": "continuous", "slots": slots, **more}


def slots(points, count):
    return [{**point, "batching.slots": count} for point in points]


QUIRKY = ["J-2", "J-9", "J-10"]
REFORM = ("The published batch is formed anew only when its shortest member ends, and whoever is longer than one who waits loses its "
          "place at no cost (J-9, J-10), as these strategies do. FCFS as published also waits 10 s at each forming, with jobs of its "
          "own unfinished (J-7): take that away, and most of the gain goes.")
JOINING = "In ours a prompt that joins costs everybody who runs 0.08 s; in the re-run each job takes its own time."
continuous = [strategy("fcfs", batching=running(8), compat=["J-2", "J-9"]),
              strategy("fcfs-waits", batching=running(8), compat=["J-2", "J-9", "J-7"]),
              strategy("sjf", "oracle", SRPT, running(8, preemption="keep-kv", most_evictions=1000), compat=["J-2", "J-9"]),
              strategy("ssjf", FIVE_CLASS, SRPT, running(8, preemption="keep-kv", most_evictions=1000), compat=QUIRKY),
              strategy("fcfs-slots", batching=running(8), compat=["J-2"]),
              strategy("ssjf-slots", FIVE_CLASS, SJF, running(8), compat=["J-2"])]
figures = []
for arrivals, count, sjf, ssjf in (("Poisson", 2, -.42, -.28), ("gamma", 2, -.42, -.31), ("Azure-like", 2, -.53, -.48),
                                   ("Poisson", 8, -.54, -.49), ("gamma", 8, -.70, -.69), ("Azure-like", 8, -.76, -.76)):
    at = slots(ARRIVALS[arrivals], count)
    figures += [change("sjf", JCT, sjf, at, "fcfs-waits", REFORM, label=f"sjf, {arrivals}, {count} slots"),
                change("ssjf", JCT, ssjf, at, "fcfs-waits", REFORM, label=f"ssjf, {arrivals}, {count} slots")]
for arrivals, count, gain in (("Poisson", 4, -.213), ("gamma", 4, -.158), ("Azure-like", 4, -.045),
                              ("Poisson", 8, -.135), ("gamma", 8, -.093), ("Azure-like", 8, -.005)):
    figures.append(change("ssjf", JCT, gain, slots(ARRIVALS[arrivals], count), "fcfs", REFORM,
                          label=f"ssjf, {arrivals}, {count} slots, nobody waits"))
for count, gain in ((2, -.18), (4, -.11), (8, -.04)):
    figures.append(change("ssjf-slots", JCT, gain, slots([poisson(round(.261 * count, 3))], count), "fcfs-slots", JOINING,
                          label=f"ssjf, {count} slots filled at every pass, load 0.95"))
for count, gain in ((2, -.31), (4, -.28), (8, -.19)):
    figures.append(change("ssjf-slots", JCT, gain, slots([poisson(5.53)], count), "fcfs-slots", JOINING,
                          label=f"ssjf, {count} slots filled at every pass, Azure's rate"))
figures += [change("ssjf", JCT, BAND, slots(ARRIVALS["Poisson"], count), "fcfs-waits", BANDS, derived=False,
                   label=f"ssjf, Poisson, {count} slots") for count in (1, 6, 10)]
write(18, "published-ssjf-continuous", "Published: SSJF with continuous batches of 1 to 10",
      ABOUT + "Continuous batching as published, and with slots that are filled at every pass. " + SIZES,
      ssjf_workload("poisson", rate=1), continuous, "ssjf", figures, SSJF, 20)

HUNDRED = {"type": "sjf", "ageing": {"absolute_s": 100}}
BOTH = {"type": "sjf", "ageing": {"absolute_s": 100, "factor": 10}}
guards = [strategy("fcfs")]
for name, predictor in (("sjf", "oracle"), ("ssjf", FIVE_CLASS)):
    guards += [strategy(name, predictor, SJF), strategy(name + "-guard", predictor, HUNDRED),
               strategy(name + "-guard-published", predictor, BOTH, compat=["J-11"]),
               strategy(name + "-guard-predicted", predictor, BOTH)]
GUARDED = ("Ours is the guard of 100 s alone. Its other bound, 10 times the true execution time, with the whole queue served by "
           "arrival when it fires (J-11), would leave little of any gain (with its quirks): in the re-run it hardly acted. How the "
           "published code counts waiting (J-12) is not repeated.")
TIES = DRAWN + " Who comes first within a class decides about its last: ours goes by arrival (J-16)."
full = {"workload.requests": 1000, "workload.arrivals.rate": .26}
write(19, "published-ssjf-starvation-guard", "Published: SSJF's starvation guard",
      ABOUT + "A thousand jobs at 95 % load, where 50 would hide it: without a guard long jobs starve, with the published one the "
      "gain goes. …-guard promotes who has waited 100 s, it alone; …-guard-predicted also who has waited 10 times its predicted "
      "time; …-guard-published does as the published code.",
      {**ssjf_workload("poisson", rate=.26), "requests": 1000}, guards, "ssjf",
      [change("sjf-guard", JCT, -.249, full, reason=GUARDED, as_published="sjf-guard-published"),
       change("ssjf-guard", JCT, -.189, full, reason=GUARDED, as_published="ssjf-guard-published"),
       change("ssjf-guard", "e2el_s.p99", .10, full, reason=GUARDED, as_published="ssjf-guard-published"),
       change("sjf", JCT, -.517, full, reason=DRAWN), change("ssjf", JCT, -.38, full, reason=DRAWN),
       change("sjf", "e2el_s.p99", 2.13, full, reason=DRAWN), change("ssjf", "e2el_s.p99", 2.54, full, reason=TIES)],
      SSJF, 40)

# --- Successors, and one idea each ------------------------------------------------------------------------------

OTHER = "Another model, other hardware and other requests: a direction to compare, not a figure to reach."
GIB = 2 ** 30
budget = 3 * GIB  # KV cache at 0.5 MiB a token: a card that the weights nearly fill
fitting = budget // (524288 * (100 + 512))  # rows of the worst case


def by_memory():
    return {"type": "grouped", "group": 256, "rows": 16, "bin_width": 50, "vbs": "memory", "max_rows": 256,
            "delivery": "batch-end"}


packing = [strategy("worst-case", batching={"type": "static", "rows": fitting, "delivery": "batch-end"}, kv_bytes=budget),
           strategy("packed", "recorded", "sjf", by_memory(), "fcr", kv_bytes=budget),
           strategy("packed-oracle", "oracle", "sjf", by_memory(), "fcr", kv_bytes=budget)]
write(20, "packing-by-predicted-memory", "Packing by predicted memory (S3)",
      f"3 GiB for the KV cache. worst-case reserves the cap for every row and fits {fitting} of them; packed reserves what is "
      "predicted, so that many short answers run together, and computes again who was cut short (S3, NeurIPS 2023, packs so). "
      "Watch the batches grow and the re-runs that wrong predictions cost.",
      ALPACA, packing, "vicuna-7b-a100",
      [ratio("packed", WHOLE, [1.0, 6.49], None, "worst-case", derived=False, reason="Published: up to 6.49 x, with GPT-J and larger. " + OTHER),
       ratio("packed-oracle", WHOLE, [1.0, 6.49], None, "worst-case", derived=False, reason="Published: up to 6.49 x, with GPT-J and larger. " + OTHER)],
      "Jin et al. 2023, S3 (arXiv 2306.06000), abstract")

busy = {"source": {"type": "file", "path": "data/seqsch-alpaca-1024.jsonl"}, "requests": 600, "seed": 42,
        "arrivals": {"process": "poisson", "rate": 4.6}, "lengths": {"mode": "replayed"}}
LATER = {"type": "noisy-oracle", "noise": "log-normal", "sigma": 0.3}
trail = [strategy("fcfs", batching=running(16)),
         strategy("sjf", LATER, SJF, running(16)),
         strategy("srpt", LATER, {"type": "srpt", "share": 1}, running(16, preemption="recompute")),
         strategy("srpt-limited", LATER, {"type": "srpt", "share": 0.2}, running(16, preemption="recompute")),
         strategy("srpt-oracle", "oracle", SRPT, running(16, preemption="recompute"))]
TRAIL = "Published: 1.66 to 2.01 x for mean latency and 1.76 to 24.07 x for TTFT, over loads and models. " + OTHER
write(21, "limited-preemption", "Shortest remaining first with limited preemption (TRAIL)",
      "Sixteen slots, continuous batching, a queue that builds. srpt gives a running request's place to a shorter one at any time; "
      "srpt-limited leaves a request alone once it has done a fifth of its predicted work (TRAIL, ICLR 2025, allows it early only): fewer evictions, and so "
      "less computed twice, for nearly the same waiting. Compare mean latency, evictions and the 99th percentile.",
      busy, trail, "vicuna-7b-a100",
      [figure("fcfs", JCT, [1.66, 2.01], TRAIL, measure="ratio", against="srpt-limited", label="fcfs to srpt-limited"),
       figure("fcfs", "ttft_s.mean", [1.76, 24.07], TRAIL, measure="ratio", against="srpt-limited", label="fcfs to srpt-limited")],
      "Shahout et al. 2025, TRAIL (arXiv 2410.01035), abstract", 10)

BINS = ("Published: up to about +70 % with known lengths. Ours has batches of 16 with answers of 2 to 512 tokens, two thirds padding "
        "in one bin: there is more to gain. " + OTHER)
multibin = [strategy(f"bins-{k}", "oracle", {"type": "bins", "width": 512 // k}, {"type": "static", "rows": 16}) for k in (1, 2, 4, 8, 16, 32)]
write(22, "multi-bin-batching", "Multi-bin batching: more bins, more throughput",
      "Static batches of 16 from 1, 2, 4, … 32 bins of known length (Guldogan et al. 2024): within a bin nobody is much longer than "
      "another, so that less is padding. One bin is plain first come, first served; with each doubling the gain gets smaller.",
      {**ALPACA, "arrivals": {"process": "all-at-once"}}, multibin, "vicuna-7b-a100",
      [ratio("bins-32", WHOLE, 1.7, None, "bins-1", derived=False, reason=BINS)],
      "Guldogan et al. 2024, Multi-bin batching (arXiv 2412.04504), abstract and summary")

SIZED = "Lengths by the published quantiles; the re-run used the recorded ones."
write(23, "batch-size-sweep", "Batch size: padding grows, decode steps fall",
      "Vanilla static batches on the same requests. The bigger the batch, the longer its longest answer and the more of it is padding; "
      "yet fewer steps are run in all, and where a step costs nearly the same for any batch a bigger vanilla batch can beat "
      "sequence scheduling at 16 rows. Sweep it: batchscope-cli sweep 23-batch-size-sweep.json --vary batching.rows=1,2,4,8,16,32,64 "
      "--metric effective_token_ratio --metric request_throughput --metric decode_steps",
      ALPACA, [VANILLA, SEQSCH], "vicuna-7b-a100",
      [figure("vanilla", "effective_token_ratio", share, SIZED, at={"batching.rows": count}, basis="derived", label=f"vanilla, batches of {count}")
       for count, share in ((1, .99), (2, .68), (4, .51), (8, .41), (16, .34), (32, .30))],
      "A replay of the recorded Alpaca lengths")
groups = [strategy(f"group-{group}", "oracle", "sjf", {**grouped(), "group": group}) for group in (16, 32, 64, 128, 256, 512, 1024)]
write(24, "group-size-sweep", "Group size: how many requests are sorted together",
      "Sequence scheduling with known lengths and groups of 16 to 1,024. A larger group sorts better, with clear diminishing returns: "
      "up to 256 the effective token ratio rises quickly, beyond it little, while everybody waits for the group to fill.",
      ALPACA, groups, "vicuna-7b-a100")
noisy = [VANILLA, strategy("oracle", "oracle", "sjf", grouped("table"), "fcr")] + [
    strategy(f"noise-{scale}", {"type": "noisy-oracle", "noise": "laplace", "scale_tokens": scale}, "sjf", grouped("table"), "fcr")
    for scale in (10, 25, 50, 100, 200)]
write(25, "predictor-noise-sweep", "Predictor quality: how much noise the gain survives",
      "The true length plus Laplace noise of 10 to 200 tokens stands in for a predictor. See how far the gain over vanilla lasts as "
      "errors grow, and how many requests are computed again. Kendall's tau, in the metrics, tells more of it than accuracy does.",
      ALPACA, noisy, "vicuna-7b-a100")
quiet = {"source": {"type": "file", "path": "data/seqsch-alpaca-1024.jsonl"}, "requests": 300, "seed": 42,
         "arrivals": {"process": "poisson", "rate": 0.02}, "lengths": {"mode": "replayed"}}
write(26, "no-gain-without-a-queue", "No gain when nobody queues",
      "One request in fifty seconds, and nearly each is done before the next comes: there is no order to choose, and shortest-first "
      "with perfect knowledge changes nothing. Raise the rate (--set workload.arrivals.rate=0.3) and watch the difference appear.",
      quiet, [strategy("fcfs"), strategy("sjf-oracle", "oracle", SJF), strategy("ssjf", "recorded", SJF)], "vicuna-7b-a100")
write(27, "starvation-and-ageing", "Starvation, and ageing against it",
      "Shortest-first at 95 % load: the mean falls by half, and the longest requests wait without end. Ageing puts whoever has waited "
      "too long at the head of the queue, it alone. Compare the mean, the 99th percentile and the longest wait.",
      {**ssjf_workload("poisson", rate=.26), "requests": 1000},
      [strategy("fcfs"), strategy("sjf", "oracle", SJF),
       strategy("sjf-ageing-200s", "oracle", {"type": "sjf", "ageing": {"absolute_s": 200}}),
       strategy("sjf-ageing-60s", "oracle", {"type": "sjf", "ageing": {"absolute_s": 60}}),
       strategy("hrrn", "oracle", "hrrn")], "ssjf")
