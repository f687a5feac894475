/* SPDX-License-Identifier: MIT */
/*
 * Finds objects from which all others can be reached. A search in depth of all objects ends with an object of a group
 * that refers to each other only after all objects that can be reached from the group. So, in the reverse order of the
 * ends, the first object that was not reached from those chosen before it is in a group to which nothing else refers.
 */
#include "export/heap_tops.h"

#include "export/heap_source.h"

#include <stdlib.h>
#include <string.h>

#define BATCH 64U

/* An object on the path of the search, and its next reference. */
typedef struct search_step {
	uint32_t object;
	uint32_t next;
} search_step;

typedef struct top_search {
	const heap_view *view;
	unsigned char *seen;
	search_step *path;
	uint32_t *ended; /* Objects in the order in which the search ended with them. */
	size_t ended_count;
} top_search;

/* The first object from a reference on that was not seen; MPROF_HEAP_NO_OBJECT if there is none. */
static uint32_t next_unseen(const top_search *search, search_step *step)
{
	mprof_heap_reference references[BATCH];
	size_t count;

	do {
		count = heap_source_references(search->view, step->object, step->next, references, BATCH);
		for (size_t i = 0; i < count; i++) {
			step->next++;
			if (references[i].object != MPROF_HEAP_NO_OBJECT && !search->seen[references[i].object])
				return references[i].object;
		}
	} while (count == BATCH);
	return MPROF_HEAP_NO_OBJECT;
}

/* Sees all objects that can be reached from one that was not seen. */
static void search_from(top_search *search, uint32_t object)
{
	size_t depth = 1;

	search->seen[object] = 1;
	search->path[0] = (search_step){.object = object};
	while (depth > 0) {
		const uint32_t next = next_unseen(search, &search->path[depth - 1]);

		if (next != MPROF_HEAP_NO_OBJECT) {
			search->seen[next] = 1;
			search->path[depth++] = (search_step){.object = next};
			continue;
		}
		depth--;
		search->ended[search->ended_count++] = search->path[depth].object;
	}
}

static void find_tops(top_search *search, uint32_t objects, uint32_t *tops, size_t *count)
{
	uint32_t *order;

	for (uint32_t i = 0; i < objects; i++) {
		if (!search->seen[i])
			search_from(search, i);
	}
	/* The first search has ended with every object once; the second one does not change the order that is read. */
	order = search->ended;
	memset(search->seen, 0, objects);
	for (uint32_t i = objects; i-- > 0;) {
		if (search->seen[order[i]])
			continue;
		tops[(*count)++] = order[i];
		search->ended = tops + objects;
		search->ended_count = 0;
		search_from(search, order[i]);
	}
	search->ended = order;
}

int heap_tops_find(const heap_view *view, uint32_t **tops, size_t *count)
{
	const uint32_t objects = view->totals.objects;
	top_search search = {
		.view = view,
		.seen = calloc((size_t)objects + 1, 1),
		.path = calloc((size_t)objects + 1, sizeof(*search.path)),
		.ended = calloc((size_t)objects + 1, sizeof(*search.ended)),
	};
	int is_found;

	*count = 0;
	/* The second half is for the order of the second search, which is not used. */
	*tops = calloc(2 * (size_t)objects + 1, sizeof(**tops));
	is_found = *tops != NULL && search.seen != NULL && search.path != NULL && search.ended != NULL;
	if (is_found)
		find_tops(&search, objects, *tops, count);
	free(search.seen);
	free(search.path);
	free(search.ended);
	return is_found;
}
