/* SPDX-License-Identifier: MIT */
/**
 * \file memory_fixture.h
 * \brief Makes logs of native memory: from single events, and from random programs.
 */
#ifndef MODEL_MEMORY_FIXTURE_H
#define MODEL_MEMORY_FIXTURE_H

#include "model/profile_fixture.h"

static inline void allocate(test_log *log, uint64_t counter, uint64_t address, uint64_t size, uint32_t stack)
{
	mprof_event_detail detail = {.struct_size = sizeof(detail), .size = size, .stack = stack};

	add_detailed(log, MPROF_EVENT_MEMORY_ALLOCATED, 0, counter, address, &detail);
}

static inline void release(test_log *log, uint64_t counter, uint64_t address)
{
	add_full(log, MPROF_EVENT_MEMORY_FREED, 0, counter, address, 0);
}

static inline void resize(test_log *log, uint64_t started, uint64_t counter, uint64_t from, uint64_t to, uint64_t size,
			  uint32_t stack)
{
	mprof_event_detail detail = {.struct_size = sizeof(detail),
				     .object = from,
				     .size = size,
				     .stack = stack,
				     .started = SESSION_START + started};

	add_detailed(log, MPROF_EVENT_MEMORY_RESIZED, 0, counter, to, &detail);
}

static inline void watermark(test_log *log, uint64_t counter)
{
	cr_assert_eq(mprof_writer_write_watermark(log->writer, SESSION_START + counter), MPROF_OK);
}

static inline void define_stacks(test_log *log)
{
	WRITE_RECORDS(log, MPROF_BLOCK_STACKS, 0, STACK_OF_METHOD(1, 0, 1), STACK_OF_METHOD(2, 1, 2),
		      STACK_OF_METHOD(3, 0, 3));
}

static inline mprof_memory_stats totals_of_memory(const test_log *log)
{
	mprof_memory_stats stats;

	memset(&stats, 0xff, sizeof(stats));
	stats.struct_size = sizeof(stats);
	cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_MEMORY, 0, &stats), MPROF_OK);
	return stats;
}

static inline mprof_memory_site site_of(const test_log *log, uint32_t stack)
{
	mprof_memory_site site = {.struct_size = sizeof(site)};

	for (size_t i = 0; i < mprof_profile_get_row_count(log->profile, MPROF_TABLE_MEMORY_SITES); i++) {
		cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_MEMORY_SITES, i, &site), MPROF_OK);
		if (site.stack == stack)
			return site;
	}
	cr_assert_fail("no site has stack %u", (unsigned)stack);
	abort();
}

/*
 * A program of four threads that allocate and free at random, including memory of other threads. Its actions are
 * generated and summed up in the order of time; in the log their blocks are in another order.
 */
#define STEPS 20000
#define THREADS 4
#define BLOCK_STEPS 16

/* Numbers of addresses and call stacks; a file that includes this one may define larger ones. */
#ifndef SLOTS
#define SLOTS 200
#define SITES 3
#endif

typedef struct step {
	uint32_t thread;
	uint32_t kind;
	uint64_t address;
	uint64_t old_address;
	uint64_t size;
	uint32_t stack;
} step;

typedef struct program {
	step steps[STEPS];
	uint64_t sizes[SLOTS]; /**< By address; 0 if nothing is allocated there. */
	uint32_t stacks[SLOTS];
	uint32_t owners[SLOTS];
	uint64_t last[THREADS]; /**< The address of the latest allocation, UINT64_MAX if it was freed. */
	uint64_t live[SITES + 1];
	mprof_memory_stats all;
	uint64_t site_live[SITES + 1];
	uint64_t site_peak[SITES + 1];
} program;

static uint64_t random_state;

static inline uint64_t random_below(uint64_t limit)
{
	random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (random_state >> 33) % limit;
}

