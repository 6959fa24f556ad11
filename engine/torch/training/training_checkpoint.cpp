// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/torch/training/training_checkpoint.h"

#include "engine/error.h"

#include <fstream>
#include <sstream>
#include <string>

namespace batchscope::engine::training {
namespace {

constexpr char k_magic[8] = {'B', 'S', 'T', 'R', 'A', 'I', 'N', '1'};

// Everything that decides the result, as text: a checkpoint of another recipe must not be continued.
std::string recipe(const TrainingPlan& plan)
{
    std::ostringstream text;
    text.precision(17);
    const LlamaShape& s = plan.shape;
    text << "shape " << s.vocabulary << ' ' << s.width << ' ' << s.layers << ' ' << s.heads << ' ' << s.hidden
         << ' ' << s.context << ' ' << s.rope_base << ' ' << s.norm_epsilon << " tokens " << plan.tokens
         << " step " << plan.tokens_per_step << " rate " << plan.learning_rate << ' ' << plan.warm_up_share
         << ' ' << plan.final_rate_share << " adam " << plan.beta1 << ' ' << plan.beta2 << ' '
         << plan.weight_decay << " clip " << plan.gradient_clip << " answers " << plan.answer_length_exponent
         << " workers " << plan.workers << " bf16 " << plan.bfloat16 << " seed " << plan.seed;
    return text.str();
}

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why)
{
    throw EngineError(ErrorKind::InvalidFile, "training checkpoint " + file.string() + ": " + why);
}

} // namespace

void writeCheckpoint(const std::filesystem::path& file, const TrainingPlan& plan, const TrainingState& state,
                     const std::vector<FlatBuffer>& buffers)
{
    std::filesystem::path temporary = file;
    temporary += ".part";
    {
        std::ofstream out(temporary, std::ios::binary);
        const std::string text = recipe(plan);
        const std::uint64_t length = text.size();
        out.write(k_magic, sizeof k_magic);
        out.write(reinterpret_cast<const char*>(&length), sizeof length);
        out.write(text.data(), static_cast<std::streamsize>(length));
        out.write(reinterpret_cast<const char*>(&state), sizeof state);
        for (const FlatBuffer& buffer : buffers) {
            out.write(reinterpret_cast<const char*>(&buffer.count), sizeof buffer.count);
            out.write(reinterpret_cast<const char*>(buffer.data),
                      static_cast<std::streamsize>(buffer.count * static_cast<std::int64_t>(sizeof(float))));
        }
        out.flush();
        if (!out) {
            refuse(temporary, "cannot be written; check the folder, its rights and the free space");
        }
    }
    std::filesystem::rename(temporary, file);
}

bool readCheckpoint(const std::filesystem::path& file, const TrainingPlan& plan, TrainingState& state,
                    const std::vector<FlatBuffer>& buffers)
{
    if (!std::filesystem::exists(file)) {
        return false;
    }
    std::ifstream in(file, std::ios::binary);
    char magic[sizeof k_magic] = {};
    std::uint64_t length = 0;
    in.read(magic, sizeof magic);
    in.read(reinterpret_cast<char*>(&length), sizeof length);
    if (!in || std::string(magic, sizeof magic) != std::string(k_magic, sizeof k_magic) || length > 4096) {
        refuse(file, "is no checkpoint of this program; delete it to begin anew");
    }
    std::string text(length, ' ');
    in.read(text.data(), static_cast<std::streamsize>(length));
    if (text != recipe(plan)) {
        refuse(file, "belongs to another recipe (found \"" + text + "\", expected \"" + recipe(plan) +
                         "\"); delete it to begin anew");
    }
    in.read(reinterpret_cast<char*>(&state), sizeof state);
    for (const FlatBuffer& buffer : buffers) {
        std::int64_t count = 0;
        in.read(reinterpret_cast<char*>(&count), sizeof count);
        if (!in || count != buffer.count) {
            refuse(file, "is damaged (a buffer of " + std::to_string(count) + " values, expected " +
                             std::to_string(buffer.count) + "); delete it to begin anew");
        }
        in.read(reinterpret_cast<char*>(buffer.data),
                static_cast<std::streamsize>(count * static_cast<std::int64_t>(sizeof(float))));
    }
    if (!in) {
        refuse(file, "ends too early; delete it to begin anew");
    }
    return true;
}

} // namespace batchscope::engine::training
