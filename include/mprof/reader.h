/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/reader.h
 * \brief Reads a log from a file, a descriptor, memory or a function: a parser with a source, a dictionary, and an
 * index.
 *
 * All dialects are read in the same way. If a dialect stores call stacks, native code or modules in another form than
 * STACKS and CODE blocks, the reader assigns IDs and defines them as if the log had these blocks: allocation and
 * monitor events have the stack ID of the preceding stack section, samples that of their frames, and
 * mprof_reader_lookup_stack() and mprof_reader_lookup_record() return the definitions. Stack sections themselves are
 * returned, too, and can be ignored. If sections are missing because blocks were skipped or could not be read, one
 * unknown frame stands for all missing frames between two known ones. Functions and modules that such a log uses
 * without a definition are named "#" and their ID in the log.
 *
 * A loop over blocks may continue after each error of severity #MPROF_SEVERITY_BLOCK, and ends at any other. It
 * terminates: the call after an error of severity #MPROF_SEVERITY_BLOCK continues at a higher offset. #MPROF_ERR_MEMORY
 * is final (see mprof_status): neither a seek nor an index continues after it.
 *
 * gzip is detected automatically. One reader belongs to one thread at a time; only mprof_reader_interrupt() is
 * thread-safe and async-signal-safe. Pointers into the content of a block are valid until the next call that moves to
 * another block; names of classes and methods until the reader is destroyed.
 *
 * Example: examples/small/tutorial/02_read.c.
 */
#ifndef MPROF_READER_H
#define MPROF_READER_H

#include <mprof/parser.h>

MPROF_BEGIN_DECLS

/**
 * \brief All threads, in place of a thread ID: 2^64 - 1.
 * \since 0.1
 */
#define MPROF_THREAD_ANY UINT64_MAX

/**
 * \brief A reader. One thread at a time.
 * \since 0.1
 */
typedef struct mprof_reader mprof_reader;

/**
 * \brief One frame of a call stack. Passed together with its size, so that it may grow at its end.
 *
 * A native frame with the ID 0, always the outermost, stands for the outer frames that were not recorded
 * (section 3.13).
 * \since 0.1
 */
typedef struct mprof_stack_frame {
	uint32_t id;           /**< The method, 0 if not known; the location if native. */
	uint32_t is_native;    /**< 1: a location of native code. */
	uint32_t is_compiling; /**< 1: the method is being compiled, not executed. */
	uint32_t is_inlined;   /**< 1: the code of the caller's frame contains the frame (section 3.32). */
	uint32_t line;         /**< The line of the source in which it is, 0 if not known. */
	uint32_t position;     /**< The position (#MPROF_RECORD_POSITION), which also has the offset of the instruction
	                            and the file; 0 if none. A frame whose position is not defined has the ID 0. */
} mprof_stack_frame;

/**
 * \name The index, seeking, and the methods that are open at an offset
 * \{
 *
 * Example: examples/small/tutorial/06_seek.c.
 */

/**
 * \brief One block of the index.
 * \since 0.1
 */
typedef struct mprof_index_entry {
	size_t struct_size;     /**< sizeof (mprof_index_entry), set by the caller. */
	uint32_t kind;          /**< An #mprof_block_kind. */
	uint32_t reserved;      /**< 0. */
	uint64_t offset;        /**< Offset of its header, in bytes from the start of the log. */
	uint64_t length;        /**< Length after the header, in bytes. */
	uint64_t thread;        /**< EVENTS, SAMPLES, MARK: ID of the thread. */
	uint64_t start_counter; /**< EVENTS, SAMPLES: the base counter. MARK: its counter. Others: the counter of the
	                             first clock pair, or the start counter of the block; 0 if it has neither. */
	uint64_t end_counter;   /**< EVENTS: the latest counter of an event (but see
	                             mprof_reader_options::index_without_events). MARK: its counter. Others: the counter
	                             of the last clock pair, or the end counter of the block; 0 if it has neither. */
} mprof_index_entry;

/**
 * \brief Builds an index of the blocks of the log, in one pass from the start to the end, and returns to the current
 * position.
 *
 * If the log contains an index (section 3.24) that covers all of it, that is loaded instead, and only the blocks with
 * definitions are read. Damage in other blocks is then found when they are read. If a block that
 * mprof_reader_seek_time() or mprof_reader_get_open_frames() seeks to differs from it, the index is built after all. A
 * log that grows, is compressed with gzip or whose length is not known is read; so is one with pauses or switches
 * between call stacks, unless mprof_reader_options::index_without_events is set.
 *
 * A later call continues at the end of the index: it adds the new blocks of a log that grows, and continues an index
 * that was interrupted. All names are read, and the call stacks of stack sections; call stacks of STATISTICAL blocks
 * are defined only when their samples are fetched. A block that was loaded before is not loaded any more: the next
 * block is the one after it. The source must be able to seek.
 * \param reader The reader.
 * \return
 * - #MPROF_OK, also for a log that is damaged or truncated: the index contains the valid blocks, and
 *   mprof_reader_get_error() returns the first fault.
 * - #MPROF_ERR_INTERRUPTED if the reader was interrupted: the same call continues with the first block that is not in
 *   the index.
 * - #MPROF_ERR_UNSUPPORTED if the source cannot seek.
 * - #MPROF_ERR_STATE before INTRO was read.
 * - #MPROF_ERR_ARGUMENT if \p reader is NULL.
 * - #MPROF_ERR_IO if the source failed; see mprof_error::system_error.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_build_index(mprof_reader *reader);

/**
 * \brief Number of blocks in the index.
 * \param reader The reader.
 * \return The count; 0 without an index, or if \p reader is NULL.
 * \since 0.1
 */
MPROF_API uint64_t mprof_reader_get_index_count(const mprof_reader *reader);

/**
 * \brief Gets a block of the index, in the order of the log.
 * \param reader The reader.
 * \param number Its position in the index, 0 to mprof_reader_get_index_count() - 1.
 * \param entry Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if there is no such block, struct_size is too small, or a pointer is NULL.
 * \since 0.1
 */
MPROF_API mprof_status mprof_reader_get_index_entry(const mprof_reader *reader, uint64_t number,
						    mprof_index_entry *entry);

