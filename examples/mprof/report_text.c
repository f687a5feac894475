/* SPDX-License-Identifier: MIT */
/* A report for people: first what most want to know. */
#include "call_paths.h"
#include "report.h"
#include "text.h"

#include <inttypes.h>
#include <stdlib.h>

/* Longer names are cut in their middle. */
#define NAME_WIDTH 100

static void print_method_name(const log_report *report, uint32_t id)
{
	text_name_cut(stdout, names_full_method(report->input.reader, id), NAME_WIDTH);
	putchar('\n');
}

static void print_class_name(const log_report *report, uint32_t id)
{
	class_name name;

	names_class(report->input.reader, id, &name);
	text_name_cut(stdout, name.name, NAME_WIDTH);
	putchar('\n');
}

static void print_title(const char *title, size_t shown, size_t all)
{
	printf("\n%s", title);
	if (shown < all)
		printf(" (%zu of %zu)", shown, all);
	putchar('\n');
}

static void print_total(const char *label, const char *value)
{
	printf("  %-24s %14s\n", label, value);
}

static void print_totals(const log_report *report)
{
	const mprof_profile_totals *totals = &report->totals;
	char text[TEXT_NUMBER_SIZE];

	puts("\nTotals");
	print_total("wall time", text_duration(text, totals->wall_ns));
	if (totals->calls > 0) {
		print_total("time in methods", text_duration(text, totals->method_ns));
		print_total("calls", text_count(text, totals->calls));
	}
	if (totals->allocations > 0) {
		print_total("objects allocated", text_count(text, totals->allocations));
		print_total("bytes allocated", text_bytes(text, totals->allocated_bytes));
	}
	if (totals->collections > 0) {
		print_total("collections", text_count(text, totals->collections));
		print_total("time collecting", text_duration(text, totals->gc_ns));
	}
	if (totals->jit_methods > 0) {
		print_total("methods compiled", text_count(text, totals->jit_methods));
		print_total("time compiling", text_duration(text, totals->jit_ns));
	}
	if (totals->exceptions > 0)
		print_total("exceptions", text_count(text, totals->exceptions));
	if (totals->samples > 0)
		print_total("samples", text_count(text, totals->samples));
	if (totals->lost_events > 0)
		print_total("events lost", text_count(text, totals->lost_events));
	if (totals->unmatched_leaves > 0)
		print_total("returns without a call", text_count(text, totals->unmatched_leaves));
	if (totals->unclosed_frames > 0)
		print_total("calls without a return", text_count(text, totals->unclosed_frames));
}

static void print_method_row(const log_report *report, const mprof_method_figures *figures)
{
	char self[TEXT_NUMBER_SIZE];
	char percent[TEXT_NUMBER_SIZE];
	char total[TEXT_NUMBER_SIZE];
	char calls[TEXT_NUMBER_SIZE];

	printf("  %10s %8s %10s %14s  ", text_duration(self, figures->self_ns),
	       text_percent(percent, figures->self_ns, report->totals.method_ns),
	       text_duration(total, figures->total_ns), text_count(calls, figures->calls));
	print_method_name(report, figures->id);
}

static void print_methods(log_report *report, const char *title, report_order order)
{
	size_t called = 0;
	size_t rows;

	report_sort_methods(report, order);
	/* Methods that were never called come last in each order. */
	for (size_t i = 0; i < report->method_count; i++)
		called += report->methods[i].calls > 0;
	if (called == 0)
		return;
	rows = report_rows(report, called);
	print_title(title, rows, called);
	printf("  %10s %8s %10s %14s  %s\n", "self", "", "total", "calls", "method");
	for (size_t i = 0, shown = 0; i < report->method_count && shown < rows; i++) {
		if (report->methods[i].calls == 0)
			continue;
		print_method_row(report, &report->methods[i]);
		shown++;
	}
}

static void enter_call(void *user, const mprof_call_figures *figures, size_t depth)
{
	const log_report *report = user;
	char percent[TEXT_NUMBER_SIZE];
	char total[TEXT_NUMBER_SIZE];
	char self[TEXT_NUMBER_SIZE];
	char calls[TEXT_NUMBER_SIZE];

	printf("  %8s %10s %10s %14s  %*s", text_percent(percent, figures->total_ns, report->totals.method_ns),
	       text_duration(total, figures->total_ns), text_duration(self, figures->self_ns),
	       text_count(calls, figures->calls), (int)depth * 2, "");
	print_method_name(report, figures->method);
}

