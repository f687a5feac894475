/* SPDX-License-Identifier: MIT */
/* Stores where ranges of generated code were at which time, and finds the one that held an address. */
#include "dictionary/code_ranges.h"

#include "base/sort.h"

#include <string.h>

/* A claim that was ended or replaced, for code_ranges_roll_back(). */
struct code_undo {
	uint32_t claim;
};

void code_ranges_init(code_ranges *ranges, memory_budget *budget)
{
	memset(ranges, 0, sizeof(*ranges));
	ranges->budget = budget;
	hash_map_init(&ranges->latest, &budget->allocator);
	hash_map_init(&ranges->list_of, &budget->allocator);
}

static void tree_destroy(const memory_budget *budget, claim_tree *tree)
{
	allocator_release(&budget->allocator, tree->bounds, 2 * tree->claim_count * sizeof(*tree->bounds));
	allocator_release(&budget->allocator, tree->node_ends, 4 * tree->claim_count * sizeof(*tree->node_ends));
	allocator_release(&budget->allocator, tree->claims, tree->claim_room * sizeof(*tree->claims));
	memset(tree, 0, sizeof(*tree));
}

void code_ranges_destroy(code_ranges *ranges)
{
	const mprof_allocator *allocator = &ranges->budget->allocator;

	for (size_t i = 0; i < ranges->tree_count; i++)
		tree_destroy(ranges->budget, &ranges->trees[i]);
	hash_map_destroy(&ranges->latest);
	hash_map_destroy(&ranges->list_of);
	allocator_release(allocator, ranges->claims, ranges->claim_capacity * sizeof(*ranges->claims));
	allocator_release(allocator, ranges->lines, ranges->line_capacity * sizeof(*ranges->lines));
	allocator_release(allocator, ranges->lists, ranges->list_capacity * sizeof(*ranges->lists));
	allocator_release(allocator, ranges->list_undo, ranges->list_undo_capacity * sizeof(*ranges->list_undo));
	allocator_release(allocator, ranges->undo, ranges->undo_capacity * sizeof(*ranges->undo));
}

/* Adds a claim of \p length bytes, fewer at the end of the address space, which is the latest one of its range. */
static mprof_status add_claim(code_ranges *ranges, uint32_t range, code_address address, uint64_t length,
			      uint64_t start)
{
	const uint64_t room = UINT64_MAX - address.address;
	void *claims = ranges->claims;
	mprof_status status = memory_budget_reserve(ranges->budget, &claims, &ranges->claim_capacity,
						    ranges->claim_count + 1, sizeof(*ranges->claims));

	ranges->claims = claims;
	if (status == MPROF_OK && ranges->claim_count == UINT32_MAX)
		status = MPROF_ERR_LIMIT;
	if (status == MPROF_OK)
		status = memory_budget_map_put(ranges->budget, &ranges->latest, range, ranges->claim_count);
	if (status != MPROF_OK)
		return status;
	ranges->claims[ranges->claim_count++] =
		(code_claim){.process = address.process,
			     .first = address.address,
			     .last = length - 1 > room ? UINT64_MAX : address.address + (length - 1),
			     .start = start,
			     .end = UINT64_MAX,
			     .range = range};
	ranges->version++;
	return MPROF_OK;
}

static mprof_status add_end(code_ranges *ranges, uint32_t range, const mprof_code_end_record *end)
{
	const uint64_t *latest = hash_map_get(&ranges->latest, range);
	const uint32_t number = latest != NULL ? (uint32_t)*latest : 0;
	void *undo = ranges->undo;
	mprof_status status;

	if (latest == NULL)
		return MPROF_OK;
	status = memory_budget_reserve(ranges->budget, &undo, &ranges->undo_capacity, ranges->undo_count + 1,
				       sizeof(*ranges->undo));
	ranges->undo = undo;
	if (status == MPROF_OK && end->address != 0) {
		const code_claim left = ranges->claims[number];

		status = add_claim(ranges, range, (code_address){left.process, end->address},
				   left.last - left.first + 1, end->counter);
	}
	if (status != MPROF_OK)
		return status;
	ranges->claims[number].end = end->counter;
	ranges->undo[ranges->undo_count++] = (struct code_undo){number};
	if (end->address == 0)
		hash_map_remove(&ranges->latest, range);
	ranges->version++;
	return MPROF_OK;
}

