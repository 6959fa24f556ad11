// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/event_codec.h"

#include "sessions/byte_stream.h"
#include "sessions/event_fields.h"

#include <array>
#include <limits>
#include <type_traits>

namespace batchscope::sessions {

namespace {

// A blob: one letter of kind, version, CRC-32 of what follows.
constexpr std::size_t k_head_bytes = 6;

class FieldWriter
{
public:
    explicit FieldWriter(ByteWriter& out) : m_out(out) {}

    template <class T>
    void operator()(const char*, const T& value)
    {
        put(value);
    }

private:
    template <class T>
    void put(const T& value)
    {
        if constexpr (std::is_same_v<T, bool> || std::is_enum_v<T>)
            m_out.byte(static_cast<std::uint8_t>(value));
        else if constexpr (std::is_same_v<T, double>)
            m_out.real(value);
        else if constexpr (std::is_integral_v<T> && std::is_unsigned_v<T>)
            m_out.varint(value);
        else if constexpr (std::is_integral_v<T>)
            m_out.zigzag(value);
        else if constexpr (std::is_same_v<T, std::string>)
            m_out.text(value);
        else
            visitFields(*this, value);
    }
    template <class T>
    void put(const std::optional<T>& value)
    {
        m_out.byte(value ? 1 : 0);
        if (value) put(*value);
    }
    template <class T>
    void put(const std::vector<T>& values)
    {
        putAll(values);
    }
    template <class T>
    void put(const CompactList<T>& values)
    {
        putAll(values);
    }
    template <class List>
    void putAll(const List& values)
    {
        m_out.varint(values.size());
        for (const auto& value : values)
            put(value);
    }

    ByteWriter& m_out;
};

class FieldReader
{
public:
    explicit FieldReader(ByteReader& in) : m_in(in) {}

    template <class T>
    void operator()(const char* name, T& value)
    {
        m_field = name;
        get(value);
    }

private:
    [[noreturn]] void outOfRange() const
    {
        m_in.fail(std::string("\"") + m_field + "\" holds no possible value");
    }

    template <class T>
    void get(T& value)
    {
        if constexpr (std::is_same_v<T, bool>) {
            const auto bits = m_in.byte();
            if (bits > 1) outOfRange();
            value = bits == 1;
        } else if constexpr (std::is_enum_v<T>) {
            const auto bits = m_in.byte();
            if (bits > static_cast<std::uint8_t>(k_last_value<T>)) outOfRange();
            value = static_cast<T>(bits);
        } else if constexpr (std::is_same_v<T, double>) {
            value = m_in.real();
        } else if constexpr (std::is_integral_v<T> && std::is_unsigned_v<T>) {
            const std::uint64_t wide = m_in.varint();
            if (wide > std::numeric_limits<T>::max()) outOfRange();
            value = static_cast<T>(wide);
        } else if constexpr (std::is_integral_v<T>) {
            const std::int64_t wide = m_in.zigzag();
            if (wide < std::numeric_limits<T>::min() || wide > std::numeric_limits<T>::max()) outOfRange();
            value = static_cast<T>(wide);
        } else if constexpr (std::is_same_v<T, std::string>) {
            value = m_in.text();
        } else {
            visitFields(*this, value);
        }
    }
    template <class T>
    void get(std::optional<T>& value)
    {
        bool has = false;
        get(has);
        value.reset();
        if (has) get(value.emplace());
    }
    template <class T>
    void get(std::vector<T>& values)
    {
        getAll(values);
    }
    template <class T>
    void get(CompactList<T>& values)
    {
        getAll(values);
    }
    template <class List>
    void getAll(List& values)
    {
        values.clear();
        values.resize(m_in.count());
        for (auto& value : values)
            get(value);
    }

