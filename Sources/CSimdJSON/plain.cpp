#include "plain.hpp"

#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "names.hpp"
#include "text.hpp"

namespace phasefold {

namespace {

/// The value of eight digits; false where any of them is none.
bool read_eight_digits(const uint8_t *at, uint64_t &value) {
    uint64_t bytes;
    memcpy(&bytes, at, 8);
    const uint64_t digits = bytes - 0x3030303030303030;
    // A byte above 9 sets its high bit here, one below '0' does so in `digits`.
    if (((digits | (digits + 0x7676767676767676)) & 0x8080808080808080) != 0) return false;
    const uint64_t pairs = digits * 10 + (digits >> 8);
    const uint64_t low = (pairs & 0x000000FF000000FF) * 0x000F424000000064;
    const uint64_t high = (pairs >> 16 & 0x000000FF000000FF) * 0x0000271000000001;
    value = (low + high) >> 32;
    return true;
}

/// As long as a step.
typedef uint64_t Words __attribute__((vector_size(32)));

bool ends_scalar(uint8_t byte) { return byte == ',' || byte == '}' || is_blank(byte); }

}  // namespace

inline const uint8_t *PlainReader::pass_blanks(const uint8_t *at) const {
    while (at < end && is_blank(*at)) at++;
    return at;
}

inline const uint8_t *PlainReader::pass_word(const uint8_t *at, const char *word, size_t size) const {
    if (size_t(end - at) <= size || memcmp(at, word, size) != 0) return nullptr;
    return ends_scalar(at[size]) ? at + size : nullptr;
}

/// A number that is no short integer.
const uint8_t *PlainReader::read_other_number(const uint8_t *from, pfj_value &value) const {
    const uint8_t *next = from;
    while (next < end && !ends_scalar(*next)) next++;
    if (next == from) return nullptr;
    const Number number = phasefold::read_number(from, next);
    if (!number.is_valid) return nullptr;
    value.kind = number.is_integer ? PFJ_INTEGER : PFJ_NUMBER;
    value.integer = number.integer;
    value.length = uint32_t(next - from);
    return next;
}

inline const uint8_t *PlainReader::read_number(const uint8_t *at, pfj_value &value) const {
    value.bytes = at;
    const bool is_negative = *at == '-';
    if (is_negative) at++;
    const uint8_t *digits = at;
    uint64_t number = 0;
    uint64_t eight;
    if (readable - at >= 8 && read_eight_digits(at, eight)) {
        number = eight;
        at += 8;
    }
    while (at < end && is_digit(*at) && at - digits < 19) number = number * 10 + uint8_t(*at++ - '0');
    const auto count = at - digits;
    const bool is_short = count > 0 && count <= 18 && (count == 1 || *digits != '0');
    if (!is_short || at == end || !ends_scalar(*at)) return read_other_number(value.bytes, value);
    value.kind = PFJ_INTEGER;
    value.integer = is_negative ? -int64_t(number) : int64_t(number);
    value.length = uint32_t(at - value.bytes);
    return at;
}

/// A string's text from behind its opening quote; null where it has an escape or a control character.
inline const uint8_t *PlainReader::read_string(const uint8_t *at, pfj_value &value) {
    value.kind = PFJ_STRING;
    value.bytes = at;
#if defined(__SSE2__)
    while (readable - at >= 16) {
        const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i *>(at));
        const __m128i quotes = _mm_cmpeq_epi8(block, _mm_set1_epi8('"'));
        const __m128i escapes = _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'));
        const __m128i controls = _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(0x1F)), block);
        const auto stops = uint32_t(_mm_movemask_epi8(_mm_or_si128(quotes, _mm_or_si128(escapes, controls))));
        if (stops == 0) {
            at += 16;
            continue;
        }
        at += __builtin_ctz(stops);
        if (at >= end || *at != '"') return nullptr;
        value.length = uint32_t(at - value.bytes);
        return at + 1;
    }
#endif
    for (; at < end && *at != '"'; at++) {
        if (*at == '\\' || *at < 0x20) return nullptr;
    }
    if (at == end) return nullptr;
    value.length = uint32_t(at - value.bytes);
    return at + 1;
}

