// SPDX-License-Identifier: GPL-3.0-or-later
// What is said before two runs are put side by side (metrics.md, "comparability check").
#include "scheduler/comparability.h"
#include "tests/support/test_main.h"

using namespace batchscope;

namespace {

RunFacts measuredRun()
{
    RunFacts facts;
    facts.name = "vanilla";
    facts.provenance = {true, "CPU", "demo 0123456789abcdef", "f32", 2, "", false, true};
    facts.workload_hash = "00000000000000aa";
    facts.lengths = LengthMode::Replayed;
    facts.arrivals = "all-at-once";
    facts.useful_output_tokens = 1000;
    facts.output_digests = {"a", "b", "c", "d"};
    return facts;
}

QStringList told(const RunFacts& baseline, const RunFacts& other)
{
    QStringList lines;
    for (const Difference& difference : compareFacts(baseline, other))
        lines << QString::fromStdString(difference.what + ": " + difference.baseline + " | " +
                                        difference.other);
    return lines;
}

} // namespace

class ComparabilityTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void runsOfOneExperimentDifferInNothing()
    {
        RunFacts other = measuredRun();
        other.name = "sequence scheduling"; // strategies may differ: that is the experiment
        other.strategy.batching.type = "grouped";
        QCOMPARE(told(measuredRun(), other), QStringList());
    }

    void eachDifferenceIsListed_data()
    {
        QTest::addColumn<QString>("expected");
        QTest::addColumn<int>("change");
        int change = 0;
        for (const char* line :
             {"workload: 00000000000000aa | bb", "output lengths: replayed | fixed",
              "most new tokens: 512 | 256", "sampling: greedy | temperature 0.7, top-p 0.9, seed 42",
              "arrivals: all-at-once | poisson 4/s", "delivery: streamed | batch-end",
              "batching window: 0 s | 0.5 s", "model: demo 0123456789abcdef | vicuna",
              "number format: f32 | bf16", "device: CPU | cuda:0", "threads: 2 | 1", "warm-up: yes | no",
              "watched by a window: no | yes", "useful output tokens: 1000 | 999",
              "output agreement: same ids | 50.0 % of requests have the same ids, the first that differs is "
              "r1"})
            QTest::newRow(line) << QString(line) << change++;
    }

    void eachDifferenceIsListed()
    {
        QFETCH(QString, expected);
        QFETCH(int, change);
        RunFacts other = measuredRun();
        switch (change) {
        case 0:
            other.workload_hash = "bb";
            break;
        case 1:
            other.lengths = LengthMode::Fixed;
            break;
        case 2:
            other.strategy.limits.max_new_tokens = 256;
            break;
        case 3:
            other.sampling = {0.7, 0.9, 42};
            break;
        case 4:
            other.arrivals = "poisson 4/s";
            break;
        case 5:
            other.delivery = Delivery::BatchEnd;
            break;
        case 6:
            other.window_s = 0.5;
            break;
        case 7:
            other.provenance.model = "vicuna";
            break;
        case 8:
            other.provenance.dtype = "bf16";
            break;
        case 9:
            other.provenance.device = "cuda:0";
            break;
        case 10:
            other.provenance.threads = 1;
            break;
        case 11:
            other.provenance.warmed_up = false;
            break;
        case 12:
            other.provenance.watched = true;
            break;
        case 13:
            other.useful_output_tokens = 999;
            break;
        case 14:
            other.output_digests = {"a", "x", "c", "y"};
            break;
        default:
            QFAIL("no such change");
        }
        QCOMPARE(told(measuredRun(), other), QStringList(expected));
    }

    void measuredAndSimulatedAreToldApart()
    {
        RunFacts other = measuredRun();
        other.provenance = {}; // no model, no device: what a simulation has is its cost model
        other.provenance.cost_model = "vicuna-7b-a100";
        QCOMPARE(told(measuredRun(), other),
                 QStringList("execution: measured | simulated with vicuna-7b-a100"));
        RunFacts third = other;
        third.provenance.cost_model = "ssjf";
        QCOMPARE(told(other, third),
                 QStringList("execution: simulated with vicuna-7b-a100 | simulated with ssjf"));
    }

    void freeLengthsMayGiveOtherTotals()
    {
        RunFacts a = measuredRun(), b = measuredRun();
        a.lengths = b.lengths = LengthMode::Free;
        b.useful_output_tokens = 900;
        QCOMPARE(told(a, b), QStringList());
    }

    void agreementIsUnknownWithoutIds()
    {
        RunFacts simulated = measuredRun();
        simulated.output_digests.clear();
        std::optional<RequestIndex> first = 3;
        QVERIFY(!outputAgreement(measuredRun(), simulated, &first));
        QVERIFY(!first);
        QCOMPARE(outputAgreement(measuredRun(), measuredRun(), nullptr), std::optional<double>(1.0));
        RunFacts shorter = measuredRun();
        shorter.output_digests.pop_back(); // a cancelled run: what is missing is not the same
        QCOMPARE(outputAgreement(measuredRun(), shorter, &first), std::optional<double>(0.75));
        QCOMPARE(first, std::optional<RequestIndex>(3));
    }

    void provenanceReadsAsASentence()
    {
        QCOMPARE(measuredRun().provenance.sentence(), std::string("measured on CPU, f32, 2 threads"));
        Provenance simulated;
        simulated.cost_model = "vicuna-7b-a100";
        QCOMPARE(simulated.sentence(), std::string("simulated with vicuna-7b-a100"));
        Provenance single{true, "CPU", "", "bf16", 1, "", false, false};
        QCOMPARE(single.sentence(), std::string("measured on CPU, bf16, 1 thread"));
    }
};

BATCHSCOPE_TEST(ComparabilityTest)
#include "comparability_test.moc"
