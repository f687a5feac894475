/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/profile.h
 * \brief The analysis of a log: time by method and call path, samples, allocations by class and call stack, heap
 * snapshots, handles, monitors, finalizers, collections, exceptions, threads.
 *
 * A profile is built from a reader in one pass. Its results can be read at any time after that, also while a log is
 * followed. One thread at a time may change a profile; while no thread changes it, several threads may read it. Every
 * function refuses NULL: functions that return a status return #MPROF_ERR_ARGUMENT, functions that return a count
 * return 0.
 *
 * **Counting.** Inclusive time counts a method once per outermost call, also if it is recursive; exclusive time is
 * inclusive time without the methods called. A frame that is never left lasts until the end of the log, or of its
 * thread; so does a wait for a monitor. A leave that matches a frame further down closes the frames above it; one that
 * matches no frame is counted in mprof_profile_totals::unmatched_leaves and otherwise ignored. If recording was stopped
 * for a while, open frames end at the time when it stopped, and the time until it was resumed is attributed to no
 * method. Allocations count the bytes that the log specifies. A sample counts a method once, even if the method occurs
 * several times in the call stack.
 *
 * **Windows.** A time window and a choice of threads (mprof_profile_options) apply to every table and to both trees.
 * Occurrences, such as calls, allocations and samples, count if they happened inside the window. Of durations, such as
 * calls, waits and compilations, the time inside the window counts. Statistics of consecutive windows therefore add up
 * to those of the whole log, except those of the state at the end: frames that were never left, waits that have not
 * ended, and live handles. A collection belongs to the window in which it began, with its whole duration;
 * mprof_profile_totals::gc_ns is the time inside the window. The duration of a single call (mprof_call_durations)
 * belongs to the window in which the call ended, also with its whole duration. Data that belongs to no thread, such as
 * heap snapshots and metrics, counts whichever threads are chosen; samples whose thread is not in the log do not.
 * Losses, code units and metadata are always those of the whole log.
 *
 * The bounds of a window are times, and events have counters. Which counters they are depends on the clock pairs, and
 * on a frequency that the log may state again at its end. Before the first block is added, the headers of the rest of
 * the log are therefore read, if its source has mprof_source::read_at, as files and memory have, unless the reader has
 * an index; then the result is exact. Logs without an index of their own are read with their contents for that, but no
 * events are decoded. Otherwise, and in a log that is followed, a bound follows from what has been read when the first
 * event after it is added, and does not change any more: it is exact if the log has stated its frequency by then, and
 * otherwise as exact as the clock pairs. mprof_profile_get_window() returns the counters.
 *
 * **Memory.** Call paths, call stacks of samples, call sites and native memory use at most three quarters of
 * mprof_profile_options::max_memory. Beyond that, entries are folded. A folded call counts in its method as usual, but
 * its time in the call tree goes to the node that it was called from, or to the root if none. A folded sample
 * counts in everything that it hit, and in the tree at the root. Folded allocations, waits and handles count everywhere
 * except in the tables of call sites. Folded call stacks that allocate native memory share one site, and their blocks
 * are counted but not tracked (mprof_memory_stats). If the remaining quarter is not enough for methods, classes,
 * threads and the like, data that needs more is left out. mprof_profile_totals reports how much was folded and left
 * out.
 *
 * **Growing logs.** To show a log while it grows: add the blocks that are available, call mprof_profile_finish(), and
 * read the results. The call takes time in proportion to the methods and nodes that changed since the last call, not to
 * their total number; only collections are sorted again if they have new events. Statistics of methods, of samples and
 * of the nodes of both trees are those of the last mprof_profile_finish(); all others are those of the blocks added.
 * Methods and nodes that were added since then show 0. A node keeps its index, its parent and its meaning, whatever is
 * added. For native memory see mprof_memory_stats.
 *
 * This header includes those of the results: mprof/profile_calls.h, mprof/profile_durations.h,
 * mprof/profile_samples.h, mprof/profile_objects.h, mprof/profile_origins.h, mprof/profile_ages.h,
 * mprof/profile_memory.h, mprof/profile_session.h and mprof/profile_timeline.h; mprof/profile_tables.h, which reads
 * any of these tables; and mprof/profile_frames.h, which
 * makes trees of frames from them, mprof/profile_diff.h, which compares two profiles, and mprof/live_window.h, which
 * shows what was added recently.
 *
 * Call stacks and their frames are looked up in the reader: mprof_reader_lookup_stack(),
 * mprof_reader_format_location().
 *
 * Not stable before version 1.0: functions and structs of this header may change between any two releases. A program
 * that accepts that defines MPROF_UNSTABLE before it includes the header.
 *
 * Example: examples/tutorial/07_profile.c.
 */
