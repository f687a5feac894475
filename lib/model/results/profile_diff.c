/* SPDX-License-Identifier: MIT */
/* Compares profiles. */
#include "base/allocator.h"
#include "base/caller_structs.h"
#include "base/memory_budget.h"
#include "base/progress.h"
#include "model/records/call_tree.h"
#include "model/results/diff_names.h"
#include "model/results/measured_rows.h"

#include <string.h>

/* A row of a table. */
typedef struct diff_source_row {
	uint32_t table; /* An mprof_profile_table. */
	diff_item item;
	const diff_item *frames; /* Call stack, the innermost first. */
	size_t frame_count;      /* 0 if the table has no call sites. */
	mprof_diff_values values;
} diff_source_row;

/* Called for each row. Returns 0 if there is no memory. */
typedef int (*diff_source_visit)(void *user, const diff_source_row *row);

/** Frames of one call site. */
typedef struct diff_source {
	const mprof_allocator *allocator;
	const mprof_profile *profile;
	const mprof_reader *reader;
	progress *going;
	diff_source_visit visit;
	void *user;
	mprof_stack_frame *stack;
	size_t stack_capacity;
	diff_item *frames;
	size_t frame_count;
	size_t frame_capacity;
} diff_source;

static int add_frame(diff_source *source, uint32_t kind, uint32_t id, uint32_t flags)
{
	void *frames = source->frames;

	if (!progress_step(source->going) || !array_reserve(source->allocator, &frames, &source->frame_capacity,
							    source->frame_count + 1, sizeof(*source->frames)))
		return 0;
	source->frames = frames;
	source->frames[source->frame_count++] = (diff_item){kind, id, flags};
	return 1;
}

static int read_stack(diff_source *source, uint32_t stack)
{
	void *larger = source->stack;
	size_t count = 0;

	if (mprof_reader_lookup_stack(source->reader, stack, source->stack, sizeof(*source->stack),
				      source->stack_capacity, &count) != MPROF_OK)
		return 1;
	if (count > source->stack_capacity) {
		if (!array_reserve(source->allocator, &larger, &source->stack_capacity, count, sizeof(*source->stack)))
			return 0;
		source->stack = larger;
		if (mprof_reader_lookup_stack(source->reader, stack, source->stack, sizeof(*source->stack),
					      source->stack_capacity, &count) != MPROF_OK)
			return 0;
	}
	for (size_t i = 0; i < count; i++) {
		const mprof_stack_frame *frame = &source->stack[i];

		if (!add_frame(source, frame->is_native ? MPROF_SAMPLE_LOCATION : MPROF_SAMPLE_METHOD, frame->id,
			       frame->is_compiling ? MPROF_EVENT_FLAG_COMPILING : 0))
			return 0;
	}
	return 1;
}

static int read_path(diff_source *source, uint32_t node)
{
	mprof_call_stats call = {.struct_size = sizeof(call)};

	while (node != MPROF_CALL_ROOT &&
	       mprof_profile_get_row(source->profile, MPROF_TABLE_CALLS, node, &call) == MPROF_OK) {
		if (!add_frame(source, MPROF_SAMPLE_METHOD, call.method, call.flags))
			return 0;
		node = call.parent;
	}
	return 1;
}

/* Reads the frames of a call site: of a call stack, a method, or a node of the call tree. */
static int read_site(diff_source *source, const measured_row *row)
{
	source->frame_count = 0;
	if (row->stack != 0)
		return read_stack(source, row->stack);
	if (row->caller != 0 && row->call == 0)
		return add_frame(source, MPROF_SAMPLE_METHOD, row->caller, 0);
	return read_path(source, row->call);
}

/* A table that is compared. */
typedef struct diff_table {
	uint32_t table;
	int has_sites;  /* Its rows have call sites; those without one are not compared. */
	int has_unused; /* Rows of which nothing was counted are compared, too. */
} diff_table;

