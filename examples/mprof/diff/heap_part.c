/* SPDX-License-Identifier: MIT */
/* Compares two heap snapshots: by class, by the paths that hold objects, and object by object. */
#include "diff/heap_part.h"

#include "common/arguments.h"
#include "common/growth_path.h"
#include "common/heap_origins.h"
#include "common/json.h"
#include "common/name_cut.h"
#include "common/output.h"
#include "common/table_view.h"
#include "diff/diff.h"
#include "diff/tables.h"
#include "shared/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * Retained sizes before and after, and the paths that hold what was added.
 */

/* Only these blocks are needed. */
#define WANTED_BLOCKS                                                                                                  \
	(MPROF_BLOCK_BIT(MPROF_BLOCK_INTRO) | MPROF_BLOCK_BIT(MPROF_BLOCK_MAPPING) |                                   \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_LOADED) | MPROF_BLOCK_BIT(MPROF_BLOCK_HEAP_DATA) |                                \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_ROOTS) | MPROF_BLOCK_BIT(MPROF_BLOCK_FIELDS) |                                    \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_OBJECT_LABELS) | MPROF_BLOCK_BIT(MPROF_BLOCK_DIRECTIVES))

typedef struct growth_side {
	log_diff *diff;
	int side;
} growth_side;

/* Adds the snapshot of one side, with what its objects retain if it has roots. */
static mprof_status add_graph(void *user, mprof_heap_graph *graph, const mprof_reader *reader)
{
	const growth_side *added = user;
	log_diff *diff = added->diff;
	mprof_status status = mprof_heap_graph_build_dominators(graph);

	diff->heap[added->side].has_retained = status == MPROF_OK;
	if (status == MPROF_OK || status == MPROF_ERR_UNSUPPORTED)
		status = mprof_heap_diff_add(diff->heap_growth, graph, reader,
					     diff_log_of(diff, added->side) != diff->sides);
	return status;
}

static int compare_row_names(const void *left, const void *right)
{
	return strcmp((*(heap_row *const *)left)->name, (*(heap_row *const *)right)->name);
}

/* Sets the retained sizes of the rows, which are in another order. */
static mprof_status take_retained(log_diff *diff)
{
	heap_row **sorted = calloc(diff->heap_row_count + 1, sizeof(*sorted));
	mprof_heap_diff_class stats = {.struct_size = sizeof(stats)};

	if (sorted == NULL)
		return MPROF_ERR_MEMORY;
	for (size_t i = 0; i < diff->heap_row_count; i++)
		sorted[i] = &diff->heap_rows[i];
	qsort(sorted, diff->heap_row_count, sizeof(*sorted), compare_row_names);
	for (int side = 0; side < DIFF_SIDES; side++) {
		for (size_t i = 0; mprof_heap_diff_get_class(diff->heap_growth, i, (size_t)side, &stats) == MPROF_OK;
		     i++) {
			heap_row wanted = {.name = stats.has_name ? stats.name : "(unknown)"};
			heap_row *key = &wanted;
			heap_row **found =
				bsearch(&key, sorted, diff->heap_row_count, sizeof(*sorted), compare_row_names);

			if (found != NULL)
				(*found)->retained[side] += stats.retained_bytes;
		}
	}
	free(sorted);
	return MPROF_OK;
}

static void heap_growth_release(log_diff *diff)
{
	mprof_heap_diff_destroy(diff->heap_growth);
	diff->heap_growth = NULL;
	for (int side = 0; side < DIFF_SIDES; side++)
		diff->heap[side].has_retained = 0;
}

/*
 * Reads both snapshots as graphs, and fills in heap_growth, the retained sizes of the rows, and has_retained. Returns
 * an exit status: STATUS_DAMAGED after a message if a figure is not known for lack of memory.
 */
static int heap_growth_read(log_diff *diff)
{
	mprof_status status = mprof_heap_diff_create(NULL, &diff->heap_growth);

	for (int side = 0; side < DIFF_SIDES && status == MPROF_OK; side++) {
		growth_side added = {diff, side};

		if (diff_path_of(diff, side) == NULL) {
			heap_growth_release(diff);
			return STATUS_OK;
		}
		status = diff_read_snapshot(diff, side, WANTED_BLOCKS, add_graph, &added);
	}
	if (status == MPROF_OK)
		status = take_retained(diff);
	if (status == MPROF_OK)
		return STATUS_OK;
	heap_growth_release(diff);
	text_begin_message(diff->sides[DIFF_BEFORE].input.name);
	fprintf(stderr, "%s for what the heap snapshots retain\n", mprof_status_get_text(status));
	return STATUS_DAMAGED;
}

