/* SPDX-License-Identifier: MIT */
/* Measures what recording costs a program at present. */
#include "commands/control_rates.h"

#include "common/exit_status.h"
#include "shared/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { TIME, EVENTS, BYTES, LOST, WAITS, PROGRAM_TIME, WRITER_TIME, TOTAL_COUNT };

/* The names of the totals in the answer to the command cost. */
static const char *const names[TOTAL_COUNT] = {"time_ns", "events", "bytes",        "lost_events",
					       "waits",   "cpu_ns", "writer_cpu_ns"};

typedef struct totals {
	uint64_t values[TOTAL_COUNT];
	int is_known[TOTAL_COUNT];
} totals;

/* Reads a line NAME=VALUE of the answer. */
static void read_total(void *user, char *line)
{
	totals *read = user;
	const char *value = strchr(line, '=');

	for (int i = 0; value != NULL && i < TOTAL_COUNT; i++) {
		if (strncmp(line, names[i], (size_t)(value - line)) != 0 || names[i][value - line] != '\0')
			continue;
		read->values[i] = strtoumax(value + 1, NULL, 10);
		read->is_known[i] = 1;
	}
}

/* Returns an exit status. */
static int read_totals(control_connection *connection, totals *read)
{
	memset(read, 0, sizeof(*read));
	return control_send(connection, "cost") ? control_receive_answer(connection, read_total, read) : STATUS_NOTHING;
}

/* Rate of a total per second; -1 if it is unknown. */
static double rate_of(const totals *first, const totals *last, int total)
{
	double seconds = (double)(last->values[TIME] - first->values[TIME]) / 1e9;

	if (!first->is_known[total] || !last->is_known[total] || seconds <= 0)
		return -1;
	return (double)(last->values[total] - first->values[total]) / seconds;
}

static void print_rate_json(json_writer *json, const char *key, double rate)
{
	if (rate < 0)
		json_null(json, key);
	else
		json_double(json, key, rate);
}

static void print_json(json_writer *json, const totals *first, const totals *last)
{
	double writer = rate_of(first, last, WRITER_TIME);
	double program = rate_of(first, last, PROGRAM_TIME);

	json_double(json, "interval_s", (double)(last->values[TIME] - first->values[TIME]) / 1e9);
	print_rate_json(json, "events_per_s", rate_of(first, last, EVENTS));
	print_rate_json(json, "bytes_per_s", rate_of(first, last, BYTES));
	print_rate_json(json, "lost_per_s", rate_of(first, last, LOST));
	print_rate_json(json, "waits_per_s", rate_of(first, last, WAITS));
	print_rate_json(json, "writer_cpu_percent", writer < 0 ? -1 : writer / 1e7);
	print_rate_json(json, "program_cpu_percent", program < 0 ? -1 : program / 1e7);
}

static void print_text(const totals *first, const totals *last)
{
	double writer = rate_of(first, last, WRITER_TIME);
	char text[TEXT_NUMBER_SIZE];

	printf("per second: %s events, ", text_count(text, (uint64_t)rate_of(first, last, EVENTS)));
	printf("%s written, ", text_bytes(text, (uint64_t)rate_of(first, last, BYTES)));
	printf("%s lost, ", text_count(text, (uint64_t)rate_of(first, last, LOST)));
	printf("%s waits for a buffer; processor: ", text_count(text, (uint64_t)rate_of(first, last, WAITS)));
	if (writer >= 0)
		printf("%.1f %% writing the log, ", writer / 1e7);
	printf("%.1f %% the whole program\n", rate_of(first, last, PROGRAM_TIME) / 1e7);
}

int control_rates_print(control_connection *connection, unsigned seconds, json_writer *json)
{
	struct timespec rest = {.tv_sec = (time_t)seconds};
	totals first;
	totals last;
	int status = read_totals(connection, &first);

	if (status != STATUS_OK)
		return status;
	while (nanosleep(&rest, &rest) != 0)
		continue;
	status = read_totals(connection, &last);
	if (status != STATUS_OK)
		return status;
	if (last.values[TIME] <= first.values[TIME]) {
		fprintf(stderr, "mprof: control: the program does not provide its totals\n");
		return STATUS_NOTHING;
	}
	if (json != NULL)
		print_json(json, &first, &last);
	else
		print_text(&first, &last);
	return STATUS_OK;
}
