// SPDX-License-Identifier: GPL-3.0-or-later
// The validator finds each fault (case S10): a possible log is broken in one place, and the fault is named.
#include "tests/support/no_faults.h"
#include "tests/support/recorded_run.h"
#include "tests/support/test_main.h"
#include "tests/support/workloads.h"

#include <functional>

namespace batchscope::tests {
namespace {

// Two rows, then one; r1 is stopped by its predicted limit and run again.
EventLog possibleLog()
{
    const Workload workload = workloadOf({{2, 4, 0, 2}, {5, 6, 0, 2}, {1, 3, 0, 9}});
    return runVirtually(workload, strategyOf("s", groupedOf(3, 2, 1), "sjf", {"recorded", {}}, "fcr")).log;
}

EventLog measuredLog()
{
    FakeOptions options;
    options.capabilities.measured = true;
    options.pass_ps = 1000;
    FakeBackend backend(options);
    WallClock clock;
    return runOn(backend, clock, workloadOfLengths({3, 2}), strategyOf("s", staticRows(2))).log;
}

template <typename Body>
std::size_t positionOf(const EventLog& log, int nth = 0)
{
    for (std::size_t i = 0; i < log.size(); ++i)
        if (std::holds_alternative<Body>(log[i].body) && nth-- == 0) return i;
    qFatal("the log has no such event");
    return 0;
}

template <typename Body>
Body& bodyOf(EventLog& log, int nth = 0)
{
    return std::get<Body>(log[positionOf<Body>(log, nth)].body);
}

void drop(EventLog& log, std::size_t position)
{
    log.erase(log.begin() + static_cast<std::ptrdiff_t>(position));
}

void repeat(EventLog& log, std::size_t position)
{
    const Event copy = log[position];
    log.insert(log.begin() + static_cast<std::ptrdiff_t>(position), copy);
}

void insertAfter(EventLog& log, std::size_t position, EventBody body)
{
    log.insert(log.begin() + static_cast<std::ptrdiff_t>(position) + 1,
               {log[position].at_ns, std::move(body)});
}

// Some fault must say this.
void expectFault(const EventLog& log, const std::string& text)
{
    const std::vector<std::string> faults = validateLog(log);
    const bool found = std::any_of(faults.begin(), faults.end(), [&text](const std::string& fault) {
        return fault.find(text) != std::string::npos;
    });
    const std::string shown = "expected \"" + text + "\", found:\n" + joined(faults);
    QVERIFY2(found, shown.c_str());
}

void expectAfter(const std::function<void(EventLog&)>& breakIt, const std::string& text)
{
    EventLog log = possibleLog();
    breakIt(log);
    expectFault(log, text);
}

} // namespace

class ValidatorTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void possibleLogsHaveNoFault()
    {
        VERIFY_NO_FAULTS(validateLog(possibleLog()));
        VERIFY_NO_FAULTS(validateLog(measuredLog()));
    }
    // Queued work, equal times, a job of no length.
    void equalTimesAndZeroLengthsArePossible()
    {
        FakeOptions options;
        options.read_ps = options.pass_ps = 0; // every pass at the same moment
        const RecordedRun run =
            runVirtually(workloadOfLengths({0, 3, 0, 0, 1}), strategyOf("s", staticRows(2)), options);
        VERIFY_NO_FAULTS(validateLog(run.log));
        QCOMPARE(run.delivered().size(), 5U);
        QCOMPARE(run.log.back().at_ns, Nanos{0});
    }