/**
 * \brief Seeks to the first block that may have events at a time or later; no earlier block has any.
 *
 * Blocks are in the order in which they were written, which is not that of time: blocks after the one found may contain
 * only events before that time, also of the same thread if its ID was used by several threads, one after the other.
 * mprof_reader_select() returns exactly the blocks of a span of time.
 * \param reader The reader, with an index.
 * \param nanoseconds The time, since the start of the session.
 * \param thread ID of the thread whose blocks are considered; #MPROF_THREAD_ANY: all.
 * \return
 * - #MPROF_OK; if there is no such block, the next block is the first one after the index, or mprof_reader_next_block()
 *   returns #MPROF_END at the end of the log.
 * - #MPROF_ERR_STATE without an index.
 * - #MPROF_ERR_ARGUMENT if \p reader is NULL.
 * - #MPROF_ERR_INTERRUPTED if the reader was interrupted.
 * - #MPROF_ERR_IO if the source failed; see mprof_error::system_error.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_seek_time(mprof_reader *reader, int64_t nanoseconds,
							      uint64_t thread);

/**
 * \brief Gets the methods that are open in a thread after all its events up to and including a counter.
 *
 * In a program that switches between call stacks (doc/format.md, section 4.8) they are those of the stack that the
 * thread is on, which other threads may have taken or ended until then. If that depends on switches that the index in
 * the log does not contain, the reader builds its own, which costs one pass over the log.
 *
 * The reader is left at the block that contains the counter, as after mprof_reader_seek(); without such a block it
 * stays where it was.
 * \param reader The reader, with an index.
 * \param thread ID of the thread.
 * \param counter The counter; see mprof_reader_get_counter().
 * \param frames Receives the frames, the innermost first; may be NULL if \p capacity is 0. The last one has the ID 0 if
 * its callers were not recorded or could not be read.
 * \param frame_size sizeof (mprof_stack_frame) as the caller was compiled: the distance in bytes from one element to
 * the next.
 * \param capacity Number of elements in \p frames.
 * \param count Receives the number of frames, which may exceed \p capacity.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_STATE without an index, or with one that was built without events.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL or \p frame_size is too small.
 * - #MPROF_ERR_LIMIT if call stacks need more memory than mprof_reader_options::max_names_memory.
 * - #MPROF_ERR_INTERRUPTED if the reader was interrupted.
 * - #MPROF_ERR_IO if the source failed; see mprof_error::system_error.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_get_open_frames(mprof_reader *reader, uint64_t thread,
								    uint64_t counter, mprof_stack_frame *frames,
								    size_t frame_size, size_t capacity, size_t *count);

/**
 * \brief Gets the methods that are open in the thread of an EVENTS block at the start of the block. Reads nothing from
 * the source.
 *
 * In a program that switches between call stacks (doc/format.md, section 4.8) they are those of the stack that the
 * thread is on.
 * \param reader The reader, with an index.
 * \param offset Offset of the header of the block, from an index entry or mprof_block::offset.
 * \param frames Receives the frames, the innermost first; may be NULL if \p capacity is 0. The last one has the ID 0 if
 * its callers were not recorded or could not be read.
 * \param frame_size sizeof (mprof_stack_frame) as the caller was compiled: the distance in bytes from one element to
 * the next.
 * \param capacity Number of elements in \p frames.
 * \param count Receives the number of frames, which may exceed \p capacity.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_STATE without an index, or with one that was built without events.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p frame_size is too small, or no EVENTS block of the index whose open
 *   methods are known starts at \p offset.
 * - #MPROF_ERR_LIMIT if call stacks need more memory than mprof_reader_options::max_names_memory.
 * - #MPROF_ERR_INTERRUPTED if the reader was interrupted.
 * - #MPROF_ERR_IO if the source failed; see mprof_error::system_error.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_get_block_frames(mprof_reader *reader, uint64_t offset,
								     mprof_stack_frame *frames, size_t frame_size,
								     size_t capacity, size_t *count);

/**
 * \brief Seeks to a block: the next mprof_reader_next_block() returns it. The dictionary is kept, and so are the call
 * stacks of threads at the start of blocks that were read before.
 *
 * How a block is decoded depends on the directives in DIRECTIVES blocks before it. The blocks between the furthest one
 * that was read and this one are therefore scanned once: blocks with definitions are read, of other blocks only the
 * headers. With an index, no blocks up to its end need to be scanned. Damage in these blocks
 * is not an error of the seek.
 *
 * For a compressed log, the first call makes the reader keep access points, about one for each MiB of the log, in at
 * most 21 MB of memory. From then on, seeking to a position that was read before decompresses at most the bytes between
 * two access points.
 * \param reader The reader.
 * \param offset Offset of the header of a block, from an index entry or mprof_block::offset.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_UNSUPPORTED if the source cannot seek.
 * - #MPROF_ERR_STATE before INTRO was read.
 * - #MPROF_ERR_ARGUMENT if \p reader is NULL.
 * - #MPROF_ERR_INTERRUPTED if the reader was interrupted: this call or mprof_reader_next_block() continues.
 * - #MPROF_ERR_IO if the source failed; see mprof_error::system_error.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_seek(mprof_reader *reader, uint64_t offset);
/** \} */

/**
 * \brief Where bytes come from, for mprof_reader_open_source().
 *
 * The functions are called on the thread that calls the reader, except read_at. The struct is copied; its functions and
 * \p user must stay valid until close has been called, or, if there is no close, until the reader is destroyed.
 * \since 0.1
 */
typedef struct mprof_source {
	size_t struct_size; /**< sizeof (mprof_source), set by the caller. */
	/**
	 * \brief Puts up to \p length bytes into \p bytes and sets \p got to their number; 0 means that the source has
	 * no more bytes at present. Returns 0 or an errno value; EAGAIN while following means that no bytes are
	 * available yet. To stop a long read use mprof_reader_interrupt(): an error of the source is #MPROF_ERR_IO.
	 */
	int (*read)(void *user, void *bytes, size_t length, size_t *got);
	/**
	 * \brief Seeks to \p offset bytes from the start; returns 0 or an errno value. May be NULL. As in a file,
	 * \p offset may be after the end, where there are no bytes to read: this distinguishes a truncated log from a
	 * source that cannot seek.
	 */
	int (*seek)(void *user, uint64_t offset);
	/** Ends the source; called once. May be NULL. */
	void (*close)(void *user);
	void *user; /**< Passed as the first argument. */
	/**
	 * \brief Reads like read, but from \p offset bytes from the start, and does not change where read continues.
	 *
	 * With mprof_reader_options::threads it is called on several threads at the same time, also during a call of
	 * another function of the source, but not during or after close. Fewer bytes than asked for mean that the log
	 * ends there. Returns 0 or an errno value. May be NULL: then the log is read by one thread. A profile with a
	 * time window reads the headers of the log with it, on the thread that adds blocks.
	 */
	int (*read_at)(void *user, uint64_t offset, void *bytes, size_t length, size_t *got);
} mprof_source;

/**
 * \brief Options of a reader. If all fields except struct_size are 0, the defaults apply.
 * \since 0.1
 */
