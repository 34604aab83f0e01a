// What the short way passes over: the values of fields that are not known.
#include "blocks.hpp"
#include "plain.hpp"
#include "text.hpp"

namespace phasefold {

/// To behind the minus sign and the whole digits of the number at `at`; null where it has none.
const uint8_t *PlainReader::pass_integer(const uint8_t *at) const {
    if (*at == '-') at++;
    return *at == '0' ? at + 1 : pass_digits(at, end);
}

/// To behind the number or the word at `at`; what stands there is not looked at.
const uint8_t *PlainReader::pass_scalar(const uint8_t *at) const {
    switch (*at) {
    case 't': return memcmp(at, "true", 4) == 0 ? at + 4 : nullptr;
    case 'f': return memcmp(at, "false", 5) == 0 ? at + 5 : nullptr;
    case 'n': return memcmp(at, "null", 4) == 0 ? at + 4 : nullptr;
    default: break;
    }
    at = pass_integer(at);
    return at == nullptr ? nullptr : pass_fraction(at, end);
}

/// To behind the quote that ends the string from `at` on, which may have escapes.
inline const uint8_t *PlainReader::pass_any_text(const uint8_t *at) const {
    const uint8_t *const stop = at + __builtin_ctz(ends_of_ascii(load_block(at)) | 1 << block_size);
    return *stop == '"' ? stop + 1 : pass_text(at, stop, true);
}

/// To where the value begins that the key at `at` names.
const uint8_t *PlainReader::pass_name(const uint8_t *at) const {
    if (*at != '"') return nullptr;
    at = pass_any_text(at + 1);
    if (at == nullptr) return nullptr;
    at = pass_blanks(at);
    return *at == ':' ? pass_blanks(at + 1) : nullptr;
}

/// To behind the object or array at `at`, which in a line must have no line feed in it.
const uint8_t *PlainReader::pass_unknown(const uint8_t *at, unsigned outer) const {
    const uint8_t *const behind = pass_container(at, outer);
    if (behind == nullptr || !is_line) return behind;
    return memchr(at, '\n', size_t(behind - at)) == nullptr ? behind : nullptr;
}

/// To behind the object or array at `at`, all of which is checked. `outer` is the depth of what it stands in.
const uint8_t *PlainReader::pass_container(const uint8_t *at, unsigned outer) const {
    unsigned depth = outer;
    // Bit n: whether the container at depth n + 1 is an object.
    uint64_t objects = 0;
    for (;;) {
        if (depth == PFJ_DEPTH_LIMIT) return nullptr;
        const uint64_t bit = uint64_t(1) << depth++;
        bool is_object = *at == '{';
        objects = is_object ? objects | bit : objects & ~bit;
        at = pass_blanks(at + 1);
        bool is_over = *at == (is_object ? '}' : ']');
        for (;;) {
            if (is_over) {
                at++;
                if (--depth == outer) return at;
                is_object = (objects >> (depth - 1) & 1) != 0;
            } else {
                if (is_object) at = pass_name(at);
                if (at == nullptr) return nullptr;
                if (*at == '{' || *at == '[') break;
                at = *at == '"' ? pass_any_text(at + 1) : pass_scalar(at);
                if (at == nullptr) return nullptr;
            }
            at = pass_blanks(at);
            if (at >= end) return nullptr;
            is_over = *at == (is_object ? '}' : ']');
            if (!is_over && *at != ',') return nullptr;
            if (!is_over) at = pass_blanks(at + 1);
        }
    }
}

}  // namespace phasefold