static void leave_call(void *user, const mprof_call_figures *figures, const hidden_calls *hidden, size_t depth)
{
	const log_report *report = user;
	char percent[TEXT_NUMBER_SIZE];
	char total[TEXT_NUMBER_SIZE];

	(void)figures;
	/* Small ones are what the limit is for; a word is due where much is hidden by the depth. */
	if (hidden->total_ns == 0 ||
	    (double)hidden->total_ns < (double)report->totals.method_ns * report->options.min_percent / 100)
		return;
	printf("  %8s %10s %10s %14s  %*s(%" PRIu64 " more)\n",
	       text_percent(percent, hidden->total_ns, report->totals.method_ns),
	       text_duration(total, hidden->total_ns), "", "", (int)(depth + 1) * 2, "", hidden->count);
}

static void print_tree(log_report *report)
{
	call_visitor visitor = {enter_call, leave_call, report};
	double min_ns = (double)report->totals.method_ns * report->options.min_percent / 100;

	if (report->totals.calls == 0)
		return;
	print_title("Call tree", 0, 0);
	printf("  %8s %10s %10s %14s  %s\n", "", "total", "self", "calls", "method");
	if (!call_paths_walk(report->profile, (uint64_t)min_ns, (size_t)report->options.depth, &visitor))
		fprintf(stderr, "mprof: %s\n", mprof_status_text(MPROF_ERR_MEMORY));
}

static void print_allocations(const log_report *report)
{
	size_t allocated = 0;
	size_t rows;
	char bytes[TEXT_NUMBER_SIZE];
	char percent[TEXT_NUMBER_SIZE];
	char objects[TEXT_NUMBER_SIZE];

	/* Most bytes first, so classes without objects come last. */
	while (allocated < report->class_count && report->classes[allocated].allocations > 0)
		allocated++;
	if (allocated == 0)
		return;
	rows = report_rows(report, allocated);
	print_title("Allocations by class", rows, allocated);
	printf("  %10s %8s %14s %10s  %s\n", "bytes", "", "objects", "mean", "class");
	for (size_t i = 0; i < rows; i++) {
		const mprof_class_figures *figures = &report->classes[i];

		printf("  %10s %8s %14s %10" PRIu64 "  ", text_bytes(bytes, figures->bytes),
		       text_percent(percent, figures->bytes, report->totals.allocated_bytes),
		       text_count(objects, figures->allocations), figures->bytes / figures->allocations);
		print_class_name(report, figures->id);
	}
}

static int compare_by_jit(const void *left, const void *right)
{
	uint64_t a = ((const mprof_method_figures *)left)->jit_ns;
	uint64_t b = ((const mprof_method_figures *)right)->jit_ns;

	return (a < b) - (a > b);
}

static int compare_by_samples(const void *left, const void *right)
{
	uint64_t a = ((const mprof_method_figures *)left)->samples;
	uint64_t b = ((const mprof_method_figures *)right)->samples;

	return (a < b) - (a > b);
}

static void print_jit(log_report *report)
{
	size_t compiled = 0;
	size_t rows;
	char text[TEXT_NUMBER_SIZE];

	qsort(report->methods, report->method_count, sizeof(*report->methods), compare_by_jit);
	while (compiled < report->method_count && report->methods[compiled].jit_ns > 0)
		compiled++;
	if (compiled == 0)
		return;
	rows = report_rows(report, compiled);
	print_title("Compilation, with what was compiled for it", rows, compiled);
	for (size_t i = 0; i < rows; i++) {
		printf("  %10s  ", text_duration(text, report->methods[i].jit_ns));
		print_method_name(report, report->methods[i].id);
	}
	if (report->totals.jit_failures > 0)
		printf("  %s compilations failed\n", text_count(text, report->totals.jit_failures));
}

static void print_samples(log_report *report)
{
	size_t hit = 0;
	size_t rows;
	char percent[TEXT_NUMBER_SIZE];
	char count[TEXT_NUMBER_SIZE];

	qsort(report->methods, report->method_count, sizeof(*report->methods), compare_by_samples);
	while (hit < report->method_count && report->methods[hit].samples > 0)
		hit++;
	if (hit == 0)
		return;
	rows = report_rows(report, hit);
	print_title("Samples", rows, hit);
	for (size_t i = 0; i < rows; i++) {
		printf("  %14s %8s  ", text_count(count, report->methods[i].samples),
		       text_percent(percent, report->methods[i].samples, report->totals.samples));
		print_method_name(report, report->methods[i].id);
	}
}

