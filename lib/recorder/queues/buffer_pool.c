/* SPDX-License-Identifier: MIT */
/* Passes event buffers between the threads that record and the writer thread, without locks. */
#include "recorder/queues/buffer_pool.h"

#include "base/testpoint.h"

#include <string.h>
#include <sys/mman.h>

static size_t mapping_size(uint32_t buffer_events)
{
	return sizeof(event_buffer) + (size_t)buffer_events * sizeof(event_slot);
}

/* With a larger number of full buffers, the first would only wait longer to be written. */
#define MAX_WAKE_COUNT 16

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

static size_t table_size(void)
{
	return BUFFER_TABLE_LENGTH * sizeof(event_buffer *);
}

/* Makes sure that there is the table for an index. Returns 0 if the system refuses memory. */
static int provide_table(buffer_pool *pool, uint32_t index)
{
	_Atomic(event_buffer **) *position = &pool->tables[index / BUFFER_TABLE_LENGTH];
	event_buffer **none = NULL;
	event_buffer **table;

	if (atomic_load_explicit(position, memory_order_acquire) != NULL)
		return 1;
	table = map_memory(table_size(), 0);
	if (table == NULL)
		return 0;
	/* Release: a thread that sees the table sees that it is empty. */
	if (!atomic_compare_exchange_strong_explicit(position, &none, table, memory_order_acq_rel,
						     memory_order_acquire))
		munmap(table, table_size());
	return 1;
}

/* The element of an index whose table exists. */
static event_buffer **buffer_at(const buffer_pool *pool, uint32_t index)
{
	event_buffer **table = atomic_load_explicit(&pool->tables[index / BUFFER_TABLE_LENGTH], memory_order_acquire);

	return &table[index % BUFFER_TABLE_LENGTH];
}

int buffer_pool_init(buffer_pool *pool, uint32_t max_buffers, uint32_t buffer_events, salvage_area *area)
{
	memset(pool, 0, sizeof(*pool));
	pool->area = area;
	atomic_init(&pool->bounds[0], max_buffers);
	atomic_init(&pool->bounds[1], max_buffers);
	pool->buffer_events = buffer_events;
	pool->wake_count = max_buffers / 16 < 1                ? 1
			   : max_buffers / 16 < MAX_WAKE_COUNT ? max_buffers / 16
							       : MAX_WAKE_COUNT;
	return provide_table(pool, 0);
}

void buffer_pool_destroy(buffer_pool *pool)
{
	for (uint32_t i = 0; i < BUFFER_TABLE_COUNT; i++) {
		event_buffer **table = atomic_load_explicit(&pool->tables[i], memory_order_acquire);

		for (uint32_t j = 0; table != NULL && j < BUFFER_TABLE_LENGTH; j++) {
			/* Buffers in an area are unmapped with it. */
			if (table[j] != NULL && (pool->area == NULL || !salvage_area_contains(pool->area, table[j])))
				munmap(table[j], mapping_size(pool->buffer_events));
		}
		if (table != NULL)
			munmap(table, table_size());
		atomic_store_explicit(&pool->tables[i], NULL, memory_order_relaxed);
	}
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

/* Takes an index for a buffer. Returns 0 if there is none. */
static int take_index(buffer_pool *pool, uint32_t *index)
{
	*index = atomic_load_explicit(&pool->created, memory_order_relaxed);
	do {
		if (*index >= BUFFER_POOL_MAX)
			return 0;
	} while (!atomic_compare_exchange_weak_explicit(&pool->created, index, *index + 1, memory_order_relaxed,
							memory_order_relaxed));
	return provide_table(pool, *index);
}

static event_buffer *allocate_buffer(buffer_pool *pool)
{
	event_buffer *buffer = pool->area != NULL ? reserve_in_area(pool) : NULL;

	/*
	 * Events in a buffer outside of the area are lost if the process dies, but without a buffer they would be lost
	 * now.
	 */
	return buffer != NULL ? buffer : map_memory(mapping_size(pool->buffer_events), MAP_BUFFER);
}

static event_buffer *create_buffer(buffer_pool *pool, int is_extra)
{
	event_buffer *buffer;
	uint32_t index;

	if (!count_if_below(&pool->counts[is_extra], &pool->bounds[is_extra]))
		return NULL;
	buffer = allocate_buffer(pool);
	if (buffer == NULL || !take_index(pool, &index)) {
		/* The system may have memory again later. Without an index, the memory of the buffer is not used. */
		atomic_fetch_sub_explicit(&pool->counts[is_extra], 1, memory_order_relaxed);
		atomic_store_explicit(&pool->has_refused, 1, memory_order_relaxed);
		return NULL;
	}
	buffer->capacity = pool->buffer_events;
	buffer->index = index;
	buffer->is_extra = is_extra != 0;
	*buffer_at(pool, index) = buffer;
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
		buffer = *buffer_at(pool, number - 1);
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
