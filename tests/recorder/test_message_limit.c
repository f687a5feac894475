/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_message_limit.c
 * \brief Definitions that wait for the writer thread are limited: threads wait, or lose them, and then no event gets
 * the name of an earlier definition.
 */
#include "recorded_log.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { METHOD = 0x7000, OTHER = 0x8000, FILLER = 0x10000, THREADS = 4, EACH = 3000 };

/* A recorder whose writer thread does not run until it is released. */
typedef struct held_recorder {
	mprof_recorder *recorder;
	recorded_log log;
	sem_t release;
	_Atomic int refuses;    /**< 1: the allocator refuses. */
	uint64_t refused;       /**< Definitions that were lost. */
	_Atomic uint64_t input; /**< What the writer thread could define itself. */
	int defines_itself;     /**< The writer thread defines methods until one is lost. */
} held_recorder;

static mprof_status try_to_define(mprof_recorder *recorder, mprof_key key, const char *name)
{
	mprof_description description;

	mprof_description_init(&description, sizeof(description));
	description.name = name;
	description.name_length = strlen(name);
	return mprof_recorder_define_method(recorder, key, &description);
}

static void wait_for_release(void *user)
{
	held_recorder *held = user;

	while (sem_wait(&held->release) != 0)
		;
	while (held->defines_itself && atomic_load(&held->input) < 100000 &&
	       try_to_define(held->recorder, FILLER + atomic_load(&held->input), "Filler ()") == MPROF_OK)
		atomic_fetch_add(&held->input, 1);
}

static void *allocate_some(void *user, size_t size)
{
	held_recorder *held = user;

	return atomic_load(&held->refuses) ? NULL : malloc(size);
}

static void *reallocate_some(void *user, void *memory, size_t old_size, size_t new_size)
{
	held_recorder *held = user;

	(void)old_size;
	return atomic_load(&held->refuses) ? NULL : realloc(memory, new_size);
}

static void release_some(void *user, void *memory, size_t size)
{
	(void)user;
	(void)size;
	free(memory);
}

static void open_held(held_recorder *held, mprof_overflow overflow, mprof_resolve_function resolve)
{
	mprof_allocator allocator = {sizeof(mprof_allocator), allocate_some, reallocate_some, release_some, held};
	mprof_recorder_options options;

	cr_assert_eq(sem_init(&held->release, 0, 0), 0);
	mprof_recorder_options_init(&options, sizeof(options));
	options.overflow = overflow;
	options.allocator = &allocator;
	options.max_message_bytes = 65536;
	options.drain_interval_ms = 60000;
	options.thread_started = wait_for_release;
	options.thread_user = held;
	options.resolve_method = resolve;
	held->recorder = recorded_log_open(&held->log, &options);
}

/* Reads the log of a recorder that is closed. */
static void read_held(held_recorder *held)
{
	mprof_recorder_stats stats = {.struct_size = sizeof(stats)};

	cr_assert_eq(mprof_recorder_get_stats(held->recorder, &stats), MPROF_OK);
	cr_assert_eq(stats.lost[MPROF_LOSS_NO_BUFFER], held->refused);
	mprof_recorder_destroy(held->recorder);
	recorded_log_read(&held->log);
	cr_assert_eq(held->log.status, MPROF_END);
	cr_assert(held->log.complete);
	cr_assert_eq(held->log.lost[MPROF_LOSS_NO_BUFFER], held->refused);
	sem_destroy(&held->release);
}

static void close_held(held_recorder *held)
{
	cr_assert_eq(mprof_recorder_close(held->recorder), MPROF_OK);
	read_held(held);
}

/* Defines methods until one is lost. Returns their number. */
static uint64_t fill_queue(held_recorder *held)
{
	uint64_t count = 0;
	mprof_status status;

	while ((status = try_to_define(held->recorder, FILLER + count, "Filler ()")) == MPROF_OK)
		cr_assert_lt(++count, 1000);
	cr_assert_eq(status, MPROF_ERR_LIMIT);
	held->refused++;
	return count;
}

