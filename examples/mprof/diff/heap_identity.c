/* SPDX-License-Identifier: MIT */
/* Compares snapshots object by object. */
#include "diff/heap_identity.h"

#include "common/arguments.h"
#include "common/heap_origins.h"
#include "common/name_cut.h"
#include "diff/tables.h"
#include "shared/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_amount(identity_amount *sum, const identity_amount *amount)
{
	sum->objects += amount->objects;
	sum->bytes += amount->bytes;
}

static void add_class(identity_class *sum, const identity_class *row)
{
	add_amount(&sum->added, &row->added);
	add_amount(&sum->gone, &row->gone);
	add_amount(&sum->surviving, &row->surviving);
	for (int side = 0; side < DIFF_SIDES; side++)
		add_amount(&sum->unknown[side], &row->unknown[side]);
}

static int compare_class_names(const void *left, const void *right)
{
	return strcmp(((const identity_class *)left)->name, ((const identity_class *)right)->name);
}

static int compare_classes(const void *left, const void *right)
{
	const identity_class *a = left;
	const identity_class *b = right;
	const uint64_t bytes[2][DIFF_SIDES] = {{a->gone.bytes, a->added.bytes}, {b->gone.bytes, b->added.bytes}};
	const uint64_t objects[2][DIFF_SIDES] = {{a->gone.objects, a->added.objects},
						 {b->gone.objects, b->added.objects}};
	int order = diff_compare_growth(bytes[0], bytes[1]);

	order = order != 0 ? order : diff_compare_growth(objects[0], objects[1]);
	return order != 0 ? order : strcmp(a->name, b->name);
}

/* Keeps the wanted classes, one row for each name, with the largest growth first, and fills in the sum. */
static void heap_identity_merge_classes(const log_diff *diff, heap_identity *identity)
{
	identity_class *rows = identity->classes;
	size_t kept = 0;

	qsort(rows, identity->class_count, sizeof(*rows), compare_class_names);
	for (size_t i = 0; i < identity->class_count; i++) {
		if (!diff_wants_class(diff, rows[i].name))
			continue;
		add_class(&identity->sum, &rows[i]);
		if (kept > 0 && strcmp(rows[kept - 1].name, rows[i].name) == 0)
			add_class(&rows[kept - 1], &rows[i]);
		else
			rows[kept++] = rows[i];
	}
	identity->class_count = kept;
	qsort(rows, kept, sizeof(*rows), compare_classes);
}

static int compare_numbers(uint64_t left, uint64_t right)
{
	return (left > right) - (left < right);
}

/* Whether two sites are the same in both snapshots. */
static int compare_places(const void *left, const void *right)
{
	const identity_site *a = left;
	const identity_site *b = right;
	int order = strcmp(a->class_name, b->class_name);

	order = order != 0 ? order : compare_numbers(a->frame_count, b->frame_count);
	for (size_t i = 0; i < a->frame_count && order == 0; i++) {
		order = compare_numbers(a->frames[i].id, b->frames[i].id);
		order = order != 0 ? order : compare_numbers(a->frames[i].is_native, b->frames[i].is_native);
		order = order != 0 ? order : compare_numbers(a->frames[i].is_compiling, b->frames[i].is_compiling);
	}
	return order;
}

static int compare_sites(const void *left, const void *right)
{
	const identity_site *a = left;
	const identity_site *b = right;
	int order = diff_compare_growth(a->bytes, b->bytes);

	order = order != 0 ? order : diff_compare_growth(a->objects, b->objects);
	return order != 0 ? order : compare_places(left, right);
}

static void add_site(identity_site *sum, const identity_site *row)
{
	for (int side = 0; side < DIFF_SIDES; side++) {
		sum->objects[side] += row->objects[side];
		sum->bytes[side] += row->bytes[side];
	}
}

