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
 * Call stacks and their frames are looked up in the reader: mprof_reader_lookup_stack(),
 * mprof_reader_format_location().
 *
 * Example: examples/small/tutorial/07_profile.c.
 */
#ifndef MPROF_PROFILE_H
#define MPROF_PROFILE_H

#include <mprof/reader.h>

MPROF_BEGIN_DECLS

/**
 * \brief A profile. One thread at a time while blocks are added; any number of threads may read it after that.
 * \since 0.1
 */
typedef struct mprof_profile mprof_profile;

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
	uint32_t timeline_slices;         /**< The maximum number of slices of the timeline (mprof_timeline_slice),
	                                       from 2 to #MPROF_TIMELINE_SLICES_MAX; 0: no timeline and no pauses. */
	uint32_t alive_at_snapshot;       /**< The tables of ages of objects end before this heap snapshot of the log,
	                                       from 1, for mprof_profile_lookup_origin(). 0: they do not. */
	uint64_t traced_object;           /**< The identity of an object whose addresses are kept, for
	                                       #MPROF_TABLE_TRACED_ADDRESSES. 0: none. */
	uint32_t ends_at_last_event;      /**< 1: calls and waits that have not ended last until the latest event of
	                                       their thread, as for Mono's first decoder, and not until the end of the
	                                       log. */
	uint32_t max_spans;               /**< The number of single spans kept, the longest, for #MPROF_TABLE_SPANS; 0:
	                                       none. Each takes 48 bytes. */
	mprof_progress_function progress; /**< Called by mprof_profile_finish(), also when mprof_profile_read() calls
	                                       it. May be NULL. */
	void *progress_user;              /**< Passed as the first argument. */
	/**
	 * \brief Numbers of the processes whose threads count (section 3.30 of doc/format.md), in addition to those of
	 * threads; NULL: all. Heap snapshots of other processes do not count either. Copied.
	 *
	 * Objects of the managed heap can be tracked (with_ages) of one process only: in a log of several processes
	 * their tables are empty unless process_count is 1.
	 */
	const uint64_t *processes;
	size_t process_count; /**< Number of elements of processes. */
	uint32_t fold_idle;   /**< 1: samples of idle threads are one frame (#MPROF_SAMPLE_IDLE) in the tables and trees
	                           of samples. A thread of a managed runtime is idle while it waits (#mprof_wait_kind)
	                           and no managed method is on its call stack: it is one of the runtime, or of a pool,
	                           that has nothing to do. */
	uint32_t with_blocks; /**< 1: the blocks of native memory that exist at the end are rows of a table,
	                           #MPROF_TABLE_MEMORY_BLOCKS. Each takes 48 bytes. */
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
	uint64_t left_out_spans;      /**< Spans that #MPROF_TABLE_SPANS lacks because there are longer ones, or
	                                     because max_memory was reached; 0 without
	                                     mprof_profile_options::max_spans. */
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

/**
 * \name Tables of any kind
 * \{
 *
 * The tables of a profile: which there are, their columns, and functions that read the rows of any of them.
 *
 * The rows of a table are structs of one type, which #mprof_profile_table names for each table. A program that
 * wants one table reads its rows into that struct; one that shows or converts any table reads them into memory of
 * mprof_table_info::row_size bytes, aligned as for malloc(), and finds their fields by mprof_table_get_column().
 */

/**
 * \brief The tables. Values are fixed; new ones are appended, without gaps.
 *
 * Where no order is stated, rows are in no particular order.
 * \since 0.1
 */
typedef enum mprof_profile_table {
	MPROF_TABLE_METHODS = 1,            /**< #mprof_method_stats: methods that have statistics. */
	MPROF_TABLE_SAMPLES = 2,            /**< #mprof_sample_stats: methods and native functions that samples hit, as
	                                         of the last mprof_profile_finish(). */
	MPROF_TABLE_CLASSES = 3,            /**< #mprof_class_stats: classes that have statistics. */
	MPROF_TABLE_THREADS = 4,            /**< #mprof_thread_stats: threads, in order of first appearance. */
	MPROF_TABLE_MONITORS = 5,           /**< #mprof_monitor_stats: classes whose monitors threads waited for. */
	MPROF_TABLE_ALLOCATION_SITES = 6,   /**< #mprof_allocation_site: call sites of allocations that have a known
	                                         call stack, method or call tree node. */
	MPROF_TABLE_MONITOR_SITES = 7,      /**< #mprof_monitor_site: combinations of class and call site of waits. */
	MPROF_TABLE_TOTALS = 8,             /**< #mprof_profile_totals: one row. */
	MPROF_TABLE_CALLS = 9,              /**< #mprof_call_stats: nodes of the call tree, the root first; empty if no
	                                         tree is kept. */
	MPROF_TABLE_METHOD_CODES = 10,      /**< #mprof_method_code: pairs of a method and an origin of its code; empty
	                                         if the log has no sizes of code. */
	MPROF_TABLE_DURATIONS = 11,         /**< #mprof_call_durations: methods of which calls have ended, as of the
	                                         blocks added; empty if durations are not measured. */
	MPROF_TABLE_SAMPLE_NODES = 12,      /**< #mprof_sample_node: nodes of the tree of samples, the root first, as of
	                                         the last mprof_profile_finish(). */
	MPROF_TABLE_EXCEPTION_SITES = 13,   /**< #mprof_exception_site: call sites of exceptions that have a known call
	                                         stack or call tree node. */
	MPROF_TABLE_EXCEPTION_CLAUSES = 14, /**< #mprof_exception_clause: pairs of an exception clause that ran and a
	                                         class of exceptions. */
	MPROF_TABLE_HEAP_SHOTS = 15,        /**< #mprof_heap_shot: heap snapshots, in the order of the log. */
	MPROF_TABLE_HEAP_SUMMARIES = 16,    /**< #mprof_heap_summary: rows of all heap summaries, in the order of the
	                                         log. */
	MPROF_TABLE_HANDLES = 17,           /**< #mprof_handle_stats: combinations of class and type of the handles that
	                                         were created. */
	MPROF_TABLE_HANDLE_SITES = 18,      /**< #mprof_handle_site: combinations of class, type and call stack of the
	                                         handles that were created. */
	MPROF_TABLE_FINALIZERS = 19,        /**< #mprof_finalizer_stats: classes whose finalizers ran. */
	MPROF_TABLE_AGES = 20,              /**< #mprof_age_stats: one row, whose fields are all 0 without
	                                         mprof_profile_options::with_ages. */
	MPROF_TABLE_AGE_CLASSES = 21,       /**< #mprof_age_class: classes with objects, as of the last
	                                         mprof_profile_finish(). */
	MPROF_TABLE_AGE_SITES = 22,         /**< #mprof_age_site: call sites with objects. */
	MPROF_TABLE_HEAP_CHANGES = 23,      /**< #mprof_heap_change_entry: the history of the heap, in the order of
	                                         time; empty without mprof_profile_options::with_ages. */
	MPROF_TABLE_TRACED_ADDRESSES = 24,  /**< #mprof_traced_address: addresses that the traced object had, in the
	                                         order of time; the first one is that of the allocation. Empty if no
	                                         object is traced, or it was not allocated yet. If max_memory was
	                                         reached, the latest are missing. */
	MPROF_TABLE_MEMORY = 25,            /**< #mprof_memory_stats: one row, as of the last mprof_profile_finish(). */
	MPROF_TABLE_MEMORY_SITES = 26,      /**< #mprof_memory_site: call stacks that allocated native memory; the last
	                                         one is the site of folded call stacks, if there are any. Their indices
	                                         may change when events are added. */
	MPROF_TABLE_MEMORY_SIZES = 27,      /**< #mprof_memory_size: size classes, from the smallest up to that of the
	                                         largest block; some may have no blocks. */
	MPROF_TABLE_COLLECTIONS = 28,       /**< #mprof_collection: garbage collections, in order. */
	MPROF_TABLE_HEAP_RESIZES = 29,      /**< #mprof_heap_resize: changes of the heap's size, in order. */
	MPROF_TABLE_MONITOR_HOLDERS = 30,   /**< #mprof_monitor_holder: pairs of a class and a thread that held monitors
	                                         of that class. */
	MPROF_TABLE_METRICS = 31,           /**< #mprof_metric_stats: metrics, in the order of the log. */
	MPROF_TABLE_MARKS = 32,             /**< #mprof_mark: markers, in the order of the log. */
	MPROF_TABLE_PROPERTIES = 33,  /**< #mprof_profile_property: properties in SESSION blocks, in the order of the
	                                         log. */
	MPROF_TABLE_ELEMENTS = 34,    /**< #mprof_element_stats: code units, in order of loading. */
	MPROF_TABLE_PAUSES = 35,      /**< #mprof_pause: pauses that overlap the window, in the order of their
	                                         starts, as of the last mprof_profile_finish(); empty without a
	                                         timeline. */
	MPROF_TABLE_TIMELINE = 36,    /**< #mprof_timeline: one row, whose fields are all 0 without a
	                                         timeline. */
	MPROF_TABLE_EVENT_TYPES = 37, /**< #mprof_event_type_stats: the events that the log describes, by type and
	                                         name, in the order of their first event. */
	MPROF_TABLE_SPANS = 38,       /**< #mprof_span: the longest spans, mprof_profile_options::max_spans of those
	                                         that have ended inside the window, and all that were open at its end.
	                                         In the order of their starts, as of the last mprof_profile_finish(). */
	MPROF_TABLE_PROCESSES = 39,   /**< #mprof_process_stats: processes, in the order in which they are described. */
	MPROF_TABLE_TIMELINES = 40,   /**< #mprof_timeline_stats: threads that are described, in that order. */
	MPROF_TABLE_CLOCKS = 41,      /**< #mprof_clock_stats: clocks, by ID. */
	MPROF_TABLE_LINES = 42,       /**< #mprof_line_stats: lines of the source, as of the last
	                                         mprof_profile_finish(); empty for a log without positions. */
	MPROF_TABLE_SAMPLE_KINDS = 43,   /**< #mprof_sample_kind_stats: the kinds of samples that the log describes, in
	                                         the order of their first sample. */
	MPROF_TABLE_SAMPLE_GROUPS = 44,  /**< #mprof_sample_group: samples by kind, thread, processor and mode. */
	MPROF_TABLE_HISTOGRAMS = 45,     /**< #mprof_histogram_stats: metrics that are histograms, in the order of the
	                                     log. */
	MPROF_TABLE_MESSAGES = 46,       /**< #mprof_message_stats: messages of the program, by severity and source. */
	MPROF_TABLE_WAITS = 47,          /**< #mprof_wait_stats: waits of threads, by kind, name and call site. */
	MPROF_TABLE_CODE_RANGES = 48,    /**< #mprof_code_range_stats: where generated code was, in the order of the
	                                     log. */
	MPROF_TABLE_GC_GENERATIONS = 49, /**< #mprof_gc_generation: sizes of generations before and after collections,
	                                      in the order of the log. */
	MPROF_TABLE_THREAD_STATES = 50,  /**< #mprof_thread_state_stats: states of threads, in the order of the log. */
	MPROF_TABLE_MEMORY_BLOCKS = 51   /**< #mprof_memory_block: blocks of native memory that exist at the end, as of
	                                      the last mprof_profile_finish(), if the option with_blocks is 1. */
} mprof_profile_table;

/**
 * \brief Gets the description of a table.
 *
 * Thread-safe and async-signal-safe. Tables are described without gaps from 1 on.
 * \param table An #mprof_profile_table.
 * \return The description, which is constant; NULL if \p table is not a table of this version of the library.
 * \since 0.1
 */
MPROF_API const mprof_table_info *mprof_table_get_info(uint32_t table);

/**
 * \brief Gets the description of a column.
 *
 * Thread-safe and async-signal-safe.
 * \param table An #mprof_profile_table.
 * \param column 0 to mprof_table_info::column_count - 1.
 * \return The description, which is constant; NULL if \p table or \p column is out of range.
 * \since 0.1
 */
MPROF_API const mprof_table_column *mprof_table_get_column(uint32_t table, size_t column);

/**
 * \brief Gets the description of the column that has a measure.
 *
 * Thread-safe and async-signal-safe.
 * \param table An #mprof_profile_table.
 * \param measure An #mprof_column_measure other than #MPROF_MEASURE_NONE.
 * \return The description, which is constant; NULL if \p table is out of range or has no column of this measure.
 * \since 0.1
 */
MPROF_API const mprof_table_column *mprof_table_get_measure(uint32_t table, uint32_t measure);

/**
 * \brief Number of rows of a table.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param table An #mprof_profile_table.
 * \return The count; 0 if \p profile is NULL or \p table is not a table.
 * \since 0.1
 */
MPROF_API size_t mprof_profile_get_row_count(const mprof_profile *profile, uint32_t table);

/**
 * \brief Gets a row of a table.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param table An #mprof_profile_table.
 * \param index 0 to mprof_profile_get_row_count() - 1.
 * \param row A struct of the table, which begins with its struct_size, set by the caller. Receives what fits.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p table is not a table, \p index is out of range, or struct_size is too
 *   small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_row(const mprof_profile *profile, uint32_t table, size_t index, void *row);

/**
 * \brief Gets several rows of a table in one call.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param table An #mprof_profile_table.
 * \param first Index of the first row to get, 0 to mprof_profile_get_row_count().
 * \param rows Array of structs of the table that receives the rows. The function sets the struct_size of each.
 * \param row_size The size of the struct as the caller was compiled: the distance in bytes from one element to the
 * next. Fields that do not fit are left out.
 * \param capacity Number of elements in \p rows.
 * \param count Receives the number of rows stored: less than \p capacity only at the end of the table, 0 on an error.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p table is not a table, \p first is past the end, or \p row_size is
 *   smaller than struct_size.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_rows(const mprof_profile *profile, uint32_t table, size_t first, void *rows,
					      size_t row_size, size_t capacity, size_t *count);
/** \} */

/**
 * \name Methods and the call tree
 * \{
 */

/**
 * \brief Statistics of a method.
 * \since 0.1
 */
typedef struct mprof_method_stats {
	size_t struct_size;     /**< sizeof, set by the caller. */
	uint32_t id;            /**< Method ID. */
	uint32_t reserved;      /**< 0. */
	uint64_t calls;         /**< Number of times it was entered. */
	uint64_t total_ns;      /**< Inclusive time, of outermost calls only. */
	uint64_t self_ns;       /**< Exclusive time. */
	uint64_t jit_ns;        /**< Time spent compiling it, with nested compilations. */
	uint64_t samples;       /**< Samples in which it is the innermost frame. */
	uint64_t samples_total; /**< Samples in which it is any frame. */
} mprof_method_stats;

/**
 * \brief The code of a method that has the same origin (section 4.4 of doc/format.md).
 * \since 0.1
 */
