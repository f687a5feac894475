/* SPDX-License-Identifier: MIT */
/*
 * Records a heap snapshot of a runtime that takes the memory of objects from malloc(): record_blocks FILE. Objects are 16
 * bytes after the start of their blocks of native memory. At the snapshot:
 *   0x1010  a List in a block that "read" has allocated
 *   0x2010  a List in a block that "read" has resized from elsewhere
 *   0x3010  a Text in a block that "parse" has allocated, where a block of "read" was before
 *   0x4010  a Text in memory that was freed before the snapshot; "parse" allocates there after it
 *   0x5110  a Text in a block of "parse" inside the arena at 0x5000, which "read" has allocated
 *   0x5f00  a Text in the arena itself
 * and 0x1040 is the first byte after the first block.
 */
#include <mprof/recorder.h>

#include <string.h>

enum { LIST = 1, TEXT, READ, PARSE };

static uint64_t now = 1000;

static uint64_t read_now(void *user)
{
	(void)user;
	return ++now;
}

static int define(mprof_recorder *recorder, mprof_key key, const char *name)
{
	mprof_description description;

	mprof_description_init(&description, sizeof(description));
	description.name = name;
	description.name_length = strlen(name);
	return (key >= READ ? mprof_recorder_define_method(recorder, key, &description)
			    : mprof_recorder_define_class(recorder, key, &description)) == MPROF_OK;
}

static void allocate(mprof_thread *thread, uint64_t address, uint64_t size, mprof_frame method)
{
	mprof_thread_record_memory_allocated(thread, address, size, &method, 1);
}

static void record_memory(mprof_recorder *recorder, mprof_thread *thread)
{
	const mprof_frame read = READ;
	uint64_t started;

	allocate(thread, 0x1000, 0x40, READ);
	allocate(thread, 0x9000, 0x40, PARSE);
	started = mprof_recorder_read_counter(recorder);
	mprof_thread_record_memory_resized(thread, 0x9000, started, 0x2000, 0x40, &read, 1);
	allocate(thread, 0x3000, 0x40, READ);
	mprof_thread_record_memory_freed(thread, 0x3000, NULL, 0);
	allocate(thread, 0x3000, 0x40, PARSE);
	allocate(thread, 0x4000, 0x40, READ);
	mprof_thread_record_memory_freed(thread, 0x4000, NULL, 0);
	allocate(thread, 0x5000, 0x1000, READ);
	allocate(thread, 0x5100, 0x40, PARSE);
}

static int record_heap(mprof_recorder *recorder)
{
	static const struct {
		uint64_t address;
		mprof_key class_key;
	} objects[] = {{0x1010, LIST}, {0x1040, TEXT}, {0x2010, LIST}, {0x3010, TEXT},
		       {0x4010, TEXT}, {0x5110, TEXT}, {0x5f00, TEXT}};

	if (!mprof_recorder_begin_heap(recorder, MPROF_HEAP_USE_SHOT, 1))
		return 0;
	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
		mprof_recorder_add_heap_object(recorder, objects[i].address, objects[i].class_key, 32, NULL, NULL, 0);
		mprof_recorder_add_heap_root(recorder, MPROF_ROOT_NATIVE, 0, objects[i].address);
	}
	mprof_recorder_end_heap(recorder);
	return 1;
}

int main(int argc, char **argv)
{
	mprof_recorder_options options;
	mprof_recorder *recorder;
	mprof_thread *thread;

	mprof_recorder_options_init(&options, sizeof(options));
	options.counter = read_now;
	options.counters_per_second = 1e9;
	if (argc != 2 || mprof_recorder_open_path(argv[1], &options, &recorder, NULL) != MPROF_OK ||
	    !define(recorder, LIST, "List") || !define(recorder, TEXT, "Text") || !define(recorder, READ, "read") ||
	    !define(recorder, PARSE, "parse") || mprof_recorder_attach(recorder, 1, &thread) != MPROF_OK)
		return 1;
	record_memory(recorder, thread);
	if (!record_heap(recorder))
		return 1;
	allocate(thread, 0x4000, 0x40, PARSE);
	mprof_thread_record_memory_freed(thread, 0x1000, NULL, 0);
	mprof_thread_detach(thread);
	if (mprof_recorder_close(recorder) != MPROF_OK)
		return 1;
	mprof_recorder_destroy(recorder);
	return 0;
}
