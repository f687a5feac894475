/* SPDX-License-Identifier: MIT */
/**
 * \file log_output.h
 * \brief Primitives and headers of all dialects, for build_logs.c. Made from doc/format.md and doc/dialects.md alone,
 * and apart from the library, so that each proves the other.
 */
#ifndef LOG_OUTPUT_H
#define LOG_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

/** More than the highest code that has a name. */
#define LOG_CODES 42

/** What a dialect has in common to all its blocks. */
typedef struct log_rules {
	const char *name;
	size_t header_length;
	int has_fixed_ints;
	int has_checksums;
	const char *const *block_names; /**< By code, LOG_CODES of them; NULL for a code that is not used. */
} log_rules;

/** A log being put together. Set to 0, then set rules. Ends the program if there is no memory. */
typedef struct log_output {
	const log_rules *rules;
	uint8_t *bytes;
	size_t length;
	size_t room;
	size_t block; /**< Where the open block starts. */
	int is_open;
	int is_later; /**< A block was written before. */
	uint64_t header_counter;
	uint64_t previous_header_counter;
	/* What a description says about the open block instead of what is right. */
	int has_length;
	uint32_t said_length;
	int has_delta;
	uint32_t said_delta;
	int has_checksum;
	uint32_t said_checksum;
	int has_no_checksum;
} log_output;

/** NULL if there is no such dialect. */
const log_rules *log_rules_find(const char *dialect);

/** 0 if the dialect has no such block. */
uint32_t log_rules_code(const log_rules *rules, const char *block);

void log_output_byte(log_output *out, uint8_t byte);
void log_output_int(log_output *out, uint64_t value);

/** A number that the writers keep in 32 bits. */
void log_output_id(log_output *out, uint32_t value);

/** A CLOCK. The header tells when a block was written by its last one. */
void log_output_clock(log_output *out, uint64_t counter, uint64_t time);

/** Opens a block, after the open one is closed. */
void log_output_begin(log_output *out, uint32_t code);

/** Closes the open block, if there is one: length, delta and checksum become right, or what the description says. */
void log_output_end(log_output *out);

#endif