typedef struct mprof_method_code {
	size_t struct_size;  /**< sizeof, set by the caller. */
	uint32_t method;     /**< The method, 0 for code that belongs to none. */
	uint32_t origin;     /**< An #mprof_code_origin. */
	uint64_t count;      /**< How often code was compiled or loaded. */
	uint64_t bytes;      /**< Sum of the sizes. */
	uint64_t compile_ns; /**< Time of the compilations that made or loaded it, without nested compilations. */
} mprof_method_code;

/**
 * \brief Nodes of the call tree with a special meaning.
 * \since 0.1
 */
enum {
	MPROF_CALL_ROOT = 0 /**< The root, which is no method: the parent of the outermost methods of all threads. */
};

/**
 * \brief A node of the call tree, which all threads share: a method as reached by one call path.
 * \since 0.1
 */
typedef struct mprof_call_stats {
	size_t struct_size;    /**< sizeof, set by the caller. */
	uint32_t method;       /**< The method; 0 for the root and for unknown methods. */
	uint32_t parent;       /**< Node of the caller. */
	uint32_t first_child;  /**< Node of the first callee, 0 if none. */
	uint32_t next_sibling; /**< Node of the caller's next callee, 0 if none. */
	uint64_t calls;        /**< Number of times the method was entered on this path. */
	uint64_t total_ns;     /**< Inclusive time on this path. */
	uint64_t self_ns;      /**< Exclusive time on this path. */
	uint64_t allocations;  /**< Objects that the method allocated on this path; of the root: objects allocated in no
	                            method. */
	uint64_t bytes;        /**< Their bytes. */
	uint32_t flags;        /**< #MPROF_EVENT_FLAG_COMPILING: a compilation of the method, which counts no calls. */
	uint32_t reserved;     /**< 0. */
} mprof_call_stats;
/** \} */

/**
 * \name How long single calls took
 * \{
 *
 * Durations are measured if mprof_profile_options::with_durations is set. The duration of a call is the time that
 * passes on its call stack from its start to its end: with the methods that it calls, with waits, and without the time
 * in which the thread is on the stack of another coroutine. Every call counts, also one inside another call of the same
 * method; the sum of the durations of a recursive method therefore exceeds its inclusive time.
 *
 * Only calls whose end is known count. That excludes calls that are open at the end of the log, when their thread ends,
 * or when recording stops, and calls deeper than mprof_profile_options::max_stack_depth. A call whose leave event is
 * missing ends with the call that it was made from. Where events were lost (mprof_profile_totals::lost_events), starts
 * and ends of different calls may have been paired.
 */

/**
 * \brief The durations of the calls of a method that have ended. The shortest, the longest and the average duration are
 * exact; percentiles differ from the exact ones by at most 1.6 percent.
 * \since 0.1
 */
typedef struct mprof_call_durations {
	size_t struct_size;  /**< sizeof, set by the caller. */
	uint32_t method;     /**< Method ID. */
	uint32_t slow_calls; /**< Number of slowest calls kept: see mprof_profile_get_slow_call(). */
	uint64_t calls;    /**< Calls that have ended. If all of them were left out it is 0, as are the fields below. */
	uint64_t left_out; /**< Calls that ended and that are missing, in the counts or among the slowest calls, because
	                          mprof_profile_options::max_memory was reached. */
	uint64_t min_ns;   /**< The shortest call. */
	uint64_t average_ns; /**< The sum of the durations, divided by calls. */
	uint64_t max_ns;     /**< The longest call. */
	uint64_t sum_ns;     /**< The sum of the durations, at most UINT64_MAX. */
	uint64_t p50_ns;     /**< Half of the calls took no longer: the median. */
	uint64_t p90_ns;     /**< 90 percent of the calls took no longer. */
	uint64_t p99_ns;     /**< 99 percent of the calls took no longer. */
} mprof_call_durations;

/**
 * \brief Gets any percentile of the durations of the calls of a method.
 *
 * Thread-safe while no thread adds to the profile or finishes it. Not async-signal-safe.
 * \param profile The profile.
 * \param method Method ID.
 * \param percent The part of the calls, 0 to 100: 0 is the shortest call, 50 the median, 100 the longest call.
 * \param duration_ns Receives the duration that this part of the calls does not exceed, within 1.6 percent.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p percent is out of range or no number, or no call of the method has
 *   ended.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_percentile(const mprof_profile *profile, uint32_t method, double percent,
						    uint64_t *duration_ns);

/**
 * \brief One of the slowest calls of a method.
 * \since 0.1
 */
typedef struct mprof_slow_call {
	size_t struct_size;   /**< sizeof, set by the caller. */
	uint32_t method;      /**< Method ID. */
	uint32_t call;        /**< Node of the call tree: with its parents it is the call stack. #MPROF_CALL_ROOT if
	                           max_memory was reached or the profile has no call tree. */
	uint64_t thread;      /**< ID of the thread on which the call ended. */
	uint64_t duration_ns; /**< Its duration. */
	int64_t start_ns;     /**< When it began, in nanoseconds since the start of the session. */
} mprof_slow_call;

/**
 * \brief Gets one of the slowest calls of a method. Of calls inside another call of the same method none is kept.
 *
 * Thread-safe while no thread adds to the profile or finishes it. Not async-signal-safe.
 * \param profile The profile.
 * \param method Method ID.
 * \param index 0 to mprof_call_durations::slow_calls - 1; 0 is the longest call. Of calls with the same duration, the
 * one that ended first in the log has the smallest index.
 * \param call Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_slow_call(const mprof_profile *profile, uint32_t method, size_t index,
						   mprof_slow_call *call);
/** \} */

/**
 * \name Samples
 * \{
 */

/**
 * \brief What a frame of a sample is. Values are fixed; new ones are appended.
 * \since 0.1
 */
typedef enum mprof_sample_kind {
	MPROF_SAMPLE_METHOD = 1,    /**< id is the method, 0 if unknown. */
	MPROF_SAMPLE_FUNCTION = 2,  /**< Native code: id is the function (CODE). */
	MPROF_SAMPLE_MODULE = 3,    /**< Native code in an unknown function: id is the module (CODE). */
	MPROF_SAMPLE_LOCATION = 4,  /**< Native code in no module, or all native code with
	                                mprof_profile_options::with_locations: id is the location, 0 if the log does not
	                                contain it. */
	MPROF_SAMPLE_TRUNCATED = 5, /**< Outer frames that were not recorded: the root of all truncated call stacks.
	                                 id is 0. */
	MPROF_SAMPLE_COLLAPSED = 6, /**< Only in frame trees: frames with #MPROF_FRAME_COLLAPSE. id is 0. */
	MPROF_SAMPLE_CLASS = 7,     /**< Only in frame trees: objects of a class; id is the class, 0 if unknown. */
	MPROF_SAMPLE_NO_STACK = 8,  /**< Only in frame trees: a missing call stack. id is 0. */
	MPROF_SAMPLE_IDLE = 9       /**< Idle threads, with mprof_profile_options::fold_idle. id is 0. */
} mprof_sample_kind;

/**
 * \brief What a thread waited for when a sample was taken, as far as the names in its call stack show it: the
 * innermost frame is a function of the C library that waits, and its callers show what for. Values are fixed; new ones
 * are appended.
 * \since 0.1
 */
typedef enum mprof_wait_kind {
	MPROF_WAIT_NONE = 0,      /**< The innermost frame is not a function that is known to wait. */
	MPROF_WAIT_LOCK = 1,      /**< To enter a monitor or to lock a mutex. */
	MPROF_WAIT_CONDITION = 2, /**< For a notification: Monitor.Wait, a condition variable. */
	MPROF_WAIT_EVENT = 3,     /**< For a wait handle or a semaphore. */
	MPROF_WAIT_JOIN = 4,      /**< For the end of a thread. */
	MPROF_WAIT_SLEEP = 5,     /**< For time to pass. */
	MPROF_WAIT_ACCEPT = 6,    /**< For a connection: accept, connect. */
	MPROF_WAIT_IO = 7,        /**< To read or write. */
	MPROF_WAIT_POLL = 8,      /**< For any of several files: poll, select, epoll. */
	MPROF_WAIT_OTHER = 9      /**< It waits, and the call stack does not show for what. */
} mprof_wait_kind;

/**
 * \brief Number of samples that hit a method or native code.
 * \since 0.1
 */
typedef struct mprof_sample_stats {
	size_t struct_size; /**< sizeof, set by the caller. */
	uint32_t kind;      /**< An #mprof_sample_kind. */
	uint32_t id;        /**< Method, function, module or location, depending on kind. */
	uint64_t self;      /**< Samples in which it is the innermost frame. */
	uint64_t total;     /**< Samples in which it is any frame; each sample counts once. */
} mprof_sample_stats;

/**
 * \brief A node of the tree of samples, which all threads share: a frame as reached by one call stack. Node 0 is the
 * root.
 * \since 0.1
 */
typedef struct mprof_sample_node {
	size_t struct_size;    /**< sizeof, set by the caller. */
	uint32_t kind;         /**< An #mprof_sample_kind; 0 for the root. */
	uint32_t id;           /**< Method, function, module or location, depending on kind. */
	uint32_t parent;       /**< Node of the caller. */
	uint32_t first_child;  /**< Node of the first callee, 0 if none. */
	uint32_t next_sibling; /**< Node of the caller's next callee, 0 if none. */
	uint32_t wait;         /**< An #mprof_wait_kind: what threads wait for in the samples of self. */
	uint64_t self;         /**< Samples whose innermost frame is this node. */
	uint64_t total;        /**< Samples whose innermost frame is this node or below it. */
} mprof_sample_node;
/** \} */

/**
 * \name Classes, allocations, heap snapshots, handles and finalizers
 * \{
 */

/**
 * \brief Statistics of a class.
 * \since 0.1
 */
typedef struct mprof_class_stats {
	size_t struct_size;   /**< sizeof, set by the caller. */
	uint32_t id;          /**< Class ID. */
	uint32_t reserved;    /**< 0. */
	uint64_t allocations; /**< Objects allocated. */
	uint64_t bytes;       /**< Their bytes. */
	uint64_t freed;       /**< Objects found dead. */
	uint64_t freed_bytes; /**< Their bytes. */
	uint64_t exceptions;  /**< Number of times an exception of the class was thrown. */
	uint64_t load_ns;     /**< Time spent loading it. */
	uint64_t samples;     /**< If not 0, only a sample of the allocations is in the log: allocations and bytes are
	                           unbiased estimates from this number of objects. See section 3.8 of the format. */
	uint64_t allocations_error; /**< The standard error of allocations; 0 if exact. */
	uint64_t bytes_error;       /**< The standard error of bytes; 0 if exact. */
	uint64_t exception_texts;   /**< Exceptions whose message is in the log: events of the type "mprof.exception"
	                                 (section 4.11). */
	int64_t exception_text_ns;  /**< When the latest of these was recorded, from the start of the session; 0 if
	                                 exception_texts is 0. */
	const char *exception_text; /**< The message of that one, of at most 255 bytes; NULL if there is none, or
	                                 max_memory left no room for it. Borrowed until the profile is changed or
	                                 destroyed. */
} mprof_class_stats;

/**
 * \brief Objects of a class that were allocated at one call site.
 * \since 0.1
 */
typedef struct mprof_allocation_site {
	size_t struct_size;   /**< sizeof, set by the caller. */
	uint32_t class_id;    /**< Class ID. */
	uint32_t stack;       /**< Stack ID, 0 if not known. */
	uint32_t caller;      /**< The method that allocated, 0 if not known. */
	uint32_t flags;       /**< #MPROF_EVENT_FLAG_COMPILING: the method was being compiled. */
	uint64_t allocations; /**< Objects allocated. */
	uint64_t bytes;       /**< Their bytes. */
	uint32_t call;        /**< Node of the call tree if stack is 0; 0 if not known or not requested. */
	uint32_t reserved;    /**< 0. */
	uint64_t samples;     /**< If not 0, call stacks were recorded for a sample of the allocations: allocations and
	                           bytes are unbiased estimates from this number of objects. See section 3.8 of the
	                           format. */
	uint64_t allocations_error; /**< The standard error of allocations: the estimate differs from the true number by
	                                 less than twice this in 19 of 20 cases, if there are enough samples. 0 if
	                                 exact. */
	uint64_t bytes_error;       /**< The standard error of bytes; 0 if exact. */
} mprof_allocation_site;

/**
 * \brief Exceptions of a class that were thrown at one call site.
 * \since 0.1
 */
typedef struct mprof_exception_site {
	size_t struct_size;  /**< sizeof, set by the caller. */
	uint32_t class_id;   /**< Class of the exceptions. */
	uint32_t stack;      /**< Stack ID, 0 if not known. */
	uint64_t exceptions; /**< Exceptions thrown. */
	uint32_t call;       /**< Node of the call tree if stack is 0; 0 if not known or not requested. */
	uint32_t reserved;   /**< 0. */
	uint64_t texts;      /**< Exceptions of this site whose message is in the log, as
	                          mprof_class_stats::exception_texts. */
	int64_t text_ns;     /**< When the latest of these was recorded; 0 if texts is 0. */
	const char *text;    /**< The message of that one, as mprof_class_stats::exception_text. */
} mprof_exception_site;

/**
 * \brief How often a clause of a method ran because of exceptions of a class.
 * \since 0.1
 */
typedef struct mprof_exception_clause {
	size_t struct_size; /**< sizeof, set by the caller. */
	uint32_t method;    /**< The method that has the clause, 0 if not known. */
	uint32_t class_id;  /**< Class of the exceptions. */
	uint32_t kind;      /**< An #mprof_clause_kind. */
	uint32_t number;    /**< Number of the clause in its method, from 0. */
	uint64_t runs;      /**< How often it ran. */
} mprof_exception_clause;

/**
 * \brief A heap snapshot: the live objects at one time.
 * \since 0.1
 */
typedef struct mprof_heap_shot {
	size_t struct_size;          /**< sizeof, set by the caller. */
	uint32_t number;             /**< Its number in the log, which need not be unique; counted from 1 if the log has
	                                  none. */
	uint32_t incomplete;         /**< 1: objects are missing, since the recorder ran out of memory or the end of the
	                                  snapshot is not in the log. */
	int64_t time_ns;             /**< When it was taken, from the start of the session. */
	uint64_t objects;            /**< Objects alive. */
	uint64_t bytes;              /**< Their bytes. */
	uint64_t references;         /**< References from one object to another. */
	uint64_t freed;              /**< Objects found dead. */
	uint64_t freed_bytes;        /**< Their bytes. */
	uint64_t moved;              /**< Objects that collections moved since the previous snapshot. */
	uint64_t roots;              /**< Number of roots. */
	uint64_t roots_by_kind[256]; /**< roots by #mprof_root_kind. */
	uint64_t classes;            /**< Classes that have live objects. */
	uint64_t synthetic_objects;  /**< Objects that the log states to be no memory of the program
	                                  (#MPROF_OBJECT_FLAG_SYNTHETIC). They count in objects, with their bytes, and
	                                  a heap graph leaves them out. */
	uint64_t process;            /**< The process whose heap it is; 0 if the log has only one. */
} mprof_heap_shot;

