// SPDX-License-Identifier: GPL-3.0-or-later
// Chat templates: the exact text that a chat model's weights expect around an instruction.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace batchscope::engine {

struct Turn
{
    std::string user;
    std::string assistant; // empty in the last turn: the model writes it
    bool operator==(const Turn&) const = default;
};

// Vicuna v1.1 (also v1.3, v1.5): "<system> USER: <u1> ASSISTANT: <a1></s>USER: <u2> ASSISTANT:"; a space after a user
// turn, "</s>" after an assistant turn, no newlines, no space at the very end. "none": the last user text as it is.
struct ChatTemplate
{
    std::string name = "vicuna_v1.1";
    std::string system; // empty: the template's own published sentence

    std::string render(const std::vector<Turn>& turns) const;
    std::string render(std::string_view instruction) const { return render({Turn{std::string(instruction), {}}}); }
};

// Throws EngineError(InvalidFile) listing the names that exist.
ChatTemplate chatTemplate(const std::string& name, const std::string& system = {});
std::vector<std::string> chatTemplateNames();

} // namespace batchscope::engine