#ifndef MPROF_PROFILE_H
#define MPROF_PROFILE_H

#include <mprof/live_window.h>
#include <mprof/profile_ages.h>
#include <mprof/profile_calls.h>
#include <mprof/profile_diff.h>
#include <mprof/profile_durations.h>
#include <mprof/profile_frames.h>
#include <mprof/profile_memory.h>
#include <mprof/profile_objects.h>
#include <mprof/profile_origins.h>
#include <mprof/profile_samples.h>
#include <mprof/profile_session.h>
#include <mprof/profile_tables.h>
#include <mprof/profile_timeline.h>
#include <mprof/profile_types.h>

MPROF_BEGIN_DECLS

/**
 * \brief Limits of the options of a profile.
 * \since 0.1
 */
enum {
	MPROF_SLOW_CALLS_MAX = 1000,      /**< The maximum of mprof_profile_options::slow_calls. */
	MPROF_TIMELINE_SLICES_MAX = 10000 /**< The maximum of mprof_profile_options::timeline_slices. */
};

/**
 * \brief Options of a profile. If all fields except struct_size are 0, the defaults apply.
 * \since 0.1
 */
typedef struct mprof_profile_options {
	size_t struct_size;               /**< Set by mprof_profile_options_init(). */
	const mprof_allocator *allocator; /**< Allocator of the profile; NULL: malloc. Copied. */
	uint64_t max_memory;              /**< Maximum memory of the results, in bytes; 0 means 4 GiB. See the file
	                                       description. */
	uint32_t without_call_tree;       /**< 1: keep no call paths, only totals by method. */
	uint32_t max_stack_depth;         /**< Maximum number of frames kept for one thread; deeper frames are counted
	                                       as one. 0 means 65536. */
	uint32_t with_compilations;       /**< 1: compilations are nodes of the call tree. Their time is then not
	                                       exclusive time of the method that caused them, and methods that run
	                                       during a compilation are below its node. */
	uint32_t with_call_sites;         /**< 1: allocations and waits without a known call stack have the node of the
	                                       call tree as their call site. */
	uint32_t with_monitor_objects;    /**< 1: waits for different objects at one call site are different entries of
	                                       the table of sites. */
	uint32_t raw_counters;            /**< 1: all results that are documented as nanoseconds are counters of the log
	                                       instead. */
	int64_t window_start_ns;          /**< Start of the window, in nanoseconds since the start of the session, as
	                                       mprof_reader_get_time() returns them. Earlier events are left out, and a
	                                       call that was entered earlier counts its time from here on. 0: the start
	                                       of the log. */
	int64_t window_end_ns;            /**< The end of the window: the first nanosecond that is not inside. 0: the
	                                       end of the log. */
	const uint64_t *threads;          /**< IDs of the threads that count; NULL: all. Copied. */
	size_t thread_count;              /**< Number of elements of threads. */
	uint32_t with_durations;          /**< 1: the durations of single calls are measured, for mprof_call_durations.
	                                       That takes a few nanoseconds for each call, and about 1 KiB for each
	                                       method. */
	uint32_t slow_calls;              /**< The number of slowest calls kept for each method, at most
	                                       #MPROF_SLOW_CALLS_MAX. If it is not 0, with_durations must be 1. */
	uint32_t with_locations;          /**< 1: the frames of native code in samples and in their tree are locations
	                                       (#MPROF_SAMPLE_LOCATION), not functions and modules, so that a program
	                                       can find source lines and inlined functions. */
	uint32_t with_ages;               /**< 1: objects of the managed heap are tracked, for mprof_age_stats. */
	int64_t alive_at_ns;              /**< The time at which the tables of native memory and of ages of objects
	                                       end, in nanoseconds since the start of the session, so that they contain
	                                       what was alive then. 0: the end of the window. */
	uint32_t timeline_slices;         /**< The maximum number of slices of the timeline (mprof/profile_timeline.h),
	                                       from 2 to #MPROF_TIMELINE_SLICES_MAX; 0: no timeline and no pauses. */
	uint32_t alive_at_snapshot;       /**< The tables of ages of objects end before this heap snapshot of the log,
	                                       from 1, for mprof_profile_lookup_origin(). 0: they do not. */
	uint64_t traced_object;           /**< The identity of an object whose addresses are kept, for
	                                       #MPROF_TABLE_TRACED_ADDRESSES. 0: none. */
	uint32_t ends_at_last_event;      /**< 1: calls and waits that have not ended last until the latest event of
	                                       their thread, as for Mono's first decoder, and not until the end of the
	                                       log. */
	uint32_t reserved;                /**< 0. */
	mprof_progress_function progress; /**< Called by mprof_profile_finish(), also when mprof_profile_read() calls
	                                       it. May be NULL. */
	void *progress_user;              /**< Passed as the first argument. */
} mprof_profile_options;

