/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/reader.h
 * \brief Reads a log from a file, a descriptor, memory or a function: a parser with a source, names, and an index.
 *
 * All dialects read alike. Where one has call chains, native code or modules in another form than STACKS and CODE
 * blocks, the reader defines them as if it had these: allocations and monitor events carry the chain that a stack
 * section said, samples that of their hits, and mprof_reader_lookup_stack() and mprof_reader_lookup_record() tell what
 * they are. Stack sections themselves are given out too, and need not be looked at. Where sections are missing,
 * because blocks were passed by or could not be read, one frame that is not known stands for all those between two
 * known ones. Functions and modules that such a log uses without a definition are called "#" and their ID there.
 *
 * A loop over blocks may go on after each error of severity #MPROF_SEVERITY_BLOCK, and ends at any other: every call
 * after one of severity #MPROF_SEVERITY_BLOCK is further on in the log. #MPROF_ERR_MEMORY is final (see mprof_status):
 * neither a seek nor an index goes on after it.
 *
 * gzip is recognised by itself. One reader belongs to one thread at a time. Pointers into a block's content are valid
 * until the next call that moves to another block; names of classes and methods until the reader is destroyed.
 */
#ifndef MPROF_READER_H
#define MPROF_READER_H

#include <mprof/parser.h>

MPROF_BEGIN_DECLS

/** \brief All threads, where a thread is asked for: 2^64 - 1. \since 0.1 */
#define MPROF_THREAD_ANY UINT64_MAX

/** \brief A reader. One thread at a time. \since 0.1 */
typedef struct mprof_reader mprof_reader;

/**
 * \brief Where bytes come from, for mprof_reader_open_source().
 *
 * Functions are called on the thread that calls the reader. The struct is copied; its functions and \p user must stay
 * valid until close has been called, or without it until the reader is destroyed.
 * \since 0.1
 */
typedef struct mprof_source {
	size_t struct_size; /**< sizeof (mprof_source), set by the caller. */
	/**
	 * Puts up to \p length bytes into \p bytes and sets \p got; 0 bytes mean that none are left now. Returns 0 or
	 * an errno value; EAGAIN while following means that none are there yet. To stop reading that takes long use
	 * mprof_reader_interrupt(): an error of the source is #MPROF_ERR_IO.
	 */
	int (*read)(void *user, void *bytes, size_t length, size_t *got);
	/**
	 * Goes to \p offset bytes from the start; returns 0 or an errno value. May be NULL. As in a file, \p offset may
	 * be after the end, where there are no bytes to read: so a log that is cut can be told from one that cannot be
	 * sought.
	 */
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
	mprof_block_set wanted;           /**< Kinds to load; none means all. Others give headers only. */
	uint32_t follow;                  /**< 1: at the end of what is there return #MPROF_AGAIN; more may come. That a
	                                       file was cut, or that another one has its name, is for the caller to
	                                       find: its inode is another, or it is shorter than
	                                       mprof_session::valid_bytes and not compressed. */
	uint32_t ignore_checksums;        /**< As in mprof_parser_options. */
	uint32_t keep_implicit_leaves;    /**< 1: give #MPROF_EVENT_METHOD_LEAVE_IMPLICIT out as it is in the log.
	                                       0: make it a leave with its method, see mprof_reader_next_events(). */
	uint32_t index_without_events;    /**< 1: mprof_reader_build_index() does not go over events, which takes less
	                                       than half the time. Then the end of a block of events is when it was
	                                       written, and what is open where it begins is not known. */
	/**
	 * Called about once for each MiB of the source that is read, on the thread that reads, by all calls that read:
	 * \p done_bytes is the place in the source (of the compressed bytes, if it is compressed), \p total_bytes the
	 * length of the source when it was opened, or 0 if that is not known or the log is followed. Returns 0 to go
	 * on; otherwise the call returns #MPROF_ERR_INTERRUPTED. It must not call the reader, but for
	 * mprof_reader_interrupt(). NULL: nobody is told.
	 */
	int (*progress)(void *user, uint64_t done_bytes, uint64_t total_bytes);
	void *progress_user; /**< Passed as the first argument. */
} mprof_reader_options;

