// Scalars of JSON: strings, numbers, literals, each within the bytes from its token to the next one.
#ifndef PHASEFOLD_TEXT_HPP
#define PHASEFOLD_TEXT_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace phasefold {

inline bool is_blank(uint8_t byte) {
    if (__builtin_expect(byte > ' ', true)) return false;
    return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r';
}

inline bool is_digit(uint8_t byte) { return uint8_t(byte - '0') < 10; }

/// Whether a scalar that ends at `end` is followed by nothing that would belong to it.
inline bool is_over(const uint8_t *end, const uint8_t *next) { return end == next || is_blank(*end); }

/// To behind the digits from `from` on; null where there is none.
const uint8_t *pass_digits(const uint8_t *from, const uint8_t *end);

/// To behind fraction and exponent, where there are any; null where one is begun and not written out.
const uint8_t *pass_fraction(const uint8_t *at, const uint8_t *end);

struct Number {
    int64_t integer = 0;
    const uint8_t *end = nullptr;
    bool is_integer = false;
    bool is_valid = false;
};

/// The number that begins at `from`; `next` is where the next token begins, which is no part of it.
Number read_number(const uint8_t *from, const uint8_t *next);

/// Writes a string's text without its escapes to `to`, which has room for `end - from` bytes.
///
/// - Returns: the end of what was written; null where an escape is none, or a surrogate stands alone.
uint8_t *unescape(const uint8_t *from, const uint8_t *end, uint8_t *to);

/// To behind the escape whose backslash is at `at`; null where it is none, or a surrogate stands alone.
const uint8_t *pass_escape(const uint8_t *at, const uint8_t *end);

/// The digest of more than 16 bytes; see `pfj_digest`.
uint64_t long_digest(const uint8_t *bytes, size_t length);

bool is_utf8(const uint8_t *bytes, size_t length);

}  // namespace phasefold

#endif
