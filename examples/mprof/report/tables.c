/* SPDX-License-Identifier: MIT */
/* Describes the tables whose rows are those of a table of the profile, and joins them with others. */
#include "report/tables.h"

#include "common/name_cut.h"
#include "common/table_view.h"
#include "report/contents.h"
#include "report/filters.h"
#include "report/frames.h"
#include "report/parts.h"
#include "report/processes.h"
#include "report/samples.h"
#include "report/stacks.h"
#include "shared/kinds.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/*
 * Methods.
 */

static void *read_methods(const log_report *report, size_t *count)
{
	*count = report->method_count;
	return report_view_copy(report->methods, sizeof(*report->methods), count);
}

/* In a window of time a method has run if it was called before the window and has not returned. */
static int has_run(const log_report *report, const void *row)
{
	const mprof_method_stats *stats = row;

	(void)report;
	return stats->calls > 0 || stats->total_ns > 0;
}

/* The ID of a method and its names; collapsed frames have no ID. */
static void print_method_name(const log_report *report, json_writer *json, const void *row, uint64_t id)
{
	const int is_collapsed = names_is_collapsed(report->input.names, (uint32_t)id);
	method_name name;

	(void)row;
	names_method(report->input.reader, (uint32_t)id, &name);
	json_unsigned(json, "id", is_collapsed ? 0 : id);
	json_string(json, "class", name.class_name);
	json_string(json, "name", is_collapsed ? names_full_method(report->input.names, (uint32_t)id) : name.name);
}

static void print_method_origin(const log_report *report, json_writer *json, const void *row, uint64_t id)
{
	const int is_collapsed = names_is_collapsed(report->input.names, (uint32_t)id);
	method_name name;

	(void)row;
	names_method(report->input.reader, (uint32_t)id, &name);
	json_unsigned(json, "class_id", name.class_id);
	json_string(json, "assembly", assembly_names_get(&report->assemblies, name.assembly_id));
	json_boolean(json, "wrapper", (name.flags & MPROF_METHOD_FLAG_WRAPPER) != 0);
	report_json_position(json, name.file, name.line);
	json_string(json, "symbol", name.name != name.symbol && !is_collapsed ? name.symbol : NULL);
}

#define METHOD_ROWS                                                                                                    \
	.table = REPORT_TABLE_METHODS, .source = MPROF_TABLE_METHODS, .row_size = sizeof(mprof_method_stats),          \
	.read = read_methods, .keep_text = has_run, .whole = offsetof(mprof_profile_totals, method_ns),                \
	.sorts = {{"self", "@self", NULL},                                                                             \
		  {"total", "@total", NULL},                                                                           \
		  {"calls", "calls", NULL},                                                                            \
		  {"samples", "samples", NULL},                                                                        \
		  {"compiling", "jit_ns", NULL}},                                                                      \
	.columns = {VIEW_COLUMN(10, "self", "@self"), VIEW_SHARE_COLUMN("@self"), VIEW_COLUMN(10, "total", "@total"),  \
		    VIEW_COLUMN(14, "calls", "calls"), VIEW_COLUMN(0, "method", "id")}

/* Text has tables_methods_lists instead. */
static void print_nothing(const log_report *report)
{
	(void)report;
}

const report_view tables_methods = {
	METHOD_ROWS,
	.title = "Methods by their own time",
	.order = "@self @count samples <id",
	.json = {VIEW_JOIN(id, print_method_name), VIEW_ALL_OTHERS, VIEW_FIELD_AS(samples_total, KEY_SAMPLES_TOTAL),
		 VIEW_JOIN(id, print_method_origin)},
	.print_text = print_nothing,
};

static const report_view methods_by_total = {
	METHOD_ROWS,
	.title = "Methods by time with what they call",
	.order = "@total @self @count samples <id",
};

static const report_view methods_as_chosen = {
	METHOD_ROWS,
	.title = "Methods",
	.order = "@self @count samples <id",
};

static void print_methods(const log_report *report)
{
	if (report_view_is_sorted(report, &tables_methods)) {
		report_view_text(report, &methods_as_chosen);
	} else {
		report_view_text(report, &tables_methods);
		report_view_text(report, &methods_by_total);
	}
}

const report_view tables_methods_lists = {.print_text = print_methods};

static const report_view compilation = {
	.table = REPORT_TABLE_COMPILATION,
	.source = MPROF_TABLE_METHODS,
	.row_size = sizeof(mprof_method_stats),
	.read = read_methods,
	.present = "jit_ns",
	.order = "jit_ns @total @self @count samples <id",
	.title = "Compilation, with what was compiled for it",
	.columns = {VIEW_COLUMN(10, NULL, "jit_ns"), VIEW_COLUMN(0, NULL, "id")},
};

static void print_compilation(const log_report *report)
{
	view_rows rows = report_view_collect(report, &compilation);
	char text[TEXT_NUMBER_SIZE];

	report_view_rows_text(report, &compilation, compilation.title, &rows, 0);
	if (rows.count > 0 && report->totals.jit_failures > 0)
		printf("  %s compilations failed\n", text_count(text, report->totals.jit_failures));
	free(rows.rows);
}

const report_view tables_compilation = {.print_text = print_compilation};

static void *read_durations(const log_report *report, size_t *count)
{
	mprof_call_durations *rows;

	*count = report->options.with_percentiles ? mprof_profile_get_row_count(report->profile, MPROF_TABLE_DURATIONS)
						  : 0;
	rows = report_view_allocate(*count, sizeof(*rows));
	if (rows == NULL || mprof_profile_get_rows(report->profile, MPROF_TABLE_DURATIONS, 0, rows, sizeof(*rows),
						   *count, count) != MPROF_OK)
		*count = 0;
	return rows;
}

