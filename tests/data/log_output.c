/* SPDX-License-Identifier: MIT */
#include "log_output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONG_HEADER 10

static const char *const names_of_mail[LOG_CODES] = {
	[1] = "INTRO",  [2] = "LOADED",      [3] = "UNLOADED", [4] = "MAPPING",
	[5] = "EVENTS", [6] = "STATISTICAL", [7] = "END",
};

static const char *const names_of_mono[LOG_CODES] = {
	[1] = "INTRO",  [2] = "END",         [3] = "MAPPING",   [4] = "LOADED",       [5] = "UNLOADED",
	[6] = "EVENTS", [7] = "STATISTICAL", [8] = "HEAP_DATA", [9] = "HEAP_SUMMARY", [10] = "DIRECTIVES",
};

static const char *const names_of_mprof2[LOG_CODES] = {
	[1] = "INTRO",       [2] = "LOADED",   [3] = "UNLOADED",  [4] = "MAPPING",      [5] = "EVENTS",
	[6] = "STATISTICAL", [7] = "END",      [8] = "HEAP_DATA", [9] = "HEAP_SUMMARY", [10] = "DIRECTIVES",
	[32] = "SESSION",    [33] = "THREAD",  [34] = "LOST",     [35] = "SAMPLES",     [36] = "STACKS",
	[37] = "CODE",       [38] = "METRICS", [39] = "MARK",     [40] = "ROOTS",       [41] = "WATERMARK",
	[42] = "FIELDS",     [46] = "TYPES",   [47] = "TEXTS",    [52] = "POSITIONS",
};

static const log_rules dialects[] = {
	{"mail", 6, 0, 0, names_of_mail},
	{"drop", 6, 0, 0, names_of_mono},
	{"mono", LONG_HEADER, 0, 0, names_of_mono},
	{"unity", LONG_HEADER, 0, 0, names_of_mono},
	{"unity-fixed", LONG_HEADER, 1, 0, names_of_mono},
	{"mprof2", 6, 0, 1, names_of_mprof2},
};

const log_rules *log_rules_find(const char *dialect)
{
	for (size_t i = 0; i < sizeof(dialects) / sizeof(dialects[0]); i++) {
		if (strcmp(dialects[i].name, dialect) == 0)
			return &dialects[i];
	}
	return NULL;
}

uint32_t log_rules_code(const log_rules *rules, const char *block)
{
	for (uint32_t code = 0; code < LOG_CODES; code++) {
		if (rules->block_names[code] != NULL && strcmp(rules->block_names[code], block) == 0)
			return code;
	}
	return 0;
}

void log_output_byte(log_output *out, uint8_t byte)
{
	if (out->length == out->room) {
		out->room = out->room * 2 + 4096;
		out->bytes = realloc(out->bytes, out->room);
		if (out->bytes == NULL) {
			fprintf(stderr, "log_output: out of memory\n");
			exit(1);
		}
	}
	out->bytes[out->length++] = byte;
}

static void put_little_endian(log_output *out, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		log_output_byte(out, (uint8_t)(value >> i * 8));
}

static void put_groups(log_output *out, uint64_t value)
{
	for (; value >= 128; value >>= 7)
		log_output_byte(out, value & 127);
	log_output_byte(out, (uint8_t)(value | 128));
}

void log_output_int(log_output *out, uint64_t value)
{
	if (out->rules->has_fixed_ints)
		put_little_endian(out, value, 8);
	else
		put_groups(out, value);
}

void log_output_id(log_output *out, uint32_t value)
{
	if (out->rules->has_fixed_ints)
		put_little_endian(out, value, 4);
	else
		put_groups(out, value);
}

void log_output_clock(log_output *out, uint64_t counter, uint64_t time)
{
	log_output_int(out, counter);
	log_output_int(out, time);
	out->header_counter = counter;
}

void log_output_begin(log_output *out, uint32_t code)
{
	log_output_end(out);
	out->block = out->length;
	out->is_open = 1;
	out->has_length = 0;
	out->has_delta = 0;
	out->has_checksum = 0;
	out->has_no_checksum = 0;
	put_little_endian(out, code, 2);
	put_little_endian(out, 0, (unsigned)out->rules->header_length - 2);
}

static void set_32(log_output *out, size_t offset, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		out->bytes[offset + i] = (uint8_t)(value >> i * 8);
}

/* CRC-32C, computed bit by bit. */
static uint32_t checksum_of(const uint8_t *bytes, size_t length)
{
	uint32_t remainder = 0xffffffff;

	for (size_t i = 0; i < length; i++) {
		remainder ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			remainder = remainder >> 1 ^ ((remainder & 1) != 0 ? UINT32_C(0x82f63b78) : 0);
	}
	return ~remainder;
}

void log_output_end(log_output *out)
{
	size_t header = out->block + out->rules->header_length;
	int is_signed = out->rules->has_checksums && !out->has_no_checksum;
	uint32_t length = (uint32_t)(out->length - header + (is_signed ? 4 : 0));

	if (!out->is_open)
		return;
	out->is_open = 0;
	set_32(out, out->block + 2, out->has_length ? out->said_length : length);
	if (out->rules->header_length == LONG_HEADER) {
		uint32_t delta = (uint32_t)(out->is_later ? out->header_counter - out->previous_header_counter : 0);

		set_32(out, out->block + 6, out->has_delta ? out->said_delta : delta);
		out->previous_header_counter = out->header_counter;
		out->is_later = 1;
	}
	if (is_signed)
		put_little_endian(out,
				  out->has_checksum ? out->said_checksum
						    : checksum_of(out->bytes + out->block, out->length - out->block),
				  4);
}
