/* SPDX-License-Identifier: MIT */
/**
 * \file log_output.h
 * \brief Primitives and headers of all dialects, for build_logs.c. Implemented only from doc/format.md and
 * doc/dialects.md, independently of the library, so that each verifies the other.
 */
#ifndef DATA_LOG_OUTPUT_H
#define DATA_LOG_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

/** One more than the highest named code. */
#define LOG_CODES 64

/** The encoding rules common to all blocks of a dialect. */
typedef struct log_rules {
	const char *name;
	size_t header_length;
	int has_fixed_ints;
	int has_checksums;
	const char *const *block_names; /**< Indexed by code, LOG_CODES entries; NULL for an unused code. */
} log_rules;

/** A log being built. Initialize it to 0, then set rules. Ends the program if out of memory. */
typedef struct log_output {
	const log_rules *rules;
	uint8_t *bytes;
	size_t length;
	size_t room;
	size_t block; /**< Offset of the open block. */
	int is_open;
	int is_later; /**< A block has been written already. */
	uint64_t header_counter;
	uint64_t previous_header_counter;
	/* Values of a description that replace the correct ones of the open block. */
	int has_length;
	uint32_t said_length;
	int has_delta;
	uint32_t said_delta;
	int has_checksum;
	uint32_t said_checksum;
	int has_no_checksum;
} log_output;

/** Returns the rules of a dialect; NULL if it does not exist. */
const log_rules *log_rules_find(const char *dialect);

/** Returns the code of a block; 0 if the dialect has no such block. */
uint32_t log_rules_code(const log_rules *rules, const char *block);

void log_output_byte(log_output *out, uint8_t byte);
void log_output_int(log_output *out, uint64_t value);

/** Writes a number that writers store in 32 bits. */
void log_output_id(log_output *out, uint32_t value);

/** Writes a CLOCK. The last one of a block determines the time delta in its header. */
void log_output_clock(log_output *out, uint64_t counter, uint64_t time);

/** Closes the open block, if there is one, and opens a block. */
void log_output_begin(log_output *out, uint32_t code);

/**
 * Closes the open block, if there is one, and sets length, delta and checksum to the correct values or those of the
 * description.
 */
void log_output_end(log_output *out);

#endif