const report_view tables_durations = {
	.table = REPORT_TABLE_DURATIONS,
	.source = MPROF_TABLE_DURATIONS,
	.row_size = sizeof(mprof_call_durations),
	.read = read_durations,
	.present = "calls",
	.filters = "method",
	.order = "sum_ns calls <method",
	.title = "Durations of calls that ended",
	.columns = {VIEW_COLUMN(14, "calls", "calls"), VIEW_COLUMN(10, "shortest", "min_ns"),
		    VIEW_COLUMN(10, "average", "average_ns"), VIEW_COLUMN(10, "p50", "p50_ns"),
		    VIEW_COLUMN(10, "p90", "p90_ns"), VIEW_COLUMN(10, "p99", "p99_ns"),
		    VIEW_COLUMN(10, "longest", "max_ns"), VIEW_COLUMN(0, "method", "method")},
	.json = {VIEW_JOIN(method, print_method_name), VIEW_FIELD(calls), VIEW_FIELD(min_ns), VIEW_FIELD(average_ns),
		 VIEW_FIELD(p50_ns), VIEW_FIELD(p90_ns), VIEW_FIELD(p99_ns), VIEW_FIELD(max_ns), VIEW_ALL_OTHERS,
		 VIEW_WITHOUT(slow_calls), VIEW_WITHOUT(left_out), VIEW_WITHOUT(sum_ns)},
};

/*
 * Classes and their allocations.
 */

static void *read_classes(const log_report *report, size_t *count)
{
	*count = report->class_count;
	return report_view_copy(report->classes, sizeof(*report->classes), count);
}

static int has_allocations(const log_report *report, const void *row)
{
	(void)report;
	return ((const mprof_class_stats *)row)->allocations > 0;
}

static int is_estimated(const log_report *report, const view_rows *rows)
{
	(void)rows;
	return report->totals.allocation_samples > 0;
}

static const char *format_mean(const log_report *report, const void *row, uint64_t number, char text[TEXT_NUMBER_SIZE])
{
	const mprof_class_stats *stats = row;

	(void)report;
	(void)number;
	snprintf(text, TEXT_NUMBER_SIZE, "%" PRIu64, stats->bytes / stats->allocations);
	return text;
}

static void print_class_name(const log_report *report, json_writer *json, const void *row, uint64_t id)
{
	class_name name;

	(void)row;
	names_class(report->input.reader, (uint32_t)id, &name);
	json_unsigned(json, "id", id);
	json_string(json, "name", name.name);
	json_string(json, "assembly", assembly_names_get(&report->assemblies, name.assembly_id));
}

/* Exact figures have no errors. */
static void print_estimates(const log_report *report, json_writer *json, const void *row, uint64_t samples)
{
	const mprof_class_stats *stats = row;

	(void)report;
	if (samples == 0)
		return;
	json_unsigned(json, "samples", samples);
	json_unsigned(json, "allocations_error", stats->allocations_error);
	json_unsigned(json, "bytes_error", stats->bytes_error);
}

#define CLASS_ROWS .source = MPROF_TABLE_CLASSES, .row_size = sizeof(mprof_class_stats), .read = read_classes

const report_view tables_classes = {
	CLASS_ROWS,
	.table = REPORT_TABLE_CLASSES,
	.keep_text = has_allocations,
	.order = "bytes allocations <id",
	.sorts = {{"bytes", "bytes", NULL},
		  {"objects", "allocations", NULL},
		  {"freed", "freed", NULL},
		  {"freed-bytes", "freed_bytes", NULL}},
	.title = "Allocations by class",
	.whole = offsetof(mprof_profile_totals, allocated_bytes),
	.columns = {VIEW_COLUMN(10, "bytes", "bytes"),
		    VIEW_COLUMN_BY(10, "+-", .field = "bytes_error", .when = is_estimated), VIEW_SHARE_COLUMN("bytes"),
		    VIEW_COLUMN(14, "objects", "allocations"),
		    VIEW_COLUMN_BY(10, "+-", .field = "allocations_error", .when = is_estimated),
		    VIEW_COLUMN_BY(10, "mean", .text = format_mean), VIEW_COLUMN(0, "class", "id")},
	.json = {VIEW_JOIN(id, print_class_name), VIEW_FIELD(allocations), VIEW_FIELD(bytes),
		 VIEW_JOIN(samples, print_estimates), VIEW_ALL_OTHERS, VIEW_WITHOUT(allocations_error),
		 VIEW_WITHOUT(bytes_error), VIEW_WITHOUT(exceptions), VIEW_WITHOUT(exception_texts),
		 VIEW_WITHOUT(exception_text_ns)},
};

const report_view tables_freed = {
	CLASS_ROWS,
	.table = REPORT_TABLE_FREED,
	.present = "freed",
	.order = "freed_bytes freed <id",
	.title = "Objects freed by class",
	.whole = offsetof(mprof_profile_totals, freed_bytes),
	.columns = {VIEW_COLUMN(10, "bytes", "freed_bytes"), VIEW_SHARE_COLUMN("freed_bytes"),
		    VIEW_COLUMN(14, "objects", "freed"), VIEW_COLUMN(0, "class", "id")},
};

/* Whether the JIT compiler allocated while it compiled the method. */
static uint32_t is_compiling(const mprof_allocation_site *site)
{
	return (site->flags & MPROF_EVENT_FLAG_COMPILING) != 0;
}

