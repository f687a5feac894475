/* SPDX-License-Identifier: MIT */
/* Sorts rows of tables by one of their numbers, which is chosen by name. */
#include "report/orders.h"

#include "report/sample_view.h"

#include <mprof/profile.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct order_key {
	order_table table;
	const char *section;
	const char *name;
	size_t offset; /* Of a number with 64 bits. */
} order_key;

/* Of a key whose number is not in the rows; their table sorts them itself. */
#define COMPUTED ((size_t)-1)

static const order_key keys[] = {
	{ORDER_METHODS, "methods", "self", offsetof(mprof_method_stats, self_ns)},
	{ORDER_METHODS, "methods", "total", offsetof(mprof_method_stats, total_ns)},
	{ORDER_METHODS, "methods", "calls", offsetof(mprof_method_stats, calls)},
	{ORDER_METHODS, "methods", "samples", offsetof(mprof_method_stats, samples)},
	{ORDER_METHODS, "methods", "compiling", offsetof(mprof_method_stats, jit_ns)},
	{ORDER_SAMPLES, "samples", "self", offsetof(sample_item, self)},
	{ORDER_SAMPLES, "samples", "total", offsetof(sample_item, total)},
	{ORDER_CLASSES, "allocations", "bytes", offsetof(mprof_class_stats, bytes)},
	{ORDER_CLASSES, "allocations", "objects", offsetof(mprof_class_stats, allocations)},
	{ORDER_CLASSES, "allocations", "freed", offsetof(mprof_class_stats, freed)},
	{ORDER_CLASSES, "allocations", "freed-bytes", offsetof(mprof_class_stats, freed_bytes)},
	{ORDER_ALLOCATION_SITES, "allocation-sites", "bytes", offsetof(mprof_allocation_site, bytes)},
	{ORDER_ALLOCATION_SITES, "allocation-sites", "objects", offsetof(mprof_allocation_site, allocations)},
	{ORDER_HEAP_CLASSES, "heap", "bytes", offsetof(mprof_heap_shot_class, bytes)},
	{ORDER_HEAP_CLASSES, "heap", "objects", offsetof(mprof_heap_shot_class, objects)},
	{ORDER_HANDLES, "handles", "alive", offsetof(mprof_handle_stats, alive)},
	{ORDER_HANDLES, "handles", "created", offsetof(mprof_handle_stats, created)},
	{ORDER_HANDLES, "handles", "deleted", offsetof(mprof_handle_stats, deleted)},
	{ORDER_MONITORS, "locks", "time", offsetof(mprof_monitor_stats, contended_ns)},
	{ORDER_MONITORS, "locks", "times", offsetof(mprof_monitor_stats, contentions)},
	{ORDER_MONITORS, "locks", "failures", offsetof(mprof_monitor_stats, failures)},
	{ORDER_MONITOR_SITES, "locks", "time", offsetof(mprof_monitor_site, contended_ns)},
	{ORDER_MONITOR_SITES, "locks", "times", offsetof(mprof_monitor_site, contentions)},
	{ORDER_MONITOR_SITES, "locks", "failures", offsetof(mprof_monitor_site, failures)},
	{ORDER_MONITOR_HOLDERS, "locks", "time", offsetof(mprof_monitor_holder, contended_ns)},
	{ORDER_MONITOR_HOLDERS, "locks", "times", offsetof(mprof_monitor_holder, contentions)},
	{ORDER_FINALIZERS, "finalizers", "time", offsetof(mprof_finalizer_stats, total_ns)},
	{ORDER_FINALIZERS, "finalizers", "times", offsetof(mprof_finalizer_stats, count)},
	{ORDER_EXCEPTIONS, "exceptions", "times", offsetof(mprof_class_stats, exceptions)},
	{ORDER_EXCEPTION_SITES, "exceptions", "times", offsetof(mprof_exception_site, exceptions)},
	{ORDER_CODE, "code", "bytes", offsetof(mprof_method_code, bytes)},
	{ORDER_CODE, "code", "times", offsetof(mprof_method_code, count)},
	{ORDER_CODE, "code", "compiling", offsetof(mprof_method_code, compile_ns)},
	{ORDER_THREADS, "threads", "events", offsetof(mprof_thread_stats, events)},
	{ORDER_THREADS, "threads", "self", offsetof(mprof_thread_stats, self_ns)},
	{ORDER_THREADS, "threads", "running", offsetof(mprof_thread_stats, cpu_ns)},
	{ORDER_THREADS, "threads", "ready", offsetof(mprof_thread_stats, ready_ns)},
	{ORDER_THREADS, "threads", "samples", offsetof(mprof_thread_stats, samples)},
	{ORDER_THREADS, "threads", "lost", offsetof(mprof_thread_stats, lost)},
	{ORDER_AGE_TYPES, "types", "count", COMPUTED},
	{ORDER_AGE_TYPES, "types", "total", COMPUTED},
	{ORDER_AGE_TYPES, "types", "average", COMPUTED},
	{ORDER_AGE_TYPES, "types", "age", COMPUTED},
	{ORDER_AGE_TYPES, "types", "backtraces", COMPUTED},
	{ORDER_AGE_BACKTRACES, "backtraces", "count", COMPUTED},
	{ORDER_AGE_BACKTRACES, "backtraces", "total", COMPUTED},
	{ORDER_AGE_BACKTRACES, "backtraces", "average", COMPUTED},
	{ORDER_AGE_BACKTRACES, "backtraces", "age", COMPUTED},
	{ORDER_AGE_TEMPORARIES, "temporaries", "count", COMPUTED},
	{ORDER_AGE_TEMPORARIES, "temporaries", "total", COMPUTED},
	{ORDER_AGE_TEMPORARIES, "temporaries", "average", COMPUTED},
	{ORDER_AGE_TEMPORARIES, "temporaries", "age", COMPUTED},
	{ORDER_AGE_ALIVE, "alive", "count", COMPUTED},
	{ORDER_AGE_ALIVE, "alive", "total", COMPUTED},
	{ORDER_AGE_ALIVE, "alive", "average", COMPUTED},
	{ORDER_AGE_ALIVE, "alive", "age", COMPUTED},
};

