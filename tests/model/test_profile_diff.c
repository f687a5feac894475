/* SPDX-License-Identifier: MIT */
/* The difference of two profiles against both profiles: sums, names that are matched, call paths, refused memory. */
#include "base/failing_allocator.h"
#include "profile_fixture.h"

#define METHODS 6
#define MAX_DEPTH 10

static uint32_t next_number(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 33);
}

/* Defines a method of a class of the fixture. */
static void define(test_log *log, uint32_t id, uint32_t class_id, const char *name)
{
	mprof_method_definition definition = {sizeof(definition), id,   class_id, 0, 0, name,
					      strlen(name),       NULL, 0,        0, 0};

	cr_assert_eq(mprof_writer_define_method(log->writer, &definition), MPROF_OK);
}

/* Random calls and allocations of methods whose IDs start after \p shift. */
static void write_random(test_log *log, uint64_t seed, uint32_t shift)
{
	uint32_t stack[MAX_DEPTH];
	size_t depth = 0;
	uint64_t counter = 0;
	uint64_t state = seed;

	log_begin(log);
	for (uint32_t i = 1; shift > 0 && i <= METHODS; i++) {
		char name[] = {'m', (char)('0' + i), ' ', '(', ')', '\0'};

		define(log, shift + i, i, name);
	}
	begin_block(log, 7, 0);
	for (size_t i = 0; i < 3000; i++) {
		counter += next_number(&state) % 20;
		if (next_number(&state) % 4 == 0) {
			add_full(log, MPROF_EVENT_ALLOCATION, 1 + next_number(&state) % 5, counter,
				 16 + next_number(&state) % 100, 0);
		} else if (depth < MAX_DEPTH && (depth == 0 || next_number(&state) % 2)) {
			stack[depth++] = shift + 1 + next_number(&state) % METHODS;
			enter(log, stack[depth - 1], counter);
		} else {
			leave(log, stack[--depth], counter);
		}
	}
	while (depth > 0)
		leave(log, stack[--depth], counter);
	end_block(log);
	log_profile(log);
}

static mprof_profile_diff *compare_with(const test_log *before, const test_log *after,
					const mprof_profile_diff_options *options)
{
	mprof_profile_diff *diff;

	cr_assert_eq(mprof_profile_diff_create(before->profile, before->reader, after->profile, after->reader, options,
					       &diff),
		     MPROF_OK);
	return diff;
}

static mprof_diff_row row_at(const mprof_profile_diff *diff, uint32_t table, size_t index)
{
	mprof_diff_row row = {.struct_size = sizeof(row)};

	cr_assert_eq(mprof_profile_diff_get_row(diff, table, index, &row), MPROF_OK);
	return row;
}

static mprof_diff_name name_at(const mprof_profile_diff *diff, uint32_t number)
{
	mprof_diff_name name = {.struct_size = sizeof(name)};

	cr_assert_eq(mprof_profile_diff_get_name(diff, number, &name), MPROF_OK);
	return name;
}

/* The row of a method, which must exist once. */
static mprof_diff_row row_of(const mprof_profile_diff *diff, const char *method)
{
	mprof_diff_row found = {.struct_size = 0};

	for (size_t i = 0; i < mprof_profile_diff_get_row_count(diff, MPROF_TABLE_METHODS); i++) {
		mprof_diff_row row = row_at(diff, MPROF_TABLE_METHODS, i);

		if (strcmp(name_at(diff, row.name).name, method) == 0) {
			cr_assert_eq(found.struct_size, 0, "%s twice", method);
			found = row;
		}
	}
	cr_assert_neq(found.struct_size, 0, "no %s", method);
	return found;
}

static void expect_sums(const mprof_profile_diff *diff, const test_log *before, const test_log *after)
{
	mprof_profile_totals old = totals_of(before);
	mprof_profile_totals new = totals_of(after);
	mprof_diff_row sum = {.struct_size = sizeof(sum)};

	cr_assert_eq(mprof_profile_diff_get_sum(diff, MPROF_TABLE_METHODS, &sum), MPROF_OK);
	cr_expect_eq(sum.before.count, old.calls);
	cr_expect_eq(sum.after.count, new.calls);
	cr_expect_eq(sum.before.self, old.method_ns);
	cr_expect_eq(sum.after.self, new.method_ns);
	cr_expect_eq(sum.after.total, new.method_ns);
	cr_assert_eq(mprof_profile_diff_get_sum(diff, MPROF_TABLE_CLASSES, &sum), MPROF_OK);
	cr_expect_eq(sum.before.count, old.allocations);
	cr_expect_eq(sum.after.count, new.allocations);
	cr_expect_eq(sum.before.self, old.allocated_bytes);
	cr_expect_eq(sum.after.self, new.allocated_bytes);
}

