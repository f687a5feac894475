/* SPDX-License-Identifier: MIT */
/* Compares the objects of two heap snapshots of one log by identity. */
#include "diff/heap_identity.h"

#include "common/exit_status.h"
#include "common/heap_origins.h"
#include "diff/heap_identity_rows.h"
#include "shared/text.h"

#include <stdlib.h>
#include <string.h>

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

static mprof_status read_objects(const log_diff *diff, heap_identity *identity, int side, object_list *list)
{
	mprof_heap_graph_options options;
	mprof_heap_graph *graph;
	mprof_status status;
	log_input input;

	mprof_heap_graph_options_init(&options, sizeof(options));
	options.snapshot = (uint32_t)diff->heap[side].shot;
	status = mprof_heap_graph_create(&options, &graph);
	if (status != MPROF_OK)
		return status;
	/* It was opened before, so a failure is that of memory. */
	status = MPROF_ERR_MEMORY;
	if (input_open_again(&input, diff_path_of(diff, side), OBJECT_BLOCKS) == STATUS_OK) {
		/* Damage was reported when the log was read for the first time. */
		input.is_quiet = 1;
		status = mprof_heap_graph_read(graph, input.reader, input_damage, &input);
		if (input_failure(&input) != MPROF_OK)
			status = input_failure(&input);
		if (status != MPROF_ERR_MEMORY && status != MPROF_ERR_IO && status != MPROF_ERR_LIMIT)
			status = take_objects(diff, identity, graph, list);
	}
	mprof_heap_graph_destroy(graph);
	input_close(&input);
	return status;
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

		if (heap_origins_find(origins, object->key, class->id, &origin)) {
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

	for (int side = 0; side < DIFF_SIDES && status == MPROF_OK; side++)
		status = read_objects(diff, identity, side, &lists[side]);
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
