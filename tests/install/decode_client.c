/* SPDX-License-Identifier: MIT */
/**
 * \file decode_client.c
 * \brief Decodes logs with nothing but the library and C: prints what it finds in each of those named, once from the
 * file and once from memory, and the sums of a profile. Built for another system it prints the same there.
 *
 * decode_client DIRECTORY NAME...: directories may differ, names are printed. A log is written to the directory as
 * well.
 */
#define MPROF_UNSTABLE
#include <mprof.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS_AT_ONCE 64
#define MAX_LOG_LENGTH ((size_t)16 << 20)
#define MAX_PATH_LENGTH 1000

typedef struct findings {
	uint64_t blocks;
	uint64_t events;
	uint64_t definitions;
	uint64_t errors;
	uint64_t digest;
	mprof_status end;
} findings;

/* FNV-1a */
static void digest_number(findings *found, uint64_t number)
{
	for (int i = 0; i < 8; i++)
		found->digest = (found->digest ^ (number >> i * 8 & 0xff)) * UINT64_C(1099511628211);
}

static void digest_text(findings *found, const char *text, size_t length)
{
	digest_number(found, length);
	for (size_t i = 0; i < length; i++)
		digest_number(found, (unsigned char)text[i]);
}

static mprof_status read_events(mprof_reader *reader, findings *found)
{
	mprof_event events[EVENTS_AT_ONCE];
	mprof_status status;
	size_t count;

	while ((status = mprof_reader_next_events(reader, events, EVENTS_AT_ONCE, &count)) == MPROF_OK) {
		for (size_t i = 0; i < count; i++) {
			digest_number(found, events[i].kind);
			digest_number(found, events[i].id);
			digest_number(found, events[i].counter);
			digest_number(found, events[i].value);
		}
		found->events += count;
	}
	return status;
}

static mprof_status read_definitions(mprof_reader *reader, findings *found)
{
	mprof_mapping mappings[EVENTS_AT_ONCE];
	mprof_status status;
	size_t count;

	while ((status = mprof_reader_next_mappings(reader, mappings, sizeof(*mappings), EVENTS_AT_ONCE, &count)) ==
	       MPROF_OK) {
		for (size_t i = 0; i < count; i++) {
			digest_number(found, mappings[i].id);
			digest_text(found, mappings[i].name, mappings[i].name_length);
		}
		found->definitions += count;
	}
	return status;
}

/* Whether reading goes on: it does after damage to one block. */
static int goes_on(const mprof_reader *reader, mprof_status status, findings *found)
{
	mprof_error error = {.struct_size = sizeof(error)};

	if (status == MPROF_OK || status == MPROF_END)
		return 1;
	found->errors++;
	if (reader == NULL || mprof_reader_get_error(reader, &error) != MPROF_OK)
		return 0;
	digest_number(found, (uint64_t)status);
	digest_number(found, error.offset);
	digest_text(found, error.what, strlen(error.what));
	return error.severity == MPROF_SEVERITY_BLOCK;
}

static void read_blocks(mprof_reader *reader, findings *found)
{
	for (;;) {
		mprof_block block = {.struct_size = sizeof(block)};
		mprof_status status = mprof_reader_next_block(reader, &block);

		if (status == MPROF_END || !goes_on(reader, status, found)) {
			found->end = status;
			return;
		}
		if (status != MPROF_OK)
			continue;
		found->blocks++;
		digest_number(found, block.kind);
		status = block.kind == MPROF_BLOCK_MAPPING ? read_definitions(reader, found)
							   : read_events(reader, found);
		if (status != MPROF_ERR_STATE && !goes_on(reader, status, found)) {
			found->end = status;
			return;
		}
	}
}

static void print_findings(const char *from, const findings *found)
{
	printf("%s: %" PRIu64 " blocks, %" PRIu64 " events, %" PRIu64 " definitions, %" PRIu64
	       " errors, digest %016" PRIx64 ", %s\n",
	       from, found->blocks, found->events, found->definitions, found->errors, found->digest,
	       mprof_status_get_text(found->end));
}

