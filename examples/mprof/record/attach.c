/* SPDX-License-Identifier: MIT */
/* Records a process that runs already, which goes on undisturbed. */
#include "record/attach.h"

#include <mprof/recorder.h>

#include "common/arguments.h"
#include "common/control_connection.h"
#include "common/elements.h"
#include "record/attach_modules.h"
#include "record/log_output.h"
#include "shared/hash.h"
#include "shared/key_map.h"
#include "shared/text.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/*
 * The log of a process that is sampled from outside.
 */

typedef struct attach_log attach_log;

/* A power of two. Addresses with the same slot replace each other. */
#define CACHED_ROWS 1024

/* Records of one block, and samples of one. */
enum { MAX_RECORDS = 4096, MAX_SAMPLES = 4096 };

typedef struct cached_row {
	uint64_t address; /* 0 if the slot is not used. */
	int is_signal_frame;
	unwind_row row;
} cached_row;

typedef struct taken_sample {
	uint64_t time;
	uint32_t thread, stack;
} taken_sample;

typedef struct thread_name {
	uint32_t thread;
	char *name;
} thread_name;

typedef struct id_entry {
	uint64_t key, id;
} id_entry;

/* Definitions that are not written yet. */
typedef struct record_list {
	mprof_record *records;
	size_t count, capacity;
	uint32_t last_id;
} record_list;

enum { MODULES, FUNCTIONS, LOCATIONS, STACKS, LISTS };

struct attach_log {
	mprof_writer *writer;
	attach_modules *code;
	size_t limit;
	cached_row *rows;
	record_list lists[LISTS];
	key_map modules, functions, locations, stacks;
	taken_sample *samples;
	size_t sample_count, sample_capacity;
	thread_name *names;
	size_t name_count, name_capacity;
	uint64_t taken, lost, lost_written, truncated;
	int lacks_memory;
};

/* modules is borrowed. limit: most frames of a stack. NULL if out of memory. */
static attach_log *attach_log_create(attach_modules *modules, size_t limit)
{
	attach_log *log = calloc(1, sizeof(*log));

	if (log == NULL)
		return NULL;
	log->code = modules;
	log->limit = limit < MPROF_STACK_MAX ? limit : MPROF_STACK_MAX - 1;
	log->modules.value_size = log->functions.value_size = sizeof(uint64_t);
	log->locations.value_size = log->stacks.value_size = sizeof(uint64_t);
	log->rows = calloc(CACHED_ROWS, sizeof(*log->rows));
	if (log->rows != NULL)
		return log;
	free(log);
	return NULL;
}

/* Sets the writer, which is borrowed, before the first attach_log_write(). */
static void attach_log_set_writer(attach_log *log, mprof_writer *writer)
{
	log->writer = writer;
}

static void attach_log_destroy(attach_log *log)
{
	if (log == NULL)
		return;
	for (size_t i = 0; i < LISTS; i++)
		free(log->lists[i].records);
	for (size_t i = 0; i < log->name_count; i++)
		free(log->names[i].name);
	key_map_clear(&log->modules);
	key_map_clear(&log->functions);
	key_map_clear(&log->locations);
	key_map_clear(&log->stacks);
	free(log->names);
	free(log->samples);
	free(log->rows);
	free(log);
}

/* A new record of a kind, with the next ID. NULL if out of memory. */
static mprof_record *add_record(attach_log *log, int list, uint32_t kind)
{
	record_list *records = &log->lists[list];
	void *array = records->records;
	mprof_record *record;

	if (!elements_reserve(&array, &records->capacity, records->count, sizeof(*record))) {
		log->lacks_memory = 1;
		return NULL;
	}
	records->records = array;
	record = &records->records[records->count++];
	memset(record, 0, sizeof(*record));
	record->kind = kind;
	record->id = ++records->last_id;
	return record;
}

/* The entry of a key, whose ID is 0 if it is new. NULL if out of memory. */
static id_entry *entry_of(attach_log *log, key_map *map, uint64_t key)
{
	id_entry *entry = key_map_put(map, key);

	log->lacks_memory |= entry == NULL;
	return entry;
}

