// SPDX-License-Identifier: GPL-3.0-or-later
// Decode and prefill speed of the torch plug-in on random weights of a shape: tokens/s from the median pass.
// Usage: decode_bench [demo|512] [threads] [repeats]. Take figures on a quiet machine only.
#include "engine/model/torch_plugin.h"
#include "scheduler/clock.h"
#include "tests/support/random_llama.h"
#include "tests/support/torch_rows.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace {

using namespace batchscope;
using namespace batchscope::engine;
using namespace batchscope::tests;

RandomLlama shapeNamed(const std::string& name)
{
    RandomLlama shape;
    shape.eos = 0;
    shape.context = 1024;
    if (name == "512") {
        shape.hidden = 512;
        shape.layers = 8;
        shape.heads = shape.kv_heads = 8;
        shape.inner = 1376;
        shape.vocabulary = 32000;
    } else { // of the demo model: 3.05 M parameters
        shape.hidden = 192;
        shape.layers = 6;
        shape.heads = shape.kv_heads = 6;
        shape.inner = 512;
        shape.vocabulary = 1024;
    }
    return shape;
}

struct Speeds
{
    double prefill, decode; // tokens a second
};

Speeds measure(Backend& backend, int rows, int prompt_tokens, int vocabulary)
{
    constexpr int k_decoded = 64;
    backend.reset();
    Random random(4);
    std::vector<Request> requests;
    for (int i = 0; i < rows; ++i)
        requests.push_back(
            requestOf(static_cast<RequestIndex>(i), randomPrompt(random, prompt_tokens, vocabulary)));
    BatchDriver batch(backend);
    for (const Request& request : requests)
        batch.add({&request, k_decoded + 1, k_decoded + 1, {}});
    const PassResult first = batch.pass(1);
    std::vector<Nanos> durations = batch.pass(k_decoded).durations_ns;
    std::nth_element(durations.begin(), durations.begin() + k_decoded / 2, durations.end());
    return {rows * prompt_tokens / toSeconds(first.durations_ns.front()),
            rows / toSeconds(durations[k_decoded / 2])};
}

} // namespace

int main(int argc, char** argv)
{
    const std::string name = argc > 1 ? argv[1] : "demo";
    const int repeats = argc > 3 ? std::atoi(argv[3]) : 3;
    const RandomLlama shape = shapeNamed(name);
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("batchscope-bench-" + name);
    writeRandomLlama(folder, shape);
    std::printf("%s, shape %s\n", torchPlugin().libraries().c_str(), name.c_str());
    for (const DType dtype : {DType::F32, DType::BF16}) {
        LoadOptions options;
        options.model_dir = folder;
        options.dtype = dtype;
        options.threads = argc > 2 ? std::atoi(argv[2]) : 0;
        const auto model = torchPlugin().load(options, {});
        WallClock clock;
        const auto backend = torchPlugin().makeBackend(*model, clock);
        for (const int rows : {1, 8, 16, 32}) {
            std::vector<Speeds> speeds;
            for (int i = 0; i < repeats; ++i)
                speeds.push_back(measure(*backend, rows, 32, shape.vocabulary));
            std::sort(speeds.begin(), speeds.end(),
                      [](const auto& a, const auto& b) { return a.decode < b.decode; });
            const Speeds& middle = speeds[speeds.size() / 2];
            std::printf(
                "%s, %d threads, %2d rows: prefill %8.0f tokens/s, decode %7.0f tokens/s (%.3f ms a step; "
                "best %.0f)\n",
                dtypeName(dtype).c_str(), model->threads(), rows, middle.prefill, middle.decode,
                1e3 * rows / middle.decode, speeds.back().decode);
        }
    }
    std::filesystem::remove_all(folder);
    return 0;
}
