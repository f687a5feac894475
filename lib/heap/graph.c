/* SPDX-License-Identifier: MIT */
/* Reads heap snapshots as graphs, lists those of a log, and finds paths from roots. */
#include <mprof/parser.h>

#include "base/caller_structs.h"
#include "base/memory_budget.h"
#include "base/progress.h"
#include "format/blocks/records.h"
#include "heap/dominators.h"
#include "heap/graph_internal.h"
#include "heap/object_graph.h"
#include "reader/reader.h"

#include <string.h>

/* A search from the roots that does not visit the objects of a set. */
typedef struct set_search {
	const object_graph *graph;
	uint64_t *visited; /* A bit for each object; those of the set count as visited. */
	uint32_t *queue;
	size_t count; /* Objects that were put into the queue. */
	progress *going;
} set_search;

/* Marks an object as visited. Returns 0 if it was. */
static int mark_visited(set_search *search, uint32_t object)
{
	uint64_t bit = UINT64_C(1) << object % 64;

	if ((search->visited[object / 64] & bit) != 0)
		return 0;
	search->visited[object / 64] |= bit;
	return 1;
}

static void reach(set_search *search, uint32_t object)
{
	if (mark_visited(search, object))
		search->queue[search->count++] = object;
}

static void visit_all(set_search *search)
{
	const object_graph *graph = search->graph;

	for (size_t i = 0; i < graph->root_count; i++)
		reach(search, graph->roots[i].object);
	for (size_t i = 0; i < search->count && progress_step(search->going); i++) {
		uint32_t object = search->queue[i];

		for (uint32_t j = graph->first[object]; j < graph->first[object + 1]; j++) {
			if (!progress_step(search->going))
				return;
			if (graph->targets[j] != OBJECT_NONE)
				reach(search, graph->targets[j]);
		}
	}
}

/* Adds up the objects that the search did not find, although roots reach them. */
static uint64_t sum_dead(set_search *search, const dominators *found, const uint32_t *objects, size_t count)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < count; i++)
		search->visited[objects[i] / 64] &= ~(UINT64_C(1) << objects[i] % 64);
	for (uint32_t object = 0; object < search->graph->object_count && progress_step(search->going); object++) {
		uint64_t size = object_graph_size(search->graph, object);

		if (found->dominators[object] != DOMINATOR_UNREACHABLE && mark_visited(search, object))
			bytes = bytes + size < size ? UINT64_MAX : bytes + size;
	}
	return bytes;
}

/* Steps of retained_set_sum(). */
static uint64_t retained_set_steps(const object_graph *graph)
{
	return 2 * (uint64_t)graph->object_count + graph->reference_count;
}

/*
 * Adds up the sizes of the reachable objects that would be dead without a set of objects: these, and all that roots
 * reach only through any of these. Returns 0 if there is no memory or it was stopped.
 */
static int retained_set_sum(const object_graph *graph, const dominators *found, const uint32_t *objects, size_t count,
			    progress *going, uint64_t *bytes)
{
	size_t visited_size = ((size_t)graph->object_count / 64 + 1) * sizeof(uint64_t);
	size_t queue_size = ((size_t)graph->object_count + 1) * sizeof(uint32_t);
	set_search search = {graph, allocator_allocate_zeroed(graph->allocator, visited_size),
			     allocator_allocate(graph->allocator, queue_size), 0, going};
	int is_done =
		search.visited != NULL && search.queue != NULL && progress_begin(going, retained_set_steps(graph));

	*bytes = 0;
	if (is_done) {
		for (size_t i = 0; i < count; i++)
			(void)mark_visited(&search, objects[i]);
		visit_all(&search);
		*bytes = sum_dead(&search, found, objects, count);
		is_done = progress_end(going);
		if (!is_done)
			*bytes = 0;
	}
	allocator_release(graph->allocator, search.visited, visited_size);
	allocator_release(graph->allocator, search.queue, queue_size);
	return is_done;
}

#define DEFAULT_MAX_MEMORY (UINT64_C(4) << 30)

void mprof_heap_graph_options_init(mprof_heap_graph_options *options, size_t struct_size)
{
	struct_init(options, struct_size);
}

/* The budget must stay at its address. */
static void snapshot_list_init(snapshot_list *list, memory_budget *budget)
{
	memset(list, 0, sizeof(*list));
	list->budget = budget;
	hash_map_init(&list->indices, &budget->allocator);
}

mprof_status mprof_heap_graph_create(const mprof_heap_graph_options *options, mprof_heap_graph **graph)
{
	mprof_heap_graph_options copy;
	mprof_allocator allocator;
	mprof_heap_graph *created;

	if (graph == NULL)
		return MPROF_ERR_ARGUMENT;
	*graph = NULL;
	if (struct_copy_in(&copy, options, sizeof(copy)) != MPROF_OK || copy.list_only > 1 ||
	    (copy.list_only && copy.snapshot != 0) || !allocator_init(&allocator, copy.allocator))
		return MPROF_ERR_ARGUMENT;
	created = allocator_allocate_zeroed(&allocator, sizeof(*created));
	if (created == NULL)
		return MPROF_ERR_MEMORY;
	memory_budget_init(&created->budget, &allocator, copy.max_memory != 0 ? copy.max_memory : DEFAULT_MAX_MEMORY);
	created->wanted = copy.snapshot;
	created->is_list_only = copy.list_only != 0;
	created->gathered_for = SNAPSHOT_NONE;
	created->progress = copy.progress;
	created->progress_user = copy.progress_user;
	snapshot_list_init(&created->snapshots, &created->budget);
	gathered_heap_init(&created->gathered, &created->budget);
	object_notes_init(&created->notes, &created->budget);
	object_graph_init(&created->linked, &created->budget.allocator);
	object_graph_init(&created->objects, &created->budget.allocator);
	*graph = created;
	return MPROF_OK;
}

