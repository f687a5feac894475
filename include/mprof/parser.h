/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/parser.h
 * \brief Parses a log that is fed to it in pieces of any size. Does no I/O.
 *
 * The outer loop iterates over blocks: mprof_parser_next_header() finds the next block and skips whatever was not read
 * of the last one; mprof_parser_load() makes its content available. The inner loop fetches the content of the block in
 * batches. A function that needs bytes which were not fed yet returns #MPROF_AGAIN; feed more and call it again.
 *
 * A block that is not loaded is skipped without being kept in memory. INTRO, MAPPING, DIRECTIVES and END are decoded
 * even if they are skipped, since they determine how later blocks are decoded or mark the log as complete.
 *
 * A loop over blocks may continue after each error of severity #MPROF_SEVERITY_BLOCK, and ends at any other. It
 * terminates: the call after an error of severity #MPROF_SEVERITY_BLOCK continues at a higher offset. #MPROF_ERR_MEMORY
 * is final (see mprof_status).
 *
 * One parser belongs to one thread at a time. No function is async-signal-safe. Pointers into the content of a block
 * are valid until the next call of mprof_parser_next_header(), mprof_parser_next_block(), mprof_parser_feed() or
 * mprof_parser_reserve().
 *
 * Example: examples/small/tutorial/04_parse.c.
 */
#ifndef MPROF_PARSER_H
#define MPROF_PARSER_H

#include <mprof/format.h>

MPROF_BEGIN_DECLS

/**
 * \brief A parser. One thread at a time.
 * \since 0.1
 */
typedef struct mprof_parser mprof_parser;

/**
 * \brief Options of a parser. If all fields except struct_size are 0, the defaults apply.
 * \since 0.1
 */
typedef struct mprof_parser_options {
	size_t struct_size;               /**< Set by mprof_parser_options_init(). */
	const mprof_allocator *allocator; /**< Allocator of the parser; NULL: malloc. Copied. */
	uint64_t max_block_length;        /**< Maximum length of a block that is loaded, in bytes, as it is stored and
	                                       without compression; 0 means 64 MiB. */
	uint64_t max_name_length;         /**< Maximum length of a name, in bytes; 0 means 1 MiB. */
	uint32_t ignore_checksums;        /**< 1: do not verify checksums (for fuzzing and for recovery of damaged
	                                       logs). */
	uint32_t reserved;                /**< 0. */
	const mprof_codec *codecs;        /**< Codecs of the caller for compressed blocks; NULL if codec_count is 0. The
	                                       array is copied. */
	size_t codec_count;               /**< Number of elements of codecs, at most 8. */
} mprof_parser_options;

/**
 * \brief Sets all options to their defaults.
 *
 * Thread-safe for different structs.
 * \param options The struct to initialize; NULL does nothing.
 * \param struct_size sizeof (mprof_parser_options) as the caller was compiled; a size smaller than that of size_t does
 * nothing.
 * \since 0.1
 */
MPROF_API void mprof_parser_options_init(mprof_parser_options *options, size_t struct_size);

/**
 * \brief Creates a parser. Thread-safe.
 * \param options Options, or NULL for the defaults. Copied.
 * \param parser Receives the parser; NULL on an error. The caller frees it with mprof_parser_destroy().
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p parser is NULL, or an option is out of range.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_parser_create(const mprof_parser_options *options, mprof_parser **parser);

/**
 * \brief Frees a parser. Everything borrowed from it becomes invalid.
 * \param parser The parser, or NULL.
 * \since 0.1
 */
MPROF_API void mprof_parser_destroy(mprof_parser *parser);

