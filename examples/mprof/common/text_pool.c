/* SPDX-License-Identifier: MIT */
/* Stores texts once. */
#include "common/text_pool.h"

#include <stdlib.h>
#include <string.h>

typedef struct pool_entry {
	uint64_t hash;
	pooled_text *text;
} pool_entry;

/* FNV-1a. Colliding texts are stored more than once, which costs memory and nothing else. */
static uint64_t hash_text(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *text != '\0'; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return hash;
}

void text_pool_init(text_pool *pool)
{
	memset(pool, 0, sizeof(*pool));
	pool->texts.value_size = sizeof(pooled_text *);
}

void text_pool_release(text_pool *pool)
{
	while (pool->all != NULL) {
		pooled_text *next = pool->all->next;

		free(pool->all->shown);
		free(pool->all);
		pool->all = next;
	}
	key_map_clear(&pool->texts);
}

pooled_text *text_pool_get(text_pool *pool, const char *text)
{
	pool_entry *entry = key_map_put(&pool->texts, hash_text(text));
	const size_t size = strlen(text) + 1;
	pooled_text *added;

	if (entry == NULL)
		return NULL;
	if (entry->text != NULL && strcmp(entry->text->text, text) == 0)
		return entry->text;
	added = malloc(sizeof(*added) + size);
	if (added == NULL)
		return NULL;
	added->shown = NULL;
	added->is_looked_up = 0;
	added->next = pool->all;
	memcpy(added->text, text, size);
	pool->all = added;
	if (entry->text == NULL)
		entry->text = added;
	return added;
}
