// SPDX-License-Identifier: GPL-3.0-or-later
// Folds do not depend on how a log reached them: one event at a time or at once, spans whole or cut anywhere.
// And they all tell the same story.
#include "scheduler/folds/padding_map.h"
#include "scheduler/folds/queue_view.h"
#include "scheduler/folds/throughput.h"
#include "scheduler/metrics/metrics.h"
#include "scheduler/registry.h"
#include "tests/support/log_builder.h"
#include "tests/support/test_main.h"
#include "tests/support/workloads.h"

#include <cmath>
#include <map>
#include <numeric>

using namespace batchscope;
using namespace batchscope::tests;

namespace {

constexpr std::uint64_t k_seeds = 25;

template <typename Fold>
Fold whole(const EventLog& log, Fold fold = Fold())
{
    fold.append(log);
    return fold;
}

template <typename Fold>
Fold oneByOne(const EventLog& log, Fold fold = Fold())
{
    for (const Event& event : log)
        fold.append({&event, 1});
    return fold;
}

QueueView bySize()
{
    return QueueView(queueRulesOf(strategyOf("s", {"static", {}}, "sjf"), Registry::withBuiltinParts()));
}

EventLog logOf(std::uint64_t seed)
{
    return randomLog(seed, 40 + static_cast<std::uint32_t>(seed) * 3,
                     1 + static_cast<std::uint32_t>(seed) % 9);
}

bool same(const PaddingMap& a, const PaddingMap& b)
{
    return a.pieces() == b.pieces() && a.batches() == b.batches() && a.prompts() == b.prompts() &&
           a.steps() == b.steps() && a.occupied() == b.occupied();
}

bool same(const QueueView& a, const QueueView& b)
{
    if (a.waiting() != b.waiting() || a.size() != b.size() || a.decisions().size() != b.decisions().size())
        return false;
    for (std::size_t i = 0; i < a.decisions().size(); ++i)
        if (explain(a.decisions()[i]) != explain(b.decisions()[i])) return false;
    return true;
}

bool same(const ThroughputStrip& a, const ThroughputStrip& b)
{
    return a.buckets() == b.buckets() && a.bucketNs() == b.bucketNs() && a.end() == b.end();
}

} // namespace

class FoldsInvarianceTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void builtLogsArePossible()
    {
        for (std::uint64_t seed = 0; seed < k_seeds; ++seed) {
            for (const EventLog& log : {logOf(seed), splitSpans(logOf(seed), seed)}) {
                const auto faults = validateLog(log);
                QVERIFY2(faults.empty(), faults.empty() ? "" : faults.front().c_str());
            }
        }
    }

    void cuttingSpansChangesNothing()
    {
        for (std::uint64_t seed = 0; seed < k_seeds; ++seed) {
            const EventLog log = logOf(seed);
            const EventLog cut = splitSpans(log, seed + 1000);
            const QByteArray where = "seed " + QByteArray::number(static_cast<qulonglong>(seed));
            QVERIFY2(cut.size() > log.size(), where.constData());
            QVERIFY2(requestFigures(log) == requestFigures(cut), where.constData());
            const Slo slo{.ttft_s = 0.05, .tpot_s = 0.002, .e2el_s = 0.2};
            QVERIFY2(computeMetrics(log, slo) == computeMetrics(cut, slo), where.constData());
            QVERIFY2(same(whole<PaddingMap>(log), whole<PaddingMap>(cut)), where.constData());
            QVERIFY2(same(whole<QueueView>(log), whole<QueueView>(cut)), where.constData());
            const ThroughputStrip strip(1'000'000, 64);
            QVERIFY2(same(whole(log, strip), whole(cut, strip)), where.constData());
        }
    }

    void eventsOneByOneGiveWhatTheyGiveAtOnce()
    {
        for (std::uint64_t seed = 0; seed < k_seeds; ++seed) {
            const EventLog log = logOf(seed);
            const QByteArray where = "seed " + QByteArray::number(static_cast<qulonglong>(seed));
            QVERIFY2(same(whole<PaddingMap>(log), oneByOne<PaddingMap>(log)), where.constData());
            QVERIFY2(same(whole(log, bySize()), oneByOne(log, bySize())), where.constData());
            const ThroughputStrip strip(700'000, 50);
            QVERIFY2(same(whole(log, strip), oneByOne(log, strip)), where.constData());
        }
    }

    // Public report S10: chart and table from the same events.
    void paddingMapAndMetricsAgree()
    {
        std::int64_t abandoned = 0, padding = 0;
        for (std::uint64_t seed = 0; seed < k_seeds; ++seed) {
            const EventLog log = logOf(seed);
            const RunMetrics run = computeMetrics(log, std::nullopt);
            const auto map = whole<PaddingMap>(log);
            QCOMPARE(map.total(StepKind::Useful), run.steps.useful);
            QCOMPARE(map.total(StepKind::End), run.steps.end);
            QCOMPARE(map.total(StepKind::Chunk), run.steps.chunk);
            QCOMPARE(map.total(StepKind::Padding), run.steps.padding);
            QCOMPARE(map.total(StepKind::Abandoned), run.steps.abandoned);
            QCOMPARE(map.total(StepKind::Stalled), run.steps.stalled);
            QCOMPARE(map.occupied(), run.steps.total());
            QCOMPARE(map.steps(), run.decode_steps);
            std::int64_t drawn = 0;
            for (const PaddingPiece& piece : map.pieces())
                drawn += piece.count;
            QCOMPARE(drawn, run.steps.total());
            std::int64_t framed = 0;
            for (const PaddingBatch& batch : map.batches())
                framed += batch.rows * batch.steps;
            QCOMPARE(framed, run.steps.total());
            abandoned += run.steps.abandoned;
            padding += run.steps.padding;
        }
        QVERIFY(abandoned > 0 && padding > 0); // else the logs were too tame
    }

    // No slot is drawn twice at one step.
    void piecesOfASlotDoNotOverlap()
    {
        const auto map = whole<PaddingMap>(logOf(7));
        std::map<std::uint32_t, std::int64_t> reached;
        for (const PaddingPiece& piece : map.pieces()) {
            QVERIFY(piece.count > 0);
            QVERIFY(piece.first >= reached[piece.slot]);
            reached[piece.slot] = piece.first + piece.count;
            QCOMPARE(map.at(piece.slot, piece.first), &piece);
            QCOMPARE(map.at(piece.slot, piece.first + piece.count - 1), &piece);
        }
        QVERIFY(!map.at(0, map.steps()));
        QVERIFY(!map.at(999, 0));
        QVERIFY(!map.at(0, -1));
    }

    void stripAddsUpToTheMetrics()
    {
        for (std::uint64_t seed = 0; seed < k_seeds; ++seed) {
            const EventLog log = logOf(seed);
            const RunMetrics run = computeMetrics(log, std::nullopt);
            for (const std::size_t most : {std::size_t{16}, std::size_t{4096}}) {
                const auto strip = whole(log, ThroughputStrip(500'000, most));
                QVERIFY(strip.buckets().size() <= most);
                ThroughputBucket sum;
                double waited_s = 0;
                for (std::size_t i = 0; i < strip.buckets().size(); ++i) {
                    const ThroughputBucket& bucket = strip.buckets()[i];
                    sum.useful += bucket.useful;
                    sum.padding += bucket.padding;
                    sum.abandoned += bucket.abandoned;
                    sum.other += bucket.other;
                    const Nanos from_ns = static_cast<Nanos>(i) * strip.bucketNs();
                    waited_s += bucket.queue * toSeconds(std::min(strip.bucketNs(), strip.end() - from_ns));
                    QVERIFY(bucket.occupancy >= 0 && bucket.occupancy <= 1 + 1e-12);
                }
                QCOMPARE(sum.useful, static_cast<double>(run.steps.useful));
                QCOMPARE(sum.padding, static_cast<double>(run.steps.padding));
                QCOMPARE(sum.abandoned, static_cast<double>(run.steps.abandoned));
                QCOMPARE(sum.other, static_cast<double>(run.steps.end + run.steps.chunk + run.steps.stalled));
                // In these logs a request waits from its arrival to its batch; one stopped by a limit waits
                // again for no time at all, since its recomputation starts when its batch ends.
                QVERIFY(std::abs(waited_s - waitedSeconds(log)) < 1e-9);
            }
        }
    }

private:
    static double waitedSeconds(const EventLog& log)
    {
        const auto requests = requestFigures(log);
        double waited_s = std::accumulate(
            requests.begin(), requests.end(), 0.0, [](double sum, const RequestFigures& request) {
                return sum + toSeconds(*request.scheduled_ns - request.arrival_ns);
            });
        std::map<RequestIndex, Nanos> stopped; // by its limit: until it is run again
        for (const Event& event : log) {
            if (const auto* ended = std::get_if<RowEnded>(&event.body);
                ended && ended->cause == RowEnd::Limit)
                stopped[ended->request] = event.at_ns;
            if (const auto* formed = std::get_if<BatchFormed>(&event.body))
                for (const RowStart& row : formed->rows)
                    if (const auto again = stopped.extract(row.request); !again.empty())
                        waited_s += toSeconds(event.at_ns - again.mapped());
        }
        return waited_s;
    }
};

BATCHSCOPE_TEST(FoldsInvarianceTest)
#include "folds_invariance_test.moc"