typedef struct mprof_reader_options {
	size_t struct_size;               /**< Set by mprof_reader_options_init(). */
	const mprof_allocator *allocator; /**< Allocator of the reader; NULL: malloc. Copied. */
	uint64_t max_block_length;        /**< Maximum length of a block that is loaded, in bytes, as it is stored and
	                                       without compression; 0 means 64 MiB. */
	uint64_t max_name_length;         /**< Maximum length of a name, in bytes; 0 means 1 MiB. */
	uint64_t max_names_memory;        /**< Maximum memory for names and other definitions, in bytes; 0 means 1
	                                       GiB. */
	mprof_number_set wanted;          /**< Kinds of blocks to load; the empty set means all. Of other kinds only
	                                       headers are returned. */
	uint32_t follow;                  /**< 1: return #MPROF_AGAIN at the end of the available bytes; more may
	                                       arrive. Detecting truncation or rotation of the file is the caller's job:
	                                       its inode differs, or it is shorter than mprof_session::valid_bytes and
	                                       not compressed. */
	uint32_t ignore_checksums;        /**< 1: do not verify checksums (for fuzzing and for recovery of damaged
	                                       logs). */
	uint32_t keep_implicit_leaves;    /**< 1: return #MPROF_EVENT_METHOD_LEAVE_IMPLICIT as it is in the log. 0:
	                                       convert it to a leave with its method, see mprof_reader_next_events(). */
	uint32_t index_without_events;    /**< 1: mprof_reader_build_index() does not scan events, which takes less than
	                                       half the time. The end of an EVENTS block is then the time when it was
	                                       written, and the frames that are open at its start are not known. */
	/**
	 * \brief Called about once for each MiB of the source that is read, by all calls that read. \p done is the
	 * position in the source, in bytes (of the compressed ones, if it is compressed), \p total the length of the
	 * source when it was opened, or 0 if that is not known or the log is followed. May be NULL.
	 */
	mprof_progress_function progress;
	void *progress_user; /**< Passed as the first argument. */
	/**
	 * \brief Number of threads that decode events, with the one that calls the reader; at most
	 * #MPROF_READER_MAX_THREADS. 0 and 1: no others are created.
	 *
	 * Other threads decode the next EVENTS blocks while the caller handles the events of the current one. All calls
	 * return the same as with one thread. Used for logs of mprof2 that are neither compressed as a whole nor
	 * followed, from sources with mprof_source::read_at; otherwise, or if threads or memory are refused, the number
	 * has no effect. The threads block all signals, never call the allocator, and end in mprof_reader_destroy().
	 * They need up to 6 MiB for each thread, and 12 MiB more. Compressed blocks are decompressed on the threads
	 * unless there are codecs of the caller. Columns that are fetched as arrays (mprof_reader_next_columns()) are
	 * decoded by the caller. While blocks are added to a profile (mprof_profile_add_block()), the threads add up
	 * the calls and allocations of the next ones.
	 */
	uint32_t threads;
	uint32_t reserved;         /**< Must be 0. */
	const mprof_codec *codecs; /**< Codecs of the caller for compressed blocks; NULL if codec_count is 0. The array
	                                is copied. */
	size_t codec_count;        /**< Number of elements of codecs, at most 8. */
} mprof_reader_options;

/** \brief Maximum of mprof_reader_options::threads. */
#define MPROF_READER_MAX_THREADS 64

/**
 * \brief Sets all options to their defaults.
 *
 * Thread-safe for different structs.
 * \param options The struct to initialize; NULL does nothing.
 * \param struct_size sizeof (mprof_reader_options) as the caller was compiled; a size smaller than that of size_t does
 * nothing.
 * \since 0.1
 */
MPROF_API void mprof_reader_options_init(mprof_reader_options *options, size_t struct_size);

/**
 * \brief Opens a log by name and reads its INTRO.
 *
 * If the error is of severity #MPROF_SEVERITY_BLOCK, only INTRO is damaged, and reading can continue after it.
 * \param path Name of the file.
 * \param options Options, or NULL for the defaults. Copied.
 * \param reader Receives the reader, also on errors other than #MPROF_ERR_ARGUMENT and #MPROF_ERR_MEMORY, so that
 * mprof_reader_get_error() can be called. The caller frees it with mprof_reader_destroy() in all cases.
 * \return
 * - #MPROF_OK.
 * - #MPROF_AGAIN when following, if INTRO is not complete yet.
 * - #MPROF_ERR_INTERRUPTED if mprof_reader_options::progress asked for it: the first mprof_reader_next_block()
 *   continues.
 * - #MPROF_ERR_NOT_MPROF if the bytes are not an mprof log: mprof_error::what names the other format if it is known, or
 *   states that the log is empty.
 * - #MPROF_ERR_TRUNCATED if the log ends inside INTRO.
 * - #MPROF_ERR_UNSUPPORTED if the dialect cannot be read.
 * - #MPROF_ERR_CHECKSUM, #MPROF_ERR_MALFORMED if INTRO is damaged.
 * - #MPROF_ERR_ARGUMENT if \p path or \p reader is NULL, or an option is out of range.
 * - #MPROF_ERR_IO if the file could not be opened or read (EISDIR for a directory); see mprof_error::system_error.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_open_path(const char *path, const mprof_reader_options *options,
							      mprof_reader **reader);

/**
 * \brief Opens a log from a descriptor, at its current position, and reads its INTRO. The descriptor need not be able
 * to seek.
 *
 * If the error is of severity #MPROF_SEVERITY_BLOCK, only INTRO is damaged, and reading can continue after it.
 * \param fd The descriptor. Stays open: the caller closes it after mprof_reader_destroy(). On Windows it is set to
 * binary mode and remains so.
 * \param options Options, or NULL for the defaults. Copied.
 * \param reader Receives the reader, also on errors other than #MPROF_ERR_ARGUMENT and #MPROF_ERR_MEMORY, so that
 * mprof_reader_get_error() can be called. The caller frees it with mprof_reader_destroy() in all cases.
 * \return
 * - #MPROF_OK.
 * - #MPROF_AGAIN when following, if INTRO is not complete yet.
 * - #MPROF_ERR_INTERRUPTED if mprof_reader_options::progress asked for it: the first mprof_reader_next_block()
 *   continues.
 * - #MPROF_ERR_NOT_MPROF if the bytes are not an mprof log: mprof_error::what names the other format if it is known, or
 *   states that the log is empty.
 * - #MPROF_ERR_TRUNCATED if the log ends inside INTRO.
 * - #MPROF_ERR_UNSUPPORTED if the dialect cannot be read.
 * - #MPROF_ERR_CHECKSUM, #MPROF_ERR_MALFORMED if INTRO is damaged.
 * - #MPROF_ERR_ARGUMENT if \p reader is NULL, or an option is out of range.
 * - #MPROF_ERR_IO if the descriptor could not be read; see mprof_error::system_error.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_open_fd(int fd, const mprof_reader_options *options,
							    mprof_reader **reader);

/**
 * \brief Opens a log in memory and reads its INTRO.
 *
 * If the error is of severity #MPROF_SEVERITY_BLOCK, only INTRO is damaged, and reading can continue after it.
 * \param bytes The log. Borrowed: it must remain valid and unchanged until the reader is destroyed, since blocks are
 * read in place, without a copy. May be NULL if \p length is 0.
 * \param length Length of the log in bytes.
 * \param options Options, or NULL for the defaults. Copied.
 * \param reader Receives the reader, also on errors other than #MPROF_ERR_ARGUMENT and #MPROF_ERR_MEMORY, so that
 * mprof_reader_get_error() can be called. The caller frees it with mprof_reader_destroy() in all cases.
 * \return
 * - #MPROF_OK.
 * - #MPROF_AGAIN when following, if INTRO is not complete yet.
 * - #MPROF_ERR_INTERRUPTED if mprof_reader_options::progress asked for it: the first mprof_reader_next_block()
 *   continues.
 * - #MPROF_ERR_NOT_MPROF if the bytes are not an mprof log: mprof_error::what names the other format if it is known, or
 *   states that the log is empty.
 * - #MPROF_ERR_TRUNCATED if the log ends inside INTRO.
 * - #MPROF_ERR_UNSUPPORTED if the dialect cannot be read.
 * - #MPROF_ERR_CHECKSUM, #MPROF_ERR_MALFORMED if INTRO is damaged.
 * - #MPROF_ERR_ARGUMENT if \p reader is NULL, or an option is out of range.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_open_memory(const void *bytes, size_t length,
								const mprof_reader_options *options,
								mprof_reader **reader);

/**
 * \brief Opens a log from functions of the caller and reads its INTRO.
 *
 * If the error is of severity #MPROF_SEVERITY_BLOCK, only INTRO is damaged, and reading can continue after it.
 * \param source Copied. Its close function is called in all cases.
 * \param options Options, or NULL for the defaults. Copied.
 * \param reader Receives the reader, also on errors other than #MPROF_ERR_ARGUMENT and #MPROF_ERR_MEMORY, so that
 * mprof_reader_get_error() can be called. The caller frees it with mprof_reader_destroy() in all cases.
 * \return
 * - #MPROF_OK.
 * - #MPROF_AGAIN when following, if INTRO is not complete yet.
 * - #MPROF_ERR_INTERRUPTED if mprof_reader_options::progress asked for it: the first mprof_reader_next_block()
 *   continues.
 * - #MPROF_ERR_NOT_MPROF if the bytes are not an mprof log: mprof_error::what names the other format if it is known, or
 *   states that the log is empty.
 * - #MPROF_ERR_TRUNCATED if the log ends inside INTRO.
 * - #MPROF_ERR_UNSUPPORTED if the dialect cannot be read.
 * - #MPROF_ERR_CHECKSUM, #MPROF_ERR_MALFORMED if INTRO is damaged.
 * - #MPROF_ERR_ARGUMENT if \p source or \p reader is NULL, or an option is out of range.
 * - #MPROF_ERR_IO if a function of the source returned an error; see mprof_error::system_error.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_open_source(const mprof_source *source,
								const mprof_reader_options *options,
								mprof_reader **reader);

/**
 * \brief Interrupts a long call that reads: mprof_reader_next_block(), mprof_reader_load(), mprof_reader_seek(),
 * mprof_reader_seek_time(), mprof_reader_build_index(), mprof_reader_get_open_frames(),
 * mprof_profile_read(), mprof_heap_graph_read(), mprof_converter_run() return #MPROF_ERR_INTERRUPTED before they read
 * more of the source.
 *
 * If none of them is running, the next one that reads from the source is interrupted. Nothing is lost: the same call,
 * repeated, continues where it stopped. Thread-safe and async-signal-safe.
 * \param reader The reader, which must not be destroyed meanwhile; NULL does nothing.
 * \since 0.1
 */
