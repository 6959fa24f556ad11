// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks answered with one paragraph or two about a thing.
#include "engine/demo/phrases.h"
#include "engine/demo/task.h"

#include <vector>

namespace batchscope::engine {
namespace {

using namespace phrases;

TaskParams drawThingFor(DemoRandom& r)
{
    return {r.below(ThingCount), r.below(AudienceCount), r.below(4), 0};
}

constexpr std::array<std::string_view, 4> focusNames = {"its looks", "its home", "its character",
                                                        "its skills"};

std::string focusSentences(int focus, const Thing& t)
{
    switch (focus) {
    case 0:
        return join({introSentence(t), " ", partsSentence(t)});
    case 1:
        return join({homeSentence(t), " ", needSentence(t)});
    case 2:
        return join({traitSentence(t), " ", friendSentence(t)});
    default:
        return join({abilitySentence(t), " ", seasonSentence(t)});
    }
}

std::string askBrief(const TaskParams& p, int wording)
{
    const std::string_view focus = focusNames[static_cast<std::size_t>(p[2])];
    const Thing& t = thing(p[0]);
    return wording == 0
               ? join({"Describe the ", t.name, " briefly", forAudience(p[1]), ": ", focus, "."})
               : join({"Write a short note", forAudience(p[1]), " about the ", t.name, ": ", focus, "."});
}

std::string answerBrief(const TaskParams& p)
{
    const Thing& t = thing(p[0]);
    return join({opening(p[1]), p[2] == 0 ? "" : introSentence(t), p[2] == 0 ? "" : " ",
                 focusSentences(p[2], t), closing(p[1])});
}

std::string askDetail(const TaskParams& p, int wording)
{
    const std::string_view focus = focusNames[static_cast<std::size_t>(p[2])];
    const Thing& t = thing(p[0]);
    return wording == 0
               ? join({"Describe the ", t.name, " in detail", forAudience(p[1]), ". Begin with ", focus, "."})
               : join({"Tell me everything about the ", t.name, forAudience(p[1]), ". Start with ", focus,
                       "."});
}

std::string answerDetail(const TaskParams& p)
{
    const Thing& t = thing(p[0]);
    std::string text = join({opening(p[1]), focusSentences(p[2], t)});
    for (int focus = 0; focus < 4; ++focus) {
        if (focus != p[2]) {
            text += join({" ", focusSentences(focus, t)});
        }
    }
    return join({text, " ", notesParagraph(t), closing(p[1])});
}

TaskParams drawPair(DemoRandom& r)
{
    const int first = r.below(ThingCount);
    const int second = (first + 1 + r.below(ThingCount - 1)) % ThingCount;
    return {first, second, r.below(2), 0};
}

std::string askCompare(const TaskParams& p, int wording)
{
    static constexpr std::array<std::string_view, 3> asks = {"Compare the ", "Tell me what sets apart the ",
                                                             "Explain the difference between the "};
    return join({asks[static_cast<std::size_t>(wording)], thing(p[0]).name, " and the ", thing(p[1]).name,
                 p[2] == 0 ? "." : " at length."});
}

std::string answerCompare(const TaskParams& p)
{
    const Thing& a = thing(p[0]);
    const Thing& b = thing(p[1]);
    std::string text = join({"The ",       a.name,   " is ",       looks(a),  ", and the ", b.name,
                             " is ",       looks(b), ". The ",     a.name,    " ",          kindOf(a).lives,
                             " ",          a.home,   ", and the ", b.name,    " ",          kindOf(b).lives,
                             " ",          b.home,   ". The ",     a.name,    " can ",      a.ability,
                             ", and the ", b.name,   " can ",      b.ability, "."});
    if (p[2] == 1) {
        text += join({" The ", a.name, " has ", partsList(a), ", and the ", b.name, " has ", partsList(b),
                      ". The ", a.name, " is ", a.trait, " by nature, and the ", b.name, " is ", b.trait,
                      " by nature. To sum up, each of the two is good in its own way."});
    }
    return text;
}

TaskParams drawRiddle(DemoRandom& r)
{
    return {r.below(ThingCount), r.below(AudienceCount), r.below(2), 0};
}

std::string askRiddle(const TaskParams& p, int wording)
{
    return join({wording == 0 ? "Write a riddle" : "Make up a riddle", forAudience(p[1]), " about the ",
                 thing(p[0]).name, p[2] == 0 ? "." : " and give the answer."});
}

std::string answerRiddle(const TaskParams& p)
{
    const Thing& t = thing(p[0]);
    return join({opening(p[1]), "I am ", looks(t), ". I have ", partsList(t), ". I can ", t.ability,
                 ". What am I?", p[2] == 0 ? "" : " The answer is the ", p[2] == 0 ? "" : t.name,
                 p[2] == 0 ? "" : "."});
}

TaskParams drawAdvert(DemoRandom& r)
{
    return {r.below(ThingCount), r.below(AudienceCount), r.below(3), 0};
}

std::string askAdvert(const TaskParams& p, int wording)
{
    static constexpr std::array<std::string_view, 3> where = {"the newspaper", "the radio", "a poster"};
    return join({wording == 0 ? "Write an advert for the " : "Praise the ", thing(p[0]).name,
                 forAudience(p[1]), ", to be used on ", where[static_cast<std::size_t>(p[2])], "."});
}

std::string answerAdvert(const TaskParams& p)
{
    const Thing& t = thing(p[0]);
    static constexpr std::array<std::string_view, 3> starts = {
        "News of the week! ", "Good morning, dear listeners! You hear the voice of the town. ",
        "Look here! "};
    std::string text = join({starts[static_cast<std::size_t>(p[2])], "Have you met the ", t.name, "? It is ",
                             looks(t), ", and it can ", t.ability, ". ", seasonSentence(t)});
    if (p[2] != 2) {
        text += join({" ", note(t, 0), " ", friendSentence(t)});
    }
    return join({text, p[2] == 1 ? " Stay with us for more after the music." : "", closing(p[1])});
}

std::string askJudge(const TaskParams& p, int wording)
{
    return join(
        {wording == 0 ? "What is good and bad about the " : "Weigh the good and the bad sides of the ",
         thing(p[0]).name, forAudience(p[1]), wording == 0 ? "?" : ".", p[2] == 0 ? "" : " Give a verdict."});
}

std::string answerJudge(const TaskParams& p)
{
    const Thing& t = thing(p[0]);
    std::string text = join(
        {opening(p[1]), "On the good side, it can ", t.ability, " and it goes well with the ", t.friendName,
         ". On the bad side, it needs time, and outside of ", t.season, " it is hard to find."});
    for (int i = 0; i < noteCount(t); i += 2) {
        text += join({" ", note(t, i)});
    }
    return join({text, p[2] == 0 ? "" : " My verdict is that the ", p[2] == 0 ? "" : t.name,
                 p[2] == 0 ? "" : " is worth the trouble.", closing(p[1])});
}

std::string askPoem(const TaskParams& p, int wording)
{
    static constexpr std::array<std::string_view, 4> moods = {"happy", "sad", "funny", "slow"};
    return join({wording == 0 ? "Write a " : "Sing me a ", moods[static_cast<std::size_t>(p[2])], " song",
                 forAudience(p[1]), " about the ", thing(p[0]).name, "."});
}

std::string answerPoem(const TaskParams& p)
{
    const Thing& t = thing(p[0]);
    static constexpr std::array<std::string_view, 4> chorus = {
        "Oh how we dance in the morning light", "Oh how we cry when the day is gone",
        "Ha ha ha and turn around and fall", "Slow is the water and slow is the song"};
    const std::string refrain = join({"\n", chorus[static_cast<std::size_t>(p[2])], "\n"});
    std::string text = join({capital(t.colour), " is the ", t.name, " ", t.home, refrain, capital(t.trait),
                             " is the ", t.name, " in ", t.season, refrain});
    for (const std::string_view part : t.parts) {
        text += join({"With ", part, " it comes along\n"});
    }
    return join({text, "And so ends the song of the ", t.name});
}

} // namespace

std::span<const Task> proseTasks()
{
    static const std::vector<Task> tasks = {
        {"brief", 80, 80, 2, drawThingFor, askBrief, answerBrief},
        {"detail", 80, 80, 2, drawThingFor, askDetail, answerDetail},
        {"compare", 80, 80, 3, drawPair, askCompare, answerCompare},
        {"riddle", 40, 35, 2, drawRiddle, askRiddle, answerRiddle},
        {"advert", 40, 40, 2, drawAdvert, askAdvert, answerAdvert,
         " This message was paid for by the friends of good things in our town."},
        {"judge", 40, 35, 2,
         [](DemoRandom& r) {
             return TaskParams{r.below(ThingCount), r.below(4), r.below(2), 0};
         },
         askJudge, answerJudge},
        {"song", 40, 40, 2, drawThingFor, askPoem, answerPoem},
    };
    return tasks;
}

} // namespace batchscope::engine
