/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/profile_ages.h
 * \brief Results of a profile: how long the objects of a managed heap live. Included by mprof/profile.h.
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
 *
 * Not stable before version 1.0: functions and structs of this header may change between any two releases.
 */
#ifndef MPROF_PROFILE_AGES_H
#define MPROF_PROFILE_AGES_H

#include <mprof/profile_types.h>
#include <mprof/reader_types.h>

MPROF_BEGIN_DECLS

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

MPROF_END_DECLS

#endif
