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
 * inclusive time without the methods called. A frame that is never left is closed at the last event of its thread. A
 * leave that matches a frame further down closes the frames above it; one that matches no frame is counted in
 * mprof_profile_totals::unmatched_leaves and otherwise ignored. Where recording was stopped for a while, open frames
 * end when it stopped, and the time until it was resumed is attributed to no method. Allocations count the bytes that
 * the log specifies. A sample counts a method once, even if the method occurs several times in the call stack.
 *
 * **Windows.** A time window and a choice of threads (mprof_profile_options) apply to every table and to both trees.
 * Occurrences, such as calls, allocations and samples, count if they happened inside the window. Of durations, such as
 * calls, waits and compilations, the time inside the window counts. Statistics of consecutive windows therefore add up
 * to those of the whole log, except those of the state at the end: frames that were never left, and live handles. A
 * collection belongs to the window in which it began, with its whole duration; mprof_profile_totals::gc_ns is the time
 * inside the window. Data that belongs to no thread, such as heap snapshots and metrics, counts whichever threads are
 * chosen; samples whose thread is not in the log do not. Losses, code units and metadata are always those of the whole
 * log.
 *
 * **Memory.** Call paths, call stacks of samples and call sites use at most three quarters of
 * mprof_profile_options::max_memory. Beyond that, entries are folded. A folded call counts in its method as usual, but
 * its time in the call tree goes to the node that it was called from, or to the root if there is none. A folded sample
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
 * Not stable before version 1.0: functions and structs of this header may change between any two releases. A program
 * that accepts that defines MPROF_UNSTABLE before it includes the header.
 */
#ifndef MPROF_PROFILE_H
#define MPROF_PROFILE_H

#ifndef MPROF_UNSTABLE
#error "mprof/profile.h is not stable before 1.0: define MPROF_UNSTABLE to use it, and expect it to change"
#endif

#include <mprof/reader.h>

MPROF_BEGIN_DECLS

/**
 * \brief A profile. One thread at a time while blocks are added; any number of threads may read it after that.
 * \since 0.1
 */
typedef struct mprof_profile mprof_profile;

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
	uint32_t with_monitor_objects;    /**< 1: waits for different objects are different sites. */
	uint32_t raw_counters;            /**< 1: all values called nanoseconds, here and below, are counters of the
	                                       log. */
	uint64_t window_start;            /**< The first counter inside the window. Earlier events are left out, and a
	                                       call that was entered earlier counts its time from here on. 0: the start
	                                       of the log. */
	uint64_t window_end;              /**< The first counter after the window; 0: the end of the log. */
	const uint64_t *threads;          /**< IDs of the threads that count; NULL: all. Copied. */
	size_t thread_count;              /**< Number of elements of threads. */
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
 *   without a call tree, the window ends before it starts, or threads is NULL although thread_count is not 0.
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
 * \brief Adds the loaded block of a reader, and fetches its content for that.
 *
 * One thread at a time.
 * \param profile The profile.
 * \param reader The reader in which the block is loaded.
 * \param block The block, as the reader returned it.
 * \return
 * - #MPROF_OK, also if max_memory was reached.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL.
 * - #MPROF_ERR_MEMORY if the allocator refused; every later call returns it again.
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
 * \brief Counts the frames that are still open up to the last event of their thread, and converts counters to
 * nanoseconds with the clock pairs that the reader has read.
 *
 * mprof_profile_read() includes this. More blocks may be added after it: the frames stay open. One thread at a time.
 * \param profile The profile.
 * \param reader The reader that the blocks came from.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_profile_finish(mprof_profile *profile, mprof_reader *reader);

/**
 * \brief Totals of the log. Times are nanoseconds.
 * \since 0.1
 */
