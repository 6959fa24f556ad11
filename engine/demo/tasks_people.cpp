// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks with people in them: letter, talk, story.
#include "engine/demo/phrases.h"
#include "engine/demo/task.h"

#include <vector>

namespace batchscope::engine {
namespace {

using namespace phrases;

constexpr int PeopleCount = 12;

std::string_view person(int index)
{
    return people()[static_cast<std::size_t>(index)];
}

// --- letter ---

TaskParams drawLetter(DemoRandom& r)
{
    return {r.below(ThingCount), r.below(PeopleCount), r.below(4), 0};
}

std::string askLetter(const TaskParams& p, int wording)
{
    static constexpr std::array<std::string_view, 4> tones = {"a letter", "a friendly letter",
                                                              "a formal letter", "a sad letter"};
    return join({"Write ", tones[static_cast<std::size_t>(p[2])], " to ", person(p[1]),
                 wording == 0 ? " about the " : " and tell of the ", thing(p[0]).name, "."});
}

std::string answerLetter(const TaskParams& p)
{
    const Thing& t = thing(p[0]);
    static constexpr std::array<std::string_view, 4> starts = {
        "I want to tell you about the ",
        "How are you, my dear friend? I was so happy to hear from you. You must know the ",
        "I write to you on behalf of the town, and I ask for your time. The subject is the ",
        "It has been raining here for days and I miss you. All that I have left is the "};
    static constexpr std::array<std::string_view, 4> ends = {
        "Write soon.",
        "Come and see it with me! We will have tea and laugh as we did before. With love from your friend.",
        "We ask you to reply within ten days. With respect, the council of the town.",
        "Do not forget me. Yours in tears."};
    std::string text = join({"Dear ", person(p[1]), ",\n", starts[static_cast<std::size_t>(p[2])], t.name,
                             ". ", homeSentence(t), " ", abilitySentence(t), " ", traitSentence(t)});
    if (p[2] != 0) {
        text += join({" ", notesParagraph(t)});
    }
    return join({text, "\n", ends[static_cast<std::size_t>(p[2])]});
}

// --- talk between two people ---

TaskParams drawTalk(DemoRandom& r)
{
    const int first = r.below(PeopleCount);
    return {r.below(ThingCount), first, (first + 1 + r.below(PeopleCount - 1)) % PeopleCount, r.below(2)};
}

std::string askTalk(const TaskParams& p, int wording)
{
    return join({wording == 0 ? "Write a talk between " : "Let us hear ", person(p[1]), " and ", person(p[2]),
                 wording == 0 ? " about the " : " talk about the ", thing(p[0]).name,
                 p[3] == 0 ? "." : ", a long one."});
}

std::string answerTalk(const TaskParams& p)
{
    const Thing& t = thing(p[0]);
    const std::string first = join({"\n", person(p[1]), ": "});
    const std::string second = join({"\n", person(p[2]), ": "});
    std::string text = join({person(p[1]), ": Have you seen the ", t.name, "?", second, "Yes, ", t.home, ". ",
                             introSentence(t), first, "What can it do?", second, abilitySentence(t)});
    if (p[3] == 1) {
        text += join({first, "And what does it look like?", second, partsSentence(t), first,
                      "What else do you know?"});
        for (int i = 0; i < noteCount(t); ++i) {
            text += join({second, note(t, i), first, i % 2 == 0 ? "Really?" : "I see. And then?"});
        }
        text += join({second, "That is all. ", friendSentence(t)});
    }
    return join({text, first, "Thank you, ", person(p[2]), "."});
}

// --- story ---

TaskParams drawStory(DemoRandom& r)
{
    return {r.below(ThingCount), r.below(PeopleCount), r.below(4), 0};
}

constexpr std::array<std::string_view, 4> storyKinds = {"a story", "a sad story", "a funny story",
                                                        "a strange story"};

std::string askStory(const TaskParams& p, int wording)
{
    return join({wording == 0 ? "Tell me " : "Write ", storyKinds[static_cast<std::size_t>(p[2])], " about ",
                 person(p[1]), " and the ", thing(p[0]).name, "."});
}

std::string storyMiddle(int mood, std::string_view who)
{
    switch (mood) {
    case 0:
        return "";
    case 1:
        return join({" But ", who,
                     " had lost a good friend that year, and nothing was as it had been. The sky was "
                     "dark, and the rain would not stop."});
    case 2:
        return join({" Then ", who,
                     " slipped on a wet stone, fell over a fence and landed in a heap of hay. A cow "
                     "looked on and shook its head. \"Good morning,\" said ",
                     who, ", and the cow walked away."});
    default:
        return join({" All at once the wind stopped. Every clock in the town stood still, and a blue light "
                     "came out of "
                     "the ground. ",
                     who, " heard a voice that said: \"Look well and remember.\""});
    }
}

std::string storyEnd(int mood, std::string_view who)
{
    switch (mood) {
    case 0:
        return join({who, " went home and slept well."});
    case 1:
        return join({"In the evening ", who, " went home alone, and only the stars knew why."});
    case 2:
        return join(
            {"Back at home ", who, " told everyone, and nobody believed a word of it. The cow kept silent."});
    default:
        return join({"When the clocks began to tick again, the light was gone. ", who,
                     " never spoke about that day, but each year on the same morning a blue stone lies at "
                     "the door."});
    }
}

std::string answerStory(const TaskParams& p)
{
    const Thing& t = thing(p[0]);
    const Thing& other = friendOf(t);
    const std::string_view who = person(p[1]);
    std::string text = join({"Once upon a time, on a ",
                             t.season,
                             " morning, ",
                             who,
                             " took a walk.",
                             storyMiddle(p[2], who),
                             " Then ",
                             who,
                             " saw something ",
                             t.home,
                             ". It was the ",
                             t.name,
                             ", ",
                             looks(t),
                             " with ",
                             partsList(t),
                             ". ",
                             who,
                             " knew that it can ",
                             t.ability,
                             ". "});
    for (int i = 0; i < noteCount(t); ++i) {
        text += join({i % 2 == 0 ? "An old woman came by and said: \"" : "A boy came by and said: \"",
                      note(t, i), "\" "});
    }
    return join({text, "Not far away was the ", other.name, ", ", looks(other), ". ", storyEnd(p[2], who)});
}

} // namespace

std::span<const Task> peopleTasks()
{
    static const std::vector<Task> tasks = {
        {"letter", 55, 50, 2, drawLetter, askLetter, answerLetter,
         "\nOne more thing. Please bring back the book that I gave you, because I promised it to my sister."},
        {"talk", 50, 45, 2, drawTalk, askTalk, answerTalk},
        {"story", 80, 70, 2, drawStory, askStory, answerStory,
         " That is the end of the story. If you liked it, ask me for another one, and tell it to your "
         "friends."},
    };
    return tasks;
}

} // namespace batchscope::engine
