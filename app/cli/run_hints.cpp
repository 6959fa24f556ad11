// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/run_hints.h"

#include "scheduler/statistics/hints.h"
#include "sessions/text_table.h"

namespace batchscope::cli {

std::string loadHints(const std::vector<sessions::StoredRun>& runs)
{
    constexpr std::size_t k_width = 100;
    std::string text;
    for (const auto& run : runs) {
        const auto load = loadHint(run.log);
        if (!load) continue;
        text += sessions::wrapped(run.record.name + ": " + load->words, k_width) + "\n";
        if (const auto law = littlesLaw(run.log)) text += sessions::wrapped(law->words, k_width) + "\n";
    }
    return text.empty() ? text : "\n" + text;
}

} // namespace batchscope::cli