static inline void end_one(program *created, uint64_t address, uint32_t thread)
{
	created->all.frees++;
	created->all.live--;
	created->all.live_bytes -= created->sizes[address];
	created->site_live[created->stacks[address]] -= created->sizes[address];
	if (created->last[thread] == address && created->owners[address] == thread) {
		created->all.temporaries++;
		created->last[thread] = UINT64_MAX;
	}
	created->sizes[address] = 0;
}

static inline void begin_one(program *created, const step *done)
{
	created->all.allocations++;
	created->all.live++;
	created->all.live_bytes += done->size;
	created->all.bytes += done->size;
	created->sizes[done->address] = done->size;
	created->stacks[done->address] = done->stack;
	created->owners[done->address] = done->thread;
	created->site_live[done->stack] += done->size;
	created->last[done->thread] = done->address;
	if (created->all.live_bytes <= created->all.peak_bytes)
		return;
	created->all.peak_bytes = created->all.live_bytes;
	created->all.peak_live = created->all.live;
	memcpy(created->site_peak, created->site_live, sizeof(created->site_live));
}

static inline void make_program(program *created)
{
	memset(created, 0, sizeof(*created));
	memset(created->last, 0xff, sizeof(created->last));
	for (size_t i = 0; i < STEPS; i++) {
		step *next = &created->steps[i];
		uint64_t slot = random_below(SLOTS);
		uint64_t other = random_below(SLOTS);

		next->thread = (uint32_t)random_below(THREADS);
		next->address = slot;
		next->size = 1 + random_below(1000);
		next->stack = (uint32_t)random_below(SITES + 1);
		if (created->sizes[slot] == 0) {
			next->kind = MPROF_EVENT_MEMORY_ALLOCATED;
			begin_one(created, next);
		} else if (random_below(4) == 0 && (other == slot || created->sizes[other] == 0)) {
			next->kind = MPROF_EVENT_MEMORY_RESIZED;
			next->old_address = slot;
			next->address = other;
			end_one(created, slot, next->thread);
			begin_one(created, next);
			created->all.resizes++;
		} else {
			next->kind = MPROF_EVENT_MEMORY_FREED;
			end_one(created, slot, next->thread);
		}
	}
}

static inline void write_step(test_log *log, const step *done, uint64_t counter)
{
	const uint64_t address = 0x10000 + done->address * 16;

	if (done->kind == MPROF_EVENT_MEMORY_ALLOCATED)
		allocate(log, counter, address, done->size, done->stack);
	else if (done->kind == MPROF_EVENT_MEMORY_FREED)
		release(log, counter, address);
	else
		resize(log, counter, counter, 0x10000 + done->old_address * 16, address, done->size, done->stack);
}

/* Options for writing a program. */
#define WITH_WATERMARKS 1
#define WITH_FAULTS 2 /* Some steps are missing, and some watermarks are too high. */

/*
 * Each round has one block of each thread, in random order; watermarks state up to which counter the log is complete.
 */
static inline void write_program(test_log *log, const program *created, size_t steps, int flags)
{
	for (size_t start = 0; start < steps; start += BLOCK_STEPS * THREADS) {
		size_t end = start + BLOCK_STEPS * THREADS < steps ? start + BLOCK_STEPS * THREADS : steps;
		uint32_t first = (uint32_t)random_below(THREADS);

		for (uint32_t i = 0; i < THREADS; i++) {
			uint32_t thread = (first + i) % THREADS;

			begin_block(log, thread + 1, start * 10);
			for (size_t j = start; j < end; j++) {
				if (created->steps[j].thread == thread &&
				    (!(flags & WITH_FAULTS) || random_below(10) > 0))
					write_step(log, &created->steps[j], j * 10);
			}
			end_block(log);
			if (flags == (WITH_WATERMARKS | WITH_FAULTS) && random_below(16) == 0)
				watermark(log, end * 10);
		}
		if (flags & WITH_WATERMARKS && random_below(2) == 0)
			watermark(log, end * 10);
	}
}

#endif
