// JSON for telemetry: one call gives the known fields of one object, in place.
//
// The first pass (UTF-8, strings, where each token begins) is simdjson's, with the widest instructions that the
// machine has; the second one walks those tokens here. It accepts exactly what RFC 8259 does, but for texts that
// no UTF-8 can hold (escaped lone surrogates): they are invalid.
#ifndef PHASEFOLD_CSIMDJSON_H
#define PHASEFOLD_CSIMDJSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The deepest nesting that is read: brackets open at once, the outermost one included.
#define PFJ_DEPTH_LIMIT 64

/// The fields that are known. Their names stand in `walk.cpp`.
typedef enum : uint32_t {
    PFJ_DEVICE_ID,
    PFJ_APP_ID,
    PFJ_EVENT,
    PFJ_TS,
    PFJ_SEQ,
    PFJ_PROCESS_ID,
    PFJ_SESSION_ID,
    PFJ_BOOT_ID,
    PFJ_MONO_MS,
    PFJ_SENT_TS,
    PFJ_EVENT_ID,
    PFJ_SCOPE,
    PFJ_INSTANCE,
    PFJ_CLASS,
    PFJ_PLATFORM,
    PFJ_APP_VERSION,
    PFJ_OS_VERSION,
    PFJ_DEVICE_MODEL,
    PFJ_REASON,
    PFJ_RESOURCE,
    PFJ_EXIT_REASON,
    PFJ_HANDLER_MS,
    PFJ_PREWARM,
    PFJ_BRIDGED,
    PFJ_RX_TS,
    /// Not of an event: the object is an OpenTelemetry request.
    PFJ_RESOURCE_LOGS,
    PFJ_RESOURCE_SPANS,
    PFJ_RESOURCE_METRICS,
    PFJ_FIELD_COUNT
} pfj_field;

typedef enum : uint32_t {
    PFJ_STRING,
    /// Digits with or without a minus sign, within 64 bits.
    PFJ_INTEGER,
    /// Every other number.
    PFJ_NUMBER,
    PFJ_TRUE,
    PFJ_FALSE,
    /// An object; `integer` is its token.
    PFJ_CONTAINER,
    /// An array; `integer` is its token.
    PFJ_LIST,
    /// Only among members and items.
    PFJ_NULL
} pfj_kind;

/// How many bytes may be read from where a string begins, however long it is.
#define PFJ_READABLE 16

/// The longest string that the short way tells as a short one, in bytes.
#define PFJ_SHORT_TEXT 64

/// A field's value. Its bytes live as long as the text that was opened, and until the next one is.
typedef struct {
    /// Of a string: its text without escapes, `PFJ_READABLE` bytes at least; of a number but a short integer: as it was
    /// written.
    const uint8_t *bytes;
    int64_t integer;
    uint32_t length;
    pfj_kind kind;
} pfj_value;

/// The kind and, in the lower half, the length: of two strings that of the shorter one is less, of all else it is more.
static inline uint64_t pfj_form(const pfj_value *value) {
    return (uint64_t)value->kind << 32 | value->length;
}

/// The known fields of one object.
typedef struct {
    /// Bit `1 << field` where `values[field]` is set: the last one of that name, and not null.
    uint32_t present;
    /// Those of them that the short way found to be strings of at most `PFJ_SHORT_TEXT` bytes; others may be too.
    uint32_t short_texts;
    /// Those of them that the short way found to be integers from 0 to below 10¹⁵; others may be too.
    uint32_t short_numbers;
    /// The short way alone tells: nothing but blanks is behind the object.
    bool is_last;
    /// By field; they may be changed.
    pfj_value *values;
} pfj_object;

typedef enum : uint32_t {
    /// An object was read.
    PFJ_OBJECT,
    /// A valid value that is no object.
    PFJ_NOT_AN_OBJECT,
    /// Nothing is left, and all of the text was valid.
    PFJ_END,
    PFJ_INVALID,
    PFJ_TOO_DEEP,
    /// No memory for the tokens of so long a text.
    PFJ_NO_MEMORY,
    /// The short way does not lead through this text: open it anew for the full one.
    PFJ_NOT_PLAIN
} pfj_status;

