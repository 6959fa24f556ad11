// SPDX-License-Identifier: GPL-3.0-or-later
// Structs that are written and read name their fields once, in a function
//     template <class V, Is<Thing> T> void visitFields(V& visit, T& thing)
// that calls `visit(name, field)` for each; writers visit a const thing, readers one that they fill.
#pragma once

#include <concepts>
#include <type_traits>

namespace batchscope::sessions {

template <class T, class U>
concept Is = std::same_as<std::remove_const_t<T>, U>;

} // namespace batchscope::sessions
