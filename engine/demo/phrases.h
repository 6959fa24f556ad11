// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences of the demo world that many tasks share, each a fixed function of a thing. Reusing them is what
// lets a small model learn many kinds of answer from few tokens.
#pragma once

#include "engine/demo/things.h"

#include <initializer_list>
#include <string>
#include <string_view>

namespace batchscope::engine::phrases {

std::string join(std::initializer_list<std::string_view> pieces);
// Replaces the only "{}" of a pattern.
std::string fill(std::string_view pattern, std::string_view value);
std::string capital(std::string_view text);

std::string theThing(const Thing& t);        // "the otter"
std::string looks(const Thing& t);           // "a small brown animal"
std::string introSentence(const Thing& t);   // "The otter is a small brown animal."
std::string homeSentence(const Thing& t);    // "It lives by the river."
std::string needSentence(const Thing& t);    // "It eats fish."
std::string abilitySentence(const Thing& t); // "It can open shells with a stone."
std::string traitSentence(const Thing& t);   // "It is playful by nature."
std::string seasonSentence(const Thing& t);  // "Its best time is summer."
std::string partsSentence(const Thing& t);   // "It has a flat head, short legs and a thick tail."
std::string friendSentence(const Thing& t);  // "It goes well with the boat."
std::string partsList(const Thing& t);       // "a flat head, short legs and a thick tail"

int noteCount(const Thing& t);
std::string_view note(const Thing& t, int index);
std::string notesParagraph(const Thing& t);

// For whom an answer is meant: 0 nobody in particular, 1 a child, 2 a class, 3 a traveller.
inline constexpr int AudienceCount = 4;
std::string_view forAudience(int audience); // "", " for a child", ...
std::string_view opening(int audience);     // "" or a sentence with a space after it
std::string_view closing(int audience);     // "" or a sentence with a space before it

} // namespace batchscope::engine::phrases
