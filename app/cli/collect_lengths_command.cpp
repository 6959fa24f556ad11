// SPDX-License-Identifier: GPL-3.0-or-later
// Lets a model answer prompts and records how many tokens each answer took: what predictors learn from and
// what `replayed` lengths replay.
#include "app/cli/command.h"
#include "app/cli/model_options.h"
#include "app/cli/number_check.h"
#include "app/cli/output_place.h"
#include "app/cli/prompt_rows.h"
#include "app/cli/stop_signal.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace batchscope::cli {
namespace {

using engine::RequestRow;
using engine::TokenId;

struct CollectCommand
{
    ModelOptions model;
    std::string data, demo_split, out;
    int count = 0, cap = 512, rows = 32;
    double temperature = 0;
    std::uint64_t seed = 42;

    int collect() const;

private:
    std::vector<RequestRow> read() const;
};

std::vector<RequestRow> CollectCommand::read() const
{
    if (data.empty() == demo_split.empty())
        throw UsageError("give either --data-path FILE or --demo-split demo|predictor|held-out");
    if (data.empty()) {
        if (count < 1)
            throw UsageError("--demo-split needs --num-data N, the number of instructions to draw");
        return demoRows(demo_split, count);
    }
    auto rows_read = promptRows(data);
    if (count > 0 && static_cast<std::size_t>(count) < rows_read.size()) rows_read.resize(count);
    return rows_read;
}

int CollectCommand::collect() const
{
    requirePlace("--out", out, {data});
    StopSignal signal;
    auto requests = read();
    const auto access = app::openModelFolder(app::modelFolder(model.model));
    std::vector<std::vector<TokenId>> prompts;
    for (const auto& row : requests)
        prompts.push_back(row.prompt ? engine::encodePrompt(*access.tokenizer,
                                                            access.chat_template.render(*row.prompt), true)
                                     : row.prompt_token_ids);
    Progress progress;
    const auto loaded = model.load(access, progress, signal.token());

    // Prompts of like length share a batch: less padding, the same answers.
    std::vector<std::size_t> order(requests.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return prompts[a].size() < prompts[b].size(); });
    engine::GenerateOptions options;
    options.max_new_tokens = cap;
    options.sampling = {temperature, 1.0, seed};
    progress.begin("Answering", static_cast<std::int64_t>(requests.size()), "prompts");
    std::size_t done = 0;
    std::int64_t tokens = 0, capped = 0;
    for (; done < order.size() && !signal.token().stop_requested(); done += static_cast<std::size_t>(rows)) {
        const std::size_t end = std::min(order.size(), done + static_cast<std::size_t>(rows));
        std::vector<std::vector<TokenId>> batch;
        for (std::size_t i = done; i < end; ++i)
            batch.push_back(prompts[order[i]]);
        const auto answers = loaded->generate(batch, options, signal.token());
        if (signal.token().stop_requested()) break; // its answers are cut short
        for (std::size_t i = done; i < end; ++i) {
            const auto& answer = answers[i - done];
            requests[order[i]].output_tokens = static_cast<int>(answer.ids.size());
            tokens += static_cast<std::int64_t>(answer.ids.size());
            capped += answer.end == RowEnd::Cap;
        }
        progress.update(static_cast<std::int64_t>(end));
    }
    progress.end();
    std::erase_if(requests, [](const RequestRow& row) { return !row.output_tokens; });
    engine::writeRequestFile(out, requests);
    fmt::print("Wrote {} lengths to {}: {:.1f} tokens on average, {} at the cap of {}\n", requests.size(),
               out,
               requests.empty() ? 0.0 : static_cast<double>(tokens) / static_cast<double>(requests.size()),
               capped, cap);
    return signal.token().stop_requested() ? Cancelled : Done;
}

} // namespace

void addCollectLengths(CLI::App& app, Action& action)
{
    auto* command =
        app.add_subcommand("collect-lengths", "Let a model answer prompts and record the answers' lengths");
    auto collect = std::make_shared<CollectCommand>();
    collect->model.addTo(*command);
    command
        ->add_option("--data-path,--data", collect->data,
                     "Request file (.jsonl, .csv) or conversations (.json, .jsonl)")
        ->type_name("FILE");
    command
        ->add_option("--demo-split", collect->demo_split, "Instructions of the demo world instead of a file")
        ->check(CLI::IsMember({"demo", "predictor", "held-out"}));
    command
        ->add_option("--num-data", collect->count, "Prompts, from the beginning (default: all of the file)")
        ->check(CLI::Range(1, 10'000'000))
        ->type_name("N");
    command->add_option("--out", collect->out, "Request file to write (.jsonl or .csv)")
        ->required()
        ->type_name("FILE");
    command->add_option("--max-length", collect->cap, "Generated tokens at most (default: 512)")
        ->check(CLI::Range(1, 1'000'000))
        ->type_name("N");
    command->add_option("--batch-size", collect->rows, "Rows of a batch (default: 32)")
        ->check(CLI::Range(1, 4096))
        ->type_name("N");
    command->add_option("--temperature", collect->temperature, "0: greedy (default: 0)")
        ->check(numberBetween(0.0, 100.0))
        ->type_name("T");
    command->add_option("--seed", collect->seed, "Seed of the draws (default: 42)")
        ->type_name("N")
        ->check(seedText);
    command->footer(
        "Example: batchscope-cli collect-lengths --model demo --demo-split predictor --num-data 4096 --out "
        "lengths.jsonl");
    command->callback([collect, &action] { action = [collect] { return collect->collect(); }; });
}

} // namespace batchscope::cli
