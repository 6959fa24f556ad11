// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/prompt/chat_template.h"

#include "engine/error.h"

#include <fmt/core.h>

namespace batchscope::engine {
namespace {

constexpr const char* k_vicuna = "vicuna_v1.1";
constexpr const char* k_none = "none";

// The sentence that Vicuna v1.1 and later were tuned with: part of their input format.
constexpr const char* k_vicuna_system =
    "A chat between a curious user and an artificial intelligence assistant. "
    "The assistant gives helpful, detailed, and polite answers to the user's questions.";

std::string renderVicuna(const std::string& system, const std::vector<Turn>& turns)
{
    std::string text = (system.empty() ? std::string(k_vicuna_system) : system) + " ";
    for (std::size_t i = 0; i < turns.size(); ++i) {
        text += "USER: " + turns[i].user + " ASSISTANT:";
        const bool open = turns[i].assistant.empty();
        if (open && i + 1 < turns.size())
            throw EngineError(
                ErrorKind::InvalidFile,
                fmt::format("Turn {} of {} has no answer; only the last turn may be left to the model.",
                            i + 1, turns.size()));
        if (!open) text += " " + turns[i].assistant + "</s>";
    }
    return text;
}

} // namespace

std::string ChatTemplate::render(const std::vector<Turn>& turns) const
{
    if (turns.empty())
        throw EngineError(ErrorKind::InvalidFile, "A prompt needs at least one user turn, found none.");
    if (name == k_none) return turns.back().user;
    if (name == k_vicuna) return renderVicuna(system, turns);
    return chatTemplate(name, system).render(turns); // throws, listing the names
}

ChatTemplate chatTemplate(const std::string& name, const std::string& system)
{
    std::string known;
    for (const std::string& each : chatTemplateNames()) {
        if (each == name) return {name, system};
        known += (known.empty() ? "" : ", ") + each;
    }
    throw EngineError(ErrorKind::InvalidFile,
                      fmt::format("There is no chat template \"{}\"; choose one of: {}.", name, known));
}

std::vector<std::string> chatTemplateNames()
{
    return {k_vicuna, k_none};
}

} // namespace batchscope::engine