/* Frees everything; root_paths_build() can be called again. */
static void root_paths_destroy(root_paths *paths, const object_graph *graph)
{
	allocator_release(graph->allocator, paths->references, ((size_t)graph->object_count + 1) * sizeof(uint32_t));
	memset(paths, 0, sizeof(*paths));
}

static size_t size_of_first(const object_graph *graph)
{
	return ((size_t)graph->object_count + 1) * sizeof(uint32_t);
}

/* Frees everything; referrers_build() can be called again. */
static void referrers_destroy(referrers *found, const object_graph *graph)
{
	allocator_release(graph->allocator, found->first, size_of_first(graph));
	allocator_release(graph->allocator, found->references, found->count * sizeof(*found->references));
	memset(found, 0, sizeof(*found));
}

static void snapshot_list_destroy(snapshot_list *list)
{
	allocator_release(&list->budget->allocator, list->records, list->capacity * sizeof(*list->records));
	list->records = NULL;
	list->count = 0;
	list->capacity = 0;
	hash_map_destroy(&list->indices);
}

void mprof_heap_graph_destroy(mprof_heap_graph *graph)
{
	mprof_allocator allocator;

	if (graph == NULL)
		return;
	dominators_destroy(&graph->dominators, &graph->objects);
	root_paths_destroy(&graph->paths, &graph->objects);
	referrers_destroy(&graph->referrers, &graph->objects);
	object_graph_destroy(&graph->linked);
	object_graph_destroy(&graph->objects);
	gathered_heap_destroy(&graph->gathered);
	object_notes_destroy(&graph->notes);
	snapshot_list_destroy(&graph->snapshots);
	allocator = graph->budget.source;
	allocator_release(&allocator, graph, sizeof(*graph));
}

static int has_snapshot(const mprof_heap_graph *graph)
{
	return graph->is_read && graph->failed == MPROF_OK && graph->gathered_for != SNAPSHOT_NONE;
}

/* The result of a computation that starts from roots and is not done yet. */
static mprof_status check_roots(const mprof_heap_graph *graph)
{
	if (!has_snapshot(graph))
		return MPROF_ERR_STATE;
	return graph->objects.root_count != 0 ? MPROF_OK : MPROF_ERR_UNSUPPORTED;
}

static void begin_computation(const mprof_heap_graph *graph, progress *going, uint64_t steps)
{
	progress_init(going, graph->progress, graph->progress_user, steps);
}

static mprof_status end_computation(const mprof_heap_graph *graph, const progress *going, int is_done)
{
	return is_done ? MPROF_OK : progress_status(going, memory_budget_status(&graph->budget));
}

mprof_status mprof_heap_graph_build_dominators(mprof_heap_graph *graph)
{
	mprof_status status;
	progress going;

	if (graph == NULL)
		return MPROF_ERR_ARGUMENT;
	status = check_roots(graph);
	if (status != MPROF_OK || graph->dominators.dominators != NULL)
		return status;
	begin_computation(graph, &going, dominators_steps(&graph->objects));
	return end_computation(graph, &going, dominators_build(&graph->dominators, &graph->objects, &going));
}

/* Steps of root_paths_build(). */
static uint64_t root_paths_steps(const object_graph *graph)
{
	return 2 * (uint64_t)graph->object_count + graph->reference_count;
}

typedef struct path_search {
	root_paths *paths;
	const object_graph *graph;
	uint32_t *queue;
	uint32_t count; /* Objects that were put into the queue. */
	progress *going;
} path_search;

static void find_path(path_search *search, uint32_t object, uint32_t reference)
{
	if (search->paths->references[object] != ROOT_PATHS_UNREACHABLE)
		return;
	search->paths->references[object] = reference;
	search->queue[search->count++] = object;
}

static void reach_roots(path_search *search)
{
	for (uint32_t rank = 0; rank < ROOT_RANKS; rank++) {
		for (size_t i = 0; i < search->graph->root_count; i++) {
			if (root_rank(search->graph->roots[i].kind) == rank)
				find_path(search, search->graph->roots[i].object, ROOT_PATHS_ROOT);
		}
	}
}

/* Distances of prefetches in the queue: each loads what the previous one has fetched. */
#define OBJECTS_AHEAD 32
#define REFERENCES_AHEAD 16
#define TARGETS_AHEAD 8

/* Targets of an object that are prefetched; most objects have fewer. */
#define PREFETCHED_TARGETS 8

static void prefetch_queued(const path_search *search, uint32_t next)
{
	const object_graph *graph = search->graph;
	const uint32_t *queue = &search->queue[next];
	uint32_t remaining = search->count - next;

	if (remaining > OBJECTS_AHEAD)
		__builtin_prefetch(&graph->first[queue[OBJECTS_AHEAD]]);
	if (remaining > REFERENCES_AHEAD)
		__builtin_prefetch(&graph->targets[graph->first[queue[REFERENCES_AHEAD]]]);
	if (remaining > TARGETS_AHEAD) {
		uint32_t first = graph->first[queue[TARGETS_AHEAD]];
		uint32_t end = graph->first[queue[TARGETS_AHEAD] + 1];

		for (uint32_t i = first; i < end && i - first < PREFETCHED_TARGETS; i++) {
			if (graph->targets[i] != OBJECT_NONE)
				__builtin_prefetch(&search->paths->references[graph->targets[i]], 1);
		}
	}
}

static void reach_targets(path_search *search, uint32_t object)
{
	for (uint32_t i = search->graph->first[object]; i < search->graph->first[object + 1]; i++) {
		if (!progress_step(search->going))
			return;
		if (search->graph->targets[i] != OBJECT_NONE)
			find_path(search, search->graph->targets[i], i);
	}
}

static void reach_all(path_search *search)
{
	reach_roots(search);
	for (uint32_t i = 0; i < search->count && progress_step(search->going); i++) {
		prefetch_queued(search, i);
		reach_targets(search, search->queue[i]);
	}
}

