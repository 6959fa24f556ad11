// SPDX-License-Identifier: GPL-3.0-or-later
// The simulator's fields: what is chosen is in the document, one step of undo each, and undo is shown.
#include "widgets/compose/simulator_fields.h"

#include "tests/support/test_main.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QToolButton>

using namespace batchscope;
using namespace batchscope::widgets;

namespace {

SimulatorChoices choices()
{
    SimulatorChoices all;
    all.presets = {{"ssjf", "SSJF's formula"}, {"vicuna-7b-a100", "Vicuna-7B on an A100"}};
    return all;
}

void choose(QComboBox& box, const QString& text)
{
    box.setCurrentIndex(box.findText(text));
    Q_EMIT box.activated(box.currentIndex());
}

QComboBox* presetBox(SimulatorFields& fields)
{
    for (auto* box : fields.findChildren<QComboBox*>())
        if (box->accessibleName() == QLatin1String("Cost model")) return box;
    return nullptr;
}

QDoubleSpinBox* number(SimulatorFields& fields, const QString& name)
{
    for (auto* box : fields.findChildren<QDoubleSpinBox*>())
        if (box->accessibleName() == name && !box->isHidden() && box->parentWidget()->isVisibleTo(&fields))
            return box;
    return nullptr;
}

} // namespace

class SimulatorFieldsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aPresetIsChosenByName()
    {
        SessionEditor editor;
        SimulatorFields fields(editor, choices());
        QComboBox* box = presetBox(fields);
        QVERIFY(box != nullptr);
        choose(*box, "ssjf");
        QCOMPARE(editor.document().backend.preset, std::string("ssjf"));
        QCOMPARE(box->toolTip(), QString("SSJF's formula"));
        editor.undoStack().undo();
        QCOMPARE(editor.document().backend.preset, std::string("vicuna-7b-a100"));
        QCOMPARE(box->currentText(), QString("vicuna-7b-a100"));
    }

    void aRooflineOpensItsFiguresAndEachIsUndone()
    {
        SessionEditor editor;
        SimulatorFields fields(editor, choices());
        fields.show();
        QVERIFY(number(fields, "Peak arithmetic") == nullptr);
        choose(*presetBox(fields), "Roofline of your figures");
        QVERIFY(editor.document().backend.roofline);
        QDoubleSpinBox* peak = number(fields, "Peak arithmetic");
        QVERIFY(peak != nullptr);
        QCOMPARE(peak->value(), 312.0);
        peak->setValue(989);
        QCOMPARE(std::get<double>(editor.document().backend.roofline->at("device.peak_tflops")), 989.0);
        QCOMPARE(number(fields, "Peak arithmetic"), peak); // the field under the hand stays
        editor.undoStack().undo();
        QVERIFY(editor.document().backend.roofline->empty());
        QCOMPARE(number(fields, "Peak arithmetic")->value(), 312.0);
        editor.undoStack().undo();
        QVERIFY(!editor.document().backend.roofline);
        QVERIFY(number(fields, "Peak arithmetic") == nullptr);
        editor.undoStack().redo();
        editor.undoStack().redo();
        QCOMPARE(number(fields, "Peak arithmetic")->value(), 989.0);
    }

    void everyFigureHasItsField()
    {
        SessionEditor editor;
        SimulatorFields fields(editor, choices());
        fields.show();
        choose(*presetBox(fields), "Roofline of your figures");
        int named = 0;
        for (const ParamDescriptor& knob : rooflineKnobs())
            for (const auto* child : fields.findChildren<QWidget*>())
                if (child->accessibleName() == QString::fromStdString(knob.title) &&
                    child->toolTip().contains(QString::fromStdString(knob.source))) {
                    ++named;
                    break;
                }
        QCOMPARE(named, static_cast<int>(rooflineKnobs().size()));
    }

    void whatPredictionsCostIsInSecondsInTheDocument()
    {
        SessionEditor editor;
        SimulatorFields fields(editor, choices());
        fields.show();
        QDoubleSpinBox* call = number(fields, "Each call");
        QVERIFY(call != nullptr && !call->isEnabled());
        auto* charges = fields.findChild<QCheckBox*>();
        charges->setChecked(true);
        QVERIFY(editor.document().backend.predictor_cost);
        QVERIFY(call->isEnabled());
        call->setValue(7.5);
        QCOMPARE(editor.document().backend.predictor_cost->per_call_s, 0.0075);
        editor.undoStack().undo();
        QCOMPARE(call->value(), 0.0);
        editor.undoStack().undo();
        QVERIFY(!editor.document().backend.predictor_cost);
        QVERIFY(!charges->isChecked());
    }
};

BATCHSCOPE_TEST(SimulatorFieldsTest)
#include "simulator_fields_test.moc"