/* The paths that hold more objects than before. The caller frees the array; NULL without paths. */
static mprof_heap_growth *find_growth(const log_diff *diff, size_t *count)
{
	mprof_heap_diff_totals totals = {.struct_size = sizeof(totals)};
	mprof_status status = MPROF_ERR_MEMORY;
	mprof_heap_growth *rows;
	size_t kept = 0;

	*count = 0;
	if (diff->heap_growth == NULL)
		return NULL;
	mprof_heap_diff_get_totals(diff->heap_growth, &totals);
	rows = calloc((size_t)totals.shapes + 1, sizeof(*rows));
	if (rows != NULL)
		status = mprof_heap_diff_get_growth(diff->heap_growth, rows, sizeof(*rows), (size_t)totals.shapes,
						    count);
	if (status != MPROF_OK)
		*count = 0;
	if (status == MPROF_ERR_MEMORY || status == MPROF_ERR_LIMIT)
		output_out_of_memory();
	for (size_t i = 0; i < *count; i++) {
		if (diff_wants_class(diff, growth_shape(diff->heap_growth, DIFF_AFTER, rows[i].shape).class_name))
			rows[kept++] = rows[i];
	}
	*count = kept;
	return rows;
}

static void heap_growth_print_text(const log_diff *diff)
{
	size_t count;
	mprof_heap_growth *rows = find_growth(diff, &count);
	size_t shown = diff_rows(diff, count);

	if (diff->heap_growth == NULL && diff->heap_row_count > 0)
		puts("  What the objects retain is not known: see the messages, or give files instead of a pipe.");
	if (count > 0) {
		fputs("\nPaths that hold more objects than before", stdout);
		diff_print_shown(shown, count);
		printf("  %15s %15s %15s %10s %15s  class, path\n", "held before", "after", "growth", "", "objects");
	}
	for (size_t i = 0; i < shown; i++) {
		uint64_t bytes[DIFF_SIDES] = {rows[i].bytes_first, rows[i].bytes_last};
		uint64_t objects[DIFF_SIDES] = {rows[i].objects_first, rows[i].objects_last};
		char growth[TEXT_NUMBER_SIZE];

		diff_print_counts(bytes);
		printf(" %15s  ", diff_text_growth(growth, objects));
		name_print(growth_shape(diff->heap_growth, DIFF_AFTER, rows[i].shape).class_name);
		fputs(", ", stdout);
		growth_path_text(stdout, diff->heap_growth, DIFF_AFTER, rows[i].shape);
		putchar('\n');
	}
	free(rows);
}

/* The paths that are printed, as rows of a view. */
typedef struct growth_rows {
	const log_diff *diff;
	mprof_heap_growth *rows;
} growth_rows;

static void get_growth(const void *user, size_t index, table_row *row)
{
	row->growth = ((const growth_rows *)user)->rows[index];
}

static void print_class(const void *user, json_writer *json, const char *key, const void *row)
{
	const growth_rows *grown = user;

	json_string(
		json, key,
		growth_shape(grown->diff->heap_growth, DIFF_AFTER, ((const mprof_heap_growth *)row)->shape).class_name);
}

/* Fields of their own: the root and the steps. */
static void print_path(const void *user, json_writer *json, const char *key, const void *row)
{
	const growth_rows *grown = user;

	(void)key;
	growth_path_json(grown->diff->heap_growth, DIFF_AFTER, ((const mprof_heap_growth *)row)->shape, json);
}

static const table_view growth_view = {
	.table = MPROF_HEAP_TABLE_GROWTH,
	.fields =
		{
			{TABLE_PRINT, .key = "class", .print = print_class},
			{.key = "objects_before", .field = "objects_first"},
			{.key = "objects_after", .field = "objects_last"},
			{.key = "bytes_before", .field = "bytes_first"},
			{.key = "bytes_after", .field = "bytes_last"},
			{TABLE_PRINT, .field = "shape", .print = print_path},
		},
};