MPROF_API void mprof_reader_interrupt(mprof_reader *reader);

/**
 * \brief Declares that nothing will be added to the log that is followed.
 *
 * The reader then reads the bytes that the source still has. The end is reported as in a log that is not followed: the
 * complete events of a truncated block are returned with #MPROF_ERR_TRUNCATED; after a complete block comes #MPROF_END
 * instead of #MPROF_AGAIN. A source cannot report this itself: a pipe or a connection whose other end was closed
 * returns no bytes, like one whose other end is slow.
 * \param reader The reader. Has no effect on a reader that does not follow, or for which it was called before.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p reader is NULL.
 * - The status of opening, if the log could not be opened.
 * \since 0.1
 */
MPROF_API mprof_status mprof_reader_finish(mprof_reader *reader);

/**
 * \brief Frees a reader and closes its source. Everything borrowed from it becomes invalid.
 * \param reader The reader, or NULL.
 * \since 0.1
 */
MPROF_API void mprof_reader_destroy(mprof_reader *reader);

/**
 * \brief Changes the maximum length of a block that is loaded, as it is stored and without compression.
 * \param reader The reader; NULL does nothing.
 * \param length Bytes; 0 means 64 MiB.
 * \since 0.1
 */
MPROF_API void mprof_reader_set_max_block_length(mprof_reader *reader, uint64_t length);

