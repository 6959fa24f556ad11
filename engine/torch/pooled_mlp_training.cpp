// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/torch/mlp_training.h"
#include "engine/torch/pooled_mlp.h"
#include "scheduler/metrics/metrics.h"

#include <algorithm>
#include <c10/util/Exception.h>
#include <cmath>
#include <filesystem>
#include <fmt/core.h>
#include <numbers>
#include <numeric>

namespace batchscope::engine {
namespace {

void stopIfAsked(const std::stop_token& stop)
{
    if (stop.stop_requested())
        throw EngineError(ErrorKind::Cancelled,
                          "Training the length predictor was cancelled; nothing was written.");
}

void checkTraining(const TorchModel& model, const PooledMlpTraining& training)
{
    const auto refuse = [](const std::string& what) { throw EngineError(ErrorKind::Model, what); };
    if (training.train.size() < 2 || training.validation.empty())
        refuse(fmt::format(
            "A length predictor needs at least 2 training and 1 validation examples; {} and {} were given.",
            training.train.size(), training.validation.size()));
    if (training.epochs < 1 || training.batch < 1 || training.cap < 1)
        refuse(fmt::format("Epochs ({}), batch ({}) and cap ({}) must each be 1 or more.", training.epochs,
                           training.batch, training.cap));
    if (std::any_of(training.hidden.begin(), training.hidden.end(), [](int width) { return width < 1; }))
        refuse("Every hidden layer needs a width of 1 or more.");
    for (const auto* part : {&training.train, &training.validation})
        for (std::size_t i = 0; i < part->size(); ++i) {
            if (const std::string problem = model.promptProblem((*part)[i].prompt_ids); !problem.empty())
                refuse(fmt::format("Example {} cannot be used: {}.", i + 1, problem));
            if ((*part)[i].output_tokens < 0)
                refuse(fmt::format("Example {} has {} output tokens; 0 or more are expected.", i + 1,
                                   (*part)[i].output_tokens));
        }
}

// [examples, hidden]
std::vector<float> featuresOf(const TorchModel& model, const std::vector<LengthExample>& examples,
                              Pooling pooling, const std::stop_token& stop)
{
    PromptReader reader(model, pooling);
    const auto width = static_cast<std::size_t>(model.config().hidden);
    std::vector<float> features(examples.size() * width);
    std::vector<std::int64_t> lengths;
    for (const LengthExample& example : examples)
        lengths.push_back(static_cast<std::int64_t>(example.prompt_ids.size()));
    for (const std::vector<std::size_t>& group : PromptReader::groups(lengths)) {
        stopIfAsked(stop);
        std::vector<std::span<const TokenId>> prompts;
        for (const std::size_t i : group)
            prompts.emplace_back(examples[i].prompt_ids);
        const std::vector<PromptState> states = reader.read(prompts, false);
        for (std::size_t k = 0; k < group.size(); ++k)
            std::copy(states[k].pooled.begin(), states[k].pooled.end(),
                      features.begin() + static_cast<std::ptrdiff_t>(group[k] * width));
    }
    return features;
}

// Mean and standard deviation of each feature.
struct Standard
{
    std::vector<float> mean, sd;

