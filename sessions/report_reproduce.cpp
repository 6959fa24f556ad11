// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/report_reproduce.h"

#include "sessions/event_json.h"
#include "sessions/markdown_text.h"
#include "sessions/ordered_json.h"
#include "sessions/session_document.h"
#include "sessions/shell_word.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace batchscope::sessions {

namespace {

// Runs that one session repeats: they differ in strategy or repetition only.
bool sameSession(const RunRecord& a, const RunRecord& b)
{
    return a.session == b.session && a.session_file == b.session_file && a.command == b.command &&
           a.backend == b.backend && a.workload == b.workload && a.workload_hash == b.workload_hash &&
           a.provenance == b.provenance;
}

using Group = std::vector<const RunRecord*>;

std::vector<Group> groupsOf(const std::vector<StoredRun>& runs)
{
    std::vector<Group> groups;
    for (const auto& run : runs) {
        const auto same = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
            return sameSession(*group.front(), run.record);
        });
        if (same == groups.end())
            groups.push_back({&run.record});
        else
            same->push_back(&run.record);
    }
    return groups;
}

std::vector<const Strategy*> strategiesOf(const Group& group)
{
    std::vector<const Strategy*> strategies;
    std::set<std::string> told;
    for (const RunRecord* run : group)
        if (told.insert(run->strategy.name).second) strategies.push_back(&run->strategy);
    return strategies;
}

// What was typed, or what runs the window's session file without it. Empty where neither is known.
std::string commandOf(const Group& group)
{
    const RunRecord& first = *group.front();
    std::string command = first.command;
    if (command.empty() && !first.session_file.empty()) {
        command = "batchscope-cli run " + shellWord(first.session_file);
        for (const Strategy* strategy : strategiesOf(group))
            command += " --strategy " + shellWord(strategy->name);
    }
    std::replace(command.begin(), command.end(), '\n', ' '); // it must stay one line of the report
    return command;
}

std::string inBackticks(const nlohmann::json& json)
{
    std::string text = json.dump();
    std::replace(text.begin(), text.end(), '`', '\'');
    return "`" + text + "`";
}

// In words too: records of older stores have no backend and workload of their own.
std::string facts(const RunRecord& run)
{
    std::string text = "- Session: " + escaped(run.session);
    if (!run.session_file.empty()) text += ", " + escaped(run.session_file);
    text += "\n- Backend: " + escaped(run.provenance.sentence());
    if (!run.provenance.model.empty()) text += ", model " + escaped(run.provenance.model);
    if (!run.backend.is_null()) text += "; " + inBackticks(run.backend);
    text += fmt::format(
        "\n- Workload: {}, {} requests, {}, lengths {}, seed {}, temperature {}, top-p {}, hash {}",
        escaped(run.source), run.requests, escaped(run.arrivals), lengthModeName(run.lengths), run.seed,
        jsonNumber(run.sampling.temperature), jsonNumber(run.sampling.top_p), escaped(run.workload_hash));
    if (!run.workload.is_null()) text += "; " + inBackticks(run.workload);
    return text + "\n\n";
}

std::string fenced(const nlohmann::json& json)
{
    return "```json\n" + orderedForPeople(json).dump(2) + "\n```\n\n";
}

// A whole session file where everything in it is known, else the strategies alone.
std::string session(const Group& group)
{
    const RunRecord& first = *group.front();
    nlohmann::json strategies = nlohmann::json::array();
    for (const Strategy* strategy : strategiesOf(group))
        strategies.push_back(strategyToJson(*strategy));
    if (first.backend.is_null() || first.workload.is_null())
        return "The session's `strategies`:\n\n" + fenced(strategies);
    const std::string paths =
        first.session_file.empty()
            ? ""
            : fmt::format(" (its paths count from the folder of {})", escaped(first.session_file));
    return fmt::format("As a session file{}:\n\n", paths) + fenced({{"schema", "batchscope.session/1"},
                                                                    {"name", first.session},
                                                                    {"backend", first.backend},
                                                                    {"workload", first.workload},
                                                                    {"strategies", strategies}});
}

} // namespace

std::string reproduceMarkdown(const std::vector<StoredRun>& runs)
{
    std::string text = "## Reproduce\n\n";
    const auto groups = groupsOf(runs);
    for (const Group& group : groups) {
        if (groups.size() > 1) {
            std::string names;
            for (const Strategy* strategy : strategiesOf(group))
                names += (names.empty() ? "" : ", ") + escaped(strategy->name);
            text += "### " + names + "\n\n";
        }
        if (const std::string command = commandOf(group); !command.empty())
            text += "The runs again:\n\n    " + command + "\n\n";
        text += facts(*group.front()) + session(group);
    }
    std::string uuids;
    for (const auto& run : runs)
        uuids += " " + run.record.uuid;
    return text + fmt::format("This comparison again:\n\n    batchscope-cli compare{}\n\n", uuids);
}

} // namespace batchscope::sessions
