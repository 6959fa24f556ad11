// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the examples that repeat published figures and shows ours beside them.
#include "app/cli/command.h"
#include "app/cli/output_place.h"
#include "app/cli/run_listener.h"
#include "app/cli/stop_signal.h"
#include "app/experiment/experiment.h"
#include "sessions/error.h"
#include "sessions/published.h"
#include "sessions/report.h"

#include <algorithm>
#include <fmt/format.h>

namespace batchscope::cli {
namespace {

namespace fs = std::filesystem;

struct RepeatCommand
{
    std::vector<std::string> sessions_given;
    std::string markdown;

    int run() const;
};

std::vector<fs::path> exampleSessions()
{
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(app::exampleSession().parent_path()))
        if (entry.path().extension() == ".json") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

int RepeatCommand::run() const
{
    requirePlace("--markdown", markdown, {sessions_given.begin(), sessions_given.end()});
    const Registry registry = app::fullRegistry();
    const bool has_choice = !sessions_given.empty();
    const std::vector<fs::path> files =
        has_choice ? std::vector<fs::path>(sessions_given.begin(), sessions_given.end()) : exampleSessions();
    StopSignal signal;
    app::Experiment experiment;
    std::string text;
    for (const fs::path& file : files) {
        const auto document = sessions::readSession(file, registry);
        const auto figures = sessions::publishedFigures(document);
        if (figures.empty() && has_choice)
            throw sessions::DocumentError(fmt::format(
                "{}: it has no \"published\" figures to repeat; run it with `batchscope-cli run`", file.string()));
        if (figures.empty()) continue;
        RunListener listener;
        RunControl control;
        const auto result = experiment.run(document, {}, listener, control, signal.token());
        std::vector<sessions::RunRecord> records;
        for (const auto& run : result.runs)
            records.push_back(run.record);
        const auto rows = sessions::besidePublished(figures, records);
        fmt::print("\n{}\n{}", document.name, sessions::repeatedTable(rows));
        text += sessions::repeatedMarkdown(document.name, rows);
        if (result.status != RunStatus::Completed)
            return result.status == RunStatus::Cancelled ? Cancelled : Failed;
    }
    if (!markdown.empty()) sessions::writeFileAtomically(markdown, text);
    return Done;
}

} // namespace

void addRepeat(CLI::App& app, Action& action)
{
    auto command = std::make_shared<RepeatCommand>();
    CLI::App* repeat = app.add_subcommand("repeat", "Repeat published figures and show ours beside them");
    repeat->add_option("SESSION", command->sessions_given,
                       "Sessions with \"published\" figures (default: every example that has some)");
    repeat->add_option("--markdown", command->markdown, "Write the tables as Markdown")->type_name("OUT.md");
    repeat->footer("Example: batchscope-cli repeat --markdown published.md");
    repeat->callback([command, &action] { action = [command] { return command->run(); }; });
}

} // namespace batchscope::cli
