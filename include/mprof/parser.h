/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/parser.h
 * \brief Parses a log that is fed to it in pieces of any size. Does no I/O.
 *
 * The outer loop goes over blocks: mprof_parser_next_header() finds the next one, however much of the last was left
 * unread; mprof_parser_load() makes its content available. The inner loop fetches what the block holds in batches.
 * Whatever needs bytes that were not fed yet returns #MPROF_AGAIN and is called again after more were.
 *
 * A block that is not loaded is skipped without being kept in memory, but INTRO, MAPPING, DIRECTIVES and END are always
 * loaded, since they change how later blocks read or say that the log is whole.
 *
 * A loop over blocks may go on after each error of severity #MPROF_SEVERITY_BLOCK, and ends at any other: every call
 * after one of severity #MPROF_SEVERITY_BLOCK is further on in the log. #MPROF_ERR_MEMORY is final (see mprof_status).
 *
 * One parser belongs to one thread at a time. Pointers into a block's content are valid until the next call of
 * mprof_parser_next_header(), mprof_parser_next_block(), mprof_parser_feed() or mprof_parser_reserve().
 */
#ifndef MPROF_PARSER_H
#define MPROF_PARSER_H

#include <mprof/format.h>

MPROF_BEGIN_DECLS

/** \brief A parser. One thread at a time. \since 0.1 */
typedef struct mprof_parser mprof_parser;

/** \brief Options of a parser. All zero but struct_size means the defaults. \since 0.1 */
typedef struct mprof_parser_options {
	size_t struct_size;               /**< Set by mprof_parser_options_init(). */
	const mprof_allocator *allocator; /**< NULL: malloc. Copied. */
	uint64_t max_block_length;        /**< Longest block that is loaded, in bytes; 0 means 64 MiB. */
	uint64_t max_name_length;         /**< Longest name, in bytes; 0 means 1 MiB. */
	uint32_t ignore_checksums;        /**< 1: do not verify (for fuzzing and for salvage). */
	uint32_t reserved;                /**< 0. */
} mprof_parser_options;

/**
 * \brief Sets all options to their defaults.
 * \param options What to set; NULL does nothing.
 * \param struct_size sizeof (mprof_parser_options) as the caller was compiled; less than a size_t does nothing.
 *
 * Thread-safe.
 * \since 0.1
 */
MPROF_API void mprof_parser_options_init(mprof_parser_options *options, size_t struct_size);

/**
 * \brief Makes a parser. \param options Options, or NULL. Not kept. \param parser Receives it; NULL on an error.
 * \return #MPROF_OK; #MPROF_ERR_ARGUMENT for options out of range; #MPROF_ERR_MEMORY. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_parser_create(const mprof_parser_options *options, mprof_parser **parser);

/** \brief Frees a parser. \param parser The parser, or NULL. \since 0.1 */
MPROF_API void mprof_parser_destroy(mprof_parser *parser);

/**
 * \brief Feeds bytes that follow those fed before. They are copied.
 * \param parser The parser. \param bytes The bytes. \param length How many; may be 0.
 * \return #MPROF_OK; #MPROF_ERR_STATE after mprof_parser_finish(); #MPROF_ERR_MEMORY. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_parser_feed(mprof_parser *parser, const void *bytes, size_t length);

/**
 * \brief Lends room to read bytes into, so that they need not be copied. Follow with mprof_parser_commit().
 * \param parser The parser. \param minimum Least room wanted, in bytes. \param room Receives where.
 * \param length Receives how much, at least \p minimum.
 * \return #MPROF_OK; #MPROF_ERR_STATE after mprof_parser_finish(); #MPROF_ERR_MEMORY. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_parser_reserve(mprof_parser *parser, size_t minimum, void **room,
							    size_t *length);

/**
 * \brief Says how many bytes were put into the room. \param parser The parser. \param length How many, at most the
 * room.
 * \return #MPROF_OK; #MPROF_ERR_ARGUMENT if it is more than the room lent. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_parser_commit(mprof_parser *parser, size_t length);

/**
 * \brief Says that no bytes follow: what is cut short is now an error, not a reason to wait.
 * \param parser The parser. \since 0.1
 */
MPROF_API void mprof_parser_finish(mprof_parser *parser);