/**
 * \brief Sets all options to their defaults.
 * \param options What to set; NULL does nothing.
 * \param struct_size sizeof (mprof_reader_options) as the caller was compiled; less than a size_t does nothing.
 *
 * Thread-safe.
 * \since 0.1
 */
MPROF_API void mprof_reader_options_init(mprof_reader_options *options, size_t struct_size);

/**
 * \brief Opens a log by name and reads its INTRO.
 * \param path The file. \param options Options, or NULL. Not kept.
 * \param reader Receives the reader, also on errors other than #MPROF_ERR_ARGUMENT and #MPROF_ERR_MEMORY so that
 * mprof_reader_get_error() can be asked; destroy it in all cases.
 * \return #MPROF_OK; #MPROF_AGAIN when following a file whose INTRO is not whole yet; #MPROF_ERR_INTERRUPTED, after
 * which the first mprof_reader_next_block() goes on; #MPROF_ERR_IO (a directory gives
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

/**
 * \brief Makes a call that reads, and takes long, stop: mprof_reader_next_block(), mprof_reader_load(),
 * mprof_reader_seek(), mprof_reader_build_index(), mprof_profile_read(), mprof_converter_run() return
 * #MPROF_ERR_INTERRUPTED before they read more of the source.
 *
 * If none of them is under way the next one that reads from the source stops. Nothing is lost: the same call, made
 * again, goes on where it was.
 * \param reader The reader; NULL does nothing. It must not be destroyed meanwhile.
 * Thread-safe and async-signal-safe.
 * \since 0.1
 */
MPROF_API void mprof_reader_interrupt(mprof_reader *reader);

/**
 * \brief Says that nothing will be added to the log that is followed.
 *
 * What the source still has is read. Then the end is what it is in a log that is not followed: events that are whole in
 * a block that is cut are given, with #MPROF_ERR_TRUNCATED; after a block that is whole comes #MPROF_END instead of
 * #MPROF_AGAIN. A source cannot report this by itself: where the other end of a pipe or a connection was closed, it has
 * no bytes now, as when it is slow.
 * \param reader The reader. One that does not follow is left as it is, and so is one that was told before.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p reader is NULL.
 * - The status that opening gave, if the log could not be opened.
 * \since 0.1
 */
MPROF_API mprof_status mprof_reader_finish(mprof_reader *reader);

/** \brief Frees a reader and closes its source. \param reader The reader, or NULL. \since 0.1 */
MPROF_API void mprof_reader_destroy(mprof_reader *reader);

/**
 * \brief Goes to the next block and, if its kind is wanted, loads it. The first call gives INTRO.
 * \param reader The reader. \param block Receives it.
 * \return As mprof_parser_next_block(), and #MPROF_ERR_IO. #MPROF_ERR_MALFORMED also for a block that leaves out IDs of
 * stacks, code, roots or metrics, unless blocks were passed by that may have defined them; what it defines is learnt
 * all the same. #MPROF_AGAIN only when following: the position stays, call again later, or end it with
 * mprof_reader_finish(). #MPROF_ERR_INTERRUPTED likewise. After an error of severity
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
 *
 * #MPROF_EVENT_METHOD_LEAVE_IMPLICIT (section 4.3) comes as #MPROF_EVENT_METHOD_LEAVE with its method and
 * #MPROF_EVENT_FLAG_IMPLICIT, unless mprof_reader_options::keep_implicit_leaves is set. The method is 0 where it cannot
 * be known: its enter was in a block that could not be read, was not wanted, or was passed by a seek without an index.
 * \param reader The reader.
 * \param events Receives them.
 * \param capacity Room in events.
 * \param count Receives how many.
 * \return As mprof_parser_next_events(). Where call chains, native code or call stacks could not be kept, their IDs are
 * 0 or those of a part; then, once all events of the block were given out, #MPROF_ERR_LIMIT comes in place of
 * #MPROF_END, once. #MPROF_ERR_MEMORY, with \p count 0.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_next_events(mprof_reader *reader, mprof_event *events,
								size_t capacity, size_t *count);

/**
 * \brief Fetches definitions of the loaded block.
 * \param reader The reader.
 * \param mappings Receives them.
 * \param mapping_size As of mprof_parser_next_mappings().
 * \param capacity Room.
 * \param count Receives how many.
 * \return As mprof_parser_next_mappings().
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_next_mappings(mprof_reader *reader, mprof_mapping *mappings,
								  size_t mapping_size, size_t capacity, size_t *count);

/**
 * \brief Fetches the next fact of the loaded block. \param reader The reader. \param key Receives the key.
 * \param value Receives the value. \return As mprof_parser_next_property(). \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_next_property(mprof_reader *reader, const char **key,
								  const char **value);

/**
 * \brief Looks up a class among those defined so far.
 * \param reader The reader.
 * \param id Its ID.
 * \param mapping Receives it; the name is borrowed until the reader is destroyed.
 * \param mapping_size sizeof (mprof_mapping) as the caller was compiled.
 * \return #MPROF_OK; #MPROF_ERR_UNDEFINED_ID; #MPROF_ERR_ARGUMENT for a size below that of release 0.1.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_lookup_class(const mprof_reader *reader, uint32_t id,
								 mprof_mapping *mapping, size_t mapping_size);

/**
 * \brief Looks up a method among those defined so far.
 * \param reader The reader.
 * \param id Its ID.
 * \param mapping Receives it, as above.
 * \param mapping_size As above.
 * \return As above.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_lookup_method(const mprof_reader *reader, uint32_t id,
								  mprof_mapping *mapping, size_t mapping_size);

/**
 * \brief Writes "Class.Method (arguments)" of a method; "#ID" stands for what is not defined.
 * \param reader The reader. \param id The method. \param text Receives the name, cut and NUL-terminated like snprintf.
 * \param size Room in bytes; may be 0. \return The length of the whole name in bytes. \since 0.1
 */