/* Makes room at the end of all lists. */
static mprof_status reserve_lines(code_ranges *ranges, size_t count)
{
	void *lines = ranges->lines;
	mprof_status status = memory_budget_reserve(ranges->budget, &lines, &ranges->line_capacity,
						    ranges->line_count + count, sizeof(*ranges->lines));

	ranges->lines = lines;
	return status;
}

/* Makes a list for a range that has none. */
static mprof_status add_list(code_ranges *ranges, uint32_t range)
{
	void *lists = ranges->lists;
	mprof_status status = memory_budget_reserve(ranges->budget, &lists, &ranges->list_capacity,
						    ranges->list_count + 1, sizeof(*ranges->lists));

	ranges->lists = lists;
	if (status == MPROF_OK)
		status = memory_budget_map_put(ranges->budget, &ranges->list_of, range, ranges->list_count);
	if (status == MPROF_OK)
		ranges->lists[ranges->list_count++] =
			(code_line_list){.range = range, .mark = ranges->marks, .first = ranges->line_count};
	return status;
}

/* Notes what a list is before it changes. */
static mprof_status note_list(code_ranges *ranges, code_line_list *list)
{
	void *undo = ranges->list_undo;
	mprof_status status;

	if (list->mark == ranges->marks)
		return MPROF_OK;
	status = memory_budget_reserve(ranges->budget, &undo, &ranges->list_undo_capacity, ranges->list_undo_count + 1,
				       sizeof(*ranges->list_undo));
	ranges->list_undo = undo;
	if (status != MPROF_OK)
		return status;
	ranges->list_undo[ranges->list_undo_count++] = *list;
	list->mark = ranges->marks;
	return MPROF_OK;
}

/* Makes room for one more line. A list that others follow moves to the end, with twice the room. */
static mprof_status extend_list(code_ranges *ranges, code_line_list *list)
{
	const int is_last = list->first + list->capacity == ranges->line_count;
	const size_t more = is_last ? 1 : 2 * list->capacity;
	mprof_status status = reserve_lines(ranges, more);

	if (status != MPROF_OK)
		return status;
	if (!is_last) {
		memcpy(ranges->lines + ranges->line_count, ranges->lines + list->first,
		       list->count * sizeof(*ranges->lines));
		list->first = ranges->line_count;
		list->capacity = 0;
	}
	list->capacity += more;
	ranges->line_count += more;
	return MPROF_OK;
}

static mprof_status add_line(code_ranges *ranges, uint32_t range, const mprof_code_line_record *line)
{
	const uint64_t *index = hash_map_get(&ranges->list_of, range);
	mprof_status status = index == NULL ? add_list(ranges, range) : MPROF_OK;
	code_line_list *list;

	if (status != MPROF_OK)
		return status;
	list = &ranges->lists[index != NULL ? *index : ranges->list_count - 1];
	if (list->count > 0 && line->offset < ranges->lines[list->first + list->count - 1].offset)
		return MPROF_OK;
	status = note_list(ranges, list);
	if (status == MPROF_OK && list->count == list->capacity)
		status = extend_list(ranges, list);
	if (status != MPROF_OK)
		return status;
	ranges->lines[list->first + list->count++] = (code_line){line->offset, line->position};
	ranges->version++;
	return MPROF_OK;
}

mprof_status code_ranges_add(code_ranges *ranges, const mprof_record *record)
{
	const mprof_code_range_record *range = &record->as.code_range;

	switch (record->kind) {
	case MPROF_RECORD_CODE_END:
		return add_end(ranges, record->id, &record->as.code_end);
	case MPROF_RECORD_CODE_LINE:
		return add_line(ranges, record->id, &record->as.code_line);
	default:
		/* A range without bytes holds no address. */
		return range->size == 0 ? MPROF_OK
					: add_claim(ranges, record->id, (code_address){range->process, range->address},
						    range->size, range->start);
	}
}

