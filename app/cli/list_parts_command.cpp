// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/experiment/experiment.h"
#include "scheduler/parts/roofline_knobs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace batchscope::cli {
namespace {

std::string valueText(const ParamValue& value)
{
    if (std::holds_alternative<std::monostate>(value)) return "null";
    if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
    if (const auto* real = std::get_if<double>(&value)) return fmt::format("{}", *real);
    return std::get<std::string>(value);
}

std::string rangeText(const ParamDescriptor& param)
{
    if (!param.choices.empty()) return fmt::format("{}", fmt::join(param.choices, "|"));
    const std::string unit = param.unit.empty() ? "" : " " + param.unit;
    if (param.minimum && param.maximum)
        return fmt::format("{} to {}{}", *param.minimum, *param.maximum, unit);
    if (param.minimum) return fmt::format("at least {}{}", *param.minimum, unit);
    if (param.maximum) return fmt::format("at most {}{}", *param.maximum, unit);
    return param.unit;
}

// Every ordering has these: they are told once.
bool isAgeing(const ParamDescriptor& param)
{
    return param.name.starts_with("ageing.");
}

void printParam(const ParamDescriptor& param)
{
    const std::string range = rangeText(param);
    fmt::print("  {:<14}   {}{}\n", "", param.name,
               range.empty() ? "" : "   (" + range + (param.nullable ? " or null)" : ")"));
    if (!param.help.empty()) fmt::print("  {:<14}     {}\n", "", param.help);
    // Many sources begin with the value they are about.
    const std::string value = valueText(param.default_value);
    const std::string source = param.source.starts_with(value) ? param.source : value + ": " + param.source;
    fmt::print("  {:<14}     Default {}\n", "", param.source.empty() ? value : source);
}

void printPart(const PartDescriptor& part)
{
    fmt::print("  {:<14} {}{}\n", part.type, part.title, part.model_bound ? "  (needs a loaded model)" : "");
    if (!part.help.empty()) fmt::print("  {:<14} {}\n", "", part.help);
    for (const auto& param : part.params)
        if (!isAgeing(param)) printParam(param);
}

void printAgeing(const Registry& registry)
{
    fmt::print("  {:<14} {}\n", "(all)", "Ageing: every ordering takes these too.");
    for (const ParamDescriptor& param : registry.require(PartKind::Ordering, "fcfs").params)
        if (isAgeing(param)) printParam(param);
}

int listParts()
{
    const Registry registry = app::fullRegistry();
    for (const auto kind :
         {PartKind::Predictor, PartKind::Ordering, PartKind::Batching, PartKind::Correction}) {
        fmt::print("{}\n", partKindName(kind));
        for (const auto* part : registry.parts(kind))
            printPart(*part);
        if (kind == PartKind::Ordering) printAgeing(registry);
        fmt::print("\n");
    }
    PartDescriptor roofline;
    roofline.type = "roofline";
    roofline.title = "A cost model from public figures";
    roofline.help =
        "\"backend\": {\"type\": \"simulated\", \"roofline\": {\"device\": {...}, \"model\": {...}}}; "
        "list-presets shows cost models in the box";
    roofline.params = rooflineKnobs();
    fmt::print("cost model\n");
    printPart(roofline);
    return Done;
}

} // namespace

void addListParts(CLI::App& app, Action& action)
{
    auto* command =
        app.add_subcommand("list-parts", "Predictors, orderings, batching modes and corrections with "
                                         "their parameters");
    command->footer(
        "Example: batchscope-cli list-parts\n"
        "A parameter is set in the session file, or with: run SESSION.json --set batching.rows=8");
    command->callback([&action] { action = listParts; });
}

} // namespace batchscope::cli
