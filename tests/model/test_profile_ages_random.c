/* SPDX-License-Identifier: MIT */
/*
 * Ages of objects of random programs are those of a simple simulation, also if the log grows and in windows, and no
 * refused memory yields a different result.
 */
#include "model/ages_fixture.h"

#define EPOCHS 40
#define ALLOCATIONS 60
#define OBJECTS (EPOCHS * ALLOCATIONS)
#define THREADS 3
#define CLASSES 4
#define STACKS 5
#define EPOCH_COUNTERS 1000

typedef struct simulated_object {
	uint64_t address;
	uint64_t size;
	uint32_t class_id;
	uint32_t stack;
	uint32_t thread;
	uint32_t epoch;
	uint32_t death;   /* The epoch in which it is found dead, UINT32_MAX while it lives. */
	int is_reachable; /* A dead object that was not found yet is not. */
} simulated_object;

typedef struct simulation {
	simulated_object objects[OBJECTS];
	size_t count;
	uint64_t next_address;
	heap_step late[ALLOCATIONS]; /* Deaths to be reported because addresses were used again. */
	size_t late_count;
} simulation;

static uint64_t random_state;

static uint64_t random_below(uint64_t limit)
{
	random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (random_state >> 33) % limit;
}

static simulated_object *object_at(simulation *created, uint64_t address)
{
	for (size_t i = 0; i < created->count; i++) {
		if (created->objects[i].address == address && created->objects[i].death == UINT32_MAX)
			return &created->objects[i];
	}
	return NULL;
}

/* An address that no reachable object has. */
static uint64_t free_address(simulation *created, uint32_t epoch)
{
	for (int i = 0; i < 50; i++) {
		uint64_t address = 0x10000 + 16 * random_below(ALLOCATIONS * 3);
		const simulated_object *there = object_at(created, address);

		/* An address is used again only after a collection. */
		if (there == NULL || (!there->is_reachable && there->epoch < epoch))
			return address;
	}
	return created->next_address += 16;
}

static void allocate_at_random(simulation *created, test_log *log, uint32_t thread, uint32_t epoch)
{
	simulated_object *object;
	uint64_t address = free_address(created, epoch);
	simulated_object *there = object_at(created, address);

	if (there != NULL) {
		there->death = epoch;
		created->late[created->late_count++] = (heap_step){there->address, 0, there->size, there->class_id};
	}
	object = &created->objects[created->count++];
	*object = (simulated_object){.address = address, .epoch = epoch, .thread = thread, .death = UINT32_MAX};
	object->is_reachable = 1;
	object->class_id = 1 + (uint32_t)random_below(CLASSES);
	object->stack = (uint32_t)random_below(STACKS + 1);
	object->size = 8 + 8 * random_below(20);
	allocate_object(log, object->class_id, epoch * EPOCH_COUNTERS + 10, address, object->size, object->stack);
}

/* Some objects become unreachable; of these, some are found dead. Some of the others are moved. */
static void collect_at_random(simulation *created, test_log *log, uint32_t epoch)
{
	static heap_step steps[HEAP_STEPS_MAX];
	size_t count = 0;
	const uint64_t counter = epoch * EPOCH_COUNTERS;

	for (size_t i = 0; i < created->count; i++) {
		simulated_object *object = &created->objects[i];
		uint64_t to;

		if (object->death != UINT32_MAX || !object->is_reachable || random_below(8) > 0)
			continue;
		to = created->next_address += 16;
		steps[count++] = (heap_step){object->address, to, 0, 0};
		object->address = to;
	}
	write_heap_steps(log, counter + 5, steps, count);
	count = 0;
	for (size_t i = 0; i < created->count; i++) {
		simulated_object *object = &created->objects[i];

		if (object->death != UINT32_MAX || random_below(3) > 0)
			continue;
		object->is_reachable = 0;
		if (random_below(4) == 0)
			continue;
		object->death = epoch;
		steps[count++] = (heap_step){object->address, 0, object->size, object->class_id};
	}
	write_heap_steps(log, counter + 7, steps, count);
}

static void write_epoch(simulation *created, test_log *log, uint32_t epoch)
{
	uint32_t first = (uint32_t)random_below(THREADS);

	/* A collection, and the allocations after it. The collection may be in a block after the allocations. */
	for (uint32_t i = 0; i < THREADS; i++) {
		uint32_t thread = (first + i) % THREADS;

		if (thread == 0 && epoch > 0) {
			begin_block(log, 1, epoch * EPOCH_COUNTERS);
			collect(log, epoch, epoch * EPOCH_COUNTERS);
			end_block(log);
		}
	}
	if (epoch > 0)
		collect_at_random(created, log, epoch);
	for (uint32_t i = 0; i < THREADS; i++) {
		uint32_t thread = (first + i) % THREADS;

		begin_block(log, thread + 1, epoch * EPOCH_COUNTERS + 10);
		for (size_t j = 0; j < ALLOCATIONS / THREADS; j++)
			allocate_at_random(created, log, thread + 1, epoch);
		end_block(log);
	}
	if (created->late_count > 0)
		write_heap_steps(log, epoch * EPOCH_COUNTERS + 20, created->late, created->late_count);
	created->late_count = 0;
}

