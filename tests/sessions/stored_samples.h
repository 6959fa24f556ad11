// SPDX-License-Identifier: GPL-3.0-or-later
// Whole runs for tests of the store, exports and reports.
#pragma once

#include "scheduler/registry.h"
#include "sessions/run_store.h"
#include "tests/support/log_builder.h"

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string>

namespace batchscope::tests {

// The parts that documents of these tests name.
inline const Registry& registry()
{
    static const Registry s_registry = Registry::withBuiltinParts();
    return s_registry;
}

inline std::vector<sessions::StoredRequest> storedRequests(std::uint32_t count)
{
    std::vector<sessions::StoredRequest> requests;
    for (std::uint32_t i = 0; i < count; ++i) {
        sessions::StoredRequest request;
        request.index = i;
        request.id = "r" + std::to_string(i);
        request.prompt = "Say \"" + std::to_string(i) + "\", twice";
        request.prompt_ids = {1, static_cast<TokenId>(100 + i), -7};
        if (i % 2 == 0) request.recorded_output_tokens = static_cast<int>(i + 1);
        request.priority = static_cast<int>(i % 3);
        request.client = i % 2 == 0 ? "ann" : "";
        requests.push_back(request);
    }
    return requests;
}

inline sessions::RunRecord sampleRecord(const std::string& name, std::int64_t requests)
{
    sessions::RunRecord record;
    record.session = "Sample";
    record.name = name;
    record.experiment = "experiment-1";
    record.started_unix_ms = 1'700'000'000'123;
    record.strategy.name = name;
    record.strategy.batching = {"static", {{"rows", std::int64_t{4}}, {"window_s", 0.5}}};
    record.strategy.slo = Slo{1.5, std::nullopt, 30.0};
    record.strategy.compat = {"J-2"};
    record.provenance.measured = true;
    record.provenance.device = "CPU";
    record.provenance.dtype = "f32";
    record.provenance.model = "demo 0123456789abcdef";
    record.provenance.threads = 2;
    record.workload_hash = "00112233445566ff";
    record.sampling = {0.7, 0.9, 18'446'744'073'709'551'615ULL};
    record.source = "demo";
    record.arrivals = "all-at-once";
    record.seed = 42;
    record.requests = requests;
    record.environment = {"Test CPU", "", "libtest 1", "0.1.0", "abcdef012345", 2};
    return record;
}

// A small possible run: 4 requests in one static batch of 4, ids beside it.
inline sessions::StoredRun sampleRun(const std::string& name = "vanilla")
{
    sessions::StoredRun run;
    LogBuilder builder(runOf(4, 4, Delivery::BatchEnd));
    for (RequestIndex i = 0; i < 4; ++i)
        builder.arrive(i, 0);
    builder.batch({{0, 3}, {1, 1}, {2, 5}, {3, 2}});
    run.log = builder.finish();
    run.record = sampleRecord(name, 4);
    run.record.status = RunStatus::Completed;
    run.record.metrics = computeMetrics(run.log, run.record.strategy.slo);
    run.requests = storedRequests(4);
    run.tokens = {
        {{0, 0}, {5, 6, 7}}, {{1, 0}, {8}}, {{2, 0}, {1, 2, 3, 4, 2'000'000'000}}, {{3, 0}, {-1, 9}}};
    return run;
}

// (QCOMPARE cannot take JSON values: they convert to too many types.)
inline bool equals(const nlohmann::json& found, const nlohmann::json& expected)
{
    if (found == expected) return true;
    std::cerr << "found " << found.dump() << "\nexpected " << expected.dump() << '\n';
    return false;
}

// A folder that is gone again with the test.
class TemporaryFolder
{
public:
    TemporaryFolder()
    {
        std::string name = (std::filesystem::temp_directory_path() / "batchscope-test-XXXXXX").string();
        if (!::mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
        m_path = name;
    }
    ~TemporaryFolder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(m_path, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    std::filesystem::path operator/(const std::string& name) const { return m_path / name; }
    const std::filesystem::path& path() const { return m_path; }

private:
    std::filesystem::path m_path;
};

} // namespace batchscope::tests
