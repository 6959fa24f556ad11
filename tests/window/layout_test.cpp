// SPDX-License-Identifier: GPL-3.0-or-later
// What a person sees and reaches: at the sizes the program is made for nothing is cut, and Tab goes
// everywhere.
#include "app/experiment/experiment.h"
#include "app/window/main_window.h"
#include "tests/support/demo_runner.h"
#include "tests/support/test_main.h"
#include "tests/window/window_place.h"
#include "widgets/look/chip.h"
#include "widgets/look/elided_label.h"
#include "widgets/look/theme.h"
#include "widgets/panels/compare_page.h"
#include "widgets/panels/delta_table.h"
#include "widgets/panels/run_page.h"

#include <QAbstractButton>
#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QScrollArea>
#include <QScrollBar>
#include <QTabBar>

using namespace batchscope;
using window::MainWindow;
using window::PageName;

namespace {

constexpr PageName k_pages[] = {PageName::Compose, PageName::Run, PageName::Compare};

// The example's four strategies, as measured runs: what the first minute with the program shows.
std::vector<sessions::StoredRun> exampleRuns(int repetitions = 1)
{
    const Workload workload = tests::demoWorkload(256);
    std::vector<sessions::StoredRun> runs;
    for (int repetition = 0; repetition < repetitions; ++repetition) {
        int order = 0;
        for (const auto& [name, strategy] :
             {std::pair{"vanilla", tests::vanilla(16)}, std::pair{"seqsch", tests::sequenceScheduling(16)},
              std::pair{"oracle", tests::sequenceScheduling(32)},
              std::pair{"oracle-vbs-fcr", tests::sequenceScheduling(64)}}) {
            sessions::StoredRun run = tests::demoRun(workload, strategy, order++);
            run.record.name = name;
            run.record.session = "Sequence scheduling against vanilla batching";
            run.record.provenance.measured = true;
            run.record.provenance.device = "CPU";
            run.record.provenance.dtype = "f32";
            run.record.repetition = repetition;
            *run.record.metrics->output_token_throughput *= 100 + repetition; // 5 digits, and a spread
            runs.push_back(std::move(run));
        }
    }
    return runs;
}

struct Shown // the window on the example session with runs of it on every page
{
    tests::Place place;
    std::unique_ptr<MainWindow> window;

