/* SPDX-License-Identifier: MIT */
/* Origins of the objects of heap snapshots are those of a simple simulation, and addresses follow all moves. */
#include "model/ages_fixture.h"

#define ROUNDS 24
#define ALLOCATIONS 40
#define OBJECTS (ROUNDS * ALLOCATIONS)
#define CLASSES 4
#define STACKS 3
#define ROUND_COUNTERS 1000

typedef struct simulated_object {
	uint64_t addresses[ROUNDS + 1]; /* The latest is the last one. */
	uint32_t ages[ROUNDS + 1];
	uint64_t counters[ROUNDS + 1];
	uint32_t address_count;
	uint32_t class_id;
	uint32_t stack;
	uint64_t size;
	uint32_t round;
	int is_alive;
} simulated_object;

typedef struct simulation {
	simulated_object objects[OBJECTS]; /* The identity of an object is its index plus 1. */
	size_t count;
} simulation;

static uint64_t random_state;

static uint64_t random_below(uint64_t limit)
{
	random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (random_state >> 33) % limit;
}

static uint64_t address_of(const simulated_object *object)
{
	return object->addresses[object->address_count - 1];
}

static void add_address(simulated_object *object, uint64_t address, uint32_t round, uint64_t counter)
{
	object->addresses[object->address_count] = address;
	object->ages[object->address_count] = round - object->round;
	object->counters[object->address_count++] = counter;
}

/* An address that no object has that is alive. Few addresses are used, so most are used again. */
static uint64_t free_address(const simulation *created)
{
	for (;;) {
		uint64_t address = 0x10000 + 16 * random_below(OBJECTS);
		size_t i = 0;

		while (i < created->count &&
		       !(created->objects[i].is_alive && address_of(&created->objects[i]) == address))
			i++;
		if (i == created->count)
			return address;
	}
}

static void allocate_round(simulation *created, test_log *log, uint32_t round)
{
	begin_block(log, 7, round * ROUND_COUNTERS + 100);
	for (uint32_t i = 0; i < ALLOCATIONS; i++) {
		simulated_object *object = &created->objects[created->count];
		uint64_t address = free_address(created);

		memset(object, 0, sizeof(*object));
		object->class_id = 1 + (uint32_t)random_below(CLASSES);
		object->stack = 1 + (uint32_t)random_below(STACKS);
		object->size = 8 + 8 * random_below(20);
		object->round = round;
		/* An allocation has no time of its own: it has that of the event, or the block, before it. */
		add_address(object, address, round, round * ROUND_COUNTERS + 100);
		allocate_object(log, object->class_id, round * ROUND_COUNTERS + 100 + i, address, object->size,
				object->stack);
		object->is_alive = 1;
		created->count++;
	}
	end_block(log);
}

/* Some objects die, of which some are not reported; then others move, also to addresses of objects that move. */
static void collect_round(simulation *created, test_log *log, uint32_t round)
{
	static heap_step steps[HEAP_STEPS_MAX];
	const uint64_t counter = round * ROUND_COUNTERS + 500;
	simulated_object *previous = NULL;
	size_t count = 0;

	begin_block(log, 7, counter);
	collect(log, round + 1, counter);
	end_block(log);
	for (size_t i = 0; i < created->count; i++) {
		simulated_object *object = &created->objects[i];

		if (!object->is_alive || random_below(3) > 0)
			continue;
		object->is_alive = 0;
		if (random_below(3) > 0)
			steps[count++] = (heap_step){address_of(object), 0, object->size, object->class_id};
	}
	write_heap_steps(log, counter + 5, steps, count);
	count = 0;
	for (size_t i = 0; i < created->count; i++) {
		simulated_object *object = &created->objects[i];
		uint64_t from = address_of(object);

		if (!object->is_alive || random_below(3) > 0)
			continue;
		add_address(object, free_address(created), round + 1, counter + 6);
		steps[count++] = (heap_step){from, address_of(object), 0, 0};
		/* Two objects exchange their places. */
		if (previous != NULL && random_below(3) == 0) {
			uint64_t other = address_of(previous);

			previous->addresses[previous->address_count - 1] = address_of(object);
			object->addresses[object->address_count - 1] = other;
			steps[count - 2].to = address_of(previous);
			steps[count - 1].to = other;
			previous = NULL;
		} else {
			previous = object;
		}
	}
	write_heap_steps(log, counter + 6, steps, count);
}

static void write_snapshot(const simulation *created, test_log *log, uint32_t number)
{
	const uint64_t counter = SESSION_START + (number - 1) * ROUND_COUNTERS + 600;
	mprof_event_detail detail = {.struct_size = sizeof(detail)};
	mprof_event event = {.kind = MPROF_EVENT_HEAP_OBJECT, .counter = counter};

	event.more.detail = &detail;
	for (size_t i = 0; i < created->count; i++) {
		if (!created->objects[i].is_alive)
			continue;
		detail.object = address_of(&created->objects[i]);
		event.id = created->objects[i].class_id;
		event.value = created->objects[i].size;
	}
	cr_assert_eq(mprof_writer_write_heap(log->writer, number, MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST, counter,
					     &event, 1),
		     MPROF_OK);
}

