/* SPDX-License-Identifier: MIT */
/* Trees of frames against a reference that keeps every call stack: filters, callers and callees, inverted trees. */
#include "base/failing_allocator.h"
#include "memory_fixture.h"
#include "profile_fixture.h"

#include <stdio.h>

#define MAX_STACKS 4000
#define MAX_DEPTH 12
#define METHODS 6
/* Replaces collapsed methods in the reference. */
#define COLLAPSED (METHODS + 1)

/* A call stack with the time in its innermost method, and whether this method was entered in it. */
typedef struct reference_stack {
	uint32_t methods[MAX_DEPTH];
	size_t depth;
	uint64_t self;
	uint64_t calls;
} reference_stack;

typedef struct reference {
	reference_stack stacks[MAX_STACKS];
	size_t count;
} reference;

/* Bits of mprof_frame_choice by method. */
typedef struct choices {
	uint32_t of[COLLAPSED + 1];
} choices;

static uint32_t choose(void *user, uint32_t kind, uint32_t id)
{
	cr_expect_eq(kind, MPROF_SAMPLE_METHOD);
	cr_assert_leq(id, METHODS);
	return ((const choices *)user)->of[id];
}

static uint32_t next_number(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 33);
}

static void add_reference(reference *all, const uint32_t *methods, size_t depth, uint64_t self, uint64_t calls)
{
	reference_stack *stack;

	if (depth == 0)
		return;
	cr_assert_lt(all->count, MAX_STACKS);
	stack = &all->stacks[all->count++];
	memcpy(stack->methods, methods, depth * sizeof(*methods));
	stack->depth = depth;
	stack->self = self;
	stack->calls = calls;
}

/* Random calls with recursion, and all call stacks that time passed in. */
static void write_calls(test_log *log, reference *all, uint64_t seed)
{
	uint32_t stack[MAX_DEPTH];
	size_t depth = 0;
	uint64_t counter = 0;
	uint64_t state = seed;

	all->count = 0;
	log_begin(log);
	begin_block(log, 7, 0);
	for (size_t i = 0; i < 1500; i++) {
		uint64_t passed = next_number(&state) % 20;

		counter += passed;
		add_reference(all, stack, depth, passed, 0);
		if (depth < MAX_DEPTH && (depth == 0 || next_number(&state) % 2)) {
			stack[depth++] = 1 + next_number(&state) % METHODS;
			enter(log, stack[depth - 1], counter);
			add_reference(all, stack, depth, 0, 1);
		} else {
			leave(log, stack[--depth], counter);
		}
	}
	while (depth > 0)
		leave(log, stack[--depth], counter);
	end_block(log);
	log_profile(log);
}

/* Whether a stack has a method with a choice among its frames from the innermost \p skip on. */
static int has_choice(const reference_stack *stack, const choices *chosen, uint32_t choice)
{
	for (size_t i = 0; i < stack->depth; i++) {
		if (chosen->of[stack->methods[i]] & choice)
			return 1;
	}
	return 0;
}

/* Applies the filters to the reference. The calls of hidden methods and inside a collapsed run do not count. */
static void filter_reference(const reference *all, const choices *chosen, int has_focus, reference *filtered)
{
	filtered->count = 0;
	for (size_t i = 0; i < all->count; i++) {
		const reference_stack *stack = &all->stacks[i];
		uint32_t methods[MAX_DEPTH];
		size_t depth = 0;
		int is_added = 0;

		if (has_choice(stack, chosen, MPROF_FRAME_IGNORE) ||
		    (has_focus && !has_choice(stack, chosen, MPROF_FRAME_FOCUS)))
			continue;
		for (size_t k = 0; k < stack->depth; k++) {
			uint32_t choice = chosen->of[stack->methods[k]];
			uint32_t method = choice & MPROF_FRAME_COLLAPSE ? COLLAPSED : stack->methods[k];

			is_added = !(choice & MPROF_FRAME_HIDE) &&
				   !(method == COLLAPSED && depth > 0 && methods[depth - 1] == COLLAPSED);
			if (is_added)
				methods[depth++] = method;
		}
		add_reference(filtered, methods, depth, stack->self, is_added ? stack->calls : 0);
	}
}