MPROF_API size_t mprof_reader_format_method(const mprof_reader *reader, uint32_t id, char *text, size_t size);

/**
 * \brief Fetches what the loaded block defines or tells; of a STATISTICAL block modules and functions, with the IDs
 * that the reader has for them.
 * \param reader The reader.
 * \param records Receives them.
 * \param record_size As of mprof_parser_next_records().
 * \param capacity Room.
 * \param count Receives how many.
 * \return As mprof_parser_next_records().
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_next_records(mprof_reader *reader, mprof_record *records,
								 size_t record_size, size_t capacity, size_t *count);

/** \brief One frame of a call chain. Passed together with its size, so that it may grow at its end. \since 0.1 */
typedef struct mprof_stack_frame {
	uint32_t id;           /**< The method, 0 if not known; the location if native. */
	uint32_t is_native;    /**< 1: a location of native code. */
	uint32_t is_compiling; /**< 1: the method is being compiled, not run. */
} mprof_stack_frame;

/**
 * \brief Looks up a call chain (section 3.13) among those defined so far.
 * \param reader The reader.
 * \param stack Its ID.
 * \param frames Receives its frames, the innermost first; may be NULL if \p capacity is 0.
 * \param frame_size sizeof (mprof_stack_frame) as the caller was compiled: the distance of two elements.
 * \param capacity Room in frames.
 * \param count Receives how many frames the chain has, which may be more than fit; it ends early where a caller is not
 * defined.
 * \return #MPROF_OK; #MPROF_ERR_UNDEFINED_ID, with \p count 0; #MPROF_ERR_ARGUMENT for a size below that of release
 * 0.1.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_lookup_stack(const mprof_reader *reader, uint32_t stack,
								 mprof_stack_frame *frames, size_t frame_size,
								 size_t capacity, size_t *count);

/**
 * \brief Looks up one step of a call chain: its innermost frame and the chain of the caller.
 * \param reader The reader.
 * \param stack The chain.
 * \param frame Receives the frame.
 * \param frame_size sizeof (mprof_stack_frame) as the caller was compiled.
 * \param caller Receives the chain of the caller, 0 if there is none.
 * \return #MPROF_OK; #MPROF_ERR_UNDEFINED_ID; #MPROF_ERR_ARGUMENT for a size below that of release 0.1.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_lookup_caller(const mprof_reader *reader, uint32_t stack,
								  mprof_stack_frame *frame, size_t frame_size,
								  uint32_t *caller);

/**
 * \brief Looks up what was defined so far by a STACKS, CODE, ROOTS or METRICS block.
 * \param reader The reader.
 * \param kind #MPROF_RECORD_STACK to #MPROF_RECORD_METRIC.
 * \param id Its ID.
 * \param record Receives it; its names are borrowed until the reader is destroyed.
 * \param record_size sizeof (mprof_record) as the caller was compiled.
 * \return #MPROF_OK; #MPROF_ERR_UNDEFINED_ID; #MPROF_ERR_ARGUMENT for a size below that of release 0.1.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_lookup_record(const mprof_reader *reader, mprof_record_kind kind,
								  uint32_t id, mprof_record *record,
								  size_t record_size);

/**
 * \brief How many things of a kind are defined so far. \param reader The reader.
 * \param kind #MPROF_RECORD_STACK to #MPROF_RECORD_METRIC. \return How many; 0 for other kinds. \since 0.1
 */
