// SPDX-License-Identifier: GPL-3.0-or-later
// The training loop: workers in lockstep, each with its own leaves and share of a step, each updating its own
// part of the parameters. Worker 0 also keeps the books (progress, checkpoints, the next step's data).
#pragma once

#include "engine/torch/training/llama_forward.h"
#include "engine/torch/training/training_checkpoint.h"

#include <atomic>
#include <barrier>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <stop_token>
#include <vector>

namespace batchscope::engine::training {

class TrainingRun
{
public:
    TrainingRun(const TrainingPlan& plan, const TrainingSource& source, const TrainingProgress& progress,
                std::stop_token stop);
    // Runs to the plan's end or to a cancel; throws what a worker threw.
    void execute();
    bool cancelled() const { return m_cancelled; }
    const LlamaParameters& parameters() const { return m_parameters; }

private:
    struct Worker
    {
        explicit Worker(LlamaParameters& parameters) : leaves(parameters) {}
        ParameterLeaves leaves;
        std::int64_t first = 0, last = 0; // the part of the parameters that it updates
        double loss = 0;
        double gradient_square = 0;
        double held_out_nats = 0;
        std::int64_t held_out_targets = 0, held_out_right = 0, held_out_count = 0;
    };

    void work(std::size_t index);
    template <typename Phase>
    bool together(const Phase& phase); // runs it, meets the others; false: stop
    void forwardBackward(std::size_t index);
    void sumGradients(Worker& worker);
    void update(Worker& worker);
    void measureHeldOut(std::size_t index);
    void keepBooks();
    void report();
    double learningRate() const;
    bool heldOutDue() const;
    double secondsHere() const;
    std::vector<FlatBuffer> buffers();

    const TrainingPlan& m_plan;
    const TrainingSource& m_source;
    const TrainingProgress& m_progress;
    std::stop_token m_stop;
    LlamaParameters m_parameters;
    LlamaForward m_forward;
    at::Tensor m_gradients, m_first_moments, m_second_moments; // [count] f32
    std::vector<std::unique_ptr<Worker>> m_workers;
    TrainingState m_state;
    TrainingStep m_step;
    TrainingReport m_report;
    double m_loss_sum = 0;
    std::int64_t m_loss_steps = 0;
    std::int64_t m_tokens_before = 0; // trained by earlier processes
    double m_seconds_before = 0;
    std::chrono::steady_clock::time_point m_begin, m_last_checkpoint;
    bool m_cancelled = false;
    bool m_done = false;
    std::barrier<> m_meeting;
    std::atomic<bool> m_failed = false;
    std::mutex m_failure_lock;
    std::exception_ptr m_failure;
};

} // namespace batchscope::engine::training
