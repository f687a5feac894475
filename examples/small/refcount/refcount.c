/* SPDX-License-Identifier: MIT */
/*
 * Records a heap of counted references: what a runtime without a collector reports to libmprof. An object is freed as
 * soon as nothing refers to it, so its death has a thread and a time; a cycle is never freed, and shows as alive.
 *
 *     ./refcount refcount.mprof && mprof report --types --alive-at=end refcount.mprof
 */
#include <mprof/recorder.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LISTS = 1000, ITEMS = 10, CYCLES = 7 };

/* Keys can be any numbers. */
enum { CLASS_LIST = 1, CLASS_PAIR = 2 };

/* An object and its references. */
typedef struct object {
	mprof_key class_key;
	uint64_t count; /* Of references to it. */
	size_t size;    /* In bytes. */
	size_t length;
	struct object *items[];
} object;

static mprof_recorder *recorder;
static mprof_thread *thread;

static void define_class(mprof_key key, const char *name)
{
	mprof_description description;

	mprof_description_init(&description, sizeof(description));
	description.name = name;
	description.name_length = strlen(name);
	if (mprof_recorder_define_class(recorder, key, &description) != MPROF_OK)
		fprintf(stderr, "refcount: cannot define %s\n", name);
}

static object *allocate(mprof_key class_key, size_t length)
{
	const size_t size = sizeof(object) + length * sizeof(object *);
	object *created = calloc(1, size);

	if (created == NULL)
		exit(1);
	created->class_key = class_key;
	created->count = 1;
	created->size = size;
	created->length = length;
	/* After the allocator has returned the address, and before it can be freed. */
	mprof_thread_record_allocation_detailed(thread, class_key, size, (uintptr_t)created, NULL, 0);
	return created;
}

static object *retain(object *kept)
{
	kept->count++;
	return kept;
}

static void release(object *released)
{
	if (released == NULL || --released->count > 0)
		return;
	for (size_t i = 0; i < released->length; i++)
		release(released->items[i]);
	/* Before the address can be that of another object. */
	mprof_thread_record_object_freed(thread, released->class_key, (uintptr_t)released, released->size);
	free(released);
}

/* Gives a list twice the room: the object may have another address. Only the caller refers to it. */
static object *grow(object *list)
{
	const uintptr_t before = (uintptr_t)list;
	const size_t size = sizeof(object) + 2 * list->length * sizeof(object *);
	object *grown = realloc(list, size);

	if (grown == NULL)
		exit(1);
	memset(&grown->items[grown->length], 0, grown->length * sizeof(object *));
	grown->length *= 2;
	grown->size = size;
	mprof_thread_record_object_resized(thread, grown->class_key, before, (uintptr_t)grown, size);
	return grown;
}

static void run(void)
{
	object *shared = allocate(CLASS_PAIR, 2);

	for (int i = 0; i < LISTS; i++) {
		object *list = allocate(CLASS_LIST, ITEMS / 2);

		list = grow(list);
		for (size_t k = 0; k < list->length; k++)
			list->items[k] = k % 2 == 0 ? allocate(CLASS_PAIR, 2) : retain(shared);
		release(list);
	}
	release(shared);
	for (int i = 0; i < CYCLES; i++) {
		object *first = allocate(CLASS_PAIR, 2);
		object *second = allocate(CLASS_PAIR, 2);

		first->items[0] = second;
		second->items[0] = retain(first);
		release(first);
	}
}

int main(int argc, char **argv)
{
	mprof_recorder_options options;
	mprof_status status;

	if (argc != 2) {
		fputs("usage: refcount FILE\n", stderr);
		return 2;
	}
	mprof_recorder_options_init(&options, sizeof(options));
	options.allocation_detail = MPROF_ALLOCATION_DETAIL_OBJECT;
	options.object_events = 1;
	status = mprof_recorder_open_path(argv[1], &options, &recorder, NULL);
	if (status != MPROF_OK) {
		fprintf(stderr, "refcount: %s: %s\n", argv[1], mprof_status_get_text(status));
		return 1;
	}
	define_class(CLASS_LIST, "List");
	define_class(CLASS_PAIR, "Pair");
	if (mprof_recorder_attach(recorder, 0, &thread) != MPROF_OK)
		return 1;
	run();
	mprof_thread_detach(thread);
	status = mprof_recorder_close(recorder);
	mprof_recorder_destroy(recorder);
	return status == MPROF_OK ? 0 : 1;
}
