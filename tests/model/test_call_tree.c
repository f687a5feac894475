/* SPDX-License-Identifier: MIT */
/* The call tree distinguishes methods by caller and finds them again, for all contents of a log. */
#include "model/records/call_tree.h"

#include "base/colliding_keys.h"
#include "base/failing_allocator.h"

#include <criterion/criterion.h>

Test(call_tree, children_by_caller_and_kind)
{
	failing_allocator counting = {.fail_at = 0};
	mprof_allocator allocator = failing_allocator_interface(&counting);
	call_tree tree;

	cr_assert(call_tree_init(&tree, &allocator));
	for (int round = 0; round < 2; round++) {
		cr_expect_eq(call_tree_child(&tree, CALL_TREE_ROOT, 7), 1);
		cr_expect_eq(call_tree_child(&tree, 1, 7), 2);
		cr_expect_eq(call_tree_compilation(&tree, 1, 7), 3);
		cr_expect_eq(call_tree_child(&tree, 2, 7), 4);
	}
	cr_expect_eq(tree.count, 5);
	cr_expect_eq(tree.nodes[4].depth, 3);
	call_tree_destroy(&tree);
	cr_expect_eq(counting.blocks, 0);
}

/* The longest run of occupied slots in a call tree that is built for one seed. */
static size_t run_of_colliding_calls(uint64_t seed)
{
	failing_allocator counting = {.fail_at = 0};
	mprof_allocator allocator = failing_allocator_interface(&counting);
	uint64_t key = 0;
	call_tree tree;
	size_t run;

	cr_assert(call_tree_init(&tree, &allocator));
	cr_assert_eq(tree.children.seed, hash_seed());
	tree.children.seed = seed;
	for (uint32_t i = 1; i <= COLLIDING_KEYS; i++) {
		key = next_colliding_key(key);
		cr_assert_eq(call_tree_child(&tree, CALL_TREE_ROOT, (uint32_t)key), i);
	}
	run = longest_run(tree.children.slots, tree.children.capacity, sizeof(uint64_t));
	call_tree_destroy(&tree);
	return run;
}

Test(call_tree, calls_made_for_another_seed_are_spread)
{
	cr_expect_eq(run_of_colliding_calls(KNOWN_SEED), COLLIDING_KEYS);
	cr_expect_lt(run_of_colliding_calls(hash_seed()), LONG_RUN);
}
