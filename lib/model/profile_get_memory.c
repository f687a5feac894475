/* SPDX-License-Identifier: MIT */
/* The getters for native memory. */
#include "model/profile_internal.h"

#include "base/options.h"

static int is_estimate(const mprof_profile *profile)
{
	const memory_sums *sums = &profile->memory.sums;

	return profile->totals.lost_events > 0 || sums->missing_frees > 0 || sums->late_events > 0 ||
	       sums->untracked > 0 || profile->memory.has_other_threads ||
	       profile->totals.event_counts[MPROF_EVENT_RECORDING_RESUMED] > 0;
}

mprof_status mprof_profile_get_memory(const mprof_profile *profile, mprof_memory_stats *figures)
{
	const memory_sums *memory;
	mprof_memory_stats made = {0};

	if (profile == NULL || figures == NULL)
		return MPROF_ERR_ARGUMENT;
	memory = &profile->memory.sums;
	made.allocations = memory->allocations;
	made.bytes = memory->bytes;
	made.frees = memory->frees;
	made.resizes = memory->resizes;
	made.live = memory->live;
	made.live_bytes = memory->live_bytes;
	made.peak_bytes = memory->peak_bytes;
	made.peak_live = memory->peak_live;
	made.peak_ns = memory->peak > 0 ? profile_session_time(profile, memory->peak_counter) : 0;
	made.temporaries = memory->temporaries;
	made.unmatched_frees = memory->unmatched_frees;
	made.missing_frees = memory->missing_frees;
	made.late_events = memory->late_events;
	made.is_estimate = (uint32_t)is_estimate(profile);
	made.folded_sites = memory->folded.allocations;
	made.untracked = memory->untracked;
	return struct_copy_out(figures, &made, sizeof(made));
}

size_t mprof_profile_get_memory_site_count(const mprof_profile *profile)
{
	return profile != NULL ? memory_site_count(&profile->memory) : 0;
}

/* A saturated sum stays saturated. */
static uint64_t nanoseconds(const mprof_profile *profile, uint64_t counters)
{
	const double unit = profile->conversion.nanoseconds_per_counter;

	if (counters == UINT64_MAX || (double)counters * unit >= 18446744073709551615.0)
		return UINT64_MAX;
	return profile_nanoseconds(profile, counters);
}

mprof_status mprof_profile_get_memory_site(const mprof_profile *profile, size_t index, mprof_memory_site *site)
{
	const memory_site *found;
	mprof_memory_site made = {0};

	if (site == NULL || index >= mprof_profile_get_memory_site_count(profile))
		return MPROF_ERR_ARGUMENT;
	made.is_folded = index == profile->memory.site_count;
	found = made.is_folded ? &profile->memory.sums.folded : &profile->memory.sites[index];
	made.stack = found->stack;
	made.allocations = found->allocations;
	made.bytes = found->bytes;
	made.frees = found->frees;
	made.live = found->live;
	made.live_bytes = found->live_bytes;
	memory_site_get_peak(&profile->memory, found, &made.peak_live, &made.peak_bytes);
	made.temporaries = found->temporaries;
	made.lifetime_ns = nanoseconds(profile, found->lifetimes);
	made.shortest_ns = nanoseconds(profile, found->shortest);
	made.longest_ns = nanoseconds(profile, found->longest);
	return struct_copy_out(site, &made, sizeof(made));
}

size_t mprof_profile_get_memory_size_count(const mprof_profile *profile)
{
	size_t count = profile != NULL ? MEMORY_SIZE_CLASSES : 0;

	while (count > 0 && profile->memory.sums.sizes[count - 1].allocations == 0)
		count--;
	return count;
}

mprof_status mprof_profile_get_memory_size(const mprof_profile *profile, size_t index, mprof_memory_size *size)
{
	mprof_memory_size made = {0};

	if (size == NULL || index >= mprof_profile_get_memory_size_count(profile))
		return MPROF_ERR_ARGUMENT;
	if (index > 0) {
		made.smallest = UINT64_C(1) << (index - 1);
		made.largest = made.smallest + (made.smallest - 1);
	}
	made.allocations = profile->memory.sums.sizes[index].allocations;
	made.bytes = profile->memory.sums.sizes[index].bytes;
	return struct_copy_out(size, &made, sizeof(made));
}