static void heap_growth_print_json(const log_diff *diff, json_writer *json)
{
	growth_rows grown = {.diff = diff};
	table_rows rows = {.get = get_growth, .user = &grown};

	grown.rows = find_growth(diff, &rows.count);
	table_view_json(&growth_view, &rows, diff_rows(diff, rows.count), json, "heap_growth");
	free(grown.rows);
}

/*
 * Objects by identity: which are new, gone or in both of two snapshots of one log.
 */

/** Objects and their bytes. */
typedef struct identity_amount {
	uint64_t objects;
	uint64_t bytes;
} identity_amount;

/** The objects of a class. */
typedef struct identity_class {
	const char *name;                    /**< Borrowed from the input. */
	uint32_t id;                         /**< One class of this name. */
	identity_amount added;               /**< Only in the snapshot after. */
	identity_amount gone;                /**< Only in the snapshot before. */
	identity_amount surviving;           /**< In both. */
	identity_amount unknown[DIFF_SIDES]; /**< Those without a known origin, which are in no other field. */
} identity_class;

/** The objects of a class that were allocated at one call site. */
typedef struct identity_site {
	const char *class_name; /**< Borrowed from the input. */
	mprof_stack_frame *frames;
	size_t frame_count;
	uint64_t objects[DIFF_SIDES];
	uint64_t bytes[DIFF_SIDES];
} identity_site;

struct heap_identity {
	const char *reason; /**< Why objects have no known origin; NULL if all have. */
	int is_known;       /**< At least one object has a known origin. The fields below are 0 otherwise. */
	identity_class sum; /**< Of all classes; without a name. */
	identity_class *classes;
	size_t class_count;
	identity_site *sites;
	size_t site_count;
};

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
static mprof_status add_identity_classes(const log_diff *diff, heap_identity *identity, const mprof_heap_graph *graph)
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
	status = add_identity_classes(diff, identity, graph);
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

/*
 * Compares the objects of the snapshots that log_diff::heap names by identity if both are in one log, and fills in
 * heap_identity. Returns an exit status: #STATUS_DAMAGED after a message if there is no memory.
 */
static int heap_identity_read(log_diff *diff)
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

static void heap_identity_release(log_diff *diff)
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

/* Prints the tables by class and by allocation site, or why they are not known. */
static void heap_identity_print_text(const log_diff *diff)
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

/* Prints the keys "heap_identity", "heap_identity_classes" and "heap_growth_sites". */
static void heap_identity_print_json(const log_diff *diff, json_writer *json)
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

/*
 * Classes.
 */

/* The index of the chosen snapshot plus 1; 0 if there is none. */
static size_t find_shot(const log_diff *diff, int side)
{
	size_t count = mprof_profile_get_row_count(diff_log_of(diff, side)->profile, MPROF_TABLE_HEAP_SHOTS);
	uint64_t wanted = diff->options.shots[side];

	if (wanted == 0)
		return count;
	return wanted <= count ? (size_t)wanted : 0;
}

/* Returns 0 after a message if a snapshot that was requested does not exist. */
static int find_shots(log_diff *diff)
{
	for (int side = 0; side < DIFF_SIDES; side++) {
		mprof_heap_shot shot = {.struct_size = sizeof(shot)};
		const diff_side *log = diff_log_of(diff, side);
		size_t number = find_shot(diff, side);

		if (number == 0 && diff->options.shots[side] != 0) {
			text_begin_message(log->input.name);
			fprintf(stderr, "no heap snapshot %" PRIu64 ": the log has %zu\n", diff->options.shots[side],
				mprof_profile_get_row_count(log->profile, MPROF_TABLE_HEAP_SHOTS));
			return 0;
		}
		if (number == 0 ||
		    mprof_profile_get_row(log->profile, MPROF_TABLE_HEAP_SHOTS, number - 1, &shot) != MPROF_OK)
			continue;
		diff->heap[side] = (heap_side){number, shot.incomplete != 0, shot.objects, shot.bytes, shot.classes, 0};
	}
	return 1;
}

