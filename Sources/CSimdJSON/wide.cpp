// The loop of the short way for machines with AVX2: a key is one look, and so are nearly all strings.
#include "parser.hpp"

#if defined(__x86_64__)

#include <immintrin.h>

#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2"))), apply_to = function)

#include "loop.hpp"

namespace phasefold {

/// Looks at 32 bytes at once.
struct WideLook {
    using Step = PlainReader::Step;

    /// Whether the text at `at`, of which `longest_step` bytes may be read, begins with that of the step.
    static PHASEFOLD_INLINE bool matches(const Step &step, const uint8_t *at) {
        const __m256i text = _mm256_load_si256(reinterpret_cast<const __m256i *>(step.text));
        return (~uint32_t(_mm256_movemask_epi8(_mm256_cmpeq_epi8(text, load(at)))) & step.bytes) == 0;
    }

    /// To behind the plain ASCII from `at` on, or to the end of what is looked at: 32 bytes and one more.
    static PHASEFOLD_INLINE const uint8_t *end_of_ascii(const uint8_t *at) {
        const __m256i block = load(at);
        // The quote becomes the first byte behind the control characters.
        const __m256i shifted = _mm256_xor_si256(block, _mm256_set1_epi8(quote_shift));
        const __m256i low = _mm256_cmpgt_epi8(_mm256_set1_epi8(0x21), shifted);
        const __m256i marks = _mm256_or_si256(low, _mm256_cmpeq_epi8(block, _mm256_set1_epi8('\\')));
        return at + _tzcnt_u32(uint32_t(_mm256_movemask_epi8(marks)));
    }

    /// The value of the `count` digits at `at`, 1 to 15 of them; sixteen bytes may be read.
    static PHASEFOLD_INLINE uint64_t value_of_digits(Step &, const uint8_t *at, uint32_t count) {
        alignas(32) static constexpr uint8_t places[32] = {
            0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
            0,    1,    2,    3,    4,    5,    6,    7,    8,    9,    10,   11,   12,   13,   14,   15,
        };
        const __m128i values = _mm_and_si128(load_block(at), _mm_set1_epi8(0x0F));
        // To the end of the block, with zeros in front.
        const __m128i digits = _mm_shuffle_epi8(values, load_block(places + count));
        const __m128i pairs = _mm_maddubs_epi16(digits, _mm_set1_epi16(0x010A));
        const __m128i fours = _mm_madd_epi16(pairs, _mm_set1_epi32(0x00010064));
        const __m128i packed = _mm_packus_epi32(fours, fours);
        const __m128i eights = _mm_madd_epi16(packed, _mm_set1_epi32(0x00012710));
        const auto both = uint64_t(_mm_cvtsi128_si64(eights));
        return (both & UINT32_MAX) * 100000000 + (both >> 32);
    }

private:
    static PHASEFOLD_INLINE __m256i load(const uint8_t *at) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i *>(at));
    }
};

const uint8_t *PlainReader::read_wide(const uint8_t *at, pfj_object &object, unsigned depth) {
    return read_by<WideLook>(at, object, depth);
}

}  // namespace phasefold

#pragma clang attribute pop

namespace phasefold {

void PlainReader::look_wide(bool is_wanted) {
    is_wide = is_wanted && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi")
        && __builtin_cpu_supports("bmi2");
}

}  // namespace phasefold

#else

namespace phasefold {

void PlainReader::look_wide(bool) {}

const uint8_t *PlainReader::read_wide(const uint8_t *, pfj_object &, unsigned) { return nullptr; }

}  // namespace phasefold

#endif
