// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/output_place.h"
#include "app/cli/store_options.h"
#include "sessions/report.h"

#include <fmt/format.h>

namespace batchscope::cli {
namespace {

struct ReportCommand
{
    std::vector<std::string> runs;
    std::string out;
    StoreOptions store;

    int write() const
    {
        if (!out.ends_with(".md"))
            throw UsageError(fmt::format(
                "--out {}: this version writes Markdown reports; name a file that ends in .md", out));
        const auto opened = store.open();
        requirePlace("--out", out, {opened.file()});
        sessions::writeFileAtomically(out, sessions::reportMarkdown(loadRuns(opened, runs)));
        fmt::print("Wrote {}\n", out);
        return Done;
    }
};

} // namespace

void addReport(CLI::App& app, Action& action)
{
    auto* command = app.add_subcommand("report", "Write a report on runs; the first is the baseline");
    auto report = std::make_shared<ReportCommand>();
    command->add_option("RUN", report->runs, "Number, uuid or name; the first is the baseline")->required();
    command->add_option("--out", report->out, "Markdown file to write")->required()->type_name("FILE.md");
    report->store.addTo(*command);
    command->footer("Example: batchscope-cli report 12 13 14 --out report.md");
    command->callback([report, &action] { action = [report] { return report->write(); }; });
}

} // namespace batchscope::cli