/**
 * \brief Moves to the next block and loads it if its kind is wanted. The first call returns INTRO.
 *
 * After an error of severity #MPROF_SEVERITY_BLOCK the next call continues after the damage. To load a block after
 * #MPROF_ERR_LIMIT, raise the limit with mprof_reader_set_max_block_length() and call mprof_reader_load().
 * \param reader The reader.
 * \param block Receives the block. The caller sets its struct_size. After an error in the content of a block it has the
 * fields of the block's header, such as kind and offset; loaded is 1 if its events can be fetched in spite of the
 * error, as they can after #MPROF_ERR_TRUNCATED, and other fields are not valid. After any other status than #MPROF_OK
 * it is not a block, and loaded is 0.
 * \return
 * - #MPROF_OK.
 * - #MPROF_AGAIN when following, if no more bytes are available: the position is kept; call again later, or end the log
 *   with mprof_reader_finish().
 * - #MPROF_END after the last block.
 * - #MPROF_ERR_INTERRUPTED if the reader was interrupted: the same call continues.
 * - #MPROF_ERR_MALFORMED also for a block that omits IDs of stacks, code, roots or metrics, unless skipped blocks may
 *   have defined them; the definitions that it contains are used in spite of that.
 * - #MPROF_ERR_IO if the source failed; see mprof_error::system_error.
 * - Any other error of mprof_parser_next_block().
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_next_block(mprof_reader *reader, mprof_block *block);

/**
 * \brief Loads the block whose header mprof_reader_next_block() returned, although its kind is not wanted.
 * \param reader The reader.
 * \param block Receives the block. The caller sets its struct_size.
 * \return
 * - #MPROF_OK.
 * - #MPROF_AGAIN when following, if no more bytes are available.
 * - #MPROF_ERR_INTERRUPTED if the reader was interrupted: the same call continues.
 * - #MPROF_ERR_IO if the source failed; see mprof_error::system_error.
 * - Any other error of mprof_parser_load().
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_load(mprof_reader *reader, mprof_block *block);

/**
 * \brief Fetches events of the loaded block; of a STATISTICAL block its samples, each with a stack ID.
 *
 * #MPROF_EVENT_METHOD_LEAVE_IMPLICIT (section 4.3) is returned as #MPROF_EVENT_METHOD_LEAVE with its method and
 * #MPROF_EVENT_FLAG_IMPLICIT, unless mprof_reader_options::keep_implicit_leaves is set. The method is 0 if it cannot be
 * determined: its enter event was in a block that could not be read, was not wanted, or was skipped by a seek without
 * an index.
 * \param reader The reader.
 * \param events Array that receives the events. Their details are borrowed until the next call on the reader.
 * \param capacity Number of elements in \p events, 1 or more.
 * \param count Receives the number of events fetched; also set (and the events are valid) when an error other than
 * #MPROF_ERR_MEMORY is returned.
 * \return
 * - #MPROF_OK; \p count is at least 1.
 * - #MPROF_END after the last event; \p count is 0.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL or \p capacity is 0.
 * - #MPROF_ERR_STATE if no block with events is loaded.
 * - #MPROF_ERR_MALFORMED after the events before the damage.
 * - #MPROF_ERR_TRUNCATED after the last complete event of a truncated block.
 * - #MPROF_ERR_LIMIT once, in place of #MPROF_END, if call stacks, native code or the state of implicit leaves exceeded
 *   mprof_reader_options::max_names_memory: the events then have ID 0 or that of a part of the call stack.
 * - #MPROF_ERR_MEMORY if the allocator refused; \p count is 0.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_next_events(mprof_reader *reader, mprof_event *events,
								size_t capacity, size_t *count);

/**
 * \brief Fetches definitions of the loaded MAPPING block.
 * \param reader The reader.
 * \param mappings Array that receives the definitions. Their texts are borrowed until the next call that moves to
 * another block.
 * \param mapping_size sizeof (mprof_mapping) as the caller was compiled: the distance in bytes from one element to the
 * next.
 * \param capacity Number of elements in \p mappings, 1 or more.
 * \param count Receives the number of definitions fetched.
 * \return
 * - #MPROF_OK; \p count is at least 1.
 * - #MPROF_END after the last definition; \p count is 0.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p capacity is 0, or \p mapping_size is smaller than in release 0.1.
 * - #MPROF_ERR_STATE if no MAPPING block is loaded.
 * - #MPROF_ERR_MALFORMED after the definitions before the damage.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_next_mappings(mprof_reader *reader, mprof_mapping *mappings,
								  size_t mapping_size, size_t capacity, size_t *count);

/**
 * \brief Fetches the next property of the loaded SESSION block.
 * \param reader The reader.
 * \param key Receives the key, borrowed until the next call that moves to another block.
 * \param value Receives the value, borrowed until the next call that moves to another block.
 * \return
 * - #MPROF_OK.
 * - #MPROF_END after the last property.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL.
 * - #MPROF_ERR_STATE if no SESSION block is loaded.
 * - #MPROF_ERR_MEMORY if the allocator refused in an earlier call.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_next_property(mprof_reader *reader, const char **key,
								  const char **value);

/**
 * \brief Looks up a class among those defined so far.
 * \param reader The reader.
 * \param id Class ID.
 * \param mapping Receives the definition; its texts are borrowed until the reader is destroyed.
 * \param mapping_size sizeof (mprof_mapping) as the caller was compiled.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_UNDEFINED_ID if the ID is not defined.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, or \p mapping_size is smaller than in release 0.1.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_lookup_class(const mprof_reader *reader, uint32_t id,
								 mprof_mapping *mapping, size_t mapping_size);

/**
 * \brief Looks up a method among those defined so far.
 * \param reader The reader.
 * \param id Method ID.
 * \param mapping Receives the definition; its texts are borrowed until the reader is destroyed.
 * \param mapping_size sizeof (mprof_mapping) as the caller was compiled.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_UNDEFINED_ID if the ID is not defined.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, or \p mapping_size is smaller than in release 0.1.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_lookup_method(const mprof_reader *reader, uint32_t id,
								  mprof_mapping *mapping, size_t mapping_size);

/**
 * \brief Formats the name that a method has in the source, for a name that a C# compiler generated.
 *
 * The body of an async method or an iterator, "Space.Class/<Work>d__1.MoveNext ()", becomes "Space.Class.Work", without
 * arguments since the name does not contain them; a lambda "Space.Class.<Work>b__1_0 (int)" becomes
 * "Space.Class.Work.lambda_0 (int)", and a local function "Space.Class.<Work>g__Add|1_0 (int)" becomes
 * "Space.Class.Work.Add (int)". The names of csc and mcs are known. Other names are copied.
 *
 * Thread-safe and async-signal-safe.
 * \param name A name as of mprof_reader_format_method().
 * \param text Receives the name, truncated and NUL-terminated like snprintf; may be NULL if \p size is 0. Must not
 * overlap \p name.
 * \param size Size of \p text in bytes; may be 0.
 * \return Length of the whole name in bytes; 0 if a pointer is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_name_format_readable(const char *name, char *text, size_t size);

/**
 * \brief Formats "Class.Method (arguments)" for a method; "#ID" stands for a class or method that is not defined. The
 * log may state another separator (mprof_session::method_separator).
 * \param reader The reader.
 * \param id Method ID.
 * \param text Receives the name, truncated and NUL-terminated like snprintf; may be NULL if \p size is 0.
 * \param size Size of \p text in bytes; may be 0.
 * \return Length of the whole name in bytes; 0 if a pointer is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_reader_format_method(const mprof_reader *reader, uint32_t id, char *text, size_t size);

/**
 * \brief Fetches the records of the loaded block; of a STATISTICAL block its modules and functions, with the IDs that
 * the reader has assigned to them.
 * \param reader The reader.
 * \param records Array that receives the records. Their texts are borrowed until the next call that moves to another
 * block.
 * \param record_size sizeof (mprof_record) as the caller was compiled: the distance in bytes from one element to the
 * next.
 * \param capacity Number of elements in \p records, 1 or more.
 * \param count Receives the number of records fetched.
 * \return
 * - #MPROF_OK; \p count is at least 1.
 * - #MPROF_END after the last record; \p count is 0.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p capacity is 0, or \p record_size is smaller than in release 0.1.
 * - #MPROF_ERR_STATE if no block with records is loaded.
 * - #MPROF_ERR_MALFORMED after the records before the damage.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_next_records(mprof_reader *reader, mprof_record *records,
								 size_t record_size, size_t capacity, size_t *count);

/**
 * \brief Looks up a call stack (section 3.13) among those defined so far.
 * \param reader The reader.
 * \param stack Stack ID.
 * \param frames Receives its frames, the innermost first; may be NULL if \p capacity is 0.
 * \param frame_size sizeof (mprof_stack_frame) as the caller was compiled: the distance in bytes from one element to
 * the next.
 * \param capacity Number of elements in \p frames.
 * \param count Receives the number of frames of the call stack, which may exceed \p capacity. The call stack ends early
 * where a caller is not defined.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_UNDEFINED_ID if the ID is not defined; \p count is 0.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, or \p frame_size is smaller than in release 0.1.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_lookup_stack(const mprof_reader *reader, uint32_t stack,
								 mprof_stack_frame *frames, size_t frame_size,
								 size_t capacity, size_t *count);

/**
 * \brief Looks up the innermost frame of a call stack and the stack ID of its caller.
 * \param reader The reader.
 * \param stack Stack ID.
 * \param frame Receives the frame.
 * \param frame_size sizeof (mprof_stack_frame) as the caller was compiled.
 * \param caller Receives the stack ID of the caller, 0 if none.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_UNDEFINED_ID if the ID is not defined.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, or \p frame_size is smaller than in release 0.1.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_lookup_caller(const mprof_reader *reader, uint32_t stack,
								  mprof_stack_frame *frame, size_t frame_size,
								  uint32_t *caller);

/**
 * \brief Looks up a definition of the blocks of records read so far.
 * \param reader The reader.
 * \param kind An #mprof_record_kind: #MPROF_RECORD_STACK to #MPROF_RECORD_METRIC, #MPROF_RECORD_ARGUMENT to
 * #MPROF_RECORD_PROCESS, #MPROF_RECORD_POSITION, or #MPROF_RECORD_CODE_RANGE.
 * \param id ID of the definition.
 * \param record Receives the definition; its texts are borrowed until the reader is destroyed.
 * \param record_size sizeof (mprof_record) as the caller was compiled.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_UNDEFINED_ID if the ID is not defined.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, or \p record_size is smaller than in release 0.1.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_lookup_record(const mprof_reader *reader, uint32_t kind,
								  uint32_t id, mprof_record *record,
								  size_t record_size);

/**
 * \brief Looks up the range of generated code that held an address at a time, among those of the CODE_RANGES blocks
 * read so far (section 3.36).
 *
 * An address that two ranges claim at one time belongs to the later one.
 *
 * A reader is used by one thread at a time. Not async-signal-safe.
 * \param reader The reader.
 * \param process In a log whose processes have addresses of their own (directive 39), the number of the process that
 * has the address; ignored in others.
 * \param address The address.
 * \param counter The counter of the event that has the address.
 * \param range Receives the definition, of the kind #MPROF_RECORD_CODE_RANGE, with the address at which the range began
 * at that time; its texts are borrowed until the reader is destroyed.
 * \param record_size sizeof (mprof_record) as the caller was compiled.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_UNDEFINED_ID if no range held the address.
 * - #MPROF_ERR_LIMIT if there is no room for an index of the ranges: raise mprof_reader_options::max_names_memory.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, or \p record_size is smaller than in release 0.1.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_lookup_code(mprof_reader *reader, uint64_t process,
								uint64_t address, uint64_t counter, mprof_record *range,
								size_t record_size);

/**
 * \brief Names the addresses of generated code in a call stack by the ranges that held them at a time (section 3.36).
 *
 * The frames of the log that are neither in a module nor in a function are addresses. Where a range is known, the frame
 * becomes that of its method, of its positions, or of a native location with the name of the range. The result is
 * another call stack, which all functions of this reader know and the log does not have. A profile counts call stacks
 * under their names.
 *
 * A reader is used by one thread at a time. Not async-signal-safe.
 * \param reader The reader.
 * \param thread ID of the thread of the event. Its process is that of the addresses, in a log whose processes have
 * addresses of their own (directive 39).
 * \param stack Stack ID.
 * \param counter The counter of the event that has the call stack.
 * \param named Receives the ID of the named call stack; \p stack itself if nothing changes, and after an error.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_LIMIT if there is no room for names: raise mprof_reader_options::max_names_memory.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_name_stack(mprof_reader *reader, uint64_t thread, uint32_t stack,
							       uint64_t counter, uint32_t *named);

/**
 * \brief Whether ranges of generated code that were read later change names that mprof_reader_name_stack() returned, or
 * a profile used, since this function was called last.
 *
 * A log may define ranges after the events at their addresses. If this returns 1 at the end of a log, return to its
 * start by mprof_reader_seek() and read it again, with a new profile: all ranges are known then.
 *
 * A reader is used by one thread at a time. Not async-signal-safe.
 * \param reader The reader.
 * \return 1, or 0: no name changes, or \p reader is NULL.
 * \since 0.1
 */