static const diff_table compared[] = {
	{MPROF_TABLE_METHODS, 0, 0},  {MPROF_TABLE_CLASSES, 0, 0},          {MPROF_TABLE_SAMPLES, 0, 0},
	{MPROF_TABLE_MONITORS, 0, 1}, {MPROF_TABLE_ALLOCATION_SITES, 1, 1}, {MPROF_TABLE_MONITOR_SITES, 1, 1},
};

#define COMPARED (sizeof(compared) / sizeof(compared[0]))

/* Returns 0 if there is no memory. */
static int read_row(diff_source *source, const diff_table *table, const measured_row *row)
{
	const uint64_t count = row->values[MPROF_MEASURE_COUNT];
	const uint64_t self = row->values[MPROF_MEASURE_SELF];
	const uint64_t total = measured_row_value(row, table->table, MPROF_MEASURE_TOTAL, MPROF_MEASURE_SELF);
	diff_source_row visited = {
		.table = table->table, .item = {row->kind, row->id, 0}, .values = {count, self, total}};

	if (!table->has_unused && count == 0 && total == 0)
		return 1;
	if (table->has_sites && !read_site(source, row))
		return 0;
	if (table->has_sites && source->frame_count == 0)
		return 1;
	visited.frames = source->frames;
	visited.frame_count = source->frame_count;
	return source->visit(source->user, &visited);
}

static int read_table(diff_source *source, const diff_table *table)
{
	const size_t count = mprof_profile_get_row_count(source->profile, table->table);
	measured_row row;

	source->frame_count = 0;
	for (size_t i = 0; i < count; i++) {
		if (!progress_step(source->going))
			return 0;
		if (measured_rows_get(source->profile, table->table, i, &row) && !read_row(source, table, &row))
			return 0;
	}
	return 1;
}

/* Steps of diff_source_read(), without the frames of call sites. */
static uint64_t diff_source_steps(const mprof_profile *profile)
{
	uint64_t steps = 0;

	for (size_t i = 0; i < COMPARED; i++)
		steps += mprof_profile_get_row_count(profile, compared[i].table);
	return steps;
}

/* Visits all rows of a profile. Returns 0 if there is no memory, also if visit did, or if it was stopped. */
static int diff_source_read(const mprof_allocator *allocator, const mprof_profile *profile, const mprof_reader *reader,
			    progress *going, diff_source_visit visit, void *user)
{
	diff_source source = {.allocator = allocator,
			      .profile = profile,
			      .reader = reader,
			      .going = going,
			      .visit = visit,
			      .user = user};
	int is_read = 1;

	for (size_t i = 0; is_read && i < COMPARED; i++)
		is_read = read_table(&source, &compared[i]);
	allocator_release(allocator, source.stack, source.stack_capacity * sizeof(*source.stack));
	allocator_release(allocator, source.frames, source.frame_capacity * sizeof(*source.frames));
	return is_read;
}

#define DEFAULT_MAX_MEMORY (UINT64_C(4) << 30)
/* Tables of a profile by their number. Threads are not compared. */
#define TABLES MPROF_TABLE_MONITOR_SITES

typedef struct compared_row {
	uint32_t name;
	uint32_t stack;
	uint32_t match;
	mprof_diff_values values[DIFF_SIDES];
} compared_row;

typedef struct compared_table {
	hash_map numbers; /**< Rows by name and call stack. */
	compared_row *rows;
	size_t count;
	size_t capacity;
} compared_table;

struct mprof_profile_diff {
	memory_budget budget;
	diff_names names;
	compared_table tables[TABLES];
	compared_table nodes; /**< Values by node of the tree; the other fields are not used. */
	call_tree stacks;     /**< Of call sites: methods are names. */
	call_tree tree;       /**< The combined tree: methods are names. */
	int has_tree;
};

/** While one side is read. */
typedef struct diff_pass {
	mprof_profile_diff *diff;
	int side;
	progress *going;
} diff_pass;

