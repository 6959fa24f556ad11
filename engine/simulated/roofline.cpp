// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulated/roofline.h"

#include "scheduler/error.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

namespace batchscope::engine {
namespace {

constexpr double k_giga = 1e9, k_tera = 1e12, k_picos_per_s = 1e12, k_picos_per_us = 1e6;

class Figures
{
public:
    explicit Figures(const RooflineFigures& given) : m_given(given)
    {
        for (const auto& [name, value] : given) {
            const auto& knobs = rooflineKnobs();
            if (std::none_of(knobs.begin(), knobs.end(), [&](const auto& knob) { return knob.name == name; }))
                throw SchedulerError(fmt::format("roofline: there is no figure '{}'", name));
        }
    }

    double real(const char* name) const
    {
        const ParamValue& value = of(name);
        if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
        return std::get<double>(value);
    }
    std::int64_t whole(const char* name) const { return std::get<std::int64_t>(of(name)); }
    const std::string& text(const char* name) const { return std::get<std::string>(of(name)); }

private:
    const ParamValue& of(const std::string& name) const
    {
        const auto& knobs = rooflineKnobs();
        const auto knob =
            std::find_if(knobs.begin(), knobs.end(), [&](const auto& each) { return each.name == name; });
        const auto given = m_given.find(name);
        if (given == m_given.end()) return knob->default_value;
        if (const std::string fault = paramFault(*knob, given->second); !fault.empty())
            throw SchedulerError("roofline: " + fault);
        return given->second;
    }

    const RooflineFigures& m_given;
};

Picos picosFor(double amount, double per_second)
{
    return std::llround(amount / per_second * k_picos_per_s);
}

void checkHeads(const Figures& f)
{
    const std::int64_t heads = f.whole("model.heads"), kv_heads = f.whole("model.kv_heads");
    if (f.whole("model.hidden") % heads != 0)
        throw SchedulerError(
            fmt::format("roofline: model.heads is {}, expected a divisor of model.hidden, {}", heads,
                        f.whole("model.hidden")));
    if (kv_heads > heads || heads % kv_heads != 0)
        throw SchedulerError(fmt::format(
            "roofline: model.kv_heads is {}, expected a divisor of model.heads, {}", kv_heads, heads));
}

RooflineShape shapeOf(const Figures& f)
{
    checkHeads(f);
    const std::int64_t hidden = f.whole("model.hidden"), layers = f.whole("model.layers");
    const std::int64_t kv_width = hidden / f.whole("model.heads") * f.whole("model.kv_heads");
    const std::int64_t attention = 2 * hidden * hidden + 2 * hidden * kv_width;
    const std::int64_t feed_forward = 3 * hidden * f.whole("model.intermediate");
    RooflineShape shape;
    shape.layer_weights = layers * (attention + feed_forward + 2 * hidden);
    shape.embedding_weights = f.whole("model.vocab") * hidden;
    shape.head_weights = shape.embedding_weights + hidden; // and the last norm
    shape.kv_bytes_per_token =
        std::llround(static_cast<double>(2 * layers * kv_width) * f.real("model.bytes_per_kv"));
    const auto weights =
        static_cast<double>(shape.layer_weights + shape.head_weights + shape.embedding_weights);
    shape.weights_bytes = std::llround(weights * f.real("model.bytes_per_weight"));
    return shape;
}

RooflineTerms termsOf(const Figures& f, const RooflineShape& shape)
{
    const double flops = f.real("device.peak_tflops") * k_tera * f.real("device.compute_efficiency");
    const double bytes = f.real("device.memory_gb_per_s") * k_giga * f.real("device.memory_efficiency");
    const auto layers = static_cast<double>(f.whole("model.layers"));
    const double scores = layers * static_cast<double>(f.whole("model.heads"));
    const auto kv = static_cast<double>(shape.kv_bytes_per_token);
    RooflineTerms terms;
    terms.overlaps = f.text("overlap") == "max";
    terms.arithmetic.row = picosFor(2.0 * static_cast<double>(shape.head_weights), flops);
    terms.arithmetic.token = picosFor(2.0 * static_cast<double>(shape.layer_weights), flops);
    terms.arithmetic.attended_token =
        picosFor(4.0 * layers * static_cast<double>(f.whole("model.hidden")), flops);
    const auto read_weights = static_cast<double>(shape.layer_weights + shape.head_weights);
    terms.traffic.pass = picosFor(read_weights * f.real("model.bytes_per_weight"), bytes);
    terms.traffic.token = picosFor(kv, bytes);
    terms.traffic.context_token = picosFor(kv * f.real("attention.cache_traffic"), bytes);
    terms.traffic.attended_token = picosFor(scores * f.real("attention.score_bytes"), bytes);
    return terms;
}

} // namespace

RooflineShape rooflineShape(const RooflineFigures& figures)
{
    return shapeOf(Figures(figures));
}

CostModel rooflineModel(const RooflineFigures& figures)
{
    const Figures f(figures);
    const RooflineShape shape = shapeOf(f);
    CostModel model;
    model.kind = CostKind::Roofline;
    model.name = "roofline: " + describeRoofline(figures);
    model.title = "A roofline of stated figures";
    model.basis = "Worked out from " + describeRoofline(figures) + "; not measured on any machine.";
    model.roofline = termsOf(f, shape);
    model.pass_ps = std::llround(f.real("device.launch_us") * k_picos_per_us);
    model.context = static_cast<int>(f.whole("model.context_tokens"));
    model.weights_bytes = shape.weights_bytes;
    model.kv_bytes_per_token = shape.kv_bytes_per_token;
    model.swap_token_ps =
        picosFor(static_cast<double>(shape.kv_bytes_per_token), f.real("device.host_gb_per_s") * k_giga);
    const std::int64_t usable =
        std::llround((f.real("device.memory_gb") - f.real("device.reserve_gb")) * k_giga);
    if (usable <= shape.weights_bytes)
        throw SchedulerError(fmt::format(
            "roofline: the weights take {} bytes, and device.memory_gb less device.reserve_gb leaves {} "
            "bytes: a larger device, or fewer bytes a weight, is needed",
            shape.weights_bytes, usable));
    model.kv_bytes = usable - shape.weights_bytes;
    return model;
}

} // namespace batchscope::engine
