// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/demo_log.h"
#include "tests/support/test_main.h"
#include "widgets/look/theme.h"
#include "widgets/panels/map_panel.h"
#include "widgets/panels/queue_panel.h"
#include "widgets/panels/run_page.h"
#include "widgets/panels/throughput_panel.h"
#include "widgets/panels/why_panel.h"
#include "widgets/plots/padding_map_view.h"
#include "widgets/plots/throughput_view.h"

#include <QApplication>
#include <QImage>
#include <QLabel>
#include <QSet>

using namespace batchscope;
using widgets::RunData;
using widgets::RunPage;
using widgets::RunSet;

namespace {

sessions::RunRecord unfinished(sessions::RunRecord record)
{
    record.status.reset();
    record.metrics.reset();
    return record;
}

std::vector<std::vector<Event>> frames(const EventLog& log, std::size_t count)
{
    std::vector<std::vector<Event>> all;
    for (std::size_t i = 0; i < count; ++i)
        all.emplace_back(log.begin() + static_cast<std::ptrdiff_t>(log.size() * i / count),
                         log.begin() + static_cast<std::ptrdiff_t>(log.size() * (i + 1) / count));
    return all;
}

int colors(const QImage& image)
{
    QSet<QRgb> all;
    for (int y = 0; y < image.height(); y += 2)
        for (int x = 0; x < image.width(); x += 2)
            all.insert(image.pixel(x, y));
    return static_cast<int>(all.size());
}

} // namespace

class RunPageTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { widgets::applyTheme(*qApp, widgets::Theme::Light); }

    void replotsEachVisiblePlotOnceAFrame()
    {
        const auto stored = tests::demoRuns().front();
        RunSet runs;
        RunPage page;
        page.resize(1280, 720);
        page.setRuns(&runs);
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        RunData& live = runs.add(std::make_unique<RunData>(unfinished(stored.record), stored.requests));
        QCoreApplication::processEvents();
        const int map_before = page.map().view().replots(), strip_before = page.throughput().view().replots();
        int ticks = 0;
        for (const auto& frame : frames(stored.log, 40)) {
            live.append(frame);
            page.refresh();
            QCoreApplication::processEvents();
            ++ticks;
        }
        QCOMPARE(page.map().view().replots() - map_before, ticks);
        QCOMPARE(page.throughput().view().replots() - strip_before, ticks);
        page.hide();
        const int hidden = page.map().view().replots();
        page.refresh();
        QCoreApplication::processEvents();
        QCOMPARE(page.map().view().replots(), hidden);
    }

    void showsTheSameSharesForAStoredRunAsForTheLiveOne()
    {
        for (const auto& stored : tests::demoRuns()) {
            RunSet live_runs, stored_runs;
            RunPage live_page, stored_page;
            live_page.setRuns(&live_runs);
            stored_page.setRuns(&stored_runs);
            RunData& live =
                live_runs.add(std::make_unique<RunData>(unfinished(stored.record), stored.requests));
            for (const auto& frame : frames(stored.log, 23)) {
                live.append(frame);
                live_page.refresh();
            }
            live.finish(stored.record);
            stored_runs.add(std::make_unique<RunData>(RunData::fromStored(stored)));
            const QString text = live_page.map().sharesText();
            QVERIFY(text.contains(QStringLiteral("% useful")));
            QCOMPARE(stored_page.map().sharesText(), text);
            QCOMPARE(stored_runs.at(0)->map().pieces(), live.map().pieces());
            // ... and as the metrics say
            const auto& steps = stored.record.metrics->steps;
            QCOMPARE(live.map().total(StepKind::Padding), steps.padding);
            QCOMPARE(live.map().total(StepKind::Useful), steps.useful);
        }
    }

    void walksThroughTheDecisionsOfAnEndedRun()
    {
        RunSet runs;
        RunPage page;
        page.resize(1280, 720);
        page.setRuns(&runs);
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        const RunData& run =
            runs.add(std::make_unique<RunData>(RunData::fromStored(tests::demoRuns().back())));
        const auto& decisions = run.queue().decisions();
        QVERIFY(decisions.size() > 50);
        page.why().setDecision(1);
        QCOMPARE(page.queue().model().rowCount(), 96); // all of them wait before the first pick
        page.why().setDecision(20);
        QCOMPARE(page.why().decision(), 20);
        QCOMPARE(page.queue().model().rowCount(), 96 - 19); // two batches of eight have gone
        QVERIFY(
            page.why().text().contains(QStringLiteral("r") + QString::number(decisions[19].picked.request)));
        // Pinning a request anywhere shows why it was picked.
        page.selection().pin(decisions[40].picked.request);
        QCOMPARE(page.why().decision(), 41);
    }

    void marksHoverOnItsOwnLayerWithoutReplotting()
    {
        RunSet runs;
        RunPage page;
        page.resize(1280, 720);
        page.setRuns(&runs);
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        runs.add(std::make_unique<RunData>(RunData::fromStored(tests::demoRuns().front())));
        QCoreApplication::processEvents();
        const int before = page.map().view().replots();
        page.selection().hover(RequestIndex{3});
        page.selection().hover(RequestIndex{9});
        QCoreApplication::processEvents();
        QCOMPARE(page.map().view().replots(), before);
    }

    void tellsWhatIsUnderTheCursor()
    {
        RunSet runs;
        RunPage page;
        page.resize(1280, 720);
        page.setDecoder(
            [](const std::vector<TokenId>& ids) { return QStringLiteral("text of %1 ids").arg(ids.size()); });
        page.setRuns(&runs);
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        const RunData& run =
            runs.add(std::make_unique<RunData>(RunData::fromStored(tests::demoRuns().front())));
        QCoreApplication::processEvents();
        auto* tip = page.map().findChild<QLabel*>(QStringLiteral("plotTip"));
        QVERIFY(tip);
        QVERIFY(!tip->isVisible());
        // A piece of padding wide enough to be hit in its middle.
        QWidget* plot = page.map().view().childAt(page.map().view().rect().center());
        QVERIFY(plot);
        const PaddingPiece* wanted = nullptr;
        QPoint at;
        for (int x = 40; x < plot->width() && !wanted; x += 3)
            for (int y = 10; y < plot->height() && !wanted; y += 3)
                if (const PaddingPiece* p = page.map().view().pieceUnder(QPointF(x, y));
                    p && p->kind == StepKind::Padding) {
                    wanted = p;
                    at = QPoint(x, y);
                }
        QVERIFY(wanted);
        QTest::mouseMove(plot, at);
        QVERIFY(tip->isVisible());
        QVERIFY2(tip->text().contains(QStringLiteral("r%1</b>").arg(wanted->request)),
                 qPrintable(tip->text()));
        QVERIFY(tip->text().contains(QStringLiteral("steps padding")));
        const RequestFigures* figures = run.figures(wanted->request);
        QVERIFY(tip->text().contains(QString::number(figures->output_tokens)));
        QVERIFY(page.map().rect().contains(tip->geometry()));
        QCOMPARE(page.selection().hovered(), std::optional(wanted->request));
        QTest::mouseClick(plot, Qt::LeftButton, {}, at);
        QCOMPARE(page.selection().pinned(), std::optional(wanted->request));
    }

    void theMapIsZoomedAndMovedByKeys()
    {
        RunSet runs;
        RunPage page;
        page.resize(1280, 720);
        page.setRuns(&runs);
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        runs.add(std::make_unique<RunData>(RunData::fromStored(tests::demoRuns().front())));
        widgets::PaddingMapView& view = page.map().view();
        QWidget* plot = view.findChild<QWidget*>();
        const auto whole = view.shownSteps();
        QTest::keyClick(plot, Qt::Key_Plus);
        const auto closer = view.shownSteps();
        QVERIFY(closer.second - closer.first < whole.second - whole.first);
        QVERIFY(!view.isFollowing());
        QTest::keyClick(plot, Qt::Key_Left);
        QVERIFY(view.shownSteps().first < closer.first);
        for (int i = 0; i < 20; ++i)
            QTest::keyClick(plot, Qt::Key_Right);
        QCOMPARE(view.shownSteps().second, whole.second); // and no further
        QTest::keyClick(plot, Qt::Key_Home);
        QVERIFY(view.isFollowing());
        QCOMPARE(view.shownSteps(), whole);
    }

    void isNotBlankInEitherTheme()
    {
        for (const widgets::Theme theme : {widgets::Theme::Light, widgets::Theme::Dark}) {
            widgets::applyTheme(*qApp, theme);
            RunSet runs;
            RunPage page;
            page.resize(1280, 720);
            page.setRuns(&runs);
            page.show();
            QVERIFY(QTest::qWaitForWindowExposed(&page));
            runs.add(std::make_unique<RunData>(RunData::fromStored(tests::demoRuns().back())));
            QCoreApplication::processEvents();
            QCoreApplication::processEvents();
            const QImage picture = page.map().view().grab().toImage();
            const widgets::Tokens& t = widgets::tokens(theme);
            bool useful = false, padding = false;
            for (int y = 0; y < picture.height(); ++y)
                for (int x = 0; x < picture.width(); ++x) {
                    useful |= picture.pixelColor(x, y) == t.useful;
                    padding |= picture.pixelColor(x, y) == t.padding;
                }
            QVERIFY(useful);
            QVERIFY(padding);
            QVERIFY(colors(page.grab().toImage()) > 30);
            page.setRuns(nullptr);
        }
    }

    void drawsTheSameAmountHoweverTheStripIsAveraged()
    {
        const RunData run = RunData::fromStored(tests::demoRuns().front());
        const auto fine = widgets::stripPoints(run.strip(), 100000, true);
        const auto coarse = widgets::stripPoints(run.strip(), 10, true);
        QVERIFY(coarse.size() <= 10);
        double in_buckets = 0;
        for (const ThroughputBucket& bucket : run.strip().buckets())
            in_buckets += bucket.useful;
        QVERIFY(in_buckets > 0);
        QCOMPARE(qRound64(in_buckets), static_cast<qint64>(run.map().total(StepKind::Useful)));
        double averaged = 0, left = 0; // each point stands for the span around it
        for (const auto& p : coarse) {
            const double span = 2 * (p.at_s - left);
            averaged += p.useful * span;
            left += span;
        }
        QVERIFY2(std::abs(averaged - in_buckets) < 1e-6 * in_buckets, qPrintable(QString::number(averaged)));
        QVERIFY(fine.size() >= coarse.size());
    }
};

BATCHSCOPE_TEST(RunPageTest)
#include "run_page_test.moc"