Test(profile_diff, rows_are_those_of_both_profiles_although_the_ids_differ)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		test_log before;
		test_log after;
		mprof_profile_diff *diff;

		write_random(&before, seed, 0);
		write_random(&after, seed + 100, 10 + (uint32_t)seed);
		diff = compare_with(&before, &after, NULL);
		expect_sums(diff, &before, &after);
		cr_expect_eq(mprof_profile_diff_get_row_count(diff, MPROF_TABLE_METHODS), METHODS);
		for (uint32_t i = 1; i <= METHODS; i++) {
			char method[] = {'m', (char)('0' + i), ' ', '(', ')', '\0'};
			mprof_diff_row row = row_of(diff, method);
			mprof_method_stats old = method_of(&before, i);
			mprof_method_stats new = method_of(&after, 10 + (uint32_t)seed + i);

			cr_expect_eq(row.before.count, old.calls);
			cr_expect_eq(row.after.count, new.calls);
			cr_expect_eq(row.before.self, old.self_ns);
			cr_expect_eq(row.after.self, new.self_ns);
			cr_expect_eq(row.before.total, old.total_ns);
			cr_expect_eq(row.after.total, new.total_ns);
			cr_expect_eq(row.match, MPROF_DIFF_BEFORE | MPROF_DIFF_AFTER);
			cr_expect_eq(name_at(diff, row.name).before_id, i);
			cr_expect_eq(name_at(diff, row.name).after_id, 10 + (uint32_t)seed + i);
			cr_expect_eq(name_at(diff, row.name).class_name[1], '0' + (int)i);
		}
		mprof_profile_diff_destroy(diff);
		log_release(&before);
		log_release(&after);
	}
}

static mprof_frame_tree *tree_of(const test_log *log, int is_inverted)
{
	mprof_frame_tree_options options;
	mprof_frame_tree *tree;

	mprof_frame_tree_options_init(&options, sizeof(options));
	options.source = MPROF_FRAME_SOURCE_CALLS;
	options.inverted = is_inverted != 0;
	cr_assert_eq(mprof_frame_tree_create(log->profile, log->reader, &options, &tree), MPROF_OK);
	return tree;
}

/* The node of a tree for the same path as a node of the difference; 0 if there is none. */
static uint32_t same_path(const mprof_profile_diff *diff, const mprof_frame_tree *tree, uint32_t number, int is_after)
{
	mprof_diff_node node = {.struct_size = sizeof(node)};
	mprof_frame_node found = {.struct_size = sizeof(found)};
	mprof_diff_name name;
	uint32_t parent = 0;

	cr_assert_eq(mprof_profile_diff_get_node(diff, number, &node), MPROF_OK);
	if (node.parent != 0) {
		parent = same_path(diff, tree, node.parent, is_after);
		if (parent == 0)
			return 0;
	}
	name = name_at(diff, node.name);
	cr_assert_eq(mprof_frame_tree_get_node(tree, parent, &found), MPROF_OK);
	for (uint32_t child = found.first_child; child != 0; child = found.next_sibling) {
		cr_assert_eq(mprof_frame_tree_get_node(tree, child, &found), MPROF_OK);
		if (found.id == (is_after ? name.after_id : name.before_id))
			return child;
	}
	return 0;
}

/* Checks one side of a node. Returns 1 if the tree has it. */
static size_t expect_side(const mprof_profile_diff *diff, const mprof_frame_tree *tree, uint32_t number, int is_after)
{
	mprof_diff_node node = {.struct_size = sizeof(node)};
	mprof_frame_node found = {.struct_size = sizeof(found)};
	uint32_t same = number != 0 ? same_path(diff, tree, number, is_after) : 0;
	const mprof_diff_values *values = is_after ? &node.after : &node.before;

	cr_assert_eq(mprof_profile_diff_get_node(diff, number, &node), MPROF_OK);
	cr_expect_eq(!(node.match & (is_after ? MPROF_DIFF_AFTER : MPROF_DIFF_BEFORE)), number != 0 && same == 0);
	if (number != 0 && same == 0) {
		cr_expect_eq(values->count + values->self + values->total, 0);
		return 0;
	}
	cr_assert_eq(mprof_frame_tree_get_node(tree, same, &found), MPROF_OK);
	cr_expect_eq(values->count, found.count);
	cr_expect_eq(values->self, found.self);
	cr_expect_eq(values->total, found.total);
	return 1;
}

