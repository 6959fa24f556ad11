// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/torch/device_memory.h"
#include "engine/torch/tensor_types.h"
#include "engine/torch/torch_backend.h"
#include "engine/torch/torch_model.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <algorithm>
#include <c10/util/Exception.h>
#include <fmt/format.h>
#include <limits>
#include <new>
#include <thread>

namespace batchscope::engine {
namespace {

[[noreturn]] void fail(const std::string& message)
{
    throw EngineError(ErrorKind::Model, message);
}

at::Device deviceNamed(const std::string& name)
{
    const std::vector<std::string> known = torchDevices();
    if (std::find(known.begin(), known.end(), name) != known.end()) return at::Device(name);
    fail(fmt::format("The device '{}' is not there; this machine has: {}.", name, fmt::join(known, ", ")));
}

// Errors of libtorch and of the memory, as this room's.
template <typename Work>
auto guarded(const std::string& doing, const Work& work)
{
    try {
        return work();
    } catch (const c10::Error& error) {
        fail(fmt::format("{} failed: {}", doing, error.what_without_backtrace()));
    } catch (const std::bad_alloc&) {
        fail(fmt::format("{} failed: out of memory. Use a smaller model, fewer rows or bf16.", doing));
    } catch (const BackendError& error) {
        fail(error.what());
    }
}

std::vector<Request> asRequests(const std::vector<std::vector<TokenId>>& prompts)
{
    std::vector<Request> requests(prompts.size());
    for (std::size_t i = 0; i < prompts.size(); ++i) {
        requests[i].index = static_cast<RequestIndex>(i);
        requests[i].id = fmt::format("prompt {}", i + 1);
        requests[i].prompt_ids = prompts[i];
        requests[i].prompt_tokens = static_cast<int>(prompts[i].size());
    }
    return requests;
}

} // namespace

std::vector<std::string> torchDevices()
{
    std::vector<std::string> names{"cpu"};
    for (int i = 0; i < cudaDeviceCount(); ++i)
        names.push_back(fmt::format("cuda:{}", i));
    return names;
}

TorchModel::TorchModel(const LoadOptions& options, const std::stop_token& stop, ComputeForm form)
    : m_dtype(options.dtype),
      m_threads(options.threads > 0 ? options.threads
                                    : static_cast<int>(std::max(1u, std::thread::hardware_concurrency())))
{
    const at::Device device = deviceNamed(options.device);
    if (device.is_cpu() && m_dtype == DType::F16)
        fail("f16 cannot be computed on the CPU; choose f32 or bf16 (f16 weights are converted).");
    const ModelFolder folder(options.model_dir);
    m_hash = folder.hash();
    useThreads();
    guarded(fmt::format("Loading {}", options.model_dir.string()), [&] {
        const HeadShape shape{folder.config().heads, folder.config().kv_heads, folder.config().head_dim};
        const at::ScalarType type = toScalarType(m_dtype);
        const bool fused = form == ComputeForm::Fused || (form == ComputeForm::Chosen && device.is_cpu());
        m_llama = std::make_unique<Llama>(
            folder, fused ? makeFusedCompute(shape, type, m_threads) : makeAtenCompute(shape, type, device),
            type, device, options.progress, stop);
    });
    m_device_name = device.is_cpu() ? "CPU" : options.device + " " + cudaDeviceName(device.index());
}

void TorchModel::useThreads() const
{
    if (at::get_num_threads() != m_threads) at::set_num_threads(m_threads);
}

std::int64_t TorchModel::freeKvBytes() const
{
    return freeMemoryBytes(m_llama->device());
}

std::string TorchModel::promptProblem(std::span<const TokenId> ids) const
{
    if (ids.empty()) return "its prompt is empty; give at least one token (the begin-of-text id, say)";
    if (static_cast<int>(ids.size()) >= config().max_positions)
        return fmt::format(
            "its prompt of {} tokens leaves no room in the model's context of {}; shorten it to {}",
            ids.size(), config().max_positions, config().max_positions - 1);
    for (const TokenId id : ids)
        if (id < 0 || id >= config().vocabulary)
            return fmt::format(
                "token id {} is outside the model's vocabulary of {}; was it made by another tokenizer?", id,
                config().vocabulary);
    return {};
}

std::vector<Generated> TorchModel::generate(const std::vector<std::vector<TokenId>>& prompts,
                                            const GenerateOptions& options, std::stop_token stop)
{
    if (!options.forced_lengths.empty() && options.forced_lengths.size() != prompts.size())
        fail(fmt::format("{} forced lengths were given for {} prompts; give one a prompt or none.",
                         options.forced_lengths.size(), prompts.size()));
    if (options.max_new_tokens < 1)
        fail(fmt::format("{} new tokens were asked for; ask for at least 1.", options.max_new_tokens));
    if (prompts.empty()) return {};
    return guarded("Generating", [&] {
        const std::vector<Request> requests = asRequests(prompts);
        std::vector<Generated> generated(prompts.size());
        TorchBackend backend(*this);
        Plan plan;
        plan.first = true;
        for (const Request& request : requests) {
            const int room = config().max_positions - request.prompt_tokens;
            Admission admission{&request, std::min(options.max_new_tokens, std::max(room, 1)), std::nullopt,
                                options.sampling};
            if (!options.forced_lengths.empty())
                admission.forced_length = options.forced_lengths[request.index];
            plan.rows.push_back(
                {backend.admit(admission, std::nullopt), RowRole::Read, request.prompt_tokens});
            plan.padded_prompt_tokens = std::max(plan.padded_prompt_tokens, request.prompt_tokens);
            plan.limit_steps = std::max(plan.limit_steps, admission.max_new_tokens + 1);
        }
        const std::uint32_t steps = options.on_token ? 1 : 16;
        for (std::size_t left = prompts.size(); left > 0;) {
            if (stop.stop_requested()) break;
            const PassResult passes = backend.run(plan, steps, 0, std::numeric_limits<Nanos>::max());
            for (std::size_t row = 0; row < passes.new_ids.size(); ++row)
                for (const TokenId id : passes.new_ids[row]) {
                    generated[row].ids.push_back(id);
                    if (options.on_token) options.on_token(row, id);
                }
            plan.first = false;
            for (PlanRow& row : plan.rows)
                if (row.role == RowRole::Read) row.role = RowRole::Decode;
            for (const RowOutcome& outcome : passes.ended) {
                generated[outcome.row].end = outcome.cause;
                plan.rows[outcome.row].role = RowRole::Burn;
                --left;
            }
        }
        for (std::size_t row = 0; row < generated.size(); ++row)
            if (plan.rows[row].role != RowRole::Burn) generated[row].end = RowEnd::Cancelled;
        return generated;
    });
}

std::vector<std::vector<float>> TorchModel::logits(const std::vector<TokenId>& ids)
{
    if (ids.empty() || static_cast<int>(ids.size()) > config().max_positions)
        fail(fmt::format("Logits need 1 to {} token ids (the model's context); {} were given.",
                         config().max_positions, ids.size()));
    const auto last = std::min(ids.size(), static_cast<std::size_t>(config().max_positions) - 1);
    if (const std::string problem = promptProblem({ids.data(), last}); !problem.empty())
        fail(fmt::format("No logits: {}.", problem));
    return guarded("Computing logits", [&] {
        useThreads();
        const auto width = static_cast<std::int64_t>(ids.size());
        KvCache cache = m_llama->makeCache();
        cache.allocate(1, width);
        const at::Tensor all = m_llama->logits(m_llama->forward(ids, cache, {{0}, {0}, 0, width}));
        std::vector<std::vector<float>> rows;
        const float* data = all.data_ptr<float>();
        for (std::int64_t i = 0; i < width; ++i)
            rows.emplace_back(data + i * all.size(1), data + (i + 1) * all.size(1));
        return rows;
    });
}

std::vector<std::vector<std::int64_t>> TorchModel::positions(const std::vector<int>& prompt_lengths) const
{
    Sequences sequences;
    for (const int length : prompt_lengths)
        sequences.width = std::max<std::int64_t>(sequences.width, length);
    for (const int length : prompt_lengths)
        sequences.starts.push_back(firstColumn(length, sequences.width));
    std::vector<std::vector<std::int64_t>> positions(prompt_lengths.size());
    for (std::size_t row = 0; row < positions.size(); ++row)
        for (std::int64_t offset = 0; offset < sequences.width; ++offset)
            positions[row].push_back(sequences.position(row, offset));
    return positions;
}

} // namespace batchscope::engine