static uint32_t module_of(attach_log *log, const attach_place *place)
{
	id_entry *entry = entry_of(log, &log->modules, hash_key((uintptr_t)place->module) ^ place->module_start);
	mprof_record *record;

	if (place->module == NULL || entry == NULL)
		return 0;
	if (entry->id == 0 && (record = add_record(log, MODULES, MPROF_RECORD_MODULE)) != NULL) {
		entry->id = record->id;
		record->as.module.address = place->module_start;
		record->as.module.size = attach_file_size(place->module);
		record->as.module.file = attach_file_path(place->module);
		record->as.module.build_id = attach_file_build_id(place->module);
	}
	return (uint32_t)entry->id;
}

static uint32_t function_of(attach_log *log, const attach_place *place, uint32_t module)
{
	id_entry *entry =
		place->function != NULL
			? entry_of(log, &log->functions, place->function_start ^ hash_key((uintptr_t)place->function))
			: NULL;
	mprof_record *record;

	if (entry == NULL)
		return 0;
	if (entry->id == 0 && (record = add_record(log, FUNCTIONS, MPROF_RECORD_FUNCTION)) != NULL) {
		entry->id = record->id;
		record->as.function.module = module;
		record->as.function.offset = place->function_start - (module != 0 ? place->module_start : 0);
		record->as.function.size = place->function_size;
		record->as.function.name = place->function;
	}
	return (uint32_t)entry->id;
}

/* \p is_exact: the address is that of an interruption, not a return address, which may be after its function. */
static uint32_t location_of(attach_log *log, uint64_t address, int is_exact)
{
	id_entry *entry = entry_of(log, &log->locations, address << 1 | (is_exact != 0));
	attach_place place;
	mprof_record *record;

	if (entry == NULL)
		return 0;
	if (entry->id != 0)
		return (uint32_t)entry->id;
	(void)attach_modules_find(log->code, is_exact ? address : address - 1, &place);
	record = add_record(log, LOCATIONS, MPROF_RECORD_LOCATION);
	if (record == NULL)
		return 0;
	entry->id = record->id;
	record->as.location.module = module_of(log, &place);
	record->as.location.function = function_of(log, &place, record->as.location.module);
	record->as.location.offset = address - (record->as.location.module != 0 ? place.module_start : 0);
	return (uint32_t)entry->id;
}

/* Location 0 is a frame that is not known. */
static uint32_t stack_of(attach_log *log, uint32_t caller, uint32_t location)
{
	id_entry *entry = entry_of(log, &log->stacks, (uint64_t)caller << 32 | location);
	mprof_record *record;

	if (entry == NULL)
		return caller;
	if (entry->id == 0 && (record = add_record(log, STACKS, MPROF_RECORD_STACK)) != NULL) {
		entry->id = record->id;
		record->as.stack = (mprof_stack_record){.caller = caller, .target = location, .is_native = 1};
	}
	return (uint32_t)entry->id;
}

/* The rules at an address; NULL if its module has none. */
static const cached_row *find_row(attach_log *log, uint64_t address)
{
	cached_row *row = &log->rows[hash_key(address) & (CACHED_ROWS - 1)];
	unwind_entry entry;
	uintptr_t there;

	if (row->address == address)
		return row;
	row->address = 0;
	if (!attach_modules_find_entry(log->code, address, &entry, &there) ||
	    !unwind_rules_compute(&entry, there, &row->row))
		return NULL;
	row->address = address;
	row->is_signal_frame = entry.is_signal_frame;
	return row;
}

/* A frame pointer leads to that of the caller and the return address. Compiled code of runtimes has no tables. */
static int leave_by_frame_pointer(unwind_frame *frame)
{
	const uint64_t pointer = frame->registers[REGISTER_FRAME];
	const uint64_t at = pointer - frame->stack_start;
	uint64_t saved[2];

	if (pointer < frame->registers[REGISTER_STACK] || at > frame->stack_length ||
	    frame->stack_length - at < sizeof(saved))
		return 0;
	memcpy(saved, frame->stack + at, sizeof(saved));
	frame->registers[REGISTER_FRAME] = saved[0];
	frame->registers[REGISTER_ADDRESS] = saved[1];
	frame->registers[REGISTER_STACK] = pointer + sizeof(saved);
	return 1;
}

/* Replaces the registers by those of the caller. Returns 0 if that cannot be done. */
static int leave(attach_log *log, unwind_frame *frame, int *is_exact)
{
	const uint64_t address = frame->registers[REGISTER_ADDRESS] - !*is_exact;
	const cached_row *row = find_row(log, address);
	attach_place place;
	uint64_t base;

	if (row != NULL) {
		const int is_signal_frame = row->is_signal_frame;

		if (!unwind_rules_base(&row->row, frame, &base) ||
		    (base <= frame->registers[REGISTER_STACK] && !is_signal_frame) ||
		    !unwind_rules_apply(&row->row, base, frame))
			return 0;
		*is_exact = is_signal_frame;
		return 1;
	}
	*is_exact = 0;
	return attach_modules_find(log->code, address, &place) && leave_by_frame_pointer(frame);
}

