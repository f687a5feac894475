/* SPDX-License-Identifier: MIT */
/**
 * \file model/records/durations.h
 * \brief How long single calls of methods took, and spans of a kind: sums, percentiles, and the slowest ones.
 */
#ifndef MODEL_RECORDS_DURATIONS_H
#define MODEL_RECORDS_DURATIONS_H

#include "base/memory_budget.h"
#include "model/records/record_table.h"

/** Buckets for each power of two, and its logarithm. */
#define DURATION_STEPS 32
#define DURATION_STEP_BITS 5

/** The number of calls whose buckets are fetched into the cache while the next calls are added. */
#define DURATION_PENDING 32

/*
 * A histogram is log-linear: each power of two is divided into #DURATION_STEPS buckets of equal width, so that the
 * middle of a bucket differs from every duration in it by at most 1 in 2 * #DURATION_STEPS, which is 1.6 percent.
 * Durations below 2 * #DURATION_STEPS counters are exact. A method has buckets only for the powers of two between its
 * shortest and its longest call, at most 60 times #DURATION_STEPS.
 */

/** A call that has ended. */
typedef struct slow_call {
	uint64_t duration; /**< In counters. */
	uint64_t start;    /**< Counter. */
	uint64_t thread;   /**< That it ended on. */
	uint32_t node;     /**< Of the call tree; the root if it has none. */
} slow_call;

/** The durations of the calls of a method, in counters. */
typedef struct duration_record {
	uint32_t id;
	uint32_t first_bucket;
	uint64_t bucket_count;
	uint64_t *buckets;   /**< Numbers of calls, from first_bucket on. */
	uint64_t shortest;   /**< If calls is not 0. */
	uint64_t slow_bound; /**< Only a call that takes longer than this is one of the slowest. */
	uint64_t calls;
	uint64_t sum; /**< Saturates. */
	uint64_t longest;
	uint64_t left_out; /**< Calls for which there was no memory: for the count, or among the slowest. */
	slow_call *slow;   /**< The longest first; calls of equal duration in the order of the log. */
	size_t slow_count;
	size_t slow_capacity;
} duration_record;

typedef struct call_durations {
	record_table records; /**< Each #duration_record, by method. */
	mprof_allocator allocator;
	const memory_budget *budget; /**< Consulted when memory is refused. */
	size_t slow_limit;           /**< Maximum number of slow calls kept for a method. */
	uint64_t left_out;           /**< Calls for which there was no memory. */
	uint64_t thread;             /**< The thread whose events are added. */
	uint64_t counter;            /**< Its current time. */
	/** The buckets of the latest calls, which are not counted yet; #unused if there are fewer calls. */
	uint64_t *pending[DURATION_PENDING];
	size_t oldest_pending;
	uint64_t unused;
	int is_enabled;
	int has_failed; /**< The allocator refused: the results are incomplete. */
} call_durations;

/** \p slow_limit: maximum number of slow calls kept for a method. */
void call_durations_init(call_durations *all, memory_budget *budget, size_t slow_limit);
void call_durations_destroy(call_durations *all);

/** The slow path of call_durations_add(). The record of the method, with the bucket; NULL if there is no memory. */
duration_record *call_durations_reserve(call_durations *all, uint32_t method, uint32_t bucket);

/** Counts the pending calls: the buckets are then complete until a call is added. */
void call_durations_settle(call_durations *all);

/**
 * The duration, in counters, that \p percent of the calls of a method do not exceed; 0 is the shortest call and 100 the
 * longest. The record has calls.
 */
uint64_t call_durations_percentile(const duration_record *record, double percent);

/** Inserts a call that takes longer than duration_record::slow_bound. */
void call_durations_add_slow(call_durations *all, duration_record *record, const slow_call *call);

/** The bucket of a duration. */
static inline uint32_t duration_bucket(uint64_t duration)
{
	uint32_t shift = 63 - DURATION_STEP_BITS - (uint32_t)__builtin_clzll(duration | DURATION_STEPS);

	return (shift << DURATION_STEP_BITS) + (uint32_t)(duration >> shift);
}

/**
 * Counts a call in a bucket, with a delay. The buckets of many methods exceed the caches, and an increment of one that
 * is not cached would soon stop the processor; a prefetch does not.
 */
static inline void call_durations_count(call_durations *all, uint64_t *bucket)
{
	uint64_t **slot = &all->pending[all->oldest_pending];

	__builtin_prefetch(bucket, 1);
	++**slot;
	*slot = bucket;
	all->oldest_pending = (all->oldest_pending + 1) % DURATION_PENDING;
}

/**
 * Counts a call. Returns the method's record if the call may be one of its slowest: the caller then passes it to
 * call_durations_add_slow(), unless the method is also further down on the stack. Otherwise NULL.
 */
static inline duration_record *call_durations_add(call_durations *all, uint32_t method, uint64_t duration)
{
	const uint32_t bucket = duration_bucket(duration);
	duration_record *record = record_table_find(&all->records, method);

	if (__builtin_expect(record == NULL || bucket - record->first_bucket >= record->bucket_count, 0)) {
		record = call_durations_reserve(all, method, bucket);
		if (record == NULL)
			return NULL;
	}
	call_durations_count(all, &record->buckets[bucket - record->first_bucket]);
	record->calls++;
	if (__builtin_add_overflow(record->sum, duration, &record->sum))
		record->sum = UINT64_MAX;
	if (duration < record->shortest)
		record->shortest = duration;
	if (duration > record->longest)
		record->longest = duration;
	return __builtin_expect(duration > record->slow_bound, 0) ? record : NULL;
}

#endif
