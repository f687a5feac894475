/* SPDX-License-Identifier: MIT */
/* Where time was spent: calls, compilations, samples and monitors, as the original decoder printed them. */
#include "common/output.h"
#include "decode/decode.h"
#include "shared/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Nodes of the call tree that are fetched in one call. */
#define NODE_BATCH 256

/* A node of the call tree. */
typedef struct call_row {
	uint32_t method;
	uint32_t parent;
	uint64_t calls;
	uint64_t counters; /**< Inclusive time; 0 for a compilation. */
	size_t first;      /**< Its children, as indexes in call_table::order. */
	size_t end;
	int is_shown;
} call_row;

/* Calls of a method by another one. */
typedef struct caller_row {
	uint32_t method;
	uint32_t caller;
	uint64_t calls;
} caller_row;

typedef struct method_row {
	uint32_t method;
	uint64_t counters;
} method_row;

typedef struct call_table {
	call_row *rows; /**< Indexed by node. */
	size_t count;
	uint32_t *order; /**< Nodes that are shown, sorted by parent and time. */
	caller_row *callers;
	size_t caller_count;
	method_row *methods; /**< Methods with time above 0, the longest first. */
	size_t method_count;
	uint64_t counters; /**< Total of all methods. */
} call_table;

static void release_calls(call_table *table)
{
	free(table->rows);
	free(table->order);
	free(table->callers);
	free(table->methods);
}

static int make_call_room(log_decode *decode, call_table *table)
{
	memset(table, 0, sizeof(*table));
	table->count = mprof_profile_get_row_count(decode->profile, MPROF_TABLE_CALLS);
	table->rows = decode_room(decode, table->count, sizeof(*table->rows));
	table->order = decode_room(decode, table->count, sizeof(*table->order));
	table->callers = decode_room(decode, table->count, sizeof(*table->callers));
	table->methods = decode_room(decode, table->count, sizeof(*table->methods));
	return table->rows != NULL && table->order != NULL && table->callers != NULL && table->methods != NULL;
}

static void fetch_rows(const log_decode *decode, call_table *table)
{
	mprof_call_stats nodes[NODE_BATCH];
	call_row *row = table->rows;
	size_t first = 0;
	size_t count;

	do {
		mprof_profile_get_rows(decode->profile, MPROF_TABLE_CALLS, first, nodes, sizeof(*nodes), NODE_BATCH,
				       &count);
		for (size_t i = 0; i < count; i++, row++) {
			row->method = nodes[i].method;
			row->parent = nodes[i].parent;
			row->calls = nodes[i].calls;
			row->counters = nodes[i].flags & MPROF_EVENT_FLAG_COMPILING ? 0 : nodes[i].total_ns;
			row->is_shown = nodes[i].calls > 0;
		}
		first += count;
	} while (count == NODE_BATCH);
}

/*
 * Marks the nodes to show: those that were called, those that allocated or waited even without a call, as compilations
 * do, and all their ancestors.
 */
static void mark_shown(const log_decode *decode, call_table *table)
{
	if (decode->has_allocation_stacks) {
		for (size_t i = 0; i < mprof_profile_get_row_count(decode->profile, MPROF_TABLE_ALLOCATION_SITES);
		     i++) {
			mprof_allocation_site site;

			site.struct_size = sizeof(site);
			mprof_profile_get_row(decode->profile, MPROF_TABLE_ALLOCATION_SITES, i, &site);
			table->rows[site.call].is_shown = 1;
		}
	}
	for (size_t i = 0; i < mprof_profile_get_row_count(decode->profile, MPROF_TABLE_MONITOR_SITES); i++) {
		mprof_monitor_site site;

		site.struct_size = sizeof(site);
		mprof_profile_get_row(decode->profile, MPROF_TABLE_MONITOR_SITES, i, &site);
		table->rows[site.call].is_shown = 1;
	}
	/* Parents have smaller node numbers than their children. */
	for (size_t i = table->count; i-- > 1;) {
		if (table->rows[i].is_shown)
			table->rows[table->rows[i].parent].is_shown = 1;
	}
}

