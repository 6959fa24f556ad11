// SPDX-License-Identifier: GPL-3.0-or-later
// Makes the model in the box again: tokenizer, training, and the score on instructions that it has never
// seen.
#include "app/cli/command.h"
#include "app/cli/model_options.h"
#include "app/cli/stop_signal.h"
#include "engine/demo/checker.h"
#include "engine/demo/demo_training.h"
#include "engine/demo/world.h"
#include "sessions/report.h"

#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

namespace batchscope::cli {
namespace {

namespace fs = std::filesystem;

constexpr int k_cap = 512;
constexpr std::size_t k_rows = 32;

struct TrainDemoCommand
{
    std::string out;
    std::optional<std::int64_t> tokens;
    std::optional<int> workers;
    int held_out = engine::DemoHeldOutCount;
    bool score_only = false;

    int run() const;

private:
    void makeTokenizer() const;
    void train(const engine::Tokenizer& tokenizer, Progress& progress, std::stop_token stop) const;
    void score(Progress& progress, std::stop_token stop) const;
};

void TrainDemoCommand::makeTokenizer() const
{
    const fs::path file = fs::path(out) / "tokenizer.model";
    if (fs::exists(file)) return; // a resumed run goes on with the same one
    const auto sentences = engine::demoTokenizerSentences();
    engine::TokenizerTraining training;
    training.vocabulary_size = engine::DemoVocabulary;
    training.model_file = file;
    std::size_t next = 0;
    engine::tokenizerPlugin().train(training, [&]() -> std::optional<std::string> {
        return next < sentences.size() ? std::optional(sentences[next++]) : std::nullopt;
    });
    const auto chat = engine::demoTemplate();
    sessions::writeFileAtomically(
        fs::path(out) / "template.json",
        nlohmann::ordered_json{{"template", chat.name}, {"system", chat.system}}.dump(2) + "\n");
}

void TrainDemoCommand::train(const engine::Tokenizer& tokenizer, Progress& progress,
                             std::stop_token stop) const
{
    engine::TrainingPlan plan = engine::demoTrainingPlan();
    if (tokens) plan.tokens = *tokens;
    if (workers) plan.workers = *workers;
    plan.model_dir = out;
    plan.checkpoint = fs::path(out) / "training.checkpoint";
    progress.begin("Training", plan.tokens, "tokens");
    engine::torchPlugin().trainLlama(
        plan, engine::demoTrainingSource(tokenizer),
        [&progress](const engine::TrainingReport& report) {
            progress.update(report.tokens,
                            fmt::format("loss {:.3f}, held out {:.4f} ({:.1f} % of answers right)", report.loss,
                                        report.held_out_loss, 100 * report.held_out_right));
        },
        stop);
    progress.end();
}

struct TaskScore
{
    int asked = 0, ended = 0, right = 0;
};

// Greedy answers to held-out instructions: ended before the cap, and right by the generator's own checker.
void TrainDemoCommand::score(Progress& progress, std::stop_token stop) const
{
    const auto access = app::openModelFolder(out);
    ModelOptions model;
    const auto loaded = model.load(access, progress, stop);
    const auto items = engine::demoItems(engine::DemoSplit::HeldOut, held_out, engine::DemoSeed);
    engine::GenerateOptions options;
    options.max_new_tokens = k_cap;
    std::map<std::string, TaskScore> tasks;
    TaskScore all;
    progress.begin("Scoring", static_cast<std::int64_t>(items.size()), "instructions");
    for (std::size_t begin = 0; begin < items.size() && !stop.stop_requested(); begin += k_rows) {
        const std::size_t end = std::min(items.size(), begin + k_rows);
        std::vector<std::vector<engine::TokenId>> batch;
        for (std::size_t i = begin; i < end; ++i)
            batch.push_back(engine::encodePrompt(*access.tokenizer,
                                                 access.chat_template.render(items[i].instruction), true));
        const auto answers = loaded->generate(batch, options, stop);
        for (std::size_t i = begin; i < end; ++i) {
            const auto& answer = answers[i - begin];
            const bool ended = answer.end == RowEnd::Eos;
            const bool right = ended && engine::isRight(items[i], access.tokenizer->decode(answer.ids));
            for (TaskScore* score : {&tasks[items[i].task], &all}) {
                ++score->asked;
                score->ended += ended;
                score->right += right;
            }
        }
        progress.update(static_cast<std::int64_t>(end));
    }
    progress.end();
    fmt::print("{:<16} {:>6} {:>14} {:>6}\n", "task", "asked", "ended by itself", "right");
    for (const auto& [task, score] : tasks)
        fmt::print("{:<16} {:>6} {:>15} {:>6}\n", task, score.asked, score.ended, score.right);
    fmt::print("{:<16} {:>6} {:>13.1f} % {:>4.1f} %\n", "all", all.asked,
               100.0 * all.ended / std::max(1, all.asked), 100.0 * all.right / std::max(1, all.asked));
}

int TrainDemoCommand::run() const
{
    StopSignal signal;
    std::error_code error;
    fs::create_directories(out, error);
    if (error) throw UsageError(fmt::format("--out {}: the folder cannot be made: {}", out, error.message()));
    Progress progress;
    if (!score_only) {
        makeTokenizer();
        const auto tokenizer = engine::tokenizerPlugin().load(fs::path(out) / "tokenizer.model");
        train(*tokenizer, progress, signal.token());
        if (signal.token().stop_requested()) {
            fmt::print("Stopped; the same command goes on from {}/training.checkpoint\n", out);
            return Cancelled;
        }
        fmt::print("Wrote the model to {}\n", out);
    }
    if (held_out > 0) score(progress, signal.token());
    return signal.token().stop_requested() ? Cancelled : Done;
}

} // namespace

void addTrainDemo(CLI::App& app, Action& action)
{
    auto* command =
        app.add_subcommand("train-demo", "Train the model in the box anew and score it on held-out "
                                         "instructions; an interrupted training goes on");
    auto train = std::make_shared<TrainDemoCommand>();
    command->add_option("--out", train->out, "Model folder to write")->required()->type_name("DIR");
    command->add_option("--tokens", train->tokens, "Training tokens (default: the recipe's)")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000'000}))
        ->type_name("N");
    command
        ->add_option("--workers", train->workers, "Data-parallel workers of one thread; part of the recipe")
        ->check(CLI::Range(1, 256))
        ->type_name("N");
    command
        ->add_option("--held-out", train->held_out,
                     "Held-out instructions to score on (default: 200; 0: none)")
        ->check(CLI::Range(0, 100'000))
        ->type_name("N");
    command->add_flag("--score-only", train->score_only, "Score the model that is there");
    command->footer("Example: batchscope-cli train-demo --out /tmp/demo-again\n"
                    "Afterwards: collect-lengths --demo-split predictor, then train --type pooled-mlp.");
    command->callback([train, &action] { action = [train] { return train->run(); }; });
}

} // namespace batchscope::cli