void mprof_profile_diff_options_init(mprof_profile_diff_options *options, size_t struct_size)
{
	struct_init(options, struct_size);
}

static int note_row(void *user, const diff_source_row *row)
{
	const diff_pass *pass = user;
	int is_noted = diff_names_add(&pass->diff->names, pass->side, &row->item);

	for (size_t i = 0; is_noted && i < row->frame_count; i++)
		is_noted =
			progress_step(pass->going) && diff_names_add(&pass->diff->names, pass->side, &row->frames[i]);
	return is_noted;
}

/* A node of a tree as an item. */
static diff_item item_of_node(const mprof_frame_node *node)
{
	diff_item item = {node->kind, node->id, node->flags};

	if (node->kind == 0)
		item.id = DIFF_ROOT;
	return item;
}

static int note_tree(mprof_profile_diff *diff, int side, const mprof_frame_tree *tree, progress *going)
{
	mprof_frame_node node = {.struct_size = sizeof(node)};
	int is_noted = 1;

	for (size_t i = 0; is_noted && i < mprof_frame_tree_get_node_count(tree); i++) {
		diff_item item;

		mprof_frame_tree_get_node(tree, (uint32_t)i, &node);
		item = item_of_node(&node);
		is_noted = progress_step(going) && diff_names_add(&diff->names, side, &item);
	}
	return is_noted;
}

/* A row, which is added if missing. NULL if there is no memory. */
static compared_row *get_row(mprof_profile_diff *diff, compared_table *table, uint32_t name, uint32_t stack)
{
	const uint64_t key = (uint64_t)name << 32 | stack;
	const uint64_t *known = hash_map_get(&table->numbers, key);
	void *rows = table->rows;

	if (known != NULL)
		return &table->rows[*known];
	if (!array_reserve(&diff->budget.allocator, &rows, &table->capacity, table->count + 1, sizeof(*table->rows)))
		return NULL;
	table->rows = rows;
	if (!hash_map_put(&table->numbers, key, table->count))
		return NULL;
	memset(&table->rows[table->count], 0, sizeof(*table->rows));
	table->rows[table->count].name = name;
	table->rows[table->count].stack = stack;
	return &table->rows[table->count++];
}

/* Sums of a log may be forged: they stop at the maximum. */
static void add_number(uint64_t *sum, uint64_t number)
{
	*sum = number > UINT64_MAX - *sum ? UINT64_MAX : *sum + number;
}

static void add_values(compared_row *row, int side, const mprof_diff_values *values)
{
	row->match |= side == DIFF_BEFORE ? MPROF_DIFF_BEFORE : MPROF_DIFF_AFTER;
	add_number(&row->values[side].count, values->count);
	add_number(&row->values[side].self, values->self);
	add_number(&row->values[side].total, values->total);
}

static int add_row(void *user, const diff_source_row *source)
{
	const diff_pass *pass = user;
	mprof_profile_diff *diff = pass->diff;
	uint32_t stack = CALL_TREE_ROOT;
	compared_row *row;

	for (size_t i = source->frame_count; i > 0; i--) {
		stack = call_tree_child(&diff->stacks, stack,
					diff_names_find(&diff->names, pass->side, &source->frames[i - 1]));
		if (stack == CALL_TREE_ROOT || !progress_step(pass->going))
			return 0;
	}
	row = get_row(diff, &diff->tables[source->table - 1], diff_names_find(&diff->names, pass->side, &source->item),
		      stack);
	if (row != NULL)
		add_values(row, pass->side, &source->values);
	return row != NULL;
}

