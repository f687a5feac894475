/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_classic.c
 * \brief Records in the dialects of Mono: what they can represent is read back, and the readers of that time can read
 * the logs.
 */
#include "recorded_log.h"

#include <criterion/criterion.h>
#include <string.h>

enum { CLASS_A = 0x1000, CLASS_B = 0x2000, METHOD_F = 0x5000, METHOD_G = 0x6000, METHOD_H = 0x7000, NATIVE = 0x8000 };

#define OBJECT UINT64_C(0x7f00dead0008)

#define ALL_DETAILS (MPROF_ALLOCATION_DETAIL_CALLER | MPROF_ALLOCATION_DETAIL_STACK | MPROF_ALLOCATION_DETAIL_OBJECT)

static recorded_log log_read;
static mprof_recorder *recorder;
static mprof_thread *thread;

static mprof_recorder_options options_of(mprof_writer_options *writer, mprof_dialect dialect)
{
	mprof_recorder_options options;

	mprof_writer_options_init(writer, sizeof(*writer));
	writer->dialect = dialect;
	writer->lossy = 1;
	mprof_recorder_options_init(&options, sizeof(options));
	options.writer = writer;
	options.counter = counting_counter;
	return options;
}

static void open_with(const mprof_recorder_options *options)
{
	recorder = recorded_log_open(&log_read, options);
	define_class(recorder, CLASS_A, "Space.A");
	define_class(recorder, CLASS_B, "Space.B");
	define_method(recorder, METHOD_F, CLASS_A, "F ()");
	define_method(recorder, METHOD_G, CLASS_A, "G ()");
	define_method(recorder, METHOD_H, CLASS_B, "H ()");
	define_method(recorder, NATIVE, 0, "main");
	cr_assert_eq(mprof_recorder_attach(recorder, 7, &thread), MPROF_OK);
}

static void open_mono(uint32_t detail)
{
	mprof_writer_options writer;
	mprof_recorder_options options = options_of(&writer, MPROF_DIALECT_MONO);

	options.allocation_detail = detail;
	open_with(&options);
}

static void close_and_read(void)
{
	mprof_thread_detach(thread);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	recorded_log_read(&log_read);
	cr_assert_eq(log_read.status, MPROF_END);
	cr_assert(log_read.complete);
}

/* The event of a kind with an index, from 0. */
static const recorded_event *event_of(mprof_event_kind kind, size_t number)
{
	const recorded_event *found = NULL;

	for (size_t i = 0; i < log_read.event_count && found == NULL; i++)
		if (log_read.events[i].event.kind == kind && number-- == 0)
			found = &log_read.events[i];
	cr_assert_not_null(found, "no such event of kind %d", kind);
	return found;
}

static size_t count_of(mprof_event_kind kind)
{
	size_t count = 0;

	for (size_t i = 0; i < log_read.event_count; i++)
		count += log_read.events[i].event.kind == kind;
	return count;
}

Test(classic, calls_name_their_methods)
{
	open_mono(0);
	mprof_thread_enter_method(thread, METHOD_F);
	mprof_thread_enter_method(thread, METHOD_H);
	mprof_thread_leave_method(thread, METHOD_H);
	mprof_thread_record_event(thread, MPROF_EVENT_METHOD_LEAVE_EXCEPTION, 0, METHOD_F);
	close_and_read();
	cr_assert_eq(log_read.event_count, 4);
	cr_assert_eq(count_of(MPROF_EVENT_METHOD_ENTER), 2);
	cr_assert_eq(count_of(MPROF_EVENT_METHOD_LEAVE), 2);
	cr_assert_str_eq(event_of(MPROF_EVENT_METHOD_LEAVE, 0)->name, "H ()");
	cr_assert_str_eq(event_of(MPROF_EVENT_METHOD_LEAVE, 0)->class_name, "Space.B");
	cr_assert_str_eq(event_of(MPROF_EVENT_METHOD_LEAVE, 1)->name, "F ()");
	recorded_log_free(&log_read);
}