    void theFrameOfALog()
    {
        expectFault({}, "the log has no run-started");
        expectAfter([](EventLog& log) { drop(log, 0); }, "event 0: arrived before run-started");
        expectAfter([](EventLog& log) { log.pop_back(); }, "the log does not end with run-ended");
        expectAfter([](EventLog& log) { repeat(log, 0); }, "event 1: the run started twice");
        expectAfter(
            [](EventLog& log) {
                insertAfter(log, log.size() - 1, BatchEnded{0, 0});
            },
            "batch-ended after run-ended");
        expectAfter([](EventLog& log) { log.back().at_ns -= 1; }, "time runs backwards");
        expectAfter([](EventLog& log) { insertAfter(log, 1, RunContinued{}); },
                    "continued without having been paused");
        expectAfter(
            [](EventLog& log) {
                insertAfter(log, 1, RunPaused{});
                insertAfter(log, 1, RunPaused{});
            },
            "the run was paused twice");
        expectAfter([](EventLog& log) { insertAfter(log, positionOf<BatchFormed>(log), RunPaused{}); },
                    "batch 0 runs while the run is paused");
    }
    void requests()
    {
        expectAfter([](EventLog& log) { bodyOf<Arrived>(log, 1).request = 9; },
                    "request 9 arrived in a run of 3");
        expectAfter([](EventLog& log) { repeat(log, positionOf<Arrived>(log)); }, "request 0 arrived twice");
        expectAfter([](EventLog& log) { bodyOf<Arrived>(log).arrival_ns = 5; }, "before it arrived at 5 ns");
        expectAfter([](EventLog& log) { drop(log, positionOf<Arrived>(log)); }, "request 0 has not arrived");
        expectAfter([](EventLog& log) { bodyOf<RunStarted>(log).requests = 4; }, "request 3 never arrived");
        expectAfter([](EventLog& log) { bodyOf<Predicted>(log).elapsed_ns = -1; },
                    "predicting request 0 took -1 ns");
        expectAfter([](EventLog& log) { bodyOf<Predicted>(log).tokens = 0; }, "predicted to have 0 tokens");
    }
    void decisions()
    {
        expectAfter([](EventLog& log) { drop(log, positionOf<Picked>(log)); }, "was not picked for it");
        expectAfter([](EventLog& log) { repeat(log, positionOf<Picked>(log)); },
                    "picked twice for one batch");
        expectAfter([](EventLog& log) { bodyOf<Picked>(log).waited_ns += 1; }, "is said to have waited 1 ns");
        expectAfter([](EventLog& log) { bodyOf<Picked>(log).passed_over = 3; },
                    "passed over 3 others, and none");
        expectAfter([](EventLog& log) { bodyOf<Picked>(log).batch = 1; },
                    "is in batch 0 and was not picked for it");
        expectAfter(
            [](EventLog& log) {
                Picked again;
                again.request = 0;
                again.waited_ns = log[log.size() - 2].at_ns;
                insertAfter(log, log.size() - 2, again);
            },
            "request 0 was picked after it had ended");
        expectAfter(
            [](EventLog& log) {
                Picked again;
                again.request = 0;
                insertAfter(log, positionOf<BatchFormed>(log), again);
            },
            "request 0 was picked while it runs");
        expectAfter(
            [](EventLog& log) {
                insertAfter(log, 1, Promoted{0, 5, 9});
            },
            "before its bound of 9 ns");
    }
    void batchesAndSlots()
    {
        expectAfter([](EventLog& log) { bodyOf<BatchFormed>(log).batch = 7; },
                    "batch 7 formed, expected batch 0");
        expectAfter([](EventLog& log) { bodyOf<BatchFormed>(log).rows.clear(); },
                    "batch 0 formed without rows");
        expectAfter([](EventLog& log) { bodyOf<BatchFormed>(log).rows[1].slot = 0; },
                    "slot 0 is used twice at a time");
        expectAfter([](EventLog& log) { bodyOf<BatchFormed>(log).rows[1].slot = 2; },
                    "slot 2 of batch 0 in a run of 2");
        expectAfter([](EventLog& log) { bodyOf<BatchFormed>(log).rows[0].limit_steps = 0; },
                    "may take 0 passes");
        expectAfter([](EventLog& log) { bodyOf<BatchFormed>(log).rows[0].prompt_tokens = 5; },
                    "arrived with 4 prompt tokens and runs with 5");
        expectAfter([](EventLog& log) { bodyOf<BatchFormed>(log).padded_prompt_tokens = 3; }, "padded to 3");
        expectAfter([](EventLog& log) { bodyOf<BatchFormed>(log).rows[0].attempt = 1; },
                    "starts attempt 1 in batch 0, expected 0");
        expectAfter([](EventLog& log) { drop(log, positionOf<BatchEnded>(log)); },
                    "slot 0 is used twice at a time: by batch 0 and batch 1");
        expectAfter([](EventLog& log) { bodyOf<BatchEnded>(log).steps += 1; },
                    "batch 0 is said to have run 4 passes, and ran 3");
        expectAfter([](EventLog& log) { repeat(log, positionOf<BatchEnded>(log)); }, "batch 0 has ended");
        expectAfter([](EventLog& log) { drop(log, positionOf<BatchFormed>(log)); }, "batch 0 has not formed");
        expectAfter([](EventLog& log) { drop(log, positionOf<BatchEnded>(log, 2)); }, "batch 2 never ended");
    }
    void spansOfPasses()
    {
        expectAfter([](EventLog& log) { bodyOf<Steps>(log, 1).first_step = 3; },
                    "starts at pass 3, expected 2");
        expectAfter([](EventLog& log) { bodyOf<Steps>(log).count = 0; }, "a span of batch 0 has no pass");
        expectAfter([](EventLog& log) { bodyOf<Steps>(log).first_ps += 5000; }, "is logged at");
        expectAfter([](EventLog& log) { bodyOf<Steps>(log).first_ps = -1; }, "takes less than no time");
        expectAfter([](EventLog& log) { bodyOf<Steps>(log, 1).start_ns -= 1; },
                    "starts at 9999999 ns and at 10000000000 ps");
        expectAfter(
            [](EventLog& log) {
                Steps& span = bodyOf<Steps>(log, 1);
                span.start_ps -= 5000;
                span.start_ns -= 5;
                span.first_ps += 5000;
            },
            "overlaps what ended at");
        expectAfter([](EventLog& log) { bodyOf<Steps>(log).durations_ns = {1}; },
                    "has 1 durations, expected 0");
        expectAfter([](EventLog& log) { bodyOf<Steps>(log).reads.clear(); },
                    "without having read its prompt");
        expectAfter([](EventLog& log) { bodyOf<Steps>(log).reads[0].tokens = 3; },
                    "reads 3 prompt tokens in batch 0, expected 4");
        expectAfter([](EventLog& log) { bodyOf<Steps>(log).reads[0].slot = 1; }, "reads its prompt twice");
        expectAfter([](EventLog& log) { bodyOf<Steps>(log).reads[0].slot = 5; }, "in slot 5, which is empty");
        expectAfter([](EventLog& log) { bodyOf<BatchFormed>(log).rows[0].limit_steps = 2; },
                    "its limit is 2");
        EventLog log = measuredLog();
        bodyOf<Steps>(log).durations_ns.push_back(0);
        expectFault(log, "durations, expected");
    }
    void aBatchDoesNotRunOnWithoutRows()
    {
        expectAfter(
            [](EventLog& log) {
                const std::size_t end = positionOf<BatchEnded>(log);
                const Nanos at_ns = log[end].at_ns;
                Steps span;
                span.first_step = 4;
                span.count = 1;
                span.start_ns = at_ns;
                span.start_ps = at_ns * k_picos_per_nano;
                insertAfter(log, end - 1, span);
                bodyOf<BatchEnded>(log).steps = 4;
            },
            "batch 0 runs on though all its rows have ended");
    }
    void rows()
    {
        expectAfter([](EventLog& log) { repeat(log, positionOf<RowEnded>(log)); },
                    "row ended twice: request 0, batch 0");
        expectAfter([](EventLog& log) { drop(log, positionOf<RowEnded>(log)); },
                    "batch 0 ended while request 0 runs");
        expectAfter([](EventLog& log) { bodyOf<RowEnded>(log).slot = 1; }, "request 0 is not in slot 1");
        expectAfter([](EventLog& log) { bodyOf<RowEnded>(log).attempt = 1; }, "attempt 1 of request 0 ended");
        expectAfter([](EventLog& log) { bodyOf<RowEnded>(log).step = 2; },
                    "ended at pass 2 of batch 0, which has run 3");
        expectAfter([](EventLog& log) { bodyOf<RowEnded>(log).output_tokens = 3; },
                    "ended by length with 3 tokens after 3 passes in batch 0, expected 2");
        expectAfter([](EventLog& log) { bodyOf<RowEnded>(log).cause = RowEnd::Cap; }, "its limit is 3");
        expectAfter(
            [](EventLog& log) {
                bodyOf<RowEnded>(log).cause = RowEnd::Failed;
                bodyOf<RowEnded>(log).output_tokens = 4;
            },
            "ended by failed with 4 tokens");
    }
    void recomputations()
    {
        expectAfter([](EventLog& log) { drop(log, positionOf<AttemptAbandoned>(log)); },
                    "runs again, and its stopped attempt was not abandoned");
        expectAfter([](EventLog& log) { bodyOf<AttemptAbandoned>(log).tokens = 1; },
                    "abandoned 1 tokens of an attempt that had 3");
        expectAfter([](EventLog& log) { repeat(log, positionOf<AttemptAbandoned>(log)); },
                    "no predicted limit had stopped it");
        expectAfter([](EventLog& log) { bodyOf<AttemptAbandoned>(log).request = 0; },
                    "attempt 0 of request 0 was abandoned, and no predicted limit");
        expectAfter(
            [](EventLog& log) {
                const std::size_t first = positionOf<Picked>(log, 3); // the recomputation, up to run-ended
                log.erase(log.begin() + static_cast<std::ptrdiff_t>(first), log.end() - 1);
            },
            "request 1: its abandoned attempt was not followed by another");
        expectAfter(
            [](EventLog& log) {
                RowStart& row = bodyOf<BatchFormed>(log, 2).rows[0];
                row.attempt = 2;
            },
            "starts attempt 2 in batch 2, expected 1");
    }
    void aRequestThatNeverEnds()
    {
        expectAfter(
            [](EventLog& log) {
                const std::size_t first = positionOf<Picked>(log, 2); // r2's batch and all after it
                log.erase(log.begin() + static_cast<std::ptrdiff_t>(first), log.end() - 1);
            },
            "request 2 never ended");
        // A run that was cut off may leave it open.
        for (const RunStatus status : {RunStatus::Cancelled, RunStatus::Failed, RunStatus::Interrupted}) {
            EventLog log = possibleLog();
            log.erase(log.begin() + static_cast<std::ptrdiff_t>(positionOf<Picked>(log, 2)), log.end() - 1);
            bodyOf<RunEnded>(log).status = status;
            VERIFY_NO_FAULTS(validateLog(log));
        }
    }
    void memory()
    {
        expectAfter(
            [](EventLog& log) {
                insertAfter(log, 1, MemorySample{-1, 0, 0});
            },
            "a memory sample is negative");
        expectAfter(
            [](EventLog& log) {
                insertAfter(log, 1, MemorySample{0, 5, 6});
            },
            "6 bytes of KV cache are used of 5");
    }
    void continuousRowsComeAndGo()
    {
        const auto picked = [](RequestIndex request, BatchIndex batch) {
            Picked pick;
            pick.request = request;
            pick.batch = batch;
            return pick;
        };
        const auto formed = [](RequestIndex request, std::uint16_t attempt, int resumed) {
            BatchFormed batch;
            batch.kind = BatchKind::Continuous;
            batch.rows = {{0, request, attempt, 2, 9, true, false, resumed}};
            return batch;
        };
        const auto span = [](std::uint32_t first, std::vector<PromptRead> reads) {
            Steps steps;
            steps.first_step = first;
            steps.count = 1;
            steps.reads = std::move(reads);
            return steps;
        };
        // One slot: r0 is preempted in favour of r1 and resumes when that has ended.
        EventLog log{{0, RunStarted{2, 1, 9, {}, Delivery::Streamed, false}},
                     {0, Arrived{0, 0, 2}},
                     {0, Arrived{1, 0, 2}},
                     {0, picked(0, 0)},
                     {0, formed(0, 0, 0)},
                     {0, span(1, {{0, 2, true}})},
                     {0, Preempted{0, 0, 0, 0, 1, 0, true}},
                     {0, picked(1, 0)},
                     {0, formed(1, 0, 0)},
                     {0, span(2, {{0, 2, true}})},
                     {0, RowEnded{0, 0, 1, 0, RowEnd::Eos, 0, 2}},
                     {0, picked(0, 0)},
                     {0, formed(0, 0, 1)},
                     {0, Resumed{0, 0, 0, 1}},
                     {0, span(3, {})},
                     {0, RowEnded{0, 0, 0, 0, RowEnd::Eos, 1, 3}},
                     {0, BatchEnded{0, 3}},
                     {0, RunEnded{}}};
        VERIFY_NO_FAULTS(validateLog(log));
        EventLog never = log;
        never.erase(never.begin() + 11, never.begin() + 16);
        bodyOf<BatchEnded>(never).steps = 2;
        expectFault(never, "request 0: its abandoned attempt was not followed by another");
        EventLog elsewhere = log;
        std::get<Preempted>(elsewhere[6].body).request = 1;
        expectFault(elsewhere, "request 1 is not in slot 0 of batch 0");
        EventLog early = log;
        std::swap(early[12], early[13]);
        expectFault(early, "request 0 resumed in slot 0 of batch 0, where it does not run");
    }
};

BATCHSCOPE_TEST(ValidatorTest)

} // namespace batchscope::tests

#include "validator_test.moc"