/* Adds the nodes of a tree to the combined one; \p numbers receives the node of each. */
static int add_nodes(mprof_profile_diff *diff, int side, const mprof_frame_tree *tree, progress *going,
		     uint32_t *numbers)
{
	mprof_frame_node node = {.struct_size = sizeof(node)};

	for (size_t i = 0; i < mprof_frame_tree_get_node_count(tree); i++) {
		diff_item item;
		compared_row *row;
		uint32_t name;

		mprof_frame_tree_get_node(tree, (uint32_t)i, &node);
		item = item_of_node(&node);
		name = diff_names_find(&diff->names, side, &item);
		numbers[i] = i > 0 ? call_tree_child(&diff->tree, numbers[node.parent], name) : CALL_TREE_ROOT;
		if (!progress_step(going) || (i > 0 && numbers[i] == CALL_TREE_ROOT))
			return 0;
		/* Nodes are numbered in the order in which they are added, as the rows are. */
		row = numbers[i] < diff->nodes.count ? &diff->nodes.rows[numbers[i]]
						     : get_row(diff, &diff->nodes, numbers[i], 0);
		if (row == NULL)
			return 0;
		row->name = name;
		add_values(row, side, &(mprof_diff_values){node.count, node.self, node.total});
	}
	return 1;
}

static int add_tree(mprof_profile_diff *diff, int side, const mprof_frame_tree *tree, progress *going)
{
	size_t size = mprof_frame_tree_get_node_count(tree) * sizeof(uint32_t);
	uint32_t *numbers = size > 0 ? allocator_allocate(&diff->budget.allocator, size) : NULL;
	int is_added = numbers != NULL && add_nodes(diff, side, tree, going, numbers);

	allocator_release(&diff->budget.allocator, numbers, size);
	return is_added;
}

/* The profiles to compare. */
typedef struct compared_side {
	const mprof_profile *profile;
	const mprof_reader *reader;
	const mprof_frame_tree *tree;
} compared_side;

static uint64_t steps_of(const compared_side *side)
{
	return diff_source_steps(side->profile) + mprof_frame_tree_get_node_count(side->tree);
}

/*
 * Reads one side of the difference: first its names, then, after all names are matched, its values. Returns 0 if there
 * is no memory or it was stopped.
 */
static int read_side(mprof_profile_diff *diff, int number, const compared_side *side, diff_source_visit visit,
		     progress *going)
{
	diff_pass pass = {diff, number, going};

	if (!progress_begin(going, steps_of(side)) ||
	    !diff_source_read(&diff->budget.allocator, side->profile, side->reader, going, visit, &pass))
		return 0;
	if (side->tree == NULL)
		return 1;
	return visit == note_row ? note_tree(diff, number, side->tree, going)
				 : add_tree(diff, number, side->tree, going);
}

static int compare(mprof_profile_diff *diff, const compared_side *sides, progress *going)
{
	for (int side = 0; side < DIFF_SIDES; side++) {
		if (!diff_names_set_log(&diff->names, side, sides[side].profile, sides[side].reader))
			return 0;
	}
	for (int side = 0; side < DIFF_SIDES; side++) {
		if (!read_side(diff, side, &sides[side], note_row, going))
			return 0;
	}
	if (!progress_begin(going, diff_names_steps(&diff->names)) || !diff_names_match(&diff->names, going))
		return 0;
	for (int side = 0; side < DIFF_SIDES; side++) {
		if (!read_side(diff, side, &sides[side], add_row, going))
			return 0;
	}
	return progress_end(going);
}

static int is_ready(mprof_profile_diff *diff)
{
	int has_names = diff_names_init(&diff->names, &diff->budget.allocator);
	int has_stacks = call_tree_init(&diff->stacks, &diff->budget.allocator);
	int has_tree = call_tree_init(&diff->tree, &diff->budget.allocator);

	for (size_t i = 0; i < TABLES; i++)
		hash_map_init(&diff->tables[i].numbers, &diff->budget.allocator);
	hash_map_init(&diff->nodes.numbers, &diff->budget.allocator);
	return has_names && has_stacks && has_tree;
}