/**
 * \brief Objects of a class in a heap snapshot.
 * \since 0.1
 */
typedef struct mprof_heap_shot_class {
	size_t struct_size; /**< sizeof, set by the caller. */
	uint32_t class_id;  /**< Class ID. */
	uint32_t reserved;  /**< 0. */
	uint64_t objects;   /**< Objects alive. */
	uint64_t bytes;     /**< Their bytes. */
} mprof_heap_shot_class;

/**
 * \brief Gets the objects of a class in a heap snapshot.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param shot Row of #MPROF_TABLE_HEAP_SHOTS.
 * \param index 0 to mprof_heap_shot::classes - 1, in the order of class IDs.
 * \param stats Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p shot or \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_heap_shot_class(const mprof_profile *profile, size_t shot, size_t index,
							 mprof_heap_shot_class *stats);

/**
 * \brief Objects of a class at a collection.
 * \since 0.1
 */
typedef struct mprof_heap_summary {
	size_t struct_size;    /**< sizeof, set by the caller. */
	uint32_t collection;   /**< Number of the collection in the log. */
	uint32_t class_id;     /**< Class ID. */
	int64_t time_ns;       /**< Time of the block that contains it, from the start of the session. */
	uint64_t live_objects; /**< Objects alive. */
	uint64_t live_bytes;   /**< Their bytes. */
	uint64_t dead_objects; /**< Objects found dead. */
	uint64_t dead_bytes;   /**< Their bytes. */
} mprof_heap_summary;

/**
 * \brief Handles of one type to objects of one class.
 * \since 0.1
 */
typedef struct mprof_handle_stats {
	size_t struct_size; /**< sizeof, set by the caller. */
	uint32_t class_id;  /**< Class ID, 0 if they had no object or its class is not known. */
	uint32_t type;      /**< An #mprof_handle_type. */
	uint64_t created;   /**< Handles created. */
	uint64_t alive;     /**< Created handles that exist at the end. */
	uint64_t deleted;   /**< Created handles that were deleted. */
} mprof_handle_stats;

/**
 * \brief Handles that were created by one call stack.
 * \since 0.1
 */
typedef struct mprof_handle_site {
	size_t struct_size; /**< sizeof, set by the caller. */
	uint32_t class_id;  /**< Class ID, 0 if they had no object or its class is not known. */
	uint32_t type;      /**< An #mprof_handle_type. */
	uint32_t stack;     /**< Stack ID, 0 if not known. */
	uint32_t reserved;  /**< 0. */
	uint64_t created;   /**< Handles created. */
	uint64_t alive;     /**< Created handles that exist at the end. */
} mprof_handle_site;

/**
 * \brief Finalizers of a class.
 * \since 0.1
 */
typedef struct mprof_finalizer_stats {
	size_t struct_size; /**< sizeof, set by the caller. */
	uint32_t class_id;  /**< Class ID, 0 if not known. */
	uint32_t reserved;  /**< 0. */
	uint64_t count;     /**< Objects finalized. */
	uint64_t total_ns;  /**< Time in their finalizers. */
} mprof_finalizer_stats;
/** \} */

/**
 * \name How long objects live
 * \{
 *
 * The tables are made if mprof_profile_options::with_ages is 1, from allocations with addresses of objects (directive
 * 3), objects found dead and objects moved (section 3.17). The Mono module records these with
 * \c alloc=objects+stack and \c free.
 *
 * The *age* of an object is the number of collections that it survived. A dead object survived the collections that
 * began after its allocation, except the last one before it was found dead. An object that was found dead at the first
 * of these collections, or that was freed without one, is *temporary*; its age is 0. A live object survived all
 * collections that began after its allocation. A log contains deaths as of full collections, and as of the time when
 * an address was used again. An object that an earlier collection of the young generation freed without either shows up
 * later; so with such a collector, ages are upper limits.
 *
 * The moves of a collection are one set: all objects leave their addresses before one takes its new address. A set ends
 * with the next collection, allocation or death. Without the starts of collections in the log (the Mono module records
 * them with \c gc), the moves of two collections without an allocation in between are one set, and
 * mprof_age_stats::uncertain_moves counts those for which that matters.
 *
 * An allocation is taken to have happened at its counter or, if a HEAP_DATA block with a later counter precedes it in
 * the log, just after that.
 *
 * Windows and threads: objects count if they were allocated inside the window, by one of the chosen threads. Deaths
 * count if they were found before the end of the window. The history counts the objects of all threads and the entries
 * inside the window. mprof_profile_options::alive_at ends all these tables earlier.
 *
 * Where the call stacks of allocations are a sample, amounts by call stack are estimates with a standard error, and
 * those of classes and in total are exact.
 *
 * A tracked object takes 42 to 64 bytes, half as much again while the table grows. If mprof_profile_options::max_memory
 * is reached, further objects are counted as allocated, but not tracked. Events after the last HEAP_DATA block are held
 * back, at 80 bytes each; beyond a million of them, the earlier half is processed.
 */

/**
 * \brief Totals of the objects of the managed heap, as of the last mprof_profile_finish().
 *
 * What is missing or estimated is in the last fields.
 * \since 0.1
 */
typedef struct mprof_age_stats {
	size_t struct_size;        /**< sizeof, set by the caller. */
	uint64_t allocations;      /**< Objects allocated. */
	uint64_t bytes;            /**< Their bytes. */
	uint64_t dead;             /**< Those that were found dead. */
	uint64_t dead_bytes;       /**< Their bytes. */
	uint64_t live;             /**< Tracked objects that were not found dead. */
	uint64_t live_bytes;       /**< Their bytes. */
	uint64_t peak_live;        /**< Objects at the peak: when live_bytes first reached its maximum. */
	uint64_t peak_bytes;       /**< That maximum. */
	int64_t peak_ns;           /**< The time of the peak, in nanoseconds from the start of the session. */
	uint64_t temporaries;      /**< Dead objects of age 0. */
	uint64_t temporary_bytes;  /**< Their bytes. */
	uint64_t ages;             /**< Sum of the ages of dead and live objects. */
	uint64_t collections;      /**< Collections that began, also before the window. */
	uint64_t sample_interval;  /**< If call stacks of allocations are a sample: the mean number of bytes from one
	                                   to the next, otherwise 0. */
	uint64_t without_address;  /**< Objects without an address: not tracked. */
	uint64_t untracked;        /**< Objects not tracked because max_memory was reached. */
	uint64_t folded;           /**< Objects that are in no class and no site because max_memory was reached. */
	uint64_t deaths_read;      /**< Objects found dead in the log, whether they are known or not. */
	uint64_t unmatched_deaths; /**< Those of unknown objects, such as objects from before recording started. */
	uint64_t missing_deaths;   /**< Objects whose address another object took without a death in the log. They
	                                   count as dead. */
	uint64_t unmatched_moves;  /**< Moves of unknown objects. */
	uint32_t is_estimate;      /**< 1: events were lost, recording was stopped for a while, or untracked, folded,
	                                   missing_deaths or uncertain_moves is not 0. */
	uint32_t reserved;         /**< 0. */
	uint64_t uncertain_moves;  /**< Moves that could be of another object: the log does not contain which collection
	                                   they belong to, or no known object was at the address before, and the
	                                   collection had moved one there. */
} mprof_age_stats;

/**
 * \brief The objects of a class. All numbers are exact.
 * \since 0.1
 */
typedef struct mprof_age_class {
	size_t struct_size;       /**< sizeof, set by the caller. */
	uint32_t class_id;        /**< The class. */
	uint32_t sites;           /**< Number of its call sites (mprof_age_site) that have a call stack or a caller. */
	uint64_t allocations;     /**< Objects allocated. */
	uint64_t bytes;           /**< Their bytes. */
	uint64_t dead;            /**< Those that were found dead. */
	uint64_t dead_bytes;      /**< Their bytes. */
	uint64_t live;            /**< Those that are alive. */
	uint64_t live_bytes;      /**< Their bytes. */
	uint64_t peak_live;       /**< Those that were alive at the peak of the heap (mprof_age_stats). */
	uint64_t peak_bytes;      /**< Their bytes. */
	uint64_t temporaries;     /**< Dead objects of age 0. */
	uint64_t temporary_bytes; /**< Their bytes. */
	uint64_t ages;            /**< Sum of the ages of dead and live objects. */
} mprof_age_class;

/**
 * \brief The objects of a class that were allocated at one call site.
 *
 * Call stacks that differ only in recursion are one site: from the outermost frame inwards, the frames between two
 * equal frames are left out, with the inner one of the two. mprof_profile_get_age_site_frames() returns what remains.
 *
 * If samples is not 0, all amounts are estimates. Their errors are standard errors. ages is then the sum over the
 * sampled objects alone. If the call stacks are a sample (mprof_age_stats::sample_interval), the site of a class
 * without a call stack has the other objects, which the estimates cover as well.
 * \since 0.1
 */
typedef struct mprof_age_site {
	size_t struct_size;             /**< sizeof, set by the caller. */
	uint32_t class_id;              /**< The class. */
	uint32_t stack;                 /**< Stack ID of the first call stack of the site; 0 if not known. */
	uint32_t caller;                /**< The method that allocates, 0 if not known; used if stack is 0. */
	uint32_t flags;                 /**< #MPROF_EVENT_FLAG_COMPILING: the compiler allocated. */
	uint64_t samples;               /**< Objects that the estimates are made from, 0 if amounts are exact. */
	uint64_t allocations;           /**< Objects allocated. */
	uint64_t bytes;                 /**< Their bytes. */
	uint64_t dead;                  /**< Those that were found dead. */
	uint64_t dead_bytes;            /**< Their bytes. */
	uint64_t live;                  /**< Those that are alive. */
	uint64_t live_bytes;            /**< Their bytes. */
	uint64_t peak_live;             /**< Those that were alive at the peak of the heap (mprof_age_stats). */
	uint64_t peak_bytes;            /**< Their bytes. */
	uint64_t temporaries;           /**< Dead objects of age 0. */
	uint64_t temporary_bytes;       /**< Their bytes. */
	uint64_t ages;                  /**< Sum of the ages of dead and live objects. */
	uint64_t allocations_error;     /**< Standard error of allocations, 0 if exact. */
	uint64_t bytes_error;           /**< Standard error of bytes. */
	uint64_t live_error;            /**< Standard error of live. */
	uint64_t live_bytes_error;      /**< Standard error of live_bytes. */
	uint64_t peak_bytes_error;      /**< Standard error of peak_bytes. */
	uint64_t temporary_bytes_error; /**< Standard error of temporary_bytes. */
} mprof_age_site;

/**
 * \brief Gets the frames of a call site without recursion, the innermost first.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param index Row of #MPROF_TABLE_AGE_SITES.
 * \param frames Array that receives the frames; may be NULL if \p capacity is 0.
 * \param frame_size sizeof (mprof_stack_frame) as the caller was compiled.
 * \param capacity Number of elements in \p frames.
 * \param count Receives the number of frames of the call site, also if it is larger than \p capacity.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p profile or \p count is NULL, \p frames is NULL although \p capacity is not 0, \p index is
 *   out of range, or \p frame_size is smaller than in release 0.1.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_age_site_frames(const mprof_profile *profile, size_t index,
							 mprof_stack_frame *frames, size_t frame_size, size_t capacity,
							 size_t *count);

/**
 * \brief Kinds of entries of the history of the heap.
 * \since 0.1
 */
typedef enum mprof_heap_change {
	MPROF_HEAP_CHANGE_START = 1,  /**< The log or the window starts. */
	MPROF_HEAP_CHANGE_COLLECTION, /**< A collection began. */
	MPROF_HEAP_CHANGE_RESIZE,     /**< The heap has a new size. */
	MPROF_HEAP_CHANGE_END         /**< The log or the window ends, or what was read of it. */
} mprof_heap_change;

/**
 * \brief An entry of the history of the heap, which begins with a start and ends with an end.
 *
 * The objects are those allocated so far, also before the window, without those found dead. A death belongs to the
 * latest collection that began before it was found.
 * \since 0.1
 */
typedef struct mprof_heap_change_entry {
	size_t struct_size;         /**< sizeof, set by the caller. */
	uint32_t kind;              /**< An #mprof_heap_change. */
	uint32_t generation;        /**< Of a collection. */
	uint64_t number;            /**< Number of the collection or resize in the log, 0 if not known. */
	int64_t time_ns;            /**< When it happened, in nanoseconds from the start of the session. */
	uint64_t objects_before;    /**< Objects before it. */
	uint64_t bytes_before;      /**< Their bytes. */
	uint64_t collected_objects; /**< Objects that were found dead. */
	uint64_t collected_bytes;   /**< Their bytes. */
	uint64_t heap_bytes;        /**< Size of the heap after it, of the latest resize; 0 if not known. */
} mprof_heap_change_entry;
/** \} */

/**
 * \name Where the objects of a heap snapshot come from
 * \{
 *
 * A profile with mprof_profile_options::with_ages tracks the objects of the managed heap. If
 * mprof_profile_options::alive_at_snapshot is the number of a heap snapshot, it stops before that, and
 * mprof_profile_lookup_origin() returns for the address of an object in the snapshot where and when the object was
 * allocated. That needs allocations with addresses of objects, moves (section 3.17 of the format), and collections,
 * which order the two; the Mono module records all of them with \c alloc=objects+stack and \c gc.
 *
 * An object has an *identity*: the number of its allocation among all allocations of the log. It does not change when
 * the collector moves the object, and is the same in all profiles of the log that have the same max_memory. So the
 * objects of two snapshots of one log can be compared by identity, with a profile for each.
 *
 * An object has no known origin if it was allocated before recording started, while recording was stopped or by the
 * runtime without an event, if events were lost, or if max_memory was reached. The address of an object that died
 * without being found dead can be that of an object without an event, so a program compares the class as well.
 */

/**
 * \brief Not a call site: mprof_object_origin::site of an object whose site is not known.
 * \since 0.1
 */
#define MPROF_ORIGIN_NO_SITE UINT32_MAX

/**
 * \brief Where an object comes from.
 * \since 0.1
 */
typedef struct mprof_object_origin {
	size_t struct_size; /**< sizeof, set by the caller. */
	uint64_t identity;  /**< The number of its allocation, from 1. */
	uint64_t bytes;     /**< Its size as allocated. */
	uint32_t site;      /**< Row of #MPROF_TABLE_AGE_SITES, with its class and its call stack;
	                         #MPROF_ORIGIN_NO_SITE if its thread or time is outside the window, or max_memory was
	                         reached. */
	uint32_t age;       /**< Collections that it survived. */
} mprof_object_origin;

/**
 * \brief Looks up the object that has an address at the end of the tables of ages.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param address The address, as in the heap snapshot.
 * \param origin Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, struct_size is too small, or no object with a known origin has the
 *   address.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_lookup_origin(const mprof_profile *profile, uint64_t address,
						   mprof_object_origin *origin);

/**
 * \brief Whether the snapshot of mprof_profile_options::alive_at_snapshot was reached.
 *
 * Blocks after it in the log may contain events from before it, so a program adds the whole log. Thread-safe while no
 * thread adds to the profile or finishes it.
 * \param profile The profile.
 * \return 1 or 0; 0 also if \p profile is NULL.
 * \since 0.1
 */
