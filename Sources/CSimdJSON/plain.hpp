// The short way through an object whose known fields hold plain values: no escapes, nothing nested.
#ifndef PHASEFOLD_PLAIN_HPP
#define PHASEFOLD_PLAIN_HPP

#include <cstddef>
#include <cstdint>

#include "CSimdJSON.h"
#include "text.hpp"

#define PHASEFOLD_SELDOM __attribute__((noinline))

namespace phasefold {

/// Reads objects in one pass, guessing each key from the one before it.
///
/// Telemetry of one source has its fields nearly always in the same order, so that the text from one value to the
/// next is known in advance: it is compared as it stands, blanks included. A guess that fails costs little more than
/// reading the key. What is not plain, or not valid, is left to the full walk, which alone says what is wrong.
class PlainReader {
public:
    /// How many bytes behind the end of a text may be read: a key, and what is looked at of its value at once.
    static constexpr size_t slack = 64;

    PlainReader();
    PlainReader(const PlainReader &) = delete;
    PlainReader &operator=(const PlainReader &) = delete;

    /// By field. The last one is of fields that are not known.
    pfj_value values[PFJ_FIELD_COUNT + 1];

    /// Begins a text, behind the end of which ``slack`` bytes may be read.
    void begin(const uint8_t *end) {
        this->end = end;
        is_line = false;
    }

    /// Begins a line of a text that ends at `end`: an object with a line feed in it is none that is plain.
    void begin_line(const uint8_t *end) {
        this->end = end;
        is_line = true;
        if (has_line_feeds) forget();
    }

    /// Looks at 32 bytes at once where the machine can, or else as one that cannot: the objects are the same.
    void look_wide(bool is_wanted);

    /// The object at `at`, which is before the end; sets all of `object` but whether it is the last.
    /// `depth` is its own.
    ///
    /// - Returns: the end of the object; null where it is not plain.
    const uint8_t *read(const uint8_t *at, pfj_object &object, unsigned depth) {
        return is_wide ? read_wide(at, object, depth) : read_narrow(at, object, depth);
    }

private:
    friend struct NarrowLook;
    friend struct WideLook;

    static constexpr uint32_t longest_step = 32;
    static constexpr uint32_t step_limit = 128;
    static constexpr uint32_t follower_limit = 4;
    /// Twice as many as there are steps, and one less than a power of two.
    static constexpr uint32_t place_mask = 255;

    /// What a step leads to.
    enum class Form : uint8_t {
        /// A string; the step's text ends with its quote.
        string,
        /// Any other value.
        value,
        /// The end of the object: no value.
        end,
        /// No text is this step's.
        none,
    };

    /// From the end of a value, or the brace, to where the next value begins.
    struct Step {
        alignas(32) uint8_t text[longest_step];
        /// Bit n for each byte n of `text`.
        uint32_t bytes;
        uint32_t length;
        /// That of the field among those present; 0 where the field is not known.
        uint32_t bit;
        /// Whether the form is a string.
        bool has_quote;
        Form form;
        /// Where the value is put.
        pfj_value *value;
        /// Of its last number of more than eight digits: those before the last eight, and what they are worth. Times
        /// are alike in them for a day.
        uint64_t last_front;
        uint64_t last_front_value;
        /// The steps that followed, those that do so often first; `nowhere` where none is known.
        Step *followers[follower_limit];

        void set(uint32_t field, Form form, pfj_value *values);
    };

    /// Where a value begins, and the step that led there; `at` is null where there is none.
    struct Place {
        const uint8_t *at;
        Step *step;
    };

    const uint8_t *end = nullptr;
    bool is_wide = false;
    bool is_line = false;
    /// Whether a step's text has a line feed in it.
    bool has_line_feeds = false;
    uint32_t count = 0;
    /// By a hash of the text, the number of its step and 1; 0 is free.
    uint8_t places[place_mask + 1];
    /// What stands in for a follower that is not known.
    Step nowhere;
    /// The opening brace.
    Step brace;
    /// A key that is too long to be learnt, or not of ASCII alone; its field is that of the last one.
    Step stranger;
    Step steps[step_limit];

    template <class Look>
    const uint8_t *read_by(const uint8_t *at, pfj_object &object, unsigned depth);
    const uint8_t *read_narrow(const uint8_t *at, pfj_object &object, unsigned depth);
    const uint8_t *read_wide(const uint8_t *at, pfj_object &object, unsigned depth);
    void forget();
    static void follow(Step &step, Step &follower);
    Step &learn(const uint8_t *text, uint32_t length, uint32_t field, Form form);
    // Out of line, so that the one loop that nearly every event is read in keeps its registers.
    PHASEFOLD_SELDOM Place pass_other_key(const uint8_t *at, Step &last);
    PHASEFOLD_SELDOM Place read_key(const uint8_t *at, Step &last);
    PHASEFOLD_SELDOM const uint8_t *read_string(
        const uint8_t *from, const uint8_t *at, const Step &step) const;
    PHASEFOLD_SELDOM Place read_other_value(const uint8_t *at, Step &last, Step &step, unsigned depth);
    const uint8_t *read_other_number(const uint8_t *at, pfj_value &value) const;
    const uint8_t *pass_unknown(const uint8_t *at, unsigned outer) const;
    const uint8_t *pass_container(const uint8_t *at, unsigned outer) const;
    const uint8_t *pass_name(const uint8_t *at) const;
    const uint8_t *pass_integer(const uint8_t *at) const;
    const uint8_t *pass_scalar(const uint8_t *at) const;
    const uint8_t *pass_any_text(const uint8_t *at) const;
    const uint8_t *pass_text(const uint8_t *from, const uint8_t *at, bool allows_escapes) const;
    const uint8_t *pass_blanks(const uint8_t *at) const {
        while (is_blank(*at) && at < end) at++;
        return at;
    }
};

}  // namespace phasefold

#endif
