/* SPDX-License-Identifier: MIT */
/* Prints pauses, the longest first, with percentiles and a histogram of their durations. */
#include "report/pauses.h"

#include "report/filters.h"
#include "report/frames.h"
#include "report/parts.h"
#include "report/stacks.h"
#include "shared/text.h"

#include <inttypes.h>
#include <stdlib.h>

#define KINDS 3

static const char *const kind_names[KINDS] = {"stopped world", "collection", "wait"};
static const char *const kind_keys[KINDS] = {"stopped_world", "collection", "wait"};

/* The histogram: each class ends at ten times the end of the one before it, the first at 1 us; the last has no end. */
#define CLASSES 8
#define FIRST_CLASS_NS 1000

typedef struct pause_sums {
	uint64_t count[KINDS];
	uint64_t total_ns[KINDS];
	uint64_t unfinished[KINDS];
	uint64_t classes[KINDS][CLASSES];
} pause_sums;

/* Stops of the world concern all classes, and waits those that match. */
static int fetch_pause(const log_report *report, size_t index, void *row)
{
	mprof_pause *pause = row;

	pause->struct_size = sizeof(*pause);
	mprof_profile_get_row(report->profile, MPROF_TABLE_PAUSES, index, pause);
	return pause->kind >= MPROF_PAUSE_STOPPED_WORLD && pause->kind <= MPROF_PAUSE_WAIT &&
	       pause->duration_ns >= report->options.least_pause_ns &&
	       (pause->kind != MPROF_PAUSE_WAIT ||
		(report_wants_class(report, pause->class_id) && report_frames_keep_stack(report, pause->stack)));
}

static int compare_pauses(const void *left, const void *right)
{
	const mprof_pause *a = left;
	const mprof_pause *b = right;
	int order = report_larger_first(a->duration_ns, b->duration_ns);

	if (order == 0)
		order = (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
	return order != 0 ? order : report_larger_first(b->thread, a->thread);
}

static mprof_pause *collect_pauses(const log_report *report, size_t *count)
{
	return report_collect(report, mprof_profile_get_row_count(report->profile, MPROF_TABLE_PAUSES),
			      sizeof(mprof_pause), fetch_pause, compare_pauses, count);
}

static size_t class_of(uint64_t duration_ns)
{
	uint64_t end = FIRST_CLASS_NS;
	size_t found = 0;

	while (found + 1 < CLASSES && duration_ns >= end) {
		end *= 10;
		found++;
	}
	return found;
}

static uint64_t class_end(size_t number)
{
	uint64_t end = FIRST_CLASS_NS;

	while (number-- > 0)
		end *= 10;
	return end;
}

static pause_sums sum_pauses(const mprof_pause *rows, size_t count)
{
	pause_sums sums = {{0}, {0}, {0}, {{0}}};

	for (size_t i = 0; i < count; i++) {
		size_t kind = rows[i].kind - MPROF_PAUSE_STOPPED_WORLD;

		sums.count[kind]++;
		sums.total_ns[kind] += rows[i].duration_ns;
		sums.unfinished[kind] += rows[i].unfinished;
		sums.classes[kind][class_of(rows[i].duration_ns)]++;
	}
	return sums;
}

/* The duration that a share of the pauses of a kind do not exceed. The rows are sorted, the longest first. */
static uint64_t percentile(const mprof_pause *rows, size_t count, size_t kind, uint64_t of_kind, uint64_t percent)
{
	uint64_t longer = of_kind - (of_kind * percent + 99) / 100;

	for (size_t i = 0; i < count; i++) {
		if (rows[i].kind - MPROF_PAUSE_STOPPED_WORLD == kind && longer-- == 0)
			return rows[i].duration_ns;
	}
	return 0;
}

static void print_summary(const log_report *report, const mprof_pause *rows, size_t count, const pause_sums *sums)
{
	static const uint64_t percents[] = {50, 90, 99, 100};
	char text[TEXT_NUMBER_SIZE];

	report_title(report, "Pauses", 0, 0, TABLE_PAUSE_SUMMARY);
	printf("  %14s %10s %10s %10s %10s %10s  %s\n", "number", "total", "50 %", "90 %", "99 %", "longest", "pause");
	for (size_t kind = 0; kind < KINDS; kind++) {
		if (sums->count[kind] == 0)
			continue;
		printf("  %14s", text_count(text, sums->count[kind]));
		printf(" %10s", text_duration(text, sums->total_ns[kind]));
		for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++)
			printf(" %10s",
			       text_duration(text, percentile(rows, count, kind, sums->count[kind], percents[i])));
		printf("  %s", kind_names[kind]);
		if (sums->unfinished[kind] > 0)
			printf(", %s not ended", text_count(text, sums->unfinished[kind]));
		putchar('\n');
	}
}

