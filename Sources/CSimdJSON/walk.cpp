#include <new>

#include "names.hpp"
#include "parser.hpp"
#include "text.hpp"

using phasefold::find_field;
using phasefold::is_blank;
using phasefold::is_over;
using phasefold::read_number;
using phasefold::unescape;

namespace {

constexpr size_t smallest_capacity = 4096;

}  // namespace

/// Room for the tokens of `length` bytes; grows by doubling and is kept.
bool pfj_parser::reserve() {
    if (stages && length <= stages->capacity()) return true;
    size_t capacity = stages ? stages->capacity() : smallest_capacity;
    while (capacity < length) capacity *= 2;
    const auto *kernels = &*simdjson::get_active_implementation();
    // Its own second stage is not used, and needs no depth.
    return kernels->create_dom_parser_implementation(capacity, 1, stages) == simdjson::SUCCESS;
}

pfj_status pfj_parser::index() {
    at = 0;
    count = 0;
    if (!reserve()) return PFJ_NO_MEMORY;
    const auto error = stages->stage1(text, length, simdjson::stage1_mode::regular);
    if (error == simdjson::EMPTY) return PFJ_END;
    if (error != simdjson::SUCCESS) return PFJ_INVALID;
    tokens = stages->structural_indexes.get();
    count = stages->n_structural_indexes;
    has_escapes = memchr(text, '\\', length) != nullptr;
    if (has_escapes && plain_capacity < length + PFJ_READABLE) {
        plain_capacity = stages->capacity() + PFJ_READABLE;
        plain.reset(new (std::nothrow) uint8_t[plain_capacity]());
        if (!plain) plain_capacity = 0;
        if (!plain) return PFJ_NO_MEMORY;
    }
    return PFJ_OBJECT;
}

/// A string without its quotes. The last byte before the next token that is not blank is the closing quote.
bool pfj_parser::read_string(pfj_value &value) {
    const uint8_t *from = text + tokens[at] + 1;
    const uint8_t *end = text + tokens[at + 1] - 1;
    while (end >= from && is_blank(*end)) end--;
    if (end < from || *end != '"') return false;
    at++;
    value.kind = PFJ_STRING;
    value.bytes = from;
    value.length = uint32_t(end - from);
    if (!has_escapes || memchr(from, '\\', size_t(end - from)) == nullptr) {
        const size_t left = size_t(text + length - from);
        if (left < PFJ_READABLE) {
            value.bytes = tail + (PFJ_READABLE - left);
            memcpy(tail + (PFJ_READABLE - left), from, size_t(end - from));
        }
        return true;
    }
    uint8_t *plain_from = plain.get() + (from - text);
    uint8_t *written = unescape(from, end, plain_from);
    if (written == nullptr) return false;
    value.bytes = plain_from;
    value.length = uint32_t(written - plain_from);
    return true;
}

bool pfj_parser::read_literal(const char *word, size_t size) {
    const uint8_t *from = text + tokens[at];
    const uint8_t *next = text + tokens[at + 1];
    if (size_t(next - from) < size || memcmp(from, word, size) != 0 || !is_over(from + size, next)) return false;
    at++;
    return true;
}

pfj_status pfj_parser::read_value(pfj_value &value, bool &is_null, unsigned depth) {
    switch (first(at)) {
    case '"':
        return read_string(value) ? PFJ_OBJECT : PFJ_INVALID;
    case '{': case '[':
        value.kind = first(at) == '{' ? PFJ_CONTAINER : PFJ_LIST;
        value.integer = at;
        return pass_container(depth + 1);
    case 't':
        value.kind = PFJ_TRUE;
        return read_literal("true", 4) ? PFJ_OBJECT : PFJ_INVALID;
    case 'f':
        value.kind = PFJ_FALSE;
        return read_literal("false", 5) ? PFJ_OBJECT : PFJ_INVALID;
    case 'n':
        is_null = true;
        return read_literal("null", 4) ? PFJ_OBJECT : PFJ_INVALID;
    case '-': case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7': case '8': case '9': {
        const uint8_t *from = text + tokens[at];
        const auto number = read_number(from, text + tokens[at + 1]);
        if (!number.is_valid) return PFJ_INVALID;
        at++;
        value.kind = number.is_integer ? PFJ_INTEGER : PFJ_NUMBER;
        value.integer = number.integer;
        value.bytes = from;
        value.length = uint32_t(number.end - from);
        return PFJ_OBJECT;
    }
    default:
        return PFJ_INVALID;
    }
}

/// A key and its colon.
bool pfj_parser::pass_key() {
    if (first(at) != '"') return false;
    pfj_value key;
    return read_string(key) && first(at++) == ':';
}

