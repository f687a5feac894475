/* SPDX-License-Identifier: MIT */
/* Labels, names, weak references, synthetic objects and named roots of heap snapshots that a recorder takes. */
#include <mprof/heap.h>

#include "heap_fixture.h"

#include <stdio.h>
#include <string.h>

static mprof_reader *reader;
static mprof_heap_graph *graph;

/* Closes the recorder, and reads the last snapshot as a graph. */
static void read_graph(void)
{
	close_and_read();
	cr_assert_eq(mprof_reader_open_memory(recorded.bytes, recorded.length, NULL, &reader), MPROF_OK);
	cr_assert_eq(mprof_heap_graph_create(NULL, &graph), MPROF_OK);
	cr_assert_eq(mprof_heap_graph_read(graph, reader, NULL, NULL), MPROF_OK);
	cr_assert_eq(mprof_heap_graph_build_dominators(graph), MPROF_OK);
	cr_assert_eq(mprof_heap_graph_build_paths(graph), MPROF_OK);
}

static void release(void)
{
	mprof_heap_graph_destroy(graph);
	mprof_reader_destroy(reader);
	fini();
}

static mprof_heap_object object_at(uint64_t address)
{
	mprof_heap_object stats = {.struct_size = sizeof(stats)};
	uint32_t object;

	cr_assert_eq(mprof_heap_graph_lookup_object(graph, address, &object), MPROF_OK);
	cr_assert_eq(mprof_heap_graph_get_object(graph, object, &stats), MPROF_OK);
	return stats;
}

static mprof_heap_graph_totals totals(void)
{
	mprof_heap_graph_totals all = {.struct_size = sizeof(all)};

	cr_assert_eq(mprof_heap_graph_get_totals(graph, &all), MPROF_OK);
	return all;
}

/* The references of an object as "name > object" with the last digits of its address, separated by commas. */
static const char *references_of(uint64_t address, int is_weak, char text[256])
{
	mprof_heap_reference references[8];
	uint32_t object;
	size_t count;

	text[0] = '\0';
	cr_assert_eq(mprof_heap_graph_lookup_object(graph, address, &object), MPROF_OK);
	if (is_weak)
		cr_assert_eq(mprof_heap_graph_get_weak_references(graph, object, 0, references, sizeof(references[0]),
								  8, &count),
			     MPROF_OK);
	else
		cr_assert_eq(
			mprof_heap_graph_get_references(graph, object, 0, references, sizeof(references[0]), 8, &count),
			MPROF_OK);
	for (size_t i = 0; i < count; i++) {
		mprof_heap_object target = {.struct_size = sizeof(target)};

		(void)mprof_heap_graph_get_object(graph, references[i].object, &target);
		snprintf(text + strlen(text), 256 - strlen(text), "%s%s>%llx", i > 0 ? "," : "", references[i].name,
			 (unsigned long long)(target.address - HEAP));
	}
	return text;
}

static uint32_t define(const char *text)
{
	uint32_t id;

	cr_assert_eq(mprof_recorder_define_text(recorder, text, strlen(text), &id), MPROF_OK);
	return id;
}

static void add_label(const char *text)
{
	mprof_recorder_add_heap_label(recorder, text, strlen(text));
}

static void add_named_root(uint32_t kind, uint64_t object, const char *name)
{
	mprof_recorder_add_heap_named_root(recorder, kind, object, name, strlen(name));
}

