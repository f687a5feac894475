/* SPDX-License-Identifier: MIT */
/* Compares the shapes of objects of two snapshots. */
#include "heap/shape_search.h"

#include "base/allocator.h"
#include "base/sort.h"

static uint64_t hash_name(const name_pool *pool, const char *text, uint64_t scope)
{
	return hash_key(hash_mix_text(pool->index.seed, text), scope);
}

static uint64_t name_slot_hash(const void *owner, const void *slot)
{
	const name_pool *pool = owner;
	const pooled_name *name = &pool->names[*(const uint32_t *)slot - 1];

	return hash_name(pool, name->text, name->scope);
}

static int name_slot_matches(const void *owner, const void *slot, const void *key)
{
	const pooled_name *wanted = key;
	uint32_t position = *(const uint32_t *)slot;
	const pooled_name *name;

	if (position == 0)
		return 0;
	name = &((const name_pool *)owner)->names[position - 1];
	return name->scope == wanted->scope && strcmp(name->text, wanted->text) == 0;
}

static const hash_index_type name_slots = {
	.size = sizeof(uint32_t),
	.first_capacity = 64,
	.used_eighths = 4,
	.is_used = hash_index_has_position,
	.hash = name_slot_hash,
};

void name_pool_init(name_pool *pool, const mprof_allocator *allocator)
{
	memset(pool, 0, sizeof(*pool));
	hash_index_init(&pool->index, allocator);
}

void name_pool_destroy(name_pool *pool)
{
	const mprof_allocator *allocator = &pool->index.allocator;

	for (size_t i = 0; i < pool->count; i++)
		allocator_release(allocator, pool->names[i].text, strlen(pool->names[i].text) + 1);
	allocator_release(allocator, pool->names, pool->capacity * sizeof(*pool->names));
	hash_index_destroy(&pool->index, &name_slots);
}

void name_pool_truncate(name_pool *pool, size_t count)
{
	while (pool->count > count) {
		pooled_name *name = &pool->names[pool->count - 1];
		void *slot = hash_index_find(&pool->index, &name_slots, hash_name(pool, name->text, name->scope),
					     name_slot_matches, pool, name);

		hash_index_remove(&pool->index, &name_slots, pool, slot);
		allocator_release(&pool->index.allocator, name->text, strlen(name->text) + 1);
		pool->count--;
	}
}

static int add_name(name_pool *pool, const char *text, uint64_t scope)
{
	size_t length = strlen(text);
	void *names = pool->names;
	char *copy;

	if (!hash_index_reserve(&pool->index, &name_slots, pool))
		return 0;
	if (pool->count == UINT32_MAX - 1 ||
	    !array_reserve(&pool->index.allocator, &names, &pool->capacity, pool->count + 1, sizeof(*pool->names)))
		return 0;
	pool->names = names;
	copy = allocator_allocate(&pool->index.allocator, length + 1);
	if (copy == NULL)
		return 0;
	memcpy(copy, text, length + 1);
	pool->names[pool->count].text = copy;
	pool->names[pool->count].scope = scope;
	*(uint32_t *)hash_index_take_slot(&pool->index, &name_slots, hash_name(pool, text, scope)) =
		(uint32_t)++pool->count;
	return 1;
}

int name_pool_put(name_pool *pool, const char *text, uint64_t scope, uint32_t *number)
{
	pooled_name key = {(char *)text, scope};
	const uint32_t *slot =
		hash_index_find(&pool->index, &name_slots, hash_name(pool, text, scope), name_slot_matches, pool, &key);

	*number = slot != NULL ? *slot - 1 : (uint32_t)pool->count;
	return slot != NULL || add_name(pool, text, scope);
}

/*
 * This bit of a shape's number marks an object whose path continues the shape in a way that exceeds a limit. Paths that
 * lead on from there stay at the same shape.
 */
#define SHAPE_INEXACT (UINT32_C(1) << 31)

/* Steps that lead back are not limited by the number of shapes; this many for each shape are. */
#define STEPS_FOR_EACH_SHAPE 4

static uint64_t hash_step(const shape_table *table, const shape_step *step)
{
	uint64_t hash = hash_mix(table->index.seed, (uint64_t)step->parent << 32 | step->name);

	return hash_key(hash, (uint64_t)step->root_kind << 32 | step->class_index);
}

static uint64_t slot_hash(const void *owner, const void *slot)
{
	const shape_table *table = owner;

	return hash_step(table, &table->steps[*(const uint32_t *)slot - 1]);
}

static int slot_matches(const void *owner, const void *slot, const void *key)
{
	const shape_step *wanted = key;
	uint32_t position = *(const uint32_t *)slot;
	const shape_step *step;

	if (position == 0)
		return 0;
	step = &((const shape_table *)owner)->steps[position - 1];
	return step->parent == wanted->parent && step->name == wanted->name &&
	       step->class_index == wanted->class_index && step->root_kind == wanted->root_kind;
}

static const hash_index_type step_slots = {
	.size = sizeof(uint32_t),
	.first_capacity = 256,
	.used_eighths = 4,
	.is_used = hash_index_has_position,
	.hash = slot_hash,
};

void shape_table_init(shape_table *table, const mprof_allocator *allocator, uint32_t max_shapes, uint32_t max_depth)
{
	memset(table, 0, sizeof(*table));
	hash_index_init(&table->index, allocator);
	table->max_shapes = max_shapes;
	table->max_depth = max_depth;
}