    explicit Shown(QSize size, int repetitions = 1)
    {
        window::WindowOptions options = place.options();
        options.session = app::exampleSession();
        options.size = size;
        {
            sessions::RunStore store(options.database);
            for (sessions::StoredRun& run : exampleRuns(repetitions)) {
                run.record.uuid += "-" + std::to_string(run.record.repetition);
                options.compare.push_back(std::to_string(store.save(run)));
            }
        }
        window = std::make_unique<MainWindow>(options, tests::demoRunner());
        window->show();
        window->begin();
    }
    bool isReady()
    {
        return QTest::qWaitFor([this] { return window->isSettled(); }, 30000) &&
               QTest::qWaitForWindowActive(window.get());
    }
};

bool fits(const QFontMetrics& metrics, const QString& text, int width)
{
    return metrics.horizontalAdvance(text) <= width + 1;
}

// What a widget cannot show whole; empty where it can.
QString cutIn(const QWidget& w)
{
    const QFontMetrics metrics(w.font());
    const QString what = QLatin1String(w.metaObject()->className()) + QStringLiteral(": ");
    if (const auto* label = qobject_cast<const widgets::ElidedLabel*>(&w))
        return fits(metrics, label->text(), label->contentsRect().width()) ? QString() : what + label->text();
    if (qobject_cast<const widgets::SpareLabel*>(&w)) return {}; // whole or not at all
    if (const auto* label = qobject_cast<const QLabel*>(&w)) {
        if (label->text().isEmpty()) return {};
        const bool whole = label->wordWrap() ? label->heightForWidth(label->width()) <= label->height() + 1
                                             : label->sizeHint().width() <= label->width() + 1 &&
                                                   label->sizeHint().height() <= label->height() + 1;
        return whole ? QString() : what + label->text();
    }
    if (const auto* chip = qobject_cast<const widgets::ChipButton*>(&w)) {
        bool whole = chip->heightForWidth(chip->width()) <= chip->height();
        for (const QString& line : chip->lines(chip->width()))
            whole = whole && fits(metrics, line,
                                  chip->width() -
                                      (chip->sizeHint().width() - metrics.horizontalAdvance(chip->value())));
        return whole ? QString() : what + chip->text();
    }
    if (const auto* chip = qobject_cast<const widgets::Chip*>(&w))
        return chip->sizeHint().width() <= chip->width() ? QString() : what + chip->text();
    if (const auto* button = qobject_cast<const QAbstractButton*>(&w)) {
        const bool inner = button->objectName().startsWith(QLatin1String("qt_"));
        return inner || button->text().isEmpty() || button->sizeHint().width() <= button->width() + 1
                   ? QString()
                   : what + button->text();
    }
    if (const auto* box = qobject_cast<const QComboBox*>(&w))
        return fits(metrics, box->currentText(), box->width() - 28) ? QString() : what + box->currentText();
    if (const auto* edit = qobject_cast<const QLineEdit*>(&w))
        return fits(metrics, edit->text(), edit->width() - 4) ? QString() : what + edit->text();
    if (const auto* bar = qobject_cast<const QTabBar*>(&w))
        for (int tab = 0; tab < bar->count(); ++tab)
            if (!fits(metrics, bar->tabText(tab), bar->tabRect(tab).width() - 20))
                return what + bar->tabText(tab);
    return {};
}

QString cutIn(const widgets::DeltaTable& table)
{
    const auto& model = *table.model();
    const QFontMetrics small(widgets::smallerFont(table.font()));
    for (int column = 0; column < model.columnCount(); ++column) {
        const QString name = model.headerData(column, Qt::Horizontal).toString();
        if (!fits(table.horizontalHeader()->fontMetrics(), name, table.columnWidth(column) - 28)) return name;
        for (int row = 0; row < model.rowCount(); ++row) {
            const QModelIndex at = model.index(row, column);
            const int aside = table.spreadWidth(column) + table.changeWidth(column);
            const QRect text = table.fontMetrics().boundingRect(
                QRect(0, 0, table.columnWidth(column) - 12 - aside, 1000),
                column == 0 ? static_cast<int>(Qt::TextWordWrap) : 0, at.data().toString());
            const QRect change =
                small.boundingRect(QRect(0, 0, table.changeWidth(column), 1000), Qt::TextWordWrap,
                                   at.data(widgets::ComparisonModel::ChangeRole).toString());
            if (text.width() > table.columnWidth(column) - 12 - aside + 1 ||
                std::max(text.height(), change.height()) > table.rowHeight(row) ||
                change.width() > table.changeWidth(column) + 1)
                return at.data().toString();
        }
    }
    return table.horizontalScrollBar()->maximum() > 0 ? QStringLiteral("a run lies out of sight") : QString();
}

// Of an open page: everything that is cut, in itself or by what it lies in.
QStringList cutOn(MainWindow& window)
{
    QStringList all;
    for (const QWidget* w : window.findChildren<QWidget*>()) {
        if (!w->isVisible() || w->size().isEmpty()) continue;
        if (const QString text = cutIn(*w); !text.isEmpty()) all << text;
        if (const auto* area = qobject_cast<const QScrollArea*>(w))
            if (area->widget()->width() > area->viewport()->width())
                all << area->accessibleName() + QStringLiteral(" is wider than its place");
    }
    return all;
}

bool takesTab(const QWidget* w)
{
    return w->isVisible() && w->isEnabled() && (w->focusPolicy() & Qt::TabFocus) && !w->focusProxy() &&
           !qobject_cast<const QMenuBar*>(w);
}

// Every widget that Tab comes to, from `first` until it is there again.
QList<QWidget*> tabChain(QWidget* first)
{
    first->setFocus(Qt::TabFocusReason);
    QList<QWidget*> chain;
    for (int i = 0; i < 400; ++i) {
        QWidget* at = QApplication::focusWidget();
        if (!at || chain.contains(at)) break;
        chain << at;
        QTest::keyClick(at, Qt::Key_Tab);
    }
    return chain;
}

void collectActions(const QMenu& menu, QSet<const QAction*>& found)
{
    for (const QAction* action : menu.actions()) {
        found << action;
        if (action->menu()) collectActions(*action->menu(), found);
    }
}

} // namespace

class LayoutTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QApplication::setOrganizationName(QStringLiteral("batchscope-test")); }
    void cleanup() { widgets::applyTheme(*qApp, widgets::Theme::Light); }

    void nothingIsCut_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<bool>("dark");
        for (const QSize size : {QSize(1280, 800), QSize(1920, 1080)})
            for (const bool dark : {false, true})
                QTest::addRow("%dx%d %s", size.width(), size.height(), dark ? "dark" : "light")
                    << size << dark;
    }

    void nothingIsCut()
    {
        QFETCH(const QSize, size);
        QFETCH(const bool, dark);
        widgets::applyTheme(*qApp, dark ? widgets::Theme::Dark : widgets::Theme::Light);
        widgets::RunSet runs; // outlives the window that shows it
        Shown shown(size);
        QVERIFY(shown.isReady());
        QCOMPARE(shown.window->size(), size); // no panel makes the window larger than it was asked to be
        for (const auto& run : exampleRuns())
            runs.add(std::make_unique<widgets::RunData>(widgets::RunData::fromStored(run)));
        shown.window->runPage().setRuns(&runs);
        for (const PageName page : k_pages) {
            shown.window->showPage(page);
            QTest::qWait(30);
            const QStringList cut = cutOn(*shown.window);
            QVERIFY2(cut.isEmpty(), qPrintable(cut.join(QLatin1Char('\n'))));
        }
        const widgets::DeltaTable& table = shown.window->comparePage().tableView();
        QVERIFY2(cutIn(table).isEmpty(), qPrintable(cutIn(table)));
        const int rows = table.rowAt(table.viewport()->height() - 1) + 1;
        QVERIFY2(rows >= (size.height() < 1000 ? 13 : 24), qPrintable(QString::number(rows)));
    }

    void spreadsOfRepetitionsAreNotCutEither()
    {
        Shown shown(QSize(1920, 1080), 3);
        QVERIFY(shown.isReady());
        const widgets::DeltaTable& table = shown.window->comparePage().tableView();
        QCOMPARE(table.model()->columnCount(), 5); // 12 runs, 4 strategies
        QVERIFY(table.spreadWidth(1) > 0);
        QVERIFY2(cutIn(table).isEmpty(), qPrintable(cutIn(table)));
    }

    void tabComesToEverythingOnEveryPage()
    {
        Shown shown(QSize(1280, 800));
        QVERIFY(shown.isReady());
        for (const PageName page : k_pages) {
            shown.window->showPage(page);
            QTest::qWait(30);
            QWidget* first = nullptr;
            for (QWidget* w : shown.window->findChildren<QWidget*>())
                if (!first && takesTab(w)) first = w;
            QVERIFY(first);
            const QList<QWidget*> chain = tabChain(first);
            for (const QWidget* w : shown.window->findChildren<QWidget*>())
                QVERIFY2(
                    !takesTab(w) || chain.contains(w),
                    qPrintable(QStringLiteral("page %1: Tab does not come to %2 \"%3\"")
                                   .arg(static_cast<int>(page))
                                   .arg(QLatin1String(w->metaObject()->className()), w->accessibleName())));
        }
    }

    void tabGoesAsPeopleRead()
    {
        Shown shown(QSize(1280, 800));
        QVERIFY(shown.isReady());
        shown.window->showPage(PageName::Compose);
        QTest::qWait(30);
        const auto named = [&shown](const char* name) -> QWidget* {
            for (QWidget* w : shown.window->findChildren<QWidget*>())
                if (takesTab(w) && w->accessibleName() == QLatin1String(name)) return w;
            return nullptr;
        };
        const char* const order[] = {"Run",
                                     "Compose",
                                     "Source",
                                     "How many",
                                     "Seed",
                                     "Arrivals",
                                     "Temperature",
                                     "Run on",
                                     "Model",
                                     "Threads",
                                     "Name of the strategy"};
        QVERIFY(named("Run"));
        const QList<QWidget*> chain = tabChain(named("Run"));
        qsizetype last = -1;
        for (const char* name : order) {
            const qsizetype at = chain.indexOf(named(name));
            QVERIFY2(at > last, name);
            last = at;
        }
    }

    void everyActionIsInAMenu()
    {
        const tests::Place place;
        MainWindow window(place.options(), tests::demoRunner());
        QSet<const QAction*> found;
        for (const QAction* menu : window.menuBar()->actions()) {
            QVERIFY2(menu->text().contains(QLatin1Char('&')), qPrintable(menu->text()));
            collectActions(*menu->menu(), found);
        }
        for (const QAction* action : window.findChildren<QAction*>(QString(), Qt::FindDirectChildrenOnly))
            QVERIFY2(action->text().isEmpty() || action->isSeparator() || found.contains(action),
                     qPrintable(action->text()));
    }
};

BATCHSCOPE_TEST(LayoutTest)
#include "layout_test.moc"