typedef struct mprof_profile_totals {
	size_t struct_size;           /**< sizeof, set by the caller. */
	uint64_t wall_ns;             /**< From INTRO to the last clock pair. */
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
	uint64_t interrupted_frames;  /**< Frames that were open when recording was stopped for a while. */
	uint64_t freed_objects;       /**< Objects that collections found dead, where the log lists them one by
	                                     one. */
	uint64_t freed_bytes;         /**< Their bytes. */
	uint64_t moved_objects;       /**< Objects that collections moved. */
	uint64_t handles_alive;       /**< Handles that were created and not deleted. */
	uint64_t contentions;         /**< Number of times that a thread found a monitor taken. */
	uint64_t contended_ns;        /**< Time that threads waited for monitors, until they acquired them or gave
	                                     up. */
	uint64_t finalizers;          /**< Objects finalized. */
	uint64_t finalizer_ns;        /**< Time in their finalizers. */
	uint64_t finalizations;       /**< Runs of the finalizer thread. */
	uint64_t finalization_ns;     /**< Time of these runs. */
	uint64_t lost_by_cause[256];  /**< lost_events by #mprof_loss_cause; index 0 holds those of unknown causes. */
	uint64_t class_load_failures; /**< Class loads that failed. */
	uint32_t limited;             /**< 1: max_memory was reached: one of the following is not 0, methods are
	                                     missing from the table, or mprof_memory_stats::untracked is not 0. */
	uint32_t reserved;            /**< 0. */
	uint64_t folded_calls;        /**< Calls whose paths are not in the call tree. */
	uint64_t folded_samples;      /**< Samples whose call stacks are not in the tree of samples: those of its
	                                     root. */
	uint64_t folded_sites;        /**< Allocations, also native ones, waits and handles whose call sites are not
	                                     in the tables of sites. */
	uint64_t left_out;            /**< Events, records and blocks that are missing from all statistics. */
} mprof_profile_totals;

/**
 * \brief Gets the totals.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param totals Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_totals(const mprof_profile *profile, mprof_profile_totals *totals);

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
 * \brief Number of methods that have statistics. They are in no particular order.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \return The count; 0 if \p profile is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_profile_get_method_count(const mprof_profile *profile);

/**
 * \brief Gets the statistics of a method.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param index 0 to mprof_profile_get_method_count() - 1.
 * \param figures Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_method(const mprof_profile *profile, size_t index,
						mprof_method_stats *figures);

/**
 * \brief Gets the statistics of several methods in one call.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param first Index of the first entry to get, 0 to mprof_profile_get_method_count().
 * \param methods Array that receives the entries. The function sets the struct_size of each.
 * \param method_size sizeof(*methods) as the caller was compiled: the distance in bytes from one element to the next.
 * Fields that do not fit are left out.
 * \param capacity Number of elements in \p methods.
 * \param count Receives the number of entries stored: less than \p capacity only at the end of the table, 0 on an
 * error.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p first is past the end, or \p method_size is smaller than struct_size.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_methods(const mprof_profile *profile, size_t first,
						 mprof_method_stats *methods, size_t method_size, size_t capacity,
						 size_t *count);

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
} mprof_class_stats;

/**
 * \brief Number of classes that have statistics. They are in no particular order.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \return The count; 0 if \p profile is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_profile_get_class_count(const mprof_profile *profile);

/**
 * \brief Gets the statistics of a class.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param index 0 to mprof_profile_get_class_count() - 1.
 * \param figures Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_class(const mprof_profile *profile, size_t index, mprof_class_stats *figures);

/**
 * \brief Gets the statistics of several classes in one call.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param first Index of the first entry to get, 0 to mprof_profile_get_class_count().
 * \param classes Array that receives the entries. The function sets the struct_size of each.
 * \param class_size sizeof(*classes) as the caller was compiled: the distance in bytes from one element to the next.
 * Fields that do not fit are left out.
 * \param capacity Number of elements in \p classes.
 * \param count Receives the number of entries stored: less than \p capacity only at the end of the table, 0 on an
 * error.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p first is past the end, or \p class_size is smaller than struct_size.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_classes(const mprof_profile *profile, size_t first, mprof_class_stats *classes,
						 size_t class_size, size_t capacity, size_t *count);

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

/**
 * \brief Number of nodes of the call tree, including the root; 0 if no tree is kept.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \return The count; 0 if \p profile is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_profile_get_call_count(const mprof_profile *profile);

/**
 * \brief Gets the statistics of a node of the call tree.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param node #MPROF_CALL_ROOT to mprof_profile_get_call_count() - 1.
 * \param figures Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p node is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_call(const mprof_profile *profile, uint32_t node, mprof_call_stats *figures);

/**
 * \brief Gets several nodes of the call tree in one call.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param first Index of the first entry to get, 0 to mprof_profile_get_call_count().
 * \param nodes Array that receives the entries. The function sets the struct_size of each.
 * \param node_size sizeof(*nodes) as the caller was compiled: the distance in bytes from one element to the next.
 * Fields that do not fit are left out.
 * \param capacity Number of elements in \p nodes.
 * \param count Receives the number of entries stored: less than \p capacity only at the end of the table, 0 on an
 * error.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p first is past the end, or \p node_size is smaller than struct_size.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_calls(const mprof_profile *profile, size_t first, mprof_call_stats *nodes,
					       size_t node_size, size_t capacity, size_t *count);

/**
 * \brief What a frame of a sample is. Values are fixed; new ones are appended.
 * \since 0.1
 */
