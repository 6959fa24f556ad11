// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/output_place.h"
#include "app/cli/store_options.h"
#include "sessions/report.h"

#include <fmt/format.h>

namespace batchscope::cli {
namespace {

struct ExportCommand
{
    std::string run, format = "json", out;
    StoreOptions store;

    std::string text(const sessions::StoredRun& stored) const
    {
        if (format == "csv") return sessions::exportCsv(stored);
        if (format == "jsonl") return sessions::exportEventsJsonl(stored.log);
        return sessions::exportJson(stored);
    }

    int write() const
    {
        const auto opened = store.open();
        requirePlace("--out", out, {opened.file()});
        const std::string content = text(opened.load(opened.find(run).id));
        if (out.empty())
            fmt::print("{}", content);
        else
            sessions::writeFileAtomically(out, content);
        return Done;
    }
};

} // namespace

void addExport(CLI::App& app, Action& action)
{
    auto* command = app.add_subcommand("export", "Write a run as JSON, CSV or its event log");
    auto one = std::make_shared<ExportCommand>();
    command->add_option("RUN", one->run, "Number, uuid or name")->required();
    command
        ->add_option("--format", one->format,
                     "json: all of it; csv: one request a line; jsonl: one event a line (default: json)")
        ->check(CLI::IsMember({"json", "csv", "jsonl"}));
    command->add_option("--out", one->out, "File to write (default: standard output)")->type_name("FILE");
    one->store.addTo(*command);
    command->footer("Example: batchscope-cli export 12 --format csv --out run12.csv");
    command->callback([one, &action] { action = [one] { return one->write(); }; });
}

} // namespace batchscope::cli