static void write_simulation(simulation *created, test_log *log, uint64_t seed)
{
	memset(created, 0, sizeof(*created));
	random_state = seed;
	created->next_address = 0x1000000;
	log_begin_objects(log);
	WRITE_RECORDS(log, MPROF_BLOCK_STACKS, 0, STACK_OF_METHOD(1, 0, 1), STACK_OF_METHOD(2, 1, 2),
		      STACK_OF_METHOD(3, 2, 3), STACK_OF_METHOD(4, 0, 4), STACK_OF_METHOD(5, 4, 1));
	for (uint32_t epoch = 0; epoch < EPOCHS; epoch++)
		write_epoch(created, log, epoch);
	log_close(log, 0);
}

/* The part of a program that is analysed: epochs from first to before last, and one thread, or 0. */
typedef struct chosen_part {
	uint32_t first;
	uint32_t last;
	uint32_t thread;
} chosen_part;

static int counts(const simulated_object *object, const chosen_part *part, uint32_t class_id, uint32_t stack)
{
	return object->epoch >= part->first && object->epoch < part->last &&
	       (part->thread == 0 || object->thread == part->thread) &&
	       (class_id == 0 || object->class_id == class_id) && (stack == UINT32_MAX || object->stack == stack);
}

static int lives_in(const simulated_object *object, uint32_t epoch)
{
	return object->epoch <= epoch && object->death > epoch;
}

/*
 * The live bytes at the end of an epoch, before the next collection finds any dead: an object that dies because its
 * address is used again does so in the middle of the epoch.
 */
static uint64_t live_bytes_in(const simulation *created, const chosen_part *part, uint32_t epoch, uint32_t class_id,
			      uint32_t stack, uint64_t *objects)
{
	uint64_t bytes = 0;

	*objects = 0;
	for (size_t i = 0; i < created->count; i++) {
		const simulated_object *object = &created->objects[i];

		if (!counts(object, part, class_id, stack) || !lives_in(object, epoch))
			continue;
		bytes += object->size;
		++*objects;
	}
	return bytes;
}

/* The sums of a class and a stack; 0 and UINT32_MAX are all. */
static mprof_age_stats simulate(const simulation *created, const chosen_part *part, uint32_t class_id, uint32_t stack)
{
	mprof_age_stats sums = {.struct_size = sizeof(sums)};
	const uint32_t end = part->last - 1;

	for (size_t i = 0; i < created->count; i++) {
		const simulated_object *object = &created->objects[i];
		uint32_t age;

		if (!counts(object, part, class_id, stack))
			continue;
		sums.allocations++;
		sums.bytes += object->size;
		if (lives_in(object, end)) {
			sums.ages += end - object->epoch;
			continue;
		}
		age = object->death - object->epoch - 1;
		sums.dead++;
		sums.dead_bytes += object->size;
		sums.ages += age;
		sums.temporaries += age == 0;
		sums.temporary_bytes += age == 0 ? object->size : 0;
	}
	sums.live_bytes = live_bytes_in(created, part, end, class_id, stack, &sums.live);
	return sums;
}

static void expect_class(const test_log *log, const simulation *created, const chosen_part *part, uint32_t class_id)
{
	const mprof_age_stats expected = simulate(created, part, class_id, UINT32_MAX);
	const mprof_age_class row = age_class_of(log, class_id);

	cr_assert_eq(row.allocations, expected.allocations);
	cr_assert_eq(row.bytes, expected.bytes);
	cr_assert_eq(row.dead, expected.dead);
	cr_assert_eq(row.live_bytes, expected.live_bytes);
	cr_assert_eq(row.temporary_bytes, expected.temporary_bytes);
	cr_assert_eq(row.ages, expected.ages);
}

static void expect_site(const test_log *log, const simulation *created, const chosen_part *part, uint32_t class_id,
			uint32_t stack)
{
	const mprof_age_stats expected = simulate(created, part, class_id, stack);
	const mprof_age_site site = age_site_of(log, class_id, stack);

	cr_assert_eq(site.allocations, expected.allocations);
	cr_assert_eq(site.dead_bytes, expected.dead_bytes);
	cr_assert_eq(site.live, expected.live);
	cr_assert_eq(site.live_bytes, expected.live_bytes);
	cr_assert_eq(site.temporaries, expected.temporaries);
	cr_assert_eq(site.ages, expected.ages);
}

