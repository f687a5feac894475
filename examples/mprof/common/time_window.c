/* SPDX-License-Identifier: MIT */
/* Finds the bounds of a time window in a log. */
#include "common/time_window.h"

#include "common/arguments.h"
#include "common/input.h"
#include "shared/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EVENT_BATCH 1024
#define COPY_SIZE 65536
/* Longer times are refused: as counters they may not fit 64 bits. 10^17 ns are more than three years. */
#define MAX_TIME_NS INT64_C(100000000000000000)

typedef struct log_marker {
	int64_t time_ns;
	uint64_t counter;
	char *text;
} log_marker;

/* What a first pass over the log finds. */
typedef struct log_times {
	log_input input;
	log_marker *markers;
	size_t marker_count;
	size_t marker_capacity;
	int has_index; /* END refers to an index. */
	uint64_t end;  /* The latest counter. */
	mprof_session session;
} log_times;

/* Reads digits with up to nine decimals as nanoseconds of the unit. Returns the rest of the text, NULL if invalid. */
static const char *parse_number(const char *text, const char *end, int64_t *whole, int64_t *billionths)
{
	const char *digits = text;
	int64_t unit = 100000000;

	*whole = 0;
	*billionths = 0;
	for (; text < end && *text >= '0' && *text <= '9'; text++) {
		*whole = *whole * 10 + (*text - '0');
		if (*whole > MAX_TIME_NS)
			return NULL;
	}
	if (text == digits)
		return NULL;
	if (text < end && *text == '.') {
		for (text++; text < end && *text >= '0' && *text <= '9'; text++) {
			*billionths += (*text - '0') * unit;
			unit /= 10;
		}
	}
	return text;
}

/* Reads a time such as "1.5s"; a number without a unit is seconds. Returns 0 if the text is not a time. */
static int parse_time(const char *text, const char *end, int64_t *nanoseconds)
{
	static const struct {
		const char *name;
		int64_t nanoseconds;
	} units[] = {{"", 1000000000}, {"s", 1000000000}, {"ms", 1000000}, {"us", 1000}, {"ns", 1}};
	int64_t whole;
	int64_t billionths;
	const char *rest = parse_number(text, end, &whole, &billionths);

	for (size_t i = 0; rest != NULL && i < sizeof(units) / sizeof(units[0]); i++) {
		size_t length = strlen(units[i].name);

		if ((size_t)(end - rest) != length || memcmp(rest, units[i].name, length) != 0)
			continue;
		if (whole > MAX_TIME_NS / units[i].nanoseconds)
			return 0;
		*nanoseconds = whole * units[i].nanoseconds + billionths / (1000000000 / units[i].nanoseconds);
		return 1;
	}
	return 0;
}

int time_window_parse_duration(const char *option, const char *value, uint64_t *nanoseconds)
{
	int64_t parsed;

	if (!parse_time(value, value + strlen(value), &parsed) || parsed == 0) {
		fprintf(stderr, "mprof: %s: '%s' is not a duration such as 5s or 200ms\n", option, value);
		return 0;
	}
	*nanoseconds = (uint64_t)parsed;
	return 1;
}

int time_window_parse_last(time_window *window, const char *value)
{
	return time_window_parse_duration("--last", value, &window->last_ns);
}

int time_window_parse(time_window *window, const char *value)
{
	if (strchr(value, '-') == NULL || strcmp(value, "-") == 0) {
		fprintf(stderr, "mprof: --time: '%s' is not FROM-TO, such as 1.5s-2s\n", value);
		return 0;
	}
	window->text = value;
	return 1;
}

static int keep_marker(log_times *times, const mprof_block *block)
{
	char *text = strdup(block->as.mark.text);

	if (times->marker_count == times->marker_capacity) {
		size_t capacity = times->marker_capacity * 2 + 16;
		log_marker *markers = realloc(times->markers, capacity * sizeof(*markers));

		if (markers == NULL) {
			free(text);
			return 0;
		}
		times->markers = markers;
		times->marker_capacity = capacity;
	}
	if (text == NULL)
		return 0;
	times->markers[times->marker_count].counter = block->as.mark.counter;
	times->markers[times->marker_count++].text = text;
	return 1;
}

/* Finds the latest counter of the events of a block. */
static void follow_events(log_times *times)
{
	mprof_event events[EVENT_BATCH];
	mprof_status status;
	size_t count = 0;

	do {
		status = mprof_reader_next_events(times->input.reader, events, EVENT_BATCH, &count);
		for (size_t i = 0; i < count; i++) {
			if ((int64_t)(events[i].counter - times->end) > 0)
				times->end = events[i].counter;
		}
	} while (status == MPROF_OK);
	if (status != MPROF_END)
		input_fetch_failed(&times->input);
}

