/* SPDX-License-Identifier: MIT */
/* Waits for monitors by class, below it by method and call path, and by object. */
#include "oracle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Sums of a row. */
enum { WAIT_CLICKS, WAIT_CONTENTIONS, WAIT_FAILURES };

/* A row of the tree is found by its parent and its subject. A class has two branches: by caller and by object. */
enum { BRANCH_CALLERS, BRANCH_OBJECTS };

/* The rows of a call site and all that they count for. */
typedef struct wait_rows {
	size_t class;
	size_t caller;
	size_t path;
	size_t object;
	size_t object_caller;
	size_t object_path;
} wait_rows;

typedef struct wait_state {
	fact_table rows;
	uint64_t all[FACT_SUMS];
	fact_table starts; /* By class, object and thread: time of the last event of the object. */
} wait_state;

static wait_state *state(oracle *all)
{
	all->waits = room_once(all->waits, sizeof(*all->waits));
	return all->waits;
}

/* Rows are numbered from 1. */
static size_t row_below(wait_state *waits, size_t above, int branch, uint64_t value)
{
	return facts_find(&waits->rows, (uint64_t)above << 1 | (uint64_t)branch, value, 0) + 1;
}

/* A trace as a number that preserves the order of mprof decode. */
static uint64_t path_number(trace path)
{
	return path.tree == TREE_CALLS ? (uint64_t)path.node << 32 : path.node;
}

static uint32_t trace_method(const oracle *all, trace path)
{
	return path.node == 0 ? 0 : (uint32_t)all->trees[path.tree].nodes.rows[path.node - 1].key[1];
}

static wait_rows find_rows(oracle *all, uint32_t class_id, uint64_t object, trace path)
{
	wait_state *waits = state(all);
	uint32_t method = trace_method(all, path);
	wait_rows rows;

	rows.class = row_below(waits, 0, BRANCH_CALLERS, class_id);
	rows.caller = row_below(waits, rows.class, BRANCH_CALLERS, method);
	rows.path = row_below(waits, rows.caller, BRANCH_CALLERS, path_number(path));
	rows.object = row_below(waits, rows.class, BRANCH_OBJECTS, object);
	rows.object_caller = row_below(waits, rows.object, BRANCH_CALLERS, method);
	rows.object_path = row_below(waits, rows.object_caller, BRANCH_CALLERS, path_number(path));
	return rows;
}

static void add(oracle *all, const wait_rows *rows, int sum, uint64_t amount)
{
	fact *table = all->waits->rows.rows;

	all->waits->all[sum] += amount;
	table[rows->class - 1].sums[sum] += amount;
	table[rows->caller - 1].sums[sum] += amount;
	table[rows->path - 1].sums[sum] += amount;
	table[rows->object - 1].sums[sum] += amount;
	table[rows->object_caller - 1].sums[sum] += amount;
	table[rows->object_path - 1].sums[sum] += amount;
}

/* The decoder measures from the last event of the object in the thread, and attributes it to the current call site. */
static void add_with_fault(oracle *all, const thread_state *thread, const mprof_event *event, uint64_t object,
			   const wait_rows *rows)
{
	fact *start = facts_get(&all->waits->starts, event->id, object, thread->id);

	if (event->value == MPROF_MONITOR_CONTENDED)
		add(all, rows, WAIT_CONTENTIONS, 1);
	else
		add(all, rows, WAIT_CLICKS, thread->now - start->sums[0]);
	if (event->value == MPROF_MONITOR_FAILED)
		add(all, rows, WAIT_FAILURES, 1);
	start->sums[0] = thread->now;
}

/* The result of a wait is attributed to the call site where the wait started. */
static void add_wait(oracle *all, thread_state *thread, const mprof_event *event, uint64_t object, trace path,
		     const wait_rows *rows)
{
	wait_rows begun = *rows;

	if (event->value == MPROF_MONITOR_CONTENDED) {
		add(all, rows, WAIT_CONTENTIONS, 1);
		thread->is_waiting = 1;
		thread->wait_start = thread->now;
		thread->wait_object = object;
		thread->wait_class = event->id;
		thread->wait_trace = path;
		return;
	}
	if (thread->is_waiting && thread->wait_object == object && thread->wait_class == event->id) {
		begun = find_rows(all, event->id, object, thread->wait_trace);
		add(all, &begun, WAIT_CLICKS, thread->now - thread->wait_start);
		thread->is_waiting = 0;
	}
	if (event->value == MPROF_MONITOR_FAILED)
		add(all, &begun, WAIT_FAILURES, 1);
}