MPROF_API int mprof_reader_has_late_code(mprof_reader *reader);

/**
 * \brief Looks up the field in which an object has a reference, by the offset of the reference in the object
 * (mprof_event_detail::offsets), in the FIELDS blocks read so far.
 *
 * The name in the definition is that of the field, such as "entries"; of an array, "[]" stands for an element, as in
 * "[]" or "[].value".
 *
 * A reader is used by one thread at a time. Not async-signal-safe.
 * \param reader The reader.
 * \param class_id ID of the class of the object.
 * \param offset Offset of the reference in the object, in bytes.
 * \param field Receives the definition, of the kind #MPROF_RECORD_FIELD; its texts are borrowed until the reader is
 * destroyed.
 * \param record_size sizeof (mprof_record) as the caller was compiled.
 * \param index Receives the index of the element in an array, or 0.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_UNDEFINED_ID if no field of the class at that offset is defined.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, or \p record_size is smaller than in release 0.1.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_lookup_field(const mprof_reader *reader, uint32_t class_id,
								 uint64_t offset, mprof_record *field,
								 size_t record_size, uint64_t *index);

/**
 * \brief Number of definitions of a kind so far.
 * \param reader The reader.
 * \param kind An #mprof_record_kind: #MPROF_RECORD_STACK to #MPROF_RECORD_METRIC, or #MPROF_RECORD_FIELD to
 * #MPROF_RECORD_PROCESS, #MPROF_RECORD_POSITION or #MPROF_RECORD_CODE_RANGE.
 * \return The count; 0 for other kinds, or if \p reader is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_reader_get_record_count(const mprof_reader *reader, uint32_t kind);

/**
 * \brief Formats a readable name of a location in native code: its function, else its module and offset, else its
 * address.
 * \param reader The reader.
 * \param location ID of the location.
 * \param text Receives the name, truncated and NUL-terminated like snprintf; may be NULL if \p size is 0.
 * \param size Size of \p text in bytes; may be 0.
 * \return Length of the whole name in bytes; 0 if a pointer is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_reader_format_location(const mprof_reader *reader, uint32_t location, char *text, size_t size);

/**
 * \brief Number of classes defined so far.
 * \param reader The reader.
 * \return The count; 0 if \p reader is NULL.
 * \since 0.1
 */
MPROF_API uint64_t mprof_reader_get_class_count(const mprof_reader *reader);

/**
 * \brief Number of methods defined so far.
 * \param reader The reader.
 * \return The count; 0 if \p reader is NULL.
 * \since 0.1
 */
MPROF_API uint64_t mprof_reader_get_method_count(const mprof_reader *reader);