Test(classic, allocations_keep_what_is_asked_for)
{
	const mprof_frame frames[] = {METHOD_F, METHOD_G, METHOD_H};

	for (uint32_t detail = 0; detail <= ALL_DETAILS; detail++) {
		const recorded_event *allocation;

		memset(&log_read, 0, sizeof(log_read));
		open_mono(detail);
		mprof_thread_record_allocation_detailed(thread, CLASS_B, 40, OBJECT, frames, 3);
		close_and_read();
		allocation = event_of(MPROF_EVENT_ALLOCATION, 0);
		cr_assert_str_eq(allocation->name, "Space.B");
		cr_assert_eq(allocation->event.value, 40);
		cr_assert_eq(allocation->detail.object, (detail & MPROF_ALLOCATION_DETAIL_OBJECT) != 0 ? OBJECT : 0);
		cr_assert_str_eq(allocation->caller, (detail & MPROF_ALLOCATION_DETAIL_CALLER) != 0 ? "F ()" : "");
		cr_assert_str_eq(allocation->stack,
				 (detail & MPROF_ALLOCATION_DETAIL_STACK) != 0 ? "F () < G () < H ()" : "");
		/* The log has no stacks, which were not requested. */
		cr_assert_eq(count_of(MPROF_EVENT_STACK_SECTION) != 0, (detail & MPROF_ALLOCATION_DETAIL_STACK) != 0);
		recorded_log_free(&log_read);
	}
}

Test(classic, allocations_of_the_compiler_have_the_compiled_method_as_caller)
{
	const mprof_frame frames[] = {METHOD_F | MPROF_FRAME_COMPILING, METHOD_G};
	const recorded_event *allocation;

	open_mono(ALL_DETAILS);
	mprof_thread_record_allocation_detailed(thread, CLASS_B, 40, OBJECT, frames, 2);
	mprof_thread_record_allocation_detailed(thread, CLASS_B, 40, OBJECT, frames + 1, 1);
	close_and_read();
	cr_assert_eq(count_of(MPROF_EVENT_ALLOCATION_AT_JIT), 1);
	cr_assert_eq(count_of(MPROF_EVENT_ALLOCATION), 1);
	allocation = event_of(MPROF_EVENT_ALLOCATION_AT_JIT, 0);
	cr_assert_str_eq(allocation->name, "Space.B");
	cr_assert_eq(allocation->event.value, 40);
	cr_assert_eq(allocation->detail.object, OBJECT);
	cr_assert_str_eq(allocation->caller, "F ()");
	cr_assert_str_eq(allocation->stack, "F () compiled < G ()");
	cr_assert_str_eq(event_of(MPROF_EVENT_ALLOCATION, 0)->stack, "G ()");
	recorded_log_free(&log_read);
}

Test(classic, monitors_have_stacks_where_sections_are_declared)
{
	const mprof_frame frames[] = {METHOD_G, METHOD_H};

	for (int declared = 0; declared < 2; declared++) {
		mprof_writer_options writer;
		mprof_recorder_options options = options_of(&writer, MPROF_DIALECT_MONO);
		const recorded_event *monitor;

		memset(&log_read, 0, sizeof(log_read));
		writer.directives.bits[0] = declared ? MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK) : 0;
		open_with(&options);
		mprof_thread_record_monitor(thread, MPROF_MONITOR_CONTENDED, CLASS_A, OBJECT, frames, 2);
		close_and_read();
		monitor = event_of(MPROF_EVENT_MONITOR, 0);
		cr_assert_eq(monitor->event.value, MPROF_MONITOR_CONTENDED);
		cr_assert_eq(monitor->detail.object, OBJECT);
		cr_assert_str_eq(monitor->stack, declared ? "G () < H ()" : "");
		recorded_log_free(&log_read);
	}
}

Test(classic, collections_have_their_numbers)
{
	open_mono(0);
	mprof_thread_record_collection(thread, MPROF_EVENT_GC_START, 4, 1);
	mprof_thread_record_collection(thread, MPROF_EVENT_GC_RESIZE, 5, 1 << 20);
	mprof_thread_record_collection(thread, MPROF_EVENT_GC_END, 4, 1);
	close_and_read();
	cr_assert_eq(event_of(MPROF_EVENT_GC_START, 0)->event.id, 4);
	cr_assert_eq(event_of(MPROF_EVENT_GC_START, 0)->event.value, 1);
	cr_assert_eq(event_of(MPROF_EVENT_GC_RESIZE, 0)->event.id, 5);
	cr_assert_eq(event_of(MPROF_EVENT_GC_RESIZE, 0)->event.value, 1 << 20);
	cr_assert_eq(event_of(MPROF_EVENT_GC_END, 0)->event.id, 4);
	recorded_log_free(&log_read);
}

