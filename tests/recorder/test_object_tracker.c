/* SPDX-License-Identifier: MIT */
#include "recorder/tables/heap_drain.h"

#include "base/caller_structs.h"
#include "base/failing_allocator.h"

#include <criterion/criterion.h>
#include <stdint.h>

enum { MAX_DEATHS = 4096, PLACES = 750, ROUNDS = 1500, HISTORIES = 200 };

typedef struct death_list {
	tracked_object objects[MAX_DEATHS];
	size_t count;
} death_list;

static mprof_allocator allocator;
static object_tracker tracker;
static death_list deaths;

static void note_death(void *user, const tracked_object *object)
{
	death_list *list = user;

	cr_assert_lt(list->count, MAX_DEATHS);
	list->objects[list->count++] = *object;
}

static void init(void)
{
	cr_assert(allocator_init(&allocator, NULL));
	object_tracker_init(&tracker, &allocator);
	tracker.died = note_death;
	tracker.user = &deaths;
}

static void fini(void)
{
	object_tracker_destroy(&tracker);
}

TestSuite(object_tracker, .init = init, .fini = fini);

static void allocate(uint64_t address, uint32_t class_id, uint64_t size)
{
	tracked_object object = {address, size, class_id};

	cr_assert(object_tracker_allocated(&tracker, &object));
}

static void give(uint64_t address, uint32_t class_id, uint64_t size)
{
	tracked_object object = {address, size, class_id};

	cr_assert(object_tracker_alive(&tracker, &object));
}

static void move(uint64_t from, uint64_t to)
{
	cr_assert(object_tracker_moved(&tracker, from, to));
}

static void end_shot(int is_complete)
{
	cr_assert(object_tracker_end_shot(&tracker, is_complete));
}

/* Whether exactly one such object was reported dead. */
static int died_once(uint64_t address, uint32_t class_id, uint64_t size)
{
	int times = 0;

	for (size_t i = 0; i < deaths.count; i++)
		times += deaths.objects[i].address == address && deaths.objects[i].class_id == class_id &&
			 deaths.objects[i].size == size;
	return times == 1;
}

Test(object_tracker, what_a_shot_does_not_give_is_dead)
{
	for (uint64_t i = 1; i <= 1000; i++)
		allocate(i * 16, (uint32_t)i, i * 3);
	for (uint64_t i = 1; i <= 1000; i += 2)
		give(i * 16, (uint32_t)i, i * 3);
	end_shot(1);
	cr_assert_eq(deaths.count, 500);
	for (uint64_t i = 2; i <= 1000; i += 2)
		cr_assert(died_once(i * 16, (uint32_t)i, i * 3));
	cr_assert_eq(object_tracker_count(&tracker), 500);
	/* They die only once. */
	for (uint64_t i = 1; i <= 1000; i += 2)
		give(i * 16, (uint32_t)i, i * 3);
	end_shot(1);
	cr_assert_eq(deaths.count, 500);
}

Test(object_tracker, an_incomplete_snapshot_proves_nothing)
{
	allocate(16, 1, 8);
	allocate(32, 1, 8);
	give(16, 1, 8);
	end_shot(0);
	cr_assert_eq(deaths.count, 0);
	/* Its objects do not count as alive in the next snapshot either. */
	give(32, 1, 8);
	end_shot(1);
	cr_assert_eq(deaths.count, 1);
	cr_assert(died_once(16, 1, 8));
}

Test(object_tracker, an_address_given_to_another_object_means_a_death)
{
	allocate(16, 1, 8);
	allocate(16, 2, 24);
	cr_assert_eq(deaths.count, 1);
	cr_assert(died_once(16, 1, 8));
	give(16, 3, 32);
	end_shot(1);
	cr_assert_eq(deaths.count, 2);
	cr_assert(died_once(16, 2, 24));
	cr_assert_eq(object_tracker_count(&tracker), 1);
}

Test(object_tracker, an_object_dies_with_the_size_that_it_was_allocated_with)
{
	allocate(16, 1, 8);
	give(16, 1, 24);
	end_shot(1);
	cr_assert_eq(deaths.count, 0);
	end_shot(1);
	cr_assert_eq(deaths.count, 1);
	cr_assert(died_once(16, 1, 8));
}