/**
 * \brief Converts a counter to a time, by the first and the latest of the clock pairs read so far. The result changes
 * while more clock pairs are read.
 * \param reader The reader.
 * \param counter The counter.
 * \param nanoseconds Receives nanoseconds since the start of the session, negative before it.
 * \return
 * - #MPROF_OK.
 * - #MPROF_AGAIN if no two clock pairs with different counters were read yet: the counter is taken as nanoseconds.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL.
 * \since 0.1
 */
MPROF_API mprof_status mprof_reader_get_time(const mprof_reader *reader, uint64_t counter, int64_t *nanoseconds);

/**
 * \brief Converts a time to a counter: the first one whose time, by mprof_reader_get_time(), is not before it.
 * \param reader The reader.
 * \param nanoseconds Nanoseconds since the start of the session.
 * \param counter Receives the counter.
 * \return
 * - #MPROF_OK.
 * - #MPROF_AGAIN if neither a frequency nor two clock pairs with different counters were read yet: counters are taken
 * as
 *   nanoseconds.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL.
 * \since 0.1
 */
MPROF_API mprof_status mprof_reader_get_counter(const mprof_reader *reader, int64_t nanoseconds, uint64_t *counter);

/**
 * \brief Called for each error in a log.
 * \param user The pointer passed together with the function.
 * \param error The error and its position. Borrowed during the call.
 * \since 0.1
 */
typedef void (*mprof_damage_function)(void *user, const mprof_error *error);

/**
 * \brief The state of a log as far as it was read.
 * \since 0.1
 */
typedef struct mprof_session {
	size_t struct_size;         /**< sizeof (mprof_session), set by the caller. */
	uint32_t dialect;           /**< An #mprof_dialect. */
	uint32_t version;           /**< Version of the format in INTRO. */
	uint64_t flags;             /**< Bits of #mprof_intro_flag from INTRO; 0 if INTRO is damaged. */
	uint32_t complete;          /**< 1: END was read, and no block that was read was damaged. */
	uint32_t compressed;        /**< 1: the source is gzip. */
	const char *runtime;        /**< Name or file of the runtime from INTRO, "" if INTRO is damaged. Borrowed until
	                                 the reader is destroyed. */
	mprof_clock start;          /**< Clock pair of INTRO; if INTRO is damaged, the first one that was read. */
	mprof_clock last;           /**< The latest clock pair read; after the last block that of END. Its time minus
	                                 that of start is not the duration: the wall clock may have been set. */
	double counters_per_second; /**< Frequency of the counter that all times are computed by: as the log states it,
	                                 otherwise from the clock pairs; 0 while not known. */
	uint64_t valid_bytes;       /**< As mprof_parser_get_valid_bytes(); a block that defines an ID again, or omits
	                                 IDs, is not valid either. */
	uint64_t lost_events;       /**< Sum of the lost events in the LOST blocks read. */
	uint64_t duration_ns;       /**< Nanoseconds from start to last, by the counter. */
	uint32_t states_rate;  /**< 1: the log states counters_per_second (doc/format.md, 3.8). 0: it is derived from
	                                 the wall clock, without the steps that were found. */
	uint32_t clock_steps;  /**< How many times the wall clock was set while the log was recorded, as far as clock
	                                 pairs show it: by more than 100 ms. Not all if clock pairs are far apart, and
	                                 none of a log that has fewer than four and does not state the frequency. The
	                                 time in which a system slept is such a step if its counter stood still. */
	int64_t clock_step_us; /**< By how many microseconds, all together. */
	uint64_t monotonic_ns; /**< CLOCK_MONOTONIC of the recorded system at clocks; 0: not known. */
	uint64_t boottime_ns;  /**< CLOCK_BOOTTIME of the recorded system at clocks; 0: not known. */
	mprof_clock clocks;    /**< The counter and the wall clock that monotonic_ns and boottime_ns belong to. */
	uint64_t snapshots_before_shutdown; /**< How many heap snapshots were taken before the runtime began to shut
	                                         down, as the log states it; UINT64_MAX: it does not, or the SESSION
	                                         block that does was not read yet. */
	uint32_t has_object_numbers;        /**< 1: what the log has as addresses of objects are numbers that identify
	                                         them (doc/format.md, 3.8). */
	uint32_t has_slots;                 /**< 1: offsets of references are numbers of slots, not of bytes. */
	const char *method_separator;       /**< What is between a class and its method in mprof_reader_format_method():
	                                         "." unless the log states another ("name_style" in doc/format.md, 3.8).
	                                         Static. */
	uint32_t hides_signatures;          /**< 1: the runtime wants reports to leave out the arguments of methods. */
	uint32_t reserved;                  /**< 0. */
} mprof_session;

/**
 * \brief Gets the state of the log as far as it was read.
 * \param reader The reader.
 * \param session Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_reader_get_session(const mprof_reader *reader, mprof_session *session);

/**
 * \brief Gets the error of the last call that failed.
 * \param reader The reader.
 * \param error Receives what fits its struct_size, which the caller sets. Its text is static.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_reader_get_error(const mprof_reader *reader, mprof_error *error);

/**
 * \name Blocks by kind, thread and time
 * \{
 *
 * With an index, which a log can contain (section 3.24), the reader seeks past all other blocks.
 */

/**
 * \brief Which blocks are of interest.
 * \since 0.1
 */
typedef struct mprof_query {
	size_t struct_size;     /**< Set by mprof_query_init(). */
	mprof_number_set kinds; /**< The kinds of blocks; empty: all. */
	uint64_t thread;        /**< ID of the thread of EVENTS, SAMPLES and MARK; #MPROF_THREAD_ANY: all. */
	int64_t start_ns;       /**< Nanoseconds since the start of the session; INT64_MIN: from the start. */
	int64_t end_ns;         /**< The end of the time, included; INT64_MAX: up to the end. */
} mprof_query;

/**
 * \brief Sets a query to all blocks.
 *
 * Thread-safe for different structs.
 * \param query The struct to initialize; NULL does nothing.
 * \param struct_size sizeof (mprof_query) as the caller was compiled; a size smaller than that of size_t does nothing.
 * \since 0.1
 */
MPROF_API void mprof_query_init(mprof_query *query, size_t struct_size);

/**
 * \brief Makes mprof_reader_next_block() skip blocks that cannot match the query.
 *
 * The blocks that are delivered may contain events at other times, too. Blocks are left out by time only if they are
 * EVENTS, SAMPLES and MARK, and by thread only if they are loaded or in the index. Names and other definitions are read
 * in any case. The methods of implicit leaves are known as if all blocks were read.
 *
 * Blocks that are left out are not checked for damage. If the index does not match a block that is delivered,
 * mprof_reader_next_block() returns #MPROF_ERR_MALFORMED once: the index is discarded, since blocks may have been left
 * out that the query asks for. An index that the log contains is protected by checksums, but its entries of blocks that
 * are left out are not compared with them.
 * \param reader The reader.
 * \param query The query, or NULL for all blocks. Copied.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_STATE if the query has a time and there is no index: call mprof_reader_build_index() first.
 * - #MPROF_ERR_ARGUMENT if \p reader is NULL, or struct_size is not set.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_select(mprof_reader *reader, const mprof_query *query);
/** \} */

