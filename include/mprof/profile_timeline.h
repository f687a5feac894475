/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/profile_timeline.h
 * \brief Results of a profile by time: pauses, and what each thread did in slices of time. Included by
 * mprof/profile.h.
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
 *
 * Not stable before version 1.0, like mprof/profile.h.
 */
#ifndef MPROF_PROFILE_TIMELINE_H
#define MPROF_PROFILE_TIMELINE_H

#include <mprof/profile_types.h>

MPROF_BEGIN_DECLS

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

MPROF_END_DECLS

#endif
