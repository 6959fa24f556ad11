// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checkpoint/safetensors.h"

#include "tests/support/engine_error.h"
#include "tests/support/model_files.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>
#include <algorithm>
#include <sys/resource.h>

using namespace batchscope::engine;
using namespace batchscope::tests;

class SafetensorsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsTensorsMetadataAndBytes();
    void readsRankZeroEmptyAndMetadataOnlyFiles();
    void tellsWhatAFileOfAnotherKindSeemsToBe_data();
    void tellsWhatAFileOfAnotherKindSeemsToBe();
    void refusesAHeaderLengthWithoutAllocatingIt();
    void tellsExpectedAndActualBytesOfTruncatedData();
    void refusesBrokenHeaders_data();
    void refusesBrokenHeaders();
    void refusesAbsentFilesAndFolders();

private:
    std::filesystem::path file(const std::string& bytes) const
    {
        const std::filesystem::path path = m_dir.filePath("model.safetensors").toStdString();
        writeBytes(path, bytes);
        return path;
    }

    QTemporaryDir m_dir;
};

void SafetensorsTest::readsTensorsMetadataAndBytes()
{
    const SafetensorsFile read(
        file(safetensorsBytes({{"b", "F32", {2, 2}, floatBytes({1, 2, 3, 4})},
                               {"a", "BF16", {3}, std::string("\x80\x3f\x00\x40\x40\x40", 6)}})));
    QCOMPARE(read.tensors().size(), std::size_t{2});
    QCOMPARE(read.metadata().at("format"), std::string("pt"));
    const TensorInfo* b = read.find("b");
    QVERIFY(b);
    QCOMPARE(b->dtype, std::string("F32"));
    QCOMPARE(b->shape, (std::vector<std::int64_t>{2, 2}));
    QCOMPARE(b->elements, std::int64_t{4});
    const auto bytes = read.bytes(*b);
    const std::string expected = floatBytes({1, 2, 3, 4});
    QCOMPARE(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), expected);
    QCOMPARE(read.bytes(*read.find("a")).size(), std::size_t{6});
    QVERIFY(!read.find("c"));
}

// Case F4.
void SafetensorsTest::readsRankZeroEmptyAndMetadataOnlyFiles()
{
    const SafetensorsFile none(file(safetensorsBytes(std::vector<NamedTensor>{})));
    QVERIFY(none.tensors().empty());
    QCOMPARE(none.metadata().size(), std::size_t{1});
    const SafetensorsFile bare(file(safetensorsBytes("{}", "")));
    QVERIFY(bare.tensors().empty());
    const SafetensorsFile odd(file(safetensorsBytes({{"scalar", "F32", {}, floatBytes({7})},
                                                     {"empty", "F32", {0, 5}, {}},
                                                     {"last", "I64", {1}, std::string(8, '\x01')}})));
    QCOMPARE(odd.find("scalar")->elements, std::int64_t{1});
    QCOMPARE(odd.bytes(*odd.find("scalar")).size(), std::size_t{4});
    QCOMPARE(odd.find("empty")->elements, std::int64_t{0});
    QVERIFY(odd.bytes(*odd.find("empty")).empty());
    const SafetensorsFile padded(file(safetensorsBytes("{\"__metadata__\":{}}     ", "")));
    QVERIFY(padded.metadata().empty());
}

// Case F1.
void SafetensorsTest::tellsWhatAFileOfAnotherKindSeemsToBe_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("seems");
    QTest::addColumn<QString>("size");
    QTest::newRow("git lfs pointer")
        << QByteArray("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 13476835328\n")
        << "a Git LFS pointer"
        << "76 bytes";
    QTest::newRow("html page") << QByteArray("<!DOCTYPE html>\n<html><head><title>404</title></head></html>")
                               << "an HTML page"
                               << "60 bytes";
    QTest::newRow("html page, other beginning")
        << QByteArray("\n  <HTML lang=\"en\"><body>Sign in</body></HTML>") << "an HTML page"
        << "46 bytes";
    QTest::newRow("eight bytes 0xFF") << QByteArray(8, '\xff') << "unknown data"
                                      << "8 bytes";
    QTest::newRow("zip checkpoint") << QByteArray("PK\x03\x04\x00\x00\x08\x08\x00\x00", 10) +
                                           QByteArray(90, '\0')
                                    << "a zip archive"
                                    << "100 bytes";
    QTest::newRow("pickle checkpoint")
        << QByteArray("\x80\x02}q\x00X\x05\x00\x00\x00model", 16) << "a Python pickle"
        << "16 bytes";
    QTest::newRow("gguf") << QByteArray("GGUF\x03\x00\x00\x00\x00\x00\x00\x00", 12) << "a GGUF file"
                          << "12 bytes";
    QTest::newRow("only zeros") << QByteArray(4096, '\0') << "all zero bytes"
                                << "4,096 bytes";
    QTest::newRow("empty") << QByteArray() << "empty"
                           << "0 bytes";
    QTest::newRow("seven bytes") << QByteArray("abcdefg") << "plain text"
                                 << "7 bytes";
    QTest::newRow("error as JSON") << QByteArray("{\"error\": \"Repository not found\"}") << "JSON text"
                                   << "33 bytes";
}

void SafetensorsTest::tellsWhatAFileOfAnotherKindSeemsToBe()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, seems);
    QFETCH(QString, size);
    const auto path = file(bytes.toStdString());
    QVERIFY(refusesFile([&] { const SafetensorsFile read(path); },
                        {path.string(), "no safetensors file", seems.toStdString(), size.toStdString()}));
}

