// SPDX-License-Identifier: GPL-3.0-or-later
// Pause, step, stop and failure: what a run does when it is not left alone.
#include "tests/support/no_faults.h"
#include "tests/support/recorded_run.h"
#include "tests/support/test_main.h"
#include "tests/support/workloads.h"

#include <atomic>
#include <thread>

namespace batchscope::tests {
namespace {

FakeOptions measured(Picos pass_ps = 1'000'000'000)
{
    FakeOptions options;
    options.capabilities.measured = true;
    options.pass_ps = pass_ps;
    return options;
}

// Keeps every prefill, and somebody asks for a stop while it works.
class InterruptedPredictor : public LengthPredictor
{
public:
    InterruptedPredictor(FakeBackend& backend, std::stop_source& source)
        : m_backend(backend), m_source(source)
    {}
    PredictionKind kind() const override { return PredictionKind::Tokens; }
    PredictionCall predict(std::span<const Request* const> requests) override
    {
        m_source.request_stop();
        PredictionCall call;
        for (const Request* request : requests) {
            Prediction prediction;
            prediction.tokens = request->predicted_tokens;
            prediction.held = m_backend.holdPrompt(*request);
            call.predictions.push_back(prediction);
        }
        return call;
    }

private:
    FakeBackend& m_backend;
    std::stop_source& m_source;
};

// Counts what arrives while a run goes on, for tests that look in from outside.
class WatchedLog : public EventSink
{
public:
    void append(std::vector<Event> events) override
    {
        const std::scoped_lock lock(m_mutex);
        m_log.insert(m_log.end(), events.begin(), events.end());
    }
    EventLog log() const
    {
        const std::scoped_lock lock(m_mutex);
        return m_log;
    }
    template <typename Body>
    int count() const
    {
        int found = 0;
        for (const Event& event : log())
            found += std::holds_alternative<Body>(event.body) ? 1 : 0;
        return found;
    }

private:
    mutable std::mutex m_mutex;
    EventLog m_log;
};

// A run on its own thread.
struct LiveRun
{
    LiveRun(Workload work, Strategy chosen, FakeOptions options)
        : backend(std::move(options)), workload(std::move(work)), strategy(std::move(chosen))
    {}
    void start()
    {
        thread = std::jthread([this](const std::stop_token& stop) {
            if (backend.capabilities().measured) {
                WallClock clock;
                status = runLoop({&workload, &strategy, &registry, &backend, nullptr, &clock}, sink, control,
                                 stop);
            } else {
                VirtualClock clock;
                status = runLoop({&workload, &strategy, &registry, &backend, nullptr, &clock}, sink, control,
                                 stop);
            }
            done = true;
        });
    }
    Registry registry = Registry::withBuiltinParts();
    FakeBackend backend;
    Workload workload;
    Strategy strategy;
    WatchedLog sink;
    RunControl control;
    std::atomic<RunStatus> status{RunStatus::Interrupted};
    std::atomic<bool> done{false};
    std::jthread thread; // last: joins before the others go
};

template <typename Condition>
bool within(int ms, Condition holds)
{
    for (int waited = 0; waited < ms; ++waited) {
        if (holds()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return holds();
}

} // namespace

class RunControlTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void stopEndsARunWithWhatItHas()
    {
        std::stop_source source;
        FakeOptions options;
        int runs = 0;
        options.before_run = [&source, &runs] {
            if (++runs == 2) source.request_stop();
        };
        FakeBackend backend(options);
        VirtualClock clock;
        const RecordedRun run = runOn(backend, clock, workloadOfLengths({3, 9, 5}),
                                      strategyOf("s", staticRows(2)), nullptr, nullptr, source.get_token());
        QVERIFY(run.status == RunStatus::Cancelled);
        QVERIFY(std::get<RunEnded>(run.log.back().body).status == RunStatus::Cancelled);
        // The second call runs passes 2 to 4, at which r0 ends; r1 has a token a pass.
        const std::vector<RowEnded> ends = run.all<RowEnded>();
        QCOMPARE(ends.size(), 2U);
        QVERIFY(ends[0].cause == RowEnd::Length);
        QVERIFY(ends[1].cause == RowEnd::Cancelled);
        QCOMPARE(ends[1].output_tokens, 4);
        QCOMPARE(run.all<BatchEnded>().front().steps, 4U);
        QCOMPARE(backend.slotsInUse(), 0U);
        QCOMPARE(backend.resets(), 1);
        VERIFY_NO_FAULTS(validateLog(run.log));
    }
    void stopBeforeTheFirstBatch()
    {
        std::stop_source source;
        source.request_stop();
        FakeBackend backend;
        VirtualClock clock;
        const RecordedRun run = runOn(backend, clock, workloadOfLengths({3}), strategyOf("s", staticRows(2)),
                                      nullptr, nullptr, source.get_token());
        QVERIFY(run.status == RunStatus::Cancelled);
        QCOMPARE(backend.runs(), 0);
        VERIFY_NO_FAULTS(validateLog(run.log));
    }
    void stopWhilePredictingKeepsThePredictions()
    {
        for (const PartSpec& batching : {staticRows(2), groupedOf(3, 2, 50)}) {
            std::stop_source source;
            FakeBackend backend;
            VirtualClock clock;
            InterruptedPredictor predictor(backend, source);
            const RecordedRun run = runOn(
                backend, clock, workloadOf({{3, 4, 0, 3}, {9, 4, 0, 9}, {5, 4, 0, 2}}),
                strategyOf("s", batching, "sjf", {"recorded", {}}), &predictor, nullptr, source.get_token());
            QVERIFY(run.status == RunStatus::Cancelled);
            QCOMPARE(run.all<Predicted>().size(), 3U);
            QCOMPARE(backend.runs(), 0);
            QCOMPARE(backend.slotsInUse(), 0U); // the kept prefills go too
            VERIFY_NO_FAULTS(validateLog(run.log));
        }
    }
    void stopDuringARecomputation()
    {
        for (int stop_at = 1; stop_at <= 8; ++stop_at) {
            std::stop_source source;
            FakeOptions options;
            int runs = 0;
            options.before_run = [&source, &runs, stop_at] {
                if (++runs == stop_at) source.request_stop();
            };
            FakeBackend backend(options);
            VirtualClock clock;
            const Workload workload = workloadOf({{9, 4, 0, 1}, {1, 4, 0, 1}, {7, 4, 0, 2}});
            const RecordedRun run = runOn(backend, clock, workload,
                                          strategyOf("s", groupedOf(3, 2, 1), "sjf", {"recorded", {}}, "fcr"),
                                          nullptr, nullptr, source.get_token());
            VERIFY_NO_FAULTS(validateLog(run.log));
            QVERIFY(run.status == (backend.runs() < stop_at ? RunStatus::Completed : run.status));
            QCOMPARE(backend.slotsInUse(), 0U);
        }
    }
    void aLostDeviceEndsTheRunAsFailed()
    {
        FakeOptions options;
        options.throws_at_run = 2;
        FakeBackend backend(options);
        VirtualClock clock;
        const RecordedRun run =
            runOn(backend, clock, workloadOfLengths({3, 9, 5}), strategyOf("s", staticRows(2)));
        QVERIFY(run.status == RunStatus::Failed);
        QCOMPARE(std::get<RunEnded>(run.log.back().body).message, std::string("the device was lost"));
        for (const RowEnded& end : run.all<RowEnded>())
            QVERIFY(end.cause == RowEnd::Failed);
        QCOMPARE(run.all<RowEnded>().size(), 2U);
        QCOMPARE(backend.resets(), 1);
        VERIFY_NO_FAULTS(validateLog(run.log));
    }

    void aPausedRunStandsStillUntilItContinues()
    {
        LiveRun run(workloadOfLengths({60, 60, 60}), strategyOf("s", staticRows(1)), measured());
        run.control.pause();
        run.start();
        QVERIFY(within(2000, [&run] { return run.sink.count<RunPaused>() == 1; }));
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        QCOMPARE(run.sink.count<Steps>(), 0);
        run.control.resume();
        QVERIFY(within(5000, [&run] { return run.done.load(); }));
        QVERIFY(run.status == RunStatus::Completed);
        const EventLog log = run.sink.log();
        VERIFY_NO_FAULTS(validateLog(log));
        Nanos paused_ns = 0, continued_ns = 0;
        for (const Event& event : log) {
            if (std::holds_alternative<RunPaused>(event.body)) paused_ns = event.at_ns;
            if (std::holds_alternative<RunContinued>(event.body)) continued_ns = event.at_ns;
        }
        QVERIFY(continued_ns - paused_ns < 5'000'000); // the clock stood still for 30 ms and more
    }
    void aStepMakesOneDecision()
    {
        LiveRun run(workloadOfLengths({2, 2}), strategyOf("s", staticRows(1)), {});
        run.control.pause();
        run.start();
        QVERIFY(within(2000, [&run] { return run.sink.count<RunPaused>() == 1; }));
        QCOMPARE(run.sink.count<BatchFormed>(), 0);
        const std::vector<std::pair<int, int>> expected{
            {1, 0}, {1, 1}, {1, 2}, {2, 2}}; // (batches, spans) after each
        for (std::size_t i = 0; i < expected.size(); ++i) {
            run.control.step();
            const int paused = static_cast<int>(i) + 2;
            QVERIFY(within(2000, [&run, paused] { return run.sink.count<RunPaused>() == paused; }));
            QCOMPARE(run.sink.count<BatchFormed>(), expected[i].first);
            QCOMPARE(run.sink.count<Steps>(), expected[i].second);
        }
        run.control.resume();
        QVERIFY(within(2000, [&run] { return run.done.load(); }));
        VERIFY_NO_FAULTS(validateLog(run.sink.log()));
    }
    void aStepWhileNobodyWaitsGoesOnToTheNextArrival()
    {
        LiveRun run(workloadOf({{1, 4, 40'000'000, {}}}), strategyOf("s", staticRows(1)), measured());
        run.control.pause();
        run.start();
        QVERIFY(within(2000, [&run] { return run.sink.count<RunPaused>() == 1; }));
        run.control.step();
        QVERIFY(within(2000, [&run] { return run.sink.count<BatchFormed>() == 1; }));
        QCOMPARE(run.sink.count<Steps>(), 0);
        run.control.resume();
        QVERIFY(within(2000, [&run] { return run.done.load(); }));
    }
    void aPausedRunCanBeStopped()
    {
        LiveRun run(workloadOfLengths({60}), strategyOf("s", staticRows(1)), measured());
        run.control.pause();
        run.start();
        QVERIFY(within(2000, [&run] { return run.sink.count<RunPaused>() == 1; }));
        run.thread.request_stop();
        QVERIFY(within(2000, [&run] { return run.done.load(); }));
        QVERIFY(run.status == RunStatus::Cancelled);
        VERIFY_NO_FAULTS(validateLog(run.sink.log()));
    }
    void waitingForAnArrivalCanBeStopped()
    {
        LiveRun run(workloadOf({{1, 4, 3600 * k_second, {}}}), strategyOf("s", staticRows(1)), measured());
        run.start();
        QVERIFY(within(2000, [&run] { return run.sink.count<RunStarted>() == 1; }));
        run.thread.request_stop();
        QVERIFY(within(2000, [&run] { return run.done.load(); }));
        QVERIFY(run.status == RunStatus::Cancelled);
    }
    void aMeasuredRunClosesItsSpansEvery50Ms()
    {
        LiveRun run(workloadOfLengths({150}), strategyOf("s", staticRows(1)), measured());
        run.start();
        QVERIFY(within(5000, [&run] { return run.done.load(); }));
        QVERIFY(run.sink.count<Steps>() >= 3);
        for (const Event& event : run.sink.log())
            if (const auto* span = std::get_if<Steps>(&event.body))
                QCOMPARE(span->durations_ns.size(), static_cast<std::size_t>(span->count));
        VERIFY_NO_FAULTS(validateLog(run.sink.log()));
    }
    void arrivalsOnTheWallClockAreTakenInWhileABatchRuns()
    {
        LiveRun run(workloadOf({{200, 4, 0, {}}, {1, 4, 20'000'000, {}}}), strategyOf("s", staticRows(1)),
                    measured());
        run.start();
        QVERIFY(within(5000, [&run] { return run.done.load(); }));
        Nanos arrived_ns = 0, batch_end_ns = 0;
        for (const Event& event : run.sink.log()) {
            if (const auto* arrived = std::get_if<Arrived>(&event.body))
                arrived_ns = event.at_ns - arrived->arrival_ns;
            if (std::holds_alternative<BatchEnded>(event.body) && batch_end_ns == 0)
                batch_end_ns = event.at_ns;
        }
        QVERIFY(arrived_ns < batch_end_ns - 50'000'000); // long before the batch of 200 passes ended
        VERIFY_NO_FAULTS(validateLog(run.sink.log()));
    }

    void eventsLeaveInBatchesOfAFewThousand()
    {
        Workload workload = workloadOfLengths(std::vector<int>(5000, 1));
        const Strategy strategy = strategyOf("s", staticRows(16));
        const Registry registry = Registry::withBuiltinParts();
        FakeBackend backend;
        VirtualClock clock;
        KeptLog kept;
        RunControl control;
        runLoop({&workload, &strategy, &registry, &backend, nullptr, &clock}, kept, control, {});
        QVERIFY(kept.log.size() > 15'000);
        QVERIFY(kept.largestBatch() <= 4096);
        VERIFY_NO_FAULTS(validateLog(kept.log));
    }
    void theWallClockStandsStillWhilePaused()
    {
        WallClock clock;
        clock.pause();
        const Nanos before = clock.now();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        QCOMPARE(clock.now(), before);
        clock.resume();
        QVERIFY(clock.now() - before < 5'000'000);
        clock.waitUntil(clock.now() + 3'000'000, {});
        QVERIFY(clock.now() >= before + 3'000'000);
    }
};

BATCHSCOPE_TEST(RunControlTest)

} // namespace batchscope::tests

#include "run_control_test.moc"