/// Passes over an object or an array, checking all that is in it. `depth` is its own. Where ends are kept, that of
/// each container stands at its token.
pfj_status pfj_parser::pass_container(unsigned depth) {
    const unsigned outer = depth;
    // Bit n: whether the container at depth `outer + n` is an object. Depths beyond the limit are not entered.
    uint64_t objects = 0;
    uint32_t opened[PFJ_DEPTH_LIMIT];
    for (;;) {
        if (depth > PFJ_DEPTH_LIMIT) return PFJ_TOO_DEEP;
        opened[depth - outer] = at;
        const bool is_object = first(at++) == '{';
        const uint64_t bit = uint64_t(1) << (depth - outer);
        objects = is_object ? objects | bit : objects & ~bit;
        bool is_complete = first(at) == (is_object ? '}' : ']');
        if (is_complete) at++;
        for (;;) {
            if (is_complete) {
                if (keeps_ends) ends[opened[depth - outer]] = at;
                if (depth == outer) return PFJ_OBJECT;
                depth--;
            } else {
                if ((objects >> (depth - outer) & 1) != 0 && !pass_key()) return PFJ_INVALID;
                if (first(at) == '{' || first(at) == '[') break;
                pfj_value value;
                bool is_null = false;
                if (read_value(value, is_null, depth) != PFJ_OBJECT) return PFJ_INVALID;
            }
            const uint8_t mark = first(at++);
            const bool in_object = (objects >> (depth - outer) & 1) != 0;
            is_complete = mark == (in_object ? '}' : ']');
            if (!is_complete && mark != ',') return PFJ_INVALID;
        }
        depth++;
    }
}

/// The field that a key names. One that had escapes does not stand in the text, and is read to its end only.
uint32_t pfj_parser::key_field(const pfj_value &key) const {
    const bool in_text = key.bytes >= text && key.bytes < text + length;
    return find_field(key.bytes, key.length, in_text ? size_t(text + length - key.bytes) : key.length);
}

pfj_status pfj_parser::read_field(unsigned depth) {
    if (first(at) != '"') return PFJ_INVALID;
    pfj_value key;
    if (!read_string(key) || first(at++) != ':') return PFJ_INVALID;
    const uint32_t field = key_field(key);
    bool is_null = false;
    const pfj_status status = read_value(values[field], is_null, depth);
    const uint32_t bit = uint32_t(1) << field;
    present = is_null ? present & ~bit : present | bit;
    return status;
}

/// An object's known fields. `depth` is its own.
pfj_status pfj_parser::read_object(unsigned depth) {
    at++;
    present = 0;
    if (first(at) == '}') {
        at++;
        return PFJ_OBJECT;
    }
    for (;;) {
        const pfj_status status = read_field(depth);
        if (status != PFJ_OBJECT) return status;
        const uint8_t mark = first(at++);
        if (mark == '}') return PFJ_OBJECT;
        if (mark != ',') return PFJ_INVALID;
    }
}

pfj_status pfj_parser::read_element(unsigned depth) {
    if (first(at) == '{') return read_object(depth);
    pfj_value value;
    bool is_null = false;
    const pfj_status status = read_value(value, is_null, depth - 1);
    return status == PFJ_OBJECT ? PFJ_NOT_AN_OBJECT : status;
}

/// Checks the whole text as one object or array, and keeps where each container ends.
pfj_status pfj_parser::check() {
    if (ends_capacity < count) {
        ends.reset(new (std::nothrow) uint32_t[stages->capacity()]);
        ends_capacity = ends ? stages->capacity() : 0;
        if (!ends) return PFJ_NO_MEMORY;
    }
    at = 0;
    pfj_value value;
    bool is_null = false;
    keeps_ends = true;
    const pfj_status status = read_value(value, is_null, 0);
    keeps_ends = false;
    if (status != PFJ_OBJECT) return status;
    if (at != count) return PFJ_INVALID;
    return first(0) == '{' ? PFJ_OBJECT : PFJ_NOT_AN_OBJECT;
}

/// The value at `at` of a text that was checked; moves on behind it and the comma after it.
bool pfj_parser::take_value(pfj_value &value) {
    bool is_null = false;
    if (first(at) == '{' || first(at) == '[') {
        value.kind = first(at) == '{' ? PFJ_CONTAINER : PFJ_LIST;
        value.integer = at;
        at = ends[at];
    } else if (read_value(value, is_null, 0) != PFJ_OBJECT) {
        return false;
    }
    if (is_null) value.kind = PFJ_NULL;
    if (first(at) == ',') at++;
    return true;
}