MPROF_API int mprof_profile_has_snapshot(const mprof_profile *profile);

/**
 * \brief An address of the object mprof_profile_options::traced_object.
 * \since 0.1
 */
typedef struct mprof_traced_address {
	size_t struct_size; /**< sizeof, set by the caller. */
	uint64_t address;   /**< The address. */
	int64_t time_ns;    /**< When it was moved there, in nanoseconds from the start of the session; of the first
	                         address, the time of the event before the allocation, which has none of its own. */
	uint32_t age;       /**< Collections since it was allocated; 0 for the first address. */
	uint32_t reserved;  /**< 0. */
} mprof_traced_address;
/** \} */

/**
 * \name Native memory
 * \{
 *
 * Example: examples/small/tutorial/11_memory.c.
 */

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
	uint64_t unreachable;     /**< Those of live that no pointer of the program leads to, except from others of
	                                 these: leaks. */
	uint64_t unreachable_bytes; /**< Their bytes. */
	uint64_t indirect;          /**< Those of unreachable that others of these have a pointer to. */
	uint64_t indirect_bytes;    /**< Their bytes. */
	uint64_t interior;          /**< Those of live that are reachable only through a pointer to the inside of a
	                                 block. */
	uint64_t interior_bytes;    /**< Their bytes. */
	uint64_t unsearched; /**< Those of live of which the reachability is not known: the memory of their process
	                                 was not searched. */
	uint64_t unsearched_bytes; /**< Their bytes. */
	uint32_t is_searched;      /**< 1: the log states which blocks are reachable at its end (section 3.37), and the
	                                 results are those of the end. Otherwise unsearched is live, and the figures of
	                                 reachability are 0 and mean nothing. */
	uint32_t reserved;         /**< 0. */
} mprof_memory_stats;

/**
 * \brief Native memory that was allocated by one call stack. Lifetimes are nanoseconds.
 * \since 0.1
 */
typedef struct mprof_memory_site {
	size_t struct_size;         /**< sizeof, set by the caller. */
	uint32_t stack;             /**< Stack ID, 0 if not known. */
	uint32_t is_folded;         /**< 1: the shared site of all call stacks without one of their own; stack is 0. */
	uint64_t allocations;       /**< Blocks allocated. */
	uint64_t bytes;             /**< Their bytes. */
	uint64_t frees;             /**< Blocks of these allocations that were freed. */
	uint64_t live;              /**< Blocks of these allocations that exist at the end. */
	uint64_t live_bytes;        /**< Their bytes. */
	uint64_t peak_live;         /**< Blocks of these allocations that existed at the peak of all native memory. */
	uint64_t peak_bytes;        /**< Their bytes. */
	uint64_t temporaries;       /**< Blocks freed by the thread that allocated them, without another allocation in
	                           between. */
	uint64_t lifetime_ns;       /**< Sum of the lifetimes of the blocks that were freed, at most UINT64_MAX. */
	uint64_t shortest_ns;       /**< Shortest lifetime, 0 if none was freed. */
	uint64_t longest_ns;        /**< Longest lifetime. */
	uint64_t unreachable;       /**< As mprof_memory_stats::unreachable, of these allocations, and so on. */
	uint64_t unreachable_bytes; /**< Their bytes. */
	uint64_t indirect;          /**< Those of unreachable that other unreachable blocks have a pointer to. */
	uint64_t indirect_bytes;    /**< Their bytes. */
	uint64_t interior;          /**< Blocks reachable only through a pointer to the inside of a block. */
	uint64_t interior_bytes;    /**< Their bytes. */
	uint64_t unsearched;        /**< Blocks of which the reachability is not known. */
	uint64_t unsearched_bytes;  /**< Their bytes. */
	uint32_t is_searched;       /**< As mprof_memory_stats::is_searched. */
	uint32_t reserved;          /**< 0. */
} mprof_memory_site;

/**
 * \brief A block of native memory that exists at the end, if mprof_profile_options::with_blocks is 1. Rows are in
 * ascending order of addresses; in a log of several processes, those of a process are together.
 * \since 0.1
 */
typedef struct mprof_memory_block {
	size_t struct_size;    /**< sizeof, set by the caller. */
	uint64_t address;      /**< Its address. */
	uint64_t size;         /**< Its size in bytes. */
	uint64_t process;      /**< Its process, 0 if the log has one only. */
	int64_t time_ns;       /**< When it was allocated, in nanoseconds from the start of the session. */
	uint32_t stack;        /**< Stack ID of its allocation, 0 if not known. */
	uint32_t reachability; /**< An #mprof_reachability; 0: it is reachable, or that is not known:
	                            mprof_memory_stats::is_searched. */
} mprof_memory_block;

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
/** \} */

/**
 * \name Monitors, collections, threads, code units, metrics, markers and properties
 * \{
 */

/**
 * \brief Waits for the monitors of a class.
 * \since 0.1
 */
typedef struct mprof_monitor_stats {
	size_t struct_size;    /**< sizeof, set by the caller. */
	uint32_t class_id;     /**< Class of the objects, 0 if not known. */
	uint32_t reserved;     /**< 0. */
	uint64_t contentions;  /**< Number of times that a thread found one taken. */
	uint64_t acquired;     /**< Number of times that a thread acquired one after waiting. */
	uint64_t failures;     /**< Number of times that a thread gave up. */
	uint64_t contended_ns; /**< Time from finding a monitor taken to acquiring it or giving up. */
	uint64_t unfinished;   /**< Waits whose end is not in the log: contended_ns contains their time until the end of
	                            the log, of the window or of the thread. */
} mprof_monitor_stats;

/**
 * \brief Waits for the monitors of a class, or for one of them, at one call site.
 * \since 0.1
 */
typedef struct mprof_monitor_site {
	size_t struct_size;    /**< sizeof, set by the caller. */
	uint32_t class_id;     /**< Class of the objects, 0 if not known. */
	uint32_t stack;        /**< Stack ID, 0 if not known. */
	uint64_t contentions;  /**< Number of times that a thread found one taken. */
	uint64_t contended_ns; /**< Time from finding a monitor taken to acquiring it or giving up. */
	uint64_t failures;     /**< Number of times that a thread gave up. */
	uint64_t object;       /**< Address of the object, 0 if not known or not requested. */
	uint32_t call;         /**< Node of the call tree if stack is 0; 0 if not known or not requested. */
	uint32_t reserved;     /**< 0. */
	uint64_t unfinished;   /**< As mprof_monitor_stats::unfinished. */
} mprof_monitor_site;

/**
 * \brief Waits for the monitors of a class while a thread held them.
 *
 * A wait counts for the thread that held the monitor when the wait began, even if other threads held it later on. Waits
 * whose holder is not known are not included. Section 4.4 of doc/format.md.
 * \since 0.1
 */
typedef struct mprof_monitor_holder {
	size_t struct_size;    /**< sizeof, set by the caller. */
	uint32_t class_id;     /**< Class of the objects, 0 if not known. */
	uint32_t reserved;     /**< 0. */
	uint64_t thread;       /**< ID of the thread that held the monitors. */
	uint64_t contentions;  /**< Number of times that other threads found one taken by it. */
	uint64_t contended_ns; /**< Time of these waits until the monitor was acquired or the waiting thread gave up. */
	uint64_t unfinished;   /**< As mprof_monitor_stats::unfinished. */
} mprof_monitor_holder;

/**
 * \brief A metric: a number that the runtime maintains. Values are those of mprof_metric_value_record::value; flags
 * specify how to interpret them.
 * \since 0.1
 */
typedef struct mprof_metric_stats {
	size_t struct_size;  /**< sizeof, set by the caller. */
	uint32_t id;         /**< Metric ID. */
	uint32_t flags;      /**< Bits of #mprof_metric_flag. */
	const char *section; /**< The group that it belongs to. Borrowed until the profile is changed or destroyed. */
	const char *name;    /**< Its name. Borrowed until the profile is changed or destroyed. */
	uint64_t count;      /**< Number of values in the log; if it is 0, the fields below are 0. */
	uint64_t first;      /**< The first value. */
	uint64_t last;       /**< The last value. */
	uint64_t minimum;    /**< The smallest value. */
	uint64_t maximum;    /**< The largest value. */
	int64_t last_ns;     /**< When the last value was recorded, from the start of the session. */
	uint64_t thread;     /**< With #MPROF_METRIC_FLAG_THREAD: ID of the thread; else 0. */
	const char *unit;    /**< As mprof_metric_get_unit_name(), or the unit that the log names. Borrowed until the
	                          profile is changed or destroyed. */
} mprof_metric_stats;

/**
 * \brief What a histogram states (section 3.15 of doc/format.md). A row of #MPROF_TABLE_HISTOGRAMS.
 *
 * Which value a percentile is, is known only as far as the bounds of buckets state it: it is greater than the field
 * that ends in _above, and at most the other one. If that is not known, they are the least and the largest signed
 * number, or infinities. Values are those of mprof_metric_value_record::value.
 * \since 0.1
 */
typedef struct mprof_histogram_stats {
	size_t struct_size;  /**< sizeof, set by the caller. */
	uint32_t id;         /**< Metric ID. */
	uint32_t flags;      /**< Bits of #mprof_metric_flag. */
	const char *section; /**< The group that it belongs to. Borrowed until the profile is changed or destroyed. */
	const char *name;    /**< Its name. Borrowed as section. */
	const char *unit;    /**< As mprof_metric_stats::unit. */
	uint64_t thread;     /**< With #MPROF_METRIC_FLAG_THREAD: ID of the thread; else 0. */
	uint64_t count;      /**< Number of values in all buckets; if it is 0, the fields below are 0. */
	uint64_t buckets;    /**< Number of buckets with different bounds. */
	uint64_t min_above;  /**< The smallest value is greater than this, ... */
	uint64_t min;        /**< ... and at most this. */
	uint64_t p50_above;  /**< The median is greater than this, ... */
	uint64_t p50;        /**< ... and at most this. */
	uint64_t p90_above;  /**< The value that 90 percent of the values do not exceed is greater than this, ... */
	uint64_t p90;        /**< ... and at most this. */
	uint64_t p99_above;  /**< The same for 99 percent. */
	uint64_t p99;        /**< The same for 99 percent. */
	uint64_t max_above;  /**< The largest value is greater than this, ... */
	uint64_t max;        /**< ... and at most this. */
	int64_t last_ns;     /**< When the last bucket was recorded, from the start of the session. */
} mprof_histogram_stats;

/**
 * \brief Messages of one severity from one source: events of the type "mprof.log" (section 4.11 of doc/format.md). A
 * row of #MPROF_TABLE_MESSAGES.
 * \since 0.1
 */
typedef struct mprof_message_stats {
	size_t struct_size; /**< sizeof, set by the caller. */
	uint32_t severity;  /**< From 1 (trace) to 6 (fatal), 0 if not known. */
	uint32_t is_rest;   /**< 1: of all severities and sources for which there was no row, because there are too many
	                         or max_memory was reached. */
	const char *source; /**< What wrote them; NULL if is_rest is set, "" if not known. Borrowed until the profile is
	                         changed or destroyed, as is text. */
	uint64_t count;     /**< Messages. */
	int64_t first_ns;   /**< When the first one was written, from the start of the session. */
	int64_t last_ns;    /**< When the last one was written. */
	uint64_t thread;    /**< ID of the thread that wrote the first one. */
	const char *text;   /**< One of them, of at most 255 bytes; NULL if it has no text. */
} mprof_message_stats;

/**
 * \brief Waits of one kind and name at one call site: spans of the type "mprof.wait" (section 4.11 of doc/format.md). A
 * row of #MPROF_TABLE_WAITS.
 * \since 0.1
 */
typedef struct mprof_wait_stats {
	size_t struct_size; /**< sizeof, set by the caller. */
	const char *kind;  /**< What threads waited for, such as "io"; "" if not known, NULL if is_rest is set. Borrowed
	                          until the profile is changed or destroyed, as is name. */
	const char *name;  /**< The name of the waits; "" if they have none, NULL if is_rest is set. */
	uint32_t stack;    /**< Stack ID, 0 if not known. */
	uint32_t call;     /**< Node of the call tree if stack is 0; 0 if not known or not requested. */
	uint32_t is_rest;  /**< 1: all waits for which there was no row, because there are too many or max_memory was
	                          reached. */
	uint32_t reserved; /**< 0. */
	uint64_t count;    /**< Waits that ended. */
	uint64_t unfinished; /**< Waits whose end is not in the log, or not in the window. */
	uint64_t total_ns;   /**< The sum of the durations, at most UINT64_MAX. */
	uint64_t min_ns;     /**< The shortest wait. */
	uint64_t p50_ns;     /**< Half of the waits took no longer, within 1.6 percent, as are the next two. */
	uint64_t p90_ns;     /**< 90 percent of the waits took no longer. */
	uint64_t p99_ns;     /**< 99 percent of the waits took no longer. */
	uint64_t max_ns;     /**< The longest wait. */
} mprof_wait_stats;

/**
 * \brief A generation at a collection: an event of the type "mprof.gc.generation" (section 4.11 of doc/format.md). A
 * row of #MPROF_TABLE_GC_GENERATIONS.
 * \since 0.1
 */
typedef struct mprof_gc_generation {
	size_t struct_size;  /**< sizeof, set by the caller. */
	uint64_t collection; /**< mprof_collection::number; of a log with wrong numbers, it may be of no collection. */
	const char *name;    /**< The generation, such as "Eden"; NULL if it has no name. Borrowed until the profile is
	                            changed or destroyed. */
	uint64_t before;     /**< Bytes in use before the collection. */
	uint64_t after;      /**< Bytes in use after it. */
	uint64_t capacity;   /**< Bytes that the generation has room for, after it. */
	uint32_t has_before; /**< 1: before is known; else it is 0. */
	uint32_t has_after;  /**< 1: after is known; else it is 0. */
	uint32_t has_capacity; /**< 1: capacity is known; else it is 0. */
	uint32_t reserved;     /**< 0. */
} mprof_gc_generation;

/**
 * \brief A state that a thread was in: events of the type "mprof.thread.state" (section 4.11 of doc/format.md). A row
 * of #MPROF_TABLE_THREAD_STATES.
 *
 * A state lasts until the next one of the thread; the last one until the end of the thread, or of the log.
 * \since 0.1
 */
typedef struct mprof_thread_state_stats {
	size_t struct_size; /**< sizeof, set by the caller. */
	uint64_t thread;    /**< ID of the thread. */
	const char *state;  /**< What it did, such as "blocked", of at most 255 bytes; "" if not known, NULL if is_rest
	                            is set. Borrowed until the profile is changed or destroyed. */
	uint64_t count;     /**< How often it began in the window. */
	uint64_t total_ns;  /**< Time in this state, in the window. */
	uint64_t priority;  /**< The latest priority of the thread in this state. */
	uint32_t has_priority; /**< 1: priority is known; else it is 0. */
	uint32_t is_rest;      /**< 1: all states of all threads for which there was no row, because there are too many
	                            or max_memory was reached; thread is 0. */
} mprof_thread_state_stats;

