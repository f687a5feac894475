/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_roots.c
 * \brief Root areas: heap snapshots find them by address, as they were when the snapshot was taken.
 */
#include "recorded_log.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { CLASS_A = 0x1000, CLASS_B = 0x2000, MAX_ROOTS = 64 };

/* A root of a heap snapshot, with its area in the log. */
typedef struct found_root {
	uint32_t id;
	uint32_t kind;
	uint64_t object;
	mprof_record area; /**< All 0 without an ID. */
	char name[32];
	char class_name[32];
} found_root;

static found_root found[MAX_ROOTS];
static size_t found_count;

static mprof_recorder *open_usual(recorded_log *log)
{
	mprof_recorder_options options;
	mprof_recorder *recorder;

	mprof_recorder_options_init(&options, sizeof(options));
	/* Rounds are done on request only. */
	options.drain_interval_ms = 60000;
	recorder = recorded_log_open(log, &options);
	define_class(recorder, CLASS_A, "Space.A");
	define_class(recorder, CLASS_B, "Space.B");
	return recorder;
}

static void enroll(mprof_recorder *recorder, uint64_t start, uint64_t size, mprof_root_kind kind, const char *name)
{
	const mprof_root_area area = {
		.struct_size = sizeof(mprof_root_area), .start = start, .size = size, .kind = kind, .name = name};

	cr_assert_eq(mprof_recorder_register_root(recorder, &area), MPROF_OK);
}

/* A snapshot of one object, which is referenced from these addresses. */
static void shoot(mprof_recorder *recorder, const uint64_t *slots, size_t count)
{
	cr_assert_eq(mprof_recorder_begin_heap(recorder, MPROF_HEAP_USE_SHOT, 0), 1);
	mprof_recorder_add_heap_object(recorder, 0x100000, CLASS_A, 24, NULL, NULL, 0);
	for (size_t i = 0; i < count; i++)
		mprof_recorder_add_heap_root(recorder, MPROF_ROOT_OTHER, slots[i], 0x100000);
	mprof_recorder_end_heap(recorder);
}

static void take_root(mprof_reader *reader, const mprof_event *event)
{
	found_root *root = &found[found_count++];
	mprof_mapping mapping;

	cr_assert_leq(found_count, MAX_ROOTS);
	memset(root, 0, sizeof(*root));
	root->id = event->id;
	root->kind = (uint32_t)event->value;
	root->object = event->more.detail->object;
	if (event->id == 0)
		return;
	cr_assert_eq(
		mprof_reader_lookup_record(reader, MPROF_RECORD_ROOT, event->id, &root->area, sizeof(mprof_record)),
		MPROF_OK);
	snprintf(root->name, sizeof(root->name), "%s", root->area.as.root.name);
	if (root->area.as.root.class_id != 0 &&
	    mprof_reader_lookup_class(reader, root->area.as.root.class_id, &mapping, sizeof(mapping)) == MPROF_OK)
		snprintf(root->class_name, sizeof(root->class_name), "%s", mapping.name);
}

static void finish(mprof_recorder *recorder, recorded_log *log)
{
	mprof_reader *reader;
	mprof_block block;
	mprof_event events[16];
	size_t count;

	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	recorded_log_read(log);
	cr_assert_eq(log->status, MPROF_END);
	cr_assert(log->complete);
	found_count = 0;
	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, NULL, &reader), MPROF_OK);
	mprof_block_init(&block, sizeof(block));
	while (mprof_reader_next_block(reader, &block) == MPROF_OK) {
		while (block.kind == MPROF_BLOCK_HEAP_DATA &&
		       mprof_reader_next_events(reader, events, 16, &count) == MPROF_OK) {
			for (size_t i = 0; i < count; i++) {
				if (events[i].kind == MPROF_EVENT_HEAP_ROOT)
					take_root(reader, &events[i]);
			}
		}
	}
	mprof_reader_destroy(reader);
}

