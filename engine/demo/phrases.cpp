// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/demo/phrases.h"

#include <array>

namespace batchscope::engine::phrases {

std::string join(std::initializer_list<std::string_view> pieces)
{
    std::string text;
    for (const std::string_view piece : pieces) {
        text += piece;
    }
    return text;
}

std::string fill(std::string_view pattern, std::string_view value)
{
    const std::size_t at = pattern.find("{}");
    return at == std::string_view::npos ? std::string(pattern)
                                        : join({pattern.substr(0, at), value, pattern.substr(at + 2)});
}

std::string capital(std::string_view text)
{
    std::string result(text);
    if (!result.empty() && result[0] >= 'a' && result[0] <= 'z') {
        result[0] = static_cast<char>(result[0] - 'a' + 'A');
    }
    return result;
}

std::string theThing(const Thing& t)
{
    return join({"the ", t.name});
}
std::string looks(const Thing& t)
{
    return join({"a ", t.size, " ", t.colour, " ", kindOf(t).name});
}
std::string introSentence(const Thing& t)
{
    return join({"The ", t.name, " is ", looks(t), "."});
}
std::string homeSentence(const Thing& t)
{
    return join({"It ", kindOf(t).lives, " ", t.home, "."});
}
std::string needSentence(const Thing& t)
{
    return join({"It ", kindOf(t).needs, " ", t.need, "."});
}
std::string abilitySentence(const Thing& t)
{
    return join({"It can ", t.ability, "."});
}
std::string traitSentence(const Thing& t)
{
    return join({"It is ", t.trait, " by nature."});
}
std::string seasonSentence(const Thing& t)
{
    return join({"Its best time is ", t.season, "."});
}
std::string partsSentence(const Thing& t)
{
    return join({"It has ", partsList(t), "."});
}
std::string friendSentence(const Thing& t)
{
    return join({"It goes well with the ", t.friendName, "."});
}

std::string partsList(const Thing& t)
{
    std::string text;
    for (std::size_t i = 0; i < t.parts.size(); ++i) {
        text += i == 0 ? "" : (i + 1 == t.parts.size() ? " and " : ", ");
        text += t.parts[i];
    }
    return text;
}

int noteCount(const Thing& t)
{
    return static_cast<int>(t.notes.size());
}

std::string_view note(const Thing& t, int index)
{
    return kindOf(t).notes[static_cast<std::size_t>(t.notes[static_cast<std::size_t>(index)] - '0')];
}

std::string notesParagraph(const Thing& t)
{
    std::string text;
    for (int i = 0; i < noteCount(t); ++i) {
        text += i == 0 ? "" : " ";
        text += note(t, i);
    }
    return text;
}

std::string_view forAudience(int audience)
{
    static constexpr std::array<std::string_view, AudienceCount> table = {"", " for a child", " for a class",
                                                                          " for a traveller"};
    return table[static_cast<std::size_t>(audience)];
}

std::string_view opening(int audience)
{
    static constexpr std::array<std::string_view, AudienceCount> table = {
        "", "Listen, little one. ", "Please open your books. ", "Welcome, dear traveller. "};
    return table[static_cast<std::size_t>(audience)];
}

std::string_view closing(int audience)
{
    static constexpr std::array<std::string_view, AudienceCount> table = {
        "", " Now go and look for one!", " Draw a picture of it and write its name under it.",
        " Ask the people of the town to show you one, and have a safe trip."};
    return table[static_cast<std::size_t>(audience)];
}

} // namespace batchscope::engine::phrases