typedef enum mprof_sample_kind {
	MPROF_SAMPLE_METHOD = 1,   /**< id is the method, 0 if unknown. */
	MPROF_SAMPLE_FUNCTION = 2, /**< Native code: id is the function (CODE). */
	MPROF_SAMPLE_MODULE = 3,   /**< Native code in an unknown function: id is the module (CODE). */
	MPROF_SAMPLE_LOCATION = 4  /**< Native code in no module: id is the location, 0 if the log does not contain
	                                it. */
} mprof_sample_kind;

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
 * \brief Number of methods and native functions that samples hit, as of the last mprof_profile_finish(). They are in no
 * particular order.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \return The count; 0 if \p profile is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_profile_get_sample_count(const mprof_profile *profile);

/**
 * \brief Gets the number of samples that hit a method or native code.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param index 0 to mprof_profile_get_sample_count() - 1.
 * \param figures Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_sample(const mprof_profile *profile, size_t index,
						mprof_sample_stats *figures);

/**
 * \brief Gets several entries of the table of samples in one call.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param first Index of the first entry to get, 0 to mprof_profile_get_sample_count().
 * \param samples Array that receives the entries. The function sets the struct_size of each.
 * \param sample_size sizeof(*samples) as the caller was compiled: the distance in bytes from one element to the next.
 * Fields that do not fit are left out.
 * \param capacity Number of elements in \p samples.
 * \param count Receives the number of entries stored: less than \p capacity only at the end of the table, 0 on an
 * error.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p first is past the end, or \p sample_size is smaller than struct_size.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_samples(const mprof_profile *profile, size_t first,
						 mprof_sample_stats *samples, size_t sample_size, size_t capacity,
						 size_t *count);

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
	uint32_t reserved;     /**< 0. */
	uint64_t self;         /**< Samples whose innermost frame is this node. */
	uint64_t total;        /**< Samples whose innermost frame is this node or below it. */
} mprof_sample_node;

