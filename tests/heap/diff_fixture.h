/* SPDX-License-Identifier: MIT */
/**
 * \file diff_fixture.h
 * \brief Makes logs with several heap snapshots, and compares them.
 */
#ifndef HEAP_DIFF_FIXTURE_H
#define HEAP_DIFF_FIXTURE_H

#include "heap/graph_fixture.h"

#include <mprof/heap.h>

#define LIST_CLASS 1
#define ARRAY_CLASS 2
#define ORDER_CLASS 3
#define TEXT_CLASS 4

#define LIST_ADDRESS UINT64_C(0x1000)
#define ARRAY_ADDRESS UINT64_C(0x2000)
#define MAX_ORDERS 64

/** A list of orders that a static field holds; each order has a text. */
typedef struct shop {
	uint32_t orders;
	uint64_t base;       /**< Address of the first order: a collector may have moved them. */
	uint64_t array_size; /**< Bytes of the array of the list. */
	int has_local;       /**< A stack refers to the list and to the first order. */
	uint32_t flags;      /**< Of the HEAP_DATA block. */
} shop;

static inline mprof_record field_record(uint32_t class_id, uint32_t offset, uint32_t stride, const char *name)
{
	mprof_record record;

	memset(&record, 0, sizeof(record));
	record.kind = MPROF_RECORD_FIELD;
	record.id = class_id;
	record.as.field.offset = offset;
	record.as.field.stride = stride;
	record.as.field.name = name;
	return record;
}

static inline mprof_record static_record(uint32_t id, const char *name)
{
	mprof_record record;

	memset(&record, 0, sizeof(record));
	record.kind = MPROF_RECORD_ROOT;
	record.id = id;
	record.as.root.kind = MPROF_ROOT_STATIC;
	record.as.root.name = name;
	return record;
}

static inline void begin_shop_log(heap_log *log)
{
	const mprof_record fields[] = {
		field_record(LIST_CLASS, 16, 0, "items"),
		field_record(ARRAY_CLASS, 32, 8, "[]"),
		field_record(ORDER_CLASS, 24, 0, "text"),
	};
	const mprof_record root = static_record(1, "Shop.orders");

	heap_log_begin(log, MPROF_DIALECT_MPROF2);
	cr_assert_eq(mprof_writer_write_records(log->writer, MPROF_BLOCK_FIELDS, 0, fields, sizeof(fields[0]), 3),
		     MPROF_OK);
	cr_assert_eq(mprof_writer_write_records(log->writer, MPROF_BLOCK_ROOTS, 0, &root, sizeof(root), 1), MPROF_OK);
}

static inline void append_orders(heap_content *content, const shop *shop, uint64_t *references, uint64_t *offsets)
{
	static const uint64_t text_offset = 24;
	static uint64_t texts[MAX_ORDERS];

	for (uint32_t i = 0; i < shop->orders; i++) {
		references[i] = shop->base + i * 0x100;
		offsets[i] = 32 + i * 8;
		texts[i] = references[i] + 0x80;
		heap_append_object(content, references[i], ORDER_CLASS, 40, &texts[i], &text_offset, 1);
		heap_append_object(content, texts[i], TEXT_CLASS, 60, NULL, NULL, 0);
	}
	heap_append_object(content, ARRAY_ADDRESS, ARRAY_CLASS, shop->array_size, references, offsets, shop->orders);
}

static inline void write_shop(heap_log *log, const shop *shop, uint32_t number)
{
	static const uint64_t array = ARRAY_ADDRESS;
	static const uint64_t items_offset = 16;
	uint64_t references[MAX_ORDERS];
	uint64_t offsets[MAX_ORDERS];
	heap_content content = {NULL, NULL, 0, 0};

	if (shop->has_local) {
		heap_append_root(&content, shop->base, MPROF_ROOT_STACK);
		heap_append_root(&content, LIST_ADDRESS, MPROF_ROOT_STACK);
	}
	append_orders(&content, shop, references, offsets);
	heap_append_object(&content, LIST_ADDRESS, LIST_CLASS, 32, &array, &items_offset, 1);
	heap_append(&content, MPROF_EVENT_HEAP_ROOT, 1, MPROF_ROOT_STATIC, LIST_ADDRESS);
	heap_write(log, &content, number, shop->flags, 1000000 + number * 1000);
}

