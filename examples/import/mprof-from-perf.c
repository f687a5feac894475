/* SPDX-License-Identifier: MIT */
/* Converts the text that perf script prints to a log: one kind of event becomes samples with call stacks. */
#include "perf_lines.h"

#include <mprof/writer.h>

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static const char help[] =
	"Usage: mprof-from-perf [--event=NAME] TEXT LOG\n"
	"\n"
	"Converts the output of perf script, a file or - for standard input, to a log.\n"
	"\n"
	"  --event=NAME  the event whose samples are converted, as perf script prints it (default: the first one)\n"
	"  --help        this text\n"
	"\n"
	"The exit status is 0; 1 if lines could not be read and were left out; 2 if there is no log.\n";

enum { MAX_EVENTS = 64, MAX_RECORDS = 4096, MAX_SAMPLES = 65536, PAGE_MASK = 0xfff };

/* The idle tasks of all processors have the ID 0, which is that of an unknown thread in a log. */
#define IDLE_THREAD (UINT64_C(1) << 32)

typedef struct sample {
	uint64_t thread, time, number;
	const char *comm;
	uint32_t stack;
} sample;

/* Records with the keys by which they are found. */
typedef struct key {
	uint64_t parts[2];
	uint32_t id;
} key;
typedef struct table {
	void *keys;
	mprof_record *records;
	size_t count, capacity;
} table;

static void *names;
static table modules, functions, locations, stacks;
static struct {
	frame *frames;
	size_t count, capacity;
	head head;
	const char *comm;
	int is_single; /* The only frame is that of the first line. */
	enum { NO_SAMPLE, SKIPPED, TAKEN } state;
} current;
static struct {
	sample *samples;
	size_t count, capacity;
	const char *event;
	uint64_t first, last, period;
	int has_periods;
} taken;
static struct {
	const char *name;
	uint64_t count;
} events[MAX_EVENTS];
static uint64_t line_number, malformed, first_malformed, other_events, other_records, source_lines, lost, now,
	file_time;

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "mprof-from-perf: %s: %s\n", what, why);
	exit(2);
}