/* Sums of the reference. An edge is a caller, 0 for none, and the method that it calls. */
typedef struct expected_sums {
	uint64_t count;
	uint64_t self;
	uint64_t total;
} expected_sums;

static int is_in(const choices *chosen, uint32_t method)
{
	return method != 0 && (chosen->of[method] & MPROF_FRAME_SELECT);
}

enum { OF_METHOD, OF_CALLER, OF_CALLEE };

/* Whether frame \p k of a stack belongs to a row of a table. */
static int belongs(const reference_stack *stack, size_t k, const choices *chosen, int table, uint32_t row)
{
	uint32_t caller = k > 0 ? stack->methods[k - 1] : 0;
	uint32_t method = stack->methods[k];

	if (table == OF_METHOD)
		return method == row;
	if (table == OF_CALLER)
		return caller == row && is_in(chosen, method);
	return method == row && is_in(chosen, caller);
}

static expected_sums expect_row(const reference *all, const choices *chosen, int table, uint32_t row)
{
	expected_sums sums = {0, 0, 0};

	for (size_t i = 0; i < all->count; i++) {
		const reference_stack *stack = &all->stacks[i];
		int is_any = 0;

		for (size_t k = 0; k < stack->depth; k++)
			is_any |= belongs(stack, k, chosen, table, row);
		sums.total += is_any ? stack->self : 0;
		if (belongs(stack, stack->depth - 1, chosen, table, row)) {
			sums.self += stack->self;
			sums.count += stack->calls;
		}
	}
	return sums;
}

static uint32_t row_of(uint32_t kind, uint32_t id)
{
	cr_assert(kind == 0 || kind == MPROF_SAMPLE_METHOD || kind == MPROF_SAMPLE_COLLAPSED);
	return kind == MPROF_SAMPLE_COLLAPSED ? COLLAPSED : id;
}

typedef mprof_status (*row_getter)(const mprof_frame_tree *tree, size_t index, mprof_frame_stats *stats);

static void expect_table(const mprof_frame_tree *tree, size_t count, row_getter get, const reference *all,
			 const choices *chosen, int table, int compares_calls)
{
	uint32_t found = 0;

	for (size_t i = 0; i < count; i++) {
		mprof_frame_stats stats = {.struct_size = sizeof(stats)};
		expected_sums expected;
		uint32_t row;

		cr_assert_eq(get(tree, i, &stats), MPROF_OK);
		row = row_of(stats.kind, stats.id);
		cr_assert_leq(row, COLLAPSED);
		cr_expect_eq(found >> row & 1, 0);
		found |= UINT32_C(1) << row;
		expected = expect_row(all, chosen, table, row);
		cr_expect_eq(stats.self, expected.self, "table %d, %u: %lu", table, row, (unsigned long)stats.self);
		cr_expect_eq(stats.total, expected.total, "table %d, %u: %lu", table, row, (unsigned long)stats.total);
		if (compares_calls)
			cr_expect_eq(stats.count, expected.count);
	}
	for (uint32_t row = 0; row <= COLLAPSED; row++) {
		expected_sums expected = expect_row(all, chosen, table, row);

		cr_expect(expected.total == 0 || (found >> row & 1), "table %d: %u is missing", table, row);
	}
}

static void expect_tree(const mprof_frame_tree *tree, const reference *filtered, const choices *chosen,
			int compares_calls)
{
	expect_table(tree, mprof_frame_tree_get_frame_count(tree), mprof_frame_tree_get_frame, filtered, chosen,
		     OF_METHOD, compares_calls);
	expect_table(tree, mprof_frame_tree_get_caller_count(tree), mprof_frame_tree_get_caller, filtered, chosen,
		     OF_CALLER, compares_calls);
	expect_table(tree, mprof_frame_tree_get_callee_count(tree), mprof_frame_tree_get_callee, filtered, chosen,
		     OF_CALLEE, compares_calls);
}