static void expect_trees(int is_inverted)
{
	mprof_profile_diff_options options;
	mprof_profile_diff *diff;
	mprof_frame_tree *old;
	mprof_frame_tree *new;
	test_log before;
	test_log after;
	size_t found[2] = {0, 0};

	write_random(&before, 3, 0);
	write_random(&after, 4, 20);
	old = tree_of(&before, is_inverted);
	new = tree_of(&after, is_inverted);
	mprof_profile_diff_options_init(&options, sizeof(options));
	options.before_tree = old;
	options.after_tree = new;
	diff = compare_with(&before, &after, &options);
	for (uint32_t i = 0; i < mprof_profile_diff_get_node_count(diff); i++) {
		found[0] += expect_side(diff, old, i, 0);
		found[1] += expect_side(diff, new, i, 1);
	}
	cr_expect_eq(found[0], mprof_frame_tree_get_node_count(old));
	cr_expect_eq(found[1], mprof_frame_tree_get_node_count(new));
	cr_expect_gt(mprof_profile_diff_get_node_count(diff), found[0]);
	mprof_profile_diff_destroy(diff);
	mprof_frame_tree_destroy(old);
	mprof_frame_tree_destroy(new);
	log_release(&before);
	log_release(&after);
}

Test(profile_diff, the_combined_tree_has_the_paths_of_both)
{
	expect_trees(0);
	expect_trees(1);
}

/* A log whose methods have these names; the i-th is called i + 1 times. */
static void write_names(test_log *log, const char *const *names, size_t count)
{
	uint64_t counter = 0;

	log_begin(log);
	for (uint32_t i = 0; i < count; i++)
		define(log, 10 + i, 1, names[i]);
	begin_block(log, 7, 0);
	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t calls = 0; calls <= i; calls++) {
			enter(log, 10 + i, counter++);
			leave(log, 10 + i, counter++);
		}
	}
	end_block(log);
	log_profile(log);
}

/* A row as text: "name before after match". */
static void expect_row(const mprof_profile_diff *diff, const char *name, uint64_t before, uint64_t after,
		       uint32_t match)
{
	mprof_diff_row row = row_of(diff, name);

	cr_expect_eq(row.before.count, before, "%s: before", name);
	cr_expect_eq(row.after.count, after, "%s: after", name);
	cr_expect_eq(name_at(diff, row.name).match, match, "%s: match", name);
}

Test(profile_diff, names_with_generated_numbers_match_only_where_that_is_clear)
{
	static const char *const old_names[] = {
		"<A>b__0_0 ()",
		"<A>b__0_1 ()", /* The same in both. */
		"<B>b__1_9 ()",
		"<B>b__1_10 ()", /* The number of the method differs. */
		"<C>b__2_0 ()",
		"<C>b__2_1 ()", /* One was added. */
		"<D>c__async1.MoveNext ()",
		"part.0 ()", /* Another number; not generated. */
		"work.part.0",
		"Plain1 ()",
		"<E>g__F2|3_0 ()", /* A clone; not generated; a local function. */
		"_ZN4work17h0123456789abcdefE",
	};
	static const char *const new_names[] = {
		"<A>b__0_0 ()", "<A>b__0_1 ()", "<B>b__2_9 ()",    "<B>b__2_10 ()",
		"<C>b__3_0 ()", "<C>b__3_1 ()", "<C>b__3_2 ()",    "<D>c__async2.MoveNext ()",
		"work.part.3",  "Plain2 ()",    "<E>g__F2|4_0 ()", "_ZN4work17hfedcba9876543210E",
	};
	const uint32_t both = MPROF_DIFF_BEFORE | MPROF_DIFF_AFTER;
	mprof_profile_diff *diff;
	test_log before;
	test_log after;

	write_names(&before, old_names, sizeof(old_names) / sizeof(old_names[0]));
	write_names(&after, new_names, sizeof(new_names) / sizeof(new_names[0]));
	diff = compare_with(&before, &after, NULL);
	expect_row(diff, "<A>b__0_0 ()", 1, 1, both);
	expect_row(diff, "<A>b__0_1 ()", 2, 2, both);
	expect_row(diff, "<B>b__2_9 ()", 3, 3, both | MPROF_DIFF_RENAMED);
	expect_row(diff, "<B>b__2_10 ()", 4, 4, both | MPROF_DIFF_RENAMED);
	expect_row(diff, "<C>b__# ()", 5 + 6, 5 + 6 + 7, both | MPROF_DIFF_MERGED);
	expect_row(diff, "<D>c__async2.MoveNext ()", 7, 8, both | MPROF_DIFF_RENAMED);
	expect_row(diff, "part.0 ()", 8, 0, MPROF_DIFF_BEFORE);
	expect_row(diff, "work.part.3", 9, 9, both | MPROF_DIFF_RENAMED);
	expect_row(diff, "Plain1 ()", 10, 0, MPROF_DIFF_BEFORE);
	expect_row(diff, "Plain2 ()", 0, 10, MPROF_DIFF_AFTER);
	expect_row(diff, "<E>g__F2|4_0 ()", 11, 11, both | MPROF_DIFF_RENAMED);
	expect_row(diff, "_ZN4work17hfedcba9876543210E", 12, 12, both | MPROF_DIFF_RENAMED);
	expect_sums(diff, &before, &after);
	mprof_profile_diff_destroy(diff);
	log_release(&before);
	log_release(&after);
}

