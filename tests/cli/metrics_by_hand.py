# SPDX-License-Identifier: GPL-3.0-or-later
# Every figure of a result JSON again, from the event log alone and by the words of design/metrics.md: a second
# reading of the definitions, which shares no code with the program.
# Usage: metrics_by_hand.py RESULT.json EVENTS.jsonl; prints what was checked, ends with 1 and the differences.
import json
import sys
from collections import defaultdict

sys.dont_write_bytecode = True
from run_log import Run, read_runs  # noqa: E402

NOT_FIGURES = {"name", "strategy", "provenance", "workload_hash", "seed", "repetition", "environment",
               "measure", "offered", "theory", "window"}  # the last: null here, window_figures_test looks at it
# Needs more than the log (a cost model) or is checked in tests/scheduler alone.
ELSEWHERE = {"slowdown", "jains_index"}
ELSEWHERE_OF_ERRORS = {"r2", "kendall_tau_b", "spearman"}


def linear_percentile(ordered, p):
    rank = p * (len(ordered) - 1)
    below = int(rank)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (rank - below) * (ordered[above] - ordered[below])


def summary(seconds):
    if not seconds:
        return {**dict.fromkeys(("mean", "median", "p50", "p90", "p95", "p99")), "n": 0}
    ordered = sorted(seconds)
    shares = {"median": 0.5, "p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99}
    return {"mean": sum(ordered) / len(ordered), "n": len(ordered),
            **{name: linear_percentile(ordered, p) for name, p in shares.items()}}


def ratio(part, whole):
    return part / whole if whole else None


def slot_steps(run):
    """Steps of occupied slots by kind. What was not delivered is thrown away; a row that has ended pads."""
    kinds = dict.fromkeys(("useful", "end", "chunk", "padding", "abandoned", "stalled"), 0)
    for attempt in run.attempts.values():
        own, chunks, yielded = attempt.own_steps(), attempt.chunks(), len(attempt.yield_ns())
        stalled = own - chunks - yielded
        kinds["padding"] += attempt.padding()
        kinds["stalled"] += stalled
        if not attempt.delivered():
            kinds["abandoned"] += own - stalled
            continue
        tokens, spends_a_step = attempt.end["output_tokens"], attempt.cause() in ("eos", "length")
        assert yielded == tokens + spends_a_step, "a token a step, and one for the end of sequence"
        kinds["useful"] += tokens
        kinds["end"] += spends_a_step
        kinds["chunk"] += chunks
    return kinds


def overlap(span, other):
    return max(0, min(span[1], other[1]) - max(span[0], other[0]))


def occupancy(run, span):
    """Slots taken, of all, over the run; and the moments between which all were taken."""
    slots, taken_ns, full = run.started["slots"], 0, None
    ends = [at for at, _ in run.occupied[1:]] + [run.ended_ns]
    for (at, taken), until in zip(run.occupied, ends):
        taken_ns += taken * overlap((at, until), span)
        if taken == slots:
            full = (full[0] if full else at, until)
    return ratio(taken_ns, slots * (span[1] - span[0])), full


def busy_share(run, span):
    """Share of the run during which somebody waited."""
    changes = sorted([(since, 1) for since, _ in run.waits] + [(until, -1) for _, until in run.waits])
    busy, waiting = 0, 0
    for (at, change), (until, _) in zip(changes, changes[1:] + [(span[1], 0)]):
        waiting += change
        busy += overlap((at, until), span) if waiting else 0
    return ratio(busy, span[1] - span[0])


def inversions(run, tokens):
    """Pairs of which the longer was in a batch before the shorter."""
    served = [(run.first_batch_ns[request], n) for request, n in tokens.items()]
    inverted = sum(a[0] < b[0] and a[1] > b[1] for a in served for b in served)
    return ratio(inverted, len(served) * (len(served) - 1) // 2)


def prediction_error(run, tokens):
    # A longer prediction of an answer that was cut at the cap is no error: nobody knows how long it would be.
    cut = {attempt.request for attempt in run.delivered() if attempt.cause() == "cap"}
    errors = [min(run.predicted[request], n) - n if request in cut else run.predicted[request] - n
              for request, n in tokens.items() if request in run.predicted]
    n = len(errors)
    return {"n": n,
            "mae": ratio(sum(abs(e) for e in errors), n),
            "rmse": ratio(sum(e * e for e in errors), n) ** 0.5 if n else None,
            "acc50": ratio(sum(abs(e) <= 50 for e in errors), n),
            "acc100": ratio(sum(abs(e) <= 100 for e in errors), n),
            "under_prediction_rate": ratio(sum(e < 0 for e in errors), n)}


def request_times(run, attempt, done_ns):
    """Seconds by name of one delivered request; a request preempted keeps its first token's time."""
    moments = attempt.yield_ns()[:attempt.end["output_tokens"]]
    arrival, first_batch = run.arrival_ns[attempt.request], run.first_batch_ns[attempt.request]
    times = {"e2el_s": [done_ns - arrival], "queueing_delay_s": [first_batch - arrival],
             "itl_s": [later - earlier for earlier, later in zip(moments, moments[1:])]}
    if moments:
        times["ttft_s"] = [moments[0] - arrival]
        times["service_ttft_s"] = [moments[0] - first_batch]
        times["tpot_incl_s"] = [(moments[-1] - arrival) / len(moments)]
    if len(moments) >= 2:
        times["tpot_s"] = [(moments[-1] - moments[0]) / (len(moments) - 1)]
    return {name: [ns / 1e9 for ns in values] for name, values in times.items()}


def meets(times, slo):
    """A time that there is none of passes."""
    return all(not times.get(name) or slo.get(name) is None or times[name][0] <= slo[name]
               for name in ("ttft_s", "tpot_s", "e2el_s"))


def ages(strategy):
    """Groups are taken by arrival: nobody is promoted there."""
    bounds = strategy["ordering"].get("ageing") or {}
    return strategy["batching"]["type"] != "grouped" and any(bound is not None for bound in bounds.values())


def figures(run, strategy):
    tokens, completed_ns, good = {}, [], 0
    lengths, strict_lengths = {}, defaultdict(int)  # steps of the delivered batch; of all its batches
    times = {name: [] for name in ("ttft_s", "service_ttft_s", "tpot_s", "tpot_incl_s", "itl_s", "e2el_s",
                                   "queueing_delay_s")}
    slo = strategy["slo"]
    for attempt in run.attempts.values():
        strict_lengths[attempt.request] += attempt.batch_steps()
    for attempt in run.delivered():
        assert attempt.request not in tokens, "a request is delivered once"
        tokens[attempt.request] = attempt.end["output_tokens"]
        lengths[attempt.request] = attempt.batch_steps()
        stay = attempt.stays[-1]
        streamed = run.started["delivery"] == "streamed"
        completed_ns.append(stay.batch.pass_end_ns[stay.ended - 1] if streamed else stay.batch.ended_ns)
        own = request_times(run, attempt, completed_ns[-1])
        good += slo is not None and meets(own, slo)
        for name, values in own.items():
            times[name] += values
    thrown_away = sum(len(run.attempts[key].yield_ns()) for key in run.abandoned)
    failed = sum(attempt.cause() == "failed" for attempt in run.attempts.values())
    rerun = {request for request, _ in run.abandoned}

    useful, done = sum(tokens.values()), len(tokens)
    kinds = slot_steps(run)
    occupied = sum(kinds.values())
    span = (max(completed_ns, default=run.ended_ns) - min(run.arrival_ns.values())) / 1e9
    makespan = span if completed_ns else None
    quarter = -(-run.started["requests"] // 4)  # of all that were asked, rounded up
    first_ns = min(run.arrival_ns.values())
    padded = sum(b.rows * b.width or b.prompt_tokens for b in run.batches.values() if b.pass_end_ns)
    read = sum(b.prompt_tokens for b in run.batches.values() if b.pass_end_ns)
    whole_ns = (first_ns, max(completed_ns, default=run.ended_ns))
    mean_occupancy, full_ns = occupancy(run, whole_ns)
    in_steady_ns = sum(full_ns[0] < at <= full_ns[1] for at in completed_ns) if full_ns else 0
    return {
        "requests": run.started["requests"],
        "completed": done,
        "failed": failed,
        "achieved_arrival_rate":
            ratio(len(run.arrival_ns) - 1,
                  (max(run.arrival_ns.values()) - min(run.arrival_ns.values())) / 1e9),
        "dispatch_lateness_s":
            summary([(at - run.arrival_ns[r]) / 1e9 for r, at in run.dispatched_ns.items()]),
        "makespan_s": makespan,
        "request_throughput": ratio(done, span),  # 0 where nothing was completed in a span of time
        "useful_output_tokens": useful,
        "output_token_throughput": ratio(useful, span),
        "decode_steps": sum(len(b.pass_end_ns) for b in run.batches.values()),
        "batches": None if run.standing() else len(run.batches),
        "effective_token_ratio": ratio(useful, sum(lengths.values())),
        "effective_token_ratio_strict": ratio(useful, occupied),
        "average_length": ratio(sum(lengths.values()), done),
        "average_length_strict": ratio(sum(strict_lengths[request] for request in tokens), done),
        "decode_padding_waste": ratio(kinds["padding"] + kinds["abandoned"], occupied),
        "prefill_padding_waste": 1 - read / padded if padded else None,
        "shares": {kind: ratio(count, occupied) for kind, count in kinds.items()},
        "ssjf_throughput_25":
            ratio(quarter, (sorted(completed_ns)[quarter - 1] - first_ns) / 1e9)
            if done >= max(quarter, 1) else None,
        "goodput": ratio(good, span) if slo else None,
        "max_queueing_delay_s":
            max((at - run.arrival_ns[r]) / 1e9 for r, at in run.first_batch_ns.items()) if run.first_batch_ns else None,
        "starved_requests": len(run.promoted) if ages(strategy) else None,
        "preemptions": sum(run.preemptions.values()),
        "mean_occupancy": mean_occupancy,
        "steady_request_throughput": ratio(in_steady_ns, (full_ns[1] - full_ns[0]) / 1e9) if full_ns else None,
        "queue_busy_share": busy_share(run, whole_ns),
        "queue_inversions": inversions(run, tokens),
        **{name: max((e[key] for e in run.memory), default=0) for name, key in
           (("weights_bytes", "weights_bytes"), ("kv_allocated_peak_bytes", "kv_allocated_bytes"),
            ("kv_used_peak_bytes", "kv_used_bytes"))},
        "rerun_token_share": ratio(thrown_away, thrown_away + useful),
        "prediction_error": prediction_error(run, tokens),
        "failed_predictions": run.failed_predictions,
        "rerun_requests": len(rerun),
        "rerun_ratio": ratio(len(rerun), run.started["requests"]),
        "predictor_time_share": ratio(run.prediction_ns / 1e9, makespan),
        **{name: summary(values) for name, values in times.items()},
    }


def differences(expected, found, path=""):
    """Every leaf of both; counts exactly, reals to nine digits."""
    if isinstance(expected, dict) and isinstance(found, dict):
        names = sorted(expected.keys() | found.keys())
        absent = "no such key"
        return [d for name in names for d in
                differences(expected.get(name, absent), found.get(name, absent), f"{path}.{name}")]
    both_numbers = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in (expected, found))
    if both_numbers and isinstance(expected, float):
        same = abs(expected - found) <= 1e-9 * max(abs(expected), 1e-3)
    else:
        same = type(expected) is type(found) and expected == found
    return [] if same else [f"{path[1:]}: by hand {expected}, in the result {found}"]


def leaves(value, path=()):
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, (*path, name))
    else:
        yield path, value


def slightly_off(value):
    if value is None:
        return 0
    return value + max(1e-6, abs(value) * 1e-6) if isinstance(value, float) else value + 1


def unnoticed(expected, found):
    """Leaves that could be a little off in the result without a complaint: none, or the check sees nothing."""
    missed = []
    for path, value in leaves(found):
        spoilt = json.loads(json.dumps(found))
        inner = spoilt
        for name in path[:-1]:
            inner = inner[name]
        inner[path[-1]] = slightly_off(value)
        if not differences(expected, spoilt):
            missed.append(".".join(path))
    return missed


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        results = json.load(file)["runs"]
    logs = read_runs(sys.argv[2])
    assert len(results) == len(logs) > 0, (len(results), len(logs))
    wrong = 0
    for result, (heading, events) in zip(results, logs):
        assert (result["name"], result["repetition"]) == (heading["name"], heading["repetition"])
        run = Run(events)
        expected = figures(run, result["strategy"])
        found = {name: value for name, value in result.items() if name not in NOT_FIGURES | ELSEWHERE}
        found["prediction_error"] = {name: value for name, value in result["prediction_error"].items()
                                     if name not in ELSEWHERE_OF_ERRORS}
        complaints = differences(expected, found)
        if not complaints:
            complaints = [f"{name} could be wrong unseen" for name in unnoticed(expected, found)]
        wrong += len(complaints)
        print(f"{result['name']}: {sum(1 for _ in leaves(found))} figures, {run.status}, "
              f"{len(run.batches)} batches, {expected['rerun_requests']} run again, "
              f"{run.preemptions['recompute']} recomputed, {run.preemptions['keep-kv']} kept, "
              f"{len(run.promoted)} promoted, {slot_steps(run)['chunk']} chunks, "
              f"{expected['completed']} completed")
        for complaint in complaints:
            print("  " + complaint)
    sys.exit(wrong > 0)


main()