/* The ID of the call stack of a sample. */
static uint32_t unwind(attach_log *log, const attach_sample *sample)
{
	uint32_t locations[MPROF_STACK_MAX];
	unwind_frame frame = {.stack = sample->stack, .stack_length = sample->stack_length};
	size_t count = 0;
	int is_exact = 1, is_whole = 0;
	uint32_t stack;

	memcpy(frame.registers, sample->registers, sizeof(frame.registers));
	frame.stack_start = frame.registers[REGISTER_STACK];
	while (sample->has_registers && count < log->limit) {
		if (frame.registers[REGISTER_ADDRESS] == 0) {
			is_whole = 1;
			break;
		}
		locations[count++] = location_of(log, frame.registers[REGISTER_ADDRESS], is_exact);
		if (!leave(log, &frame, &is_exact))
			break;
	}
	stack = is_whole ? 0 : stack_of(log, 0, 0);
	log->truncated += !is_whole;
	while (count-- > 0)
		stack = stack_of(log, stack, locations[count]);
	return stack;
}

/* Addresses are looked up again; definitions that were made before remain. */
static void forget_addresses(attach_log *log)
{
	memset(log->rows, 0, CACHED_ROWS * sizeof(*log->rows));
	key_map_clear(&log->locations);
	log->locations.value_size = sizeof(uint64_t);
}

/* Adds a sample, whose stack is unwound at once. */
static void attach_log_add_sample(attach_log *log, const attach_sample *sample)
{
	void *samples = log->samples;

	if (attach_modules_update(log->code))
		forget_addresses(log);
	if (!elements_reserve(&samples, &log->sample_capacity, log->sample_count, sizeof(taken_sample))) {
		log->lost++;
		return;
	}
	log->samples = samples;
	log->samples[log->sample_count++] = (taken_sample){sample->time, sample->thread, unwind(log, sample)};
	log->taken++;
}

/* Adds the name that a thread has from now on. */
static void attach_log_add_name(attach_log *log, uint32_t thread, const char *name)
{
	void *names = log->names;
	char *copy = strdup(name);

	if (copy == NULL || !elements_reserve(&names, &log->name_capacity, log->name_count, sizeof(thread_name))) {
		free(copy);
		log->lacks_memory = 1;
		return;
	}
	log->names = names;
	log->names[log->name_count].thread = thread;
	log->names[log->name_count].name = copy;
	log->name_count++;
}

/* Adds events that the kernel lost. */
static void attach_log_add_loss(attach_log *log, uint64_t count)
{
	log->lost += count;
}

static mprof_status write_definitions(attach_log *log)
{
	static const uint32_t blocks[LISTS] = {MPROF_BLOCK_CODE, MPROF_BLOCK_CODE, MPROF_BLOCK_CODE,
					       MPROF_BLOCK_STACKS};
	mprof_status status = MPROF_OK;

	for (size_t i = 0; i < LISTS; i++) {
		record_list *list = &log->lists[i];

		for (size_t at = 0; at < list->count && status == MPROF_OK; at += MAX_RECORDS) {
			const size_t count = list->count - at < MAX_RECORDS ? list->count - at : MAX_RECORDS;

			status = mprof_writer_write_records(log->writer, blocks[i], 0, list->records + at,
							    sizeof(mprof_record), count);
		}
		list->count = 0;
	}
	return status;
}

static mprof_status write_names(attach_log *log)
{
	mprof_status status = MPROF_OK;

	for (size_t i = 0; i < log->name_count; i++) {
		if (status == MPROF_OK)
			status = mprof_writer_write_thread_name(log->writer, log->names[i].thread, log->names[i].name,
								strlen(log->names[i].name));
		free(log->names[i].name);
	}
	log->name_count = 0;
	return status;
}

/* Those before a time come first, by thread and time. */
static uint64_t sorted_before;