static int keep_site(const log_report *report, const void *row)
{
	const mprof_allocation_site *site = row;

	return report_frames_keep_site(report, site->stack, site->caller);
}

static const mprof_stack_frame *frames_of_site(const log_report *report, const void *row, size_t *count, int *is_owned)
{
	const mprof_allocation_site *site = row;

	return report_site_frames(report, site->stack, site->caller, is_compiling(site), count, is_owned);
}

/* Sites that are merged may have several callers. */
static void add_site(void *sum, const void *before, const void *row)
{
	mprof_allocation_site *into = sum;

	(void)before;
	if (into->stack != 0 && into->caller != ((const mprof_allocation_site *)row)->caller)
		into->caller = 0;
}

static uint64_t count_samples(const view_rows *rows)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < rows->count; i++)
		samples += ((const mprof_allocation_site *)(const void *)(rows->rows + i * rows->size))->samples;
	return samples;
}

static int has_samples(const log_report *report, const view_rows *rows)
{
	(void)report;
	return count_samples(rows) != 0;
}

static void note_estimates(const log_report *report, const view_rows *rows)
{
	const uint64_t samples = count_samples(rows);
	char text[TEXT_NUMBER_SIZE];

	(void)report;
	if (samples != 0)
		printf("  Estimates from the call stacks of %s objects; +- is the standard error.\n",
		       text_count(text, samples));
}

static void print_site_stack(const log_report *report, const void *row)
{
	const mprof_allocation_site *site = row;
	const mprof_stack_frame caller = {.id = site->caller, .is_compiling = is_compiling(site)};

	if (site->stack != 0)
		report_stack(report, site->stack);
	else
		report_frame_list(report, &caller, 1);
}

const report_view tables_allocation_sites = {
	.table = REPORT_TABLE_ALLOCATION_SITES,
	.source = MPROF_TABLE_ALLOCATION_SITES,
	.filters = "class_id",
	.keep = keep_site,
	.order = "bytes allocations <class_id <stack <caller <flags",
	.sorts = {{"bytes", "bytes", NULL}, {"objects", "allocations", NULL}},
	/* Exact figures are not added to estimates. */
	.merged = "class_id ?stack ?samples flags",
	.frames = frames_of_site,
	.add = add_site,
	.title = "Allocations by call site",
	.note = note_estimates,
	.columns = {VIEW_COLUMN(10, "bytes", "bytes"),
		    VIEW_COLUMN_BY(10, "+-", .field = "bytes_error", .format = VIEW_ERROR, .when = has_samples),
		    VIEW_COLUMN(14, "objects", "allocations"),
		    VIEW_COLUMN_BY(10, "+-", .field = "allocations_error", .format = VIEW_ERROR, .when = has_samples),
		    VIEW_COLUMN(0, "class, and what allocated it", "class_id")},
	.below = print_site_stack,
	.json = {VIEW_NAME(class_id, "class"), VIEW_FIELD(allocations), VIEW_FIELD(bytes),
		 VIEW_BITS(samples, "estimated", UINT64_MAX), VIEW_FIELD(samples), VIEW_ALL_OTHERS,
		 VIEW_NAME(caller, "caller"), VIEW_BITS(flags, "compiling", MPROF_EVENT_FLAG_COMPILING), VIEW_FRAMES},
	.row_bytes = 340,
	.left_out = LEFT_OUT_ALLOCATION_STACKS,
};

/*
 * Handles, with the call sites that created them.
 */

/* Number of call stacks that are printed as text for handles of one class and type. */
#define TEXT_STACKS 3

/* What the rows of handles are joined with. */
typedef struct handle_join {
	view_rows sites;
	uint64_t room;
	uint64_t *left_out;
} handle_join;

static const report_view handle_sites = {
	.table = REPORT_TABLE_HANDLE_STACKS,
	.source = MPROF_TABLE_HANDLE_SITES,
	.needs_stack = 1,
	.filters = "stack",
	.order = "<class_id <type alive created <stack",
	.merged = "class_id type",
	.json = {VIEW_ALL_OTHERS, VIEW_FRAMES},
	.row_bytes = 60,
};

static const mprof_handle_site *site_at(const view_rows *sites, size_t index)
{
	return (const mprof_handle_site *)(const void *)(sites->rows + index * sites->size);
}

static int compare_owners(const mprof_handle_site *site, const mprof_handle_stats *handles)
{
	int order = report_larger_first(handles->class_id, site->class_id);

	return order != 0 ? order : report_larger_first(handles->type, site->type);
}