static int compare_nodes(const void *left, const void *right, void *user)
{
	uint32_t a = *(const uint32_t *)left;
	uint32_t b = *(const uint32_t *)right;
	const call_row *rows = user;
	int order = decode_larger_first(rows[b].parent, rows[a].parent);

	order = order != 0 ? order : decode_larger_first(rows[a].counters, rows[b].counters);
	return order != 0 ? order : decode_larger_first(b, a);
}

static void order_nodes(call_table *table)
{
	size_t count = 0;

	for (size_t i = 1; i < table->count; i++) {
		if (table->rows[i].is_shown)
			table->order[count++] = (uint32_t)i;
	}
	qsort_r(table->order, count, sizeof(*table->order), compare_nodes, table->rows);
	for (size_t i = 0; i < count; i++) {
		call_row *parent = &table->rows[table->rows[table->order[i]].parent];

		if (parent->end == 0)
			parent->first = i;
		parent->end = i + 1;
	}
}

static int compare_callers(const void *left, const void *right)
{
	const caller_row *a = left;
	const caller_row *b = right;
	int order = decode_larger_first(b->method, a->method);

	return order != 0 ? order : decode_larger_first(b->caller, a->caller);
}

/* Sorts by method first. */
static int compare_merged_callers(const void *left, const void *right)
{
	const caller_row *a = left;
	const caller_row *b = right;
	int order = decode_larger_first(b->method, a->method);

	order = order != 0 ? order : decode_larger_first(a->calls, b->calls);
	return order != 0 ? order : decode_larger_first(b->caller, a->caller);
}

static void gather_callers(call_table *table)
{
	caller_row *callers = table->callers;
	size_t merged = 0;
	size_t count = 0;

	for (size_t i = 1; i < table->count; i++) {
		const call_row *row = &table->rows[i];

		if (row->parent == MPROF_CALL_ROOT || row->calls == 0)
			continue;
		callers[count].method = row->method;
		callers[count].caller = table->rows[row->parent].method;
		callers[count++].calls = row->calls;
	}
	qsort(callers, count, sizeof(*callers), compare_callers);
	for (size_t i = 0; i < count; i++) {
		if (merged > 0 && compare_callers(&callers[merged - 1], &callers[i]) == 0)
			callers[merged - 1].calls += callers[i].calls;
		else
			callers[merged++] = callers[i];
	}
	qsort(callers, merged, sizeof(*callers), compare_merged_callers);
	table->caller_count = merged;
}

static int compare_method_ids(const void *left, const void *right)
{
	return decode_larger_first(((const method_row *)right)->method, ((const method_row *)left)->method);
}

static int compare_methods(const void *left, const void *right)
{
	const method_row *a = left;
	const method_row *b = right;
	int order = decode_larger_first(a->counters, b->counters);

	return order != 0 ? order : decode_larger_first(b->method, a->method);
}

/* A call counts with its callees, even if it is nested in another call of the same method. */
static void gather_methods(call_table *table)
{
	method_row *methods = table->methods;
	size_t merged = 0;
	size_t count = 0;

	for (size_t i = 1; i < table->count; i++) {
		if (table->rows[i].counters == 0)
			continue;
		methods[count].method = table->rows[i].method;
		methods[count++].counters = table->rows[i].counters;
	}
	qsort(methods, count, sizeof(*methods), compare_method_ids);
	for (size_t i = 0; i < count; i++) {
		table->counters += methods[i].counters;
		if (merged > 0 && methods[merged - 1].method == methods[i].method)
			methods[merged - 1].counters += methods[i].counters;
		else
			methods[merged++] = methods[i];
	}
	qsort(methods, merged, sizeof(*methods), compare_methods);
	table->method_count = merged;
}

/* The index of the first caller of a method, or the end. */
static size_t find_callers(const call_table *table, uint32_t method)
{
	size_t low = 0;
	size_t high = table->caller_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->callers[middle].method < method)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void print_methods(const log_decode *decode, const call_table *table)
{
	char text[DECODE_NUMBER_SIZE];

	for (size_t i = 0; i < table->method_count; i++) {
		const method_row *row = &table->methods[i];

		decode_percent((double)row->counters, (double)table->counters);
		printf(" (%ss) ", decode_number(text, decode_seconds(decode, row->counters), 6));
		decode_method(decode, row->method);
		putchar('\n');
		for (size_t caller = find_callers(table, row->method);
		     caller < table->caller_count && table->callers[caller].method == row->method; caller++) {
			printf("        %" PRIu64 " calls from ", table->callers[caller].calls);
			decode_method(decode, table->callers[caller].caller);
			putchar('\n');
		}
	}
}