code_mark code_ranges_mark(code_ranges *ranges)
{
	ranges->undo_count = 0;
	ranges->list_undo_count = 0;
	ranges->marks++;
	return (code_mark){ranges->claim_count, ranges->line_count, ranges->list_count};
}

static void roll_back_lines(code_ranges *ranges, const code_mark *mark)
{
	if (ranges->list_undo_count > 0 || ranges->list_count > mark->list_count)
		ranges->version++;
	while (ranges->list_count > mark->list_count)
		hash_map_remove(&ranges->list_of, ranges->lists[--ranges->list_count].range);
	while (ranges->list_undo_count > 0) {
		const code_line_list *before = &ranges->list_undo[--ranges->list_undo_count];

		ranges->lists[*hash_map_get(&ranges->list_of, before->range)] = *before;
	}
	ranges->line_count = mark->line_count;
}

void code_ranges_roll_back(code_ranges *ranges, const code_mark *mark)
{
	if (ranges->undo_count > 0 || ranges->claim_count > mark->claim_count)
		ranges->version++;
	while (ranges->claim_count > mark->claim_count)
		hash_map_remove(&ranges->latest, ranges->claims[--ranges->claim_count].range);
	while (ranges->undo_count > 0) {
		const uint32_t number = ranges->undo[--ranges->undo_count].claim;

		if (number >= mark->claim_count)
			continue;
		ranges->claims[number].end = UINT64_MAX;
		/* The map had this key, so it has room for it. */
		(void)hash_map_put(&ranges->latest, ranges->claims[number].range, number);
	}
	roll_back_lines(ranges, mark);
}

/* Ascending: less than 0, 0, or greater than 0. */
static int address_order(code_address one, code_address other)
{
	if (one.process != other.process)
		return one.process < other.process ? -1 : 1;
	return (one.address > other.address) - (one.address < other.address);
}

static int compare_addresses(const void *first, const void *second)
{
	return address_order(*(const code_address *)first, *(const code_address *)second);
}

/* A claim, for sorting. */
typedef struct claim_order {
	uint64_t start;
	uint64_t number;
} claim_order;

/* By start, and then in the order of the log. */
static int compare_claims(const void *first, const void *second)
{
	const claim_order *one = first;
	const claim_order *other = second;

	if (one->start != other->start)
		return one->start < other->start ? -1 : 1;
	return (one->number > other->number) - (one->number < other->number);
}

