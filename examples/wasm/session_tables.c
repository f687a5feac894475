/* SPDX-License-Identifier: MIT */
/* Tables of a log and of its session: properties, definitions, threads, collections, timeline, locks. */
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

/* A property of the session. */
typedef struct property_row {
	const char *key;
	const char *value;
} property_row;

static const table_column columns_of_properties[] = {
	COLUMN(property_row, key),
	COLUMN(property_row, value),
};

ROWS(properties, property_row, mprof_profile_get_property_count(view->profile),
     mprof_profile_get_property(view->profile, index, &row->key, &row->value))

static const table_column columns_of_monitors[] = {
	COLUMN(mprof_monitor_stats, class_id),     COLUMN(mprof_monitor_stats, contentions),
	COLUMN(mprof_monitor_stats, acquired),     COLUMN(mprof_monitor_stats, failures),
	COLUMN(mprof_monitor_stats, contended_ns), COLUMN(mprof_monitor_stats, unfinished),
};

ROWS_OF(monitors, mprof_monitor_stats, monitor)

static const table_column columns_of_monitor_sites[] = {
	COLUMN(mprof_monitor_site, class_id),    COLUMN(mprof_monitor_site, stack),
	COLUMN(mprof_monitor_site, contentions), COLUMN(mprof_monitor_site, contended_ns),
	COLUMN(mprof_monitor_site, failures),    EXACT_COLUMN(mprof_monitor_site, object),
	COLUMN(mprof_monitor_site, call),        COLUMN(mprof_monitor_site, unfinished),
};

ROWS_OF(monitor_sites, mprof_monitor_site, monitor_site)

static const table_column columns_of_monitor_holders[] = {
	COLUMN(mprof_monitor_holder, class_id),    EXACT_COLUMN(mprof_monitor_holder, thread),
	COLUMN(mprof_monitor_holder, contentions), COLUMN(mprof_monitor_holder, contended_ns),
	COLUMN(mprof_monitor_holder, unfinished),
};

ROWS_OF(monitor_holders, mprof_monitor_holder, monitor_holder)

static const table_column columns_of_metrics[] = {
	COLUMN(mprof_metric_stats, id),           COLUMN(mprof_metric_stats, flags),
	COLUMN(mprof_metric_stats, section),      COLUMN(mprof_metric_stats, name),
	COLUMN(mprof_metric_stats, count),        COLUMN(mprof_metric_stats, first),
	COLUMN(mprof_metric_stats, last),         COLUMN(mprof_metric_stats, minimum),
	COLUMN(mprof_metric_stats, maximum),      COLUMN(mprof_metric_stats, last_ns),
	EXACT_COLUMN(mprof_metric_stats, thread),
};

ROWS_OF(metrics, mprof_metric_stats, metric)

static const table_column columns_of_marks[] = {
	COLUMN(mprof_mark, time_ns),
	EXACT_COLUMN(mprof_mark, thread),
	COLUMN(mprof_mark, text),
};

ROWS_OF(marks, mprof_mark, mark)

static const table_column columns_of_collections[] = {
	COLUMN(mprof_collection, number),   COLUMN(mprof_collection, generation),  COLUMN(mprof_collection, unfinished),
	COLUMN(mprof_collection, start_ns), COLUMN(mprof_collection, duration_ns), COLUMN(mprof_collection, mark_ns),
	COLUMN(mprof_collection, sweep_ns), COLUMN(mprof_collection, pause_ns),    COLUMN(mprof_collection, is_counted),
};

ROWS_OF(collections, mprof_collection, collection)

static const table_column columns_of_heap_resizes[] = {
	COLUMN(mprof_heap_resize, time_ns),
	COLUMN(mprof_heap_resize, bytes),
	COLUMN(mprof_heap_resize, number),
};

ROWS_OF(heap_resizes, mprof_heap_resize, heap_resize)