/**
 * \brief Sets all options to their defaults.
 *
 * Thread-safe for different structs.
 * \param options The struct to initialize; NULL does nothing.
 * \param struct_size sizeof (mprof_profile_options) as the caller was compiled; a size smaller than that of size_t does
 * nothing.
 * \since 0.1
 */
MPROF_API void mprof_profile_options_init(mprof_profile_options *options, size_t struct_size);

/**
 * \brief Creates an empty profile.
 *
 * Thread-safe.
 * \param options Options, or NULL for the defaults. Copied.
 * \param profile Receives the profile. The caller frees it with mprof_profile_destroy().
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p profile is NULL, struct_size is too small, with_compilations or with_call_sites is set
 *   without a call tree, the window ends before it starts, threads is NULL although thread_count is not 0, or
 *   slow_calls is too large or set without with_durations, or timeline_slices is 1 or too large.
 * - #MPROF_ERR_MEMORY if the allocator refused, or max_memory is too small for an empty profile.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_profile_create(const mprof_profile_options *options,
							    mprof_profile **profile);

/**
 * \brief Frees a profile. Texts borrowed from it become invalid.
 * \param profile The profile, or NULL.
 * \since 0.1
 */
MPROF_API void mprof_profile_destroy(mprof_profile *profile);

/**
 * \brief Fetches the content of the loaded block of a reader and adds it.
 *
 * One thread at a time.
 * \param profile The profile.
 * \param reader The reader in which the block is loaded.
 * \param block The block, as the reader returned it.
 * \return
 * - #MPROF_OK, also if max_memory was reached.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL.
 * - #MPROF_ERR_MEMORY if the allocator refused; every later call returns it again.
 * - #MPROF_ERR_INTERRUPTED if the reader was interrupted while the clock of the log was read for a window: nothing was
 *   added, and the same call continues.
 * - An error of mprof_reader_next_events(); the content before the error has been added.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_profile_add_block(mprof_profile *profile, mprof_reader *reader,
							       const mprof_block *block);

/**
 * \brief Adds all blocks up to the end of the log, skipping damage, and finishes the profile.
 *
 * One thread at a time.
 * \param profile The profile.
 * \param reader The reader.
 * \param damage Called for each error in the log, on the calling thread; may be NULL.
 * \param user Passed to \p damage.
 * \return
 * - #MPROF_OK if the log is complete.
 * - #MPROF_AGAIN if the reader follows the log and has read all that is available.
 * - #MPROF_ERR_TRUNCATED if END is missing.
 * - #MPROF_ERR_INTERRUPTED if the reader was interrupted: the profile so far is finished, and the same call continues.
 *   Also if mprof_profile_options::progress asked for it: see mprof_profile_finish(); the same call finishes the
 *   profile.
 * - #MPROF_ERR_ARGUMENT if \p profile or \p reader is NULL.
 * - #MPROF_ERR_MEMORY if the allocator refused, also after other errors.
 * - Otherwise the first error in the log.
 *
 * All valid content has been added in all cases except #MPROF_ERR_MEMORY and #MPROF_ERR_ARGUMENT.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_profile_read(mprof_profile *profile, mprof_reader *reader,
							  mprof_damage_function damage, void *user);

/**
 * \brief Counts the frames and the waits that are still open up to the end of the log, and converts counters to
 * nanoseconds with the clock pairs that the reader has read.
 *
 * The end of the log is the last clock pair or event that was read. A frame or wait of a thread that ended before,
 * which an event of another thread reports, ends there. mprof_profile_read() includes this. More blocks may be added
 * after it: frames and waits stay open, and the next call replaces what was counted for them. One thread at a time.
 * \param profile The profile.
 * \param reader The reader that the blocks came from.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL.
 * - #MPROF_ERR_INTERRUPTED if mprof_profile_options::progress asked for it. Nothing that was added is lost or counted
 *   twice: once a later call returns #MPROF_OK, also after more blocks were added, the results are those of a profile
 *   that was not interrupted. Until then some are those of the last call and some are new, and tables that are computed
 *   as a whole, such as pauses and collections, may be empty.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 *
 * Sums that are complete are stored without a pause: after a request to stop, storing those of millions of call paths
 * takes up to about a tenth of a second.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_profile_finish(mprof_profile *profile, mprof_reader *reader);

/**
 * \brief Totals of the log. Times are nanoseconds.
 * \since 0.1
 */