/**
 * \brief Number of nodes of the tree of samples, including the root, as of the last mprof_profile_finish().
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \return The count; 0 if \p profile is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_profile_get_sample_node_count(const mprof_profile *profile);

/**
 * \brief Gets a node of the tree of samples.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param node 0 to mprof_profile_get_sample_node_count() - 1.
 * \param figures Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p node is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_sample_node(const mprof_profile *profile, uint32_t node,
						     mprof_sample_node *figures);

/**
 * \brief Gets several nodes of the tree of samples in one call.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param first Index of the first entry to get, 0 to mprof_profile_get_sample_node_count().
 * \param nodes Array that receives the entries. The function sets the struct_size of each.
 * \param node_size sizeof(*nodes) as the caller was compiled: the distance in bytes from one element to the next.
 * Fields that do not fit are left out.
 * \param capacity Number of elements in \p nodes.
 * \param count Receives the number of entries stored: less than \p capacity only at the end of the table, 0 on an
 * error.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p first is past the end, or \p node_size is smaller than struct_size.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_sample_nodes(const mprof_profile *profile, size_t first,
						      mprof_sample_node *nodes, size_t node_size, size_t capacity,
						      size_t *count);

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
} mprof_allocation_site;

/**
 * \brief Number of call sites of allocations that have a known call stack, method or call tree node. They are in no
 * particular order.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \return The count; 0 if \p profile is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_profile_get_allocation_site_count(const mprof_profile *profile);

/**
 * \brief Gets the objects that were allocated at a call site.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param index 0 to mprof_profile_get_allocation_site_count() - 1.
 * \param site Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_allocation_site(const mprof_profile *profile, size_t index,
							 mprof_allocation_site *site);

/**
 * \brief Gets several call sites of allocations in one call.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param first Index of the first entry to get, 0 to mprof_profile_get_allocation_site_count().
 * \param sites Array that receives the entries. The function sets the struct_size of each.
 * \param site_size sizeof(*sites) as the caller was compiled: the distance in bytes from one element to the next.
 * Fields that do not fit are left out.
 * \param capacity Number of elements in \p sites.
 * \param count Receives the number of entries stored: less than \p capacity only at the end of the table, 0 on an
 * error.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p first is past the end, or \p site_size is smaller than struct_size.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_allocation_sites(const mprof_profile *profile, size_t first,
							  mprof_allocation_site *sites, size_t site_size,
							  size_t capacity, size_t *count);

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
} mprof_heap_shot;

/**
 * \brief Number of heap snapshots, in the order of the log.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \return The count; 0 if \p profile is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_profile_get_heap_shot_count(const mprof_profile *profile);

/**
 * \brief Gets a heap snapshot.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param index 0 to mprof_profile_get_heap_shot_count() - 1.
 * \param shot Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_heap_shot(const mprof_profile *profile, size_t index, mprof_heap_shot *shot);

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
 * \param shot Index of the snapshot, 0 to mprof_profile_get_heap_shot_count() - 1.
 * \param index 0 to mprof_heap_shot::classes - 1, in the order of class IDs.
 * \param figures Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p shot or \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_heap_shot_class(const mprof_profile *profile, size_t shot, size_t index,
							 mprof_heap_shot_class *figures);

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
 * \brief Number of rows of all heap summaries, in the order of the log.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \return The count; 0 if \p profile is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_profile_get_heap_summary_count(const mprof_profile *profile);

/**
 * \brief Gets a row of a heap summary.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param index 0 to mprof_profile_get_heap_summary_count() - 1.
 * \param summary Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_heap_summary(const mprof_profile *profile, size_t index,
						      mprof_heap_summary *summary);

/**
 * \brief Handles of one type to objects of one class.
 * \since 0.1
 */
typedef struct mprof_handle_stats {
	size_t struct_size; /**< sizeof, set by the caller. */
	uint32_t class_id;  /**< Class ID, 0 if they had no object or its class is not known. */
	uint32_t type;      /**< An #mprof_handle_type. */
	uint64_t created;   /**< Handles created. */
	uint64_t alive;     /**< Those of them that exist at the end. */
	uint64_t deleted;   /**< Those of them that do not. */
} mprof_handle_stats;