/* The heap blocks of a log. */
static struct {
	uint32_t numbers[8];
	size_t count;
	size_t objects;
	size_t freed;
} heap;

static void add_heap_block(mprof_reader *reader, mprof_block *block)
{
	mprof_event events[16];
	size_t count;

	cr_assert_lt(heap.count, 8);
	heap.numbers[heap.count++] = block->as.heap_data.number;
	cr_assert_eq(mprof_reader_load(reader, block), MPROF_OK);
	while (mprof_reader_next_events(reader, events, 16, &count) == MPROF_OK) {
		for (size_t i = 0; i < count; i++) {
			heap.objects += events[i].kind == MPROF_EVENT_HEAP_OBJECT;
			heap.freed += events[i].kind == MPROF_EVENT_HEAP_FREE;
		}
	}
}

static void read_heap(void)
{
	mprof_reader *reader;
	mprof_block block;
	mprof_status status;

	cr_assert_eq(mprof_reader_open_memory(log_read.bytes, log_read.length, NULL, &reader), MPROF_OK);
	mprof_block_init(&block, sizeof(block));
	while ((status = mprof_reader_next_block(reader, &block)) == MPROF_OK)
		if (block.kind == MPROF_BLOCK_HEAP_DATA)
			add_heap_block(reader, &block);
	cr_assert_eq(status, MPROF_END);
	mprof_reader_destroy(reader);
}

Test(classic, heap_shots_go_by_their_collection)
{
	const uint64_t references[] = {OBJECT + 64};

	open_mono(0);
	for (uint32_t collection = 4; collection < 8; collection += 3) {
		mprof_thread_record_collection(thread, MPROF_EVENT_GC_START, collection, 1);
		cr_assert(
			mprof_recorder_begin_heap(recorder, MPROF_HEAP_USE_SHOT | MPROF_HEAP_USE_SUMMARY, collection));
		mprof_recorder_add_heap_object(recorder, OBJECT, CLASS_A, 24, references, NULL, 1);
		mprof_recorder_add_heap_object(recorder, OBJECT + 64, CLASS_B, 32, NULL, NULL, 0);
		mprof_recorder_add_heap_root(recorder, MPROF_ROOT_STACK, 0, OBJECT);
		mprof_recorder_end_heap(recorder);
		mprof_thread_record_collection(thread, MPROF_EVENT_GC_END, collection, 1);
		/* Later collections do not change the number. */
		mprof_thread_record_collection(thread, MPROF_EVENT_GC_START, collection + 1, 0);
		mprof_thread_record_collection(thread, MPROF_EVENT_GC_END, collection + 1, 0);
	}
	close_and_read();
	read_heap();
	cr_assert_eq(heap.count, 2);
	cr_assert_eq(heap.numbers[0], 4);
	cr_assert_eq(heap.numbers[1], 7);
	cr_assert_eq(heap.objects, 4);
	cr_assert_eq(log_read.blocks[MPROF_BLOCK_HEAP_SUMMARY], 2);
	recorded_log_free(&log_read);
}

Test(classic, what_died_goes_by_its_collection)
{
	mprof_recorder_stats stats = {.struct_size = sizeof(stats)};

	open_mono(0);
	for (uint32_t collection = 5; collection < 7; collection++) {
		cr_assert(mprof_recorder_begin_heap(recorder, MPROF_HEAP_USE_FREED, collection));
		mprof_recorder_add_heap_object(recorder, OBJECT + 64, CLASS_B, 32, NULL, NULL, 0);
		mprof_recorder_add_heap_free(recorder, OBJECT, CLASS_A, 24);
		mprof_recorder_add_heap_free(recorder, OBJECT + 128, CLASS_A, 24);
		mprof_recorder_end_heap(recorder);
	}
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	cr_assert_eq(mprof_recorder_get_stats(recorder, &stats), MPROF_OK);
	cr_assert_eq(stats.heap_shots, 0);
	close_and_read();
	read_heap();
	cr_assert_eq(heap.count, 2);
	cr_assert_eq(heap.numbers[0], 5);
	cr_assert_eq(heap.numbers[1], 6);
	cr_assert_eq(heap.freed, 4);
	/* The objects alive were not requested. */
	cr_assert_eq(heap.objects, 0);
	recorded_log_free(&log_read);
}

