/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/reader.h
 * \brief Reads a log from a file, a descriptor, memory or a function: a parser with a source, names, and an index.
 *
 * All dialects read alike. Where one has call chains, native code or modules in another form than STACKS and CODE
 * blocks, the reader defines them as if it had these: allocations and monitor events carry the chain that a stack
 * section said, samples that of their hits, and mprof_reader_stack() and mprof_reader_record() tell what they are.
 * Stack sections themselves are given out too, and need not be looked at. Where sections are missing, because blocks
 * were passed by or could not be read, one frame that is not known stands for all those between two known ones.
 * Functions and modules that such a log uses without a definition are called "#" and their ID there.
 *
 * gzip is recognised by itself. One reader belongs to one thread at a time. Pointers into a block's content are valid
 * until the next call that moves to another block; names of classes and methods until the reader is destroyed.
 */
#ifndef MPROF_READER_H
#define MPROF_READER_H

#include <mprof/parser.h>

MPROF_BEGIN_DECLS

/** \brief A reader. One thread at a time. \since 0.1 */
typedef struct mprof_reader mprof_reader;

/** \brief Where bytes come from, for mprof_reader_open_source(). \since 0.1 */
typedef struct mprof_source {
	/**
	 * Puts up to \p length bytes into \p bytes and sets \p got; 0 bytes mean that none are left now. Returns 0 or
	 * an errno value.
	 */
	int (*read)(void *user, void *bytes, size_t length, size_t *got);
	/** Goes to \p offset bytes from the start; returns 0 or an errno value. May be NULL. */
	int (*seek)(void *user, uint64_t offset);
	/** Ends the source; called once. May be NULL. */
	void (*close)(void *user);
	void *user; /**< Passed as the first argument. */
} mprof_source;

/** \brief Options of a reader. All zero but struct_size means the defaults. \since 0.1 */
typedef struct mprof_reader_options {
	size_t struct_size;               /**< Set by mprof_reader_options_init(). */
	const mprof_allocator *allocator; /**< NULL: malloc. Copied. */
	uint64_t max_block_length;        /**< As in mprof_parser_options. */
	uint64_t max_name_length;         /**< As in mprof_parser_options. */
	uint64_t max_names_memory;        /**< Most memory for names and other definitions, in bytes; 0 means 1 GiB. */
	uint64_t wanted;                  /**< Kinds to load, as #MPROF_BLOCK_BIT; 0 means all. Others give headers
	                                       only. */
	uint32_t follow;                  /**< 1: at the end of what is there return #MPROF_AGAIN; more may come. That a
	                                       file was cut, or that another one has its name, is for the caller to
	                                       find: its inode is another, or it is shorter than
	                                       mprof_session::valid_bytes and not compressed. */
	uint32_t ignore_checksums;        /**< As in mprof_parser_options. */
} mprof_reader_options;

/** \brief Sets all options to their defaults. \param options What to set. \since 0.1 */
static inline void mprof_reader_options_init(mprof_reader_options *options)
{
	mprof_reader_options cleared = {0, NULL, 0, 0, 0, 0, 0, 0};

	*options = cleared;
	options->struct_size = sizeof(*options);
}