/**
 * Writes a log with a snapshot for each number of orders. \p stated: the property snapshots_before_shutdown, or NULL for
 * none. It is written before the last snapshot, as recorders do.
 */
static inline void make_stated_log(heap_log *log, const uint32_t *orders, uint32_t count, const char *stated)
{
	const mprof_property property = {"snapshots_before_shutdown", stated};

	begin_shop_log(log);
	for (uint32_t i = 0; i < count; i++) {
		const shop shop = {orders[i], 0x10000 + (uint64_t)i * 0x10, 600, i % 2 == 1, WHOLE_SNAPSHOT};

		if (i + 1 == count && stated != NULL)
			cr_assert_eq(mprof_writer_write_session(log->writer, &property, sizeof(property), 1), MPROF_OK);
		write_shop(log, &shop, i + 1);
	}
	heap_log_close(log, 0);
}

static inline void make_shop_log(heap_log *log, const uint32_t *orders, uint32_t count)
{
	make_stated_log(log, orders, count, NULL);
}

static inline void add_snapshot(mprof_heap_diff *diff, heap_log *log, uint32_t snapshot, uint32_t log_number)
{
	mprof_heap_graph_options options = options_for(snapshot);
	mprof_status status = heap_log_read(log, &options);

	cr_assert(status == MPROF_OK || status == MPROF_ERR_TRUNCATED);
	status = mprof_heap_graph_build_dominators(log->graph);
	cr_assert(status == MPROF_OK || status == MPROF_ERR_UNSUPPORTED);
	cr_assert_eq(mprof_heap_diff_add(diff, log->graph, log->reader, log_number), MPROF_OK);
	heap_log_forget(log);
}

/** Compares all snapshots of a log; \p end: mprof_heap_diff_options::is_last_at_exit. */
static inline mprof_heap_diff *diff_to_end(heap_log *log, uint32_t count, mprof_heap_diff_end end)
{
	mprof_heap_diff_options options;
	mprof_heap_diff *diff;

	mprof_heap_diff_options_init(&options, sizeof(options));
	options.is_last_at_exit = (uint32_t)end;
	cr_assert_eq(mprof_heap_diff_create(&options, &diff), MPROF_OK);
	for (uint32_t i = 1; i <= count; i++)
		add_snapshot(diff, log, i, 1);
	return diff;
}

static inline mprof_heap_diff *diff_of(heap_log *log, uint32_t count)
{
	return diff_to_end(log, count, MPROF_HEAP_DIFF_END_RUNNING);
}

static inline mprof_heap_diff_totals diff_totals(const mprof_heap_diff *diff)
{
	mprof_heap_diff_totals totals = {.struct_size = sizeof(totals)};

	cr_assert_eq(mprof_heap_diff_get_totals(diff, &totals), MPROF_OK);
	return totals;
}

static inline mprof_heap_diff_snapshot diff_snapshot_at(const mprof_heap_diff *diff, size_t index)
{
	mprof_heap_diff_snapshot snapshot = {.struct_size = sizeof(snapshot)};

	cr_assert_eq(mprof_heap_diff_get_snapshot(diff, index, &snapshot), MPROF_OK);
	return snapshot;
}

static inline mprof_heap_shape shape_at(const mprof_heap_diff *diff, size_t index, size_t snapshot)
{
	mprof_heap_shape shape = {.struct_size = sizeof(shape)};

	cr_assert_eq(mprof_heap_diff_get_shape(diff, index, snapshot, &shape), MPROF_OK);
	return shape;
}

/** The class with a name in a snapshot. */
static inline mprof_heap_diff_class class_named(const mprof_heap_diff *diff, const char *name, size_t snapshot)
{
	mprof_heap_diff_class stats = {.struct_size = sizeof(stats)};

	for (size_t i = 0; mprof_heap_diff_get_class(diff, i, snapshot, &stats) == MPROF_OK; i++) {
		if (strcmp(stats.name, name) == 0)
			return stats;
	}
	cr_assert_fail("no class %s", name);
	return stats;
}

#define MAX_GROWTHS 8

static inline size_t growths_of(mprof_heap_diff *diff, mprof_heap_growth *growths)
{
	size_t count;

	cr_assert_eq(mprof_heap_diff_get_growth(diff, growths, sizeof(*growths), MAX_GROWTHS, &count), MPROF_OK);
	return count;
}

#endif
