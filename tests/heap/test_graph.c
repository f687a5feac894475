/* SPDX-License-Identifier: MIT */
/* Which snapshot of a log a heap graph contains, and what it reports if a part of it is missing. */
#include "heap/random_heap.h"

/* Node i refers to node i + 1; the first has a root. */
static plain_heap list_of(uint32_t count, uint64_t size)
{
	plain_heap heap;

	memset(&heap, 0, sizeof(heap));
	heap.node_count = count;
	heap.is_root[0] = 1;
	for (uint32_t i = 0; i < count; i++) {
		heap.classes[i] = 1 + i % 2;
		heap.sizes[i] = size;
		if (i + 1 == count)
			break;
		heap.sources[heap.edge_count] = i;
		heap.targets[heap.edge_count++] = i + 1;
	}
	return heap;
}

static void write_lists(heap_log *log, uint32_t snapshots)
{
	heap_log_begin(log, MPROF_DIALECT_MPROF2);
	for (uint32_t i = 1; i <= snapshots; i++) {
		plain_heap heap = list_of(10 * i, i);

		write_plain_heap(log, &heap, i);
	}
}

Test(heap_graph, is_of_the_last_snapshot)
{
	heap_log log;

	write_lists(&log, 3);
	heap_log_close(&log, 0);
	cr_assert_eq(heap_log_read(&log, NULL), MPROF_OK);
	cr_expect_eq(totals_of(&log).snapshot, 3);
	cr_expect_eq(totals_of(&log).number, 3);
	cr_expect_eq(totals_of(&log).objects, 30);
	cr_expect_eq(totals_of(&log).bytes, 90);
	cr_expect_eq(totals_of(&log).references, 29);
	cr_expect_eq(totals_of(&log).roots, 1);
	cr_expect_eq(totals_of(&log).roots_by_kind[MPROF_ROOT_STATIC], 1);
	cr_expect_eq(totals_of(&log).classes, 2);
	cr_expect_eq(totals_of(&log).incomplete, 0);
	cr_expect_eq(totals_of(&log).time_ns, 1000000);
	cr_expect_eq(totals_of(&log).reachable_objects, 0);
	cr_assert_eq(mprof_heap_graph_get_snapshot_count(log.graph), 3);
	cr_expect_eq(snapshot_at(&log, 0).objects, 10);
	cr_expect_eq(snapshot_at(&log, 1).bytes, 40);
	cr_expect_eq(snapshot_at(&log, 1).references, 19);
	cr_expect_eq(snapshot_at(&log, 1).roots, 1);
	cr_expect_eq(mprof_heap_graph_read(log.graph, log.reader, NULL, NULL), MPROF_ERR_STATE);
	heap_log_release(&log);
}

Test(heap_graph, is_of_the_snapshot_that_was_chosen)
{
	mprof_heap_graph_options options = options_for(2);
	heap_log log;

	write_lists(&log, 3);
	/* The rest of the log is not read, so it does not matter that it has no end. */
	heap_log_close(&log, 1);
	cr_assert_eq(heap_log_read(&log, &options), MPROF_OK);
	cr_expect_eq(totals_of(&log).snapshot, 2);
	cr_expect_eq(totals_of(&log).objects, 20);
	cr_expect_eq(totals_of(&log).incomplete, 0);
	cr_expect_eq(mprof_heap_graph_get_snapshot_count(log.graph), 2);
	heap_log_forget(&log);
	options.snapshot = 4;
	cr_expect_eq(heap_log_read(&log, &options), MPROF_ERR_TRUNCATED);
	cr_expect_eq(totals_of(&log).snapshot, 0);
	cr_expect_eq(totals_of(&log).objects, 0);
	cr_expect_eq(mprof_heap_graph_get_snapshot_count(log.graph), 3);
	cr_expect_eq(mprof_heap_graph_build_dominators(log.graph), MPROF_ERR_STATE);
	cr_expect_eq(mprof_heap_graph_build_referrers(log.graph), MPROF_ERR_STATE);
	heap_log_release(&log);
}