/* Adds a row for each class of a snapshot. */
static void add_classes(log_diff *diff, int side)
{
	const diff_side *log = diff_log_of(diff, side);

	for (size_t i = 0; i < diff->heap[side].classes; i++) {
		mprof_heap_shot_class class = {.struct_size = sizeof(class)};
		heap_row *row = &diff->heap_rows[diff->heap_row_count];
		mprof_mapping mapping;

		if (mprof_profile_get_heap_shot_class(log->profile, diff->heap[side].shot - 1, i, &class) != MPROF_OK)
			continue;
		row->name = "(unknown)";
		if (mprof_reader_lookup_class(log->input.reader, class.class_id, &mapping, sizeof(mapping)) == MPROF_OK)
			row->name = mapping.name;
		if (!diff_wants_class(diff, row->name))
			continue;
		row->objects[side] = class.objects;
		row->bytes[side] = class.bytes;
		diff->heap_row_count++;
	}
}

static int compare_names(const void *left, const void *right)
{
	return strcmp(((const heap_row *)left)->name, ((const heap_row *)right)->name);
}

static int compare_growth(const void *left, const void *right)
{
	const heap_row *a = left;
	const heap_row *b = right;
	int order = diff_compare_growth(a->bytes, b->bytes);

	order = order != 0 ? order : diff_compare_growth(a->objects, b->objects);
	return order != 0 ? order : strcmp(a->name, b->name);
}

/* Adds up rows of the same name. */
static void merge_names(log_diff *diff)
{
	size_t kept = 0;

	qsort(diff->heap_rows, diff->heap_row_count, sizeof(*diff->heap_rows), compare_names);
	for (size_t i = 1; i < diff->heap_row_count; i++) {
		heap_row *last = &diff->heap_rows[kept];
		const heap_row *row = &diff->heap_rows[i];

		if (strcmp(last->name, row->name) != 0) {
			diff->heap_rows[++kept] = *row;
			continue;
		}
		for (int side = 0; side < DIFF_SIDES; side++) {
			last->objects[side] += row->objects[side];
			last->bytes[side] += row->bytes[side];
		}
	}
	if (diff->heap_row_count > 0)
		diff->heap_row_count = kept + 1;
	qsort(diff->heap_rows, diff->heap_row_count, sizeof(*diff->heap_rows), compare_growth);
}

int heap_part_read(log_diff *diff)
{
	int status;

	if (!find_shots(diff))
		return STATUS_NOTHING;
	if (diff->heap[DIFF_BEFORE].shot == 0 || diff->heap[DIFF_AFTER].shot == 0)
		return STATUS_OK;
	diff->heap_rows = calloc((size_t)(diff->heap[DIFF_BEFORE].classes + diff->heap[DIFF_AFTER].classes + 1),
				 sizeof(*diff->heap_rows));
	if (diff->heap_rows == NULL) {
		text_begin_message(diff->sides[DIFF_BEFORE].input.name);
		fprintf(stderr, "%s for the heap snapshots\n", mprof_status_get_text(MPROF_ERR_MEMORY));
		return STATUS_NOTHING;
	}
	for (int side = 0; side < DIFF_SIDES; side++)
		add_classes(diff, side);
	merge_names(diff);
	status = heap_growth_read(diff);
	return heap_identity_read(diff) == STATUS_OK ? status : STATUS_DAMAGED;
}

void heap_part_release(log_diff *diff)
{
	heap_growth_release(diff);
	heap_identity_release(diff);
	free(diff->heap_rows);
	diff->heap_rows = NULL;
	diff->heap_row_count = 0;
}

/* Whether the retained sizes of both snapshots are known. */
static int has_retained(const log_diff *diff)
{
	return diff->heap[DIFF_BEFORE].has_retained && diff->heap[DIFF_AFTER].has_retained;
}

static void print_retained_json(const log_diff *diff, json_writer *json, int side, const char *key, uint64_t retained)
{
	if (diff->heap[side].has_retained)
		json_unsigned(json, key, retained);
	else
		json_null(json, key);
}

/* Whether a class differs; a change of what its objects retain is one, too. */
static int has_changed(const log_diff *diff, const heap_row *row)
{
	return row->objects[DIFF_BEFORE] != row->objects[DIFF_AFTER] ||
	       row->bytes[DIFF_BEFORE] != row->bytes[DIFF_AFTER] ||
	       (has_retained(diff) && row->retained[DIFF_BEFORE] != row->retained[DIFF_AFTER]);
}