/* Keeps the sites of wanted classes, one row for each class name and call stack, with the largest growth first. */
static void heap_identity_merge_sites(const log_diff *diff, heap_identity *identity)
{
	identity_site *rows = identity->sites;
	size_t kept = 0;

	qsort(rows, identity->site_count, sizeof(*rows), compare_places);
	for (size_t i = 0; i < identity->site_count; i++) {
		int is_wanted = diff_wants_class(diff, rows[i].class_name);

		if (is_wanted && (kept == 0 || compare_places(&rows[kept - 1], &rows[i]) != 0)) {
			rows[kept++] = rows[i];
			continue;
		}
		if (is_wanted)
			add_site(&rows[kept - 1], &rows[i]);
		free(rows[i].frames);
	}
	identity->site_count = kept;
	qsort(rows, kept, sizeof(*rows), compare_sites);
}

/* Only these blocks have the objects of a snapshot. */
#define OBJECT_BLOCKS                                                                                                  \
	(MPROF_BLOCK_BIT(MPROF_BLOCK_INTRO) | MPROF_BLOCK_BIT(MPROF_BLOCK_MAPPING) |                                   \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_HEAP_DATA) | MPROF_BLOCK_BIT(MPROF_BLOCK_DIRECTIVES))

static const char missing_objects[] = "objects are missing in a heap snapshot";

/* An object of a snapshot. */
typedef struct shot_object {
	uint64_t key; /* Its address, and when its origin has been looked up, its identity; 0 if that is not known. */
	uint64_t bytes;
	uint32_t row;  /* In heap_identity::classes. */
	uint32_t site; /* In heap_identity::sites. */
} shot_object;

typedef struct object_list {
	shot_object *objects;
	size_t count;
} object_list;

static void add_object(identity_amount *amount, const shot_object *object)
{
	amount->objects++;
	amount->bytes += object->bytes;
}

/* Adds a row for each class of a snapshot. */
static mprof_status add_classes(const log_diff *diff, heap_identity *identity, const mprof_heap_graph *graph)
{
	size_t count = mprof_heap_graph_get_class_count(graph);
	identity_class *rows = realloc(identity->classes, (identity->class_count + count + 1) * sizeof(*rows));

	if (rows == NULL)
		return MPROF_ERR_MEMORY;
	identity->classes = rows;
	for (size_t i = 0; i < count; i++) {
		mprof_heap_class stats = {.struct_size = sizeof(stats)};
		identity_class *row = &rows[identity->class_count++];
		mprof_mapping mapping;

		mprof_heap_graph_get_class(graph, i, &stats);
		memset(row, 0, sizeof(*row));
		row->id = stats.class_id;
		row->name = "(unknown)";
		if (mprof_reader_lookup_class(diff_log_of(diff, DIFF_BEFORE)->input.reader, row->id, &mapping,
					      sizeof(mapping)) == MPROF_OK)
			row->name = mapping.name;
	}
	return MPROF_OK;
}

static mprof_status take_objects(const log_diff *diff, heap_identity *identity, const mprof_heap_graph *graph,
				 object_list *list)
{
	mprof_heap_graph_totals totals = {.struct_size = sizeof(totals)};
	size_t first_row = identity->class_count;
	mprof_status status;

	mprof_heap_graph_get_totals(graph, &totals);
	if (totals.limited)
		return MPROF_ERR_LIMIT;
	if (totals.incomplete)
		identity->reason = missing_objects;
	status = add_classes(diff, identity, graph);
	if (status != MPROF_OK)
		return status;
	list->objects = calloc((size_t)totals.objects + 1, sizeof(*list->objects));
	if (list->objects == NULL)
		return MPROF_ERR_MEMORY;
	for (; list->count < totals.objects; list->count++) {
		mprof_heap_object object = {.struct_size = sizeof(object)};

		mprof_heap_graph_get_object(graph, (uint32_t)list->count, &object);
		list->objects[list->count] =
			(shot_object){object.address, object.bytes, (uint32_t)(first_row + object.class_index), 0};
	}
	return MPROF_OK;
}

/* What read_objects() adds objects to. */
typedef struct object_reading {
	const log_diff *diff;
	heap_identity *identity;
	object_list *list;
} object_reading;

