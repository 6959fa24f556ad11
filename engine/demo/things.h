// SPDX-License-Identifier: GPL-3.0-or-later
// The 48 things of the demo world in 6 kinds, with their facts: all that the demo model knows.
// Facts are invented to be plausible; they are no encyclopaedia. Indices are stable: keys are made of them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace batchscope::engine {

struct Kind
{
    std::string_view name;   // "animal"
    std::string_view plural; // "animals"
    std::string_view lives;  // "lives": the verb before a place
    std::string_view needs;  // "eats": the verb before what it needs
    std::string_view asksNeed;
    std::string_view asksHome;
    std::string_view owner;             // who knows such things best
    std::vector<std::string_view> care; // steps of looking after one
    std::vector<std::string_view> notes;
};

struct Thing
{
    std::string_view name;
    int kind = 0;
    std::string_view colour;
    std::string_view size;
    std::string_view home; // with its preposition: "by the river"
    std::string_view need;
    std::string_view ability;
    std::string_view trait;
    std::string_view season;
    std::string_view friendName;
    std::string_view notes; // digits: indices into its kind's notes
    std::vector<std::string_view> parts;
};

inline constexpr int ThingCount = 48;
inline constexpr int KindCount = 6;

std::span<const Kind> kinds();
std::span<const Thing> things();
const Thing& thing(int index);
const Kind& kindOf(const Thing& thing);
const Thing& friendOf(const Thing& thing);

std::span<const std::string_view> colours();
std::span<const std::string_view> seasons();
std::span<const std::string_view> homes();
std::span<const std::string_view> people();

} // namespace batchscope::engine
