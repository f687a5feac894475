/* SPDX-License-Identifier: MIT */
#include "format/hits_encode.h"

#include <string.h>

void hits_encoder_init(hits_encoder *hits, encode_buffer *buffer, const dialect_rules *rules)
{
	const hit_token_form *form =
		hit_token_form_get(rules->has_sample_counts ? HITS_FORM_COUNTED : HITS_FORM_CHAINED);

	memset(hits, 0, sizeof(*hits));
	hits->buffer = buffer;
	hits->bits = form->bits;
	for (uint32_t value = 1; value < HIT_TOKENS_MOST; value++)
		hits->values[form->tokens[value]] = (uint8_t)value;
}

static void put_token(hits_encoder *hits, hit_token token, uint64_t argument)
{
	encode_varint(hits->buffer, argument << hits->bits | hits->values[token]);
}

static void put_text(hits_encoder *hits, const char *text)
{
	encode_string(hits->buffer, text, strlen(text));
}

/* Original readers take these as numbers of 32 bits. */
static void put_at_most_32_bits(hits_encoder *hits, uint64_t number)
{
	encode_varint(hits->buffer, number < UINT32_MAX ? number : UINT32_MAX);
}

void hits_encode_begin(hits_encoder *hits, const block_encoding *encoding, const mprof_clock *start)
{
	block_encode_begin(hits->buffer, encoding, MPROF_BLOCK_STATISTICAL);
	encode_clock(hits->buffer, start);
}

void hits_encode_end(hits_encoder *hits, const mprof_clock *end)
{
	encode_varint(hits->buffer, 0);
	encode_clock(hits->buffer, end);
}

void hits_encode_method(hits_encoder *hits, uint32_t method)
{
	put_token(hits, HIT_TOKEN_METHOD, method);
}

void hits_encode_function(hits_encoder *hits, uint32_t function)
{
	put_token(hits, HIT_TOKEN_FUNCTION, function);
}

void hits_encode_new_function(hits_encoder *hits, uint32_t module, uint32_t function, const char *name)
{
	put_token(hits, HIT_TOKEN_NEW_FUNCTION, module);
	encode_varint(hits->buffer, function);
	put_text(hits, name);
}

void hits_encode_counted(hits_encoder *hits, uint32_t function, const char *name, uint64_t samples)
{
	put_token(hits, HIT_TOKEN_COUNTED, function);
	if (name != NULL) {
		encode_varint(hits->buffer, 0);
		put_text(hits, name);
	}
	put_at_most_32_bits(hits, samples);
}

void hits_encode_place(hits_encoder *hits, uint32_t module, uint64_t value)
{
	put_token(hits, HIT_TOKEN_PLACE, module);
	encode_varint(hits->buffer, value);
}

void hits_encode_chain(hits_encoder *hits, size_t callers)
{
	put_token(hits, HIT_TOKEN_CHAIN, callers);
}

void hits_encode_modules_begin(hits_encoder *hits)
{
	put_token(hits, HIT_TOKEN_MODULES, 0);
	encode_varint(hits->buffer, 0);
}

void hits_encode_module(hits_encoder *hits, const mprof_record *module)
{
	encode_varint(hits->buffer, module->id);
	encode_varint(hits->buffer, module->as.module.address);
	put_at_most_32_bits(hits, module->as.module.size);
	put_at_most_32_bits(hits, module->as.module.file_offset);
	put_text(hits, module->as.module.file);
}

void hits_encode_modules_end(hits_encoder *hits)
{
	encode_varint(hits->buffer, 0);
}