static void lose(held_recorder *held, mprof_key key, const char *name)
{
	cr_assert_eq(try_to_define(held->recorder, key, name), MPROF_ERR_LIMIT);
	held->refused++;
}

static mprof_thread *attach(held_recorder *held)
{
	mprof_thread *thread;

	cr_assert_eq(mprof_recorder_attach(held->recorder, 5, &thread), MPROF_OK);
	return thread;
}

static void check_name(const held_recorder *held, size_t event, const char *name)
{
	cr_assert_lt(event, held->log.event_count);
	cr_assert_str_eq(held->log.events[event].name, name);
}

/* The name of the method in use then, another one while it is unknown, and that of the next definition. */
static void check_lost_name(mprof_resolve_function resolve, const char *unknown)
{
	held_recorder held = {.refused = 0};
	mprof_thread *thread;

	open_held(&held, MPROF_OVERFLOW_DROP, resolve);
	thread = attach(&held);
	define_method(held.recorder, METHOD, 0, "Old ()");
	define_method(held.recorder, OTHER, 0, "Other ()");
	mprof_thread_enter_method(thread, METHOD);
	cr_assert_gt(fill_queue(&held), 100);
	lose(&held, METHOD, "New ()");
	mprof_thread_enter_method(thread, METHOD);
	mprof_thread_enter_method(thread, OTHER);
	sem_post(&held.release);
	cr_assert_eq(mprof_recorder_drain(held.recorder), MPROF_OK);
	mprof_thread_enter_method(thread, METHOD);
	define_method(held.recorder, METHOD, 0, "Newest ()");
	mprof_thread_enter_method(thread, METHOD);
	mprof_thread_detach(thread);
	close_held(&held);
	cr_assert_eq(held.log.event_count, 5);
	check_name(&held, 0, "Old ()");
	check_name(&held, 1, unknown);
	check_name(&held, 2, "Other ()");
	check_name(&held, 3, unknown);
	check_name(&held, 4, "Newest ()");
	recorded_log_free(&held.log);
}

Test(message_limit, a_lost_definition_ends_the_earlier_one, .timeout = 120)
{
	check_lost_name(NULL, "(unknown 0x7000)");
}

static int resolve_all(void *user, mprof_key key, mprof_description *description)
{
	(void)user;
	(void)key;
	description->name = "Resolved ()";
	description->name_length = strlen(description->name);
	return 0;
}

Test(message_limit, the_client_names_keys_whose_definition_was_lost, .timeout = 120)
{
	check_lost_name(resolve_all, "Resolved ()");
}

/* A text that is refused has no ID, so the IDs in the log have no gap. */
Test(message_limit, a_refused_text_gets_no_id, .timeout = 120)
{
	held_recorder held = {.refused = 0};
	mprof_status status = MPROF_OK;
	uint64_t count = 0;
	char text[32];
	uint32_t id;

	open_held(&held, MPROF_OVERFLOW_DROP, NULL);
	while (status == MPROF_OK) {
		snprintf(text, sizeof(text), "text %u", (unsigned)count);
		status = mprof_recorder_define_text(held.recorder, text, strlen(text), &id);
		cr_assert_eq(id, status == MPROF_OK ? ++count : 0);
	}
	cr_assert_eq(status, MPROF_ERR_LIMIT);
	held.refused++;
	cr_assert_gt(count, 100);
	/* A text that is defined needs no room. */
	cr_assert_eq(mprof_recorder_define_text(held.recorder, "text 7", 6, &id), MPROF_OK);
	cr_assert_eq(id, 8);
	sem_post(&held.release);
	cr_assert_eq(mprof_recorder_drain(held.recorder), MPROF_OK);
	cr_assert_eq(mprof_recorder_define_text(held.recorder, text, strlen(text), &id), MPROF_OK);
	cr_assert_eq(id, count + 1);
	close_held(&held);
	cr_assert_geq(held.log.blocks[MPROF_BLOCK_TEXTS], 2);
	recorded_log_free(&held.log);
}

