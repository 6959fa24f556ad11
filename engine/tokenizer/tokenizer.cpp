// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/tokenizer.h"

#include "engine/model/plugin_loader.h"

#include <algorithm>

namespace batchscope::engine {
namespace {

void appendText(const Tokenizer& tokenizer, std::string_view text, std::vector<TokenId>& ids)
{
    if (text.empty()) return;
    const auto more = tokenizer.encode(text);
    ids.insert(ids.end(), more.begin(), more.end());
}

} // namespace

std::vector<TokenId> encodePrompt(const Tokenizer& tokenizer, std::string_view text, bool add_bos)
{
    static constexpr std::string_view k_bos = "<s>";
    static constexpr std::string_view k_eos = "</s>";
    std::vector<TokenId> ids;
    if (add_bos) ids.push_back(tokenizer.bos());
    while (!text.empty()) {
        const std::size_t bos_at = text.find(k_bos);
        const std::size_t eos_at = text.find(k_eos);
        const std::size_t at = std::min(bos_at, eos_at);
        appendText(tokenizer, text.substr(0, at), ids);
        if (at == std::string_view::npos) break;
        ids.push_back(at == bos_at ? tokenizer.bos() : tokenizer.eos());
        text.remove_prefix(at + (at == bos_at ? k_bos.size() : k_eos.size()));
    }
    return ids;
}

TokenizerPlugin& tokenizerPlugin()
{
    return *static_cast<TokenizerPlugin*>(openPlugin("tokenizer").root);
}

} // namespace batchscope::engine