Test(roots, an_address_is_in_the_area_around_it)
{
	const uint64_t slots[] = {0x5000, 0x503f, 0x5040, 0x4fff, 0, 0x7fff8, UINT64_MAX};
	const mprof_root_area statics = {.struct_size = sizeof(mprof_root_area),
					 .start = 0x5000,
					 .size = 0x40,
					 .kind = MPROF_ROOT_STATIC,
					 .class_key = CLASS_B,
					 .name = "statics of B"};
	const mprof_root_area stack = {.struct_size = sizeof(mprof_root_area),
				       .start = 0x70000,
				       .size = 0x10000,
				       .kind = MPROF_ROOT_STACK,
				       .thread = 77};
	const mprof_root_area last = {
		.struct_size = sizeof(mprof_root_area), .start = UINT64_MAX - 7, .size = 8, .kind = MPROF_ROOT_HANDLE};
	recorded_log log = {0};
	mprof_recorder *recorder = open_usual(&log);

	cr_assert_eq(mprof_recorder_register_root(recorder, &stack), MPROF_OK);
	cr_assert_eq(mprof_recorder_register_root(recorder, &statics), MPROF_OK);
	cr_assert_eq(mprof_recorder_register_root(recorder, &last), MPROF_OK);
	shoot(recorder, slots, 7);
	finish(recorder, &log);
	cr_assert_eq(found_count, 7);
	for (size_t i = 0; i < 2; i++) {
		cr_assert_str_eq(found[i].name, "statics of B");
		cr_assert_str_eq(found[i].class_name, "Space.B");
		cr_assert_eq(found[i].kind, MPROF_ROOT_STATIC);
		cr_assert_eq(found[i].area.as.root.kind, MPROF_ROOT_STATIC);
		cr_assert_eq(found[i].area.as.root.address, 0x5000);
		cr_assert_eq(found[i].area.as.root.size, 0x40);
		cr_assert_eq(found[i].area.as.root.thread, 0);
		cr_assert_eq(found[i].object, 0x100000);
	}
	for (size_t i = 2; i < 5; i++) {
		cr_assert_eq(found[i].id, 0);
		cr_assert_eq(found[i].kind, MPROF_ROOT_OTHER);
	}
	cr_assert_eq(found[5].kind, MPROF_ROOT_STACK);
	cr_assert_eq(found[5].area.as.root.thread, 77);
	cr_assert_str_eq(found[5].name, "");
	cr_assert_str_eq(found[5].class_name, "");
	cr_assert_eq(found[6].kind, MPROF_ROOT_HANDLE);
	recorded_log_free(&log);
}

Test(roots, areas_are_written_once_and_only_for_shots)
{
	const uint64_t slots[] = {0x5000, 0x6000};
	recorded_log log = {0};
	mprof_recorder *recorder = open_usual(&log);

	enroll(recorder, 0x5000, 8, MPROF_ROOT_STATIC, "first");
	enroll(recorder, 0x6000, 8, MPROF_ROOT_STATIC, "second");
	for (int i = 0; i < 3; i++) {
		shoot(recorder, slots, 2);
		cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	}
	enroll(recorder, 0x7000, 8, MPROF_ROOT_STATIC, "of no shot");
	finish(recorder, &log);
	cr_assert_eq(found_count, 6);
	for (size_t i = 0; i < 6; i++)
		cr_assert_str_eq(found[i].name, i % 2 == 0 ? "first" : "second");
	cr_assert_eq(log.record_count, 2);
	cr_assert_eq(log.blocks[MPROF_BLOCK_ROOTS], 1);
	recorded_log_free(&log);
}