/**
 * \brief How many more bytes the call that returned #MPROF_AGAIN needs at least. A hint for reading ahead.
 * \param parser The parser. \return Bytes; 0 if it was not waiting. \since 0.1
 */
MPROF_API uint64_t mprof_parser_get_needed(const mprof_parser *parser);

/**
 * \brief How many bytes at the current place need not be fed because the block there is skipped.
 *
 * A caller that can seek passes them by and says so with mprof_parser_skip().
 * \param parser The parser. \return Bytes; 0 if none. \since 0.1
 */
MPROF_API uint64_t mprof_parser_get_skippable(const mprof_parser *parser);

/**
 * \brief Says that bytes were passed by instead of fed. \param parser The parser.
 * \param length At most mprof_parser_get_skippable(). \return #MPROF_OK; #MPROF_ERR_ARGUMENT for more. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_parser_skip(mprof_parser *parser, uint64_t length);

/**
 * \brief Restarts at the header of another block of the same log; what was learnt from blocks so far is kept.
 *
 * Bytes fed from now on are those at \p offset. The caller vouches that a block starts there.
 * \param parser The parser, after INTRO was read. \param offset Bytes from the start of the log.
 * \return #MPROF_OK; #MPROF_ERR_STATE before INTRO. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_parser_restart(mprof_parser *parser, uint64_t offset);

/** \brief INTRO (section 3.1). \since 0.1 */
typedef struct mprof_intro_block {
	uint32_t version;      /**< Of the format. */
	uint32_t flags;        /**< Bits of #mprof_intro_flag. */
	const char *runtime;   /**< The runtime's name or file. */
	size_t runtime_length; /**< In bytes. */
} mprof_intro_block;

/** \brief END (section 3.1). \since 0.1 */
typedef struct mprof_end_block {
	uint32_t version;  /**< Of the format. */
	uint32_t reserved; /**< 0. */
} mprof_end_block;

/** \brief LOADED, UNLOADED (sections 3.2, 3.3). \since 0.1 */
typedef struct mprof_element_block {
	uint32_t kind;                       /**< Bits of #mprof_element_kind. */
	uint32_t id;                         /**< Element ID (directive 4), 0 if none. */
	uint64_t start_counter;              /**< When loading or unloading began. */
	uint64_t end_counter;                /**< When it was done. */
	const char *name;                    /**< Its name. */
	size_t name_length;                  /**< In bytes. */
	const mprof_assembly_name *assembly; /**< LOADED of an assembly with directive 5: its split name; else NULL. */
} mprof_element_block;

/** \brief EVENTS (section 4). \since 0.1 */
typedef struct mprof_events_block {
	uint64_t base_counter; /**< What its first time is relative to. */
} mprof_events_block;

/** \brief SAMPLES (section 3.12). \since 0.1 */
typedef struct mprof_samples_block {
	uint64_t base_counter; /**< What its first time is relative to. */
} mprof_samples_block;

/** \brief STATISTICAL (section 3.6). \since 0.1 */
typedef struct mprof_statistical_block {
	uint64_t start_counter; /**< When sampling for this block began. */
	uint64_t end_counter;   /**< When it ended. */
} mprof_statistical_block;

/** \brief HEAP_DATA (section 3.17). \since 0.1 */
typedef struct mprof_heap_data_block {
	uint32_t number;     /**< Of the shot, 0 if of none; drop, mono, unity: of the collection, 0 if not told, and
	                          flags say whether it is a shot. */
	uint32_t flags;      /**< Bits of #mprof_heap_flag. */
	uint64_t counter;    /**< When the shot was taken. */
	uint32_t has_clocks; /**< drop, mono, unity: 1: start and end are set. */
	uint32_t reserved;   /**< 0. */
	mprof_clock start; /**< When the heap was gone over. mprof_block::start and mprof_block::end say when the block
	                          was written. */
	mprof_clock end;   /**< When that was done. */
} mprof_heap_data_block;

/** \brief HEAP_SUMMARY (section 3.18). \since 0.1 */
typedef struct mprof_heap_summary_block {
	uint32_t collection; /**< Number of the collection. */
	uint32_t reserved;   /**< 0. */
} mprof_heap_summary_block;

/** \brief DIRECTIVES (section 3.7). \since 0.1 */
typedef struct mprof_directives_block {
	uint64_t declared; /**< Those in force from here on, as #MPROF_DIRECTIVE_BIT. */
} mprof_directives_block;

