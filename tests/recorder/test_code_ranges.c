/* SPDX-License-Identifier: MIT */
/* Generated code: addresses in call stacks are counted under what was there at the time. */
#include "recorder/client/recorder_internal.h"
#include "sampled_log.h"

#include <mprof/profile.h>

#include <criterion/criterion.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAIN = 0x1000, WORK = 0x2000, REST = 0x3000, CLASS = 0x4000, THREAD = 1 };

/* Addresses that no module of a program has. */
#define CODE UINT64_C(0x500000001000)
#define OTHER_CODE UINT64_C(0x500000002000)

static _Atomic uint64_t now;

static uint64_t read_now(void *user)
{
	(void)user;
	return now;
}

static void set_options(mprof_recorder_options *options)
{
	now = 1000;
	mprof_recorder_options_init(options, sizeof(*options));
	options->drain_interval_ms = 600000;
	options->counter = read_now;
	options->allocation_detail = MPROF_ALLOCATION_DETAIL_STACK;
}

static void define_names(mprof_recorder *recorder)
{
	define_class(recorder, CLASS, "C");
	define_method(recorder, MAIN, CLASS, "main ()");
	define_method(recorder, WORK, CLASS, "work ()");
	define_method(recorder, REST, CLASS, "rest ()");
}

static mprof_recorder *open_recorder(recorded_log *log)
{
	mprof_recorder_options options;
	mprof_recorder *recorder;

	set_options(&options);
	recorder = recorded_log_open(log, &options);
	define_names(recorder);
	return recorder;
}

static uint32_t place(mprof_recorder *recorder, uint64_t address, uint64_t start, mprof_key method, const char *name)
{
	const mprof_code code = {.struct_size = sizeof(code),
				 .address = address,
				 .size = 64,
				 .start = start,
				 .method = method,
				 .name = name,
				 .kind = method != 0 ? MPROF_CODE_RANGE_METHOD : MPROF_CODE_RANGE_STUB};
	uint32_t id;

	cr_assert_eq(mprof_recorder_define_code(recorder, &code, &id), MPROF_OK);
	cr_assert_neq(id, 0);
	return id;
}

/* A sample at an address, called by main (). */
static void sample_at(mprof_recorder *recorder, uint64_t time, uint64_t address)
{
	const mprof_frame frames[] = {MPROF_FRAME_NATIVE | address, MAIN};

	now = time;
	cr_assert_eq(mprof_recorder_record_sample(recorder, THREAD, frames, 2), 1);
}

/* What the profile shows of a log that was read once or, as a tool does, again if it defines code late. */
typedef struct shown {
	mprof_reader *reader;
	mprof_profile *profile;
	int was_late;
} shown;

static mprof_profile *profile_of(mprof_reader *reader)
{
	mprof_profile_options options;
	mprof_profile *profile;

	mprof_profile_options_init(&options, sizeof(options));
	cr_assert_eq(mprof_profile_create(&options, &profile), MPROF_OK);
	cr_assert_eq(mprof_profile_read(profile, reader, NULL, NULL), MPROF_OK);
	return profile;
}

static shown show_log(mprof_reader *reader)
{
	shown view = {.reader = reader};

	view.profile = profile_of(view.reader);
	view.was_late = mprof_reader_has_late_code(view.reader);
	if (view.was_late) {
		mprof_profile_destroy(view.profile);
		cr_assert_eq(mprof_reader_seek(view.reader, 0), MPROF_OK);
		view.profile = profile_of(view.reader);
		cr_assert_eq(mprof_reader_has_late_code(view.reader), 0);
	}
	return view;
}

static shown show(const recorded_log *log)
{
	mprof_reader *reader;

	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, NULL, &reader), MPROF_OK);
	return show_log(reader);
}

static shown show_file(const char *path)
{
	mprof_reader *reader;

	cr_assert_eq(mprof_reader_open_path(path, NULL, &reader), MPROF_OK);
	return show_log(reader);
}

static void hide(shown *view)
{
	mprof_profile_destroy(view->profile);
	mprof_reader_destroy(view->reader);
}

