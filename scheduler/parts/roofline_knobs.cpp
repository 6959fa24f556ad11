// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/parts/roofline_knobs.h"

#include "scheduler/parts/knobs.h"

#include <array>
#include <fmt/core.h>

namespace batchscope {
namespace {

constexpr const char* k_a100 = "NVIDIA A100 80 GB SXM data sheet";
constexpr const char* k_vicuna = "config.json of LLaMA-7B, which Vicuna-7B shares";

std::vector<ParamDescriptor> deviceKnobs()
{
    return {
        realKnob({"device.peak_tflops", "Peak arithmetic", "TFLOP/s",
                  "Peak of the matrix units in the format that is computed in (dense).", k_a100},
                 312, 0.001, 1e7),
        realKnob({"device.memory_gb_per_s", "Memory bandwidth", "GB/s",
                  "Peak bandwidth of the device's memory.", k_a100},
                 2039, 0.1, 1e7),
        realKnob({"device.compute_efficiency", "Compute efficiency", "",
                  "Share of the peak that passes reach. 1: a bound that no machine is faster than.",
                  "1: nothing is assumed about kernels that were not measured"},
                 1, 0.001, 1),
        realKnob({"device.memory_efficiency", "Memory efficiency", "",
                  "Share of the bandwidth that passes reach. 1: a bound that no machine is faster than.",
                  "1: nothing is assumed about kernels that were not measured"},
                 1, 0.001, 1),
        realKnob({"device.host_gb_per_s", "Host bandwidth", "GB/s",
                  "Bandwidth to host memory, one way: what keeping the KV cache of a preempted request "
                  "costs, there and back.",
                  "PCIe 4.0 x16, one way"},
                 32, 0.001, 1e6),
        realKnob({"device.memory_gb", "Memory size", "GB",
                  "Memory of the device. What the weights and the reserve leave is the KV budget.", k_a100},
                 80, 0.001, 1e6),
        realKnob({"device.reserve_gb", "Reserve", "GB",
                  "Memory that neither weights nor KV may take: activations, the runtime.",
                  "a tenth of the A100's 80 GB, which servers commonly leave free"},
                 8, 0, 1e6),
        realKnob({"device.launch_us", "Launch of a pass", "µs",
                  "Time of every pass beside its arithmetic and its memory: kernels, host code.",
                  "0: nothing is assumed about software that was not measured"},
                 0, 0, 1e9)};
}

std::vector<ParamDescriptor> modelKnobs()
{
    return {
        integerKnob({"model.layers", "Layers", "", "Transformer layers.", k_vicuna}, 32, 1, 1'000),
        integerKnob({"model.hidden", "Hidden", "", "Width of the hidden state.", k_vicuna}, 4096, 1,
                    1'000'000),
        integerKnob(
            {"model.intermediate", "Intermediate", "", "Width of the gated feed-forward part.", k_vicuna},
            11008, 1, 4'000'000),
        integerKnob({"model.heads", "Heads", "", "Attention heads; they divide the hidden width.", k_vicuna},
                    32, 1, 10'000),
        integerKnob({"model.kv_heads", "KV heads", "",
                     "Heads that keys and values have; fewer than the heads with grouped queries.", k_vicuna},
                    32, 1, 10'000),
        integerKnob(
            {"model.vocab", "Vocabulary", "tokens", "Rows of the embedding and of the head.", k_vicuna},
            32000, 1, 10'000'000),
        integerKnob({"model.context_tokens", "Context", "tokens",
                     "Prompt and answer together at most. 0: no bound.", "config.json of Vicuna-7B"},
                    2048, 0, 100'000'000),
        realKnob({"model.bytes_per_weight", "Bytes of a weight", "bytes",
                  "2: f16 or bf16; 1: int8; 0.5: four bits. Arithmetic stays as device.peak_tflops says.",
                  "2: the checkpoint is f16"},
                 2, 0.0625, 8),
        realKnob({"model.bytes_per_kv", "Bytes of a KV value", "bytes", "Of each value of the KV cache.",
                  "2: the checkpoint is f16"},
                 2, 0.0625, 8)};
}

std::vector<ParamDescriptor> attentionKnobs()
{
    return {
        realKnob({"attention.cache_traffic", "KV traffic", "times",
                  "How often the KV cache of a row crosses the memory in a pass. 1: it is read once; 3: it "
                  "is also copied to append a token (read and written).",
                  "1: a cache that is appended to in place"},
                 1, 1, 100),
        realKnob({"attention.score_bytes", "Score traffic", "bytes",
                  "Bytes that cross the memory for each score (head x token x token it attends to). 0: "
                  "fused attention keeps scores on the chip.",
                  "0: fused attention"},
                 0, 0, 1000),
        choiceKnob({"overlap", "Combined by", "",
                    "max: they overlap, and a pass takes the longer of the two; sum: one after the other.",
                    "max: the roofline"},
                   {"max", "sum"})};
}

std::string number(const ParamValue& value)
{
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *whole);
    if (const auto* real = std::get_if<double>(&value)) return fmt::format("{}", *real);
    if (const auto* text = std::get_if<std::string>(&value)) return *text;
    return "null";
}

std::string valueOf(const RooflineFigures& figures, const ParamDescriptor& knob)
{
    const auto given = figures.find(knob.name);
    return number(given == figures.end() ? knob.default_value : given->second);
}

// Those that tell devices and models apart at a glance are always said.
const char* headUnit(const std::string& name)
{
    constexpr std::array<std::array<const char*, 2>, 5> k_head{
        {{"device.peak_tflops", " TFLOP/s"},
         {"device.memory_gb_per_s", " GB/s"},
         {"model.layers", " layers of "},
         {"model.hidden", ""},
         {"model.bytes_per_weight", " bytes a weight"}}};
    for (const auto& [known, unit] : k_head)
        if (name == known) return unit;
    return nullptr;
}

} // namespace

const std::vector<ParamDescriptor>& rooflineKnobs()
{
    static const std::vector<ParamDescriptor> s_knobs = [] {
        std::vector<ParamDescriptor> knobs = deviceKnobs();
        for (auto* more : {&modelKnobs, &attentionKnobs})
            for (ParamDescriptor& knob : more())
                knobs.push_back(std::move(knob));
        return knobs;
    }();
    return s_knobs;
}

std::string describeRoofline(const RooflineFigures& figures)
{
    std::string head, others;
    for (const ParamDescriptor& knob : rooflineKnobs()) {
        const std::string value = valueOf(figures, knob);
        if (const char* unit = headUnit(knob.name)) {
            const bool follows = !head.empty() && !head.ends_with(" of ");
            head += (follows ? ", " : "") + value + unit;
        } else if (value != number(knob.default_value)) {
            others += fmt::format(", {} {}{}{}", knob.name, value, knob.unit.empty() ? "" : " ", knob.unit);
        }
    }
    return head + others;
}

} // namespace batchscope