/**
 * \brief Feeds bytes that follow those fed before.
 * \param parser The parser.
 * \param bytes The bytes. Copied; may be NULL if \p length is 0.
 * \param length Number of bytes; may be 0.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL.
 * - #MPROF_ERR_STATE after mprof_parser_finish().
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_parser_feed(mprof_parser *parser, const void *bytes, size_t length);

/**
 * \brief Provides a buffer to read bytes into, so that they need not be copied. Call mprof_parser_commit() afterwards.
 * \param parser The parser.
 * \param minimum Minimum size of the buffer, in bytes.
 * \param room Receives the buffer, which belongs to the parser. Valid until the next call on the parser.
 * \param length Receives its size in bytes, at least \p minimum.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL.
 * - #MPROF_ERR_STATE after mprof_parser_finish().
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_parser_reserve(mprof_parser *parser, size_t minimum, void **room,
							    size_t *length);

/**
 * \brief Feeds the bytes that were read into the buffer of mprof_parser_reserve().
 * \param parser The parser.
 * \param length Number of bytes that were read, at most the size of the buffer.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p parser is NULL or \p length exceeds the size of the buffer.
 * - #MPROF_ERR_MEMORY if the allocator refused in an earlier call.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_parser_commit(mprof_parser *parser, size_t length);

/**
 * \brief Declares that no bytes follow: a truncated block is now an error instead of a reason to wait.
 * \param parser The parser.
 * \return
 * - #MPROF_OK, also if it was called before.
 * - #MPROF_ERR_ARGUMENT if \p parser is NULL.
 * - #MPROF_ERR_MEMORY if the allocator refused in an earlier call.
 * \since 0.1
 */
MPROF_API mprof_status mprof_parser_finish(mprof_parser *parser);

/**
 * \brief Minimum number of bytes that the call which returned #MPROF_AGAIN still needs. A hint for reading ahead.
 * \param parser The parser.
 * \return Bytes; 0 if the parser is not waiting, or is NULL.
 * \since 0.1
 */
MPROF_API uint64_t mprof_parser_get_needed(const mprof_parser *parser);

/**
 * \brief Number of bytes at the current position that need not be fed because their block is skipped.
 *
 * A caller that can seek skips them and calls mprof_parser_skip().
 * \param parser The parser.
 * \return Bytes; 0 if none, or \p parser is NULL.
 * \since 0.1
 */
MPROF_API uint64_t mprof_parser_get_skippable(const mprof_parser *parser);

/**
 * \brief Declares that bytes were skipped instead of fed.
 * \param parser The parser.
 * \param length Number of bytes, at most mprof_parser_get_skippable().
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p parser is NULL or \p length is too large.
 * - #MPROF_ERR_MEMORY if the allocator refused in an earlier call.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_parser_skip(mprof_parser *parser, uint64_t length);

/**
 * \brief Restarts at the header of another block of the same log. The state from the blocks read so far is kept.
 *
 * Bytes fed from now on are those at \p offset. The caller must ensure that a block starts there.
 * \param parser The parser, after INTRO was read.
 * \param offset Bytes from the start of the log.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p parser is NULL.
 * - #MPROF_ERR_STATE before INTRO was read.
 * - #MPROF_ERR_MEMORY if the allocator refused in an earlier call.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_parser_restart(mprof_parser *parser, uint64_t offset);

/**
 * \brief INTRO (section 3.1).
 * \since 0.1
 */
typedef struct mprof_intro_block {
	uint32_t version;      /**< Version of the format. */
	uint32_t reserved;     /**< 0. */
	uint64_t flags;        /**< Bits of #mprof_intro_flag. */
	const char *runtime;   /**< Name or file of the runtime. */
	size_t runtime_length; /**< In bytes. */
} mprof_intro_block;

/**
 * \brief END (section 3.1).
 * \since 0.1
 */
typedef struct mprof_end_block {
	uint32_t version;        /**< Version of the format. */
	uint32_t reserved;       /**< 0. */
	uint64_t index_distance; /**< mprof2: distance in bytes from this block back to the last INDEX block; 0 if the
	                              log has none. */
} mprof_end_block;

/**
 * \brief LOADED, UNLOADED (sections 3.2, 3.3).
 * \since 0.1
 */