static const char *name_of(const shown *view, uint32_t kind, uint32_t id)
{
	static char text[128];
	mprof_record function;

	if (kind == MPROF_SAMPLE_METHOD)
		(void)mprof_reader_format_method(view->reader, id, text, sizeof(text));
	else if (kind == MPROF_SAMPLE_FUNCTION && mprof_reader_lookup_record(view->reader, MPROF_RECORD_FUNCTION, id,
									     &function, sizeof(function)) == MPROF_OK)
		snprintf(text, sizeof(text), "%s", function.as.function.name);
	else
		(void)mprof_reader_format_location(view->reader, id, text, sizeof(text));
	return text;
}

/* Samples whose innermost frame has a name. */
static uint64_t samples_of(const shown *view, const char *name)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < mprof_profile_get_row_count(view->profile, MPROF_TABLE_SAMPLES); i++) {
		mprof_sample_stats stats = {.struct_size = sizeof(stats)};

		cr_assert_eq(mprof_profile_get_row(view->profile, MPROF_TABLE_SAMPLES, i, &stats), MPROF_OK);
		if (strcmp(name_of(view, stats.kind, stats.id), name) == 0)
			sum += stats.self;
	}
	return sum;
}

Test(code_ranges, name_samples_that_were_taken_before)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_recorder(&log);
	shown view;

	sample_at(recorder, 2000, CODE);
	sample_at(recorder, 2100, CODE + 63);
	sample_at(recorder, 2200, CODE + 64);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	now = 3000;
	(void)place(recorder, CODE, 1500, WORK, NULL);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	view = show(&log);
	cr_expect_eq(view.was_late, 1);
	cr_expect_eq(samples_of(&view, "C.work ()"), 2);
	cr_expect_eq(samples_of(&view, "0x500000001040"), 1, "an address that no range holds");
	hide(&view);
	recorded_log_free(&log);
}

Test(code_ranges, are_those_of_the_time)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_recorder(&log);
	uint32_t work;
	uint32_t rest;
	shown view;

	work = place(recorder, CODE, 0, WORK, NULL);
	sample_at(recorder, 2000, CODE);
	now = 2100;
	cr_assert_eq(mprof_recorder_move_code(recorder, work, OTHER_CODE), MPROF_OK);
	rest = place(recorder, CODE, 0, REST, NULL);
	sample_at(recorder, 2200, CODE);
	sample_at(recorder, 2200, OTHER_CODE);
	now = 2300;
	cr_assert_eq(mprof_recorder_end_code(recorder, rest), MPROF_OK);
	sample_at(recorder, 2300, CODE);
	now = 2400;
	(void)place(recorder, CODE, 0, 0, "entry stub");
	sample_at(recorder, 2400, CODE);
	sample_at(recorder, 2500, CODE);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	view = show(&log);
	cr_expect_eq(samples_of(&view, "C.work ()"), 2);
	cr_expect_eq(samples_of(&view, "C.rest ()"), 1);
	cr_expect_eq(samples_of(&view, "0x500000001000"), 1);
	cr_expect_eq(samples_of(&view, "entry stub"), 2);
	hide(&view);
	recorded_log_free(&log);
}

/* The frame of a caller has a return address, which may be that of the code after it. */
Test(code_ranges, name_callers_by_the_address_of_the_call)
{
	const mprof_frame frames[] = {REST, MPROF_FRAME_RETURN | (CODE + 64), MAIN};
	recorded_log log = {0};
	mprof_recorder *recorder = open_recorder(&log);
	mprof_stack_frame frame;
	uint32_t named;
	uint32_t caller;
	shown view;

	(void)place(recorder, CODE, 0, WORK, NULL);
	(void)place(recorder, CODE + 64, 0, 0, "after it");
	now = 2000;
	cr_assert_eq(mprof_recorder_record_sample(recorder, THREAD, frames, 3), 1);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	view = show(&log);
	cr_assert_eq(mprof_reader_name_stack(view.reader, THREAD, 3, 2000, &named), MPROF_OK);
	cr_assert_neq(named, 3);
	cr_assert_eq(mprof_reader_lookup_caller(view.reader, named, &frame, sizeof(frame), &caller), MPROF_OK);
	cr_assert_eq(mprof_reader_lookup_caller(view.reader, caller, &frame, sizeof(frame), &caller), MPROF_OK);
	cr_expect_eq(frame.is_native, 0);
	cr_expect_str_eq(name_of(&view, MPROF_SAMPLE_METHOD, frame.id), "C.work ()");
	hide(&view);
	recorded_log_free(&log);
}