static int compare_samples(const void *a, const void *b)
{
	const taken_sample *first = a, *second = b;
	const int is_first_later = first->time >= sorted_before, is_second_later = second->time >= sorted_before;

	if (is_first_later != is_second_later)
		return is_first_later - is_second_later;
	if (first->thread != second->thread)
		return first->thread < second->thread ? -1 : 1;
	return first->time < second->time ? -1 : first->time > second->time;
}

static mprof_status write_samples(attach_log *log, size_t total)
{
	static mprof_event block[MAX_SAMPLES];
	mprof_status status = MPROF_OK;

	for (size_t first = 0, count; first < total && status == MPROF_OK; first += count) {
		const taken_sample *start = &log->samples[first];

		for (count = 0; first + count < total && count < MAX_SAMPLES; count++) {
			if (start[count].thread != start->thread)
				break;
			block[count] = (mprof_event){
				.kind = MPROF_EVENT_SAMPLE, .counter = start[count].time, .value = start[count].stack};
		}
		status = mprof_writer_write_samples(log->writer, start->thread, start->time, block, count);
	}
	return status;
}

static mprof_status write_losses(attach_log *log)
{
	uint64_t losses[] = {0, log->lost - log->lost_written};

	log->lost_written = log->lost;
	return losses[1] > 0 ? mprof_writer_write_losses(log->writer, 0, losses, 2) : MPROF_OK;
}

/*
 * Writes the samples before a time, which must be the time before all rings were read last: a thread changes its
 * processor. Returns the status of the writer.
 */
static mprof_status attach_log_write(attach_log *log, uint64_t before)
{
	size_t total = 0;
	mprof_status status;

	attach_modules_refresh(log->code);
	sorted_before = before;
	if (log->sample_count > 0)
		qsort(log->samples, log->sample_count, sizeof(taken_sample), compare_samples);
	while (total < log->sample_count && log->samples[total].time < before)
		total++;
	status = log->lacks_memory ? MPROF_ERR_MEMORY : write_definitions(log);
	if (status == MPROF_OK)
		status = write_names(log);
	if (status == MPROF_OK)
		status = write_samples(log, total);
	if (status == MPROF_OK)
		status = write_losses(log);
	memmove(log->samples, log->samples + total, (log->sample_count - total) * sizeof(taken_sample));
	log->sample_count -= total;
	return status == MPROF_OK ? mprof_writer_flush(log->writer) : status;
}

/* The samples so far, those that were lost, and those whose callers could not all be found. */
static uint64_t attach_log_samples(const attach_log *log)
{
	return log->taken;
}

static uint64_t attach_log_lost(const attach_log *log)
{
	return log->lost;
}

static uint64_t attach_log_truncated(const attach_log *log)
{
	return log->truncated;
}

/*
 * The recording.
 */

/* Samples per second, as of other native programs. */
#define DEFAULT_HZ 1000
#define DEFAULT_DEPTH 128

/* How often the rings are read, which have room for a multiple of it. */
#define ROUND_MS 20

/* How often the log is written. */
#define ROUNDS_OF_A_WRITE 10

static volatile sig_atomic_t is_interrupted;

static void interrupt(int signal_number)
{
	(void)signal_number;
	is_interrupted = 1;
}

static void catch_signals(void)
{
	const struct sigaction action = {.sa_handler = interrupt};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Reads a small file of the process. Returns its length, 0 if it cannot be read. */
static size_t read_about(pid_t process, const char *name, char *text, size_t size)
{
	char path[64];
	size_t length;
	FILE *file;

	text[0] = '\0';
	snprintf(path, sizeof(path), "/proc/%d/%s", (int)process, name);
	file = fopen(path, "re");
	if (file == NULL)
		return 0;
	length = fread(text, 1, size - 1, file);
	text[length] = '\0';
	fclose(file);
	return length;
}

/* The value of an option among the words ",sample=500,...", or another value without it. */
static uint64_t value_of(const char *words, const char *option, uint64_t otherwise)
{
	const char *found = strstr(words, option);

	return found != NULL ? strtoull(found + strlen(option), NULL, 10) : otherwise;
}

/* Returns 0 after a message if something is requested that needs a module in the process. */
static int check_options(const record_request *options)
{
	static const char *const known[] = {",sample", ",sample=", ",sample-depth="};

	for (const char *word = options->words; *word == ',';) {
		const size_t length = 1 + strcspn(word + 1, ",");
		int is_known = 0;

		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
			const size_t expected = strlen(known[i]);

			is_known |= i == 0 ? length == expected && memcmp(word, known[i], length) == 0
					   : length > expected && memcmp(word, known[i], expected) == 0;
		}
		if (!is_known) {
			fprintf(stderr,
				"mprof: record: --pid: of a process that runs already only samples are recorded "
				"(--sample, --sample-depth); '--%.*s' needs a program that 'mprof record' starts\n",
				(int)length - 1, word + 1);
			return 0;
		}
		word += length;
	}
	return 1;
}