/**
 * \brief Opens a log by name and reads its INTRO.
 * \param path The file. \param options Options, or NULL. Not kept.
 * \param reader Receives the reader, also on errors other than #MPROF_ERR_ARGUMENT and #MPROF_ERR_MEMORY so that
 * mprof_reader_error() can be asked; destroy it in all cases.
 * \return #MPROF_OK; #MPROF_AGAIN when following a file whose INTRO is not whole yet; #MPROF_ERR_IO (a directory gives
 * EISDIR); #MPROF_ERR_NOT_MPROF, for which mprof_error::what names the foreign format where it is known, and says so of
 * an empty file; #MPROF_ERR_TRUNCATED; #MPROF_ERR_UNSUPPORTED; #MPROF_ERR_CHECKSUM; #MPROF_ERR_MALFORMED;
 * #MPROF_ERR_ARGUMENT; #MPROF_ERR_MEMORY. Where the error is of severity #MPROF_SEVERITY_BLOCK only INTRO is damaged,
 * and reading can go on behind it. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_open_path(const char *path, const mprof_reader_options *options,
							      mprof_reader **reader);

/**
 * \brief The same, from a descriptor, at its current position. It need not be able to seek; it is not closed.
 * \param fd The descriptor. \param options As above. \param reader As above. \return As above. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_open_fd(int fd, const mprof_reader_options *options,
							    mprof_reader **reader);

/**
 * \brief The same, from memory. \param bytes The log; must stay until the reader is destroyed. \param length In bytes.
 * \param options As above. \param reader As above. \return As above. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_open_memory(const void *bytes, size_t length,
								const mprof_reader_options *options,
								mprof_reader **reader);

/**
 * \brief The same, from functions of the caller. \param source Copied; closed in all cases.
 * \param options As above. \param reader As above. \return As above. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_open_source(const mprof_source *source,
								const mprof_reader_options *options,
								mprof_reader **reader);

/** \brief Frees a reader and closes its source. \param reader The reader, or NULL. \since 0.1 */
MPROF_API void mprof_reader_destroy(mprof_reader *reader);

/**
 * \brief Goes to the next block and, if its kind is wanted, loads it. The first call gives INTRO.
 * \param reader The reader. \param block Receives it.
 * \return As mprof_parser_next_block(), and #MPROF_ERR_IO. #MPROF_ERR_MALFORMED also for a block that leaves out IDs of
 * stacks, code, roots or metrics, unless blocks were passed by that may have defined them; what it defines is learnt
 * all the same. #MPROF_AGAIN only when following: the position stays, call again later. After an error of severity
 * #MPROF_SEVERITY_BLOCK the next call goes on behind the damage. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_next_block(mprof_reader *reader, mprof_block *block);

/**
 * \brief Loads the block whose header mprof_reader_next_block() gave, though its kind is not wanted.
 * \param reader The reader. \param block Receives it. \return As mprof_parser_load(). \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_load(mprof_reader *reader, mprof_block *block);

/**
 * \brief Fetches events of the loaded block; of a STATISTICAL block its samples, each with a call chain.
 * \param reader The reader. \param events Receives them. \param capacity Room in events. \param count Receives how
 * many.
 * \return As mprof_parser_next_events(). Where call chains or native code could not be kept, their IDs are 0 or those
 * of a part; then, once all events of the block were given out, #MPROF_ERR_LIMIT or #MPROF_ERR_MEMORY comes in place of
 * #MPROF_END, once. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_next_events(mprof_reader *reader, mprof_event *events,
								size_t capacity, size_t *count);

/**
 * \brief Fetches definitions of the loaded block. \param reader The reader. \param mappings Receives them.
 * \param capacity Room. \param count Receives how many. \return As mprof_parser_next_mappings(). \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_next_mappings(mprof_reader *reader, mprof_mapping *mappings,
								  size_t capacity, size_t *count);

/**
 * \brief Fetches the next fact of the loaded block. \param reader The reader. \param key Receives the key.
 * \param value Receives the value. \return As mprof_parser_next_property(). \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_next_property(mprof_reader *reader, const char **key,
								  const char **value);

/**
 * \brief Looks up a class among those defined so far.
 * \param reader The reader. \param id Its ID. \param mapping Receives it; the name is borrowed until the reader is
 * destroyed. \return #MPROF_OK; #MPROF_ERR_UNDEFINED_ID. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_class(const mprof_reader *reader, uint32_t id,
							  mprof_mapping *mapping);

/**
 * \brief Looks up a method among those defined so far. \param reader The reader. \param id Its ID.
 * \param mapping Receives it, as above. \return As above. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_method(const mprof_reader *reader, uint32_t id,
							   mprof_mapping *mapping);

/**
 * \brief Writes "Class.Method (arguments)" of a method; "#ID" stands for what is not defined.
 * \param reader The reader. \param id The method. \param text Receives the name, cut and NUL-terminated like snprintf.
 * \param size Room in bytes; may be 0. \return The length of the whole name in bytes. \since 0.1
 */