/* The bytes of a call site whose innermost frame has a name. */
static uint64_t bytes_of(const shown *view, const char *name)
{
	mprof_frame_tree_options options;
	mprof_frame_tree *tree;
	uint64_t bytes = 0;

	mprof_frame_tree_options_init(&options, sizeof(options));
	options.source = MPROF_FRAME_SOURCE_ALLOCATIONS;
	cr_assert_eq(mprof_frame_tree_create(view->profile, view->reader, &options, &tree), MPROF_OK);
	for (uint32_t i = 0; i < mprof_frame_tree_get_node_count(tree); i++) {
		mprof_frame_node node = {.struct_size = sizeof(node)};

		cr_assert_eq(mprof_frame_tree_get_node(tree, i, &node), MPROF_OK);
		if (strcmp(name_of(view, node.kind, node.id), name) == 0)
			bytes += node.self;
	}
	mprof_frame_tree_destroy(tree);
	return bytes;
}

Test(code_ranges, name_call_stacks_of_allocations)
{
	const mprof_frame frames[] = {MPROF_FRAME_NATIVE | CODE, MAIN};
	recorded_log log = {0};
	mprof_recorder *recorder = open_recorder(&log);
	mprof_thread *thread;
	uint32_t work;
	shown view;

	cr_assert_eq(mprof_recorder_attach(recorder, THREAD, &thread), MPROF_OK);
	work = place(recorder, CODE, 0, WORK, NULL);
	now = 2000;
	mprof_thread_enter_method(thread, MAIN);
	mprof_thread_record_allocation_detailed(thread, CLASS, 100, 0, frames, 2);
	now = 2100;
	cr_assert_eq(mprof_recorder_end_code(recorder, work), MPROF_OK);
	(void)place(recorder, CODE, 0, REST, NULL);
	now = 2200;
	mprof_thread_leave_method(thread, MAIN);
	mprof_thread_enter_method(thread, MAIN);
	mprof_thread_record_allocation_detailed(thread, CLASS, 10, 0, frames, 2);
	mprof_thread_leave_method(thread, MAIN);
	mprof_thread_detach(thread);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	view = show(&log);
	cr_expect_eq(bytes_of(&view, "C.work ()"), 100);
	cr_expect_eq(bytes_of(&view, "C.rest ()"), 10);
	hide(&view);
	recorded_log_free(&log);
}

enum { THREADS = 4, RANGES_OF_THREAD = 500 };

static void *define_many(void *user)
{
	mprof_recorder *recorder = user;
	static _Atomic uint64_t next;

	for (int i = 0; i < RANGES_OF_THREAD; i++) {
		const uint64_t number = next++;
		const uint32_t id = place(recorder, CODE + 64 * number, 1, 0, "code");

		if (number % 2 == 0)
			cr_assert_eq(mprof_recorder_end_code(recorder, id), MPROF_OK);
	}
	return NULL;
}

Test(code_ranges, are_defined_by_several_threads)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_recorder(&log);
	pthread_t threads[THREADS];
	mprof_record range;
	shown view;

	for (int i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, define_many, recorder), 0);
	for (int i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_join(threads[i], NULL), 0);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	view = show(&log);
	cr_assert_eq(mprof_reader_get_record_count(view.reader, MPROF_RECORD_CODE_RANGE), THREADS * RANGES_OF_THREAD);
	for (uint64_t i = 0; i < THREADS * RANGES_OF_THREAD; i++)
		cr_assert_eq(mprof_reader_lookup_code(view.reader, 0, CODE + 64 * i + 5, 2000, &range, sizeof(range)),
			     i % 2 == 0 ? MPROF_ERR_UNDEFINED_ID : MPROF_OK);
	hide(&view);
	recorded_log_free(&log);
}