/* The index of the first site of handles of a class and type, or where it would be inserted. */
static size_t first_site(const view_rows *sites, const mprof_handle_stats *handles)
{
	size_t low = 0;
	size_t high = sites->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_owners(site_at(sites, middle), handles) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int is_site_of(const view_rows *sites, size_t site, const mprof_handle_stats *handles)
{
	return site < sites->count && compare_owners(site_at(sites, site), handles) == 0;
}

static void print_handle_sites(const log_report *report, const void *row)
{
	const handle_join *join = report->join;
	size_t first = first_site(&join->sites, row);
	char alive[TEXT_NUMBER_SIZE];

	for (size_t i = first; is_site_of(&join->sites, i, row) && i < first + TEXT_STACKS; i++) {
		if (site_at(&join->sites, i)->alive == 0)
			break;
		printf("  %10s created by\n", text_count(alive, site_at(&join->sites, i)->alive));
		report_stack(report, site_at(&join->sites, i)->stack);
	}
}

static void write_handle_sites(const log_report *report, json_writer *json, const void *row, uint64_t value)
{
	handle_join *join = report->join;

	(void)value;
	json_begin_array(json, sections_table_key(REPORT_TABLE_HANDLE_STACKS));
	for (size_t i = first_site(&join->sites, row); is_site_of(&join->sites, i, row); i++) {
		const mprof_handle_site *site = site_at(&join->sites, i);

		if (!report_takes_room(&join->room, handle_sites.row_bytes +
							    report_json_stack_size(report, site->stack, join->room))) {
			++*join->left_out;
			join->room = 0;
			continue;
		}
		json_begin_object(json, NULL);
		report_view_fields(report, json, &handle_sites, site);
		json_end_object(json);
	}
	json_end_array(json);
}

const report_view tables_handles = {
	.table = REPORT_TABLE_HANDLES,
	.source = MPROF_TABLE_HANDLES,
	.filters = "class_id",
	.order = "alive created <class_id <type",
	.sorts = {{"alive", "alive", NULL}, {"created", "created", NULL}, {"deleted", "deleted", NULL}},
	.title = "Handles",
	.columns = {VIEW_COLUMN(10, "alive", "alive"), VIEW_COLUMN(14, "created", "created"),
		    VIEW_COLUMN_BY(10, "type", .field = "type", .kind = kind_of_handle),
		    VIEW_COLUMN(0, "class", "class_id")},
	.below = print_handle_sites,
	.json = {VIEW_NAME(class_id, "class"), VIEW_KIND(type, "type", kind_of_handle), VIEW_FIELD(created),
		 VIEW_FIELD(deleted), VIEW_ALL_OTHERS, VIEW_COMPUTED(write_handle_sites)},
	.print_text = tables_handles_text,
	.print_json = tables_handles_json,
};

void tables_handles_text(const log_report *report)
{
	handle_join join = {.sites = report_view_collect(report, &handle_sites)};
	log_report joined = *report;

	joined.join = &join;
	report_view_text(&joined, &tables_handles);
	free(join.sites.rows);
}

void tables_handles_json(log_report *report, json_writer *json)
{
	handle_join join = {.sites = report_view_collect(report, &handle_sites),
			    .room = report_room(report),
			    .left_out = &report->left_out[LEFT_OUT_HANDLE_STACKS]};
	log_report joined = *report;

	joined.join = &join;
	report_view_json(&joined, json, &tables_handles);
	free(join.sites.rows);
}

/*
 * Collections.
 */

#define GENERATIONS 4

typedef struct generation {
	uint64_t count;
	uint64_t duration_ns;
	uint64_t longest_ns;
	uint64_t pause_ns;
	uint64_t without_pause; /* Collections whose pause is not known. */
} generation;

static void add_collection(generation generations[GENERATIONS], const mprof_collection *collection)
{
	generation *of = &generations[collection->generation < GENERATIONS ? collection->generation : GENERATIONS - 1];

	of->count++;
	of->duration_ns += collection->duration_ns;
	of->pause_ns += collection->pause_ns;
	of->without_pause += !collection->has_pause;
	if (collection->duration_ns > of->longest_ns)
		of->longest_ns = collection->duration_ns;
}

/* Collections of one collector with one cause. */
typedef struct cause {
	const char *name;
	const char *cause;
	generation sums;
} cause;

/* Causes in the text; the document has those of all collections. */
#define MAX_CAUSES 32

static int is_same_text(const char *first, const char *second)
{
	return first == second || (first != NULL && second != NULL && strcmp(first, second) == 0);
}

/* Adds a collection. Returns 0 if there are too many causes. */
static int add_cause(cause causes[MAX_CAUSES], size_t *count, const mprof_collection *collection)
{
	size_t i = 0;

	while (i < *count &&
	       (!is_same_text(causes[i].name, collection->name) || !is_same_text(causes[i].cause, collection->cause)))
		i++;
	if (i == MAX_CAUSES)
		return 0;
	if (i == *count)
		causes[(*count)++] = (cause){.name = collection->name, .cause = collection->cause};
	causes[i].sums.count++;
	causes[i].sums.duration_ns += collection->duration_ns;
	causes[i].sums.pause_ns += collection->pause_ns;
	causes[i].sums.without_pause += !collection->has_pause;
	return 1;
}

/* The collectors and causes of collections, if the log states any. */
static void print_causes(const log_report *report, size_t count)
{
	cause causes[MAX_CAUSES];
	size_t cause_count = 0;
	uint64_t left_out = 0;
	int is_stated = 0;

	for (size_t i = 0; i < count; i++) {
		mprof_collection collection = {.struct_size = sizeof(collection)};

		mprof_profile_get_row(report->profile, MPROF_TABLE_COLLECTIONS, i, &collection);
		is_stated |= collection.name != NULL || collection.cause != NULL;
		left_out += !add_cause(causes, &cause_count, &collection);
	}
	if (!is_stated)
		return;
	printf("\n  %10s %10s %10s  %s\n", "count", "total", "paused", "collector: cause");
	for (size_t i = 0; i < cause_count; i++) {
		const generation *sums = &causes[i].sums;
		char total[TEXT_NUMBER_SIZE];
		char pause[TEXT_NUMBER_SIZE];

		printf("  %10" PRIu64 " %10s %10s  ", sums->count, text_duration(total, sums->duration_ns),
		       sums->without_pause < sums->count ? text_duration(pause, sums->pause_ns) : "-");
		text_name(stdout, causes[i].name != NULL ? causes[i].name : "(unknown)");
		fputs(": ", stdout);
		text_name(stdout, causes[i].cause != NULL ? causes[i].cause : "(unknown)");
		putchar('\n');
	}
	if (left_out > 0)
		printf("  %10" PRIu64 " more\n", left_out);
}

static void print_collections(const log_report *report)
{
	generation generations[GENERATIONS] = {{0}};
	size_t count = mprof_profile_get_row_count(report->profile, MPROF_TABLE_COLLECTIONS);
	char total[TEXT_NUMBER_SIZE];
	char longest[TEXT_NUMBER_SIZE];
	char pause[TEXT_NUMBER_SIZE];

	for (size_t i = 0; i < count; i++) {
		mprof_collection collection = {.struct_size = sizeof(collection)};

		mprof_profile_get_row(report->profile, MPROF_TABLE_COLLECTIONS, i, &collection);
		add_collection(generations, &collection);
	}
	if (count == 0)
		return;
	report_title(report, "Collections", 0, 0, REPORT_TABLE_COLLECTIONS);
	puts("  total and longest: from start to end; a concurrent collection runs beside the program meanwhile.\n"
	     "  paused: the time in which the world was stopped, - if the log does not state it.");
	printf("  %10s %10s %10s %10s %10s\n", "generation", "count", "total", "longest", "paused");
	for (size_t i = 0; i < GENERATIONS; i++) {
		if (generations[i].count > 0)
			printf("  %10zu %10" PRIu64 " %10s %10s %10s\n", i, generations[i].count,
			       text_duration(total, generations[i].duration_ns),
			       text_duration(longest, generations[i].longest_ns),
			       generations[i].without_pause < generations[i].count
				       ? text_duration(pause, generations[i].pause_ns)
				       : "-");
	}
	print_causes(report, count);
}

const report_view tables_collections = {
	.table = REPORT_TABLE_COLLECTIONS,
	.source = MPROF_TABLE_COLLECTIONS,
	.json = {VIEW_FIELD(number), VIEW_FIELD(generation), VIEW_FIELD_NEEDS(pause_ns, has_pause), VIEW_FIELD(name),
		 VIEW_FIELD(cause), VIEW_WITHOUT(has_pause), VIEW_ALL_OTHERS, VIEW_OPPOSITE(unfinished, "finished")},
	.has_all_rows = 1,
	.print_text = print_collections,
};

const report_view tables_heap_resizes = {
	.table = REPORT_TABLE_HEAP_RESIZES,
	.source = MPROF_TABLE_HEAP_RESIZES,
	.json = {VIEW_FIELD(time_ns), VIEW_FIELD(bytes), VIEW_FIELD_NEEDS(number, number), VIEW_ALL_OTHERS},
	.has_all_rows = 1,
};

/*
 * Monitors and finalizers.
 */

/* The column with the waits that have not ended is there if any wait has not. */
static int has_unfinished(const log_report *report, const view_rows *rows)
{
	(void)rows;
	return report->totals.unfinished_waits > 0;
}

/* Waits of a row, by the time that they took. Rows without them are of another time, if they have no other events. */
#define WAITS "@count @self"
#define LONGEST_WAITS_FIRST "@self @count "
#define WAITED VIEW_COLUMN(10, "waited", "@self"), VIEW_COLUMN(14, "times", "@count")
#define WAIT_SORTS                                                                                                     \
	{"time", "@self", NULL},                                                                                       \
	{                                                                                                              \
		"times", "@count", NULL                                                                                \
	}
#define NOT_ENDED VIEW_COLUMN_BY(9, "not ended", .field = "unfinished", .needs = "unfinished", .when = has_unfinished)

const report_view tables_monitors = {
	.table = REPORT_TABLE_MONITORS,
	.source = MPROF_TABLE_MONITORS,
	.present = WAITS " acquired failures",
	.filters = "class_id",
	.order = LONGEST_WAITS_FIRST "<class_id",
	.sorts = {WAIT_SORTS, {"failures", "failures", NULL}},
	.title = "Monitors",
	.columns = {WAITED, VIEW_COLUMN(10, "given up", "failures"), NOT_ENDED, VIEW_COLUMN(0, "class", "class_id")},
	.json = {VIEW_NAME(class_id, "class"), VIEW_MEASURE(count), VIEW_MEASURE(self), VIEW_ALL_OTHERS},
};

const report_view tables_monitor_sites = {
	.table = REPORT_TABLE_MONITOR_SITES,
	.source = MPROF_TABLE_MONITOR_SITES,
	.present = WAITS,
	.needs_stack = 1,
	.filters = "class_id stack",
	.order = LONGEST_WAITS_FIRST "<class_id <stack",
	.sorts = {WAIT_SORTS, {"failures", "failures", NULL}},
	.merged = "class_id object",
	.title = "Waits for monitors by call site",
	.columns = {WAITED, NOT_ENDED, VIEW_COLUMN(0, "class", "class_id")},
	.json = {VIEW_NAME(class_id, "class"), VIEW_ALL_OTHERS, VIEW_FRAMES},
	.row_bytes = 200,
	.left_out = LEFT_OUT_MONITOR_STACKS,
};

/* The name of a thread, NULL if it has none. */
static const char *name_of_thread(const log_report *report, uint64_t id)
{
	mprof_thread_stats stats = {.struct_size = sizeof(stats)};

	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_THREADS); i++) {
		if (mprof_profile_get_row(report->profile, MPROF_TABLE_THREADS, i, &stats) == MPROF_OK &&
		    stats.id == id)
			return stats.name;
	}
	return NULL;
}

