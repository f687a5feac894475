/* SPDX-License-Identifier: MIT */
/* Finds path shapes by a breadth-first search from the roots. */
#include "heap/shape_search.h"

#include "base/sort.h"

/* Objects of a class usually have the same shapes, so the latest steps are looked up here first. A power of two. */
#define CACHE_ENTRIES 16384
#define CACHE_BITS 14

/* How many objects further back in the queue data are prefetched, in three stages, and references of each. */
#define PREFETCH_DISTANCE ((size_t)8)
#define PREFETCHED_TARGETS 8

/* A step from a shape to the shape of a reference's object. */
typedef struct cached_step {
	uint64_t field;       /* As field_key() returns it. */
	uint32_t parent;      /* Shape + 1; 0 in an unused entry. */
	uint32_t owner_class; /* Of the graph, as the next one. */
	uint32_t target_class;
	uint32_t shape;
} cached_step;

/* A root of an object, in the order in which the search starts from them. */
typedef struct ordered_root {
	uint32_t object;
	uint32_t kind;
	uint32_t rank;
	uint32_t name; /* Number of the name. */
} ordered_root;

typedef struct shape_search {
	const object_graph *graph;
	const mprof_reader *reader;
	const shape_names *names;
	const mprof_allocator *allocator;
	shape_sums *sums;
	uint32_t *shapes; /* By object; SHAPE_NONE if it was not found yet. */
	uint32_t *queue;
	uint32_t queued_count;
	uint32_t visited_count;
	uint32_t *strides; /* By class of the graph: the size of an array's elements, 0 if it is not known. */
	cached_step *cache;
	ordered_root *roots;
	progress *going;
} shape_search;

/*
 * Stacks come after everything else: a local variable refers to an object only for a while, and the object would then
 * change its shape.
 */
static uint32_t root_phase(uint32_t kind)
{
	if (kind == MPROF_ROOT_FINALIZER)
		return 2;
	return kind == MPROF_ROOT_STACK ? 1 : 0;
}

static int compare_roots(const void *first, const void *second)
{
	const ordered_root *a = first;
	const ordered_root *b = second;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->name != b->name)
		return a->name < b->name ? -1 : 1;
	return (a->object > b->object) - (a->object < b->object);
}

/*
 * The name of a root: that of its area, or of the class whose static fields the area contains. The areas of stacks have
 * the names of threads, which are not the same in each run.
 */
static int put_root_name(const shape_search *search, const object_root *root, uint32_t *name)
{
	const char *text = "";
	mprof_mapping mapping;
	mprof_record record;

	if (root->kind != MPROF_ROOT_STACK && root->area != 0 &&
	    mprof_reader_lookup_record(search->reader, MPROF_RECORD_ROOT, root->area, &record, sizeof(record)) ==
		    MPROF_OK) {
		text = record.as.root.name;
		if (text[0] == '\0' && mprof_reader_lookup_class(search->reader, record.as.root.class_id, &mapping,
								 sizeof(mapping)) == MPROF_OK)
			text = mapping.name;
	}
	return name_pool_put(search->names->names, text, 0, name);
}

static int order_roots(shape_search *search)
{
	const object_graph *graph = search->graph;

	for (size_t i = 0; i < graph->root_count; i++) {
		ordered_root *ordered = &search->roots[i];
		const object_root *root = &graph->roots[i];

		if (!progress_step(search->going))
			return 0;
		ordered->object = root->object;
		ordered->kind = root->kind;
		ordered->rank = root_phase(root->kind) << 8 | root_rank(root->kind);
		if (!put_root_name(search, root, &ordered->name))
			return 0;
	}
	sort_in_place(search->roots, graph->root_count, sizeof(*search->roots), compare_roots);
	return 1;
}

/* Notes the shape of an object that was found. Its size is added later, in the order of the objects. */
static void reach(shape_search *search, uint32_t object, uint32_t shape)
{
	search->shapes[object] = shape;
	search->queue[search->queued_count++] = object;
}

static int reach_root(shape_search *search, const ordered_root *root)
{
	uint32_t class_name = search->names->classes[search->graph->classes[root->object]];
	uint32_t shape;

	if (search->shapes[root->object] != SHAPE_NONE)
		return 1;
	if (!shape_table_put_root(search->names->shapes, root->kind, root->name, class_name, &shape))
		return 0;
	reach(search, root->object, shape);
	return 1;
}