/* The sums of the callers are those of the selection. */
static void expect_callers_add_up(const mprof_frame_tree *tree)
{
	mprof_frame_stats selection = {.struct_size = sizeof(selection)};
	uint64_t count = 0;
	uint64_t self = 0;

	cr_assert_eq(mprof_frame_tree_get_selection(tree, &selection), MPROF_OK);
	for (size_t i = 0; i < mprof_frame_tree_get_caller_count(tree); i++) {
		mprof_frame_stats stats = {.struct_size = sizeof(stats)};

		cr_assert_eq(mprof_frame_tree_get_caller(tree, i, &stats), MPROF_OK);
		cr_expect_leq(stats.total, selection.total);
		count += stats.count;
		self += stats.self;
	}
	cr_expect_eq(count, selection.count);
	cr_expect_eq(self, selection.self);
}

static mprof_frame_tree *make_tree(const test_log *log, choices *chosen, int has_focus, int is_inverted)
{
	mprof_frame_tree_options options;
	mprof_frame_tree *tree;

	mprof_frame_tree_options_init(&options, sizeof(options));
	options.source = MPROF_FRAME_SOURCE_CALLS;
	options.choose = choose;
	options.user = chosen;
	options.has_focus = (uint32_t)has_focus;
	options.inverted = (uint32_t)is_inverted;
	cr_assert_eq(mprof_frame_tree_create(log->profile, log->reader, &options, &tree), MPROF_OK);
	return tree;
}

static mprof_frame_node node_at(const mprof_frame_tree *tree, uint32_t number)
{
	mprof_frame_node node = {.struct_size = sizeof(node)};

	cr_assert_eq(mprof_frame_tree_get_node(tree, number, &node), MPROF_OK);
	return node;
}

/* Every node of an inverted tree has the values of the stacks that end in its path. */
static void expect_inverted(const mprof_frame_tree *tree, const reference *all, int compares_calls)
{
	for (uint32_t number = 1; number < mprof_frame_tree_get_node_count(tree); number++) {
		mprof_frame_node node = node_at(tree, number);
		uint32_t path[MAX_DEPTH];
		size_t length = 0;
		uint64_t total = 0;
		uint64_t count = 0;

		/* From the outermost caller to the method whose values these are. */
		for (uint32_t above = number; above != 0; above = node_at(tree, above).parent) {
			cr_assert_lt(length, MAX_DEPTH);
			path[length++] = row_of(node_at(tree, above).kind, node_at(tree, above).id);
		}
		for (size_t i = 0; i < all->count; i++) {
			const reference_stack *stack = &all->stacks[i];

			if (stack->depth < length ||
			    memcmp(stack->methods + stack->depth - length, path, length * sizeof(*path)) != 0)
				continue;
			total += stack->self;
			count += stack->calls;
		}
		cr_expect_eq(node.total, total);
		if (compares_calls)
			cr_expect_eq(node.count, count);
	}
}

static void expect_whole(const mprof_frame_tree *tree, const reference *filtered)
{
	uint64_t whole = 0;

	for (size_t i = 0; i < filtered->count; i++)
		whole += filtered->stacks[i].self;
	cr_expect_eq(node_at(tree, 0).total - node_at(tree, 0).self, whole);
}

