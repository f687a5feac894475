/* SPDX-License-Identifier: MIT */
/* Histograms of durations. */
#include "model/records/durations.h"

#include "base/allocator.h"

#include <string.h>

void call_durations_init(call_durations *all, memory_budget *budget, size_t slow_limit)
{
	memset(all, 0, sizeof(*all));
	record_table_init(&all->records, &budget->paths, sizeof(duration_record));
	all->allocator = budget->paths;
	all->budget = budget;
	all->slow_limit = slow_limit;
	for (size_t i = 0; i < DURATION_PENDING; i++)
		all->pending[i] = &all->unused;
}

void call_durations_destroy(call_durations *all)
{
	for (size_t i = 0; i < all->records.count; i++) {
		duration_record *record = record_table_at(&all->records, i);

		allocator_release(&all->allocator, record->buckets, record->bucket_count * sizeof(*record->buckets));
		allocator_release(&all->allocator, record->slow, record->slow_capacity * sizeof(*record->slow));
	}
	record_table_destroy(&all->records);
}

/* Memory was refused: a call is left out, unless the allocator itself refused, which is an error. */
static void refuse_call(call_durations *all, duration_record *record)
{
	if (record != NULL)
		record->left_out++;
	all->left_out++;
	if (!memory_budget_is_exceeded(all->budget))
		all->has_failed = 1;
}

/* Extends the buckets to the whole power of two that a bucket belongs to. */
static int extend_buckets(const call_durations *all, duration_record *record, uint32_t bucket)
{
	uint32_t first = bucket / DURATION_STEPS * DURATION_STEPS;
	uint32_t end = first + DURATION_STEPS;
	uint32_t own_end = record->first_bucket + (uint32_t)record->bucket_count;
	uint64_t *buckets;

	if (record->bucket_count > 0) {
		first = first < record->first_bucket ? first : record->first_bucket;
		end = end > own_end ? end : own_end;
	}
	buckets = allocator_allocate(&all->allocator, (end - first) * sizeof(*buckets));
	if (buckets == NULL)
		return 0;
	memset(buckets, 0, (end - first) * sizeof(*buckets));
	if (record->bucket_count > 0)
		memcpy(buckets + (record->first_bucket - first), record->buckets,
		       record->bucket_count * sizeof(*buckets));
	allocator_release(&all->allocator, record->buckets, record->bucket_count * sizeof(*buckets));
	record->buckets = buckets;
	record->first_bucket = first;
	record->bucket_count = end - first;
	return 1;
}

void call_durations_settle(call_durations *all)
{
	for (size_t i = 0; i < DURATION_PENDING; i++) {
		++*all->pending[i];
		all->pending[i] = &all->unused;
	}
}

duration_record *call_durations_reserve(call_durations *all, uint32_t method, uint32_t bucket)
{
	duration_record *record = record_table_find(&all->records, method);

	if (record == NULL) {
		record = record_table_add(&all->records, method);
		if (record == NULL) {
			refuse_call(all, NULL);
			return NULL;
		}
		record->shortest = UINT64_MAX;
		/* The comparison with the bound then also rejects all calls if no slow ones are kept. */
		record->slow_bound = all->slow_limit > 0 ? 0 : UINT64_MAX;
	}
	/* The buckets may move, and pending calls refer to them. */
	call_durations_settle(all);
	if (!extend_buckets(all, record, bucket)) {
		refuse_call(all, record);
		return NULL;
	}
	return record;
}

static int reserve_slow(call_durations *all, duration_record *record)
{
	void *slow = record->slow;
	int is_reserved = array_reserve(&all->allocator, &slow, &record->slow_capacity, record->slow_count + 1,
					sizeof(*record->slow));

	record->slow = slow;
	return is_reserved;
}

void call_durations_add_slow(call_durations *all, duration_record *record, const slow_call *call)
{
	size_t position;

	if (record->slow_count < all->slow_limit) {
		if (!reserve_slow(all, record)) {
			refuse_call(all, record);
			return;
		}
		record->slow_count++;
	}
	for (position = record->slow_count - 1; position > 0; position--) {
		if (record->slow[position - 1].duration >= call->duration)
			break;
		record->slow[position] = record->slow[position - 1];
	}
	record->slow[position] = *call;
	if (record->slow_count == all->slow_limit)
		record->slow_bound = record->slow[record->slow_count - 1].duration;
}

/* The middle of a bucket. */
static uint64_t duration_of_bucket(uint32_t bucket)
{
	uint32_t shift;

	if (bucket < 2 * DURATION_STEPS)
		return bucket;
	shift = bucket / DURATION_STEPS - 1;
	return ((uint64_t)(DURATION_STEPS + bucket % DURATION_STEPS) << shift) + ((UINT64_C(1) << shift) - 1) / 2;
}

uint64_t call_durations_percentile(const duration_record *record, double percent)
{
	double exact = percent / 100 * (double)record->calls;
	uint64_t rank = (uint64_t)exact;
	uint64_t before = 0;
	uint64_t duration;

	/* The rank counts from 1: the smallest number of calls that is at least this part of all. */
	rank += (double)rank < exact;
	if (rank <= 1)
		return record->shortest;
	if (rank >= record->calls)
		return record->longest;
	for (uint32_t i = 0; i < record->bucket_count; i++) {
		before += record->buckets[i];
		if (before < rank)
			continue;
		duration = duration_of_bucket(record->first_bucket + i);
		if (duration < record->shortest)
			return record->shortest;
		return duration < record->longest ? duration : record->longest;
	}
	return record->longest;
}
