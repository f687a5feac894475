/* SPDX-License-Identifier: MIT */
/* Graphs of the objects of a heap snapshot. */
#include "base/elements.h"
#include "base/options.h"
#include "heap/dominators.h"
#include "heap/graph_internal.h"
#include "reader/reader.h"

/* A search from the roots that does not visit the objects of a set. */
typedef struct set_search {
	const object_graph *graph;
	uint64_t *visited; /**< A bit for each object; those of the set count as visited. */
	uint32_t *queue;
	size_t count; /**< Objects that were put into the queue. */
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
	int is_made =
		search.visited != NULL && search.queue != NULL && progress_begin(going, retained_set_steps(graph));

	*bytes = 0;
	if (is_made) {
		for (size_t i = 0; i < count; i++)
			(void)mark_visited(&search, objects[i]);
		visit_all(&search);
		*bytes = sum_dead(&search, found, objects, count);
		is_made = progress_end(going);
		if (!is_made)
			*bytes = 0;
	}
	allocator_release(graph->allocator, search.visited, visited_size);
	allocator_release(graph->allocator, search.queue, queue_size);
	return is_made;
}

#define DEFAULT_MAX_MEMORY (UINT64_C(4) << 30)

void mprof_heap_graph_options_init(mprof_heap_graph_options *options, size_t struct_size)
{
	struct_init(options, struct_size);
}