/* Objects are visited in the order of addresses; sizes of a damaged log may be anything. */
static void sum_reachable(root_paths *paths, const object_graph *graph, progress *going)
{
	for (uint32_t object = 0; object < graph->object_count && progress_step(going); object++) {
		uint64_t size;

		if (paths->references[object] == ROOT_PATHS_UNREACHABLE)
			continue;
		size = object_graph_size(graph, object);
		paths->reachable_bytes =
			paths->reachable_bytes + size < size ? UINT64_MAX : paths->reachable_bytes + size;
	}
}

/* Searches the graph. Returns 0, changing nothing, if there is no memory or it was stopped. */
static int root_paths_build(root_paths *paths, const object_graph *graph, progress *going)
{
	size_t size = ((size_t)graph->object_count + 1) * sizeof(uint32_t);
	root_paths tree = {allocator_allocate(graph->allocator, size), 0, 0};
	path_search search = {&tree, graph, allocator_allocate(graph->allocator, size), 0, going};
	int is_done = tree.references != NULL && search.queue != NULL && progress_begin(going, root_paths_steps(graph));

	if (is_done) {
		for (uint32_t object = 0; object < graph->object_count; object++)
			tree.references[object] = ROOT_PATHS_UNREACHABLE;
		reach_all(&search);
		tree.reachable_objects = search.count;
		sum_reachable(&tree, graph, going);
		is_done = progress_end(going);
	}
	allocator_release(graph->allocator, search.queue, size);
	if (is_done)
		*paths = tree;
	else
		allocator_release(graph->allocator, tree.references, size);
	return is_done;
}

mprof_status mprof_heap_graph_build_paths(mprof_heap_graph *graph)
{
	mprof_status status;
	progress going;

	if (graph == NULL)
		return MPROF_ERR_ARGUMENT;
	status = check_roots(graph);
	if (status != MPROF_OK || graph->paths.references != NULL)
		return status;
	begin_computation(graph, &going, root_paths_steps(&graph->objects));
	return end_computation(graph, &going, root_paths_build(&graph->paths, &graph->objects, &going));
}

/* Steps of referrers_build(). */
static uint64_t referrers_steps(const object_graph *graph)
{
	return 2 * (uint64_t)graph->reference_count + graph->object_count;
}

/* Counts the references to each object, up to and including its own. Returns 0 if it has to stop. */
static int count_referrers(referrers *created, const object_graph *graph, progress *going)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < graph->reference_count && progress_step(going); i++)
		created->first[graph->targets[i] != OBJECT_NONE ? graph->targets[i] : graph->object_count]++;
	/* References to missing objects were counted in the last element, which is the end of those before. */
	for (uint32_t i = 0; i < graph->object_count && progress_step(going); i++) {
		count += created->first[i];
		created->first[i] = count;
	}
	created->first[graph->object_count] = count;
	return !going->is_stopped;
}

/* Returns 0 if there is no memory or it has to stop. */
static int fill_referrers(referrers *created, const object_graph *graph, progress *going)
{
	const uint32_t count = created->first[graph->object_count];

	if (count != 0) {
		created->references = allocator_allocate(graph->allocator, count * sizeof(*created->references));
		if (created->references == NULL)
			return 0;
		created->count = count;
	}
	/* From the last reference on, each is put before those of the same target. */
	for (uint32_t i = graph->reference_count; i > 0 && progress_step(going); i--) {
		if (graph->targets[i - 1] != OBJECT_NONE)
			created->references[--created->first[graph->targets[i - 1]]] = i - 1;
	}
	return progress_end(going);
}

/* Sorts the references of a graph by target. Returns 0, changing nothing, if there is no memory or it was stopped. */
static int referrers_build(referrers *found, const object_graph *graph, progress *going)
{
	referrers created = {allocator_allocate_zeroed(graph->allocator, size_of_first(graph)), NULL, 0};

	if (created.first == NULL || !progress_begin(going, referrers_steps(graph)) ||
	    !count_referrers(&created, graph, going) || !fill_referrers(&created, graph, going)) {
		referrers_destroy(&created, graph);
		return 0;
	}
	*found = created;
	return 1;
}

mprof_status mprof_heap_graph_build_referrers(mprof_heap_graph *graph)
{
	progress going;

	if (graph == NULL)
		return MPROF_ERR_ARGUMENT;
	if (!has_snapshot(graph))
		return MPROF_ERR_STATE;
	if (graph->referrers.first != NULL)
		return MPROF_OK;
	begin_computation(graph, &going, referrers_steps(&graph->objects));
	return end_computation(graph, &going, referrers_build(&graph->referrers, &graph->objects, &going));
}

mprof_status mprof_heap_graph_get_retained(mprof_heap_graph *graph, const uint32_t *objects, size_t count,
					   uint64_t *bytes)
{
	progress going;

	if (bytes == NULL)
		return MPROF_ERR_ARGUMENT;
	*bytes = 0;
	if (graph == NULL || (objects == NULL && count > 0))
		return MPROF_ERR_ARGUMENT;
	for (size_t i = 0; i < count; i++) {
		if (objects[i] >= graph->objects.object_count)
			return MPROF_ERR_ARGUMENT;
	}
	if (graph->dominators.dominators == NULL)
		return MPROF_ERR_STATE;
	begin_computation(graph, &going, retained_set_steps(&graph->objects));
	return end_computation(graph, &going,
			       retained_set_sum(&graph->objects, &graph->dominators, objects, count, &going, bytes));
}