/**
 * \brief Number of combinations of class and type of the handles that were created, in no particular order.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \return The count; 0 if \p profile is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_profile_get_handle_count(const mprof_profile *profile);

/**
 * \brief Gets the statistics of the handles of one class and type.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param index 0 to mprof_profile_get_handle_count() - 1.
 * \param figures Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_handle(const mprof_profile *profile, size_t index,
						mprof_handle_stats *figures);

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
	uint64_t alive;     /**< Those of them that exist at the end. */
} mprof_handle_site;

/**
 * \brief Number of combinations of class, type and call stack of the handles that were created, in no particular order.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \return The count; 0 if \p profile is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_profile_get_handle_site_count(const mprof_profile *profile);

/**
 * \brief Gets the handles that a call stack created.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param index 0 to mprof_profile_get_handle_site_count() - 1.
 * \param site Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_handle_site(const mprof_profile *profile, size_t index,
						     mprof_handle_site *site);

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
} mprof_monitor_stats;

/**
 * \brief Number of classes whose monitors threads waited for, in no particular order.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \return The count; 0 if \p profile is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_profile_get_monitor_count(const mprof_profile *profile);

/**
 * \brief Gets the statistics of the monitors of a class.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param index 0 to mprof_profile_get_monitor_count() - 1.
 * \param figures Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_monitor(const mprof_profile *profile, size_t index,
						 mprof_monitor_stats *figures);

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
} mprof_monitor_site;

/**
 * \brief Number of combinations of class and call site of waits, in no particular order.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \return The count; 0 if \p profile is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_profile_get_monitor_site_count(const mprof_profile *profile);

/**
 * \brief Gets the waits at a call site.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param index 0 to mprof_profile_get_monitor_site_count() - 1.
 * \param site Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_monitor_site(const mprof_profile *profile, size_t index,
						      mprof_monitor_site *site);

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

/**
 * \brief Number of classes whose finalizers ran, in no particular order.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \return The count; 0 if \p profile is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_profile_get_finalizer_count(const mprof_profile *profile);

/**
 * \brief Gets the statistics of the finalizers of a class.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param index 0 to mprof_profile_get_finalizer_count() - 1.
 * \param figures Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_finalizer(const mprof_profile *profile, size_t index,
						   mprof_finalizer_stats *figures);

/**
 * \brief Native memory (section 4.7).
 *
 * An allocation counts if it was made inside the window, by one of the chosen threads. Its free is matched whenever and
 * by whichever thread it was done, and counts if it was done before the window ended; memory that was freed later
 * exists at the end. Statistics of allocations therefore add up over windows, but frees count in the window in which
 * the memory was allocated, and the peak is that of the memory allocated inside the window. Frees of unknown memory
 * count if they were done inside the window, by one of the chosen threads.
 *
 * Events of all threads are processed in the order of their counters. For that they are held back until a WATERMARK
 * block covers them, after which no earlier events should follow. If a million events are held back, the earlier half
 * of them is processed. An event that arrives after a later one was processed is counted in late_events.
 *
 * mprof_profile_finish() processes the events that are held back provisionally: the statistics are those of all blocks
 * added, and the provisional part is undone when the next events or the next watermark are added. However often it is
 * called, the statistics at the end are those of one call at the end (unless max_memory was reached), and no event is
 * late because it was added after a call. A call takes time in proportion to the events that are held back. Statistics
 * read after events were added and before the next call lack the events that are held back. The indices of sites may
 * change when events are added.
 *
 * All this uses at most three quarters of mprof_profile_options::max_memory, together with call paths and call sites.
 * When that is used up, call stacks that have no site yet share one (mprof_memory_site::is_folded); a call stack that
 * has one keeps all its allocations there. Fewer events are held back. Blocks for which there is no room count as
 * allocated, also by size, but neither as freed nor as existing: they are counted in untracked, and their frees in
 * unmatched_frees. If there is no room for undoing what mprof_profile_finish() processed, it becomes final, and earlier
 * events that follow are late. Allocations, bytes and the statistics by size are therefore exact whatever the limit is,
 * as long as mprof_profile_totals::left_out is 0.
 *
 * The statistics are exact if is_estimate is 0. It is 1 if events were lost, recording was stopped for a while, a free
 * is missing, events were late, or max_memory was too small to track all blocks and threads.
 * \since 0.1
 */
