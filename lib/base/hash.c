/* SPDX-License-Identifier: MIT */
#include "base/hash.h"

#include <stdatomic.h>
#include <time.h>
#ifdef HAVE_GETENTROPY
#ifdef HAVE_SYS_RANDOM_H
#include <sys/random.h>
#endif
#include <unistd.h>
#endif

/*
 * Where the system has no random numbers to give, or refuses them: the time, and where the stack and the library lie.
 */
static uint64_t draw(void)
{
	static const char in_library;
	struct timespec now = {0};
	uint64_t seed = 0;

#ifdef HAVE_GETENTROPY
	if (getentropy(&seed, sizeof(seed)) == 0 && seed != 0)
		return seed;
#endif
	clock_gettime(CLOCK_REALTIME, &now);
	seed = hash_mix((uintptr_t)&now, (uintptr_t)&in_library);
	return hash_mix(hash_mix(seed, (uint64_t)now.tv_sec), (uint64_t)now.tv_nsec) | 1;
}

uint64_t hash_seed(void)
{
	static _Atomic uint64_t seed;
	uint64_t known = atomic_load_explicit(&seed, memory_order_relaxed);
	uint64_t drawn;

	if (known != 0)
		return known;
	drawn = draw();
	/* Of threads that draw at once one wins. The number is all there is to publish. */
	if (atomic_compare_exchange_strong_explicit(&seed, &known, drawn, memory_order_relaxed, memory_order_relaxed))
		return drawn;
	return known;
}
