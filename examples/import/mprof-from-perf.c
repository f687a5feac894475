/* SPDX-License-Identifier: MIT */
/* Converts the text that perf script prints to a log: its events become samples with call stacks. */
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
	"  --event=NAME  the only event whose samples are converted, as perf script prints it; without it, samples of\n"
	"                several events become kinds of samples, whose weights are their periods\n"
	"  --help        this text\n"
	"\n"
	"The exit status is 0; 1 if lines could not be read and were left out; 2 if there is no log.\n";

enum { MAX_EVENTS = 64, MAX_RECORDS = 4096, MAX_SAMPLES = 65536, MAX_TYPED = 4096, PAGE_MASK = 0xfff };

/* The arguments of a kind: the call stack, the weight, the processor. */
enum { ARGUMENT_COUNT = 3 };

/* The idle tasks of all processors have the ID 0, which is that of an unknown thread in a log. */
#define IDLE_THREAD (UINT64_C(1) << 32)

typedef struct sample {
	uint64_t thread, time, number, period, cpu;
	const char *comm;
	uint32_t stack, event;
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
static table texts, modules, functions, locations, positions, stacks;
static struct {
	frame *frames;
	size_t count, capacity;
	head head;
	const char *comm;
	uint32_t event;
	int is_single; /* The only frame is that of the first line. */
	enum { NO_SAMPLE, SKIPPED, TAKEN } state;
} current;
static struct {
	sample *samples;
	size_t count, capacity;
	const char *event; /* The only one; NULL if all are converted. */
	uint64_t first, last;
} taken;
static struct {
	const char *name;
	uint64_t count, converted, period;
	int has_periods; /* Their periods differ. */
} events[MAX_EVENTS];
static uint32_t event_count;
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

/* The call stack of a frame: a position if it is not 0, else a location. */
static uint32_t stack_of(uint32_t caller, uint32_t location, uint32_t position)
{
	mprof_record *record = record_of(&stacks, MPROF_RECORD_STACK, (uint64_t)caller << 32 | location, position);

	record->as.stack = position != 0 ? (mprof_stack_record){.caller = caller, .position = position}
					 : (mprof_stack_record){.caller = caller, .target = location, .is_native = 1};
	return record->id;
}

/* The position of a frame; 0 if it has no line and is not inlined. */
static uint32_t position_of(const frame *frame, uint32_t location)
{
	mprof_record *text = NULL, *position;

	if (frame->line == 0 && !frame->is_inlined)
		return 0;
	if (frame->source != NULL) {
		text = record_of(&texts, MPROF_RECORD_TEXT, (uintptr_t)frame->source, 0);
		text->as.text.text = frame->source;
	}
	position = record_of(&positions, MPROF_RECORD_POSITION, (uint64_t)location << 32 | frame->line,
			     (uint64_t)(text != NULL ? text->id : 0) << 1 | (frame->is_inlined ? 1 : 0));
	position->as.position = (mprof_position_record){.target = location,
							.is_native = 1,
							.is_inlined = frame->is_inlined != 0,
							.line = frame->line,
							.file = text != NULL ? text->id : 0};
	return position->id;
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
	uint32_t stack, location, module = 0;

	if (current.state != TAKEN)
		return;
	stack = is_whole ? 0 : stack_of(0, 0, 0);
	current.state = NO_SAMPLE;
	for (size_t i = current.count; i-- > 0;) {
		/* A function that is inlined is in the file of its caller. */
		if (!current.frames[i].is_inlined)
			module = module_of(current.frames[i].file.start);
		location = location_of(&current.frames[i], module);
		stack = stack_of(stack, location, position_of(&current.frames[i], location));
	}
	taken.samples = grow(taken.samples, taken.count, &taken.capacity, sizeof(*taken.samples));
	taken.samples[taken.count] = (sample){head->thread, head->time,   taken.count, head->period,
					      head->cpu,    current.comm, stack,       current.event};
	if (events[current.event].converted++ == 0)
		events[current.event].period = head->period;
	events[current.event].has_periods |= head->period != events[current.event].period;
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

/* Counts a sample of an event. Returns its index; MAX_EVENTS if there are too many. */
static uint32_t count_event(const char *event)
{
	uint32_t i = 0;

	while (i < event_count && events[i].name != event)
		i++;
	if (i == MAX_EVENTS) {
		other_events++;
		return i;
	}
	event_count += i == event_count;
	events[i].name = event;
	events[i].count++;
	return i;
}

static void begin_sample(const head *head)
{
	const char *event = name_of(head->event);
	frame frame;

	current.state = SKIPPED;
	current.event = count_event(event);
	if (current.event == MAX_EVENTS || (taken.event != NULL && strcmp(event, taken.event) != 0))
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

/* The source line of the frame before it. */
static void take_source(text line)
{
	frame *last = current.count > 0 ? &current.frames[current.count - 1] : NULL;
	text file;

	if (current.state != TAKEN)
		return;
	if (last != NULL && last->line == 0 && parse_source(line, &file, &last->line))
		last->source = name_of(file);
	else
		source_lines++;
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
		take_source(trimmed);
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

/* The only event whose samples are converted; NULL if they are of several. */
static const char *only_event(void)
{
	return taken.event != NULL ? taken.event : event_count == 1 ? events[0].name : NULL;
}

/* These events count nanoseconds. */
static int counts_time(const char *event)
{
	return strncmp(event, "cpu-clock", 9) == 0 || strncmp(event, "task-clock", 10) == 0;
}

static void write_session(void)
{
	char period[24];
	mprof_property properties[6] = {{"recorder", "mprof-from-perf"},
					{"counter", "clock of perf, nanoseconds"},
					{"clock_placed", "last sample at the time of the text file"}};
	const char *event = only_event();
	size_t count = 3;

	if (event != NULL)
		properties[count++] = (mprof_property){"perf_event", event};
	for (uint32_t i = 0; event != NULL && i < event_count; i++) {
		if (strcmp(events[i].name, event) != 0 || events[i].has_periods || events[i].period == 0)
			continue;
		snprintf(period, sizeof(period), "%" PRIu64, events[i].period);
		properties[count++] = (mprof_property){"perf_period", period};
		if (counts_time(event))
			properties[count++] = (mprof_property){"sample_period_ns", period};
	}
	expect(mprof_writer_write_session(writer, properties, sizeof(properties[0]), count));
}

/* Defines a kind of samples for each event. */
static void write_kinds(void)
{
	mprof_record records[2 * ARGUMENT_COUNT + MAX_EVENTS] = {{0}};
	uint32_t count = 0;

	for (uint32_t unit = 0; unit < 2; unit++) {
		const mprof_argument_record arguments[ARGUMENT_COUNT] = {
			{MPROF_ARGUMENT_STACK, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_STACK, MPROF_ARGUMENT_UNIT_NONE,
			 "stack", ""},
			{MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_WEIGHT,
			 unit == 0 ? MPROF_ARGUMENT_UNIT_COUNT : MPROF_ARGUMENT_UNIT_NANOSECONDS, "period", ""},
			{MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_CPU, MPROF_ARGUMENT_UNIT_NONE,
			 "cpu", ""}};

		for (uint32_t i = 0; i < ARGUMENT_COUNT; i++, count++) {
			records[count].kind = MPROF_RECORD_ARGUMENT;
			records[count].id = count + 1;
			records[count].as.argument = arguments[i];
		}
	}
	for (uint32_t i = 0; i < event_count; i++, count++) {
		mprof_type_record *type = &records[count].as.type;

		records[count].kind = MPROF_RECORD_TYPE;
		records[count].id = i + 1;
		type->form = MPROF_TYPE_SAMPLE;
		type->first_argument = counts_time(events[i].name) ? 1 + ARGUMENT_COUNT : 1;
		type->argument_count = ARGUMENT_COUNT;
		type->name = events[i].name;
		type->period = events[i].has_periods ? 0 : events[i].period;
		type->source = "perf";
	}
	expect(mprof_writer_write_records(writer, MPROF_BLOCK_TYPES, 0, records, sizeof(records[0]), count));
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

static void write_plain(const sample *samples, size_t count)
{
	static mprof_event block[MAX_SAMPLES];

	for (size_t i = 0; i < count; i++)
		block[i] = (mprof_event){
			.kind = MPROF_EVENT_SAMPLE, .counter = samples[i].time, .value = samples[i].stack};
	expect(mprof_writer_write_samples(writer, samples->thread, samples->time, block, count));
}

/* A sample without a period is one event. */
static size_t encode_arguments(const sample *sample, uint8_t *out, size_t size)
{
	const uint64_t values[ARGUMENT_COUNT] = {sample->stack, sample->period != 0 ? sample->period : 1, sample->cpu};
	size_t length = 0;

	for (size_t i = 0; i < ARGUMENT_COUNT; i++) {
		const mprof_argument_value value = {.number = values[i]};

		length += mprof_argument_encode(&value, MPROF_ENCODING_UNSIGNED, out + length, size - length);
	}
	return length;
}

static void write_typed(const sample *samples, size_t count)
{
	static uint8_t arguments[MAX_TYPED][ARGUMENT_COUNT * MPROF_VARINT_MAX_LENGTH];
	static mprof_event_detail details[MAX_TYPED];
	static mprof_event block[MAX_TYPED];

	for (size_t i = 0; i < count; i++) {
		details[i] = (mprof_event_detail){.struct_size = sizeof(details[i]), .arguments = arguments[i]};
		details[i].argument_size = encode_arguments(&samples[i], arguments[i], sizeof(arguments[i]));
		block[i] = (mprof_event){.kind = MPROF_EVENT_TYPED,
					 .id = samples[i].event + 1,
					 .counter = samples[i].time,
					 .more.detail = &details[i]};
	}
	expect(mprof_writer_write_typed(writer, samples->thread, samples->time, block, count));
}

/* Writes the samples of each thread in the order of time, after the name that it had. */
static void write_samples(void)
{
	const int is_plain = only_event() != NULL;
	const size_t most = is_plain ? MAX_SAMPLES : MAX_TYPED;
	const sample *samples = taken.samples;
	size_t first = 0, count;

	qsort(taken.samples, taken.count, sizeof(*samples), compare_samples);
	for (; first < taken.count; first += count) {
		const sample *start = &samples[first];

		for (count = 0; first + count < taken.count && count < most; count++) {
			if (start[count].thread != start->thread || start[count].comm != start->comm)
				break;
		}
		now = start->time;
		if (start->comm[0] != '\0')
			expect(mprof_writer_write_thread_name(writer, start->thread, start->comm, strlen(start->comm)));
		now = start[count - 1].time;
		if (is_plain)
			write_plain(start, count);
		else
			write_typed(start, count);
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
	write_table(&texts, MPROF_BLOCK_TEXTS);
	if (only_event() == NULL)
		write_kinds();
	write_table(&modules, MPROF_BLOCK_CODE);
	write_table(&functions, MPROF_BLOCK_CODE);
	write_table(&locations, MPROF_BLOCK_CODE);
	write_table(&positions, MPROF_BLOCK_POSITIONS);
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
	const char *event = only_event();

	for (uint32_t i = 0; i < event_count; i++) {
		if (events[i].converted > 0)
			fprintf(stderr, "mprof-from-perf: %" PRIu64 " samples of '%s' converted\n", events[i].converted,
				events[i].name);
		if (events[i].converted > 0 && events[i].has_periods && event != NULL)
			fputs("mprof-from-perf: their periods differ; each counts as one\n", stderr);
		if (events[i].converted == 0)
			fprintf(stderr, "mprof-from-perf: not converted: %" PRIu64 " of '%s' (--event)\n",
				events[i].count, events[i].name);
	}
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
	print_summary();
	if (taken.count == 0)
		fail(argv[optind], "no samples; not the output of perf script, or none of this event");
	write_log();
	return malformed > 0;
}