typedef struct mprof_memory_stats {
	size_t struct_size;       /**< sizeof, set by the caller. */
	uint64_t allocations;     /**< Blocks allocated, also by resizing. */
	uint64_t bytes;           /**< Their bytes. */
	uint64_t frees;           /**< Those of them that were freed, also by resizing. */
	uint64_t resizes;         /**< Blocks resized. */
	uint64_t live;            /**< Blocks that exist at the end of the window, or of the part that was read. */
	uint64_t live_bytes;      /**< Their bytes. */
	uint64_t peak_bytes;      /**< Maximum number of bytes that existed at a time. */
	uint64_t peak_live;       /**< Blocks that existed when that maximum was first reached. */
	int64_t peak_ns;          /**< Time of that, from the start of the session. */
	uint64_t temporaries;     /**< Blocks freed by the thread that allocated them, without another allocation in
	                               between. */
	uint64_t unmatched_frees; /**< Frees of unknown memory, such as memory from before recording started. */
	uint64_t missing_frees;   /**< Blocks whose address was allocated again without a free in the log. They do not
	                               exist at the end. */
	uint64_t late_events;     /**< Events that arrived after a later event was processed. */
	uint32_t is_estimate;     /**< 1: events are missing or were late, or blocks could not be tracked. */
	uint32_t reserved;        /**< 0. */
	uint64_t folded_sites;    /**< Blocks allocated by call stacks that have no site of their own. */
	uint64_t untracked;       /**< Blocks that were not tracked because max_memory was reached, including those
	                               whose allocation does not count. */
} mprof_memory_stats;

/**
 * \brief Gets the statistics of native memory, as of the last mprof_profile_finish().
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param figures Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_memory(const mprof_profile *profile, mprof_memory_stats *figures);

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
	uint64_t frees;       /**< Those of them that were freed. */
	uint64_t live;        /**< Those of them that exist at the end. */
	uint64_t live_bytes;  /**< Their bytes. */
	uint64_t peak_live;   /**< Those of them that existed at the peak of all native memory. */
	uint64_t peak_bytes;  /**< Their bytes. */
	uint64_t temporaries; /**< Blocks freed by the thread that allocated them, without another allocation in
	                           between. */
	uint64_t lifetime_ns; /**< Sum of the lifetimes of the blocks that were freed, at most UINT64_MAX. */
	uint64_t shortest_ns; /**< Shortest lifetime, 0 if none was freed. */
	uint64_t longest_ns;  /**< Longest lifetime. */
} mprof_memory_site;

/**
 * \brief Number of call stacks that allocated native memory, in no particular order; the last one is the site of folded
 * call stacks, if there are any.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \return The count; 0 if \p profile is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_profile_get_memory_site_count(const mprof_profile *profile);

/**
 * \brief Gets the native memory that a call stack allocated.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param index 0 to mprof_profile_get_memory_site_count() - 1.
 * \param site Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_memory_site(const mprof_profile *profile, size_t index,
						     mprof_memory_site *site);

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

/**
 * \brief Number of size classes, from the smallest up to that of the largest block; some may have no blocks. 0 if
 * nothing was allocated.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \return The count; 0 if \p profile is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_profile_get_memory_size_count(const mprof_profile *profile);

/**
 * \brief Gets the native memory of a size class.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param index 0 to mprof_profile_get_memory_size_count() - 1.
 * \param size Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_memory_size(const mprof_profile *profile, size_t index,
						     mprof_memory_size *size);

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
} mprof_metric_stats;

/**
 * \brief Number of metrics, in the order of the log.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \return The count; 0 if \p profile is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_profile_get_metric_count(const mprof_profile *profile);

/**
 * \brief Gets a metric and the statistics of its values.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param index 0 to mprof_profile_get_metric_count() - 1.
 * \param figures Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_metric(const mprof_profile *profile, size_t index,
						mprof_metric_stats *figures);

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
 * \brief Number of markers, in the order of the log.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \return The count; 0 if \p profile is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_profile_get_mark_count(const mprof_profile *profile);

/**
 * \brief Gets a marker.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param index 0 to mprof_profile_get_mark_count() - 1.
 * \param mark Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_mark(const mprof_profile *profile, size_t index, mprof_mark *mark);

/**
 * \brief A garbage collection. Times are nanoseconds; start times count from the start of the session.
 * \since 0.1
 */