/* Reads all of a log that was opened, and destroys its reader. */
static void look_at(const char *from, mprof_reader *reader, mprof_status status)
{
	findings found = {0};

	if (goes_on(reader, status, &found))
		read_blocks(reader, &found);
	else
		found.end = status;
	mprof_reader_destroy(reader);
	print_findings(from, &found);
}

static void look_at_file(const char *path)
{
	mprof_reader *reader = NULL;
	mprof_status status = mprof_reader_open_path(path, NULL, &reader);

	look_at("file", reader, status);
}

static int look_at_memory(const char *path)
{
	FILE *file = fopen(path, "rb");
	mprof_reader *reader = NULL;
	mprof_status status;
	size_t length = 0;
	char *bytes;

	if (file == NULL || (bytes = malloc(MAX_LOG_LENGTH)) == NULL)
		return 1;
	length = fread(bytes, 1, MAX_LOG_LENGTH, file);
	fclose(file);
	status = mprof_reader_open_memory(bytes, length, NULL, &reader);
	look_at("memory", reader, status);
	free(bytes);
	return 0;
}

static int print_profile(const char *path)
{
	mprof_profile_totals totals = {.struct_size = sizeof(totals)};
	mprof_profile *profile = NULL;
	mprof_reader *reader = NULL;
	mprof_status status = mprof_profile_create(NULL, &profile);

	if (status == MPROF_OK)
		status = mprof_reader_open_path(path, NULL, &reader);
	if (status == MPROF_OK)
		status = mprof_profile_read(profile, reader, NULL, NULL);
	if (profile == NULL || mprof_profile_get_row(profile, MPROF_TABLE_TOTALS, 0, &totals) != MPROF_OK)
		return 1;
	printf("profile: %s, %" PRIu64 " events, %" PRIu64 " calls, %" PRIu64 " ns, %" PRIu64 " allocations, %" PRIu64
	       " samples, %zu methods, %zu classes, %zu threads\n",
	       mprof_status_get_text(status), totals.events, totals.calls, totals.method_ns, totals.allocations,
	       totals.samples, mprof_profile_get_row_count(profile, MPROF_TABLE_METHODS),
	       mprof_profile_get_row_count(profile, MPROF_TABLE_CLASSES),
	       mprof_profile_get_row_count(profile, MPROF_TABLE_THREADS));
	mprof_profile_destroy(profile);
	mprof_reader_destroy(reader);
	return 0;
}

/*
 * Writes a log under a name that is not of ASCII, and reads it back: paths are UTF-8 everywhere, and bytes such as 0x0a
 * and 0x1a mean nothing special. A second writer is refused meanwhile.
 */
static int write_and_read(const char *directory)
{
	char path[MAX_PATH_LENGTH];
	mprof_writer *writer = NULL;
	mprof_writer *second = NULL;

	snprintf(path, sizeof(path), "%s/\xc3\xa4\xe2\x82\xac\xf0\x9d\x84\x9e.mprof", directory);
	if (mprof_writer_open_path(path, NULL, &writer) != MPROF_OK)
		return 1;
	printf("second writer: %s\n", mprof_status_get_text(mprof_writer_open_path(path, NULL, &second)));
	mprof_writer_destroy(second);
	for (uint32_t id = 1; id < 400; id++) {
		mprof_class_definition definition = {
			.struct_size = sizeof(definition), .id = id, .name = "\r\n\x1a", .name_length = 3};

		if (mprof_writer_define_class(writer, &definition) != MPROF_OK)
			return 1;
	}
	if (mprof_writer_close(writer) != MPROF_OK)
		return 1;
	mprof_writer_destroy(writer);
	look_at_file(path);
	look_at_file(directory);
	return 0;
}

int main(int count, char **arguments)
{
	char path[MAX_PATH_LENGTH];

	if (count < 2)
		return 2;
	for (int i = 2; i < count; i++) {
		printf("%s\n", arguments[i]);
		snprintf(path, sizeof(path), "%s/%s", arguments[1], arguments[i]);
		look_at_file(path);
		if (look_at_memory(path) != 0 || print_profile(path) != 0)
			return 1;
	}
	return write_and_read(arguments[1]);
}