static void print_histogram(const log_report *report, const pause_sums *sums)
{
	char text[TEXT_NUMBER_SIZE];

	report_title(report, "Pauses by duration", 0, 0, TABLE_PAUSE_HISTOGRAM);
	printf("  %10s", "less than");
	for (size_t kind = 0; kind < KINDS; kind++) {
		if (sums->count[kind] > 0)
			printf(" %14s", kind_names[kind]);
	}
	putchar('\n');
	for (size_t i = 0; i < CLASSES; i++) {
		if (sums->classes[0][i] + sums->classes[1][i] + sums->classes[2][i] == 0)
			continue;
		printf("  %10s", i + 1 < CLASSES ? text_duration(text, class_end(i)) : "more");
		for (size_t kind = 0; kind < KINDS; kind++) {
			if (sums->count[kind] > 0)
				printf(" %14s", text_count(text, sums->classes[kind][i]));
		}
		putchar('\n');
	}
}

static void print_cause(const log_report *report, const mprof_pause *pause)
{
	class_name name;

	if (pause->kind == MPROF_PAUSE_WAIT) {
		names_class(report->input.reader, pause->class_id, &name);
		fputs("wait for ", stdout);
		text_name(stdout, pause->class_id != 0 ? name.name : "(unknown)");
		if (pause->object != 0)
			printf(" at 0x%" PRIx64, pause->object);
		if (pause->holder != 0)
			printf(", held by 0x%" PRIx64, pause->holder);
	} else {
		fputs(kind_names[pause->kind - MPROF_PAUSE_STOPPED_WORLD], stdout);
		if (pause->has_collection)
			printf("%s %" PRIu64 ", generation %" PRIu32,
			       pause->kind == MPROF_PAUSE_COLLECTION ? "" : ", collection", pause->number,
			       pause->generation);
	}
	puts(pause->unfinished ? " (not ended)" : "");
}

static void print_longest(const log_report *report, const mprof_pause *rows, size_t count)
{
	size_t shown = report_rows(report, count);
	char text[TEXT_NUMBER_SIZE];

	report_title(report, "Longest pauses", shown, count, TABLE_PAUSES);
	printf("  %10s %14s %18s  %s\n", "duration", "start", "thread", "cause");
	for (size_t i = 0; i < shown; i++) {
		char start[TEXT_NUMBER_SIZE];

		snprintf(start, sizeof(start), "%.6f s", (double)rows[i].start_ns / 1e9);
		printf("  %10s %14s %#18" PRIx64 "  ", text_duration(text, rows[i].duration_ns), start, rows[i].thread);
		print_cause(report, &rows[i]);
		if (rows[i].stack != 0)
			report_stack(report, rows[i].stack);
	}
}

/* Pauses that there was no memory for are missing from all tables. */
static void print_left_out(const log_report *report)
{
	mprof_timeline timeline = {.struct_size = sizeof(timeline)};
	char text[TEXT_NUMBER_SIZE];

	mprof_profile_get_row(report->profile, MPROF_TABLE_TIMELINE, 0, &timeline);
	if (timeline.left_out > 0)
		printf("  %s waits or parts of the timeline are missing: the memory limit was reached\n",
		       text_count(text, timeline.left_out));
}

