/* SPDX-License-Identifier: MIT */
/**
 * \file export/id_set.h
 * \brief A set of IDs, which are small numbers in all recorded logs.
 */
#ifndef EXPORT_ID_SET_H
#define EXPORT_ID_SET_H

#include "shared/key_map.h"

/** Initialized with 0. */
typedef struct id_set {
	uint64_t *words; /**< Bits of the IDs below a limit. */
	size_t word_count;
	key_map others; /**< The other IDs. */
} id_set;

/** Adds an ID. Returns 1 if it is new, 0 if the set has it, -1 if out of memory. */
int id_set_add_slow(id_set *set, uint32_t id);

/** As id_set_add_slow(). */
static inline int id_set_add(id_set *set, uint32_t id)
{
	if (id / 64 < set->word_count && (set->words[id / 64] >> id % 64 & 1) != 0)
		return 0;
	return id_set_add_slow(set, id);
}

/** Removes all IDs and releases the memory. */
void id_set_clear(id_set *set);

#endif
