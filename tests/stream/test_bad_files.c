/* SPDX-License-Identifier: MIT */
/* Each log of tests/data gives the error that the table in its README says. */
#include "log_fixture.h"

#include <criterion/criterion.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ROWS 200

typedef struct table_row {
	char name[64];
	char status[32];
	char severity[16];
	unsigned long offset;
	int is_met;
} table_row;

static table_row rows[MOST_ROWS];
static size_t row_count;

static const char *data_path(const char *name)
{
	static char path[4096];
	const char *directory = getenv("srcdir");

	snprintf(path, sizeof(path), "%s/tests/data/%s", directory != NULL ? directory : ".", name);
	return path;
}

static void read_table(void)
{
	FILE *file = fopen(data_path("README.md"), "r");
	char line[1000];

	cr_assert_not_null(file);
	while (fgets(line, sizeof(line), file) != NULL) {
		table_row *row = &rows[row_count];

		/* The first two rows are the table's head, whose offset is no number. */
		if (sscanf(line, "| %63[a-z0-9-] | %31[A-Z_] | %15[A-Z] | %lu |", row->name, row->status, row->severity,
			   &row->offset) == 4)
			row_count++;
		cr_assert_lt(row_count, MOST_ROWS);
	}
	fclose(file);
	cr_assert_gt(row_count, 0);
}

static mprof_status status_of(const char *name)
{
	static const struct {
		const char *name;
		mprof_status status;
	} statuses[] = {
		{"OK", MPROF_OK},
		{"NOT_MPROF", MPROF_ERR_NOT_MPROF},
		{"TRUNCATED", MPROF_ERR_TRUNCATED},
		{"MALFORMED", MPROF_ERR_MALFORMED},
		{"CHECKSUM", MPROF_ERR_CHECKSUM},
		{"LIMIT", MPROF_ERR_LIMIT},
		{"UNSUPPORTED", MPROF_ERR_UNSUPPORTED},
		{"REDEFINED_ID", MPROF_ERR_REDEFINED_ID},
	};

	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
		if (strcmp(statuses[i].name, name) == 0)
			return statuses[i].status;
	}
	cr_assert_fail("unknown status %s", name);
	return MPROF_OK;
}

static mprof_severity severity_of(const char *name)
{
	return strcmp(name, "FATAL") == 0   ? MPROF_SEVERITY_FATAL
	       : strcmp(name, "BLOCK") == 0 ? MPROF_SEVERITY_BLOCK
					    : MPROF_SEVERITY_NONE;
}

/* The first error, from opening or from reading. */
static mprof_error first_error(const log_bytes *log, log_digest *digest)
{
	mprof_error error = {.struct_size = sizeof(error), .what = "no error"};
	mprof_reader *reader = NULL;
	mprof_status status = mprof_reader_open_memory(log->bytes, log->length, NULL, &reader);

	cr_assert_not_null(reader);
	if (status != MPROF_OK)
		error = reader_error_of(reader);
	log_digest_read(digest, reader);
	if (status == MPROF_OK)
		error = digest->first;
	mprof_reader_destroy(reader);
	return error;
}

static void check_row(table_row *row)
{
	log_bytes log = log_from_data(row->name);
	log_digest digest;
	mprof_error error = first_error(&log, &digest);

	cr_expect_eq(error.status, status_of(row->status), "%s: %s: %s", row->name,
		     mprof_status_text((mprof_status)error.status), error.what);
	cr_expect_eq(error.severity, severity_of(row->severity), "%s: severity %u: %s", row->name,
		     (unsigned)error.severity, error.what);
	cr_expect_eq(error.offset, row->offset, "%s: at %llu: %s", row->name, (unsigned long long)error.offset,
		     error.what);
	if (strcmp(row->severity, "BLOCK") == 0)
		cr_expect_gt(digest.blocks, 0, "%s: nothing is read behind the block", row->name);
	log_free(&log);
}

Test(bad_files, as_the_table_says)
{
	read_table();
	for (size_t i = 0; i < row_count; i++)
		check_row(&rows[i]);
}

Test(bad_files, table_is_complete)
{
	DIR *directory = opendir(data_path(""));
	const struct dirent *entry;
	size_t files = 0;

	read_table();
	cr_assert_not_null(directory);
	while ((entry = readdir(directory)) != NULL) {
		const char *ending = strstr(entry->d_name, ".desc");
		int is_met = 0;

		if (ending == NULL || ending[5] != 0)
			continue;
		files++;
		for (size_t i = 0; i < row_count; i++)
			is_met |= strlen(rows[i].name) == (size_t)(ending - entry->d_name) &&
				  strncmp(rows[i].name, entry->d_name, strlen(rows[i].name)) == 0;
		cr_expect(is_met, "%s is not in the table", entry->d_name);
	}
	closedir(directory);
	cr_expect_eq(files, row_count);
}

/* What the good files hold. */
Test(bad_files, good_files)
{
	static const struct {
		const char *name;
		uint64_t blocks;
		uint64_t events;
		uint64_t mappings;
	} good[] = {
		{"good-mail", 7, 10, 3},  {"good-mail-by-letter", 5, 10, 6}, {"good-mprof2", 12, 10, 3},
		{"good-no-end", 3, 6, 3}, {"good-intro-only", 1, 0, 0},      {"good-heap", 14, 20, 4},
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		log_bytes log = log_from_data(good[i].name);
		log_digest digest;
		mprof_error error = first_error(&log, &digest);

		cr_assert_eq(error.status, MPROF_OK, "%s: %s", good[i].name, error.what);
		cr_assert_eq(digest.last, MPROF_END);
		cr_assert_eq(digest.blocks, good[i].blocks, "%s: %d blocks", good[i].name, (int)digest.blocks);
		cr_assert_eq(digest.events, good[i].events, "%s: %d events", good[i].name, (int)digest.events);
		cr_assert_eq(digest.mappings, good[i].mappings, "%s", good[i].name);
		log_free(&log);
	}
}