static mprof_status read_objects(void *user, mprof_heap_graph *graph, const mprof_reader *reader)
{
	const object_reading *reading = user;

	(void)reader;
	return take_objects(reading->diff, reading->identity, graph, reading->list);
}

/* Whether memory was refused or limited while the origins were read: damage of the log is no failure. */
static mprof_status check_origins(const heap_origins *origins)
{
	if (origins->profile == NULL)
		return MPROF_ERR_MEMORY;
	for (size_t i = 0; i < input_kept_problems(&origins->input); i++) {
		mprof_status status = (mprof_status)origins->input.problems[i].status;

		if (status == MPROF_ERR_MEMORY || status == MPROF_ERR_IO || status == MPROF_ERR_LIMIT)
			return status;
	}
	return origins->stats.untracked > 0 || origins->stats.folded > 0 ? MPROF_ERR_LIMIT : MPROF_OK;
}

/* Sets the site of an object. numbers: by site of the profile, the number of its row plus 1; 0 if it has none yet. */
static mprof_status find_site(heap_identity *identity, const heap_origins *origins, const heap_origin *origin,
			      uint32_t *numbers, shot_object *object)
{
	uint32_t *number = &numbers[origin->object.site];

	if (*number == 0) {
		identity_site *row = &identity->sites[identity->site_count];

		memset(row, 0, sizeof(*row));
		row->frames = heap_origins_frames(origins, origin, &row->frame_count);
		if (row->frames == NULL)
			return MPROF_ERR_MEMORY;
		row->class_name = identity->classes[object->row].name;
		*number = (uint32_t)++identity->site_count;
	}
	object->site = *number - 1;
	return MPROF_OK;
}

static mprof_status find_identities(heap_identity *identity, const heap_origins *origins, int side, object_list *list)
{
	size_t sites = mprof_profile_get_row_count(origins->profile, MPROF_TABLE_AGE_SITES);
	identity_site *rows = realloc(identity->sites, (identity->site_count + sites + 1) * sizeof(*rows));
	mprof_status status = MPROF_OK;
	uint32_t *numbers;
	int has_unknown = 0;

	if (rows == NULL)
		return MPROF_ERR_MEMORY;
	identity->sites = rows;
	numbers = calloc(sites + 1, sizeof(*numbers));
	if (numbers == NULL)
		return MPROF_ERR_MEMORY;
	for (size_t i = 0; i < list->count && status == MPROF_OK; i++) {
		shot_object *object = &list->objects[i];
		identity_class *class = &identity->classes[object->row];
		heap_origin origin;

		if (heap_origins_find_object(origins, object->key, class->id, &origin)) {
			object->key = origin.object.identity;
			identity->is_known = 1;
			status = find_site(identity, origins, &origin, numbers, object);
			continue;
		}
		object->key = 0;
		add_object(&class->unknown[side], object);
		has_unknown = 1;
	}
	if (has_unknown)
		identity->reason = heap_origins_reason(origins);
	free(numbers);
	return status;
}

static int compare_keys(const void *left, const void *right)
{
	uint64_t a = ((const shot_object *)left)->key;
	uint64_t b = ((const shot_object *)right)->key;

	return (a > b) - (a < b);
}

static mprof_status read_origins(const log_diff *diff, heap_identity *identity, int side, object_list *list)
{
	heap_origins origins = {.path = diff_path_of(diff, side), .snapshot = (uint32_t)diff->heap[side].shot};
	mprof_status status;

	heap_origins_read(&origins, 0);
	status = check_origins(&origins);
	if (status == MPROF_OK)
		status = find_identities(identity, &origins, side, list);
	heap_origins_release(&origins);
	return status;
}

static void count_at_site(heap_identity *identity, int side, const shot_object *object)
{
	identity_site *site = &identity->sites[object->site];

	site->objects[side]++;
	site->bytes[side] += object->bytes;
}