/* The key of a field: all its references have it, in an array those of the same field of all elements. */
static uint64_t field_key(const shape_search *search, uint32_t owner, uint32_t reference)
{
	uint32_t stride = search->strides[search->graph->classes[owner]];
	uint64_t offset;

	if (!object_graph_offset(search->graph, owner, reference, &offset))
		return UINT64_MAX;
	return stride != 0 ? offset % stride : offset;
}

/* Finds the name of the field with a reference of an object. */
static int put_field_name(shape_search *search, uint32_t owner, uint32_t reference, uint32_t *name)
{
	uint32_t owner_class = search->graph->classes[owner];
	const char *text = "";
	mprof_record record;
	uint64_t offset;
	uint64_t element;

	if (object_graph_offset(search->graph, owner, reference, &offset) &&
	    mprof_reader_lookup_field(search->reader, search->graph->class_table[owner_class].class_id, offset, &record,
				      sizeof(record), &element) == MPROF_OK) {
		text = record.as.field.name;
		search->strides[owner_class] = record.as.field.stride;
	}
	return name_pool_put(search->names->names, text, 0, name);
}

/* The entry of the cache for a step. */
static cached_step *cache_entry(const shape_search *search, const cached_step *step)
{
	uint64_t hash = hash_mix(step->field, (uint64_t)step->parent << 32 | step->target_class);

	return &search->cache[hash_address(hash) >> (64 - CACHE_BITS)];
}

static int find_shape(shape_search *search, uint32_t owner, uint32_t reference, uint32_t *shape)
{
	const object_graph *graph = search->graph;
	uint32_t target_class = graph->classes[graph->targets[reference]];
	cached_step step = {field_key(search, owner, reference), search->shapes[owner] + 1, graph->classes[owner],
			    target_class, 0};
	cached_step *entry = cache_entry(search, &step);
	uint32_t name;

	if (entry->parent != step.parent || entry->field != step.field || entry->owner_class != step.owner_class ||
	    entry->target_class != step.target_class) {
		if (!put_field_name(search, owner, reference, &name) ||
		    !shape_table_put_child(search->names->shapes, search->shapes[owner], name,
					   search->names->classes[target_class], &step.shape))
			return 0;
		/* The first element of an array gives the class its stride, and with it another key. */
		step.field = field_key(search, owner, reference);
		entry = cache_entry(search, &step);
		*entry = step;
	}
	*shape = entry->shape;
	return 1;
}

static int reach_targets(shape_search *search, uint32_t owner)
{
	const object_graph *graph = search->graph;
	uint32_t end = graph->first[owner + 1];

	for (uint32_t i = graph->first[owner]; i < end; i++) {
		uint32_t target = graph->targets[i];
		uint32_t shape;

		if (!progress_step(search->going))
			return 0;
		if (target == OBJECT_NONE || search->shapes[target] != SHAPE_NONE)
			continue;
		if ((search->shapes[owner] & SHAPE_INEXACT) != 0)
			shape = search->shapes[owner];
		else if (!find_shape(search, owner, i, &shape))
			return 0;
		reach(search, target, shape);
	}
	return 1;
}

/*
 * Prefetches what the visit of objects further back in the queue will read: first where their references are, then the
 * references, then the shapes of the objects that these lead to.
 */
static void prefetch_queued(const shape_search *search)
{
	const object_graph *graph = search->graph;
	const uint32_t *queue = search->queue + search->visited_count;
	uint32_t first;
	uint32_t end;

	if (search->queued_count - search->visited_count <= 3 * PREFETCH_DISTANCE)
		return;
	first = graph->first[queue[PREFETCH_DISTANCE]];
	end = graph->first[queue[PREFETCH_DISTANCE] + 1];
	__builtin_prefetch(&graph->first[queue[3 * PREFETCH_DISTANCE]]);
	__builtin_prefetch(&graph->targets[graph->first[queue[2 * PREFETCH_DISTANCE]]]);
	for (uint32_t i = first; i < end && i < first + PREFETCHED_TARGETS; i++) {
		if (graph->targets[i] != OBJECT_NONE)
			__builtin_prefetch(&search->shapes[graph->targets[i]]);
	}
}

/* Visits the objects in the queue, and what they add to it. */
static int visit_queued(shape_search *search)
{
	while (search->visited_count < search->queued_count) {
		prefetch_queued(search);
		if (!progress_step(search->going) || !reach_targets(search, search->queue[search->visited_count++]))
			return 0;
	}
	return 1;
}

/* All objects of a phase are found before the roots of the next phase are looked at. */
static int search_all(shape_search *search)
{
	size_t count = search->graph->root_count;

	for (size_t i = 0; i < count; i++) {
		if (i > 0 && search->roots[i].rank >> 8 != search->roots[i - 1].rank >> 8 && !visit_queued(search))
			return 0;
		if (!reach_root(search, &search->roots[i]))
			return 0;
	}
	return visit_queued(search);
}