/* Methods of the same name that are in one log twice. */
static void define_class_named(test_log *log, uint32_t id, const char *name)
{
	mprof_class_definition definition = {
		.struct_size = sizeof(definition), .id = id, .name = name, .name_length = strlen(name)};

	cr_assert_eq(mprof_writer_define_class(log->writer, &definition), MPROF_OK);
}

/* A log of methods whose classes and names, one after the other, are the same text. */
static void write_joined(test_log *log)
{
	static const char *const classes[] = {"A.B", "A", "N\nM", "N"};
	static const char *const methods[] = {"C ()", "B.C ()", "P ()", "M\nP ()"};
	uint64_t counter = 0;

	log_begin(log);
	for (uint32_t i = 0; i < 4; i++) {
		define_class_named(log, 50 + i, classes[i]);
		define(log, 50 + i, 50 + i, methods[i]);
	}
	begin_block(log, 7, 0);
	for (uint32_t i = 0; i < 4; i++) {
		for (uint32_t calls = 0; calls <= i; calls++) {
			enter(log, 50 + i, counter++);
			leave(log, 50 + i, counter++);
		}
	}
	end_block(log);
	log_profile(log);
}

Test(profile_diff, class_and_method_are_compared_apart)
{
	test_log log;
	mprof_profile_diff *diff;

	write_joined(&log);
	diff = compare_with(&log, &log, NULL);
	cr_expect_eq(mprof_profile_diff_get_row_count(diff, MPROF_TABLE_METHODS), 4);
	expect_row(diff, "C ()", 1, 1, MPROF_DIFF_BEFORE | MPROF_DIFF_AFTER);
	expect_row(diff, "B.C ()", 2, 2, MPROF_DIFF_BEFORE | MPROF_DIFF_AFTER);
	expect_row(diff, "P ()", 3, 3, MPROF_DIFF_BEFORE | MPROF_DIFF_AFTER);
	expect_row(diff, "M\nP ()", 4, 4, MPROF_DIFF_BEFORE | MPROF_DIFF_AFTER);
	mprof_profile_diff_destroy(diff);
	log_release(&log);
}

Test(profile_diff, what_has_the_same_name_is_added_up)
{
	static const char *const old_names[] = {"f ()", "f ()", "g ()"};
	static const char *const new_names[] = {"f ()"};
	mprof_profile_diff *diff;
	test_log before;
	test_log after;

	write_names(&before, old_names, 3);
	write_names(&after, new_names, 1);
	diff = compare_with(&before, &after, NULL);
	expect_row(diff, "f ()", 3, 1, MPROF_DIFF_BEFORE | MPROF_DIFF_AFTER);
	expect_row(diff, "g ()", 3, 0, MPROF_DIFF_BEFORE);
	cr_expect_eq(name_at(diff, row_of(diff, "f ()").name).before_id, 0);
	cr_expect_eq(name_at(diff, row_of(diff, "f ()").name).after_id, 10);
	mprof_profile_diff_destroy(diff);
	log_release(&before);
	log_release(&after);
}

