/* SPDX-License-Identifier: MIT */
/* Prints a live view as JSON. */
#include "live/top_json.h"

#include "common/json.h"
#include "common/names.h"

static top_row rows[TOP_ROWS_MAX];

static const char *const states[] = {"recording", "ended", "stopped"};

static void print_totals(const live_profile *live, json_writer *json)
{
	const mprof_live_totals *recent = &live->recent;

	json_string(json, "file", live->log.input.name);
	json_string(json, "state", states[live_profile_state(live)]);
	json_signed(json, "time_ns", live_profile_end_ns(live));
	json_unsigned(json, "lag_ms", live_profile_lag_ms(live));
	json_double(json, "window_s", (double)recent->length_ns / 1e9);
	json_large(json, "lost_events", live->totals.lost_events);
	json_large(json, "lost_events_in_window", recent->lost_events);
	json_unsigned(json, "damage", live->log.input.problem_count);
	json_boolean(json, "incomplete",
		     live->is_failed || live->totals.limited || live->totals.left_out > 0 || recent->left_out > 0);
	json_large(json, "events", recent->events);
	json_large(json, "calls", recent->calls);
	json_large(json, "sample_count", recent->samples);
	json_large(json, "allocations", recent->allocations);
	json_large(json, "bytes", recent->allocated_bytes);
	json_large(json, "exceptions", recent->exceptions);
	json_large(json, "contentions", recent->contentions);
	json_large(json, "contended_ns", recent->contended_ns);
	json_large(json, "unfinished_waits", live->totals.unfinished_waits);
}

/* Samples whose innermost frame is a method, and those in which it is any frame. */
static void print_samples_of(const live_profile *live, json_writer *json, uint64_t method)
{
	mprof_live_row row = {.struct_size = sizeof(row)};
	uint64_t self = 0;
	uint64_t total = 0;

	for (size_t i = 0; i < mprof_live_window_get_row_count(live->window, MPROF_TABLE_SAMPLES); i++) {
		if (mprof_live_window_get_row(live->window, MPROF_TABLE_SAMPLES, i, &row) == MPROF_OK &&
		    row.kind == MPROF_SAMPLE_METHOD && row.id == method) {
			self = row.self;
			total = row.total;
		}
	}
	json_large(json, "samples", self);
	json_large(json, "samples_total", total);
}

static void print_methods(const live_profile *live, json_writer *json, top_sort sort, size_t count)
{
	method_name name;

	count = top_rows_collect(live, MPROF_TABLE_METHODS, sort, rows, count);
	json_begin_array(json, "methods");
	for (size_t i = 0; i < count; i++) {
		names_method(live->log.input.reader, (uint32_t)rows[i].values.id, &name);
		json_begin_object(json, NULL);
		json_large(json, "id", rows[i].values.id);
		json_string(json, "class", name.class_name);
		json_string(json, "name", name.name);
		json_large(json, "calls", rows[i].values.count);
		json_large(json, "self_ns", rows[i].values.self);
		json_large(json, "total_ns", rows[i].values.total);
		print_samples_of(live, json, rows[i].values.id);
		json_end_object(json);
	}
	json_end_array(json);
}

static void print_samples(const live_profile *live, json_writer *json, size_t count)
{
	count = top_rows_collect(live, MPROF_TABLE_SAMPLES, TOP_SORT_SELF, rows, count);
	json_begin_array(json, "samples");
	for (size_t i = 0; i < count; i++) {
		json_begin_object(json, NULL);
		json_string(json, "kind", rows[i].values.kind == MPROF_SAMPLE_METHOD ? "managed" : "native");
		json_string(json, "name", top_rows_name(live, MPROF_TABLE_SAMPLES, &rows[i]));
		json_large(json, "hits", rows[i].values.self);
		json_large(json, "hits_total", rows[i].values.total);
		json_end_object(json);
	}
	json_end_array(json);
}

static void print_classes(const live_profile *live, json_writer *json, size_t count)
{
	count = top_rows_collect(live, MPROF_TABLE_CLASSES, TOP_SORT_SELF, rows, count);
	json_begin_array(json, "classes");
	for (size_t i = 0; i < count; i++) {
		json_begin_object(json, NULL);
		json_large(json, "id", rows[i].values.id);
		json_string(json, "name", top_rows_name(live, MPROF_TABLE_CLASSES, &rows[i]));
		json_large(json, "allocations", rows[i].values.count);
		json_large(json, "bytes", rows[i].values.self);
		json_large(json, "exceptions", rows[i].values.total);
		json_end_object(json);
	}
	json_end_array(json);
}

static void print_threads(const live_profile *live, json_writer *json, size_t count)
{
	count = top_rows_collect(live, MPROF_TABLE_THREADS, TOP_SORT_SELF, rows, count);
	json_begin_array(json, "threads");
	for (size_t i = 0; i < count; i++) {
		json_begin_object(json, NULL);
		json_hexadecimal(json, "id", rows[i].values.id);
		json_string(json, "name", top_rows_name(live, MPROF_TABLE_THREADS, &rows[i]));
		json_large(json, "events", rows[i].values.count);
		json_large(json, "self_ns", rows[i].values.self);
		json_large(json, "samples", rows[i].values.total);
		json_end_object(json);
	}
	json_end_array(json);
}

static void print_monitors(const live_profile *live, json_writer *json, size_t count)
{
	count = top_rows_collect(live, MPROF_TABLE_MONITORS, TOP_SORT_SELF, rows, count);
	json_begin_array(json, "monitors");
	for (size_t i = 0; i < count; i++) {
		json_begin_object(json, NULL);
		json_string(json, "class", top_rows_name(live, MPROF_TABLE_MONITORS, &rows[i]));
		json_large(json, "contentions", rows[i].values.count);
		json_large(json, "contended_ns", rows[i].values.self);
		json_large(json, "failures", rows[i].values.total);
		json_large(json, "unfinished", top_rows_unfinished_waits(live, &rows[i]));
		json_end_object(json);
	}
	json_end_array(json);
}

static void print_collections(const live_profile *live, json_writer *json)
{
	mprof_collection collection = {.struct_size = sizeof(collection)};
	top_collections found;

	top_rows_get_collections(live, &found);
	json_begin_array(json, "collections");
	for (size_t i = found.first; i < found.end; i++) {
		if (mprof_profile_get_row(live->profile, MPROF_TABLE_COLLECTIONS, i, &collection) != MPROF_OK)
			break;
		json_begin_object(json, NULL);
		json_large(json, "number", collection.number);
		json_unsigned(json, "generation", collection.generation);
		json_signed(json, "start_ns", collection.start_ns);
		json_large(json, "duration_ns", collection.duration_ns);
		json_large(json, "pause_ns", collection.pause_ns);
		json_end_object(json);
	}
	json_end_array(json);
}

void top_json_print(const live_profile *live, top_sort sort, size_t count, int is_line)
{
	json_writer json;

	json_init(&json, stdout, is_line);
	json_begin_document(&json);
	print_totals(live, &json);
	print_methods(live, &json, sort, count);
	print_samples(live, &json, count);
	print_classes(live, &json, count);
	print_threads(live, &json, count);
	print_monitors(live, &json, count);
	print_collections(live, &json);
	json_end_object(&json);
}