Test(code_ranges, are_refused_if_they_are_wrong)
{
	mprof_code code = {.struct_size = sizeof(code), .address = CODE, .size = 16};
	recorded_log log = {0};
	mprof_recorder *recorder = open_recorder(&log);
	uint32_t id = 7;

	code.size = 0;
	cr_expect_eq(mprof_recorder_define_code(recorder, &code, &id), MPROF_ERR_ARGUMENT);
	cr_expect_eq(id, 0);
	code.size = 16;
	code.struct_size = 0;
	cr_expect_eq(mprof_recorder_define_code(recorder, &code, &id), MPROF_ERR_ARGUMENT);
	code.struct_size = sizeof(code);
	cr_expect_eq(mprof_recorder_define_code(recorder, &code, NULL), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_recorder_move_code(recorder, 1, CODE), MPROF_ERR_UNDEFINED_ID);
	cr_expect_eq(mprof_recorder_end_code(recorder, 0), MPROF_ERR_UNDEFINED_ID);
	cr_expect_eq(mprof_recorder_define_code(recorder, &code, &id), MPROF_OK);
	cr_expect_eq(mprof_recorder_move_code(recorder, id, 0), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_recorder_end_code(recorder, id), MPROF_OK);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	cr_expect_eq(mprof_recorder_define_code(recorder, &code, &id), MPROF_ERR_STATE);
	mprof_recorder_destroy(recorder);
	recorded_log_free(&log);
}

/* The frames of a call stack with their lines, as "name:line", innermost first. Inlined ones have a "*". */
static const char *frames_of(const shown *view, uint32_t stack)
{
	static char text[512];
	mprof_stack_frame frames[8];
	size_t count;

	text[0] = '\0';
	cr_assert_eq(mprof_reader_lookup_stack(view->reader, stack, frames, sizeof(*frames), 8, &count), MPROF_OK);
	for (size_t i = 0; i < count; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s%s:%u", i > 0 ? " " : "",
			 name_of(view, frames[i].is_native ? MPROF_SAMPLE_LOCATION : MPROF_SAMPLE_METHOD, frames[i].id),
			 frames[i].is_inlined ? "*" : "", frames[i].line);
	return text;
}

static const char *frames_at(const shown *view, uint32_t stack, uint64_t counter)
{
	uint32_t named;

	cr_assert_eq(mprof_reader_name_stack(view->reader, THREAD, stack, counter, &named), MPROF_OK);
	return frames_of(view, named);
}

/* Bytes 0 to 7 have no line, 8 to 15 are of work (), and 16 to 23 of rest (), which is inlined into work (). */
static const mprof_code_line work_lines[] = {
	{.offset = 8, .line = 12},
	{.offset = 16, .method = REST, .line = 70},
	{.offset = 16, .line = 13},
	{.offset = 24, .line = 14},
};

Test(code_ranges, have_lines)
{
	mprof_code code = {.struct_size = sizeof(code),
			   .address = CODE,
			   .size = 64,
			   .method = WORK,
			   .kind = MPROF_CODE_RANGE_METHOD,
			   .lines = work_lines,
			   .line_size = sizeof(*work_lines),
			   .line_count = 4};
	recorded_log log = {0};
	mprof_recorder *recorder = open_recorder(&log);
	uint32_t id;
	shown view;

	cr_assert_eq(mprof_recorder_define_code(recorder, &code, &id), MPROF_OK);
	code.address = OTHER_CODE;
	code.method = REST;
	code.line_count = 1;
	cr_assert_eq(mprof_recorder_define_code(recorder, &code, &id), MPROF_OK);
	sample_at(recorder, 2000, CODE + 7);
	sample_at(recorder, 2010, CODE + 8);
	sample_at(recorder, 2020, CODE + 23);
	sample_at(recorder, 2030, CODE + 63);
	sample_at(recorder, 2040, OTHER_CODE + 9);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	view = show(&log);
	/* The first call stack is that of main () alone. */
	cr_expect_str_eq(frames_at(&view, 2, 2000), "C.work ():0 C.main ():0");
	cr_expect_str_eq(frames_at(&view, 3, 2010), "C.work ():12 C.main ():0");
	cr_expect_str_eq(frames_at(&view, 4, 2020), "C.rest ()*:70 C.work ():13 C.main ():0");
	cr_expect_str_eq(frames_at(&view, 5, 2030), "C.work ():14 C.main ():0");
	cr_expect_str_eq(frames_at(&view, 6, 2040), "C.rest ():12 C.main ():0");
	cr_expect_eq(samples_of(&view, "C.work ()"), 3);
	cr_expect_eq(samples_of(&view, "C.rest ()"), 2);
	hide(&view);
	recorded_log_free(&log);
}

