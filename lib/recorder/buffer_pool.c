/* SPDX-License-Identifier: MIT */
/* Passes event buffers between the threads that record and the writer thread, without locks. */
#include "recorder/buffer_pool.h"

#include "base/testpoint.h"

#include <string.h>
#include <sys/mman.h>

static size_t mapping_size(uint32_t buffer_events)
{
	return sizeof(event_buffer) + (size_t)buffer_events * sizeof(event_slot);
}

/* With a larger number of full buffers, the first would only wait longer to be written. */
#define MOST_WAKE_COUNT 16

#ifdef MAP_POPULATE
/* The page faults are taken when the buffer is created, not one by one while recording. */
#define MAP_BUFFER MAP_POPULATE
#else
#define MAP_BUFFER 0
#endif

/* mmap(), not malloc(): this may run while a stopped thread holds malloc's lock. */
static void *map_memory(size_t size, int flags)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

int buffer_pool_init(buffer_pool *pool, uint32_t max_buffers, uint32_t buffer_events, salvage_area *area)
{
	memset(pool, 0, sizeof(*pool));
	pool->area = area;
	atomic_init(&pool->bounds[0], max_buffers);
	atomic_init(&pool->bounds[1], max_buffers);
	pool->buffer_events = buffer_events;
	pool->wake_count = max_buffers / 16 < 1                 ? 1
			   : max_buffers / 16 < MOST_WAKE_COUNT ? max_buffers / 16
								: MOST_WAKE_COUNT;
	/* Reserves address space only. Pages are allocated as indices are used. */
	pool->buffers = map_memory(BUFFER_POOL_MAX * sizeof(*pool->buffers), 0);
	return pool->buffers != NULL;
}

void buffer_pool_destroy(buffer_pool *pool)
{
	uint32_t created = buffer_pool_created(pool);

	if (pool->buffers == NULL)
		return;
	for (uint32_t i = 0; i < created; i++) {
		/* Buffers in an area are unmapped with it. */
		if (pool->buffers[i] != NULL &&
		    (pool->area == NULL || !salvage_area_contains(pool->area, pool->buffers[i])))
			munmap(pool->buffers[i], mapping_size(pool->buffer_events));
	}
	munmap(pool->buffers, BUFFER_POOL_MAX * sizeof(*pool->buffers));
	pool->buffers = NULL;
}

void buffer_pool_add_thread(buffer_pool *pool)
{
	atomic_fetch_add_explicit(&pool->bounds[0], 1, memory_order_relaxed);
}

void buffer_pool_remove_thread(buffer_pool *pool)
{
	atomic_fetch_sub_explicit(&pool->bounds[0], 1, memory_order_relaxed);
}

/* Increments a count below its bound. Returns 0 if the bound is reached. Relaxed: the count orders nothing. */
static int count_if_below(_Atomic uint32_t *count, const _Atomic uint32_t *bound)
{
	uint32_t now = atomic_load_explicit(count, memory_order_relaxed);

	do {
		if (now >= atomic_load_explicit(bound, memory_order_relaxed))
			return 0;
	} while (!atomic_compare_exchange_weak_explicit(count, &now, now + 1, memory_order_relaxed,
							memory_order_relaxed));
	return 1;
}

/* Page faults are taken at once, as with MAP_POPULATE. */
static event_buffer *reserve_in_area(buffer_pool *pool)
{
	event_buffer *buffer = salvage_area_reserve(pool->area, SALVAGE_BUFFER, mapping_size(pool->buffer_events));

	for (uint32_t i = 0; buffer != NULL && i < pool->buffer_events; i += 4096 / sizeof(event_slot))
		*(volatile uint64_t *)&buffer->slots[i].subject = 0;
	return buffer;
}

