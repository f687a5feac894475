/* SPDX-License-Identifier: MIT */
/* Encodes the tokens of STATISTICAL blocks. */
#include "format/statistical_encode.h"

#include <string.h>

void statistical_encoder_init(statistical_encoder *encoder, encode_buffer *buffer, const dialect_rules *rules)
{
	const statistical_tags *tags =
		statistical_tags_get(rules->has_sample_counts ? STATISTICAL_LAYOUT_COUNTED : STATISTICAL_LAYOUT_STACKS);

	memset(encoder, 0, sizeof(*encoder));
	encoder->buffer = buffer;
	encoder->bits = tags->bits;
	for (uint32_t tag = 1; tag < STATISTICAL_MAX_TAGS; tag++)
		encoder->tags[tags->tokens[tag]] = (uint8_t)tag;
}

static void put_token(statistical_encoder *encoder, statistical_token token, uint64_t argument)
{
	encode_varint(encoder->buffer, argument << encoder->bits | encoder->tags[token]);
}

static void put_text(statistical_encoder *encoder, const char *text)
{
	encode_string(encoder->buffer, text, strlen(text));
}

/* Original readers decode these as numbers of 32 bits. */
static void put_clamped_to_32_bits(statistical_encoder *encoder, uint64_t number)
{
	encode_varint(encoder->buffer, number < UINT32_MAX ? number : UINT32_MAX);
}

void statistical_encode_begin(statistical_encoder *encoder, const block_encoding *encoding, const mprof_clock *start)
{
	block_encode_begin(encoder->buffer, encoding, MPROF_BLOCK_STATISTICAL);
	encode_clock(encoder->buffer, start);
}

void statistical_encode_end(statistical_encoder *encoder, const mprof_clock *end)
{
	encode_varint(encoder->buffer, 0);
	encode_clock(encoder->buffer, end);
}

void statistical_encode_method(statistical_encoder *encoder, uint32_t method)
{
	put_token(encoder, STATISTICAL_TOKEN_METHOD, method);
}

void statistical_encode_function(statistical_encoder *encoder, uint32_t function)
{
	put_token(encoder, STATISTICAL_TOKEN_FUNCTION, function);
}

void statistical_encode_new_function(statistical_encoder *encoder, uint32_t module, uint32_t function, const char *name)
{
	put_token(encoder, STATISTICAL_TOKEN_NEW_FUNCTION, module);
	encode_varint(encoder->buffer, function);
	put_text(encoder, name);
}

void statistical_encode_counted(statistical_encoder *encoder, uint32_t function, const char *name, uint64_t samples)
{
	put_token(encoder, STATISTICAL_TOKEN_COUNTED, function);
	if (name != NULL) {
		encode_varint(encoder->buffer, 0);
		put_text(encoder, name);
	}
	put_clamped_to_32_bits(encoder, samples);
}

void statistical_encode_location(statistical_encoder *encoder, uint32_t module, uint64_t value)
{
	put_token(encoder, STATISTICAL_TOKEN_LOCATION, module);
	encode_varint(encoder->buffer, value);
}

void statistical_encode_callers(statistical_encoder *encoder, size_t callers)
{
	put_token(encoder, STATISTICAL_TOKEN_CALLERS, callers);
}

void statistical_encode_modules_begin(statistical_encoder *encoder)
{
	put_token(encoder, STATISTICAL_TOKEN_MODULES, 0);
	encode_varint(encoder->buffer, 0);
}

void statistical_encode_module(statistical_encoder *encoder, const mprof_record *module)
{
	encode_varint(encoder->buffer, module->id);
	encode_varint(encoder->buffer, module->as.module.address);
	put_clamped_to_32_bits(encoder, module->as.module.size);
	put_clamped_to_32_bits(encoder, module->as.module.file_offset);
	put_text(encoder, module->as.module.file);
}

void statistical_encode_modules_end(statistical_encoder *encoder)
{
	encode_varint(encoder->buffer, 0);
}