Test(code_ranges, with_wrong_lines_are_refused)
{
	mprof_code_line lines[] = {{.offset = 8}, {.offset = 7}};
	mprof_code code = {.struct_size = sizeof(code),
			   .address = CODE,
			   .size = 8,
			   .lines = lines,
			   .line_size = sizeof(*lines),
			   .line_count = 2};
	recorded_log log = {0};
	mprof_recorder *recorder = open_recorder(&log);
	uint32_t id;

	code.size = 9;
	cr_expect_eq(mprof_recorder_define_code(recorder, &code, &id), MPROF_ERR_ARGUMENT, "not in order");
	lines[1].offset = 9;
	cr_expect_eq(mprof_recorder_define_code(recorder, &code, &id), MPROF_ERR_ARGUMENT, "outside of the range");
	lines[1].offset = 8;
	code.line_size = 8;
	cr_expect_eq(mprof_recorder_define_code(recorder, &code, &id), MPROF_ERR_ARGUMENT);
	code.line_size = sizeof(*lines);
	code.lines = NULL;
	cr_expect_eq(mprof_recorder_define_code(recorder, &code, &id), MPROF_ERR_ARGUMENT);
	code.lines = lines;
	code.line_count = MPROF_CODE_LINES_MAX + 1;
	cr_expect_eq(mprof_recorder_define_code(recorder, &code, &id), MPROF_ERR_ARGUMENT);
	code.line_count = 2;
	cr_expect_eq(mprof_recorder_define_code(recorder, &code, &id), MPROF_OK);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	recorded_log_free(&log);
}

#define RING_BYTES (UINT64_C(1) << 20)

/* When the ring has been filled. */
#define FILLED UINT64_C(1000000)

static char directory[] = "/tmp/mprof-code-XXXXXX";
static char log_path[64];
static char salvage_path[64];

static void make_directory(void)
{
	cr_assert_neq(mkdtemp(directory), NULL);
	snprintf(log_path, sizeof(log_path), "%s/a.mprof", directory);
	snprintf(salvage_path, sizeof(salvage_path), "%s/a.mprof.salvage", directory);
}

static void remove_directory(void)
{
	unlink(log_path);
	unlink(salvage_path);
	rmdir(directory);
}

static mprof_recorder *open_ring(mprof_thread **thread)
{
	mprof_recorder_options options;
	mprof_recorder *recorder;

	set_options(&options);
	options.salvage_path = salvage_path;
	options.salvage_log_path = log_path;
	cr_assert_eq(mprof_recorder_open_ring(RING_BYTES, &options, &recorder, NULL), MPROF_OK);
	define_names(recorder);
	cr_assert_eq(mprof_recorder_attach(recorder, THREAD, thread), MPROF_OK);
	return recorder;
}

/* Records more than the ring holds. */
static void fill_ring(mprof_recorder *recorder, mprof_thread *thread)
{
	for (now = 3000; now < FILLED; now++) {
		mprof_thread_enter_method(thread, MAIN);
		mprof_thread_leave_method(thread, MAIN);
	}
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
}

/* Code whose definition is older than all events of the ring, and code that replaces it. */
static void record_over_ring(mprof_recorder *recorder, mprof_thread *thread)
{
	const uint32_t work = place(recorder, CODE, 0, WORK, NULL);
	const uint32_t stub = place(recorder, OTHER_CODE, 0, 0, "entry stub");

	sample_at(recorder, 2000, CODE);
	sample_at(recorder, 2100, OTHER_CODE);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	fill_ring(recorder, thread);
	sample_at(recorder, FILLED, CODE);
	sample_at(recorder, FILLED + 10, OTHER_CODE);
	now = FILLED + 20;
	cr_assert_eq(mprof_recorder_end_code(recorder, work), MPROF_OK);
	sample_at(recorder, FILLED + 30, CODE);
	now = FILLED + 40;
	cr_assert_eq(mprof_recorder_move_code(recorder, stub, CODE), MPROF_OK);
	sample_at(recorder, FILLED + 50, CODE);
	sample_at(recorder, FILLED + 60, OTHER_CODE);
}

static uint32_t place_with_lines(mprof_recorder *recorder)
{
	static const mprof_code_line line = {.line = 33};
	const mprof_code code = {.struct_size = sizeof(code),
				 .address = CODE,
				 .size = 64,
				 .method = REST,
				 .lines = &line,
				 .line_size = sizeof(line),
				 .line_count = 1};
	uint32_t id;

	cr_assert_eq(mprof_recorder_define_code(recorder, &code, &id), MPROF_OK);
	return id;
}

