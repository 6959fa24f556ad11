// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as people read them, the same in every view. Null is an em dash, never 0.
#pragma once

#include <QString>
#include <cstdint>
#include <optional>

namespace batchscope::widgets {

QString none();                             // "—"
QString number(double value, int decimals); // grouped thousands
QString count(std::int64_t value);
QString seconds(std::optional<double> value, int decimals = 2); // "3.12 s"
QString duration(double seconds);                               // "12.8 s", "2 min 05 s"
QString milliseconds(std::optional<double> seconds);            // "21.4 ms"
QString percent(std::optional<double> share, int decimals = 0); // of 0...1: "63 %"
// "1 slot", "16 slots": `many` has %1. For languages with two forms; others translate both alike.
QString counted(std::int64_t n, const QString& one, const QString& many);
QString bytes(std::int64_t value);        // "38 MB"
QString requestName(std::uint32_t index); // "r117"

} // namespace batchscope::widgets
