/* SPDX-License-Identifier: MIT */
/* Distinguishes a refusal of the allocator from reaching max_memory, and reports the latter in the totals. */
#include "model/profile/profile_limit.h"

#include "model/profile/profile_internal.h"

int profile_limit_skip_data(mprof_profile *profile)
{
	int is_limited = memory_budget_is_exceeded(&profile->budget);

	profile->totals.left_out += (uint64_t)is_limited;
	return is_limited;
}

int profile_limit_skip_result(mprof_profile *profile)
{
	int is_limited = memory_budget_is_exceeded(&profile->budget);

	profile->is_limited |= is_limited;
	return is_limited;
}

int profile_limit_skip_slice(mprof_profile *profile)
{
	int is_limited = memory_budget_is_exceeded(&profile->budget);

	profile->timeline.left_out += (uint64_t)is_limited;
	profile->is_limited |= is_limited;
	return is_limited;
}
