// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/message.h"
#include "app/cli/model_options.h"
#include "app/cli/number_check.h"
#include "app/cli/output_place.h"
#include "app/cli/stop_signal.h"
#include "engine/checkpoint/atomic_file.h"
#include "engine/data/request_file.h"
#include "engine/data/text_lines.h"
#include "sessions/report.h"

#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <optional>

namespace batchscope::cli {
namespace {

using engine::TokenId;

struct Prompt
{
    std::string text;
    std::vector<TokenId> ids;
};

std::vector<TokenId> parseIds(const std::string& text)
{
    std::vector<TokenId> ids;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at != end) {
        if (*at == ' ' || *at == ',' || *at == '\t' || *at == '\n') {
            ++at;
            continue;
        }
        TokenId id = 0;
        const auto [next, error] = std::from_chars(at, end, id);
        if (error != std::errc{} || id < 0)
            throw UsageError(
                fmt::format("--ids: '{}' is no token id; write whole numbers from 0, as in --ids \"1 403\"",
                            std::string(at, std::find(at, end, ' '))));
        ids.push_back(id);
        at = next;
    }
    if (ids.empty()) throw UsageError("--ids is empty; give at least one token id");
    return ids;
}

struct GenerateCommand
{
    ModelOptions model;
    std::optional<std::string> prompt, prompts_file, ids;
    int max_new_tokens = 512;
    double temperature = 0, top_p = 1;
    std::uint64_t seed = 42;
    std::optional<std::string> template_name, lora;
    bool print_ids = false;
    std::string logits;

    int generate() const;

private:
    std::vector<Prompt> readPrompts(const app::ModelAccess& access) const;
    std::vector<TokenId> encode(const app::ModelAccess& access, const std::string& text) const;
    void check(const app::ModelAccess& access, const std::vector<Prompt>& prompts) const;
    void writeLogits(engine::LanguageModel& loaded, const std::vector<Prompt>& prompts) const;
    void print(const app::ModelAccess& access, const std::vector<Prompt>& prompts,
               const std::vector<engine::Generated>& answers) const;
};

std::vector<TokenId> GenerateCommand::encode(const app::ModelAccess& access, const std::string& text) const
{
    const auto chat =
        template_name ? engine::chatTemplate(*template_name, access.config.system) : access.chat_template;
    return engine::encodePrompt(*access.tokenizer, chat.render(text), true);
}

// A .jsonl or .csv is a request file; anything else is one prompt a line.
std::vector<Prompt> GenerateCommand::readPrompts(const app::ModelAccess& access) const
{
    if (ids) return {{{}, parseIds(*ids)}};
    if (prompt) return {{*prompt, encode(access, *prompt)}};
    std::vector<Prompt> prompts;
    if (prompts_file->ends_with(".jsonl") || prompts_file->ends_with(".csv")) {
        for (const auto& row : engine::readRequestFile(*prompts_file).rows) {
            if (row.prompt)
                prompts.push_back({*row.prompt, encode(access, *row.prompt)});
            else
                prompts.push_back({{}, row.prompt_token_ids});
        }
    } else {
        const std::string content = engine::readWholeFile(*prompts_file);
        engine::refuseUtf16(content, *prompts_file);
        engine::TextLines lines(content);
        while (const auto line = lines.next()) {
            std::string text(line->text);
            prompts.push_back({text, encode(access, text)});
        }
    }
    if (prompts.empty())
        throw engine::EngineError(engine::ErrorKind::InvalidFile,
                                  fmt::format("{}: holds no prompt; write one a line", *prompts_file));
    return prompts;
}

void GenerateCommand::check(const app::ModelAccess& access, const std::vector<Prompt>& prompts) const
{
    for (std::size_t i = 0; i < prompts.size(); ++i) {
        const auto& read = prompts[i].ids;
        for (const TokenId id : read)
            if (id < 0 || id >= access.config.vocabulary)
                throw engine::EngineError(
                    engine::ErrorKind::InvalidFile,
                    fmt::format("prompt {}: token id {} does not exist in {}; its ids are 0 to {}", i + 1, id,
                                access.folder.string(), access.config.vocabulary - 1));
        if (static_cast<int>(read.size()) >= access.config.max_positions)
            throw engine::EngineError(engine::ErrorKind::InvalidFile,
                                      fmt::format("prompt {} has {} tokens, but the context of {} is {} and "
                                                  "must hold at least one generated "
                                                  "token more; shorten it to {}",
                                                  i + 1, read.size(), access.folder.string(),
                                                  access.config.max_positions,
                                                  access.config.max_positions - 1));
    }
}

// {"prompts": [{"ids": [...], "logits": [[...], ...]}]}: one row a prompt position, before anything is
// generated.
void GenerateCommand::writeLogits(engine::LanguageModel& loaded, const std::vector<Prompt>& prompts) const
{
    nlohmann::json rows = nlohmann::json::array();
    for (const auto& one : prompts)
        rows.push_back({{"ids", one.ids}, {"logits", loaded.logits(one.ids)}});
    sessions::writeFileAtomically(logits, nlohmann::json{{"prompts", rows}}.dump() + "\n");
}

void GenerateCommand::print(const app::ModelAccess& access, const std::vector<Prompt>& prompts,
                            const std::vector<engine::Generated>& answers) const
{
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (print_ids) {
            fmt::print("{}\n", fmt::join(answers[i].ids, " "));
            continue;
        }
        if (answers.size() > 1) fmt::print("{}[{}] {}\n", i > 0 ? "\n" : "", i + 1, prompts[i].text);
        fmt::print("{}\n", access.tokenizer->decode(answers[i].ids));
        tell(fmt::format("({} prompt tokens, {} generated, ended by {})\n", prompts[i].ids.size(),
                         answers[i].ids.size(), rowEndName(answers[i].end)));
    }
}