Test(frame_tree, tables_and_trees_are_those_of_the_filtered_call_stacks)
{
	static reference all;
	static reference filtered;

	for (uint64_t seed = 1; seed <= 84; seed++) {
		choices chosen = {{0}};
		uint64_t state = seed * 7919;
		/* Without any filter, with one of them, with two, and with all. */
		static const uint32_t sets[] = {0,
						MPROF_FRAME_FOCUS,
						MPROF_FRAME_IGNORE,
						MPROF_FRAME_HIDE,
						MPROF_FRAME_COLLAPSE,
						MPROF_FRAME_HIDE | MPROF_FRAME_COLLAPSE,
						MPROF_FRAME_FOCUS | MPROF_FRAME_IGNORE | MPROF_FRAME_HIDE |
							MPROF_FRAME_COLLAPSE};
		static const uint32_t bits[] = {MPROF_FRAME_FOCUS, MPROF_FRAME_IGNORE, MPROF_FRAME_HIDE,
						MPROF_FRAME_COLLAPSE};
		uint32_t allowed = sets[seed % (sizeof(sets) / sizeof(sets[0]))];
		int has_focus = (allowed & MPROF_FRAME_FOCUS) != 0;
		mprof_frame_tree *tree;
		test_log log;

		for (uint32_t method = 1; method <= METHODS; method++) {
			uint32_t bit = bits[next_number(&state) % 4];

			chosen.of[method] = next_number(&state) % 2 == 0 ? bit & allowed : 0;
			chosen.of[method] |= next_number(&state) % 3 == 0 ? MPROF_FRAME_SELECT : 0;
		}
		write_calls(&log, &all, seed);
		filter_reference(&all, &chosen, has_focus, &filtered);
		tree = make_tree(&log, &chosen, has_focus, 0);
		/* Callers of methods in focus are shown with all their calls, so these differ from the reference. */
		expect_tree(tree, &filtered, &chosen, !has_focus);
		expect_callers_add_up(tree);
		expect_whole(tree, &filtered);
		mprof_frame_tree_destroy(tree);
		tree = make_tree(&log, &chosen, has_focus, 1);
		expect_inverted(tree, &filtered, !has_focus);
		expect_tree(tree, &filtered, &chosen, !has_focus);
		expect_whole(tree, &filtered);
		mprof_frame_tree_destroy(tree);
		log_release(&log);
	}
}

Test(frame_tree, recursion_counts_once_and_calls_are_those_of_the_outside)
{
	choices chosen = {{0}};
	mprof_frame_stats row = {.struct_size = sizeof(row)};
	mprof_frame_tree *tree;
	test_log log;

	chosen.of[2] = MPROF_FRAME_SELECT;
	log_begin(&log);
	begin_block(&log, 7, 0);
	enter(&log, 1, 0);
	enter(&log, 2, 10);
	enter(&log, 2, 20);
	leave(&log, 2, 50);
	leave(&log, 2, 60);
	leave(&log, 1, 100);
	end_block(&log);
	log_profile(&log);
	tree = make_tree(&log, &chosen, 0, 0);
	cr_assert_eq(mprof_frame_tree_get_selection(tree, &row), MPROF_OK);
	cr_expect_eq(row.count, 2);
	cr_expect_eq(row.self, 50);
	cr_expect_eq(row.total, 50);
	cr_assert_eq(mprof_frame_tree_get_caller_count(tree), 2);
	cr_assert_eq(mprof_frame_tree_get_caller(tree, 0, &row), MPROF_OK);
	cr_expect_eq(row.id, 1);
	cr_expect_eq(row.total, 50);
	cr_expect_eq(row.self, 20);
	cr_assert_eq(mprof_frame_tree_get_caller(tree, 1, &row), MPROF_OK);
	cr_expect_eq(row.id, 2);
	cr_expect_eq(row.total, 30);
	cr_assert_eq(mprof_frame_tree_get_callee_count(tree), 1);
	mprof_frame_tree_destroy(tree);
	log_release(&log);
}

/* Stack 1 is m1, stack 2 is m2 called by m1, stack 3 is m3 called by that. */
static void write_stacks(test_log *log)
{
	const mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail), .stack = 2};
	mprof_event samples[3];

	log_begin(log);
	WRITE_RECORDS(log, MPROF_BLOCK_STACKS, 0, STACK_OF_METHOD(1, 0, 1), STACK_OF_METHOD(2, 1, 2),
		      STACK_OF_METHOD(3, 2, 3));
	memset(samples, 0, sizeof(samples));
	for (size_t i = 0; i < 3; i++) {
		samples[i].kind = MPROF_EVENT_SAMPLE;
		samples[i].counter = SESSION_START + 10 * i;
		samples[i].value = 1 + i;
	}
	cr_assert_eq(mprof_writer_write_samples(log->writer, 9, SESSION_START, samples, 3), MPROF_OK);
	begin_block(log, 7, 0);
	add_detailed(log, MPROF_EVENT_ALLOCATION, 1, 0, 24, &detail);
	add_detailed(log, MPROF_EVENT_ALLOCATION, 2, 0, 40, &detail);
	end_block(log);
	log_profile(log);
}

