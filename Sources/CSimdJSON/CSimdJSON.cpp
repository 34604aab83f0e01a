#include <new>

#include "parser.hpp"
#include "text.hpp"

using phasefold::is_blank;

namespace {

bool is_utf8(const uint8_t *bytes, size_t length) {
    return simdjson::validate_utf8(reinterpret_cast<const char *>(bytes), length);
}

/// Whether any byte is beyond ASCII.
bool has_wide_bytes(const uint8_t *bytes, size_t length) {
    typedef uint64_t Words __attribute__((vector_size(32)));
    Words all = {};
    size_t index = 0;
    for (; index + sizeof all <= length; index += sizeof all) {
        Words words;
        memcpy(&words, bytes + index, sizeof words);
        all |= words;
    }
    uint64_t any = all[0] | all[1] | all[2] | all[3];
    for (; index < length; index++) any |= bytes[index];
    return (any & 0x8080808080808080) != 0;
}

const uint8_t *pass_blanks(const uint8_t *at, const uint8_t *end) {
    while (at < end && is_blank(*at)) at++;
    return at;
}

}  // namespace

/// Passes what stands between two objects: to where the next one begins, or the end of the text where all of it has
/// been read. Null where it is neither.
const uint8_t *pfj_parser::pass_plain_mark() const {
    const uint8_t *const end = text + length;
    const bool is_first = plain_count == 0;
    const uint8_t *at = pass_blanks(last_end, end);
    if (!is_array) {
        // Several objects stand one on a line.
        return at == end || is_first || memchr(last_end, '\n', size_t(at - last_end)) != nullptr ? at : nullptr;
    }
    if (at == end) return nullptr;
    const bool is_over = *at == ']';
    if (!is_over && is_first) return at;
    if (!is_over && *at != ',') return nullptr;
    at = pass_blanks(at + 1, end);
    return is_over == (at == end) ? at : nullptr;
}

pfj_status pfj_parser::next_plain() {
    const uint8_t *const from = pass_plain_mark();
    if (from == nullptr) return PFJ_NOT_PLAIN;
    if (from == text + length) return PFJ_END;
    const uint8_t *const to = plain_reader.read(from, values, present);
    if (to == nullptr) return PFJ_NOT_PLAIN;
    if (!is_array && plain_count > 0) {
        const bool was_one_line = plain_count > 1 || is_one_line(last_from, last_end);
        if (!was_one_line || !is_one_line(from, to)) return PFJ_NOT_PLAIN;
    }
    last_from = from;
    last_end = to;
    plain_count++;
    return PFJ_OBJECT;
}

bool pfj_parser::is_one_line(const uint8_t *from, const uint8_t *end) const {
    return memchr(from, '\n', size_t(end - from)) == nullptr;
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

pfj_status pfj_open_plain(pfj_parser *parser, const uint8_t *text, size_t length) {
    if (length > UINT32_MAX) return PFJ_NOT_PLAIN;
    const bool is_short = length <= pfj_parser::short_text;
    if (is_short) {
        memcpy(parser->padded, text, length);
        memset(parser->padded + length, 0, pfj_parser::padding);
        text = parser->padded;
    }
    parser->text = text;
    parser->length = length;
    parser->plain_reader.begin(text + length, text + length + (is_short ? pfj_parser::padding : 0));
    const uint8_t *at = pass_blanks(text, text + length);
    if (at == text + length) return PFJ_END;
    if (has_wide_bytes(text, length) && !is_utf8(text, length)) return PFJ_NOT_PLAIN;
    parser->is_array = *at == '[';
    parser->last_end = parser->is_array ? at + 1 : at;
    parser->plain_count = 0;
    return PFJ_OBJECT;
}

pfj_status pfj_next_plain(pfj_parser *parser, pfj_object *object) {
    const pfj_status status = parser->next_plain();
    object->present = parser->present;
    object->values = parser->values;
    return status;
}

bool pfj_is_utf8(const uint8_t *bytes, size_t length) { return is_utf8(bytes, length); }

}  // extern "C"