MPROF_API uint64_t mprof_reader_get_record_count(const mprof_reader *reader, mprof_record_kind kind);

/**
 * \brief Writes a readable name of a place in native code: its function, else its module and offset, else its address.
 * \param reader The reader. \param location The location. \param text Receives the name, cut and NUL-terminated like
 * snprintf. \param size Room in bytes; may be 0. \return The length of the whole name in bytes. \since 0.1
 */
MPROF_API size_t mprof_reader_format_location(const mprof_reader *reader, uint32_t location, char *text, size_t size);

/** \brief Number of classes defined so far. \param reader The reader. \return How many. \since 0.1 */
MPROF_API uint64_t mprof_reader_get_class_count(const mprof_reader *reader);

/** \brief Number of methods defined so far. \param reader The reader. \return How many. \since 0.1 */
MPROF_API uint64_t mprof_reader_get_method_count(const mprof_reader *reader);

/**
 * \brief Converts a counter to a time, from the first and the last CLOCK read so far.
 * \param reader The reader. \param counter The counter. \param nanoseconds Receives nanoseconds since the session
 * began, negative before it. \return #MPROF_OK; #MPROF_AGAIN while no two CLOCKs with different counters were read (the
 * counter is then taken as nanoseconds). \since 0.1
 */
MPROF_API mprof_status mprof_reader_get_time(const mprof_reader *reader, uint64_t counter, int64_t *nanoseconds);

/**
 * \brief Converts a time to a counter: the first one whose time, by mprof_reader_get_time(), is not before it.
 * \param reader The reader.
 * \param nanoseconds Nanoseconds since the session began.
 * \param counter Receives the counter.
 * \return
 * - #MPROF_OK.
 * - #MPROF_AGAIN while no two CLOCKs with different counters were read (counters are then taken as nanoseconds).
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL.
 * \since 0.1
 */
MPROF_API mprof_status mprof_reader_get_counter(const mprof_reader *reader, int64_t nanoseconds, uint64_t *counter);

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
	uint32_t complete;          /**< 1: END was read, and nothing was wrong with any block that was read. */
	const char *runtime;        /**< From INTRO, "" if that is damaged. Borrowed until the reader is destroyed. */
	mprof_clock start;          /**< CLOCK of INTRO; if that is damaged, the first one that was read. */
	mprof_clock last;           /**< The latest CLOCK read; END's at the end. */
	double counters_per_second; /**< From both; 0 while unknown. */
	uint64_t valid_bytes;       /**< As mprof_parser_get_valid_bytes(); a block that defines an ID
	                                 again, or leaves IDs out, is not valid either. */
	uint64_t lost_events;       /**< Sum of the LOST blocks read. */
	uint32_t compressed;        /**< 1: the source is gzip. */
	uint32_t reserved;          /**< 0. */
} mprof_session;

/**
 * \brief Tells what is known of the log. \param reader The reader. \param session Receives it.
 * \return #MPROF_OK; #MPROF_ERR_ARGUMENT if struct_size is 0 or too small. \since 0.1
 */
MPROF_API mprof_status mprof_reader_get_session(const mprof_reader *reader, mprof_session *session);

/** \brief One block of the index. \since 0.1 */
typedef struct mprof_index_entry {
	size_t struct_size;     /**< sizeof (mprof_index_entry), set by the caller. */
	uint32_t kind;          /**< An #mprof_block_kind. */
	uint32_t reserved;      /**< 0. */
	uint64_t offset;        /**< Of its header. */
	uint64_t length;        /**< Bytes after the header. */
	uint64_t thread;        /**< EVENTS, SAMPLES, MARK: whose. */
	uint64_t start_counter; /**< EVENTS, SAMPLES: base counter. Otherwise of its first CLOCK, or start; 0 if it has
	                             none. */
	uint64_t end_counter;   /**< EVENTS: of its last event (but see mprof_reader_options::index_without_events).
	                             Otherwise of its last CLOCK, or end; 0 if it has none. MARK: when, in both. */
} mprof_index_entry;

