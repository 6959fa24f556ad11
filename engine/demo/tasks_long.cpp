// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks with long answers of several paragraphs: essay and article.
#include "engine/demo/phrases.h"
#include "engine/demo/task.h"

#include <vector>

namespace batchscope::engine {
namespace {

using namespace phrases;

std::string partsWalk(const Thing& t)
{
    static constexpr std::array<std::string_view, 5> steps = {
        "Look for ", "Then look for ", "After that look for ", "Now look for ", "At last look for "};
    std::string text;
    for (std::size_t i = 0; i < t.parts.size(); ++i) {
        text += join({i == 0 ? "" : " ", steps[i], t.parts[i], "."});
    }
    return text;
}

std::string notesWalk(const Thing& t)
{
    static constexpr std::array<std::string_view, 6> steps = {
        "First of all, hear this. ", " Here is the next point. ",      " Few people know what follows. ",
        " And there is more. ",      " Even experts were surprised. ", " One last point remains. "};
    std::string text;
    for (int i = 0; i < noteCount(t); ++i) {
        text += join({steps[static_cast<std::size_t>(i)], note(t, i)});
    }
    return text;
}

// --- essay ---

TaskParams drawEssay(DemoRandom& r)
{
    return {r.below(ThingCount), r.below(AudienceCount), r.below(4), 0};
}

constexpr std::array<std::string_view, 4> themes = {"daily life", "its place in the world", "the past",
                                                    "the future"};

std::string askEssay(const TaskParams& p, int wording)
{
    return join({wording == 0 ? "Write an essay" : "I need an essay", forAudience(p[1]), " about the ",
                 thing(p[0]).name, " and ", themes[static_cast<std::size_t>(p[2])], "."});
}

std::string themeParagraph(int theme, const Thing& t)
{
    switch (theme) {
    case 0:
        return join({"In daily life we hardly see what is near to us. The ", t.name,
                     " is a good example. We pass it each day and think of other things."});
    case 1:
        return join(
            {"Everything has its place in the world, and nothing is there for itself alone. Take away one "
             "stone and the wall begins to fall. The ",
             t.name,
             " is such a stone. To see why, we have to look "
             "at it with care and without haste."});
    case 2:
        return join(
            {"In the past people had more time. They sat together in the evening and told each other what "
             "they had seen. The ",
             t.name, " was often in their tales."});
    default:
        return join(
            {"Nobody can see the future, and yet we all make plans. Some say that the ", t.name,
             " will be forgotten. Others say that its best days are still to come. Let us see who is right, "
             "and let us begin with what is known today."});
    }
}

std::string themeEnd(int theme, const Thing& t)
{
    switch (theme) {
    case 0:
        return join({"So open your eyes tomorrow, and greet the ", t.name, "."});
    case 1:
        return join({"This is why the world would be a poorer place without the ", t.name, "."});
    case 2:
        return join({"Much has changed since then, but not the ", t.name,
                     ". It is as it was, and we can learn from that."});
    default:
        return join({"I for one believe that the ", t.name, " will be with us for a long time."});
    }
}

std::string answerEssay(const TaskParams& p)
{
    const Thing& t = thing(p[0]);
    const Thing& other = friendOf(t);
    return join({opening(p[1]),
                 themeParagraph(p[2], t),
                 "\n",
                 introSentence(t),
                 " ",
                 partsWalk(t),
                 "\n",
                 homeSentence(t),
                 " ",
                 needSentence(t),
                 " ",
                 seasonSentence(t),
                 "\nWhat makes it special? ",
                 abilitySentence(t),
                 " ",
                 traitSentence(t),
                 " ",
                 notesWalk(t),
                 "\n",
                 friendSentence(t),
                 " ",
                 introSentence(other),
                 "\n",
                 themeEnd(p[2], t),
                 closing(p[1])});
}

// --- article: the longest answers ---

TaskParams drawArticle(DemoRandom& r)
{
    return {r.below(ThingCount), r.below(AudienceCount), r.below(2), 0};
}

std::string askArticle(const TaskParams& p, int wording)
{
    return join({wording == 0 ? "Write a long article" : "Write a full article", forAudience(p[1]),
                 " about the ", thing(p[0]).name, p[2] == 0 ? "." : " with a word from an expert."});
}

std::string answerArticle(const TaskParams& p)
{
    const Thing& t = thing(p[0]);
    const Thing& other = friendOf(t);
    std::string text = join({opening(p[1]),
                             "The ",
                             t.name,
                             ": all that there is to know\n= Looks =\n",
                             introSentence(t),
                             " ",
                             partsSentence(t),
                             " ",
                             partsWalk(t),
                             "\n= Home =\n",
                             homeSentence(t),
                             " ",
                             needSentence(t),
                             " ",
                             seasonSentence(t),
                             "\n= Skills =\n",
                             abilitySentence(t),
                             " This is rare among the ",
                             kindOf(t).plural,
                             ".\n= Nature =\n",
                             traitSentence(t),
                             " ",
                             notesWalk(t),
                             "\n= Care =\n"});
    for (const std::string_view care : kindOf(t).care) {
        text += join({care, " "});
    }
    text += join({"\n= Friends =\n", friendSentence(t), " ", introSentence(other), " ", partsSentence(other),
                  " ", homeSentence(other), " ", abilitySentence(other)});
    if (p[2] == 1) {
        text += join({"\n= A word from an expert =\n\"I have worked as a ", kindOf(t).owner,
                      " for thirty years, and I have seen many ", kindOf(t).plural,
                      ". But there is nothing like the ", t.name, ". ", traitSentence(t), " ",
                      abilitySentence(t), " What more could we want?\""});
    }
    return join({text, "\n= Summary =\nThe ", t.name, " is ", looks(t), ".", closing(p[1])});
}

} // namespace

std::span<const Task> longTasks()
{
    static const std::vector<Task> tasks = {
        {"essay", 85, 75, 2, drawEssay, askEssay, answerEssay,
         "\nThank you for reading these lines to the end. The next essay will be about something else."},
        {"article", 60, 55, 2, drawArticle, askArticle, answerArticle},
    };
    return tasks;
}

} // namespace batchscope::engine