Test(heap_graph, lists_snapshots_without_their_objects)
{
	mprof_heap_graph_options options = options_for(0);
	heap_log log;

	options.list_only = 1;
	write_lists(&log, 3);
	heap_log_close(&log, 0);
	cr_assert_eq(heap_log_read(&log, &options), MPROF_OK);
	cr_expect_eq(mprof_heap_graph_get_snapshot_count(log.graph), 3);
	cr_expect_eq(snapshot_at(&log, 2).objects, 30);
	cr_expect_eq(totals_of(&log).snapshot, 0);
	heap_log_release(&log);
	options.snapshot = 1;
	cr_expect_eq(mprof_heap_graph_create(&options, &log.graph), MPROF_ERR_ARGUMENT);
}

/* Blocks of two snapshots interleave; references of an object follow in a later block of its snapshot. */
Test(heap_graph, has_the_blocks_of_one_snapshot)
{
	const uint64_t references[] = {0x2000, 0x3000, 0x1000};
	mprof_heap_graph_options options = options_for(1);
	heap_content content = {NULL, NULL, 0, 0};
	heap_log log;

	heap_log_begin(&log, MPROF_DIALECT_MPROF2);
	heap_append_object(&content, 0x1000, 1, 10, references, NULL, 1);
	heap_write(&log, &content, 1, MPROF_HEAP_FLAG_FIRST, 1000);
	heap_append_object(&content, 0x1000, 2, 1000, references, NULL, 3);
	heap_write(&log, &content, 2, MPROF_HEAP_FLAG_FIRST, 2000);
	heap_append(&content, MPROF_EVENT_HEAP_REFERENCES, 0, 0, 0)->references = references + 1;
	content.details[0].reference_count = 2;
	heap_append_object(&content, 0x2000, 1, 20, NULL, NULL, 0);
	heap_append_object(&content, 0x3000, 1, UINT64_C(1) << 40, NULL, NULL, 0);
	heap_append_root(&content, 0x1000, MPROF_ROOT_HANDLE);
	heap_write(&log, &content, 1, MPROF_HEAP_FLAG_LAST, 1000);
	heap_append_root(&content, 0x1000, MPROF_ROOT_HANDLE);
	heap_write(&log, &content, 2, MPROF_HEAP_FLAG_LAST, 2000);
	heap_log_close(&log, 0);
	cr_assert_eq(heap_log_read(&log, &options), MPROF_OK);
	cr_expect_eq(totals_of(&log).objects, 3);
	cr_expect_eq(totals_of(&log).references, 3);
	cr_expect_eq(totals_of(&log).missing_references, 0);
	cr_expect_eq(totals_of(&log).incomplete, 0);
	cr_expect_eq(object_at(&log, 0).references, 3);
	cr_expect_eq(object_at(&log, 2).bytes, UINT64_C(1) << 40);
	heap_log_forget(&log);
	cr_assert_eq(heap_log_read(&log, NULL), MPROF_OK);
	cr_expect_eq(totals_of(&log).snapshot, 2);
	cr_expect_eq(totals_of(&log).bytes, 1000);
	cr_expect_eq(totals_of(&log).missing_references, 2);
	cr_expect_eq(totals_of(&log).incomplete, 0);
	heap_log_release(&log);
}

Test(heap_graph, counts_what_the_snapshot_lacks)
{
	const uint64_t references[] = {0x2000, 0, 0x9000};
	heap_content content = {NULL, NULL, 0, 0};
	heap_log log;

	heap_log_begin(&log, MPROF_DIALECT_MPROF2);
	/* References without an object. */
	heap_append(&content, MPROF_EVENT_HEAP_REFERENCES, 0, 0, 0)->references = references;
	content.details[0].reference_count = 3;
	heap_append_object(&content, 0x1000, 1, 10, references, NULL, 3);
	heap_append_object(&content, 0x2000, 1, 20, references, NULL, 1);
	/* The same address once more, with other references. */
	heap_append_object(&content, 0x1000, 2, 1000, references + 2, NULL, 1);
	heap_append_root(&content, 0x1000, MPROF_ROOT_STATIC);
	heap_append_root(&content, 0x7000, MPROF_ROOT_STATIC);
	heap_write(&log, &content, 1, WHOLE_SNAPSHOT, 1000);
	heap_log_close(&log, 0);
	cr_assert_eq(heap_log_read(&log, NULL), MPROF_OK);
	cr_expect_eq(totals_of(&log).objects, 2);
	cr_expect_eq(totals_of(&log).bytes, 30);
	cr_expect_eq(totals_of(&log).references, 3);
	cr_expect_eq(totals_of(&log).missing_references, 1);
	cr_expect_eq(totals_of(&log).missing_roots, 1);
	cr_expect_eq(totals_of(&log).roots, 1);
	cr_expect_eq(totals_of(&log).orphan_references, 3);
	cr_expect_eq(totals_of(&log).repeated_objects, 1);
	cr_expect_eq(totals_of(&log).incomplete, 1);
	cr_expect_eq(object_at(&log, 0).class_id, 1);
	cr_expect_eq(object_at(&log, 0).references, 2);
	cr_assert_eq(mprof_heap_graph_build_dominators(log.graph), MPROF_OK);
	cr_expect_eq(object_at(&log, 0).retained_bytes, 30);
	heap_log_release(&log);
}

