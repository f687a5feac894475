/* SPDX-License-Identifier: MIT */
/* Which objects an answer is about. */
#include "heap/heap.h"

#include <mprof/heap.h>

#include "common/arguments.h"
#include "common/output.h"
#include "common/table_view.h"
#include "heap/view.h"
#include "shared/text.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Compares the full name and its last part, which is what users usually type. */
static void offer(nearest_name *nearest, const char *name)
{
	const char *dot = strrchr(name, '.');

	nearest_offer(nearest, name, name);
	if (dot != NULL)
		nearest_offer(nearest, dot + 1, name);
}

static void report_mismatch(const heap_view *view, const char *option, const char *pattern)
{
	nearest_name nearest;

	nearest_init(&nearest, pattern);
	for (size_t i = 0; i < view->totals.classes; i++) {
		class_name name;

		offer(&nearest, label_class(view, i, &name));
	}
	text_begin_message(view->input.name);
	fprintf(stderr, "nothing matches %s=", option);
	text_name(stderr, pattern);
	if (nearest.found != NULL) {
		fputs("; nearest: ", stderr);
		text_name(stderr, nearest.found);
	}
	fputc('\n', stderr);
	nearest_release(&nearest);
}

int class_filter_init(class_filter *filter, const heap_view *view, const char *option, const char *pattern)
{
	memset(filter, 0, sizeof(*filter));
	filter->count = (size_t)view->totals.classes;
	if (pattern == NULL)
		return 1;
	filter->is_wanted = calloc(filter->count + 1, 1);
	if (filter->is_wanted == NULL) {
		output_out_of_memory();
		return 0;
	}
	filter->count = 0;
	for (size_t i = 0; i < view->totals.classes; i++) {
		class_name name;

		filter->is_wanted[i] = fnmatch(pattern, label_class(view, i, &name), 0) == 0;
		filter->count += filter->is_wanted[i];
	}
	if (filter->count == 0 && option != NULL)
		report_mismatch(view, option, pattern);
	return 1;
}

void class_filter_release(class_filter *filter)
{
	free(filter->is_wanted);
}

int class_filter_wants(const class_filter *filter, size_t class_index)
{
	return filter->is_wanted == NULL || filter->is_wanted[class_index];
}

static void check_pattern(const heap_view *view, const char *option, const char *pattern)
{
	class_filter filter;

	if (pattern != NULL && view->totals.classes > 0 && class_filter_init(&filter, view, option, pattern))
		class_filter_release(&filter);
}

void class_filter_check(const heap_view *view)
{
	check_pattern(view, "--class", view->options.class_pattern);
	check_pattern(view, "--paths", view->options.paths_pattern);
	check_pattern(view, "--referrers", view->options.referrers_pattern);
	check_pattern(view, "--referencing", view->options.referencing_pattern);
	check_pattern(view, "--referenced-by", view->options.referenced_pattern);
}

/*
 * Origins.
 */

/* Values of origin_filter::matches. */
#define SITE_DIFFERS 1
#define SITE_MATCHES 2

/* Which objects are wanted. */
typedef struct origin_filter {
	const char *pattern; /**< Of a method in the call stack; NULL for all. */
	int has_min_age;
	uint64_t min_age;
	int has_max_age;
	uint64_t max_age;
	unsigned char *matches;        /**< By site: 0 not compared yet. */
	unsigned char *native_matches; /**< The same by call stack of native memory. */
} origin_filter;

/* Fills in the rest of a filter, whose options are set. Returns 0 if out of memory. */
static int origin_filter_init(origin_filter *filter, const heap_origins *origins)
{
	filter->matches = calloc(mprof_profile_get_row_count(origins->profile, MPROF_TABLE_AGE_SITES) + 1, 1);
	filter->native_matches = calloc((size_t)origins->blocks.last_stack + 1, 1);
	return filter->matches != NULL && filter->native_matches != NULL;
}

static void origin_filter_release(origin_filter *filter)
{
	free(filter->matches);
	free(filter->native_matches);
}

/* Compares the name of a frame with and without the parameters of the method. */
static int matches_frame(const char *pattern, const char *name)
{
	char text[512];
	const char *end;

	if (name == NULL)
		return 0;
	if (fnmatch(pattern, name, 0) == 0)
		return 1;
	end = strstr(name, " (");
	if (end == NULL || (size_t)(end - name) >= sizeof(text))
		return 0;
	memcpy(text, name, (size_t)(end - name));
	text[end - name] = '\0';
	return fnmatch(pattern, text, 0) == 0;
}

static int matches_site(const origin_filter *filter, const heap_origins *origins, const heap_origin *origin)
{
	size_t count;
	mprof_stack_frame *frames = heap_origins_frames(origins, origin, &count);
	int matches = 0;

	for (size_t i = 0; i < count && !matches; i++)
		matches = matches_frame(filter->pattern, names_frame(origins->input.names, &frames[i]));
	free(frames);
	return matches;
}

