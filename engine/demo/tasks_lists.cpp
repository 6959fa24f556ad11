// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks answered with lists: of parts, of the members of a group, of days.
#include "engine/demo/phrases.h"
#include "engine/demo/task.h"

#include <vector>

namespace batchscope::engine {
namespace {

using namespace phrases;

// Formats: 0 bullets, 1 numbers, 2 one line.
std::string formatted(const std::vector<std::string>& entries, int format)
{
    std::string text;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (format == 2) {
            text += join({i == 0 ? "" : ", ", entries[i]});
        } else {
            text +=
                join({i == 0 ? "" : "\n", format == 0 ? "-" : std::to_string(i + 1) + ".", " ", entries[i]});
        }
    }
    return text;
}

constexpr std::array<std::string_view, 3> formatNames = {" as bullets", " with numbers", " in one line"};

TaskParams drawParts(DemoRandom& r)
{
    return {r.below(ThingCount), r.below(3), r.below(3), 0};
}

std::string askParts(const TaskParams& p, int wording)
{
    static constexpr std::array<std::string_view, 3> what = {
        "the parts of the ", "what people say about the ", "the parts and the praise of the "};
    return join({wording == 0 ? "List " : "Note down ", what[static_cast<std::size_t>(p[1])],
                 thing(p[0]).name, formatNames[static_cast<std::size_t>(p[2])], "."});
}

std::string answerParts(const TaskParams& p)
{
    const Thing& t = thing(p[0]);
    std::vector<std::string> entries;
    if (p[1] != 1) {
        entries.assign(t.parts.begin(), t.parts.end());
    }
    for (int i = 0; p[1] != 0 && i < noteCount(t); ++i) {
        entries.emplace_back(note(t, i));
    }
    return formatted(entries, p[2]);
}

// Groups: kinds, then colours, then seasons, then homes.
constexpr int GroupCount = KindCount + 8 + 4 + 19;

bool inGroup(const Thing& t, int group)
{
    if (group < KindCount) {
        return t.kind == group;
    }
    group -= KindCount;
    if (group < 8) {
        return t.colour == colours()[static_cast<std::size_t>(group)];
    }
    group -= 8;
    return group < 4 ? t.season == seasons()[static_cast<std::size_t>(group)]
                     : t.home == homes()[static_cast<std::size_t>(group - 4)];
}

std::string groupName(int group)
{
    if (group < KindCount) {
        return join({"all ", kinds()[static_cast<std::size_t>(group)].plural});
    }
    group -= KindCount;
    if (group < 8) {
        return join({"all ", colours()[static_cast<std::size_t>(group)], " things"});
    }
    group -= 8;
    return group < 4 ? join({"all things that are best in ", seasons()[static_cast<std::size_t>(group)]})
                     : join({"all things ", homes()[static_cast<std::size_t>(group - 4)]});
}

std::string memberSentence(const Thing& t, int detail)
{
    switch (detail) {
    case 1:
        return join({"The ", t.name, " is ", t.colour, "."});
    case 2:
        return join({"The ", t.name, " can ", t.ability, "."});
    default:
        return join({"The ", t.name, " ", kindOf(t).lives, " ", t.home, "."});
    }
}

TaskParams drawGroup(DemoRandom& r)
{
    return {r.below(GroupCount), r.below(3), r.below(2), 0};
}

std::string askGroup(const TaskParams& p, int wording)
{
    return join({wording == 0 ? "List " : "Name ", groupName(p[0]),
                 formatNames[static_cast<std::size_t>(p[1])], p[2] == 0 ? "." : ", each with its colour."});
}

std::string answerGroup(const TaskParams& p)
{
    std::vector<std::string> entries;
    for (const Thing& t : things()) {
        if (inGroup(t, p[0])) {
            entries.push_back(p[2] == 0 ? std::string(t.name) : join({t.colour, " ", t.name}));
        }
    }
    return formatted(entries, p[1]);
}

TaskParams drawReport(DemoRandom& r)
{
    return {r.below(GroupCount), r.below(AudienceCount), r.below(3), 0};
}

std::string askReport(const TaskParams& p, int wording)
{
    static constexpr std::array<std::string_view, 3> about = {": their colours.", ": their skills.",
                                                              ": their homes."};
    return join({wording == 0 ? "Report on " : "Write a report on ", groupName(p[0]), forAudience(p[1]),
                 about[static_cast<std::size_t>(p[2])]});
}

std::string answerReport(const TaskParams& p)
{
    std::string text = join({opening(p[1]), "This is my report on ", groupName(p[0]), "."});
    for (const Thing& t : things()) {
        if (inGroup(t, p[0])) {
            text += join({" ", memberSentence(t, p[2] + 1)});
        }
    }
    return join({text, " That is all that I found.", closing(p[1])});
}

constexpr std::array<std::string_view, 7> dayNames = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                                      "Friday", "Saturday", "Sunday"};

TaskParams drawDays(DemoRandom& r)
{
    const int first = r.below(7);
    return {first, (first + 1 + r.below(6)) % 7, r.below(3), 0};
}

std::string askDays(const TaskParams& p, int wording)
{
    return join({wording == 0 ? "List the days from " : "Name the days from ",
                 dayNames[static_cast<std::size_t>(p[0])], " to ", dayNames[static_cast<std::size_t>(p[1])],
                 formatNames[static_cast<std::size_t>(p[2])], "."});
}

std::string answerDays(const TaskParams& p)
{
    std::vector<std::string> entries;
    for (int day = p[0];; day = (day + 1) % 7) {
        entries.emplace_back(dayNames[static_cast<std::size_t>(day)]);
        if (day == p[1]) {
            return formatted(entries, p[2]);
        }
    }
}

} // namespace

std::span<const Task> listTasks()
{
    static const std::vector<Task> tasks = {
        {"list", 30, 30, 2, drawParts, askParts, answerParts},
        {"group", 30, 30, 2, drawGroup, askGroup, answerGroup},
        {"report", 40, 40, 2, drawReport, askReport, answerReport},
        {"days", 15, 20, 2, drawDays, askDays, answerDays},
    };
    return tasks;
}

} // namespace batchscope::engine