typedef struct mprof_element_block {
	uint32_t kind;                       /**< Bits of #mprof_element_kind. */
	uint32_t id;                         /**< Code unit ID (directive 4), 0 if none. */
	uint64_t start_counter;              /**< Counter when loading or unloading began. */
	uint64_t end_counter;                /**< Counter when it was finished. */
	const char *name;                    /**< Name of the code unit. */
	size_t name_length;                  /**< In bytes. */
	const mprof_assembly_name *assembly; /**< LOADED of an assembly with directive 5: the parts of its name; else
	                                          NULL. */
} mprof_element_block;

/**
 * \brief EVENTS (section 4).
 * \since 0.1
 */
typedef struct mprof_events_block {
	uint64_t base_counter; /**< The counter that the first delta of the block is added to. */
} mprof_events_block;

/**
 * \brief SAMPLES (section 3.12).
 * \since 0.1
 */
typedef struct mprof_samples_block {
	uint64_t base_counter; /**< The counter that the first delta of the block is added to. */
} mprof_samples_block;

/**
 * \brief STATISTICAL (section 3.6).
 * \since 0.1
 */
typedef struct mprof_statistical_block {
	uint64_t start_counter; /**< Counter when sampling for this block began. */
	uint64_t end_counter;   /**< Counter when sampling for this block ended. */
} mprof_statistical_block;

/**
 * \brief HEAP_DATA (section 3.17).
 * \since 0.1
 */
typedef struct mprof_heap_data_block {
	uint32_t number;     /**< Number of the heap snapshot, 0 if the block belongs to none. drop, mono, unity: number
	                          of the collection, 0 if not in the log; flags then specify whether the block is a heap
	                          snapshot. */
	uint32_t flags;      /**< Bits of #mprof_heap_flag. */
	uint64_t counter;    /**< Counter when the snapshot was taken. */
	uint32_t has_clocks; /**< drop, mono, unity: 1: start and end are set. */
	uint32_t reserved;   /**< 0. */
	mprof_clock start;   /**< When the scan of the heap began. mprof_block::start and mprof_block::end are when the
	                          block was written. */
	mprof_clock end;     /**< When the scan of the heap ended. */
	uint64_t process;    /**< The process whose memory it is, mprof_process_record::number; 0 if the log does not
	                          state it (directive 39). */
} mprof_heap_data_block;

/**
 * \brief HEAP_SUMMARY (section 3.18).
 * \since 0.1
 */
typedef struct mprof_heap_summary_block {
	uint32_t collection; /**< Number of the collection. */
	uint32_t reserved;   /**< 0. */
} mprof_heap_summary_block;

/**
 * \brief OBJECT_LABELS, REFERENCE_NAMES (sections 3.34, 3.35).
 * \since 0.1
 */
typedef struct mprof_heap_notes_block {
	uint32_t number;   /**< Number of the heap snapshot, as that of its HEAP_DATA blocks. */
	uint32_t reserved; /**< 0. */
} mprof_heap_notes_block;

/**
 * \brief DIRECTIVES (section 3.7).
 * \since 0.1
 */
typedef struct mprof_directives_block {
	mprof_number_set declared; /**< The directives in effect from here on, each an #mprof_directive. */
} mprof_directives_block;

/**
 * \brief THREAD (section 3.9).
 * \since 0.1
 */
typedef struct mprof_thread_block {
	const char *name;   /**< The thread's name. */
	size_t name_length; /**< In bytes. */
} mprof_thread_block;

/**
 * \brief LOST (section 3.10).
 * \since 0.1
 */
typedef struct mprof_lost_block {
	const uint64_t *counts; /**< Lost events by #mprof_loss_cause; index 0 holds those of causes that are unknown to
	                             the library. */
	size_t count;           /**< Number of elements of counts. */
} mprof_lost_block;

/**
 * \brief APPLICATION (section 3.27): data of an application, which only that application can read. Everything is
 * borrowed until the next block is fetched.
 * \since 0.1
 */
typedef struct mprof_application_block {
	const char *name;     /**< Whose data it is: a domain name in reverse, such as "org.example.tool". */
	size_t name_length;   /**< In bytes. */
	const uint8_t *bytes; /**< The data. */
	size_t size;          /**< In bytes. */
	uint32_t kind;        /**< What it is; the application defines the numbers. */
	uint32_t flags;       /**< #mprof_application_flag. */
} mprof_application_block;

