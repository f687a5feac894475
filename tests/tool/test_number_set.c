/* SPDX-License-Identifier: MIT */
/* The tool's sets of numbers of a log: a number that was added is found, for any log. */
#include "common/number_set.h"

#include "base/colliding_keys.h"

#include <criterion/criterion.h>

Test(number_set, keeps_what_is_added)
{
	number_set set = {0};

	for (int round = 0; round < 2; round++) {
		for (uint64_t i = 0; i < 3000; i++)
			cr_assert_eq(number_set_add(&set, i * i), round == 0);
	}
	cr_expect_eq(set.count, 3000);
	cr_expect(number_set_has(&set, 0));
	cr_expect(number_set_has(&set, 2999 * 2999));
	cr_expect_not(number_set_has(&set, 2));
	number_set_clear(&set);
	cr_expect_not(number_set_has(&set, 0));
}

/* The next number whose search would start at the first slot if the slots were at address 0. */
static uint64_t next_colliding_number(uint64_t number)
{
	do
		number++;
	while ((hash_mix(0, number) * UINT64_C(0x9e3779b97f4a7c15) >> 16 & 0xfff) != 0);
	return number;
}

static uint64_t next_multiple(uint64_t number)
{
	return number + (UINT64_C(1) << 28);
}

static size_t run_of_numbers(uint64_t (*next)(uint64_t number))
{
	number_set set = {0};
	uint64_t number = 0;
	size_t run;

	for (size_t i = 0; i < COLLIDING_KEYS; i++) {
		number = next(number);
		cr_assert_eq(number_set_add(&set, number), 1);
	}
	run = longest_run(set.slots, set.capacity, sizeof(*set.slots));
	number_set_clear(&set);
	return run;
}

Test(number_set, numbers_are_spread)
{
	cr_expect_lt(run_of_numbers(next_colliding_number), LONG_RUN, "made for the set");
	cr_expect_lt(run_of_numbers(next_multiple), LONG_RUN, "alike in their low bits");
}