static void print_node(const log_decode *decode, const call_table *table, uint32_t node, int level)
{
	const call_row *row = &table->rows[node];
	uint64_t whole = row->parent == MPROF_CALL_ROOT ? table->counters : table->rows[row->parent].counters;
	char text[DECODE_NUMBER_SIZE];
	double seconds = decode_seconds(decode, row->counters);

	printf("%*s", 4 * level, "");
	decode_percent(seconds, decode_seconds(decode, whole));
	printf(" (%ss, %" PRIu64 " calls) ", decode_number(text, seconds, 6), row->calls);
	decode_method(decode, row->method);
	putchar('\n');
}

static void print_tree(const log_decode *decode, const call_table *table)
{
	size_t next[DECODE_MAX_LEVELS + 1]; /* By level: the index of the node to print next. */
	size_t end[DECODE_MAX_LEVELS + 1];
	int level = 0;
	int is_cut = 0;

	next[0] = table->rows[MPROF_CALL_ROOT].first;
	end[0] = table->rows[MPROF_CALL_ROOT].end;
	while (level >= 0 && !output_is_broken()) {
		const call_row *row;

		if (next[level] == end[level]) {
			level--;
			continue;
		}
		print_node(decode, table, table->order[next[level]], level);
		row = &table->rows[table->order[next[level]++]];
		is_cut |= level + 1 == DECODE_MAX_LEVELS && row->end > row->first;
		if (level + 1 < DECODE_MAX_LEVELS) {
			level++;
			next[level] = row->first;
			end[level] = row->end;
		}
	}
	if (is_cut) {
		text_begin_message(decode->input.name);
		fprintf(stderr, "calls more than %d deep are left out\n", DECODE_MAX_LEVELS);
	}
}

void decode_calls(log_decode *decode)
{
	uint64_t methods = mprof_reader_get_method_count(decode->input.reader);
	call_table table;

	if (!make_call_room(decode, &table)) {
		release_calls(&table);
		return;
	}
	fetch_rows(decode, &table);
	gather_methods(&table);
	if (table.counters > 0) {
		decode_separator();
		printf("Reporting execution time (on %" PRIu64 " methods)\n", methods);
		gather_callers(&table);
		print_methods(decode, &table);
		decode_separator();
		puts("Reporting execution time by stack frame");
		mark_shown(decode, &table);
		order_nodes(&table);
		print_tree(decode, &table);
	} else if (decode->session.flags & MPROF_INTRO_FLAG_METHOD) {
		printf("No execution time reported (on %" PRIu64 " methods)\n", methods);
	}
	release_calls(&table);
}

/*
 * Compilations.
 */

static int compare_compilations(const void *left, const void *right)
{
	const mprof_method_stats *a = left;
	const mprof_method_stats *b = right;
	int order = decode_larger_first(a->jit_ns, b->jit_ns);

	return order != 0 ? order : decode_larger_first(b->id, a->id);
}

static void print_compilations(const log_decode *decode, const mprof_method_stats *methods, size_t count,
			       uint64_t counters)
{
	char text[DECODE_NUMBER_SIZE];

	for (size_t i = 0; i < count && methods[i].jit_ns > 0; i++) {
		double seconds = decode_seconds(decode, methods[i].jit_ns);

		decode_percent((double)methods[i].jit_ns, (double)counters);
		printf(" (%sms) ", decode_number(text, seconds * 1000.0, 3));
		decode_method(decode, methods[i].id);
		putchar('\n');
	}
}