/**
 * \brief MARK (section 3.16).
 * \since 0.1
 */
typedef struct mprof_mark_block {
	uint64_t counter;   /**< Counter when it was recorded. */
	const char *text;   /**< The text of the marker. */
	size_t text_length; /**< In bytes. */
} mprof_mark_block;

/**
 * \brief WATERMARK (section 3.20).
 * \since 0.1
 */
typedef struct mprof_watermark_block {
	uint64_t counter; /**< All events of native memory with a lower counter are before this block. */
} mprof_watermark_block;

/**
 * \brief INDEX (section 3.24).
 * \since 0.1
 */
typedef struct mprof_index_block {
	uint64_t previous_distance; /**< Distance in bytes from this block back to the INDEX block before it; 0 for the
	                                 first one. */
	uint64_t count;             /**< Number of its entries. */
} mprof_index_block;

/**
 * \brief A block: the fields that all kinds have, and a struct for each kind. The library fills the fields that the
 * kind has and that fit struct_size; the rest is 0.
 *
 * MAPPING, SESSION, STACKS, CODE, METRICS and ROOTS have no struct: their whole content is fetched. Pointers are
 * borrowed until the next call of mprof_parser_next_header(), mprof_parser_next_block(), mprof_parser_feed() or
 * mprof_parser_reserve(), or the next call on a reader that moves to another block. Texts are NUL-terminated.
 * \since 0.1
 */
typedef struct mprof_block {
	size_t struct_size;     /**< Set by mprof_block_init(). */
	uint32_t kind;          /**< An #mprof_block_kind. */
	uint32_t code;          /**< Code in the header of the block. */
	uint64_t offset;        /**< Offset of the header, in bytes from the start of the log. */
	uint64_t header_length; /**< Length of the header, in bytes. */
	uint64_t length;        /**< Length after the header, in bytes. */
	uint32_t loaded;        /**< 1: the fields below are set. 0: only the header was read. */
	uint32_t has_clocks;    /**< 1: start and end are set; INTRO and END have one clock pair, which is in both. */
	uint32_t counter_delta; /**< mono, unity: in the header: counters since the previous block was written, modulo
	                             2^32. */
	uint32_t codec;         /**< An #mprof_codec_number: how the block is compressed (section 3.23). The other
	                             fields, except the lengths, are those of the block that is stored. */
	mprof_clock start;      /**< Clock pair at the start. */
	mprof_clock end;        /**< Clock pair at the end. */
	uint64_t thread;        /**< EVENTS, SAMPLES, LOADED, UNLOADED, MAPPING, THREAD, LOST, MARK: ID of the
	                             thread. */
	union {
		mprof_intro_block intro;               /**< #MPROF_BLOCK_INTRO. */
		mprof_end_block end;                   /**< #MPROF_BLOCK_END. */
		mprof_element_block element;           /**< #MPROF_BLOCK_LOADED, #MPROF_BLOCK_UNLOADED. */
		mprof_events_block events;             /**< #MPROF_BLOCK_EVENTS. */
		mprof_samples_block samples;           /**< #MPROF_BLOCK_SAMPLES, #MPROF_BLOCK_TYPED. */
		mprof_statistical_block statistical;   /**< #MPROF_BLOCK_STATISTICAL. */
		mprof_heap_data_block heap_data;       /**< #MPROF_BLOCK_HEAP_DATA. */
		mprof_heap_summary_block heap_summary; /**< #MPROF_BLOCK_HEAP_SUMMARY. */
		mprof_heap_notes_block heap_notes;     /**< #MPROF_BLOCK_OBJECT_LABELS,
		                                            #MPROF_BLOCK_REFERENCE_NAMES. */
		mprof_directives_block directives;     /**< #MPROF_BLOCK_DIRECTIVES. */
		mprof_thread_block thread_name;        /**< #MPROF_BLOCK_THREAD. */
		mprof_lost_block lost;                 /**< #MPROF_BLOCK_LOST. */
		mprof_mark_block mark;                 /**< #MPROF_BLOCK_MARK. */
		mprof_application_block application;   /**< #MPROF_BLOCK_APPLICATION. */
		mprof_watermark_block watermark;       /**< #MPROF_BLOCK_WATERMARK. */
		mprof_index_block index;               /**< #MPROF_BLOCK_INDEX. */
		uint64_t reserved[32];                 /**< Room for later kinds. */
	} as;                                          /**< By kind. */
	uint64_t unpacked_length; /**< Of a compressed block: length of the content that is stored, in bytes. */
} mprof_block;