/**
 * \brief Makes an index of the log's blocks, in one pass from the start to the end, and goes back to where it was.
 *
 * Called again it goes on from where the index ends: what was added to a log that grows is added to the index, and what
 * was interrupted is gone on with. All names are learnt, call chains of stack sections too, those of STATISTICAL blocks
 * only when their samples are fetched. A block that is loaded is left: next comes the one after it. The source must be
 * able to seek.
 * \param reader The reader.
 * \return
 * - #MPROF_OK, also for a log that is damaged or cut: the index holds what is valid and mprof_reader_get_error() gives
 *   the first fault.
 * - #MPROF_ERR_INTERRUPTED: the same call goes on with the first block that is not in the index.
 * - #MPROF_ERR_UNSUPPORTED if the source cannot seek.
 * - #MPROF_ERR_STATE before INTRO was read.
 * - #MPROF_ERR_ARGUMENT if \p reader is NULL.
 * - #MPROF_ERR_MEMORY, #MPROF_ERR_IO.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_build_index(mprof_reader *reader);

/**
 * \brief How many blocks the index has.
 * \param reader The reader.
 * \return How many; 0 without an index, or if \p reader is NULL.
 * \since 0.1
 */
MPROF_API uint64_t mprof_reader_get_index_count(const mprof_reader *reader);

/**
 * \brief One block of the index, in the order of the log.
 * \param reader The reader.
 * \param number Its number, from 0 on.
 * \param entry Receives it; its struct_size is set.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if there is no such block, struct_size is too small, or a pointer is NULL.
 * \since 0.1
 */
MPROF_API mprof_status mprof_reader_get_index_entry(const mprof_reader *reader, uint64_t number,
						    mprof_index_entry *entry);

