// The short way through an object whose values are plain: no escapes, nothing nested.
#ifndef PHASEFOLD_PLAIN_HPP
#define PHASEFOLD_PLAIN_HPP

#include <cstddef>
#include <cstdint>

#include "CSimdJSON.h"

namespace phasefold {

/// Reads objects in one pass, guessing each key from the one before it.
///
/// Telemetry of one source has its fields nearly always in the same order, so that the text from one value to the
/// next is known in advance: it is compared as it stands, blanks included. A guess that fails costs little more than
/// reading the key. What is not plain, or not valid, is left to the full walk, which alone says what is wrong.
class PlainReader {
public:
    /// Begins a text that is UTF-8; up to `readable` its bytes may be read, which is at or behind its end.
    void begin(const uint8_t *end, const uint8_t *readable) {
        this->end = end;
        this->readable = readable;
    }

    /// The object at `at`; sets `present` and `values`.
    ///
    /// - Returns: the end of the object; null where it is not plain.
    const uint8_t *read(const uint8_t *at, pfj_value *values, uint32_t &present);

private:
    static constexpr uint32_t longest_step = 32;
    static constexpr uint32_t step_limit = 64;

    /// From the end of a value, or the brace, to where the value of `field` begins.
    struct Step {
        uint8_t text[longest_step];
        /// 0xFF where `text` is.
        uint8_t mask[longest_step];
        uint32_t length;
        uint32_t field;
        /// The steps that followed, the last new one first; 0 where none is known.
        uint32_t followers[2];
    };

    /// The opening brace.
    static constexpr uint32_t brace = 0;
    /// A key that is too long to be learnt.
    static constexpr uint32_t stranger = 1;

    const uint8_t *end = nullptr;
    const uint8_t *readable = nullptr;
    Step steps[step_limit] = {};
    uint32_t count = 2;

    static bool matches(const Step &step, const uint8_t *at);
    const uint8_t *pass_key(const uint8_t *at, uint32_t &step, uint32_t &field);
    const uint8_t *read_key(const uint8_t *at, uint32_t &step, uint32_t &field);
    const uint8_t *read_string(const uint8_t *at, pfj_value &value);
    const uint8_t *read_number(const uint8_t *at, pfj_value &value) const;
    const uint8_t *read_other_number(const uint8_t *from, pfj_value &value) const;
    const uint8_t *pass_word(const uint8_t *at, const char *word, size_t size) const;
    const uint8_t *pass_blanks(const uint8_t *at) const;
    uint32_t learn(const uint8_t *text, uint32_t length, uint32_t field);
};

}  // namespace phasefold

#endif
