/* SPDX-License-Identifier: MIT */
/**
 * \file progress_fixture.h
 * \brief Watches the progress of an operation, and stops it at a chosen call.
 */
#ifndef PROGRESS_FIXTURE_H
#define PROGRESS_FIXTURE_H

#include <mprof/base.h>

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

/** What the progress function has seen since progress_expect(). */
typedef struct progress_watch {
	uint64_t calls;
	uint64_t stop_at; /**< The call that stops the operation, from 1; 0: none. */
	uint64_t last;
	uint64_t total;
	uint64_t different; /**< Distinct values of done. */
} progress_watch;

static inline void progress_expect(progress_watch *watch, uint64_t stop_at)
{
	memset(watch, 0, sizeof(*watch));
	watch->stop_at = stop_at;
}

/** Of a computation: from 0 to the total, which does not change, and never back. */
static inline int progress_seen(void *user, uint64_t done, uint64_t total)
{
	progress_watch *watch = user;

	if (watch->calls == 0) {
		cr_assert_eq(done, 0);
		watch->total = total;
	}
	cr_assert_eq(total, watch->total);
	cr_assert_geq(done, watch->last);
	cr_assert_leq(done, total);
	watch->different += watch->calls == 0 || done != watch->last;
	watch->last = done;
	return ++watch->calls == watch->stop_at;
}

/** An allocator that counts what is not released yet. */
typedef struct counted_memory {
	mprof_allocator allocator;
	uint64_t bytes;
} counted_memory;

static inline void *counted_allocate(void *user, size_t size)
{
	counted_memory *memory = user;

	memory->bytes += size;
	return malloc(size);
}

static inline void *counted_reallocate(void *user, void *old, size_t old_size, size_t size)
{
	counted_memory *memory = user;

	memory->bytes += size;
	memory->bytes -= old_size;
	return realloc(old, size);
}

static inline void counted_release(void *user, void *old, size_t size)
{
	counted_memory *memory = user;

	memory->bytes -= size;
	free(old);
}

static inline void counted_begin(counted_memory *memory)
{
	memory->allocator = (mprof_allocator){sizeof(mprof_allocator), counted_allocate, counted_reallocate,
					      counted_release, memory};
	memory->bytes = 0;
}

/** Makes the call that is watched, and returns its status. */
typedef mprof_status (*watched_call)(void *user);

#define STOPS 12

/**
 * Makes a call that is stopped at several points, from the first call of the progress function to the last one, and
 * then one that is not. \p memory must be the same after a stopped call as before it. Returns the number of calls of
 * the function without a stop.
 */
static inline uint64_t progress_stop_everywhere(progress_watch *watch, const counted_memory *memory, watched_call call,
						void *user, uint64_t calls)
{
	const uint64_t before = memory->bytes;

	for (uint64_t i = 0; i <= STOPS; i++) {
		const uint64_t stop_at = 1 + (calls - 1) * i / STOPS;

		progress_expect(watch, stop_at);
		cr_assert_eq(call(user), MPROF_ERR_INTERRUPTED, "call %zu of %zu", (size_t)stop_at, (size_t)calls);
		cr_assert_eq(watch->calls, stop_at);
		cr_assert_eq(memory->bytes, before);
	}
	progress_expect(watch, 0);
	cr_assert_eq(call(user), MPROF_OK);
	cr_assert_eq(watch->last, watch->total);
	return watch->calls;
}

#endif
