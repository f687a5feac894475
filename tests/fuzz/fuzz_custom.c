/* SPDX-License-Identifier: MIT */
/*
 * For libFuzzer, in place of fuzz_main.c: changes blocks with the checksums that belong to them. Most inputs are copies
 * of logs that were changed before, whose blocks are put into others.
 */
#include "fuzz_mutate.h"

#include <stdlib.h>
#include <string.h>

enum { KEPT_LOGS = 64 };

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t room, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t length, size_t room);

static fuzz_log kept[KEPT_LOGS];

static void keep(const uint8_t *bytes, size_t length)
{
	fuzz_log *log = &kept[fuzz_random_below(KEPT_LOGS)];

	free(log->bytes);
	log->bytes = malloc(length + 1);
	fuzz_require(log->bytes != NULL);
	memcpy(log->bytes, bytes, length);
	log->length = length;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t room, unsigned int seed)
{
	static uint8_t changed[FUZZ_MAX_LENGTH];
	size_t created;

	fuzz_random_seed(seed);
	if (length < 11 || length > FUZZ_MAX_LENGTH / 2 || fuzz_random_below(16) == 0)
		return LLVMFuzzerMutate(bytes, length, room);
	if (fuzz_random_below(8) == 0)
		keep(bytes, length);
	memcpy(changed, bytes, length);
	created = fuzz_mutate(changed, length, &kept[fuzz_random_below(KEPT_LOGS)]);
	if (created > room)
		created = room;
	memcpy(bytes, changed, created);
	return created;
}
