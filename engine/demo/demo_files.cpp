// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/demo/demo_files.h"

#include "engine/checkpoint/atomic_file.h"
#include "engine/demo/demo_training.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace batchscope::engine {
namespace {

std::string label(const std::string& prefix, std::size_t index)
{
    return fmt::format("{}-{:04}", prefix, index + 1);
}

} // namespace

void writeDemoTemplate(const std::filesystem::path& model_dir)
{
    const ChatTemplate chat = demoTemplate();
    const nlohmann::ordered_json document = {{"template", chat.name}, {"system", chat.system}};
    writeWholeFile(model_dir / "template.json", document.dump(2) + "\n");
}

void writeDemoRequests(const std::filesystem::path& file, const std::string& id_prefix,
                       std::span<const DemoAnswer> answers)
{
    std::string text;
    for (std::size_t i = 0; i < answers.size(); ++i) {
        const nlohmann::ordered_json line = {{"id", label(id_prefix, i)},
                                             {"task", answers[i].item.task},
                                             {"prompt", answers[i].item.instruction},
                                             {"output_tokens", answers[i].output_tokens}};
        text += line.dump() + "\n";
    }
    writeWholeFile(file, text);
}

void writeDemoHeldOut(const std::filesystem::path& file, std::span<const DemoItem> items)
{
    std::string text;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const nlohmann::ordered_json line = {{"id", label("held-out", i)},
                                             {"task", items[i].task},
                                             {"key", items[i].key},
                                             {"prompt", items[i].instruction},
                                             {"answer", items[i].answer}};
        text += line.dump() + "\n";
    }
    writeWholeFile(file, text);
}

} // namespace batchscope::engine
