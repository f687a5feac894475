/* SPDX-License-Identifier: MIT */
/**
 * \file format/blocks/block_encode.h
 * \brief Encodes blocks (doc/format.md, sections 2 and 3).
 *
 * A block is encoded by block_encode_begin(), the functions for its content, and block_encode_end(). A failure is kept
 * in encode_buffer::status. The functions do not check names and IDs; the caller has done so.
 */
#ifndef FORMAT_BLOCKS_BLOCK_ENCODE_H
#define FORMAT_BLOCKS_BLOCK_ENCODE_H

#include <mprof/parser.h>
#include <mprof/writer.h>

#include "base/hash_map.h"
#include "format/values/dialect.h"
#include "format/values/encode_buffer.h"

/** The state that the encoding of a block depends on. */
typedef struct block_encoding {
	const dialect_rules *rules;
	uint64_t directives; /**< Those declared so far, as #MPROF_DIRECTIVE_BIT. */
	/**
	 * The counter delta that block_encode_end() stores in the header, in dialects that have one: counter units
	 * since the previous block was written, 0 for the first block.
	 */
	uint32_t counter_delta;
	int has_columns; /**< EVENTS blocks contain columns. */
} block_encoding;

/** Whether block headers contain a counter delta after the length. */
static inline int block_header_has_delta(const dialect_rules *rules)
{
	return rules->header_length == 10;
}

/** Empties the buffer and reserves the header in it. The dialect must have a code for the block kind. */
void block_encode_begin(encode_buffer *buffer, const block_encoding *encoding, mprof_block_kind kind);

/** As block_encode_begin(), for a code that is not that of a block kind. */
void block_encode_begin_code(encode_buffer *buffer, const block_encoding *encoding, uint32_t code);

/**
 * Appends the checksum to the content and stores the length and the counter delta in the header. Returns
 * encode_buffer::status.
 */
mprof_status block_encode_end(encode_buffer *buffer, const block_encoding *encoding);

/** An INTRO block. \p runtime is not NULL; \p flags are bits of #mprof_intro_flag. */
void block_encode_intro(encode_buffer *buffer, const block_encoding *encoding, const char *runtime, uint64_t flags,
			const mprof_clock *clock);

/** An END block. \p index_distance: distance back to the last INDEX block, in bytes; 0 if there is none. */
void block_encode_end_of_log(encode_buffer *buffer, const block_encoding *encoding, const mprof_clock *clock,
			     uint64_t index_distance);

/** An INDEX block of entries that index_item_encode() encoded. */
void block_encode_index(encode_buffer *buffer, const block_encoding *encoding, uint64_t previous_distance,
			uint64_t count, const encode_buffer *items);

/** A DIRECTIVES block with block_encoding::directives; in mprof2 each directive once per block kind that it changes. */
void block_encode_directives(encode_buffer *buffer, const block_encoding *encoding, const mprof_clock *start,
			     const mprof_clock *end);

/** A LOADED or UNLOADED block. Returns 0 if fields were left out for lack of a declared directive, otherwise 1. */
int block_encode_element(encode_buffer *buffer, const block_encoding *encoding, const mprof_element *element,
			 mprof_block_kind kind);

/** An entry of the class list of a MAPPING block. Returns 0 if fields were left out for lack of a directive. */
int block_encode_class(encode_buffer *buffer, const block_encoding *encoding, const mprof_class_definition *definition);

/** The source file of a method. A file is named once, in the first definition that refers to it. */
typedef struct block_source {
	uint32_t file; /**< Number of the file; 0 if the method has none. */
	int is_new;    /**< 1: this definition contains the name of the file. */
} block_source;

/** The bits of #mprof_application_flag. */
#define BLOCK_APPLICATION_FLAGS ((uint32_t)(MPROF_APPLICATION_FLAG_DEFINITION | MPROF_APPLICATION_FLAG_SELF_CONTAINED))

/** The bits of #mprof_method_flag. */
#define BLOCK_METHOD_FLAGS ((uint32_t)(MPROF_METHOD_FLAG_WRAPPER | MPROF_METHOD_FLAG_RUNTIME))