static void release_numbers(mprof_profile_diff *diff)
{
	for (size_t i = 0; i < TABLES; i++)
		hash_map_destroy(&diff->tables[i].numbers);
	hash_map_destroy(&diff->nodes.numbers);
}

mprof_status mprof_profile_diff_create(const mprof_profile *before, const mprof_reader *before_reader,
				       const mprof_profile *after, const mprof_reader *after_reader,
				       const mprof_profile_diff_options *options, mprof_profile_diff **diff)
{
	mprof_profile_diff_options copy;
	mprof_allocator allocator;
	mprof_profile_diff *created;
	compared_side sides[DIFF_SIDES];
	progress going;

	if (diff == NULL)
		return MPROF_ERR_ARGUMENT;
	*diff = NULL;
	if (before == NULL || before_reader == NULL || after == NULL || after_reader == NULL ||
	    struct_copy_in(&copy, options, sizeof(copy)) != MPROF_OK ||
	    (copy.before_tree == NULL) != (copy.after_tree == NULL) || !allocator_init(&allocator, copy.allocator))
		return MPROF_ERR_ARGUMENT;
	created = allocator_allocate_zeroed(&allocator, sizeof(*created));
	if (created == NULL)
		return MPROF_ERR_MEMORY;
	memory_budget_init(&created->budget, &allocator, copy.max_memory != 0 ? copy.max_memory : DEFAULT_MAX_MEMORY);
	created->has_tree = copy.before_tree != NULL;
	sides[DIFF_BEFORE] = (compared_side){before, before_reader, copy.before_tree};
	sides[DIFF_AFTER] = (compared_side){after, after_reader, copy.after_tree};
	progress_init(&going, copy.progress, copy.progress_user, 3 * (steps_of(&sides[0]) + steps_of(&sides[1])));
	if (!is_ready(created) || !compare(created, sides, &going)) {
		mprof_status status = progress_status(&going, memory_budget_status(&created->budget));

		mprof_profile_diff_destroy(created);
		return status;
	}
	diff_names_release_items(&created->names);
	release_numbers(created);
	*diff = created;
	return MPROF_OK;
}

void mprof_profile_diff_destroy(mprof_profile_diff *diff)
{
	mprof_allocator allocator;

	if (diff == NULL)
		return;
	release_numbers(diff);
	for (size_t i = 0; i < TABLES; i++)
		allocator_release(&diff->budget.allocator, diff->tables[i].rows,
				  diff->tables[i].capacity * sizeof(compared_row));
	allocator_release(&diff->budget.allocator, diff->nodes.rows, diff->nodes.capacity * sizeof(compared_row));
	call_tree_destroy(&diff->stacks);
	call_tree_destroy(&diff->tree);
	diff_names_destroy(&diff->names);
	allocator = diff->budget.source;
	allocator_release(&allocator, diff, sizeof(*diff));
}

/* NULL if there is no such table. */
static const compared_table *find_table(const mprof_profile_diff *diff, uint32_t table)
{
	if (diff == NULL || table < 1 || table > TABLES || table == MPROF_TABLE_THREADS)
		return NULL;
	return &diff->tables[table - 1];
}

size_t mprof_profile_diff_get_row_count(const mprof_profile_diff *diff, uint32_t table)
{
	const compared_table *rows = find_table(diff, table);

	return rows != NULL ? rows->count : 0;
}

mprof_status mprof_profile_diff_get_row(const mprof_profile_diff *diff, uint32_t table, size_t index,
					mprof_diff_row *row)
{
	const compared_table *rows = find_table(diff, table);
	const compared_row *found;
	mprof_diff_row copy;

	if (rows == NULL || row == NULL || index >= rows->count)
		return MPROF_ERR_ARGUMENT;
	found = &rows->rows[index];
	memset(&copy, 0, sizeof(copy));
	copy.name = found->name;
	copy.stack = found->stack;
	copy.match = found->match;
	copy.before = found->values[DIFF_BEFORE];
	copy.after = found->values[DIFF_AFTER];
	return struct_copy_out(row, &copy, sizeof(copy));
}