/* Adds up the objects of each shape. */
static int sum_objects(shape_search *search)
{
	const object_graph *graph = search->graph;
	shape_sums *sums = search->sums;
	size_t count = search->names->shapes->count;

	sums->sums = allocator_allocate_zeroed(search->allocator, (count + 1) * sizeof(*sums->sums));
	if (sums->sums == NULL)
		return 0;
	sums->count = count;
	for (uint32_t object = 0; object < graph->object_count; object++) {
		uint32_t shape = search->shapes[object];
		shape_sum *sum;

		if (!progress_step(search->going))
			return 0;
		if (shape == SHAPE_NONE)
			continue;
		sum = &sums->sums[shape & ~SHAPE_INEXACT];
		if (sum->objects++ == 0)
			sum->example = address_set_get(&graph->addresses, object);
		sum->bytes = shape_add_bytes(sum->bytes, object_graph_size(graph, object));
		sums->inexact_objects += (shape & SHAPE_INEXACT) != 0;
	}
	sums->reachable_objects = search->queued_count;
	return 1;
}

/* Parents come before their children, so one pass from the end adds up what each shape holds. */
static void sum_held(shape_search *search)
{
	shape_sums *sums = search->sums;

	for (size_t i = 0; i < sums->count; i++) {
		sums->reachable_bytes = shape_add_bytes(sums->reachable_bytes, sums->sums[i].bytes);
		sums->sums[i].held_objects = sums->sums[i].objects;
		sums->sums[i].held_bytes = sums->sums[i].bytes;
	}
	for (size_t i = sums->count; i > 0; i--) {
		uint32_t parent = search->names->shapes->shapes[i - 1].parent;

		if (parent == SHAPE_NONE)
			continue;
		sums->sums[parent].held_objects += sums->sums[i - 1].held_objects;
		sums->sums[parent].held_bytes =
			shape_add_bytes(sums->sums[parent].held_bytes, sums->sums[i - 1].held_bytes);
	}
}

/* Allocates what the search needs. Returns 0 if there is no memory. */
static int prepare(shape_search *search)
{
	size_t objects = search->graph->object_count;

	search->shapes = allocator_allocate(search->allocator, (objects + 1) * sizeof(*search->shapes));
	search->queue = allocator_allocate(search->allocator, (objects + 1) * sizeof(*search->queue));
	search->roots = allocator_allocate(search->allocator, (search->graph->root_count + 1) * sizeof(*search->roots));
	search->strides = allocator_allocate_zeroed(search->allocator,
						    (search->graph->class_count + 1) * sizeof(*search->strides));
	search->cache = allocator_allocate_zeroed(search->allocator, CACHE_ENTRIES * sizeof(*search->cache));
	if (search->shapes == NULL || search->queue == NULL || search->roots == NULL || search->strides == NULL ||
	    search->cache == NULL)
		return 0;
	memset(search->shapes, 0xff, objects * sizeof(*search->shapes));
	return order_roots(search);
}

static void release(const shape_search *search)
{
	size_t objects = search->graph->object_count;

	allocator_release(search->allocator, search->shapes, (objects + 1) * sizeof(*search->shapes));
	allocator_release(search->allocator, search->queue, (objects + 1) * sizeof(*search->queue));
	allocator_release(search->allocator, search->roots, (search->graph->root_count + 1) * sizeof(*search->roots));
	allocator_release(search->allocator, search->strides,
			  (search->graph->class_count + 1) * sizeof(*search->strides));
	allocator_release(search->allocator, search->cache, CACHE_ENTRIES * sizeof(*search->cache));
}

uint64_t shape_search_steps(const object_graph *graph)
{
	return 2 * (uint64_t)graph->object_count + graph->reference_count + graph->root_count;
}

int shape_search_run(const object_graph *graph, const mprof_reader *reader, const shape_names *names, progress *going,
		     shape_sums *sums)
{
	shape_search search = {.graph = graph,
			       .reader = reader,
			       .names = names,
			       .allocator = &names->names->index.allocator,
			       .sums = sums,
			       .going = going};
	int is_done = prepare(&search) && search_all(&search) && sum_objects(&search);

	if (is_done)
		sum_held(&search);
	release(&search);
	return is_done;
}

void shape_sums_release(shape_sums *sums, const mprof_allocator *allocator)
{
	allocator_release(allocator, sums->sums, (sums->count + 1) * sizeof(*sums->sums));
}
