// SPDX-License-Identifier: GPL-3.0-or-later
// Small models of a test in a folder of its own, loaded through the torch plug-in.
#pragma once

#include "engine/model/torch_plugin.h"
#include "tests/support/random_llama.h"

#include <QTemporaryDir>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace batchscope::tests {

class TorchModels
{
public:
    std::filesystem::path folder(const std::string& name) const
    {
        return std::filesystem::path(m_dir.path().toStdString()) / name;
    }
    std::unique_ptr<engine::LanguageModel> load(const std::string& name,
                                                engine::DType dtype = engine::DType::F32) const
    {
        engine::LoadOptions options;
        options.model_dir = folder(name);
        options.dtype = dtype;
        return engine::torchPlugin().load(options, {});
    }
    std::unique_ptr<engine::LanguageModel> make(const std::string& name, const RandomLlama& shape) const
    {
        writeRandomLlama(folder(name), shape);
        return load(name);
    }

private:
    QTemporaryDir m_dir;
};

// Greedy ids of one prompt in a batch of its own.
inline std::vector<TokenId> idsAlone(engine::LanguageModel& model, const std::vector<TokenId>& prompt,
                                     int tokens)
{
    engine::GenerateOptions options;
    options.max_new_tokens = tokens;
    return model.generate({prompt}, options, {}).front().ids;
}

} // namespace batchscope::tests
