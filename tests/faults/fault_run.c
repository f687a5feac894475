/* SPDX-License-Identifier: MIT */
#include "fault_run.h"

#include <criterion/criterion.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_PATH 4096

/* Runs of this test in which something was refused. */
static size_t fault_count;

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

/* Runs once. */
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

void fault_try_log(const char *name, const log_bytes *log, fault_scenario scenario)
{
	const failing_allocator willing = {0};
	fault_run whole;
	mprof_status expected = run_once(&whole, name, log, scenario, &willing, UINT64_MAX);

	for (int fail_once = 0; fail_once <= 1; fail_once++) {
		for (size_t n = 1; n <= whole.memory.requests; n++) {
			const failing_allocator memory = {.fail_at = n, .fail_once = fail_once};
			fault_run run;
			mprof_status status = run_once(&run, name, log, scenario, &memory, whole.steps * 2 + 1000);

			fault_count++;
			cr_assert_gt(run.memory.refused, 0, "%s: request %zu is not made again", name, n);
			if (status == MPROF_ERR_MEMORY)
				continue;
			cr_assert(status == expected && run.hash == whole.hash,
				  "%s: refused at %zu%s: ends with '%s' and another result", name, n,
				  fail_once ? "" : " and later", mprof_status_get_text(status));
		}
	}
}

/* All logs of a folder that are no longer than \p longest. */
static void try_folder(const char *folder, uint64_t longest, fault_scenario scenario)
{
	DIR *directory = opendir(folder);
	const struct dirent *entry;

	cr_assert_not_null(directory, "cannot open %s", folder);
	while ((entry = readdir(directory)) != NULL) {
		const char *ending = strrchr(entry->d_name, '.');
		char path[LONGEST_PATH];
		log_bytes log;

		if (ending == NULL || strcmp(ending, ".mprof") != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		log = log_from_file(path);
		if (log.length <= longest)
			fault_try_log(path, &log, scenario);
		log_free(&log);
	}
	closedir(directory);
}

void fault_try_all(fault_scenario scenario)
{
	const char *build = getenv("builddir");
	const char *longest = getenv("MPROF_FAULTS");
	const char *samples = getenv("MPROF_SAMPLES");
	char path[LONGEST_PATH];

	snprintf(path, sizeof(path), "%s/tests/data", build != NULL ? build : ".");
	try_folder(path, UINT64_MAX, scenario);
	if (longest != NULL && samples != NULL)
		try_folder(samples, strtoull(longest, NULL, 10), scenario);
	cr_log_info("%zu faults", fault_count);
	cr_assert_gt(fault_count, 100);
}