/**
 * \brief A marker: a text with a time, put into the log by the user.
 * \since 0.1
 */
typedef struct mprof_mark {
	size_t struct_size; /**< sizeof, set by the caller. */
	int64_t time_ns;    /**< When it was recorded, from the start of the session. */
	uint64_t thread;    /**< The thread, 0 if none. */
	const char *text;   /**< The text. Borrowed until the profile is changed or destroyed. */
} mprof_mark;

/**
 * \brief A garbage collection. Times are nanoseconds; start times count from the start of the session.
 * \since 0.1
 */
typedef struct mprof_collection {
	size_t struct_size;   /**< sizeof, set by the caller. */
	uint64_t number;      /**< Its number in the log, where numbers may be missing; if is_counted is 1, its
	                           position, counted from 1. */
	uint32_t generation;  /**< 0 is the youngest. */
	uint32_t unfinished;  /**< 1: its end is not in the log. */
	int64_t start_ns;     /**< When it began. */
	uint64_t duration_ns; /**< Its whole duration. */
	uint64_t mark_ns;     /**< Time of marking, 0 if not in the log. */
	uint64_t sweep_ns;    /**< Time of sweeping, 0 if not in the log. */
	uint64_t pause_ns;    /**< Time that the world was stopped for the collection, 0 if not in the log. Less than
	                           duration_ns if it was concurrent. */
	uint32_t is_counted;  /**< 1: the log has no number for it. */
	uint32_t has_pause;   /**< 1: pause_ns is known: the log has stops of the world, or phases that are pauses, for
	                           it. */
	const char *name;     /**< The collector, such as "G1 Young"; NULL if not in the log. Borrowed until the profile
	                           is changed or destroyed, as the next one. */
	const char *cause;    /**< Why it began, such as "System.gc()"; NULL if not in the log. */
	uint64_t pinned_objects; /**< Objects that it could not move; 0 if not in the log, as the next one. */
	uint64_t pinned_bytes;   /**< Their bytes. */
} mprof_collection;

/**
 * \brief A change of the heap's size.
 * \since 0.1
 */
typedef struct mprof_heap_resize {
	size_t struct_size; /**< sizeof, set by the caller. */
	int64_t time_ns;    /**< When it happened, from the start of the session. */
	uint64_t bytes;     /**< The new size, in bytes. */
	uint64_t number;    /**< Its number in the log, in one sequence with collections; 0 if it has none. */
} mprof_heap_resize;

/**
 * \brief A thread.
 * \since 0.1
 */
typedef struct mprof_thread_stats {
	size_t struct_size; /**< sizeof, set by the caller. */
	uint64_t id;        /**< Thread ID in the log. */
	const char *name;   /**< Latest name, NULL if none. Borrowed until the profile is changed or destroyed. */
	uint64_t events;    /**< Events in its blocks. */
	uint64_t self_ns;   /**< Exclusive time of methods in it. */
	uint64_t lost;      /**< Lost events. */
	uint64_t samples;   /**< Samples taken in it. */
	uint64_t wall_ns;   /**< Time that it existed while it was recorded. wall_ns, cpu_ns and ready_ns are 0 if the
	                         log does not contain the times of threads. */
	uint64_t cpu_ns;    /**< Part of wall_ns in which it ran on a processor. */
	uint64_t ready_ns;  /**< Part of wall_ns in which it was ready to run while the system ran other threads; also 0
	                         if the system did not measure it. The remaining part of wall_ns is the time in which it
	                         was blocked. */
	uint64_t voluntary_switches;   /**< How often it stopped running because it blocked or yielded, while it was
	                                    recorded. Both numbers of switches are 0 if the log does not contain
	                                    them. */
	uint64_t involuntary_switches; /**< How often the system stopped it to run another thread. */
	uint64_t process;              /**< The number of the process that it belongs to; 0 if the log does not state
	                                    it. */
	uint32_t kind;                 /**< An #mprof_timeline_kind; #MPROF_TIMELINE_THREAD if it is not described. */
	uint32_t reserved;             /**< 0. */
	uint64_t names;                /**< How often it was given a name that differs from the one before. */
	const char *former_name;       /**< The name before the latest one; NULL if it had none. Borrowed as name. */
} mprof_thread_stats;

/**
 * \brief A process that the log describes (section 3.30 of doc/format.md), as it was described last.
 * \since 0.1
 */
typedef struct mprof_process_stats {
	size_t struct_size;  /**< sizeof, set by the caller. */
	uint64_t number;     /**< The number that the log gives it. */
	uint64_t system_id;  /**< The number that the operating system gives it; 0 if none. */
	uint64_t parent;     /**< The number of the process that started it; 0 if not known. */
	const char *name;    /**< Its name. Borrowed until the profile is changed or destroyed, as is command. */
	const char *command; /**< Its command line. */
	uint32_t threads;    /**< Threads of #MPROF_TABLE_TIMELINES that belong to it. */
	uint32_t has_start;  /**< 1: start_ns is known. */
	int64_t start_ns;    /**< When it started, from the start of the session. */
	uint32_t has_end;    /**< 1: end_ns is known. */
	uint32_t reserved;   /**< 0. */
	int64_t end_ns;      /**< When it ended. */
	uint64_t events;     /**< Events of its threads, as far as they count. */
	uint64_t samples;    /**< Samples of its threads. */
	uint64_t lost;       /**< Lost events of its threads. */
	uint64_t cpu_ns;     /**< Processor time of its threads; 0: not known. */
} mprof_process_stats;

/**
 * \brief Where a range of generated code was (section 3.36 of doc/format.md). A range that was moved has several rows.
 * Later ranges may have replaced it before it ended.
 * \since 0.1
 */
typedef struct mprof_code_range_stats {
	size_t struct_size; /**< sizeof, set by the caller. */
	uint32_t id;        /**< ID of the range. */
	uint32_t kind;      /**< An #mprof_code_range_kind. */
	uint32_t method;    /**< ID of its method, 0 if none. */
	uint32_t has_end;   /**< 1: it was freed or moved from there. */
	const char *name;   /**< Its name if it has no method. Borrowed until the profile is changed or destroyed. */
	uint64_t address;   /**< Address of its first byte. */
	uint64_t size;      /**< Size in bytes. */
	int64_t start_ns;   /**< From when on it was there, from the start of the session. */
	int64_t end_ns;     /**< When it was freed or moved; 0 unless has_end is 1. */
	uint64_t process;   /**< Number of the process that has it; 0 if the log does not state it. */
} mprof_code_range_stats;

/**
 * \brief A thread that the log describes (section 3.29 of doc/format.md), as it was described last.
 * \since 0.1
 */
typedef struct mprof_timeline_stats {
	size_t struct_size;     /**< sizeof, set by the caller. */
	uint64_t thread;        /**< ID of the thread. */
	const char *name;       /**< Its name, that of the thread if it has no other. Borrowed until the profile is
	                             changed or destroyed. */
	uint64_t process;       /**< The number of its process; 0 if not known. */
	uint64_t system_thread; /**< The number that the operating system gives it; 0 if none. */
	uint64_t parent;        /**< The thread that it is a part of; 0 if none. */
	uint32_t kind;          /**< An #mprof_timeline_kind. */
	uint32_t clock;         /**< ID of the clock that its times were converted from; #MPROF_CLOCK_LOG if none. */
	uint32_t rank;          /**< Its place among those with the same parent. */
	uint32_t is_ended;      /**< 1: no more events of it follow. */
	uint64_t events;        /**< Events in its blocks. */
} mprof_timeline_stats;

/**
 * \brief A clock of the log (sections 3.28 and 3.31 of doc/format.md), and how it agrees with the log's counter.
 *
 * The seconds are those of the log's counter. What is measured is computed from the pairs that do not go back; after
 * one that does, it begins again with that pair.
 * \since 0.1
 */
typedef struct mprof_clock_stats {
	size_t struct_size;           /**< sizeof, set by the caller. */
	uint32_t id;                  /**< ID of the clock. */
	uint32_t kind;                /**< An #mprof_clock_kind. */
	const char *name;             /**< Its name. Borrowed until the profile is changed or destroyed. */
	uint64_t stated_millihertz;   /**< Ticks per 1,000 seconds that the log states; 0 if not known. */
	uint64_t measured_millihertz; /**< The same from the first to the last pair; 0 if not known. */
	int64_t drift_ppb;            /**< How much faster the measured rate is than the stated one, in parts of 10^9; 0
	                             unless has_drift. */
	uint64_t pairs;               /**< Pairs of the clock in the log. */
	uint64_t backward;            /**< Those whose value or counter is less than that of the pair before. */
	uint64_t residual_ns;         /**< By how much a pair is most off the line between the pair before and the one
	                             after. */
	uint64_t uncertainty_ns;      /**< The greatest uncertainty of a pair. */
	uint32_t has_drift;           /**< 1: drift_ppb is known. */
	uint32_t has_residual;        /**< 1: there are three pairs in a row, which residual_ns takes. */
} mprof_clock_stats;

/**
 * \brief A code unit: an assembly, a module or an AppDomain.
 * \since 0.1
 */
typedef struct mprof_element_stats {
	size_t struct_size;   /**< sizeof, set by the caller. */
	uint32_t kind;        /**< Bits of #mprof_element_kind. */
	uint32_t id;          /**< Code unit ID, 0 if none. */
	const char *name;     /**< Its name. Borrowed until the profile is changed or destroyed. */
	const char *assembly; /**< Base name of an assembly if the log has it, else NULL. Borrowed until the profile is
	                           changed or destroyed. */
	int64_t loaded_ns;    /**< When it was loaded, from the start of the session. */
	uint64_t load_ns;     /**< Time spent loading it. */
	int64_t unloaded_ns;  /**< When it was unloaded, from the start of the session; 0 if it was not. */
} mprof_element_stats;

/**
 * \brief Samples and allocations by line of the source: a line of a method, or of native code. A row of
 * #MPROF_TABLE_LINES.
 *
 * Counts the frames of which the log states a position (section 3.32 of doc/format.md). A method whose frames have no
 * line in the log is in a row with the line 0 if they have another part of a position, and else in none.
 * \since 0.1
 */
typedef struct mprof_line_stats {
	size_t struct_size;     /**< sizeof, set by the caller. */
	uint32_t kind;          /**< An #mprof_sample_kind: #MPROF_SAMPLE_METHOD; or #MPROF_SAMPLE_FUNCTION,
	                             #MPROF_SAMPLE_MODULE or #MPROF_SAMPLE_LOCATION in native code. */
	uint32_t id;            /**< Its ID; 0 if the method is not known. */
	uint32_t line;          /**< The line, 0 if not known. */
	uint32_t reserved;      /**< 0. */
	const char *file;       /**< The source file: that of the position, else that of the method; NULL if not known.
	                             Borrowed until the reader is destroyed. */
	uint64_t samples;       /**< Samples in which the line is that of the innermost frame. */
	uint64_t samples_total; /**< Samples in which it is the line of any frame; each sample counts once. */
	uint64_t allocations;   /**< Objects that the line allocates: the innermost method, or the native code inside it
	                             if that has a line. */
	uint64_t bytes;         /**< Their bytes. */
} mprof_line_stats;

/**
 * \brief Events that the log describes (sections 3.25 and 4.9 of doc/format.md): those of a type with one name. A row
 * of #MPROF_TABLE_EVENT_TYPES.
 *
 * An argument of #MPROF_ROLE_NAME gives the events of a type different names; names longer than 1,023 bytes are cut. A
 * span counts, with all its time, if it ends inside the window. Its end has a row of its own, if it is an event. The
 * fields after errors are those of spans; they are 0 for other events.
 * \since 0.1
 */
typedef struct mprof_event_type_stats {
	size_t struct_size;   /**< sizeof, set by the caller. */
	uint32_t type;        /**< ID of the type; 0 in the row of all events whose type is not defined. */
	uint32_t form;        /**< An #mprof_type_form; #MPROF_TYPE_INSTANT if it is not known. */
	const char *name;     /**< The name of the events; NULL if their type is not defined. Borrowed until the
	                           profile is changed or destroyed, as is category. */
	const char *category; /**< That of the type, "" if none; NULL if the type is not defined. */
	uint64_t count;       /**< Events; those that begin a span are the spans. */
	uint64_t unmatched;  /**< Ends of spans without a begin in the log, and whole spans that would have begun before
	                            the counter was 0: their duration is damaged. */
	uint64_t errors;     /**< Events and spans that failed: their argument of #MPROF_ROLE_STATUS is not 0. */
	uint64_t unfinished; /**< Spans that have not ended inside the window; also those that began inside 1,024 open
	                           spans of their call stack, whose ends are not found. */
	uint64_t spans;      /**< Spans of which the duration is known: those that the times are of. */
	uint64_t without_self; /**< Spans that self_ns lacks, because it is not known what they contain: they are on no
	                            call stack, or contain more than 512 others. */
	uint64_t total_ns;     /**< The sum of the durations, at most UINT64_MAX. */
	uint64_t self_ns;      /**< The time outside other spans of the same call stack. */
	uint64_t min_ns;       /**< The shortest span. */
	uint64_t p50_ns; /**< Half of the spans took no longer: the median, within 1.6 percent, as are the next two. */
	uint64_t p90_ns; /**< 90 percent of the spans took no longer. */
	uint64_t p99_ns; /**< 99 percent of the spans took no longer. */
	uint64_t max_ns; /**< The longest span. */
} mprof_event_type_stats;

/**
 * \brief A span that a program describes (section 3.25 of doc/format.md). A row of #MPROF_TABLE_SPANS.
 *
 * Spans whose end is not known, since their call stack ended or became unknown, or since they are inside 1,024 others,
 * are not in the table; mprof_event_type_stats::unfinished counts them.
 * \since 0.1
 */
typedef struct mprof_span {
	size_t struct_size;    /**< sizeof, set by the caller. */
	uint32_t type;         /**< ID of the type of its start, or of the whole span. */
	uint32_t form;         /**< An #mprof_type_form: #MPROF_TYPE_BEGIN, #MPROF_TYPE_SPAN or #MPROF_TYPE_ASYNC_BEGIN.
	                            Spans of the last one are on no call stack. */
	const char *name;      /**< Its name. Borrowed until the profile is changed or destroyed, as is category. */
	const char *category;  /**< That of the type, "" if none. */
	uint64_t thread;       /**< ID of the thread of its start, or that recorded it as a whole. */
	uint64_t stack_number; /**< Number of the call stack of that thread; 0: its own. */
	int64_t start_ns;      /**< When it began, from the start of the session. */
	uint64_t duration_ns;  /**< Of one that is unfinished, up to the end of the window, or of its thread. */
	uint32_t unfinished;   /**< 1: it was open at the end of the window. */
	uint32_t reserved;     /**< 0. */
} mprof_span;