Test(message_limit, many_lost_definitions_end_all_earlier_ones, .timeout = 120)
{
	held_recorder held = {.refused = 0};
	mprof_thread *thread;

	open_held(&held, MPROF_OVERFLOW_DROP, NULL);
	thread = attach(&held);
	define_method(held.recorder, METHOD, 0, "Old ()");
	define_method(held.recorder, OTHER, 0, "Other ()");
	(void)fill_queue(&held);
	for (mprof_key key = 1; key < 100; key++)
		lose(&held, key, "Lost ()");
	lose(&held, METHOD, "New ()");
	mprof_thread_enter_method(thread, METHOD);
	mprof_thread_enter_method(thread, OTHER);
	sem_post(&held.release);
	cr_assert_eq(mprof_recorder_drain(held.recorder), MPROF_OK);
	define_method(held.recorder, METHOD, 0, "Newest ()");
	mprof_thread_enter_method(thread, METHOD);
	mprof_thread_enter_method(thread, OTHER);
	mprof_thread_detach(thread);
	close_held(&held);
	cr_assert_eq(held.log.event_count, 4);
	check_name(&held, 0, "(unknown 0x7000)");
	check_name(&held, 1, "(unknown 0x8000)");
	check_name(&held, 2, "Newest ()");
	check_name(&held, 3, "(unknown 0x8000)");
	recorded_log_free(&held.log);
}

Test(message_limit, refused_memory_ends_the_earlier_definition, .timeout = 120)
{
	held_recorder held = {.refused = 0};
	mprof_thread *thread;

	open_held(&held, MPROF_OVERFLOW_WAIT, NULL);
	thread = attach(&held);
	define_method(held.recorder, METHOD, 0, "Old ()");
	mprof_thread_enter_method(thread, METHOD);
	atomic_store(&held.refuses, 1);
	cr_assert_eq(try_to_define(held.recorder, METHOD, "New ()"), MPROF_ERR_MEMORY);
	atomic_store(&held.refuses, 0);
	mprof_thread_enter_method(thread, METHOD);
	mprof_thread_detach(thread);
	sem_post(&held.release);
	close_held(&held);
	check_name(&held, 0, "Old ()");
	check_name(&held, 1, "(unknown 0x7000)");
	recorded_log_free(&held.log);
}

/* The ID of the assembly of the only class. */
static uint32_t assembly_of_class(const recorded_log *log)
{
	mprof_reader *reader;
	mprof_mapping mapping;
	mprof_block block;
	uint32_t assembly;

	mprof_block_init(&block, sizeof(block));
	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, NULL, &reader), MPROF_OK);
	while (mprof_reader_next_block(reader, &block) == MPROF_OK)
		;
	cr_assert_eq(mprof_reader_lookup_class(reader, 1, &mapping, sizeof(mapping)), MPROF_OK);
	assembly = mapping.assembly_id;
	mprof_reader_destroy(reader);
	return assembly;
}

