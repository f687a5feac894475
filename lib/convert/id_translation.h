/* SPDX-License-Identifier: MIT */
/**
 * \file convert/id_translation.h
 * \brief Translates IDs of the log to IDs of the copy.
 *
 * A writer requires IDs without gaps. A log has gaps after damaged blocks with definitions. IDs before the first gap
 * are unchanged, and need no memory.
 */
#ifndef CONVERT_ID_TRANSLATION_H
#define CONVERT_ID_TRANSLATION_H

#include "base/id_map.h"

typedef struct id_translation {
	uint32_t defined; /**< The IDs 1 to this one are defined in the copy. */
	uint32_t same;    /**< IDs up to this one are unchanged in the copy. */
	id_map moved;     /**< For all other IDs: the ID in the copy. */
} id_translation;

void id_translation_init(id_translation *translation, const mprof_allocator *allocator);
void id_translation_destroy(id_translation *translation);

/** Assigns the next ID of the copy to an ID of the log. Returns it, or 0 if out of memory. */
uint32_t id_translation_define(id_translation *translation, uint32_t id);

/** The ID in the copy; 0 for 0 and for an ID that is not defined. */
static inline uint32_t id_translation_get(const id_translation *translation, uint32_t id)
{
	return id <= translation->same ? id : id_map_get(&translation->moved, id);
}

#endif
