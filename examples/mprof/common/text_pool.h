/* SPDX-License-Identifier: MIT */
/**
 * \file common/text_pool.h
 * \brief Texts that are stored once, each with the form in which it is shown.
 */
#ifndef COMMON_TEXT_POOL_H
#define COMMON_TEXT_POOL_H

#include "shared/key_map.h"

/** A text. Its address identifies it: it is the same for equal texts, unless their hashes collide. */
typedef struct pooled_text {
	struct pooled_text *next;
	char *shown;      /**< Set by the user of the pool, and freed with it; NULL at first. */
	int is_looked_up; /**< Its user has looked for that; 0 at first. */
	char text[];
} pooled_text;

typedef struct text_pool {
	key_map texts; /**< By hash. */
	pooled_text *all;
} text_pool;

void text_pool_init(text_pool *pool);
void text_pool_release(text_pool *pool);

/** Finds a text or adds it. Valid until text_pool_release(). NULL if out of memory. */
pooled_text *text_pool_get(text_pool *pool, const char *text);

#endif