/* Loads an assembly under the key of an earlier one. Returns the assembly that a class of this key has in the log. */
static uint32_t load_twice(int is_lost)
{
	held_recorder held = {.refused = 0};
	mprof_element element = {.struct_size = sizeof(element), .kind = MPROF_ELEMENT_ASSEMBLY, .name = "a.dll"};
	mprof_description description;
	mprof_thread *thread;
	uint32_t assembly;

	element.name_length = strlen(element.name);
	open_held(&held, MPROF_OVERFLOW_DROP, NULL);
	thread = attach(&held);
	cr_assert_eq(mprof_recorder_record_loaded(held.recorder, 77, &element), MPROF_OK);
	mprof_description_init(&description, sizeof(description));
	description.name = "C";
	description.name_length = 1;
	description.assembly_key = 77;
	cr_assert_eq(mprof_recorder_define_class(held.recorder, METHOD, &description), MPROF_OK);
	if (is_lost) {
		(void)fill_queue(&held);
		cr_assert_eq(mprof_recorder_record_loaded(held.recorder, 77, &element), MPROF_ERR_LIMIT);
		held.refused++;
	} else {
		cr_assert_eq(mprof_recorder_record_loaded(held.recorder, 77, &element), MPROF_OK);
	}
	mprof_thread_record_allocation(thread, METHOD, 16);
	mprof_thread_detach(thread);
	sem_post(&held.release);
	close_held(&held);
	assembly = assembly_of_class(&held.log);
	recorded_log_free(&held.log);
	return assembly;
}

Test(message_limit, a_lost_assembly_is_not_taken_for_an_earlier_one, .timeout = 120)
{
	cr_assert_eq(load_twice(0), 2);
	cr_assert_eq(load_twice(1), 0);
}

/* The writer thread would wait for itself. */
Test(message_limit, the_writer_thread_never_waits, .timeout = 120)
{
	held_recorder held = {.defines_itself = 1};

	open_held(&held, MPROF_OVERFLOW_WAIT, NULL);
	sem_post(&held.release);
	cr_assert_eq(mprof_recorder_drain(held.recorder), MPROF_OK);
	held.refused = 1;
	close_held(&held);
	cr_assert_gt(atomic_load(&held.input), 100);
	cr_assert_lt(atomic_load(&held.input), 100000);
	recorded_log_free(&held.log);
}

static uint64_t waits_of(const held_recorder *held)
{
	mprof_recorder_stats stats = {.struct_size = sizeof(stats)};

	cr_assert_eq(mprof_recorder_get_stats(held->recorder, &stats), MPROF_OK);
	return stats.waits;
}

static void wait_until_threads_wait(const held_recorder *held, uint64_t count)
{
	const struct timespec pause = {0, 1000000};

	while (waits_of(held) < count)
		nanosleep(&pause, NULL);
}

typedef struct definer {
	pthread_t thread;
	held_recorder *held;
	uint64_t number;
	mprof_status status; /**< Of the last definition. */
} definer;

/* Defines methods and calls each. */
static void *define_and_call(void *argument)
{
	definer *copy = argument;
	mprof_recorder *recorder = copy->held->recorder;
	mprof_thread *thread;
	char name[32];

	copy->status = mprof_recorder_attach(recorder, copy->number + 1, &thread);
	for (uint64_t i = 0; i < EACH && copy->status == MPROF_OK; i++) {
		mprof_key key = (copy->number + 1) << 32 | (i + 1);

		snprintf(name, sizeof(name), "M%u_%u ()", (unsigned)copy->number + 1, (unsigned)i);
		copy->status = try_to_define(recorder, key, name);
		mprof_thread_enter_method(thread, key);
		mprof_thread_leave_method(thread, key);
	}
	mprof_thread_detach(thread);
	return NULL;
}

static void start_definers(held_recorder *held, definer *definers, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		definers[i] = (definer){.held = held, .number = i};
		cr_assert_eq(pthread_create(&definers[i].thread, NULL, define_and_call, &definers[i]), 0);
	}
}

