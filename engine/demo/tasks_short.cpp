// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks whose answer is a word or a sentence.
#include "engine/demo/phrases.h"
#include "engine/demo/task.h"

#include <vector>

namespace batchscope::engine {
namespace {

using namespace phrases;

std::string_view worded(std::initializer_list<std::string_view> wordings, int index)
{
    return *(wordings.begin() + index);
}

// --- facts: the aspect's question, its one word and its sentence ---

std::string question(int aspect, const Thing& t)
{
    switch (aspect) {
    case 0:
        return join({"What colour is the ", t.name, "?"});
    case 1:
        return join({"What size is the ", t.name, "?"});
    case 2:
        return join({"What kind of thing is the ", t.name, "?"});
    case 3:
        return join({"What is the best time for the ", t.name, "?"});
    case 4:
        return join({"What is the ", t.name, " like by nature?"});
    case 5:
        return join({"What goes well with the ", t.name, "?"});
    case 6:
        return fill(kindOf(t).asksHome, t.name);
    case 7:
        return fill(kindOf(t).asksNeed, t.name);
    default:
        return join({"What can the ", t.name, " do?"});
    }
}

std::string oneWord(int aspect, const Thing& t)
{
    switch (aspect) {
    case 0:
        return std::string(t.colour);
    case 1:
        return std::string(t.size);
    case 2:
        return std::string(kindOf(t).name);
    case 3:
        return std::string(t.season);
    case 4:
        return std::string(t.trait);
    default:
        return std::string(t.friendName);
    }
}

std::string factSentence(int aspect, const Thing& t)
{
    switch (aspect) {
    case 0:
        return join({"The ", t.name, " is ", t.colour, "."});
    case 1:
        return join({"The ", t.name, " is ", t.size, "."});
    case 2:
        return join({"The ", t.name, " is one of the ", kindOf(t).plural, "."});
    case 3:
        return seasonSentence(t);
    case 4:
        return traitSentence(t);
    case 5:
        return friendSentence(t);
    case 6:
        return homeSentence(t);
    case 7:
        return needSentence(t);
    default:
        return abilitySentence(t);
    }
}

TaskParams drawWord(DemoRandom& r)
{
    return {r.below(ThingCount), r.below(6), r.below(2), 0};
}

std::string askWord(const TaskParams& p, int wording)
{
    const std::string_view whose = p[2] == 0 ? "" : "Quick question. ";
    return join({whose, question(p[1], thing(p[0])),
                 worded({" Answer in one word.", " One word only.", " Just one word, please."}, wording)});
}

std::string answerWord(const TaskParams& p)
{
    return oneWord(p[1], thing(p[0]));
}

TaskParams drawFact(DemoRandom& r)
{
    return {r.below(ThingCount), r.below(9), r.below(AudienceCount), 0};
}

std::string askFact(const TaskParams& p, int wording)
{
    static constexpr std::array<std::string_view, AudienceCount> who = {
        "", "A child asks: ", "A class asks: ", "A traveller asks: "};
    return join({who[static_cast<std::size_t>(p[2])], question(p[1], thing(p[0])),
                 worded({"", " Tell me."}, wording)});
}

std::string answerFact(const TaskParams& p)
{
    return join({opening(p[2]), factSentence(p[1], thing(p[0])), closing(p[2])});
}

// --- yes or no, with the reason when it is asked for ---

TaskParams drawYesNo(DemoRandom& r)
{
    const int t = r.below(ThingCount);
    const int kind = r.below(2) == 0 ? thing(t).kind : r.below(KindCount);
    return {t, kind, r.below(2), 0};
}

std::string askYesNo(const TaskParams& p, int wording)
{
    const Kind& kind = kinds()[static_cast<std::size_t>(p[1])];
    return join({worded({"Is the ", "Tell me, is the "}, wording), thing(p[0]).name, " one of the ",
                 kind.plural, "?", p[2] == 0 ? " Yes or no?" : " Say why."});
}

std::string answerYesNo(const TaskParams& p)
{
    const Thing& t = thing(p[0]);
    const std::string_view word = t.kind == p[1] ? "yes" : "no";
    return p[2] == 0
               ? std::string(word)
               : join({capital(word), ", because the ", t.name, " is one of the ", kindOf(t).plural, "."});
}

// --- which of two ---

std::string_view property(int aspect, const Thing& t)
{
    return aspect == 0 ? t.colour : aspect == 1 ? kindOf(t).name : t.season;
}

TaskParams drawWhich(DemoRandom& r)
{
    const int aspect = r.below(3);
    const int first = r.below(ThingCount);
    int second = r.below(ThingCount);
    while (property(aspect, thing(first)) == property(aspect, thing(second))) {
        second = r.below(ThingCount);
    }
    return {first, second, aspect, r.below(2)};
}

std::string askWhich(const TaskParams& p, int wording)
{
    const Thing& asked = thing(p[static_cast<std::size_t>(p[3])]);
    const std::string wanted = p[2] == 0   ? join({"is ", asked.colour})
                               : p[2] == 1 ? join({"is one of the ", kindOf(asked).plural})
                                           : join({"is best in ", asked.season});
    return join({worded({"Which ", "Say which "}, wording), wanted, ": the ", thing(p[0]).name, " or the ",
                 thing(p[1]).name, "?"});
}

std::string answerWhich(const TaskParams& p)
{
    return theThing(thing(p[static_cast<std::size_t>(p[3])]));
}

// --- definition ---

TaskParams drawDefine(DemoRandom& r)
{
    return {r.below(ThingCount), r.below(AudienceCount), r.below(2), 0};
}

std::string askDefine(const TaskParams& p, int wording)
{
    return join({worded({"Explain what the ", "Define the ", "Say what the "}, wording), thing(p[0]).name,
                 wording == 1 ? "" : " is", forAudience(p[1]), p[2] == 0 ? "." : " and what it can do."});
}

std::string answerDefine(const TaskParams& p)
{
    const Thing& t = thing(p[0]);
    return join({opening(p[1]), "The ", t.name, " is ", looks(t), " that ", kindOf(t).lives, " ", t.home, ".",
                 p[2] == 0 ? "" : " ", p[2] == 0 ? "" : abilitySentence(t), closing(p[1])});
}

// --- say it again ---

TaskParams drawRepeat(DemoRandom& r)
{
    return {r.below(ThingCount), r.below(3), 0, 0};
}

std::string askRepeat(const TaskParams& p, int wording)
{
    static constexpr std::array<std::string_view, 3> counts = {"twice", "three times", "four times"};
    return join({worded({"Say the word ", "Repeat the word "}, wording), thing(p[0]).name, " ",
                 counts[static_cast<std::size_t>(p[1])], "."});
}

std::string answerRepeat(const TaskParams& p)
{
    std::string text(thing(p[0]).name);
    for (int i = 0; i < p[1] + 1; ++i) {
        text += join({" and ", thing(p[0]).name});
    }
    return text;
}

} // namespace

std::span<const Task> shortTasks()
{
    static const std::vector<Task> tasks = {
        {"word", 60, 70, 3, drawWord, askWord, answerWord},
        {"fact", 60, 70, 2, drawFact, askFact, answerFact},
        {"yes_no", 30, 50, 2, drawYesNo, askYesNo, answerYesNo},
        {"which", 30, 50, 2, drawWhich, askWhich, answerWhich},
        {"define", 50, 50, 3, drawDefine, askDefine, answerDefine},
        {"repeat", 15, 20, 2, drawRepeat, askRepeat, answerRepeat},
    };
    return tasks;
}

} // namespace batchscope::engine