static const table_column columns_of_threads[] = {
	EXACT_COLUMN(mprof_thread_stats, id),
	COLUMN(mprof_thread_stats, name),
	COLUMN(mprof_thread_stats, events),
	COLUMN(mprof_thread_stats, self_ns),
	COLUMN(mprof_thread_stats, lost),
	COLUMN(mprof_thread_stats, samples),
	COLUMN(mprof_thread_stats, wall_ns),
	COLUMN(mprof_thread_stats, cpu_ns),
	COLUMN(mprof_thread_stats, ready_ns),
	COLUMN(mprof_thread_stats, voluntary_switches),
	COLUMN(mprof_thread_stats, involuntary_switches),
};

ROWS_OF(threads, mprof_thread_stats, thread)

static const table_column columns_of_elements[] = {
	COLUMN(mprof_element_stats, kind),        COLUMN(mprof_element_stats, id),
	COLUMN(mprof_element_stats, name),        COLUMN(mprof_element_stats, assembly),
	COLUMN(mprof_element_stats, loaded_ns),   COLUMN(mprof_element_stats, load_ns),
	COLUMN(mprof_element_stats, unloaded_ns),
};

ROWS_OF(elements, mprof_element_stats, element)

static const table_column columns_of_pauses[] = {
	COLUMN(mprof_pause, kind),         COLUMN(mprof_pause, unfinished),     COLUMN(mprof_pause, start_ns),
	COLUMN(mprof_pause, duration_ns),  EXACT_COLUMN(mprof_pause, thread),   COLUMN(mprof_pause, number),
	COLUMN(mprof_pause, generation),   COLUMN(mprof_pause, has_collection), EXACT_COLUMN(mprof_pause, object),
	EXACT_COLUMN(mprof_pause, holder), COLUMN(mprof_pause, class_id),       COLUMN(mprof_pause, stack),
};

ROWS_OF(pauses, mprof_pause, pause)

static const table_column columns_of_timeline[] = {
	COLUMN(mprof_timeline, start_ns),
	COLUMN(mprof_timeline, slice_ns),
	COLUMN(mprof_timeline, slice_count),
	COLUMN(mprof_timeline, left_out),
};

ONE_ROW_OF(timeline, mprof_timeline, timeline)

static const table_column columns_of_timeline_slices[] = {
	COLUMN(mprof_timeline_slice, start_ns),   COLUMN(mprof_timeline_slice, existing_ns),
	COLUMN(mprof_timeline_slice, methods_ns), COLUMN(mprof_timeline_slice, waiting_ns),
	COLUMN(mprof_timeline_slice, stopped_ns), COLUMN(mprof_timeline_slice, cpu_ns),
	COLUMN(mprof_timeline_slice, samples),    COLUMN(mprof_timeline_slice, waiting_samples),
};

static size_t find_slice_count(const log_view *view)
{
	mprof_timeline timeline = {.struct_size = sizeof(timeline)};

	return mprof_profile_get_timeline(view->profile, &timeline) == MPROF_OK ? (size_t)timeline.slice_count : 0;
}

SIZED_ROWS(timeline_slices, mprof_timeline_slice, find_slice_count(view),
	   mprof_profile_get_timeline_slice(view->profile, which, index, row))

static const table tables[] = {
	TABLE(session),   TABLE(error),      TABLE(fault),       TABLE(block),           TABLE(index),
	TABLE(method),    TABLE(class),      TABLE(module),      TABLE(function),        TABLE(location),
	TABLE(root_area), TABLE(properties), TABLE(monitors),    TABLE(monitor_sites),   TABLE(monitor_holders),
	TABLE(metrics),   TABLE(marks),      TABLE(collections), TABLE(heap_resizes),    TABLE(threads),
	TABLE(elements),  TABLE(pauses),     TABLE(timeline),    TABLE(timeline_slices),
};

const table_list session_tables = {tables, sizeof(tables) / sizeof(tables[0])};