/* Counts the objects of both snapshots, which are sorted by identity. */
static void count_objects(heap_identity *identity, const object_list lists[DIFF_SIDES])
{
	const shot_object *before = lists[DIFF_BEFORE].objects;
	const shot_object *before_end = before + lists[DIFF_BEFORE].count;
	const shot_object *after = lists[DIFF_AFTER].objects;
	const shot_object *after_end = after + lists[DIFF_AFTER].count;

	while (before < before_end && before->key == 0)
		before++;
	while (after < after_end && after->key == 0)
		after++;
	while (before < before_end || after < after_end) {
		int is_before = after == after_end || (before < before_end && before->key <= after->key);
		int is_after = before == before_end || (after < after_end && after->key <= before->key);

		if (is_before && is_after)
			add_object(&identity->classes[after->row].surviving, after);
		else if (is_before)
			add_object(&identity->classes[before->row].gone, before);
		else
			add_object(&identity->classes[after->row].added, after);
		if (is_before)
			count_at_site(identity, DIFF_BEFORE, before++);
		if (is_after)
			count_at_site(identity, DIFF_AFTER, after++);
	}
}

static mprof_status compare_objects(const log_diff *diff, heap_identity *identity, object_list lists[DIFF_SIDES])
{
	mprof_status status = MPROF_OK;

	for (int side = 0; side < DIFF_SIDES && status == MPROF_OK; side++) {
		object_reading reading = {diff, identity, &lists[side]};

		status = diff_read_snapshot(diff, side, OBJECT_BLOCKS, read_objects, &reading);
	}
	/* An object that is missing in a snapshot would be new or gone. */
	if (status != MPROF_OK || identity->reason != NULL)
		return status;
	for (int side = 0; side < DIFF_SIDES && status == MPROF_OK; side++) {
		status = read_origins(diff, identity, side, &lists[side]);
		qsort(lists[side].objects, lists[side].count, sizeof(*lists[side].objects), compare_keys);
	}
	if (status != MPROF_OK || !identity->is_known)
		return status;
	count_objects(identity, lists);
	heap_identity_merge_classes(diff, identity);
	heap_identity_merge_sites(diff, identity);
	return MPROF_OK;
}

static void clear(heap_identity *identity)
{
	for (size_t i = 0; i < identity->site_count; i++)
		free(identity->sites[i].frames);
	free(identity->sites);
	free(identity->classes);
	memset(identity, 0, sizeof(*identity));
}

static int fail(log_diff *diff, mprof_status status)
{
	text_begin_message(diff->sides[DIFF_BEFORE].input.name);
	fprintf(stderr, "%s for new, gone and surviving objects\n", mprof_status_get_text(status));
	return STATUS_DAMAGED;
}

int heap_identity_read(log_diff *diff)
{
	object_list lists[DIFF_SIDES] = {{NULL, 0}, {NULL, 0}};
	mprof_status status = MPROF_OK;
	heap_identity *identity;

	if (diff->options.files[DIFF_AFTER] != NULL)
		return STATUS_OK;
	identity = calloc(1, sizeof(*identity));
	diff->heap_identity = identity;
	if (identity == NULL)
		return fail(diff, MPROF_ERR_MEMORY);
	if (diff_path_of(diff, DIFF_BEFORE) == NULL)
		identity->reason = "a pipe cannot be read again; give a file";
	else if (diff->heap[DIFF_BEFORE].is_incomplete || diff->heap[DIFF_AFTER].is_incomplete)
		identity->reason = missing_objects;
	else if (diff->sides[DIFF_BEFORE].totals.allocations == 0)
		identity->reason = heap_origins_without_allocations;
	else
		status = compare_objects(diff, identity, lists);
	for (int side = 0; side < DIFF_SIDES; side++)
		free(lists[side].objects);
	if (status == MPROF_OK)
		return STATUS_OK;
	clear(identity);
	identity->reason = mprof_status_get_text(status);
	return fail(diff, status);
}

void heap_identity_release(log_diff *diff)
{
	if (diff->heap_identity != NULL)
		clear(diff->heap_identity);
	free(diff->heap_identity);
	diff->heap_identity = NULL;
}

