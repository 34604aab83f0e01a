#include <new>

#include "parser.hpp"
#include "text.hpp"

using phasefold::is_blank;

namespace {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PHASEFOLD_SANITIZED 1
#endif
#endif

/// Whether `slack` bytes behind the end of a text may be read. Memory is given by the page, of 4096 bytes or more: what
/// lies in the page of the last byte is there, whoever it belongs to; nothing is told by it.
bool has_slack(const uint8_t *end) {
#if defined(PHASEFOLD_SANITIZED)
    return false;
#else
    return (uintptr_t(end - 1) & 4095) < 4096 - phasefold::PlainReader::slack;
#endif
}

const uint8_t *pass_blanks(const uint8_t *at, const uint8_t *end) {
    while (at < end && is_blank(*at)) at++;
    return at;
}

bool has_line_feed(const uint8_t *from, const uint8_t *end) {
    return memchr(from, '\n', size_t(end - from)) != nullptr;
}

}  // namespace

/// Passes what stands before the first object.
pfj_status pfj_parser::begin_plain() {
    plain_at = pass_blanks(plain_at, plain_end);
    if (plain_at == plain_end) return PFJ_END;
    is_array = *plain_at == '[';
    if (!is_array) return PFJ_OBJECT;
    plain_at = pass_blanks(plain_at + 1, plain_end);
    if (plain_at == plain_end) return PFJ_NOT_PLAIN;
    if (*plain_at != ']') return PFJ_OBJECT;
    return pass_blanks(plain_at + 1, plain_end) == plain_end ? PFJ_END : PFJ_NOT_PLAIN;
}

/// A copy of the text, behind which there is room; null where there is no memory.
const uint8_t *pfj_parser::pad(const uint8_t *text, size_t length) {
    constexpr size_t slack = phasefold::PlainReader::slack;
    if (padded_capacity < length + slack) {
        padded_capacity = 2 * (length + slack);
        padded.reset(new (std::nothrow) uint8_t[padded_capacity]);
        if (!padded) padded_capacity = 0;
        if (!padded) return nullptr;
    }
    memcpy(padded.get(), text, length);
    memset(padded.get() + length, 0, slack);
    return padded.get();
}

/// Reads the object at `plain_at`, and passes what stands behind it: to where the next one begins, or the end.
pfj_status pfj_parser::read_plain(pfj_object &object) {
    const uint8_t *const from = plain_at;
    plain_at = plain_reader.read(from, object, is_array ? 2 : 1);
    if (plain_at == nullptr) return PFJ_NOT_PLAIN;
    object.is_last = plain_at == plain_end && !is_array;
    if (object.is_last && is_first_plain) return PFJ_OBJECT;
    return pass_plain_mark(from, object);
}

pfj_status pfj_parser::pass_plain_mark(const uint8_t *from, pfj_object &object) {
    const uint8_t *const end = plain_at;
    plain_at = pass_blanks(end, plain_end);
    if (is_array) {
        if (plain_at == plain_end || (*plain_at != ',' && *plain_at != ']')) return PFJ_NOT_PLAIN;
        object.is_last = *plain_at == ']';
        plain_at = pass_blanks(plain_at + 1, plain_end);
        return object.is_last == (plain_at == plain_end) ? PFJ_OBJECT : PFJ_NOT_PLAIN;
    }
    object.is_last = plain_at == plain_end;
    // Several objects stand one on a line.
    if (object.is_last && is_first_plain) return PFJ_OBJECT;
    is_first_plain = false;
    if (has_line_feed(from, end)) return PFJ_NOT_PLAIN;
    return object.is_last || has_line_feed(end, plain_at) ? PFJ_OBJECT : PFJ_NOT_PLAIN;
}