/**
 * \brief A kind of samples that the log describes: a type of the form #MPROF_TYPE_SAMPLE (section 3.25 of
 * doc/format.md). A row of #MPROF_TABLE_SAMPLE_KINDS.
 *
 * mprof_frame_tree_create() makes the tree of its call stacks: see mprof_frame_tree_options::sample_kind.
 * \since 0.1
 */
typedef struct mprof_sample_kind_stats {
	size_t struct_size;    /**< sizeof, set by the caller. */
	uint32_t type;         /**< ID of the type. */
	uint32_t unit;         /**< An #mprof_argument_unit: that of the weight. */
	const char *name;      /**< Its name. Borrowed until the profile is changed or destroyed, as are the others. */
	const char *unit_name; /**< The unit, if it is #MPROF_ARGUMENT_UNIT_NAMED; else "". */
	const char *source;    /**< The clock or the event that chose the samples; "" if not known. */
	uint64_t period;       /**< What a sample stands for on average, in the unit; 0 if not known. */
	uint64_t samples;      /**< Samples. */
	uint64_t weight;       /**< What they stand for together, in the unit, without those of without_weight. */
	uint64_t without_weight; /**< Samples whose weight is no number, is negative, or would make the sum exceed 64
	                              bits. They count as samples, with the weight 0. */
	uint64_t without_stack;  /**< Samples without a call stack, or with one that the log does not define. */
} mprof_sample_kind_stats;

/**
 * \brief Samples of a kind on a thread and a processor in a mode. A row of #MPROF_TABLE_SAMPLE_GROUPS.
 * \since 0.1
 */
typedef struct mprof_sample_group {
	size_t struct_size; /**< sizeof, set by the caller. */
	uint32_t type;      /**< ID of the kind. */
	uint32_t cpu;       /**< The processor; #MPROF_CPU_UNKNOWN if not known. */
	uint64_t thread;    /**< ID of the thread; 0 if not known. */
	uint64_t mode;      /**< An #mprof_sample_mode. */
	uint64_t samples;   /**< Samples. */
	uint64_t weight;    /**< As mprof_sample_kind_stats::weight. */
} mprof_sample_group;

/**
 * \brief A property of the session. Texts are borrowed until the profile is changed or destroyed.
 * \since 0.1
 */
typedef struct mprof_profile_property {
	size_t struct_size; /**< sizeof, set by the caller. */
	const char *key;    /**< The key. */
	const char *value;  /**< The value. */
} mprof_profile_property;
/** \} */

/**
 * \name Pauses, and what each thread did in slices of time
 * \{
 *
 * They exist if mprof_profile_options::timeline_slices is not 0, as of the last mprof_profile_finish(). Times at which
 * something starts count from the start of the session.
 *
 * **Slices.** All slices are equally long, but the last one may be shorter. If the window of the profile has an end, it
 * is divided into mprof_profile_options::timeline_slices. Otherwise the slices grow with the log: each two become one
 * when their number would exceed the maximum, so that there are between half the maximum and the maximum.
 *
 * **Choice of threads.** Waits are those of the threads of mprof_profile_options::threads. Stops of the world and
 * collections are those of all threads.
 */

/**
 * \brief What made threads pause. Values are fixed; new ones are appended.
 * \since 0.1
 */
typedef enum mprof_pause_kind {
	MPROF_PAUSE_STOPPED_WORLD = 1, /**< A thread stopped all others, usually for a collection. */
	MPROF_PAUSE_COLLECTION = 2,    /**< A collection; the log has no stop of the world for it. Other threads may
	                                    have continued. */
	MPROF_PAUSE_WAIT = 3           /**< A thread waited for a monitor. */
} mprof_pause_kind;

/**
 * \brief A pause, with its whole duration even if only a part of it is inside the window.
 * \since 0.1
 */
typedef struct mprof_pause {
	size_t struct_size;      /**< sizeof, set by the caller. */
	uint32_t kind;           /**< An #mprof_pause_kind. */
	uint32_t unfinished;     /**< 1: its end is not in the log; its duration is that up to the end of the log. */
	int64_t start_ns;        /**< When it began. */
	uint64_t duration_ns;    /**< How long it took. */
	uint64_t thread;         /**< The thread that waited, stopped the world, or began the collection. */
	uint64_t number;         /**< Number of the collection, as mprof_collection::number. */
	uint32_t generation;     /**< Generation of the collection. */
	uint32_t has_collection; /**< 1: number and generation are known; else they are 0. */
	uint64_t object;         /**< Of a wait: address of the object, 0 if not known. */
	uint64_t holder;         /**< Of a wait: the thread that held the monitor when it began, 0 if not known. */
	uint32_t class_id;       /**< Of a wait: class of the object, 0 if not known. */
	uint32_t stack;          /**< Of a wait: stack ID, 0 if not known. */
} mprof_pause;

/**
 * \brief The slices of the timeline.
 * \since 0.1
 */
typedef struct mprof_timeline {
	size_t struct_size;   /**< sizeof, set by the caller. */
	int64_t start_ns;     /**< Start of the first slice. */
	uint64_t slice_ns;    /**< Length of a slice. */
	uint64_t slice_count; /**< Number of slices. */
	uint64_t left_out;    /**< Waits, and parts of slices, that are missing because max_memory was reached. */
} mprof_timeline;

/**
 * \brief What a thread did in a slice. Only time inside the window counts.
 * \since 0.1
 */
typedef struct mprof_timeline_slice {
	size_t struct_size;       /**< sizeof, set by the caller. */
	int64_t start_ns;         /**< Start of the slice. */
	uint64_t existing_ns;     /**< Time from the first to the last event or sample of the thread, or to the end of
	                               the log if it still waits for a monitor. */
	uint64_t methods_ns;      /**< Time in methods; it includes the time in which the thread waited or was stopped
	                               there. */
	uint64_t waiting_ns;      /**< Time in waits for monitors. */
	uint64_t stopped_ns;      /**< Part of existing_ns in which the world was stopped. */
	uint64_t cpu_ns;          /**< Processor time. It is recorded from time to time, and distributed evenly between
	                               these times: an estimate. 0 if it is not in the log. */
	uint64_t samples;         /**< Samples of the thread. */
	uint64_t waiting_samples; /**< Samples in which it waited (#mprof_wait_kind). */
	uint64_t state_ns;        /**< Time in states that the log has (#mprof_thread_state_stats); 0 without any. */
	uint64_t running_ns;      /**< Part of state_ns in which the state was "running". */
} mprof_timeline_slice;

/**
 * \brief Gets what a thread did in a slice.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param thread Row of #MPROF_TABLE_THREADS.
 * \param index 0 to mprof_timeline::slice_count - 1.
 * \param slice Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p thread or \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_timeline_slice(const mprof_profile *profile, size_t thread, size_t index,
							mprof_timeline_slice *slice);
/** \} */

#ifdef MPROF_UNSTABLE
/**
 * \name Trees of frames
 * \{
 *
 * Trees of frames made from a profile: filtered by frame, inverted, and with the callers and callees of chosen methods.
 * The same functions apply to calls, samples, allocations, waits and handles.
 *
 * A frame tree is a copy: it stays valid when the profile changes or is destroyed. It reflects the profile as of the
 * last mprof_profile_finish(), within its window and its threads.
 *
 * **Values.** Of calls, self and total are nanoseconds and count is the number of calls. Of samples, self and total are
 * samples, and count is 0. Of allocations, self and total are bytes, and count is the number of objects that the frame
 * allocated itself. Of waits, self and total are nanoseconds, and count is the number of waits that the frame began
 * itself. Of handles, self and total are the handles alive, and count is the number that the frame created itself. Of
 * native memory, self and total are bytes, and count is the number of blocks that the frame allocated itself; of
 * temporary allocations, all three are numbers of blocks. A total counts a value once, however often a frame occurs in
 * a call stack.
 *
 * **Filters.** The function mprof_frame_tree_options::choose decides for each distinct frame. Call stacks with an
 * ignored frame are left out; if has_focus is 1, so are those without a frame in focus. Hidden frames are removed from
 * the call stacks that are left, and their self value counts for their caller. In what is left then, each run of
 * consecutive collapsed frames becomes one frame of the kind #MPROF_SAMPLE_COLLAPSED, which has all their self values
 * and is called as often as the run was entered from other frames.
 *
 * Experimental: this section may change before version 1.0. A program that accepts that defines MPROF_UNSTABLE before
 * it includes the header.
 */

/**
 * \brief A tree of frames.
 * \since 0.1
 */
typedef struct mprof_frame_tree mprof_frame_tree;

/**
 * \brief What a frame tree is made from. Values are fixed; new ones are appended.
 * \since 0.1
 */
typedef enum mprof_frame_source {
	MPROF_FRAME_SOURCE_CALLS = 1,       /**< The call tree. */
	MPROF_FRAME_SOURCE_SAMPLES = 2,     /**< The tree of samples. */
	MPROF_FRAME_SOURCE_ALLOCATIONS = 3, /**< Allocations with a known call stack; if no allocation has one, those in
	                                         the call tree. See mprof_frame_tree_options::with_classes. */
	MPROF_FRAME_SOURCE_WAITS = 4,       /**< Waits for monitors by call site. Those without a known call stack are
	                                         below a frame of the kind #MPROF_SAMPLE_NO_STACK. */
	MPROF_FRAME_SOURCE_HANDLES = 5,     /**< Handles by call site, like waits. */
	MPROF_FRAME_SOURCE_MEMORY = 6,      /**< Native memory by call stack (#mprof_memory_site): all that was
	                                         allocated. Blocks without a known call stack are below a frame of the
	                                         kind #MPROF_SAMPLE_NO_STACK, here and in the next three. */
	MPROF_FRAME_SOURCE_MEMORY_LIVE = 7, /**< Native memory that exists at the end. */
	MPROF_FRAME_SOURCE_MEMORY_PEAK = 8, /**< Native memory that existed at the peak of all. */
	MPROF_FRAME_SOURCE_MEMORY_TEMPORARY = 9 /**< Temporary allocations (mprof_memory_stats::temporaries). */
} mprof_frame_source;

/**
 * \brief What to do with a frame. Bits; new ones may be added.
 * \since 0.1
 */
typedef enum mprof_frame_choice {
	MPROF_FRAME_FOCUS = 1,    /**< Keeps the call stacks that contain the frame. */
	MPROF_FRAME_IGNORE = 2,   /**< Leaves out the call stacks that contain the frame. */
	MPROF_FRAME_HIDE = 4,     /**< Removes the frame from call stacks. */
	MPROF_FRAME_SELECT = 8,   /**< The callers and callees of the frame are of interest; ignored if it is hidden or
	                             collapsed. */
	MPROF_FRAME_COLLAPSE = 16 /**< Replaces the frame, with others of this choice that it calls or that call it, by
	                               one frame. */
} mprof_frame_choice;

/**
 * \brief Decides about a frame; called once for each distinct one, on the thread that creates the tree.
 * \since 0.1
 * \param user mprof_frame_tree_options::user.
 * \param kind An #mprof_sample_kind.
 * \param id Method, function, module, location or class, depending on \p kind.
 * \return Bits of #mprof_frame_choice.
 */
typedef uint32_t (*mprof_frame_chooser)(void *user, uint32_t kind, uint32_t id);

/**
 * \brief Options of a frame tree.
 * \since 0.1
 */
typedef struct mprof_frame_tree_options {
	size_t struct_size;               /**< Set by mprof_frame_tree_options_init(). */
	const mprof_allocator *allocator; /**< Allocator of the tree; NULL: malloc. Copied. */
	uint64_t max_memory;              /**< Maximum memory of the tree, in bytes; 0 means 4 GiB. */
	uint32_t source;                  /**< An #mprof_frame_source. */
	uint32_t inverted;          /**< 1: the children of a node are its callers, and the nodes below the root are
	                                       the frames with a value of their own. */
	uint32_t max_depth;         /**< Of an inverted tree: the maximum number of frames from the root; farther
	                                       callers are left out. 0 means 64. */
	uint32_t has_focus;         /**< 1: only call stacks with a frame in focus. */
	mprof_frame_chooser choose; /**< NULL: all frames are kept, and none is selected. */
	void *user;                 /**< Passed to choose. */
	mprof_progress_function progress; /**< Called by mprof_frame_tree_create(). May be NULL. */
	void *progress_user;              /**< Passed as the first argument. */
	uint32_t with_classes;   /**< 1: of allocations, waits and handles, the innermost frame is the class of the
	                              object, of the kind #MPROF_SAMPLE_CLASS, for which choose is called, too. All
	                              allocations are then in the tree: by the call stack, the call path (see
	                              mprof_profile_options::with_call_sites) or else the caller of their call site, and
	                              the others below a frame of the kind #MPROF_SAMPLE_NO_STACK. If no allocation has
	                              a call stack or call path, but the call tree has them, the tree is that, without
	                              classes. */
	uint32_t with_locations; /**< 1: in the call stacks of allocations, waits, handles and native memory, frames of
	                              native code are locations (#MPROF_SAMPLE_LOCATION), not functions and modules. */
	uint32_t with_lines;     /**< 1: of all sources but calls, frames with different positions
	                              (section 3.32 of doc/format.md) are different frames: see
	                              mprof_frame_node::position. Samples without memory for their call stacks are not
	                              distinguished. */
	uint32_t reserved_flags; /**< 0. */
	uint32_t sample_kind;    /**< With #MPROF_FRAME_SOURCE_SAMPLES: the type of a kind of samples, whose weights are
	                              the values. Samples without a call stack are below a frame of the kind
	                              #MPROF_SAMPLE_NO_STACK. 0: the samples that are of no kind. */
} mprof_frame_tree_options;

/**
 * \brief Sets all options to their defaults.
 *
 * Thread-safe for different structs.
 * \param options The struct to initialize; NULL does nothing.
 * \param struct_size sizeof (mprof_frame_tree_options) as the caller was compiled; a size smaller than that of size_t
 * does nothing.
 * \since 0.1
 */
MPROF_API void mprof_frame_tree_options_init(mprof_frame_tree_options *options, size_t struct_size);

/**
 * \brief Makes a tree of frames.
 *
 * Thread-safe while no thread adds to the profile or finishes it, or uses the reader. Not async-signal-safe. Takes time
 * in proportion to the nodes of the source, and for an inverted tree to the sum of their depths up to max_depth.
 * \param profile The profile. It was finished.
 * \param reader The reader that the blocks of the profile came from, for call stacks and native code.
 * \param options Options.
 * \param tree Receives the tree. The caller frees it with mprof_frame_tree_destroy().
 * \return
 * - #MPROF_OK; the tree has only its root if the source has no data or all of it is filtered out.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, struct_size is too small, source, inverted, has_focus, with_classes or
 *   with_locations is not one of their values, or sample_kind is not 0 with another source.
 * - #MPROF_ERR_INTERRUPTED if mprof_frame_tree_options::progress asked for it.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * - #MPROF_ERR_LIMIT if the tree needs more than max_memory.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_frame_tree_create(const mprof_profile *profile, const mprof_reader *reader,
							       const mprof_frame_tree_options *options,
							       mprof_frame_tree **tree);

/**
 * \brief Frees a tree.
 * \param tree The tree, or NULL.
 * \since 0.1
 */
