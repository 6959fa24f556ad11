// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/prompt_rows.h"

#include "engine/data/conversations.h"
#include "engine/demo/demo_training.h"
#include "engine/demo/world.h"

#include <fmt/format.h>

namespace batchscope::cli {

using engine::RequestRow;

std::vector<RequestRow> promptRows(const std::string& file)
{
    if (file.ends_with(".jsonl") || file.ends_with(".csv")) {
        engine::RequestFile read = engine::readRequestFile(file);
        engine::labelRows(read);
        // Conversations may be written one a line too: no row of them is a request.
        if (!read.rows.empty() || file.ends_with(".csv")) return std::move(read.rows);
    }
    std::vector<RequestRow> rows;
    for (auto& conversation : engine::readConversations(file).conversations) {
        RequestRow row;
        row.id = std::move(conversation.id);
        row.prompt = std::move(conversation.turns.front().user);
        rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<RequestRow> demoRows(const std::string& split, int count)
{
    const auto which = split == "demo"        ? engine::DemoSplit::DemoPrompts
                       : split == "predictor" ? engine::DemoSplit::PredictorTraining
                                              : engine::DemoSplit::HeldOut;
    std::vector<RequestRow> rows;
    for (auto& item : engine::demoItems(which, count, engine::DemoSeed)) {
        RequestRow row;
        row.id = fmt::format("{}/{}", rows.size(), item.key); // a key may return in another wording
        row.prompt = std::move(item.instruction);
        rows.push_back(std::move(row));
    }
    return rows;
}

} // namespace batchscope::cli