MPROF_API size_t mprof_reader_method_name(const mprof_reader *reader, uint32_t id, char *text, size_t size);

/**
 * \brief Fetches what the loaded block defines or tells; of a STATISTICAL block modules and functions, with the IDs
 * that the reader has for them. \param reader The reader. \param records Receives them.
 * \param capacity Room. \param count Receives how many. \return As mprof_parser_next_records(). \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_next_records(mprof_reader *reader, mprof_record *records,
								 size_t capacity, size_t *count);

/** \brief One frame of a call chain. \since 0.1 */
typedef struct mprof_stack_frame {
	uint32_t id;        /**< The method, 0 if not known; the location if native. */
	uint32_t is_native; /**< 1: a location of native code. */
	uint32_t is_compiling; /**< 1: the method is being compiled, not run. */
} mprof_stack_frame;

/**
 * \brief Looks up a call chain (section 3.13) among those defined so far.
 * \param reader The reader. \param stack Its ID. \param frames Receives its frames, the innermost first; may be NULL if
 * \p capacity is 0. \param capacity Room in frames. \param count Receives how many frames the chain has, which may be
 * more than fit; it ends early where a caller is not defined. \return #MPROF_OK; #MPROF_ERR_UNDEFINED_ID, with \p count
 * 0.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_stack(const mprof_reader *reader, uint32_t stack,
							  mprof_stack_frame *frames, size_t capacity, size_t *count);

/**
 * \brief Looks up one step of a call chain: its innermost frame and the chain of the caller.
 * \param reader The reader. \param stack The chain. \param frame Receives the frame. \param caller Receives the chain
 * of the caller, 0 if there is none. \return #MPROF_OK; #MPROF_ERR_UNDEFINED_ID. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_stack_step(const mprof_reader *reader, uint32_t stack,
							       mprof_stack_frame *frame, uint32_t *caller);

/**
 * \brief Looks up what was defined so far by a STACKS, CODE, ROOTS or METRICS block. \param reader The reader.
 * \param kind #MPROF_RECORD_STACK to #MPROF_RECORD_METRIC. \param id Its ID. \param record Receives it; its names are
 * borrowed until the reader is destroyed. \return #MPROF_OK; #MPROF_ERR_UNDEFINED_ID. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_record(const mprof_reader *reader, mprof_record_kind kind,
							   uint32_t id, mprof_record *record);

/**
 * \brief How many things of a kind are defined so far. \param reader The reader.
 * \param kind #MPROF_RECORD_STACK to #MPROF_RECORD_METRIC. \return How many; 0 for other kinds. \since 0.1
 */
MPROF_API uint64_t mprof_reader_record_count(const mprof_reader *reader, mprof_record_kind kind);

/**
 * \brief Writes a readable name of a place in native code: its function, else its module and offset, else its address.
 * \param reader The reader. \param location The location. \param text Receives the name, cut and NUL-terminated like
 * snprintf. \param size Room in bytes; may be 0. \return The length of the whole name in bytes. \since 0.1
 */
MPROF_API size_t mprof_reader_location_name(const mprof_reader *reader, uint32_t location, char *text, size_t size);

/** \brief Number of classes defined so far. \param reader The reader. \return How many. \since 0.1 */
MPROF_API uint64_t mprof_reader_class_count(const mprof_reader *reader);

/** \brief Number of methods defined so far. \param reader The reader. \return How many. \since 0.1 */
MPROF_API uint64_t mprof_reader_method_count(const mprof_reader *reader);

/**
 * \brief Converts a counter to a time, from the first and the last CLOCK read so far.
 * \param reader The reader. \param counter The counter. \param nanoseconds Receives nanoseconds since the session
 * began, negative before it. \return #MPROF_OK; #MPROF_AGAIN while no two CLOCKs with different counters were read (the
 * counter is then taken as nanoseconds). \since 0.1
 */
MPROF_API mprof_status mprof_reader_time(const mprof_reader *reader, uint64_t counter, int64_t *nanoseconds);

