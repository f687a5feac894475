/* SPDX-License-Identifier: MIT */
#include "recorder/system/counter.h"

#include <criterion/criterion.h>
#include <string.h>

static uint64_t answer(void *user)
{
	return *(uint64_t *)user;
}

Test(counter, takes_the_client_s_function)
{
	counter_source source;
	counter_instant start;
	uint64_t value = UINT64_MAX;
	char text[64];

	counter_init(&source, answer, &value, 0, &start);
	cr_assert_eq(counter_read(&source), UINT64_MAX);
	counter_describe(&source, text, sizeof(text));
	cr_assert_str_eq(text, "given by the client");
}

Test(counter, the_machine_s_counter_goes_on)
{
	counter_source source;
	counter_instant start;
	uint64_t last;

	counter_init(&source, NULL, NULL, 1, &start);
	cr_assert_eq(source.shift, 0);
	last = counter_read(&source);
	for (int i = 0; i < 100000; i++) {
		uint64_t now = counter_read(&source);

		cr_assert_geq(now, last);
		last = now;
	}
}

Test(counter, units_are_made_coarser_unless_whole_ticks_are_asked_for)
{
	counter_source coarse;
	counter_instant start;
	char text[64];

	counter_init(&coarse, NULL, NULL, 0, &start);
	/* Every machine with a tick counter advances it at least every ten nanoseconds and at most every tenth of one. */
	cr_assert_leq(coarse.shift, 7);
	counter_describe(&coarse, text, sizeof(text));
	cr_assert_gt(strlen(text), 0);
}
