// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/experiment/source_rows.h"

#include "app/experiment/experiment.h"
#include "engine/data/conversations.h"
#include "engine/data/request_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace batchscope::app {
namespace {

std::vector<std::string> texts(const std::vector<engine::SkippedRow>& skipped)
{
    std::vector<std::string> all;
    for (const auto& row : skipped)
        all.push_back("skipped " + row.text());
    return all;
}

SourceRows fromRequests(engine::RequestFile read)
{
    SourceRows source;
    source.skipped = texts(read.skipped);
    for (auto& from : read.rows) {
        SourceRow row;
        row.id = std::move(from.id);
        row.prompt = from.prompt.value_or(std::string{});
        row.prompt_ids = std::move(from.prompt_token_ids);
        row.prompt_tokens = from.prompt_tokens;
        row.output_tokens = from.output_tokens;
        row.predicted_tokens = from.predicted_tokens;
        row.priority = from.priority;
        row.client = std::move(from.client);
        source.rows.push_back(std::move(row));
    }
    return source;
}

// Of a conversation the first question is asked; its answer can be replayed for its length.
SourceRows readDataset(const std::filesystem::path& file)
{
    engine::ConversationFile read = engine::readConversations(file);
    SourceRows source;
    source.label = fmt::format("{} {}", read.format, file.filename().string());
    source.skipped = texts(read.skipped);
    for (auto& conversation : read.conversations) {
        SourceRow row;
        row.id = std::move(conversation.id);
        row.prompt = std::move(conversation.turns.front().user);
        row.answer = std::move(conversation.turns.front().assistant);
        source.rows.push_back(std::move(row));
    }
    return source;
}

} // namespace

SourceRows readSource(const sessions::SessionDocument& document)
{
    const sessions::SourceSpec& spec = document.workload.source;
    if (spec.type == "demo") {
        SourceRows source = fromRequests(engine::readRequestFile(demoModelDir() / "demo_prompts.jsonl"));
        source.label = "demo prompts";
        return source;
    }
    const auto file = document.resolvePath(spec.path);
    if (spec.type == "dataset") return readDataset(file);
    engine::RequestFile read = engine::readRequestFile(file);
    const auto unknown = read.unknown_columns;
    SourceRows source = fromRequests(std::move(read));
    if (!unknown.empty())
        source.skipped.push_back(fmt::format("{}: these names mean nothing here and were not read: {}",
                                             file.string(), fmt::join(unknown, ", ")));
    source.label = "file " + file.filename().string();
    source.keeps_order = true;
    return source;
}

} // namespace batchscope::app
