// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_main.h"
#include "tests/support/workloads.h"
#include "widgets/models/session_editor.h"

using namespace batchscope;
using sessions::SessionDocument;
using widgets::SessionEditor;

namespace {

SessionDocument twoStrategies()
{
    SessionDocument d;
    d.name = "Two";
    d.strategies = {tests::strategyOf("A", tests::staticRows(8)),
                    tests::strategyOf("B", tests::staticRows(16))};
    return d;
}

QStringList names(const SessionDocument& d)
{
    QStringList all;
    for (const Strategy& s : d.strategies)
        all << QString::fromStdString(s.name);
    return all;
}

} // namespace

class SessionEditorTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void undoesAndRedoesEveryKindOfEdit()
    {
        SessionEditor editor;
        editor.setDocument(twoStrategies());
        std::vector<SessionDocument> states{editor.document()};
        const auto keep = [&] { states.push_back(editor.document()); };
        editor.addStrategy(tests::strategyOf("C", tests::groupedOf(64, 8, 50)));
        keep();
        editor.duplicateStrategy(1);
        keep();
        editor.moveStrategy(0, 3);
        keep();
        editor.moveStrategy(2, 0);
        keep();
        editor.removeStrategy(1);
        keep();
        editor.change(QStringLiteral("seed"), [](SessionDocument& d) { d.workload.seed = 7; });
        keep();
        editor.change(QStringLiteral("dtype"), [](SessionDocument& d) { d.backend.dtype = "bf16"; });
        keep();
        for (std::size_t i = states.size(); i-- > 1;) {
            editor.undoStack().undo();
            QCOMPARE(editor.document().strategies, states[i - 1].strategies);
            QVERIFY(editor.document().workload == states[i - 1].workload);
            QVERIFY(editor.document().backend == states[i - 1].backend);
        }
        QVERIFY(!editor.isChanged());
        for (std::size_t i = 1; i < states.size(); ++i) {
            editor.undoStack().redo();
            QCOMPARE(editor.document().strategies, states[i].strategies);
        }
        QVERIFY(editor.isChanged());
    }

    void mergesADraggedFieldIntoOneStep()
    {
        SessionEditor editor;
        editor.setDocument(twoStrategies());
        for (int n = 1; n <= 20; ++n)
            editor.change(
                QStringLiteral("requests"), [n](SessionDocument& d) { d.workload.requests = n; },
                QStringLiteral("requests"));
        QCOMPARE(editor.undoStack().count(), 1);
        editor.undoStack().undo();
        QVERIFY(!editor.document().workload.requests);
    }

    void forgetsADragThatCameBackToWhereItBegan()
    {
        SessionEditor editor;
        editor.setDocument(twoStrategies());
        const auto seed = [&editor](std::uint64_t value) {
            editor.change(
                QStringLiteral("seed"), [value](SessionDocument& d) { d.workload.seed = value; },
                QStringLiteral("seed"));
        };
        seed(43);
        seed(42);
        QCOMPARE(editor.undoStack().count(), 0);
        QVERIFY(!editor.isChanged());
    }

    void ignoresAnEditThatChangesNothing()
    {
        SessionEditor editor;
        editor.setDocument(twoStrategies());
        editor.change(QStringLiteral("nothing"), [](SessionDocument&) {});
        editor.moveStrategy(0, 0);
        editor.moveStrategy(0, 9);
        QCOMPARE(editor.undoStack().count(), 0);
    }

    void namesCopiesApart()
    {
        SessionEditor editor;
        editor.setDocument(twoStrategies());
        editor.duplicateStrategy(0);
        editor.duplicateStrategy(0);
        QCOMPARE(names(editor.document()), QStringList({QStringLiteral("A"), QStringLiteral("A 3"),
                                                        QStringLiteral("A 2"), QStringLiteral("B")}));
    }

    void isCleanAgainAfterSavingAndAfterUndoingToTheSavedState()
    {
        SessionEditor editor;
        editor.setDocument(twoStrategies());
        editor.change(QStringLiteral("seed"), [](SessionDocument& d) { d.workload.seed = 7; });
        editor.setSaved("/tmp/two.json");
        QVERIFY(!editor.isChanged());
        editor.change(QStringLiteral("seed"), [](SessionDocument& d) { d.workload.seed = 8; });
        QVERIFY(editor.isChanged());
        editor.undoStack().undo();
        QVERIFY(!editor.isChanged());
        QCOMPARE(editor.document().file, std::filesystem::path("/tmp/two.json")); // undo does not unsave
        QCOMPARE(editor.document().workload.seed, std::uint64_t{7});
    }
};

BATCHSCOPE_TEST(SessionEditorTest)
#include "session_editor_test.moc"