static void fill_counts(mprof_heap_graph_totals *row, const mprof_heap_graph *graph)
{
	const object_graph *objects = &graph->objects;

	row->has_roots = objects->root_count != 0;
	row->has_offsets = objects->steps != NULL;
	row->objects = objects->object_count;
	row->bytes = objects->bytes;
	row->references = objects->reference_count;
	row->classes = objects->class_count;
	row->roots = objects->root_count;
	for (size_t i = 0; i < objects->root_count; i++)
		row->roots_by_kind[objects->roots[i].kind]++;
	row->missing_references = objects->missing_references;
	row->missing_roots = objects->missing_roots;
	row->repeated_objects = objects->repeated_objects;
	row->has_dominators = graph->dominators.dominators != NULL;
	row->has_paths = graph->paths.references != NULL;
	row->has_referrers = graph->referrers.first != NULL;
	row->reachable_objects =
		row->has_dominators ? graph->dominators.reachable_objects : graph->paths.reachable_objects;
	row->reachable_bytes = row->has_dominators ? graph->dominators.reachable_bytes : graph->paths.reachable_bytes;
	row->labels = graph->notes.object_labels.count;
	row->names = graph->notes.reference_names.count;
	row->weak_references = graph->notes.weak_count;
	row->synthetic_objects = graph->notes.synthetic;
	row->missing_notes = graph->notes.missing;
}

mprof_status mprof_heap_graph_get_totals(const mprof_heap_graph *graph, mprof_heap_graph_totals *totals)
{
	mprof_heap_graph_totals row;

	if (graph == NULL)
		return MPROF_ERR_ARGUMENT;
	memset(&row, 0, sizeof(row));
	if (graph->is_read && graph->gathered_for != SNAPSHOT_NONE) {
		const snapshot_record *record = &graph->snapshots.records[graph->gathered_for];

		row.snapshot = (uint32_t)graph->gathered_for + 1;
		row.number = record->number;
		row.time_ns = record->time_ns;
		row.incomplete = record->is_incomplete;
		row.orphan_references = record->orphan_references;
		fill_counts(&row, graph);
	}
	row.limited = graph->failed == MPROF_ERR_LIMIT;
	row.damaged_blocks = graph->damaged_blocks;
	row.used_memory = graph->budget.used;
	return struct_copy_out(totals, &row, sizeof(row));
}

size_t mprof_heap_graph_get_snapshot_count(const mprof_heap_graph *graph)
{
	return graph != NULL ? graph->snapshots.count : 0;
}

mprof_status mprof_heap_graph_get_snapshot(const mprof_heap_graph *graph, size_t index, mprof_heap_snapshot *snapshot)
{
	const snapshot_record *record;
	mprof_heap_snapshot row;

	if (graph == NULL || index >= graph->snapshots.count)
		return MPROF_ERR_ARGUMENT;
	record = &graph->snapshots.records[index];
	memset(&row, 0, sizeof(row));
	row.number = record->number;
	row.incomplete = record->is_incomplete || !record->is_ended;
	row.time_ns = record->time_ns;
	row.objects = record->objects;
	row.bytes = record->bytes;
	row.references = record->references;
	row.roots = record->roots;
	return struct_copy_out(snapshot, &row, sizeof(row));
}

size_t mprof_heap_graph_get_class_count(const mprof_heap_graph *graph)
{
	return graph != NULL ? graph->objects.class_count : 0;
}

mprof_status mprof_heap_graph_get_class(const mprof_heap_graph *graph, size_t index, mprof_heap_class *stats)
{
	const object_class *record;
	mprof_heap_class row;

	if (graph == NULL || index >= graph->objects.class_count)
		return MPROF_ERR_ARGUMENT;
	record = &graph->objects.class_table[index];
	memset(&row, 0, sizeof(row));
	row.class_id = record->class_id;
	row.objects = record->objects;
	row.bytes = record->bytes;
	row.reachable_objects = record->reachable_objects;
	row.reachable_bytes = record->reachable_bytes;
	row.retained_bytes = record->retained_bytes;
	return struct_copy_out(stats, &row, sizeof(row));
}

static void fill_analysis(mprof_heap_object *row, const mprof_heap_graph *graph, uint32_t object)
{
	row->dominator = MPROF_HEAP_NO_OBJECT;
	if (graph->paths.references != NULL)
		row->is_reachable = graph->paths.references[object] != ROOT_PATHS_UNREACHABLE;
	if (graph->dominators.dominators != NULL) {
		row->is_reachable = graph->dominators.dominators[object] != DOMINATOR_UNREACHABLE;
		row->retained_bytes = graph->dominators.retained[object];
		if (row->is_reachable)
			row->dominator = graph->dominators.dominators[object];
	}
	if (graph->referrers.first != NULL)
		row->referrers = graph->referrers.first[object + 1] - graph->referrers.first[object];
}

mprof_status mprof_heap_graph_get_object(const mprof_heap_graph *graph, uint32_t object, mprof_heap_object *stats)
{
	const object_graph *objects;
	mprof_heap_object row;

	if (graph == NULL || object >= graph->objects.object_count)
		return MPROF_ERR_ARGUMENT;
	objects = &graph->objects;
	memset(&row, 0, sizeof(row));
	row.address = address_set_get(&objects->addresses, object);
	row.bytes = object_graph_size(objects, object);
	row.class_index = objects->classes[object];
	row.class_id = objects->class_table[row.class_index].class_id;
	row.is_root = object_graph_root(objects, object) != NULL;
	row.references = objects->first[object + 1] - objects->first[object];
	row.flags = object_notes_flags(&graph->notes, object);
	row.label = object_notes_label(&graph->notes, object);
	(void)object_notes_weak(&graph->notes, object, &row.weak_references);
	fill_analysis(&row, graph, object);
	return struct_copy_out(stats, &row, sizeof(row));
}

mprof_status mprof_heap_graph_lookup_object(const mprof_heap_graph *graph, uint64_t address, uint32_t *object)
{
	if (object == NULL)
		return MPROF_ERR_ARGUMENT;
	*object = MPROF_HEAP_NO_OBJECT;
	if (graph == NULL)
		return MPROF_ERR_ARGUMENT;
	*object = address_set_find(&graph->objects.addresses, address);
	return *object != MPROF_HEAP_NO_OBJECT ? MPROF_OK : MPROF_ERR_UNDEFINED_ID;
}