void decode_compilations(log_decode *decode)
{
	size_t count = mprof_profile_get_row_count(decode->profile, MPROF_TABLE_METHODS);
	mprof_method_stats *methods = decode_room(decode, count, sizeof(*methods));
	uint64_t defined = mprof_reader_get_method_count(decode->input.reader);
	uint64_t counters = 0;

	if (methods == NULL)
		return;
	mprof_profile_get_rows(decode->profile, MPROF_TABLE_METHODS, 0, methods, sizeof(*methods), count, &count);
	for (size_t i = 0; i < count; i++)
		counters += methods[i].jit_ns;
	if (counters > 0) {
		qsort(methods, count, sizeof(*methods), compare_compilations);
		decode_separator();
		printf("Reporting jit time (on %" PRIu64 " methods)\n", defined);
		print_compilations(decode, methods, count, counters);
	} else if (decode->session.flags & MPROF_INTRO_FLAG_JIT) {
		printf("No jit time reported (on %" PRIu64 " methods)\n", defined);
	}
	free(methods);
}

/*
 * Samples.
 */

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

static int make_hit_room(log_decode *decode, hit_table *table)
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

	if (make_hit_room(decode, &table)) {
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

/*
 * Monitors.
 */

typedef struct wait_sums {
	uint64_t counters;
	uint64_t contentions;
	uint64_t failures;
} wait_sums;

/* The keys by which waits are grouped, one for each level of a tree. */
enum { PART_CLASS, PART_METHOD, PART_OBJECT, PART_PATH, PART_COUNT };

typedef struct wait_row {
	uint64_t parts[PART_COUNT]; /**< PART_PATH: stack ID, and call tree node << 32. */
	int is_known;               /**< The path is known. */
	wait_sums sums;
} wait_row;

/* Rows with one key in common. */
typedef struct wait_group {
	wait_sums sums;
	size_t first;
	size_t count;
} wait_group;

/* The levels of the trees below a class. */
static const int by_caller[] = {PART_METHOD, PART_PATH, PART_COUNT};
static const int by_monitor[] = {PART_OBJECT, PART_METHOD, PART_PATH, PART_COUNT};

static call_path path_of(const wait_row *row)
{
	call_path path = {(uint32_t)row->parts[PART_PATH], (uint32_t)(row->parts[PART_PATH] >> 32)};

	return path;
}

static void fetch_row(const log_decode *decode, size_t index, wait_row *row)
{
	mprof_monitor_site site;
	path_frame frame;
	call_path path;

	site.struct_size = sizeof(site);
	mprof_profile_get_row(decode->profile, MPROF_TABLE_MONITOR_SITES, index, &site);
	row->parts[PART_CLASS] = site.class_id;
	row->parts[PART_OBJECT] = site.object;
	row->parts[PART_PATH] = (uint64_t)site.call << 32 | site.stack;
	row->sums.counters = site.contended_ns;
	row->sums.contentions = site.contentions;
	row->sums.failures = site.failures;
	path = path_of(row);
	row->is_known = decode_next_frame(decode, &path, &frame);
	row->parts[PART_METHOD] = row->is_known ? frame.method : 0;
}

static int compare_rows(const void *left, const void *right, void *user)
{
	int part = *(const int *)user;

	return decode_larger_first(((const wait_row *)right)->parts[part], ((const wait_row *)left)->parts[part]);
}

static int compare_groups(const void *left, const void *right)
{
	const wait_group *a = left;
	const wait_group *b = right;
	int order = decode_larger_first(a->sums.counters, b->sums.counters);

	order = order != 0 ? order : decode_larger_first(a->sums.contentions, b->sums.contentions);
	return order != 0 ? order : decode_larger_first(b->first, a->first);
}

/* Sorts rows by a key and groups them by it. The caller frees the groups; NULL if out of memory. */
static wait_group *group_rows(log_decode *decode, wait_row *rows, size_t count, int part, size_t *group_count)
{
	wait_group *groups = decode_room(decode, count, sizeof(*groups));
	wait_group *group = groups;

	*group_count = 0;
	if (groups == NULL)
		return NULL;
	qsort_r(rows, count, sizeof(*rows), compare_rows, &part);
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || rows[i].parts[part] != rows[i - 1].parts[part]) {
			group = &groups[(*group_count)++];
			group->first = i;
		}
		group->count++;
		group->sums.counters += rows[i].sums.counters;
		group->sums.contentions += rows[i].sums.contentions;
		group->sums.failures += rows[i].sums.failures;
	}
	qsort(groups, *group_count, sizeof(*groups), compare_groups);
	return groups;
}

