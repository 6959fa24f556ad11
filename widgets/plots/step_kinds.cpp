// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/step_kinds.h"

#include <QCoreApplication>

namespace batchscope::widgets {
namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("StepKinds", text);
}

} // namespace

QColor kindColor(StepKind kind, const Tokens& t)
{
    switch (kind) {
    case StepKind::Useful:
        return t.useful;
    case StepKind::End:
        return t.end;
    case StepKind::Chunk:
        return t.prompt;
    case StepKind::Padding:
        return t.padding;
    case StepKind::Abandoned:
        return t.abandoned;
    case StepKind::Stalled:
        return t.stalled;
    }
    return t.stalled;
}

QString kindTitle(StepKind kind)
{
    switch (kind) {
    case StepKind::Useful:
        return tr("useful output");
    case StepKind::End:
        return tr("end of answer");
    case StepKind::Chunk:
        return tr("part of a prompt");
    case StepKind::Padding:
        return tr("padding after the end");
    case StepKind::Abandoned:
        return tr("abandoned attempt");
    case StepKind::Stalled:
        return tr("stalled");
    }
    return {};
}

QString kindHelp(StepKind kind)
{
    switch (kind) {
    case StepKind::Useful:
        return tr("The step yielded an output token somebody asked for.");
    case StepKind::End:
        return tr("The step yielded the end-of-sequence.");
    case StepKind::Chunk:
        return tr("The step read a part of the prompt and yielded no token.");
    case StepKind::Padding:
        return tr("The row had ended, and the slot burnt on until its batch ended.");
    case StepKind::Abandoned:
        return tr("The step belongs to an attempt that was later thrown away.");
    case StepKind::Stalled:
        return tr("The row was resident and not advanced.");
    }
    return {};
}

} // namespace batchscope::widgets
