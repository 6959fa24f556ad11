// SPDX-License-Identifier: GPL-3.0-or-later
// What the other tests of this program rest on: a warning that Qt prints makes it fail.
#include "tests/support/test_main.h"

#include <QCoreApplication>
#include <QProcess>

namespace {

constexpr const char* k_ask = "BATCHSCOPE_TEST_WARNS"; // set in the program that is to fail

}

class QtWarningTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keepsWhatQtWarnsOf()
    {
        QVERIFY(batchscope::tests::takeWarnings().empty());
        qWarning("made on purpose");
        qCritical("made on purpose too");
        qInfo("no warning");
        qWarning("This plugin does not support raise()"); // named as harmless
        QCOMPARE(batchscope::tests::takeWarnings(),
                 (std::vector<std::string>{"keepsWhatQtWarnsOf: made on purpose",
                                           "keepsWhatQtWarnsOf: made on purpose too"}));
    }

    void warnsWhereItIsAsked()
    {
        if (qEnvironmentVariableIsSet(k_ask)) qWarning("a layout that cannot be");
    }

    void aWarningFailsTheProgram()
    {
        const auto exitCode = [](bool warns) {
            QProcess program;
            QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
            if (warns) environment.insert(QLatin1String(k_ask), QStringLiteral("1"));
            program.setProcessEnvironment(environment);
            program.start(QCoreApplication::applicationFilePath(),
                          {QStringLiteral("qt_warning_test"), QStringLiteral("warnsWhereItIsAsked")});
            return program.waitForFinished() ? program.exitCode() : -1;
        };
        QCOMPARE(exitCode(false), 0);
        QCOMPARE(exitCode(true), 1);
    }
};

BATCHSCOPE_TEST(QtWarningTest)
#include "qt_warning_test.moc"