static size_t damage_count;

static void count_damage(void *user, const mprof_error *error)
{
	(void)user;
	(void)error;
	damage_count++;
}

/* A log that ends at any byte: the snapshot is complete only if all of it is there, and no more objects than that. */
Test(heap_graph, of_a_truncated_log)
{
	plain_heap heap = list_of(40, 8);
	size_t complete = 0;
	size_t incomplete = 0;
	size_t length;
	heap_log log;

	heap_log_begin(&log, MPROF_DIALECT_MPROF2);
	write_plain_heap(&log, &heap, 1);
	heap_log_close(&log, 0);
	length = log.length;
	for (log.length = 0; log.length < length; log.length++) {
		mprof_status opened = mprof_reader_open_memory(log.bytes, log.length, NULL, &log.reader);

		cr_assert_eq(mprof_heap_graph_create(NULL, &log.graph), MPROF_OK);
		damage_count = 0;
		if (opened == MPROF_OK) {
			cr_assert_eq(mprof_heap_graph_read(log.graph, log.reader, count_damage, NULL),
				     MPROF_ERR_TRUNCATED);
			cr_assert_eq(damage_count, 1);
			complete += totals_of(&log).snapshot == 1 && !totals_of(&log).incomplete;
			incomplete += totals_of(&log).snapshot == 1 && totals_of(&log).incomplete;
			cr_assert(totals_of(&log).incomplete || totals_of(&log).snapshot == 0 ||
				  totals_of(&log).objects == 40);
		}
		heap_log_forget(&log);
	}
	cr_expect_gt(complete, 0);
	cr_expect_gt(incomplete, 40);
	heap_log_release(&log);
}

/* Each byte of a block is damaged in turn: either it is noticed, or the snapshot is incomplete or absent. */
Test(heap_graph, of_a_damaged_log)
{
	plain_heap heap = list_of(30, 8);
	heap_log log;

	heap_log_begin(&log, MPROF_DIALECT_MPROF2);
	write_plain_heap(&log, &heap, 1);
	write_plain_heap(&log, &heap, 2);
	heap_log_close(&log, 0);
	for (size_t i = 60; i < log.length; i++) {
		mprof_status status;

		log.bytes[i] ^= 0x55;
		status = mprof_reader_open_memory(log.bytes, log.length, NULL, &log.reader);
		cr_assert_eq(mprof_heap_graph_create(NULL, &log.graph), MPROF_OK);
		if (status == MPROF_OK) {
			status = mprof_heap_graph_read(log.graph, log.reader, NULL, NULL);
			cr_assert(status != MPROF_OK, "byte %d", (int)i);
			if (totals_of(&log).snapshot != 0 && !totals_of(&log).incomplete)
				cr_assert_eq(totals_of(&log).objects, 30);
			(void)!mprof_heap_graph_build_dominators(log.graph);
			(void)!mprof_heap_graph_build_paths(log.graph);
			(void)!mprof_heap_graph_build_referrers(log.graph);
		}
		heap_log_forget(&log);
		log.bytes[i] ^= 0x55;
	}
	heap_log_release(&log);
}

