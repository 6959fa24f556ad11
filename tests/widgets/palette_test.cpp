// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_main.h"
#include "widgets/look/identity.h"
#include "widgets/look/style_sheet.h"
#include "widgets/look/theme.h"
#include "widgets/plots/step_kinds.h"

#include <QSet>

using namespace batchscope;
using widgets::Theme;

class PaletteTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void textIsReadableOnEverythingItLiesOn()
    {
        for (const Theme theme : {Theme::Light, Theme::Dark}) {
            const widgets::Tokens& t = widgets::tokens(theme);
            const auto check = [](const char* what, const QColor& text, const QColor& ground) {
                const double ratio = widgets::contrast(text, ground);
                QVERIFY2(ratio >= 4.5,
                         qPrintable(QStringLiteral("%1: %2").arg(QLatin1String(what)).arg(ratio)));
            };
            for (const QColor& ground :
                 {t.window, t.panel, t.field, t.chip, t.hover, t.accent_soft, t.selection}) {
                check("text", t.text, ground);
                check("muted", t.muted, ground);
            }
            check("on accent", t.on_accent, t.accent);
            check("link", t.accent, t.panel);
            for (const QColor& text : {t.good, t.warn, t.useful_text, t.padding_text, t.abandoned_text})
                check("kind", text, t.panel);
        }
    }

    void kindsStayApartInGrey()
    {
        for (const Theme theme : {Theme::Light, Theme::Dark}) {
            const widgets::Tokens& t = widgets::tokens(theme);
            QVERIFY(widgets::contrast(t.useful, t.padding) >= 1.5);
            QVERIFY(widgets::contrast(t.padding, t.abandoned) >= 1.3);
            for (const StepKind kind :
                 {StepKind::Useful, StepKind::Padding, StepKind::Abandoned, StepKind::End})
                QVERIFY(widgets::contrast(widgets::kindColor(kind, t), t.panel) >= 1.5);
        }
    }

    void eightRunsAreToldApartByMoreThanColour()
    {
        for (const Theme theme : {Theme::Light, Theme::Dark}) {
            QSet<QRgb> colors;
            QSet<int> markers;
            QStringList dashes;
            for (int i = 0; i < widgets::k_identities; ++i) {
                const widgets::Identity id = widgets::identity(i, theme);
                colors.insert(id.color.rgb());
                markers.insert(static_cast<int>(id.marker));
                QString dash;
                for (const qreal part : id.dash)
                    dash += QString::number(part) + QLatin1Char(' ');
                dashes << dash;
                QVERIFY(widgets::contrast(id.color, widgets::tokens(theme).panel) >= 1.9);
            }
            QCOMPARE(colors.size(), widgets::k_identities);
            QCOMPARE(markers.size(), widgets::k_identities);
            QCOMPARE(QSet<QString>(dashes.begin(), dashes.end()).size(), widgets::k_identities);
        }
        QCOMPARE(widgets::identity(8).marker, widgets::identity(0).marker);
    }

    void theStyleSheetHasNoColourOfItsOwn()
    {
        for (const Theme theme : {Theme::Light, Theme::Dark})
            QVERIFY(!widgets::styleSheet(widgets::tokens(theme)).contains(QLatin1Char('@')));
    }
};

BATCHSCOPE_TEST(PaletteTest)
#include "palette_test.moc"