/**
 * \brief Prepares a block to be filled: sets it to 0, and its struct_size.
 *
 * Thread-safe for different structs.
 * \param block The struct to initialize; NULL does nothing.
 * \param struct_size sizeof (mprof_block) as the caller was compiled; a size smaller than that of size_t does nothing.
 * \since 0.1
 */
MPROF_API void mprof_block_init(mprof_block *block, size_t struct_size);

/**
 * \brief Finds the header of the next block, skipping the unread rest of the last one.
 *
 * After an error of severity #MPROF_SEVERITY_BLOCK it may be called again and continues after the block.
 * \param parser The parser.
 * \param block Receives kind, code, offset and lengths; loaded is 0. The caller sets its struct_size.
 * \return
 * - #MPROF_OK.
 * - #MPROF_AGAIN if more bytes are needed.
 * - #MPROF_END after the last block (see mprof_parser_is_complete()).
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL or struct_size is not set.
 * - #MPROF_ERR_NOT_MPROF if the bytes are not an mprof log.
 * - #MPROF_ERR_TRUNCATED if the log ends inside a header or inside a block that is skipped.
 * - #MPROF_ERR_MALFORMED for an invalid header, for bytes after END, or for bytes that were skipped to find the next
 *   valid block.
 * - #MPROF_ERR_UNSUPPORTED for a dialect that cannot be read.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * - Any error of mprof_parser_load() for an INTRO, MAPPING, DIRECTIVES or END block that was skipped.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_parser_next_header(mprof_parser *parser, mprof_block *block);

/**
 * \brief Loads the content of the block whose header was just found. For a block that is loaded already it restarts
 * fetching at the first entry.
 * \param parser The parser.
 * \param block Receives all fields of its kind. The caller sets its struct_size.
 * \return
 * - #MPROF_OK.
 * - #MPROF_AGAIN if more bytes are needed.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL or struct_size is not set.
 * - #MPROF_ERR_STATE if no header was found.
 * - #MPROF_ERR_TRUNCATED if the log ends inside the block. The complete entries of an EVENTS, STATISTICAL, SAMPLES or
 *   HEAP_DATA block can still be fetched.
 * - #MPROF_ERR_CHECKSUM if the content does not match its checksum.
 * - #MPROF_ERR_MALFORMED if the content breaks the grammar, or the compressed data is damaged. If only the end of an
 *   EVENTS block is damaged, its events can still be fetched.
 * - #MPROF_ERR_LIMIT if the block is longer than the limit, as stored or decompressed: raise it with
 *   mprof_parser_set_max_block_length() and call again, or continue with the next block.
 * - #MPROF_ERR_UNSUPPORTED for a block that an unknown directive concerns, or one compressed with a codec that neither
 *   this build of the library nor the caller has.
 * - #MPROF_ERR_REDEFINED_ID if the block defines an ID a second time.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_parser_load(mprof_parser *parser, mprof_block *block);

/**
 * \brief Finds and loads the next block.
 * \param parser The parser.
 * \param block Receives all fields of its kind. The caller sets its struct_size. Unchanged on #MPROF_AGAIN.
 * \return Any status of mprof_parser_next_header() and mprof_parser_load().
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_parser_next_block(mprof_parser *parser, mprof_block *block);

/**
 * \brief Fetches the events of the loaded EVENTS block, the samples of the loaded STATISTICAL or SAMPLES block as
 * #MPROF_EVENT_SAMPLE, or the content of the loaded HEAP_DATA block as events of the kinds MPROF_EVENT_HEAP_...
 *
 * A sample of STATISTICAL is returned as one event for each of its frames: the innermost frame, then its callers, each
 * with #MPROF_EVENT_FLAG_CALLER. This order is the same for all dialects. id is the method (0: an unknown managed
 * method). With #MPROF_EVENT_FLAG_NATIVE id is the function, or with #MPROF_EVENT_FLAG_IN_MODULE the module, and value
 * the offset in it in bytes; or id is 0 and value the address. mprof_parser_next_records() returns the modules and
 * functions.
 *
 * A block of drop, mono or unity may repeat the base counter of the previous block of its thread although its first
 * delta refers to the last event of that block. The parser corrects the counters of events if it loaded the previous
 * block before this one, now or in an earlier pass; mprof_events_block::base_counter is always the one in the log.
 * Otherwise the counters continue from the last loaded block of the thread, or from the base counter, and are too
 * early. The delta of a monitor event whose time would be outside its block counts as 0: the profiler that wrote the
 * log had this fault.
 * \param parser The parser.
 * \param events Array that receives the events. Their details are borrowed until the next call on the parser.
 * \param capacity Number of elements in \p events, 1 or more.
 * \param count Receives the number of events fetched; also set (and the events are valid) when an error is returned.
 * \return
 * - #MPROF_OK; \p count is at least 1.
 * - #MPROF_END after the last event; \p count is 0.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL or \p capacity is 0.
 * - #MPROF_ERR_STATE if no block with events is loaded.
 * - #MPROF_ERR_MALFORMED after the events before the damage.
 * - #MPROF_ERR_TRUNCATED after the last complete event of a truncated block.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_parser_next_events(mprof_parser *parser, mprof_event *events,
								size_t capacity, size_t *count);

/**
 * \brief The definition of a class or a method in a MAPPING block (section 3.4). Passed together with its size, so that
 * it may grow at its end.
 * \since 0.1
 */
