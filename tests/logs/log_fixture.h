/* SPDX-License-Identifier: MIT */
/**
 * \file log_fixture.h
 * \brief Makes logs for tests to read, and digests of what was read for comparison.
 */
#ifndef LOGS_LOG_FIXTURE_H
#define LOGS_LOG_FIXTURE_H

#include <mprof/reader.h>
#include <mprof/writer.h>

/** The bytes of a log. Free with log_free(). */
typedef struct log_bytes {
	uint8_t *bytes;
	size_t length;
} log_bytes;

/** All directives of mprof2. */
#define FIXTURE_ALL_DIRECTIVES                                                                                         \
	(MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER) |                                                      \
	 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT) | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ELEMENT_IDS) |   \
	 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ASSEMBLY_IDS) | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_METHOD_FLAGS) |       \
	 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE) | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS) |  \
	 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_CLASS_SIZES) | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID) | \
	 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_DETAILED_EVENTS) | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_MEMORY_EVENTS) |   \
	 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_STACK_SWITCHES) | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_REFERENCE_OFFSETS))

/** Events in each EVENTS block of the logs that log_make() makes. */
#define FIXTURE_BLOCK_EVENTS 200

/**
 * Makes a closed log with blocks of all kinds that mail has; in mprof2 also SESSION, THREAD and LOST. It has classes 1
 * to 20 and methods 1 to 40 (method n is of class n / 2); the first half is defined before the first of its two EVENTS
 * blocks. Its counter advances by 1000 per microsecond.
 */
log_bytes log_make(mprof_dialect dialect, uint64_t directives);

/** The same, compressed. The library needs zlib. */
log_bytes log_make_compressed(mprof_dialect dialect, uint64_t directives);

/**
 * Makes a log with the blocks of mprof2 that log_make() lacks: samples, call stacks, native code, metrics, markers,
 * roots, and parts of two heap snapshots. It may have any directives.
 */
log_bytes log_make_more(uint64_t directives);

/** The same, compressed. */
log_bytes log_make_more_compressed(uint64_t directives);

/** The blocks of log_make_more() by index, if it has directives. */
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
	MORE_MEMORY,    /**< Only with directive 23. */
	MORE_WATERMARK, /**< Only with directive 23. */
	MORE_SECOND_HEAP,
	MORE_END,
	MORE_COUNT
};

/** Reads the log that was made from tests/data/NAME.desc. */
log_bytes log_from_data(const char *name);

/** Reads a whole file. */
log_bytes log_from_file(const char *path);

/** Closes a writer that writes to memory. Returns what it wrote. */
log_bytes log_take(mprof_writer *writer);

void log_free(log_bytes *log);

/**
 * The offset of the block with index \p n, or the length of the log if it has n blocks. Headers must be 6 bytes long.
 */
size_t log_block_offset(const log_bytes *log, size_t n);

/** The number of blocks. */
size_t log_block_count(const log_bytes *log);

/** Recomputes the checksum of the block with index \p n. */
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

/** A digest of everything read so far. */
typedef struct log_digest {
	uint64_t hash;   /**< Of all fields of all blocks, events, definitions and properties, in order. */
	uint64_t blocks; /**< Complete ones. */
	uint64_t events; /**< Including those of truncated blocks. */
	uint64_t mappings;
	uint64_t records;
	uint64_t properties;
	uint64_t faults;   /**< Errors after which reading continued. */
	mprof_error first; /**< The first error; its status is #MPROF_OK if none occurred. */
	mprof_status last; /**< The status that ended reading. */
} log_digest;

/** Builds the index and seeks to the start. The entries are valid until the next call. */
const mprof_index_entry *fetch_index(mprof_reader *reader, size_t *count);

/**
 * Opens a log in memory, and gets its index: the one that the log contains, or one that is built from the blocks if
 * \p is_built is set.
 */
mprof_reader *open_with_index(const uint8_t *bytes, size_t length, int is_built);

/** Feeds a log to a parser in pieces of \p chunk bytes (0: all at once), and digests all blocks. */
void log_digest_parse(log_digest *digest, const log_bytes *log, size_t chunk, const mprof_parser_options *options);

/** Digests all blocks of a reader from its current position. */
void log_digest_read(log_digest *digest, mprof_reader *reader);

/** The error of a parser or a reader. */
mprof_error parser_error_of(const mprof_parser *parser);
mprof_error reader_error_of(const mprof_reader *reader);

#endif