/* Whether it is about ages, which are not known of objects of which only the native memory is. */
static int origin_filter_needs_age(const origin_filter *filter)
{
	return filter->has_min_age || filter->has_max_age;
}

static int origin_filter_wants(origin_filter *filter, const heap_origins *origins, const heap_origin *origin)
{
	unsigned char *mark = origin->block != NULL ? &filter->native_matches[origin->block->stack]
						    : &filter->matches[origin->object.site];

	if (origin->block == NULL && ((filter->has_min_age && origin->object.age < filter->min_age) ||
				      (filter->has_max_age && origin->object.age > filter->max_age)))
		return 0;
	if (filter->pattern == NULL)
		return 1;
	if (*mark == 0)
		*mark = matches_site(filter, origins, origin) ? SITE_MATCHES : SITE_DIFFERS;
	return *mark == SITE_MATCHES;
}

/*
 * Objects.
 */

#define USUAL_ROWS 20
#define BATCH 1024

typedef struct selection {
	mprof_heap_set_totals totals;
	uint64_t retained;
	mprof_heap_class *rows; /**< Classes of the objects that are selected, most bytes first. */
	size_t count;
	uint64_t unknown; /**< Objects that are left out because their origin is not known. */
	int is_created;   /**< 0: out of memory, after a message. */
} selection;

int heap_selection_is_wanted(const heap_view *view)
{
	return view->options.referencing_pattern != NULL || view->options.referenced_pattern != NULL ||
	       heap_view_selects_origins(view);
}

/* Makes the set of all objects of the classes that match. NULL if out of memory. */
static mprof_heap_set *make_classes(const heap_view *view, const char *pattern)
{
	mprof_heap_set *set = NULL;
	class_filter filter;

	if (!class_filter_init(&filter, view, NULL, pattern))
		return NULL;
	if (mprof_heap_set_create(view->graph, &set) == MPROF_OK) {
		for (size_t i = 0; i < view->totals.classes; i++) {
			if (class_filter_wants(&filter, i))
				mprof_heap_set_add_class(set, i);
		}
	}
	class_filter_release(&filter);
	return set;
}

typedef mprof_status (*add_function)(mprof_heap_set *set, const mprof_heap_set *others);

/* Keeps the objects that are related to objects of classes that match; without a pattern all. 0 if out of memory. */
static int keep_related(const heap_view *view, mprof_heap_set *set, const char *pattern, add_function add)
{
	mprof_heap_set *others;
	mprof_heap_set *related = NULL;
	int is_created = 0;

	if (pattern == NULL)
		return 1;
	others = make_classes(view, pattern);
	if (others != NULL && mprof_heap_set_create(view->graph, &related) == MPROF_OK) {
		add(related, others);
		mprof_heap_set_intersect(set, related);
		is_created = 1;
	}
	mprof_heap_set_destroy(related);
	mprof_heap_set_destroy(others);
	return is_created;
}

/* Adds the objects of a set whose origin is wanted to another set. */
static void add_wanted(const heap_view *view, selection *chosen, origin_filter *filter, const mprof_heap_set *set,
		       mprof_heap_set *kept)
{
	uint32_t objects[BATCH];
	uint32_t next = 0;
	size_t count;

	do {
		mprof_heap_set_get_objects(set, next, objects, BATCH, &count);
		for (size_t i = 0; i < count; i++) {
			mprof_heap_object object = heap_view_object(view, objects[i]);
			heap_origin origin;

			next = objects[i] + 1;
			if (!heap_origins_find(&view->origins, object.address, object.class_id, &origin) ||
			    (origin.block != NULL && origin_filter_needs_age(filter)))
				chosen->unknown++;
			else if (origin_filter_wants(filter, &view->origins, &origin))
				mprof_heap_set_add_object(kept, objects[i]);
		}
	} while (count == BATCH);
}

/* Keeps the objects whose origin is wanted; all without such an option. Returns 0 if out of memory. */
static int keep_origins(const heap_view *view, selection *chosen, mprof_heap_set *set)
{
	const heap_options *options = &view->options;
	origin_filter filter = {options->allocated_pattern,
				options->has_min_age,
				options->min_age,
				options->has_max_age,
				options->max_age,
				NULL,
				NULL};
	mprof_heap_set *kept = NULL;
	int is_kept;

	if (!heap_view_selects_origins(view))
		return 1;
	is_kept = origin_filter_init(&filter, &view->origins) && mprof_heap_set_create(view->graph, &kept) == MPROF_OK;
	if (is_kept) {
		add_wanted(view, chosen, &filter, set, kept);
		mprof_heap_set_intersect(set, kept);
	}
	mprof_heap_set_destroy(kept);
	origin_filter_release(&filter);
	return is_kept;
}

static int compare_rows(const void *left, const void *right)
{
	const mprof_heap_class *a = left;
	const mprof_heap_class *b = right;

	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? 1 : -1;
	return a->class_id < b->class_id ? -1 : a->class_id > b->class_id;
}

