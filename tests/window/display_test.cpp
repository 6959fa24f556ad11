// SPDX-License-Identifier: GPL-3.0-or-later
// The program where no window can be opened: a message with the remedy and exit code 1, never an abort.
#include "app/cli/exit_code.h"
#include "app/window/display.h"
#include "tests/support/test_main.h"
#include "tests/window/window_place.h"

#include <QProcess>

#include <map>

using namespace batchscope;

namespace {

std::string faultOf(const std::vector<std::string>& arguments, const std::map<std::string, std::string>& set)
{
    return window::displayFault(arguments, [&set](const char* name) {
        const auto found = set.find(name);
        return found == set.end() ? std::string() : found->second;
    });
}

struct Ended
{
    bool by_itself = false;
    int code = -1;
    QString said;
};

Ended start(const QStringList& arguments, const QMap<QString, QString>& set)
{
    QProcess program;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "XDG_SESSION_TYPE"})
        environment.remove(QLatin1String(name));
    for (auto it = set.begin(); it != set.end(); ++it)
        environment.insert(it.key(), it.value());
    program.setProcessEnvironment(environment);
    program.setProcessChannelMode(QProcess::MergedChannels);
    program.start(QStringLiteral(BATCHSCOPE_PROGRAM), arguments);
    if (!program.waitForFinished(60000)) program.kill();
    return {program.exitStatus() == QProcess::NormalExit, program.exitCode(),
            QString::fromUtf8(program.readAll())};
}

void verifyRefused(const Ended& ended)
{
    QVERIFY2(ended.by_itself, qPrintable(ended.said));
    QVERIFY2(ended.code == cli::Failed, qPrintable(ended.said));
    for (const char* part : {"display", "batchscope-cli run", "QT_QPA_PLATFORM=offscreen"})
        QVERIFY2(ended.said.contains(QLatin1String(part)), qPrintable(ended.said));
}

} // namespace

class DisplayTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void asksForADisplayOnlyWhereNothingNamesOne()
    {
        QVERIFY(!faultOf({"batchscope"}, {}).empty());
        QVERIFY(!faultOf({"batchscope"}, {{"DISPLAY", ""}}).empty()); // set to nothing
        for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
            QVERIFY2(faultOf({"batchscope"}, {{name, "x"}}).empty(), name);
        QVERIFY(faultOf({"batchscope", "-platform", "offscreen"}, {}).empty());
        QVERIFY(faultOf({"batchscope", "--platform", "offscreen"}, {}).empty());
    }

    void endsWithARemedyWithoutADisplay() { verifyRefused(start({}, {})); }

    void endsWithARemedyWhereTheDisplayCannotBeOpened()
    {
        verifyRefused(start({}, {{QStringLiteral("DISPLAY"), QStringLiteral(":987")}}));
        verifyRefused(start({}, {{QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("no-such-platform")}}));
    }

    void helpAndVersionNeedNoDisplay()
    {
        QCOMPARE(start({QStringLiteral("--help")}, {}).code, static_cast<int>(cli::Done));
        QCOMPARE(start({QStringLiteral("--version")}, {}).code, static_cast<int>(cli::Done));
    }

    void drawsOffTheScreenWhereAskedOnTheCommandLine()
    {
        const tests::Place place;
        const QString pictures = place.dir.filePath(QStringLiteral("pictures"));
        const Ended ended =
            start({QStringLiteral("-platform"), QStringLiteral("offscreen"),
                   QString::fromStdString(place.session().string()), QStringLiteral("--screenshots"),
                   pictures, QStringLiteral("--db"), place.dir.filePath(QStringLiteral("runs.db"))},
                  {});
        QVERIFY2(ended.code == cli::Done, qPrintable(ended.said));
        QVERIFY(QFileInfo::exists(pictures + QStringLiteral("/compose.png")));
    }

    void refusesPicturesThatCannotBeWrittenBeforeAnythingRuns()
    {
        const tests::Place place;
        const QString session = QString::fromStdString(place.session().string());
        const QString database = place.dir.filePath(QStringLiteral("runs.db"));
        const Ended ended = start({session, QStringLiteral("--run"), QStringLiteral("--screenshots"), session,
                                   QStringLiteral("--db"), database},
                                  {{QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen")}});
        QVERIFY2(ended.code == cli::Failed, qPrintable(ended.said));
        QVERIFY2(ended.said.contains(session), qPrintable(ended.said));
        QVERIFY(!QFileInfo::exists(database)); // nothing was run or stored
    }
};

BATCHSCOPE_TEST(DisplayTest)
#include "display_test.moc"
