// SPDX-License-Identifier: GPL-3.0-or-later
// Says what an importer makes of a data set or trace, before a session uses it.
#include "app/cli/command.h"
#include "engine/data/import_summary.h"

#include <fmt/format.h>

namespace batchscope::cli {
namespace {

struct ImportCommand
{
    std::string file, turns = "first", zero_tokens = "skip";
    bool describe = false;
    engine::ImportOptions options;

    int run()
    {
        if (!describe)
            throw UsageError(
                "give --describe: a session takes the file itself ({\"source\": {\"type\": \"trace\" or "
                "\"dataset\", \"path\": FILE}}), there is nothing to convert");
        options.all_turns = turns == "all";
        options.clip_zero_tokens = zero_tokens == "clip";
        fmt::print("{}\n{}", file, engine::importText(engine::summarizeImport(file, options)));
        return Done;
    }
};

std::string formatList()
{
    std::string list = "Formats:\n";
    for (const auto& format : engine::importFormats())
        list += fmt::format("  {:<17} {} ({})\n", format.name, format.title, format.fields);
    return list;
}

} // namespace

void addImport(CLI::App& app, Action& action)
{
    auto* command = app.add_subcommand("import", "Say what an importer makes of a data set or trace");
    auto import = std::make_shared<ImportCommand>();
    command->add_option("FILE", import->file, "Data set, trace or request file")->required();
    command->add_flag("--describe", import->describe,
                      "Rows, what was skipped and why, time unit, span, gaps and lengths");
    std::vector<std::string> names;
    for (const auto& format : engine::importFormats())
        names.push_back(format.name);
    command->add_option("--format", import->options.format, "Read it as this format (default: recognised)")
        ->check(CLI::IsMember(names))
        ->type_name("F");
    command
        ->add_option("--time-unit", import->options.time_unit,
                     "Of its times: s, ms, us, ns (default: proposed)")
        ->check(CLI::IsMember({"s", "ms", "us", "ns"}))
        ->type_name("U");
    command
        ->add_option("--zero-tokens", import->zero_tokens,
                     "Rows that say 0 tokens: skip or clip to 1 (default: skip)")
        ->check(CLI::IsMember({"skip", "clip"}))
        ->type_name("RULE");
    command
        ->add_option("--turns", import->turns, "Questions of a conversation: first or all (default: first)")
        ->check(CLI::IsMember({"first", "all"}))
        ->type_name("TURNS");
    command->footer(formatList() + "Example: batchscope-cli import trace.csv --describe --time-unit ms");
    command->callback([import, &action] { action = [import] { return import->run(); }; });
}

} // namespace batchscope::cli
