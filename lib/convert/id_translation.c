/* SPDX-License-Identifier: MIT */
/* Translates the IDs of a log with gaps to IDs without gaps. */
#include "convert/id_translation.h"

void id_translation_init(id_translation *translation, const mprof_allocator *allocator)
{
	translation->defined = 0;
	translation->same = 0;
	id_map_init(&translation->moved, allocator);
}

void id_translation_destroy(id_translation *translation)
{
	id_map_destroy(&translation->moved);
}

uint32_t id_translation_define(id_translation *translation, uint32_t id)
{
	uint32_t next = translation->defined + 1;

	if (id == next && translation->same == translation->defined)
		translation->same = id;
	else if (!id_map_put(&translation->moved, id, next))
		return 0;
	translation->defined = next;
	return next;
}
