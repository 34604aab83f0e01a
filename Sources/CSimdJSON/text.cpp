#include "text.hpp"

#include <simdjson.h>

#include "CSimdJSON.h"

namespace phasefold {

namespace {

int hex_digit(uint8_t byte) {
    if (is_digit(byte)) return byte - '0';
    uint8_t letter = byte | 0x20;
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

/// The four hexadecimal digits at `from`; -1 where they are not there.
int32_t read_hex(const uint8_t *from, const uint8_t *end) {
    if (end - from < 4) return -1;
    int32_t value = 0;
    for (int index = 0; index < 4; index++) {
        int digit = hex_digit(from[index]);
        if (digit < 0) return -1;
        value = value << 4 | digit;
    }
    return value;
}

uint8_t *write_utf8(int32_t scalar, uint8_t *to) {
    if (scalar < 0x80) {
        *to++ = uint8_t(scalar);
        return to;
    }
    if (scalar < 0x800) {
        *to++ = uint8_t(0xC0 | scalar >> 6);
    } else {
        if (scalar < 0x10000) {
            *to++ = uint8_t(0xE0 | scalar >> 12);
        } else {
            *to++ = uint8_t(0xF0 | scalar >> 18);
            *to++ = uint8_t(0x80 | (scalar >> 12 & 0x3F));
        }
        *to++ = uint8_t(0x80 | (scalar >> 6 & 0x3F));
    }
    *to++ = uint8_t(0x80 | (scalar & 0x3F));
    return to;
}

/// The scalar of the `\u` whose digits begin at `from`, one half or two; moves `from` behind it. -1 where it is none.
int32_t read_scalar(const uint8_t *&from, const uint8_t *end) {
    int32_t high = read_hex(from, end);
    if (high < 0) return -1;
    from += 4;
    if (high < 0xD800 || high > 0xDFFF) return high;
    if (high > 0xDBFF || end - from < 6 || from[0] != '\\' || from[1] != 'u') return -1;
    int32_t low = read_hex(from + 2, end);
    if (low < 0xDC00 || low > 0xDFFF) return -1;
    from += 6;
    return 0x10000 + ((high - 0xD800) << 10 | (low - 0xDC00));
}

/// What a backslash and this letter stand for; 0 where nothing.
uint8_t short_escape(uint8_t letter) {
    switch (letter) {
    case '"': case '\\': case '/': return letter;
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return 0;
    }
}

}  // namespace

const uint8_t *pass_digits(const uint8_t *from, const uint8_t *end) {
    const uint8_t *at = from;
    while (at < end && is_digit(*at)) at++;
    return at == from ? nullptr : at;
}

const uint8_t *pass_fraction(const uint8_t *at, const uint8_t *end) {
    if (at < end && *at == '.') {
        at = pass_digits(at + 1, end);
        if (at == nullptr) return nullptr;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        if (at < end && (*at == '+' || *at == '-')) at++;
        at = pass_digits(at, end);
    }
    return at;
}

Number read_number(const uint8_t *from, const uint8_t *next) {
    Number number;
    const uint8_t *at = from;
    const bool is_negative = *at == '-';
    if (is_negative) at++;
    const uint8_t *digits = at;
    uint64_t value = 0;
    while (at < next && is_digit(*at)) value = value * 10 + uint8_t(*at++ - '0');
    const auto count = at - digits;
    if (count == 0 || (count > 1 && *digits == '0')) return number;
    const uint8_t *end = pass_fraction(at, next);
    if (end == nullptr || !is_over(end, next)) return number;
    number.is_valid = true;
    number.end = end;
    // 19 digits are below 2⁶⁴, so that `value` is exact; beyond them it is not looked at.
    const uint64_t limit = uint64_t(INT64_MAX) + (is_negative ? 1 : 0);
    number.is_integer = end == at && count <= 19 && value <= limit;
    number.integer = int64_t(is_negative ? 0 - value : value);
    return number;
}

uint8_t *unescape(const uint8_t *from, const uint8_t *end, uint8_t *to) {
    while (from < end) {
        const auto *escape = static_cast<const uint8_t *>(memchr(from, '\\', size_t(end - from)));
        const uint8_t *until = escape == nullptr ? end : escape;
        memmove(to, from, size_t(until - from));
        to += until - from;
        if (escape == nullptr) return to;
        if (end - escape < 2) return nullptr;
        from = escape + 2;
        if (escape[1] == 'u') {
            int32_t scalar = read_scalar(from, end);
            if (scalar < 0) return nullptr;
            to = write_utf8(scalar, to);
        } else {
            uint8_t byte = short_escape(escape[1]);
            if (byte == 0) return nullptr;
            *to++ = byte;
        }
    }
    return to;
}

const uint8_t *pass_escape(const uint8_t *at, const uint8_t *end) {
    if (end - at < 2) return nullptr;
    const uint8_t *behind = at + 2;
    if (at[1] == 'u') return read_scalar(behind, end) < 0 ? nullptr : behind;
    return short_escape(at[1]) == 0 ? nullptr : behind;
}

uint64_t long_digest(const uint8_t *bytes, size_t length) {
    uint64_t digest = length;
    // The last sixteen bytes may overlap with those before.
    const uint8_t *const last = bytes + length - 16;
    for (;; bytes += 16) {
        const uint8_t *const at = bytes < last ? bytes : last;
        uint64_t words[2];
        memcpy(words, at, sizeof words);
        digest = pfj_mix(words[0] ^ digest, words[1]);
        if (at == last) return digest;
    }
}

bool is_utf8(const uint8_t *bytes, size_t length) {
    return simdjson::validate_utf8(reinterpret_cast<const char *>(bytes), length);
}

}  // namespace phasefold