/** An entry of the method list of a MAPPING block. Returns 0 if fields were left out for lack of a directive. */
int block_encode_method(encode_buffer *buffer, const block_encoding *encoding,
			const mprof_method_definition *definition, const block_source *source);

/** A MAPPING block of the entries that block_encode_class() and block_encode_method() encoded. */
void block_encode_mapping(encode_buffer *buffer, const block_encoding *encoding, const encode_buffer *classes,
			  const encode_buffer *methods, const mprof_clock *start, const mprof_clock *end);

/** A STATISTICAL block of mail: two lists of IDs. */
void block_encode_statistical(encode_buffer *buffer, const block_encoding *encoding, uint64_t start_counter,
			      const uint32_t *methods, size_t method_count, const uint32_t *functions,
			      size_t function_count, uint64_t end_counter);

/** The parts of an EVENTS block before and after its events or columns. */
void block_encode_events_start(encode_buffer *buffer, const block_encoding *encoding, const mprof_clock *start,
			       uint64_t thread, uint64_t base_counter);
void block_encode_events_end(encode_buffer *buffer, const block_encoding *encoding, const mprof_clock *end);

/** Starts a TYPED block; its events follow. */
void block_encode_typed_start(encode_buffer *buffer, const block_encoding *encoding, const mprof_clock *start,
			      uint64_t thread, uint64_t base_counter);

void block_encode_typed_end(encode_buffer *buffer, const mprof_clock *end);

/** A SAMPLES block. Samples without a call stack are left out. Returns their number. */
size_t block_encode_samples(encode_buffer *buffer, const block_encoding *encoding, const mprof_clock *clock,
			    uint64_t thread, uint64_t base_counter, const mprof_event *samples, size_t count);

/** The parts of a block around its records. \p number: of the collection or the snapshot; others do not store it. */
void block_encode_records_start(encode_buffer *buffer, const block_encoding *encoding, mprof_block_kind kind,
				const mprof_clock *start, uint32_t number);
void block_encode_records_end(encode_buffer *buffer, const mprof_clock *end);

/** A SESSION block. */
void block_encode_session(encode_buffer *buffer, const block_encoding *encoding, const mprof_clock *clock,
			  const mprof_property *properties, size_t count);

/** A THREAD block. */
void block_encode_thread(encode_buffer *buffer, const block_encoding *encoding, const mprof_clock *clock,
			 uint64_t thread, const char *name, size_t name_length);

/** A LOST block that lists the causes whose count is not 0. */
void block_encode_lost(encode_buffer *buffer, const block_encoding *encoding, const mprof_clock *clock, uint64_t thread,
		       const uint64_t *counts, size_t count);

/** A MARK block. */
void block_encode_mark(encode_buffer *buffer, const block_encoding *encoding, uint64_t counter, uint64_t thread,
		       const char *text, size_t text_length);

/** An APPLICATION block. */
void block_encode_application(encode_buffer *buffer, const block_encoding *encoding, const mprof_clock *clock,
			      const mprof_application_block *application);

/** A WATERMARK block. */
void block_encode_watermark(encode_buffer *buffer, const block_encoding *encoding, uint64_t counter);

/*
 * Source files of methods, which MAPPING blocks define at their first use (directive 22).
 */

typedef struct source_file {
	char *path;
	size_t length;
	uint32_t next; /**< Number of another file with the same hash, 0 if none. */
} source_file;

typedef struct source_files {
	hash_map by_hash;   /**< Maps a hash to the number of the newest file with that hash. */
	source_file *files; /**< By number - 1. */
	size_t count;
	size_t capacity;
} source_files;

void source_files_init(source_files *files, const mprof_allocator *allocator);
void source_files_destroy(source_files *files);

/** Returns the number of a file, from 1; 0 if out of memory. \p is_new receives 1 if the file had no number before. */
uint32_t source_files_number(source_files *files, const char *path, size_t length, int *is_new);

/** Removes the file with the highest number, after its definition could not be written to the log. */
void source_files_undo_add(source_files *files);

#endif