static void count_classes(const heap_view *view, selection *chosen, const mprof_heap_set *set)
{
	uint32_t objects[BATCH];
	uint32_t next = 0;
	size_t count;
	size_t kept = 0;

	do {
		mprof_heap_set_get_objects(set, next, objects, BATCH, &count);
		for (size_t i = 0; i < count; i++) {
			mprof_heap_object object = heap_view_object(view, objects[i]);

			chosen->rows[object.class_index].objects++;
			chosen->rows[object.class_index].bytes += object.bytes;
			next = objects[i] + 1;
		}
	} while (count == BATCH);
	for (size_t i = 0; i < view->totals.classes; i++) {
		chosen->rows[i].class_id = heap_view_class(view, i).class_id;
		if (chosen->rows[i].objects > 0)
			chosen->rows[kept++] = chosen->rows[i];
	}
	chosen->count = kept;
	qsort(chosen->rows, chosen->count, sizeof(*chosen->rows), compare_rows);
}

static int select_objects(const heap_view *view, selection *chosen, mprof_heap_set *set)
{
	if (!keep_related(view, set, view->options.referencing_pattern, mprof_heap_set_add_referencing) ||
	    !keep_related(view, set, view->options.referenced_pattern, mprof_heap_set_add_referenced) ||
	    !keep_origins(view, chosen, set))
		return 0;
	chosen->rows = calloc((size_t)view->totals.classes + 1, sizeof(*chosen->rows));
	if (chosen->rows == NULL)
		return 0;
	count_classes(view, chosen, set);
	chosen->totals.struct_size = sizeof(chosen->totals);
	mprof_heap_set_get_totals(set, &chosen->totals);
	return !view->has_retained || mprof_heap_set_get_retained(set, &chosen->retained) == MPROF_OK;
}

static selection make_selection(const heap_view *view)
{
	selection chosen = {.rows = NULL};
	mprof_heap_set *set;

	if (view->totals.objects == 0)
		return chosen;
	set = make_classes(view, view->options.class_pattern);
	chosen.is_created = set != NULL && select_objects(view, &chosen, set);
	if (!chosen.is_created)
		output_out_of_memory();
	mprof_heap_set_destroy(set);
	return chosen;
}

static void get_class(const void *user, size_t index, table_row *row)
{
	row->class_stats = ((const selection *)user)->rows[index];
}

static const table_view selection_view = {
	.table = MPROF_HEAP_TABLE_CLASSES,
	.cells =
		{
			{.width = 10, .heading = "bytes", .field = "bytes"},
			{.width = 14, .heading = "objects", .field = "objects"},
			{.heading = "class", .field = "class_id"},
		},
	.fields =
		{
			{.key = "id", .field = "class_id"},
			{TABLE_NAME, .key = "name", .field = "class_id"},
			{.field = "objects"},
			{.field = "bytes"},
		},
};

static table_rows rows_of(const heap_view *view, const selection *chosen)
{
	return (table_rows){chosen->count, get_class, chosen, view->input.reader, 0};
}

void heap_selection_text(const heap_view *view)
{
	selection chosen = make_selection(view);
	const table_rows rows = rows_of(view, &chosen);
	size_t shown = heap_view_rows(view, chosen.count, USUAL_ROWS);
	char bytes[TEXT_NUMBER_SIZE];
	char objects[TEXT_NUMBER_SIZE];

	if (chosen.is_created) {
		printf("\nSelected objects: %s, %s", text_count(objects, chosen.totals.objects),
		       text_bytes(bytes, chosen.totals.bytes));
		if (view->has_retained)
			printf("; together they retain %s", text_bytes(bytes, chosen.retained));
		if (shown < chosen.count)
			printf(" (%zu of %zu classes)", shown, chosen.count);
		putchar('\n');
		table_view_text(&selection_view, &rows, shown);
	}
	if (chosen.unknown > 0)
		printf("  Not selected: %s object%s without a known origin: %s.\n", text_count(objects, chosen.unknown),
		       chosen.unknown == 1 ? "" : "s", heap_origins_reason(&view->origins));
	free(chosen.rows);
}

void heap_selection_json(const heap_view *view, json_writer *json)
{
	selection chosen;
	table_rows rows;

	if (!heap_selection_is_wanted(view)) {
		json_null(json, "selection");
		return;
	}
	chosen = make_selection(view);
	json_begin_object(json, "selection");
	json_unsigned(json, "objects", chosen.totals.objects);
	json_unsigned(json, "bytes", chosen.totals.bytes);
	table_view_measure_json(json, MPROF_HEAP_TABLE_OBJECTS, "@total", view->has_retained, chosen.retained);
	if (heap_view_selects_origins(view))
		json_unsigned(json, "unknown_origin", chosen.unknown);
	else
		json_null(json, "unknown_origin");
	rows = rows_of(view, &chosen);
	table_view_json(&selection_view, &rows, heap_view_rows(view, chosen.count, 0), json, "classes");
	json_end_object(json);
	free(chosen.rows);
}
