// SPDX-License-Identifier: GPL-3.0-or-later
// Repeats the published figures of the examples, or of the sessions named, and shows ours beside them.
#include "app/cli/command.h"
#include "app/cli/output_place.h"
#include "app/cli/progress.h"
#include "app/cli/stop_signal.h"
#include "app/experiment/experiment.h"
#include "app/experiment/repeat.h"
#include "sessions/error.h"
#include "sessions/published.h"
#include "sessions/report.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>

namespace batchscope::cli {
namespace {

namespace fs = std::filesystem;

struct RepeatCommand
{
    std::vector<std::string> sessions_given;
    std::string markdown;
    int threads = 0;     // 0: one for each core
    int repetitions = 0; // 0: the sessions'

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
    StopSignal signal; // before any thread
    requirePlace("--markdown", markdown, {sessions_given.begin(), sessions_given.end()});
    const Registry registry = app::fullRegistry();
    const bool has_choice = !sessions_given.empty();
    const std::vector<fs::path> files =
        has_choice ? std::vector<fs::path>(sessions_given.begin(), sessions_given.end()) : exampleSessions();
    Progress progress;
    std::string text;
    for (const fs::path& file : files) {
        const auto document = sessions::readSession(file, registry);
        auto published = sessions::publishedFigures(document);
        if (published.figures.empty() && has_choice)
            throw sessions::DocumentError(
                fmt::format("{}: it has no \"published\" figures to repeat; run it with `batchscope-cli run`",
                            file.string()));
        if (published.figures.empty()) continue;
        if (repetitions > 0) published.repetitions = repetitions;
        bool has_begun = false;
        const auto progressed = [&](std::size_t done, std::size_t all) {
            if (!has_begun) progress.begin(document.name, static_cast<std::int64_t>(all), "runs");
            has_begun = true;
            progress.update(static_cast<std::int64_t>(done));
        };
        const auto rows = app::repeatPublished(document, published, {threads, progressed, signal.token()});
        progress.end();
        fmt::print("\n{}\n{}", document.name, sessions::repeatedTable(rows));
        std::fflush(stdout);
        text += fmt::format("{}### {}\n\n`{}`\n\n{}", text.empty() ? "" : "\n", document.name,
                            file.filename().string(), sessions::repeatedMarkdown(rows));
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
    repeat
        ->add_option("--repetitions", command->repetitions,
                     "Runs of each strategy, each of another seed (default: as the session says)")
        ->type_name("N")
        ->check(CLI::Range(1, 10'000));
    repeat->add_option("--threads", command->threads, "Runs at a time (default: one for each core)")
        ->type_name("N")
        ->check(CLI::Range(1, 1024));
    repeat->add_option("--markdown", command->markdown, "Write the tables as Markdown")->type_name("OUT.md");
    repeat->footer("Example: batchscope-cli repeat --markdown published.md");
    repeat->callback([command, &action] { action = [command] { return command->run(); }; });
}

} // namespace batchscope::cli
