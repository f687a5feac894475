/* SPDX-License-Identifier: MIT */
#include "recorder/recorder_internal.h"

#include "base/checked.h"
#include "base/elements.h"
#include "base/sort.h"

#include <string.h>

static int compare(const void *a, const void *b)
{
	const mprof_key_range *left = a;
	const mprof_key_range *right = b;

	return (left->first > right->first) - (left->first < right->first);
}

/* Sorts ranges and makes one of those that have keys in common. Returns how many are left. */
static size_t sort_ranges(mprof_key_range *ranges, size_t count)
{
	size_t kept = 0;

	sort_in_place(ranges, count, sizeof(*ranges), compare);
	for (size_t i = 0; i < count; i++) {
		if (kept == 0 || ranges[i].first > ranges[kept - 1].last)
			ranges[kept++] = ranges[i];
		else if (ranges[i].last > ranges[kept - 1].last)
			ranges[kept - 1].last = ranges[i].last;
	}
	return kept;
}

static mprof_status unload_many(mprof_recorder *recorder, const mprof_key_range *ranges, size_t count)
{
	mprof_key_range *sorted;
	unloading asked = {0};
	size_t size;
	mprof_status status;

	if (!checked_multiply(count, sizeof(*sorted), &size))
		return MPROF_ERR_ARGUMENT;
	sorted = allocator_allocate(&recorder->allocator, size);
	if (sorted == NULL)
		return MPROF_ERR_MEMORY;
	memcpy(sorted, ranges, size);
	asked.ranges = sorted;
	asked.count = sort_ranges(sorted, count);
	status = recorder_request_round(recorder, &asked);
	allocator_release(&recorder->allocator, sorted, size);
	return status;
}

static mprof_status unload(mprof_recorder *recorder, const mprof_key_range *ranges, size_t count)
{
	unloading asked = {NULL, ranges, count, 0};

	for (size_t i = 0; i < count; i++) {
		if (ranges[i].first > ranges[i].last)
			return MPROF_ERR_ARGUMENT;
	}
	return count > 1 ? unload_many(recorder, ranges, count) : recorder_request_round(recorder, &asked);
}

mprof_status mprof_recorder_retire_keys(mprof_recorder *recorder, const mprof_key_range *ranges, size_t range_size,
					size_t count)
{
	element_list list;
	mprof_status status;

	if (recorder == NULL)
		return MPROF_ERR_ARGUMENT;
	status = element_list_take(&list, &recorder->allocator, ranges, range_size, count,
				   SIZE_UP_TO(mprof_key_range, last), sizeof(mprof_key_range));
	if (status == MPROF_OK)
		status = unload(recorder, list.elements, count);
	element_list_release(&list, &recorder->allocator);
	return status;
}

static void retire_keys(mprof_recorder *recorder, const unloading *served)
{
	mprof_thread *thread;

	key_table_retire(&recorder->keys[SUBJECT_METHOD], served->ranges, served->count);
	key_table_retire(&recorder->keys[SUBJECT_CLASS], served->ranges, served->count);
	pthread_mutex_lock(&recorder->threads_lock);
	thread = recorder->threads;
	pthread_mutex_unlock(&recorder->threads_lock);
	/* A frame whose leave was never recorded is not to be ended by that of another method with the same key. */
	for (; thread != NULL; thread = thread->next)
		leave_stack_forget(&thread->stacks.own, served->ranges, served->count);
	switches_forget(&recorder->switched, served->ranges, served->count);
	stacks_methods_changed(&recorder->stacks, counter_read(&recorder->counter));
}

void unloading_retire_keys(mprof_recorder *recorder, uint64_t served)
{
	unloading **link = &recorder->unloadings;
	unloading *done = NULL;

	pthread_mutex_lock(&recorder->state_lock);
	while (*link != NULL) {
		unloading *asked = *link;

		if (asked->request <= served) {
			*link = asked->next;
			asked->next = done;
			done = asked;
		} else {
			link = &asked->next;
		}
	}
	pthread_mutex_unlock(&recorder->state_lock);
	/* Those who asked wait until the round is declared done, so what they asked for is still there. */
	for (; done != NULL; done = done->next)
		retire_keys(recorder, done);
}
