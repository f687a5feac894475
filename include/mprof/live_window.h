/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/live_window.h
 * \brief The last seconds of a profile that grows: what was called, allocated and waited for recently. Included by
 * mprof/profile.h.
 *
 * A live window compares a profile with its state at earlier updates. What was added to the profile between two updates
 * belongs to that interval, whenever the program recorded it; so a log should be read and updated often, compared with
 * the length of the window. Intervals that ended before the start of the window are removed at the next update.
 *
 * **Memory.** A window keeps one entry for each row of the tables, and one for each row that changed in each interval.
 * If these exceed mprof_live_options::max_memory, the oldest intervals are removed early, which
 * mprof_live_totals::length_ns shows. If even that is not enough, mprof_live_totals::left_out counts what is missing.
 *
 * **Tables.** A window has five of the tables of a profile (#mprof_profile_table), with the same rows. What the fields
 * of #mprof_live_row are depends on the table:
 * - #MPROF_TABLE_METHODS: id is the method, count its calls, self and total are exclusive and inclusive time in
 *   nanoseconds.
 * - #MPROF_TABLE_SAMPLES: kind is an #mprof_sample_kind, id the method, function, module or location, self the samples
 *   in which it is the innermost frame, total those in which it is any frame; count is 0.
 * - #MPROF_TABLE_CLASSES: id is the class, count the objects allocated, self their bytes, total the exceptions thrown.
 * - #MPROF_TABLE_THREADS: id is the thread, count its events, self the exclusive time of methods in nanoseconds, total
 *   its samples.
 * - #MPROF_TABLE_MONITORS: id is the class, count the number of times that a thread found a monitor taken, self the
 *   nanoseconds that threads waited, total the failures.
 *
 * One thread at a time may change a window; while no thread changes it, several threads may read it.
 *
 * Not stable before version 1.0, like mprof/profile.h.
 */
#ifndef MPROF_LIVE_WINDOW_H
#define MPROF_LIVE_WINDOW_H

#include <mprof/profile_types.h>

MPROF_BEGIN_DECLS

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

MPROF_END_DECLS

#endif