static void print_held(const log_report *report, const void *row)
{
	const mprof_monitor_holder *holder = row;
	const char *name = name_of_thread(report, holder->thread);

	fputs("  ", stdout);
	if (name != NULL) {
		text_name(stdout, name);
		fputs(": ", stdout);
	}
	report_class(report, holder->class_id);
}

static void print_holder(const log_report *report, json_writer *json, const void *row, uint64_t thread)
{
	(void)row;
	json_hexadecimal(json, "holder", thread);
	json_string(json, "holder_name", name_of_thread(report, thread));
}

const report_view tables_monitor_holders = {
	.table = REPORT_TABLE_MONITOR_HOLDERS,
	.source = MPROF_TABLE_MONITOR_HOLDERS,
	.present = WAITS,
	.filters = "class_id",
	.order = LONGEST_WAITS_FIRST "<class_id <thread",
	.sorts = {WAIT_SORTS},
	.title = "Monitors by the thread that held them",
	.columns = {WAITED, NOT_ENDED, VIEW_COLUMN(19, "held by", "thread"),
		    VIEW_COLUMN_BY(0, "class", .print = print_held)},
	.json = {VIEW_NAME(class_id, "class"), VIEW_JOIN(thread, print_holder), VIEW_ALL_OTHERS},
};

