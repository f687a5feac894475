/* SPDX-License-Identifier: MIT */
/*
 * Records a program with generated code and objects that are numbers: record_code FILE. All samples are in "main" and
 * at one address of generated code, where "work" was placed first and the stub "entry" later; 10 of "work" were taken
 * before the range was defined, 5 are of "entry", and 2 are at an address that no range holds. A heap snapshot has the
 * objects 7 and 8; object 7 refers to object 8 from its slot 3.
 */
#include <mprof/recorder.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAIN = 1, WORK, CLASS = 1, THREAD = 1 };

#define CODE UINT64_C(0x500000001000)

static uint64_t now = 1000;

static uint64_t read_now(void *user)
{
	(void)user;
	return now;
}

static void expect(int is_done, const char *what)
{
	if (is_done)
		return;
	fprintf(stderr, "record_code: %s\n", what);
	exit(1);
}

static mprof_description describe(const char *name)
{
	mprof_description description;

	mprof_description_init(&description, sizeof(description));
	description.name = name;
	description.name_length = strlen(name);
	return description;
}

static void sample(mprof_recorder *recorder, int count, uint64_t address)
{
	const mprof_frame frames[] = {MPROF_FRAME_NATIVE | address, MAIN};

	while (count-- > 0) {
		now++;
		expect(mprof_recorder_record_sample(recorder, THREAD, frames, 2), "sample");
	}
}

static void place_code(mprof_recorder *recorder)
{
	mprof_code code = {.struct_size = sizeof(code), .address = CODE, .size = 64};
	uint32_t id;

	code.start = 1001;
	code.kind = MPROF_CODE_RANGE_METHOD;
	code.method = WORK;
	expect(mprof_recorder_define_code(recorder, &code, &id) == MPROF_OK, "code of work");
	code.start = 3000;
	code.kind = MPROF_CODE_RANGE_STUB;
	code.method = 0;
	code.name = "entry";
	expect(mprof_recorder_define_code(recorder, &code, &id) == MPROF_OK, "code of entry");
	now = 4000;
	expect(mprof_recorder_end_code(recorder, id) == MPROF_OK, "end of code");
}

static void record_heap(mprof_recorder *recorder)
{
	const uint64_t object = 8;
	const uint64_t slot = 3;

	expect(mprof_recorder_begin_heap(recorder, MPROF_HEAP_USE_SHOT, 1), "snapshot");
	mprof_recorder_add_heap_object(recorder, 7, CLASS, 32, &object, &slot, 1);
	mprof_recorder_add_heap_object(recorder, 8, CLASS, 16, NULL, NULL, 0);
	mprof_recorder_add_heap_root(recorder, MPROF_ROOT_NATIVE, 0, 7);
	mprof_recorder_end_heap(recorder);
}

int main(int argc, char **argv)
{
	const mprof_description names[] = {describe("main"), describe("work"), describe("Thing")};
	mprof_recorder_options options;
	mprof_recorder *recorder;

	expect(argc == 2, "no file was given");
	mprof_recorder_options_init(&options, sizeof(options));
	options.counter = read_now;
	options.drain_interval_ms = 600000;
	expect(mprof_recorder_open_path(argv[1], &options, &recorder, NULL) == MPROF_OK, argv[1]);
	expect(mprof_recorder_set_property(recorder, "object_ids", "numbers") == MPROF_OK, "property");
	expect(mprof_recorder_set_property(recorder, "reference_offsets", "slots") == MPROF_OK, "property");
	expect(mprof_recorder_define_method(recorder, MAIN, &names[0]) == MPROF_OK, "main");
	expect(mprof_recorder_define_method(recorder, WORK, &names[1]) == MPROF_OK, "work");
	expect(mprof_recorder_define_class(recorder, CLASS, &names[2]) == MPROF_OK, "Thing");
	sample(recorder, 10, CODE);
	expect(mprof_recorder_drain(recorder) == MPROF_OK, "drain");
	now = 3000;
	sample(recorder, 5, CODE);
	sample(recorder, 2, CODE + 0x5000);
	place_code(recorder);
	record_heap(recorder);
	expect(mprof_recorder_close(recorder) == MPROF_OK, "close");
	mprof_recorder_destroy(recorder);
	return 0;
}