/* A client like a recorder for Python: dictionaries whose keys are names. */
Test(heap_notes, of_a_client_are_in_its_log)
{
	const uint64_t values[] = {HEAP + 0x40, HEAP + 0x60, HEAP + 0x80};
	const uint64_t referents[] = {HEAP, HEAP + 0x60};
	uint32_t names[3];
	char text[256];

	open_plain();
	names[0] = define("PATH");
	names[1] = 0;
	names[2] = define("HOME");
	begin(MPROF_HEAP_USE_SHOT, 1);
	add_label("before any object");
	mprof_recorder_add_heap_object(recorder, HEAP, LIST, 64, values, NULL, 1);
	add_label("dict of module os");
	mprof_recorder_add_heap_names(recorder, names, 1);
	mprof_recorder_add_heap_references(recorder, values + 1, NULL, 2);
	mprof_recorder_add_heap_names(recorder, names + 1, 2);
	give(HEAP + 0x40, POINT, 24);
	add_label("HOME");
	cr_expect_eq(mprof_recorder_add_heap_label(recorder, "cut", 0), MPROF_OK);
	cr_expect_eq(mprof_recorder_add_heap_label(recorder, "with\0NUL", 8), MPROF_ERR_ARGUMENT);
	give(HEAP + 0x60, POINT, 24);
	give(HEAP + 0x80, TREE, 48);
	mprof_recorder_add_heap_weak_references(recorder, referents, names + 1, 2);
	add_named_root(MPROF_ROOT_NATIVE, HEAP, "modules");
	add_named_root(MPROF_ROOT_NATIVE, HEAP + 0x40, "modules");
	add_named_root(MPROF_ROOT_INTERNED, HEAP + 0x40, "modules");
	mprof_recorder_add_heap_named_root(recorder, 77, HEAP + 0x60, NULL, 0);
	mprof_recorder_end_heap(recorder);
	add_label("after the snapshot");
	read_graph();
	heap_log_check_shot(&log_read, 1, 0);
	cr_expect_eq(stats.lost_events, 0);
	cr_expect_eq(totals().labels, 2);
	cr_expect_eq(totals().names, 2);
	cr_expect_eq(totals().weak_references, 2);
	cr_expect_eq(totals().missing_notes, 0);
	cr_expect_eq(totals().roots_by_kind[MPROF_ROOT_NATIVE], 2);
	cr_expect_eq(totals().roots_by_kind[MPROF_ROOT_INTERNED], 1);
	cr_expect_eq(totals().roots_by_kind[77], 1);
	cr_expect_eq(mprof_reader_get_record_count(reader, MPROF_RECORD_ROOT), 2, "one for each kind and name");
	cr_expect_str_eq(object_at(HEAP).label, "dict of module os");
	cr_expect_str_eq(object_at(HEAP + 0x40).label, "HOME");
	cr_expect_str_eq(object_at(HEAP + 0x60).label, "");
	cr_expect_str_eq(references_of(HEAP, 0, text), "PATH>40,>60,HOME>80");
	cr_expect_str_eq(references_of(HEAP + 0x80, 1, text), ">0,HOME>60");
	cr_expect_eq(object_at(HEAP).retained_bytes, 112);
	release();
}

/* A client like a recorder for V8, whose roots are objects. */
Test(heap_notes, synthetic_objects_become_roots)
{
	const uint64_t groups[] = {HEAP + 0x20};
	const uint64_t held[] = {HEAP + 0x40};
	mprof_heap_root root = {.struct_size = sizeof(root)};

	open_plain();
	begin(MPROF_HEAP_USE_SHOT, 1);
	mprof_recorder_add_heap_object(recorder, HEAP, TREE, 0, groups, NULL, 1);
	add_label("(GC roots)");
	mprof_recorder_add_heap_flags(recorder, MPROF_OBJECT_FLAG_SYNTHETIC);
	mprof_recorder_add_heap_object(recorder, HEAP + 0x20, TREE, 8, held, NULL, 1);
	add_label("(Handle scope)");
	mprof_recorder_add_heap_flags(recorder, MPROF_OBJECT_FLAG_SYNTHETIC);
	cr_expect_eq(mprof_recorder_add_heap_flags(recorder, 0), MPROF_OK);
	cr_expect_eq(mprof_recorder_add_heap_flags(recorder, 2), MPROF_ERR_ARGUMENT);
	give(HEAP + 0x40, POINT, 24);
	mprof_recorder_add_heap_root(recorder, MPROF_ROOT_NATIVE, 0, HEAP);
	mprof_recorder_end_heap(recorder);
	read_graph();
	cr_expect_eq(totals().synthetic_objects, 2);
	cr_expect_eq(totals().bytes, 24);
	cr_expect_eq(totals().reachable_bytes, 24);
	cr_expect_eq(totals().roots, 1);
	cr_assert_eq(mprof_heap_graph_get_root(graph, 0, &root), MPROF_OK);
	cr_expect_eq(root.kind, MPROF_ROOT_RUNTIME);
	cr_expect_eq(root.holder, 1);
	cr_expect_eq(object_at(HEAP + 0x40).dominator, MPROF_HEAP_NO_OBJECT);
	release();
}