MPROF_API void mprof_frame_tree_destroy(mprof_frame_tree *tree);

/**
 * \brief A node of a frame tree: a frame as reached by one call path. Node 0 is the root.
 * \since 0.1
 */
typedef struct mprof_frame_node {
	size_t struct_size;    /**< sizeof, set by the caller. */
	uint32_t kind;         /**< An #mprof_sample_kind; 0 for the root. */
	uint32_t id;           /**< Method, function, module, location or class, depending on kind. */
	uint32_t flags;        /**< #MPROF_EVENT_FLAG_COMPILING: a compilation of the method. */
	uint32_t parent;       /**< Node of the caller; of an inverted tree, of the callee. */
	uint32_t first_child;  /**< The first node below it, 0 if none. */
	uint32_t next_sibling; /**< The next node with the same parent, 0 if none. */
	uint64_t
		count; /**< Calls, objects, waits, handles or blocks. Of an inverted tree: by the outermost parent below
	                            the root, on this path. */
	uint64_t self; /**< The value of the node itself; of the root, what belongs to no frame. */
	uint64_t total;    /**< The value of the node with all nodes below it. Of an inverted tree: of the outermost
	                            parent below the root itself, on this path. */
	uint32_t position; /**< With mprof_frame_tree_options::with_lines: its position (#MPROF_RECORD_POSITION), 0 if
	                            none. */
	uint32_t reserved; /**< 0. */
} mprof_frame_node;

/**
 * \brief Number of nodes of a frame tree, including the root. A node has a larger number than its parent.
 *
 * Thread-safe.
 * \param tree The tree.
 * \return The count; 0 if \p tree is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_frame_tree_get_node_count(const mprof_frame_tree *tree);

/**
 * \brief Gets a node.
 *
 * Thread-safe.
 * \param tree The tree.
 * \param node 0 to mprof_frame_tree_get_node_count() - 1.
 * \param found Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p node is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_frame_tree_get_node(const mprof_frame_tree *tree, uint32_t node, mprof_frame_node *found);

/**
 * \brief Sums over all nodes of a frame, or over some of them.
 * \since 0.1
 */
typedef struct mprof_frame_stats {
	size_t struct_size; /**< sizeof, set by the caller. */
	uint32_t kind;      /**< An #mprof_sample_kind; 0 for no frame, the root. */
	uint32_t id;        /**< Method, function, module, location or class, depending on kind. */
	uint32_t flags;     /**< #MPROF_EVENT_FLAG_COMPILING: compilations of the method. */
	uint32_t choice;    /**< What mprof_frame_tree_options::choose returned. */
	uint64_t count;     /**< Calls, objects, waits, handles or blocks. */
	uint64_t self;      /**< The value of the frame itself. */
	uint64_t total;     /**< The value of the frame with all that it calls, of outermost occurrences only. */
	uint32_t position;  /**< As mprof_frame_node::position. */
	uint32_t reserved;  /**< 0. */
} mprof_frame_stats;

/**
 * \brief Number of distinct frames in the tree after filtering. They are in no particular order.
 *
 * Thread-safe.
 * \param tree The tree.
 * \return The count; 0 if \p tree is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_frame_tree_get_frame_count(const mprof_frame_tree *tree);

/**
 * \brief Gets the sums of a frame; they are those of the tree that is not inverted.
 *
 * Thread-safe.
 * \param tree The tree.
 * \param index 0 to mprof_frame_tree_get_frame_count() - 1.
 * \param stats Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_frame_tree_get_frame(const mprof_frame_tree *tree, size_t index, mprof_frame_stats *stats);

/**
 * \brief Gets the sums of all selected frames together: total counts a value once if several of them are in a call
 * stack. kind and id are 0.
 *
 * Thread-safe.
 * \param tree The tree.
 * \param stats Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_frame_tree_get_selection(const mprof_frame_tree *tree, mprof_frame_stats *stats);

/**
 * \brief Number of distinct frames that call a selected one, including the root if a selected frame is outermost. They
 * are in no particular order.
 *
 * Thread-safe.
 * \param tree The tree.
 * \return The count; 0 if \p tree is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_frame_tree_get_caller_count(const mprof_frame_tree *tree);

/**
 * \brief Gets a caller of the selected frames. count, self and total are those of the selected frames where this
 * caller calls them: the counts of all callers add up to that of the selection, and so do the self values. total counts
 * a value once for each caller.
 *
 * Thread-safe.
 * \param tree The tree.
 * \param index 0 to mprof_frame_tree_get_caller_count() - 1.
 * \param stats Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_frame_tree_get_caller(const mprof_frame_tree *tree, size_t index,
						   mprof_frame_stats *stats);

/**
 * \brief Number of distinct frames that selected ones call. They are in no particular order.
 *
 * Thread-safe.
 * \param tree The tree.
 * \return The count; 0 if \p tree is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_frame_tree_get_callee_count(const mprof_frame_tree *tree);

/**
 * \brief Gets a callee of the selected frames. count, self and total are those of the callee where a selected frame
 * calls it. total counts a value once for each callee.
 *
 * Thread-safe.
 * \param tree The tree.
 * \param index 0 to mprof_frame_tree_get_callee_count() - 1.
 * \param stats Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_frame_tree_get_callee(const mprof_frame_tree *tree, size_t index,
						   mprof_frame_stats *stats);
/** \} */
#endif

#ifdef MPROF_UNSTABLE
/**
 * \name What stands out
 * \{
 *
 * The first lines of a report: sentences about what takes most of the run, each with the command that shows more.
 *
 * The sentences are in English, for people; a program that reacts to something reads the tables instead. Which
 * sentences there are, and their words, may change in any release.
 *
 * Experimental: this section may change before version 1.0. A program that accepts that defines MPROF_UNSTABLE before
 * it includes the header.
 */

/**
 * \brief What stands out in a profile.
 * \since 0.1
 */
typedef struct mprof_finding_list mprof_finding_list;

/**
 * \brief Writes a name for a sentence, such as that of a native function as it is in the source, and of a location that
 * of the innermost function that is inlined there.
 * \since 0.1
 * \param user mprof_finding_list_options::user.
 * \param kind An #mprof_sample_kind: of a method, a native function, a module, a location or a class.
 * \param id The method, function, module, location or class.
 * \param text Receives the name with a NUL, cut if it is too long. It is empty before.
 * \param size Size of \p text in bytes, at least 1.
 */
typedef void (*mprof_finding_namer)(void *user, uint32_t kind, uint32_t id, char *text, size_t size);

/**
 * \brief Finds what holds the objects by which the heap grew most between the first and the last snapshot of the log,
 * for a sentence, as a comparison of heap snapshots does (mprof/heap.h). The profile does not have the references of
 * objects.
 * \since 0.1
 * \param user mprof_finding_list_options::user.
 * \param text Receives a root and the steps from it with a NUL, such as "static Shop.orders -> items -> []", cut if it
 * is too long. It is empty before, and remains so if what holds the objects is not known.
 * \param size Size of \p text in bytes, at least 1.
 * \return By how many bytes what is held that way grew.
 */
typedef uint64_t (*mprof_finding_holder)(void *user, char *text, size_t size);

/**
 * \brief Options of findings. If all fields except struct_size are 0, the defaults apply.
 * \since 0.1
 */
typedef struct mprof_finding_list_options {
	size_t struct_size;               /**< Set by mprof_finding_list_options_init(). */
	const mprof_allocator *allocator; /**< Allocator of the findings; NULL: malloc. Copied. */
	const char *log;                  /**< The name of the log in commands; NULL, or too long for one: "FILE".
	                                       Used during the call only. */
	uint32_t max_count;               /**< The most findings to return; 0 means 7. */
	uint32_t reserved;                /**< 0. */
	mprof_finding_namer name;         /**< Writes names; NULL: they are as in the log. */
	void *user;                       /**< Passed to name and holder. */
	mprof_finding_holder holder;      /**< Called at most once, if a heap grew; NULL: what holds objects is not
	                                       known. */
} mprof_finding_list_options;

/**
 * \brief A finding. Texts are borrowed until the findings are destroyed.
 * \since 0.1
 */
typedef struct mprof_finding {
	size_t struct_size;  /**< sizeof, set by the caller. */
	const char *kind;    /**< What it is about: "hot-method", "hot-path", "sampling", "wait", "contention",
	                          "exception", "allocation", "heap-growth", "heap", "native-leak", "native-memory",
	                          "pause", "collection", "compile", "processor", "span", "loss" or "summary". New
	                          ones may be added. */
	const char *text;    /**< One or two sentences without a line feed. */
	const char *command; /**< A command line for a shell that shows more. */
	const char *section; /**< The section of `mprof report` that shows more. */
	uint32_t severity;   /**< 0 to 100: about the share of the run that it concerns, in percent. */
	uint32_t reserved;   /**< 0. */
} mprof_finding;

/**
 * \brief Sets all options to their defaults.
 *
 * Thread-safe for different structs.
 * \param options The struct to initialize; NULL does nothing.
 * \param struct_size sizeof (mprof_finding_list_options) as the caller was compiled; a size smaller than that of size_t
 * does nothing.
 * \since 0.1
 */
MPROF_API void mprof_finding_list_options_init(mprof_finding_list_options *options, size_t struct_size);

/**
 * \brief Finds what stands out in a profile.
 *
 * Thread-safe while no thread adds to the profile or finishes it, or uses the reader. Not async-signal-safe. Takes time
 * in proportion to the rows of its tables and the nodes of its trees.
 * \param profile The profile. It was finished.
 * \param reader The reader that the blocks of the profile came from, for names and call stacks.
 * \param options Options; NULL: the defaults.
 * \param findings Receives the findings. The caller frees them with mprof_finding_list_destroy().
 * \return
 * - #MPROF_OK; there is at least one finding.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, or options are not valid.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * - #MPROF_ERR_LIMIT if a tree of frames needs more than 4 GiB.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_finding_list_create(const mprof_profile *profile,
								 const mprof_reader *reader,
								 const mprof_finding_list_options *options,
								 mprof_finding_list **findings);

/**
 * \brief Frees findings.
 * \param findings The findings, or NULL.
 * \since 0.1
 */
MPROF_API void mprof_finding_list_destroy(mprof_finding_list *findings);

/**
 * \brief Number of findings.
 *
 * Thread-safe.
 * \param findings The findings.
 * \return The count; 0 if \p findings is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_finding_list_get_count(const mprof_finding_list *findings);

/**
 * \brief Gets a finding, the most severe first.
 *
 * Thread-safe.
 * \param findings The findings.
 * \param index 0 to mprof_finding_list_get_count() - 1.
 * \param found Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_finding_list_get(const mprof_finding_list *findings, size_t index, mprof_finding *found);
/** \} */
#endif

#ifdef MPROF_UNSTABLE
/**
 * \name The difference of two profiles
 * \{
 *
 * A difference is a copy: it stays valid when the profiles and the readers that it was made from change or are
 * destroyed. It reflects both profiles as of their last mprof_profile_finish(), within their windows and threads.
 *
 * **Tables.** A difference has six of the tables of a profile (#mprof_profile_table): #MPROF_TABLE_METHODS,
 * #MPROF_TABLE_CLASSES, #MPROF_TABLE_ALLOCATION_SITES, #MPROF_TABLE_SAMPLES (methods and native functions, not
 * locations), #MPROF_TABLE_MONITORS and #MPROF_TABLE_MONITOR_SITES. The rows of classes are those with allocations;
 * call sites are included if they are known. The values of #mprof_diff_values are the columns with
 * #MPROF_MEASURE_COUNT, #MPROF_MEASURE_SELF and #MPROF_MEASURE_TOTAL (mprof_table_get_measure()).
 *
 * **Values.** Of methods, count is the number of calls, and self and total are nanoseconds. Of allocations, count is
 * the number of objects, and self and total are bytes. Of samples, self and total are samples, and count is 0. Of
 * waits for monitors, count is the number of times that a thread found one taken, and self and total are nanoseconds.
 * All are absolute. To compare runs of different length, divide by the sums of mprof_profile_diff_get_sum().
 *
 * **Names.** Rows are matched by name, because each log numbers methods and classes in its own way. The assembly counts
 * only if one of the logs has the same name in several assemblies; of native functions, the module takes its place. The
 * recorded programs match each other under any name, and libraries without the version that follows ".so".
 * What has the same name in one log is added up, such as a method that was loaded in several AppDomains. Methods and
 * classes that neither log defines are one row without a name.
 *
 * **Names that compilers number.** A lambda, a closure or a state machine has a number in its name, which changes when
 * the program does: "<Main>b__0_1". So do clones of native functions ("work.part.0") and the hashes in names of Rust.
 * If both logs have the same names that differ in such numbers only, they are matched as they are. If they have as many
 * names and none in common, they are matched in the order of the numbers, and have #MPROF_DIFF_RENAMED. Otherwise it is
 * not known which is which: all of them are one row with #MPROF_DIFF_MERGED, whose name has '#' in place of the
 * numbers.
 *
 * Every function refuses NULL: functions that return a status return #MPROF_ERR_ARGUMENT, functions that return a count
 * return 0. No function is async-signal-safe.
 *
 * Experimental: this section may change before version 1.0. A program that accepts that defines MPROF_UNSTABLE before
 * it includes the header.
 */

/**
 * \brief The difference of two profiles.
 * \since 0.1
 */
typedef struct mprof_profile_diff mprof_profile_diff;

/**
 * \brief Where something is, and how it was matched. Bits; new ones may be added.
 * \since 0.1
 */
typedef enum mprof_diff_match {
	MPROF_DIFF_BEFORE = 1,  /**< The first profile has it. */
	MPROF_DIFF_AFTER = 2,   /**< The second profile has it. */
	MPROF_DIFF_RENAMED = 4, /**< The two names differ in a number that a compiler chose. */
	MPROF_DIFF_MERGED = 8   /**< Several such names that cannot be matched one by one. */
} mprof_diff_match;

/**
 * \brief Options of a difference. If all fields except struct_size are 0, the defaults apply.
 * \since 0.1
 */
typedef struct mprof_profile_diff_options {
	size_t struct_size;                  /**< Set by mprof_profile_diff_options_init(). */
	const mprof_allocator *allocator;    /**< Allocator of the difference; NULL: malloc. Copied. */
	uint64_t max_memory;                 /**< Maximum memory of the difference, in bytes; 0 means 4 GiB. */
	const mprof_frame_tree *before_tree; /**< A tree of the first profile to compare, NULL for none. Borrowed until
	                                          mprof_profile_diff_create() returns. */
	const mprof_frame_tree *after_tree;  /**< The tree of the second profile, made with the same options. NULL if
	                                          and only if before_tree is. Borrowed likewise. */
	mprof_progress_function progress;    /**< Called by mprof_profile_diff_create(). May be NULL. */
	void *progress_user;                 /**< Passed as the first argument. */
} mprof_profile_diff_options;

