/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_thread_times.c
 * \brief How long threads existed and ran is in the log, as much as they measure themselves.
 */
#include "recorded_log.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SLEEPS 50
#define RETURNS 3000

/* The clocks of a thread, and how often it has waited. */
typedef struct own_times {
	uint64_t wall;
	uint64_t cpu;
	uint64_t switches;
} own_times;

/* A thread that is attached, and what it measures outside and inside of that. */
typedef struct busy_thread {
	mprof_recorder *recorder;
	mprof_thread *thread; /* Only of attach_and_wait(). */
	uint64_t id;
	own_times most;
	own_times least;
	own_times before_waiting; /* Valid once is_attached is posted. */
	sem_t is_attached;
	sem_t may_end;
} busy_thread;

static uint64_t read_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static own_times read_times(void)
{
	struct rusage usage;

	cr_assert_eq(getrusage(RUSAGE_THREAD, &usage), 0);
	return (own_times){read_clock(CLOCK_MONOTONIC), read_clock(CLOCK_THREAD_CPUTIME_ID), (uint64_t)usage.ru_nvcsw};
}

static own_times times_since(own_times start)
{
	own_times now = read_times();

	return (own_times){now.wall - start.wall, now.cpu - start.cpu, now.switches - start.switches};
}

static void *run_busy_thread(void *user)
{
	const struct timespec shortest = {0, 1};
	busy_thread *self = user;
	own_times outside = read_times();
	mprof_thread *thread;
	own_times inside;

	cr_assert_eq(mprof_recorder_attach(self->recorder, 0, &thread), MPROF_OK);
	inside = read_times();
	self->id = mprof_thread_get_id(thread);
	/* Not each sleep is a switch: the time may have passed before the thread waits. */
	while (times_since(inside).switches < SLEEPS)
		nanosleep(&shortest, NULL);
	while (times_since(inside).cpu < 3000000)
		sched_yield();
	self->before_waiting = times_since(inside);
	sem_post(&self->is_attached);
	sem_wait(&self->may_end);
	self->least = times_since(inside);
	mprof_thread_detach(thread);
	self->most = times_since(outside);
	return NULL;
}

static mprof_recorder *open_with_times(recorded_log *log, uint32_t thread_times)
{
	mprof_recorder_options options;

	mprof_recorder_options_init(&options, sizeof(options));
	options.thread_times = thread_times;
	return recorded_log_open(log, &options);
}

static void close_and_read(mprof_recorder *recorder, recorded_log *log)
{
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	recorded_log_read(log);
	cr_assert_eq(log->status, MPROF_END);
}

/* The last value of a metric of a thread; 0 if none. */
static uint64_t last_value(const recorded_log *log, uint64_t thread, const char *name)
{
	uint32_t metric = 0;
	uint64_t value = 0;

	for (size_t i = 0; i < log->record_count; i++) {
		const recorded_record *entry = &log->records[i];

		if (entry->record.kind == MPROF_RECORD_METRIC && entry->record.as.metric.thread == thread &&
		    strcmp(entry->name, name) == 0) {
			cr_assert_str_eq(entry->section, "thread");
			cr_assert(entry->record.as.metric.flags & MPROF_METRIC_FLAG_THREAD);
			metric = entry->record.id;
			value = 0;
		}
		if (entry->record.kind == MPROF_RECORD_METRIC_VALUE && entry->record.id == metric && metric != 0) {
			cr_assert_geq(entry->record.as.metric_value.value, value);
			value = entry->record.as.metric_value.value;
		}
	}
	return value;
}

static void start(busy_thread *self, mprof_recorder *recorder, pthread_t *thread, void *(*run)(void *))
{
	self->recorder = recorder;
	sem_init(&self->is_attached, 0, 0);
	sem_init(&self->may_end, 0, 0);
	cr_assert_eq(pthread_create(thread, NULL, run, self), 0);
	sem_wait(&self->is_attached);
}

static void end(busy_thread *self, pthread_t thread)
{
	sem_post(&self->may_end);
	cr_assert_eq(pthread_join(thread, NULL), 0);
}

static void check_range(uint64_t value, uint64_t least, uint64_t most)
{
	cr_assert(value >= least && value <= most, "%zu to %zu, not %zu", (size_t)least, (size_t)most, (size_t)value);
}

Test(thread_times, are_those_that_the_thread_measures)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_with_times(&log, 1);
	busy_thread busy;
	pthread_t thread;
	uint64_t cpu;
	uint64_t wall;
	uint64_t switches;

	start(&busy, recorder, &thread, run_busy_thread);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	end(&busy, thread);
	close_and_read(recorder, &log);
	cpu = last_value(&log, busy.id, "cpu time");
	wall = last_value(&log, busy.id, "wall time");
	switches = last_value(&log, busy.id, "voluntary switches");
	cr_assert_geq(busy.least.switches, SLEEPS);
	check_range(cpu, busy.least.cpu, busy.most.cpu);
	check_range(wall, busy.least.wall, busy.most.wall);
	check_range(switches, busy.least.switches, busy.most.switches);
	recorded_log_free(&log);
}

/* Times of a thread that is attached are written by the rounds of the writer thread. */
Test(thread_times, of_a_thread_that_lives_on)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_with_times(&log, 1);
	busy_thread busy;
	pthread_t thread;

	start(&busy, recorder, &thread, run_busy_thread);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	end(&busy, thread);
	mprof_recorder_destroy(recorder);
	recorded_log_read(&log);
	check_range(last_value(&log, busy.id, "cpu time"), busy.before_waiting.cpu, busy.most.cpu);
	check_range(last_value(&log, busy.id, "wall time"), busy.before_waiting.wall, busy.most.wall);
	check_range(last_value(&log, busy.id, "voluntary switches"), busy.before_waiting.switches, busy.most.switches);
	recorded_log_free(&log);
}

