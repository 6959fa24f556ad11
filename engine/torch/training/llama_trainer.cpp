// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/torch/training/llama_trainer.h"

#include "engine/error.h"
#include "engine/torch/training/training_run.h"

#include <ATen/Parallel.h>

#include <dlfcn.h>

namespace batchscope::engine::training {
namespace {

// One BLAS thread per worker, for as long as this lives; OpenBLAS' own threads would fight the workers.
class OneThreadEach
{
public:
    OneThreadEach() : m_before(at::get_num_threads())
    {
        using Set = void (*)(int);
        using Get = int (*)();
        m_set = reinterpret_cast<Set>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
        const auto get = reinterpret_cast<Get>(dlsym(RTLD_DEFAULT, "openblas_get_num_threads"));
        if (m_set != nullptr && get != nullptr) {
            m_blas_before = get();
            m_set(1);
        }
        at::set_num_threads(1);
    }
    ~OneThreadEach()
    {
        at::set_num_threads(m_before);
        if (m_set != nullptr && m_blas_before > 0) {
            m_set(m_blas_before);
        }
    }
    OneThreadEach(const OneThreadEach&) = delete;
    OneThreadEach& operator=(const OneThreadEach&) = delete;

private:
    int m_before;
    int m_blas_before = 0;
    void (*m_set)(int) = nullptr;
};

} // namespace

void trainLlama(const TrainingPlan& plan, const TrainingSource& source, const TrainingProgress& progress,
                std::stop_token stop)
{
    if (plan.workers < 1 || plan.tokens < 1 || plan.tokens_per_step < 1) {
        throw EngineError(ErrorKind::Model,
                          "a training plan needs at least one worker, one token and one token a step");
    }
    const OneThreadEach threads;
    TrainingRun run(plan, source, progress, std::move(stop));
    run.execute();
    if (run.cancelled()) {
        throw EngineError(ErrorKind::Cancelled,
                          "training was cancelled" +
                              (plan.checkpoint.empty() ? std::string()
                                                       : "; it continues from " + plan.checkpoint.string()));
    }
    if (!plan.model_dir.empty()) {
        run.parameters().writeFolder(plan.model_dir);
    }
}

} // namespace batchscope::engine::training