/** \brief THREAD (section 3.9). \since 0.1 */
typedef struct mprof_thread_block {
	const char *name;   /**< The thread's name. */
	size_t name_length; /**< In bytes. */
} mprof_thread_block;

/** \brief LOST (section 3.10). \since 0.1 */
typedef struct mprof_lost_block {
	const uint64_t *counts; /**< Events, by #mprof_loss_cause; at 0 those of causes that the library does not
	                             know. */
	size_t count;           /**< Number of elements of counts. */
} mprof_lost_block;

/** \brief MARK (section 3.16). \since 0.1 */
typedef struct mprof_mark_block {
	uint64_t counter;   /**< When. */
	const char *text;   /**< The remark. */
	size_t text_length; /**< In bytes. */
} mprof_mark_block;

/** \brief WATERMARK (section 3.20). \since 0.1 */
typedef struct mprof_watermark_block {
	uint64_t counter; /**< All events of native memory with a counter below it stand before this block. */
} mprof_watermark_block;

/**
 * \brief A block: what all kinds have, and a struct for each kind. The library fills what the kind has and what fits
 * struct_size; the rest is 0.
 *
 * MAPPING, SESSION, STACKS, CODE, METRICS and ROOTS have no struct: all that they say is fetched. Pointers are borrowed
 * (see the top of this file), and texts are NUL-terminated.
 * \since 0.1
 */
typedef struct mprof_block {
	size_t struct_size;     /**< Set by mprof_block_init(). */
	uint32_t kind;          /**< An #mprof_block_kind. */
	uint32_t code;          /**< Code in the header. */
	uint64_t offset;        /**< Where the header starts, bytes from the start of the log. */
	uint64_t header_length; /**< Bytes of the header. */
	uint64_t length;        /**< Bytes after the header. */
	uint32_t loaded;        /**< 1: the fields below are set. 0: only the header was read. */
	uint32_t has_clocks;    /**< 1: start and end are set; INTRO and END have start alone, in both. */
	uint32_t counter_delta; /**< mono, unity: in the header: counters since the block before was written, modulo
	                             2^32. */
	uint32_t reserved;      /**< 0. */
	mprof_clock start;      /**< CLOCK at the start. */
	mprof_clock end;        /**< CLOCK at the end. */
	uint64_t thread;        /**< EVENTS, SAMPLES, LOADED, UNLOADED, MAPPING, THREAD, LOST, MARK: whose. */
	union {
		mprof_intro_block intro;               /**< #MPROF_BLOCK_INTRO. */
		mprof_end_block end;                   /**< #MPROF_BLOCK_END. */
		mprof_element_block element;           /**< #MPROF_BLOCK_LOADED, #MPROF_BLOCK_UNLOADED. */
		mprof_events_block events;             /**< #MPROF_BLOCK_EVENTS. */
		mprof_samples_block samples;           /**< #MPROF_BLOCK_SAMPLES. */
		mprof_statistical_block statistical;   /**< #MPROF_BLOCK_STATISTICAL. */
		mprof_heap_data_block heap_data;       /**< #MPROF_BLOCK_HEAP_DATA. */
		mprof_heap_summary_block heap_summary; /**< #MPROF_BLOCK_HEAP_SUMMARY. */
		mprof_directives_block directives;     /**< #MPROF_BLOCK_DIRECTIVES. */
		mprof_thread_block thread_name;        /**< #MPROF_BLOCK_THREAD. */
		mprof_lost_block lost;                 /**< #MPROF_BLOCK_LOST. */
		mprof_mark_block mark;                 /**< #MPROF_BLOCK_MARK. */
		mprof_watermark_block watermark;       /**< #MPROF_BLOCK_WATERMARK. */
		uint64_t reserved[32];                 /**< Room for later kinds. */
	} as;                                          /**< By kind. */
} mprof_block;

/**
 * \brief Prepares a block to be filled: sets it to 0, and its struct_size.
 * \param block What to set; NULL does nothing.
 * \param struct_size sizeof (mprof_block) as the caller was compiled; less than a size_t does nothing.
 *
 * Thread-safe.
 * \since 0.1
 */