/* A text is cut before a character that would not be whole. */
Test(heap_notes, long_texts_are_cut_at_characters)
{
	char text[2000];

	memset(text, 'a', sizeof(text));
	text[1022] = '\xc3';
	text[1023] = '\xb6';
	open_plain();
	begin(MPROF_HEAP_USE_SHOT, 1);
	give(HEAP, POINT, 24);
	mprof_recorder_add_heap_label(recorder, text, sizeof(text));
	mprof_recorder_add_heap_named_root(recorder, MPROF_ROOT_NATIVE, HEAP, text, 1024);
	mprof_recorder_end_heap(recorder);
	read_graph();
	cr_expect_eq(strlen(object_at(HEAP).label), 1022);
	release();
}

/* What is refused leaves no trace in the log; what does not fit is no error, but counted. */
Test(heap_notes, functions_refuse_what_they_cannot_record)
{
	const uint64_t referents[] = {HEAP};
	const uint32_t names[] = {1};

	open_plain();
	cr_expect_eq(mprof_recorder_end_heap(recorder), MPROF_ERR_STATE);
	cr_expect_eq(mprof_recorder_add_heap_object(recorder, HEAP, POINT, 24, NULL, NULL, 0), MPROF_ERR_STATE);
	cr_expect_eq(mprof_recorder_add_heap_references(recorder, referents, NULL, 1), MPROF_ERR_STATE);
	cr_expect_eq(mprof_recorder_add_heap_label(recorder, "label", 5), MPROF_ERR_STATE);
	cr_expect_eq(mprof_recorder_add_heap_names(recorder, names, 1), MPROF_ERR_STATE);
	cr_expect_eq(mprof_recorder_add_heap_weak_references(recorder, referents, NULL, 1), MPROF_ERR_STATE);
	cr_expect_eq(mprof_recorder_add_heap_flags(recorder, MPROF_OBJECT_FLAG_SYNTHETIC), MPROF_ERR_STATE);
	cr_expect_eq(mprof_recorder_add_heap_named_root(recorder, MPROF_ROOT_NATIVE, HEAP, "vm", 2), MPROF_ERR_STATE);
	cr_expect_eq(mprof_recorder_add_heap_root(recorder, MPROF_ROOT_NATIVE, 0, HEAP), MPROF_ERR_STATE);
	begin(MPROF_HEAP_USE_SHOT, 1);
	cr_expect_eq(mprof_recorder_add_heap_object(recorder, HEAP, POINT, 24, NULL, NULL, 1), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_recorder_add_heap_object(recorder, HEAP, POINT, 24, NULL, NULL, 0), MPROF_OK);
	cr_expect_eq(mprof_recorder_add_heap_references(recorder, NULL, NULL, 1), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_recorder_add_heap_label(recorder, NULL, 1), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_recorder_add_heap_names(recorder, NULL, 1), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_recorder_add_heap_weak_references(recorder, NULL, NULL, 1), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_recorder_add_heap_named_root(recorder, MPROF_ROOT_NATIVE, HEAP, "v\0m", 3),
		     MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_recorder_add_heap_named_root(recorder, MPROF_ROOT_NATIVE, HEAP, "vm", 2), MPROF_OK);
	cr_expect_eq(mprof_recorder_end_heap(recorder), MPROF_OK);
	cr_expect_eq(mprof_recorder_end_heap(recorder), MPROF_ERR_STATE);
	read_graph();
	cr_expect_eq(totals().roots, 1);
	cr_expect_eq(totals().labels, 0);
	cr_expect_eq(totals().objects, 1);
	cr_expect_eq(stats.lost_events, 0);
	release();
}

