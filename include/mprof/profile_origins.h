/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/profile_origins.h
 * \brief Results of a profile: where the objects of a heap snapshot come from. Included by mprof/profile.h.
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
 *
 * Not stable before version 1.0: functions and structs of this header may change between any two releases.
 */
#ifndef MPROF_PROFILE_ORIGINS_H
#define MPROF_PROFILE_ORIGINS_H

#include <mprof/profile_types.h>

MPROF_BEGIN_DECLS

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

MPROF_END_DECLS

#endif
