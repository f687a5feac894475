/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/reader_index.h
 * \brief The index of the blocks of a log, seeking to a block or a time, and the methods that are open there. Included
 * by mprof/reader.h.
 *
 * NULL is refused: functions that return a status return #MPROF_ERR_ARGUMENT, others do nothing or return 0.
 *
 * Example: examples/tutorial/06_seek.c.
 */
#ifndef MPROF_READER_INDEX_H
#define MPROF_READER_INDEX_H

#include <mprof/reader_types.h>
#include <mprof/status.h>

MPROF_BEGIN_DECLS

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

MPROF_END_DECLS

#endif
