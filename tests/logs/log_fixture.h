/* SPDX-License-Identifier: MIT */
/**
 * \file log_fixture.h
 * \brief Logs to read in tests, and what was read as numbers to compare.
 */
#ifndef LOG_FIXTURE_H
#define LOG_FIXTURE_H

#include <mprof/reader.h>
#include <mprof/writer.h>

/** The bytes of a log. Free with log_free(). */
typedef struct log_bytes {
	uint8_t *bytes;
	size_t length;
} log_bytes;

/** All directives that mprof2 has. */
#define FIXTURE_ALL_DIRECTIVES                                                                                         \
	(MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER) |                                                      \
	 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT) | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ELEMENT_IDS) |   \
	 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ASSEMBLY_IDS) | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_METHOD_FLAGS) |       \
	 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE) | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS) |  \
	 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_CLASS_SIZES) | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID) | \
	 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_DETAILED_EVENTS) | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_MEMORY_EVENTS) |   \
	 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_STACK_SWITCHES))

/** Events in each EVENTS block of the logs that log_make() makes. */
#define FIXTURE_BLOCK_EVENTS 200

/**
 * Makes a closed log with blocks of all kinds that the mail has, in mprof2 with SESSION, THREAD and LOST. Its classes
 * are 1 to 20, its methods 1 to 40 (of class n / 2), the first half defined in front of the first of its two EVENTS
 * blocks. Its clock gives a counter of 1000 a microsecond.
 */
log_bytes log_make(mprof_dialect dialect, uint64_t directives);

/** The same, compressed. The library has zlib. */
log_bytes log_make_compressed(mprof_dialect dialect, uint64_t directives);

/**
 * Makes a log of the blocks of mprof2 that are not in the first one: samples, call chains, native code, figures,
 * remarks, roots, and parts of two heap shots. Directives may be any.
 */
log_bytes log_make_more(uint64_t directives);

/** The same, compressed. */
log_bytes log_make_more_compressed(uint64_t directives);

/** What blocks log_make_more() has, by number, with directives. */
enum {
	MORE_INTRO,
	MORE_DIRECTIVES,
	MORE_MAPPING,
	MORE_CODE,
	MORE_STACKS,
	MORE_SAMPLES,
	MORE_ROOTS,
	MORE_METRICS,
	MORE_MARK,
	MORE_HEAP,
	MORE_SUMMARY,
	MORE_SECOND_CODE,
	MORE_SECOND_STACKS,
	MORE_SECOND_SAMPLES,
	MORE_SECOND_METRICS,
	MORE_MEMORY,    /**< Of logs with directive 23 alone. */
	MORE_WATERMARK, /**< The same. */
	MORE_SECOND_HEAP,
	MORE_END,
	MORE_COUNT
};

/** Reads the log that was made of tests/data/NAME.desc. */
log_bytes log_from_data(const char *name);

/** Reads a whole file. */
log_bytes log_from_file(const char *path);

void log_free(log_bytes *log);

/** Where the n-th block starts, counted from 0; the length of the log if there are n blocks. By headers of 6 bytes. */
size_t log_block_offset(const log_bytes *log, size_t n);

/** How many blocks there are. */
size_t log_block_count(const log_bytes *log);

/** Makes the checksum of the n-th block right again. */
void log_sign_block(log_bytes *log, size_t n);

/** A parser or a reader to fetch from; the other is NULL. */
typedef struct log_input {
	mprof_parser *parser;
	mprof_reader *reader;
} log_input;

mprof_status log_input_events(const log_input *input, mprof_event *events, size_t capacity, size_t *count);
mprof_status log_input_mappings(const log_input *input, mprof_mapping *mappings, size_t capacity, size_t *count);
mprof_status log_input_records(const log_input *input, mprof_record *records, size_t capacity, size_t *count);
mprof_status log_input_property(const log_input *input, const char **key, const char **value);
mprof_error log_input_error(const log_input *input);

/** What reading has given, so far. */
typedef struct log_digest {
	uint64_t hash;   /**< Of all fields of all blocks, events, definitions and facts, in order. */
	uint64_t blocks; /**< Whole ones. */
	uint64_t events; /**< Also of blocks that are cut. */
	uint64_t mappings;
	uint64_t records;
	uint64_t properties;
	uint64_t faults;   /**< Errors that were passed by. */
	mprof_error first; /**< The first error; its status is #MPROF_OK if there was none. */
	mprof_status last; /**< What ended reading. */
} log_digest;

/** Makes the index and goes to the start. The entries are valid until the next call. */
const mprof_index_entry *log_index(mprof_reader *reader, size_t *count);

/** Feeds a log to a parser in pieces of \p chunk bytes (0: all at once), and takes all blocks. */
void log_digest_parse(log_digest *digest, const log_bytes *log, size_t chunk, const mprof_parser_options *options);

/** Takes all blocks of a reader, from where it is. */
void log_digest_read(log_digest *digest, mprof_reader *reader);

/** The error of a parser or a reader. */
mprof_error parser_error_of(const mprof_parser *parser);
mprof_error reader_error_of(const mprof_reader *reader);

#endif
