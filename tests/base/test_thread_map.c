/* SPDX-License-Identifier: MIT */
/* Threads keep their positions, whatever their IDs, and a refused allocation adds none. */
#include "base/memory_budget.h"
#include "base/thread_map.h"

#include "failing_allocator.h"

#include <criterion/criterion.h>

#define THREADS 1000

typedef struct element {
	uint64_t thread;
	uint64_t sum;
} element;

static failing_allocator memory;
static thread_map map;
static element *elements;
static size_t capacity;
static size_t count;

static void start(void)
{
	mprof_allocator allocator = failing_allocator_interface(&memory);

	thread_map_init(&map, &allocator);
}

static void finish(void)
{
	allocator_release(thread_map_allocator(&map), elements, capacity * sizeof(*elements));
	thread_map_destroy(&map);
	cr_assert_eq(memory.blocks, 0);
}

/* Begins with 0; the others are like addresses and like small numbers. */
static uint64_t thread_of(uint64_t i)
{
	return i % 2 == 0 ? i : UINT64_C(0x7f0000000000) + i * 4096;
}

static int add(uint64_t thread)
{
	void *array = elements;
	int is_added = thread_map_add(&map, thread, &array, &capacity, count, sizeof(*elements));

	elements = array;
	if (!is_added)
		return 0;
	cr_assert_eq(elements[count].thread, 0);
	cr_assert_eq(elements[count].sum, 0);
	elements[count++].thread = thread;
	return 1;
}

static void expect_threads(uint64_t known)
{
	for (uint64_t i = 0; i < known; i++) {
		cr_assert_eq(thread_map_get(&map, thread_of(i)), i);
		cr_assert_eq(thread_map_find(&map, thread_of(i)), i);
		/* The second time it is the latest one. */
		cr_assert_eq(thread_map_find(&map, thread_of(i)), i);
		cr_assert_eq(elements[i].thread, thread_of(i));
	}
	for (uint64_t i = known; i < known + 10; i++)
		cr_assert_eq(thread_map_find(&map, thread_of(i)), THREAD_MAP_NONE);
}

Test(thread_map, keeps_positions)
{
	start();
	expect_threads(0);
	for (uint64_t i = 0; i < THREADS; i++)
		cr_assert(add(thread_of(i)));
	expect_threads(THREADS);
	finish();
}

/* The latest thread is removed with the others. */
Test(thread_map, can_be_used_again)
{
	start();
	for (uint64_t i = 0; i < 100; i++)
		cr_assert(add(thread_of(i)));
	thread_map_destroy(&map);
	count = 0;
	expect_threads(0);
	cr_assert_eq(thread_map_get(&map, thread_of(99)), THREAD_MAP_NONE);
	memset(elements, 0, capacity * sizeof(*elements));
	cr_assert(add(thread_of(0)));
	expect_threads(1);
	finish();
}

/* Each allocation is refused once: that of the array, and that of the hash table. */
Test(thread_map, refused_memory_adds_nothing)
{
	size_t refused = 0;

	start();
	memory.fail_once = 1;
	for (uint64_t i = 0; i < THREADS; i++) {
		memory.fail_at = memory.requests + 1;
		while (!add(thread_of(i))) {
			expect_threads(i);
			cr_assert_lt(++refused, THREADS);
			/* The request that follows the first one: after the array has grown, that of the hash table. */
			memory.fail_at = refused % 2 != 0 ? memory.requests + 1 : 0;
		}
	}
	cr_assert_gt(refused, 12);
	expect_threads(THREADS);
	finish();
}

/* A budget distinguishes its limit from memory that the allocator refuses. */
Test(thread_map, budget)
{
	mprof_allocator allocator = failing_allocator_interface(&memory);
	memory_budget budget;
	void *array = NULL;
	uint64_t thread = 1;
	mprof_status status;

	memory_budget_init(&budget, &allocator, 20000);
	thread_map_init(&map, &budget.allocator);
	memory.fail_at = 1;
	status = memory_budget_thread_add(&budget, &map, thread, &array, &capacity, 0, sizeof(element));
	cr_assert_eq(status, MPROF_ERR_MEMORY);
	memory.fail_at = 0;
	do {
		status = memory_budget_thread_add(&budget, &map, thread, &array, &capacity, count, sizeof(element));
		count += status == MPROF_OK;
	} while (status == MPROF_OK && thread++ < THREADS);
	cr_assert_eq(status, MPROF_ERR_LIMIT);
	cr_assert_gt(count, 100);
	cr_assert_eq(thread_map_get(&map, 1), 0);
	cr_assert_eq(thread_map_get(&map, thread), THREAD_MAP_NONE);
	elements = array;
	finish();
}