const report_view tables_finalizers = {
	.table = REPORT_TABLE_FINALIZERS,
	.source = MPROF_TABLE_FINALIZERS,
	.present = "count",
	.filters = "class_id",
	.order = "@self count <class_id",
	.sorts = {{"time", "@self", NULL}, {"times", "count", NULL}},
	.title = "Finalizers",
	.columns = {VIEW_COLUMN(10, "time", "@self"), VIEW_COLUMN(14, "objects", "count"),
		    VIEW_COLUMN(0, "class", "class_id")},
	.json = {VIEW_NAME(class_id, "class"), VIEW_ALL_OTHERS},
};

/*
 * Exceptions.
 */

/* The class of exceptions, and the latest of their messages. */
static void print_thrown(const log_report *report, uint32_t class_id, uint64_t texts, const char *text)
{
	class_name name;
	const char *shown = names_class_or_none(report->input.reader, class_id, &name);

	fputs("  ", stdout);
	name_print(shown != NULL ? shown : "(unknown)");
	if (text != NULL) {
		fputs(": ", stdout);
		name_print_text(text);
		if (texts > 1)
			printf(" (the latest of %" PRIu64 ")", texts);
	}
	putchar('\n');
}

static void print_exception_class(const log_report *report, const void *row)
{
	const mprof_class_stats *stats = row;

	print_thrown(report, stats->id, stats->exception_texts, stats->exception_text);
}

static void print_exception_site(const log_report *report, const void *row)
{
	const mprof_exception_site *site = row;

	print_thrown(report, site->class_id, site->texts, site->text);
}

/* Of two sites that are one, the later text is the latest. */
static void add_exception_sites(void *sum, const void *before, const void *row)
{
	const mprof_exception_site *added = row;
	mprof_exception_site *site = sum;

	if (added->texts > 0 &&
	    (((const mprof_exception_site *)before)->texts == 0 || added->text_ns > site->text_ns)) {
		site->text_ns = added->text_ns;
		site->text = added->text;
	}
}

const report_view tables_exceptions = {
	CLASS_ROWS,
	.table = REPORT_TABLE_EXCEPTIONS,
	.present = "exceptions",
	.order = "exceptions <id",
	.sorts = {{"times", "exceptions", NULL}},
	.title = "Exceptions",
	.columns = {VIEW_COLUMN(10, NULL, "exceptions"), VIEW_COLUMN_BY(0, NULL, .print = print_exception_class)},
	.json = {VIEW_NAME(id, "class"),
		 VIEW_FIELD_AS(exceptions, "count"),
		 VIEW_FIELD_AS(exception_texts, "texts"),
		 VIEW_FIELD_AS(exception_text, "text"),
		 {.use = VIEW_VALUE, .field = "exception_text_ns", .key = "text_ns", .needs = "exception_texts"}},
};

const report_view tables_exception_sites = {
	.table = REPORT_TABLE_EXCEPTION_SITES,
	.source = MPROF_TABLE_EXCEPTION_SITES,
	.present = "exceptions",
	.needs_stack = 1,
	.filters = "class_id stack",
	.order = "exceptions <class_id <stack",
	.sorts = {{"times", "exceptions", NULL}},
	.merged = "class_id",
	.title = "Exceptions by call site",
	.add = add_exception_sites,
	.columns = {VIEW_COLUMN(10, NULL, "exceptions"), VIEW_COLUMN_BY(0, NULL, .print = print_exception_site)},
	.json = {VIEW_NAME(class_id, "class"), VIEW_FIELD_AS(exceptions, "count"), VIEW_FIELD(texts), VIEW_FIELD(text),
		 VIEW_FIELD_NEEDS(text_ns, texts), VIEW_ALL_OTHERS, VIEW_FRAMES},
	.row_bytes = 120,
	.left_out = LEFT_OUT_EXCEPTION_STACKS,
};

static void print_clause_method(const log_report *report, const void *row)
{
	printf("%26s", "");
	report_method(report, ((const mprof_exception_clause *)row)->method);
}