static void read_at(test_log *log, uint32_t snapshot, uint64_t identity)
{
	mprof_profile_options options;

	mprof_profile_options_init(&options, sizeof(options));
	options.with_ages = 1;
	options.alive_at_snapshot = snapshot;
	options.traced_object = identity;
	log_read(log, &options);
	cr_assert(mprof_profile_has_snapshot(log->profile));
}

/* The first snapshots of a program with as many rounds. */
static void write_program(simulation *created, test_log *log, uint64_t seed, uint32_t rounds)
{
	random_state = seed;
	created->count = 0;
	log_begin_objects(log);
	WRITE_RECORDS(log, MPROF_BLOCK_STACKS, 0, STACK_OF_METHOD(1, 0, 1), STACK_OF_METHOD(2, 0, 2),
		      STACK_OF_METHOD(3, 0, 3));
	for (uint32_t round = 0; round < rounds; round++) {
		allocate_round(created, log, round);
		collect_round(created, log, round);
		write_snapshot(created, log, round + 1);
	}
}

static void expect_origin(const test_log *log, const simulation *created, size_t index, uint32_t rounds)
{
	const simulated_object *object = &created->objects[index];
	mprof_object_origin origin = {.struct_size = sizeof(origin)};
	mprof_age_site site = {.struct_size = sizeof(site)};

	cr_assert_eq(mprof_profile_lookup_origin(log->profile, address_of(object), &origin), MPROF_OK);
	cr_expect_eq(origin.identity, index + 1);
	cr_expect_eq(origin.bytes, object->size);
	cr_expect_eq(origin.age, rounds - object->round);
	cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_AGE_SITES, origin.site, &site), MPROF_OK);
	cr_expect_eq(site.class_id, object->class_id);
	cr_expect_eq(site.stack, object->stack);
}

static void expect_trace(test_log *log, const simulation *created, size_t index, uint32_t rounds)
{
	const simulated_object *object = &created->objects[index];
	mprof_traced_address address = {.struct_size = sizeof(address)};

	read_at(log, rounds, index + 1);
	cr_assert_eq(mprof_profile_get_row_count(log->profile, MPROF_TABLE_TRACED_ADDRESSES), object->address_count);
	for (uint32_t i = 0; i < object->address_count; i++) {
		cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_TRACED_ADDRESSES, i, &address), MPROF_OK);
		cr_expect_eq(address.address, object->addresses[i]);
		cr_expect_eq(address.age, object->ages[i]);
		cr_expect_eq(address.time_ns, object->counters[i]);
	}
	cr_expect_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_TRACED_ADDRESSES, object->address_count, &address),
		     MPROF_ERR_ARGUMENT);
	log_forget_profile(log);
}

/* Every snapshot of a program; what follows it in the log changes nothing. */
Test(profile_origins, are_those_of_a_simulation)
{
	static simulation created;
	static simulation all;

	for (uint32_t rounds = 1; rounds <= ROUNDS; rounds += rounds < 4 ? 1 : 5) {
		test_log log;
		test_log begun;
		size_t alive = 0;

		write_program(&all, &log, rounds, ROUNDS);
		log_close(&log, 0);
		write_program(&created, &begun, rounds, rounds);
		log_close(&begun, 0);
		log_release(&begun);
		read_at(&log, rounds, 0);
		cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_TRACED_ADDRESSES), 0);
		for (size_t i = 0; i < created.count; i++) {
			if (!created.objects[i].is_alive)
				continue;
			expect_origin(&log, &created, i, rounds);
			alive++;
		}
		cr_assert(alive > 10);
		log_forget_profile(&log);
		for (size_t i = 0; i < created.count; i += 7) {
			if (created.objects[i].is_alive)
				expect_trace(&log, &created, i, rounds);
		}
		log_release(&log);
	}
}

/* Not each address has an object, and not each log the snapshot. */
Test(profile_origins, may_be_unknown)
{
	static simulation created;
	mprof_object_origin origin = {.struct_size = sizeof(origin)};
	mprof_profile_options options;
	test_log log;

	write_program(&created, &log, 1, 3);
	log_close(&log, 0);
	read_at(&log, 3, 0);
	cr_expect_eq(mprof_profile_lookup_origin(log.profile, 0, &origin), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_profile_lookup_origin(log.profile, 0x8, &origin), MPROF_ERR_ARGUMENT);
	origin.struct_size = 4;
	cr_expect_eq(mprof_profile_lookup_origin(log.profile, address_of(&created.objects[created.count - 1]), &origin),
		     MPROF_ERR_ARGUMENT);
	log_forget_profile(&log);
	mprof_profile_options_init(&options, sizeof(options));
	options.with_ages = 1;
	options.alive_at_snapshot = 4;
	log_read(&log, &options);
	cr_expect_not(mprof_profile_has_snapshot(log.profile));
	log_release(&log);
}
