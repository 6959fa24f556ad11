// SPDX-License-Identifier: GPL-3.0-or-later
// Predictors that read the recorded length: exact, and with noise of a chosen size.
#include "scheduler/predictors/oracle.h"

#include "scheduler/parts/knobs.h"
#include "scheduler/portable_log.h"
#include "scheduler/predictors/stated.h"
#include "scheduler/random.h"

#include <algorithm>
#include <cmath>

namespace batchscope {
namespace {

class Oracle final : public StatedPredictor
{
public:
    using StatedPredictor::StatedPredictor;

protected:
    std::optional<int> tokensOf(const Request& request) const override { return request.output_tokens; }
};

enum class Noise { Laplace, LogNormal };

class NoisyOracle final : public StatedPredictor
{
public:
    NoisyOracle(Noise noise, double size, std::uint64_t seed, PredictionTime time)
        : StatedPredictor(time), m_noise(noise), m_size(size), m_seed(seed)
    {}

protected:
    // Rounded up, as every prediction. One generator a request: the order of calls does not change what it
    // says.
    std::optional<int> tokensOf(const Request& request) const override
    {
        if (!request.output_tokens) return std::nullopt;
        Random random(m_seed, request.index);
        const double length = *request.output_tokens;
        const double noisy = m_noise == Noise::Laplace ? length + random.laplace(m_size)
                                                       : length * portableExp(m_size * random.normal());
        constexpr double k_largest =
            1 << 30; // the loop clamps to the cap; this only keeps the conversion defined
        return static_cast<int>(std::clamp(std::ceil(noisy), 1.0, k_largest));
    }

private:
    Noise m_noise;
    double m_size;
    std::uint64_t m_seed;
};

PartDescriptor describeNoisyOracle()
{
    PartDescriptor part;
    part.kind = PartKind::Predictor;
    part.type = "noisy-oracle";
    part.title = "Oracle with noise";
    part.help = "The recorded length with an error of a chosen size: how good must a predictor be to pay?";
    part.produces = PredictionKind::Tokens;
    part.params.push_back(choiceKnob({"noise", "Noise", "",
                                      "laplace adds an error in tokens, the same for short and long answers; "
                                      "log-normal multiplies, so that long answers err more.",
                                      "laplace: its scale is the mean absolute error"},
                                     {"laplace", "log-normal"}));
    part.params.push_back(realKnob({"scale_tokens", "Mean absolute error", "tokens",
                                    "Laplace: scale of the error = its mean absolute value.",
                                    "50: the bin width of sequence scheduling"},
                                   50.0, 0.0, 10'000.0));
    part.params.push_back(
        realKnob({"sigma", "Spread of the logarithm", "",
                  "Log-normal: standard deviation of the logarithm of the factor (median 1).",
                  "0.5: two of three predictions within a factor of 1.65"},
                 0.5, 0.0, 5.0));
    part.params.push_back(integerKnob({"seed", "Seed", "", "Same seed, same errors.", "1: any number does"},
                                      1, 0, 4'294'967'295));
    for (ParamDescriptor& knob : predictionTimeKnobs())
        part.params.push_back(std::move(knob));
    return part;
}

std::unique_ptr<LengthPredictor> makeNoisyOracle(const PredictorContext& context)
{
    const PartSpec& spec = context.strategy->predictor;
    const PartDescriptor part = describeNoisyOracle();
    const Noise noise = textParam(spec, part, "noise") == "laplace" ? Noise::Laplace : Noise::LogNormal;
    const double size = realParam(spec, part, noise == Noise::Laplace ? "scale_tokens" : "sigma");
    return std::make_unique<NoisyOracle>(noise, size,
                                         static_cast<std::uint64_t>(integerParam(spec, part, "seed")),
                                         PredictionTime(spec, context.simulated));
}

} // namespace

void registerOracle(Registry& registry)
{
    PartDescriptor part;
    part.kind = PartKind::Predictor;
    part.type = "oracle";
    part.title = "Oracle";
    part.help = "The recorded length of each answer, known in advance: the bound that no predictor passes.";
    part.produces = PredictionKind::Tokens;
    part.params = predictionTimeKnobs();
    registry.addPredictor(
        std::move(part), [](const PredictorContext& context) -> std::unique_ptr<LengthPredictor> {
            return std::make_unique<Oracle>(PredictionTime(context.strategy->predictor, context.simulated));
        });
}

void registerNoisyOracle(Registry& registry)
{
    registry.addPredictor(describeNoisyOracle(), makeNoisyOracle);
}

} // namespace batchscope
