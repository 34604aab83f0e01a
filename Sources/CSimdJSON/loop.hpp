// The one loop that nearly every event is read in, for looks of different widths.
//
// All of it is inlined: a file that is compiled for machines with wider instructions includes it too, and nothing
// of what that makes may be called from elsewhere.
#ifndef PHASEFOLD_LOOP_HPP
#define PHASEFOLD_LOOP_HPP

#include <cstring>

#include "blocks.hpp"
#include "plain.hpp"

namespace phasefold {

static PHASEFOLD_INLINE bool is_likely(bool condition) { return __builtin_expect(condition, true); }

/// Looks at `block_size` bytes at once.
struct NarrowLook {
    using Step = PlainReader::Step;

    /// Whether the text at `at`, of which `longest_step` bytes may be read, begins with that of the step.
    static PHASEFOLD_INLINE bool matches(const Step &step, const uint8_t *at) {
        if ((~same_bytes(step.text, at) & step.bytes & 0xFFFF) != 0) return false;
        if (is_likely(step.length <= block_size)) return true;
        return (~same_bytes(step.text + block_size, at + block_size) & step.bytes >> block_size) == 0;
    }

    /// To behind the plain ASCII from `at` on, or to the end of what is looked at: `block_size` bytes and one more.
    static PHASEFOLD_INLINE const uint8_t *end_of_ascii(const uint8_t *at) {
        // Where nothing in the block is a mark, the next block may begin with one.
        return at + __builtin_ctz(ends_of_ascii(load_block(at)) | 1 << block_size);
    }

    /// The value of the `count` digits at `at`, 1 to 15 of them; sixteen bytes may be read.
    static PHASEFOLD_INLINE uint64_t value_of_digits(Step &step, const uint8_t *at, uint32_t count) {
        constexpr uint64_t values = 0x0F0F0F0F0F0F0F0F;
        uint64_t first;
        memcpy(&first, at, 8);
        // What is missing in front is shifted in as zeros, what is no digit is shifted out.
        if (count <= 8) return value_of_eight((first & values) << (64 - 8 * count));
        const uint64_t front = (first & values) << (128 - 8 * count);
        if (front != step.last_front) {
            step.last_front = front;
            step.last_front_value = value_of_eight(front) * 100000000;
        }
        uint64_t back;
        memcpy(&back, at + count - 8, 8);
        return step.last_front_value + value_of_eight(back & values);
    }
};

/// Whether a number of so many digits ends there, and is one that fits the words of a block.
static PHASEFOLD_INLINE bool is_short_number(const uint8_t *at, uint32_t digits) {
    if (digits - 1 >= block_size - 1 || (*at == '0' && digits > 1)) return false;
    return at[digits] == ',' || at[digits] == '}';
}

/// Makes the value a string.
static PHASEFOLD_INLINE void set_text(pfj_value &value, const uint8_t *from, uint32_t length) {
    // Length and kind lie side by side, and are one store.
    static_assert(PFJ_STRING == 0 && offsetof(pfj_value, kind) == offsetof(pfj_value, length) + 4);
    const uint64_t form = length;
    value.bytes = from;
    memcpy(reinterpret_cast<uint8_t *>(&value) + offsetof(pfj_value, length), &form, sizeof form);
}

/// See `PlainReader::read`.
template <class Look>
PHASEFOLD_INLINE const uint8_t *PlainReader::read_by(
    const uint8_t *at, pfj_object &object, unsigned depth) {
    if (*at != '{') return nullptr;
    at++;
    Step *step = &brace;
    // Of each field, what its last value was found to be; a field may stand in several.
    uint32_t texts = 0;
    uint32_t numbers = 0;
    uint32_t others = 0;
    for (;;) {
        if (at >= end) return nullptr;
        Step *const last = step;
        step = last->followers[0];
        if (is_likely(Look::matches(*step, at))) {
            at += step->length;
        } else {
            const Place place = pass_other_key(at, *last);
            if (place.at == nullptr) return nullptr;
            at = place.at;
            step = place.step;
        }
        if (is_likely(step->has_quote)) {
            const uint8_t *const stop = Look::end_of_ascii(at);
            if (is_likely(*stop == '"')) {
                set_text(*step->value, at, uint32_t(stop - at));
                at = stop + 1;
                texts |= step->bit;
                continue;
            }
            at = read_string(at, stop, *step);
            if (at == nullptr) return nullptr;
            if (step->value->length <= PFJ_SHORT_TEXT) {
                texts |= step->bit;
                continue;
            }
        } else if (is_likely(step->form == Form::value)) {
            const uint32_t digits = leading_digits(load_block(at));
            if (is_likely(is_short_number(at, digits))) {
                step->value->kind = PFJ_INTEGER;
                step->value->integer = int64_t(Look::value_of_digits(*step, at, digits));
                at += digits;
                numbers |= step->bit;
                continue;
            }
            const Place place = read_other_value(at, *last, *step, depth);
            if (place.at == nullptr) return nullptr;
            at = place.at;
            step = place.step;
        } else {
            object.present = texts | numbers | others;
            object.short_texts = texts & ~numbers;
            object.short_numbers = numbers & ~texts;
            object.values = values;
            return step->form == Form::end && at <= end ? at : nullptr;
        }
        texts &= ~step->bit;
        numbers &= ~step->bit;
        others = step->value->kind == PFJ_NULL ? others & ~step->bit : others | step->bit;
    }
}

}  // namespace phasefold

#endif