/* The number of bounds that are at an address or before it. */
static size_t bounds_until(const claim_tree *tree, code_address address)
{
	size_t low = 0;
	size_t high = tree->bound_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (address_order(tree->bounds[middle], address) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Finds the addresses at which a claim begins or ends. After the last address of a process is the next process. */
static void find_bounds(claim_tree *tree, const code_claim *claims)
{
	size_t count = 0;
	size_t kept = 0;

	for (size_t i = 0; i < tree->claim_count; i++) {
		tree->bounds[count++] = (code_address){claims[i].process, claims[i].first};
		if (claims[i].last != UINT64_MAX)
			tree->bounds[count++] = (code_address){claims[i].process, claims[i].last + 1};
		else if (claims[i].process != UINT64_MAX)
			tree->bounds[count++] = (code_address){claims[i].process + 1, 0};
	}
	sort_in_place(tree->bounds, count, sizeof(*tree->bounds), compare_addresses);
	for (size_t i = 0; i < count; i++) {
		if (kept == 0 || address_order(tree->bounds[i], tree->bounds[kept - 1]) != 0)
			tree->bounds[kept++] = tree->bounds[i];
	}
	tree->bound_count = kept;
}

/*
 * Visits the nodes that together have exactly the leaves of a claim. Adds 1 to the number of each, or, if \p number is
 * not NULL, adds the claim to it.
 */
static void add_to_nodes(claim_tree *tree, const code_claim *claim, const uint32_t *number)
{
	size_t low = bounds_until(tree, (code_address){claim->process, claim->first}) - 1 + tree->bound_count;
	size_t high = bounds_until(tree, (code_address){claim->process, claim->last}) + tree->bound_count;

	for (; low < high; low /= 2, high /= 2) {
		size_t nodes[2];
		size_t count = 0;

		if ((low & 1) != 0)
			nodes[count++] = low++;
		if ((high & 1) != 0)
			nodes[count++] = --high;
		for (size_t i = 0; i < count; i++) {
			if (number != NULL)
				tree->claims[tree->node_ends[nodes[i]]] = *number;
			tree->node_ends[nodes[i]]++;
		}
	}
}

/* Makes the counts of nodes the places where their claims begin. Returns the number of all. */
static uint64_t place_nodes(claim_tree *tree)
{
	uint64_t sum = 0;

	for (size_t node = 0; node < 2 * tree->bound_count; node++) {
		const uint32_t count = tree->node_ends[node];

		tree->node_ends[node] = (uint32_t)sum;
		sum += count;
	}
	return sum;
}

static mprof_status fill_tree(code_ranges *ranges, claim_tree *tree, claim_order *order)
{
	const code_claim *claims = &ranges->claims[tree->first_claim];
	void *numbers = NULL;
	mprof_status status;
	uint64_t room;

	find_bounds(tree, claims);
	memset(tree->node_ends, 0, 2 * tree->bound_count * sizeof(*tree->node_ends));
	for (size_t i = 0; i < tree->claim_count; i++) {
		order[i] = (claim_order){claims[i].start, tree->first_claim + i};
		add_to_nodes(tree, &claims[i], NULL);
	}
	room = place_nodes(tree);
	if (room > UINT32_MAX)
		return MPROF_ERR_LIMIT;
	status = memory_budget_reserve(ranges->budget, &numbers, &tree->claim_room, (size_t)room, sizeof(uint32_t));
	tree->claims = numbers;
	if (status != MPROF_OK)
		return status;
	sort_in_place(order, tree->claim_count, sizeof(*order), compare_claims);
	for (size_t i = 0; i < tree->claim_count; i++) {
		const uint32_t number = (uint32_t)order[i].number;

		add_to_nodes(tree, &ranges->claims[number], &number);
	}
	return MPROF_OK;
}

/* Makes a tree of the claims from a number on. */
static mprof_status build_tree(code_ranges *ranges, size_t first_claim, claim_tree *tree)
{
	const mprof_allocator *allocator = &ranges->budget->allocator;
	const size_t count = ranges->claim_count - first_claim;
	claim_order *order;
	mprof_status status;

	*tree = (claim_tree){.first_claim = first_claim, .claim_count = count};
	ranges->budget->exceeded = 0;
	order = allocator_allocate(allocator, count * sizeof(*order));
	tree->bounds = allocator_allocate(allocator, 2 * count * sizeof(*tree->bounds));
	tree->node_ends = allocator_allocate(allocator, 4 * count * sizeof(*tree->node_ends));
	status = order != NULL && tree->bounds != NULL && tree->node_ends != NULL
			 ? fill_tree(ranges, tree, order)
			 : memory_budget_status(ranges->budget);
	allocator_release(allocator, order, count * sizeof(*order));
	if (status != MPROF_OK)
		tree_destroy(ranges->budget, tree);
	return status;
}

/*
 * Brings the trees up to date. New claims are a tree of their own, together with earlier trees that have at most twice
 * as many, so a claim is in few of the trees that are ever made.
 */
static mprof_status update_trees(code_ranges *ranges)
{
	size_t kept = ranges->tree_count;
	size_t first = 0;
	claim_tree tree;
	mprof_status status;

	/* Claims of a damaged block were removed before anything was looked up. */
	if (kept > 0)
		first = ranges->trees[kept - 1].first_claim + ranges->trees[kept - 1].claim_count;
	if (first == ranges->claim_count)
		return MPROF_OK;
	for (; kept > 0 && ranges->trees[kept - 1].claim_count <= 2 * (ranges->claim_count - first); kept--)
		first = ranges->trees[kept - 1].first_claim;
	status = build_tree(ranges, first, &tree);
	if (status != MPROF_OK)
		return status;
	for (size_t i = kept; i < ranges->tree_count; i++)
		tree_destroy(ranges->budget, &ranges->trees[i]);
	ranges->trees[kept] = tree;
	ranges->tree_count = kept + 1;
	return MPROF_OK;
}

/* What a search has found so far. */
typedef struct claim_search {
	uint64_t counter;
	const code_claim *claims;
	const code_claim *latest; /* The latest claim on the address that has begun; NULL if none. */
	uint64_t next_start;      /* When the next one begins; UINT64_MAX if none does. */
} claim_search;

/* Searches the claims of a node for the last one that has begun. */
static void search_node(claim_search *search, const uint32_t *numbers, size_t count)
{
	size_t low = 0;
	size_t high = count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (search->claims[numbers[middle]].start <= search->counter)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < count && search->claims[numbers[low]].start < search->next_start)
		search->next_start = search->claims[numbers[low]].start;
	if (low > 0) {
		const code_claim *found = &search->claims[numbers[low - 1]];

		/* Claims that begin at the same time are in the order of the log. */
		if (search->latest == NULL || found->start > search->latest->start ||
		    (found->start == search->latest->start && found > search->latest))
			search->latest = found;
	}
}

static void search_tree(claim_search *search, const claim_tree *tree, code_address address)
{
	const size_t until = bounds_until(tree, address);

	if (until == 0)
		return;
	for (size_t node = until - 1 + tree->bound_count; node > 0; node /= 2) {
		const uint32_t begin = tree->node_ends[node - 1];

		search_node(search, tree->claims + begin, tree->node_ends[node] - begin);
	}
}

mprof_status code_ranges_find(code_ranges *ranges, code_address address, uint64_t counter, code_answer *answer)
{
	claim_search search = {.counter = counter, .next_start = UINT64_MAX};
	mprof_status status = update_trees(ranges);

	*answer = (code_answer){.until = UINT64_MAX};
	if (status != MPROF_OK)
		return status;
	search.claims = ranges->claims;
	for (size_t i = 0; i < ranges->tree_count; i++)
		search_tree(&search, &ranges->trees[i], address);
	answer->until = search.next_start;
	if (search.latest == NULL)
		return MPROF_OK;
	answer->from = search.latest->start;
	if (search.latest->end <= counter && search.latest->end != UINT64_MAX) {
		if (search.latest->end > answer->from)
			answer->from = search.latest->end;
		return MPROF_OK;
	}
	answer->range = search.latest->range;
	answer->address = search.latest->first;
	if (search.latest->end < answer->until)
		answer->until = search.latest->end;
	return MPROF_OK;
}

/* The number of lines of a list at offsets up to one, or, with \p is_before, before it. */
static size_t lines_until(const code_line *lines, size_t count, uint64_t offset, int is_before)
{
	size_t low = 0;
	size_t high = count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (lines[middle].offset < offset || (!is_before && lines[middle].offset == offset))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t code_ranges_lines(const code_ranges *ranges, uint32_t range, uint64_t offset, const code_line **lines)
{
	const uint64_t *index = hash_map_get(&ranges->list_of, range);
	const code_line_list *list = index != NULL ? &ranges->lists[*index] : NULL;
	const code_line *all;
	size_t end;
	size_t first;

	*lines = NULL;
	if (list == NULL || list->count == 0)
		return 0;
	all = &ranges->lines[list->first];
	end = lines_until(all, list->count, offset, 0);
	if (end == 0)
		return 0;
	first = lines_until(all, end, all[end - 1].offset, 1);
	*lines = &all[first];
	return end - first;
}

uint64_t code_ranges_first_start(const code_ranges *ranges, size_t first_claim)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = first_claim; i < ranges->claim_count; i++) {
		if (ranges->claims[i].start < least)
			least = ranges->claims[i].start;
	}
	return least;
}