static void print_indentation(int depth)
{
	printf("%*s", 8 * depth, "");
}

static void print_sums(const wait_sums *sums, const wait_sums *whole, int depth)
{
	print_indentation(depth);
	decode_percent((double)sums->counters, (double)whole->counters);
	printf(" (%" PRIu64 ".000000 ticks) contention time (%" PRIu64 " contentions, %" PRIu64 " failures) in ",
	       sums->counters, sums->contentions, sums->failures);
}

static void print_wait_path(const log_decode *decode, const wait_row *row, int depth)
{
	call_path path = path_of(row);

	printf("CallStack of id %" PRIu32 "\n", path.stack != 0 ? path.stack : path.call);
	if (!row->is_known) {
		print_indentation(depth + 2);
		puts("(CALL STACK UNAVAILABLE)");
	}
	decode_path(decode, path, 8 * (depth + 2), FRAME_METHOD);
}

static void print_name(const log_decode *decode, const wait_row *row, int part, int depth)
{
	switch (part) {
	case PART_CLASS:
		decode_class(decode, (uint32_t)row->parts[PART_CLASS]);
		break;
	case PART_OBJECT:
		printf("object %" PRIu64, row->parts[PART_OBJECT]);
		break;
	case PART_METHOD:
		if (row->is_known)
			decode_method(decode, (uint32_t)row->parts[PART_METHOD]);
		else
			fputs("(CLASS UNAVAILABLE).(CALL STACK UNAVAILABLE)", stdout);
		break;
	default:
		print_wait_path(decode, row, depth);
		return;
	}
	putchar('\n');
}

/* Prints the levels of a tree from \p parts on. The recursion is as deep as the tree has levels. */
static void print_level(log_decode *decode, wait_row *rows, size_t count, const int *parts, const wait_sums *whole,
			int depth)
{
	size_t group_count;
	wait_group *groups;

	if (*parts == PART_COUNT)
		return;
	groups = group_rows(decode, rows, count, *parts, &group_count);
	for (size_t i = 0; i < group_count; i++) {
		wait_row *first = &rows[groups[i].first];

		print_sums(&groups[i].sums, whole, depth);
		print_name(decode, first, *parts, depth);
		print_level(decode, first, groups[i].count, parts + 1, &groups[i].sums, depth + 1);
	}
	free(groups);
}

static void print_classes(log_decode *decode, wait_row *rows, size_t count, const wait_sums *whole)
{
	size_t group_count;
	wait_group *groups = group_rows(decode, rows, count, PART_CLASS, &group_count);

	for (size_t i = 0; i < group_count; i++) {
		wait_row *first = &rows[groups[i].first];

		print_sums(&groups[i].sums, whole, 1);
		print_name(decode, first, PART_CLASS, 1);
		print_indentation(2);
		puts("Statistics by caller:");
		print_level(decode, first, groups[i].count, by_caller, &groups[i].sums, 3);
		print_indentation(2);
		puts("Statistics by monitor:");
		print_level(decode, first, groups[i].count, by_monitor, &groups[i].sums, 3);
	}
	free(groups);
}

void decode_monitors(log_decode *decode)
{
	size_t count = mprof_profile_get_row_count(decode->profile, MPROF_TABLE_MONITOR_SITES);
	wait_row *rows = decode_room(decode, count, sizeof(*rows));
	wait_sums whole = {0, 0, 0};

	if (rows != NULL && count > 0) {
		for (size_t i = 0; i < count; i++) {
			fetch_row(decode, i, &rows[i]);
			whole.counters += rows[i].sums.counters;
			whole.contentions += rows[i].sums.contentions;
			whole.failures += rows[i].sums.failures;
		}
		decode_separator();
		puts("Reporting monitor statistics.");
		print_sums(&whole, &whole, 0);
		puts("Global statistics");
		print_classes(decode, rows, count, &whole);
	}
	free(rows);
}