/* Reads the whole log. Returns 0 if there is no memory. */
static int read_times(log_times *times, int needs_end)
{
	mprof_block block;
	int has_memory = 1;

	times->session.struct_size = sizeof(times->session);
	mprof_reader_get_session(times->input.reader, &times->session);
	times->end = times->session.start.counter;
	while (has_memory && input_next_block(&times->input, &block)) {
		if (block.kind == MPROF_BLOCK_MARK)
			has_memory = keep_marker(times, &block);
		else if (block.kind == MPROF_BLOCK_END && block.loaded)
			times->has_index = block.as.end.index_distance != 0;
		else if (needs_end && (block.kind == MPROF_BLOCK_EVENTS || block.kind == MPROF_BLOCK_SAMPLES))
			follow_events(times);
	}
	mprof_reader_get_session(times->input.reader, &times->session);
	if ((int64_t)(times->session.last.counter - times->end) > 0)
		times->end = times->session.last.counter;
	for (size_t i = 0; i < times->marker_count; i++)
		mprof_reader_get_time(times->input.reader, times->markers[i].counter, &times->markers[i].time_ns);
	return has_memory;
}

/*
 * The first marker of a name from a time on; the time is exclusive if is_after is 1, so that two equal names are two
 * markers.
 */
static const log_marker *find_marker(const log_times *times, const char *name, size_t length, int64_t from_ns,
				     int is_after)
{
	const log_marker *found = NULL;

	for (size_t i = 0; i < times->marker_count; i++) {
		const log_marker *marker = &times->markers[i];

		if (strlen(marker->text) == length && memcmp(marker->text, name, length) == 0 &&
		    marker->time_ns >= from_ns + is_after && (found == NULL || marker->time_ns < found->time_ns))
			found = marker;
	}
	return found;
}

/* Resolves FROM and TO, which are separated by the hyphen at \p separator. Returns 0 if one of them is unknown. */
static int resolve_at(time_window *window, const log_times *times, const char *separator)
{
	const char *from = window->text;
	const char *to = separator + 1;
	const char *end = to + strlen(to);
	const log_marker *marker = NULL;

	window->start_ns = INT64_MIN;
	if (separator > from && !parse_time(from, separator, &window->start_ns)) {
		marker = find_marker(times, from, (size_t)(separator - from), INT64_MIN, 0);
		if (marker == NULL)
			return 0;
		window->start_ns = marker->time_ns;
	}
	window->end_ns = TIME_WINDOW_OPEN;
	if (to < end && !parse_time(to, end, &window->end_ns)) {
		marker = find_marker(times, to, (size_t)(end - to), window->start_ns, separator > from);
		if (marker == NULL)
			return 0;
		window->end_ns = marker->time_ns;
	}
	return 1;
}

static int refuse_text(const time_window *window, const log_times *times)
{
	nearest_name nearest;

	nearest_init(&nearest, window->text);
	for (size_t i = 0; i < times->marker_count; i++)
		nearest_offer(&nearest, times->markers[i].text, times->markers[i].text);
	text_begin_message(times->input.name);
	if (window->option != NULL) {
		fprintf(stderr, "%s=", window->option);
		text_name(stderr, window->text + 1);
		fputs(" is neither a time nor the name of a marker", stderr);
	} else {
		fputs("--time=", stderr);
		text_name(stderr, window->text);
		fputs(" contains neither times nor names of markers in this order", stderr);
	}
	if (nearest.found != NULL) {
		fputs("; nearest marker: ", stderr);
		text_name(stderr, nearest.found);
	}
	fputc('\n', stderr);
	nearest_release(&nearest);
	return STATUS_USAGE;
}

static int resolve(time_window *window, const log_times *times)
{
	const char *separator = window->text;

	/* Names of markers may contain hyphens: the first one that separates two known parts counts. */
	while ((separator = strchr(separator, '-')) != NULL) {
		if (resolve_at(window, times, separator))
			break;
		separator++;
	}
	if (separator == NULL)
		return refuse_text(window, times);
	if (window->end_ns <= window->start_ns || window->end_ns == 0) {
		text_begin_message(times->input.name);
		fprintf(stderr, "--time=%s ends before it starts\n", window->text);
		return STATUS_USAGE;
	}
	return STATUS_OK;
}