MPROF_API void mprof_block_init(mprof_block *block, size_t struct_size);

/**
 * \brief Finds the header of the next block, leaving behind what was not read of the last one.
 * \param parser The parser. \param block Receives kind, code, offset and lengths; loaded is 0.
 * \return #MPROF_OK; #MPROF_AGAIN; #MPROF_END after the last block (see mprof_parser_is_complete());
 * #MPROF_ERR_NOT_MPROF; #MPROF_ERR_TRUNCATED if the log ends inside a header or in a block being skipped;
 * #MPROF_ERR_MALFORMED for a header that cannot be one, for bytes that follow END, or for bytes that were skipped to
 * the next valid block; #MPROF_ERR_UNSUPPORTED for a dialect that cannot be read; any error of mprof_parser_load() for
 * a block that is always loaded and was passed by; #MPROF_ERR_MEMORY. After an error of severity #MPROF_SEVERITY_BLOCK
 * it may be called again and goes on behind the block.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_parser_next_header(mprof_parser *parser, mprof_block *block);

/**
 * \brief Loads the content of the block whose header was just found.
 * \param parser The parser. \param block Receives all fields of its kind.
 * \return #MPROF_OK; #MPROF_AGAIN; #MPROF_ERR_STATE if no header was found; #MPROF_ERR_TRUNCATED (what is whole of an
 * EVENTS, STATISTICAL, SAMPLES or HEAP_DATA block can still be fetched); #MPROF_ERR_CHECKSUM; #MPROF_ERR_MALFORMED
 * (likewise of an EVENTS block whose end alone is damaged); #MPROF_ERR_LIMIT if the block is longer than the limit
 * (raise it with mprof_parser_set_max_block_length() and call again, or go on to the next block);
 * #MPROF_ERR_UNSUPPORTED for a block that an unknown directive concerns; #MPROF_ERR_REDEFINED_ID; #MPROF_ERR_MEMORY.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_parser_load(mprof_parser *parser, mprof_block *block);

/**
 * \brief Finds and loads the next block.
 * \param parser The parser. \param block Receives all fields of its kind. Untouched on #MPROF_AGAIN.
 * \return As mprof_parser_next_header() and mprof_parser_load(). \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_parser_next_block(mprof_parser *parser, mprof_block *block);

/**
 * \brief Fetches events of the loaded EVENTS block, hits of the loaded STATISTICAL or SAMPLES block as
 * #MPROF_EVENT_SAMPLE, or what the loaded HEAP_DATA block holds as events of the kinds MPROF_EVENT_HEAP_...
 *
 * A hit of STATISTICAL is an event for each of its frames: the innermost, then its callers, each with
 * #MPROF_EVENT_FLAG_CALLER, whatever their order in the dialect. id is the method (0: managed code, not known). With
 * #MPROF_EVENT_FLAG_NATIVE it is the function, or with #MPROF_EVENT_FLAG_IN_MODULE the module, value being the bytes
 * from its begin; or it is 0, and value the address. Modules and functions are told by mprof_parser_next_records().
 *
 * Blocks of drop, mono and unity may repeat the base counter of the thread's block before, and go on from the last
 * event of that. Counters of events are right then, too, if that block was loaded, or this one was once read behind it;
 * those of mprof_block are what the log says. Otherwise they go on from the last block of the thread that was loaded,
 * or from the base counter, and are too early. A monitor event whose time leads out of its block is garbage of the
 * profiler that wrote it: it counts as 0.
 * \param parser The parser. \param events Receives them. \param capacity Room, in events, 1 or more.
 * \param count Receives how many were fetched; also set (and not lost) when an error is returned.
 * \return #MPROF_OK with \p count at least 1; #MPROF_END with \p count 0; #MPROF_ERR_STATE if no such block is loaded;
 * #MPROF_ERR_MALFORMED after the events in front of the fault; #MPROF_ERR_TRUNCATED in a block that is cut.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_parser_next_events(mprof_parser *parser, mprof_event *events,
								size_t capacity, size_t *count);

/**
 * \brief A class or a method of a MAPPING block (section 3.4). Passed together with its size, so that it may grow at
 * its end.
 * \since 0.1
 */
