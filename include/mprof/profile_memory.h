/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/profile_memory.h
 * \brief Results of a profile: native memory. Included by mprof/profile.h.
 *
 * Example: examples/tutorial/11_memory.c.
 */
#ifndef MPROF_PROFILE_MEMORY_H
#define MPROF_PROFILE_MEMORY_H

#include <mprof/profile_types.h>

MPROF_BEGIN_DECLS

/**
 * \brief Native memory (section 4.7).
 *
 * An allocation counts if it was made inside the window, by one of the chosen threads. A free is matched with its
 * allocation at any time and in any thread, and counts if it happened before the window ended; memory that was freed
 * later exists at the end. Statistics of allocations therefore add up over windows, but frees count in the window in
 * which the memory was allocated, and the peak is that of the memory allocated inside the window. Frees of unknown
 * memory count if they happened inside the window, in one of the chosen threads.
 *
 * Events of all threads are processed in the order of their counters. To sort them, the profile holds them back until a
 * WATERMARK block guarantees that no earlier events follow. If a million events are held back, the earlier half of them
 * is processed. An event that arrives after a later one was processed is counted in late_events.
 *
 * mprof_profile_finish() processes the events that are held back provisionally: the statistics are those of all blocks
 * added, and the provisional part is undone when the next events or the next watermark are added. However often it is
 * called, the statistics at the end are those of one call at the end (unless max_memory was reached), and no event is
 * late because it was added after a call. A call takes time in proportion to the events that are held back. Statistics
 * read after events were added and before the next call lack the events that are held back. The indices of sites may
 * change when events are added.
 *
 * Native memory, call paths and call sites together use at most three quarters of mprof_profile_options::max_memory.
 * When that is used up, call stacks that have no site yet share one (mprof_memory_site::is_folded); a call stack that
 * has one keeps all its allocations there. Fewer events are held back. Blocks for which there is no room count as
 * allocated, also by size, but neither as freed nor as existing: they are counted in untracked, and their frees in
 * unmatched_frees. If there is no room for undoing what mprof_profile_finish() processed, it becomes final, and earlier
 * events that follow are late. Allocations, bytes and the statistics by size are therefore exact whatever the limit is,
 * as long as mprof_profile_totals::left_out is 0.
 *
 * The statistics are exact if is_estimate is 0, except the peak, temporaries and lifetimes, which are exact if
 * is_peak_estimate is 0. is_estimate is 1 if events were lost, recording was stopped for a while, a free is missing,
 * events were late and some frees found no allocation, or max_memory was too small to track all blocks and threads.
 * \since 0.1
 */
typedef struct mprof_memory_stats {
	size_t struct_size;       /**< sizeof, set by the caller. */
	uint64_t allocations;     /**< Blocks allocated, also by resizing. */
	uint64_t bytes;           /**< Their bytes. */
	uint64_t frees;           /**< Blocks of these allocations that were freed, also by resizing. */
	uint64_t resizes;         /**< Blocks resized. */
	uint64_t live;            /**< Blocks that exist at the end of the window, or of the part that was read. */
	uint64_t live_bytes;      /**< Their bytes. */
	uint64_t peak_bytes;      /**< Maximum number of bytes that existed at a time. */
	uint64_t peak_live;       /**< Blocks that existed when that maximum was first reached. */
	int64_t peak_ns;          /**< When that maximum was first reached, in nanoseconds from the start of the
	                               session. */
	uint64_t temporaries;     /**< Blocks freed by the thread that allocated them, without another allocation in
	                               between. */
	uint64_t unmatched_frees; /**< Frees of unknown memory, such as memory from before recording started. */
	uint64_t missing_frees;   /**< Blocks whose address was allocated again without a free in the log. They do not
	                               exist at the end. */
	uint64_t late_events;     /**< Events that arrived after a later event was processed. */
	uint32_t is_estimate;     /**< 1: events are missing, or blocks could not be matched or tracked. */
	uint32_t
		is_peak_estimate; /**< 1: the peak, temporaries and lifetimes are estimates: is_estimate is 1, or events
	                                were late. */
	uint64_t folded_sites;    /**< Blocks allocated by call stacks that have no site of their own. */
	uint64_t untracked;       /**< Blocks that were not tracked because max_memory was reached, including those
	                               whose allocation does not count. */
} mprof_memory_stats;

/**
 * \brief Native memory that was allocated by one call stack. Lifetimes are nanoseconds.
 * \since 0.1
 */
typedef struct mprof_memory_site {
	size_t struct_size;   /**< sizeof, set by the caller. */
	uint32_t stack;       /**< Stack ID, 0 if not known. */
	uint32_t is_folded;   /**< 1: the shared site of all call stacks without one of their own; stack is 0. */
	uint64_t allocations; /**< Blocks allocated. */
	uint64_t bytes;       /**< Their bytes. */
	uint64_t frees;       /**< Blocks of these allocations that were freed. */
	uint64_t live;        /**< Blocks of these allocations that exist at the end. */
	uint64_t live_bytes;  /**< Their bytes. */
	uint64_t peak_live;   /**< Blocks of these allocations that existed at the peak of all native memory. */
	uint64_t peak_bytes;  /**< Their bytes. */
	uint64_t temporaries; /**< Blocks freed by the thread that allocated them, without another allocation in
	                           between. */
	uint64_t lifetime_ns; /**< Sum of the lifetimes of the blocks that were freed, at most UINT64_MAX. */
	uint64_t shortest_ns; /**< Shortest lifetime, 0 if none was freed. */
	uint64_t longest_ns;  /**< Longest lifetime. */
} mprof_memory_site;

/**
 * \brief Native memory by size class: 0, 1, 2 to 3, 4 to 7, and so on.
 * \since 0.1
 */
typedef struct mprof_memory_size {
	size_t struct_size;   /**< sizeof, set by the caller. */
	uint64_t smallest;    /**< Smallest size of the class, in bytes. */
	uint64_t largest;     /**< Largest size of the class, in bytes. */
	uint64_t allocations; /**< Blocks of these sizes. */
	uint64_t bytes;       /**< Their bytes. */
} mprof_memory_size;

MPROF_END_DECLS

#endif
