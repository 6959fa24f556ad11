// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/plugin_loader.h"

#include "engine/tokenizer/tokenizer.h"
#include "tests/support/engine_error.h"
#include "tests/support/test_main.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QTemporaryDir>
#include <thread>

using namespace batchscope::engine;
using namespace batchscope::tests;

class PluginLoaderTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { qunsetenv("BATCHSCOPE_PLUGIN_DIR"); }
    void findsThePluginBesideTheProgram();
    void prefersTheFolderThatTheEnvironmentNames();
    void namesTheFoldersItLookedIn();
    void refusesModulesWithAFault_data();
    void refusesModulesWithAFault();
    void opensOnceFromManyThreads();
};

void PluginLoaderTest::findsThePluginBesideTheProgram()
{
    QVERIFY(hasPlugin("tokenizer"));
    const QString expected = QCoreApplication::applicationDirPath() + "/../lib/batchscope/tokenizer.so";
    QCOMPARE(QFileInfo(QString::fromStdString(pluginFile("tokenizer").string())).canonicalFilePath(),
             QFileInfo(expected).canonicalFilePath());
    QVERIFY(!hasPlugin("absent"));
    QVERIFY(pluginFile("absent").empty());
}

void PluginLoaderTest::prefersTheFolderThatTheEnvironmentNames()
{
    qputenv("BATCHSCOPE_PLUGIN_DIR", BATCHSCOPE_REFUSED_PLUGINS "/no_library");
    QCOMPARE(pluginFile("refused").string(),
             std::string(BATCHSCOPE_REFUSED_PLUGINS "/no_library/refused.so"));
    const QTemporaryDir empty;
    qputenv("BATCHSCOPE_PLUGIN_DIR", empty.path().toLocal8Bit());
    QVERIFY(pluginFile("tokenizer").string().ends_with("lib/batchscope/tokenizer.so"));
}

void PluginLoaderTest::namesTheFoldersItLookedIn()
{
    qputenv("BATCHSCOPE_PLUGIN_DIR", "/some/where");
    const auto error = engineErrorOf([] { openPlugin("absent"); });
    QVERIFY(error);
    QVERIFY(error->kind == ErrorKind::Model);
    for (const char* fragment : {"absent.so is absent", "/some/where", "lib/batchscope", "app/launch"})
        QVERIFY2(error->message.find(fragment) != std::string::npos, error->message.c_str());
    QVERIFY(!isPluginOpen("absent"));
}

void PluginLoaderTest::refusesModulesWithAFault_data()
{
    QTest::addColumn<QString>("said");
    QTest::newRow("built_apart") << "built apart from this program (build id another build";
    QTest::newRow("other_abi") << "its ABI number is 2, this program's is 1";
    QTest::newRow("other_name") << "it calls itself 'something'";
    QTest::newRow("no_entry") << "exports no batchscope_plugin_entry";
    QTest::newRow("no_library") << "refused.so";
}

void PluginLoaderTest::refusesModulesWithAFault()
{
    QFETCH(QString, said);
    const std::string folder = std::string(BATCHSCOPE_REFUSED_PLUGINS "/") + QTest::currentDataTag();
    qputenv("BATCHSCOPE_PLUGIN_DIR", folder.c_str());
    const auto error = engineErrorOf([] { openPlugin("refused"); });
    QVERIFY(error);
    QVERIFY(error->kind == ErrorKind::Model);
    for (const std::string& fragment :
         {folder + "/refused.so cannot be used", said.toStdString(), std::string("again")})
        QVERIFY2(error->message.find(fragment) != std::string::npos, error->message.c_str());
    QVERIFY(!isPluginOpen("refused"));
}

void PluginLoaderTest::opensOnceFromManyThreads()
{
    std::vector<const TokenizerPlugin*> seen(8, nullptr);
    {
        std::vector<std::jthread> threads;
        for (auto& plugin : seen)
            threads.emplace_back([&plugin] { plugin = &tokenizerPlugin(); });
    }
    QVERIFY(isPluginOpen("tokenizer"));
    for (const auto* plugin : seen)
        QCOMPARE(plugin, seen.front());
    QVERIFY(seen.front() != nullptr);
    // Open plug-ins stay the ones they are, whatever the environment says now.
    qputenv("BATCHSCOPE_PLUGIN_DIR", BATCHSCOPE_REFUSED_PLUGINS "/built_apart");
    QCOMPARE(&tokenizerPlugin(), seen.front());
}

BATCHSCOPE_TEST(PluginLoaderTest)
#include "plugin_loader_test.moc"