#define GENERATIONS 4

typedef struct generation {
	uint64_t count;
	uint64_t duration_ns;
	uint64_t longest_ns;
	uint64_t pause_ns;
} generation;

static void print_collections(const log_report *report)
{
	generation generations[GENERATIONS] = {{0, 0, 0, 0}};
	size_t count = mprof_profile_collection_count(report->profile);
	char total[TEXT_NUMBER_SIZE];
	char longest[TEXT_NUMBER_SIZE];
	char pause[TEXT_NUMBER_SIZE];

	for (size_t i = 0; i < count; i++) {
		mprof_collection collection;
		generation *of;

		collection.struct_size = sizeof(collection);
		mprof_profile_collection(report->profile, i, &collection);
		of = &generations[collection.generation < GENERATIONS ? collection.generation : GENERATIONS - 1];
		of->count++;
		of->duration_ns += collection.duration_ns;
		of->pause_ns += collection.pause_ns;
		if (collection.duration_ns > of->longest_ns)
			of->longest_ns = collection.duration_ns;
	}
	if (count == 0)
		return;
	print_title("Collections", 0, 0);
	printf("  %10s %10s %10s %10s %10s\n", "generation", "count", "total", "longest", "paused");
	for (size_t i = 0; i < GENERATIONS; i++) {
		if (generations[i].count > 0)
			printf("  %10zu %10" PRIu64 " %10s %10s %10s\n", i, generations[i].count,
			       text_duration(total, generations[i].duration_ns),
			       text_duration(longest, generations[i].longest_ns),
			       text_duration(pause, generations[i].pause_ns));
	}
}

static void print_exceptions(const log_report *report)
{
	char text[TEXT_NUMBER_SIZE];
	int has_title = 0;

	for (size_t i = 0; i < report->class_count; i++) {
		if (report->classes[i].exceptions == 0)
			continue;
		if (!has_title)
			print_title("Exceptions", 0, 0);
		has_title = 1;
		printf("  %10s  ", text_count(text, report->classes[i].exceptions));
		print_class_name(report, report->classes[i].id);
	}
}

static void print_threads(const log_report *report)
{
	size_t count = mprof_profile_thread_count(report->profile);
	size_t rows = report_rows(report, count);
	char self[TEXT_NUMBER_SIZE];
	char events[TEXT_NUMBER_SIZE];
	char lost[TEXT_NUMBER_SIZE];

	if (count == 0)
		return;
	print_title("Threads", rows, count);
	printf("  %18s %10s %14s %10s  %s\n", "thread", "in methods", "events", "lost", "name");
	for (size_t i = 0; i < rows; i++) {
		mprof_thread_figures figures;

		figures.struct_size = sizeof(figures);
		mprof_profile_thread(report->profile, i, &figures);
		printf("  %#18" PRIx64 " %10s %14s %10s  ", figures.id, text_duration(self, figures.self_ns),
		       text_count(events, figures.events), text_count(lost, figures.lost));
		text_name(stdout, figures.name);
		putchar('\n');
	}
}

static void print_facts(const log_report *report)
{
	for (size_t i = 0; i < mprof_profile_property_count(report->profile); i++) {
		const char *key;
		const char *value;

		if (mprof_profile_property(report->profile, i, &key, &value) != MPROF_OK)
			continue;
		text_name(stdout, key);
		fputs(": ", stdout);
		text_name_cut(stdout, value, NAME_WIDTH);
		putchar('\n');
	}
}

void report_print_text(log_report *report)
{
	if (report->options.tree_only) {
		print_tree(report);
		return;
	}
	summary_print_text(&report->summary, &report->input, stdout);
	print_facts(report);
	print_totals(report);
	if (report->options.has_order) {
		print_methods(report, "Methods", report->options.order);
	} else {
		print_methods(report, "Methods by their own time", REPORT_BY_SELF);
		print_methods(report, "Methods by time with what they call", REPORT_BY_TOTAL);
	}
	print_tree(report);
	print_allocations(report);
	print_collections(report);
	print_exceptions(report);
	print_jit(report);
	print_samples(report);
	print_threads(report);
}
