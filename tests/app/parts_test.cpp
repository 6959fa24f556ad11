// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/experiment/experiment.h"
#include "engine/error.h"
#include "engine/parts/pooled_mlp_part.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

using namespace batchscope;

class PartsTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void the_full_registry_has_the_model_bound_predictor();
    void every_parameter_says_what_it_is();
    void a_model_bound_predictor_is_refused_on_the_simulator_without_predictions();
    void a_named_predictor_folder_is_taken_relative_to_the_session();
    void a_model_without_predictor_says_how_to_train_one();
};

void PartsTest::the_full_registry_has_the_model_bound_predictor()
{
    const Registry registry = app::fullRegistry();
    const auto* part = registry.find(PartKind::Predictor, "pooled-mlp");
    QVERIFY(part);
    QVERIFY(part->model_bound);
    QCOMPARE(part->produces, PredictionKind::Tokens);
    QVERIFY(registry.find(PartKind::Ordering, "sjf"));
}

void PartsTest::every_parameter_says_what_it_is()
{
    const Registry registry = app::fullRegistry();
    for (const auto kind :
         {PartKind::Predictor, PartKind::Ordering, PartKind::Batching, PartKind::Correction})
        for (const auto* part : registry.parts(kind)) {
            QVERIFY2(!part->title.empty() && !part->help.empty(), part->type.c_str());
            for (const auto& param : part->params)
                QVERIFY2(!param.title.empty() && !param.help.empty(),
                         (part->type + "." + param.name).c_str());
        }
}

void PartsTest::a_model_bound_predictor_is_refused_on_the_simulator_without_predictions()
{
    const Registry registry = app::fullRegistry();
    Strategy strategy;
    strategy.name = "sequence scheduling";
    strategy.predictor.type = "pooled-mlp";
    strategy.ordering.type = "sjf";
    strategy.batching.type = "grouped";
    const auto refused = [&](const CheckContext& context) {
        for (const auto& problem : checkStrategy(strategy, registry, context))
            if (problem.severity == Severity::Refused) return true;
        return false;
    };
    QVERIFY(refused({true, false, true}));
    QVERIFY(!refused({true, true, true}));
    QVERIFY(!refused({false, false, false}));
}

void PartsTest::a_named_predictor_folder_is_taken_relative_to_the_session()
{
    const PartSpec named{"pooled-mlp", {{"folder", std::string("mine")}}};
    QCOMPARE(engine::pooledMlpFolder(named, "/sessions", "/models/m"),
             std::filesystem::path("/sessions/mine"));
    const PartSpec absolute{"pooled-mlp", {{"folder", std::string("/else/where")}}};
    QCOMPARE(engine::pooledMlpFolder(absolute, "/sessions", "/models/m"),
             std::filesystem::path("/else/where"));
}

void PartsTest::a_model_without_predictor_says_how_to_train_one()
{
    const QTemporaryDir folder;
    try {
        engine::pooledMlpFolder({"pooled-mlp", {}}, {}, folder.path().toStdString());
        QFAIL("found a predictor in an empty folder");
    } catch (const engine::EngineError& error) {
        QVERIFY(QString(error.what()).contains("batchscope-cli train"));
    }
}

BATCHSCOPE_TEST(PartsTest)
#include "parts_test.moc"
