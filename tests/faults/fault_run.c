/* SPDX-License-Identifier: MIT */
#include "fault_run.h"

#include <criterion/criterion.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PATH_LENGTH 4096

/* Pairs of refusals for a log and a scenario, unless MPROF_FAULT_PAIRS sets another number. */
#define DEFAULT_PAIRS 200

#define NEAR_REQUESTS 16

/* With sanitizers every fifth request is refused, beginning at another one in each log. */
#define SANITIZED_STEP 5

/* Runs of this test in which a request was refused. */
static size_t fault_count;

/* Runs in which none was refused. */
static size_t log_count;

void fault_step(fault_run *run)
{
	run->steps++;
	cr_assert_leq(run->steps, run->most_steps, "%s: refused at %zu%s: there is no end", run->name,
		      run->memory.fail_at, run->memory.fail_once ? "" : " and later");
}

void fault_hash_bytes(fault_run *run, const void *bytes, size_t length)
{
	const uint8_t *cursor = bytes;

	for (size_t i = 0; i < length; i++)
		run->hash = (run->hash ^ cursor[i]) * UINT64_C(0x100000001b3);
}

void fault_hash_number(fault_run *run, uint64_t number)
{
	fault_hash_bytes(run, &number, sizeof(number));
}

void fault_hash_text(fault_run *run, const char *text)
{
	if (text != NULL)
		fault_hash_bytes(run, text, strlen(text) + 1);
}

void fault_hash_error(fault_run *run, const mprof_error *error)
{
	fault_hash_number(run, error->status | (uint64_t)error->severity << 32);
	fault_hash_number(run, error->offset);
	fault_hash_text(run, error->what);
}

void fault_note_damage(void *user, const mprof_error *error)
{
	fault_step(user);
	fault_hash_error(user, error);
}

/* Runs the scenario once. */
static mprof_status run_once(fault_run *run, const char *name, const log_bytes *log, fault_scenario scenario,
			     const failing_allocator *memory, uint64_t most_steps)
{
	mprof_status status;

	memset(run, 0, sizeof(*run));
	run->memory = *memory;
	run->allocator = failing_allocator_interface(&run->memory);
	run->hash = UINT64_C(0xcbf29ce484222325);
	run->most_steps = most_steps;
	run->name = name;
	status = scenario(run, log);
	cr_assert_eq(run->memory.blocks, 0, "%s: refused at %zu: %zu pieces of memory leak", name, memory->fail_at,
		     run->memory.blocks);
	return status;
}

/* A log and a scenario, with the result of the run in which nothing was refused. */
typedef struct fault_task {
	const char *name;
	const log_bytes *log;
	fault_scenario scenario;
	fault_run whole;
	mprof_status expected;
} fault_task;

static void try_fault(const fault_task *task, const failing_allocator *memory)
{
	fault_run run;
	mprof_status status =
		run_once(&run, task->name, task->log, task->scenario, memory, task->whole.steps * 2 + 1000);

	fault_count++;
	cr_assert_gt(run.memory.refused, 0, "%s: request %zu is not made again", task->name, memory->fail_at);
	if (status == MPROF_ERR_MEMORY)
		return;
	cr_assert(status == task->expected && run.hash == task->whole.hash,
		  "%s: refused at %zu%s (%zu): ends with '%s' and another result", task->name, memory->fail_at,
		  memory->fail_once ? "" : " and later", memory->fail_too, mprof_status_get_text(status));
}

/*
 * Error handling makes few requests, so in every other pair the second refusal is close after the first. A run that
 * ends at the first refusal does not reach the second.
 */
static void try_pairs(const fault_task *task)
{
	const char *wanted = getenv("MPROF_FAULT_PAIRS");
	unsigned long usual = getenv("MPROF_SANITIZED") == NULL ? DEFAULT_PAIRS : DEFAULT_PAIRS / SANITIZED_STEP;
	unsigned long count = wanted != NULL ? strtoul(wanted, NULL, 10) : usual;
	size_t requests = task->whole.memory.requests;
	uint64_t seed = 1;

	for (unsigned long i = 0; i < count && requests > 1; i++) {
		failing_allocator memory = {.fail_once = 1};
		size_t distance;

		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
		memory.fail_at = (seed >> 33) % (requests - 1) + 1;
		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
		distance = (seed >> 33) % (i % 2 == 0 ? NEAR_REQUESTS : requests - memory.fail_at);
		memory.fail_too = memory.fail_at + 1 + distance;
		try_fault(task, &memory);
	}
}

void fault_try_log(const char *name, const log_bytes *log, fault_scenario scenario)
{
	const failing_allocator willing = {0};
	const size_t step = getenv("MPROF_SANITIZED") == NULL ? 1 : SANITIZED_STEP;
	fault_task task = {.name = name, .log = log, .scenario = scenario};

	task.expected = run_once(&task.whole, name, log, scenario, &willing, UINT64_MAX);
	for (int fail_once = 0; fail_once <= 1; fail_once++) {
		for (size_t n = 1 + log->length % step; n <= task.whole.memory.requests; n += step) {
			const failing_allocator memory = {.fail_at = n, .fail_once = fail_once};

			try_fault(&task, &memory);
		}
	}
	try_pairs(&task);
}

static void run_willing(const char *name, const log_bytes *log, fault_scenario scenario)
{
	const failing_allocator willing = {0};
	fault_run run;

	(void)run_once(&run, name, log, scenario, &willing, UINT64_MAX);
	log_count++;
}

typedef void (*log_visitor)(const char *name, const log_bytes *log, fault_scenario scenario);

/* Visits all logs of a folder that have at most \p longest bytes. */
static void visit_folder(const char *folder, uint64_t longest, log_visitor visit, fault_scenario scenario)
{
	DIR *directory = opendir(folder);
	const struct dirent *entry;

	cr_assert_not_null(directory, "cannot open %s", folder);
	while ((entry = readdir(directory)) != NULL) {
		const char *ending = strrchr(entry->d_name, '.');
		char path[MAX_PATH_LENGTH];
		log_bytes log;

		if (ending == NULL || strcmp(ending, ".mprof") != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		log = log_from_file(path);
		if (log.length <= longest)
			visit(path, &log, scenario);
		log_free(&log);
	}
	closedir(directory);
}

static void visit_all(log_visitor visit, fault_scenario scenario)
{
	const char *build = getenv("builddir");
	const char *longest = getenv("MPROF_FAULTS");
	const char *samples = getenv("MPROF_SAMPLES");
	char path[MAX_PATH_LENGTH];

	snprintf(path, sizeof(path), "%s/tests/data", build != NULL ? build : ".");
	visit_folder(path, UINT64_MAX, visit, scenario);
	if (longest != NULL && samples != NULL)
		visit_folder(samples, strtoull(longest, NULL, 10), visit, scenario);
}

/* With sanitizers every fourth log, by its name, since one takes several times as long. */
static void try_log(const char *name, const log_bytes *log, fault_scenario scenario)
{
	const char *slash = strrchr(name, '/');
	unsigned sum = 0;

	for (const char *letter = slash != NULL ? slash : name; *letter != '\0'; letter++)
		sum += (unsigned char)*letter;
	if (getenv("MPROF_SANITIZED") == NULL || sum % 4 == 0)
		fault_try_log(name, log, scenario);
}

void fault_try_all(fault_scenario scenario)
{
	visit_all(try_log, scenario);
	cr_log_info("%zu faults", fault_count);
	cr_assert_gt(fault_count, 100);
}

void fault_run_all(fault_scenario scenario)
{
	visit_all(run_willing, scenario);
	cr_assert_gt(log_count, 100);
}
