/* SPDX-License-Identifier: MIT */
/* Prints what each collection freed, and totals of the objects of the managed heap. */
#include "report/heap_history.h"

#include "report/filters.h"
#include "report/parts.h"
#include "shared/text.h"

#include <inttypes.h>

static mprof_age_stats totals_of(const log_report *report)
{
	mprof_age_stats totals = {.struct_size = sizeof(totals)};

	mprof_profile_get_row(report->profile, MPROF_TABLE_AGES, 0, &totals);
	return totals;
}

static mprof_heap_change_entry change_of(const log_report *report, size_t index)
{
	mprof_heap_change_entry entry = {.struct_size = sizeof(entry)};

	mprof_profile_get_row(report->profile, MPROF_TABLE_HEAP_CHANGES, index, &entry);
	return entry;
}

static uint64_t rest_of(uint64_t before, uint64_t collected)
{
	return before > collected ? before - collected : 0;
}

static const char *name_of_kind(uint32_t kind)
{
	switch (kind) {
	case MPROF_HEAP_CHANGE_START:
		return "start";
	case MPROF_HEAP_CHANGE_COLLECTION:
		return "collection";
	case MPROF_HEAP_CHANGE_RESIZE:
		return "resize";
	default:
		return "end";
	}
}

static void print_change(const mprof_heap_change_entry *entry, int has_deaths)
{
	const int is_collection = entry->kind == MPROF_HEAP_CHANGE_COLLECTION;
	char event[48];
	char objects[TEXT_NUMBER_SIZE];
	char bytes[TEXT_NUMBER_SIZE];
	char percent[TEXT_NUMBER_SIZE];
	char before[TEXT_NUMBER_SIZE];
	char after[TEXT_NUMBER_SIZE];

	snprintf(event, sizeof(event), "%s", name_of_kind(entry->kind));
	if (is_collection)
		snprintf(event, sizeof(event), "collection %" PRIu64 " of generation %" PRIu32, entry->number,
			 entry->generation);
	printf("  %12.6f s  %-32s", (double)entry->time_ns / 1e9, event);
	if (is_collection && has_deaths)
		printf(" %14s %8s", text_count(objects, entry->collected_objects),
		       text_percent(percent, entry->collected_objects, entry->objects_before));
	else
		printf(" %14s %8s", "", "");
	if (is_collection && has_deaths)
		printf(" %10s %8s", text_bytes(bytes, entry->collected_bytes),
		       text_percent(percent, entry->collected_bytes, entry->bytes_before));
	else
		printf(" %10s %8s", "", "");
	printf(" %10s %10s", text_bytes(before, entry->bytes_before),
	       text_bytes(after, rest_of(entry->bytes_before, entry->collected_bytes)));
	if (entry->heap_bytes != 0)
		printf(" %10s\n", text_bytes(bytes, entry->heap_bytes));
	else
		printf(" %10s\n", "-");
}

void report_heap_history_text(const log_report *report)
{
	const mprof_age_stats totals = totals_of(report);
	size_t count = mprof_profile_get_row_count(report->profile, MPROF_TABLE_HEAP_CHANGES);
	size_t shown = report_rows(report, count);

	if (count == 0 || totals.allocations + totals.deaths_read + totals.collections == 0)
		return;
	report_title(report, "History of the heap", shown, count, TABLE_HISTORY);
	printf("  %14s  %-32s %14s %8s %10s %8s %10s %10s %10s\n", "time", "event", "objects freed", "", "bytes", "",
	       "before", "after", "heap size");
	for (size_t i = 0; i < count; i++) {
		mprof_heap_change_entry entry;

		/* The end is always shown: it is the result. */
		if (i + 1 >= shown && i + 1 < count)
			continue;
		entry = change_of(report, i);
		print_change(&entry, totals.deaths_read > 0);
	}
}

void report_heap_history_json(log_report *report, json_writer *json)
{
	size_t count = mprof_profile_get_row_count(report->profile, MPROF_TABLE_HEAP_CHANGES);
	size_t shown = report_rows(report, count);

	json_begin_array(json, "history");
	for (size_t i = 0; i < shown; i++) {
		const mprof_heap_change_entry entry = change_of(report, i);

		json_begin_object(json, NULL);
		json_string(json, "event", name_of_kind(entry.kind));
		json_signed(json, "time_ns", entry.time_ns);
		json_unsigned(json, "number", entry.number);
		json_unsigned(json, "generation", entry.generation);
		json_unsigned(json, "objects_before", entry.objects_before);
		json_unsigned(json, "bytes_before", entry.bytes_before);
		json_unsigned(json, "collected_objects", entry.collected_objects);
		json_unsigned(json, "collected_bytes", entry.collected_bytes);
		json_unsigned(json, "objects_after", rest_of(entry.objects_before, entry.collected_objects));
		json_unsigned(json, "bytes_after", rest_of(entry.bytes_before, entry.collected_bytes));
		json_unsigned(json, "heap_bytes", entry.heap_bytes);
		json_end_object(json);
	}
	json_end_array(json);
}