/* What the system allows users: a high level allows less. */
static int paranoid_level(void)
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int level = -1;

	if (file == NULL || fscanf(file, "%d", &level) != 1)
		level = -1;
	if (file != NULL)
		fclose(file);
	return level;
}

/* What keeps the kernel from sampling the process. */
static void explain_refusal(pid_t process, int error)
{
	struct stat owner;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", (int)process);
	fprintf(stderr, "mprof: record: process %d cannot be sampled: ", (int)process);
	if (stat(path, &owner) != 0 || error == ESRCH)
		fputs("it has ended\n", stderr);
	else if (error == ENOEXEC)
		fputs("it is a thread of the kernel\n", stderr);
	else if (error == ENOSYS || error == ENOENT || error == EOPNOTSUPP)
		fputs("this system has no perf_event_open() for it (Linux on x86-64 has)\n", stderr);
	else if ((error == EACCES || error == EPERM) && owner.st_uid != geteuid())
		fprintf(stderr, "it belongs to user %u: run 'mprof record --pid' as that user or as root\n",
			(unsigned)owner.st_uid);
	else if (error == EACCES || error == EPERM)
		fprintf(stderr,
			"kernel.perf_event_paranoid is %d: 'sysctl kernel.perf_event_paranoid=2' as root allows it (in "
			"a "
			"container CAP_PERFMON)\n",
			paranoid_level());
	else if (error == EMFILE)
		fputs("too many threads for the limit of open files ('ulimit -n')\n", stderr);
	else
		fprintf(stderr, "%s\n", strerror(error));
}

/* Why the map of a process is empty. */
static int access_error(pid_t process)
{
	char path[32];
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)process);
	maps = fopen(path, "re");
	if (maps == NULL)
		return errno;
	fclose(maps);
	return ENOEXEC;
}

/* A recording under way. */
typedef struct attachment {
	const attach_request *request;
	pid_t process;
	char program[256];
	uint64_t period_ns;
	attach_modules *modules;
	attach_events *events;
	attach_log *log;
	mprof_writer *writer;
	log_output output;
} attachment;

static void take_sample(void *user, const attach_sample *sample)
{
	attach_log_add_sample(((attachment *)user)->log, sample);
}

static void take_name(void *user, uint32_t thread, const char *name)
{
	attach_log_add_name(((attachment *)user)->log, thread, name);
}

static void take_map(void *user)
{
	attach_modules_expire(((attachment *)user)->modules);
}

static void take_loss(void *user, uint64_t count)
{
	attach_log_add_loss(((attachment *)user)->log, count);
}

/* Returns 0 after a message if there is no such process. */
static int find_process(attachment *attached)
{
	const char *text = attached->request->process;
	char *end;
	long number;

	errno = 0;
	number = strtol(text, &end, 10);
	if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || number <= 0 || number > INT32_MAX) {
		fprintf(stderr, "mprof: record: --pid: '%s' is not the number of a process\n", text);
		return 0;
	}
	attached->process = (pid_t)number;
	if (read_about(attached->process, "comm", attached->program, sizeof(attached->program)) == 0) {
		fprintf(stderr, "mprof: record: there is no process %s\n", text);
		return 0;
	}
	attached->program[strcspn(attached->program, "\n")] = '\0';
	return 1;
}

static int has_time_left(uint64_t start, uint64_t duration)
{
	return duration == 0 || now_ns() - start < duration;
}

/* The lines of an answer are for other commands. */
static void ignore_line(void *user, char *line)
{
	(void)user;
	(void)line;
}

/* Sends a command, and takes its answer. Returns the exit status. */
static int command(control_connection *connection, const char *line)
{
	return control_send(connection, line) ? control_receive_answer(connection, ignore_line, NULL) : STATUS_NOTHING;
}

/*
 * A program that was started with the module records itself, to its own log, with the names of its methods: recording
 * is turned on and off. Returns the exit status.
 */
