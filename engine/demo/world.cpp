// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/demo/world.h"

#include <charconv>
#include <stdexcept>
#include <unordered_set>

namespace batchscope::engine {
namespace {

constexpr int DrawsBeforeAnotherTask = 500;
constexpr int TailOneIn = 3; // a training answer of a task with a tail carries it this often

std::string keyOf(const Task& task, const TaskParams& params)
{
    std::string key(task.name);
    for (std::size_t i = 0; i < params.size(); ++i) {
        key += (i == 0 ? ":" : ".") + std::to_string(params[i]);
    }
    return key;
}

const Task& drawTask(DemoRandom& random, bool training)
{
    int total = 0;
    for (const Task& task : demoTasks()) {
        total += training ? task.trainingShare : task.servingShare;
    }
    int at = random.below(total);
    for (const Task& task : demoTasks()) {
        at -= training ? task.trainingShare : task.servingShare;
        if (at < 0) {
            return task;
        }
    }
    return demoTasks().back();
}

} // namespace

const std::vector<Task>& demoTasks()
{
    static const std::vector<Task> tasks = [] {
        std::vector<Task> all;
        for (const std::span<const Task> group :
             {shortTasks(), proseTasks(), listTasks(), tableTasks(), peopleTasks(), longTasks()}) {
            all.insert(all.end(), group.begin(), group.end());
        }
        return all;
    }();
    return tasks;
}

DemoItem demoItem(DemoSplit split, std::uint64_t index, std::uint64_t seed)
{
    const bool training = split == DemoSplit::ModelTraining;
    DemoRandom random(mixBits(seed) ^ mixBits(index * 4 + static_cast<std::uint64_t>(split)));
    for (;;) {
        const Task& task = drawTask(random, training);
        for (int attempt = 0; attempt < DrawsBeforeAnotherTask; ++attempt) {
            const TaskParams params = task.draw(random);
            std::string key = keyOf(task, params);
            if (splitOf(key) != split) {
                continue;
            }
            DemoItem item{std::string(task.name), std::move(key),
                          task.ask(params, random.below(task.wordings)), task.answer(params)};
            if (training && !task.tail.empty() && random.below(TailOneIn) == 0) {
                item.answer += task.tail;
            }
            return item;
        }
    }
}

std::vector<DemoItem> demoItems(DemoSplit split, int count, std::uint64_t seed)
{
    std::vector<DemoItem> items;
    std::unordered_set<std::string> seen;
    for (std::uint64_t index = 0; static_cast<int>(items.size()) < count; ++index) {
        if (index > static_cast<std::uint64_t>(count) * 100) {
            throw std::out_of_range("demo world: the split has fewer than " + std::to_string(count) +
                                    " different instructions; ask for fewer");
        }
        DemoItem item = demoItem(split, index, seed);
        if (seen.insert(item.instruction).second) {
            items.push_back(std::move(item));
        }
    }
    return items;
}

DemoKey parseDemoKey(std::string_view key)
{
    const std::size_t colon = key.find(':');
    DemoKey result;
    for (const Task& task : demoTasks()) {
        if (task.name == key.substr(0, colon)) {
            result.task = &task;
        }
    }
    if (result.task == nullptr || colon == std::string_view::npos) {
        throw std::out_of_range("demo world: \"" + std::string(key) + "\" names no task");
    }
    const char* at = key.data() + colon + 1;
    for (int& value : result.params) {
        const auto [next, error] = std::from_chars(at, key.data() + key.size(), value);
        if (error != std::errc{}) {
            throw std::out_of_range("demo world: \"" + std::string(key) +
                                    "\" needs four numbers after its task");
        }
        at = next == key.data() + key.size() ? next : next + 1;
    }
    return result;
}

} // namespace batchscope::engine
