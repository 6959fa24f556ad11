// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/demo_log.h"
#include "tests/support/test_main.h"
#include "widgets/models/run_data.h"
#include "widgets/plots/map_geometry.h"
#include "widgets/plots/padding_map_view.h"

#include <numeric>

using namespace batchscope;
using widgets::MapGeometry;
using widgets::RunData;

namespace {

MapGeometry wide() // 10 pixels a step, 20 a slot
{
    return {QRectF(40, 10, 1000, 80), 0, 100, 4};
}

PaddingPiece piece(std::uint32_t slot, std::int64_t first, std::int64_t count, StepKind kind)
{
    PaddingPiece p;
    p.slot = slot;
    p.first = first;
    p.count = count;
    p.kind = kind;
    return p;
}

} // namespace

class MapGeometryTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void findsStepAndSlotUnderAPixel()
    {
        const MapGeometry g = wide();
        QCOMPARE(g.stepAt(40), std::optional<std::int64_t>(0));
        QCOMPARE(g.stepAt(49.9), std::optional<std::int64_t>(0));
        QCOMPARE(g.stepAt(50), std::optional<std::int64_t>(1));
        QCOMPARE(g.stepAt(1039.9), std::optional<std::int64_t>(99));
        QVERIFY(!g.stepAt(1040));
        QVERIFY(!g.stepAt(39));
        QCOMPARE(g.slotAt(10), std::optional<std::uint32_t>(0));
        QCOMPARE(g.slotAt(89.9), std::optional<std::uint32_t>(3));
        QVERIFY(!g.slotAt(90));
        for (int step = 0; step < 100; ++step)
            QCOMPARE(g.stepAt(g.xOf(step) + 5), std::optional<std::int64_t>(step));
    }

    void answersNothingForAnEmptyRangeOrNoSlots()
    {
        MapGeometry g = wide();
        g.last_step = g.first_step;
        QVERIFY(!g.stepAt(500));
        g = wide();
        g.slots = 0;
        QVERIFY(!g.slotAt(20));
        QVERIFY(widgets::foldPieces({}, wide()).empty());
    }

    void drawsAWidePieceAsItself()
    {
        const std::vector<PaddingPiece> pieces{piece(1, 5, 10, StepKind::Padding)};
        const auto cells = widgets::foldPieces(pieces, wide());
        QCOMPARE(cells.size(), std::size_t{1});
        QVERIFY(!cells[0].folded);
        QCOMPARE(cells[0].left, 90.0);
        QCOMPARE(cells[0].right, 190.0);
        QCOMPARE(cells[0].kind, StepKind::Padding);
    }

    // What is narrower than a pixel shares it, and nothing of it is lost: the mix has the pieces' widths.
    void foldsNarrowPiecesIntoTheirPixelWithoutLosingAny()
    {
        const MapGeometry g{QRectF(0, 0, 100, 20), 0, 1000, 1}; // ten steps a pixel
        std::vector<PaddingPiece> pieces;
        for (int step = 0; step < 1000; ++step)
            pieces.push_back(piece(0, step, 1, step % 10 < 7 ? StepKind::Useful : StepKind::Padding));
        const auto cells = widgets::foldPieces(pieces, g);
        QCOMPARE(cells.size(), std::size_t{100});
        double useful = 0, padding = 0;
        for (const auto& cell : cells) {
            QVERIFY(cell.folded);
            useful += static_cast<double>(cell.mix[static_cast<std::size_t>(StepKind::Useful)]);
            padding += static_cast<double>(cell.mix[static_cast<std::size_t>(StepKind::Padding)]);
        }
        QVERIFY(std::abs(useful - 70) < 0.01);
        QVERIFY(std::abs(padding - 30) < 0.01);
    }

    void clipsToWhatIsVisible()
    {
        MapGeometry g = wide();
        g.first_step = 50;
        g.last_step = 60;
        const std::vector<PaddingPiece> pieces{piece(0, 0, 40, StepKind::Useful),
                                               piece(0, 40, 15, StepKind::Padding)};
        const auto cells = widgets::foldPieces(pieces, g);
        QCOMPARE(cells.size(), std::size_t{1});
        QCOMPARE(cells[0].left, g.plot.left());
    }

    void hitsTheRightPieceOfAMapThatWasNeverShown()
    {
        const RunData run = RunData::fromStored(tests::demoRuns().front());
        const MapGeometry g{QRectF(0, 0, 2000, 160), 0, static_cast<double>(run.map().steps()),
                            run.map().slotCount()};
        int hits = 0;
        for (const PaddingPiece& wanted : run.map().pieces()) {
            const QRectF box =
                g.cell(wanted.slot, static_cast<double>(wanted.first), static_cast<double>(wanted.count));
            const PaddingPiece* found = widgets::pieceAt(run.map(), g, box.center());
            QVERIFY(found);
            QCOMPARE(*found, wanted);
            ++hits;
        }
        QVERIFY(hits > 100);
        QVERIFY(!widgets::pieceAt(run.map(), g, QPointF(-1, 5)));
    }

    void growsTheAxisInStepsAndEndsItWithTheRun()
    {
        QCOMPARE(widgets::axisEnd(0, false), widgets::axisEnd(60, false)); // no slide at every frame
        int changes = 0;
        for (int steps = 1; steps <= 2000; ++steps) {
            QVERIFY(widgets::axisEnd(steps, false) >= steps);
            changes += widgets::axisEnd(steps, false) != widgets::axisEnd(steps - 1, false);
        }
        QVERIFY2(changes < 20, qPrintable(QString::number(changes)));
        QCOMPARE(widgets::axisEnd(1234, true), std::int64_t{1234});
    }
};

BATCHSCOPE_TEST(MapGeometryTest)
#include "map_geometry_test.moc"
