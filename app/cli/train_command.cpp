// SPDX-License-Identifier: GPL-3.0-or-later
// Trains a length predictor on recorded lengths.
#include "app/cli/command.h"
#include "app/cli/model_options.h"
#include "app/cli/stop_signal.h"
#include "app/experiment/experiment.h"
#include "engine/checkpoint/predictor_manifest.h"
#include "engine/data/request_file.h"
#include "scheduler/random.h"

#include <fmt/format.h>

namespace batchscope::cli {
namespace {

using engine::LengthExample;

constexpr std::uint64_t k_split_stream = 4; // of the seed: which examples judge instead of teach
constexpr std::uint32_t k_one_in_judges = 10;
constexpr std::size_t k_fewest = 20;

struct TrainCommand
{
    ModelOptions model;
    std::string type = "pooled-mlp", lengths, out, pooling = "last";
    int epochs = 60, cap = 512;
    std::uint64_t seed = 42;

    int train() const;

private:
    std::filesystem::path folder(const app::ModelAccess& access) const;
    engine::PooledMlpTraining examples(const app::ModelAccess& access) const;
};

engine::PooledMlpTraining TrainCommand::examples(const app::ModelAccess& access) const
{
    engine::PooledMlpTraining training;
    Random random(seed, k_split_stream);
    for (const auto& row : engine::readRequestFile(lengths).rows) {
        if (!row.output_tokens || !row.prompt) continue;
        LengthExample example{
            engine::encodePrompt(*access.tokenizer, access.chat_template.render(*row.prompt), true),
            *row.output_tokens};
        (random.below(k_one_in_judges) == 0 ? training.validation : training.train)
            .push_back(std::move(example));
    }
    if (training.train.size() < k_fewest || training.validation.empty())
        throw engine::EngineError(
            engine::ErrorKind::InvalidFile,
            fmt::format("{} holds {} rows with prompt and output_tokens, which is too few to learn "
                        "from; collect at least a few hundred with batchscope-cli collect-lengths",
                        lengths, training.train.size() + training.validation.size()));
    return training;
}

// The model in the box keeps the predictor that was shipped with it: sessions and figures rest on it.
std::filesystem::path TrainCommand::folder(const app::ModelAccess& access) const
{
    if (!out.empty()) return out;
    std::error_code error;
    if (std::filesystem::equivalent(access.folder, app::demoModelDir(), error))
        throw UsageError("--model demo: its own predictor is part of Batchscope and would be replaced; name "
                         "another folder with --out DIR");
    return access.folder / "predictors" / type;
}

int TrainCommand::train() const
{
    StopSignal signal;
    const auto access = app::openModelFolder(app::modelFolder(model.model));
    const auto out_dir = folder(access);
    auto training = examples(access);
    Progress progress;
    const auto loaded = model.load(access, progress, signal.token());
    training.pooling = pooling;
    training.epochs = epochs;
    training.cap = cap;
    training.seed = seed;
    training.out_dir = out_dir;
    training.progress = [&](int epoch, double loss, const engine::PredictorScores& scores) {
        progress.update(epoch, fmt::format("loss {:.4f}, error {:.1f} tokens", loss, scores.mae));
    };
    progress.begin("Training", epochs, "epochs");
    engine::torchPlugin().trainPooledMlp(*loaded, training, signal.token());
    progress.end();
    // Of the weights that were written: those of the best epoch, which need not be the last.
    const engine::PredictorScores kept = engine::readPredictorManifest(training.out_dir).scores;
    fmt::print("{} on {} examples, judged on {} others: mean absolute error {:.1f} tokens (a constant guess: "
               "{:.1f}), "
               "Kendall tau {:.3f}, within 50 tokens {:.1f} %, within 100 {:.1f} %\nWrote {}\n",
               type, training.train.size(), kept.n, kept.mae, kept.constant_mae, kept.kendall_tau_b,
               100 * kept.acc50, 100 * kept.acc100, training.out_dir.string());
    return signal.token().stop_requested() ? Cancelled : Done;
}

} // namespace

void addTrain(CLI::App& app, Action& action)
{
    auto* command = app.add_subcommand("train", "Train a length predictor on recorded lengths");
    auto train = std::make_shared<TrainCommand>();
    train->model.addTo(*command);
    command->add_option("--type", train->type, "Kind of predictor")
        ->required()
        ->check(CLI::IsMember({"pooled-mlp"}));
    command
        ->add_option("--lengths", train->lengths,
                     "Request file with prompt and output_tokens (make it with collect-lengths); one row in "
                     "ten judges")
        ->required()
        ->type_name("FILE");
    command
        ->add_option("--out", train->out,
                     "Predictor folder (default: predictors/pooled-mlp under the model; the model in the box "
                     "needs one named)")
        ->type_name("DIR");
    command
        ->add_option("--pooling", train->pooling,
                     "Which hidden states of the prompt it reads (default: last)")
        ->check(CLI::IsMember({"last", "mean", "max"}));
    command->add_option("--epochs", train->epochs, "Passes over the examples (default: 60)")
        ->check(CLI::Range(1, 100'000))
        ->type_name("N");
    command
        ->add_option("--max-length", train->cap,
                     "The cap under which the lengths were recorded (default: 512)")
        ->check(CLI::Range(1, 1'000'000))
        ->type_name("N");
    command->add_option("--seed", train->seed, "Seed of split and training (default: 42)")
        ->type_name("N")
        ->check(seedText);
    command->footer(
        "Example: batchscope-cli train --type pooled-mlp --model demo --lengths lengths.jsonl --out "
        "my-predictor\n"
        "A session uses it by \"predictor\": {\"type\": \"pooled-mlp\", \"folder\": \"my-predictor\"}.");
    command->callback([train, &action] { action = [train] { return train->train(); }; });
}

} // namespace batchscope::cli
