/* SPDX-License-Identifier: MIT */
/* What clients announce when code is unloaded: keys that must be drained and retired, and libraries. */
#include "recorder/recorder_internal.h"

#include "base/cancellation.h"
#include "base/checked.h"
#include "base/elements.h"
#include "base/sort.h"
#include "recorder/control.h"

#include <string.h>

static int compare_ranges(const void *a, const void *b)
{
	const mprof_key_range *left = a;
	const mprof_key_range *right = b;

	return (left->first > right->first) - (left->first < right->first);
}

/* Sorts ranges and merges overlapping ones. Returns how many are left. */
static size_t sort_ranges(mprof_key_range *ranges, size_t count)
{
	size_t kept = 0;

	sort_in_place(ranges, count, sizeof(*ranges), compare_ranges);
	for (size_t i = 0; i < count; i++) {
		if (kept == 0 || ranges[i].first > ranges[kept - 1].last)
			ranges[kept++] = ranges[i];
		else if (ranges[i].last > ranges[kept - 1].last)
			ranges[kept - 1].last = ranges[i].last;
	}
	return kept;
}

static mprof_status request_many(recorder_shared *shared, const mprof_key_range *ranges, size_t count)
{
	mprof_key_range *sorted;
	retire_request request = {0};
	size_t size;
	mprof_status status;

	if (!checked_multiply(count, sizeof(*sorted), &size))
		return MPROF_ERR_ARGUMENT;
	sorted = allocator_allocate(&shared->allocator, size);
	if (sorted == NULL)
		return MPROF_ERR_MEMORY;
	memcpy(sorted, ranges, size);
	request.ranges = sorted;
	request.count = sort_ranges(sorted, count);
	status = control_request_round(shared, &request);
	allocator_release(&shared->allocator, sorted, size);
	return status;
}

static mprof_status request_retirement(recorder_shared *shared, const mprof_key_range *ranges, size_t count)
{
	retire_request request = {NULL, ranges, count, 0};

	for (size_t i = 0; i < count; i++) {
		if (ranges[i].first > ranges[i].last)
			return MPROF_ERR_ARGUMENT;
	}
	return count > 1 ? request_many(shared, ranges, count) : control_request_round(shared, &request);
}

mprof_status mprof_recorder_retire_keys(mprof_recorder *recorder, const mprof_key_range *ranges, size_t range_size,
					size_t count)
{
	WITHOUT_CANCELLATION;
	element_list list;
	mprof_status status;

	if (recorder == NULL)
		return MPROF_ERR_ARGUMENT;
	status = element_list_convert(&list, &recorder->shared.allocator, ranges, range_size, count,
				      SIZE_UP_TO(mprof_key_range, last), sizeof(mprof_key_range));
	if (status == MPROF_OK)
		status = request_retirement(&recorder->shared, list.elements, count);
	element_list_release(&list, &recorder->shared.allocator);
	return status;
}

mprof_status mprof_recorder_update_modules(mprof_recorder *recorder)
{
	recorder_shared *shared;
	int cancel_state;
	int is_well;

	if (recorder == NULL)
		return MPROF_ERR_ARGUMENT;
	shared = &recorder->shared;
	if (atomic_load_explicit(&shared->closing, memory_order_acquire) || recorder_in_child(shared))
		return MPROF_ERR_STATE;
	/* A thread that was cancelled while it looks at files would never release the lock. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
	is_well = native_modules_update(&recorder->drain.stacks.code.modules);
	pthread_setcancelstate(cancel_state, NULL);
	return is_well ? MPROF_OK : MPROF_ERR_MEMORY;
}