/* Replaces the code again, and frees it. */
static void record_rest(mprof_recorder *recorder)
{
	uint32_t rest;

	now = FILLED + 70;
	rest = place_with_lines(recorder);
	sample_at(recorder, FILLED + 80, CODE);
	now = FILLED + 90;
	cr_assert_eq(mprof_recorder_end_code(recorder, rest), MPROF_OK);
	sample_at(recorder, FILLED + 100, CODE);
}

static void expect_names_of_the_time(void)
{
	shown view = show_file(log_path);

	cr_expect_eq(samples_of(&view, "C.work ()"), 1, "the older one was evicted");
	cr_expect_eq(samples_of(&view, "entry stub"), 2);
	cr_expect_eq(samples_of(&view, "C.rest ()"), 1);
	cr_expect_eq(samples_of(&view, "0x500000001000"), 2, "after its code was freed");
	cr_expect_str_eq(frames_at(&view, 2, FILLED + 80), "C.rest ():33 C.main ():0");
	cr_expect_eq(samples_of(&view, "0x500000002000"), 1, "after its code was moved");
	hide(&view);
}

/* Evicting events loses neither the ranges that hold later ones, nor their ends. */
Test(code_ranges, outlive_the_events_that_a_ring_evicts, .init = make_directory, .fini = remove_directory,
     .timeout = 120)
{
	mprof_thread *thread;
	mprof_recorder *recorder = open_ring(&thread);

	record_over_ring(recorder, thread);
	record_rest(recorder);
	mprof_thread_detach(thread);
	cr_assert_eq(mprof_recorder_dump_path(recorder, log_path, 0, NULL), MPROF_OK);
	mprof_recorder_destroy(recorder);
	expect_names_of_the_time();
}

/* What was defined, moved and freed last is not in the ring yet when the process dies. */
Test(code_ranges, of_a_ring_survive_a_kill, .init = make_directory, .fini = remove_directory, .timeout = 120)
{
	const pid_t child = fork();
	int status;

	cr_assert_geq(child, 0);
	if (child == 0) {
		mprof_thread *thread;
		mprof_recorder *recorder = open_ring(&thread);

		record_over_ring(recorder, thread);
		record_rest(recorder);
		raise(SIGKILL);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	cr_assert_eq(mprof_recorder_recover(salvage_path, NULL, NULL, NULL), MPROF_OK);
	expect_names_of_the_time();
}

/* Rounds of a runtime that compiles for ever, and what each of them records. The ring holds the last ones. */
enum { ROUNDS = 150, ROUND_CODES = 300, ROUND_CALLS = 20000, ROUND_SAMPLES = 40, LIVE_CODES = 64 };

#define ROUND_BYTES (UINT64_C(64) * 1024)

static uint64_t random_state;

static uint64_t random_below(uint64_t limit)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (random_state >> 33) % limit;
}

/* Places code somewhere, mostly over older code, and sometimes with lines. */
static uint32_t place_anywhere(mprof_recorder *recorder, uint64_t number)
{
	const mprof_code_line line = {.method = REST, .line = (uint32_t)number + 1};
	const int has_line = random_below(4) == 0;
	char name[128];
	const mprof_code code = {.struct_size = sizeof(code),
				 .address = CODE + random_below(ROUND_BYTES),
				 .size = 1 + random_below(512),
				 .name = name,
				 .lines = has_line ? &line : NULL,
				 .line_size = sizeof(line),
				 .line_count = has_line};
	uint32_t id;

	snprintf(name, sizeof(name), "stub %d %090d", (int)number, 0);
	cr_assert_eq(mprof_recorder_define_code(recorder, &code, &id), MPROF_OK);
	return id;
}

/* Places, moves and ends code, of which most is only replaced, and takes samples of addresses. */
static void record_round(mprof_recorder *recorder, mprof_thread *thread, uint32_t *live)
{
	for (int i = 0; i < ROUND_CODES; i++) {
		uint32_t *one = &live[random_below(LIVE_CODES)];

		now += 1 + random_below(3);
		if (*one != 0 && random_below(2) == 0)
			cr_assert_eq(mprof_recorder_end_code(recorder, *one), MPROF_OK);
		else if (*one != 0 && random_below(8) == 0)
			cr_assert_eq(mprof_recorder_move_code(recorder, *one, CODE + random_below(ROUND_BYTES)),
				     MPROF_OK);
		*one = place_anywhere(recorder, now);
	}
	for (int i = 0; i < ROUND_CALLS; i++) {
		now++;
		mprof_thread_enter_method(thread, MAIN);
		mprof_thread_leave_method(thread, MAIN);
	}
	for (int i = 0; i < ROUND_SAMPLES; i++)
		sample_at(recorder, now + 1, CODE + random_below(ROUND_BYTES + 512));
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
}

