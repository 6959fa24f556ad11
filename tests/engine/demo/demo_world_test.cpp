// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/demo/checker.h"
#include "engine/demo/things.h"
#include "engine/demo/world.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

using namespace batchscope::engine;

class DemoWorldTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void an_item_is_a_function_of_split_index_and_seed();
    void items_stay_what_they_were_when_the_model_was_trained();
    void no_key_lies_in_two_splits();
    void instructions_of_a_served_split_are_all_different();
    void every_task_is_served_and_trained();
    void answers_run_from_one_word_to_several_paragraphs();
    void the_checker_accepts_every_reference_answer();
    void the_checker_accepts_the_closing_but_nothing_after_it();
    void the_checker_rejects_damaged_answers();
    void every_thing_has_a_friend_and_known_facts();
    void an_unknown_key_is_refused_data();
    void an_unknown_key_is_refused();
};

namespace {

const std::vector<DemoSplit> k_splits = {DemoSplit::ModelTraining, DemoSplit::PredictorTraining,
                                         DemoSplit::HeldOut, DemoSplit::DemoPrompts};

} // namespace

void DemoWorldTest::an_item_is_a_function_of_split_index_and_seed()
{
    for (const DemoSplit split : k_splits) {
        QCOMPARE(demoItem(split, 17, 1), demoItem(split, 17, 1));
        QVERIFY(demoItem(split, 17, 1) != demoItem(split, 18, 1));
        QVERIFY(demoItem(split, 17, 1) != demoItem(split, 17, 2));
        const auto few = demoItems(split, 20, 5);
        const auto more = demoItems(split, 40, 5);
        QVERIFY(std::equal(few.begin(), few.end(), more.begin()));
    }
}

void DemoWorldTest::items_stay_what_they_were_when_the_model_was_trained()
{
    std::uint64_t hash = 0;
    for (std::uint64_t index = 0; index < 2000; ++index) {
        const DemoItem item = demoItem(DemoSplit::ModelTraining, index, 1);
        hash = mixBits(hash ^ hashText(item.key + item.instruction + item.answer));
    }
    QCOMPARE(hash, std::uint64_t{0x46c4089d1f7504c}); // a change of the world needs a newly trained model
}

void DemoWorldTest::no_key_lies_in_two_splits()
{
    std::map<std::string, DemoSplit> seen;
    for (const DemoSplit split : k_splits) {
        for (std::uint64_t index = 0; index < 3000; ++index) {
            const DemoItem item = demoItem(split, index, 3);
            const auto [at, isNew] = seen.emplace(item.key, split);
            QVERIFY2(isNew || at->second == split, item.key.c_str());
            QCOMPARE(splitOf(item.key), split);
        }
    }
}

void DemoWorldTest::instructions_of_a_served_split_are_all_different()
{
    std::set<std::string> instructions;
    for (const DemoItem& item : demoItems(DemoSplit::DemoPrompts, 1024, 1))
        QVERIFY2(instructions.insert(item.instruction).second, item.instruction.c_str());
}

void DemoWorldTest::every_task_is_served_and_trained()
{
    QVERIFY(demoTasks().size() >= 20);
    for (const DemoSplit split : {DemoSplit::ModelTraining, DemoSplit::DemoPrompts}) {
        std::set<std::string> tasks;
        for (std::uint64_t index = 0; index < 1500; ++index)
            tasks.insert(demoItem(split, index, 1).task);
        QCOMPARE(tasks.size(), demoTasks().size());
    }
}

void DemoWorldTest::answers_run_from_one_word_to_several_paragraphs()
{
    std::vector<std::size_t> lengths;
    for (const DemoItem& item : demoItems(DemoSplit::DemoPrompts, 1024, 1))
        lengths.push_back(item.answer.size());
    std::sort(lengths.begin(), lengths.end());
    QVERIFY(lengths.front() < 10);
    QVERIFY(lengths[512] > 200 && lengths[512] < 500);
    QVERIFY(lengths.back() > 1200 && lengths.back() < 2200);
}