mprof_status mprof_heap_graph_get_root(const mprof_heap_graph *graph, size_t index, mprof_heap_root *root)
{
	mprof_heap_root row;

	if (graph == NULL || index >= graph->objects.root_count)
		return MPROF_ERR_ARGUMENT;
	memset(&row, 0, sizeof(row));
	row.object = graph->objects.roots[index].object;
	row.kind = graph->objects.roots[index].kind;
	row.area = graph->objects.roots[index].area;
	row.holder = graph->objects.roots[index].holder;
	return struct_copy_out(root, &row, sizeof(row));
}

/* Whether an array for references was passed correctly. Sets the count to 0. */
static int is_reference_array(const mprof_heap_reference *references, size_t reference_size, size_t capacity,
			      size_t *count)
{
	if (count == NULL)
		return 0;
	*count = 0;
	return (references != NULL || capacity == 0) && reference_size >= SIZE_UP_TO(mprof_heap_reference, offset);
}

mprof_status mprof_heap_graph_get_references(const mprof_heap_graph *graph, uint32_t object, uint32_t first,
					     mprof_heap_reference *references, size_t reference_size, size_t capacity,
					     size_t *count)
{
	const object_graph *objects;
	uint32_t start;
	size_t available;

	if (!is_reference_array(references, reference_size, capacity, count) || graph == NULL ||
	    object >= graph->objects.object_count)
		return MPROF_ERR_ARGUMENT;
	objects = &graph->objects;
	start = objects->first[object];
	if (first > objects->first[object + 1] - start)
		return MPROF_ERR_ARGUMENT;
	available = objects->first[object + 1] - start - first;
	for (*count = 0; *count < available && *count < capacity; (*count)++) {
		uint32_t reference = start + first + (uint32_t)*count;
		mprof_heap_reference copy = {objects->targets[reference], 0, 0,
					     object_notes_name(&graph->notes, reference)};

		copy.has_offset = (uint32_t)object_graph_offset(objects, object, reference, &copy.offset);
		element_put(references, reference_size, *count, &copy, sizeof(copy));
	}
	return MPROF_OK;
}

mprof_status mprof_heap_graph_get_weak_references(const mprof_heap_graph *graph, uint32_t object, uint32_t first,
						  mprof_heap_reference *references, size_t reference_size,
						  size_t capacity, size_t *count)
{
	const weak_reference *list;
	uint32_t available;

	if (!is_reference_array(references, reference_size, capacity, count) || graph == NULL ||
	    object >= graph->objects.object_count)
		return MPROF_ERR_ARGUMENT;
	list = object_notes_weak(&graph->notes, object, &available);
	if (first > available)
		return MPROF_ERR_ARGUMENT;
	for (; *count < available - first && *count < capacity; (*count)++) {
		const weak_reference *weak = &list[first + *count];
		mprof_heap_reference copy = {weak->target, 0, 0, object_notes_text(&graph->notes, weak->text)};

		element_put(references, reference_size, *count, &copy, sizeof(copy));
	}
	return MPROF_OK;
}

mprof_status mprof_heap_graph_get_referrers(const mprof_heap_graph *graph, uint32_t object, uint32_t first,
					    mprof_heap_reference *references, size_t reference_size, size_t capacity,
					    size_t *count)
{
	const uint32_t *list;
	size_t available;

	if (!is_reference_array(references, reference_size, capacity, count) || graph == NULL ||
	    object >= graph->objects.object_count)
		return MPROF_ERR_ARGUMENT;
	if (graph->referrers.first == NULL)
		return MPROF_ERR_STATE;
	available = graph->referrers.first[object + 1] - graph->referrers.first[object];
	if (first > available)
		return MPROF_ERR_ARGUMENT;
	available -= first;
	/* Without any reference in the graph there is no array. */
	if (available == 0) {
		*count = 0;
		return MPROF_OK;
	}
	list = graph->referrers.references + graph->referrers.first[object] + first;
	for (*count = 0; *count < available && *count < capacity; (*count)++) {
		mprof_heap_reference row = {object_graph_owner(&graph->objects, list[*count]), 0, 0,
					    object_notes_name(&graph->notes, list[*count])};

		row.has_offset = (uint32_t)object_graph_offset(&graph->objects, row.object, list[*count], &row.offset);
		element_put(references, reference_size, *count, &row, sizeof(row));
	}
	return MPROF_OK;
}

/* Whether an object comes after another one in the order of retained sizes. */
static int is_smaller(const uint64_t *retained, uint32_t object, uint32_t other)
{
	return retained[object] != retained[other] ? retained[object] < retained[other] : object > other;
}

