/* SPDX-License-Identifier: MIT */
/**
 * \file key_set.h
 * \brief A set of addresses with flags and owners. Thread-safe.
 *
 * A key is the address of a structure, never NULL. Its owner is the structure with which it is freed, NULL if unknown.
 *
 * The lock is never held while the runtime or the recorder is called: both may call the module.
 */
#ifndef MONO_KEY_SET_H
#define MONO_KEY_SET_H

#include "shared/key_map.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

typedef struct key_set {
	pthread_mutex_t lock;
	key_map entries;
} key_set;

void key_set_init(key_set *set);

/** Returns the flags of a key, 0 if it is not in the set. */
uint8_t key_set_get(key_set *set, const void *key);

/**
 * Adds a key, or replaces its owner and flags. Does nothing if out of memory: the set is a cache of work done, and a
 * missing entry only repeats the work.
 */
void key_set_put(key_set *set, const void *key, const void *owner, uint8_t flags);

/** Adds flags to a key, if it is in the set. */
void key_set_mark(key_set *set, const void *key, uint8_t flags);

/** Removes a key. Returns its flags, 0 if it is not in the set. */
uint8_t key_set_remove(key_set *set, const void *key);

/** Returns an array of all keys that the caller frees, or NULL. */
uintptr_t *key_set_list(key_set *set, size_t *count);

/** Returns the number of keys that have this owner. */
size_t key_set_count(key_set *set, const void *owner);

/**
 * Removes all keys of an owner, and stores the first of them in \p keys. Returns the number stored, at most \p room.
 */
size_t key_set_remove_owned(key_set *set, const void *owner, uintptr_t *keys, size_t room);

#endif