// Case F1: a header that is one byte longer than the file, one that fills it, and one far beyond.
void SafetensorsTest::refusesAHeaderLengthWithoutAllocatingIt()
{
    const std::string good = safetensorsBytes({{"a", "F32", {2}, floatBytes({1, 2})}});
    rusage before{};
    getrusage(RUSAGE_SELF, &before);
    for (const std::uint64_t length :
         {static_cast<std::uint64_t>(good.size() + 1), std::uint64_t{good.size() - 7},
          std::uint64_t{99'999'999}, std::uint64_t{1} << 40U, ~std::uint64_t{0}}) {
        const auto path = file(littleEndian64(length) + good.substr(8));
        QVERIFY(refusesFile([&] { const SafetensorsFile read(path); },
                            {path.string(), "claim a header of", std::to_string(good.size()) + " bytes",
                             "download broke off"}));
    }
    rusage after{};
    getrusage(RUSAGE_SELF, &after);
    QVERIFY2(after.ru_maxrss - before.ru_maxrss < 64 * 1024,
             "more than 64 MB were taken for files of 100 bytes");
}

// Case F2.
void SafetensorsTest::tellsExpectedAndActualBytesOfTruncatedData()
{
    const std::string data(3'000'000, 'x');
    const std::string whole = safetensorsBytes({{"first", "U8", {1'000'000}, data.substr(0, 1'000'000)},
                                                {"second", "U8", {2'000'000}, data.substr(1'000'000)}});
    const auto path = file(whole.substr(0, whole.size() - 1'000'000));
    QVERIFY(refusesFile([&] { const SafetensorsFile read(path); },
                        {path.string(), "expected 3.0 MB (3,000,000 bytes)", "found 2.0 MB (2,000,000 bytes)",
                         "1.0 MB (1,000,000 bytes) are absent", "Incomplete download?"}));
    const auto longer = file(whole + "abc");
    QVERIFY(
        refusesFile([&] { const SafetensorsFile read(longer); },
                    {"3 bytes after the last tensor belong to no tensor", "found 3.0 MB (3,000,003 bytes)"}));
}

void SafetensorsTest::refusesBrokenHeaders_data()
{
    QTest::addColumn<QString>("header");
    QTest::addColumn<int>("data");
    QTest::addColumn<QStringList>("said");
    const auto row = [](const char* name, const char* header, int data, const QStringList& said) {
        QTest::newRow(name) << QString(header) << data << said;
    };
    row("no JSON", R"({"a":)", 0, {"header", "no valid JSON"});
    row("tensor is no object", R"({"a": 3})", 0, {"tensor \"a\"", "expected a JSON object, found 3"});
    row("dtype absent", R"({"a": {"shape": [1], "data_offsets": [0, 4]}})", 4,
        {"tensor \"a\"", "\"dtype\" is absent"});
    row("dtype unknown", R"({"a": {"dtype": "Q4", "shape": [1], "data_offsets": [0, 4]}})", 4,
        {"tensor \"a\"", "\"dtype\" is \"Q4\"", "expected one of F32"});
    row("shape negative", R"({"a": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}})", 4,
        {"tensor \"a\"", "\"shape\" is [-1]"});
    row("shape too large",
        R"({"a": {"dtype": "F32", "shape": [4294967296, 4294967296], "data_offsets": [0, 4]}})", 4,
        {"tensor \"a\"", "more elements than can be counted"});
    row("bytes differ from shape", R"({"w": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 20]}})", 20,
        {"tensor \"w\"", "F32 [2, 3]", "expected 24 bytes", "[0, 20] give 20 bytes"});
    row("offsets reversed", R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [4, 0]}})", 4,
        {"tensor \"a\"", "begin <= end"});
    row("offsets too few", R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [4]}})", 4,
        {"data_offsets"});
    row("overlap",
        R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}, "b": {"dtype": "F32", "shape": [1], "data_offsets": [4, 8]}})",
        8, {"tensor \"b\"", "overlaps tensor \"a\"", "bytes 4 to 8 against 0 to 8"});
    row("same bytes twice",
        R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}, "b": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}})",
        4, {"overlaps"});
    row("gap",
        R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}, "b": {"dtype": "F32", "shape": [1], "data_offsets": [8, 12]}})",
        12, {"tensor \"b\"", "bytes 4 to 8 before it belong to no tensor"});
    row("gap at the beginning", R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [4, 8]}})", 8,
        {"tensor \"a\"", "bytes 0 to 4"});
    row("name twice",
        R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}, "a": {"dtype": "F32", "shape": [1], "data_offsets": [4, 8]}})",
        8, {"the key \"a\" is given twice"});
    row("metadata no text", R"({"__metadata__": {"epoch": 3}})", 0,
        {"__metadata__", "\"epoch\" is 3", "a text"});
}

void SafetensorsTest::refusesBrokenHeaders()
{
    QFETCH(QString, header);
    QFETCH(int, data);
    QFETCH(QStringList, said);
    const auto path =
        file(safetensorsBytes(header.toStdString(), std::string(static_cast<std::size_t>(data), 'd')));
    std::vector<std::string> fragments{path.string()};
    for (const QString& each : said)
        fragments.push_back(each.toStdString());
    QVERIFY(refusesFile([&] { const SafetensorsFile read(path); }, fragments));
}

void SafetensorsTest::refusesAbsentFilesAndFolders()
{
    const std::filesystem::path absent = m_dir.filePath("absent.safetensors").toStdString();
    QVERIFY(refusesFile([&] { const SafetensorsFile read(absent); }, {absent.string(), "No such file"}));
    const std::filesystem::path folder = m_dir.path().toStdString();
    QVERIFY(refusesFile([&] { const SafetensorsFile read(folder); }, {folder.string(), "it is a folder"}));
}

BATCHSCOPE_TEST(SafetensorsTest)
#include "safetensors_test.moc"