typedef struct mprof_mapping {
	uint32_t is_method;        /**< 1: a method. 0: a class. */
	uint32_t id;               /**< Its ID. */
	uint32_t class_id;         /**< Methods: ID of the class. */
	uint32_t assembly_id;      /**< Classes: code unit ID of the assembly (directive 5). */
	uint32_t flags;            /**< Methods: bits of #mprof_method_flag (directive 6). */
	uint32_t size;             /**< Classes: size of an object in bytes (directive 18); 0 if objects have different
	                                sizes or the size is not known. */
	const char *name;          /**< Borrowed, NUL-terminated. */
	size_t name_length;        /**< In bytes. */
	const char *source_file;   /**< Methods: the source file (directive 22), "" if not known. A parser also returns
	                                "" if only an earlier definition contains the name of the file; a reader adds
	                                it. Borrowed, NUL-terminated. */
	size_t source_file_length; /**< In bytes. */
	uint32_t source_file_id;   /**< Methods: ID of the source file, 0 if not known. */
	uint32_t source_line;      /**< Methods: the line, from 1; 0 if not known. */
} mprof_mapping;

/**
 * \brief Fetches the definitions of the loaded MAPPING block.
 * \param parser The parser.
 * \param mappings Array that receives the definitions. Their texts are borrowed until the next call of
 * mprof_parser_next_header(), mprof_parser_next_block(), mprof_parser_feed() or mprof_parser_reserve().
 * \param mapping_size sizeof (mprof_mapping) as the caller was compiled: the distance in bytes from one element to the
 * next.
 * \param capacity Number of elements in \p mappings, 1 or more.
 * \param count Receives the number of definitions fetched; also set when an error is returned.
 * \return
 * - #MPROF_OK; \p count is at least 1.
 * - #MPROF_END after the last definition; \p count is 0.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p capacity is 0, or \p mapping_size is smaller than in release 0.1.
 * - #MPROF_ERR_STATE if no MAPPING block is loaded.
 * - #MPROF_ERR_MALFORMED after the definitions before the damage.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_parser_next_mappings(mprof_parser *parser, mprof_mapping *mappings,
								  size_t mapping_size, size_t capacity, size_t *count);

/**
 * \brief Fetches the records of the loaded STACKS, CODE, ROOTS, METRICS, FIELDS, TYPES, TEXTS, CLOCKS, TIMELINES,
 * PROCESSES, CLOCK_PAIRS, POSITIONS, HEAP_SUMMARY, OBJECT_LABELS, REFERENCE_NAMES or REACHABILITY block, or the modules
 * and functions that the loaded STATISTICAL block defines, independently of its samples.
 * \param parser The parser.
 * \param records Array that receives the records. Their texts are borrowed until the next call of
 * mprof_parser_next_header(), mprof_parser_next_block(), mprof_parser_feed() or mprof_parser_reserve().
 * \param record_size sizeof (mprof_record) as the caller was compiled: the distance in bytes from one element to the
 * next.
 * \param capacity Number of elements in \p records, 1 or more.
 * \param count Receives the number of records fetched; also set when an error is returned.
 * \return
 * - #MPROF_OK; \p count is at least 1.
 * - #MPROF_END after the last record; \p count is 0.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p capacity is 0, or \p record_size is smaller than in release 0.1.
 * - #MPROF_ERR_STATE if no block with records is loaded.
 * - #MPROF_ERR_MALFORMED after the records before the damage.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_parser_next_records(mprof_parser *parser, mprof_record *records,
								 size_t record_size, size_t capacity, size_t *count);

/**
 * \brief Fetches the next property of the loaded SESSION block.
 * \param parser The parser.
 * \param key Receives the key, borrowed until the next call of mprof_parser_next_header(), mprof_parser_next_block(),
 * mprof_parser_feed() or mprof_parser_reserve(). NULL unless #MPROF_OK is returned.
 * \param value Receives the value, borrowed likewise. NULL unless #MPROF_OK is returned.
 * \return
 * - #MPROF_OK.
 * - #MPROF_END after the last property.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL.
 * - #MPROF_ERR_STATE if no SESSION block is loaded.
 * - #MPROF_ERR_MEMORY if the allocator refused in an earlier call.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_parser_next_property(mprof_parser *parser, const char **key,
								  const char **value);

/**
 * \brief Changes the maximum length of a block that is loaded, as it is stored and without compression.
 * \param parser The parser; NULL does nothing.
 * \param length Bytes; 0 means 64 MiB.
 * \since 0.1
 */