typedef struct mprof_collection {
	size_t struct_size;   /**< sizeof, set by the caller. */
	uint64_t number;      /**< Its number in the log, where numbers may be missing, or counted from 1. */
	uint32_t generation;  /**< 0 is the youngest. */
	uint32_t unfinished;  /**< 1: its end is not in the log. */
	int64_t start_ns;     /**< When it began. */
	uint64_t duration_ns; /**< Its whole duration. */
	uint64_t mark_ns;     /**< Time of marking, 0 if not in the log. */
	uint64_t sweep_ns;    /**< Time of sweeping, 0 if not in the log. */
	uint64_t pause_ns;    /**< Time that the world was stopped for it, 0 if not in the log. Less than its duration
	                           if it was concurrent. */
	uint32_t is_counted;  /**< 1: the log does not number it, and number was counted. */
	uint32_t reserved;    /**< 0. */
} mprof_collection;

/**
 * \brief Number of garbage collections, in order.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \return The count; 0 if \p profile is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_profile_get_collection_count(const mprof_profile *profile);

/**
 * \brief Gets a garbage collection.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param index 0 to mprof_profile_get_collection_count() - 1.
 * \param collection Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_collection(const mprof_profile *profile, size_t index,
						    mprof_collection *collection);

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
 * \brief Number of changes of the heap's size, in order.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \return The count; 0 if \p profile is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_profile_get_heap_resize_count(const mprof_profile *profile);

/**
 * \brief Gets a change of the heap's size.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param index 0 to mprof_profile_get_heap_resize_count() - 1.
 * \param resize Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_heap_resize(const mprof_profile *profile, size_t index,
						     mprof_heap_resize *resize);

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
} mprof_thread_stats;

/**
 * \brief Number of threads in the log, in order of first appearance.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \return The count; 0 if \p profile is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_profile_get_thread_count(const mprof_profile *profile);

/**
 * \brief Gets the statistics of a thread.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param index 0 to mprof_profile_get_thread_count() - 1.
 * \param figures Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_thread(const mprof_profile *profile, size_t index,
						mprof_thread_stats *figures);

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
 * \brief Number of code units, in order of loading.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \return The count; 0 if \p profile is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_profile_get_element_count(const mprof_profile *profile);

/**
 * \brief Gets a code unit.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param index 0 to mprof_profile_get_element_count() - 1.
 * \param figures Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_element(const mprof_profile *profile, size_t index,
						 mprof_element_stats *figures);

/**
 * \brief Number of properties in SESSION blocks, in the order of the log.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \return The count; 0 if \p profile is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_profile_get_property_count(const mprof_profile *profile);

/**
 * \brief Gets a property of the session.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param index 0 to mprof_profile_get_property_count() - 1.
 * \param key Receives the key. Borrowed until the profile is changed or destroyed.
 * \param value Receives the value. Borrowed until the profile is changed or destroyed.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL or \p index is out of range.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_property(const mprof_profile *profile, size_t index, const char **key,
						  const char **value);

MPROF_END_DECLS

#endif