mprof_status mprof_profile_diff_get_sum(const mprof_profile_diff *diff, uint32_t table, mprof_diff_row *sum)
{
	const compared_table *rows = find_table(diff, table);
	compared_row all;
	mprof_diff_row copy;

	if (rows == NULL || sum == NULL)
		return MPROF_ERR_ARGUMENT;
	memset(&all, 0, sizeof(all));
	for (size_t i = 0; i < rows->count; i++) {
		for (int side = 0; side < DIFF_SIDES; side++) {
			const mprof_diff_values *values = &rows->rows[i].values[side];

			add_number(&all.values[side].count, values->count);
			add_number(&all.values[side].self, values->self);
			add_number(&all.values[side].total, values->self);
		}
		all.match |= rows->rows[i].match;
	}
	memset(&copy, 0, sizeof(copy));
	copy.match = all.match;
	copy.before = all.values[DIFF_BEFORE];
	copy.after = all.values[DIFF_AFTER];
	return struct_copy_out(sum, &copy, sizeof(copy));
}

mprof_status mprof_profile_diff_get_name(const mprof_profile_diff *diff, uint32_t number, mprof_diff_name *name)
{
	const diff_name *found;
	const named_entity *entity;
	mprof_diff_name copy;

	if (diff == NULL || name == NULL || number >= diff->names.name_count)
		return MPROF_ERR_ARGUMENT;
	found = &diff->names.names[number];
	entity = &diff->names.entities[found->entity];
	memset(&copy, 0, sizeof(copy));
	copy.kind = entity->kind;
	copy.flags = entity->flags != 0 ? MPROF_EVENT_FLAG_COMPILING : 0;
	copy.match = found->match;
	copy.before_id = found->ids[DIFF_BEFORE];
	copy.after_id = found->ids[DIFF_AFTER];
	copy.class_name = text_table_get(&diff->names.texts, entity->class_text);
	copy.name = text_table_get(&diff->names.texts, entity->name_text);
	copy.assembly = text_table_get(&diff->names.texts, found->assembly);
	return struct_copy_out(name, &copy, sizeof(copy));
}

mprof_status mprof_profile_diff_get_stack(const mprof_profile_diff *diff, uint32_t stack, uint32_t *names,
					  size_t capacity, size_t *count)
{
	if (diff == NULL || count == NULL || (names == NULL && capacity > 0) || stack >= diff->stacks.count)
		return MPROF_ERR_ARGUMENT;
	*count = 0;
	for (; stack != CALL_TREE_ROOT; stack = diff->stacks.nodes[stack].parent, ++*count) {
		if (*count < capacity)
			names[*count] = diff->stacks.nodes[stack].method;
	}
	return MPROF_OK;
}

size_t mprof_profile_diff_get_node_count(const mprof_profile_diff *diff)
{
	return diff != NULL && diff->has_tree ? diff->nodes.count : 0;
}

mprof_status mprof_profile_diff_get_node(const mprof_profile_diff *diff, uint32_t node, mprof_diff_node *found)
{
	const call_node *links;
	const compared_row *row;
	mprof_diff_node copy;

	if (found == NULL || node >= mprof_profile_diff_get_node_count(diff))
		return MPROF_ERR_ARGUMENT;
	links = &diff->tree.nodes[node];
	row = &diff->nodes.rows[node];
	memset(&copy, 0, sizeof(copy));
	copy.name = row->name;
	copy.match = row->match;
	copy.parent = links->parent;
	copy.first_child = links->first_child;
	copy.next_sibling = links->next_sibling;
	copy.before = row->values[DIFF_BEFORE];
	copy.after = row->values[DIFF_AFTER];
	return struct_copy_out(found, &copy, sizeof(copy));
}
