/* SPDX-License-Identifier: MIT */
/**
 * \file key_set.h
 * \brief A set of addresses with flags, for all threads.
 *
 * The lock is never held while the runtime or the recorder is called: both may come back to the module.
 */
#ifndef KEY_SET_H
#define KEY_SET_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

typedef struct key_set {
	pthread_mutex_t lock;
	uintptr_t *keys; /**< 0 is an empty place. */
	uint8_t *flags;
	size_t capacity; /**< A power of two, or 0. */
	size_t count;
} key_set;

void key_set_init(key_set *set);

/** The flags of a key, 0 if it is not in the set. */
uint8_t key_set_get(key_set *set, const void *key);

/** Adds flags to a key; adds the key if needed. Without memory it does nothing: the set is a cache of what was done. */
void key_set_add(key_set *set, const void *key, uint8_t flags);

/** Empties the set. */
void key_set_clear(key_set *set);

#endif