Test(frame_tree, samples_and_allocations_by_call_stack)
{
	mprof_frame_tree_options options;
	mprof_frame_tree *tree;
	test_log log;

	write_stacks(&log);
	mprof_frame_tree_options_init(&options, sizeof(options));
	options.source = MPROF_FRAME_SOURCE_SAMPLES;
	options.inverted = 1;
	cr_assert_eq(mprof_frame_tree_create(log.profile, log.reader, &options, &tree), MPROF_OK);
	cr_expect_eq(node_at(tree, 0).total, 3);
	cr_expect_eq(mprof_frame_tree_get_node_count(tree), 1 + 1 + 2 + 3);
	mprof_frame_tree_destroy(tree);
	options.source = MPROF_FRAME_SOURCE_ALLOCATIONS;
	options.inverted = 0;
	cr_assert_eq(mprof_frame_tree_create(log.profile, log.reader, &options, &tree), MPROF_OK);
	cr_assert_eq(mprof_frame_tree_get_node_count(tree), 3);
	cr_expect_eq(node_at(tree, 1).id, 1);
	cr_expect_eq(node_at(tree, 1).total, 64);
	cr_expect_eq(node_at(tree, 1).self, 0);
	cr_expect_eq(node_at(tree, 2).id, 2);
	cr_expect_eq(node_at(tree, 2).self, 64);
	cr_expect_eq(node_at(tree, 2).count, 2);
	mprof_frame_tree_destroy(tree);
	log_release(&log);
}

Test(frame_tree, objects_belong_to_the_frame_that_has_their_bytes)
{
	static const uint32_t cases[] = {MPROF_FRAME_HIDE, MPROF_FRAME_COLLAPSE};
	mprof_frame_tree_options options;
	choices chosen = {{0}};
	test_log log;

	write_stacks(&log);
	mprof_frame_tree_options_init(&options, sizeof(options));
	options.source = MPROF_FRAME_SOURCE_ALLOCATIONS;
	options.choose = choose;
	options.user = &chosen;
	for (size_t i = 0; i < 2; i++) {
		mprof_frame_tree *tree;

		/* Collapsed are both methods; hidden is only the one that allocates. */
		chosen.of[1] = cases[i] & MPROF_FRAME_COLLAPSE;
		chosen.of[2] = cases[i];
		cr_assert_eq(mprof_frame_tree_create(log.profile, log.reader, &options, &tree), MPROF_OK);
		cr_assert_eq(mprof_frame_tree_get_node_count(tree), 2);
		cr_expect_eq(node_at(tree, 1).kind, i == 0 ? MPROF_SAMPLE_METHOD : MPROF_SAMPLE_COLLAPSED);
		cr_expect_eq(node_at(tree, 1).id, i == 0 ? 1 : 0);
		cr_expect_eq(node_at(tree, 1).self, 64);
		cr_expect_eq(node_at(tree, 1).count, 2);
		mprof_frame_tree_destroy(tree);
	}
	log_release(&log);
}

/*
 * Call sites of all kinds: stack 2 is m2 called by m1, stack 3 is native code called by that, and a call of m1 without a
 * stack. The first allocation has no call site.
 */