/* Makes room for one more element. */
static void *grow(void *array, size_t count, size_t *capacity, size_t size)
{
	if (count < *capacity)
		return array;
	*capacity = 2 * *capacity + 256;
	if (*capacity > UINT32_MAX || (array = realloc(array, *capacity * size)) == NULL)
		fail("samples", "out of memory");
	return array;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

static const char *name_of(text text)
{
	char *copy = malloc(text.length + 1), **found;

	if (copy == NULL)
		fail("names", "out of memory");
	memcpy(copy, text.start, text.length);
	copy[text.length] = '\0';
	if ((found = tsearch(copy, &names, compare_names)) == NULL)
		fail("names", "out of memory");
	if (*found != copy)
		free(copy);
	return *found;
}

static int compare_keys(const void *a, const void *b)
{
	return memcmp(((const key *)a)->parts, ((const key *)b)->parts, sizeof(((const key *)a)->parts));
}

/* The record of a key. A new one has the kind, its ID, and zeros. */
static mprof_record *record_of(table *table, uint32_t kind, uint64_t first, uint64_t second)
{
	key *new = calloc(1, sizeof(*new)), **found;
	mprof_record *record;

	if (new == NULL)
		fail("names", "out of memory");
	new->parts[0] = first;
	new->parts[1] = second;
	if ((found = tsearch(new, &table->keys, compare_keys)) == NULL)
		fail("names", "out of memory");
	if (*found != new) {
		free(new);
		return &table->records[(*found)->id - 1];
	}
	table->records = grow(table->records, table->count, &table->capacity, sizeof(*table->records));
	record = &table->records[table->count++];
	memset(record, 0, sizeof(*record));
	record->kind = kind;
	record->id = new->id = (uint32_t)table->count;
	return record;
}

static uint32_t stack_of(uint32_t caller, uint32_t location)
{
	mprof_record *record = record_of(&stacks, MPROF_RECORD_STACK, (uint64_t)caller << 32 | location, 0);

	record->as.stack = (mprof_stack_record){caller, location, 1, 0};
	return record->id;
}

static uint32_t module_of(const char *file)
{
	mprof_record *record;

	if (file[0] == '\0' || strcmp(file, "[unknown]") == 0)
		return 0;
	record = record_of(&modules, MPROF_RECORD_MODULE, (uintptr_t)file, 0);
	record->as.module.file = file;
	return record->id;
}

/*
 * Modules have the address 0: some versions of perf print addresses in the file, others those in memory, which differ
 * between processes by whole pages. So functions of the same name and file are the same if their starts are so in the
 * page, and their locations are at the distance from the start that was found first.
 */
static uint32_t location_of(const frame *frame, uint32_t module)
{
	uint64_t start = frame->has_offset ? frame->address - frame->offset : 0, address = frame->address;
	uint64_t part = frame->has_offset ? 1 + (start & PAGE_MASK) : 0;
	mprof_record *function = NULL, *location;
	uint32_t id = 0;

	if (frame->symbol.length > 0 && strcmp(frame->symbol.start, "[unknown]") != 0) {
		function = record_of(&functions, MPROF_RECORD_FUNCTION, (uint64_t)module << 32 | part,
				     (uintptr_t)frame->symbol.start);
		if (function->as.function.name == NULL)
			function->as.function = (mprof_function_record){module, 0, start, 0, frame->symbol.start};
		if (frame->has_offset)
			address = function->as.function.offset + frame->offset;
		id = function->id;
	}
	location = record_of(&locations, MPROF_RECORD_LOCATION, (uint64_t)module << 32 | id, address);
	location->as.location = (mprof_location_record){module, id, address};
	return location->id;
}

/* Adds the current sample. The outer frames of one that is not whole are shown as not recorded. */
static void end_sample(int is_whole)
{
	const head *head = &current.head;
	uint32_t stack, module = 0;

	if (current.state != TAKEN)
		return;
	stack = is_whole ? 0 : stack_of(0, 0);
	current.state = NO_SAMPLE;
	for (size_t i = current.count; i-- > 0;) {
		/* A function that is inlined is in the file of its caller. */
		if (!current.frames[i].is_inlined)
			module = module_of(current.frames[i].file.start);
		stack = stack_of(stack, location_of(&current.frames[i], module));
	}
	taken.samples = grow(taken.samples, taken.count, &taken.capacity, sizeof(*taken.samples));
	taken.samples[taken.count] = (sample){head->thread, head->time, taken.count, current.comm, stack};
	if (taken.count == 0)
		taken.period = head->period;
	taken.has_periods |= head->period != taken.period;
	taken.first = taken.count == 0 || head->time < taken.first ? head->time : taken.first;
	taken.last = head->time > taken.last ? head->time : taken.last;
	taken.count++;
}

static void note_malformed(void)
{
	if (malformed++ == 0)
		first_malformed = line_number;
	current.state = SKIPPED;
}

static void add_frame(frame frame)
{
	frame.symbol.start = name_of(frame.symbol);
	frame.file.start = name_of(frame.file);
	current.frames = grow(current.frames, current.count, &current.capacity, sizeof(*current.frames));
	current.frames[current.count++] = frame;
}

/* Counts a sample of an event. */
static void count_event(const char *event)
{
	size_t i = 0;

	while (i < MAX_EVENTS && events[i].name != NULL && events[i].name != event)
		i++;
	if (i == MAX_EVENTS) {
		other_events++;
		return;
	}
	events[i].name = event;
	events[i].count++;
}

static void begin_sample(const head *head)
{
	const char *event = name_of(head->event);
	frame frame;

	current.state = SKIPPED;
	count_event(event);
	if (taken.event == NULL)
		taken.event = event;
	if (strcmp(event, taken.event) != 0)
		return;
	current.state = TAKEN;
	current.head = *head;
	if (head->thread == 0)
		current.head.thread = IDLE_THREAD;
	current.comm = name_of(head->comm);
	current.count = 0;
	current.is_single = 0;
	if (head->rest.length > 0 && parse_frame(head->rest, &frame)) {
		add_frame(frame);
		current.is_single = 1;
	}
}

/* A record that is not a sample. */
static void take_record(const head *head)
{
	text rest = head->rest;
	uint64_t count;

	current.state = SKIPPED;
	if (!starts_with(head->event, "PERF_RECORD_LOST")) {
		other_records++;
		return;
	}
	take_first(&rest);
	if (parse_number(rest, 10, 18, &count))
		lost += count;
	else
		note_malformed();
}

static void take_frame(text line)
{
	frame frame;

	if (current.state == TAKEN && parse_frame(line, &frame)) {
		/* What the first line had was not a frame, or is repeated here. */
		if (current.is_single)
			current.count = 0;
		current.is_single = 0;
		add_frame(frame);
	} else if (current.state != SKIPPED) {
		note_malformed();
	}
}

/* "LOST 12 events" */
static int take_loss(text line)
{
	uint64_t count;
	text word = take_first(&line);

	if (word.length != 4 || !starts_with(word, "LOST") || !parse_number(take_first(&line), 10, 18, &count) ||
	    !starts_with(line, "event"))
		return 0;
	lost += count;
	return 1;
}

/* Samples end with an empty line, or with the next sample if they have one frame on the same line, or none. */
static void take_line(text line)
{
	text trimmed = trim(line), rest = trimmed;
	uint64_t address;
	head head;

	if (trimmed.length == 0) {
		end_sample(current.count > 0 && !current.is_single);
		current.state = NO_SAMPLE;
	} else if (parse_head(trimmed, &head)) {
		end_sample(0);
		if (starts_with(head.event, "PERF_RECORD_"))
			take_record(&head);
		else
			begin_sample(&head);
	} else if (isspace((unsigned char)line.start[0]) && parse_number(take_first(&rest), 16, 16, &address)) {
		take_frame(trimmed);
	} else if (current.state != NO_SAMPLE && starts_with(line, "  ")) {
		source_lines++;
	} else if (!take_loss(trimmed) && line.start[0] != '#') {
		note_malformed();
	}
}

/* A line that is too long, contains a NUL byte or is not ended is not what perf printed. */
static void read_lines(FILE *file)
{
	static char line[1 << 16];

	while (fgets(line, sizeof(line), file) != NULL) {
		size_t length = strlen(line);

		line_number++;
		if (length > 0 && line[length - 1] == '\n') {
			take_line((text){line, length - 1});
			continue;
		}
		note_malformed();
		for (int c = 0; length == sizeof(line) - 1 && c != EOF && c != '\n';)
			c = fgetc(file);
	}
	/* The rest of the last stack may be missing. */
	if (current.state == TAKEN && current.count > 0 && !current.is_single) {
		end_sample(0);
		note_malformed();
	}
	end_sample(0);
}

static void read_input(const char *path)
{
	int is_stdin = strcmp(path, "-") == 0;
	FILE *file = is_stdin ? stdin : fopen(path, "r");
	struct stat status;

	if (file == NULL || fstat(fileno(file), &status) != 0)
		fail(path, strerror(errno));
	read_lines(file);
	if (ferror(file))
		fail(path, strerror(errno));
	file_time = (uint64_t)(S_ISREG(status.st_mode) ? status.st_mtime : time(NULL)) * 1000000;
	if (!is_stdin)
		fclose(file);
}

/* The last sample is placed at the time of the file. */
static void read_clock(void *user, mprof_clock *clock)
{
	uint64_t before = (taken.last - now) / 1000;

	(void)user;
	clock->counter = now;
	clock->time = file_time > before ? file_time - before : 0;
}

static mprof_writer *writer;
static const char *log_path;

static void expect(mprof_status status)
{
	mprof_error error = {.struct_size = sizeof(error), .what = mprof_status_get_text(status)};

	if (status == MPROF_OK)
		return;
	mprof_writer_get_error(writer, &error);
	fail(log_path, error.system_error != 0 ? strerror(error.system_error) : error.what);
}

static void write_table(const table *table, uint32_t block)
{
	for (size_t i = 0; i < table->count; i += MAX_RECORDS) {
		size_t count = table->count - i < MAX_RECORDS ? table->count - i : MAX_RECORDS;

		expect(mprof_writer_write_records(writer, block, 0, table->records + i, sizeof(mprof_record), count));
	}
}

static void write_session(void)
{
	char period[24];
	mprof_property properties[6] = {{"recorder", "mprof-from-perf"},
					{"counter", "clock of perf, nanoseconds"},
					{"clock_placed", "last sample at the time of the text file"},
					{"perf_event", taken.event}};
	size_t count = 4;

	snprintf(period, sizeof(period), "%" PRIu64, taken.period);
	if (!taken.has_periods && taken.period > 0) {
		properties[count++] = (mprof_property){"perf_period", period};
		/* These events count nanoseconds. */
		if (strncmp(taken.event, "cpu-clock", 9) == 0 || strncmp(taken.event, "task-clock", 10) == 0)
			properties[count++] = (mprof_property){"sample_period_ns", period};
	}
	expect(mprof_writer_write_session(writer, properties, sizeof(properties[0]), count));
}

static int compare_samples(const void *a, const void *b)
{
	const sample *first = a, *second = b;

	if (first->thread != second->thread)
		return first->thread < second->thread ? -1 : 1;
	if (first->time != second->time)
		return first->time < second->time ? -1 : 1;
	return first->number < second->number ? -1 : 1;
}

/* Writes the samples of each thread in the order of time, after the name that it had. */
static void write_samples(void)
{
	static mprof_event block[MAX_SAMPLES];
	const sample *samples = taken.samples;
	size_t first = 0, count;

	qsort(taken.samples, taken.count, sizeof(*samples), compare_samples);
	for (; first < taken.count; first += count) {
		const sample *start = &samples[first];

		for (count = 0; first + count < taken.count && count < MAX_SAMPLES; count++) {
			const sample *sample = &start[count];

			if (sample->thread != start->thread || sample->comm != start->comm)
				break;
			block[count] = (mprof_event){
				.kind = MPROF_EVENT_SAMPLE, .counter = sample->time, .value = sample->stack};
		}
		now = start->time;
		if (start->comm[0] != '\0')
			expect(mprof_writer_write_thread_name(writer, start->thread, start->comm, strlen(start->comm)));
		now = start[count - 1].time;
		expect(mprof_writer_write_samples(writer, start->thread, start->time, block, count));
	}
}

static void write_log(void)
{
	const uint64_t losses[] = {0, lost};
	mprof_writer_options options;

	mprof_writer_options_init(&options, sizeof(options));
	options.runtime = "perf";
	options.intro_flags = MPROF_INTRO_FLAG_STATISTICAL;
	options.clock = read_clock;
	options.counters_per_second = 1e9;
	now = taken.first;
	expect(mprof_writer_open_path(log_path, &options, &writer));
	write_session();
	write_table(&modules, MPROF_BLOCK_CODE);
	write_table(&functions, MPROF_BLOCK_CODE);
	write_table(&locations, MPROF_BLOCK_CODE);
	write_table(&stacks, MPROF_BLOCK_STACKS);
	write_samples();
	now = taken.last;
	if (lost > 0)
		expect(mprof_writer_write_losses(writer, 0, losses, 2));
	expect(mprof_writer_close(writer));
	expect(mprof_writer_destroy(writer));
}

static void print_summary(void)
{
	fprintf(stderr, "mprof-from-perf: %zu samples of '%s' converted\n", taken.count, taken.event);
	if (taken.has_periods)
		fputs("mprof-from-perf: their periods differ; each counts as one\n", stderr);
	for (size_t i = 0; i < MAX_EVENTS && events[i].name != NULL; i++)
		if (strcmp(events[i].name, taken.event) != 0)
			fprintf(stderr, "mprof-from-perf: not converted: %" PRIu64 " of '%s' (--event)\n",
				events[i].count, events[i].name);
	if (other_events + other_records + source_lines > 0)
		fprintf(stderr,
			"mprof-from-perf: not converted: %" PRIu64 " samples of more events, %" PRIu64
			" other records, %" PRIu64 " source lines\n",
			other_events, other_records, source_lines);
	if (lost > 0)
		fprintf(stderr, "mprof-from-perf: perf lost %" PRIu64 " events\n", lost);
	if (malformed > 0)
		fprintf(stderr,
			"mprof-from-perf: %" PRIu64 " malformed lines left out, the first is line %" PRIu64 "\n",
			malformed, first_malformed);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"event", required_argument, NULL, 'e'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'h')
			return fputs(help, stdout) < 0 || fflush(stdout) != 0 ? 2 : 0;
		if (option != 'e')
			return 2;
		taken.event = optarg;
	}
	if (argc - optind != 2) {
		fputs(help, stderr);
		return 2;
	}
	log_path = argv[optind + 1];
	read_input(argv[optind]);
	if (taken.event == NULL)
		taken.event = "";
	print_summary();
	if (taken.count == 0)
		fail(argv[optind], "no samples; not the output of perf script, or none of this event");
	write_log();
	return malformed > 0;
}
