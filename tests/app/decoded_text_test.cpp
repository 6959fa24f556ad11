// SPDX-License-Identifier: GPL-3.0-or-later
// The ids of a stored run are only read with the tokenizer of the model that made them.
#include "app/experiment/model_access.h"
#include "engine/checkpoint/model_folder.h"
#include "tests/app/app_fixtures.h"
#include "tests/support/test_main.h"

#include <algorithm>

using namespace batchscope;

namespace {

sessions::RunRecord madeBy(const std::string& model)
{
    sessions::RunRecord record;
    record.provenance.measured = true;
    record.provenance.model = model;
    return record;
}

std::string demoIdentity(const std::filesystem::path& folder)
{
    return app::modelIdentity(folder, engine::ModelFolder(folder).hash());
}

} // namespace

class DecodedTextTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        if (!std::filesystem::exists(app::demoModelDir() / "model.safetensors"))
            QSKIP("the model in the box is not here");
        m_ids = app::openModelFolder(app::demoModelDir()).tokenizer->encode("The fox ran home.");
        QVERIFY(m_ids.size() > 2);
    }

    void aRunOfTheModelInTheBoxIsRead()
    {
        const app::Experiment experiment;
        const auto decoded = experiment.decode(madeBy(demoIdentity(app::demoModelDir())), m_ids);
        QCOMPARE(decoded.text, std::string("The fox ran home."));
        QVERIFY(decoded.why_not.empty());
    }

    void aRunOfAnotherModelHasNoTextAndSaysWhy()
    {
        const app::Experiment experiment;
        // Another model; another training of the same name.
        for (const std::string model : {"vicuna-7b 0123456789abcdef", "demo 0123456789abcdef"}) {
            const auto decoded = experiment.decode(madeBy(model), m_ids);
            QVERIFY(decoded.text.empty());
            QVERIFY2(decoded.why_not.find(model) != std::string::npos, decoded.why_not.c_str());
        }
    }

    void aSimulatedRunHasNoText()
    {
        sessions::RunRecord record;
        record.provenance.cost_model = "vicuna-7b-a100";
        const auto decoded = app::Experiment().decode(record, m_ids);
        QVERIFY(decoded.text.empty());
        QVERIFY2(decoded.why_not.find("simulated") != std::string::npos, decoded.why_not.c_str());
    }

    // A simulated run over a file of its own closes what was open: the next stored run is still read.
    void aRunBetweenChangesNothing()
    {
        const tests::Workbench bench;
        bench.writeRequests("requests.jsonl", 4);
        app::Experiment experiment;
        app::ExperimentListener silent;
        RunControl control;
        experiment.run(bench.session("requests.jsonl"), {}, silent, control, {});
        const auto record = madeBy(demoIdentity(app::demoModelDir()));
        QCOMPARE(experiment.decode(record, m_ids).text, std::string("The fox ran home."));
    }

private:
    std::vector<TokenId> m_ids;
};

BATCHSCOPE_TEST(DecodedTextTest)
#include "decoded_text_test.moc"