const report_view tables_exception_clauses = {
	.table = REPORT_TABLE_EXCEPTION_CLAUSES,
	.source = MPROF_TABLE_EXCEPTION_CLAUSES,
	.present = "runs",
	.filters = "method class_id",
	.order = "runs <method <number <kind <class_id",
	.title = "Exception clauses by method",
	.columns = {VIEW_COLUMN(10, "runs", "runs"),
		    VIEW_COLUMN_BY(-7, "clause", .field = "kind", .kind = kind_of_clause), VIEW_COLUMN(2, "", "number"),
		    VIEW_COLUMN(0, "exception, method", "class_id")},
	.below = print_clause_method,
	.json = {VIEW_NAME(class_id, "class"), VIEW_NAME(method, "method"), VIEW_KIND(kind, "kind", kind_of_clause),
		 VIEW_FIELD_AS(number, "clause"), VIEW_FIELD_AS(runs, "count"), VIEW_ALL_OTHERS},
	.row_bytes = 120,
	.left_out = LEFT_OUT_EXCEPTION_CLAUSES,
};

/*
 * Markers.
 */

static void print_mark(const log_report *report, const void *row)
{
	(void)report;
	fputs("  ", stdout);
	name_print_text(((const mprof_mark *)row)->text);
	putchar('\n');
}

const report_view tables_marks = {
	.table = REPORT_TABLE_MARKS,
	.source = MPROF_TABLE_MARKS,
	.title = "Markers",
	.columns = {VIEW_COLUMN(10, NULL, "time_ns"), VIEW_COLUMN(19, NULL, "thread"),
		    VIEW_COLUMN_BY(0, NULL, .print = print_mark)},
	.json = {VIEW_FIELD(time_ns), VIEW_FIELD(thread), VIEW_FIELD(text), VIEW_ALL_OTHERS},
	.has_all_rows = 1,
};

/*
 * Lines of the source, of which the log states which frames are in them.
 */

static const char *name_of_line(const log_report *report, const mprof_line_stats *line)
{
	const char *name = names_sample(report->input.names, line->kind, line->id);

	return name != NULL ? name : "(unknown)";
}

static void print_line(const log_report *report, const void *row)
{
	const mprof_line_stats *line = row;

	fputs("  ", stdout);
	name_print(name_of_line(report, line));
	if (line->file != NULL || line->line != 0)
		fputs(" at ", stdout);
	if (line->file != NULL)
		name_print(report_file_name(line->file));
	if (line->line != 0)
		printf("%s%" PRIu32, line->file != NULL ? ":" : "line ", line->line);
	putchar('\n');
}

static void print_line_name(const log_report *report, json_writer *json, const void *row, uint64_t id)
{
	const mprof_line_stats *line = row;
	const sample_item item = {.kind = line->kind, .id = line->id};

	(void)id;
	json_string(json, "kind", report_sample_kind(report, &item));
	json_string(json, "name", name_of_line(report, line));
	json_string(json, "symbol", names_symbol(report->input.names, line->kind, line->id));
}

static int has_line_samples(const log_report *report, const view_rows *rows)
{
	const mprof_line_stats *lines = (const void *)rows->rows;

	(void)report;
	for (size_t i = 0; i < rows->count; i++) {
		if (lines[i].samples_total > 0)
			return 1;
	}
	return 0;
}

static int has_line_allocations(const log_report *report, const view_rows *rows)
{
	const mprof_line_stats *lines = (const void *)rows->rows;

	(void)report;
	for (size_t i = 0; i < rows->count; i++) {
		if (lines[i].allocations > 0)
			return 1;
	}
	return 0;
}

const report_view tables_lines = {
	.table = REPORT_TABLE_LINES,
	.source = MPROF_TABLE_LINES,
	.order = "samples bytes samples_total <file <line <id",
	.sorts = {{"self", "samples", NULL},
		  {"total", "samples_total", NULL},
		  {"objects", "allocations", NULL},
		  {"bytes", "bytes", NULL}},
	.title = "Lines",
	.columns = {VIEW_COLUMN_BY(10, "self", .field = "samples", .when = has_line_samples),
		    VIEW_COLUMN_BY(10, "total", .field = "samples_total", .when = has_line_samples),
		    VIEW_COLUMN_BY(12, "objects", .field = "allocations", .when = has_line_allocations),
		    VIEW_COLUMN_BY(12, "bytes", .field = "bytes", .when = has_line_allocations),
		    VIEW_COLUMN_BY(0, "line", .print = print_line)},
	.json = {VIEW_JOIN(id, print_line_name), VIEW_FIELD(file), VIEW_FIELD_NEEDS(line, line), VIEW_FIELD(samples),
		 VIEW_FIELD(samples_total), VIEW_FIELD(allocations), VIEW_FIELD(bytes), VIEW_ALL_OTHERS,
		 VIEW_WITHOUT(kind)},
};

/*
 * Threads: the times that they were running, ready but waiting for a processor, and blocked.
 */

/* The clocks of the system are read one after the other, so the sum of the parts may slightly exceed the wall time. */
static uint64_t blocked_ns(const mprof_thread_stats *stats)
{
	uint64_t busy = stats->cpu_ns + stats->ready_ns;

	return stats->wall_ns > busy ? stats->wall_ns - busy : 0;
}

static const char *format_blocked(const log_report *report, const void *row, uint64_t number,
				  char text[TEXT_NUMBER_SIZE])
{
	(void)report;
	(void)number;
	return text_duration(text, blocked_ns(row));
}

static const char *format_switches(const log_report *report, const void *row, uint64_t number,
				   char text[TEXT_NUMBER_SIZE])
{
	const mprof_thread_stats *stats = row;

	(void)report;
	(void)number;
	return text_count(text, stats->voluntary_switches + stats->involuntary_switches);
}

