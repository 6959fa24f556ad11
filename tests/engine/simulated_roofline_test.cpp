// SPDX-License-Identifier: GPL-3.0-or-later
// Rooflines against sums done apart from them: from a model's shape and a data sheet, with a pencil.
#include "engine/simulated/cost_model_file.h"
#include "engine/simulated/roofline.h"
#include "scheduler/error.h"
#include "tests/support/test_main.h"

#include <cmath>

using namespace batchscope;
using namespace batchscope::engine;

namespace {

const std::filesystem::path k_presets =
    std::filesystem::path(BATCHSCOPE_SOURCE_DIR) / "resources" / "presets";

double ms(Picos ps)
{
    return static_cast<double>(ps) / 1e9;
}

PassWork decoding(std::int64_t rows, std::int64_t context)
{
    return {rows, rows * context, 0, false, 0, rows * context};
}

PassWork reading(std::int64_t rows, std::int64_t tokens)
{
    return {rows, rows * tokens, rows * tokens, true, rows, rows * attendedWhileReading(tokens, tokens)};
}

bool isNear(double value, double expected, double share)
{
    return std::abs(value - expected) <= share * expected;
}

// One FLOP and one byte take a nanosecond; a layer small enough to count.
RooflineFigures tiny()
{
    return {{"device.peak_tflops", 0.001},     {"device.memory_gb_per_s", 1.0},
            {"device.host_gb_per_s", 0.5},     {"model.layers", std::int64_t{1}},
            {"model.hidden", std::int64_t{4}}, {"model.intermediate", std::int64_t{8}},
            {"model.heads", std::int64_t{2}},  {"model.kv_heads", std::int64_t{1}},
            {"model.vocab", std::int64_t{10}}};
}

constexpr Picos k_ns = 1000;

} // namespace

class SimulatedRooflineTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void vicunaHasThePublishedNumberOfWeights()
    {
        const RooflineShape shape = rooflineShape({});
        QCOMPARE(shape.layer_weights + shape.head_weights + shape.embedding_weights,
                 std::int64_t{6'738'415'616});
        QCOMPARE(shape.weights_bytes, std::int64_t{13'476'831'232});
        QCOMPARE(shape.kv_bytes_per_token, std::int64_t{524'288});
    }

    // 13.5 GB of weights at 2.0e12 bytes/s: 6.7 ms, less the embedding, which a pass looks up.
    void aPassOfOneRowReadsTheWeightsOnce()
    {
        const CostModel model = rooflineModel({{"device.memory_gb_per_s", 2000.0}});
        const double took_ms = ms(passTime(model, decoding(1, 1)));
        QVERIFY(isNear(took_ms, 13.5e9 / 2.0e12 * 1e3, 0.03));
        QVERIFY(isNear(took_ms, (13'476'831'232 - 2 * 32'000 * 4096) / 2.0e9, 0.001));
        // Sixteen rows of 500 tokens read 16 * 500 * 524,288 bytes more: 2.1 ms.
        QVERIFY(isNear(ms(passTime(model, decoding(16, 500))) - took_ms, 8000 * 524288.0 / 2.0e9, 0.005));
    }

    // A prompt of 2,000 tokens is bound by arithmetic: 2 FLOP a weight and token, and the pairs.
    void aLongPromptIsBoundByArithmetic()
    {
        const CostModel model = rooflineModel({});
        const double layers = 6'738'415'616.0 - 2 * 32'000.0 * 4096.0;
        const double flop = 2000 * 2 * layers + 2 * 32'000.0 * 4096.0 + 4 * 32 * 4096.0 * 2000 * 2001 / 2;
        QVERIFY(isNear(ms(passTime(model, reading(1, 2000))), flop / 312e12 * 1e3, 0.001));
    }

    void halfTheBytesOfAWeightHalveTheTrafficAndNotTheArithmetic()
    {
        const CostModel f16 = loadCostModel("vicuna-7b-a100-roofline", k_presets);
        const CostModel int8 = loadCostModel("vicuna-7b-a100-int8-roofline", k_presets);
        const double gain = ms(passTime(f16, decoding(1, 128))) / ms(passTime(int8, decoding(1, 128)));
        QVERIFY(gain > 1.9 && gain < 2.0);
        QCOMPARE(passTime(f16, reading(4, 1000)), passTime(int8, reading(4, 1000)));
        QCOMPARE(*int8.kv_bytes - *f16.kv_bytes, std::int64_t{6'738'415'616});
    }

    // gpt-fast's figure at batch 1 must lie below the bound, and the preset's text says by how much.
    void theBoundIsAboveWhatWasMeasured()
    {
        const CostModel f16 = loadCostModel("vicuna-7b-a100-roofline", k_presets);
        const double tokens_per_s = 1e3 / ms(passTime(f16, decoding(1, 128)));
        QVERIFY(tokens_per_s > 104.9);
        QCOMPARE(std::lround(tokens_per_s), 154L);
        QVERIFY(f16.basis.find("about 154") != std::string::npos);
    }

    void unfusedAttentionCostsItsTraffic()
    {
        const CostModel fused = loadCostModel("vicuna-7b-a100-roofline", k_presets);
        const CostModel apart = loadCostModel("vicuna-7b-a100-unfused-roofline", k_presets);
        const PassWork work = decoding(16, 500);
        const double more_bytes = 16 * 500 * (2 * 524'288.0 + 24 * 32 * 32);
        QVERIFY(isNear(ms(passTime(apart, work) - passTime(fused, work)), more_bytes / 2039e9 * 1e3, 0.001));
    }

    void fasterMemoryIsFasterBySoMuch()
    {
        const auto one = [](const char* preset) {
            return ms(passTime(loadCostModel(preset, k_presets), decoding(1, 1)));
        };
        QVERIFY(isNear(one("vicuna-7b-a100-roofline") / one("vicuna-7b-h100-roofline"), 3350.0 / 2039, 1e-4));
        QVERIFY(isNear(one("vicuna-7b-a100-roofline") / one("vicuna-7b-h200-roofline"), 4800.0 / 2039, 1e-4));
    }

    // hidden 4, two heads of 2, one KV head: attention 2 * 16 + 2 * 8 = 48, feed-forward 3 * 32 = 96, norms
    // 8: 152 weights; head 40 + 4 = 44; KV of a token 2 * 1 * 2 values of 2 bytes = 8 bytes.
    void everyTermByHand()
    {
        const CostModel model = rooflineModel(tiny());
        const ResourceTerms arithmetic{0, 2 * 44 * k_ns, 2 * 152 * k_ns, 0, 4 * 4 * k_ns};
        const ResourceTerms traffic{2 * (152 + 44) * k_ns, 0, 8 * k_ns, 8 * k_ns, 0};
        QVERIFY(model.roofline->arithmetic == arithmetic);
        QVERIFY(model.roofline->traffic == traffic);
        QCOMPARE(model.swap_token_ps, 16 * k_ns); // 8 bytes at half a byte a nanosecond
        QCOMPARE(model.weights_bytes, std::int64_t{2 * (152 + 44 + 40)});
        // Two rows of 10 tokens decode: arithmetic 2 * 88 + 2 * 304 + 20 * 16 = 1104 ns, traffic 392 + 2 * 8
        // + 20 * 8 = 568 ns.
        QCOMPARE(passTime(model, decoding(2, 10)), 1104 * k_ns);
        RooflineFigures apart = tiny();
        apart["overlap"] = std::string("sum");
        QCOMPARE(passTime(rooflineModel(apart), decoding(2, 10)), (1104 + 568) * k_ns);
    }

    void efficienciesStretchTheirOwnResource()
    {
        RooflineFigures figures = tiny();
        figures["device.memory_efficiency"] = 0.25;
        figures["device.launch_us"] = 3.0;
        const CostModel model = rooflineModel(figures);
        QCOMPARE(model.roofline->traffic.pass, 4 * 392 * k_ns);
        QCOMPARE(model.roofline->arithmetic.token, 304 * k_ns);
        QCOMPARE(passTime(model, decoding(2, 10)), (4 * 568 + 3000) * k_ns); // memory is the longer one now
    }

    // Reading 4 tokens in two chunks of 2 pays the weights twice and reads the first chunk's cache again.
    void aPromptInChunksPaysEachPass()
    {
        RooflineFigures figures = tiny();
        figures["device.peak_tflops"] = 1000.0; // arithmetic takes no time worth the name
        const CostModel model = rooflineModel(figures);
        const auto chunk = [](std::int64_t tokens, std::int64_t context) {
            return PassWork{1, context, tokens, true, 1, attendedWhileReading(tokens, context)};
        };
        QCOMPARE(passTime(model, chunk(4, 4)), (392 + 4 * 8 + 4 * 8) * k_ns);
        QCOMPARE(passTime(model, chunk(2, 2)) + passTime(model, chunk(2, 4)),
                 (2 * 392 + 4 * 8 + (2 + 4) * 8) * k_ns);
        // Whoever reads in two goes attends to as many pairs as whoever reads at once: 1 + 2 + 3 + 4.
        QCOMPARE(attendedWhileReading(2, 2) + attendedWhileReading(2, 4), attendedWhileReading(4, 4));
        QCOMPARE(attendedWhileReading(4, 4), std::int64_t{10});
    }

    // Traffic leads by a constant and arithmetic grows faster: the span ends with the last pass before it
    // overtakes, and a walk pass by pass gives the same sum.
    void aSpanEndsWhereTheRooflineBends()
    {
        CostModel model;
        model.roofline = RooflineTerms{{0, 0, 0, 0, 7}, {1000, 0, 0, 3, 0}, true};
        const PassWork work = decoding(1, 1); // 7 n against 1000 + 3 n: 250 is the last n at which they tie
        const StraightSpan span = straightSpan(model, work);
        QCOMPARE(span.first_ps, Picos{1003});
        QCOMPARE(span.growth_ps, Picos{3});
        QCOMPARE(span.count, std::int64_t{250});
        QCOMPARE(straightSpan(model, work.later(250)).growth_ps, Picos{7});
        QVERIFY(straightSpan(model, work.later(249)).count > 1'000'000); // a tie takes the steeper line
        Picos sum = passTime(model, reading(1, 1));
        for (int pass = 1; pass < 1000; ++pass)
            sum += passTime(model, decoding(1, 1 + pass));
        QCOMPARE(serviceAlone(model, 1, 1000), sum / 1000);
    }

    void aDescriptionTellsFiguresApart()
    {
        QCOMPARE(describeRoofline({}),
                 std::string("312 TFLOP/s, 2039 GB/s, 32 layers of 4096, 2 bytes a weight"));
        QCOMPARE(describeRoofline({{"device.memory_gb_per_s", 4800.0}, {"device.launch_us", 5.0}}),
                 std::string(
                     "312 TFLOP/s, 4800 GB/s, 32 layers of 4096, 2 bytes a weight, device.launch_us 5 µs"));
        QVERIFY_EXCEPTION_THROWN(rooflineModel({{"device.tflops", 3.0}}), SchedulerError);
        QVERIFY_EXCEPTION_THROWN(rooflineModel({{"model.layers", 2.5}}), SchedulerError);
    }
};

BATCHSCOPE_TEST(SimulatedRooflineTest)
#include "simulated_roofline_test.moc"
