// SPDX-License-Identifier: GPL-3.0-or-later
// What holds for every workload and strategy: a possible log, every request once, the same useful work.
#include "tests/support/recorded_run.h"
#include "tests/support/test_main.h"
#include "tests/support/workloads.h"

#include <set>

namespace batchscope::tests {
namespace {

PartSpec randomPredictor(Random& random)
{
    switch (random.below(4)) {
    case 0:
        return {"oracle", {{"per_request_s", 0.0001}}};
    case 1:
        return {"recorded", {{"per_call_s", 0.002}}};
    case 2:
        return {"constant", {{"tokens", std::int64_t{12}}}};
    default:
        return {"noisy-oracle",
                {{"noise", std::string(random.below(2) == 0 ? "laplace" : "log-normal")},
                 {"scale_tokens", 20.0}}};
    }
}

PartSpec randomGroups(Random& random)
{
    static constexpr const char* k_vbs[] = {"off", "table", "memory"};
    PartSpec spec = groupedOf(1 + static_cast<int>(random.below(40)), 1 + static_cast<int>(random.below(8)),
                              1 + static_cast<int>(random.below(30)), k_vbs[random.below(3)]);
    spec.params["max_rows"] = std::int64_t{1 + random.below(30)};
    spec.params["window_s"] = 0.001 * random.below(30);
    return spec;
}

Strategy randomStrategy(Random& random, int cap)
{
    const std::string ordering = random.below(2) == 0 ? "fcfs" : "sjf";
    switch (random.below(3)) {
    case 0:
        return strategyOf("none", {"none", {}}, ordering, randomPredictor(random), "none", cap);
    case 1:
        return strategyOf("static",
                          staticRows(1 + static_cast<int>(random.below(9)), 0.001 * random.below(30)),
                          ordering, randomPredictor(random), "none", cap);
    default:
        break;
    }
    static constexpr const char* k_correction[] = {"none", "fcr", "extend"};
    const PartSpec groups = randomGroups(random);
    const bool has_vbs = std::get<std::string>(groups.params.at("vbs")) != "off";
    return strategyOf("grouped", groups, has_vbs ? "sjf" : ordering, randomPredictor(random),
                      k_correction[random.below(3)], cap);
}

FakeOptions roomyBackend(Random& random)
{
    FakeOptions options;
    options.growth_ps = random.below(3) * 1'000'000;
    if (random.below(2) == 0) options.read_ps = options.pass_ps;
    options.capabilities.kv_bytes_per_token = 2;
    if (random.below(2) == 0) options.capabilities.kv_bytes = 2 * 260 * (40 + 60);
    return options;
}

} // namespace

class InvariantsTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void randomRunsArePossibleAndDoTheSameWork()
    {
        const std::uint64_t seed = 20'240'611;
        qInfo("seed %llu", static_cast<unsigned long long>(seed));
        for (std::uint64_t round = 0; round < 170; ++round) {
            Random random(seed, round);
            const int cap = 5 + static_cast<int>(random.below(55));
            const Workload workload = randomWorkload(random, 1 + static_cast<int>(random.below(70)), 60);
            std::int64_t useful = 0;
            for (const Request& request : workload.requests)
                useful += std::min(cap, *request.output_tokens);
            for (int each = 0; each < 3; ++each) {
                const Strategy strategy = randomStrategy(random, cap);
                FakeBackend backend(roomyBackend(random));
                VirtualClock clock;
                const RecordedRun run = runOn(backend, clock, workload, strategy);
                const std::string where =
                    fmt::format("round {}, strategy {} ({})", round, strategy.name, each);
                QVERIFY2(run.status == RunStatus::Completed, where.c_str());
                const std::vector<std::string> faults = validateLog(run.log);
                QVERIFY2(faults.empty(), (where + (faults.empty() ? "" : ": " + faults.front())).c_str());
                QVERIFY2(backend.faults().empty(),
                         (where + (backend.faults().empty() ? "" : ": " + backend.faults().front())).c_str());
                QVERIFY2(backend.slotsInUse() == 0, where.c_str());
                QVERIFY2(run.delivered().size() == workload.requests.size(), where.c_str());
                QVERIFY2(run.usefulTokens() == useful, where.c_str());
                checkSlots(run, where);
            }
        }
    }

    // Cutting the log anywhere leaves a log that the validator finds incomplete, and nothing worse.
    void aLogCutShortIsFoundIncomplete()
    {
        Random random(5);
        const Workload workload = randomWorkload(random, 20, 20);
        const RecordedRun run =
            runVirtually(workload, strategyOf("s", groupedOf(8, 3, 5), "sjf", {"oracle", {}}, "fcr"));
        for (std::size_t length = 1; length < run.log.size(); ++length) {
            const auto faults = validateLog(std::span(run.log).first(length));
            QCOMPARE(faults, (std::vector<std::string>{"the log does not end with run-ended"}));
        }
    }

private:
    // No batch has more rows than the run's slots, and its padded width is its longest prompt.
    static void checkSlots(const RecordedRun& run, const std::string& where)
    {
        const std::uint32_t most = run.all<RunStarted>().front().slot_count;
        for (const BatchFormed& formed : run.all<BatchFormed>()) {
            QVERIFY2(formed.rows.size() <= most, where.c_str());
            int longest = 0;
            for (const RowStart& row : formed.rows)
                longest = std::max(longest, row.prompt_tokens + row.resumed_tokens);
            QVERIFY2(formed.padded_prompt_tokens == longest, where.c_str());
        }
    }
};

BATCHSCOPE_TEST(InvariantsTest)

} // namespace batchscope::tests

#include "invariants_test.moc"
