// SPDX-License-Identifier: GPL-3.0-or-later
// 128-bit intermediate sums: a product of coefficient and token count may leave 64 bits before it is checked.
#pragma once

namespace batchscope::engine {

__extension__ typedef __int128 Wide;

} // namespace batchscope::engine
