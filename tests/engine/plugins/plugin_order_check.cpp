// SPDX-License-Identifier: GPL-3.0-or-later
// Case T4. Opens both plug-ins in a given order, works with each and ends: sentencepiece and libtorch bring a
// protobuf of their own each, which must not meet (platform.md, trap 1). Prints "all right" at the end; a
// crash or a wrong answer does not. Usage: plugin_order_check tokenizer-first|torch-first|tokenizer-only
// FOLDER
#include "engine/error.h"
#include "engine/model/plugin_loader.h"
#include "engine/model/torch_plugin.h"
#include "engine/tokenizer/tokenizer.h"
#include "tests/support/random_llama.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

namespace {

using namespace batchscope::engine;

[[noreturn]] void fail(const std::string& what)
{
    std::cout << "ERROR: " << what << std::endl;
    std::exit(1);
}

bool isMapped(const std::string& library)
{
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
        if (line.find(library) != std::string::npos) return true;
    return false;
}

void workWithTheTokenizer(const std::filesystem::path& folder)
{
    const std::filesystem::path file = folder / "order_check.model";
    int i = 0;
    tokenizerPlugin().train({280, 1, file}, [&]() -> std::optional<std::string> {
        return i++ < 100 ? std::optional<std::string>("a cat sat on a mat " + std::to_string(i))
                         : std::nullopt;
    });
    const auto tokenizer = tokenizerPlugin().load(file);
    const std::string text = "a cat sat on 42 mats";
    if (tokenizer->decode(tokenizer->encode(text)) != text) fail("the tokenizer's round trip differs");
    try {
        tokenizerPlugin().load(folder / "absent.model");
        fail("an absent tokenizer was opened");
    } catch (const EngineError&) {
    }
}

void workWithTorch(const std::filesystem::path& folder)
{
    if (torchPlugin().libraries().find("torch") == std::string::npos) fail("torch names no library");
    if (torchPlugin().devices().empty()) fail("torch names no device");
    try {
        torchPlugin().load({folder / "absent", DType::F32, "cpu", 1, {}}, {});
        fail("an absent model was loaded");
    } catch (const EngineError&) {
    }
    const std::filesystem::path small = folder / "small";
    batchscope::tests::writeRandomLlama(small, {});
    const auto model = torchPlugin().load({small, DType::F32, "cpu", 2, {}}, {});
    GenerateOptions options;
    options.max_new_tokens = 20;
    const auto alone = model->generate({{1, 30, 4}}, options, {});
    const auto together = model->generate({{1, 30, 4}, {1, 9, 8, 7, 6, 5}}, options, {});
    if (alone.front().ids.empty() || together.front().ids != alone.front().ids)
        fail("the model answers otherwise in a batch");
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 3) fail("usage: plugin_order_check tokenizer-first|torch-first|tokenizer-only FOLDER");
    const std::string order = argv[1];
    const std::filesystem::path folder = std::filesystem::path(argv[2]) / order;
    std::filesystem::create_directories(folder);
    if (isMapped("libtorch") || isMapped("libsentencepiece") || isMapped("libprotobuf"))
        fail("a heavy library is mapped before a plug-in is opened");
    const bool torch = order != "tokenizer-only" && hasPlugin("torch");
    try {
        if (torch && order == "torch-first") workWithTorch(folder);
        workWithTheTokenizer(folder);
        if (torch) workWithTorch(folder);
        workWithTheTokenizer(folder);
    } catch (const std::exception& error) {
        fail(error.what());
    }
    if (!isMapped("libsentencepiece") || isMapped("libtorch") != torch)
        fail("not the libraries that were opened");
    std::cout << (torch || order == "tokenizer-only" ? "" : "torch plug-in not built; ") << "all right"
              << std::endl;
    return 0;
}