/**
 * \brief Sets all options to their defaults.
 *
 * Thread-safe for different structs.
 * \param options The struct to initialize; NULL does nothing.
 * \param struct_size sizeof (mprof_profile_diff_options) as the caller was compiled; a size smaller than that of size_t
 * does nothing.
 * \since 0.1
 */
MPROF_API void mprof_profile_diff_options_init(mprof_profile_diff_options *options, size_t struct_size);

/**
 * \brief Compares two profiles.
 *
 * Thread-safe while no thread adds to the profiles or finishes them, or uses the readers. Takes time in proportion to
 * the rows of both profiles, and of call sites to the depths of their call stacks.
 * \param before The first profile. It was finished.
 * \param before_reader The reader that its blocks came from, for names and call stacks.
 * \param after The second profile. It was finished. It may be the first one.
 * \param after_reader The reader that its blocks came from.
 * \param options Options, or NULL for the defaults.
 * \param diff Receives the difference. The caller frees it with mprof_profile_diff_destroy().
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if another pointer than \p options is NULL, struct_size is too small, or only one tree is
 *   given.
 * - #MPROF_ERR_INTERRUPTED if mprof_profile_diff_options::progress asked for it.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * - #MPROF_ERR_LIMIT if the difference needs more than max_memory.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_profile_diff_create(
	const mprof_profile *before, const mprof_reader *before_reader, const mprof_profile *after,
	const mprof_reader *after_reader, const mprof_profile_diff_options *options, mprof_profile_diff **diff);

/**
 * \brief Frees a difference. Texts borrowed from it become invalid.
 * \param diff The difference, or NULL.
 * \since 0.1
 */
MPROF_API void mprof_profile_diff_destroy(mprof_profile_diff *diff);

/**
 * \brief Values of one side. The file description states their meaning and their units.
 * \since 0.1
 */
typedef struct mprof_diff_values {
	uint64_t count; /**< Calls, objects or waits. */
	uint64_t self;  /**< The value of the row itself. */
	uint64_t total; /**< The value with all that it calls; equal to self if that has no meaning. */
} mprof_diff_values;

/**
 * \brief A row of a table, or the sum of a table.
 * \since 0.1
 */
typedef struct mprof_diff_row {
	size_t struct_size; /**< sizeof, set by the caller. */
	uint32_t name;      /**< Number of its name, for mprof_profile_diff_get_name(). */
	uint32_t stack;     /**< Of a call site: number of its call stack, for mprof_profile_diff_get_stack(); else
	                         0. */
	uint32_t match;     /**< #MPROF_DIFF_BEFORE, #MPROF_DIFF_AFTER or both: the tables that have the row. */
	uint32_t reserved;  /**< 0. */
	mprof_diff_values before; /**< 0 if the first profile does not have the row. */
	mprof_diff_values after;  /**< 0 if the second profile does not have the row. */
} mprof_diff_row;

/**
 * \brief Number of rows of a table. They are in no particular order.
 *
 * Thread-safe.
 * \param diff The difference.
 * \param table One of the tables of a difference.
 * \return The count; 0 if \p diff is NULL or \p table is not one of its values.
 * \since 0.1
 */
MPROF_API size_t mprof_profile_diff_get_row_count(const mprof_profile_diff *diff, uint32_t table);

/**
 * \brief Gets a row of a table.
 *
 * Thread-safe.
 * \param diff The difference.
 * \param table One of the tables of a difference.
 * \param index 0 to mprof_profile_diff_get_row_count() - 1.
 * \param row Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p table or \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_diff_get_row(const mprof_profile_diff *diff, uint32_t table, size_t index,
						  mprof_diff_row *row);

/**
 * \brief Gets the sums of a table: count and self of all rows. total is the same as self, because a value that several
 * rows share must not count twice; a share of it is what a share of the whole means. name and stack are 0.
 *
 * Thread-safe.
 * \param diff The difference.
 * \param table One of the tables of a difference.
 * \param sum Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p table is not one of its values, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_diff_get_sum(const mprof_profile_diff *diff, uint32_t table, mprof_diff_row *sum);

/**
 * \brief A name that both profiles have, or one of them.
 * \since 0.1
 */
typedef struct mprof_diff_name {
	size_t struct_size; /**< sizeof, set by the caller. */
	uint32_t kind;      /**< An #mprof_sample_kind; 0 for a class, and for the root of a tree. */
	uint32_t flags;     /**< #MPROF_EVENT_FLAG_COMPILING: compilations of the method. */
	uint32_t match;     /**< Bits of #mprof_diff_match. */
	uint32_t before_id; /**< Its ID in the first profile; 0 if there is none or more than one. */
	uint32_t after_id;  /**< Its ID in the second profile; 0 if there is none or more than one. */
	uint32_t reserved;  /**< 0. */
	const char *
		class_name; /**< The class, or that of the method; "" if there is none. Borrowed until the difference is
	                             destroyed, like the next two fields. If both profiles have it, as in the second. */
	const char *name;   /**< The method with its arguments, the function, or the file of the module; "" for a
	                             class, and if not known. */
	const char *assembly; /**< The assembly, or the module of a native function; "" if not known or if there are
	                             several. */
} mprof_diff_name;

/**
 * \brief Gets a name.
 *
 * Thread-safe.
 * \param diff The difference.
 * \param number The number, from a row, a call stack or a node.
 * \param name Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p number is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_diff_get_name(const mprof_profile_diff *diff, uint32_t number,
						   mprof_diff_name *name);

/**
 * \brief Gets the frames of a call stack, the innermost first.
 *
 * Thread-safe.
 * \param diff The difference.
 * \param stack The number, from mprof_diff_row::stack; 0 has no frames.
 * \param names Array that receives the numbers of the names; may be NULL if \p capacity is 0.
 * \param capacity Number of elements in \p names.
 * \param count Receives the number of frames, also if it is larger than \p capacity; the outermost ones are then left
 * out.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL although it must not be, or \p stack is out of range.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_diff_get_stack(const mprof_profile_diff *diff, uint32_t stack, uint32_t *names,
						    size_t capacity, size_t *count);

/**
 * \brief A node of the tree that combines those of both profiles. Node 0 is the root.
 * \since 0.1
 */
typedef struct mprof_diff_node {
	size_t struct_size;       /**< sizeof, set by the caller. */
	uint32_t name;            /**< Number of its name, for mprof_profile_diff_get_name(). */
	uint32_t match;           /**< #MPROF_DIFF_BEFORE, #MPROF_DIFF_AFTER or both: the trees that have the node. */
	uint32_t parent;          /**< Node of the caller; of an inverted tree, of the callee. */
	uint32_t first_child;     /**< The first node below it, 0 if none. */
	uint32_t next_sibling;    /**< The next node with the same parent, 0 if none. */
	uint32_t reserved;        /**< 0. */
	mprof_diff_values before; /**< As those of #mprof_frame_node in the first tree. */
	mprof_diff_values after;  /**< As those of #mprof_frame_node in the second tree. */
} mprof_diff_node;

/**
 * \brief Number of nodes of the combined tree, including the root. A node has a larger number than its parent.
 *
 * Thread-safe.
 * \param diff The difference.
 * \return The count; 0 if \p diff is NULL or was made without trees.
 * \since 0.1
 */
MPROF_API size_t mprof_profile_diff_get_node_count(const mprof_profile_diff *diff);

/**
 * \brief Gets a node of the combined tree.
 *
 * Thread-safe.
 * \param diff The difference.
 * \param node 0 to mprof_profile_diff_get_node_count() - 1.
 * \param found Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p node is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_diff_get_node(const mprof_profile_diff *diff, uint32_t node,
						   mprof_diff_node *found);
/** \} */
#endif

#ifdef MPROF_UNSTABLE
/**
 * \name The last seconds of a profile that grows
 * \{
 *
 * A live window compares a profile with its state at earlier updates. What was added to the profile between two updates
 * belongs to that interval, whenever the program recorded it; so a log should be read and updated often, compared with
 * the length of the window. Intervals that ended before the start of the window are removed at the next update.
 *
 * **Memory.** A window keeps one entry for each row of the tables, and one for each row that changed in each interval.
 * If these exceed mprof_live_options::max_memory, the oldest intervals are removed early, which
 * mprof_live_totals::length_ns shows. If even that is not enough, mprof_live_totals::left_out counts what is missing.
 *
 * **Tables.** A window has five of the tables of a profile (#mprof_profile_table), with the same rows:
 * #MPROF_TABLE_METHODS, #MPROF_TABLE_SAMPLES, #MPROF_TABLE_CLASSES, #MPROF_TABLE_THREADS and #MPROF_TABLE_MONITORS.
 * mprof_live_row::id is the method, class or thread, or with mprof_live_row::kind what has been sampled. The count,
 * self and total of #mprof_live_row are the columns with #MPROF_MEASURE_COUNT, #MPROF_MEASURE_SELF and
 * #MPROF_MEASURE_TOTAL (mprof_table_get_measure()), the last one with #MPROF_MEASURE_FURTHER in a table without a
 * total; 0 without such a column. Durations are nanoseconds.
 *
 * One thread at a time may change a window; while no thread changes it, several threads may read it.
 *
 * Experimental: this section may change before version 1.0. A program that accepts that defines MPROF_UNSTABLE before
 * it includes the header.
 */

/**
 * \brief The recent part of a profile.
 * \since 0.1
 */
typedef struct mprof_live_window mprof_live_window;

/**
 * \brief Options of a window. If all fields except struct_size are 0, the defaults apply.
 * \since 0.1
 */
typedef struct mprof_live_options {
	size_t struct_size;               /**< Set by mprof_live_window_options_init(). */
	const mprof_allocator *allocator; /**< Allocator of the window; NULL: malloc. Copied. */
	uint64_t max_memory;              /**< Maximum memory of the window, in bytes; 0 means 64 MiB. */
	uint64_t length_ns;               /**< Length of the window in nanoseconds; 0 means 10 seconds. */
	uint64_t start_ns;                /**< When the first interval starts, on the clock of the caller. */
} mprof_live_options;

/**
 * \brief Sets all options to their defaults.
 *
 * Thread-safe for different structs.
 * \param options The struct to initialize; NULL does nothing.
 * \param struct_size sizeof (mprof_live_options) as the caller was compiled; a size smaller than that of size_t does
 * nothing.
 * \since 0.1
 */
MPROF_API void mprof_live_window_options_init(mprof_live_options *options, size_t struct_size);

/**
 * \brief Creates an empty window.
 *
 * Thread-safe.
 * \param options Options, or NULL for the defaults. Copied.
 * \param window Receives the window; NULL on an error. The caller frees it with mprof_live_window_destroy().
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p window is NULL or struct_size is too small.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_live_window_create(const mprof_live_options *options,
								mprof_live_window **window);

/**
 * \brief Frees a window.
 * \param window The window, or NULL.
 * \since 0.1
 */
MPROF_API void mprof_live_window_destroy(mprof_live_window *window);

/**
 * \brief Adds what the profile has gained since the last update, and removes what is too old.
 *
 * Takes time in proportion to the rows of the tables. Not async-signal-safe.
 * \param window The window.
 * \param profile The profile, finished: the same one in all calls. Of the first update, everything in it counts.
 * \param time_ns The end of the interval, in nanoseconds of any clock of the caller that does not go back.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL or \p time_ns is less than in the last call or than
 *   mprof_live_options::start_ns.
 * - #MPROF_ERR_MEMORY if the allocator refused: the window is incomplete, and every later update returns this.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_live_window_update(mprof_live_window *window, const mprof_profile *profile,
								uint64_t time_ns);

/**
 * \brief Empties a window: only what the profile gains from now on counts.
 *
 * The window starts at the time of the last update.
 * \param window The window; NULL does nothing.
 * \since 0.1
 */
MPROF_API void mprof_live_window_restart(mprof_live_window *window);

/**
 * \brief Totals of a window. Times are nanoseconds.
 * \since 0.1
 */
typedef struct mprof_live_totals {
	size_t struct_size;       /**< sizeof, set by the caller. */
	uint64_t length_ns;       /**< The time that the window covers: at first, and if memory is short, less than
	                               mprof_live_options::length_ns; otherwise up to one interval more. */
	uint64_t events;          /**< Events. */
	uint64_t calls;           /**< Methods entered. */
	uint64_t samples;         /**< Samples. */
	uint64_t allocations;     /**< Objects allocated. */
	uint64_t allocated_bytes; /**< Their bytes. */
	uint64_t exceptions;      /**< Exceptions thrown. */
	uint64_t collections;     /**< Collections that began. */
	uint64_t gc_ns;           /**< Time in collections. */
	uint64_t jit_methods;     /**< Methods compiled. */
	uint64_t jit_ns;          /**< Time spent compiling. */
	uint64_t contentions;     /**< Number of times that a thread found a monitor taken. */
	uint64_t contended_ns;    /**< Time that threads waited for monitors. */
	uint64_t lost_events;     /**< Lost events. */
	uint64_t left_out;        /**< Changes of rows that are missing because max_memory was reached. */
} mprof_live_totals;

/**
 * \brief Gets the totals.
 *
 * Thread-safe while no thread changes the window.
 * \param window The window.
 * \param totals Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_live_window_get_totals(const mprof_live_window *window, mprof_live_totals *totals);

/**
 * \brief A row of a table: what was added in the window. The file description states what the fields are.
 * \since 0.1
 */
typedef struct mprof_live_row {
	size_t struct_size; /**< sizeof, set by the caller. */
	uint64_t id;        /**< Method, class or thread. */
	uint32_t kind;      /**< Samples: an mprof_sample_kind. */
	uint32_t reserved;  /**< 0. */
	uint64_t count;     /**< Calls, objects, events or contentions: see the file description. */
	uint64_t self;      /**< Exclusive time, bytes or samples: see the file description. */
	uint64_t total;     /**< Inclusive time, samples, exceptions or failures: see the file description. */
} mprof_live_row;

/**
 * \brief Number of rows of a table: those that the table of the profile had at the last update, also without changes in
 * the window.
 *
 * Thread-safe while no thread changes the window.
 * \param window The window.
 * \param table One of the tables of a window.
 * \return The count; 0 if \p window is NULL or \p table is not one of them.
 * \since 0.1
 */
MPROF_API size_t mprof_live_window_get_row_count(const mprof_live_window *window, uint32_t table);

/**
 * \brief Gets a row.
 *
 * Thread-safe while no thread changes the window.
 * \param window The window.
 * \param table One of the tables of a window.
 * \param index 0 to mprof_live_window_get_row_count() - 1: that of the row in the table of the profile.
 * \param row Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p table is not one of them, \p index is out of range, or struct_size is
 *   too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_live_window_get_row(const mprof_live_window *window, uint32_t table, size_t index,
						 mprof_live_row *row);
/** \} */
#endif

MPROF_END_DECLS

#endif