/* Columns of what the log has nothing of are left out. */
static int has_calls(const log_report *report, const view_rows *rows)
{
	(void)rows;
	return report_has_calls(report);
}

static int has_thread_times(const log_report *report, const view_rows *rows)
{
	(void)rows;
	return report->has_thread_times;
}

static int has_switches(const log_report *report, const view_rows *rows)
{
	(void)rows;
	return report->has_switches;
}

static int has_thread_samples(const log_report *report, const view_rows *rows)
{
	(void)rows;
	return report->totals.samples > 0;
}

static void print_thread_name(const log_report *report, const void *row)
{
	const mprof_thread_stats *stats = row;

	fputs("  ", stdout);
	text_name(stdout, stats->name);
	if (stats->former_name != NULL) {
		fputs(" (formerly ", stdout);
		text_name(stdout, stats->former_name);
		if (stats->names > 2)
			printf("; %" PRIu64 " names", stats->names);
		putchar(')');
	}
	processes_print_of(report, stats->process);
	putchar('\n');
}

static void print_blocked(const log_report *report, json_writer *json, const void *row, uint64_t wall_ns)
{
	(void)report;
	if (wall_ns > 0)
		json_unsigned(json, "blocked_ns", blocked_ns(row));
	else
		json_null(json, "blocked_ns");
}

static void print_switches(const log_report *report, json_writer *json, const void *row, uint64_t wall_ns)
{
	const mprof_thread_stats *stats = row;

	if (wall_ns > 0 && report->has_switches) {
		json_unsigned(json, "voluntary_switches", stats->voluntary_switches);
		json_unsigned(json, "involuntary_switches", stats->involuntary_switches);
	} else {
		json_null(json, "voluntary_switches");
		json_null(json, "involuntary_switches");
	}
}

#define COUNTED .needs = "wall_ns", .otherwise = "-"

const report_view tables_threads = {
	.table = REPORT_TABLE_THREADS,
	.source = MPROF_TABLE_THREADS,
	.filters = "id",
	.sorts = {{"events", "events", NULL},
		  {"self", "@self", NULL},
		  {"running", "cpu_ns", NULL},
		  {"ready", "ready_ns", NULL},
		  {"samples", "samples", NULL},
		  {"lost", "lost", NULL}},
	.title = "Threads",
	.columns = {VIEW_COLUMN(18, "thread", "id"),
		    VIEW_COLUMN_BY(10, "in methods", .field = "@self", .when = has_calls),
		    VIEW_COLUMN_BY(10, "running", .field = "cpu_ns", COUNTED, .when = has_thread_times),
		    VIEW_COLUMN_BY(10, "ready", .field = "ready_ns", COUNTED, .when = has_thread_times),
		    VIEW_COLUMN_BY(10, "blocked", .text = format_blocked, COUNTED, .when = has_thread_times),
		    VIEW_COLUMN_BY(10, "switches", .text = format_switches, COUNTED, .when = has_switches),
		    VIEW_COLUMN_BY(10, "preempted", .field = "involuntary_switches", COUNTED, .when = has_switches),
		    VIEW_COLUMN(14, "events", "events"),
		    VIEW_COLUMN_BY(10, "samples", .field = "samples", .when = has_thread_samples),
		    VIEW_COLUMN(10, "lost", "lost"), VIEW_COLUMN_BY(0, "name", .print = print_thread_name)},
	.json = {VIEW_FIELD(id), VIEW_FIELD(name), VIEW_FIELD(former_name), VIEW_FIELD(events), VIEW_MEASURE(self),
		 VIEW_FIELD_NEEDS(wall_ns, wall_ns), VIEW_FIELD_NEEDS(cpu_ns, wall_ns),
		 VIEW_FIELD_NEEDS(ready_ns, wall_ns), VIEW_JOIN(wall_ns, print_blocked),
		 VIEW_JOIN(wall_ns, print_switches), VIEW_FIELD(samples), VIEW_FIELD_AS(lost, "lost_events"),
		 VIEW_FIELD_NEEDS(process, process), VIEW_KIND(kind, "kind", kind_of_timeline), VIEW_ALL_OTHERS,
		 VIEW_WITHOUT(voluntary_switches), VIEW_WITHOUT(involuntary_switches)},
	.has_all_rows = 1,
};

void tables_sum_thread_times(const log_report *report, uint64_t *cpu, uint64_t *ready)
{
	mprof_thread_stats stats = {.struct_size = sizeof(stats)};

	*cpu = 0;
	*ready = 0;
	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_THREADS); i++) {
		if (mprof_profile_get_row(report->profile, MPROF_TABLE_THREADS, i, &stats) != MPROF_OK ||
		    !report_wants_thread(report, stats.id))
			continue;
		*cpu += stats.cpu_ns;
		*ready += stats.ready_ns;
	}
}

const report_view tables_elements = {
	.table = REPORT_TABLE_ELEMENTS,
	.source = MPROF_TABLE_ELEMENTS,
	.json = {VIEW_KIND(kind, "type", kind_of_element), VIEW_FIELD(id), VIEW_FIELD(name), VIEW_FIELD(assembly),
		 VIEW_FIELD(loaded_ns), VIEW_FIELD(load_ns), VIEW_ALL_OTHERS,
		 VIEW_FIELD_NEEDS(unloaded_ns, unloaded_ns), VIEW_BITS(kind, "failed", MPROF_ELEMENT_FLAG_FAILURE)},
	.has_all_rows = 1,
};