/* Each class of a log allocates at a call site of its own: a class and the call stack "m2 called by m1". */
Test(profile_diff, call_sites_match_by_the_names_of_their_frames)
{
	mprof_profile_options with_sites;
	mprof_profile_diff *diff;
	test_log logs[2];
	mprof_diff_row row;
	uint32_t frames[4];
	size_t count;

	mprof_profile_options_init(&with_sites, sizeof(with_sites));
	with_sites.with_call_sites = 1;
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t outer = i == 0 ? 1 : 31;
		uint32_t inner = i == 0 ? 2 : 42;

		log_begin(&logs[i]);
		define(&logs[i], 31, 1, "m1 ()");
		define(&logs[i], 42, 2, "m2 ()");
		begin_block(&logs[i], 7, 0);
		enter(&logs[i], outer, 1);
		enter(&logs[i], inner, 2);
		for (uint32_t object = 0; object <= i; object++)
			add_full(&logs[i], MPROF_EVENT_ALLOCATION, 5, 3 + object, 24, 0);
		leave(&logs[i], inner, 8);
		leave(&logs[i], outer, 9);
		end_block(&logs[i]);
		log_profile_with(&logs[i], &with_sites);
	}
	diff = compare_with(&logs[0], &logs[1], NULL);
	cr_assert_eq(mprof_profile_diff_get_row_count(diff, MPROF_TABLE_ALLOCATION_SITES), 1);
	row = row_at(diff, MPROF_TABLE_ALLOCATION_SITES, 0);
	cr_expect_eq(row.before.count, 1);
	cr_expect_eq(row.after.count, 2);
	cr_expect_eq(row.after.self, 48);
	cr_expect_str_eq(name_at(diff, row.name).class_name, "c5");
	cr_assert_eq(mprof_profile_diff_get_stack(diff, row.stack, frames, 4, &count), MPROF_OK);
	cr_assert_eq(count, 2);
	cr_expect_str_eq(name_at(diff, frames[0]).name, "m2 ()");
	cr_expect_str_eq(name_at(diff, frames[1]).name, "m1 ()");
	mprof_profile_diff_destroy(diff);
	log_release(&logs[0]);
	log_release(&logs[1]);
}

Test(profile_diff, a_profile_with_itself_has_equal_values)
{
	mprof_profile_diff *diff;
	test_log log;

	write_random(&log, 9, 0);
	diff = compare_with(&log, &log, NULL);
	for (uint32_t table = MPROF_TABLE_METHODS; table <= MPROF_TABLE_MONITOR_SITES; table++) {
		for (size_t i = 0; i < mprof_profile_diff_get_row_count(diff, table); i++) {
			mprof_diff_row row = row_at(diff, table, i);

			cr_expect_eq(memcmp(&row.before, &row.after, sizeof(row.before)), 0);
		}
	}
	cr_expect_eq(mprof_profile_diff_get_node_count(diff), 0);
	mprof_profile_diff_destroy(diff);
	log_release(&log);
}

Test(profile_diff, refused_and_limited_memory_is_an_error)
{
	mprof_profile_diff_options options;
	mprof_status status = MPROF_ERR_MEMORY;
	mprof_profile_diff *diff;
	mprof_frame_tree *old;
	mprof_frame_tree *new;
	test_log before;
	test_log after;
	size_t fail_at;

	write_random(&before, 5, 0);
	write_random(&after, 6, 20);
	old = tree_of(&before, 0);
	new = tree_of(&after, 0);
	mprof_profile_diff_options_init(&options, sizeof(options));
	options.before_tree = old;
	options.after_tree = new;
	for (fail_at = 1; status != MPROF_OK; fail_at++) {
		failing_allocator failing;
		mprof_allocator allocator = failing_allocator_interface(&failing);

		memset(&failing, 0, sizeof(failing));
		failing.fail_at = fail_at;
		options.allocator = &allocator;
		status = mprof_profile_diff_create(before.profile, before.reader, after.profile, after.reader, &options,
						   &diff);
		cr_expect_eq(status == MPROF_OK, failing.refused == 0);
		cr_expect(status == MPROF_OK || status == MPROF_ERR_MEMORY);
		mprof_profile_diff_destroy(diff);
		cr_expect_eq(failing.blocks, 0);
	}
	cr_expect_gt(fail_at, 30);
	options.allocator = NULL;
	options.max_memory = 60000;
	cr_expect_eq(
		mprof_profile_diff_create(before.profile, before.reader, after.profile, after.reader, &options, &diff),
		MPROF_ERR_LIMIT);
	cr_expect_null(diff);
	options.after_tree = NULL;
	cr_expect_eq(
		mprof_profile_diff_create(before.profile, before.reader, after.profile, after.reader, &options, &diff),
		MPROF_ERR_ARGUMENT);
	mprof_frame_tree_destroy(old);
	mprof_frame_tree_destroy(new);
	log_release(&before);
	log_release(&after);
}
