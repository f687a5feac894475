/* SPDX-License-Identifier: MIT */
/**
 * \file convert/id_translation.h
 * \brief Which ID something has in the copy.
 *
 * A writer wants IDs without gaps. A log has gaps where blocks with definitions are damaged; elsewhere IDs stay as they
 * are, and nothing is kept.
 */
#ifndef CONVERT_ID_TRANSLATION_H
#define CONVERT_ID_TRANSLATION_H

#include "base/hash_map.h"

typedef struct id_translation {
	uint32_t defined; /**< In the copy: 1 to so many. */
	uint32_t same;    /**< IDs up to this one are the same in the copy. */
	hash_map moved;   /**< All others. */
} id_translation;

void id_translation_init(id_translation *translation, const mprof_allocator *allocator);
void id_translation_destroy(id_translation *translation);

/** Gives an ID its number in the copy, the next one. Returns it, or 0 if there is no memory. */
uint32_t id_translation_define(id_translation *translation, uint32_t id);

/** The number in the copy; 0 for 0 and for what is not defined. */
static inline uint32_t id_translation_get(const id_translation *translation, uint32_t id)
{
	const uint64_t *moved;

	if (id <= translation->same)
		return id;
	moved = hash_map_get(&translation->moved, id);
	return moved != NULL ? (uint32_t)*moved : 0;
}

#endif