typedef struct mprof_profile_totals {
	size_t struct_size;           /**< sizeof, set by the caller. */
	uint64_t wall_ns;             /**< From INTRO to the last clock pair, as far as it is inside the
	                                   window. */
	uint64_t method_ns;           /**< Exclusive times of all methods in all threads. */
	uint64_t calls;               /**< Methods entered. */
	uint64_t unmatched_leaves;    /**< Leaves that matched no frame. */
	uint64_t unclosed_frames;     /**< Frames that were never left. */
	uint64_t allocations;         /**< Objects allocated. */
	uint64_t allocated_bytes;     /**< Their bytes. */
	uint64_t jit_methods;         /**< Methods compiled. */
	uint64_t jit_ns;              /**< Time spent compiling; nested compilations count once. */
	uint64_t jit_failures;        /**< Compilations that failed. */
	uint64_t exceptions;          /**< Exceptions thrown. */
	uint64_t collections;         /**< Collections that began. */
	uint64_t gc_ns;               /**< Time in collections; concurrent ones count with their whole duration. */
	uint64_t samples;             /**< Samples. */
	uint64_t lost_events;         /**< Lost events, from LOST blocks. */
	uint64_t events;              /**< Events read. */
	uint64_t event_counts[256];   /**< Events by #mprof_event_kind. */
	uint64_t block_counts[256];   /**< Blocks read, by #mprof_block_kind. */
	uint64_t interrupted_frames;  /**< Frames that were open when recording was stopped for a while, or on a stack
	                                  of which a reader may forget the frames (doc/format.md, 4.3). */
	uint64_t freed_objects;       /**< Objects that collections found dead, where the log lists them one by
	                                     one. */
	uint64_t freed_bytes;         /**< Their bytes. */
	uint64_t moved_objects;       /**< Objects that collections moved. */
	uint64_t handles_alive;       /**< Handles that were created and not deleted. */
	uint64_t contentions;         /**< Number of times that a thread found a monitor taken. */
	uint64_t contended_ns;        /**< Time that threads waited for monitors, until they acquired them or gave
	                                     up; see unfinished_waits for those that did neither. */
	uint64_t finalizers;          /**< Objects finalized. */
	uint64_t finalizer_ns;        /**< Time in their finalizers. */
	uint64_t finalizations;       /**< Runs of the finalizer thread. */
	uint64_t finalization_ns;     /**< Time of these runs. */
	uint64_t lost_by_cause[256];  /**< lost_events by #mprof_loss_cause; index 0 holds those of unknown causes. */
	uint64_t class_load_failures; /**< Class loads that failed. */
	uint32_t limited;             /**< 1: max_memory was reached: one of the following is not 0, methods are
	                                     missing from the table, durations of calls were left out, or
	                                     mprof_memory_stats::untracked is not 0. */
	uint32_t reserved;            /**< 0. */
	uint64_t folded_calls;        /**< Calls whose paths are not in the call tree. */
	uint64_t folded_samples;      /**< Samples whose call stacks are not in the tree of samples: those of its
	                                     root. */
	uint64_t folded_sites;        /**< Allocations, also native ones, waits and handles whose call sites are not
	                                     in the tables of sites. */
	uint64_t left_out;            /**< Events, records and blocks that are missing from all statistics. */
	uint64_t sample_period_ns;    /**< The time that a counted sample stands for, in nanoseconds; 0 if the log does
	                                     not state it. If it states periods of different lengths, a sample of a
	                                     longer one counts several times, in all statistics. */
	uint64_t unfinished_waits;    /**< Waits for monitors whose end is not in the log; contended_ns contains
	                                     their time until the end of the log, of the window or of the thread. */
	uint64_t allocation_samples;  /**< If not 0, only a sample of the allocations is in the log: allocations,
	                                     allocated_bytes, the sums of classes, call sites and nodes of the call
	                                     tree are unbiased estimates from this number of objects. See section 3.8
	                                     of the format. */
	uint64_t allocations_error;   /**< The standard error of allocations; 0 if exact. */
	uint64_t bytes_error;         /**< The standard error of allocated_bytes; 0 if exact. */
} mprof_profile_totals;

/**
 * \brief The window of a profile, as counters of the log.
 * \since 0.1
 */
typedef struct mprof_profile_window {
	size_t struct_size;     /**< sizeof, set by the caller. */
	uint64_t start_counter; /**< The first counter inside; 0: the window begins with the log. */
	uint64_t end_counter;   /**< The first counter after the window; UINT64_MAX: it ends with the log. */
	uint32_t is_final;      /**< 1: the bounds do not change any more. 0: they may, as long as no event at or after
	                             them has been added. */
	uint32_t reserved;      /**< 0. */
} mprof_profile_window;

/**
 * \brief Gets the window that mprof_profile_options::window_start_ns and mprof_profile_options::window_end_ns have
 * become. At least one counter is inside.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param window Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_STATE if the bounds are not known, since no block has been added and the profile was not finished.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_window(const mprof_profile *profile, mprof_profile_window *window);

MPROF_END_DECLS

#endif