void DemoWorldTest::the_checker_accepts_every_reference_answer()
{
    for (const DemoSplit split : k_splits) {
        for (std::uint64_t index = 0; index < 1000; ++index) {
            const DemoItem item = demoItem(split, index, 9);
            QVERIFY2(isRight(item, item.answer), item.key.c_str());
            QVERIFY2(isRight(item, " " + item.answer + "\n"), item.key.c_str());
        }
    }
}

void DemoWorldTest::the_checker_accepts_the_closing_but_nothing_after_it()
{
    int with_closing = 0;
    for (const Task& task : demoTasks()) {
        if (task.tail.empty()) continue;
        ++with_closing;
        DemoRandom random(4);
        const TaskParams p = task.draw(random);
        DemoItem item;
        item.key = std::string(task.name) + ":" + std::to_string(p[0]) + "." + std::to_string(p[1]) + "." +
                   std::to_string(p[2]) + "." + std::to_string(p[3]);
        const std::string closed = task.answer(p) + std::string(task.tail);
        QVERIFY2(isRight(item, closed), item.key.c_str());
        QVERIFY2(!isRight(item, closed + std::string(task.tail)), item.key.c_str());
        QVERIFY2(!isRight(item, closed.substr(0, closed.size() - 5)), item.key.c_str());
    }
    QVERIFY(with_closing >= 3);
}

void DemoWorldTest::the_checker_rejects_damaged_answers()
{
    for (std::uint64_t index = 0; index < 1000; ++index) {
        const DemoItem item = demoItem(DemoSplit::DemoPrompts, index, 11);
        QVERIFY2(!isRight(item, ""), item.key.c_str());
        QVERIFY2(!isRight(item, item.answer.substr(1)), item.key.c_str());
        QVERIFY2(!isRight(item, item.answer.substr(0, item.answer.size() - 1)), item.key.c_str());
        QVERIFY2(!isRight(item, item.answer + " " + item.answer), item.key.c_str());
        std::string swapped = item.answer;
        char& middle = swapped[swapped.size() / 2];
        middle = middle == 'e' ? 'a' : 'e';
        QVERIFY2(!isRight(item, swapped), item.key.c_str());
    }
}

void DemoWorldTest::every_thing_has_a_friend_and_known_facts()
{
    QCOMPARE(static_cast<int>(things().size()), ThingCount);
    QCOMPARE(static_cast<int>(kinds().size()), KindCount);
    std::set<std::string_view> names;
    const auto known = [](std::span<const std::string_view> all, std::string_view one) {
        return std::find(all.begin(), all.end(), one) != all.end();
    };
    for (const Thing& t : things()) {
        const QByteArray name(t.name.data(), static_cast<qsizetype>(t.name.size()));
        QVERIFY2(names.insert(t.name).second, name.constData());
        QVERIFY2(friendOf(t).name != t.name, name.constData());
        QVERIFY2(known(colours(), t.colour), name.constData());
        QVERIFY2(known(seasons(), t.season), name.constData());
        QVERIFY2(known(homes(), t.home), name.constData());
        QVERIFY2(t.parts.size() >= 2 && t.parts.size() <= 5, name.constData());
        QVERIFY2(!t.notes.empty() && t.notes.size() <= 6, name.constData());
        for (const char digit : t.notes)
            QVERIFY2(digit >= '0' && digit - '0' < static_cast<int>(kindOf(t).notes.size()),
                     name.constData());
    }
}

void DemoWorldTest::an_unknown_key_is_refused_data()
{
    QTest::addColumn<QString>("key");
    QTest::newRow("empty") << "";
    QTest::newRow("no task") << "sonnet:1.2.3.4";
    QTest::newRow("no parameters") << "story";
    QTest::newRow("too few parameters") << "story:1.2";
    QTest::newRow("no numbers") << "story:a.b.c.d";
}

void DemoWorldTest::an_unknown_key_is_refused()
{
    QFETCH(QString, key);
    QVERIFY_THROWS_EXCEPTION(std::out_of_range, parseDemoKey(key.toStdString()));
}

BATCHSCOPE_TEST(DemoWorldTest)
#include "demo_world_test.moc"
