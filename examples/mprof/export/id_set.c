/* SPDX-License-Identifier: MIT */
/* A set of IDs: bits for small ones, so that a log with a large one does not need much memory. */
#include "export/id_set.h"

#include <stdlib.h>
#include <string.h>

#define MAX_WORDS ((size_t)1 << 14)

static int reserve_word(id_set *set, size_t index)
{
	size_t count = set->word_count;
	uint64_t *words;

	if (index < count)
		return 1;
	while (count <= index)
		count = 2 * count + 16;
	words = realloc(set->words, count * sizeof(*words));
	if (words == NULL)
		return 0;
	memset(words + set->word_count, 0, (count - set->word_count) * sizeof(*words));
	set->words = words;
	set->word_count = count;
	return 1;
}

int id_set_add_slow(id_set *set, uint32_t id)
{
	uint64_t bit = UINT64_C(1) << id % 64;
	int is_new;

	if (id / 64 >= MAX_WORDS)
		return key_map_add(&set->others, id);
	if (!reserve_word(set, id / 64))
		return -1;
	is_new = (set->words[id / 64] & bit) == 0;
	set->words[id / 64] |= bit;
	return is_new;
}

void id_set_clear(id_set *set)
{
	free(set->words);
	key_map_clear(&set->others);
	memset(set, 0, sizeof(*set));
}