static void print_total(const char *label, const char *value)
{
	printf("  %-40s %14s\n", label, value);
}

static void print_count(const char *label, uint64_t count)
{
	char text[TEXT_NUMBER_SIZE];

	if (count > 0)
		print_total(label, text_count(text, count));
}

/* States what the log does not contain, so that no figure seems to be more than it is. */
static void print_gaps(const mprof_age_stats *totals)
{
	char text[TEXT_NUMBER_SIZE];

	print_count("deaths of unknown objects", totals->unmatched_deaths);
	print_count("moves of unknown objects", totals->unmatched_moves);
	print_count("moves of uncertain objects", totals->uncertain_moves);
	print_count("deaths missing in the log", totals->missing_deaths);
	print_count("objects without an address", totals->without_address);
	print_count("objects not followed", totals->untracked);
	print_count("objects without a class", totals->folded);
	if (totals->deaths_read == 0)
		puts("  The log has no deaths of objects: all objects seem to live. Record with --free.");
	if (totals->collections == 0)
		puts("  The log has no collections: ages are 0. Record with --gc.");
	if (totals->uncertain_moves > 0)
		puts(totals->collections == 0
			     ? "  The log does not contain which moves belong to one collection, so the "
			       "ages of some objects may be those of others. Record with --gc."
			     : "  Some moves could be of two objects, so the ages of some objects may "
			       "be those of others.");
	if (totals->without_address > 0)
		puts("  Objects without an address are neither alive nor dead here. Record with "
		     "--alloc=objects+stack.");
	if (totals->is_estimate)
		puts("  Events are missing or objects were not followed: these numbers and those below are estimates.");
	if (totals->sample_interval > 0)
		printf("  Call stacks are a sample, one for each %s allocated: numbers by call stack are estimates.\n",
		       text_bytes(text, totals->sample_interval));
}

void report_age_totals_text(const log_report *report)
{
	const mprof_age_stats totals = totals_of(report);
	char text[TEXT_NUMBER_SIZE];
	char average[32];

	if (totals.allocations + totals.deaths_read == 0)
		return;
	report_title(report, "Objects of the heap", 0, 0, TABLE_AGE_TOTALS);
	print_total("allocated", text_count(text, totals.allocations));
	print_total("bytes allocated", text_bytes(text, totals.bytes));
	print_total("found dead", text_count(text, totals.dead));
	print_total("bytes found dead", text_bytes(text, totals.dead_bytes));
	print_total("alive", text_count(text, totals.live));
	print_total("bytes alive", text_bytes(text, totals.live_bytes));
	print_total("peak", text_bytes(text, totals.peak_bytes));
	print_total("objects at the peak", text_count(text, totals.peak_live));
	print_total("time of the peak", text_duration(text, totals.peak_ns > 0 ? (uint64_t)totals.peak_ns : 0));
	print_total("temporary", text_count(text, totals.temporaries));
	print_total("bytes temporary", text_bytes(text, totals.temporary_bytes));
	print_total("collections", text_count(text, totals.collections));
	if (totals.dead + totals.live > 0) {
		snprintf(average, sizeof(average), "%.2f", (double)totals.ages / (double)(totals.dead + totals.live));
		print_total("average age in collections", average);
	}
	print_gaps(&totals);
}

void report_age_totals_json(const log_report *report, json_writer *json)
{
	const mprof_age_stats totals = totals_of(report);

	json_begin_object(json, "age_totals");
	json_unsigned(json, "allocations", totals.allocations);
	json_unsigned(json, "bytes", totals.bytes);
	json_unsigned(json, "dead", totals.dead);
	json_unsigned(json, "dead_bytes", totals.dead_bytes);
	json_unsigned(json, "live", totals.live);
	json_unsigned(json, "live_bytes", totals.live_bytes);
	json_unsigned(json, "peak_live", totals.peak_live);
	json_unsigned(json, "peak_bytes", totals.peak_bytes);
	json_signed(json, "peak_ns", totals.peak_ns);
	json_unsigned(json, "temporaries", totals.temporaries);
	json_unsigned(json, "temporary_bytes", totals.temporary_bytes);
	json_unsigned(json, "ages", totals.ages);
	json_unsigned(json, "collections", totals.collections);
	json_unsigned(json, "sample_bytes", totals.sample_interval);
	json_unsigned(json, "without_address", totals.without_address);
	json_unsigned(json, "untracked", totals.untracked);
	json_unsigned(json, "folded", totals.folded);
	json_unsigned(json, "deaths_read", totals.deaths_read);
	json_unsigned(json, "unmatched_deaths", totals.unmatched_deaths);
	json_unsigned(json, "missing_deaths", totals.missing_deaths);
	json_unsigned(json, "unmatched_moves", totals.unmatched_moves);
	json_unsigned(json, "uncertain_moves", totals.uncertain_moves);
	json_boolean(json, "estimate", totals.is_estimate != 0);
	json_end_object(json);
}