Test(object_tracker, a_snapshot_may_have_an_object_before_its_allocation)
{
	give(16, 1, 8);
	end_shot(1);
	allocate(16, 1, 8);
	cr_assert_eq(deaths.count, 0);
	allocate(16, 1, 8);
	cr_assert_eq(deaths.count, 1);
	/* Not if there was another snapshot in between: then the thread has been running since. */
	give(32, 1, 8);
	give(16, 1, 8);
	end_shot(1);
	give(32, 1, 8);
	give(16, 1, 8);
	end_shot(1);
	allocate(32, 1, 8);
	cr_assert_eq(deaths.count, 2);
}

Test(object_tracker, moves_are_applied_as_a_set)
{
	allocate(16, 1, 8);
	allocate(32, 2, 8);
	allocate(48, 3, 8);
	/* A cycle, and an object that is not known. */
	move(16, 32);
	move(32, 48);
	move(48, 16);
	move(64, 80);
	cr_assert(object_tracker_end_moves(&tracker));
	give(32, 1, 8);
	give(48, 2, 8);
	give(16, 3, 8);
	end_shot(1);
	cr_assert_eq(deaths.count, 0);
	/* Two sets: the second moves objects that the first has moved. */
	move(16, 160);
	cr_assert(object_tracker_end_moves(&tracker));
	move(160, 320);
	give(32, 1, 8);
	give(48, 2, 8);
	give(320, 3, 8);
	end_shot(1);
	cr_assert_eq(deaths.count, 0);
	cr_assert_eq(object_tracker_count(&tracker), 3);
}

Test(object_tracker, an_object_that_was_moved_to_had_died)
{
	allocate(16, 1, 8);
	allocate(32, 2, 8);
	move(16, 32);
	end_shot(0);
	cr_assert_eq(deaths.count, 1);
	cr_assert(died_once(32, 2, 8));
}

Test(object_tracker, freed_objects_are_not_reported_dead_again)
{
	allocate(16, 1, 8);
	cr_assert(object_tracker_freed(&tracker, 16));
	cr_assert(object_tracker_freed(&tracker, 32));
	cr_assert(object_tracker_freed(&tracker, 0));
	end_shot(1);
	cr_assert_eq(deaths.count, 0);
}

Test(object_tracker, sizes_are_exact_whatever_they_are)
{
	static const uint64_t sizes[] = {0, 1, (1U << 29) - 1, 1U << 29, UINT64_C(1) << 40, UINT64_MAX};
	const size_t count = sizeof(sizes) / sizeof(sizes[0]);

	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < count; i++)
			allocate((i + 1) * 8, 7, sizes[i]);
		for (size_t i = 0; i < count; i++)
			move((i + 1) * 8, (i + 100) * 8);
		deaths.count = 0;
		end_shot(1);
		cr_assert_eq(deaths.count, count);
		for (size_t i = 0; i < count; i++)
			cr_assert(died_once((i + 100) * 8, 7, sizes[i]));
	}
	cr_assert_leq(tracker.large_count, 3, "slots of large sizes are reused");
}

/* The reference implementation: an array of objects by address. */
typedef struct plain_object {
	uint32_t class_id; /* 0 if there is no object. */
	uint64_t size;
	int is_given;
} plain_object;

typedef struct plain_tracker {
	plain_object places[PLACES];
	uint64_t died;       /* Objects */
	uint64_t died_bytes; /* and their bytes. */
} plain_tracker;

