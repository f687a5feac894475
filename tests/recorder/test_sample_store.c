/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_sample_store.c
 * \brief The sample store: bounded, returned memory, and not blocked by a sample that is not complete yet.
 */
#include "recorder/queues/sample_store.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>

/* Frames of a sample; three of them fill a chunk of the smallest store. */
#define DEEP 128

#define SMALLEST (UINT64_C(64) << 10)

static sample_store *open_store(uint64_t bytes)
{
	static sample_store store;

	cr_assert(sample_store_init(&store, bytes, NULL));
	return &store;
}

/* Claims a sample whose content follows from a number. */
static sample_record *claim(sample_store *store, uint64_t number, size_t frames)
{
	int is_filling;
	sample_record *record = sample_store_claim(store, frames, &is_filling);

	if (record == NULL)
		return NULL;
	record->thread = number % 7;
	record->counter = number;
	for (size_t i = 0; i < frames; i++)
		record->frames[i] = number * 1000 + i;
	return record;
}

static int record_one(sample_store *store, uint64_t number, size_t frames)
{
	sample_record *record = claim(store, number, frames);

	if (record != NULL)
		sample_store_commit(store, record);
	return record != NULL;
}

static void check_content(const sample_record *record)
{
	cr_assert_eq(record->thread, record->counter % 7);
	for (size_t i = 0; i < record->count; i++)
		cr_assert_eq(record->frames[i], record->counter * 1000 + i);
}

/* Takes all samples and returns how many; their numbers must increase. */
static size_t take_all(sample_store *store)
{
	sample_record *taken = sample_store_take(store);
	uint64_t last = 0;
	size_t count = 0;

	for (const sample_record *record = taken; record != NULL; record = record->next) {
		check_content(record);
		cr_assert_gt(record->counter, last);
		last = record->counter;
		count++;
	}
	sample_store_release(store, taken);
	return count;
}

Test(sample_store, room_is_given_back)
{
	sample_store *store = open_store(SMALLEST);
	uint64_t number = 0;

	for (int round = 0; round < 3000; round++) {
		/* Different numbers of samples of different sizes, so that chunks are filled in all ways. */
		size_t samples = 1 + (size_t)round % 41;

		for (size_t i = 0; i < samples; i++, number++)
			cr_assert(record_one(store, number + 1, 1 + number * 37 % DEEP));
		cr_assert_eq(take_all(store), samples);
	}
	cr_assert_eq(sample_store_take_losses(store), 0);
	sample_store_destroy(store);
}

Test(sample_store, memory_that_was_used_is_used_again)
{
	sample_store *store = open_store(SMALLEST);
	sample_record *first = claim(store, 1, 10);

	sample_store_commit(store, first);
	cr_assert_eq(take_all(store), 1);
	cr_assert_eq(claim(store, 2, 20), first);
	sample_store_destroy(store);
}

Test(sample_store, what_finds_no_room_is_counted)
{
	sample_store *store = open_store(SMALLEST);
	uint64_t number = 0;
	uint64_t lost = 0;
	uint64_t recorded = 0;

	for (int i = 0; i < 2000; i++) {
		if (record_one(store, ++number, DEEP))
			recorded++;
		else
			lost++;
	}
	/* 16 chunks with room for three each. */
	cr_assert_eq(recorded, 48);
	cr_assert_eq(sample_store_take_losses(store), lost);
	cr_assert_eq(sample_store_take_losses(store), 0, "losses are returned once");
	cr_assert_eq(take_all(store), recorded);
	cr_assert(record_one(store, ++number, DEEP), "there is room again");
	sample_store_destroy(store);
}

Test(sample_store, all_of_the_memory_is_used)
{
	for (uint64_t bytes = SMALLEST; bytes <= UINT64_C(1) << 24; bytes = bytes * 3 / 2) {
		sample_store *store = open_store(bytes);
		uint64_t number = 0;

		while (record_one(store, number + 1, 27))
			number++;
		/* A sample of 27 frames takes 256 bytes; the ends of chunks may stay unused. */
		cr_assert_geq(number * 256, bytes / 100 * 90);
		cr_assert_leq(number * 256, bytes);
		cr_assert_eq(take_all(store), number);
		sample_store_destroy(store);
	}
}

