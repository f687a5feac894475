/* SPDX-License-Identifier: MIT */
/*
 * Records a collection as a program with generations does: record_generations FILE. Collection 1 leaves 100 of 1,000
 * bytes in Eden, which has room for 4,096; it moves them to the old generation, whose room is not stated, and cannot
 * move two objects of 64 bytes together.
 */
#include <mprof/recorder.h>

#include <string.h>

#define NUMBER(name)                                                                                                   \
	{                                                                                                              \
		MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_UNSIGNED, 0, 0, name, ""                                         \
	}
#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static const mprof_argument_record of_gc[] = {NUMBER("collection"), NUMBER("pinned_objects"), NUMBER("pinned_bytes")};
static const mprof_argument_record of_generation[] = {
	NUMBER("collection"), {MPROF_ARGUMENT_TEXT, MPROF_ENCODING_BYTES, 0, 0, "generation", ""},
	NUMBER("before"),     NUMBER("after"),
	NUMBER("capacity"),
};

static uint32_t define(mprof_recorder *recorder, const char *name, const mprof_argument_record *arguments, size_t count)
{
	mprof_type_record type = {.form = MPROF_TYPE_INSTANT, .argument_count = (uint32_t)count, .name = name};
	uint32_t id = 0;

	if (mprof_recorder_define_arguments(recorder, arguments, sizeof(*arguments), count, &type.first_argument) ==
	    MPROF_OK)
		(void)mprof_recorder_define_type(recorder, &type, sizeof(type), &id);
	return id;
}

int main(int argc, char **argv)
{
	static const mprof_argument_value pinned[] = {{.number = 1}, {.number = 2}, {.number = 64}};
	static const mprof_argument_value eden[] = {{.number = 1},
						    {.bytes = (const uint8_t *)"Eden", .length = 4},
						    {.number = 1000},
						    {.number = 100},
						    {.number = 4096}};
	static const mprof_argument_value old[] = {
		{.number = 1}, {.bytes = (const uint8_t *)"old", .length = 3}, {.number = 500}, {.number = 1400}};
	mprof_recorder *recorder;
	mprof_thread *thread;
	uint32_t gc;
	uint32_t generation;

	if (argc != 2 || mprof_recorder_open_path(argv[1], NULL, &recorder, NULL) != MPROF_OK ||
	    mprof_recorder_attach(recorder, 1, &thread) != MPROF_OK)
		return 1;
	gc = define(recorder, "mprof.gc", of_gc, COUNT(of_gc));
	generation = define(recorder, "mprof.gc.generation", of_generation, COUNT(of_generation));
	mprof_thread_record_event(thread, MPROF_EVENT_GC_START, 0, 0);
	mprof_thread_record_typed(thread, gc, pinned, COUNT(pinned));
	mprof_thread_record_typed(thread, generation, eden, COUNT(eden));
	mprof_thread_record_typed(thread, generation, old, COUNT(old));
	mprof_thread_record_event(thread, MPROF_EVENT_GC_END, 0, 0);
	mprof_thread_detach(thread);
	if (mprof_recorder_close(recorder) != MPROF_OK)
		return 1;
	mprof_recorder_destroy(recorder);
	return 0;
}
