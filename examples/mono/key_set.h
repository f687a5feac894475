/* SPDX-License-Identifier: MIT */
/**
 * \file key_set.h
 * \brief A set of addresses with flags and owners, for all threads.
 *
 * The lock is never held while the runtime or the recorder is called: both may come back to the module.
 */
#ifndef KEY_SET_H
#define KEY_SET_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/** A place of the table. */
typedef struct key_place {
	uintptr_t key;     /**< 0: empty. */
	const void *owner; /**< With what the structure at this address goes away; NULL if that is not known. */
	uint8_t flags;
} key_place;

typedef struct key_set {
	pthread_mutex_t lock;
	key_place *places;
	size_t capacity; /**< A power of two, or 0. */
	size_t count;
} key_set;

void key_set_init(key_set *set);

/** The flags of a key, 0 if it is not in the set. */
uint8_t key_set_get(key_set *set, const void *key);

/**
 * Adds a key, or replaces what is known of it. Without memory it does nothing: the set is a cache of what was done.
 */
void key_set_put(key_set *set, const void *key, const void *owner, uint8_t flags);

/** Adds flags to a key, if it is in the set. */
void key_set_mark(key_set *set, const void *key, uint8_t flags);

/** Takes a key out, if it is there. Returns its flags. */
uint8_t key_set_remove(key_set *set, const void *key);

/** How many keys have this owner. */
size_t key_set_count(key_set *set, const void *owner);

/**
 * Takes out all keys of an owner, and puts the first of them into \p keys. Returns how many it put there, at most \p
 * room.
 */
size_t key_set_remove_owned(key_set *set, const void *owner, uintptr_t *keys, size_t room);

#endif