static int control_recording(const attachment *attached, control_connection *connection)
{
	const struct timespec round = {0, ROUND_MS * 1000000};
	const uint64_t start = now_ns();
	int status = command(connection, "enable");

	if (status != STATUS_OK)
		return status;
	if (!attached->request->is_quiet)
		fprintf(stderr,
			"mprof: record: process %d has the module of mprof and records itself, to the log that it was "
			"started with%s\n",
			(int)attached->process, attached->request->output != NULL ? "; -o has no effect" : "");
	while (!is_interrupted && has_time_left(start, attached->request->duration_ns)) {
		if (kill(attached->process, 0) != 0 && errno == ESRCH)
			return STATUS_OK;
		(void)nanosleep(&round, NULL);
	}
	return command(connection, "disable");
}

/* What the samples lack, which only a module in the process could add. */
static void explain_runtime(const attachment *attached)
{
	char map[64];

	snprintf(map, sizeof(map), "/proc/%d/root/tmp/perf-%d.map", (int)attached->process, (int)attached->process);
	if (attached->request->is_quiet || access(map, R_OK) == 0 ||
	    !(attached->program[0] == '\0' || strstr(attached->program, "mono") != NULL ||
	      attach_modules_has(attached->modules, "libmonosgen") ||
	      attach_modules_has(attached->modules, "/mono-sgen")))
		return;
	fputs("mprof: record: compiled methods of Mono have no names here: start the program with 'mprof record "
	      "--start-disabled -- mono ...', which --pid then turns on, or with --perf-map\n",
	      stderr);
}

static mprof_status write_session(const attachment *attached, uint32_t hz)
{
	char pid[12], rate[24], period[24], arguments[4096];
	const size_t length = read_about(attached->process, "cmdline", arguments, sizeof(arguments));
	const mprof_property properties[] = {
		{"program", attached->program},
		{"pid", pid},
		{"recorder", "mprof record --pid"},
		{"arguments", arguments},
		{"counter", "CLOCK_MONOTONIC, nanoseconds"},
		{"sample_hz", rate},
		{"sample_clock", "processor"},
		{"sample_source", "perf"},
		{"sample_period_ns", period},
		{"sample_scope", attach_events_include_kernel(attached->events) ? "all" : "user"},
		{"sample_stack", "copy"}};

	for (size_t i = 0; i + 1 < length; i++)
		arguments[i] = (char)(arguments[i] == '\0' ? ' ' : arguments[i]);
	snprintf(pid, sizeof(pid), "%d", (int)attached->process);
	snprintf(rate, sizeof(rate), "%" PRIu32, hz);
	snprintf(period, sizeof(period), "%" PRIu64, attached->period_ns);
	return mprof_writer_write_session(attached->writer, properties, sizeof(properties[0]),
					  sizeof(properties) / sizeof(properties[0]));
}

/* Names of the threads that exist; the kernel reports later ones. */
static void name_threads(attachment *attached)
{
	char name[64], path[64];

	for (uint32_t thread = 0; attach_events_next_thread(attached->events, &thread);) {
		snprintf(path, sizeof(path), "task/%" PRIu32 "/comm", thread);
		if (read_about(attached->process, path, name, sizeof(name)) == 0)
			continue;
		name[strcspn(name, "\n")] = '\0';
		attach_log_add_name(attached->log, thread, name);
	}
}

static mprof_status open_log(attachment *attached, uint32_t hz)
{
	mprof_writer_options options;
	mprof_status status;

	mprof_writer_options_init(&options, sizeof(options));
	options.runtime = "native";
	options.intro_flags = MPROF_INTRO_FLAG_STATISTICAL;
	options.counters_per_second = 1e9;
	status = attached->output.stdout_fd >= 0
			 ? mprof_writer_open_fd(attached->output.stdout_fd, &options, &attached->writer)
			 : mprof_writer_open_path(attached->output.wanted, &options, &attached->writer);
	return status == MPROF_OK ? write_session(attached, hz) : status;
}

/* Records until the process ends, the time is over, or an interrupt. */
static mprof_status run(attachment *attached)
{
	const uint64_t start = now_ns();
	uint64_t before = start;
	mprof_status status = MPROF_OK;
	int has_ended = 0;

	for (unsigned round = 1; status == MPROF_OK && !has_ended && !is_interrupted &&
				 has_time_left(start, attached->request->duration_ns);
	     round++) {
		const uint64_t read_from = now_ns();

		has_ended = attach_events_wait(attached->events, ROUND_MS);
		attach_events_read(attached->events);
		if (round % ROUNDS_OF_A_WRITE == 0)
			status = attach_log_write(attached->log, before);
		before = read_from;
	}
	attach_events_read(attached->events);
	return status == MPROF_OK ? attach_log_write(attached->log, UINT64_MAX) : status;
}