/// Whether the text at `at`, of which `longest_step` bytes may be read, begins with that of the step.
inline bool PlainReader::matches(const Step &step, const uint8_t *at) {
    if (step.length == 0) return false;
    Words words;
    Words text;
    Words mask;
    memcpy(&words, at, sizeof words);
    memcpy(&text, step.text, sizeof text);
    memcpy(&mask, step.mask, sizeof mask);
    const Words difference = (words & mask) ^ text;
    return (difference[0] | difference[1] | difference[2] | difference[3]) == 0;
}

uint32_t PlainReader::learn(const uint8_t *text, uint32_t length, uint32_t field) {
    for (uint32_t index = stranger + 1; index < count; index++) {
        if (steps[index].length == length && memcmp(steps[index].text, text, length) == 0) return index;
    }
    if (count == step_limit) {
        memset(steps, 0, sizeof steps);
        count = stranger + 1;
    }
    Step &step = steps[count];
    memcpy(step.text, text, length);
    memset(step.mask, 0xFF, length);
    step.length = length;
    step.field = field;
    return count++;
}

/// A key that was not guessed, from the end of the value before it.
const uint8_t *PlainReader::read_key(const uint8_t *at, uint32_t &step, uint32_t &field) {
    const uint8_t *const from = at;
    at = pass_blanks(at);
    if (step != brace) {
        if (at == end || *at != ',') return nullptr;
        at = pass_blanks(at + 1);
    }
    if (at == end || *at != '"') return nullptr;
    pfj_value key;
    at = read_string(at + 1, key);
    if (at == nullptr) return nullptr;
    at = pass_blanks(at);
    if (at == end || *at != ':') return nullptr;
    at = pass_blanks(at + 1);
    field = find_field(key.bytes, key.length, size_t(readable - key.bytes));
    const auto length = size_t(at - from);
    if (length > longest_step) {
        step = stranger;
        return at;
    }
    const uint32_t follower = learn(from, uint32_t(length), field);
    uint32_t *followers = steps[step].followers;
    if (followers[0] != follower) {
        followers[1] = followers[0];
        followers[0] = follower;
    }
    step = follower;
    return at;
}

/// The next key: to where its value begins.
inline const uint8_t *PlainReader::pass_key(
    const uint8_t *at, uint32_t &step, uint32_t &field
) {
    if (readable - at >= longest_step) {
        for (const uint32_t follower : steps[step].followers) {
            if (!matches(steps[follower], at)) continue;
            step = follower;
            field = steps[follower].field;
            return at + steps[follower].length;
        }
    }
    return read_key(at, step, field);
}

const uint8_t *PlainReader::read(const uint8_t *at, pfj_value *values, uint32_t &present) {
    if (at == end || *at != '{') return nullptr;
    at++;
    uint32_t step = brace;
    uint32_t known = 0;
    for (;;) {
        uint32_t field;
        at = pass_key(at, step, field);
        if (at == nullptr || at == end) return nullptr;
        pfj_value &value = values[field];
        bool is_null = false;
        switch (*at) {
        case '"':
            at = read_string(at + 1, value);
            break;
        case 't':
            value.kind = PFJ_TRUE;
            at = pass_word(at, "true", 4);
            break;
        case 'f':
            value.kind = PFJ_FALSE;
            at = pass_word(at, "false", 5);
            break;
        case 'n':
            is_null = true;
            at = pass_word(at, "null", 4);
            break;
        default:
            at = read_number(at, value);
        }
        if (at == nullptr || at == end) return nullptr;
        const uint64_t bit = uint64_t(1) << field;
        known = uint32_t(is_null ? known & ~bit : known | bit);
        const uint8_t *mark = is_blank(*at) ? pass_blanks(at) : at;
        if (mark == end) return nullptr;
        if (*mark == '}') {
            present = known & ((uint32_t(1) << PFJ_FIELD_COUNT) - 1);
            return mark + 1;
        }
    }
}

}  // namespace phasefold