mprof_status mprof_heap_graph_create(const mprof_heap_graph_options *options, mprof_heap_graph **graph)
{
	mprof_heap_graph_options own;
	mprof_allocator allocator;
	mprof_heap_graph *made;

	if (graph == NULL)
		return MPROF_ERR_ARGUMENT;
	*graph = NULL;
	if (struct_copy_in(&own, options, sizeof(own)) != MPROF_OK || own.list_only > 1 ||
	    (own.list_only && own.snapshot != 0) || !allocator_init(&allocator, own.allocator))
		return MPROF_ERR_ARGUMENT;
	made = allocator_allocate_zeroed(&allocator, sizeof(*made));
	if (made == NULL)
		return MPROF_ERR_MEMORY;
	memory_budget_init(&made->budget, &allocator, own.max_memory != 0 ? own.max_memory : DEFAULT_MAX_MEMORY);
	made->wanted = own.snapshot;
	made->is_list_only = own.list_only != 0;
	made->gathered_for = SNAPSHOT_NONE;
	made->progress = own.progress;
	made->progress_user = own.progress_user;
	snapshot_list_init(&made->snapshots, &made->budget);
	gathered_heap_init(&made->gathered, &made->budget);
	object_graph_init(&made->linked, &made->budget.allocator);
	object_graph_init(&made->objects, &made->budget.allocator);
	*graph = made;
	return MPROF_OK;
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

static void fill_counts(mprof_heap_graph_totals *own, const mprof_heap_graph *graph)
{
	const object_graph *objects = &graph->objects;

	own->has_roots = objects->root_count != 0;
	own->has_offsets = objects->steps != NULL;
	own->objects = objects->object_count;
	own->bytes = objects->bytes;
	own->references = objects->reference_count;
	own->classes = objects->class_count;
	own->roots = objects->root_count;
	for (size_t i = 0; i < objects->root_count; i++)
		own->roots_by_kind[objects->roots[i].kind]++;
	own->missing_references = objects->missing_references;
	own->missing_roots = objects->missing_roots;
	own->repeated_objects = objects->repeated_objects;
	own->has_dominators = graph->dominators.dominators != NULL;
	own->has_paths = graph->paths.references != NULL;
	own->has_referrers = graph->referrers.first != NULL;
	own->reachable_objects =
		own->has_dominators ? graph->dominators.reachable_objects : graph->paths.reachable_objects;
	own->reachable_bytes = own->has_dominators ? graph->dominators.reachable_bytes : graph->paths.reachable_bytes;
}

mprof_status mprof_heap_graph_get_totals(const mprof_heap_graph *graph, mprof_heap_graph_totals *totals)
{
	mprof_heap_graph_totals own;

	if (graph == NULL)
		return MPROF_ERR_ARGUMENT;
	memset(&own, 0, sizeof(own));
	if (graph->is_read && graph->gathered_for != SNAPSHOT_NONE) {
		const snapshot_record *record = &graph->snapshots.records[graph->gathered_for];

		own.snapshot = (uint32_t)graph->gathered_for + 1;
		own.number = record->number;
		own.time_ns = record->time_ns;
		own.incomplete = record->is_incomplete;
		own.orphan_references = record->orphan_references;
		fill_counts(&own, graph);
	}
	own.limited = graph->failed == MPROF_ERR_LIMIT;
	own.damaged_blocks = graph->damaged_blocks;
	own.used_memory = graph->budget.used;
	return struct_copy_out(totals, &own, sizeof(own));
}

size_t mprof_heap_graph_get_snapshot_count(const mprof_heap_graph *graph)
{
	return graph != NULL ? graph->snapshots.count : 0;
}

mprof_status mprof_heap_graph_get_snapshot(const mprof_heap_graph *graph, size_t index, mprof_heap_snapshot *snapshot)
{
	const snapshot_record *record;
	mprof_heap_snapshot own;

	if (graph == NULL || index >= graph->snapshots.count)
		return MPROF_ERR_ARGUMENT;
	record = &graph->snapshots.records[index];
	memset(&own, 0, sizeof(own));
	own.number = record->number;
	own.incomplete = record->is_incomplete || !record->is_ended;
	own.time_ns = record->time_ns;
	own.objects = record->objects;
	own.bytes = record->bytes;
	own.references = record->references;
	own.roots = record->roots;
	return struct_copy_out(snapshot, &own, sizeof(own));
}

size_t mprof_heap_graph_get_class_count(const mprof_heap_graph *graph)
{
	return graph != NULL ? graph->objects.class_count : 0;
}

mprof_status mprof_heap_graph_get_class(const mprof_heap_graph *graph, size_t index, mprof_heap_class *stats)
{
	const object_class *record;
	mprof_heap_class own;

	if (graph == NULL || index >= graph->objects.class_count)
		return MPROF_ERR_ARGUMENT;
	record = &graph->objects.class_table[index];
	memset(&own, 0, sizeof(own));
	own.class_id = record->class_id;
	own.objects = record->objects;
	own.bytes = record->bytes;
	own.reachable_objects = record->reachable_objects;
	own.reachable_bytes = record->reachable_bytes;
	own.retained_bytes = record->retained_bytes;
	return struct_copy_out(stats, &own, sizeof(own));
}

static void fill_analysis(mprof_heap_object *own, const mprof_heap_graph *graph, uint32_t object)
{
	own->dominator = MPROF_HEAP_NO_OBJECT;
	if (graph->paths.references != NULL)
		own->is_reachable = graph->paths.references[object] != ROOT_PATHS_UNREACHABLE;
	if (graph->dominators.dominators != NULL) {
		own->is_reachable = graph->dominators.dominators[object] != DOMINATOR_UNREACHABLE;
		own->retained_bytes = graph->dominators.retained[object];
		if (own->is_reachable)
			own->dominator = graph->dominators.dominators[object];
	}
	if (graph->referrers.first != NULL)
		own->referrers = graph->referrers.first[object + 1] - graph->referrers.first[object];
}

mprof_status mprof_heap_graph_get_object(const mprof_heap_graph *graph, uint32_t object, mprof_heap_object *stats)
{
	const object_graph *objects;
	mprof_heap_object own;

	if (graph == NULL || object >= graph->objects.object_count)
		return MPROF_ERR_ARGUMENT;
	objects = &graph->objects;
	memset(&own, 0, sizeof(own));
	own.address = address_set_get(&objects->addresses, object);
	own.bytes = object_graph_size(objects, object);
	own.class_index = objects->classes[object];
	own.class_id = objects->class_table[own.class_index].class_id;
	own.is_root = object_graph_root(objects, object) != NULL;
	own.references = objects->first[object + 1] - objects->first[object];
	fill_analysis(&own, graph, object);
	return struct_copy_out(stats, &own, sizeof(own));
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
	mprof_heap_root own;

	if (graph == NULL || index >= graph->objects.root_count)
		return MPROF_ERR_ARGUMENT;
	memset(&own, 0, sizeof(own));
	own.object = graph->objects.roots[index].object;
	own.kind = graph->objects.roots[index].kind;
	own.area = graph->objects.roots[index].area;
	return struct_copy_out(root, &own, sizeof(own));
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
		mprof_heap_reference own = {objects->targets[reference], 0, 0};

		own.has_offset = (uint32_t)object_graph_offset(objects, object, reference, &own.offset);
		element_put(references, reference_size, *count, &own, sizeof(own));
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
		mprof_heap_reference own = {object_graph_owner(&graph->objects, list[*count]), 0, 0};

		own.has_offset = (uint32_t)object_graph_offset(&graph->objects, own.object, list[*count], &own.offset);
		element_put(references, reference_size, *count, &own, sizeof(own));
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

/* Stores the steps of a path, from the object to the root, and returns the object of the root. */
static uint32_t fill_steps(const mprof_heap_graph *graph, uint32_t object, mprof_heap_step *steps, size_t step_size,
			   size_t capacity, size_t length)
{
	const uint32_t *dominators = graph->dominators.dominators;
	uint32_t dominator = dominators != NULL ? object : DOMINATOR_ROOTS;
	uint32_t reference = ROOT_PATHS_ROOT;

	/* All dominators of the object are on the path, in the same order. */
	for (size_t i = length; i > 0; i--) {
		mprof_heap_step own = {object, object == dominator, 0, 0, 0};

		if (own.is_dominator)
			dominator = dominators[object];
		if (reference != ROOT_PATHS_ROOT)
			own.has_offset = (uint32_t)object_graph_offset(&graph->objects, object, reference, &own.offset);
		if (i <= capacity)
			element_put(steps, step_size, i - 1, &own, sizeof(own));
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
	mprof_heap_root own;

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
	memset(&own, 0, sizeof(own));
	own.object = fill_steps(graph, object, steps, step_size, capacity, *count);
	found = object_graph_root(&graph->objects, own.object);
	own.kind = found != NULL ? found->kind : MPROF_ROOT_OTHER;
	own.area = found != NULL ? found->area : 0;
	return struct_copy_out(root, &own, sizeof(own));
}

mprof_status mprof_heap_graph_get_parent(const mprof_heap_graph *graph, uint32_t object,
					 mprof_heap_reference *reference, size_t reference_size)
{
	mprof_heap_reference own = {MPROF_HEAP_NO_OBJECT, 0, 0};
	uint32_t last;

	if (graph == NULL || reference == NULL || reference_size < SIZE_UP_TO(mprof_heap_reference, offset) ||
	    object >= graph->objects.object_count)
		return MPROF_ERR_ARGUMENT;
	if (graph->paths.references == NULL)
		return MPROF_ERR_STATE;
	last = graph->paths.references[object];
	if (last != ROOT_PATHS_ROOT && last != ROOT_PATHS_UNREACHABLE) {
		own.object = object_graph_owner(&graph->objects, last);
		own.has_offset = (uint32_t)object_graph_offset(&graph->objects, own.object, last, &own.offset);
	}
	element_put(reference, reference_size, 0, &own, sizeof(own));
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
		if (graph->gathered_for != index)
			gathered_heap_destroy(&graph->gathered);
		graph->gathered_for = index;
	}
	return graph->gathered_for == index;
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

/* Whether all of the snapshot that was chosen by its number has been read. */
static int has_all(const mprof_heap_graph *graph)
{
	return graph->wanted != 0 && graph->wanted <= graph->snapshots.count &&
	       graph->snapshots.records[graph->wanted - 1].is_ended;
}

/* Reading a block failed. Unless it is of another kind, it may belong to any of the snapshots that have not ended. */
static void note_damage(mprof_heap_graph *graph, const mprof_block *block)
{
	if (block->kind != MPROF_BLOCK_HEAP_DATA && block->loaded)
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