int GenerateCommand::generate() const
{
    const int given = (prompt ? 1 : 0) + (prompts_file ? 1 : 0) + (ids ? 1 : 0);
    if (given != 1) throw UsageError("give exactly one of --prompt TEXT, --prompts FILE and --ids \"1 2 3\"");
    if (lora)
        throw UsageError(
            "--lora: this version cannot apply adapters; merge the adapter into the weights and name that "
            "folder with --model");
    if (ids) parseIds(*ids);
    requirePlace("--logits", logits, {prompts_file.value_or("")});
    StopSignal signal;
    const auto access = app::openModelFolder(app::modelFolder(model.model));
    const auto prompts = readPrompts(access);
    check(access, prompts);
    Progress progress;
    const auto loaded = model.load(access, progress, signal.token());
    if (!logits.empty()) writeLogits(*loaded, prompts);

    engine::GenerateOptions options;
    options.max_new_tokens = max_new_tokens;
    options.sampling = {temperature, top_p, seed};
    std::int64_t made = 0;
    options.on_token = [&](std::size_t, TokenId) { progress.update(++made); };
    std::vector<std::vector<TokenId>> batch;
    for (const auto& one : prompts)
        batch.push_back(one.ids);
    progress.begin("Generating", 0, "tokens");
    const auto answers = loaded->generate(batch, options, signal.token());
    progress.end();
    print(access, prompts, answers);
    return signal.token().stop_requested() ? Cancelled : Done;
}

} // namespace

void addGenerate(CLI::App& app, Action& action)
{
    auto* command = app.add_subcommand("generate", "Let a model answer one prompt, or several in one batch");
    auto generate = std::make_shared<GenerateCommand>();
    generate->model.addTo(*command);
    command->add_option("--prompt", generate->prompt, "One prompt")->type_name("TEXT");
    command
        ->add_option("--prompts", generate->prompts_file,
                     "One prompt a line, or a request file (.jsonl, .csv)")
        ->type_name("FILE");
    command->add_option("--ids", generate->ids, "Token ids, fed as they are: no BOS, no template")
        ->type_name("\"1 2 3\"");
    command
        ->add_option("--max-new-tokens", generate->max_new_tokens, "Generated tokens at most (default: 512)")
        ->check(CLI::Range(1, 1'000'000))
        ->type_name("N");
    command->add_option("--temperature", generate->temperature, "0: greedy (default: 0)")
        ->check(numberBetween(0.0, 100.0))
        ->type_name("T");
    command->add_option("--top-p", generate->top_p, "Share of probability to draw from (default: 1)")
        ->check(numberBetween(1e-6, 1.0))
        ->type_name("P");
    command->add_option("--seed", generate->seed, "Seed of the draws (default: 42)")
        ->type_name("N")
        ->check(seedText);
    command->add_option("--template", generate->template_name, "Chat template (default: the folder's own)")
        ->check(CLI::IsMember(engine::chatTemplateNames()));
    command->add_option("--lora", generate->lora, "PEFT adapter folder")->type_name("DIR");
    command->add_flag("--print-ids", generate->print_ids,
                      "Print the new ids, one line a prompt, instead of text");
    command->add_option("--logits", generate->logits, "Write the logits after each prompt position")
        ->type_name("OUT.json");
    command->footer(
        "Example: batchscope-cli generate --model demo --prompt \"Tell me a story about a fox.\"");
    command->callback([generate, &action] { action = [generate] { return generate->generate(); }; });
}

} // namespace batchscope::cli