Test(sample_store, the_writer_thread_is_called_at_half)
{
	sample_store *store = open_store(SMALLEST);
	int calls = 0;
	int is_filling;

	for (int i = 0; i < 16 * 3; i++) {
		sample_record *record = sample_store_claim(store, DEEP, &is_filling);

		/* Half of the chunks are free until the eighth is opened. */
		cr_assert_eq(is_filling, i % 3 == 0 && i / 3 >= 7, "sample %d", i);
		calls += is_filling;
		sample_store_commit(store, record);
	}
	cr_assert_eq(calls, 9);
	sample_store_destroy(store);
}

/* A handler is interrupted in the middle: its sample is taken late and unharmed, and only its chunk stays in use. */
static void hold_one(uint64_t before)
{
	sample_store *store = open_store(SMALLEST);
	uint64_t number = 0;
	sample_record *held;
	sample_record *taken;

	for (uint64_t i = 0; i < before; i++)
		cr_assert(record_one(store, ++number, DEEP));
	held = claim(store, ++number, DEEP);
	cr_assert_not_null(held);
	for (int round = 0; round < 1000; round++) {
		for (int i = 0; i < 20; i++)
			cr_assert(record_one(store, ++number, DEEP));
		cr_assert_eq(take_all(store), 20 + (round == 0 ? before : 0));
	}
	sample_store_commit(store, held);
	taken = sample_store_take(store);
	cr_assert_eq(taken, held);
	cr_assert_eq(taken->counter, before + 1);
	check_content(taken);
	sample_store_release(store, taken);
	/* All chunks are free again. */
	for (int i = 0; i < 45; i++)
		cr_assert(record_one(store, ++number, DEEP));
	cr_assert_eq(sample_store_take_losses(store), 0);
	sample_store_destroy(store);
}

Test(sample_store, a_held_sample_is_the_first_of_the_store)
{
	hold_one(0);
}

Test(sample_store, a_held_sample_is_in_the_middle)
{
	hold_one(1);
}

Test(sample_store, a_held_sample_has_opened_a_chunk)
{
	hold_one(3);
}

enum { THREADS = 4, EACH = 30000 };

typedef struct claimer {
	sample_store *store;
	uint64_t number;
	uint64_t recorded;
	pthread_t handle;
} claimer;

static atomic_int finished;

static void *claim_many(void *argument)
{
	claimer *copy = argument;

	for (uint64_t i = 1; i <= EACH; i++)
		copy->recorded += (uint64_t)record_one(copy->store, copy->number * 1000000 + i, 1 + i % DEEP);
	atomic_fetch_add(&finished, 1);
	return NULL;
}

Test(sample_store, many_threads_and_the_writer_thread, .timeout = 120)
{
	sample_store *store = open_store(SMALLEST);
	claimer claimers[THREADS];
	uint64_t last[THREADS + 1] = {0};
	uint64_t taken_count = 0;
	uint64_t recorded = 0;
	uint64_t lost = 0;
	int is_last;

	for (uint64_t i = 0; i < THREADS; i++) {
		claimers[i] = (claimer){store, i + 1, 0, 0};
		cr_assert_eq(pthread_create(&claimers[i].handle, NULL, claim_many, &claimers[i]), 0);
	}
	do {
		sample_record *taken;

		is_last = atomic_load(&finished) == THREADS;
		taken = sample_store_take(store);
		for (const sample_record *record = taken; record != NULL; record = record->next) {
			uint64_t claimed_by = record->counter / 1000000;

			check_content(record);
			cr_assert_leq(claimed_by, THREADS);
			cr_assert_gt(record->counter, last[claimed_by]);
			last[claimed_by] = record->counter;
			taken_count++;
		}
		sample_store_release(store, taken);
		lost += sample_store_take_losses(store);
	} while (!is_last);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(claimers[i].handle, NULL);
		recorded += claimers[i].recorded;
	}
	cr_assert_eq(taken_count, recorded);
	cr_assert_eq(recorded + lost, (uint64_t)THREADS * EACH);
	cr_assert_gt(recorded, 0);
	sample_store_destroy(store);
}