static void write_sites(test_log *log)
{
	const mprof_event_detail stacks[] = {
		{.struct_size = sizeof(mprof_event_detail), .object = 0x1000},
		{.struct_size = sizeof(mprof_event_detail), .object = 0x1000, .stack = 2},
		{.struct_size = sizeof(mprof_event_detail), .object = 0x1000, .stack = 3},
	};
	const mprof_profile_options options = {.struct_size = sizeof(options), .with_call_sites = 1};

	log_begin(log);
	WRITE_RECORDS(log, MPROF_BLOCK_CODE, 0, {.kind = MPROF_RECORD_LOCATION, .id = 1, .as.location.offset = 0x5000});
	WRITE_RECORDS(log, MPROF_BLOCK_STACKS, 0, STACK_OF_METHOD(1, 0, 1), STACK_OF_METHOD(2, 1, 2),
		      STACK_OF_LOCATION(3, 2, 1));
	begin_block(log, 7, 0);
	add_detailed(log, MPROF_EVENT_ALLOCATION, 1, 0, 8, &stacks[0]);
	add_detailed(log, MPROF_EVENT_ALLOCATION, 2, 0, 16, &stacks[1]);
	enter(log, 1, 10);
	add_detailed(log, MPROF_EVENT_ALLOCATION, 1, 10, 32, &stacks[0]);
	add_detailed(log, MPROF_EVENT_ALLOCATION, 2, 10, 64, &stacks[2]);
	for (size_t i = 0; i < 2; i++) {
		add_detailed(log, MPROF_EVENT_MONITOR, 1, 20 + 100 * i, MPROF_MONITOR_CONTENDED, &stacks[i]);
		add_detailed(log, MPROF_EVENT_MONITOR, 1, 50 + 100 * i, MPROF_MONITOR_ACQUIRED, &stacks[i]);
	}
	add_detailed(log, MPROF_EVENT_HANDLE_CREATED, 1, 200, 1, &stacks[0]);
	add_detailed(log, MPROF_EVENT_HANDLE_CREATED, 1, 200, 2, &stacks[1]);
	leave(log, 1, 300);
	end_block(log);
	log_profile_with(log, &options);
}

/* The call stacks of a tree, each with its count and value, as "m1,m2,c1=1/24 ", in the order of nodes. */
static const char *stacks_of(const mprof_frame_tree *tree)
{
	static const char letters[] = {' ', 'm', 'f', 'o', 'l', 't', 'x', 'c', '?'};
	static char text[1000];
	size_t length = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < mprof_frame_tree_get_node_count(tree); i++) {
		mprof_frame_node node = node_at(tree, i);
		uint32_t path[MAX_DEPTH];
		size_t depth = 0;

		if (node.self == 0 && node.count == 0)
			continue;
		for (uint32_t at = i; at != 0; at = node_at(tree, at).parent)
			path[depth++] = at;
		while (depth-- > 0)
			length += (size_t)snprintf(text + length, sizeof(text) - length, "%c%u%s",
						   letters[node_at(tree, path[depth]).kind],
						   node_at(tree, path[depth]).id, depth > 0 ? "," : "");
		length += (size_t)snprintf(text + length, sizeof(text) - length, "=%lu/%lu ", (unsigned long)node.count,
					   (unsigned long)node.self);
	}
	return text;
}

static uint32_t ignore_class_2(void *user, uint32_t kind, uint32_t id)
{
	(void)user;
	return kind == MPROF_SAMPLE_CLASS && id == 2 ? MPROF_FRAME_IGNORE : 0;
}

static uint32_t focus_method_2(void *user, uint32_t kind, uint32_t id)
{
	(void)user;
	return kind == MPROF_SAMPLE_METHOD && id == 2 ? MPROF_FRAME_FOCUS : 0;
}

