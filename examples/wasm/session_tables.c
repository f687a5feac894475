/* SPDX-License-Identifier: MIT */
/* Tables of a log and of its session, of definitions, and of what belongs to a row of a table of a profile. */
#include "rows.h"

static const table_column columns_of_session[] = {
	COLUMN(mprof_session, dialect),
	COLUMN(mprof_session, version),
	COLUMN(mprof_session, flags),
	COLUMN(mprof_session, complete),
	COLUMN(mprof_session, runtime),
	EXACT_COLUMN_AS(mprof_session, start.counter, "start_counter"),
	COLUMN_AS(mprof_session, start.time, "start_time_us"),
	EXACT_COLUMN_AS(mprof_session, last.counter, "end_counter"),
	COLUMN_AS(mprof_session, last.time, "end_time_us"),
	COLUMN(mprof_session, counters_per_second),
	COLUMN(mprof_session, valid_bytes),
	COLUMN(mprof_session, lost_events),
};

ONE_ROW(session, mprof_session, view->reader != NULL, mprof_reader_get_session(view->reader, row))

#define ERROR_COLUMNS                                                                                                  \
	COLUMN(mprof_error, status), COLUMN(mprof_error, severity), COLUMN(mprof_error, system_error),                 \
		COLUMN(mprof_error, block_code), COLUMN(mprof_error, offset), COLUMN(mprof_error, block_offset),       \
		COLUMN(mprof_error, offset_in_block), COLUMN(mprof_error, what)

static const table_column columns_of_error[] = {ERROR_COLUMNS};

ONE_ROW(error, mprof_error, view->reader != NULL, mprof_reader_get_error(view->reader, row))

static const table_column columns_of_fault[] = {ERROR_COLUMNS};

ONE_ROW(fault, mprof_error, view->fault != NULL, (*row = *view->fault, MPROF_OK))

static const table_column columns_of_block[] = {
	COLUMN(mprof_block, kind),
	COLUMN(mprof_block, code),
	COLUMN(mprof_block, offset),
	COLUMN(mprof_block, header_length),
	COLUMN_AS(mprof_block, length, "content_length"),
	COLUMN(mprof_block, loaded),
	COLUMN(mprof_block, has_clocks),
	EXACT_COLUMN(mprof_block, thread),
	EXACT_COLUMN_AS(mprof_block, start.counter, "start_counter"),
	COLUMN_AS(mprof_block, start.time, "start_time_us"),
	EXACT_COLUMN_AS(mprof_block, end.counter, "end_counter"),
	COLUMN_AS(mprof_block, end.time, "end_time_us"),
};

ONE_ROW(block, mprof_block, view->reader != NULL, (*row = view->block, MPROF_OK))

static const table_column columns_of_index[] = {
	COLUMN(mprof_index_entry, kind),
	COLUMN(mprof_index_entry, offset),
	COLUMN_AS(mprof_index_entry, length, "content_length"),
	EXACT_COLUMN(mprof_index_entry, thread),
	EXACT_COLUMN(mprof_index_entry, start_counter),
	EXACT_COLUMN(mprof_index_entry, end_counter),
};

SIZED_ROWS(index, mprof_index_entry, mprof_reader_get_index_count(view->reader),
	   mprof_reader_get_index_entry(view->reader, index, row))