Test(message_limit, threads_wait_and_lose_nothing, .timeout = 120)
{
	held_recorder held = {.refused = 0};
	definer definers[THREADS];
	uint32_t next[THREADS] = {0};

	open_held(&held, MPROF_OVERFLOW_WAIT, NULL);
	start_definers(&held, definers, THREADS);
	wait_until_threads_wait(&held, THREADS);
	sem_post(&held.release);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(definers[i].thread, NULL);
		cr_assert_eq(definers[i].status, MPROF_OK);
	}
	close_held(&held);
	cr_assert_eq(held.log.event_count, (size_t)2 * THREADS * EACH);
	for (size_t i = 0; i < held.log.event_count; i++) {
		const recorded_event *event = &held.log.events[i];
		char name[32];

		if (event->event.kind != MPROF_EVENT_METHOD_ENTER)
			continue;
		snprintf(name, sizeof(name), "M%u_%u ()", (unsigned)event->thread, next[event->thread - 1]++);
		cr_assert_str_eq(event->name, name);
	}
	for (int i = 0; i < THREADS; i++)
		cr_assert_eq(next[i], EACH);
	recorded_log_free(&held.log);
}

/* Releases the writer thread once the waiting thread has returned. */
static void *release_when_it_returns(void *argument)
{
	definer *copy = argument;

	define_and_call(copy);
	sem_post(&copy->held->release);
	return NULL;
}

Test(message_limit, closing_ends_the_wait, .timeout = 120)
{
	held_recorder held = {.refused = 0};
	definer waiting = {.held = &held};

	open_held(&held, MPROF_OVERFLOW_WAIT, NULL);
	cr_assert_eq(pthread_create(&waiting.thread, NULL, release_when_it_returns, &waiting), 0);
	wait_until_threads_wait(&held, 1);
	cr_assert_eq(mprof_recorder_close(held.recorder), MPROF_OK);
	pthread_join(waiting.thread, NULL);
	cr_assert_eq(waiting.status, MPROF_ERR_STATE);
	read_held(&held);
	recorded_log_free(&held.log);
}

Test(message_limit, a_forked_child_does_not_wait, .timeout = 120)
{
	held_recorder held = {.refused = 0};
	definer waiting;
	pid_t child;
	int state;

	open_held(&held, MPROF_OVERFLOW_WAIT, NULL);
	start_definers(&held, &waiting, 1);
	wait_until_threads_wait(&held, 1);
	child = fork();
	if (child == 0)
		_exit(try_to_define(held.recorder, METHOD, "Child ()") == MPROF_ERR_STATE ? 42 : 1);
	cr_assert_eq(waitpid(child, &state, 0), child);
	cr_assert(WIFEXITED(state) && WEXITSTATUS(state) == 42);
	sem_post(&held.release);
	pthread_join(waiting.thread, NULL);
	cr_assert_eq(waiting.status, MPROF_OK);
	close_held(&held);
	recorded_log_free(&held.log);
}

/* The definition of a metric is limited before it gets an ID. */
Test(message_limit, metrics_are_definitions, .timeout = 120)
{
	held_recorder held = {.refused = 0};
	uint32_t metric = 0;

	open_held(&held, MPROF_OVERFLOW_DROP, NULL);
	(void)fill_queue(&held);
	cr_assert_eq(mprof_recorder_define_metric(held.recorder, "s", "m", 0, &metric), MPROF_ERR_LIMIT);
	held.refused++;
	cr_assert_eq(metric, 0);
	sem_post(&held.release);
	cr_assert_eq(mprof_recorder_drain(held.recorder), MPROF_OK);
	cr_assert_eq(mprof_recorder_define_metric(held.recorder, "s", "m", 0, &metric), MPROF_OK);
	cr_assert_eq(metric, 1);
	close_held(&held);
	recorded_log_free(&held.log);
}

Test(message_limit, a_wrong_limit_is_refused)
{
	const uint64_t limits[] = {1, 65535, (UINT64_C(1) << 30) + 1, UINT64_MAX};
	recorded_log log = {0};
	mprof_sink sink = recorded_log_sink(&log);
	mprof_recorder_options options;
	mprof_recorder *recorder;

	mprof_recorder_options_init(&options, sizeof(options));
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		options.max_message_bytes = limits[i];
		cr_assert_eq(mprof_recorder_open_sink(&sink, &options, &recorder, NULL), MPROF_ERR_ARGUMENT);
	}
	recorded_log_free(&log);
}