    Standard(const std::vector<float>& features, std::size_t width) : mean(width), sd(width)
    {
        const std::size_t rows = features.size() / width;
        for (std::size_t i = 0; i < width; ++i) {
            double sum = 0, squares = 0;
            for (std::size_t row = 0; row < rows; ++row)
                sum += features[row * width + i];
            const double middle = sum / static_cast<double>(rows);
            for (std::size_t row = 0; row < rows; ++row)
                squares += std::pow(features[row * width + i] - middle, 2);
            mean[i] = static_cast<float>(middle);
            sd[i] = static_cast<float>(std::max(1e-6, std::sqrt(squares / static_cast<double>(rows))));
        }
    }
    void apply(std::vector<float>& features) const
    {
        for (std::size_t k = 0; k < features.size(); ++k)
            features[k] = (features[k] - mean[k % mean.size()]) / sd[k % sd.size()];
    }
    // Takes itself into the first layer, so that the file holds a plain network.
    void foldInto(DenseLayer& layer) const
    {
        for (std::size_t output = 0; output < layer.bias.size(); ++output)
            for (std::size_t i = 0; i < mean.size(); ++i) {
                float& weight = layer.weight[output * mean.size() + i];
                weight /= sd[i];
                layer.bias[output] -= weight * mean[i];
            }
    }
};

std::vector<double> lengthsOf(const std::vector<LengthExample>& examples)
{
    std::vector<double> lengths;
    for (const LengthExample& example : examples)
        lengths.push_back(example.output_tokens);
    return lengths;
}

double medianOf(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double meanError(const std::vector<double>& predicted, const std::vector<double>& actual, double within = 0)
{
    double sum = 0; // of errors, or of those that are within
    for (std::size_t i = 0; i < actual.size(); ++i) {
        const double error = std::abs(predicted[i] - actual[i]);
        sum += within > 0 ? (error <= within ? 1 : 0) : error;
    }
    return sum / static_cast<double>(actual.size());
}

class Training
{
public:
    Training(const TorchModel& model, const PooledMlpTraining& training, const std::stop_token& stop)
        : m_training(training), m_stop(stop), m_random(training.seed),
          m_actual(lengthsOf(training.validation)), m_constant(medianOf(lengthsOf(training.train))),
          m_train(featuresOf(model, training.train, poolingNamed(training.pooling), stop)),
          m_validation(featuresOf(model, training.validation, poolingNamed(training.pooling), stop)),
          m_standard(m_train, static_cast<std::size_t>(model.config().hidden))
    {
        m_standard.apply(m_train);
        describe(model);
    }

    void run()
    {
        TrainedMlp network(networkWidths(m_manifest), m_random);
        std::vector<std::size_t> order(m_training.train.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        const auto batches = (order.size() + static_cast<std::size_t>(m_training.batch) - 1) /
                             static_cast<std::size_t>(m_training.batch);
        const double all_steps = static_cast<double>(batches) * m_training.epochs;
        double step = 0;
        for (int epoch = 1; epoch <= m_training.epochs; ++epoch) {
            for (std::size_t i = order.size(); i > 1; --i)
                std::swap(order[i - 1], order[m_random.below(static_cast<std::uint32_t>(i))]);
            double loss = 0;
            for (std::size_t first = 0; first < order.size();
                 first += static_cast<std::size_t>(m_training.batch)) {
                stopIfAsked(m_stop);
                const std::size_t count =
                    std::min(static_cast<std::size_t>(m_training.batch), order.size() - first);
                const double rate =
                    m_training.learning_rate * 0.5 * (1 + std::cos(std::numbers::pi * step++ / all_steps));
                loss += trainBatch(network, {order.data() + first, count}, rate) * static_cast<double>(count);
            }
            judge(network, epoch, loss / static_cast<double>(order.size()));
        }
        save();
    }

private:
    void describe(const TorchModel& model)
    {
        m_manifest.model_hash = model.hash();
        m_manifest.pooling = m_training.pooling;
        m_manifest.input = model.config().hidden;
        m_manifest.hidden = m_training.hidden;
        m_manifest.cap = m_training.cap;
        m_manifest.trained_on = static_cast<std::int64_t>(m_training.train.size());
        m_manifest.seed = m_training.seed;
        const std::vector<double> lengths = lengthsOf(m_training.train);
        std::vector<double> targets;
        double sum = 0, squares = 0;
        for (const double length : lengths)
            targets.push_back(std::log1p(length));
        for (const double target : targets)
            sum += target;
        m_manifest.target_mean = sum / static_cast<double>(targets.size());
        for (const double target : targets)
            squares += std::pow(target - m_manifest.target_mean, 2);
        m_manifest.target_sd = std::max(1e-3, std::sqrt(squares / static_cast<double>(targets.size())));
        for (const double target : targets)
            m_targets.push_back(static_cast<float>((target - m_manifest.target_mean) / m_manifest.target_sd));
    }

    double trainBatch(TrainedMlp& network, std::span<const std::size_t> rows, double rate) const
    {
        std::vector<float> x, targets;
        const auto width = static_cast<std::ptrdiff_t>(m_manifest.input);
        for (const std::size_t row : rows) {
            const auto first = m_train.begin() + static_cast<std::ptrdiff_t>(row) * width;
            x.insert(x.end(), first, first + width);
            targets.push_back(m_targets[row]);
        }
        return network.step(x, targets, rate, m_training.weight_decay);
    }

    // Scores the weights as they would be written, run as a predictor runs them: the file's scores are its
    // own.
    void judge(const TrainedMlp& network, int epoch, double loss)
    {
        std::vector<DenseLayer> layers = network.layers();
        m_standard.foldInto(layers.front());
        std::vector<double> predicted;
        for (const float output : LengthNetwork(layers, networkWidths(m_manifest)).apply(m_validation))
            predicted.push_back(tokensFromOutput(output, m_manifest, m_training.cap));
        PredictorScores scores;
        scores.n = static_cast<std::int64_t>(m_actual.size());
        scores.mae = meanError(predicted, m_actual);
        scores.constant_mae = meanError(std::vector<double>(m_actual.size(), m_constant), m_actual);
        scores.acc50 = meanError(predicted, m_actual, 50);
        scores.acc100 = meanError(predicted, m_actual, 100);
        scores.kendall_tau_b = kendallTauB(predicted, m_actual).value_or(0);
        if (m_best.empty() || scores.mae < m_manifest.scores.mae) {
            m_best = std::move(layers);
            m_manifest.scores = scores;
        }
        if (m_training.progress) m_training.progress(epoch, loss, scores);
    }

    void save() const
    {
        std::error_code error;
        std::filesystem::create_directories(m_training.out_dir, error);
        if (error)
            throw EngineError(ErrorKind::InvalidFile,
                              fmt::format("The folder {} cannot be made: {}.", m_training.out_dir.string(),
                                          error.message()));
        writeLengthNetwork(m_training.out_dir, m_best, networkWidths(m_manifest));
        writePredictorManifest(m_training.out_dir, m_manifest);
    }

    const PooledMlpTraining& m_training;
    const std::stop_token& m_stop;
    Random m_random;
    std::vector<double> m_actual;             // validation lengths
    double m_constant;                        // the training median: what a predictor must beat
    std::vector<float> m_train, m_validation; // features; those to train on are standardised
    Standard m_standard;
    std::vector<float> m_targets;
    PredictorManifest m_manifest;
    std::vector<DenseLayer> m_best; // with the standardisation in it
};

} // namespace

void trainPooledMlp(TorchModel& model, const PooledMlpTraining& training, const std::stop_token& stop)
{
    checkTraining(model, training);
    try {
        model.useThreads();
        Training(model, training, stop).run();
    } catch (const c10::Error& error) {
        throw EngineError(ErrorKind::Model, fmt::format("Training the length predictor failed: {}",
                                                        error.what_without_backtrace()));
    }
}

} // namespace batchscope::engine