/* The recorder marks the block after which objects are missing. */
Test(heap_graph, that_the_recorder_had_no_memory_for)
{
	heap_content content = {NULL, NULL, 0, 0};
	heap_log log;

	heap_log_begin(&log, MPROF_DIALECT_MPROF2);
	heap_append_object(&content, 0x1000, 1, 10, NULL, NULL, 0);
	heap_write(&log, &content, 1, WHOLE_SNAPSHOT | MPROF_HEAP_FLAG_INCOMPLETE, 1000);
	/* Without its first block, and without its last one. */
	heap_append_object(&content, 0x1000, 1, 10, NULL, NULL, 0);
	heap_write(&log, &content, 2, MPROF_HEAP_FLAG_LAST, 1000);
	heap_append_object(&content, 0x1000, 1, 10, NULL, NULL, 0);
	heap_write(&log, &content, 3, MPROF_HEAP_FLAG_FIRST, 1000);
	heap_log_close(&log, 0);
	cr_assert_eq(heap_log_read(&log, NULL), MPROF_OK);
	cr_assert_eq(mprof_heap_graph_get_snapshot_count(log.graph), 3);
	for (size_t i = 0; i < 3; i++)
		cr_expect_eq(snapshot_at(&log, i).incomplete, 1);
	cr_expect_eq(totals_of(&log).incomplete, 1);
	cr_expect_eq(totals_of(&log).has_roots, 0);
	cr_expect_eq(mprof_heap_graph_build_dominators(log.graph), MPROF_ERR_UNSUPPORTED);
	cr_expect_eq(mprof_heap_graph_build_paths(log.graph), MPROF_ERR_UNSUPPORTED);
	cr_expect_eq(mprof_heap_graph_build_referrers(log.graph), MPROF_OK);
	heap_log_release(&log);
}

/* Snapshots of older dialects have references, but no roots. */
Test(heap_graph, of_a_dialect_without_roots)
{
	const uint64_t references[] = {0x2000};
	heap_content content = {NULL, NULL, 0, 0};
	heap_log log;

	heap_log_begin(&log, MPROF_DIALECT_MONO);
	heap_append_object(&content, 0x1000, 1, 16, references, NULL, 1);
	heap_append_object(&content, 0x2000, 2, 24, NULL, NULL, 0);
	heap_write(&log, &content, 1, WHOLE_SNAPSHOT, 2000000);
	heap_log_close(&log, 0);
	cr_assert_eq(heap_log_read(&log, NULL), MPROF_OK);
	cr_expect_eq(totals_of(&log).snapshot, 1);
	cr_expect_eq(totals_of(&log).incomplete, 0);
	cr_expect_eq(totals_of(&log).objects, 2);
	cr_expect_eq(totals_of(&log).references, 1);
	cr_expect_eq(totals_of(&log).has_roots, 0);
	cr_expect_eq(mprof_heap_graph_build_dominators(log.graph), MPROF_ERR_UNSUPPORTED);
	cr_assert_eq(mprof_heap_graph_build_referrers(log.graph), MPROF_OK);
	cr_expect_eq(object_at(&log, 1).referrers, 1);
	heap_log_release(&log);
}

/* Under each limit the graph has either all of its objects or none, and says which. */
Test(heap_graph, with_limited_memory)
{
	plain_heap heap;
	mprof_heap_graph_options options = options_for(0);
	size_t limited = 0;
	heap_log log;

	make_random_heap(&heap, 1);
	heap_log_begin(&log, MPROF_DIALECT_MPROF2);
	write_plain_heap(&log, &heap, 1);
	heap_log_close(&log, 0);
	for (options.max_memory = 64; options.max_memory < 60000; options.max_memory += 500) {
		mprof_status status = heap_log_read(&log, &options);
		mprof_heap_graph_totals totals = totals_of(&log);

		cr_assert_leq(totals.used_memory, options.max_memory);
		cr_assert_eq(totals.limited, status == MPROF_ERR_LIMIT);
		if (status == MPROF_ERR_LIMIT) {
			limited++;
			cr_assert_eq(totals.objects, 0);
			cr_assert_eq(mprof_heap_graph_read(log.graph, log.reader, NULL, NULL), MPROF_ERR_LIMIT);
			cr_assert_eq(mprof_heap_graph_build_dominators(log.graph), MPROF_ERR_STATE);
		} else {
			cr_assert_eq(status, MPROF_OK);
			cr_assert_eq(totals.objects, heap.node_count);
			status = mprof_heap_graph_build_dominators(log.graph);
			cr_assert(status == MPROF_OK || status == MPROF_ERR_LIMIT);
			limited += status == MPROF_ERR_LIMIT;
			cr_assert_eq(totals_of(&log).has_dominators, status == MPROF_OK);
		}
		heap_log_forget(&log);
	}
	cr_expect_gt(limited, 10);
	cr_expect_lt(limited, 119);
	heap_log_release(&log);
}

static size_t size_of_field(const mprof_table_column *column)
{
	return column->length * (column->type == MPROF_TYPE_UINT32 ? sizeof(uint32_t) : sizeof(uint64_t));
}

