/* SPDX-License-Identifier: MIT */
/* A table of methods and code that signal handlers read without a lock. */
#include "noted_methods.h"

#include "selection.h"
#include "shared/hash.h"

#include <pthread.h>
#include <stdlib.h>

/* A power of two. */
#define BUCKETS 8192

/* The method was looked at, so that its flags are not 0. */
#define FLAG_NOTED 0x80u

/* Never removed: if an address is used again, it is noted again. */
typedef struct noted_method {
	const void *key;
	_Atomic unsigned flags;
	const struct noted_method *next; /* Constant once the entry is in the table. */
} noted_method;

/* Entries are added with the lock held, with release: a handler that finds an entry finds its fields. */
static _Atomic(noted_method *) table[BUCKETS];
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;

static pthread_mutex_t methods_lock = PTHREAD_MUTEX_INITIALIZER;

static _Atomic(noted_method *) *bucket_of(const void *key)
{
	return &table[hash_key((uintptr_t)key) & (BUCKETS - 1)];
}

static const noted_method *find_entry(const void *key)
{
	const noted_method *entry = atomic_load_explicit(bucket_of(key), memory_order_acquire);

	while (entry != NULL && entry->key != key)
		entry = entry->next;
	return entry;
}

void noted_methods_put(const void *key, unsigned flags)
{
	noted_method *entry;

	pthread_mutex_lock(&table_lock);
	/* The cast removes const: the table owns the entry, and only this thread changes it. */
	entry = (noted_method *)(uintptr_t)find_entry(key);
	if (entry == NULL) {
		entry = calloc(1, sizeof(*entry));
		if (entry != NULL) {
			entry->key = key;
			entry->next = atomic_load_explicit(bucket_of(key), memory_order_relaxed);
			atomic_store_explicit(&entry->flags, flags | FLAG_NOTED, memory_order_relaxed);
			atomic_store_explicit(bucket_of(key), entry, memory_order_release);
		}
	}
	if (entry != NULL)
		atomic_store_explicit(&entry->flags, flags | FLAG_NOTED, memory_order_relaxed);
	pthread_mutex_unlock(&table_lock);
}

void noted_methods_add(MonoMethod *method, int is_generated)
{
	if (selection_is_filtered())
		noted_methods_put(method, is_generated ? FRAME_WRAPPER : selection_of_method(method));
}

unsigned noted_methods_get(const void *key)
{
	const noted_method *entry = find_entry(key);

	return entry == NULL ? 0 : atomic_load_explicit(&entry->flags, memory_order_relaxed);
}

void noted_methods_lock(void)
{
	pthread_mutex_lock(&methods_lock);
}

void noted_methods_unlock(void)
{
	pthread_mutex_unlock(&methods_lock);
}