static event_buffer *create_buffer(buffer_pool *pool, int is_extra)
{
	uint32_t index = atomic_load_explicit(&pool->created, memory_order_relaxed);
	event_buffer *buffer;

	if (!count_if_below(&pool->counts[is_extra], &pool->bounds[is_extra]))
		return NULL;
	do {
		if (index >= BUFFER_POOL_MAX)
			return NULL;
	} while (!atomic_compare_exchange_weak_explicit(&pool->created, &index, index + 1, memory_order_relaxed,
							memory_order_relaxed));
	buffer = pool->area != NULL ? reserve_in_area(pool) : NULL;
	/*
	 * Events in a buffer outside of the area are lost if the process dies, but without a buffer they would be lost
	 * now.
	 */
	if (buffer == NULL)
		buffer = map_memory(mapping_size(pool->buffer_events), MAP_BUFFER);
	/* The index stays used after a failure, so a system that refuses memory is not asked for this buffer again. */
	if (buffer == NULL)
		return NULL;
	buffer->capacity = pool->buffer_events;
	buffer->index = index;
	buffer->is_extra = is_extra != 0;
	pool->buffers[index] = buffer;
	return buffer;
}

static event_buffer *pop_free_buffer(buffer_pool *pool, int is_extra)
{
	_Atomic uint64_t *free_top = &pool->free_top[is_extra];
	/* Sequentially consistent: a thread increments recorder_shared::waiting before it loads this, and the writer
	 * thread gives a buffer back before it loads recorder_shared::waiting. At least one of the two sees the other's
	 * store. */
	uint64_t top = atomic_load(free_top);

	for (;;) {
		uint32_t number = (uint32_t)top;
		event_buffer *buffer;
		uint64_t next;

		if (number == 0)
			return NULL;
		buffer = pool->buffers[number - 1];
		/*
		 * Stale if another thread takes the buffer now. The exchange then fails, even if the buffer is on top
		 * again: the number of pops has changed.
		 */
		next = atomic_load_explicit(&buffer->next_free, memory_order_relaxed);
		TESTPOINT("pool: next read");
		if (atomic_compare_exchange_weak(free_top, &top, ((top >> 32) + 1) << 32 | next))
			return buffer;
	}
}

event_buffer *buffer_pool_take(buffer_pool *pool, int may_be_extra)
{
	event_buffer *buffer = pop_free_buffer(pool, 0);

	if (buffer == NULL)
		buffer = create_buffer(pool, 0);
	if (buffer == NULL && may_be_extra)
		buffer = pop_free_buffer(pool, 1);
	if (buffer == NULL && may_be_extra)
		buffer = create_buffer(pool, 1);
	return buffer;
}

void buffer_pool_give(buffer_pool *pool, event_buffer *buffer)
{
	_Atomic uint64_t *free_top = &pool->free_top[buffer->is_extra];
	uint64_t top = atomic_load_explicit(free_top, memory_order_relaxed);

	/* The ticket is cleared first: until then recovery counts a buffer in an area as full and drained. */
	atomic_store_explicit(&buffer->ticket, 0, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	buffer->drained = 0;
	buffer->committed = 0;
	buffer->owner = NULL;
	atomic_store_explicit(&buffer->published, 0, memory_order_relaxed);
	/* Release: pairs with the acquire in pop_free_buffer(), whose thread sees the fields above. */
	do {
		atomic_store_explicit(&buffer->next_free, (uint32_t)top, memory_order_relaxed);
	} while (!atomic_compare_exchange_weak(free_top, &top, top >> 32 << 32 | (buffer->index + 1)));
}

int buffer_pool_push_full(buffer_pool *pool, event_buffer *buffer)
{
	event_buffer *newest = atomic_load_explicit(&pool->full, memory_order_relaxed);

	do {
		buffer->next_full = newest;
	} while (!atomic_compare_exchange_weak_explicit(&pool->full, &newest, buffer, memory_order_release,
							memory_order_relaxed));
	return atomic_fetch_add_explicit(&pool->full_count, 1, memory_order_relaxed) + 1 == pool->wake_count;
}

event_buffer *buffer_pool_take_full(buffer_pool *pool)
{
	event_buffer *newest;

	atomic_store_explicit(&pool->full_count, 0, memory_order_relaxed);
	newest = atomic_exchange_explicit(&pool->full, NULL, memory_order_acquire);
	event_buffer *oldest = NULL;

	while (newest != NULL) {
		event_buffer *next = newest->next_full;

		newest->next_full = oldest;
		oldest = newest;
		newest = next;
	}
	return oldest;
}

uint32_t buffer_pool_created(const buffer_pool *pool)
{
	return atomic_load_explicit(&pool->created, memory_order_relaxed);
}