void waits_add(oracle *all, thread_state *thread, const mprof_event *event)
{
	uint64_t object = event->more.detail != NULL ? event->more.detail->object : 0;
	trace path = stacks_trace(all, thread);
	wait_rows rows = find_rows(all, event->id, object, path);

	if (has_fault(all, FAULT_WAITS))
		add_with_fault(all, thread, event, object, &rows);
	else
		add_wait(all, thread, event, object, path, &rows);
}

static int by_sums(const void *left, const void *right)
{
	const uint64_t *a = ((const fact *)left)->sums;
	const uint64_t *b = ((const fact *)right)->sums;
	int order = order_numbers(b[WAIT_CLICKS], a[WAIT_CLICKS]);

	return order != 0 ? order : order_numbers(b[WAIT_CONTENTIONS], a[WAIT_CONTENTIONS]);
}

static void print_sums(const uint64_t *sums, const uint64_t *whole, int depth)
{
	printf("%*s", 8 * depth, "");
	print_percent((double)sums[WAIT_CLICKS], (double)whole[WAIT_CLICKS]);
	printf(" (%" PRIu64 ".000000 ticks) contention time (%" PRIu64 " contentions, %" PRIu64 " failures) in ",
	       sums[WAIT_CLICKS], sums[WAIT_CONTENTIONS], sums[WAIT_FAILURES]);
}

static void print_caller(oracle *all, uint64_t method)
{
	if (method != 0)
		print_method(all, (uint32_t)method);
	else
		fputs("(CLASS UNAVAILABLE).(CALL STACK UNAVAILABLE)", stdout);
}

static void print_path(oracle *all, uint64_t number, int depth)
{
	const fact *nodes = all->trees[number >> 32 != 0 ? TREE_CALLS : TREE_SECTIONS].nodes.rows;
	size_t node = (size_t)(number >> 32 != 0 ? number >> 32 : number);

	printf("CallStack of id %" PRIu64, node != 0 ? nodes[node - 1].sums[NODE_NUMBER] : 0);
	if (node == 0)
		printf("\n%*s(CALL STACK UNAVAILABLE)", 8 * (depth + 2), "");
	for (; node != 0; node = (size_t)nodes[node - 1].key[0]) {
		printf("\n%*s", 8 * (depth + 2), "");
		print_method_alone(all, (uint32_t)nodes[node - 1].key[1]);
	}
}

/* Children of a class: methods with their paths, or objects with their methods and paths. */
typedef enum wait_level { LEVEL_CALLERS, LEVEL_PATHS, LEVEL_OBJECTS } wait_level;

static void print_rows(oracle *all, size_t above, int branch, wait_level level, const uint64_t *whole, int depth)
{
	wait_state *waits = all->waits;
	size_t count;
	const fact **rows = facts_of(&waits->rows, (uint64_t)above << 1 | (uint64_t)branch, &count);

	sort_items(all, rows, count, by_sums, 0, order_parts);
	for (size_t i = 0; i < count; i++) {
		size_t row = facts_number(&waits->rows, rows[i]) + 1;

		print_sums(rows[i]->sums, whole, depth);
		if (level == LEVEL_OBJECTS)
			printf("object %" PRIu64, rows[i]->key[1]);
		else if (level == LEVEL_CALLERS)
			print_caller(all, rows[i]->key[1]);
		else
			print_path(all, rows[i]->key[1], depth);
		putchar('\n');
		if (level != LEVEL_PATHS)
			print_rows(all, row, BRANCH_CALLERS, level == LEVEL_OBJECTS ? LEVEL_CALLERS : LEVEL_PATHS,
				   rows[i]->sums, depth + 1);
	}
}

void waits_print(oracle *all)
{
	wait_state *waits = state(all);
	size_t count;
	const fact **classes = facts_of(&waits->rows, BRANCH_CALLERS, &count);

	if (count == 0)
		return;
	print_separator();
	puts("Reporting monitor statistics.");
	print_sums(waits->all, waits->all, 0);
	puts("Global statistics");
	sort_items(all, classes, count, by_sums, 0, order_parts);
	for (size_t i = 0; i < count; i++) {
		size_t row = facts_number(&waits->rows, classes[i]) + 1;

		print_sums(classes[i]->sums, waits->all, 1);
		print_class(all, (uint32_t)classes[i]->key[1]);
		printf("\n%16sStatistics by caller:\n", "");
		print_rows(all, row, BRANCH_CALLERS, LEVEL_CALLERS, classes[i]->sums, 3);
		printf("%16sStatistics by monitor:\n", "");
		print_rows(all, row, BRANCH_OBJECTS, LEVEL_OBJECTS, classes[i]->sums, 3);
	}
}

void waits_release(oracle *all)
{
	facts_release(&state(all)->rows);
	facts_release(&all->waits->starts);
	free(all->waits);
}
