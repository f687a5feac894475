/* SPDX-License-Identifier: MIT */
/* Records a process that runs already, which goes on undisturbed. */
#include "record/attach.h"

#include "common/arguments.h"
#include "common/control_connection.h"
#include "record/attach_log.h"
#include "record/log_output.h"
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
