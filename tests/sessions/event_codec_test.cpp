// SPDX-License-Identifier: GPL-3.0-or-later
// What is written into a chunk is read back equal; what is damaged is refused by name and never crashes.
#include "sessions/event_codec.h"
#include "sessions/report.h"
#include "tests/support/event_samples.h"
#include "tests/support/test_main.h"

#include <nlohmann/json.hpp>
#include <random>
#include <set>

using namespace batchscope;
using namespace batchscope::sessions;
using namespace batchscope::tests;

namespace {

EventLog decoded(const std::string& blob)
{
    EventLog log;
    decodeEvents(blob, "run 3, event chunk 17", log);
    return log;
}

QString failure(const std::string& blob)
{
    try {
        decoded(blob);
    } catch (const StoreError& error) {
        return QString::fromStdString(error.what());
    }
    return {};
}

} // namespace

class EventCodecTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyKindOfEventIsReadBackEqual()
    {
        const EventLog log = everyKindOfEvent();
        std::set<std::size_t> kinds;
        for (const auto& event : log)
            kinds.insert(event.body.index());
        QCOMPARE(kinds.size(), std::variant_size_v<EventBody>);
        const EventLog back = decoded(encodeEvents(log));
        QCOMPARE(back.size(), log.size());
        for (std::size_t i = 0; i < log.size(); ++i)
            QVERIFY2(back[i] == log[i], eventName(log[i].body).c_str());
        QVERIFY(decoded(encodeEvents({})).empty());
    }

    void bytesAreTheSameOnEveryMachine()
    {
        const EventLog log{{1'000, Arrived{300, -1, 20}}};
        // kind, version, zlib.crc32 of what follows (least significant byte first), count, +1000, arrived,
        // 300, -1, 20
        const std::string expected("E\x01\xbf\xac\xea\xe6\x01\xd0\x0f\x01\xac\x02\x01\x28", 14);
        const std::string blob = encodeEvents(log);
        QCOMPARE(QByteArray::fromStdString(blob).toHex(), QByteArray::fromStdString(expected).toHex());
    }

    void everyTruncationIsRefusedByName()
    {
        const std::string blob = encodeEvents(everyKindOfEvent());
        for (std::size_t size = 0; size < blob.size(); ++size) {
            const QString message = failure(blob.substr(0, size));
            QVERIFY2(message.startsWith("run 3, event chunk 17: damaged"), qPrintable(message));
        }
        QVERIFY(failure(blob + "x").contains("checksum"));
    }

    void everyFlippedBitIsRefused()
    {
        const std::string blob = encodeEvents(everyKindOfEvent());
        for (std::size_t i = 0; i < blob.size(); ++i)
            for (int bit = 0; bit < 8; ++bit) {
                std::string broken = blob;
                broken[i] = static_cast<char>(broken[i] ^ (1 << bit));
                QVERIFY2(failure(broken).startsWith("run 3, event chunk 17"), qPrintable(QString::number(i)));
            }
    }

    // Beyond the checksum: content that no writer makes is refused by the reader itself.
    void impossibleContentIsRefusedEvenWithARightChecksum()
    {
        const std::string blob = encodeEvents({{{1'000, Arrived{300, -1, 20}}}});
        const auto sealedAgain = [&](std::string payload) {
            // The smallest way to a right checksum: CRC-32 of the payload, written bit by bit.
            std::uint32_t crc = 0xFFFFFFFFU;
            for (const char c : payload) {
                crc ^= static_cast<std::uint8_t>(c);
                for (int bit = 0; bit < 8; ++bit)
                    crc = (crc & 1U) ? 0xEDB88320U ^ (crc >> 1U) : crc >> 1U;
            }
            crc = ~crc;
            std::string whole = blob.substr(0, 2);
            for (unsigned shift = 0; shift < 32; shift += 8)
                whole += static_cast<char>((crc >> shift) & 0xFFU);
            return whole + payload;
        };
        const std::string payload = blob.substr(6);
        QCOMPARE(sealedAgain(payload), blob);
        std::string kind = payload;
        kind[3] = 99;
        QVERIFY(failure(sealedAgain(kind)).contains("no known kind"));
        QVERIFY(failure(sealedAgain("\xff\xff\xff\xff\x7f")).contains("longer than the bytes"));
        QVERIFY(failure(sealedAgain(payload + "\x01")).contains("bytes follow"));
        const std::string wide_request("\x01\xd0\x0f\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x01\x28",
                                       16);
        QVERIFY(failure(sealedAgain(wide_request)).contains("\"request\" holds no possible value"));
    }

    void aNewerVersionNamesBoth()
    {
        std::string blob = encodeEvents(everyKindOfEvent());
        blob[1] = 9;
        const QString message = failure(blob);
        QVERIFY2(message.contains("version 9") && message.contains("at most 1"), qPrintable(message));
    }

    void randomBytesNeverCrash()
    {
        const std::uint64_t seed = 20261130;
        qInfo("seed %llu", static_cast<unsigned long long>(seed));
        std::mt19937_64 random(seed);
        const std::string blob = encodeEvents(everyKindOfEvent());
        for (int round = 0; round < 2'000; ++round) {
            std::string broken = blob;
            for (int change = 0; change < 8; ++change)
                broken[random() % broken.size()] = static_cast<char>(random());
            if (broken != blob) QVERIFY(!failure(broken).isEmpty());
        }
    }

    void tokenSpansAddUpByAttempt()
    {
        AttemptTokens tokens;
        decodeTokens(encodeTokens(std::vector<TokenSpan>{{4, 0, {1, 2}}, {5, 1, {}}, {4, 0, {3}}}), "span",
                     tokens);
        decodeTokens(encodeTokens(std::vector<TokenSpan>{{4, 0, {-4}}}), "span", tokens);
        const AttemptTokens expected{{{4, 0}, {1, 2, 3, -4}}, {{5, 1}, {}}};
        QVERIFY(tokens == expected);
        QVERIFY_EXCEPTION_THROWN(decodeTokens(encodeIds({1}), "span", tokens), StoreError);
    }

    void exportedLinesAreJsonAndRepeatToTheByte()
    {
        const EventLog log = everyKindOfEvent();
        const std::string text = exportEventsJsonl(log);
        QCOMPARE(text, exportEventsJsonl(everyKindOfEvent()));
        std::size_t lines = 0, begin = 0;
        for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin), ++lines) {
            const auto json = nlohmann::json::parse(text.substr(begin, end - begin));
            QCOMPARE(json["event"].get<std::string>(), eventName(log[lines].body));
            QCOMPARE(json["at_ns"].get<std::int64_t>(), log[lines].at_ns);
            begin = end + 1;
        }
        QCOMPARE(lines, log.size());
        QCOMPARE(
            exportEventsJsonl({{7, Picked{12, 7, PickRule::Key, 0.1, 3, 4, std::nullopt, 0, 2, 388.5}}}),
            std::string(
                "{\"at_ns\":7,\"event\":\"picked\",\"request\":12,\"batch\":7,\"rule\":\"key\",\"key\":0.1,"
                "\"waited_ns\":3,\"passed_over\":4,\"runner_up\":null,\"runner_up_key\":0,"
                "\"first_passed\":2,\"first_passed_key\":388.5}\n"));
    }

    void figuresThatAreNoNumbersAreNullInJson()
    {
        Picked picked;
        picked.key = std::numeric_limits<double>::infinity();
        picked.runner_up_key = std::numeric_limits<double>::quiet_NaN();
        const auto json = nlohmann::json::parse(exportEventsJsonl({{0, picked}}));
        QVERIFY(json["key"].is_null() && json["runner_up_key"].is_null());
    }
};

BATCHSCOPE_TEST(EventCodecTest)
#include "event_codec_test.moc"