/* Moves the first element of a heap down to where it belongs; the first element of a heap is the smallest. */
static void sift_down(const uint64_t *retained, uint32_t *heap, size_t count)
{
	uint32_t moved = heap[0];
	size_t i = 0;

	for (;;) {
		size_t child = 2 * i + 1;

		if (child + 1 < count && is_smaller(retained, heap[child + 1], heap[child]))
			child++;
		if (child >= count || !is_smaller(retained, heap[child], moved))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = moved;
}

static void sift_up(const uint64_t *retained, uint32_t *heap, size_t i)
{
	uint32_t moved = heap[i];

	while (i > 0 && is_smaller(retained, moved, heap[(i - 1) / 2])) {
		heap[i] = heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	heap[i] = moved;
}

mprof_status mprof_heap_graph_get_dominated(const mprof_heap_graph *graph, uint32_t dominator, uint32_t *objects,
					    size_t capacity, size_t *count)
{
	const uint64_t *retained;
	size_t kept = 0;

	if (count == NULL)
		return MPROF_ERR_ARGUMENT;
	*count = 0;
	if (graph == NULL || (objects == NULL && capacity > 0) ||
	    (dominator >= graph->objects.object_count && dominator != MPROF_HEAP_NO_OBJECT))
		return MPROF_ERR_ARGUMENT;
	if (graph->dominators.dominators == NULL)
		return MPROF_ERR_STATE;
	retained = graph->dominators.retained;
	for (uint32_t i = 0; i < graph->objects.object_count; i++) {
		if (graph->dominators.dominators[i] != dominator)
			continue;
		++*count;
		if (kept < capacity) {
			objects[kept] = i;
			sift_up(retained, objects, kept++);
		} else if (kept > 0 && is_smaller(retained, objects[0], i)) {
			objects[0] = i;
			sift_down(retained, objects, kept);
		}
	}
	/* The smallest of the rest goes to its end. */
	while (kept > 1) {
		uint32_t smallest = objects[0];

		objects[0] = objects[--kept];
		objects[kept] = smallest;
		sift_down(retained, objects, kept);
	}
	return MPROF_OK;
}

static size_t path_length(const mprof_heap_graph *graph, uint32_t object)
{
	size_t length = 0;
	uint32_t reference;

	if (graph->paths.references[object] == ROOT_PATHS_UNREACHABLE)
		return 0;
	for (;;) {
		length++;
		reference = graph->paths.references[object];
		if (reference == ROOT_PATHS_ROOT)
			return length;
		object = object_graph_owner(&graph->objects, reference);
	}
}

static void fill_step(const mprof_heap_graph *graph, uint32_t object, uint32_t reference, mprof_heap_step *step)
{
	step->has_offset = (uint32_t)object_graph_offset(&graph->objects, object, reference, &step->offset);
	step->name = object_notes_name(&graph->notes, reference);
}

/* Stores the steps of a path, from the object to the root, and returns the object of the root. */
static uint32_t fill_steps(const mprof_heap_graph *graph, uint32_t object, mprof_heap_step *steps, size_t step_size,
			   size_t capacity, size_t length)
{
	const uint32_t *dominators = graph->dominators.dominators;
	uint32_t dominator = dominators != NULL ? object : DOMINATOR_ROOTS;
	uint32_t reference = ROOT_PATHS_ROOT;

	/* All dominators of the object are on the path, in the same order. */
	for (size_t i = length; i > 0; i--) {
		mprof_heap_step copy = {object, object == dominator, 0, 0, 0, ""};

		if (copy.is_dominator)
			dominator = dominators[object];
		if (reference != ROOT_PATHS_ROOT)
			fill_step(graph, object, reference, &copy);
		if (i <= capacity)
			element_put(steps, step_size, i - 1, &copy, sizeof(copy));
		reference = graph->paths.references[object];
		if (reference != ROOT_PATHS_ROOT)
			object = object_graph_owner(&graph->objects, reference);
	}
	return object;
}

mprof_status mprof_heap_graph_get_path(const mprof_heap_graph *graph, uint32_t object, mprof_heap_root *root,
				       mprof_heap_step *steps, size_t step_size, size_t capacity, size_t *count)
{
	const object_root *found;
	mprof_heap_root copy;

	if (count == NULL)
		return MPROF_ERR_ARGUMENT;
	*count = 0;
	if (graph == NULL || root == NULL || root->struct_size < sizeof(root->struct_size) ||
	    (steps == NULL && capacity > 0) || step_size < SIZE_UP_TO(mprof_heap_step, offset) ||
	    object >= graph->objects.object_count)
		return MPROF_ERR_ARGUMENT;
	if (graph->paths.references == NULL)
		return MPROF_ERR_STATE;
	*count = path_length(graph, object);
	if (*count == 0)
		return MPROF_OK;
	memset(&copy, 0, sizeof(copy));
	copy.object = fill_steps(graph, object, steps, step_size, capacity, *count);
	found = object_graph_root(&graph->objects, copy.object);
	copy.kind = found != NULL ? found->kind : MPROF_ROOT_OTHER;
	copy.area = found != NULL ? found->area : 0;
	copy.holder = found != NULL ? found->holder : MPROF_HEAP_NO_OBJECT;
	return struct_copy_out(root, &copy, sizeof(copy));
}

mprof_status mprof_heap_graph_get_parent(const mprof_heap_graph *graph, uint32_t object,
					 mprof_heap_reference *reference, size_t reference_size)
{
	mprof_heap_reference copy = {MPROF_HEAP_NO_OBJECT, 0, 0, ""};
	uint32_t last;

	if (graph == NULL || reference == NULL || reference_size < SIZE_UP_TO(mprof_heap_reference, offset) ||
	    object >= graph->objects.object_count)
		return MPROF_ERR_ARGUMENT;
	if (graph->paths.references == NULL)
		return MPROF_ERR_STATE;
	last = graph->paths.references[object];
	if (last != ROOT_PATHS_ROOT && last != ROOT_PATHS_UNREACHABLE) {
		copy.object = object_graph_owner(&graph->objects, last);
		copy.has_offset = (uint32_t)object_graph_offset(&graph->objects, copy.object, last, &copy.offset);
		copy.name = object_notes_name(&graph->notes, last);
	}
	element_put(reference, reference_size, 0, &copy, sizeof(copy));
	return MPROF_OK;
}

/*
 * Starts to gather a snapshot if it is the one that was chosen. If the last one is wanted, each snapshot that begins
 * replaces the one before.
 */
static int choose_snapshot(mprof_heap_graph *graph, size_t index)
{
	if (graph->is_list_only || index == SNAPSHOT_NONE)
		return 0;
	if (graph->wanted != 0 ? index + 1 == graph->wanted
			       : graph->gathered_for == SNAPSHOT_NONE || index > graph->gathered_for) {
		if (graph->gathered_for != index) {
			gathered_heap_destroy(&graph->gathered);
			object_notes_destroy(&graph->notes);
		}
		graph->gathered_for = index;
	}
	return graph->gathered_for == index;
}

/* Counts an event of a block of the snapshot. */
static void snapshot_record_count(snapshot_record *record, const mprof_event *event)
{
	switch (event->kind) {
	case MPROF_EVENT_HEAP_OBJECT:
		record->objects++;
		record->bytes += event->value;
		if (event->more.detail != NULL)
			record->references += event->more.detail->reference_count;
		break;
	case MPROF_EVENT_HEAP_REFERENCES:
		if (event->more.detail != NULL)
			record->references += event->more.detail->reference_count;
		break;
	case MPROF_EVENT_HEAP_ROOT:
		record->roots++;
		break;
	default:
		break;
	}
}

static mprof_status add_events(mprof_heap_graph *graph, snapshot_record *record, size_t count, int is_chosen)
{
	mprof_status status = MPROF_OK;

	for (size_t i = 0; i < count && status == MPROF_OK; i++) {
		snapshot_record_count(record, &graph->batch[i]);
		if (is_chosen)
			status = gathered_heap_add(&graph->gathered, &graph->batch[i]);
	}
	return status;
}

/*
 * Whether a block belongs to a snapshot. In dialects before mprof2 a block is a whole snapshot, even if it has no
 * number; but one that contains only dead objects has no flags. In mprof2 a block of no snapshot has no number.
 */
static int is_of_snapshot(const mprof_block *block)
{
	return block->as.heap_data.has_clocks ? block->as.heap_data.flags != 0 : block->as.heap_data.number != 0;
}

static mprof_status append_record(snapshot_list *list, const mprof_block *block)
{
	const mprof_heap_data_block *heap = &block->as.heap_data;
	void *records = list->records;
	mprof_status status =
		memory_budget_reserve(list->budget, &records, &list->capacity, list->count + 1, sizeof(*list->records));
	snapshot_record *record;

	list->records = records;
	if (status == MPROF_OK)
		status = memory_budget_map_put(list->budget, &list->indices, heap->number, list->count);
	if (status != MPROF_OK)
		return status;
	record = &list->records[list->count++];
	memset(record, 0, sizeof(*record));
	record->number = heap->number;
	record->counter = heap->has_clocks ? heap->start.counter : heap->counter;
	record->is_incomplete = !(heap->flags & MPROF_HEAP_FLAG_FIRST);
	return MPROF_OK;
}

/*
 * Finds the snapshot that a loaded HEAP_DATA block belongs to, or adds it. index is SNAPSHOT_NONE if the block
 * belongs to none. Returns MPROF_OK; MPROF_ERR_LIMIT; MPROF_ERR_MEMORY.
 */
static mprof_status snapshot_list_find(snapshot_list *list, const mprof_block *block, size_t *index)
{
	const uint64_t *known = hash_map_get(&list->indices, block->as.heap_data.number);
	mprof_status status;

	*index = SNAPSHOT_NONE;
	if (!is_of_snapshot(block))
		return MPROF_OK;
	/* A number that is used again after its snapshot has ended belongs to another snapshot. */
	if (known != NULL &&
	    !(list->records[*known].is_ended && (block->as.heap_data.flags & MPROF_HEAP_FLAG_FIRST) != 0)) {
		*index = (size_t)*known;
		return MPROF_OK;
	}
	status = append_record(list, block);
	if (status == MPROF_OK)
		*index = list->count - 1;
	return status;
}

/* A block was read to its end, or not (is_whole). */
static void snapshot_record_end_block(snapshot_record *record, const mprof_block *block, int is_whole)
{
	record->is_incomplete |= !is_whole || (block->as.heap_data.flags & MPROF_HEAP_FLAG_INCOMPLETE) != 0;
	record->is_ended |= (block->as.heap_data.flags & MPROF_HEAP_FLAG_LAST) != 0;
}

/*
 * Adds a loaded HEAP_DATA block. Returns #MPROF_OK or the error of the log; sets graph->failed for an error that is not
 * of the log.
 */
static mprof_status add_heap_block(mprof_heap_graph *graph, mprof_reader *reader, const mprof_block *block)
{
	mprof_status status;
	snapshot_record *record;
	size_t index;
	size_t count = 0;
	int is_chosen;

	graph->failed = snapshot_list_find(&graph->snapshots, block, &index);
	if (graph->failed != MPROF_OK || index == SNAPSHOT_NONE)
		return graph->failed;
	record = &graph->snapshots.records[index];
	is_chosen = choose_snapshot(graph, index);
	do {
		status = mprof_reader_next_events(reader, graph->batch, GRAPH_BATCH, &count);
		graph->failed = add_events(graph, record, count, is_chosen);
		if (graph->failed != MPROF_OK)
			return graph->failed;
	} while (status == MPROF_OK);
	snapshot_record_end_block(record, block, status == MPROF_END);
	if (status == MPROF_END)
		return MPROF_OK;
	if (is_chosen)
		graph->failed = gathered_heap_interrupt(&graph->gathered);
	return graph->failed != MPROF_OK ? graph->failed : status;
}

/* Whether a block of labels or names belongs to the snapshot that is gathered. */
static int is_of_gathered(const mprof_heap_graph *graph, const mprof_block *block)
{
	const uint64_t *index = hash_map_get(&graph->snapshots.indices, block->as.heap_notes.number);

	return index != NULL && *index == graph->gathered_for && !graph->snapshots.records[*index].is_ended;
}

/* Adds a loaded block of labels or names. Returns as add_heap_block(). */
static mprof_status add_notes_block(mprof_heap_graph *graph, mprof_reader *reader, const mprof_block *block)
{
	mprof_status status = MPROF_OK;
	mprof_record records[16];

	if (!is_of_gathered(graph, block))
		return MPROF_OK;
	while (status == MPROF_OK) {
		size_t count = 0;

		status = mprof_reader_next_records(reader, records, sizeof(records[0]),
						   sizeof(records) / sizeof(records[0]), &count);
		for (size_t i = 0; i < count; i++) {
			graph->failed = object_notes_add(&graph->notes, reader, &records[i]);
			if (graph->failed != MPROF_OK)
				return graph->failed;
		}
	}
	return status == MPROF_END ? MPROF_OK : status;
}

/* Whether all of the snapshot that was chosen by its number has been read. */
static int has_all(const mprof_heap_graph *graph)
{
	return graph->wanted != 0 && graph->wanted <= graph->snapshots.count &&
	       graph->snapshots.records[graph->wanted - 1].is_ended;
}

/* A block that may belong to any snapshot could not be read: those that have not ended are incomplete. */
static void snapshot_list_note_damage(snapshot_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		list->records[i].is_incomplete |= !list->records[i].is_ended;
}

/* Reading a block failed. Unless it is of another kind, it may belong to any of the snapshots that have not ended. */
static void note_damage(mprof_heap_graph *graph, const mprof_block *block)
{
	if (block->kind != MPROF_BLOCK_HEAP_DATA && !block_has_heap_notes(block->kind) && block->loaded)
		return;
	graph->damaged_blocks += block->kind == MPROF_BLOCK_HEAP_DATA;
	snapshot_list_note_damage(&graph->snapshots);
	if (graph->failed == MPROF_OK)
		graph->failed = gathered_heap_interrupt(&graph->gathered);
}

/*
 * Reads up to the end. Returns #MPROF_AGAIN or #MPROF_ERR_INTERRUPTED if there may be more; otherwise the first error
 * of the log, or #MPROF_OK.
 */
static mprof_status read_blocks(mprof_heap_graph *graph, fault_report *report)
{
	mprof_status status;
	mprof_block block;

	do {
		if (has_all(graph))
			return report->first;
		memset(&block, 0, sizeof(block));
		mprof_block_init(&block, sizeof(block));
		status = mprof_reader_next_block(report->reader, &block);
		if (status == MPROF_AGAIN || status == MPROF_ERR_INTERRUPTED)
			return status;
		if (status == MPROF_END) {
			fault_report_end(report);
			return report->first;
		}
		/* Fetching the events of a truncated block returns the same error as loading it. */
		if ((status == MPROF_OK || fault_is_at_end(status, &block)) && block.loaded &&
		    block.kind == MPROF_BLOCK_HEAP_DATA)
			status = add_heap_block(graph, report->reader, &block);
		else if (status == MPROF_OK && block.loaded && block_has_heap_notes(block.kind))
			status = add_notes_block(graph, report->reader, &block);
		if (graph->failed == MPROF_OK && status != MPROF_OK)
			note_damage(graph, &block);
		if (graph->failed != MPROF_OK)
			return graph->failed;
	} while (status == MPROF_OK || fault_report_error(report));
	return report->first;
}

/* Snapshots whose end was not read are incomplete; and their times are known now as well as they can be. */
static void finish_snapshots(mprof_heap_graph *graph, const mprof_reader *reader)
{
	for (size_t i = 0; i < graph->snapshots.count; i++) {
		snapshot_record *record = &graph->snapshots.records[i];

		record->is_incomplete |= !record->is_ended;
		(void)mprof_reader_get_time(reader, record->counter, &record->time_ns);
	}
}

/*
 * Makes the graph of what was gathered. Returns #MPROF_OK; #MPROF_ERR_INTERRUPTED; #MPROF_ERR_LIMIT;
 * #MPROF_ERR_MEMORY.
 */
static mprof_status link_gathered(mprof_heap_graph *graph)
{
	mprof_status status = gathered_heap_interrupt(&graph->gathered);
	snapshot_record *record;
	progress going;

	if (status != MPROF_OK || graph->gathered_for == SNAPSHOT_NONE)
		return status;
	record = &graph->snapshots.records[graph->gathered_for];
	record->orphan_references = graph->gathered.orphan_references;
	record->is_incomplete |= record->orphan_references != 0;
	progress_init(&going, graph->progress, graph->progress_user,
		      object_graph_steps(&graph->linked, &graph->gathered));
	if (!progress_begin(&going, going.total) || !object_graph_link(&graph->linked, &graph->gathered, &going))
		return progress_status(&going, memory_budget_status(&graph->budget));
	if (!object_notes_link(&graph->notes, &graph->linked))
		return memory_budget_status(&graph->budget);
	graph->objects = graph->linked;
	object_graph_init(&graph->linked, &graph->budget.allocator);
	return MPROF_OK;
}

/* Reading has ended. */
static void end_reading(mprof_heap_graph *graph, const mprof_reader *reader, mprof_status status)
{
	if (graph->failed == MPROF_OK && status == MPROF_ERR_MEMORY)
		graph->failed = MPROF_ERR_MEMORY;
	finish_snapshots(graph, reader);
}

mprof_status mprof_heap_graph_read(mprof_heap_graph *graph, mprof_reader *reader, mprof_damage_function damage,
				   void *user)
{
	fault_report report = {reader, damage, user, MPROF_OK};
	mprof_status status;

	if (graph == NULL || reader == NULL)
		return MPROF_ERR_ARGUMENT;
	if (graph->failed != MPROF_OK)
		return graph->failed;
	if (graph->is_read)
		return MPROF_ERR_STATE;
	report.first = graph->first_fault;
	status = graph->is_linking ? graph->first_fault : read_blocks(graph, &report);
	graph->first_fault = report.first;
	if (status == MPROF_AGAIN || status == MPROF_ERR_INTERRUPTED)
		return status;
	if (!graph->is_linking)
		end_reading(graph, reader, status);
	if (graph->failed == MPROF_OK) {
		const mprof_status linked = link_gathered(graph);

		graph->is_linking = linked == MPROF_ERR_INTERRUPTED;
		if (graph->is_linking)
			return linked;
		graph->failed = linked;
	}
	graph->is_read = 1;
	object_graph_destroy(&graph->linked);
	gathered_heap_destroy(&graph->gathered);
	return graph->failed != MPROF_OK ? graph->failed : status;
}

/*
 * Finds shortest paths from roots by a breadth-first search. The queue shows which objects come next, so what they and
 * their references lead to is prefetched.
 */
