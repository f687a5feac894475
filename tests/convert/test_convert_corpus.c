/* SPDX-License-Identifier: MIT */
/*
 * Each valid log of tests/data has the same content after it was converted to mprof2 and back to its own dialect, and
 * after it was copied in its own dialect.
 */
#include "convert_fixture.h"

#include <criterion/criterion.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAME_LENGTH 64

/* Function that is called for each log. */
typedef void (*log_function)(const char *name, const log_bytes *log, mprof_dialect dialect);

static mprof_dialect dialect_of(const log_bytes *log)
{
	mprof_session session = {.struct_size = sizeof(session)};
	mprof_block block = {.struct_size = sizeof(block)};
	mprof_reader *reader;

	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, NULL, &reader), MPROF_OK);
	/* Only its samples distinguish unity from mono. */
	while (mprof_reader_next_block(reader, &block) == MPROF_OK)
		continue;
	mprof_reader_get_session(reader, &session);
	mprof_reader_destroy(reader);
	return (mprof_dialect)session.dialect;
}

static int is_any_of(const char *name, const char *const starts[], size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strncmp(name, starts[i], strlen(starts[i])) == 0)
			return 1;
	}
	return 0;
}

static int is_sound(const char *name)
{
	static const char *const others[] = {"bad-", "unsupported-"};

	return !is_any_of(name, others, sizeof(others) / sizeof(others[0]));
}

/*
 * In copies, a sample with a count becomes that many samples, and a call stack has at most as many callers as Mono's
 * programs can read.
 */
static int has_other_samples(const char *name)
{
	static const char *const others[] = {"mono-statistical-counts", "mono-statistical-deep-stack",
					     "drop-statistical-counts"};

	return is_any_of(name, others, sizeof(others) / sizeof(others[0]));
}

/*
 * Copies in mono number collections that have no number, omit frames that are not known, and attribute a HEAP_DATA
 * block without a collection to the last one.
 */
static int is_improved(const char *name)
{
	static const char *const others[] = {"mono-generations", "mono-stack-unknown-frames", "mono-heap-empty",
					     "mono-heap-without-collection"};

	return is_any_of(name, others, sizeof(others) / sizeof(others[0]));
}

static void take_log(const char *name, log_function take)
{
	log_bytes log = log_from_data(name);

	take(name, &log, dialect_of(&log));
	log_free(&log);
}

static void take_logs(log_function take)
{
	const char *source = getenv("srcdir");
	const struct dirent *entry;
	char path[4096];
	DIR *directory;
	int taken = 0;

	snprintf(path, sizeof(path), "%s/tests/data", source != NULL ? source : ".");
	directory = opendir(path);
	cr_assert_not_null(directory, "cannot open %s", path);
	while ((entry = readdir(directory)) != NULL) {
		const char *ending = strrchr(entry->d_name, '.');
		char name[MAX_NAME_LENGTH];

		if (ending == NULL || strcmp(ending, ".desc") != 0 || !is_sound(entry->d_name))
			continue;
		cr_assert_lt(ending - entry->d_name, MAX_NAME_LENGTH);
		snprintf(name, sizeof(name), "%.*s", (int)(ending - entry->d_name), entry->d_name);
		take_log(name, take);
		taken++;
	}
	closedir(directory);
	cr_assert_gt(taken, 40, "%d logs alone", taken);
}

/* A log without END is reported as truncated; there is no other error. */
static void expect_whole(const char *name, const conversion *created)
{
	cr_assert_not(created->has_failed, "%s: %s", name, mprof_status_get_text(created->status));
	cr_assert(created->status == MPROF_OK || created->status == MPROF_ERR_TRUNCATED, "%s: %s", name,
		  mprof_status_get_text(created->status));
}

/* In mprof2 each object has a class. */
static int has_objects_without_class(const char *name)
{
	return strcmp(name, "drop-heap-1") == 0 || strcmp(name, "mono-unknown-ids") == 0;
}

static void go_there_and_back(const char *name, const log_bytes *log, mprof_dialect dialect)
{
	conversion there;
	conversion back;

	if (dialect == MPROF_DIALECT_UNITY_FIXED)
		return;
	there = convert(log, MPROF_DIALECT_MPROF2);
	expect_whole(name, &there);
	back = convert(&there.log, dialect);
	expect_whole(name, &back);
	if (!is_improved(name) && !has_other_samples(name) && !has_objects_without_class(name))
		expect_same_text(name, &back.log, log);
	log_free(&back.log);
	log_free(&there.log);
}

Test(convert_corpus, says_the_same_there_and_back)
{
	take_logs(go_there_and_back);
}

Test(convert_corpus, gives_objects_a_class_where_they_need_one)
{
	log_bytes log = log_from_data("drop-heap-1");
	log_bytes created = convert_whole(&log, MPROF_DIALECT_MPROF2);
	char *text = text_of_log(&created);

	cr_assert_not_null(strstr(text, "class id=4294967295 assembly=0 name=\"(unknown)\""), "%s", text);
	cr_assert_not_null(strstr(text, "heap-object id=4294967295 value=0 object=8001000 references=8002000"), "%s",
			   text);
	free(text);
	log_free(&created);
	log_free(&log);
}

static void copy(const char *name, const log_bytes *log, mprof_dialect dialect)
{
	conversion created;

	if (dialect == MPROF_DIALECT_UNITY_FIXED)
		return;
	created = convert(log, dialect);
	expect_whole(name, &created);
	if (!is_improved(name) && (!has_other_samples(name) || dialect == MPROF_DIALECT_DROP))
		expect_same_text(name, &created.log, log);
	log_free(&created.log);
}

Test(convert_corpus, says_the_same_in_its_dialect)
{
	take_logs(copy);
}
