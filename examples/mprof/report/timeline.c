/* SPDX-License-Identifier: MIT */
/*
 * Prints pauses, the longest first, with percentiles and a histogram of their durations; and what each thread did in
 * slices of time: a character per slice as text, arrays of times as JSON.
 */
#include "report/contents.h"

#include "report/filters.h"
#include "report/frames.h"
#include "report/parts.h"
#include "report/stacks.h"
#include "report/view.h"

#include <inttypes.h>
#include <stdlib.h>

static mprof_timeline timeline_of(const log_report *report)
{
	mprof_timeline timeline = {.struct_size = sizeof(timeline)};

	mprof_profile_get_row(report->profile, MPROF_TABLE_TIMELINE, 0, &timeline);
	return timeline;
}

/* What there was no memory for is missing from all tables. */
static void print_left_out(const log_report *report)
{
	const mprof_timeline timeline = timeline_of(report);
	char text[TEXT_NUMBER_SIZE];

	if (timeline.left_out > 0)
		printf("  %s waits or parts of the timeline are missing: the memory limit was reached\n",
		       text_count(text, timeline.left_out));
}

/*
 * Pauses.
 */

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
static int keep_pause(const log_report *report, const void *row)
{
	const mprof_pause *pause = row;

	return pause->kind >= MPROF_PAUSE_STOPPED_WORLD && pause->kind <= MPROF_PAUSE_WAIT &&
	       pause->duration_ns >= report->options.least_pause_ns &&
	       (pause->kind != MPROF_PAUSE_WAIT ||
		(report_wants_class(report, pause->class_id) && report_frames_keep_stack(report, pause->stack)));
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

	report_title(report, "Pauses", 0, 0, REPORT_TABLE_PAUSE_SUMMARY);
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

	report_title(report, "Pauses by duration", 0, 0, REPORT_TABLE_PAUSE_HISTOGRAM);
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

static void print_cause(const log_report *report, const void *row)
{
	const mprof_pause *pause = row;
	class_name name;

	fputs("  ", stdout);
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

static void print_pause_stack(const log_report *report, const void *row)
{
	const mprof_pause *pause = row;

	if (pause->stack != 0)
		report_stack(report, pause->stack);
}

static const char *key_of_kind(uint32_t kind)
{
	return kind_keys[kind - MPROF_PAUSE_STOPPED_WORLD];
}

static const report_view pauses = {
	.table = REPORT_TABLE_PAUSES,
	.source = MPROF_TABLE_PAUSES,
	.row_size = sizeof(mprof_pause),
	.keep = keep_pause,
	.order = "duration_ns <start_ns <thread",
	.title = "Longest pauses",
	.columns = {VIEW_COLUMN(10, "duration", "duration_ns"),
		    VIEW_COLUMN_BY(14, "start", .field = "start_ns", .format = VIEW_SECONDS),
		    VIEW_COLUMN(18, "thread", "thread"), VIEW_COLUMN_BY(0, "cause", .print = print_cause)},
	.below = print_pause_stack,
	.json = {VIEW_KIND(kind, "kind", key_of_kind),
		 VIEW_FIELD(start_ns),
		 VIEW_FIELD(duration_ns),
		 VIEW_OPPOSITE(unfinished, "finished"),
		 VIEW_FIELD(thread),
		 {.use = VIEW_VALUE, .field = "number", .key = "collection", .needs = "has_collection"},
		 VIEW_FIELD_NEEDS(generation, has_collection),
		 VIEW_NAME(class_id, "class"),
		 VIEW_FIELD_NEEDS(object, object),
		 VIEW_FIELD_NEEDS(holder, holder),
		 VIEW_ALL_OTHERS,
		 VIEW_FRAMES},
};

static void print_pauses(const log_report *report)
{
	view_rows rows = report_view_collect(report, &pauses);
	const mprof_pause *found = (const mprof_pause *)(const void *)rows.rows;
	pause_sums sums = sum_pauses(found, rows.count);

	if (rows.count > 0) {
		print_summary(report, found, rows.count, &sums);
		print_left_out(report);
		print_histogram(report, &sums);
		report_view_rows_text(report, &pauses, pauses.title, &rows, 0);
	} else {
		report_title(report, "Pauses", 0, 0, REPORT_TABLE_PAUSE_SUMMARY);
		puts("  none in the log");
	}
	free(rows.rows);
}

static void print_summary_json(json_writer *json, const mprof_pause *rows, size_t count, const pause_sums *sums)
{
	json_begin_array(json, sections_table_key(REPORT_TABLE_PAUSE_SUMMARY));
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
	json_begin_array(json, sections_table_key(REPORT_TABLE_PAUSE_HISTOGRAM));
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

static void write_pauses(log_report *report, json_writer *json)
{
	view_rows rows = report_view_collect(report, &pauses);
	const mprof_pause *found = (const mprof_pause *)(const void *)rows.rows;
	pause_sums sums = sum_pauses(found, rows.count);

	report_view_rows_json(report, json, &pauses, &rows);
	print_summary_json(json, found, rows.count, &sums);
	print_histogram_json(json, &sums, rows.count > 0);
	free(rows.rows);
}

const report_view timeline_pauses = {.print_text = print_pauses, .print_json = write_pauses};

/*
 * The timeline.
 */

static mprof_timeline_slice slice_at(const log_report *report, size_t thread, size_t index)
{
	mprof_timeline_slice slice = {.struct_size = sizeof(slice)};

	mprof_profile_get_timeline_slice(report->profile, thread, index, &slice);
	return slice;
}

static mprof_timeline_slice sum_slices(const log_report *report, size_t thread, size_t count)
{
	mprof_timeline_slice sum = {.struct_size = sizeof(sum)};

	for (size_t i = 0; i < count; i++) {
		mprof_timeline_slice slice = slice_at(report, thread, i);

		sum.methods_ns += slice.methods_ns;
		sum.waiting_ns += slice.waiting_ns;
		sum.stopped_ns += slice.stopped_ns;
		sum.cpu_ns += slice.cpu_ns;
		sum.samples += slice.samples;
	}
	return sum;
}

/*
 * Stops and waits are what a reader looks for, so short ones are shown, too: a capital letter if they take half of the
 * slice. Without calls, samples show what the thread did.
 */
static char character_of(const log_report *report, const mprof_timeline_slice *slice)
{
	if (slice->existing_ns == 0 && slice->samples == 0 && slice->cpu_ns == 0)
		return ' ';
	if (slice->stopped_ns > 0 && slice->stopped_ns >= slice->existing_ns / 2)
		return 'S';
	if (slice->waiting_ns > 0 && slice->waiting_ns >= slice->existing_ns / 2)
		return 'W';
	if (slice->stopped_ns > 0)
		return 's';
	if (slice->waiting_ns > 0)
		return 'w';
	if (slice->methods_ns > 0)
		return '#';
	if (!report_has_calls(report) && slice->samples > 0)
		return slice->waiting_samples * 2 > slice->samples ? 'W' : '#';
	return '.';
}

/* The ID of the thread with an index, and whether it passes the filter. */
static int get_thread(const log_report *report, size_t index, mprof_thread_stats *thread)
{
	thread->struct_size = sizeof(*thread);
	mprof_profile_get_row(report->profile, MPROF_TABLE_THREADS, index, thread);
	return report_wants_thread(report, thread->id);
}

static size_t count_threads(const log_report *report)
{
	mprof_thread_stats thread;
	size_t count = 0;

	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_THREADS); i++)
		count += get_thread(report, i, &thread) != 0;
	return count;
}

static void print_thread(const log_report *report, size_t index, size_t slices)
{
	mprof_thread_stats thread;
	mprof_timeline_slice sum = sum_slices(report, index, slices);
	char text[TEXT_NUMBER_SIZE];

	get_thread(report, index, &thread);
	printf("  %#18" PRIx64 " %10s", thread.id, text_duration(text, sum.methods_ns));
	printf(" %10s", text_duration(text, sum.waiting_ns));
	printf(" %10s", text_duration(text, sum.stopped_ns));
	printf(" %10s  |", thread.cpu_ns > 0 ? text_duration(text, sum.cpu_ns) : "-");
	for (size_t i = 0; i < slices; i++) {
		mprof_timeline_slice slice = slice_at(report, index, i);

		putchar(character_of(report, &slice));
	}
	fputs("|  ", stdout);
	text_name(stdout, thread.name != NULL ? thread.name : "");
	putchar('\n');
}

static void print_timeline(const log_report *report)
{
	mprof_timeline timeline = timeline_of(report);
	size_t count = count_threads(report);
	size_t rows = report_rows(report, count);
	mprof_thread_stats thread;
	char length[TEXT_NUMBER_SIZE];

	report_title(report, "What threads did", rows, count, REPORT_TABLE_TIMELINE);
	printf("  %" PRIu64 " slices of %s, from %.6f s on\n", timeline.slice_count,
	       text_duration(length, timeline.slice_ns), (double)timeline.start_ns / 1e9);
	puts("  # in methods   W, w waited for a monitor   S, s stopped, as for a collection   . in no method");
	puts("  a capital letter is at least half of the slice; times in methods include waits and stops");
	print_left_out(report);
	printf("  %18s %10s %10s %10s %10s  %-*s  %s\n", "thread", "in methods", "waited", "stopped", "processor",
	       (int)timeline.slice_count + 2, "", "name");
	for (size_t i = 0, printed = 0; printed < rows; i++) {
		if (!get_thread(report, i, &thread))
			continue;
		print_thread(report, i, (size_t)timeline.slice_count);
		printed++;
	}
}

typedef enum slice_field { EXISTING, METHODS, WAITING, STOPPED, CPU, SAMPLES, WAITING_SAMPLES, FIELDS } slice_field;

static uint64_t value_of(const mprof_timeline_slice *slice, slice_field field)
{
	const uint64_t values[FIELDS] = {[EXISTING] = slice->existing_ns,
					 [METHODS] = slice->methods_ns,
					 [WAITING] = slice->waiting_ns,
					 [STOPPED] = slice->stopped_ns,
					 [CPU] = slice->cpu_ns,
					 [SAMPLES] = slice->samples,
					 [WAITING_SAMPLES] = slice->waiting_samples};

	return values[field];
}

static void print_thread_json(const log_report *report, json_writer *json, size_t index, size_t slices)
{
	static const char *const keys[FIELDS] = {"existing_ns", "methods_ns", "waiting_ns",     "stopped_ns",
						 "cpu_ns",      "samples",    "waiting_samples"};
	mprof_thread_stats thread;

	get_thread(report, index, &thread);
	json_begin_object(json, NULL);
	json_hexadecimal(json, "id", thread.id);
	json_string(json, "name", thread.name);
	for (size_t field = 0; field < FIELDS; field++) {
		json_begin_array(json, keys[field]);
		for (size_t i = 0; i < slices; i++) {
			mprof_timeline_slice slice = slice_at(report, index, i);

			json_unsigned(json, NULL, value_of(&slice, (slice_field)field));
		}
		json_end_array(json);
	}
	json_end_object(json);
}

static void write_timeline(log_report *report, json_writer *json)
{
	mprof_timeline timeline = timeline_of(report);
	size_t rows = report_rows(report, report->options.timeline_slices > 0 ? count_threads(report) : 0);
	mprof_thread_stats thread;

	json_begin_object(json, sections_table_key(REPORT_TABLE_TIMELINE));
	json_signed(json, "start_ns", timeline.start_ns);
	json_unsigned(json, "slice_ns", timeline.slice_ns);
	json_unsigned(json, "slices", timeline.slice_count);
	json_unsigned(json, "left_out", timeline.left_out);
	json_begin_array(json, "threads");
	for (size_t i = 0, printed = 0; printed < rows; i++) {
		if (!get_thread(report, i, &thread))
			continue;
		print_thread_json(report, json, i, (size_t)timeline.slice_count);
		printed++;
	}
	json_end_array(json);
	json_end_object(json);
}

const report_view timeline_threads = {.print_text = print_timeline, .print_json = write_timeline};
