/* SPDX-License-Identifier: MIT */
/* Prints sampled items, with their callers and callees. */
#include "decode/decode.h"

#include "shared/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A sampled item: a method, a function, or a memory region; all addresses outside of regions are one item. */
typedef struct hit_item {
	uint32_t kind;
	uint32_t id;
	uint64_t hits;
	size_t caller_count;
	size_t callee_count;
} hit_item;

/* How often \p item is next to \p other in a call stack. Both are indexes in hit_table::items. */
typedef struct hit_edge {
	size_t item;
	size_t other;
	uint64_t count;
} hit_edge;

typedef struct hit_table {
	hit_item *items; /**< Sorted by kind and ID. */
	size_t item_count;
	size_t *order;     /**< Indexes of the items that are shown, in the order of output. */
	hit_edge *callers; /**< Sorted by item, those of an item by count. */
	size_t caller_count;
	hit_edge *callees; /**< Sorted like callers. */
	size_t callee_count;
	uint64_t hits;
} hit_table;

static void release_hits(hit_table *table)
{
	free(table->items);
	free(table->order);
	free(table->callers);
	free(table->callees);
}

static int make_room(log_decode *decode, hit_table *table)
{
	size_t items = mprof_profile_get_row_count(decode->profile, MPROF_TABLE_SAMPLES);
	size_t nodes = mprof_profile_get_row_count(decode->profile, MPROF_TABLE_SAMPLE_NODES);

	memset(table, 0, sizeof(*table));
	table->items = decode_room(decode, items, sizeof(*table->items));
	table->order = decode_room(decode, items, sizeof(*table->order));
	table->callers = decode_room(decode, nodes, sizeof(*table->callers));
	table->callees = decode_room(decode, nodes, sizeof(*table->callees));
	return table->items != NULL && table->order != NULL && table->callers != NULL && table->callees != NULL;
}

static int compare_items(const void *left, const void *right)
{
	const hit_item *a = left;
	const hit_item *b = right;
	int order = decode_larger_first(b->kind, a->kind);

	return order != 0 ? order : decode_larger_first(b->id, a->id);
}

static hit_item item_of(uint32_t kind, uint32_t id)
{
	hit_item item = {.kind = kind, .id = kind == MPROF_SAMPLE_LOCATION ? 0 : id};

	return item;
}

static void gather_items(const log_decode *decode, hit_table *table)
{
	size_t count = mprof_profile_get_row_count(decode->profile, MPROF_TABLE_SAMPLES);
	hit_item *items = table->items;
	size_t merged = 0;

	for (size_t i = 0; i < count; i++) {
		mprof_sample_stats stats;

		stats.struct_size = sizeof(stats);
		mprof_profile_get_row(decode->profile, MPROF_TABLE_SAMPLES, i, &stats);
		items[i] = item_of(stats.kind, stats.id);
		items[i].hits = stats.self;
		table->hits += stats.self;
	}
	qsort(items, count, sizeof(*items), compare_items);
	for (size_t i = 0; i < count; i++) {
		if (merged > 0 && compare_items(&items[merged - 1], &items[i]) == 0)
			items[merged - 1].hits += items[i].hits;
		else
			items[merged++] = items[i];
	}
	table->item_count = merged;
}

static size_t find_item(const hit_table *table, const mprof_sample_node *node)
{
	hit_item key = item_of(node->kind, node->id);
	const hit_item *found = bsearch(&key, table->items, table->item_count, sizeof(key), compare_items);

	return found != NULL ? (size_t)(found - table->items) : 0;
}

static int compare_edges(const void *left, const void *right)
{
	const hit_edge *a = left;
	const hit_edge *b = right;
	int order = decode_larger_first(b->item, a->item);

	return order != 0 ? order : decode_larger_first(b->other, a->other);
}

static int compare_merged_edges(const void *left, const void *right)
{
	const hit_edge *a = left;
	const hit_edge *b = right;
	int order = decode_larger_first(b->item, a->item);

	order = order != 0 ? order : decode_larger_first(a->count, b->count);
	return order != 0 ? order : decode_larger_first(b->other, a->other);
}

static size_t merge_edges(hit_edge *edges, size_t count)
{
	size_t merged = 0;

	qsort(edges, count, sizeof(*edges), compare_edges);
	for (size_t i = 0; i < count; i++) {
		if (merged > 0 && compare_edges(&edges[merged - 1], &edges[i]) == 0)
			edges[merged - 1].count += edges[i].count;
		else
			edges[merged++] = edges[i];
	}
	qsort(edges, merged, sizeof(*edges), compare_merged_edges);
	return merged;
}

static mprof_sample_node node_at(const log_decode *decode, uint32_t number)
{
	mprof_sample_node node;

	node.struct_size = sizeof(node);
	mprof_profile_get_row(decode->profile, MPROF_TABLE_SAMPLE_NODES, number, &node);
	return node;
}

