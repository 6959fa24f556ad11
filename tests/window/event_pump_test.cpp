// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/event_pump.h"
#include "tests/support/demo_log.h"
#include "tests/support/test_main.h"

#include <thread>

using namespace batchscope;
using namespace batchscope::window;

class EventPumpTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void handsOverEveryEventOnceAndInOrder()
    {
        const auto stored = tests::demoRuns().front();
        EventPump pump;
        std::jthread producer([&] {
            pump.runStarted(0, 1, stored.record, Workload{});
            for (const Event& event : stored.log)
                pump.eventsAppended({event});
            pump.runEnded(stored.record);
            pump.finished({});
        });
        EventLog got;
        bool began = false, ended = false, finished = false;
        while (!finished) {
            for (News& news : pump.take()) {
                if (std::holds_alternative<RunBegan>(news)) began = true;
                if (auto* grown = std::get_if<RunGrown>(&news)) {
                    QVERIFY(began && !ended);
                    got.insert(got.end(), grown->events.begin(), grown->events.end());
                }
                if (std::holds_alternative<RunFinished>(news)) ended = true;
                finished |= std::holds_alternative<ExperimentFinished>(news);
            }
            std::this_thread::yield();
        }
        QVERIFY(ended);
        QCOMPARE(got, stored.log);
    }

    void joinsWhatGrewBetweenTwoFrames()
    {
        EventPump pump;
        pump.eventsAppended({Event{}, Event{}});
        pump.tokensAppended(3, 0, {1, 2});
        pump.eventsAppended({Event{}});
        const auto news = pump.take();
        QCOMPARE(news.size(), std::size_t{1});
        QCOMPARE(std::get<RunGrown>(news[0]).events.size(), std::size_t{3});
        QCOMPARE(std::get<RunGrown>(news[0]).tokens.size(), std::size_t{1});
        QVERIFY(pump.take().empty());
    }

    void keepsOnlyTheNewestProgressOfAPhase()
    {
        EventPump pump;
        for (int i = 0; i <= 100; ++i)
            pump.phaseChanged(app::Phase::LoadingModel, "loading", i / 100.0);
        pump.phaseChanged(app::Phase::Running, "running", -1);
        const auto news = pump.take();
        QCOMPARE(news.size(), std::size_t{2});
        QCOMPARE(std::get<PhaseNews>(news[0]).fraction, 1.0);
    }
};

BATCHSCOPE_TEST(EventPumpTest)
#include "event_pump_test.moc"