/**
 * \name Events as arrays by field
 * \{
 *
 * A program that needs only some of the fields of events, or the same field of many events at once, reads them several
 * times as fast from arrays. Blocks of columns (section 3.22 of doc/format.md) contain the fields like this; only the
 * columns that are wanted are decoded. Events of other EVENTS blocks are delivered in the same way, without being
 * faster than as structs.
 */

/**
 * \brief The columns of events. Bits; new ones may be added.
 * \since 0.1
 */
typedef enum mprof_column {
	MPROF_COLUMN_METHODS = 1,  /**< mprof_columns::methods. */
	MPROF_COLUMN_TIMES = 2,    /**< mprof_columns::times. */
	MPROF_COLUMN_CLASSES = 4,  /**< mprof_columns::classes. */
	MPROF_COLUMN_SIZES = 8,    /**< mprof_columns::sizes. */
	MPROF_COLUMN_CALLERS = 16, /**< mprof_columns::callers. */
	MPROF_COLUMN_STACKS = 32,  /**< mprof_columns::stacks. */
	MPROF_COLUMN_OBJECTS = 64  /**< mprof_columns::objects. */
} mprof_column;

/**
 * \brief The kind of an event, which determines the columns that have its values. Numbers are fixed; new ones may be
 * added.
 * \since 0.1
 */
typedef enum mprof_column_symbol {
	MPROF_SYMBOL_ENTER = 0,          /**< #MPROF_EVENT_METHOD_ENTER: methods, times. */
	MPROF_SYMBOL_LEAVE_IMPLICIT = 1, /**< #MPROF_EVENT_METHOD_LEAVE_IMPLICIT: times. */
	MPROF_SYMBOL_LEAVE = 2,          /**< #MPROF_EVENT_METHOD_LEAVE: methods, times. */
	MPROF_SYMBOL_ALLOCATION = 3,     /**< #MPROF_EVENT_ALLOCATION: classes, sizes, callers, stacks, objects. */
	MPROF_SYMBOL_ROW = 5             /**< Any event: rows. */
} mprof_column_symbol;

/**
 * \brief A batch of events as columns. The arrays are borrowed until the next call on the parser or the reader.
 * \since 0.1
 */
typedef struct mprof_columns {
	size_t struct_size;      /**< sizeof (mprof_columns), set by the caller. */
	size_t event_count;      /**< Number of events, and of their symbols. */
	size_t method_count;     /**< Number of enters and leaves with a method: length of methods. */
	size_t time_count;       /**< Number of enters and leaves: length of times. */
	size_t allocation_count; /**< Number of allocations: length of classes, sizes, callers, stacks and objects. */
	size_t row_count;        /**< Number of other events: length of rows. */
	uint64_t start_counter;  /**< Counter of the event before the batch, or the base counter of the block; 0 if
	                               times are not wanted. */
	const uint8_t *symbols;  /**< An #mprof_column_symbol for each event, in the order of the log. */
	const uint32_t *methods; /**< Methods; NULL if not wanted, like the arrays that follow except rows. */
	const uint64_t *times;   /**< Counters, as mprof_event::counter. Allocations have no time of their own. */
	const uint32_t *classes; /**< Classes of allocations. */
	const uint64_t *sizes;   /**< Sizes of allocated objects in bytes. */
	const uint32_t *callers; /**< Methods that allocate; 0 if not known. */
	const uint32_t *stacks;  /**< Call stacks of allocations; 0 if not known. */
	const uint64_t *objects; /**< Addresses of allocated objects; 0 if not known. */
	const mprof_event *rows; /**< The events of the symbol #MPROF_SYMBOL_ROW, with all fields. */
} mprof_columns;

/**
 * \brief Fetches the next events of the loaded EVENTS block as columns.
 *
 * They are those that mprof_parser_next_events() would fetch next; calls of both may be mixed. Events of the kinds that
 * have a symbol may be among the rows, too. Events of types are always rows, whatever columns the log has for them.
 * Fields that are not wanted are not decoded: an allocation that omits its size although its class does not define one
 * is an error only if sizes are wanted.
 *
 * Not thread-safe, not async-signal-safe.
 * \param parser The parser.
 * \param wanted The columns to decode: bits of #mprof_column. 0: only symbols and rows.
 * \param columns Receives what fits its struct_size, which the caller sets. The arrays are borrowed until the next call
 * on the parser.
 * \return
 * - #MPROF_OK; mprof_columns::event_count is at least 1.
 * - #MPROF_END after the last event; all counts are 0.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, struct_size is too small, or \p wanted has unknown bits.
 * - #MPROF_ERR_STATE if no EVENTS block is loaded.
 * - #MPROF_ERR_MALFORMED after the events before the damage.
 * - #MPROF_ERR_TRUNCATED after the last complete event of a truncated block.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_parser_next_columns(mprof_parser *parser, uint32_t wanted,
								 mprof_columns *columns);

/**
 * \brief Fetches the next events of the loaded EVENTS block as columns.
 *
 * They are those that mprof_reader_next_events() would fetch next; calls of both may be mixed. Events of the kinds that
 * have a symbol may be among the rows, too. Events of types are always rows, whatever columns the log has for them.
 * Fields that are not wanted are not decoded: an allocation that omits its size although its class does not define one
 * is an error only if sizes are wanted.
 *
 * Implicit leaves (section 4.3) have no method, whatever mprof_reader_options::keep_implicit_leaves is: a program that
 * needs their methods keeps the methods that are open in each thread, or fetches events as structs. The reader does not
 * follow the calls of a block from which columns were fetched. The methods of implicit leaves in later blocks that are
 * fetched as structs are therefore 0, as after blocks that were not wanted, unless the index was built.
 *
 * Not thread-safe, not async-signal-safe.
 * \param reader The reader.
 * \param wanted The columns to decode: bits of #mprof_column. 0: only symbols and rows.
 * \param columns Receives what fits its struct_size, which the caller sets. The arrays are borrowed until the next call
 * on the reader.
 * \return
 * - #MPROF_OK; mprof_columns::event_count is at least 1.
 * - #MPROF_END after the last event; all counts are 0.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, struct_size is too small, or \p wanted has unknown bits.
 * - #MPROF_ERR_STATE if no EVENTS block is loaded.
 * - #MPROF_ERR_MALFORMED after the events before the damage.
 * - #MPROF_ERR_TRUNCATED after the last complete event of a truncated block.
 * - #MPROF_ERR_LIMIT once, in place of #MPROF_END, if call stacks exceeded mprof_reader_options::max_names_memory: the
 *   events then have call stack 0 or that of a part of the call stack.
 * - #MPROF_ERR_MEMORY if the allocator refused; all counts are 0.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_next_columns(mprof_reader *reader, uint32_t wanted,
								 mprof_columns *columns);
/** \} */

MPROF_END_DECLS

#endif