#define KEY_COUNT (sizeof(keys) / sizeof(keys[0]))

/* Whether an element of a list, up to its comma, is this key. */
static int is_key(const order_key *key, const char *text, size_t length)
{
	size_t section = strlen(key->section);

	if (length > section && strncmp(text, key->section, section) == 0 && text[section] == ':') {
		text += section + 1;
		length -= section + 1;
	}
	return strlen(key->name) == length && strncmp(text, key->name, length) == 0;
}

/* Prints each section with its keys once; several tables of a section follow each other. */
static void print_keys(FILE *file)
{
	const char *section = "";

	for (size_t i = 0; i < KEY_COUNT; i++) {
		int is_known = 0;

		for (size_t j = 0; j < i; j++)
			is_known |= strcmp(keys[i].section, keys[j].section) == 0 &&
				    strcmp(keys[i].name, keys[j].name) == 0;
		if (is_known)
			continue;
		fprintf(file, "%s%s%s",
			strcmp(section, keys[i].section) == 0 ? ", "
			: i > 0                               ? "\n  "
							      : "  ",
			strcmp(section, keys[i].section) == 0 ? "" : keys[i].section,
			strcmp(section, keys[i].section) == 0 ? "" : ": ");
		section = keys[i].section;
		fputs(keys[i].name, file);
	}
	fputc('\n', file);
}

int orders_check(const char *list)
{
	for (const char *text = list;; text++) {
		size_t length = strcspn(text, ",");
		size_t i = 0;

		while (i < KEY_COUNT && !is_key(&keys[i], text, length))
			i++;
		if (i == KEY_COUNT) {
			fprintf(stderr, "mprof: --sort: '%.*s' is not a key of a table; sections and their keys:\n",
				(int)length, text);
			print_keys(stderr);
			return 0;
		}
		text += length;
		if (*text == '\0')
			return 1;
	}
}

/* The first order of the list that the table has; NULL if none. */
static const order_key *find_key(const char *list, order_table table)
{
	for (const char *text = list; text != NULL; text = strchr(text, ',') != NULL ? strchr(text, ',') + 1 : NULL) {
		for (size_t i = 0; i < KEY_COUNT; i++) {
			if (keys[i].table == table && is_key(&keys[i], text, strcspn(text, ",")))
				return &keys[i];
		}
	}
	return NULL;
}

int orders_have(const char *list, order_table table)
{
	return find_key(list, table) != NULL;
}

const char *orders_key(const char *list, order_table table)
{
	const order_key *key = find_key(list, table);

	return key != NULL ? key->name : NULL;
}

typedef struct ranked_row {
	uint64_t key;
	size_t index;
} ranked_row;

static int compare_ranks(const void *left, const void *right)
{
	const ranked_row *a = left;
	const ranked_row *b = right;

	if (a->key != b->key)
		return a->key < b->key ? 1 : -1;
	return (a->index > b->index) - (a->index < b->index);
}

int orders_apply(const char *list, order_table table, void *rows, size_t count, size_t size)
{
	const order_key *key = find_key(list, table);
	unsigned char *sorted;
	ranked_row *ranks;

	if (key == NULL || key->offset == COMPUTED || count == 0)
		return 1;
	sorted = calloc(count, size);
	ranks = calloc(count, sizeof(*ranks));
	if (sorted != NULL && ranks != NULL) {
		for (size_t i = 0; i < count; i++) {
			memcpy(&ranks[i].key, (unsigned char *)rows + i * size + key->offset, sizeof(ranks[i].key));
			ranks[i].index = i;
		}
		qsort(ranks, count, sizeof(*ranks), compare_ranks);
		for (size_t i = 0; i < count; i++)
			memcpy(sorted + i * size, (unsigned char *)rows + ranks[i].index * size, size);
		memcpy(rows, sorted, count * size);
	}
	count = sorted != NULL && ranks != NULL;
	free(sorted);
	free(ranks);
	return (int)count;
}
