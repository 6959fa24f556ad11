// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/exit_code.h"
#include "app/experiment/experiment.h"
#include "app/window/main_window.h"
#include "app/window/screenshots.h"
#include "tests/support/demo_runner.h"
#include "tests/support/test_main.h"
#include "tests/window/window_place.h"
#include "widgets/look/notice_strip.h"
#include "widgets/look/theme.h"
#include "widgets/models/comparison_model.h"
#include "widgets/panels/compare_page.h"
#include "widgets/panels/map_panel.h"
#include "widgets/panels/reasons_panel.h"
#include "widgets/panels/run_page.h"
#include "widgets/panels/verdict_card.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QImage>
#include <QSet>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <fstream>

using namespace batchscope;
using tests::Place;
using window::MainWindow;
using window::PageName;
using window::WindowOptions;

namespace {

bool mapsLibrary(const std::string& name)
{
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
        if (line.find(name) != std::string::npos) return true;
    return false;
}

int colors(const QString& file)
{
    const QImage image(file);
    QSet<QRgb> all;
    for (int y = 0; y < image.height(); y += 3)
        for (int x = 0; x < image.width(); x += 3)
            all.insert(image.pixel(x, y));
    return static_cast<int>(all.size());
}

} // namespace

class MainWindowTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QApplication::setOrganizationName(QStringLiteral("batchscope-test"));
        widgets::applyTheme(*qApp, widgets::Theme::Light);
    }

    void opensTheExampleSessionWithoutMappingTorch()
    {
        const Place place;
        WindowOptions options = place.options();
        options.session = app::exampleSession();
        MainWindow window(options, tests::demoRunner());
        QSignalSpy settled(&window, &MainWindow::settled);
        window.show();
        window.begin();
        QTRY_VERIFY_WITH_TIMEOUT(window.isSettled(), 30000);
        QCOMPARE(window.startFailure(), 0);
        QVERIFY(window.editor().document().strategies.size() >= 2);
        QVERIFY(!window.editor().isChanged());
        QVERIFY2(!mapsLibrary("libtorch"), "libtorch is mapped before a model is loaded");
    }

    void runsASessionOnTheSimulatorAndComparesIt()
    {
        const Place place;
        app::Experiment experiment;
        MainWindow window(place.options(), [&experiment](const auto& d, const auto& o, auto& l, auto& c,
                                                         auto s) { return experiment.run(d, o, l, c, s); });
        QSignalSpy finished(&window, &MainWindow::runFinished);
        window.show();
        window.begin();
        QTRY_VERIFY_WITH_TIMEOUT(window.isSettled(), 30000);
        window.run();
        QVERIFY(finished.count() == 1 || finished.wait(60000));
        QVERIFY2(finished.front().front().toInt() == cli::Done, qPrintable(window.notices().text()));
        QTRY_VERIFY_WITH_TIMEOUT(window.isSettled(), 30000);
        QCOMPARE(window.controller().runs().size(), 2);
        QCOMPARE(window.comparePage().compared().size(), std::size_t{2});
        QVERIFY(window.comparePage().table().rowCount() > 10);
        QCOMPARE(window.comparePage().reasons().lines().size(), qsizetype{1});
        const auto& comparison = window.comparePage().table().comparison();
        QCOMPARE(window.comparePage().verdict().headline(), QString::fromStdString(comparison.headline));
        QVERIFY(comparison.headline.find("useful tokens a second") != std::string::npos);
        QVERIFY2(window.comparePage().verdict().comparability().contains(QStringLiteral("Comparable")),
                 qPrintable(window.comparePage().verdict().comparability()));
        // The stored run, opened again, shows what the live one showed.
        window.showPage(PageName::Run);
        const QString live = window.runPage().map().sharesText();
        window.openStoredRun(window.controller().runs().at(1)->record().id);
        QTRY_VERIFY_WITH_TIMEOUT(window.runPage().runs() != &window.controller().runs(), 30000);
        QCOMPARE(window.runPage().map().sharesText(), live);
    }

    void writesScreenshotsThatAreNotBlank()
    {
        const Place place;
        MainWindow window(place.options(), tests::demoRunner());
        window::ScreenshotTaker taker(window, place.path() / "pictures", true);
        QSignalSpy done(&taker, &window::ScreenshotTaker::done);
        window.show();
        window.begin();
        QTRY_VERIFY_WITH_TIMEOUT(window.isSettled(), 30000);
        window.run();
        QVERIFY(done.wait(60000));
        QCOMPARE(done.front().front().toInt(), static_cast<int>(cli::Done));
        for (const char* name : {"compose", "run", "compare"}) {
            const QString file =
                place.dir.filePath(QStringLiteral("pictures/%1.png").arg(QLatin1String(name)));
            QCOMPARE(QImage(file).size(), QSize(1280, 800));
            QVERIFY2(colors(file) > 25, name);
        }
    }

    void tellsABrokenSessionAndStaysUsable()
    {
        const Place place;
        const auto broken = place.path() / "broken.json";
        std::ofstream(broken) << "{\"schema\": \"batchscope.session/1\", \"strategies\": 7}";
        WindowOptions options = place.options();
        options.session = broken;
        MainWindow window(options, tests::demoRunner());
        window.show();
        window.begin();
        QTRY_VERIFY_WITH_TIMEOUT(window.isSettled(), 30000);
        QCOMPARE(window.startFailure(), static_cast<int>(cli::InvalidFile));
        QVERIFY2(window.notices().text().contains(QStringLiteral("broken.json")),
                 qPrintable(window.notices().text()));
        QVERIFY(window.openSession(place.session()));
        QCOMPARE(window.editor().document().strategies.size(), std::size_t{2});
    }

    void runsWithoutAStoreWhereItCannotBeOpened()
    {
        const Place place;
        WindowOptions options = place.options();
        std::ofstream(options.database)
            << "this is no database, and more than a hundred bytes of it: " << std::string(200, 'x');
        MainWindow window(options, tests::demoRunner());
        QSignalSpy finished(&window, &MainWindow::runFinished);
        window.show();
        window.begin();
        QTRY_VERIFY_WITH_TIMEOUT(window.isSettled(), 30000);
        QVERIFY2(window.notices().text().contains(QStringLiteral("runs.db")),
                 qPrintable(window.notices().text()));
        window.run();
        QVERIFY(finished.count() == 1 || finished.wait(60000));
        QCOMPARE(finished.front().front().toInt(), static_cast<int>(cli::Done));
        QCOMPARE(window.controller().runs().size(), 2);
    }

    void repetitionsAreOneColumnEach()
    {
        const Place place;
        app::Experiment experiment;
        MainWindow window(place.options(), [&experiment](const auto& d, const auto& o, auto& l, auto& c,
                                                         auto s) { return experiment.run(d, o, l, c, s); });
        QSignalSpy finished(&window, &MainWindow::runFinished);
        window.show();
        window.begin();
        QTRY_VERIFY_WITH_TIMEOUT(window.isSettled(), 30000);
        window.editor().change(QStringLiteral("repeat"), [](sessions::SessionDocument& d) {
            d.repetitions = 3;
            d.vary_seed = false;
        });
        window.run();
        QVERIFY(finished.count() == 1 || finished.wait(60000));
        QTRY_VERIFY_WITH_TIMEOUT(window.isSettled(), 30000);
        QCOMPARE(window.controller().runs().size(), 6);
        QCOMPARE(window.comparePage().compared().size(), std::size_t{2});
        QCOMPARE(window.comparePage().table().compared().repetitions, (std::vector<std::int64_t>{3, 3}));
        // Virtual time repeats to the nanosecond: what differs is no noise, and there is no spread.
        const auto& table = window.comparePage().table();
        QVERIFY(table.index(0, 1).data(widgets::ComparisonModel::SpreadRole).toString().isEmpty());
        QVERIFY(table.index(0, 2).data(widgets::ComparisonModel::DirectionRole).toInt() != 0);
    }

    void goesWithoutHarmWhileTheSessionHasChanges()
    {
        const Place place;
        auto window = std::make_unique<MainWindow>(place.options(), tests::demoRunner());
        window->begin();
        QTRY_VERIFY_WITH_TIMEOUT(window->isSettled(), 30000);
        window->editor().change(QStringLiteral("seed"),
                                [](sessions::SessionDocument& d) { d.workload.seed = 7; });
        QVERIFY(window->editor().isChanged());
        window.reset(); // the undo stack's last signal found a controller that had gone
    }

    void saysBeforeTheRunThatPicturesCannotBeWritten()
    {
        const Place place;
        QVERIFY(window::screenshotsFault(place.path() / "new" / "pictures").empty());
        QVERIFY(std::filesystem::is_empty(place.path() / "new" / "pictures")); // the try left nothing
        for (const auto& folder :
             {place.session(), place.session() / "below", std::filesystem::path("/proc")}) {
            const std::string fault = window::screenshotsFault(folder);
            QVERIFY2(fault.find(folder.string()) != std::string::npos, fault.c_str());
            QVERIFY2(fault.find("--screenshots") != std::string::npos, fault.c_str());
        }
    }

    void everythingThatTakesTheFocusHasAName()
    {
        const Place place;
        MainWindow window(place.options(), tests::demoRunner());
        window.show();
        window.begin();
        QTRY_VERIFY_WITH_TIMEOUT(window.isSettled(), 30000);
        for (const QWidget* widget : window.findChildren<QWidget*>()) {
            const bool inner = widget->objectName().startsWith(QLatin1String("qt_")) ||
                               qobject_cast<const QAbstractButton*>(widget) != nullptr;
            if (widget->focusPolicy() == Qt::NoFocus || widget->focusProxy() || inner) continue;
            if (widget->parentWidget() && widget->parentWidget()->inherits("QAbstractSpinBox")) continue;
            if (widget->parentWidget() && widget->parentWidget()->inherits("QComboBox")) continue;
            if (widget->inherits("QComboBoxPrivateContainer") || widget->inherits("QComboBoxListView"))
                continue;
            if (widget->inherits("QScrollArea") ||
                widget->inherits("QLabel") || // a label is read by its text
                widget->inherits("QMenu") || widget->inherits("QMenuBar"))
                continue;
            QVERIFY2(!widget->accessibleName().isEmpty(),
                     qPrintable(QLatin1String(widget->metaObject()->className()) + QLatin1Char(' ') +
                                widget->objectName()));
        }
        for (const QAbstractButton* button : window.findChildren<QAbstractButton*>())
            if (button->focusPolicy() != Qt::NoFocus &&
                !button->objectName().startsWith(QLatin1String("qt_")))
                QVERIFY(!button->accessibleName().isEmpty() || !button->text().isEmpty());
    }

    void everyShortcutIsGivenOnce()
    {
        const Place place;
        MainWindow window(place.options(), tests::demoRunner());
        QStringList keys;
        for (const QAction* action : window.findChildren<QAction*>())
            if (!action->shortcut().isEmpty()) keys << action->shortcut().toString();
        QVERIFY(keys.size() >= 10);
        QCOMPARE(QSet<QString>(keys.begin(), keys.end()).size(), keys.size());
    }
};

BATCHSCOPE_TEST(MainWindowTest)
#include "main_window_test.moc"