Test(frame_tree, call_sites_of_allocations_waits_and_handles)
{
	static const struct {
		uint32_t source;
		uint32_t with_classes;
		uint32_t with_locations;
		mprof_frame_chooser choose;
		const char *expected;
	} cases[] = {
		{MPROF_FRAME_SOURCE_ALLOCATIONS, 0, 0, NULL, "m1,m2=1/16 m1,m2,l1=1/64 "},
		{MPROF_FRAME_SOURCE_ALLOCATIONS, 1, 1, NULL, "m1,m2,c2=1/16 m1,c1=1/32 m1,m2,l1,c2=1/64 ?0,c1=1/8 "},
		{MPROF_FRAME_SOURCE_ALLOCATIONS, 1, 0, ignore_class_2, "m1,c1=1/32 ?0,c1=1/8 "},
		{MPROF_FRAME_SOURCE_ALLOCATIONS, 1, 0, focus_method_2, "m1,m2,c2=1/16 m1,m2,l1,c2=1/64 "},
		{MPROF_FRAME_SOURCE_WAITS, 0, 0, NULL, "m1=1/30 m1,m2=1/30 "},
		{MPROF_FRAME_SOURCE_WAITS, 1, 0, NULL, "m1,c1=1/30 m1,m2,c1=1/30 "},
		{MPROF_FRAME_SOURCE_HANDLES, 0, 0, NULL, "?0=1/1 m1,m2=1/1 "},
		{MPROF_FRAME_SOURCE_HANDLES, 1, 1, focus_method_2, "m1,m2,c1=1/1 "},
	};
	test_log log;

	write_sites(&log);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		mprof_frame_tree_options options;
		mprof_frame_tree *tree;

		mprof_frame_tree_options_init(&options, sizeof(options));
		options.source = cases[i].source;
		options.with_classes = cases[i].with_classes;
		options.with_locations = cases[i].with_locations;
		options.choose = cases[i].choose;
		options.has_focus = cases[i].choose == focus_method_2;
		cr_assert_eq(mprof_frame_tree_create(log.profile, log.reader, &options, &tree), MPROF_OK);
		cr_expect_str_eq(stacks_of(tree), cases[i].expected, "%zu: %s", i, stacks_of(tree));
		mprof_frame_tree_destroy(tree);
	}
	log_release(&log);
}

/*
 * Blocks of 16 and 48 bytes exist at the peak; the first is freed. The last one, without a stack, is freed by the thread
 * that has just allocated it.
 */
Test(frame_tree, native_memory_by_call_stack)
{
	static const struct {
		uint32_t source;
		mprof_frame_chooser choose;
		const char *expected;
	} cases[] = {
		{MPROF_FRAME_SOURCE_MEMORY, NULL, "m1,m2=1/16 m1,m2,l1=2/52 ?0=1/5 "},
		{MPROF_FRAME_SOURCE_MEMORY, focus_method_2, "m1,m2=1/16 m1,m2,l1=2/52 "},
		{MPROF_FRAME_SOURCE_MEMORY_LIVE, NULL, "m1,m2,l1=2/52 "},
		{MPROF_FRAME_SOURCE_MEMORY_PEAK, NULL, "m1,m2=1/16 m1,m2,l1=1/48 "},
		{MPROF_FRAME_SOURCE_MEMORY_TEMPORARY, NULL, "?0=1/1 "},
	};
	test_log log;

	log_begin(&log);
	WRITE_RECORDS(&log, MPROF_BLOCK_CODE, 0,
		      {.kind = MPROF_RECORD_LOCATION, .id = 1, .as.location.offset = 0x5000});
	WRITE_RECORDS(&log, MPROF_BLOCK_STACKS, 0, STACK_OF_METHOD(1, 0, 1), STACK_OF_METHOD(2, 1, 2),
		      STACK_OF_LOCATION(3, 2, 1));
	begin_block(&log, 7, 0);
	allocate(&log, 10, 0x1000, 16, 2);
	allocate(&log, 20, 0x2000, 48, 3);
	release(&log, 30, 0x1000);
	allocate(&log, 40, 0x3000, 4, 3);
	allocate(&log, 50, 0x4000, 5, 0);
	release(&log, 60, 0x4000);
	end_block(&log);
	log_profile(&log);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		mprof_frame_tree_options options;
		mprof_frame_tree *tree;

		mprof_frame_tree_options_init(&options, sizeof(options));
		options.source = cases[i].source;
		options.with_locations = 1;
		options.with_classes = (uint32_t)(i % 2);
		options.choose = cases[i].choose;
		options.has_focus = cases[i].choose != NULL;
		cr_assert_eq(mprof_frame_tree_create(log.profile, log.reader, &options, &tree), MPROF_OK);
		cr_expect_str_eq(stacks_of(tree), cases[i].expected, "%zu: %s", i, stacks_of(tree));
		mprof_frame_tree_destroy(tree);
	}
	log_release(&log);
}