/* One that is attached twice has metrics of its own each time. */
Test(thread_times, count_from_when_the_thread_was_attached)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_with_times(&log, 1);
	uint64_t id = (uint64_t)syscall(SYS_gettid);
	own_times start = read_times();
	mprof_thread *thread;

	while (times_since(start).cpu < 5000000)
		sched_yield();
	start = read_times();
	for (int i = 0; i < 2; i++) {
		cr_assert_eq(mprof_recorder_attach(recorder, 0, &thread), MPROF_OK);
		mprof_thread_detach(thread);
		cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	}
	start = times_since(start);
	close_and_read(recorder, &log);
	cr_assert_gt(last_value(&log, id, "wall time"), 0);
	cr_assert_leq(last_value(&log, id, "wall time"), start.wall);
	cr_assert_leq(last_value(&log, id, "cpu time"), start.cpu);
	cr_assert(log.blocks[MPROF_BLOCK_METRICS] >= 2);
	recorded_log_free(&log);
}

/* A thread that is attached again and again. */
typedef struct returning_thread {
	mprof_recorder *recorder;
	_Atomic int is_done;
} returning_thread;

static void *run_returning_thread(void *user)
{
	returning_thread *self = user;

	for (int i = 0; i < RETURNS; i++) {
		mprof_thread *thread;

		cr_assert_eq(mprof_recorder_attach(self->recorder, 0, &thread), MPROF_OK);
		mprof_thread_detach(thread);
	}
	atomic_store(&self->is_done, 1);
	return NULL;
}

/* The writer thread reads the times of a thread that is being detached. */
Test(thread_times, never_decrease)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_with_times(&log, 1);
	returning_thread returning = {.recorder = recorder};
	uint64_t *values;
	pthread_t thread;
	size_t count = 0;

	cr_assert_eq(pthread_create(&thread, NULL, run_returning_thread, &returning), 0);
	while (!atomic_load(&returning.is_done))
		cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	cr_assert_eq(pthread_join(thread, NULL), 0);
	close_and_read(recorder, &log);
	values = calloc(log.record_count + 1, sizeof(*values));
	cr_assert_not_null(values);
	for (size_t i = 0; i < log.record_count; i++) {
		const mprof_record *record = &log.records[i].record;

		if (record->kind != MPROF_RECORD_METRIC_VALUE)
			continue;
		cr_assert_leq(record->id, log.record_count);
		cr_assert_geq(record->as.metric_value.value, values[record->id]);
		values[record->id] = record->as.metric_value.value;
		count++;
	}
	cr_assert_geq(count, RETURNS);
	free(values);
	recorded_log_free(&log);
}

static void *attach_and_wait(void *user)
{
	busy_thread *self = user;

	cr_assert_eq(mprof_recorder_attach(self->recorder, 0, &self->thread), MPROF_OK);
	self->id = mprof_thread_get_id(self->thread);
	sem_post(&self->is_attached);
	sem_wait(&self->may_end);
	return NULL;
}

/* The system has no times of a thread that has ended. */
Test(thread_times, of_a_thread_that_ends_before_it_is_detached)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_with_times(&log, 1);
	busy_thread busy = {.recorder = recorder};
	pthread_t thread;

	start(&busy, recorder, &thread, attach_and_wait);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	end(&busy, thread);
	mprof_thread_detach(busy.thread);
	close_and_read(recorder, &log);
	cr_assert_gt(last_value(&log, busy.id, "wall time"), 0);
	recorded_log_free(&log);
}

Test(thread_times, not_of_handles_that_are_no_thread_of_the_system)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_with_times(&log, 1);
	mprof_thread *thread;

	cr_assert_eq(mprof_recorder_attach(recorder, UINT64_C(0x7fffffffff), &thread), MPROF_OK);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	mprof_thread_detach(thread);
	close_and_read(recorder, &log);
	cr_assert_eq(log.blocks[MPROF_BLOCK_METRICS], 0);
	recorded_log_free(&log);
}

Test(thread_times, only_if_asked_for)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_with_times(&log, 0);
	mprof_thread *thread;

	cr_assert_eq(mprof_recorder_attach(recorder, 0, &thread), MPROF_OK);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	mprof_thread_detach(thread);
	close_and_read(recorder, &log);
	cr_assert_eq(log.blocks[MPROF_BLOCK_METRICS], 0);
	recorded_log_free(&log);
}

/* A dialect without metrics is not refused. */
Test(thread_times, not_in_dialects_without_metrics)
{
	recorded_log log = {0};
	mprof_recorder_options options;
	mprof_writer_options writer;
	mprof_recorder *recorder;
	mprof_thread *thread;

	mprof_writer_options_init(&writer, sizeof(writer));
	writer.dialect = MPROF_DIALECT_MAIL;
	writer.lossy = 1;
	mprof_recorder_options_init(&options, sizeof(options));
	options.thread_times = 1;
	options.writer = &writer;
	recorder = recorded_log_open(&log, &options);
	cr_assert_eq(mprof_recorder_attach(recorder, 0, &thread), MPROF_OK);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	mprof_thread_detach(thread);
	close_and_read(recorder, &log);
	recorded_log_free(&log);
}
