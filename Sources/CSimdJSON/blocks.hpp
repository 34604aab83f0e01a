// Bytes of text, sixteen at once. Bit n of a result stands for byte n.
#ifndef PHASEFOLD_BLOCKS_HPP
#define PHASEFOLD_BLOCKS_HPP

#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/// Never a function by itself: files for different machines include it.
#define PHASEFOLD_INLINE inline __attribute__((always_inline))

namespace phasefold {

/// How many bytes one look at a text takes in.
constexpr uint32_t block_size = 16;

#if defined(__SSE2__)

typedef __m128i Block;

PHASEFOLD_INLINE Block load_block(const uint8_t *at) { return _mm_loadu_si128(reinterpret_cast<const __m128i *>(at)); }

/// Where 16 divides the address.
PHASEFOLD_INLINE Block load_aligned_block(const uint8_t *at) {
    return _mm_load_si128(reinterpret_cast<const __m128i *>(at));
}

PHASEFOLD_INLINE Block fill_block(uint8_t byte) { return _mm_set1_epi8(char(byte)); }

PHASEFOLD_INLINE uint32_t mask_of(Block block) { return uint32_t(_mm_movemask_epi8(block)); }

/// All bits of a byte are set where the bytes are equal, none where not; so below.
PHASEFOLD_INLINE Block equal(Block one, Block other) { return _mm_cmpeq_epi8(one, other); }

/// By value without a sign.
PHASEFOLD_INLINE Block at_most(Block block, Block limit) { return _mm_cmpeq_epi8(_mm_min_epu8(block, limit), block); }

/// By value with a sign: a byte from 0x80 on is less than any other.
PHASEFOLD_INLINE Block less_signed(Block block, Block limit) { return _mm_cmplt_epi8(block, limit); }

PHASEFOLD_INLINE Block plus(Block block, Block other) { return _mm_add_epi8(block, other); }

#else

typedef uint8_t Block __attribute__((vector_size(16)));
typedef int8_t SignedBlock __attribute__((vector_size(16)));

PHASEFOLD_INLINE Block load_block(const uint8_t *at) {
    Block block;
    memcpy(&block, at, sizeof block);
    return block;
}

PHASEFOLD_INLINE Block load_aligned_block(const uint8_t *at) { return load_block(at); }

PHASEFOLD_INLINE Block fill_block(uint8_t byte) { return Block{} + byte; }

PHASEFOLD_INLINE uint32_t mask_of(Block block) {
    uint32_t mask = 0;
    for (uint32_t index = 0; index < block_size; index++) mask |= uint32_t(block[index] >> 7) << index;
    return mask;
}

PHASEFOLD_INLINE Block equal(Block one, Block other) { return Block(one == other); }

PHASEFOLD_INLINE Block at_most(Block block, Block limit) { return Block(block <= limit); }

PHASEFOLD_INLINE Block less_signed(Block block, Block limit) { return Block(SignedBlock(block) < SignedBlock(limit)); }

PHASEFOLD_INLINE Block plus(Block block, Block other) { return block + other; }

#endif

/// Turns the quote into a blank, and leaves the control characters what they are; so all beyond ASCII.
constexpr uint8_t quote_shift = '"' ^ ' ';

/// What ends a run of plain ASCII within a string: a quote, a backslash, a control character, what is beyond ASCII.
PHASEFOLD_INLINE uint32_t ends_of_ascii(Block block) {
    // The quote becomes the first byte behind the control characters.
    const Block low = less_signed(block ^ fill_block(quote_shift), fill_block(0x21));
    return mask_of(low | equal(block, fill_block('\\')));
}

/// What ends a run of text within a string: a quote, a backslash, a control character.
PHASEFOLD_INLINE uint32_t ends_of_text(Block block) {
    const Block marks = equal(block, fill_block('"')) | equal(block, fill_block('\\'));
    return mask_of(marks | at_most(block, fill_block(0x1F)));
}

/// How many of the bytes are digits before the first one that is none.
PHASEFOLD_INLINE uint32_t leading_digits(Block block) {
    // '0' becomes the least signed byte.
    const Block shifted = plus(block, fill_block(0x80 - '0'));
    return uint32_t(__builtin_ctz(~mask_of(less_signed(shifted, fill_block(0x80 + 10)))));
}

/// Which bytes are the same in both places; 16 divides the first address.
PHASEFOLD_INLINE uint32_t same_bytes(const uint8_t *aligned, const uint8_t *other) {
    return mask_of(equal(load_block(other), load_aligned_block(aligned)));
}

/// The value of eight digits, each without its '0': the first one in the lowest byte.
PHASEFOLD_INLINE uint64_t value_of_eight(uint64_t digits) {
    const uint64_t pairs = digits * 10 + (digits >> 8);
    const uint64_t low = (pairs & 0x000000FF000000FF) * 0x000F424000000064;
    const uint64_t high = (pairs >> 16 & 0x000000FF000000FF) * 0x0000271000000001;
    return (low + high) >> 32;
}

}  // namespace phasefold

#endif
