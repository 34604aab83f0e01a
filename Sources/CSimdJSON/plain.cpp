#include "plain.hpp"

#include <cstring>

#include "blocks.hpp"
#include "loop.hpp"
#include "names.hpp"
#include "text.hpp"

namespace phasefold {

namespace {

/// A number of the four words that a step's text fills.
uint32_t hash_of(const uint8_t *text) {
    uint64_t words[4];
    memcpy(words, text, sizeof words);
    uint64_t hash = 0;
    for (const uint64_t word : words) hash = (hash ^ word) * 0x9E3779B97F4A7C15 + (hash >> 32);
    return uint32_t(hash >> 56);
}

}  // namespace

PlainReader::PlainReader() {
    memset(&nowhere, 0, sizeof nowhere);
    nowhere.set(PFJ_FIELD_COUNT, Form::none, values);
    nowhere.bytes = UINT32_MAX;
    for (Step *&follower : nowhere.followers) follower = &nowhere;
    look_wide(true);
    forget();
}

void PlainReader::forget() {
    count = 0;
    has_line_feeds = false;
    memset(places, 0, sizeof places);
    brace = nowhere;
    stranger = nowhere;
}

void PlainReader::Step::set(uint32_t field, Form form, pfj_value *values) {
    bit = field < PFJ_FIELD_COUNT ? uint32_t(1) << field : 0;
    this->form = form;
    has_quote = form == Form::string;
    value = values + field;
}

/// A new one stands first: what came last is likely to come again.
void PlainReader::follow(Step &step, Step &follower) {
    uint32_t place = 0;
    while (place + 1 < follower_limit && step.followers[place] != &follower) place++;
    for (; place > 0; place--) step.followers[place] = step.followers[place - 1];
    step.followers[0] = &follower;
}

/// The step of this text, of at most `longest_step` bytes. The steps before it may be forgotten for it.
PlainReader::Step &PlainReader::learn(const uint8_t *text, uint32_t length, uint32_t field, Form form) {
    uint8_t padded[longest_step] = {};
    memcpy(padded, text, length);
    if (count == step_limit) forget();
    uint32_t place = hash_of(padded) & place_mask;
    for (; places[place] != 0; place = (place + 1) & place_mask) {
        Step &step = steps[places[place] - 1];
        if (step.length == length && step.form == form && memcmp(step.text, padded, longest_step) == 0) return step;
    }
    places[place] = uint8_t(count + 1);
    Step &step = steps[count++];
    step = nowhere;
    memcpy(step.text, padded, longest_step);
    step.bytes = length == longest_step ? UINT32_MAX : (uint32_t(1) << length) - 1;
    step.length = length;
    step.set(field, form, values);
    return step;
}

/// A key that was not guessed, from the end of the value before it, or the end of the object.
PlainReader::Place PlainReader::read_key(const uint8_t *at, Step &last) {
    const uint8_t *const from = at;
    at = pass_blanks(at);
    uint32_t field = PFJ_FIELD_COUNT;
    Form form = Form::end;
    bool is_ascii = true;
    if (*at == '}') {
        at++;
    } else {
        if (&last != &brace) {
            if (*at != ',') return {};
            at = pass_blanks(at + 1);
        }
        if (*at != '"') return {};
        const uint8_t *const name = at + 1;
        at = pass_text(name, name, false);
        if (at == nullptr) return {};
        const auto length = size_t(at - 1 - name);
        for (size_t index = 0; index < length; index++) is_ascii = is_ascii && name[index] < 0x80;
        field = find_field(name, uint32_t(length), block_size);
        at = pass_blanks(at);
        if (*at != ':') return {};
        at = pass_blanks(at + 1);
        form = *at == '"' ? Form::string : Form::value;
        if (form == Form::string) at++;
    }
    if (at > end) return {};
    const bool has_line_feed = memchr(from, '\n', size_t(at - from)) != nullptr;
    if (has_line_feed && is_line) return {};
    if (!is_ascii || at - from > longest_step) {
        stranger.set(field, form, values);
        return {at, &stranger};
    }
    Step &step = learn(from, uint32_t(at - from), field, form);
    has_line_feeds = has_line_feeds || has_line_feed;
    follow(last, step);
    return {at, &step};
}

/// The key that comes next, where it is not the first follower's. The one that is comes nearer to being the first.
PlainReader::Place PlainReader::pass_other_key(const uint8_t *at, Step &last) {
    for (uint32_t index = 1; index < follower_limit; index++) {
        Step *const follower = last.followers[index];
        if (!NarrowLook::matches(*follower, at)) continue;
        last.followers[index] = last.followers[index - 1];
        last.followers[index - 1] = follower;
        return {at + follower->length, follower};
    }
    return read_key(at, last);
}

/// To behind the quote that ends the string from `at` on; null where it is not valid or, unless allowed, has escapes.
///
/// What stands from `from` to `at` is known to be plain.
const uint8_t *PlainReader::pass_text(const uint8_t *from, const uint8_t *at, bool allows_escapes) const {
    bool is_ascii = true;
    for (;;) {
        if (at >= end) return nullptr;
        const Block block = load_block(at);
        const uint32_t stops = is_ascii ? ends_of_ascii(block) : ends_of_text(block);
        if (stops == 0) {
            at += block_size;
            continue;
        }
        at += __builtin_ctz(stops);
        if (*at == '"') break;
        if (*at >= 0x80) {
            is_ascii = false;
            at++;
            continue;
        }
        if (*at != '\\' || !allows_escapes) return nullptr;
        at = pass_escape(at, end);
        if (at == nullptr) return nullptr;
    }
    if (at >= end || (!is_ascii && !is_utf8(from, size_t(at - from)))) return nullptr;
    return at + 1;
}

/// A string's value that begins at `from`, of any length; up to `at` it is known to be plain.
const uint8_t *PlainReader::read_string(const uint8_t *from, const uint8_t *at, const Step &step) const {
    const uint8_t *const behind = pass_text(from, at, step.bit == 0);
    if (behind == nullptr) return nullptr;
    step.value->kind = PFJ_STRING;
    step.value->bytes = from;
    step.value->length = uint32_t(behind - 1 - from);
    return behind;
}

/// A number that is no short integer without a sign.
const uint8_t *PlainReader::read_other_number(const uint8_t *at, pfj_value &value) const {
    const uint8_t *const point = pass_integer(at);
    const uint8_t *const behind = point == nullptr ? nullptr : pass_fraction(point, end);
    if (behind == nullptr) return nullptr;
    value.kind = PFJ_NUMBER;
    value.bytes = at;
    value.length = uint32_t(behind - at);
    if (behind == point) {
        const Number number = read_number(at, behind);
        if (number.is_integer) value.kind = PFJ_INTEGER;
        value.integer = number.integer;
    }
    return behind;
}

/// A value of a step without a quote that is no short integer. Nothing says whether what is behind it may stand there.
PlainReader::Place PlainReader::read_other_value(const uint8_t *at, Step &last, Step &step, unsigned depth) {
    const bool is_known = step.bit != 0;
    switch (*at) {
    case '"': {
        // The next time it shall be foreseen.
        const Place place = read_key(at - step.length, last);
        return {place.at == nullptr ? nullptr : read_string(place.at, place.at, *place.step), place.step};
    }
    case 't':
        step.value->kind = PFJ_TRUE;
        return {pass_scalar(at), &step};
    case 'f':
        step.value->kind = PFJ_FALSE;
        return {pass_scalar(at), &step};
    case 'n':
        step.value->kind = PFJ_NULL;
        return {pass_scalar(at), &step};
    case '{': case '[':
        // Of a known field it is wrong, or a request: both are told by the full walk.
        return {is_known ? nullptr : pass_unknown(at, depth), &step};
    default:
        return {is_known ? read_other_number(at, *step.value) : pass_scalar(at), &step};
    }
}

const uint8_t *PlainReader::read_narrow(const uint8_t *at, pfj_object &object, unsigned depth) {
    return read_by<NarrowLook>(at, object, depth);
}

}  // namespace phasefold
