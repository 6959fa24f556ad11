// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/exit_code.h"
#include "app/window/run_controller.h"
#include "scheduler/error.h"
#include "tests/support/demo_runner.h"
#include "tests/support/test_main.h"

#include <QSignalSpy>
#include <atomic>
#include <new>
#include <stdexcept>

using namespace batchscope;
using window::RunController;

namespace {

RunController::Runner throwing(const std::function<void()>& thrower)
{
    return [thrower](const auto&, const auto&, auto&, auto&, auto) -> app::ExperimentResult {
        thrower();
        return {};
    };
}

int exitCode(RunController& controller)
{
    QSignalSpy finished(&controller, &RunController::finished);
    controller.start({}, nullptr);
    if (!finished.wait(10000)) return -1;
    return finished.front().front().toInt();
}

} // namespace

class RunControllerTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void bringsEveryRunWholeToTheWindow()
    {
        RunController controller(tests::demoRunner());
        QSignalSpy frames(&controller, &RunController::framed);
        QCOMPARE(exitCode(controller), static_cast<int>(cli::Done));
        QCOMPARE(controller.runs().size(), 2);
        const auto expected = tests::demoRuns();
        for (int i = 0; i < 2; ++i) {
            QCOMPARE(controller.runs().at(i)->log(), expected[static_cast<std::size_t>(i)].log);
            QVERIFY(controller.runs().at(i)->ended());
            QCOMPARE(controller.runs().at(i)->delivered(), std::int64_t{96});
        }
        QVERIFY(frames.count() >= 1);
        const window::Progress progress = controller.progress();
        QCOMPARE(progress.fraction, 1.0);
        QVERIFY(!controller.isRunning());
    }

    void stopsWithinAFrameAndSaysCancelled()
    {
        RunController controller(tests::demoRunner(100000, std::chrono::milliseconds(1)));
        QSignalSpy finished(&controller, &RunController::finished);
        controller.start({}, nullptr);
        QTRY_VERIFY(controller.runs().size() > 0);
        controller.stop();
        QVERIFY(finished.wait(10000));
        QCOMPARE(finished.front().front().toInt(), static_cast<int>(cli::Cancelled));
    }

    void closesWhileARunGoesOn()
    {
        auto controller =
            std::make_unique<RunController>(tests::demoRunner(100000, std::chrono::milliseconds(1)));
        controller->start({}, nullptr);
        QTRY_VERIFY(controller->runs().size() > 0);
        controller.reset(); // joins: a hang fails by time-out, a crash at once
    }

    void tellsErrorsAndTheirExitCodes()
    {
        using engine::EngineError;
        const std::vector<std::pair<std::function<void()>, int>> cases{
            {[] { throw EngineError(engine::ErrorKind::Model, "out of memory"); }, cli::ModelProblem},
            {[] { throw EngineError(engine::ErrorKind::InvalidFile, "config.json is absent"); },
             cli::InvalidFile},
            {[] { throw EngineError(engine::ErrorKind::Cancelled, ""); }, cli::Cancelled},
            {[] { throw sessions::DocumentError("zero requests"); }, cli::InvalidFile},
            {[] { throw SchedulerError("a batch can never fit"); }, cli::InvalidFile},
            {[] { throw BackendError("device lost"); }, cli::ModelProblem},
            {[] { throw std::bad_alloc(); }, cli::ModelProblem},
            {[] { throw std::runtime_error("something else"); }, cli::Failed}};
        for (const auto& [thrower, code] : cases) {
            RunController controller(throwing(thrower));
            QSignalSpy notices(&controller, &RunController::noticed);
            QCOMPARE(exitCode(controller), code);
            QCOMPARE(notices.count(), code == cli::Cancelled ? 0 : 1);
        }
    }

    void runsAgainAfterAFailure()
    {
        int calls = 0;
        const auto good = tests::demoRunner();
        RunController controller(
            [&](const auto& d, const auto& o, auto& l, auto& c, auto s) -> app::ExperimentResult {
                if (++calls == 1) throw std::runtime_error("once");
                return good(d, o, l, c, s);
            });
        QCOMPARE(exitCode(controller), static_cast<int>(cli::Failed));
        QCOMPARE(exitCode(controller), static_cast<int>(cli::Done));
        QCOMPARE(controller.runs().size(), 2);
    }

    void pausesAndSteps()
    {
        RunControl* control = nullptr;
        std::atomic<bool> leave{false};
        RunController controller(
            [&](const auto&, const auto&, auto&, auto& c, std::stop_token stop) -> app::ExperimentResult {
                control = &c;
                while (!leave && !stop.stop_requested())
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                return {};
            });
        controller.start({}, nullptr);
        controller.togglePause();
        QVERIFY(controller.isPaused());
        QTRY_VERIFY(control && control->isPaused());
        controller.step(); // lets it make one decision; it stays paused
        QVERIFY(controller.isPaused());
        controller.togglePause();
        QVERIFY(!controller.isPaused());
        QVERIFY(!control->isPaused());
        leave = true;
        QTRY_VERIFY(!controller.isRunning());
    }
};

BATCHSCOPE_TEST(RunControllerTest)
#include "run_controller_test.moc"