void report_pauses_text(const log_report *report)
{
	size_t count;
	mprof_pause *rows = collect_pauses(report, &count);
	pause_sums sums = sum_pauses(rows, count);

	if (count > 0) {
		print_summary(report, rows, count, &sums);
		print_left_out(report);
		print_histogram(report, &sums);
		print_longest(report, rows, count);
	} else {
		report_title(report, "Pauses", 0, 0, TABLE_PAUSE_SUMMARY);
		puts("  none in the log");
	}
	free(rows);
}

static void print_row_json(const log_report *report, json_writer *json, const mprof_pause *pause)
{
	json_begin_object(json, NULL);
	json_string(json, "kind", kind_keys[pause->kind - MPROF_PAUSE_STOPPED_WORLD]);
	json_signed(json, "start_ns", pause->start_ns);
	json_unsigned(json, "duration_ns", pause->duration_ns);
	json_boolean(json, "finished", !pause->unfinished);
	json_hexadecimal(json, "thread", pause->thread);
	if (pause->has_collection) {
		json_unsigned(json, "collection", pause->number);
		json_unsigned(json, "generation", pause->generation);
	} else {
		json_null(json, "collection");
		json_null(json, "generation");
	}
	report_json_class(report, json, pause->class_id);
	if (pause->object != 0)
		json_hexadecimal(json, "object", pause->object);
	else
		json_null(json, "object");
	if (pause->holder != 0)
		json_hexadecimal(json, "holder", pause->holder);
	else
		json_null(json, "holder");
	report_json_stack(report, json, "stack", pause->stack);
	json_end_object(json);
}

static void print_summary_json(json_writer *json, const mprof_pause *rows, size_t count, const pause_sums *sums)
{
	json_begin_array(json, "pause_summary");
	for (size_t kind = 0; kind < KINDS; kind++) {
		uint64_t of_kind = sums->count[kind];

		if (of_kind == 0)
			continue;
		json_begin_object(json, NULL);
		json_string(json, "kind", kind_keys[kind]);
		json_unsigned(json, "count", of_kind);
		json_unsigned(json, "unfinished", sums->unfinished[kind]);
		json_unsigned(json, "total_ns", sums->total_ns[kind]);
		json_unsigned(json, "p50_ns", percentile(rows, count, kind, of_kind, 50));
		json_unsigned(json, "p90_ns", percentile(rows, count, kind, of_kind, 90));
		json_unsigned(json, "p99_ns", percentile(rows, count, kind, of_kind, 99));
		json_unsigned(json, "max_ns", percentile(rows, count, kind, of_kind, 100));
		json_end_object(json);
	}
	json_end_array(json);
}

static void print_histogram_json(json_writer *json, const pause_sums *sums, int has_rows)
{
	json_begin_array(json, "pause_histogram");
	for (size_t i = 0; has_rows && i < CLASSES; i++) {
		json_begin_object(json, NULL);
		if (i + 1 < CLASSES)
			json_unsigned(json, "below_ns", class_end(i));
		else
			json_null(json, "below_ns");
		for (size_t kind = 0; kind < KINDS; kind++)
			json_unsigned(json, kind_keys[kind], sums->classes[kind][i]);
		json_end_object(json);
	}
	json_end_array(json);
}

void report_pauses_json(const log_report *report, json_writer *json)
{
	size_t count;
	mprof_pause *rows = collect_pauses(report, &count);
	pause_sums sums = sum_pauses(rows, count);

	json_begin_array(json, "pauses");
	for (size_t i = 0; i < report_rows(report, count); i++)
		print_row_json(report, json, &rows[i]);
	json_end_array(json);
	print_summary_json(json, rows, count, &sums);
	print_histogram_json(json, &sums, count > 0);
	free(rows);
}