/* The number of classes that differ between the snapshots; of all classes if the options name some. */
static size_t count_changed(const log_diff *diff)
{
	size_t changed = 0;

	if (diff->options.class_pattern != NULL)
		return diff->heap_row_count;
	for (size_t i = 0; i < diff->heap_row_count; i++)
		changed += has_changed(diff, &diff->heap_rows[i]) != 0;
	return changed;
}

static void print_row(const log_diff *diff, const heap_row *row)
{
	char growth[TEXT_NUMBER_SIZE];

	diff_print_counts(row->bytes);
	printf(" %15s", diff_text_growth(growth, row->objects));
	printf(" %15s  ", has_retained(diff) ? diff_text_growth(growth, row->retained) : "");
	name_print(row->name);
	diff_print_presence(row->objects);
}

static void print_rows(const log_diff *diff, size_t shown)
{
	if (shown > 0)
		printf("  %15s %15s %15s %10s %15s %15s  class\n", "bytes before", "after", "growth", "", "objects",
		       has_retained(diff) ? "retained" : "");
	for (size_t i = 0, printed = 0; printed < shown; i++) {
		if (diff->options.class_pattern == NULL && !has_changed(diff, &diff->heap_rows[i]))
			continue;
		print_row(diff, &diff->heap_rows[i]);
		printed++;
	}
}

void heap_part_print_text(const log_diff *diff)
{
	size_t changed = count_changed(diff);
	size_t shown = diff_rows(diff, changed);
	char number[TEXT_NUMBER_SIZE];

	if (diff->heap_row_count == 0)
		return;
	printf("\nLive objects by class, heap snapshot %" PRIu64 " and %" PRIu64, diff->heap[DIFF_BEFORE].shot,
	       diff->heap[DIFF_AFTER].shot);
	diff_print_shown(shown, changed);
	if (changed < diff->heap_row_count)
		printf("  Without a difference: %s\n", text_count(number, diff->heap_row_count - changed));
	for (int side = 0; side < DIFF_SIDES; side++) {
		if (diff->heap[side].is_incomplete)
			printf("  Objects are missing in the snapshot %s: figures are too small, and what objects\n"
			       "  retain may be too small or too large.\n",
			       diff_side_name(side));
	}
	print_rows(diff, shown);
	heap_growth_print_text(diff);
	heap_identity_print_text(diff);
}

void heap_part_print_json(const log_diff *diff, json_writer *json)
{
	size_t shown = diff_rows(diff, diff->heap_row_count);

	json_begin_array(json, "heap_shots");
	for (int side = 0; side < DIFF_SIDES; side++) {
		const heap_side *shot = &diff->heap[side];

		if (shot->shot == 0)
			continue;
		json_begin_object(json, NULL);
		json_string(json, "side", diff_side_name(side));
		json_unsigned(json, "shot", shot->shot);
		json_boolean(json, "complete", !shot->is_incomplete);
		json_unsigned(json, "objects", shot->objects);
		json_unsigned(json, "bytes", shot->bytes);
		json_end_object(json);
	}
	json_end_array(json);
	json_begin_array(json, "classes");
	for (size_t i = 0; i < shown; i++) {
		const heap_row *row = &diff->heap_rows[i];

		json_begin_object(json, NULL);
		json_string(json, "name", row->name);
		json_unsigned(json, "objects_before", row->objects[DIFF_BEFORE]);
		json_unsigned(json, "objects_after", row->objects[DIFF_AFTER]);
		json_unsigned(json, "bytes_before", row->bytes[DIFF_BEFORE]);
		json_unsigned(json, "bytes_after", row->bytes[DIFF_AFTER]);
		print_retained_json(diff, json, DIFF_BEFORE, "retained_before", row->retained[DIFF_BEFORE]);
		print_retained_json(diff, json, DIFF_AFTER, "retained_after", row->retained[DIFF_AFTER]);
		json_end_object(json);
	}
	json_end_array(json);
	heap_growth_print_json(diff, json);
	heap_identity_print_json(diff, json);
}
