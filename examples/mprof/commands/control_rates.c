/* SPDX-License-Identifier: MIT */
/* Measures what recording costs a program at present. */
#include "commands/control_rates.h"

#include "common/exit_status.h"
#include "shared/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { TIME, EVENTS, BYTES, LOST, WAITS, PROGRAM_TIME, WRITER_TIME, FIGURE_COUNT };

/* The names of the totals in the answer to the command cost. */
static const char *const names[FIGURE_COUNT] = {"time_ns", "events", "bytes",        "lost_events",
						"waits",   "cpu_ns", "writer_cpu_ns"};

typedef struct totals {
	uint64_t figures[FIGURE_COUNT];
	int is_known[FIGURE_COUNT];
} totals;

static void read_figure(totals *read, const char *line)
{
	const char *value = strchr(line, '=');

	for (int i = 0; value != NULL && i < FIGURE_COUNT; i++) {
		if (strncmp(line, names[i], (size_t)(value - line)) != 0 || names[i][value - line] != '\0')
			continue;
		read->figures[i] = strtoumax(value + 1, NULL, 10);
		read->is_known[i] = 1;
	}
}

/* Returns an exit status. */
static int read_totals(control_connection *connection, totals *read)
{
	char line[4096];

	memset(read, 0, sizeof(*read));
	if (!control_send(connection, "cost"))
		return STATUS_NOTHING;
	while (control_receive(connection, line, sizeof(line))) {
		if (strcmp(line, "DONE") == 0)
			return STATUS_OK;
		if (strncmp(line, "ERROR", 5) == 0) {
			fprintf(stderr, "mprof: control: %s\n", line[5] == ' ' ? line + 6 : "refused");
			return STATUS_DAMAGED;
		}
		read_figure(read, line);
	}
	return STATUS_NOTHING;
}

/* Rate of a total per second; -1 if it is unknown. */
static double rate_of(const totals *first, const totals *last, int figure)
{
	double seconds = (double)(last->figures[TIME] - first->figures[TIME]) / 1e9;

	if (!first->is_known[figure] || !last->is_known[figure] || seconds <= 0)
		return -1;
	return (double)(last->figures[figure] - first->figures[figure]) / seconds;
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

	json_double(json, "interval_s", (double)(last->figures[TIME] - first->figures[TIME]) / 1e9);
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
	if (last.figures[TIME] <= first.figures[TIME]) {
		fprintf(stderr, "mprof: control: the program does not provide its totals\n");
		return STATUS_NOTHING;
	}
	if (json != NULL)
		print_json(json, &first, &last);
	else
		print_text(&first, &last);
	return STATUS_OK;
}