MPROF_API void mprof_parser_set_max_block_length(mprof_parser *parser, uint64_t length);

/**
 * \brief Gets the dialect, as far as it follows from the blocks read so far: a log that starts like drop is mail until
 * a block shows otherwise, and one that starts like unity is mono until its samples show otherwise.
 * \param parser The parser.
 * \return The dialect; #MPROF_DIALECT_DEFAULT before INTRO was read, or if \p parser is NULL.
 * \since 0.1
 */
MPROF_API mprof_dialect mprof_parser_get_dialect(const mprof_parser *parser);

/**
 * \brief Whether an END block was read, and no block read before it was damaged or could not be decoded because of an
 * unknown directive.
 * \param parser The parser.
 * \return 1 or 0; 0 if \p parser is NULL.
 * \since 0.1
 */
MPROF_API int mprof_parser_is_complete(const mprof_parser *parser);

/**
 * \brief Length of the part at the start of the log in which all blocks were read and were valid and complete.
 * \param parser The parser.
 * \return Bytes from the start of the log; 0 if \p parser is NULL. Stops growing at the first block that is damaged or
 * cannot be decoded because of an unknown directive.
 * \since 0.1
 */
MPROF_API uint64_t mprof_parser_get_valid_bytes(const mprof_parser *parser);

/**
 * \brief Gets the error of the last call that failed.
 * \param parser The parser.
 * \param error Receives what fits its struct_size, which the caller sets. Its text is static.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_parser_get_error(const mprof_parser *parser, mprof_error *error);

MPROF_END_DECLS

#endif
