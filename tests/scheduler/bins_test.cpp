// SPDX-License-Identifier: GPL-3.0-or-later
// Grouped mode's arithmetic, worked by hand from scheduling.md ("Bins and VBS", "Limit and FCR").
#include "scheduler/batching/bins.h"
#include "scheduler/batching/group_rules.h"
#include "scheduler/random.h"
#include "tests/support/test_main.h"

#include <map>
#include <numeric>
#include <set>

namespace batchscope::tests {
namespace {

// `counts`: how many requests each bin has; numbered from 0 in order.
std::vector<BinnedRequest> membersOf(const std::map<int, int>& counts)
{
    std::vector<BinnedRequest> members;
    for (const auto& [bin, count] : counts)
        for (int i = 0; i < count; ++i) {
            const auto request = static_cast<RequestIndex>(members.size());
            members.push_back({bin, {static_cast<double>(bin), 0, request}});
        }
    return members;
}

std::vector<std::pair<int, int>> shape(const std::vector<MicroBatch>& batches) // (rows, bin)
{
    std::vector<std::pair<int, int>> shapes;
    for (const MicroBatch& batch : batches)
        shapes.emplace_back(static_cast<int>(batch.rows.size()), batch.bin);
    return shapes;
}

std::vector<MicroBatch> cutByTable(const std::map<int, int>& counts)
{
    return cutByBins(membersOf(counts), rowsByTable, tableMergeThreshold);
}

std::vector<RequestIndex> range(RequestIndex first, RequestIndex last)
{
    std::vector<RequestIndex> all(last - first + 1);
    std::iota(all.begin(), all.end(), first);
    return all;
}

using Shapes = std::vector<std::pair<int, int>>;

} // namespace

class BinsTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void aBinIsThePredictionRoundedUp()
    {
        QCOMPARE(binOf(1, 50, 512), 50);
        QCOMPARE(binOf(50, 50, 512), 50);
        QCOMPARE(binOf(51, 50, 512), 100);
        QCOMPARE(binOf(512, 50, 512), 550); // the limit is clamped, not the bin
        QCOMPARE(binOf(37, 1, 512), 37);    // width 1: no binning
    }
    void predictionsAreClampedToTheCap()
    {
        QCOMPARE(binOf(0, 50, 512), 50);
        QCOMPARE(binOf(-9, 1, 512), 1);
        QCOMPARE(binOf(9000, 50, 512), 550);
        QCOMPARE(binOf(9000, 1, 512), 512);
        QCOMPARE(binOf(2'000'000'000, 8192, 1'048'576), 1'048'576);
    }
    void theLimitLeavesAPassForTheEnd()
    {
        QCOMPARE(limitOfBin(50, 512), 51);
        QCOMPARE(limitOfBin(511, 512), 512);
        QCOMPARE(limitOfBin(512, 512), 512);
        QCOMPARE(limitOfBin(550, 512), 512);
    }
    void rowsByThePublishedTable()
    {
        const std::vector<std::pair<int, int>> table{{1, 256},  {50, 256}, {51, 128}, {100, 128}, {101, 64},
                                                     {150, 64}, {151, 32}, {200, 32}, {201, 16},  {512, 16}};
        for (const auto& [bin, rows] : table)
            QCOMPARE(rowsByTable(bin), rows);
    }
    void rowsByMemoryFillTheBudget()
    {
        // (100 prompt + 50) * 8 bytes = 1,200 a row; 12,000 - 1,000 hold 9 of them.
        QCOMPARE(rowsByMemory({64, 12'000, 1'000, 8, 100}, 50), 9);
        QCOMPARE(rowsByMemory({64, 12'000, 0, 8, 100}, 50), 10);
        QCOMPARE(rowsByMemory({7, 12'000, 0, 8, 100}, 50), 7);         // max_rows
        QCOMPARE(rowsByMemory({64, 12'000, 11'000, 8, 100}, 50), 0);   // not even one
        QCOMPARE(rowsByMemory({64, 12'000, 13'000, 8, 100}, 50), 0);   // a reserve above the budget
        QCOMPARE(rowsByMemory({64, std::nullopt, 0, 8, 100}, 50), 64); // no budget
    }
    void binsAscendAndTheOrderingDecidesInside()
    {
        // Same bin, keys 5 and 2; equal keys by arrival, then by index.
        std::vector<BinnedRequest> members{
            {100, {1, 0, 0}}, {50, {5, 0, 1}}, {50, {2, 9, 2}}, {50, {2, 3, 4}}, {50, {2, 3, 3}}};
        sortByBin(members);
        std::vector<RequestIndex> order;
        for (const BinnedRequest& member : members)
            order.push_back(member.order.request);
        QCOMPARE(order, (std::vector<RequestIndex>{3, 4, 2, 1, 0}));
    }
    void withoutVbsTheGroupIsCutEvenly()
    {
        QCOMPARE(shape(cutEvenly(membersOf({{50, 5}, {100, 6}}), 4)), (Shapes{{4, 50}, {4, 100}, {3, 100}}));
        QVERIFY(cutEvenly({}, 4).empty());
    }

    // r(50) = 256, threshold 128: a last cut of 128 stays.
    void aLastCutOfHalfTheRowsStays()
    {
        QCOMPARE(shape(cutByTable({{50, 128}, {100, 64}})), (Shapes{{128, 50}, {64, 100}}));
    }
    // 127 < 128: all of bin 50 goes behind the 64 of bin 100; r(100) = 128 cuts 191 into 128 and 63, and the
    // largest bin keeps its short cut. The second holds only requests of bin 50, so its limit is that bin's.
    void aShortLastCutGoesBehindTheNextBin()
    {
        const std::vector<MicroBatch> batches = cutByTable({{50, 127}, {100, 64}});
        QCOMPARE(shape(batches), (Shapes{{128, 100}, {63, 50}}));
        std::vector<RequestIndex> first = range(127, 190); // bin 100's own come first ...
        const std::vector<RequestIndex> appended = range(0, 63);
        first.insert(first.end(), appended.begin(),
                     appended.end()); // ... then those appended, in their order
        QCOMPARE(batches[0].rows, first);
        QCOMPARE(batches[1].rows, range(64, 126));
    }
    // Only the last cut moves: 300 = 256 + 44, and 44 < 128.
    void onlyTheLastCutMoves()
    {
        QCOMPARE(shape(cutByTable({{50, 300}, {250, 10}})),
                 (Shapes{{256, 50}, {16, 250}, {16, 50}, {16, 50}, {6, 50}}));
    }
    // The next *existing* larger bin: nothing is in 100 to 400.
    void emptyBinsAreSkipped() { QCOMPARE(shape(cutByTable({{50, 3}, {450, 5}})), (Shapes{{8, 450}})); }
    // A cut may move on and on: 50 -> 100 (threshold 64) -> 150 (32) -> 200 (16).
    void aMergedCutMayMoveAgain()
    {
        QCOMPARE(shape(cutByTable({{50, 5}, {100, 5}, {150, 5}, {200, 1}})), (Shapes{{16, 200}}));
    }
    void theLargestBinKeepsItsShortCut()
    {
        QCOMPARE(shape(cutByTable({{50, 2}})), (Shapes{{2, 50}}));
        QCOMPARE(shape(cutByTable({{500, 33}})), (Shapes{{16, 500}, {16, 500}, {1, 500}}));
    }
    void longBinsMergeBelowSixteen()
    {
        // r(250) = 16, threshold max(8, 16) = 16: 20 = 16 + 4, and 4 < 16.
        QCOMPARE(shape(cutByTable({{250, 20}, {300, 16}})), (Shapes{{16, 250}, {16, 300}, {4, 250}}));
    }

    // By memory the threshold is 16 whatever r is. r(50) = 40 and r(100) = 23: 56 = 40 + 16 stays as it is
    // ...
    void byMemoryTheThresholdIsSixteen()
    {
        GroupRules rules;
        rules.vbs = Vbs::Memory;
        rules.limits = true;
        const MemoryPacking packing{64, 40 * 70 * 10, 0, 10, 20}; // 28,000 bytes; (20 + bin) * 10 a row
        QCOMPARE(rules.rowsOf(50, 512, packing), 40);
        QCOMPARE(rules.rowsOf(100, 512, packing), 23);
        QCOMPARE(shape(rules.cut(membersOf({{50, 56}, {100, 20}}), 512, packing)),
                 (Shapes{{40, 50}, {16, 50}, {20, 100}}));
        // ... and 55 = 40 + 15 does not: 35 in bin 100, cut by 23.
        QCOMPARE(shape(rules.cut(membersOf({{50, 55}, {100, 20}}), 512, packing)),
                 (Shapes{{40, 50}, {23, 100}, {12, 50}}));
    }
    void withoutALimitTheCapStandsForTheBinInMemory()
    {
        GroupRules rules;
        rules.vbs = Vbs::Memory;
        const MemoryPacking packing{64, 28'000, 800, 10, 20};
        QCOMPARE(rules.rowsOf(50, 180, packing), 13); // 27,200 / ((20 + 180) * 10)
        rules.limits = true;
        QCOMPARE(rules.rowsOf(50, 180, packing), 38);
        QCOMPARE(rules.rowsOf(200, 180, packing), 13); // min(bin, cap)
        QCOMPARE(rules.rowsOfRecomputation(180, packing), 13);
    }
    void theTableReadsTheBinUpToTheCap()
    {
        GroupRules rules;
        rules.vbs = Vbs::Table;
        QCOMPARE(rules.rowsOf(150, 120, {}), 64);
        QCOMPARE(rules.rowsOf(100, 512, {}), 128);
        QCOMPARE(rules.rowsOf(120, 90, {}), 128); // a bin above the cap counts as the cap
        QCOMPARE(rules.rowsOfRecomputation(512, {}), 16);
        rules.vbs = Vbs::Off;
        QCOMPARE(rules.rowsOfRecomputation(512, {}), 16); // rows
    }
    void theHeaviestBatchIsThatOfItsLimit()
    {
        GroupRules rules;
        rules.vbs = Vbs::Table;
        rules.limits = true;
        const WorkExtent extent{1024, 30, 512, {}};
        // 256 * (30 + 51) = 20,736 against 128 * 131, 64 * 181, 32 * 231 and 16 * 542.
        QCOMPARE(rules.heaviest(extent).rows, 256);
        QCOMPARE(rules.heaviest(extent).limit_steps, 51);
        rules.limits = false;
        QCOMPARE(rules.heaviest(extent).limit_steps, 512);
        rules.vbs = Vbs::Off;
        QCOMPARE(rules.heaviest({10, 30, 512, {}}).rows, 10); // no more rows than requests
    }

    void everyRequestIsInExactlyOneMicroBatch()
    {
        const std::uint64_t seed = 11;
        qInfo("seed %llu", static_cast<unsigned long long>(seed));
        Random random(seed);
        for (int round = 0; round < 500; ++round) {
            std::map<int, int> counts;
            for (std::uint32_t i = 0; i <= random.below(8); ++i)
                counts[50 * (1 + static_cast<int>(random.below(11)))] =
                    1 + static_cast<int>(random.below(300));
            const std::vector<BinnedRequest> members = membersOf(counts);
            const int rows = 1 + static_cast<int>(random.below(70));
            const auto rowsOf = [rows](int bin) { return std::max(1, rows - bin / 20); };
            for (const auto& batches : {cutByBins(members, rowsByTable, tableMergeThreshold),
                                        cutByBins(members, rowsOf, [](int) { return k_least_cut; })}) {
                std::set<RequestIndex> seen;
                for (const MicroBatch& batch : batches)
                    for (const RequestIndex request : batch.rows)
                        QVERIFY(seen.insert(request).second);
                QCOMPARE(seen.size(), members.size());
            }
        }
    }
};

BATCHSCOPE_TEST(BinsTest)

} // namespace batchscope::tests

#include "bins_test.moc"