/* A table of the definition with the ID which, or of none if there is no such. */
#define DEFINITION(table, type, lookup)                                                                                \
	static mprof_status lookup_##table(const log_view *view, uint32_t which, type *row)                            \
	{                                                                                                              \
		return lookup;                                                                                         \
	}                                                                                                              \
                                                                                                                       \
	ROWS(table, type, lookup_##table(view, which, &(type){0}) == MPROF_OK,                                         \
	     index == 0 ? lookup_##table(view, which, row) : MPROF_ERR_ARGUMENT)

#define RECORD(table, kind)                                                                                            \
	DEFINITION(table, mprof_record, mprof_reader_lookup_record(view->reader, kind, which, row, sizeof(*row)))

static const table_column columns_of_method[] = {
	COLUMN(mprof_mapping, id),   COLUMN(mprof_mapping, class_id),    COLUMN(mprof_mapping, flags),
	COLUMN(mprof_mapping, name), COLUMN(mprof_mapping, source_file), COLUMN(mprof_mapping, source_line),
};

DEFINITION(method, mprof_mapping, mprof_reader_lookup_method(view->reader, which, row, sizeof(*row)))

static const table_column columns_of_class[] = {
	COLUMN(mprof_mapping, id),
	COLUMN(mprof_mapping, assembly_id),
	COLUMN(mprof_mapping, size),
	COLUMN(mprof_mapping, name),
};

DEFINITION(class, mprof_mapping, mprof_reader_lookup_class(view->reader, which, row, sizeof(*row)))

static const table_column columns_of_module[] = {
	COLUMN(mprof_record, id),
	EXACT_COLUMN_AS(mprof_record, as.module.address, "address"),
	COLUMN_AS(mprof_record, as.module.size, "size"),
	COLUMN_AS(mprof_record, as.module.file_offset, "file_offset"),
	COLUMN_AS(mprof_record, as.module.file, "file"),
	COLUMN_AS(mprof_record, as.module.build_id, "build_id"),
	COLUMN_AS(mprof_record, as.module.is_removed, "is_removed"),
};

RECORD(module, MPROF_RECORD_MODULE)

static const table_column columns_of_function[] = {
	COLUMN(mprof_record, id),
	COLUMN_AS(mprof_record, as.function.module, "module"),
	COLUMN_AS(mprof_record, as.function.offset, "offset"),
	COLUMN_AS(mprof_record, as.function.size, "size"),
	COLUMN_AS(mprof_record, as.function.name, "name"),
};

RECORD(function, MPROF_RECORD_FUNCTION)

static const table_column columns_of_location[] = {
	COLUMN(mprof_record, id),
	COLUMN_AS(mprof_record, as.location.module, "module"),
	COLUMN_AS(mprof_record, as.location.function, "function"),
	COLUMN_AS(mprof_record, as.location.offset, "offset"),
};

RECORD(location, MPROF_RECORD_LOCATION)

static const table_column columns_of_position[] = {
	COLUMN_AS(mprof_record, as.position.line, "line"),
	COLUMN_AS(mprof_record, as.position.is_inlined, "is_inlined"),
};
RECORD(position, MPROF_RECORD_POSITION)

static const table_column columns_of_root_area[] = {
	COLUMN(mprof_record, id),
	COLUMN_AS(mprof_record, as.root.kind, "kind"),
	COLUMN_AS(mprof_record, as.root.class_id, "class_id"),
	EXACT_COLUMN_AS(mprof_record, as.root.thread, "thread"),
	EXACT_COLUMN_AS(mprof_record, as.root.address, "address"),
	COLUMN_AS(mprof_record, as.root.size, "size"),
	COLUMN_AS(mprof_record, as.root.name, "name"),
};

RECORD(root_area, MPROF_RECORD_ROOT)

static const table_column columns_of_timeline_slices[] = {
	COLUMN(mprof_timeline_slice, start_ns),   COLUMN(mprof_timeline_slice, existing_ns),
	COLUMN(mprof_timeline_slice, methods_ns), COLUMN(mprof_timeline_slice, waiting_ns),
	COLUMN(mprof_timeline_slice, stopped_ns), COLUMN(mprof_timeline_slice, cpu_ns),
	COLUMN(mprof_timeline_slice, samples),    COLUMN(mprof_timeline_slice, waiting_samples),
	COLUMN(mprof_timeline_slice, state_ns),   COLUMN(mprof_timeline_slice, running_ns),
};

static size_t find_slice_count(const log_view *view)
{
	mprof_timeline timeline = {.struct_size = sizeof(timeline)};

	return mprof_profile_get_row(view->profile, MPROF_TABLE_TIMELINE, 0, &timeline) == MPROF_OK
		       ? (size_t)timeline.slice_count
		       : 0;
}

SIZED_ROWS(timeline_slices, mprof_timeline_slice, find_slice_count(view),
	   mprof_profile_get_timeline_slice(view->profile, which, index, row))

static const table_column columns_of_slow_calls[] = {
	COLUMN(mprof_slow_call, method),      COLUMN(mprof_slow_call, call),     EXACT_COLUMN(mprof_slow_call, thread),
	COLUMN(mprof_slow_call, duration_ns), COLUMN(mprof_slow_call, start_ns),
};

static const table_column columns_of_heap_shot_classes[] = {
	COLUMN(mprof_heap_shot_class, class_id),
	COLUMN(mprof_heap_shot_class, objects),
	COLUMN(mprof_heap_shot_class, bytes),
};

static size_t find_slow_call_count(const log_view *view, uint32_t method)
{
	mprof_slow_call call = {.struct_size = sizeof(call)};
	size_t count = 0;

	while (mprof_profile_get_slow_call(view->profile, method, count, &call) == MPROF_OK)
		count++;
	return count;
}

SIZED_ROWS(slow_calls, mprof_slow_call, find_slow_call_count(view, which),
	   mprof_profile_get_slow_call(view->profile, which, index, row))

static size_t find_heap_shot_class_count(const log_view *view, uint32_t shot)
{
	mprof_heap_shot stats = {.struct_size = sizeof(stats)};

	if (mprof_profile_get_row(view->profile, MPROF_TABLE_HEAP_SHOTS, shot, &stats) != MPROF_OK)
		return 0;
	return (size_t)stats.classes;
}

SIZED_ROWS(heap_shot_classes, mprof_heap_shot_class, find_heap_shot_class_count(view, which),
	   mprof_profile_get_heap_shot_class(view->profile, which, index, row))

static const table tables[] = {
	TABLE(session),  TABLE(error),     TABLE(fault),           TABLE(block),      TABLE(index),
	TABLE(method),   TABLE(class),     TABLE(module),          TABLE(function),   TABLE(location),
	TABLE(position), TABLE(root_area), TABLE(timeline_slices), TABLE(slow_calls), TABLE(heap_shot_classes),
};

const table_list session_tables = {tables, sizeof(tables) / sizeof(tables[0])};