/**
 * \brief What is called for each damage that is met in a log. \param user As passed. \param error Where and what.
 * \since 0.1
 */
typedef void (*mprof_damage_function)(void *user, const mprof_error *error);

/** \brief What is known of a log so far. \since 0.1 */
typedef struct mprof_session {
	size_t struct_size;         /**< sizeof (mprof_session), set by the caller. */
	uint32_t dialect;           /**< An #mprof_dialect. */
	uint32_t version;           /**< Of the format, which INTRO tells. */
	uint32_t flags;             /**< From INTRO; 0 if that is damaged. */
	uint32_t complete;          /**< 1: END was read and nothing is damaged. */
	const char *runtime;        /**< From INTRO, "" if that is damaged. Borrowed until the reader is destroyed. */
	mprof_clock start;          /**< CLOCK of INTRO; if that is damaged, the first one that was read. */
	mprof_clock last;           /**< The latest CLOCK read; END's at the end. */
	double counters_per_second; /**< From both; 0 while unknown. */
	uint64_t valid_bytes;       /**< As mprof_parser_valid_bytes(). */
	uint64_t lost_events;       /**< Sum of the LOST blocks read. */
	uint32_t compressed;        /**< 1: the source is gzip. */
	uint32_t reserved;          /**< 0. */
} mprof_session;

/**
 * \brief Tells what is known of the log. \param reader The reader. \param session Receives it.
 * \return #MPROF_OK; #MPROF_ERR_ARGUMENT if struct_size is 0 or too small. \since 0.1
 */
MPROF_API mprof_status mprof_reader_session(const mprof_reader *reader, mprof_session *session);

/** \brief One block of the index. \since 0.1 */
typedef struct mprof_index_entry {
	uint64_t offset;        /**< Of its header. */
	uint64_t length;        /**< Bytes after the header. */
	uint32_t kind;          /**< An #mprof_block_kind. */
	uint32_t reserved;      /**< 0. */
	uint64_t thread;        /**< EVENTS, SAMPLES, MARK: whose. */
	uint64_t start_counter; /**< EVENTS, SAMPLES: base counter. Otherwise of its first CLOCK, or start; 0 if it has
	                             none. */
	uint64_t end_counter;   /**< Of its last CLOCK, or end; 0 if it has none. MARK: when, in both. */
} mprof_index_entry;

/**
 * \brief Reads the log once from where it is to its end, learns all names, and makes an index of its blocks; then goes
 * back to the start. The source must be able to seek; a compressed one is read again from its start to go back. Call
 * chains of stack sections are learnt too, those of STATISTICAL blocks only when their samples are fetched.
 * \param reader The reader. \param entries Receives the index, in file order. Borrowed until the reader is destroyed.
 * \param count Receives how many.
 * \return #MPROF_OK, also for a log that is damaged or cut: the index holds what is valid and mprof_reader_error()
 * tells the first fault; #MPROF_ERR_UNSUPPORTED if the source cannot seek; #MPROF_ERR_STATE when following;
 * #MPROF_ERR_MEMORY; #MPROF_ERR_IO. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_index(mprof_reader *reader, const mprof_index_entry **entries,
							  size_t *count);

/**
 * \brief Goes to a block: the next mprof_reader_next_block() gives it. Names learnt are kept, and the call stacks that
 * threads had where blocks begin that were read before.
 * \param reader The reader. \param offset Of a block's header, from an index entry or from mprof_block::offset.
 * \return #MPROF_OK; #MPROF_ERR_UNSUPPORTED if the source cannot seek; #MPROF_ERR_STATE before INTRO was read;
 * #MPROF_ERR_IO. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_seek(mprof_reader *reader, uint64_t offset);

/**
 * \brief Tells the error of the last call that failed. \param reader The reader. \param error Receives it.
 * \return #MPROF_OK; #MPROF_ERR_ARGUMENT if struct_size is 0 or too small. \since 0.1
 */
MPROF_API mprof_status mprof_reader_error(const mprof_reader *reader, mprof_error *error);

MPROF_END_DECLS

#endif
