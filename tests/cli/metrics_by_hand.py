# SPDX-License-Identifier: GPL-3.0-or-later
# Every figure of a result JSON again, from the event log alone and by the words of design/metrics.md: a second
# reading of the definitions, which shares no code with the program.
# Usage: metrics_by_hand.py RESULT.json EVENTS.jsonl; prints what was checked, ends with 1 and the differences.
import json
import sys
from collections import defaultdict

NOT_FIGURES = {"name", "strategy", "provenance", "workload_hash", "seed", "repetition", "environment",
               "measure", "offered", "theory", "window"}  # the last: null here, window_figures_test looks at it
# Needs more than the log (a cost model, memory of the machine) or is checked in tests/scheduler alone.
ELSEWHERE = {"slowdown", "jains_index", "steady_request_throughput", "queue_inversions", "queue_busy_share",
             "mean_occupancy", "weights_bytes", "kv_allocated_peak_bytes", "kv_used_peak_bytes"}
ELSEWHERE_OF_ERRORS = {"r2", "kendall_tau_b", "spearman"}
NOT_DELIVERED = ("limit", "cancelled", "failed")


def read_runs(path):
    """Logs in the file's order, each with the heading line that names its run."""
    runs = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            event = json.loads(line)
            if event["event"] == "run":
                runs.append((event, []))
            else:
                runs[-1][1].append(event)
    return runs


