// SPDX-License-Identifier: GPL-3.0-or-later
// Loading: progress, cancelling, broken and unusable models, what the plug-in says of itself.
#include "engine/model/torch_plugin.h"
#include "tests/support/engine_error.h"
#include "tests/support/random_llama.h"
#include "tests/support/stories_model.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>
#include <cmath>
#include <limits>

using namespace batchscope;
using namespace batchscope::engine;
using namespace batchscope::tests;

class TorchLoading : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        BATCHSCOPE_NEED_TORCH();
        writeRandomLlama(folder(), {});
    }

    void progressRunsToAllBytes()
    {
        LoadOptions options = optionsFor(folder());
        std::int64_t last = 0, all = 0;
        bool rises = true;
        options.progress = [&](std::int64_t done, std::int64_t of) {
            rises = rises && done > last && done <= of;
            last = done;
            all = of;
        };
        const auto model = torchPlugin().load(options, {});
        QVERIFY(rises);
        QCOMPARE(last, all);
        QVERIFY(all > 0);
        QVERIFY(model->weightBytes() >= all); // f32 in the file and in memory
        QVERIFY(model->freeKvBytes() > 0);
    }

    void aStopInTheMiddleCancels()
    {
        LoadOptions options = optionsFor(folder());
        std::stop_source stop;
        int calls = 0;
        options.progress = [&](std::int64_t, std::int64_t) {
            if (++calls == 3) stop.request_stop();
        };
        const auto error = engineErrorOf([&] { torchPlugin().load(options, stop.get_token()); });
        QVERIFY(error.has_value());
        QCOMPARE(error->kind, ErrorKind::Cancelled);
        QCOMPARE(calls, 3);
    }

    void brokenFoldersAreRefusedByName()
    {
        const auto absent = std::filesystem::path(m_dir.path().toStdString()) / "nothing";
        QVERIFY(refusesFile([&] { torchPlugin().load(optionsFor(absent), {}); }, {absent.string()}));
        const auto cut = std::filesystem::path(m_dir.path().toStdString()) / "cut";
        writeRandomLlama(cut, {});
        const std::string bytes = readBytes(cut / "model.safetensors");
        writeBytes(cut / "model.safetensors", bytes.substr(0, bytes.size() - 1000));
        QVERIFY(refusesFile([&] { torchPlugin().load(optionsFor(cut), {}); }, {"model.safetensors"}));
    }

    void aModelOfNanFailsItsRowsAndDoesNotHang()
    {
        const auto dir = std::filesystem::path(m_dir.path().toStdString()) / "nan";
        RandomLlama shape;
        shape.change = [](std::vector<NamedTensor>& tensors) {
            for (NamedTensor& tensor : tensors)
                if (tensor.name == "model.norm.weight")
                    tensor.data = floatBytes(std::vector<float>(64, std::numeric_limits<float>::quiet_NaN()));
        };
        writeRandomLlama(dir, shape);
        const auto model = torchPlugin().load(optionsFor(dir), {});
        const auto made = model->generate({{1, 2, 3}}, {}, {});
        QCOMPARE(made.front().end, RowEnd::Failed);
        QVERIFY(made.front().ids.empty());
    }

    void whatCannotRunIsRefusedWithTheRemedy()
    {
        LoadOptions options = optionsFor(folder());
        options.device = "cuda:9";
        auto error = engineErrorOf([&] { torchPlugin().load(options, {}); });
        QVERIFY(error && error->kind == ErrorKind::Model && error->message.find("cpu") != std::string::npos);
        options = optionsFor(folder());
        options.dtype = DType::F16;
        error = engineErrorOf([&] { torchPlugin().load(options, {}); });
        QVERIFY(error && error->message.find("bf16") != std::string::npos);
    }

    void thePluginNamesItsLibrariesAndDevices()
    {
        const std::string libraries = torchPlugin().libraries();
        QVERIFY2(libraries.find("libtorch 1.") != std::string::npos ||
                     libraries.find("libtorch 2.") != std::string::npos,
                 libraries.c_str());
        QVERIFY(libraries.find("oneDNN") != std::string::npos);
        QCOMPARE(torchPlugin().devices().front(), std::string("cpu"));
    }

    void theHashIsOfTheWeights()
    {
        const auto model = torchPlugin().load(optionsFor(folder()), {});
        const auto other = std::filesystem::path(m_dir.path().toStdString()) / "other";
        RandomLlama shape;
        shape.seed = 2;
        writeRandomLlama(other, shape);
        QVERIFY(torchPlugin().load(optionsFor(other), {})->hash() != model->hash());
        LoadOptions narrow = optionsFor(folder());
        narrow.dtype = DType::BF16;
        QCOMPARE(torchPlugin().load(narrow, {})->hash(), model->hash());
    }

private:
    std::filesystem::path folder() const
    {
        return std::filesystem::path(m_dir.path().toStdString()) / "model";
    }
    static LoadOptions optionsFor(const std::filesystem::path& dir)
    {
        LoadOptions options;
        options.model_dir = dir;
        return options;
    }
    QTemporaryDir m_dir;
};

BATCHSCOPE_TEST(TorchLoading)
#include "torch_loading_test.moc"
