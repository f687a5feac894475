/* SPDX-License-Identifier: MIT */
/* Structs of callers that are older or newer than the library. */
#include "base/options.h"

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

Test(options, in_from_nothing)
{
	options_now own = {1, 2, 3};

	cr_assert_eq(struct_copy_in(&own, NULL, sizeof(own)), MPROF_OK);
	cr_assert_eq(own.struct_size, sizeof(own));
	cr_assert_eq(own.first, 0);
	cr_assert_eq(own.second, 0);
}

Test(options, in_from_the_same)
{
	options_now given = {sizeof(given), 2, 3};
	options_now own;

	cr_assert_eq(struct_copy_in(&own, &given, sizeof(own)), MPROF_OK);
	cr_assert_eq(memcmp(&own, &given, sizeof(own)), 0);
}

Test(options, in_from_an_older_caller)
{
	options_older given = {sizeof(given), 2};
	options_now own;

	memset(&own, 0xff, sizeof(own));
	cr_assert_eq(struct_copy_in(&own, &given, sizeof(own)), MPROF_OK);
	cr_assert_eq(own.struct_size, sizeof(own));
	cr_assert_eq(own.first, 2);
	cr_assert_eq(own.second, 0);
}

Test(options, in_from_a_newer_caller)
{
	options_newer given = {sizeof(given), 2, 3, 0};
	options_now own;

	cr_assert_eq(struct_copy_in(&own, &given, sizeof(own)), MPROF_OK);
	cr_assert_eq(own.struct_size, sizeof(own));
	cr_assert_eq(own.second, 3);
	given.third = UINT64_C(1) << 63;
	cr_assert_eq(struct_copy_in(&own, &given, sizeof(own)), MPROF_ERR_ARGUMENT);
}

Test(options, in_with_an_impossible_size)
{
	options_now given = {0, 2, 3};
	options_now own;

	for (given.struct_size = 0; given.struct_size < sizeof(size_t); given.struct_size++)
		cr_assert_eq(struct_copy_in(&own, &given, sizeof(own)), MPROF_ERR_ARGUMENT);
	given.struct_size = sizeof(size_t);
	cr_assert_eq(struct_copy_in(&own, &given, sizeof(own)), MPROF_OK);
	cr_assert_eq(own.first, 0);
}

Test(options, out_keeps_the_callers_size)
{
	options_now own = {sizeof(own), 2, 3};
	options_older older = {sizeof(older), 9};
	options_newer newer = {sizeof(newer), 9, 9, 9};
	options_now same = {sizeof(same), 9, 9};
	size_t nothing = 0;

	cr_assert_eq(struct_copy_out(&older, &own, sizeof(own)), MPROF_OK);
	cr_assert_eq(older.struct_size, sizeof(older));
	cr_assert_eq(older.first, 2);
	cr_assert_eq(struct_copy_out(&newer, &own, sizeof(own)), MPROF_OK);
	cr_assert_eq(newer.struct_size, sizeof(newer));
	cr_assert_eq(newer.second, 3);
	cr_assert_eq(newer.third, 0);
	cr_assert_eq(struct_copy_out(&same, &own, sizeof(own)), MPROF_OK);
	cr_assert_eq(memcmp(&same, &own, sizeof(own)), 0);
	cr_assert_eq(struct_copy_out(&nothing, &own, sizeof(own)), MPROF_ERR_ARGUMENT);
}