Test(roots, areas_are_those_of_the_time_of_the_shot)
{
	const uint64_t slot = 0x5004;
	recorded_log log = {0};
	mprof_recorder *recorder = open_usual(&log);

	enroll(recorder, 0x5000, 8, MPROF_ROOT_STATIC, "first");
	shoot(recorder, &slot, 1);
	/* The snapshot is not drained yet: the area existed when it was taken. */
	cr_assert_eq(mprof_recorder_unregister_root(recorder, 0x5000), MPROF_OK);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	shoot(recorder, &slot, 1);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	/* Registered again at the same address, and then replaced by another one. */
	enroll(recorder, 0x5000, 8, MPROF_ROOT_STATIC, "second");
	shoot(recorder, &slot, 1);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	enroll(recorder, 0x5000, 4, MPROF_ROOT_HANDLE, "third");
	shoot(recorder, &slot, 1);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	/* Registered and unregistered without a snapshot. */
	enroll(recorder, 0x5004, 4, MPROF_ROOT_HANDLE, "fourth");
	cr_assert_eq(mprof_recorder_unregister_root(recorder, 0x5004), MPROF_OK);
	cr_assert_eq(mprof_recorder_unregister_root(recorder, 0x9999), MPROF_OK);
	shoot(recorder, &slot, 1);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	/* The same, inside of another one. */
	enroll(recorder, 0x5000, 8, MPROF_ROOT_HANDLE, "fifth");
	enroll(recorder, 0x5004, 4, MPROF_ROOT_HANDLE, "sixth");
	cr_assert_eq(mprof_recorder_unregister_root(recorder, 0x5004), MPROF_OK);
	shoot(recorder, &slot, 1);
	finish(recorder, &log);
	cr_assert_eq(found_count, 6);
	cr_assert_str_eq(found[0].name, "first");
	cr_assert_eq(found[1].id, 0);
	cr_assert_str_eq(found[2].name, "second");
	cr_assert_eq(found[3].id, 0);
	cr_assert_eq(found[4].id, 0);
	cr_assert_str_eq(found[5].name, "fifth");
	recorded_log_free(&log);
}

Test(roots, many_areas_come_and_go)
{
	enum { AREAS = 5000 };
	const uint64_t slots[] = {0x100000 + 16 * 4998, 0x100000 + 16 * 4999};
	recorded_log log = {0};
	mprof_recorder *recorder = open_usual(&log);
	size_t areas = 0;

	/* In another order than that of addresses; those with an odd number are unregistered at the end. */
	for (uint64_t i = 0; i < AREAS; i++)
		enroll(recorder, 0x100000 + i * 7 % AREAS * 16, 16, MPROF_ROOT_STATIC, i % 2 == 0 ? "name" : NULL);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	for (uint64_t i = 1; i < AREAS; i += 2)
		cr_assert_eq(mprof_recorder_unregister_root(recorder, 0x100000 + i * 16), MPROF_OK);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	shoot(recorder, slots, 2);
	finish(recorder, &log);
	cr_assert_eq(found_count, 2);
	cr_assert_eq(found[0].area.as.root.address, slots[0]);
	cr_assert_eq(found[1].id, 0);
	for (size_t i = 0; i < log.record_count; i++) {
		cr_assert_eq(log.records[i].record.id, i + 1);
		areas++;
	}
	cr_assert_geq(areas, AREAS / 2);
	recorded_log_free(&log);
}

Test(roots, refuses_what_the_contract_forbids)
{
	mprof_root_area area = {.struct_size = sizeof(mprof_root_area), .start = 0x5000, .size = 0};
	recorded_log log = {0};
	mprof_recorder *recorder = open_usual(&log);

	cr_assert_eq(mprof_recorder_register_root(recorder, &area), MPROF_ERR_ARGUMENT);
	area.size = UINT64_MAX;
	cr_assert_eq(mprof_recorder_register_root(recorder, &area), MPROF_ERR_ARGUMENT);
	area.size = 8;
	area.kind = MPROF_ROOT_GLOBAL + 1;
	cr_assert_eq(mprof_recorder_register_root(recorder, &area), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_register_root(recorder, NULL), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_register_root(NULL, &area), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_unregister_root(NULL, 1), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	area.kind = MPROF_ROOT_OTHER;
	cr_assert_eq(mprof_recorder_register_root(recorder, &area), MPROF_ERR_STATE);
	mprof_recorder_destroy(recorder);
	recorded_log_free(&log);
}
