/* SPDX-License-Identifier: MIT */
/*
 * The moves of a collection are one set, in whatever order and however many blocks the log has them. Moves for which
 * the log does not contain to which collection they belong are counted as uncertain.
 */
#include "model/ages_fixture.h"

#define OBJECTS 60
#define ROUNDS 20
#define ROUND_COUNTERS 1000

static uint64_t random_state;

static uint64_t random_below(uint64_t limit)
{
	random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (random_state >> 33) % limit;
}

static void shuffle(size_t *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		numbers[i] = i;
	for (size_t i = count; i > 1; i--) {
		size_t other = random_below(i);
		size_t kept = numbers[i - 1];

		numbers[i - 1] = numbers[other];
		numbers[other] = kept;
	}
}

static void write_snapshot(test_log *log, uint64_t counter)
{
	cr_assert_eq(mprof_writer_write_heap(log->writer, 1, MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST,
					     SESSION_START + counter, NULL, 0),
		     MPROF_OK);
}

static mprof_profile_options options_at_snapshot(uint64_t identity)
{
	mprof_profile_options options;

	mprof_profile_options_init(&options, sizeof(options));
	options.with_ages = 1;
	options.alive_at_snapshot = 1;
	options.traced_object = identity;
	return options;
}

static void expect_identity(const test_log *log, uint64_t address, uint64_t identity)
{
	mprof_object_origin origin = {.struct_size = sizeof(origin)};

	cr_assert_eq(mprof_profile_lookup_origin(log->profile, address, &origin), MPROF_OK, "object %d", (int)identity);
	cr_expect_eq(origin.identity, identity);
}

/* Objects take each other's addresses. The moves are in any order, in blocks of any size. */
static void permute(test_log *log, uint64_t *addresses, uint64_t counter)
{
	size_t targets[OBJECTS];
	size_t order[OBJECTS];
	uint64_t previous[OBJECTS];
	heap_step steps[OBJECTS];
	size_t done = 0;

	memcpy(previous, addresses, sizeof(previous));
	shuffle(targets, OBJECTS);
	shuffle(order, OBJECTS);
	for (size_t i = 0; i < OBJECTS; i++) {
		addresses[order[i]] = previous[targets[order[i]]];
		steps[i] = (heap_step){previous[order[i]], addresses[order[i]], 0, 0};
	}
	while (done < OBJECTS) {
		size_t count = 1 + random_below(9);

		count = count < OBJECTS - done ? count : OBJECTS - done;
		write_heap_steps(log, counter++, steps + done, count);
		done += count;
	}
}

static void write_rounds(test_log *log, uint64_t *addresses, int has_collections)
{
	log_begin_objects(log);
	begin_block(log, 7, 100);
	for (size_t i = 0; i < OBJECTS; i++) {
		addresses[i] = 0x1000 + 16 * i;
		allocate_object(log, 1, 100, addresses[i], 16, 0);
	}
	end_block(log);
	for (uint64_t round = 1; round <= ROUNDS; round++) {
		begin_block(log, 7, round * ROUND_COUNTERS);
		if (has_collections)
			collect(log, (uint32_t)round, round * ROUND_COUNTERS);
		else
			allocate_object(log, 2, round * ROUND_COUNTERS, 0x100000 + 16 * round, 16, 0);
		end_block(log);
		permute(log, addresses, round * ROUND_COUNTERS + 10);
	}
	write_snapshot(log, (ROUNDS + 1) * ROUND_COUNTERS);
	log_close(log, 0);
}

/* Collections and allocations separate the sets of moves. */
Test(profile_moves, of_a_collection_are_one_set)
{
	const mprof_profile_options options = options_at_snapshot(1);
	uint64_t addresses[OBJECTS];
	test_log log;

	for (int has_collections = 0; has_collections <= 1; has_collections++) {
		random_state = 11 + (uint64_t)has_collections;
		write_rounds(&log, addresses, has_collections);
		log_read(&log, &options);
		for (size_t i = 0; i < OBJECTS; i++)
			expect_identity(&log, addresses[i], i + 1);
		cr_expect_eq(ages_of(&log).missing_deaths, 0);
		cr_expect_eq(ages_of(&log).unmatched_moves, 0);
		cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_TRACED_ADDRESSES), ROUNDS + 1);
		/* Without collections, an address that is taken before it is left may be that of another set. */
		cr_expect_eq(ages_of(&log).uncertain_moves > 0, !has_collections);
		cr_expect_eq(ages_of(&log).is_estimate, !has_collections);
		log_release(&log);
	}
}

/* Two collections run without anything in the log that separates them. */
Test(profile_moves, again_in_one_set)
{
	const mprof_profile_options options = options_at_snapshot(1);
	mprof_traced_address address = {.struct_size = sizeof(address)};
	test_log log;

	log_begin_objects(&log);
	begin_block(&log, 7, 100);
	allocate_object(&log, 1, 100, 0x1000, 16, 0);
	allocate_object(&log, 1, 100, 0x2000, 16, 0);
	end_block(&log);
	write_move(&log, 200, 0x1000, 0x5000);
	write_move(&log, 201, 0x2000, 0x6000);
	write_move(&log, 300, 0x5000, 0x7000);
	write_move(&log, 301, 0x7000, 0x8000);
	write_snapshot(&log, 400);
	log_close(&log, 0);
	log_read(&log, &options);
	expect_identity(&log, 0x8000, 1);
	expect_identity(&log, 0x6000, 2);
	cr_expect_eq(ages_of(&log).unmatched_moves, 0);
	cr_expect_eq(ages_of(&log).uncertain_moves, 2);
	cr_expect_eq(ages_of(&log).is_estimate, 1);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_TRACED_ADDRESSES), 4);
	cr_assert_eq(mprof_profile_get_row(log.profile, MPROF_TABLE_TRACED_ADDRESSES, 3, &address), MPROF_OK);
	cr_expect_eq(address.address, 0x8000);
	cr_expect_eq(address.time_ns, 301);
	log_release(&log);
}

/* A profile that is finished before the log reaches the snapshot moves nothing for good. */
Test(profile_moves, are_reverted_with_what_is_provisional)
{
	const mprof_profile_options options = options_at_snapshot(1);
	uint64_t addresses[OBJECTS];
	test_log log;

	random_state = 13;
	write_rounds(&log, addresses, 1);
	log_open(&log, &options);
	while (add_next_block(&log))
		finish(&log);
	cr_assert(mprof_profile_has_snapshot(log.profile));
	for (size_t i = 0; i < OBJECTS; i++)
		expect_identity(&log, addresses[i], i + 1);
	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_TRACED_ADDRESSES), ROUNDS + 1);
	cr_expect_eq(ages_of(&log).uncertain_moves, 0);
	log_release(&log);
}
