// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/torch/training/training_run.h"

#include "engine/torch/training/adamw.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <thread>

namespace batchscope::engine::training {
namespace {

constexpr std::int64_t k_report_every_steps = 50;
constexpr std::size_t k_held_out_at_once = 8;

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point then)
{
    return std::chrono::duration<double>(Clock::now() - then).count();
}

} // namespace

TrainingRun::TrainingRun(const TrainingPlan& plan, const TrainingSource& source,
                         const TrainingProgress& progress, std::stop_token stop)
    : m_plan(plan), m_source(source), m_progress(progress), m_stop(std::move(stop)),
      m_parameters(plan.shape, plan.bfloat16, plan.seed), m_forward(m_parameters),
      m_gradients(at::zeros_like(m_parameters.master())),
      m_first_moments(at::zeros_like(m_parameters.master())),
      m_second_moments(at::zeros_like(m_parameters.master())), m_meeting(plan.workers)
{
    const std::int64_t count = m_parameters.count();
    for (int i = 0; i < plan.workers; ++i) {
        m_workers.push_back(std::make_unique<Worker>(m_parameters));
        m_workers.back()->first = count * i / plan.workers;
        m_workers.back()->last = count * (i + 1) / plan.workers;
    }
    if (!plan.checkpoint.empty() && readCheckpoint(plan.checkpoint, plan, m_state, buffers())) {
        m_parameters.refreshProducts(0, count);
        m_seconds_before = m_state.seconds;
        m_tokens_before = m_state.tokens;
        m_report.step = m_state.step;
        m_report.tokens = m_state.tokens;
        m_report.seconds = m_state.seconds;
    }
}

std::vector<FlatBuffer> TrainingRun::buffers()
{
    std::vector<FlatBuffer> all;
    for (at::Tensor* tensor : {&m_parameters.master(), &m_first_moments, &m_second_moments}) {
        all.push_back({tensor->data_ptr<float>(), tensor->numel()});
    }
    return all;
}

void TrainingRun::execute()
{
    m_begin = m_last_checkpoint = Clock::now();
    m_done = m_state.tokens >= m_plan.tokens;
    if (!m_done) {
        m_step = packStep(m_plan, m_source, m_state.next_example);
        std::vector<std::jthread> threads;
        for (std::size_t i = 1; i < m_workers.size(); ++i) {
            threads.emplace_back([this, i] { work(i); });
        }
        std::jthread first([this] { work(0); });
    }
    if (m_failure) {
        std::rethrow_exception(m_failure);
    }
}

template <typename Phase>
bool TrainingRun::together(const Phase& phase)
{
    try {
        phase();
    } catch (...) {
        const std::lock_guard lock(m_failure_lock);
        m_failure = std::current_exception();
        m_failed = true;
    }
    m_meeting.arrive_and_wait();
    return !m_failed;
}

void TrainingRun::work(std::size_t index)
{
    at::set_num_threads(1); // of this thread
    Worker& worker = *m_workers[index];
    while (!m_done) {
        const bool measure = heldOutDue();
        const bool going = together([&] { forwardBackward(index); }) &&
                           together([&] { sumGradients(worker); }) && together([&] { update(worker); }) &&
                           together([&] { measure ? measureHeldOut(index) : void(); }) &&
                           together([&] { index == 0 ? keepBooks() : void(); });
        if (!going) {
            return;
        }
    }
}

void TrainingRun::forwardBackward(std::size_t index)
{
    Worker& worker = *m_workers[index];
    worker.leaves.zeroGradients();
    const at::Tensor loss = m_forward.loss(worker.leaves, m_step.shares[index]);
    worker.loss = loss.item<double>();
    torch::autograd::backward({loss}, {});
}

void TrainingRun::sumGradients(Worker& worker)
{
    float* sum = m_gradients.data_ptr<float>();
    std::fill(sum + worker.first, sum + worker.last, 0.0F);
    for (const ParameterSlot& slot : m_parameters.slots()) {
        const std::int64_t first = std::max(slot.offset, worker.first);
        const std::int64_t last = std::min(slot.offset + slot.count(), worker.last);
        for (const auto& other : m_workers) {
            if (isMatrix(slot) && other->leaves.gradients.scalar_type() == at::kBFloat16) {
                const at::BFloat16* part = other->leaves.gradients.data_ptr<at::BFloat16>();
                for (std::int64_t i = first; i < last; ++i) {
                    sum[i] += static_cast<float>(part[i]);
                }
            } else {
                const at::Tensor& all =
                    isMatrix(slot) ? other->leaves.gradients : other->leaves.vector_gradients;
                const float* part = all.data_ptr<float>();
                for (std::int64_t i = first; i < last; ++i) {
                    sum[i] += part[i];
                }
            }
        }
    }
    worker.gradient_square = 0;
    for (std::int64_t i = worker.first; i < worker.last; ++i) {
        worker.gradient_square += static_cast<double>(sum[i]) * static_cast<double>(sum[i]);
    }
}