static uint32_t next_random(void)
{
	static uint32_t state = 2463534242U;

	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

static uint64_t first_address;

static uint64_t address_of(size_t position)
{
	return first_address + position * 16;
}

static void plain_kill(plain_tracker *plain, size_t position)
{
	if (plain->places[position].class_id == 0)
		return;
	plain->died++;
	plain->died_bytes += plain->places[position].size;
	plain->places[position].class_id = 0;
}

static void random_allocation(plain_tracker *plain)
{
	size_t position = next_random() % PLACES;

	plain_kill(plain, position);
	plain->places[position] = (plain_object){1 + next_random() % 5, next_random() % 1000, 0};
	allocate(address_of(position), plain->places[position].class_id, plain->places[position].size);
}

/* A permutation of some places, so that each is left once and occupied once. */
static void random_moves(plain_tracker *plain)
{
	plain_object before[PLACES];
	size_t step = 1 + next_random() % (PLACES - 1);
	size_t first = next_random() % 2;

	memcpy(before, plain->places, sizeof(before));
	for (size_t i = first; i < PLACES; i++) {
		size_t to = first + (i - first + step) % (PLACES - first);

		move(address_of(i), address_of(to));
		plain->places[to] = before[i];
	}
	cr_assert(object_tracker_end_moves(&tracker));
}

static void random_shot(plain_tracker *plain)
{
	int is_complete = next_random() % 4 != 0;

	for (size_t i = 0; i < PLACES; i++) {
		plain->places[i].is_given = next_random() % 3 != 0;
		if (plain->places[i].class_id != 0 && plain->places[i].is_given)
			give(address_of(i), plain->places[i].class_id, plain->places[i].size);
	}
	end_shot(is_complete);
	for (size_t i = 0; i < PLACES; i++) {
		if (is_complete && !plain->places[i].is_given)
			plain_kill(plain, i);
	}
}

static void check_history(void)
{
	plain_tracker plain = {0};
	uint64_t died = 0;
	uint64_t died_bytes = 0;

	for (int round = 0; round < ROUNDS; round++) {
		uint32_t chance = next_random() % 1000;

		deaths.count = 0;
		if (chance < 980)
			random_allocation(&plain);
		else if (chance < 990)
			random_moves(&plain);
		else
			random_shot(&plain);
		died += deaths.count;
		for (size_t i = 0; i < deaths.count; i++)
			died_bytes += deaths.objects[i].size;
		cr_assert_eq(died, plain.died);
		cr_assert_eq(died_bytes, plain.died_bytes);
	}
	cr_assert_gt(died, ROUNDS / 4);
}

/* Other addresses each time, so that probe sequences also wrap around the end of the table. */
Test(object_tracker, random_histories_agree_with_a_plain_list, .timeout = 120)
{
	for (int history = 0; history < HISTORIES; history++) {
		first_address = 16 + (uint64_t)next_random() * 4096;
		check_history();
		object_tracker_forget(&tracker);
	}
}

Test(object_tracker, its_memory_follows_what_lives)
{
	failing_allocator memory = {0};

	object_tracker_destroy(&tracker);
	allocator = failing_allocator_interface(&memory);
	object_tracker_init(&tracker, &allocator);
	tracker.died = note_death;
	tracker.user = &deaths;
	for (uint64_t i = 1; i <= 100000; i++) {
		allocate(i * 24, 1, 24);
		/* Beyond the first and smallest table. */
		if (i > 1024)
			cr_assert_leq(memory.bytes, i * 32 + 64);
	}
	for (uint64_t i = 1; i <= 100000 - MAX_DEATHS / 2; i++)
		cr_assert(object_tracker_freed(&tracker, i * 24));
	end_shot(1);
	cr_assert_eq(deaths.count, MAX_DEATHS / 2);
	cr_assert_leq(memory.bytes, 1024 * 16);
	cr_assert_eq(object_tracker_forget(&tracker), 0);
	cr_assert_eq(memory.blocks, 0);
}

Test(object_tracker, refused_memory_is_reported)
{
	failing_allocator memory = {0};
	tracked_object object = {16, UINT64_MAX, 1};

	object_tracker_destroy(&tracker);
	memory.fail_at = 1;
	allocator = failing_allocator_interface(&memory);
	object_tracker_init(&tracker, &allocator);
	tracker.died = note_death;
	tracker.user = &deaths;
	cr_assert_not(object_tracker_allocated(&tracker, &object));
	cr_assert(object_tracker_alive(&tracker, &object));
	cr_assert_not(object_tracker_end_shot(&tracker, 1));
	memory.fail_at = memory.requests + 2;
	cr_assert_not(object_tracker_allocated(&tracker, &object),
		      "there is memory for the table, but not for the size");
	cr_assert_geq(object_tracker_forget(&tracker), 1);
	cr_assert_eq(memory.blocks, 0);
	cr_assert_eq(deaths.count, 0);
}