typedef struct mprof_mapping {
	uint32_t is_method;        /**< 1: a method. 0: a class. */
	uint32_t id;               /**< Its ID. */
	uint32_t class_id;         /**< Methods: the class. */
	uint32_t assembly_id;      /**< Classes: element ID of the assembly (directive 5). */
	uint32_t flags;            /**< Methods: bits of #mprof_method_flag (directive 6). */
	uint32_t size;             /**< Classes: bytes of an object (directive 18); 0 if objects differ or it is not
	                           known. */
	const char *name;          /**< Borrowed, NUL-terminated. */
	size_t name_length;        /**< In bytes. */
	const char *source_file;   /**< Methods: the file of the source (directive 22), "" if not known. From a parser
	                                 "" too where the file was named by an earlier definition; a reader fills it
	                                 in. Borrowed, NUL-terminated. */
	size_t source_file_length; /**< In bytes. */
	uint32_t source_file_id;   /**< Methods: number of the file, 0 if not known. */
	uint32_t source_line;      /**< Methods: the line, from 1; 0 if not known. */
} mprof_mapping;

/**
 * \brief Fetches what the loaded MAPPING block defines.
 * \param parser The parser.
 * \param mappings Receives them.
 * \param mapping_size sizeof (mprof_mapping) as the caller was compiled: the distance of two elements.
 * \param capacity Room, 1 or more.
 * \param count Receives how many.
 * \return As mprof_parser_next_events(), and #MPROF_ERR_ARGUMENT for a size below that of release 0.1.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_parser_next_mappings(mprof_parser *parser, mprof_mapping *mappings,
								  size_t mapping_size, size_t capacity, size_t *count);

/**
 * \brief Fetches what the loaded STACKS, CODE, ROOTS, METRICS or HEAP_SUMMARY block holds, or the modules and functions
 * that the loaded STATISTICAL block defines, which it does besides, and apart from, its hits.
 * \param parser The parser.
 * \param records Receives them.
 * \param record_size sizeof (mprof_record) as the caller was compiled: the distance of two elements.
 * \param capacity Room, 1 or more.
 * \param count Receives how many.
 * \return As mprof_parser_next_events(), and #MPROF_ERR_ARGUMENT for a size below that of release 0.1.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_parser_next_records(mprof_parser *parser, mprof_record *records,
								 size_t record_size, size_t capacity, size_t *count);

/**
 * \brief Fetches the next fact of the loaded SESSION block.
 * \param parser The parser. \param key Receives the key, borrowed. \param value Receives the value, borrowed.
 * \return #MPROF_OK; #MPROF_END; #MPROF_ERR_STATE if no such block is loaded; #MPROF_ERR_MALFORMED. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_parser_next_property(mprof_parser *parser, const char **key,
								  const char **value);

/**
 * \brief Changes the longest block that is loaded. \param parser The parser. \param length Bytes; 0 means 64 MiB.
 * \since 0.1
 */
MPROF_API void mprof_parser_set_max_block_length(mprof_parser *parser, uint64_t length);

/**
 * \brief The dialect, as far as the blocks read so far tell it: what begins like drop is mail until a block tells
 * otherwise, and what begins like unity is mono until samples do.
 * \param parser The parser. \return #MPROF_DIALECT_DEFAULT before INTRO was read. \since 0.1
 */
MPROF_API mprof_dialect mprof_parser_get_dialect(const mprof_parser *parser);

/**
 * \brief Whether an END block was read, and of all blocks read before it none was damaged or of a form that is not
 * known.
 * \param parser The parser.
 * \return 1 or 0.
 * \since 0.1
 */
MPROF_API int mprof_parser_is_complete(const mprof_parser *parser);

/**
 * \brief Up to where all blocks read so far were valid and whole.
 * \param parser The parser.
 * \return Bytes from the start of the log; stops growing at the first block that is damaged, or of a form that is not
 * known: one that a directive concerns which this library does not have.
 * \since 0.1
 */
MPROF_API uint64_t mprof_parser_get_valid_bytes(const mprof_parser *parser);

/**
 * \brief Tells the error of the last call that failed. \param parser The parser. \param error Receives it.
 * \return #MPROF_OK; #MPROF_ERR_ARGUMENT if struct_size is 0 or too small. \since 0.1
 */
MPROF_API mprof_status mprof_parser_get_error(const mprof_parser *parser, mprof_error *error);

MPROF_END_DECLS

#endif
