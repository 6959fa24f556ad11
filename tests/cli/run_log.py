# SPDX-License-Identifier: GPL-3.0-or-later
# An exported event log as metrics_by_hand.py reads it: who was in which slot during which passes. Shares no code with
# the program's folds.
import json

DELIVERED = ("eos", "length", "cap")


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
    """The moment at which each pass ended, and when each slot read a part of its prompt."""

    def __init__(self, formed):
        self.continuous = formed["kind"] == "continuous"
        self.width = formed["padded_prompt_tokens"]
        self.rows = 0
        self.prompt_tokens = 0
        self.pass_end_ns = []
        self.reads = {}  # slot -> [(pass, counted from 0; whether it completes the prompt)]
        self.ended_ns = None

    def add_passes(self, span):
        before = len(self.pass_end_ns)
        assert span["first_step"] == before + 1, "spans of a batch must follow each other"
        assert not span["stalled"], "nobody stalls but by waiting for a chunk: what would be read here is not known"
        for read in span["reads"]:
            self.reads.setdefault(read["slot"], []).append((before, read["completes"]))
        measured_ns, taken_ps = span["start_ns"], 0
        for i in range(span["count"]):
            if span["durations_ns"]:
                measured_ns += span["durations_ns"][i]
                self.pass_end_ns.append(measured_ns)
            else:
                taken_ps += span["first_ps"] + i * span["growth_ps"]
                self.pass_end_ns.append((span["start_ps"] + taken_ps) // 1000)
        assert self.pass_end_ns[-1] == span["at_ns"], "a span is told when its last pass ends"


class Stay:
    """Passes [first, last) of a batch during which an attempt held a slot; a preemption ends one."""

    def __init__(self, batch, slot, at_ns, kept):
        self.batch, self.slot, self.kept = batch, slot, kept
        self.first, self.last = len(batch.pass_end_ns), None
        self.ended = None  # passes of the batch when its row ended; afterwards it burns on in its slot
        self.from_ns, self.to_ns = at_ns, None

    def leave(self, at_ns):
        self.last, self.to_ns = len(self.batch.pass_end_ns), at_ns
        self.ended = self.last if self.ended is None else self.ended

    def first_yield(self):
        """The pass from which on each yields: the one that completes the prompt, or the first with a kept cache."""
        if self.kept or not self.batch.continuous:
            return self.first
        complete = [at for at, completes in self.batch.reads.get(self.slot, [])
                    if completes and self.first <= at < self.last]
        assert len(complete) <= 1, "a prompt is read once a stay"
        return complete[0] if complete else self.last

    def chunk_passes(self):
        if not self.batch.continuous:
            return 0
        return sum(not completes for at, completes in self.batch.reads.get(self.slot, [])
                   if self.first <= at < self.last)


class Attempt:
    """One go at a request: its stays, and how it ended (nothing, if the run ended while it waited to go on)."""

    def __init__(self, request, number):
        self.request, self.number = request, number
        self.stays = []
        self.end = None

    def cause(self):
        return self.end["cause"] if self.end else "cancelled"  # preempted, and never went on

    def delivered(self):
        return self.cause() in DELIVERED

    def yield_ns(self):
        """When each pass that yielded something ended: tokens, and perhaps an end of sequence."""
        return [moment for stay in self.stays
                for moment in stay.batch.pass_end_ns[stay.first_yield():stay.ended]]

    def own_steps(self):
        return sum(stay.ended - stay.first for stay in self.stays)

    def batch_steps(self):
        """Steps its batches ran; in a standing batch those while it was resident."""
        return sum(stay.last - stay.first for stay in self.stays)

    def padding(self):
        return self.batch_steps() - self.own_steps()

    def chunks(self):
        return sum(stay.chunk_passes() for stay in self.stays)


class Run:
    def __init__(self, events):
        self.started = next(e for e in events if e["event"] == "run-started")
        ended = next(e for e in events if e["event"] == "run-ended")
        self.status, self.ended_ns = ended["status"], ended["at_ns"]
        self.arrival_ns = {e["request"]: e["arrival_ns"] for e in events if e["event"] == "arrived"}
        self.dispatched_ns = {e["request"]: e["at_ns"] for e in events if e["event"] == "arrived"}
        self.batches = {}
        self.attempts = {}  # (request, attempt)
        self.abandoned = set()  # (request, attempt)
        self.prediction_ns = 0
        self.predicted = {}  # request -> tokens
        self.failed_predictions = 0
        self.first_batch_ns = {}
        self.preemptions = {"recompute": 0, "keep-kv": 0}
        self.promoted = set()
        self.occupied = [(0, 0)]  # (moment, slots taken from then on), as the log tells it
        self.waits = []  # (from, to)
        self._waiting_since = {}
        self._seated = {}  # (batch, slot) -> attempt
        self.memory = [e for e in events if e["event"] == "memory"]
        for event in events:
            reader = getattr(self, "_" + event["event"].replace("-", "_"), None)
            if reader:
                reader(event)
        for attempt in self._seated.values():  # the log was cut
            attempt.stays[-1].leave(self.ended_ns)
        self.waits += [(since, self.ended_ns) for since in self._waiting_since.values()]

    def _arrived(self, event):
        self._waiting_since[event["request"]] = event["arrival_ns"]

    def _predicted(self, event):
        self.prediction_ns += event["elapsed_ns"]
        self.failed_predictions += event["failed"]
        if event["kind"] in ("tokens", "class"):
            self.predicted[event["request"]] = event["tokens"]

    def _batch_formed(self, event):
        batch = self.batches.setdefault(event["batch"], Batch(event))
        for row in event["rows"]:
            request, number = row["request"], row["attempt"]
            self.first_batch_ns.setdefault(request, event["at_ns"])
            attempt = self.attempts.setdefault((request, number), Attempt(request, number))
            assert bool(attempt.stays) == (row["resumed_tokens"] > 0), "who goes on has begun"
            attempt.stays.append(Stay(batch, row["slot"], event["at_ns"], kept=False))
            assert (event["batch"], row["slot"]) not in self._seated, "a slot holds one row"
            self._seated[event["batch"], row["slot"]] = attempt
            if not attempt.stays[1:]:
                batch.rows += 1
                batch.prompt_tokens += row["prompt_tokens"]
            self.waits.append((self._waiting_since.pop(request), event["at_ns"]))
        self._count_slots(event["at_ns"])

    def _resumed(self, event):
        attempt = self._seated[event["batch"], event["slot"]]
        assert attempt.request == event["request"], "it resumes in the slot it was given"
        attempt.stays[-1].kept = event["kept_tokens"] > 0

    def _preempted(self, event):
        attempt = self._seated.pop((event["batch"], event["slot"]))
        assert attempt.request == event["request"], "who loses a slot held it"
        attempt.stays[-1].leave(event["at_ns"])
        self.preemptions["keep-kv" if event["keeps_kv"] else "recompute"] += 1
        self._waiting_since[event["request"]] = event["at_ns"]
        self._count_slots(event["at_ns"])

    def _promoted(self, event):
        self.promoted.add(event["request"])

    def _steps(self, event):
        self.batches[event["batch"]].add_passes(event)

    def _row_ended(self, event):
        attempt = self._seated[event["batch"], event["slot"]]
        assert (attempt.request, attempt.number) == (event["request"], event["attempt"]), "a row ends where it sits"
        attempt.end = event
        attempt.stays[-1].ended = event["step"]
        if event["cause"] == "limit":
            self._waiting_since[event["request"]] = event["at_ns"]
        if self.batches[event["batch"]].continuous:
            attempt.stays[-1].leave(event["at_ns"])
            del self._seated[event["batch"], event["slot"]]
            self._count_slots(event["at_ns"])

    def _batch_ended(self, event):
        batch = self.batches[event["batch"]]
        assert event["steps"] == len(batch.pass_end_ns), "passes of a batch"
        batch.ended_ns = event["at_ns"]
        for number, slot in [place for place in self._seated if place[0] == event["batch"]]:
            self._seated.pop((number, slot)).stays[-1].leave(event["at_ns"])
        self._count_slots(event["at_ns"])

    def _attempt_abandoned(self, event):
        self.abandoned.add((event["request"], event["attempt"]))

    def _count_slots(self, at_ns):
        self.occupied.append((at_ns, len(self._seated)))

    def delivered(self):
        return [attempt for attempt in self.attempts.values() if attempt.delivered()]

    def standing(self):
        return any(batch.continuous for batch in self.batches.values())