/* Frames of a call stack in text. */
#define SHOWN_FRAMES 8

/* Rows that the options name are printed even if nothing differs. */
static int shows_class(const log_diff *diff, const identity_class *row)
{
	return diff->options.class_pattern != NULL || row->added.objects > 0 || row->gone.objects > 0;
}

static int shows_site(const log_diff *diff, const identity_site *row)
{
	return diff->options.class_pattern != NULL || row->objects[DIFF_BEFORE] != row->objects[DIFF_AFTER] ||
	       row->bytes[DIFF_BEFORE] != row->bytes[DIFF_AFTER];
}

static void print_hidden(size_t count)
{
	char text[TEXT_NUMBER_SIZE];

	if (count > 0)
		printf("  Without a difference: %s\n", text_count(text, count));
}

static void print_amount(const identity_amount *amount)
{
	char text[2][TEXT_NUMBER_SIZE];

	printf(" %12s %15s", text_count(text[0], amount->objects), text_count(text[1], amount->bytes));
}

static void print_amounts(const identity_class *row)
{
	putchar(' ');
	print_amount(&row->added);
	print_amount(&row->gone);
	print_amount(&row->surviving);
	fputs("  ", stdout);
}

static void print_unknown(const heap_identity *identity)
{
	const identity_amount *unknown = identity->sum.unknown;
	char text[DIFF_SIDES][TEXT_NUMBER_SIZE];

	if (unknown[DIFF_BEFORE].objects == 0 && unknown[DIFF_AFTER].objects == 0)
		return;
	printf("  Without a known origin, in none of the columns: %s before, %s after: %s\n",
	       text_count(text[DIFF_BEFORE], unknown[DIFF_BEFORE].objects),
	       text_count(text[DIFF_AFTER], unknown[DIFF_AFTER].objects), identity->reason);
}

static void print_classes(const log_diff *diff, const heap_identity *identity)
{
	size_t changed = 0;
	size_t shown;

	for (size_t i = 0; i < identity->class_count; i++)
		changed += shows_class(diff, &identity->classes[i]) != 0;
	shown = diff_rows(diff, changed);
	fputs("\nNew, gone and surviving objects by class", stdout);
	diff_print_shown(shown, changed);
	print_hidden(identity->class_count - changed);
	print_unknown(identity);
	printf("  %12s %15s %12s %15s %12s %15s  class\n", "new", "bytes", "gone", "bytes", "surviving", "bytes");
	for (size_t i = 0, printed = 0; printed < shown; i++) {
		if (!shows_class(diff, &identity->classes[i]))
			continue;
		print_amounts(&identity->classes[i]);
		name_print(identity->classes[i].name);
		putchar('\n');
		printed++;
	}
	print_amounts(&identity->sum);
	puts("in all");
}

static void print_stack(const log_diff *diff, const identity_site *row)
{
	for (size_t i = 0; i < row->frame_count && i < SHOWN_FRAMES; i++) {
		const char *name = names_frame(diff->sides[DIFF_BEFORE].input.names, &row->frames[i]);

		printf("  %74s    in ", "");
		name_print(name != NULL ? name : "?");
		putchar('\n');
	}
	if (row->frame_count > SHOWN_FRAMES)
		printf("  %74s    (%zu more)\n", "", row->frame_count - SHOWN_FRAMES);
	if (row->frame_count == 0)
		printf("  %74s    at a call stack that is not in the log\n", "");
}

static void print_sites(const log_diff *diff, const heap_identity *identity)
{
	size_t changed = 0;
	size_t shown;

	for (size_t i = 0; i < identity->site_count; i++)
		changed += shows_site(diff, &identity->sites[i]) != 0;
	shown = diff_rows(diff, changed);
	if (identity->site_count == 0)
		return;
	fputs("\nLive objects by allocation site", stdout);
	diff_print_shown(shown, changed);
	print_hidden(identity->site_count - changed);
	if (shown > 0)
		printf("  %15s %15s %15s %10s %15s  class, call stack\n", "bytes before", "after", "growth", "",
		       "objects");
	for (size_t i = 0, printed = 0; printed < shown; i++) {
		const identity_site *row = &identity->sites[i];
		char growth[TEXT_NUMBER_SIZE];

		if (!shows_site(diff, row))
			continue;
		diff_print_counts(row->bytes);
		printf(" %15s  ", diff_text_growth(growth, row->objects));
		name_print(row->class_name);
		diff_print_presence(row->objects);
		print_stack(diff, row);
		printed++;
	}
}

