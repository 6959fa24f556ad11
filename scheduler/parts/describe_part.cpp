// SPDX-License-Identifier: GPL-3.0-or-later
// A chip's one line.
#include "scheduler/registry.h"

#include <fmt/core.h>

namespace batchscope {
namespace {

std::string brief(const ParamValue& value)
{
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *whole);
    if (const auto* real = std::get_if<double>(&value)) return fmt::format("{}", *real);
    if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "on" : "off";
    if (const auto* text = std::get_if<std::string>(&value)) return *text;
    return "automatic";
}

std::string lowered(std::string title)
{
    const bool is_acronym = title.size() > 1 && title[1] >= 'A' && title[1] <= 'Z';
    if (!is_acronym && title[0] >= 'A' && title[0] <= 'Z') title[0] = static_cast<char>(title[0] - 'A' + 'a');
    return title;
}

const ParamValue& valueOf(const PartSpec& spec, const ParamDescriptor& param)
{
    const auto given = spec.params.find(param.name);
    return given == spec.params.end() ? param.default_value : given->second;
}

// How a parameter reads on a chip; empty where its value goes without saying.
std::string phrase(const PartSpec& spec, const ParamDescriptor& param)
{
    const ParamValue& value = valueOf(spec, param);
    const bool is_default = value == param.default_value;
    const std::string shown = brief(value);
    if (param.name == "rows") return "rows " + shown;
    if (param.name == "bin_width") return shown == "1" ? "no bins" : "bins of " + shown;
    if (param.name == "vbs") return shown == "off" ? "" : "VBS by " + shown;
    if (param.name == "slots") return shown + (shown == "1" ? " slot" : " slots");
    if (is_default || param.name == "group") return "";
    if (param.name == "delivery") return shown; // "batch-end" says what it is of
    if (param.name == "preemption") return "preempts, " + shown;
    if (param.name == "token_budget") return "budget " + shown + " tokens";
    if (param.name == "ageing.absolute_s") return "ages after " + shown + " s";
    if (param.name == "ageing.factor") return "ages after " + shown + " x service";
    const std::string title = param.title.empty() ? param.name : lowered(param.title);
    if (std::holds_alternative<bool>(value)) return shown == "on" ? title : "not " + title;
    return title + " " + shown + (param.unit.empty() ? "" : " " + param.unit);
}

} // namespace

std::string describePart(const PartSpec& spec, PartKind kind, const Registry& registry)
{
    const PartDescriptor* part = registry.find(kind, spec.type);
    std::string line = spec.type;
    if (part == nullptr) return line;
    for (const ParamDescriptor& param : part->params)
        if (param.name == "group") line += " " + brief(valueOf(spec, param));
    for (const ParamDescriptor& param : part->params) {
        const std::string text = phrase(spec, param);
        if (!text.empty()) line += " · " + text;
    }
    return line;
}

} // namespace batchscope