static int use_times(time_window *window, const log_times *times)
{
	int status = STATUS_OK;

	mprof_reader_get_time(times->input.reader, times->end, &window->log_end_ns);
	if (window->text != NULL) {
		status = resolve(window, times);
	} else if (window->last_ns > 0) {
		window->start_ns = window->log_end_ns - (int64_t)window->last_ns;
		window->end_ns = TIME_WINDOW_OPEN;
		if (window->start_ns <= 0)
			window->start_ns = INT64_MIN;
	}
	if (status == STATUS_OK && (window->text != NULL || window->last_ns > 0)) {
		window->is_bounded = 1;
		if (window->start_ns == INT64_MIN)
			window->start_ns = 0;
	}
	return status;
}

/* Replaces standard input by a file with the same content, since the log is read twice. Returns 0 after a message. */
static int make_input_seekable(void)
{
	static char bytes[COPY_SIZE];
	FILE *copy;
	ssize_t got;
	int is_copied;

	if (lseek(STDIN_FILENO, 0, SEEK_CUR) >= 0)
		return 1;
	copy = tmpfile();
	if (copy == NULL) {
		perror("mprof: -");
		return 0;
	}
	do {
		got = read(STDIN_FILENO, bytes, sizeof(bytes));
		if (got > 0 && fwrite(bytes, 1, (size_t)got, copy) != (size_t)got)
			break;
	} while (got > 0 || (got < 0 && errno == EINTR));
	is_copied = got == 0 && fflush(copy) == 0 && dup2(fileno(copy), STDIN_FILENO) >= 0 &&
		    lseek(STDIN_FILENO, 0, SEEK_SET) == 0;
	if (!is_copied)
		perror("mprof: -");
	fclose(copy);
	return is_copied;
}

static void release_times(log_times *times)
{
	for (size_t i = 0; i < times->marker_count; i++)
		free(times->markers[i].text);
	free(times->markers);
	input_close(&times->input);
}

/* Whether skipping blocks takes less time than reading them. */
static int can_skip_blocks(const log_input *input)
{
	mprof_session session = {.struct_size = sizeof(session)};

	mprof_reader_get_session(input->reader, &session);
	return input->is_file && !session.compressed;
}

/*
 * Reads markers and END, and skips all other blocks by their headers. Writers add an index only to logs in which no
 * block has a later clock pair than END, so the result equals that of reading all blocks. Sets *is_read to 0 if there
 * is no index or any damage. Returns 0 if there is no memory.
 */
static int read_indexed_times(log_times *times, const char *path, int *is_read)
{
	const uint64_t wanted = MPROF_BLOCK_BIT(MPROF_BLOCK_MARK) | MPROF_BLOCK_BIT(MPROF_BLOCK_END);
	int has_memory = 1;

	*is_read = 0;
	if (input_open_part(&times->input, path, wanted) == STATUS_OK && can_skip_blocks(&times->input)) {
		has_memory = read_times(times, 0);
		*is_read = times->has_index && times->input.problem_count == 0;
	}
	return has_memory;
}

static int read_all_times(log_times *times, const char *path, int needs_end, int *is_read)
{
	*is_read = input_open_again(&times->input, path, 0) == STATUS_OK;
	/* Damage is reported when the log is read for its contents. */
	times->input.is_quiet = 1;
	return !*is_read || read_times(times, needs_end);
}

/* Reads what the window needs. Returns 0 if there is no memory. */
static int collect_times(log_times *times, const char *path, int needs_end, int *is_read)
{
	memset(times, 0, sizeof(*times));
	/* The latest counter is that of an event. Standard input cannot be opened twice. */
	if (!needs_end && strcmp(path, "-") != 0) {
		if (!read_indexed_times(times, path, is_read))
			return 0;
		if (*is_read)
			return 1;
		release_times(times);
		memset(times, 0, sizeof(*times));
	}
	return read_all_times(times, path, needs_end, is_read);
}

int time_window_find(time_window *window, const char *path)
{
	int is_standard_input = strcmp(path, "-") == 0;
	off_t start = 0;
	log_times times;
	int status = STATUS_OK;
	int is_read;

	if (window->text == NULL && window->last_ns == 0 && !window->needs_end)
		return STATUS_OK;
	if (is_standard_input && !make_input_seekable())
		return STATUS_NOTHING;
	if (is_standard_input)
		start = lseek(STDIN_FILENO, 0, SEEK_CUR);
	if (!collect_times(&times, path, window->last_ns > 0 || window->needs_end, &is_read)) {
		text_begin_message(path);
		fprintf(stderr, "%s for the markers\n", mprof_status_get_text(MPROF_ERR_MEMORY));
		status = STATUS_NOTHING;
	} else if (!is_read) {
		status = STATUS_NOTHING;
	} else {
		status = input_check_again(&times.input);
		if (status == STATUS_OK)
			status = use_times(window, &times);
	}
	release_times(&times);
	if (is_standard_input)
		lseek(STDIN_FILENO, start, SEEK_SET);
	return status;
}