#define OBJECTS 20000U

/* Labels of several blocks, and of several snapshots of the same objects. */
Test(heap_notes, of_large_snapshots_are_whole, .timeout = 60)
{
	uint32_t names[2];

	open_plain();
	names[0] = define("left");
	names[1] = define("right");
	for (uint32_t shot = 1; shot <= 2; shot++) {
		begin(MPROF_HEAP_USE_SHOT, shot);
		for (uint32_t i = 0; i < OBJECTS; i++) {
			const uint64_t references[] = {HEAP, HEAP + 64 * (uint64_t)i};
			char text[32];

			mprof_recorder_add_heap_object(recorder, HEAP + 64 * (uint64_t)i, TREE, 48, references, NULL,
						       2);
			snprintf(text, sizeof(text), "node %u of %u", i, shot);
			add_label(text);
			mprof_recorder_add_heap_names(recorder, names, 2);
		}
		mprof_recorder_add_heap_root(recorder, MPROF_ROOT_STATIC, 0, HEAP);
		mprof_recorder_end_heap(recorder);
	}
	read_graph();
	cr_expect_eq(stats.lost_events, 0);
	cr_expect_eq(stats.incomplete_shots, 0);
	cr_expect_eq(totals().labels, OBJECTS);
	cr_expect_eq(totals().names, 2 * OBJECTS);
	cr_expect_eq(totals().missing_notes, 0);
	for (uint32_t i = 0; i < OBJECTS; i++) {
		char text[32];

		snprintf(text, sizeof(text), "node %u of 2", i);
		cr_assert_str_eq(object_at(HEAP + 64 * (uint64_t)i).label, text);
	}
	release();
}

/* A label that finds no room makes the snapshot incomplete, like an object. */
Test(heap_notes, without_room_make_the_snapshot_incomplete)
{
	open_small(0);
	block_writer();
	begin(MPROF_HEAP_USE_SHOT, 1);
	give(HEAP, POINT, 24);
	for (int i = 0; i < 100000; i++)
		add_label("a text that fills the memory of the snapshot");
	mprof_recorder_end_heap(recorder);
	atomic_store(&recorded.blocked, 0);
	close_and_read();
	heap_log_check_shot(&log_read, 1, 1);
	cr_expect_eq(stats.incomplete_shots, 1);
	cr_expect_eq(stats.lost_events, 1);
	fini();
}

/* Between the start and the end of a snapshot, other functions may be called; so a class may be defined late. */
Test(heap_notes, definitions_and_threads_during_a_snapshot)
{
	const uint64_t reference = HEAP + 0x40;
	mprof_thread *collector;
	uint32_t late;
	char text[256];

	open_plain();
	begin(MPROF_HEAP_USE_SHOT, 1);
	mprof_recorder_add_heap_object(recorder, HEAP, 0x7000, 24, &reference, NULL, 1);
	define_class(recorder, 0x7000, "Late");
	late = define("late");
	cr_assert_eq(mprof_recorder_attach(recorder, 2, &collector), MPROF_OK);
	mprof_thread_record_event(collector, MPROF_EVENT_GC_START, 0, 0);
	mprof_recorder_add_heap_names(recorder, &late, 1);
	give(HEAP + 0x40, POINT, 24);
	mprof_recorder_add_heap_root(recorder, MPROF_ROOT_STATIC, 0, HEAP);
	mprof_thread_record_event(collector, MPROF_EVENT_GC_END, 0, 0);
	mprof_recorder_end_heap(recorder);
	mprof_thread_detach(collector);
	read_graph();
	check_object(find(1, MPROF_EVENT_HEAP_OBJECT, HEAP), "Late", 24, 1);
	cr_expect_str_eq(references_of(HEAP, 0, text), "late>40");
	release();
}
