// The names of the known fields, found by two words compared.
#ifndef PHASEFOLD_NAMES_HPP
#define PHASEFOLD_NAMES_HPP

#include <cstdint>
#include <cstring>

#include "CSimdJSON.h"

namespace phasefold {

/// The longest name, in bytes; two words hold it.
constexpr uint32_t longest_name = 16;

/// In the order of `pfj_field`.
constexpr const char *field_names[PFJ_FIELD_COUNT] = {
    "device_id", "app_id",   "event",        "ts",           "seq",          "process_id",
    "session_id", "boot_id", "mono_ms",      "sent_ts",      "event_id",     "scope",
    "instance",  "class",    "platform",     "app_version",  "os_version",   "device_model",
    "reason",    "resource", "exit_reason",  "handler_ms",   "prewarm",      "bridged",
    "rx_ts",     "resourceLogs", "resourceSpans", "resourceMetrics",
};

/// A name as two words, the unused bytes of which are 0.
struct Name {
    uint64_t low = 0;
    uint64_t high = 0;
    uint32_t length = 0;
    uint32_t field = PFJ_FIELD_COUNT;

    constexpr void append(char letter) {
        auto &word = length < 8 ? low : high;
        word |= uint64_t(uint8_t(letter)) << (length % 8 * 8);
        length++;
    }

    constexpr uint32_t place() const {
        return uint32_t((low ^ high * 0x9E3779B97F4A7C15) * 0xC2B2AE3D27D4EB4F >> 57);
    }
};

/// Names by place, each at the first free one from its own on.
struct NameTable {
    Name names[128] = {};

    constexpr NameTable() {
        for (uint32_t field = 0; field < PFJ_FIELD_COUNT; field++) {
            Name snake;
            Name camel;
            snake.field = camel.field = field;
            bool is_capital = false;
            for (const char *at = field_names[field]; *at != 0; at++) {
                snake.append(*at);
                if (*at != '_') camel.append(is_capital ? char(*at - 'a' + 'A') : *at);
                is_capital = *at == '_';
            }
            insert(snake);
            if (camel.length != snake.length) insert(camel);
        }
    }

    constexpr void insert(const Name &name) {
        uint32_t place = name.place();
        while (names[place].length != 0) place = (place + 1) % 128;
        names[place] = name;
    }

    /// `PFJ_FIELD_COUNT` where the name is not known.
    uint32_t field(const Name &name) const {
        for (uint32_t place = name.place(); names[place].length != 0; place = (place + 1) % 128) {
            const Name &known = names[place];
            if (known.low == name.low && known.high == name.high && known.length == name.length) return known.field;
        }
        return PFJ_FIELD_COUNT;
    }
};

constexpr NameTable known_names{};

/// The field of the name from `from`, `length` bytes long; `readable` bytes may be read from there.
inline uint32_t find_field(const uint8_t *from, uint32_t length, size_t readable) {
    if (length == 0 || length >= longest_name) return PFJ_FIELD_COUNT;
    Name name;
    name.length = length;
    if (readable >= 16) {
        memcpy(&name.low, from, 8);
        memcpy(&name.high, from + 8, 8);
        if (length < 8) {
            name.low &= (uint64_t(1) << length * 8) - 1;
            name.high = 0;
        } else {
            name.high &= (uint64_t(1) << (length - 8) * 8) - 1;
        }
    } else {
        uint8_t bytes[16] = {};
        memcpy(bytes, from, length);
        memcpy(&name.low, bytes, 8);
        memcpy(&name.high, bytes + 8, 8);
    }
    return known_names.field(name);
}

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "names are compared as little-endian words");

}  // namespace phasefold

#endif
