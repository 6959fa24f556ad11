// SPDX-License-Identifier: GPL-3.0-or-later
// What Compose is told of a workload: what its importer made of the file, and the load against the capacity.
#include "app/experiment/experiment.h"
#include "app/window/compose_reader.h"
#include "tests/support/test_main.h"
#include "tests/support/workloads.h"
#include "widgets/compose/workload_panel.h"

#include <QTemporaryDir>
#include <cmath>
#include <fmt/format.h>
#include <fstream>

using namespace batchscope;
using sessions::SessionDocument;

class ComposeFactsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aFileIsToldAsItWasImported()
    {
        SessionDocument document = traceOf("0,10,3\n1,10,many\n4,10,3\n2,10,3\n");
        const auto facts = read(document);
        QVERIFY2(facts.error.isEmpty(), qPrintable(facts.error));
        QCOMPARE(facts.import.title, QStringLiteral("vidur trace"));
        QCOMPARE(facts.import.rows, 4);
        QCOMPARE(facts.import.skipped, 1);
        QCOMPARE(facts.import.moved, 1);
        QCOMPARE(facts.import.skipped_rows.size(), 1);
        QVERIFY(facts.import.skipped_rows[0].contains(QLatin1String("row 2 (line 3)")));
        QCOMPARE(facts.import.time_unit, QStringLiteral("seconds"));
        QVERIFY(facts.import.formats.size() > 8);
        QVERIFY(widgets::importText(facts).contains(QLatin1String("sorted by time: 1")));
        document.workload.source.time_unit = "ms"; // set: nothing is proposed
        const auto set = read(document);
        QVERIFY(set.import.time_unit.isEmpty());
        QVERIFY(set.import.times.startsWith(QLatin1String("milliseconds")));
    }

    // The capacity is what a run with everybody waiting serves.
    void theLoadIsPutAgainstWhatTheFirstStrategyServes()
    {
        std::string rows;
        for (int i = 0; i < 64; ++i)
            rows += fmt::format("{},10,20\n", i);
        SessionDocument document = traceOf(rows);
        document.workload.arrivals = {"even", 1.0};
        const auto calm = read(document).load;
        QVERIFY(calm.rate && calm.capacity);
        QVERIFY(std::abs(*calm.rate - 1) < 1e-9);
        QCOMPARE(calm.strategy, QStringLiteral("vanilla"));
        document.workload.arrivals.rate = 1.4 * *calm.capacity;
        const auto facts = read(document);
        QCOMPARE(facts.load.capacity, calm.capacity); // arrivals do not change it
        QVERIFY(widgets::loadText(facts, document).startsWith(QString::fromUtf8("ρ ≈ 1.4 of what")));
        document.strategies[0].batching = tests::staticRows(1);
        QVERIFY(*read(document).load.capacity < *calm.capacity / 2);
        document.workload.arrivals = {};
        QVERIFY(!read(document).load.rate); // all at once
        document.strategies.clear();
        QVERIFY(!read(document).load.capacity);
    }

    void whatCannotBeReadSaysWhy()
    {
        SessionDocument document = traceOf("");
        document.workload.source.path = "absent.csv";
        const auto facts = read(document);
        QVERIFY(facts.error.contains(QLatin1String("absent.csv")));
        QVERIFY(!facts.load.rate && !facts.load.capacity && facts.import.title.isEmpty());
        QVERIFY(widgets::loadText(facts, document).isEmpty());
    }

private:
    SessionDocument traceOf(const std::string& rows) const
    {
        const auto file = std::filesystem::path(m_folder.path().toStdString()) / "trace.csv";
        std::ofstream(file) << "arrived_at,num_prefill_tokens,num_decode_tokens\n" << rows;
        SessionDocument document;
        document.backend.type = sessions::BackendSpec::Type::Simulated;
        document.backend.preset = "vicuna-7b-a100";
        document.workload.source.type = "trace";
        document.workload.source.path = file.string();
        document.workload.arrivals.process = "trace";
        document.strategies = {tests::strategyOf("vanilla", tests::staticRows(16))};
        return document;
    }
    static widgets::WorkloadFacts read(const SessionDocument& document)
    {
        return window::readComposeFacts(document, app::fullRegistry()).workload;
    }
    QTemporaryDir m_folder;
};

BATCHSCOPE_TEST(ComposeFactsTest)
#include "compose_facts_test.moc"