/* What a log contains of one sample. */
typedef struct named_sample {
	uint64_t counter;
	char frames[256];
} named_sample;

/* Reads the frames of all samples, after all ranges. Returns how many there are. */
static size_t read_samples(const shown *view, named_sample *samples, size_t capacity)
{
	mprof_block block;
	size_t total = 0;

	mprof_block_init(&block, sizeof(block));
	cr_assert_eq(mprof_reader_seek(view->reader, 0), MPROF_OK);
	while (mprof_reader_next_block(view->reader, &block) == MPROF_OK) {
		mprof_event events[ROUND_SAMPLES];
		size_t count = 0;

		while (block.kind == MPROF_BLOCK_SAMPLES &&
		       mprof_reader_next_events(view->reader, events, ROUND_SAMPLES, &count) == MPROF_OK) {
			for (size_t i = 0; i < count; i++) {
				cr_assert_lt(total, capacity);
				samples[total].counter = events[i].counter;
				snprintf(samples[total++].frames, sizeof(samples->frames), "%s",
					 frames_at(view, (uint32_t)events[i].value, events[i].counter));
			}
		}
	}
	return total;
}

/*
 * A ring drops ranges that are over: its memory is bounded, and samples have the names that they have in a log with all
 * ranges.
 */
Test(code_ranges, of_a_ring_are_dropped_once_they_are_over, .init = make_directory, .fini = remove_directory,
     .timeout = 300)
{
	enum { ALL = ROUNDS * ROUND_SAMPLES };
	static named_sample in_ring[ALL];
	static named_sample in_log[ALL];
	recorded_log log = {0};
	uint64_t most = 0;
	size_t ring_count;
	size_t log_count;
	shown view;

	for (int is_ring = 1; is_ring >= 0; is_ring--) {
		uint32_t live[LIVE_CODES] = {0};
		mprof_thread *thread;
		mprof_recorder *recorder;

		if (is_ring) {
			recorder = open_ring(&thread);
		} else {
			recorder = open_recorder(&log);
			cr_assert_eq(mprof_recorder_attach(recorder, THREAD, &thread), MPROF_OK);
		}
		random_state = 1;
		for (int round = 0; round < ROUNDS; round++) {
			record_round(recorder, thread, live);
			if (is_ring && recorder->control.ring->code_bytes > most)
				most = recorder->control.ring->code_bytes;
		}
		mprof_thread_detach(thread);
		if (is_ring)
			cr_assert_eq(mprof_recorder_dump_path(recorder, log_path, 0, NULL), MPROF_OK);
		else
			cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
		mprof_recorder_destroy(recorder);
	}
	view = show(&log);
	log_count = read_samples(&view, in_log, ALL);
	cr_assert_eq(log_count, ALL);
	cr_expect_eq(mprof_reader_get_record_count(view.reader, MPROF_RECORD_CODE_RANGE), ROUNDS * ROUND_CODES);
	hide(&view);
	view = show_file(log_path);
	ring_count = read_samples(&view, in_ring, ALL);
	cr_expect_lt(mprof_reader_get_record_count(view.reader, MPROF_RECORD_CODE_RANGE), ROUNDS * ROUND_CODES / 2);
	cr_expect_lt(most, ROUNDS * ROUND_CODES * 100 / 2, "%d bytes of ranges", (int)most);
	cr_assert_geq(ring_count, ROUND_SAMPLES);
	cr_assert_lt(ring_count, ALL);
	for (size_t i = 0; i < ring_count; i++) {
		const named_sample *same = &in_log[ALL - ring_count + i];

		cr_assert_eq(in_ring[i].counter, same->counter);
		cr_assert_str_eq(in_ring[i].frames, same->frames, "at %d", (int)same->counter);
	}
	hide(&view);
	recorded_log_free(&log);
}
