// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/run_list_model.h"

#include "widgets/models/run_data.h"

#include <QDateTime>
#include <algorithm>

namespace batchscope::widgets {

using sessions::RunId;
using sessions::RunRecord;

namespace {

QString occasionOf(const RunRecord& run)
{
    const Provenance& p = run.provenance;
    const QString place =
        p.measured ? QString::fromStdString(p.device) + QLatin1String(", ") + QString::fromStdString(p.dtype)
                   : RunListModel::tr("simulated, %1").arg(QString::fromStdString(p.cost_model));
    const QString requests =
        run.requests == 1 ? RunListModel::tr("1 request") : RunListModel::tr("%1 requests").arg(run.requests);
    return QStringList{
        QDateTime::fromMSecsSinceEpoch(run.started_unix_ms).toString(QStringLiteral("d MMM yyyy")), requests,
        place}
        .join(QStringLiteral(" · "));
}

QString stateOf(const RunRecord& run)
{
    if (!run.status) return RunListModel::tr("running");
    return *run.status == RunStatus::Completed ? QString()
                                               : QString::fromStdString(runStatusName(*run.status));
}

} // namespace

void RunListModel::setRuns(std::vector<RunRecord> runs)
{
    if (runs == m_runs) return;
    beginResetModel();
    m_runs = std::move(runs);
    endResetModel();
    const auto gone = [this](RunId id) {
        return std::none_of(m_runs.begin(), m_runs.end(),
                            [id](const RunRecord& run) { return run.id == id; });
    };
    const auto before = m_chosen;
    std::erase_if(m_chosen, gone);
    if (gone(m_baseline)) m_baseline = m_chosen.empty() ? 0 : m_chosen.front();
    if (m_chosen != before) Q_EMIT chosenChanged();
}

void RunListModel::setChosen(const std::vector<RunId>& ids)
{
    m_chosen = ids;
    m_baseline = ids.empty() ? 0 : ids.front();
    allChanged();
}

void RunListModel::setBaseline(RunId id)
{
    if (!isChosen(id)) m_chosen.push_back(id);
    m_baseline = id;
    allChanged();
}

void RunListModel::allChanged()
{
    if (!m_runs.empty()) Q_EMIT dataChanged(index(0), index(rowCount() - 1));
    Q_EMIT chosenChanged();
}

bool RunListModel::isChosen(RunId id) const
{
    return std::find(m_chosen.begin(), m_chosen.end(), id) != m_chosen.end();
}

std::vector<RunId> RunListModel::chosen() const
{
    std::vector<RunId> ids;
    if (isChosen(m_baseline)) ids.push_back(m_baseline);
    std::vector<const RunRecord*> others;
    for (const RunRecord& run : m_runs)
        if (isChosen(run.id) && run.id != m_baseline) others.push_back(&run);
    std::sort(others.begin(), others.end(),
              [](const RunRecord* a, const RunRecord* b) { return a->id < b->id; });
    for (const RunRecord* run : others)
        ids.push_back(run->id);
    return ids;
}

int RunListModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_runs.size());
}

QString RunListModel::subtitle(const RunRecord& run) const
{
    QStringList parts{QDateTime::fromMSecsSinceEpoch(run.started_unix_ms).toString(QStringLiteral("HH:mm"))};
    if (run.repetition > 0) parts << tr("repetition %1").arg(run.repetition + 1);
    if (run.id == m_baseline) parts << tr("baseline");
    return parts.join(QStringLiteral(" · "));
}

QString RunListModel::spoken(const RunRecord& run) const
{
    QStringList parts{QString::fromStdString(run.name), stateOf(run), subtitle(run),
                      tr("session %1").arg(QString::fromStdString(run.session)), occasionOf(run)};
    parts.removeAll(QString());
    return parts.join(QStringLiteral(", "));
}

QVariant RunListModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
    const RunRecord& run = m_runs[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return QString::fromStdString(run.name);
    case Qt::CheckStateRole:
        return QVariant::fromValue(static_cast<int>(isChosen(run.id) ? Qt::Checked : Qt::Unchecked));
    case IdRole:
        return static_cast<qlonglong>(run.id);
    case OrderRole:
        return run.order;
    case SubtitleRole:
        return subtitle(run);
    case BaselineRole:
        return run.id == m_baseline;
    case ExperimentRole:
        return QString::fromStdString(run.experiment);
    case SearchRole:
        return QString::fromStdString(run.name + ' ' + run.session + ' ' + run.source + ' ' +
                                      run.provenance.device + ' ' + run.provenance.cost_model + ' ' +
                                      run.provenance.dtype);
    case Qt::ToolTipRole: {
        QString tip = tr("Run %1 of session \"%2\": %3 requests, %4")
                          .arg(run.id)
                          .arg(QString::fromStdString(run.session))
                          .arg(run.requests)
                          .arg(provenanceText(run.provenance));
        if (const QString state = stateOf(run); !state.isEmpty()) tip += QLatin1String("; ") + state;
        if (!run.message.empty()) tip += QLatin1String(": ") + QString::fromStdString(run.message);
        return tip;
    }
    case SessionRole:
        return QString::fromStdString(run.session);
    case OccasionRole:
        return occasionOf(run);
    case StateRole:
        return stateOf(run);
    case Qt::AccessibleTextRole:
        return spoken(run);
    default:
        return {};
    }
}

bool RunListModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (role != Qt::CheckStateRole || !checkIndex(index, CheckIndexOption::IndexIsValid)) return false;
    const RunId id = m_runs[static_cast<std::size_t>(index.row())].id;
    const bool wanted = value.toInt() == Qt::Checked;
    if (wanted == isChosen(id)) return true;
    if (wanted)
        m_chosen.push_back(id);
    else
        std::erase(m_chosen, id);
    if (!isChosen(m_baseline)) m_baseline = m_chosen.empty() ? 0 : m_chosen.front();
    allChanged();
    return true;
}

Qt::ItemFlags RunListModel::flags(const QModelIndex& index) const
{
    Qt::ItemFlags flags = QAbstractListModel::flags(index);
    return index.isValid() ? flags | Qt::ItemIsUserCheckable : flags;
}

} // namespace batchscope::widgets