/**
 * \brief Writes the index, to be loaded when the log is read another time.
 *
 * The form is the library's own and may change with any release: a newer one refuses it, and makes the index again.
 * \param reader The reader.
 * \param bytes Receives it, if there is room; may be NULL if \p capacity is 0.
 * \param capacity Room in bytes.
 * \param length Receives how many bytes it has; nothing was written if that is more than the room.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_STATE without an index, and for a log with faults, also one that is cut: which call stacks are open
 *   after a block that could not be read is not stored, nor is the fault.
 * - #MPROF_ERR_UNSUPPORTED for mono and unity: how their blocks are decoded depends on all blocks before (base counters
 *   of threads, forms of samples and heap shots), which is not stored.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL.
 * - #MPROF_ERR_MEMORY if the length does not fit size_t.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_save_index(mprof_reader *reader, void *bytes, size_t capacity,
							       size_t *length);

/**
 * \brief Loads an index that mprof_reader_save_index() wrote, instead of making one.
 *
 * Only the blocks that define something are read: their headers must be where the index says, and so must that of the
 * last block. A log that has grown since is added by mprof_reader_build_index(). Where a block that
 * mprof_reader_seek_time() or mprof_reader_get_open_frames() goes to is not what the index says, the index is dropped
 * and made again: a wrong index costs time.
 * \param reader The reader, after INTRO was read and before it has an index.
 * \param bytes What was written; not kept.
 * \param length In bytes.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_NOT_MPROF, #MPROF_ERR_CHECKSUM, #MPROF_ERR_MALFORMED if the bytes are not a whole index.
 * - #MPROF_ERR_UNSUPPORTED if another version wrote them, the dialect has none, or the source cannot seek.
 * - #MPROF_ERR_STATE if they are of another log (by INTRO and where blocks are), and if there is an index.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL.
 * - #MPROF_ERR_INTERRUPTED, #MPROF_ERR_MEMORY, #MPROF_ERR_IO, and errors of mprof_reader_next_block().
 * In all cases but #MPROF_OK there is no index after it.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_load_index(mprof_reader *reader, const void *bytes, size_t length);

/**
 * \brief Goes to the first block that may have events at a time or later; no block before it has.
 *
 * Blocks of one thread come in the order of time. Those of several do not: after the first one blocks may follow whose
 * events are all earlier.
 * \param reader The reader, with an index.
 * \param nanoseconds The time, since the session began.
 * \param thread Only blocks of this thread; #MPROF_THREAD_ANY: all.
 * \return
 * - #MPROF_OK; if there is no such block the next one is what follows the index, #MPROF_END in a log that is closed.
 * - #MPROF_ERR_STATE without an index.
 * - #MPROF_ERR_ARGUMENT if \p reader is NULL.
 * - #MPROF_ERR_INTERRUPTED, #MPROF_ERR_MEMORY, #MPROF_ERR_IO.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_seek_time(mprof_reader *reader, int64_t nanoseconds,
							      uint64_t thread);

/**
 * \brief Which methods a thread is in after all its events up to a counter, those at the counter too.
 *
 * In a program that switches between call stacks (doc/format.md, section 4.8) they are those of the stack that the
 * thread is on.
 *
 * The reader is left at the block where that is, as after mprof_reader_seek(); elsewhere it stays where it was if there
 * is none.
 * \param reader The reader, with an index.
 * \param thread The thread.
 * \param counter The counter; see mprof_reader_get_counter().
 * \param frames Receives them, the innermost first; may be NULL if \p capacity is 0. The last one has the ID 0 if what
 * is outside of it was not recorded or could not be read.
 * \param frame_size sizeof (mprof_stack_frame) as the caller was compiled.
 * \param capacity Room in frames.
 * \param count Receives how many there are, which may be more than fit.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_STATE without an index, or with one that was made without events.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL or the size too small.
 * - #MPROF_ERR_LIMIT if call stacks take more memory than mprof_reader_options::max_names_memory.
 * - #MPROF_ERR_INTERRUPTED, #MPROF_ERR_MEMORY, #MPROF_ERR_IO.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_get_open_frames(mprof_reader *reader, uint64_t thread,
								    uint64_t counter, mprof_stack_frame *frames,
								    size_t frame_size, size_t capacity, size_t *count);

/**
 * \brief Which methods the thread of an EVENTS block is in where the block begins. Reads nothing.
 *
 * They are those of the stack that the thread is on there, as above.
 * \param reader The reader, with an index.
 * \param offset The block's, from an index entry or mprof_block::offset.
 * \param frames As above.
 * \param frame_size As above.
 * \param capacity As above.
 * \param count As above.
 * \return As above; #MPROF_ERR_ARGUMENT also if no EVENTS block of the index begins there.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_get_block_frames(mprof_reader *reader, uint64_t offset,
								     mprof_stack_frame *frames, size_t frame_size,
								     size_t capacity, size_t *count);

/**
 * \brief Goes to a block: the next mprof_reader_next_block() gives it. Names learnt are kept, and the call stacks that
 * threads had where blocks begin that were read before.
 *
 * How a block is decoded depends on what DIRECTIVES blocks before it declare. So the blocks between the furthest one
 * that was read and this one are scanned once: definitions are learnt, of other blocks only headers are read. With an
 * index that was made or loaded there are none up to its end. Damage in these blocks is no error of the seek.
 *
 * Of a compressed log this, once it was called for the first time, keeps access points about each MiB of the log, in at
 * most 21 MB of memory: from there on a place that was read before costs a span between two of them.
 * \param reader The reader.
 * \param offset Of a block's header, from an index entry or from mprof_block::offset.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_UNSUPPORTED if the source cannot seek.
 * - #MPROF_ERR_STATE before INTRO was read.
 * - #MPROF_ERR_ARGUMENT if \p reader is NULL.
 * - #MPROF_ERR_INTERRUPTED: this call or mprof_reader_next_block() finishes it.
 * - #MPROF_ERR_IO, #MPROF_ERR_MEMORY.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_seek(mprof_reader *reader, uint64_t offset);

/**
 * \brief Tells the error of the last call that failed. \param reader The reader. \param error Receives it.
 * \return #MPROF_OK; #MPROF_ERR_ARGUMENT if struct_size is 0 or too small. \since 0.1
 */
MPROF_API mprof_status mprof_reader_get_error(const mprof_reader *reader, mprof_error *error);

MPROF_END_DECLS

#endif
