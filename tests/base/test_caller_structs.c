/* SPDX-License-Identifier: MIT */
/* Structs of callers that are older or newer than the library. */
#include "base/caller_structs.h"

#include <criterion/criterion.h>

#include <string.h>

typedef struct options_now {
	size_t struct_size;
	uint64_t first;
	uint64_t second;
} options_now;

typedef struct options_older {
	size_t struct_size;
	uint64_t first;
} options_older;

typedef struct options_newer {
	size_t struct_size;
	uint64_t first;
	uint64_t second;
	uint64_t third;
} options_newer;

Test(caller_structs, in_from_nothing)
{
	options_now copy = {1, 2, 3};

	cr_assert_eq(struct_copy_in(&copy, NULL, sizeof(copy)), MPROF_OK);
	cr_assert_eq(copy.struct_size, sizeof(copy));
	cr_assert_eq(copy.first, 0);
	cr_assert_eq(copy.second, 0);
}

Test(caller_structs, in_from_the_same)
{
	options_now input = {sizeof(input), 2, 3};
	options_now copy;

	cr_assert_eq(struct_copy_in(&copy, &input, sizeof(copy)), MPROF_OK);
	cr_assert_eq(memcmp(&copy, &input, sizeof(copy)), 0);
}

Test(caller_structs, in_from_an_older_caller)
{
	options_older input = {sizeof(input), 2};
	options_now copy;

	memset(&copy, 0xff, sizeof(copy));
	cr_assert_eq(struct_copy_in(&copy, &input, sizeof(copy)), MPROF_OK);
	cr_assert_eq(copy.struct_size, sizeof(copy));
	cr_assert_eq(copy.first, 2);
	cr_assert_eq(copy.second, 0);
}

Test(caller_structs, in_from_a_newer_caller)
{
	options_newer input = {sizeof(input), 2, 3, 0};
	options_now copy;

	cr_assert_eq(struct_copy_in(&copy, &input, sizeof(copy)), MPROF_OK);
	cr_assert_eq(copy.struct_size, sizeof(copy));
	cr_assert_eq(copy.second, 3);
	input.third = UINT64_C(1) << 63;
	cr_assert_eq(struct_copy_in(&copy, &input, sizeof(copy)), MPROF_ERR_ARGUMENT);
}

Test(caller_structs, in_with_an_impossible_size)
{
	options_now input = {0, 2, 3};
	options_now copy;

	for (input.struct_size = 0; input.struct_size < sizeof(size_t); input.struct_size++)
		cr_assert_eq(struct_copy_in(&copy, &input, sizeof(copy)), MPROF_ERR_ARGUMENT);
	input.struct_size = sizeof(size_t);
	cr_assert_eq(struct_copy_in(&copy, &input, sizeof(copy)), MPROF_OK);
	cr_assert_eq(copy.first, 0);
}

Test(caller_structs, out_keeps_the_callers_size)
{
	options_now copy = {sizeof(copy), 2, 3};
	options_older older = {sizeof(older), 9};
	options_newer newer = {sizeof(newer), 9, 9, 9};
	options_now same = {sizeof(same), 9, 9};
	size_t nothing = 0;

	cr_assert_eq(struct_copy_out(&older, &copy, sizeof(copy)), MPROF_OK);
	cr_assert_eq(older.struct_size, sizeof(older));
	cr_assert_eq(older.first, 2);
	cr_assert_eq(struct_copy_out(&newer, &copy, sizeof(copy)), MPROF_OK);
	cr_assert_eq(newer.struct_size, sizeof(newer));
	cr_assert_eq(newer.second, 3);
	cr_assert_eq(newer.third, 0);
	cr_assert_eq(struct_copy_out(&same, &copy, sizeof(copy)), MPROF_OK);
	cr_assert_eq(memcmp(&same, &copy, sizeof(copy)), 0);
	cr_assert_eq(struct_copy_out(&nothing, &copy, sizeof(copy)), MPROF_ERR_ARGUMENT);
}