void heap_identity_print_text(const log_diff *diff)
{
	const heap_identity *identity = diff->heap_identity;

	if (identity == NULL)
		return;
	if (!identity->is_known) {
		if (identity->reason != NULL)
			printf("\nWhich objects are new, gone or surviving is not known: %s.\n", identity->reason);
		return;
	}
	if (identity->class_count == 0)
		return;
	print_classes(diff, identity);
	print_sites(diff, identity);
}

static void json_number(const heap_identity *identity, json_writer *json, const char *key, uint64_t number)
{
	if (identity->is_known)
		json_unsigned(json, key, number);
	else
		json_null(json, key);
}

static void json_amounts(const heap_identity *identity, json_writer *json, const identity_class *row)
{
	json_number(identity, json, "new_objects", row->added.objects);
	json_number(identity, json, "new_bytes", row->added.bytes);
	json_number(identity, json, "gone_objects", row->gone.objects);
	json_number(identity, json, "gone_bytes", row->gone.bytes);
	json_number(identity, json, "surviving_objects", row->surviving.objects);
	json_number(identity, json, "surviving_bytes", row->surviving.bytes);
	json_number(identity, json, "unknown_objects_before", row->unknown[DIFF_BEFORE].objects);
	json_number(identity, json, "unknown_bytes_before", row->unknown[DIFF_BEFORE].bytes);
	json_number(identity, json, "unknown_objects_after", row->unknown[DIFF_AFTER].objects);
	json_number(identity, json, "unknown_bytes_after", row->unknown[DIFF_AFTER].bytes);
}

static void json_site(const log_diff *diff, json_writer *json, const identity_site *row)
{
	json_begin_object(json, NULL);
	json_string(json, "class", row->class_name);
	json_unsigned(json, "objects_before", row->objects[DIFF_BEFORE]);
	json_unsigned(json, "objects_after", row->objects[DIFF_AFTER]);
	json_unsigned(json, "bytes_before", row->bytes[DIFF_BEFORE]);
	json_unsigned(json, "bytes_after", row->bytes[DIFF_AFTER]);
	json_begin_array(json, "stack");
	for (size_t i = 0; i < row->frame_count; i++)
		json_string(json, NULL, names_frame(diff->sides[DIFF_BEFORE].input.names, &row->frames[i]));
	json_end_array(json);
	json_end_object(json);
}

void heap_identity_print_json(const log_diff *diff, json_writer *json)
{
	const heap_identity none = {.reason = NULL};
	const heap_identity *identity = diff->heap_identity != NULL ? diff->heap_identity : &none;
	size_t classes = identity->is_known ? diff_rows(diff, identity->class_count) : 0;
	size_t sites = diff_rows(diff, identity->site_count);

	if (diff->heap_identity == NULL) {
		json_null(json, "heap_identity");
	} else {
		json_begin_object(json, "heap_identity");
		json_string(json, "reason", identity->reason);
		json_amounts(identity, json, &identity->sum);
		json_end_object(json);
	}
	json_begin_array(json, "heap_identity_classes");
	for (size_t i = 0; i < classes; i++) {
		json_begin_object(json, NULL);
		json_string(json, "name", identity->classes[i].name);
		json_amounts(identity, json, &identity->classes[i]);
		json_end_object(json);
	}
	json_end_array(json);
	json_begin_array(json, "heap_growth_sites");
	for (size_t i = 0; i < sites; i++)
		json_site(diff, json, &identity->sites[i]);
	json_end_array(json);
}