/// Sixteen bytes of ones before sixteen of zeros.
static const uint8_t pfj_ones_and_zeros[32] = {
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
};

static inline uint64_t pfj_mix(uint64_t one, uint64_t other) {
    const unsigned __int128 product =
        (unsigned __int128)(one ^ 0x9E3779B97F4A7C15u) * (other ^ 0xC2B2AE3D27D4EB4Fu);
    return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

/// Of a string of more than 16 bytes; see `pfj_digest`.
uint64_t pfj_long_digest(const uint8_t *bytes, uint32_t length);

/// 64 bits of a string, by which it is known again within this process.
static inline uint64_t pfj_digest(const pfj_value *value) {
    if (value->length > 16) return pfj_long_digest(value->bytes, value->length);
    // What stands behind it counts as zeros, and its length tells it from one with zeros at its end: no step depends
    // on the length.
    const uint8_t *mask = pfj_ones_and_zeros + 16 - value->length;
    uint64_t low, high, low_mask, high_mask;
    __builtin_memcpy(&low, value->bytes, 8);
    __builtin_memcpy(&high, value->bytes + 8, 8);
    __builtin_memcpy(&low_mask, mask, 8);
    __builtin_memcpy(&high_mask, mask + 8, 8);
    return pfj_mix(low & low_mask, high & high_mask) + value->length;
}

typedef struct pfj_parser pfj_parser;

/// A parser that reads one text after another; null where there is no memory.
pfj_parser *pfj_create(void);
void pfj_destroy(pfj_parser *parser);

/// Begins a text: an object, or an array of objects. It must stay in place and unchanged until the last one is read.
///
/// - Returns: `PFJ_OBJECT` where `pfj_next` shall be called, `PFJ_END` where the text is blank.
pfj_status pfj_open(pfj_parser *parser, const uint8_t *text, size_t length);

/// Whether the text that was opened is an array.
bool pfj_is_array(const pfj_parser *parser);

/// Reads the next object. What came before an invalid place was read all the same: the caller takes it back.
pfj_status pfj_next(pfj_parser *parser, pfj_object *object);

/// Checks the whole of the text that was opened, so that it can be gone through in any order from its token 0.
///
/// - Returns: `PFJ_OBJECT` where it is one object.
pfj_status pfj_check(pfj_parser *parser);

/// The member of an object at `token`, which is the object's own and 1 for the first; moves it on to the next one.
/// False behind the last one. Only after `pfj_check`, in a text that is valid; values stay until the next text.
bool pfj_next_member(pfj_parser *parser, uint32_t *token, pfj_value *key, pfj_value *value);

/// The item of an array, likewise.
bool pfj_next_item(pfj_parser *parser, uint32_t *token, pfj_value *value);

/// Reads the first object of a text the short way: of an object, an array of objects, or objects line by line, whose
/// known fields are plain and without escapes. Several times as fast, and the same objects as on the full way or
/// `PFJ_NOT_PLAIN`.
///
/// - Returns: `PFJ_END` where there is no object and all is valid.
pfj_status pfj_open_plain(pfj_parser *parser, const uint8_t *text, size_t length, pfj_object *object);

/// Reads the next object of a text that was opened with `pfj_open_plain`, unless the one before was the last.
pfj_status pfj_next_plain(pfj_parser *parser, pfj_object *object);

/// Reads the line that begins at `from` the short way: one object from its first byte to the line feed, before which a
/// carriage return may stand. `end` is behind the last line.
///
/// - Returns: `PFJ_OBJECT` where `behind` is set to behind the line feed, and the object is no request of
///   OpenTelemetry; else `PFJ_NOT_PLAIN`, and nothing is known about the line.
pfj_status pfj_read_line(
    pfj_parser *parser, const uint8_t *from, const uint8_t *end, pfj_object *object, const uint8_t **behind);

/// Whether the short way looks at as many bytes at once as the machine can (it does from the start), or at 16, as on
/// machines that can no more: the objects are the same.
void pfj_look_wide(pfj_parser *parser, bool is_wanted);

/// Whether these bytes are UTF-8.
bool pfj_is_utf8(const uint8_t *bytes, size_t length);

#ifdef __cplusplus
}
#endif

#endif