    ByteReader& m_in;
    const char* m_field = "";
};

std::string sealed(char kind, ByteWriter& payload)
{
    ByteWriter blob;
    blob.byte(static_cast<std::uint8_t>(kind));
    blob.byte(k_chunk_version);
    blob.fixed32(checksum(payload.bytes()));
    return blob.take() + payload.bytes();
}

ByteReader opened(char kind, std::string_view blob, const std::string& name)
{
    ByteReader head(blob, name);
    if (blob.size() < k_head_bytes) head.fail("it is too short for its head");
    if (head.byte() != static_cast<std::uint8_t>(kind)) head.fail("it does not begin as it should");
    if (const auto version = head.byte(); version != k_chunk_version)
        throw StoreError(name + ": found format version " + std::to_string(version) + ", expected at most " +
                         std::to_string(k_chunk_version) +
                         ": it was written by a newer Batchscope; update to read it");
    const std::uint32_t expected = head.fixed32();
    if (checksum(head.rest()) != expected) head.fail("its checksum does not match its content");
    return ByteReader(head.rest(), name);
}

template <std::size_t... I>
EventBody bodyOf(std::size_t kind, std::index_sequence<I...>)
{
    EventBody body;
    ((kind == I ? (void)body.emplace<I>() : void()), ...);
    return body;
}

} // namespace

std::string encodeEvents(std::span<const Event> events)
{
    ByteWriter out;
    FieldWriter fields(out);
    out.varint(events.size());
    Nanos last = 0;
    for (const auto& event : events) {
        // Differences are small, and wrap around instead of overflowing.
        out.zigzag(
            static_cast<Nanos>(static_cast<std::uint64_t>(event.at_ns) - static_cast<std::uint64_t>(last)));
        last = event.at_ns;
        out.byte(static_cast<std::uint8_t>(event.body.index()));
        std::visit([&](const auto& body) { visitFields(fields, body); }, event.body);
    }
    return sealed('E', out);
}

void decodeEvents(std::string_view blob, const std::string& name, EventLog& log)
{
    constexpr std::size_t k_kinds = std::variant_size_v<EventBody>;
    ByteReader in = opened('E', blob, name);
    FieldReader fields(in);
    const std::size_t count = in.count();
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < count; ++i) {
        Event event;
        last += static_cast<std::uint64_t>(in.zigzag());
        event.at_ns = static_cast<Nanos>(last);
        const std::uint8_t kind = in.byte();
        if (kind >= k_kinds) in.fail("event " + std::to_string(i) + " is of no known kind");
        event.body = bodyOf(kind, std::make_index_sequence<k_kinds>());
        std::visit([&](auto& body) { visitFields(fields, body); }, event.body);
        log.push_back(std::move(event));
    }
    if (in.left() != 0) in.fail("bytes follow its last event");
}

std::string encodeTokens(std::span<const TokenSpan> spans)
{
    ByteWriter out;
    out.varint(spans.size());
    for (const auto& span : spans) {
        out.varint(span.request);
        out.varint(span.attempt);
        out.varint(span.ids.size());
        for (const TokenId id : span.ids)
            out.zigzag(id);
    }
    return sealed('T', out);
}

namespace {

TokenId readId(ByteReader& in)
{
    const std::int64_t id = in.zigzag();
    if (id < std::numeric_limits<TokenId>::min() || id > std::numeric_limits<TokenId>::max())
        in.fail("a token id holds no possible value");
    return static_cast<TokenId>(id);
}

} // namespace

void decodeTokens(std::string_view blob, const std::string& name, AttemptTokens& tokens)
{
    ByteReader in = opened('T', blob, name);
    const std::size_t count = in.count();
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t request = in.varint();
        const std::uint64_t attempt = in.varint();
        if (request > std::numeric_limits<RequestIndex>::max() ||
            attempt > std::numeric_limits<std::uint16_t>::max())
            in.fail("a request or attempt holds no possible value");
        auto& ids = tokens[{static_cast<RequestIndex>(request), static_cast<std::uint16_t>(attempt)}];
        for (std::size_t left = in.count(); left > 0; --left)
            ids.push_back(readId(in));
    }
    if (in.left() != 0) in.fail("bytes follow its last span");
}

std::string encodeIds(const std::vector<TokenId>& ids)
{
    ByteWriter out;
    out.varint(ids.size());
    for (const TokenId id : ids)
        out.zigzag(id);
    return sealed('I', out);
}

std::vector<TokenId> decodeIds(std::string_view blob, const std::string& name)
{
    ByteReader in = opened('I', blob, name);
    std::vector<TokenId> ids(in.count());
    for (auto& id : ids)
        id = readId(in);
    if (in.left() != 0) in.fail("bytes follow its last id");
    return ids;
}

std::string encodeReals(std::span<const double> values)
{
    ByteWriter out;
    out.varint(values.size());
    for (const double value : values)
        out.real(value);
    return sealed('R', out);
}

std::vector<double> decodeReals(std::string_view blob, const std::string& name)
{
    ByteReader in = opened('R', blob, name);
    std::vector<double> values(in.count());
    for (auto& value : values)
        value = in.real();
    if (in.left() != 0) in.fail("bytes follow its last value");
    return values;
}

std::uint32_t checksum(std::string_view bytes)
{
    static constexpr auto k_table = [] {
        std::array<std::uint32_t, 256> table{};
        for (std::uint32_t i = 0; i < table.size(); ++i) {
            std::uint32_t value = i;
            for (int bit = 0; bit < 8; ++bit)
                value = (value & 1U) ? 0xEDB88320U ^ (value >> 1U) : value >> 1U;
            table[i] = value;
        }
        return table;
    }();
    std::uint32_t crc = 0xFFFFFFFFU;
    for (const char c : bytes)
        crc = k_table[(crc ^ static_cast<std::uint8_t>(c)) & 0xFFU] ^ (crc >> 8U);
    return ~crc;
}

} // namespace batchscope::sessions
