// SPDX-License-Identifier: GPL-3.0-or-later
// The reference project's benchmark with its flags: one strategy on a conversation data set.
#include "app/cli/command.h"
#include "app/cli/number_check.h"
#include "app/cli/run_options.h"
#include "app/experiment/model_access.h"
#include "engine/data/recorded_lengths.h"
#include "sessions/shell_word.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace batchscope::cli {
namespace {

struct BenchCommand
{
    std::string model, data, strategy, lora, lengths;
    int rows = 16, group = 256, cap = 512, requests = 0;
    std::uint64_t seed = 42;
    bool vbs = false, fcr = false;
    double temperature = 0;
    std::string dtype = "f32", device = "cpu";
    RunOptions options;

    int bench() const;

private:
    void refuse() const;
    std::string command() const;
    Strategy makeStrategy() const;
    sessions::SessionDocument makeDocument() const;
};

void BenchCommand::refuse() const
{
    if (strategy == "po")
        throw UsageError(
            "--strategy po: this version has no perception-only predictor; choose seqsch (the folder's "
            "own predictor), gt (recorded lengths) or vanilla");
    if (!lora.empty())
        throw UsageError(
            "--lora-path: this version cannot apply adapters; leave it out to use the predictor under the "
            "model's predictors/");
    if (strategy == "vanilla" && (vbs || fcr))
        throw UsageError("--vbs and --fcr need predicted lengths; choose --strategy seqsch or gt with them");
    if (strategy == "gt" && lengths.empty())
        throw UsageError("--strategy gt reads recorded lengths; name them with --lengths FILE (make it with "
                         "batchscope-cli collect-lengths)");
    if (strategy != "gt" && !lengths.empty())
        throw UsageError("--lengths is read by --strategy gt only; add it or leave --lengths out");
}

std::string BenchCommand::command() const
{
    using sessions::shellWord;
    std::string line = fmt::format("batchscope-cli bench --model {} --data-path {} --strategy {}",
                                   shellWord(model), shellWord(data), strategy);
    if (!lengths.empty()) line += " --lengths " + shellWord(lengths);
    if (requests > 0) line += fmt::format(" --num-data {}", requests);
    if (vbs) line += " --vbs";
    if (fcr) line += " --fcr";
    return line + fmt::format(" --seed {} --batch-size {} --group-size {} --max-length {} --temperature {} "
                              "--dtype {} --device {}",
                              seed, rows, group, cap, temperature, dtype, shellWord(device));
}

Strategy BenchCommand::makeStrategy() const
{
    Strategy made;
    made.name = strategy + (vbs ? "+vbs" : "") + (fcr ? "+fcr" : "");
    made.limits.max_new_tokens = cap;
    if (strategy == "vanilla") {
        made.batching = {"static", {{"rows", std::int64_t{rows}}, {"delivery", std::string("batch-end")}}};
        return made;
    }
    made.predictor.type = strategy == "gt" ? "recorded" : "pooled-mlp";
    made.ordering.type = "sjf";
    made.batching = {"grouped",
                     {{"group", std::int64_t{group}},
                      {"rows", std::int64_t{rows}},
                      {"vbs", std::string(vbs ? "table" : "off")},
                      {"delivery", std::string("batch-end")}}};
    if (fcr) made.correction.type = "fcr";
    return made;
}

sessions::SessionDocument BenchCommand::makeDocument() const
{
    sessions::SessionDocument document;
    document.name = "bench";
    document.backend.model = app::modelFolder(model).string();
    document.backend.dtype = dtype;
    document.backend.device = device;
    document.workload.source.type = "dataset";
    document.workload.source.path = data;
    if (requests > 0) document.workload.requests = requests;
    document.workload.seed = seed;
    document.workload.lengths.mode = LengthMode::Free;
    document.workload.sampling.temperature = temperature;
    document.strategies = {makeStrategy()};
    return document;
}

int BenchCommand::bench() const
{
    refuse();
    RunOptions run = options;
    run.inputs = {data, lengths};
    run.command_line = command();
    run.check();
    if (strategy == "gt") {
        const auto recorded = engine::readRecordedLengths(lengths);
        run.prepare = [recorded, this](Workload& workload) {
            for (auto& request : workload.requests) {
                const auto found = recorded.find(request.id);
                if (found == recorded.end())
                    throw sessions::DocumentError(fmt::format(
                        "{} has no length for \"{}\" (request {}); collect the lengths of this data set with "
                        "batchscope-cli collect-lengths",
                        lengths, request.id, request.index));
                request.predicted_tokens = std::max(1, found->second); // nobody predicts an empty answer
            }
        };
    }
    return runDocument(makeDocument(), run);
}

} // namespace

void addBench(CLI::App& app, Action& action)
{
    auto* command =
        app.add_subcommand("bench", "Run one strategy on a conversation data set, with the flags of the "
                                    "Sequence-Scheduling benchmark");
    auto bench = std::make_shared<BenchCommand>();
    command->add_option("--model", bench->model, "Model folder, or \"demo\"")
        ->required()
        ->type_name("DIR")
        ->check(folderNamed);
    command->add_option("--data-path,--data", bench->data, "Alpaca or ShareGPT conversations (JSON, JSONL)")
        ->required()
        ->type_name("FILE");
    command
        ->add_option("--num-data", bench->requests,
                     "Requests, drawn by the seed (default: all, in file order)")
        ->check(CLI::Range(1, 1'000'000'000))
        ->type_name("N");
    command->add_option("--seed", bench->seed, "Seed of draw and sampling (default: 42)")
        ->type_name("N")
        ->check(seedText);
    command
        ->add_option(
            "--strategy", bench->strategy,
            "vanilla: static batches; seqsch: sequence scheduling with the folder's predictor; gt: with "
            "recorded lengths; po: perception only")
        ->required()
        ->check(CLI::IsMember({"vanilla", "seqsch", "po", "gt"}));
    command->add_flag("--vbs", bench->vbs, "Variable batch size (the published table)");
    command->add_flag("--fcr", bench->fcr, "Failure collection and recomputation");
    command->add_option("--lora-path", bench->lora, "Adapter of an instruction-tuned predictor")
        ->type_name("DIR");
    command->add_option("--lengths", bench->lengths, "Recorded lengths for gt")->type_name("FILE");
    command->add_option("--batch-size", bench->rows, "Rows of a batch (default: 16)")
        ->check(CLI::Range(1, 4096))
        ->type_name("N");
    command->add_option("--group-size", bench->group, "Requests scheduled together (default: 256)")
        ->check(CLI::Range(1, 1'000'000))
        ->type_name("N");
    command->add_option("--max-length", bench->cap, "Generated tokens at most (default: 512)")
        ->check(CLI::Range(1, 1'000'000))
        ->type_name("N");
    command->add_option("--temperature", bench->temperature, "0: greedy (default: 0)")
        ->check(numberBetween(0.0, 100.0))
        ->type_name("T");
    command->add_option("--dtype", bench->dtype, "Weights and arithmetic (default: f32)")
        ->check(CLI::IsMember({"f32", "bf16", "f16"}));
    command->add_option("--device", bench->device, "cpu or cuda:N (default: cpu)")->type_name("NAME");
    bench->options.addKeeping(*command);
    command->footer(
        "Example: batchscope-cli bench --model ~/vicuna-7b --data-path alpaca-val.json --num-data 256 "
        "--strategy seqsch --vbs --fcr");
    command->callback([bench, &action] { action = [bench] { return bench->bench(); }; });
}

} // namespace batchscope::cli