Test(classic, methods_without_a_class_get_one)
{
	const mprof_dialect dialects[] = {MPROF_DIALECT_MONO, MPROF_DIALECT_UNITY, MPROF_DIALECT_DROP,
					  MPROF_DIALECT_MAIL, MPROF_DIALECT_MPROF2};

	for (size_t i = 0; i < sizeof(dialects) / sizeof(dialects[0]); i++) {
		mprof_writer_options writer;
		mprof_recorder_options options = options_of(&writer, dialects[i]);
		const recorded_event *entered;

		memset(&log_read, 0, sizeof(log_read));
		open_with(&options);
		mprof_thread_enter_method(thread, NATIVE);
		mprof_thread_enter_method(thread, METHOD_F);
		close_and_read();
		entered = event_of(MPROF_EVENT_METHOD_ENTER, 0);
		cr_assert_str_eq(entered->name, "main");
		cr_assert_str_eq(entered->class_name, i < 3 ? "(no class)" : "");
		entered = event_of(MPROF_EVENT_METHOD_ENTER, 1);
		cr_assert_str_eq(entered->class_name, "Space.A");
		recorded_log_free(&log_read);
	}
}

Test(classic, what_was_drained_is_there_before_the_end)
{
	mprof_recorder_stats stats = {.struct_size = sizeof(stats)};
	mprof_writer_stats written = {.struct_size = sizeof(written)};

	open_mono(MPROF_ALLOCATION_DETAIL_STACK);
	mprof_thread_enter_method(thread, METHOD_F);
	cr_assert_eq(mprof_recorder_set_enabled(recorder, 0), MPROF_OK);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	recorded_log_read(&log_read);
	cr_assert_not(log_read.complete);
	cr_assert_eq(count_of(MPROF_EVENT_METHOD_ENTER), 1);
	mprof_thread_enter_method(thread, METHOD_G);
	cr_assert_eq(mprof_recorder_set_enabled(recorder, 1), MPROF_OK);
	mprof_thread_leave_method(thread, METHOD_F);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	cr_assert_eq(mprof_recorder_get_stats(recorder, &stats), MPROF_OK);
	cr_assert_eq(mprof_recorder_get_writer_stats(recorder, &written), MPROF_OK);
	mprof_thread_detach(thread);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	log_read.event_count = 0;
	recorded_log_read(&log_read);
	cr_assert(log_read.complete);
	/* The dialect cannot represent that recording was stopped meanwhile; that is counted. */
	cr_assert_eq(count_of(MPROF_EVENT_METHOD_ENTER), 1);
	cr_assert_eq(count_of(MPROF_EVENT_METHOD_LEAVE), 1);
	cr_assert_eq(count_of(MPROF_EVENT_RECORDING_RESUMED), 0);
	cr_assert_gt(stats.left_out, 0);
	cr_assert_eq(written.left_out, stats.left_out);
	cr_assert_eq(written.left_out_events[MPROF_EVENT_RECORDING_RESUMED], 1);
	recorded_log_free(&log_read);
}

Test(classic, is_refused_unless_lossy)
{
	mprof_writer_options writer;
	mprof_recorder_options options = options_of(&writer, MPROF_DIALECT_MONO);
	mprof_sink sink = recorded_log_sink(&log_read);

	writer.lossy = 0;
	cr_assert_eq(mprof_recorder_open_sink(&sink, &options, &recorder, NULL), MPROF_ERR_UNSUPPORTED);
	cr_assert_null(recorder);
	recorded_log_free(&log_read);
}
