// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks whose answer has a form of its own: table, quiz, instructions, plan of a week.
#include "engine/demo/phrases.h"
#include "engine/demo/task.h"

#include <vector>

namespace batchscope::engine {
namespace {

using namespace phrases;

// --- table of two or three things ---

TaskParams drawTable(DemoRandom& r)
{
    const int first = r.below(ThingCount);
    const int second = (first + 1 + r.below(ThingCount - 1)) % ThingCount;
    int third = r.below(ThingCount);
    while (third == first || third == second) {
        third = r.below(ThingCount);
    }
    return {first, second, r.below(2) == 0 ? -1 : third, r.below(3)};
}

std::string_view column(const Thing& t, int index)
{
    return index == 0 ? t.colour : index == 1 ? t.size : t.season;
}

constexpr std::array<std::string_view, 3> columnNames = {"colour", "size", "season"};

std::string askTable(const TaskParams& p, int wording)
{
    const std::string third = p[2] < 0 ? "" : join({", ", thing(p[2]).name});
    return join({wording == 0 ? "Make a table of " : "Put into a table: ", thing(p[0]).name, ", ",
                 thing(p[1]).name, third, " with ", columnNames[static_cast<std::size_t>(p[3])],
                 " and nature."});
}

std::string answerTable(const TaskParams& p)
{
    std::string text = join({"| name | ", columnNames[static_cast<std::size_t>(p[3])], " | nature |"});
    for (std::size_t i = 0; i < 3; ++i) {
        if (p[i] >= 0) {
            const Thing& t = thing(p[i]);
            text += join({"\n| ", t.name, " | ", column(t, p[3]), " | ", t.trait, " |"});
        }
    }
    return text;
}

// --- quiz ---

TaskParams drawQuiz(DemoRandom& r)
{
    return {r.below(ThingCount), r.below(AudienceCount), r.below(3), 0};
}

std::string askQuiz(const TaskParams& p, int wording)
{
    static constexpr std::array<std::string_view, 3> levels = {"an easy", "a normal", "a hard"};
    return join({wording == 0 ? "Write " : "Prepare ", levels[static_cast<std::size_t>(p[2])],
                 " quiz about the ", thing(p[0]).name, forAudience(p[1]), "."});
}

std::string answerQuiz(const TaskParams& p)
{
    const Thing& t = thing(p[0]);
    const Kind& kind = kindOf(t);
    std::string text = join({opening(p[1]), "Here is a quiz about the ", t.name,
                             ".\nQuestion: What colour is it?\nAnswer: ", capital(t.colour),
                             ".\nQuestion: ", fill(kind.asksHome, t.name), "\nAnswer: ", homeSentence(t)});
    if (p[2] >= 1) {
        text += join({"\nQuestion: ", fill(kind.asksNeed, t.name), "\nAnswer: ", needSentence(t)});
        text += join({"\nQuestion: What is its best time?\nAnswer: ", seasonSentence(t)});
    }
    if (p[2] == 2) {
        text += join({"\nQuestion: What parts does it have?\nAnswer: ", partsSentence(t)});
        text += join({"\nQuestion: What do people say about it?\nAnswer: ", notesParagraph(t)});
    }
    return join({text, closing(p[1])});
}

// --- how to look after it ---

TaskParams drawCare(DemoRandom& r)
{
    return {r.below(ThingCount), r.below(AudienceCount), r.below(4), 0};
}

std::string askCare(const TaskParams& p, int wording)
{
    return join({wording == 0 ? "How do I look after the " : "Give me the steps of caring for the ",
                 thing(p[0]).name, " in ", seasons()[static_cast<std::size_t>(p[2])],
                 wording == 0 ? "? Explain it" : ", explained", p[1] == 0 ? " to me" : forAudience(p[1]),
                 "."});
}

std::string answerCare(const TaskParams& p)
{
    const Thing& t = thing(p[0]);
    static constexpr std::array<std::string_view, 4> weather = {
        "Wait for the first warm day.", "Find some shade before noon.",
        "Sweep away the wet leaves. Mind the fog.",
        "Clear the snow first. Wear gloves. Work quickly, since the day is short."};
    std::string text = join({opening(p[1]), "The ", t.name, " ", kindOf(t).lives, " ", t.home,
                             ", so go there.\n1. ", weather[static_cast<std::size_t>(p[2])]});
    int step = 2;
    for (const std::string_view care : kindOf(t).care) {
        text += join({"\n", std::to_string(step++), ". ", care});
    }
    for (const std::string_view part : t.parts) {
        text += join({"\n", std::to_string(step++), ". Look at ", part, "."});
    }
    if (t.season == seasons()[static_cast<std::size_t>(p[2])]) {
        text += "\nThis is its best time, so enjoy it.";
    }
    return join({text, closing(p[1])});
}

// --- plan of a week ---

TaskParams drawWeek(DemoRandom& r)
{
    return {r.below(ThingCount), r.below(12), r.below(2), 0};
}

std::string askWeek(const TaskParams& p, int wording)
{
    return join({wording == 0 ? "Plan " : "Make a plan for ",
                 p[2] == 0 ? "the working week" : "the whole week", " of ",
                 people()[static_cast<std::size_t>(p[1])], " with the ", thing(p[0]).name, "."});
}

std::string answerWeek(const TaskParams& p)
{
    const Thing& t = thing(p[0]);
    const std::string_view who = people()[static_cast<std::size_t>(p[1])];
    std::string text = join({"Monday: ",
                             who,
                             " goes to see the ",
                             t.name,
                             " ",
                             t.home,
                             ".\nTuesday: ",
                             who,
                             " reads that ",
                             "it can ",
                             t.ability,
                             ".\nWednesday: ",
                             who,
                             " looks for ",
                             partsList(t),
                             ".\nThursday: ",
                             who,
                             " learns about ",
                             t.need,
                             ".\nFriday: ",
                             who,
                             " tells a friend about the ",
                             t.name,
                             "."});
    if (p[2] == 1) {
        text += join({"\nSaturday: ", who, " visits the ", t.friendName, ". ", homeSentence(friendOf(t)),
                      "\nSunday: ", who, " rests and thinks. ", notesParagraph(t)});
    }
    return text;
}

} // namespace

std::span<const Task> tableTasks()
{
    static const std::vector<Task> tasks = {
        {"table", 20, 25, 2, drawTable, askTable, answerTable},
        {"quiz", 50, 40, 2, drawQuiz, askQuiz, answerQuiz},
        {"care", 50, 45, 2, drawCare, askCare, answerCare},
        {"week", 40, 40, 2, drawWeek, askWeek, answerWeek},
    };
    return tasks;
}

} // namespace batchscope::engine