void shape_table_destroy(shape_table *table)
{
	allocator_release(&table->index.allocator, table->steps, table->step_capacity * sizeof(*table->steps));
	allocator_release(&table->index.allocator, table->shapes, table->capacity * sizeof(*table->shapes));
	hash_index_destroy(&table->index, &step_slots);
}

shape_table_size shape_table_get_size(const shape_table *table)
{
	return (shape_table_size){table->step_count, table->count};
}

/* Whether a step leads back to the shape where its class occurred before. */
static int leads_back(const shape_step *step)
{
	return step->parent != SHAPE_NONE && step->shape <= step->parent;
}

/* Marks the shapes that the remaining steps lead back to, and no others. */
static void mark_recursive(shape_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		table->shapes[i].is_recursive = 0;
	for (size_t i = 0; i < table->step_count; i++) {
		if (leads_back(&table->steps[i]))
			table->shapes[table->steps[i].shape].is_recursive = 1;
	}
}

void shape_table_truncate(shape_table *table, const shape_table_size *size)
{
	while (table->step_count > size->steps) {
		const shape_step *step = &table->steps[table->step_count - 1];
		void *slot =
			hash_index_find(&table->index, &step_slots, hash_step(table, step), slot_matches, table, step);

		hash_index_remove(&table->index, &step_slots, table, slot);
		table->step_count--;
	}
	table->count = size->shapes;
	mark_recursive(table);
}

/* Makes room for another step and another shape. */
static int reserve_step(shape_table *table)
{
	const mprof_allocator *allocator = &table->index.allocator;
	void *steps = table->steps;
	void *shapes = table->shapes;
	int is_reserved =
		array_reserve(allocator, &steps, &table->step_capacity, table->step_count + 1, sizeof(*table->steps));

	table->steps = steps;
	is_reserved = is_reserved &&
		      array_reserve(allocator, &shapes, &table->capacity, table->count + 1, sizeof(*table->shapes));
	table->shapes = shapes;
	return is_reserved && hash_index_reserve(&table->index, &step_slots, table);
}

/* The shape of a class among a shape and those that it continues, or SHAPE_NONE. */
static uint32_t find_ancestor(const shape_table *table, uint32_t shape, uint32_t class_index)
{
	while (shape != SHAPE_NONE && table->shapes[shape].class_index != class_index)
		shape = table->shapes[shape].parent;
	return shape;
}

static uint32_t add_shape(shape_table *table, const shape_step *step)
{
	path_shape *shape = &table->shapes[table->count];
	const path_shape *parent = step->parent != SHAPE_NONE ? &table->shapes[step->parent] : NULL;

	memset(shape, 0, sizeof(*shape));
	shape->parent = step->parent;
	shape->name = step->name;
	shape->class_index = step->class_index;
	shape->depth = parent != NULL ? parent->depth + 1 : 1;
	shape->root_kind = parent != NULL ? parent->root_kind : (uint8_t)step->root_kind;
	return (uint32_t)table->count++;
}

static void add_step(shape_table *table, const shape_step *step)
{
	table->steps[table->step_count] = *step;
	*(uint32_t *)hash_index_take_slot(&table->index, &step_slots, hash_step(table, step)) =
		(uint32_t)++table->step_count;
}

/*
 * Finds or adds the shape of an object that a root refers to, regardless of the limit. Returns 0, changing nothing, if
 * there is no memory.
 */
static int shape_table_put_root(shape_table *table, uint32_t kind, uint32_t name, uint32_t class_index, uint32_t *shape)
{
	shape_step step = {SHAPE_NONE, name, class_index, kind, SHAPE_NONE};
	const uint32_t *slot =
		hash_index_find(&table->index, &step_slots, hash_step(table, &step), slot_matches, table, &step);

	if (slot != NULL) {
		*shape = table->steps[*slot - 1].shape;
		return 1;
	}
	if (table->count >= SHAPE_INEXACT - 1 || !reserve_step(table))
		return 0;
	step.shape = add_shape(table, &step);
	add_step(table, &step);
	*shape = step.shape;
	return 1;
}

/*
 * Finds or adds the shape of an object that an object of another shape refers to. shape can be the parent with
 * SHAPE_INEXACT. Returns 0, changing nothing, if there is no memory.
 */
static int shape_table_put_child(shape_table *table, uint32_t parent, uint32_t name, uint32_t class_index,
				 uint32_t *shape)
{
	shape_step step = {parent, name, class_index, 0, SHAPE_NONE};
	const uint32_t *slot;

	*shape = parent;
	if ((parent & SHAPE_INEXACT) != 0)
		return 1;
	slot = hash_index_find(&table->index, &step_slots, hash_step(table, &step), slot_matches, table, &step);
	if (slot != NULL) {
		*shape = table->steps[*slot - 1].shape;
		return 1;
	}
	step.shape = find_ancestor(table, parent, class_index);
	*shape = parent | SHAPE_INEXACT;
	if (table->step_count / STEPS_FOR_EACH_SHAPE >= table->max_shapes)
		return 1;
	if (step.shape == SHAPE_NONE &&
	    (table->count >= table->max_shapes || table->shapes[parent].depth >= table->max_depth))
		return 1;
	if (!reserve_step(table))
		return 0;
	if (step.shape == SHAPE_NONE)
		step.shape = add_shape(table, &step);
	else
		table->shapes[step.shape].is_recursive = 1;
	add_step(table, &step);
	*shape = step.shape;
	return 1;
}

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
