/* SPDX-License-Identifier: MIT */
/**
 * \file format/block_encode.h
 * \brief Blocks (doc/format.md, sections 2 and 3) as bytes.
 *
 * A block is encoded by block_encode_begin(), its content, and block_encode_end(). Failures are those of the buffer.
 * The caller has checked names and IDs.
 */
#ifndef FORMAT_BLOCK_ENCODE_H
#define FORMAT_BLOCK_ENCODE_H

#include <mprof/writer.h>

#include "format/dialect.h"
#include "format/encode_buffer.h"

/** What the content of a block depends on. */
typedef struct block_encoding {
	const dialect_rules *rules;
	uint64_t directives; /**< Declared so far. */
	/**
	 * For the header of the block that is ended, in dialects that have it there: counters since the block before
	 * was written, 0 in the first one.
	 */
	uint32_t counter_delta;
} block_encoding;

/** Whether headers have a delta of counters behind the length. */
static inline int block_header_has_delta(const dialect_rules *rules)
{
	return rules->header_length == 10;
}

/** Empties the buffer and puts the header there. The dialect has the block. */
void block_encode_begin(encode_buffer *buffer, const block_encoding *encoding, mprof_block_kind kind);

/**
 * Puts the checksum behind the content, and the length and the delta into the header. Returns encode_buffer::status.
 */
mprof_status block_encode_end(encode_buffer *buffer, const block_encoding *encoding);

void block_encode_intro(encode_buffer *buffer, const block_encoding *encoding, const char *runtime, uint32_t flags,
			const mprof_clock *clock);
void block_encode_end_of_log(encode_buffer *buffer, const block_encoding *encoding, const mprof_clock *clock);

/** Lists all of block_encoding::directives; in mprof2 each once for every kind of block that it changes. */
void block_encode_directives(encode_buffer *buffer, const block_encoding *encoding, const mprof_clock *start,
			     const mprof_clock *end);

/** A LOADED or UNLOADED block. Returns 0 if the directives declared cannot say all of it. */
int block_encode_element(encode_buffer *buffer, const block_encoding *encoding, const mprof_element *element,
			 mprof_block_kind kind);

/** One element of a MAPPING block's lists. They return the same. */
int block_encode_class(encode_buffer *buffer, const block_encoding *encoding, const mprof_class_definition *definition);
/** The file of a method: its number, 0 if it has none, and whether it is named here, which it is once. */
typedef struct block_source {
	uint32_t file;
	int is_new;
} block_source;

int block_encode_method(encode_buffer *buffer, const block_encoding *encoding,
			const mprof_method_definition *definition, const block_source *source);

/** A MAPPING block from lists made by the two functions above. */
void block_encode_mapping(encode_buffer *buffer, const block_encoding *encoding, const encode_buffer *classes,
			  const encode_buffer *methods, const mprof_clock *start, const mprof_clock *end);

/** A STATISTICAL block of two lists of IDs. */
void block_encode_statistical(encode_buffer *buffer, const block_encoding *encoding, uint64_t start_counter,
			      const uint32_t *methods, size_t method_count, const uint32_t *functions,
			      size_t function_count, uint64_t end_counter);

/** An EVENTS block up to its events, and what follows them. */
void block_encode_events_start(encode_buffer *buffer, const block_encoding *encoding, const mprof_clock *start,
			       uint64_t thread, uint64_t base_counter);
void block_encode_events_end(encode_buffer *buffer, const mprof_clock *end);

/** A SAMPLES block, without samples that have no call stack. Returns how many these are. */
size_t block_encode_samples(encode_buffer *buffer, const block_encoding *encoding, const mprof_clock *clock,
			    uint64_t thread, uint64_t base_counter, const mprof_event *samples, size_t count);

/** A block of records up to these, and what follows them. Only HEAP_SUMMARY has a number. */
void block_encode_records_start(encode_buffer *buffer, const block_encoding *encoding, mprof_block_kind kind,
				const mprof_clock *start, uint32_t number);
void block_encode_records_end(encode_buffer *buffer, const mprof_clock *end);

/** A SESSION block. */
void block_encode_session(encode_buffer *buffer, const block_encoding *encoding, const mprof_clock *clock,
			  const mprof_property *properties, size_t count);

/** A THREAD block. */
void block_encode_thread(encode_buffer *buffer, const block_encoding *encoding, const mprof_clock *clock,
			 uint64_t thread, const char *name, size_t name_length);

/** A LOST block of the causes whose count is not 0. */
void block_encode_lost(encode_buffer *buffer, const block_encoding *encoding, const mprof_clock *clock, uint64_t thread,
		       const uint64_t *counts, size_t count);

/** A MARK block. */
void block_encode_mark(encode_buffer *buffer, const block_encoding *encoding, uint64_t counter, uint64_t thread,
		       const char *text, size_t text_length);

/** A WATERMARK block. */
void block_encode_watermark(encode_buffer *buffer, const block_encoding *encoding, uint64_t counter);

#endif