/* All samples at a node of the tree or below it count for the edge from its caller. */
static void gather_edges(const log_decode *decode, hit_table *table)
{
	size_t nodes = mprof_profile_get_row_count(decode->profile, MPROF_TABLE_SAMPLE_NODES);
	size_t count = 0;

	for (size_t i = 1; i < nodes; i++) {
		mprof_sample_node callee = node_at(decode, (uint32_t)i);
		mprof_sample_node caller;

		if (callee.parent == 0)
			continue;
		caller = node_at(decode, callee.parent);
		table->callers[count].item = table->callees[count].other = find_item(table, &callee);
		table->callers[count].other = table->callees[count].item = find_item(table, &caller);
		table->callers[count].count = table->callees[count].count = callee.total;
		count++;
	}
	table->caller_count = merge_edges(table->callers, count);
	table->callee_count = merge_edges(table->callees, count);
	for (size_t i = 0; i < table->caller_count; i++)
		table->items[table->callers[i].item].caller_count++;
	for (size_t i = 0; i < table->callee_count; i++)
		table->items[table->callees[i].item].callee_count++;
}

static int compare_shown(const void *left, const void *right, void *user)
{
	const hit_item *items = user;
	const hit_item *a = &items[*(const size_t *)left];
	const hit_item *b = &items[*(const size_t *)right];
	int order = decode_larger_first(a->hits, b->hits);

	order = order != 0 ? order : decode_larger_first(a->caller_count, b->caller_count);
	order = order != 0 ? order : decode_larger_first(a->callee_count, b->callee_count);
	return order != 0 ? order : compare_items(a, b);
}

static size_t order_items(hit_table *table)
{
	size_t count = 0;

	for (size_t i = 0; i < table->item_count; i++) {
		if (table->items[i].hits > 0 || table->items[i].caller_count > 0 || table->items[i].callee_count > 0)
			table->order[count++] = i;
	}
	qsort_r(table->order, count, sizeof(*table->order), compare_shown, table->items);
	return count;
}

/* Prints the module in brackets, which are empty if it is unknown. */
static void print_module(const log_decode *decode, uint32_t id)
{
	mprof_record record;

	putchar('[');
	if (mprof_reader_lookup_record(decode->input.reader, MPROF_RECORD_MODULE, id, &record, sizeof(record)) ==
	    MPROF_OK)
		text_name(stdout, record.as.module.file);
	putchar(']');
}

static void print_function(const log_decode *decode, uint32_t id)
{
	mprof_record record;

	if (mprof_reader_lookup_record(decode->input.reader, MPROF_RECORD_FUNCTION, id, &record, sizeof(record)) !=
	    MPROF_OK) {
		printf("[](UNKNOWN)");
		return;
	}
	print_module(decode, record.as.function.module);
	text_name(stdout, record.as.function.name);
}

static void print_item(const log_decode *decode, const hit_item *item)
{
	switch (item->kind) {
	case MPROF_SAMPLE_METHOD:
		decode_method(decode, item->id);
		break;
	case MPROF_SAMPLE_FUNCTION:
		print_function(decode, item->id);
		break;
	case MPROF_SAMPLE_MODULE:
		print_module(decode, item->id);
		printf("(UNKNOWN)");
		break;
	case MPROF_SAMPLE_TRUNCATED:
		fputs("[TRUNCATED]", stdout);
		break;
	default:
		fputs("[UNKNOWN MEMORY REGION]", stdout);
	}
}

static int compare_edge_items(const void *left, const void *right)
{
	return decode_larger_first(((const hit_edge *)right)->item, ((const hit_edge *)left)->item);
}

static void print_edges(const log_decode *decode, const hit_table *table, const hit_edge *edges, size_t count,
			size_t item, const char *direction)
{
	hit_edge key = {.item = item};
	const hit_edge *edge = bsearch(&key, edges, count, sizeof(key), compare_edge_items);

	if (edge == NULL)
		return;
	while (edge > edges && edge[-1].item == item)
		edge--;
	for (; edge < edges + count && edge->item == item; edge++) {
		printf("    %" PRIu64 " calls %s ", edge->count, direction);
		print_item(decode, &table->items[edge->other]);
		putchar('\n');
	}
}

static void print_items(const log_decode *decode, hit_table *table)
{
	size_t count = order_items(table);

	for (size_t i = 0; i < count; i++) {
		size_t number = table->order[i];
		const hit_item *item = &table->items[number];

		decode_percent((double)item->hits, (double)table->hits);
		printf(" (%" PRIu64 ") ", item->hits);
		print_item(decode, item);
		putchar('\n');
		print_edges(decode, table, table->callers, table->caller_count, number, "from");
		print_edges(decode, table, table->callees, table->callee_count, number, "to");
	}
}

/* Number of items that could be sampled: methods, known native code, and one for unknown addresses. */
static uint64_t count_possible(const log_decode *decode, const hit_table *table)
{
	uint64_t count = mprof_reader_get_method_count(decode->input.reader) + 1;

	for (size_t i = 0; i < table->item_count; i++)
		count += table->items[i].kind == MPROF_SAMPLE_FUNCTION || table->items[i].kind == MPROF_SAMPLE_MODULE;
	return count;
}

void decode_samples(log_decode *decode)
{
	hit_table table;

	if (make_room(decode, &table)) {
		gather_items(decode, &table);
		if (table.hits > 0) {
			decode_separator();
			printf("Reporting statistical hits (%" PRIu64 " hits recorded)\n", table.hits);
			gather_edges(decode, &table);
			print_items(decode, &table);
		} else if (decode->session.flags & MPROF_INTRO_FLAG_STATISTICAL) {
			printf("No statistical hits reported (on %" PRIu64 " items)\n", count_possible(decode, &table));
		}
	}
	release_hits(&table);
}