/* What the log has. Returns the exit status. */
static int finish(attachment *attached, mprof_status status)
{
	mprof_error error = {.struct_size = sizeof(error), .what = mprof_status_get_text(status)};
	const char *name = attached->output.stdout_fd >= 0 ? "-" : attached->output.wanted;
	const uint64_t truncated = attach_log_truncated(attached->log);
	const uint64_t samples = attach_log_samples(attached->log);
	char number[TEXT_NUMBER_SIZE];
	mprof_writer_stats stats = {.struct_size = sizeof(stats)};

	if (status == MPROF_OK)
		status = mprof_writer_close(attached->writer);
	if (status != MPROF_OK) {
		mprof_writer_get_error(attached->writer, &error);
		text_begin_message(name);
		fprintf(stderr, "%s\n",
			status != MPROF_ERR_MEMORY && error.system_error != 0 ? strerror(error.system_error)
									      : mprof_status_get_text(status));
		return STATUS_DAMAGED;
	}
	mprof_writer_get_stats(attached->writer, &stats);
	if (attached->request->is_quiet)
		return STATUS_OK;
	fprintf(stderr, "mprof: %s: %" PRIu64 " bytes, %" PRIu64 " events, %" PRIu64 " lost\n", name, stats.bytes,
		stats.events, attach_log_lost(attached->log));
	if (samples == 0)
		fprintf(stderr, "mprof: %s: no samples: the process did not run\n", name);
	else if (truncated > 0)
		fprintf(stderr, "mprof: %s: of %s samples not all callers were found\n", name,
			text_count(number, truncated));
	if (samples > 0 && attached->output.stdout_fd < 0)
		fprintf(stderr, "mprof: next: mprof report %s\n", name);
	return STATUS_OK;
}

/* Samples the process. Returns the exit status. */
static int sample_process(attachment *attached, const record_request *options)
{
	const uint64_t hz = value_of(options->words, ",sample=", DEFAULT_HZ);
	const attach_client client = {attached, take_sample, take_name, take_map, take_loss};
	const log_output_options log_options = {0, attached->request->replaces};
	mprof_status status;
	int result;

	attached->period_ns = UINT64_C(1000000000) / hz;
	attached->modules = attach_modules_create(attached->process);
	attached->log = attached->modules != NULL
				? attach_log_create(attached->modules,
						    (size_t)value_of(options->words, ",sample-depth=", DEFAULT_DEPTH))
				: NULL;
	if (attached->log == NULL) {
		fprintf(stderr, "mprof: record: %s\n", strerror(ENOMEM));
		return STATUS_NOTHING;
	}
	if (attach_modules_are_empty(attached->modules)) {
		explain_refusal(attached->process, access_error(attached->process));
		return STATUS_USAGE;
	}
	attached->events = attach_events_open(attached->process, attached->period_ns, &client);
	if (attached->events == NULL) {
		explain_refusal(attached->process, errno);
		return STATUS_USAGE;
	}
	result = log_output_init(&attached->output, attached->request->output, attached->program, &log_options);
	if (result >= 0)
		return result;
	explain_runtime(attached);
	name_threads(attached);
	status = open_log(attached, (uint32_t)hz);
	attach_log_set_writer(attached->log, attached->writer);
	result = finish(attached, status == MPROF_OK ? run(attached) : status);
	if (mprof_writer_destroy(attached->writer) != MPROF_OK && result == STATUS_OK)
		result = STATUS_DAMAGED;
	return result;
}

int attach_record(const attach_request *request, const record_request *options)
{
	attachment attached = {.request = request, .output.stdout_fd = -1, .output.lock_fd = -1};
	control_connection connection;
	int status;

	if (!check_options(options) || !find_process(&attached))
		return STATUS_USAGE;
	catch_signals();
	if (control_connect_quietly(&connection, request->process)) {
		status = control_recording(&attached, &connection);
		control_disconnect(&connection);
		return status;
	}
	status = sample_process(&attached, options);
	if (attached.events != NULL)
		attach_events_close(attached.events);
	attach_log_destroy(attached.log);
	attach_modules_destroy(attached.modules);
	log_output_release(&attached.output);
	return status;
}