extern "C" {

pfj_parser *pfj_create(void) { return new (std::nothrow) pfj_parser; }

void pfj_destroy(pfj_parser *parser) { delete parser; }

pfj_status pfj_open(pfj_parser *parser, const uint8_t *text, size_t length) {
    parser->text = text;
    parser->length = length;
    const pfj_status status = parser->index();
    if (status != PFJ_OBJECT) return status;
    parser->is_array = parser->first(0) == '[';
    if (parser->is_array) parser->at = 1;
    return PFJ_OBJECT;
}

bool pfj_is_array(const pfj_parser *parser) { return parser->is_array; }

pfj_status pfj_next(pfj_parser *parser, pfj_object *object) {
    const bool is_first = parser->at == (parser->is_array ? 1 : 0);
    if (!parser->is_array) {
        if (!is_first) return PFJ_END;
    } else if (is_first ? parser->first(1) == ']' : parser->first(parser->at) == ']') {
        return parser->at + 1 == parser->count ? PFJ_END : PFJ_INVALID;
    } else if (!is_first && parser->first(parser->at++) != ',') {
        return PFJ_INVALID;
    }
    const pfj_status status = parser->read_element(parser->is_array ? 2 : 1);
    if (!parser->is_array && parser->at != parser->count && status <= PFJ_NOT_AN_OBJECT) return PFJ_INVALID;
    object->present = parser->present;
    object->short_texts = object->short_numbers = 0;
    object->values = parser->values;
    return status;
}

pfj_status pfj_check(pfj_parser *parser) { return parser->check(); }

bool pfj_next_member(pfj_parser *parser, uint32_t *token, pfj_value *key, pfj_value *value) {
    parser->at = *token;
    if (parser->first(parser->at) != '"' || !parser->read_string(*key)) return false;
    parser->at++;
    if (!parser->take_value(*value)) return false;
    *token = parser->at;
    return true;
}

bool pfj_next_item(pfj_parser *parser, uint32_t *token, pfj_value *value) {
    parser->at = *token;
    if (parser->first(parser->at) == ']' || !parser->take_value(*value)) return false;
    *token = parser->at;
    return true;
}

pfj_status pfj_open_plain(pfj_parser *parser, const uint8_t *text, size_t length, pfj_object *object) {
    if (length == 0) return PFJ_END;
    if (length > UINT32_MAX) return PFJ_NOT_PLAIN;
    if (!has_slack(text + length)) text = parser->pad(text, length);
    if (text == nullptr) return PFJ_NOT_PLAIN;
    parser->plain_at = text;
    parser->plain_end = text + length;
    parser->is_first_plain = true;
    parser->is_array = false;
    parser->plain_reader.begin(text + length);
    if (*text != '{') {
        const pfj_status status = parser->begin_plain();
        if (status != PFJ_OBJECT) return status;
    }
    return parser->read_plain(*object);
}

pfj_status pfj_next_plain(pfj_parser *parser, pfj_object *object) { return parser->read_plain(*object); }

pfj_status pfj_read_line(
    pfj_parser *parser, const uint8_t *from, const uint8_t *end, pfj_object *object, const uint8_t **behind) {
    constexpr size_t slack = phasefold::PlainReader::slack;
    phasefold::PlainReader &reader = parser->plain_reader;
    if (!has_slack(end)) {
        // The last lines before memory that may not be read are left to the way of single texts, which copies them.
        if (size_t(end - from) < slack) return PFJ_NOT_PLAIN;
        end -= slack;
    }
    // What may be a request of OpenTelemetry is no event by its form alone.
    if (from == end || from[0] != '{' || from[1] != '"' || from[2] == 'r') return PFJ_NOT_PLAIN;
    reader.begin_line(end);
    const uint8_t *at = reader.read(from, *object, 1);
    if (at == nullptr || at >= end) return PFJ_NOT_PLAIN;
    if (*at == '\r') at++;
    if (*at != '\n' || at >= end) return PFJ_NOT_PLAIN;
    object->is_last = true;
    *behind = at + 1;
    return PFJ_OBJECT;
}

void pfj_look_wide(pfj_parser *parser, bool is_wanted) { parser->plain_reader.look_wide(is_wanted); }

uint64_t pfj_long_digest(const uint8_t *bytes, uint32_t length) { return phasefold::long_digest(bytes, length); }

bool pfj_is_utf8(const uint8_t *bytes, size_t length) { return phasefold::is_utf8(bytes, length); }

}  // extern "C"
