// SPDX-License-Identifier: GPL-3.0-or-later
// The length predictor on the model's own hidden state: training, its file, its kept prefills.
#include "engine/checkpoint/predictor_manifest.h"
#include "scheduler/clock.h"
#include "tests/support/engine_error.h"
#include "tests/support/stories_model.h"
#include "tests/support/test_main.h"
#include "tests/support/torch_models.h"
#include "tests/support/torch_rows.h"

#include <algorithm>
#include <cstdlib>

using namespace batchscope;
using namespace batchscope::engine;
using namespace batchscope::tests;

namespace {

// Prompts whose length label follows from their last token: something that the hidden state holds.
std::vector<LengthExample> examples(Random& random, int count)
{
    std::vector<LengthExample> all;
    for (int i = 0; i < count; ++i) {
        auto ids = randomPrompt(random, 2 + static_cast<int>(random.below(6)));
        const int kind = static_cast<int>(random.below(4));
        ids.back() = 10 + kind;
        constexpr int k_lengths[] = {5, 40, 150, 400};
        all.push_back({ids, k_lengths[kind] + static_cast<int>(random.below(5))});
    }
    return all;
}

} // namespace

class PooledMlp : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        BATCHSCOPE_NEED_TORCH();
        RandomLlama shape;
        shape.eos = 0;
        m_model = m_models.make("model", shape);
        m_backend = torchPlugin().makeBackend(*m_model, m_clock);
        Random random(5);
        m_training.train = examples(random, 1000);
        m_training.validation = examples(random, 100);
        m_training.hidden = {32};
        m_training.epochs = 40;
        m_training.batch = 32;
        m_training.learning_rate = 1e-2;
        m_training.out_dir = m_models.folder("predictor");
        m_training.progress = [this](int epoch, double loss, const PredictorScores& scores) {
            m_losses.push_back(loss);
            if (m_epochs == 0 || scores.mae < m_best.mae) {
                m_best = scores;
                m_best_epoch = epoch;
            }
            m_epochs = epoch;
        };
        torchPlugin().trainPooledMlp(*m_model, m_training, {});
        for (RequestIndex i = 0; i < 40; ++i)
            m_requests.push_back(requestOf(i, m_training.validation[i].prompt_ids));
    }
    void cleanupTestCase()
    {
        m_backend.reset();
        m_model.reset();
    }
    void init() { m_backend->reset(); }

    void learnsWhatTheStateHolds()
    {
        QCOMPARE(m_epochs, 40);
        QVERIFY2(m_losses.back() < 0.3 * m_losses.front(),
                 qPrintable(QString("%1 to %2").arg(m_losses.front()).arg(m_losses.back())));
        const PredictorManifest manifest = readPredictorManifest(m_training.out_dir);
        QCOMPARE(manifest.model_hash, m_model->hash());
        QCOMPARE(manifest.trained_on, std::int64_t{1000});
        QCOMPARE(manifest.scores.n, std::int64_t{100});
        QVERIFY(manifest.scores.constant_mae > 80);
        QVERIFY2(manifest.scores.mae < 0.3 * manifest.scores.constant_mae,
                 qPrintable(QString("%1 of %2").arg(manifest.scores.mae).arg(manifest.scores.constant_mae)));
        QVERIFY(manifest.scores.kendall_tau_b > 0.7);
        const std::string text = readBytes(m_training.out_dir / "predictor.json");
        QVERIFY(text.find("\"kind\": \"tokens\"") != std::string::npos);
        QVERIFY(text.find("\"label\": \"single\"") != std::string::npos);
    }

    // Not those of the last epoch: the weights of the best one are kept.
    void scoresInTheFileAreThoseOfTheWeightsInTheFile()
    {
        std::vector<Request> requests;
        for (const LengthExample& example : m_training.validation)
            requests.push_back(requestOf(static_cast<RequestIndex>(requests.size()), example.prompt_ids));
        std::vector<const Request*> asked;
        for (const Request& request : requests)
            asked.push_back(&request);
        const auto predictions = make(m_training.cap)->predict(asked).predictions;
        double error = 0, within = 0;
        for (std::size_t i = 0; i < predictions.size(); ++i) {
            const int miss = std::abs(*predictions[i].tokens - m_training.validation[i].output_tokens);
            error += miss;
            within += miss <= 50 ? 1 : 0;
        }
        const PredictorScores scores = readPredictorManifest(m_training.out_dir).scores;
        QCOMPARE(scores.mae, error / 100);
        QCOMPARE(scores.acc50, within / 100);
        QVERIFY2(m_best_epoch < m_epochs, "the last epoch was the best: this test cannot tell them apart");
    }

    void trainingIsRepeatable()
    {
        PooledMlpTraining again = m_training;
        again.out_dir = m_models.folder("again");
        again.progress = {};
        torchPlugin().trainPooledMlp(*m_model, again, {});
        QCOMPARE(readBytes(again.out_dir / "predictor.json"),
                 readBytes(m_training.out_dir / "predictor.json"));
        QCOMPARE(readBytes(again.out_dir / "model.safetensors"),
                 readBytes(m_training.out_dir / "model.safetensors"));
    }

    void everyPoolingWorks()
    {
        for (const char* pooling : {"mean", "max"}) {
            PooledMlpTraining other = m_training;
            other.pooling = pooling;
            other.epochs = 2;
            other.out_dir = m_models.folder(pooling);
            other.progress = {};
            torchPlugin().trainPooledMlp(*m_model, other, {});
            const auto predictor = torchPlugin().makePooledMlp(*m_model, *m_backend, other.out_dir, 512);
            QVERIFY(predict(*predictor, {0})[0].tokens.has_value());
        }
        PooledMlpTraining unknown = m_training;
        unknown.pooling = "median";
        QVERIFY(
            refusesFile([&] { torchPlugin().trainPooledMlp(*m_model, unknown, {}); }, {"median", "last"}));
    }

    void predictsTheSameAloneAndInABatch()
    {
        const auto predictor = make(512);
        std::vector<std::size_t> all(m_requests.size());
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i] = i;
        const auto together = predict(*predictor, all);
        double error = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
            QCOMPARE(predict(*predictor, {i})[0].tokens, together[i].tokens);
            error += std::abs(*together[i].tokens - m_training.validation[i].output_tokens);
        }
        QVERIFY2(
            error / 40 < 60,
            qPrintable(QString::number(error / 40))); // in the order asked, whatever order it read them in
    }

    void predictionsStayWithinTheCap()
    {
        const auto predictor = make(100);
        for (const Prediction& prediction : predict(*predictor, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}))
            QVERIFY(*prediction.tokens >= 1 && *prediction.tokens <= 100);
    }

    void generationGoesOnFromTheKeptPrefill()
    {
        const auto predictor = make(512);
        const auto kept = predict(*predictor, {3, 8, 21});
        QVERIFY(m_backend->memory().kv_used_bytes > 0);
        BatchDriver batch(*m_backend);
        batch.add({&m_requests[3], 12, {}, {}}, kept[0].held, RowRole::Held);
        batch.add({&m_requests[30], 12, {}, {}}); // read in the same first pass
        batch.add({&m_requests[21], 12, {}, {}}, kept[2].held, RowRole::Held);
        batch.toTheEnd();
        QCOMPARE(batch.passes, 12u); // the held prefill is step 1
        QCOMPARE(batch.ids[0], alone(3, 12));
        QCOMPARE(batch.ids[1], alone(30, 12));
        QCOMPARE(batch.ids[2], alone(21, 12));
        m_backend->release(*kept[1].held);
    }

    void aRequestItCannotReadFailsAlone()
    {
        const auto predictor = make(512);
        const Request empty = requestOf(50, {});
        const std::vector<const Request*> asked{&m_requests[0], &empty, &m_requests[1]};
        const PredictionCall call = predictor->predict(asked);
        QVERIFY(call.elapsed_ns > 0);
        QVERIFY(call.predictions[1].failed && !call.predictions[1].tokens && !call.predictions[1].held);
        QVERIFY(!call.predictions[0].failed && call.predictions[2].tokens);
    }

    void anotherModelsPredictorIsRefusedWithBothHashes()
    {
        RandomLlama shape;
        shape.seed = 2;
        const auto other = m_models.make("other", shape);
        QVERIFY(refusesFile([&] { torchPlugin().makePooledMlp(*other, *m_backend, m_training.out_dir, 512); },
                            {m_model->hash(), other->hash()}));
    }

    void brokenFilesAreRefused()
    {
        const auto broken = m_models.folder("broken");
        std::filesystem::copy(m_training.out_dir, broken);
        PredictorManifest manifest = readPredictorManifest(broken);
        manifest.hidden = {33};
        writePredictorManifest(broken, manifest);
        const auto make = [&] { torchPlugin().makePooledMlp(*m_model, *m_backend, broken, 512); };
        QVERIFY(refusesFile(make, {"layers.0.weight", "[32, 64]", "[33, 64]"}));
        std::filesystem::remove(broken / "model.safetensors");
        QVERIFY(refusesFile(make, {"model.safetensors"}));
    }

    void unusableExamplesAndAStopEndTraining()
    {
        PooledMlpTraining bad = m_training;
        bad.progress = {};
        bad.out_dir = m_models.folder("unwritten");
        bad.train[7].prompt_ids.clear();
        const auto error = engineErrorOf([&] { torchPlugin().trainPooledMlp(*m_model, bad, {}); });
        QVERIFY(error && error->message.find("Example 8") != std::string::npos);
        bad = m_training;
        bad.out_dir = m_models.folder("unwritten");
        std::stop_source stop;
        bad.progress = [&](int, double, const PredictorScores&) { stop.request_stop(); };
        const auto cancelled =
            engineErrorOf([&] { torchPlugin().trainPooledMlp(*m_model, bad, stop.get_token()); });
        QVERIFY(cancelled && cancelled->kind == ErrorKind::Cancelled);
        QVERIFY(!std::filesystem::exists(bad.out_dir));
    }

private:
    std::unique_ptr<LengthPredictor> make(int cap)
    {
        return torchPlugin().makePooledMlp(*m_model, *m_backend, m_training.out_dir, cap);
    }
    std::vector<Prediction> predict(LengthPredictor& predictor, const std::vector<std::size_t>& which)
    {
        std::vector<const Request*> asked;
        for (const std::size_t i : which)
            asked.push_back(&m_requests[i]);
        return predictor.predict(asked).predictions;
    }
    std::vector<TokenId> alone(std::size_t i, int tokens)
    {
        return idsAlone(*m_model, m_requests[i].prompt_ids, tokens);
    }

    TorchModels m_models;
    WallClock m_clock;
    std::unique_ptr<LanguageModel> m_model;
    std::unique_ptr<Backend> m_backend;
    PooledMlpTraining m_training;
    std::vector<Request> m_requests;
    std::vector<double> m_losses;
    PredictorScores m_best;
    int m_epochs = 0, m_best_epoch = 0;
};

BATCHSCOPE_TEST(PooledMlp)
#include "pooled_mlp_test.moc"