static void expect_simulated(const test_log *log, const simulation *created, const chosen_part *part)
{
	const mprof_age_stats expected = simulate(created, part, 0, UINT32_MAX);
	const mprof_age_stats all = ages_of(log);
	uint64_t peak = 0;

	cr_assert_eq(all.allocations, expected.allocations);
	cr_assert_eq(all.bytes, expected.bytes);
	cr_assert_eq(all.dead, expected.dead);
	cr_assert_eq(all.dead_bytes, expected.dead_bytes);
	cr_assert_eq(all.live, expected.live);
	cr_assert_eq(all.live_bytes, expected.live_bytes);
	cr_assert_eq(all.temporaries, expected.temporaries);
	cr_assert_eq(all.temporary_bytes, expected.temporary_bytes);
	cr_assert_eq(all.ages, expected.ages);
	cr_assert_eq(all.unmatched_deaths, 0);
	cr_assert_eq(all.unmatched_moves, 0);
	cr_assert_eq(all.missing_deaths, 0);
	for (uint32_t class_id = 1; class_id <= CLASSES; class_id++) {
		expect_class(log, created, part, class_id);
		peak += age_class_of(log, class_id).peak_bytes;
		for (uint32_t stack = 0; stack <= STACKS; stack++)
			expect_site(log, created, part, class_id, stack);
	}
	cr_assert_eq(peak, all.peak_bytes);
	for (uint32_t epoch = part->first; epoch < part->last; epoch++) {
		uint64_t objects;

		cr_assert(all.peak_bytes >= live_bytes_in(created, part, epoch, 0, UINT32_MAX, &objects));
	}
}

static void read_part(test_log *log, const chosen_part *part)
{
	const uint64_t thread = part->thread;
	mprof_profile_options options;

	mprof_profile_options_init(&options, sizeof(options));
	options.with_ages = 1;
	options.window_start_ns = part->first > 0 ? (int64_t)(part->first * EPOCH_COUNTERS) : 0;
	options.window_end_ns = part->last < EPOCHS ? (int64_t)(part->last * EPOCH_COUNTERS) : 0;
	options.threads = &thread;
	options.thread_count = thread != 0;
	log_read(log, &options);
}

Test(profile_ages_random, figures_are_those_of_a_simulation)
{
	static simulation created;
	static const chosen_part parts[] = {{0, EPOCHS, 0}, {0, 17, 0}, {5, 23, 0}, {5, EPOCHS, 2}, {9, 10, 3}};

	for (uint64_t seed = 1; seed <= 8; seed++) {
		test_log log;

		write_simulation(&created, &log, seed);
		for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
			read_part(&log, &parts[i]);
			expect_simulated(&log, &created, &parts[i]);
			log_forget_profile(&log);
		}
		log_release(&log);
	}
}

static void expect_same_ages(const test_log *one, const test_log *other)
{
	mprof_age_stats one_stats = ages_of(one);
	mprof_age_stats other_stats = ages_of(other);

	cr_assert_arr_eq(&one_stats, &other_stats, sizeof(one_stats));
	expect_same_rows(MPROF_TABLE_AGE_CLASSES, one, other);
	expect_same_rows(MPROF_TABLE_AGE_SITES, one, other);
	expect_same_rows(MPROF_TABLE_HEAP_CHANGES, one, other);
}

/* However often the profile of a growing log is finished, its figures are those of one finish at that time. */
Test(profile_ages_random, finishing_often_changes_nothing)
{
	static simulation created;
	mprof_profile_options options;
	test_log log;
	test_log once;
	size_t blocks = 0;

	write_simulation(&created, &log, 9);
	mprof_profile_options_init(&options, sizeof(options));
	options.with_ages = 1;
	log_open(&log, &options);
	while (add_next_block(&log)) {
		finish(&log);
		if (++blocks % 7 != 0)
			continue;
		finish(&log);
		once = log;
		log_open(&once, &options);
		for (size_t i = 0; i < blocks; i++)
			cr_assert(add_next_block(&once));
		finish(&once);
		expect_same_ages(&log, &once);
		log_forget_profile(&once);
	}
	expect_simulated(&log, &created, &(chosen_part){0, EPOCHS, 0});
	log_release(&log);
}

/* With little memory, allocations are exact, and the result is marked if anything else is missing. */
Test(profile_ages_random, limited_memory_is_stated)
{
	static simulation created;
	mprof_profile_options options;
	test_log log;
	uint64_t limited = 0;

	write_simulation(&created, &log, 10);
	for (uint64_t limit = 30000; limit < 400000; limit += 3000) {
		mprof_profile_totals totals = {.struct_size = sizeof(totals)};

		mprof_profile_options_init(&options, sizeof(options));
		options.with_ages = 1;
		options.max_memory = limit;
		cr_assert_eq(mprof_reader_open_memory(log.bytes, log.length, NULL, &log.reader), MPROF_OK);
		if (mprof_profile_create(&options, &log.profile) != MPROF_OK) {
			mprof_reader_destroy(log.reader);
			continue;
		}
		cr_assert_eq(mprof_profile_read(log.profile, log.reader, NULL, NULL), MPROF_OK);
		cr_assert_eq(mprof_profile_get_row(log.profile, MPROF_TABLE_TOTALS, 0, &totals), MPROF_OK);
		if (totals.left_out == 0)
			cr_assert_eq(ages_of(&log).allocations, OBJECTS);
		if (ages_of(&log).is_estimate || totals.limited)
			limited++;
		else
			expect_simulated(&log, &created, &(chosen_part){0, EPOCHS, 0});
		log_forget_profile(&log);
	}
	cr_expect(limited > 0);
	free(log.bytes);
}
