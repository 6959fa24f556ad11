// SPDX-License-Identifier: GPL-3.0-or-later
// Times of traces: units proposed from column and magnitude, dates with and without zone (public report W2).
#include "engine/data/trace_time.h"
#include "tests/support/test_main.h"

using namespace batchscope;
using namespace batchscope::engine;

class TraceTimeTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void the_unit_is_proposed_from_column_and_magnitude_data();
    void the_unit_is_proposed_from_column_and_magnitude();
    void times_are_read_exactly_data();
    void times_are_read_exactly();
    void what_is_no_time_is_not_guessed_data();
    void what_is_no_time_is_not_guessed();
    void spans_are_shown_in_hours();
};

void TraceTimeTest::the_unit_is_proposed_from_column_and_magnitude_data()
{
    QTest::addColumn<QString>("first");
    QTest::addColumn<QString>("column_unit");
    QTest::addColumn<QString>("unit");
    const auto row = [](const char* first, const char* column, const char* unit) {
        QTest::newRow(qPrintable(QString("%1 in a column of %2").arg(first, column)))
            << QString(first) << QString(column) << QString(unit);
    };
    row("1700000000", "s", "s");
    row("1.7e9", "ms", "s");
    row("1700000000000", "s", "ms");
    row("1700000000000000", "s", "us");
    row("1.7e15", "ms", "us");
    row("1700000000000000000", "s", "ns");
    row("0", "s", "s");
    row("0", "ms", "ms");
    row("27482", "ms", "ms");
    row("1234500.5", "s", "s");
    row("2023-11-16 18:15:46.6805900", "s", "date");
}

void TraceTimeTest::the_unit_is_proposed_from_column_and_magnitude()
{
    QFETCH(QString, first);
    QFETCH(QString, column_unit);
    QFETCH(QString, unit);
    const auto of_column = timeUnitFromName(column_unit.toStdString());
    QVERIFY(of_column.has_value());
    const TimeProposal proposal = proposeTimeUnit("timestamp", first.toStdString(), *of_column);
    QCOMPARE(QString::fromStdString(timeUnitName(proposal.unit)), unit);
    QVERIFY(!proposal.why.empty());
}

void TraceTimeTest::times_are_read_exactly_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("unit");
    QTest::addColumn<qint64>("ns");
    const auto row = [](const char* text, const char* unit, qint64 ns) {
        QTest::newRow(qPrintable(QString(text) + " " + unit)) << QString(text) << QString(unit) << ns;
    };
    row("1700000000", "s", 1'700'000'000'000'000'000);
    row("1700000000123456789", "ns", 1'700'000'000'123'456'789); // a double is 256 ns coarse here
    row("0.25", "s", 250'000'000);
    row(" -1.5 ", "ms", -1'500'000);
    row("1234500.5", "s", 1'234'500'500'000'000);
    row("1970-01-01 00:00:00", "date", 0);
    row("2023-11-16 18:15:46.6805900", "date", 1'700'158'546'680'590'000);
    row("2023-11-16T18:15:46.68059Z", "date", 1'700'158'546'680'590'000);
    row("2023-11-16 19:15:46.680590+01:00", "date", 1'700'158'546'680'590'000);
    row("2023-11-16T10:15:46.68059-0800", "date", 1'700'158'546'680'590'000);
    row("2024-02-29 00:00:00+00", "date", 1'709'164'800'000'000'000);
}

void TraceTimeTest::times_are_read_exactly()
{
    QFETCH(QString, text);
    QFETCH(QString, unit);
    QFETCH(qint64, ns);
    const auto of = unit == "date" ? TimeUnit::Date : *timeUnitFromName(unit.toStdString());
    const auto found = parseTime(text.toStdString(), of);
    QVERIFY(found.has_value());
    QCOMPARE(static_cast<qint64>(*found), ns);
}

void TraceTimeTest::what_is_no_time_is_not_guessed_data()
{
    QTest::addColumn<QString>("text");
    for (const char* text :
         {"", "soon", "12:30", "1,5", "inf", "nan", "1e300", "2023-02-30 00:00:00", "2023-13-01 00:00:00",
          "2023-11-16", "2023-11-16 25:00:00", "2023-11-16 18:15:46 later", "99999999999999999999"})
        QTest::newRow(text) << QString(text);
}

void TraceTimeTest::what_is_no_time_is_not_guessed()
{
    QFETCH(QString, text);
    for (const TimeUnit unit : {TimeUnit::Seconds, TimeUnit::Nanoseconds, TimeUnit::Date})
        if (text != "99999999999999999999" || unit != TimeUnit::Nanoseconds)
            QVERIFY(!parseTime(text.toStdString(), unit).has_value());
}

void TraceTimeTest::spans_are_shown_in_hours()
{
    QCOMPARE(hoursMinutesSeconds(0), std::string("0:00:00"));
    QCOMPARE(hoursMinutesSeconds(3'501'700'000'000), std::string("0:58:22"));
    QCOMPARE(hoursMinutesSeconds(100 * 3600 * k_second + 1), std::string("100:00:00"));
}

BATCHSCOPE_TEST(TraceTimeTest)
#include "trace_time_test.moc"
