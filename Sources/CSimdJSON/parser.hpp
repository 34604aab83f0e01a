// What a parser holds and does; the faces in C are in `CSimdJSON.cpp`.
#ifndef PHASEFOLD_PARSER_HPP
#define PHASEFOLD_PARSER_HPP

#include <simdjson.h>

#include <memory>

#include "CSimdJSON.h"
#include "plain.hpp"

struct pfj_parser {
    std::unique_ptr<simdjson::internal::dom_parser_implementation> stages;
    const uint8_t *text = nullptr;
    size_t length = 0;
    /// Where each token begins, and the length of the text behind the last one.
    const uint32_t *tokens = nullptr;
    uint32_t count = 0;
    /// The next token.
    uint32_t at = 0;
    bool is_array = false;
    bool has_escapes = false;
    /// Strings without their escapes, each where it stands in the text: it only becomes shorter. Behind them more bytes
    /// are readable, as of all strings.
    std::unique_ptr<uint8_t[]> plain;
    size_t plain_capacity = 0;
    /// Strings without escapes that begin in the last bytes of the text, where too few are readable.
    uint8_t tail[2 * PFJ_READABLE] = {};
    /// By the token of a container, the token behind it.
    std::unique_ptr<uint32_t[]> ends;
    size_t ends_capacity = 0;
    bool keeps_ends = false;
    uint32_t present = 0;
    /// The last one is of fields that are not known.
    pfj_value values[PFJ_FIELD_COUNT + 1];

    /// The short way: the reader, and what it has read of the text.
    phasefold::PlainReader plain_reader;
    const uint8_t *plain_at = nullptr;
    const uint8_t *plain_end = nullptr;
    bool is_first_plain = true;
    /// A text is copied here where bytes behind its end may not be readable.
    std::unique_ptr<uint8_t[]> padded;
    size_t padded_capacity = 0;

    const uint8_t *pad(const uint8_t *text, size_t length);
    pfj_status begin_plain();
    pfj_status read_plain(pfj_object &object);
    pfj_status pass_plain_mark(const uint8_t *from, pfj_object &object);

    bool reserve();
    pfj_status index();
    pfj_status read_element(unsigned depth);
    pfj_status read_object(unsigned depth);
    pfj_status read_field(unsigned depth);
    pfj_status read_value(pfj_value &value, bool &is_null, unsigned depth);
    pfj_status pass_container(unsigned depth);
    bool read_string(pfj_value &value);
    bool read_literal(const char *word, size_t size);
    bool pass_key();
    pfj_status check();
    bool take_value(pfj_value &value);
    uint32_t key_field(const pfj_value &key) const;

    /// The first byte of a token; 0, which begins none, behind the last one.
    uint8_t first(uint32_t token) const { return token < count ? text[tokens[token]] : 0; }
};

#endif