/* The columns are the fields of the struct in their order: what is between them is a reserved field of 32 bits. */
static void check_columns(uint32_t table, size_t start)
{
	const mprof_table_info *info = mprof_heap_table_get_info(table);
	size_t end = start;

	for (size_t i = 0; i < info->column_count; i++) {
		const mprof_table_column *column = mprof_heap_table_get_column(table, i);

		cr_assert_not_null(column);
		cr_expect(column->offset == end || column->offset == end + sizeof(uint32_t), "%s.%s", info->name,
			  column->name);
		end = column->offset + size_of_field(column);
	}
	cr_expect(info->row_size - end <= sizeof(uint32_t), "%s", info->name);
	cr_expect_null(mprof_heap_table_get_column(table, info->column_count));
}

Test(heap_graph, tables_have_the_fields_of_their_structs)
{
	uint32_t table = 1;

	for (; mprof_heap_table_get_info(table) != NULL; table++)
		check_columns(table, sizeof(size_t));
	cr_expect_eq(table - 1, MPROF_HEAP_TABLE_ROOTS);
	check_columns(MPROF_HEAP_TABLE_GROWTH, 0);
	cr_expect_null(mprof_heap_table_get_info(0));
	cr_expect_null(mprof_heap_table_get_info(MPROF_HEAP_TABLE_GROWTH + 1));
	cr_expect_null(mprof_heap_table_get_info(UINT32_MAX));
}

/* What a function for one table returns; its type has at least struct_size. */
static mprof_status get_alone(const heap_log *log, uint32_t table, size_t index, void *row)
{
	switch (table) {
	case MPROF_HEAP_TABLE_GRAPH:
		return mprof_heap_graph_get_totals(log->graph, row);
	case MPROF_HEAP_TABLE_SNAPSHOTS:
		return mprof_heap_graph_get_snapshot(log->graph, index, row);
	case MPROF_HEAP_TABLE_CLASSES:
		return mprof_heap_graph_get_class(log->graph, index, row);
	case MPROF_HEAP_TABLE_OBJECTS:
		return mprof_heap_graph_get_object(log->graph, (uint32_t)index, row);
	default:
		return mprof_heap_graph_get_root(log->graph, index, row);
	}
}

Test(heap_graph, rows_of_any_table_are_those_of_its_function)
{
	static const size_t counts[] = {0, 1, 3, 2, 30, 1};
	union {
		size_t struct_size;
		mprof_heap_graph_totals largest;
	} any, alone;
	heap_log log;

	write_lists(&log, 3);
	heap_log_close(&log, 0);
	cr_assert_eq(heap_log_read(&log, NULL), MPROF_OK);
	for (uint32_t table = MPROF_HEAP_TABLE_GRAPH; table <= MPROF_HEAP_TABLE_ROOTS; table++) {
		const size_t size = mprof_heap_table_get_info(table)->row_size;
		const size_t count = mprof_heap_graph_get_row_count(log.graph, table);

		cr_assert_eq(count, counts[table]);
		for (size_t i = 0; i < count; i++) {
			memset(&any, 0xff, sizeof(any));
			memset(&alone, 0, sizeof(alone));
			any.struct_size = alone.struct_size = size;
			cr_assert_eq(mprof_heap_graph_get_row(log.graph, table, i, &any), MPROF_OK);
			cr_assert_eq(get_alone(&log, table, i, &alone), MPROF_OK);
			cr_expect_arr_eq(&any, &alone, size);
		}
		cr_expect_eq(mprof_heap_graph_get_row(log.graph, table, count, &any), MPROF_ERR_ARGUMENT);
		cr_expect_eq(mprof_heap_graph_get_row(log.graph, table, 0, NULL), MPROF_ERR_ARGUMENT);
		any.struct_size = sizeof(size_t) - 1;
		cr_expect_eq(mprof_heap_graph_get_row(log.graph, table, 0, &any), MPROF_ERR_ARGUMENT);
	}
	cr_expect_eq(mprof_heap_graph_get_row_count(log.graph, MPROF_HEAP_TABLE_GROWTH), 0);
	cr_expect_eq(mprof_heap_graph_get_row(log.graph, MPROF_HEAP_TABLE_GROWTH, 0, &any), MPROF_ERR_ARGUMENT);
	heap_log_release(&log);
}
