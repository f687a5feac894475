/* SPDX-License-Identifier: MIT */
/* The getters for native memory. */
#include "model/profile_internal.h"
#include "model/profile_table.h"

#include "base/options.h"

/*
 * A late event may be matched with the wrong one at its address. Then another event finds no match: the address is
 * allocated twice, or freed twice. So if each event has found its match, the late ones have as well.
 */
static int is_estimate(const mprof_profile *profile)
{
	const memory_sums *sums = &profile->memory.state.sums;

	return profile->totals.lost_events > 0 || sums->missing_frees > 0 || sums->untracked > 0 ||
	       (sums->late_events > 0 && sums->unmatched_frees > 0) || profile->memory.has_other_threads ||
	       profile->totals.event_counts[MPROF_EVENT_RECORDING_RESUMED] > 0;
}

mprof_status mprof_profile_get_memory(const mprof_profile *profile, mprof_memory_stats *stats)
{
	const memory_sums *memory;
	mprof_memory_stats made = {0};

	if (profile == NULL || stats == NULL)
		return MPROF_ERR_ARGUMENT;
	memory = &profile->memory.state.sums;
	made.allocations = memory->allocations;
	made.bytes = memory->bytes;
	made.frees = memory->frees;
	made.resizes = memory->resizes;
	made.live = memory->live;
	made.live_bytes = memory->live_bytes;
	made.peak_bytes = memory->peak_bytes;
	made.peak_live = memory->peak_live;
	made.peak_ns = memory->peak > 0 ? profile_clock_time(&profile->clock, memory->peak_counter) : 0;
	made.temporaries = memory->temporaries;
	made.unmatched_frees = memory->unmatched_frees;
	made.missing_frees = memory->missing_frees;
	made.late_events = memory->late_events;
	made.is_estimate = (uint32_t)is_estimate(profile);
	made.is_peak_estimate = made.is_estimate || memory->late_events > 0;
	made.folded_sites = memory->folded.allocations;
	made.untracked = memory->untracked;
	return struct_copy_out(stats, &made, sizeof(made));
}

size_t mprof_profile_get_memory_site_count(const mprof_profile *profile)
{
	return profile != NULL ? memory_site_count(&profile->memory) : 0;
}

static void store_memory_site(const mprof_profile *profile, size_t index, void *row)
{
	mprof_memory_site *site = row;
	const memory_site *found;

	site->is_folded = index == profile->memory.state.site_count;
	found = site->is_folded ? &profile->memory.state.sums.folded : &profile->memory.state.sites[index];
	site->stack = found->stack;
	site->allocations = found->allocations;
	site->bytes = found->bytes;
	site->frees = found->frees;
	site->live = found->live;
	site->live_bytes = found->live_bytes;
	memory_site_get_peak(&profile->memory, found, &site->peak_live, &site->peak_bytes);
	site->temporaries = found->temporaries;
	site->lifetime_ns = profile_clock_sum(&profile->clock, found->lifetimes);
	site->shortest_ns = profile_clock_sum(&profile->clock, found->shortest);
	site->longest_ns = profile_clock_sum(&profile->clock, found->longest);
}

static const profile_table memory_site_rows =
	PROFILE_TABLE(mprof_memory_site, mprof_profile_get_memory_site_count, store_memory_site);

mprof_status mprof_profile_get_memory_site(const mprof_profile *profile, size_t index, mprof_memory_site *site)
{
	return profile_table_get(&memory_site_rows, profile, index, site);
}

size_t mprof_profile_get_memory_size_count(const mprof_profile *profile)
{
	size_t count = profile != NULL ? MEMORY_SIZE_CLASSES : 0;

	while (count > 0 && profile->memory.state.sums.sizes[count - 1].allocations == 0)
		count--;
	return count;
}

static void store_memory_size(const mprof_profile *profile, size_t index, void *row)
{
	mprof_memory_size *size = row;

	if (index > 0) {
		size->smallest = UINT64_C(1) << (index - 1);
		size->largest = size->smallest + (size->smallest - 1);
	}
	size->allocations = profile->memory.state.sums.sizes[index].allocations;
	size->bytes = profile->memory.state.sums.sizes[index].bytes;
}

static const profile_table memory_size_rows =
	PROFILE_TABLE(mprof_memory_size, mprof_profile_get_memory_size_count, store_memory_size);

mprof_status mprof_profile_get_memory_size(const mprof_profile *profile, size_t index, mprof_memory_size *size)
{
	return profile_table_get(&memory_size_rows, profile, index, size);
}
