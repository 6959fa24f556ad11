// SPDX-License-Identifier: GPL-3.0-or-later
// Whole runs, event by event: worked by hand from scheduling.md.
#include "tests/support/event_text.h"
#include "tests/support/no_faults.h"
#include "tests/support/recorded_run.h"
#include "tests/support/test_main.h"
#include "tests/support/workloads.h"

namespace batchscope::tests {
namespace {

FakeOptions evenPasses() // a reading pass takes 1 ms as any other; no KV, so no memory samples
{
    FakeOptions options;
    options.read_ps = options.pass_ps;
    return options;
}

// A difference shows both texts.
void compareText(const std::string& actual, const char* expected)
{
    if (actual != expected) qWarning("got:\n%s\nexpected:\n%s", actual.c_str(), expected);
    QVERIFY(actual == expected);
}

} // namespace

class GoldenLogTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    // Rows 2, cap 4: r0 ends by itself after 2 tokens (3 passes), r1 hits the cap (4 passes), r2 runs alone.
    void staticBatchesInOrderOfArrival()
    {
        const RecordedRun run =
            runVirtually(workloadOfLengths({2, 9, 1}),
                         strategyOf("vanilla", staticRows(2), "fcfs", {"none", {}}, "none", 4), evenPasses());
        compareText(EventText::of(run.log), R"(0 run-started requests 3 slots 2 cap 4
0 arrived r0 prompt 4
0 arrived r1 prompt 4
0 arrived r2 prompt 4
0 picked r0 batch 0 by tie key 0 before r1 0
0 picked r1 batch 0 by tie key 0 before r2 0
0 batch-formed 0 padded 4: r0.0<=4 r1.0<=4
3 steps 0 passes 1..3 reads 2
3 row-ended r0.0 length tokens 2 pass 3
4 steps 0 passes 4..4
4 row-ended r1.0 cap tokens 4 pass 4
4 batch-ended 0 passes 4
4 picked r2 batch 1 by only-one key 0
4 batch-formed 1 padded 4: r2.0<=4
6 steps 1 passes 1..2 reads 1
6 row-ended r2.0 length tokens 1 pass 2
6 batch-ended 1 passes 2
6 run-ended completed
)");
        VERIFY_NO_FAULTS(validateLog(run.log));
    }

    // Bins of 2, rows 2, cap 6. Predictions 4, 2, 2, 3 -> bins 4, 2, 2, 4. Batch 0 = r1 r2, limit 3; batch 1
    // = r3 r0 by key, limit 5. r2 really has 5 tokens: stopped after pass 3, collected, run again to its end
    // (6 passes = the cap would be 6 tokens; it has 5 and its end).
    void groupedRunWithOneRecomputation()
    {
        Workload workload = workloadOfLengths({4, 1, 5, 3});
        const int predictions[] = {4, 2, 2, 3};
        for (int i = 0; i < 4; ++i)
            workload.requests[static_cast<std::size_t>(i)].predicted_tokens = predictions[i];
        const Strategy strategy =
            strategyOf("seqsch", groupedOf(4, 2, 2), "sjf", {"recorded", {{"per_call_s", 0.001}}}, "fcr", 6);
        const RecordedRun run = runVirtually(workload, strategy, evenPasses());
        compareText(EventText::of(run.log), R"(0 run-started requests 4 slots 2 cap 6
0 arrived r0 prompt 4
0 arrived r1 prompt 4
0 arrived r2 prompt 4
0 arrived r3 prompt 4
1 predicted r0 4
1 predicted r1 2
1 predicted r2 2
1 predicted r3 3
1 picked r1 batch 0 by tie key 2 before r2 2 over 1 first r0
1 picked r2 batch 0 by bin key 2 before r3 3 over 1 first r0
1 batch-formed 0 group 0 bin 2 padded 4: r1.0<3 r2.0<3
3 steps 0 passes 1..2 reads 2
3 row-ended r1.0 length tokens 1 pass 2
4 steps 0 passes 3..3
4 row-ended r2.0 limit tokens 3 pass 3
4 attempt-abandoned r2.0 tokens 3
4 batch-ended 0 passes 3
4 picked r3 batch 1 by key key 3 before r0 4 over 1 first r0
4 picked r0 batch 1 by only-one key 4
4 batch-formed 1 group 0 bin 4 padded 4: r3.0<5 r0.0<5
8 steps 1 passes 1..4 reads 2
8 row-ended r3.0 length tokens 3 pass 4
9 steps 1 passes 5..5
9 row-ended r0.0 length tokens 4 pass 5
9 batch-ended 1 passes 5
9 picked r2 batch 2 by recompute key 2
9 batch-formed 2 group 0 bin 6 recompute padded 4: r2.1<=6
15 steps 2 passes 1..6 reads 1
15 row-ended r2.1 length tokens 5 pass 6
15 batch-ended 2 passes 6
15 run-ended completed
)");
        VERIFY_NO_FAULTS(validateLog(run.log));
    }

    void sameRunGivesTheSameBytes()
    {
        Random random(3);
        const Workload workload = randomWorkload(random, 60, 40);
        const Strategy strategy =
            strategyOf("s", groupedOf(16, 4, 10, "table"), "sjf", {"noisy-oracle", {}}, "fcr", 32);
        QVERIFY(runVirtually(workload, strategy).log == runVirtually(workload, strategy).log);
    }
};

BATCHSCOPE_TEST(GoldenLogTest)

} // namespace batchscope::tests

#include "golden_log_test.moc"
