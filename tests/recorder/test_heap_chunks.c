/* SPDX-License-Identifier: MIT */
#include "recorder/queues/heap_recording.h"

#include <criterion/criterion.h>

#define MEBIBYTE (UINT64_C(1) << 20)

static uint64_t mapped(const heap_chunks *chunks)
{
	return atomic_load(&chunks->mapped);
}

Test(heap_chunks, the_bound_holds_and_chunks_are_used_again)
{
	heap_chunks chunks;
	heap_chunk *taken[64];
	size_t count = 0;

	heap_chunks_init(&chunks, MEBIBYTE, NULL);
	while ((taken[count] = heap_chunks_take(&chunks, count % 2 != 0)) != NULL)
		count++;
	cr_assert_geq(count, 8);
	cr_assert_eq(mapped(&chunks), count * chunks.chunk_size);
	cr_assert_leq(mapped(&chunks), MEBIBYTE);
	for (size_t i = 0; i < count; i++) {
		uint32_t all = taken[i]->capacity + HEAP_CHUNK_TAIL_WORDS;

		taken[i]->words[all - 1] = (uint32_t)i;
		cr_assert_leq((size_t)((char *)&taken[i]->words[all] - (char *)taken[i]), chunks.chunk_size);
		atomic_store(&taken[i]->published, 7);
	}
	heap_chunks_give(&chunks, taken[1]);
	heap_chunks_give(&chunks, taken[2]);
	cr_assert_eq(heap_chunks_take(&chunks, 1), taken[2], "the chunk used last is still in the cache");
	cr_assert_eq(atomic_load(&taken[2]->published), 0);
	cr_assert_eq(heap_chunks_take(&chunks, 1), taken[1]);
	cr_assert_null(heap_chunks_take(&chunks, 1));
	for (size_t i = 0; i + 1 < count; i++)
		atomic_store(&taken[i]->next, taken[i + 1]);
	heap_chunks_destroy(&chunks, taken[0]);
	cr_assert_eq(mapped(&chunks), 0);
}

Test(heap_chunks, much_free_memory_goes_back_to_the_system)
{
	enum { MOST = 1024 };
	heap_chunks chunks;
	heap_chunk *taken[MOST];
	size_t count = 0;

	heap_chunks_init(&chunks, 256 * MEBIBYTE, NULL);
	while (count < MOST && (taken[count] = heap_chunks_take(&chunks, 0)) != NULL)
		count++;
	cr_assert_eq(mapped(&chunks), 256 * MEBIBYTE);
	for (size_t i = 0; i < count; i++)
		heap_chunks_give(&chunks, taken[i]);
	cr_assert_leq(mapped(&chunks), 64 * MEBIBYTE);
	cr_assert_geq(mapped(&chunks), 32 * MEBIBYTE);
	/* The memory can be used again. */
	for (size_t i = 0; i < count; i++) {
		taken[i] = heap_chunks_take(&chunks, 0);
		cr_assert_not_null(taken[i]);
	}
	for (size_t i = 0; i < count; i++)
		heap_chunks_give(&chunks, taken[i]);
	heap_chunks_destroy(&chunks, NULL);
	cr_assert_eq(mapped(&chunks), 0);
}

Test(heap_chunks, refused_memory_is_reported)
{
	heap_chunks chunks;

	heap_chunks_init(&chunks, 1000, NULL);
	cr_assert_null(heap_chunks_take(&chunks, 1));
	heap_chunks_destroy(&chunks, NULL);
}