void TrainingRun::update(Worker& worker)
{
    double square = 0;
    for (const auto& other : m_workers) {
        square += other->gradient_square;
    }
    AdamwStep by;
    by.learning_rate = learningRate();
    by.beta1 = m_plan.beta1;
    by.beta2 = m_plan.beta2;
    by.gradient_scale = std::min(1.0, m_plan.gradient_clip / std::max(std::sqrt(square), 1e-12));
    by.step = m_state.step + 1;
    for (const ParameterSlot& slot : m_parameters.slots()) {
        const std::int64_t first = std::max(slot.offset, worker.first);
        const std::int64_t last = std::min(slot.offset + slot.count(), worker.last);
        if (first < last) {
            by.weight_decay = slot.decays ? m_plan.weight_decay : 0;
            applyAdamw(by, last - first, m_parameters.master().data_ptr<float>() + first,
                       m_gradients.data_ptr<float>() + first, m_first_moments.data_ptr<float>() + first,
                       m_second_moments.data_ptr<float>() + first);
        }
    }
    m_parameters.refreshProducts(worker.first, worker.last);
}

void TrainingRun::measureHeldOut(std::size_t index)
{
    const at::NoGradGuard no_gradients;
    Worker& worker = *m_workers[index];
    worker.held_out_nats = 0;
    worker.held_out_targets = worker.held_out_right = worker.held_out_count = 0;
    const std::vector<TrainingExample>& all = m_source.held_out;
    for (std::size_t first = index * k_held_out_at_once; first < all.size();
         first += m_workers.size() * k_held_out_at_once) {
        const std::size_t count = std::min(k_held_out_at_once, all.size() - first);
        const PackedBatch batch = packExamples({all.data() + first, count}, 0);
        const at::Tensor targets = at::tensor(batch.targets, at::kLong);
        const at::Tensor logits = m_forward.logits(worker.leaves, batch);
        const at::Tensor nats = at::log_softmax(logits, -1, at::kFloat).gather(1, targets.unsqueeze(1));
        const at::Tensor right = logits.argmax(1).eq(targets);
        worker.held_out_nats -= nats.sum().item<double>();
        std::int64_t row = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const auto length = static_cast<std::int64_t>(all[first + i].answer_ids.size());
            worker.held_out_right += right.narrow(0, row, length).all().item<bool>() ? 1 : 0;
            row += length;
        }
        worker.held_out_targets += row;
        worker.held_out_count += static_cast<std::int64_t>(count);
    }
}

// Linear warm-up, then half a cosine down to the final share, both over tokens.
double TrainingRun::learningRate() const
{
    const double at = static_cast<double>(m_state.tokens) / static_cast<double>(m_plan.tokens);
    if (at < m_plan.warm_up_share) {
        return m_plan.learning_rate * (at + 1e-4) / (m_plan.warm_up_share + 1e-4);
    }
    const double along = std::min(1.0, (at - m_plan.warm_up_share) / (1.0 - m_plan.warm_up_share));
    const double cosine = 0.5 * (1.0 + std::cos(std::numbers::pi * along));
    return m_plan.learning_rate * (m_plan.final_rate_share + (1.0 - m_plan.final_rate_share) * cosine);
}

bool TrainingRun::heldOutDue() const
{
    const bool last = m_state.tokens + m_step.tokens >= m_plan.tokens;
    return !m_source.held_out.empty() && (last || (m_state.step + 1) % m_plan.held_out_every_steps == 0);
}

double TrainingRun::secondsHere() const
{
    return secondsSince(m_begin);
}

void TrainingRun::keepBooks()
{
    const bool measured = heldOutDue();
    for (const auto& worker : m_workers) {
        m_loss_sum += worker->loss;
    }
    ++m_loss_steps;
    ++m_state.step;
    m_state.tokens += m_step.tokens;
    m_state.next_example = m_step.next_example;
    m_state.seconds = m_seconds_before + secondsHere();
    m_done = m_state.tokens >= m_plan.tokens;
    m_cancelled = !m_done && m_stop.stop_requested();
    if (measured) {
        double nats = 0;
        std::int64_t targets = 0, right = 0, count = 0;
        for (const auto& worker : m_workers) {
            nats += worker->held_out_nats;
            targets += worker->held_out_targets;
            right += worker->held_out_right;
            count += worker->held_out_count;
        }
        m_report.held_out_loss = nats / static_cast<double>(targets);
        m_report.held_out_right = static_cast<double>(right) / static_cast<double>(count);
    }
    if (measured || m_done || m_cancelled || m_state.step % k_report_every_steps == 0) {
        report();
    }
    const bool due = secondsSince(m_last_checkpoint) >= m_plan.checkpoint_every_s;
    if (!m_plan.checkpoint.empty() && (due || m_done || m_cancelled)) {
        writeCheckpoint(m_plan.checkpoint, m_plan, m_state, buffers());
        m_last_checkpoint = Clock::now();
    }
    m_done = m_done || m_cancelled;
    if (!m_done) {
        m_step = packStep(m_plan, m_source, m_state.next_example);
    }
}

void TrainingRun::report()
{
    m_report.step = m_state.step;
    m_report.tokens = m_state.tokens;
    m_report.seconds = m_state.seconds;
    m_report.tokens_per_s = static_cast<double>(m_state.tokens - m_tokens_before) / secondsHere();
    m_report.loss = m_loss_sum / static_cast<double>(m_loss_steps);
    m_report.seconds_left = static_cast<double>(std::max<std::int64_t>(0, m_plan.tokens - m_state.tokens)) /
                            std::max(m_report.tokens_per_s, 1e-9);
    m_loss_sum = 0;
    m_loss_steps = 0;
    if (m_progress) {
        m_progress(m_report);
    }
}

} // namespace batchscope::engine::training