/* Without call sites, only the call tree has the callers of allocations. */
Test(frame_tree, allocations_of_a_call_tree_have_no_classes)
{
	mprof_frame_tree_options options;
	mprof_frame_tree *tree;
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	add_full(&log, MPROF_EVENT_ALLOCATION, 1, 0, 8, 0);
	enter(&log, 1, 10);
	add_full(&log, MPROF_EVENT_ALLOCATION, 2, 10, 16, 0);
	leave(&log, 1, 20);
	end_block(&log);
	log_profile(&log);
	mprof_frame_tree_options_init(&options, sizeof(options));
	options.source = MPROF_FRAME_SOURCE_ALLOCATIONS;
	options.with_classes = 1;
	cr_assert_eq(mprof_frame_tree_create(log.profile, log.reader, &options, &tree), MPROF_OK);
	cr_expect_str_eq(stacks_of(tree), "=1/8 m1=1/16 ");
	mprof_frame_tree_destroy(tree);
	log_release(&log);
}

Test(frame_tree, refused_and_limited_memory_is_an_error)
{
	static reference all;
	choices chosen = {{0}};
	mprof_status status = MPROF_ERR_MEMORY;
	mprof_frame_tree_options options;
	mprof_frame_tree *tree;
	test_log log;
	size_t fail_at;

	write_calls(&log, &all, 4);
	mprof_frame_tree_options_init(&options, sizeof(options));
	options.source = MPROF_FRAME_SOURCE_CALLS;
	options.inverted = 1;
	chosen.of[1] = MPROF_FRAME_COLLAPSE;
	options.choose = choose;
	options.user = &chosen;
	for (fail_at = 1; status != MPROF_OK; fail_at++) {
		failing_allocator failing;
		mprof_allocator allocator = failing_allocator_interface(&failing);

		memset(&failing, 0, sizeof(failing));
		failing.fail_at = fail_at;
		options.allocator = &allocator;
		status = mprof_frame_tree_create(log.profile, log.reader, &options, &tree);
		cr_expect_eq(status == MPROF_OK, failing.refused == 0);
		cr_expect(status == MPROF_OK || status == MPROF_ERR_MEMORY);
		mprof_frame_tree_destroy(tree);
		cr_expect_eq(failing.blocks, 0);
	}
	cr_expect_gt(fail_at, 20);
	options.allocator = NULL;
	options.max_memory = 30000;
	cr_expect_eq(mprof_frame_tree_create(log.profile, log.reader, &options, &tree), MPROF_ERR_LIMIT);
	cr_expect_null(tree);
	options.source = MPROF_FRAME_SOURCE_MEMORY_TEMPORARY + 1;
	cr_expect_eq(mprof_frame_tree_create(log.profile, log.reader, &options, &tree), MPROF_ERR_ARGUMENT);
	options.source = MPROF_FRAME_SOURCE_WAITS;
	options.with_classes = 2;
	cr_expect_eq(mprof_frame_tree_create(log.profile, log.reader, &options, &tree), MPROF_ERR_ARGUMENT);
	log_release(&log);
}

Test(frame_tree, refused_memory_of_call_sites_is_an_error)
{
	mprof_frame_tree_options options;
	mprof_status status = MPROF_ERR_MEMORY;
	test_log log;
	size_t fail_at;

	write_sites(&log);
	mprof_frame_tree_options_init(&options, sizeof(options));
	options.source = MPROF_FRAME_SOURCE_ALLOCATIONS;
	options.with_classes = 1;
	for (fail_at = 1; status != MPROF_OK; fail_at++) {
		failing_allocator failing;
		mprof_allocator allocator = failing_allocator_interface(&failing);
		mprof_frame_tree *tree;

		memset(&failing, 0, sizeof(failing));
		failing.fail_at = fail_at;
		options.allocator = &allocator;
		status = mprof_frame_tree_create(log.profile, log.reader, &options, &tree);
		cr_expect_eq(status == MPROF_OK, failing.refused == 0);
		cr_expect(status == MPROF_OK || status == MPROF_ERR_MEMORY);
		mprof_frame_tree_destroy(tree);
		cr_expect_eq(failing.blocks, 0);
	}
	cr_expect_gt(fail_at, 20);
	log_release(&log);
}