class Batch:
    """Rows by slot, and the moment at which each pass ended."""

    def __init__(self, formed):
        self.rows = {row["slot"]: row for row in formed["rows"]}
        self.kind = formed["kind"]
        self.width = formed["padded_prompt_tokens"]
        self.ends = {}  # slot -> row-ended
        self.pass_end_ns = []
        self.ended_ns = None

    def add_passes(self, span):
        assert span["first_step"] == len(self.pass_end_ns) + 1, "spans of a batch must follow each other"
        measured_ns, taken_ps = span["start_ns"], 0
        for i in range(span["count"]):
            if span["durations_ns"]:
                measured_ns += span["durations_ns"][i]
                self.pass_end_ns.append(measured_ns)
            else:
                taken_ps += span["first_ps"] + i * span["growth_ps"]
                self.pass_end_ns.append((span["start_ps"] + taken_ps) // 1000)
        assert self.pass_end_ns[-1] == span["at_ns"], "a span is told when its last pass ends"


class Run:
    def __init__(self, events):
        self.started = next(e for e in events if e["event"] == "run-started")
        ended = next(e for e in events if e["event"] == "run-ended")
        self.status, self.ended_ns = ended["status"], ended["at_ns"]
        self.arrival_ns = {e["request"]: e["arrival_ns"] for e in events if e["event"] == "arrived"}
        self.dispatched_ns = {e["request"]: e["at_ns"] for e in events if e["event"] == "arrived"}
        self.batches = {}
        self.abandoned = set()  # (request, attempt)
        self.prediction_ns = 0
        self.predicted = {}  # request -> tokens
        self.failed_predictions = 0
        self.first_batch_ns = {}
        for event in events:
            kind = event["event"]
            if kind == "batch-formed":
                batch = self.batches[event["batch"]] = Batch(event)
                for row in event["rows"]:
                    self.first_batch_ns.setdefault(row["request"], event["at_ns"])
            elif kind == "steps":
                self.batches[event["batch"]].add_passes(event)
            elif kind == "row-ended":
                self.batches[event["batch"]].ends[event["slot"]] = event
            elif kind == "batch-ended":
                batch = self.batches[event["batch"]]
                assert event["steps"] == len(batch.pass_end_ns), "passes of a batch"
                batch.ended_ns = event["at_ns"]
            elif kind == "attempt-abandoned":
                self.abandoned.add((event["request"], event["attempt"]))
            elif kind == "predicted":
                self.prediction_ns += event["elapsed_ns"]
                self.failed_predictions += event["failed"]
                if event["kind"] in ("tokens", "class"):
                    self.predicted[event["request"]] = event["tokens"]

    def attempts(self):
        """(row, how it ended, its batch) of every attempt."""
        for batch in self.batches.values():
            for slot, row in batch.rows.items():
                yield row, batch.ends[slot], batch


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
    for row, end, batch in run.attempts():
        own = end["step"]
        kinds["padding"] += len(batch.pass_end_ns) - own
        assert (end["cause"] == "limit") == ((row["request"], row["attempt"]) in run.abandoned)
        if end["cause"] in NOT_DELIVERED:
            kinds["abandoned"] += own
            continue
        spends_a_step = end["cause"] in ("eos", "length")
        assert own == end["output_tokens"] + spends_a_step, "a token a step, and one for the end of sequence"
        kinds["useful"] += end["output_tokens"]
        kinds["end"] += spends_a_step
    return kinds


def prediction_error(run, tokens):
    # A longer prediction of an answer that was cut at the cap is no error: nobody knows how long it would be.
    cut = {row["request"] for row, end, _ in run.attempts() if end["cause"] == "cap"}
    errors = [min(run.predicted[request], n) - n if request in cut else run.predicted[request] - n
              for request, n in tokens.items() if request in run.predicted]
    n = len(errors)
    return {"n": n,
            "mae": ratio(sum(abs(e) for e in errors), n),
            "rmse": ratio(sum(e * e for e in errors), n) ** 0.5 if n else None,
            "acc50": ratio(sum(abs(e) <= 50 for e in errors), n),
            "acc100": ratio(sum(abs(e) <= 100 for e in errors), n),
            "under_prediction_rate": ratio(sum(e < 0 for e in errors), n)}


def figures(run):
    tokens = {}
    lengths, strict_lengths = {}, defaultdict(int)  # steps of the delivered batch; of all its batches
    times = {name: [] for name in ("ttft_s", "service_ttft_s", "tpot_s", "tpot_incl_s", "itl_s", "e2el_s",
                                   "queueing_delay_s")}
    thrown_away = 0
    completed_ns, failed = [], 0
    rerun = {request for request, _ in run.abandoned}
    for row, end, batch in run.attempts():
        request, steps = row["request"], len(batch.pass_end_ns)
        strict_lengths[request] += steps
        if end["cause"] in NOT_DELIVERED:
            failed += end["cause"] == "failed"
            thrown_away += end["output_tokens"] if (request, row["attempt"]) in run.abandoned else 0
            continue
        assert request not in tokens, "a request is delivered once"
        tokens[request] = n = end["output_tokens"]
        lengths[request] = steps
        moments = batch.pass_end_ns[:n]
        arrival = run.arrival_ns[request]
        streamed = run.started["delivery"] == "streamed"
        done = batch.pass_end_ns[end["step"] - 1] if streamed else batch.ended_ns
        completed_ns.append(done)
        times["e2el_s"].append((done - arrival) / 1e9)
        times["itl_s"] += [(later - earlier) / 1e9 for earlier, later in zip(moments, moments[1:])]
        if n >= 1:
            times["ttft_s"].append((moments[0] - arrival) / 1e9)
            times["service_ttft_s"].append((moments[0] - run.first_batch_ns[request]) / 1e9)
            times["tpot_incl_s"].append((moments[-1] - arrival) / 1e9 / n)
        if n >= 2:
            times["tpot_s"].append((moments[-1] - moments[0]) / 1e9 / (n - 1))
        times["queueing_delay_s"].append((run.first_batch_ns[request] - arrival) / 1e9)

    useful, done = sum(tokens.values()), len(tokens)
    kinds = slot_steps(run)
    occupied = sum(kinds.values())
    span = (max(completed_ns, default=run.ended_ns) - min(run.arrival_ns.values())) / 1e9
    makespan = span if completed_ns else None
    quarter = -(-run.started["requests"] // 4)  # of all that were asked, rounded up
    first_ns = min(run.arrival_ns.values())
    padded = sum(len(b.rows) * b.width for b in run.batches.values() if b.pass_end_ns)
    read = sum(row["prompt_tokens"] for b in run.batches.values() if b.pass_end_ns for row in b.rows.values())
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
        "batches": len(run.batches),
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
        "goodput": None,  # no objectives are set
        "max_queueing_delay_s":
            max((at - run.arrival_ns[r]) / 1e9 for r, at in run.first_batch_ns.items()) if run.first_batch_ns else None,
        "starved_requests": None,  # nobody is aged
        "preemptions": 0,  # no batch is continuous
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
        expected = figures(run)
        found = {name: value for name, value in result.items() if name not in NOT_FIGURES | ELSEWHERE}
        found["prediction_error"] = {name: value for name, value in result["prediction_error"].items()
                                     if name not in ELSEWHERE_OF_ERRORS}
        complaints = differences(expected, found)
        if not complaints:
            complaints = [f"{name} could be wrong unseen" for name in unnoticed(expected, found)]
        wrong += len(complaints)
        print(f"{result['name']}: {sum(1 for _ in leaves(found))} figures, {run.status}, "
              f"{len(run.batches)} batches, {expected['rerun_requests']} run again, "
              f"{expected['completed']} completed")
        for complaint in complaints:
            print("  " + complaint)
    sys.exit(wrong > 0)


main()
