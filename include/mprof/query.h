/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/query.h
 * \brief Selects the blocks of a log that a reader delivers, by kind, thread and time.
 *
 * With an index, which a log can contain (section 3.24), the reader seeks past all other blocks. Not stable before
 * version 1.0: a program that accepts that defines MPROF_UNSTABLE before it includes the header.
 *
 * NULL is refused: functions that return a status return #MPROF_ERR_ARGUMENT, others do nothing.
 */
#ifndef MPROF_QUERY_H
#define MPROF_QUERY_H

#ifndef MPROF_UNSTABLE
#error "mprof/query.h is not stable before 1.0: define MPROF_UNSTABLE to use it, and expect it to change"
#endif

#include <mprof/format.h>
#include <mprof/reader_types.h>
#include <mprof/status.h>

MPROF_BEGIN_DECLS

/**
 * \brief Which blocks are of interest.
 * \since 0.1
 */
typedef struct mprof_query {
	size_t struct_size;    /**< Set by mprof_query_init(). */
	mprof_block_set kinds; /**< The kinds of blocks; empty: all. */
	uint64_t thread;       /**< ID of the thread of EVENTS, SAMPLES and MARK; #MPROF_THREAD_ANY: all. */
	int64_t start_ns;      /**< Nanoseconds since the start of the session; INT64_MIN: from the start. */
	int64_t end_ns;        /**< The end of the time, included; INT64_MAX: up to the end. */
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

MPROF_END_DECLS

#endif
