/* SPDX-License-Identifier: MIT */
/* Writes the log of a recording, and completes it. */
#include "record/log_output.h"

#include <mprof/recorder.h>

#include "common/arguments.h"
#include "common/input.h"
#include "common/modules.h"
#include "common/summary.h"
#include "shared/late_log.h"
#include "shared/salvage.h"
#include "shared/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * The logs of several processes, under the names that they have until the end of mprof record.
 */

/* The extension of logs. */
#define LOG_EXTENSION ".mprof"

/* Size of the path of a program, in bytes. */
#define LOG_PROGRAM_SIZE 256

/* The log of one program that one process ran. */
typedef struct log_part {
	char *path;
	char *label;       /**< Process ID, and a number if the process then executed another recorded program. */
	long process;      /**< Process ID. */
	long number;       /**< Position among the programs that the process ran one after the other, from 1. */
	off_t size;        /**< In bytes. */
	int is_superseded; /**< The process then executed another recorded program. */
	int is_running;    /**< The process still writes the log, and gives it its name itself when it ends. */
} log_part;

typedef struct log_parts {
	log_part *parts;
	size_t count;
} log_parts;

/* The extension of the names of parts. */
#define PART_EXTENSION ".part"

/* The library creates logs with the same mode. */
#define LOG_MODE 0600

/* If all names up to this number exist, the log with the requested name is replaced. */
#define MAX_NUMBER 1000000

/*
 * Creates an empty file, which the module that writes the log opens again. \p created receives its identity. Returns 0
 * or an errno value.
 */
static int create_empty(const char *path, struct stat *created)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, LOG_MODE);
	int error;

	if (fd < 0)
		return errno;
	error = fstat(fd, created) == 0 ? 0 : errno;
	close(fd);
	return error;
}

int claim_is_busy(const char *path)
{
	return input_is_being_written(path);
}

/* The library refuses these files, too: any user could have put them into a directory that all users may write to. */
static int is_foreign(const char *path, const struct stat *status)
{
	struct stat link;

	if (lstat(path, &link) == 0 && S_ISLNK(link.st_mode) && link.st_uid != geteuid() && link.st_uid != 0)
		return 1;
	return (status->st_uid != geteuid() && status->st_uid != 0) || status->st_nlink > 1;
}

/*
 * Claims this path. A file that is not empty can be claimed only with \p replaces. Errors other than that of an
 * existing file are left to the program that opens the log. \p created: the identity of the file if it was created.
 */
static claim_result claim_path(const char *path, int replaces, struct stat *created)
{
	const int error = create_empty(path, created);
	struct stat status;

	if (error == 0)
		return CLAIM_MADE;
	errno = error;
	if (error != EEXIST)
		return CLAIM_REFUSED;
	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
		return CLAIM_EMPTY;
	if (is_foreign(path, &status))
		return CLAIM_FOREIGN;
	if (claim_is_busy(path))
		return CLAIM_BUSY;
	return status.st_size > 0 && !replaces ? CLAIM_EXISTS : CLAIM_EMPTY;
}

/*
 * Locks the file at a claimed path, as a writer of a log does, so that no other run claims it. Returns a descriptor,
 * or -1. Only for a path that no module opens.
 */
static int claim_lock(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	/* Some file systems do not support locks: recording continues without one. */
	if (fd >= 0)
		(void)flock(fd, LOCK_EX | LOCK_NB);
	return fd;
}

char *claim_labelled_name(const char *path, const char *label)
{
	size_t length = strlen(path);
	char *stem;
	char *labelled;
	char *name;

	if (length > strlen(LOG_EXTENSION) && strcmp(path + length - strlen(LOG_EXTENSION), LOG_EXTENSION) == 0)
		length -= strlen(LOG_EXTENSION);
	stem = strndup(path, length);
	labelled = stem != NULL ? modules_join(stem, ".", label) : NULL;
	name = labelled != NULL ? modules_join(labelled, LOG_EXTENSION, "") : NULL;
	free(stem);
	free(labelled);
	return name;
}

claim_result claim_numbered(char **path, struct stat *created)
{
	int error = create_empty(*path, created);
	struct stat status;

	/* A FIFO or a device is written to. */
	if (error == EEXIST && stat(*path, &status) == 0 && !S_ISREG(status.st_mode))
		return CLAIM_EMPTY;
	for (int number = 2; error == EEXIST && number <= MAX_NUMBER; number++) {
		char label[16];
		char *name;

		snprintf(label, sizeof(label), "%d", number);
		name = claim_labelled_name(*path, label);
		if (name == NULL)
			return CLAIM_NO_MEMORY;
		error = create_empty(name, created);
		if (error == EEXIST) {
			free(name);
			continue;
		}
		free(*path);
		*path = name;
	}
	errno = error;
	return error == 0 ? CLAIM_MADE : error == EEXIST ? CLAIM_EMPTY : CLAIM_REFUSED;
}

static int is_same(const struct stat *status, const struct stat *other)
{
	return status->st_dev == other->st_dev && status->st_ino == other->st_ino;
}

/* Removes a file that was created to claim a path, if it is still there and empty. */
static void claim_release(const char *path, const struct stat *created)
{
	struct stat status;

	if (lstat(path, &status) == 0 && status.st_size == 0 && is_same(&status, created))
		unlink(path);
}

/*
 * Whether a log may be moved to a path: nothing is there, or an empty file, such as the one that was created to claim
 * the path (\p created, or NULL), or with \p replaces an earlier log. No file that a program is writing a log to,
 * except through the descriptor \p lock_fd of claim_lock(), and no file of another user.
 */
static int claim_may_replace(const char *path, const struct stat *created, int replaces, int lock_fd)
{
	struct stat status;
	struct stat locked;

	if (lstat(path, &status) != 0)
		return errno == ENOENT;
	if (status.st_size == 0 && created != NULL && is_same(&status, created))
		return 1;
	if (!S_ISREG(status.st_mode) || is_foreign(path, &status))
		return 0;
	if ((lock_fd < 0 || fstat(lock_fd, &locked) != 0 || !is_same(&status, &locked)) && claim_is_busy(path))
		return 0;
	return replaces || status.st_size == 0;
}

#define MAX_EMPTY_SIZE 65536

static int is_part(const char *prefix, const char *name)
{
	size_t start = strlen(prefix);
	size_t length = strlen(name);

	return length > start + strlen(PART_EXTENSION) && strncmp(name, prefix, start) == 0 &&
	       strcmp(name + length - strlen(PART_EXTENSION), PART_EXTENSION) == 0;
}

static void release_part(log_part *part)
{
	free(part->path);
	free(part->label);
}

/* Returns 0 if out of memory. */
static int add_part(log_parts *found, const char *directory, const char *prefix, const char *name, pid_t ended)
{
	size_t start = strlen(prefix);
	log_part part = {.number = 1};
	log_part *larger = realloc(found->parts, (found->count + 1) * sizeof(*larger));
	struct stat status;
	char *end;

	if (larger == NULL)
		return 0;
	found->parts = larger;
	part.label = strndup(name + start, strlen(name) - start - strlen(PART_EXTENSION));
	part.path = modules_join(directory, "/", name);
	if (part.label == NULL || part.path == NULL) {
		release_part(&part);
		return 0;
	}
	part.process = strtol(part.label, &end, 10);
	if (*end == '-')
		part.number = strtol(end + 1, NULL, 10);
	/* A process that executed another program holds no lock on its first log. */
	part.is_running = part.process != ended && claim_is_busy(part.path);
	part.size = stat(part.path, &status) == 0 ? status.st_size : 0;
	found->parts[found->count++] = part;
	return 1;
}

static int compare_parts(const void *left, const void *right)
{
	const log_part *one = left;
	const log_part *other = right;

	if (one->process != other->process)
		return one->process < other->process ? -1 : 1;
	return (one->number > other->number) - (one->number < other->number);
}

static int is_of_mono(const mprof_session *session)
{
	return session->runtime != NULL && strcmp(session->runtime, "mono") == 0;
}

/* Whether nothing was recorded of a native program. */
static int is_empty(const log_part *part)
{
	static log_summary summary;
	log_input input;
	int is_without_events = 0;

	/* A larger log contains more than the description of the session. */
	if (part->size > MAX_EMPTY_SIZE)
		return 0;
	if (input_open_quietly(&input, part->path) != STATUS_NOTHING && summary_read(&summary, &input))
		is_without_events = input_failure(&input) == MPROF_OK && !is_of_mono(&summary.session) &&
				    summary.events == 0 && summary.session.lost_events == 0;
	input_close(&input);
	return is_without_events;
}

static void remove_part(log_parts *found, size_t index)
{
	release_part(&found->parts[index]);
	found->count--;
	memmove(&found->parts[index], &found->parts[index + 1], (found->count - index) * sizeof(found->parts[0]));
}

static int is_part_of_mono(const log_part *part)
{
	mprof_session session = {.struct_size = sizeof(session)};
	mprof_block block;
	log_input input;
	int result = 0;

	if (input_open_quietly(&input, part->path) != STATUS_NOTHING && input_next_block(&input, &block)) {
		mprof_reader_get_session(input.reader, &session);
		result = is_of_mono(&session);
	}
	input_close(&input);
	return result;
}

/* Programs that only start others, such as env and shells, often run too short a time for a sample. */
static void remove_empty(log_parts *found)
{
	int has_mono = 0;

	for (size_t i = 0; i + 1 < found->count; i++)
		found->parts[i].is_superseded = found->parts[i].process == found->parts[i + 1].process;
	for (size_t i = 0; i < found->count && !has_mono; i++)
		has_mono = is_part_of_mono(&found->parts[i]);
	for (size_t i = found->count; i > 0; i--) {
		const log_part *part = &found->parts[i - 1];

		if (!part->is_running && (part->is_superseded || has_mono) && is_empty(part) && unlink(part->path) == 0)
			remove_part(found, i - 1);
	}
}

/* The last program of a process is the one that counts, so its label is the process ID alone. */
static int relabel(log_parts *found)
{
	for (size_t i = 0; i < found->count; i++) {
		log_part *part = &found->parts[i];
		char label[48];
		char *copy;

		snprintf(label, sizeof(label), part->is_superseded ? "%ld-%ld" : "%ld", part->process, part->number);
		copy = strdup(label);
		if (copy == NULL)
			return ENOMEM;
		free(part->label);
		part->label = copy;
	}
	return 0;
}

/*
 * Finds the parts in a directory, in the order of their processes and programs. Removes those of native programs that
 * are empty if the process executed another recorded program, or if Mono ran another process. Returns 0, or an errno
 * value; the parts that were found are valid then, too. Release them with log_parts_release(). \p directory: an
 * absolute path; \p prefix: the start of the names of all parts, before the process ID; \p ended: a process that has
 * ended.
 */
static int log_parts_find(log_parts *found, const char *directory, const char *prefix, pid_t ended)
{
	DIR *opened = opendir(directory);
	const struct dirent *entry = NULL;

	*found = (log_parts){NULL, 0};
	if (opened == NULL)
		return errno;
	while ((entry = readdir(opened)) != NULL)
		if (is_part(prefix, entry->d_name) && !add_part(found, directory, prefix, entry->d_name, ended))
			break;
	closedir(opened);
	if (found->count > 0)
		qsort(found->parts, found->count, sizeof(found->parts[0]), compare_parts);
	remove_empty(found);
	return entry != NULL ? ENOMEM : relabel(found);
}

/* The index of the largest part; if \p only_of_mono, of the largest one that Mono ran. The number of parts if none. */
static size_t find_largest(const log_parts *parts, int only_of_mono)
{
	size_t largest = parts->count;

	for (size_t i = 0; i < parts->count; i++)
		if (!parts->parts[i].is_running &&
		    (largest == parts->count || parts->parts[i].size > parts->parts[largest].size) &&
		    (!only_of_mono || is_part_of_mono(&parts->parts[i])))
			largest = i;
	return largest;
}

/*
 * The index of the log that gets the requested name: that of the last program that \p process ran, or the largest one
 * of those that Mono ran, if Mono did not run the former and its log is smaller. Otherwise the largest of all.
 */
static size_t log_parts_choose(const log_parts *parts, pid_t process)
{
	size_t of_mono;

	for (size_t i = 0; i < parts->count; i++) {
		if (parts->parts[i].process != process || parts->parts[i].is_superseded)
			continue;
		if (is_part_of_mono(&parts->parts[i]))
			return i;
		of_mono = find_largest(parts, 1);
		return of_mono < parts->count && parts->parts[of_mono].size > parts->parts[i].size ? of_mono : i;
	}
	return find_largest(parts, 0);
}

static void log_parts_release(log_parts *parts)
{
	for (size_t i = 0; i < parts->count; i++)
		release_part(&parts->parts[i]);
	free(parts->parts);
	*parts = (log_parts){NULL, 0};
}

/* Reads the path of the recorded program from a part, shortened if it is long; "" if it is unknown. */
static void log_part_program(const log_part *part, char program[LOG_PROGRAM_SIZE])
{
	static log_summary summary;
	mprof_block block;
	log_input input;

	summary.program[0] = '\0';
	if (input_open_part(&input, part->path, MPROF_BLOCK_BIT(MPROF_BLOCK_SESSION)) != STATUS_NOTHING) {
		input.is_quiet = 1;
		while (summary.program[0] == '\0' && input_next_block(&input, &block))
			if (block.loaded && block.kind == MPROF_BLOCK_SESSION)
				summary_read_properties(&summary, &input);
	}
	input_close(&input);
	snprintf(program, LOG_PROGRAM_SIZE, "%s", summary.program);
}

/*
 * The output path.
 */

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* Prints "program" for "dir/program.exe"; "log" if nothing is left. */
static void put_stem(const char *subject, FILE *out)
{
	const char *base = base_of(subject);
	const char *dot;
	size_t length;

	/* Commands would take the name of the log for options. */
	base += strspn(base, "-");
	dot = strrchr(base, '.');
	length = dot == NULL || dot == base ? strlen(base) : (size_t)(dot - base);
	if (length == 0)
		fputs("log", out);
	else
		fwrite(base, 1, length, out);
}

static void put_host(FILE *out)
{
	char host[256];

	if (gethostname(host, sizeof(host)) == 0) {
		host[sizeof(host) - 1] = '\0';
		fputs(host, out);
	}
}

static void put_time(FILE *out)
{
	char text[32];
	time_t now = time(NULL);
	struct tm parts;

	if (localtime_r(&now, &parts) != NULL && strftime(text, sizeof(text), "%Y%m%d%H%M%S", &parts) != 0)
		fputs(text, out);
}

/* For "dir/program.exe", the name is "program.mprof" in the current directory. Returns 0 if out of memory. */
static int put_default_name(const char *subject, FILE *out)
{
	char *stem = NULL;
	size_t size;
	FILE *stem_out = open_memstream(&stem, &size);

	if (stem_out == NULL)
		return 0;
	put_stem(subject, stem_out);
	if (text_of_stream(stem_out, &stem) == NULL)
		return 0;
	for (const char *c = stem; *c != '\0'; c++)
		fprintf(out, *c == '%' ? "%%%%" : "%c", *c);
	fputs(LOG_EXTENSION, out);
	free(stem);
	return 1;
}

/*
 * Replaces %n, %t and %h in the requested name; %p and %% are replaced later. A percent sign before any other letter
 * stands for itself.
 */
static char *make_name(const char *output, const char *subject)
{
	char *name = NULL;
	size_t size;
	FILE *out = open_memstream(&name, &size);
	int is_whole = 1;

	if (out == NULL)
		return NULL;
	if (output == NULL)
		is_whole = put_default_name(subject, out);
	for (const char *c = output; c != NULL && *c != '\0'; c++) {
		if (c[0] == '%' && c[1] == 'n')
			put_stem(subject, out);
		else if (c[0] == '%' && c[1] == 't')
			put_time(out);
		else if (c[0] == '%' && c[1] == 'h')
			put_host(out);
		else if (c[0] == '%' && (c[1] == 'p' || c[1] == '%'))
			fprintf(out, "%%%c", c[1]);
		else
			fputs(c[0] == '%' ? "%%" : (char[]){c[0], '\0'}, out);
		c += c[0] == '%' && c[1] != '\0' && strchr("nthp%", c[1]) != NULL;
	}
	if (text_of_stream(out, &name) != NULL && is_whole)
		return name;
	free(name);
	return NULL;
}

/* The name of the log of a process: \p name with %p replaced by \p label. */
static char *name_of_process(const char *name, const char *label)
{
	char *path = NULL;
	size_t size;
	FILE *out = open_memstream(&path, &size);

	if (out == NULL)
		return NULL;
	for (const char *c = name; *c != '\0'; c++) {
		if (*c != '%')
			fputc(*c, out);
		else
			fputs(*++c == 'p' ? label : "%", out);
	}
	return text_of_stream(out, &path);
}

/* Whether the name contains the process ID. */
static int has_process(const log_output *log)
{
	for (const char *c = log->name; *c != '\0'; c++) {
		if (*c == '%' && *++c == 'p')
			return 1;
	}
	return 0;
}

static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (slash == NULL)
		return strdup(".");
	return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

/* A name that no concurrent run uses, without characters that the module's options cannot contain. */
static char *part_name(const char *wanted)
{
	char token[64];
	struct timespec now;
	char *name;

	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(token, sizeof(token), ".%ld-%lx.", (long)getpid(), (unsigned long)now.tv_nsec);
	name = modules_join(base_of(wanted), token, "");
	for (char *cursor = name; cursor != NULL && *cursor != '\0'; cursor++) {
		if (*cursor == ',' || *cursor == '%')
			*cursor = '_';
	}
	return name;
}

/* Doubles percent signs. */
static char *escape_percents(const char *path)
{
	char *escaped = malloc(strlen(path) * 2 + 1);
	char *out = escaped;

	if (escaped == NULL)
		return NULL;
	for (; *path != '\0'; path++) {
		*out++ = *path;
		if (*path == '%')
			*out++ = '%';
	}
	*out = '\0';
	return escaped;
}

static char *make_pattern(const log_output *log)
{
	char *path;
	char *escaped;
	char *pattern = NULL;

	if (log->part == NULL)
		return escape_percents(log->wanted);
	path = modules_join(log->directory, "/", log->part);
	escaped = path != NULL ? escape_percents(path) : NULL;
	if (escaped != NULL)
		pattern = modules_join(escaped, "%p", PART_EXTENSION);
	free(path);
	free(escaped);
	return pattern;
}

char *log_output_final_pattern(const log_output *log)
{
	char *directory;
	char *pattern;

	if (log->part == NULL || log->is_stream || !has_process(log) || strchr(log->name, ',') != NULL)
		return NULL;
	directory = escape_percents(log->directory);
	pattern = directory != NULL ? modules_join(directory, "/", base_of(log->name)) : NULL;
	free(directory);
	return pattern;
}

/* Makes paths absolute: a program may change its directory before one of its processes starts to record. */
static int make_absolute(log_output *log)
{
	char *absolute = realpath(log->directory, NULL);

	if (absolute == NULL)
		return 0;
	free(log->directory);
	log->directory = absolute;
	return 1;
}

static int check_directory(const log_output *log)
{
	struct stat status;

	if (access(log->directory, W_OK | X_OK) != 0) {
		fprintf(stderr, "mprof: record: cannot write to directory %s: %s\n", log->directory, strerror(errno));
		return 0;
	}
	if (stat(log->wanted, &status) == 0 && S_ISDIR(status.st_mode)) {
		fprintf(stderr, "mprof: record: %s: %s\n", log->wanted, strerror(EISDIR));
		return 0;
	}
	if (strchr(log->directory, ',') != NULL) {
		fprintf(stderr,
			"mprof: record: the directory %s has a comma in its name, which cannot be passed to the "
			"module; "
			"choose another directory with -o\n",
			log->directory);
		return 0;
	}
	return 1;
}

/* The parts of a log that goes to a stream are not written to the directory of the stream. */
static char *directory_for(const log_output *log)
{
	const char *temporary = getenv("TMPDIR");

	if (!log->is_stream)
		return directory_of(log->wanted);
	return strdup(temporary != NULL && temporary[0] == '/' ? temporary : "/tmp");
}

static int is_stream(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

static int check_name(const log_output *log)
{
	const char *slash = strrchr(log->name, '/');
	const char *process = strstr(log->name, "%p");

	if (!has_process(log) || slash == NULL || process > slash)
		return 1;
	fprintf(stderr, "mprof: record: --output: %%p is allowed in the file name, not in the directory\n");
	return 0;
}

static int out_of_memory(void)
{
	fprintf(stderr, "mprof: record: %s\n", strerror(ENOMEM));
	return STATUS_NOTHING;
}

/* Returns -1 to continue, or an exit status after a message. */
static int claim_log(log_output *log, int is_default)
{
	claim_result result = CLAIM_EMPTY;

	/* A name with a process ID is claimed when the process ID is known. */
	if (log->is_stream || has_process(log))
		return -1;
	if (is_default && !log->replaces)
		result = claim_numbered(&log->wanted, &log->created);
	else
		result = claim_path(log->wanted, log->replaces, &log->created);
	log->is_claimed = result == CLAIM_MADE;
	switch (result) {
	case CLAIM_MADE:
	case CLAIM_EMPTY:
		free(log->name);
		log->name = escape_percents(log->wanted);
		return log->name != NULL ? -1 : out_of_memory();
	case CLAIM_EXISTS:
		fprintf(stderr,
			"mprof: record: %s exists; --force replaces it, and %%p or %%t in the name makes it unique\n",
			log->wanted);
		return STATUS_USAGE;
	case CLAIM_BUSY:
		fprintf(stderr, "mprof: record: another program is writing a log to %s\n", log->wanted);
		return STATUS_USAGE;
	case CLAIM_FOREIGN:
		fprintf(stderr,
			"mprof: record: %s is a file of another user, or has another name (a hard link): it is not "
			"overwritten; choose another name with -o\n",
			log->wanted);
		return STATUS_USAGE;
	case CLAIM_REFUSED:
		fprintf(stderr, "mprof: record: cannot write %s: %s\n", log->wanted, strerror(errno));
		return STATUS_USAGE;
	case CLAIM_NO_MEMORY:
		break;
	}
	return out_of_memory();
}

/*
 * Sends the log to the standard output of this process. The program inherits a duplicate of it, because its own
 * standard output is redirected to the standard error. The module opens the duplicate by its path in /dev/fd. Returns
 * -1 to continue, or an exit status after a message.
 */
static int use_standard_output(log_output *log, int for_processes)
{
	char path[32];
	struct stat status;

	if (isatty(STDOUT_FILENO)) {
		fputs("mprof: record: --output: the log is not written to a terminal\n", stderr);
		return STATUS_USAGE;
	}
	if (fstat(STDOUT_FILENO, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
		fputs("mprof: record: --output: the standard output is a file that is not empty\n", stderr);
		return STATUS_USAGE;
	}
	log->stdout_fd = fcntl(STDOUT_FILENO, for_processes ? F_DUPFD_CLOEXEC : F_DUPFD, 3);
	if (log->stdout_fd < 0) {
		fprintf(stderr, "mprof: record: standard output: %s\n", strerror(errno));
		return STATUS_USAGE;
	}
	snprintf(path, sizeof(path), "/dev/fd/%d", log->stdout_fd);
	log->name = strdup(path);
	return -1;
}

/* Records whether a file exists at the path before the program runs, and its modification time. */
static void examine_path(log_output *log)
{
	struct stat status;

	log->was_there = stat(log->wanted, &status) == 0;
	if (log->was_there)
		log->changed = status.st_mtim;
}

int log_output_init(log_output *log, const char *output, const char *subject, const log_output_options *options)
{
	int for_processes = options->for_processes;
	int needs_parts;
	int status;

	memset(log, 0, sizeof(*log));
	log->replaces = options->replaces;
	log->stdout_fd = -1;
	log->lock_fd = -1;
	if (output != NULL && strcmp(output, "-") == 0) {
		status = use_standard_output(log, for_processes);
		if (status >= 0)
			return status;
	} else {
		log->name = make_name(output, subject);
	}
	log->wanted = log->name != NULL ? name_of_process(log->name, "0") : NULL;
	if (log->wanted == NULL)
		return out_of_memory();
	if (!check_name(log))
		return STATUS_USAGE;
	log->is_stream = log->stdout_fd >= 0 || is_stream(log->wanted);
	needs_parts = for_processes || has_process(log) || strchr(base_of(log->wanted), ',') != NULL;
	log->directory = needs_parts ? directory_for(log) : directory_of(log->wanted);
	if (log->directory == NULL)
		return out_of_memory();
	if (for_processes && !make_absolute(log)) {
		int failure = errno;

		fprintf(stderr, "mprof: record: %s: %s\n", log->directory, strerror(failure));
		return failure == ENOMEM ? STATUS_NOTHING : STATUS_USAGE;
	}
	if ((needs_parts || !log->is_stream) && !check_directory(log))
		return STATUS_USAGE;
	status = claim_log(log, output == NULL);
	if (status >= 0)
		return status;
	if (needs_parts)
		log->part = part_name(log->wanted);
	if (needs_parts && !log->is_stream && !has_process(log))
		log->lock_fd = claim_lock(log->wanted);
	if (!needs_parts || log->part != NULL)
		log->pattern = make_pattern(log);
	examine_path(log);
	return log->pattern != NULL ? -1 : out_of_memory();
}

void log_output_release(log_output *log)
{
	if (log->is_claimed)
		claim_release(log->wanted, &log->created);
	if (log->stdout_fd > 0)
		close(log->stdout_fd);
	if (log->lock_fd > 0)
		close(log->lock_fd);
	free(log->name);
	free(log->wanted);
	free(log->directory);
	free(log->part);
	free(log->pattern);
	memset(log, 0, sizeof(*log));
}

/* Opens a FIFO or a device. A file that has replaced it meanwhile is not overwritten. Returns NULL with errno set. */
static FILE *open_stream(const char *path)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	struct stat status;
	FILE *stream = NULL;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
		errno = EEXIST;
	else
		stream = fdopen(fd, "wb");
	if (stream == NULL)
		close(fd);
	return stream;
}

/* Returns 0 after a message; the part is kept then. */
static int copy_to_stream(const log_output *log, const char *part)
{
	/* A reader that has ended is an error with a message, not the end of this process. */
	void (*before)(int) = signal(SIGPIPE, SIG_IGN);
	const char *stream = log->stdout_fd >= 0 ? "standard output" : log->wanted;
	char bytes[65536];
	FILE *in = fopen(part, "rbe");
	FILE *out = NULL;
	size_t got;
	int is_done;

	if (in != NULL)
		out = log->stdout_fd >= 0 ? fdopen(dup(log->stdout_fd), "wb") : open_stream(stream);
	is_done = out != NULL;
	while (is_done && (got = fread(bytes, 1, sizeof(bytes), in)) > 0)
		is_done = fwrite(bytes, 1, got, out) == got;
	is_done = is_done && ferror(in) == 0;
	if (out != NULL && fclose(out) != 0)
		is_done = 0;
	if (!is_done)
		fprintf(stderr, "mprof: record: cannot write the log to %s: %s; it stays in %s\n", stream,
			strerror(errno), part);
	if (in != NULL)
		fclose(in);
	signal(SIGPIPE, before);
	return is_done;
}

/* Copies the log of one process to the stream. */
static void collect_into_stream(log_output *log, const log_part *part, int is_chosen, log_function found, void *user)
{
	if (!is_chosen) {
		fprintf(stderr,
			"mprof: record: the log of process %s stays in %s: %s contains that of another process\n",
			part->label, part->path, log->wanted);
		return;
	}
	found(user, part->path, log->stdout_fd >= 0 ? "standard output" : log->wanted);
	if (copy_to_stream(log, part->path))
		unlink(part->path);
	else
		log->is_misplaced = 1;
}

static void rename_part(log_output *log, const log_part *part, const char *name, log_function found, void *user)
{
	if (name != NULL && rename(part->path, name) == 0) {
		found(user, name, name);
		return;
	}
	/* The process has just ended, and has named its log itself. */
	if (name != NULL && errno == ENOENT && access(part->path, F_OK) != 0) {
		found(user, name, name);
		return;
	}
	fprintf(stderr, "mprof: record: cannot rename %s to %s: %s\n", part->path, name != NULL ? name : "a log",
		strerror(name != NULL ? errno : ENOMEM));
	log->is_misplaced = 1;
	found(user, part->path, part->path);
}

/* The name of the log of a process that the program started: with the process ID, and the name of what it ran. */
static char *name_of_other(const log_output *log, const log_part *part)
{
	char program[LOG_PROGRAM_SIZE];
	char label[LATE_LOG_LABEL_SIZE];

	log_part_program(part, program);
	late_log_label(label, part->label, program);
	return claim_labelled_name(log->wanted, label);
}

/* The process will give its log this name, or one with a number. */
static void announce_running(const log_output *log, const log_part *part, log_function found, void *user)
{
	char *name = has_process(log) ? name_of_process(log->name, part->label) : name_of_other(log, part);

	found(user, part->path, name != NULL ? name : part->path);
	free(name);
}

/* --force is for the file that --output names, not for those whose names are made from it. */
static int may_replace(const log_output *log, const char *name, int is_chosen)
{
	const int is_named = is_chosen && !has_process(log);

	return claim_may_replace(name, is_named && log->is_claimed ? &log->created : NULL,
				 log->replaces && (is_named || has_process(log)), log->lock_fd);
}

static void collect_part(log_output *log, const log_part *part, int is_chosen, log_function found, void *user)
{
	struct stat claimed;
	char *name;

	if (part->is_running) {
		announce_running(log, part, found, user);
		return;
	}
	if (log->is_stream) {
		collect_into_stream(log, part, is_chosen, found, user);
		return;
	}
	if (is_chosen || has_process(log))
		name = name_of_process(log->name, part->label);
	else
		name = name_of_other(log, part);
	if (name != NULL && !may_replace(log, name, is_chosen) && claim_numbered(&name, &claimed) == CLAIM_NO_MEMORY) {
		free(name);
		name = NULL;
	}
	rename_part(log, part, name, found, user);
	free(name);
}

static size_t collect_parts(log_output *log, pid_t process, log_function found, void *user)
{
	log_parts parts;
	int failure = log_parts_find(&parts, log->directory, log->part, process);
	size_t chosen = log_parts_choose(&parts, process);
	size_t count = parts.count;

	if (failure != 0) {
		fprintf(stderr, "mprof: record: cannot list the logs: %s; they are %s/%s*" PART_EXTENSION "\n",
			strerror(failure), log->directory, log->part);
		log->is_misplaced = 1;
	}
	if (chosen < count)
		collect_part(log, &parts.parts[chosen], 1, found, user);
	for (size_t i = 0; i < count; i++)
		if (i != chosen)
			collect_part(log, &parts.parts[i], 0, found, user);
	log_parts_release(&parts);
	return count;
}

size_t log_output_collect(log_output *log, pid_t process, log_function found, void *user)
{
	struct stat status;

	if (log->part != NULL)
		return collect_parts(log, process, found, user);
	if (log->is_stream) {
		found(user, NULL, log->wanted);
		return 1;
	}
	/* A file that is empty, or existed before and was not modified, is not the log of this run. */
	if (stat(log->wanted, &status) != 0 || (S_ISREG(status.st_mode) && status.st_size == 0) ||
	    (log->was_there && !log->is_claimed && status.st_mtim.tv_sec == log->changed.tv_sec &&
	     status.st_mtim.tv_nsec == log->changed.tv_nsec))
		return 0;
	found(user, log->wanted, log->wanted);
	return 1;
}

#define LOCK_WAIT_MS 2000
#define LOCK_ATTEMPTS 100

void salvaged_create(salvaged_logs *salvaged, char option[SALVAGE_OPTION_SIZE])
{
	memset(salvaged, 0, sizeof(*salvaged));
	option[0] = '\0';
	salvaged->fd = memfd_create("mprof-salvage", MFD_CLOEXEC);
	/* The program opens the memory by this path. Unlike a descriptor, it need not be inherited through a shell. */
	if (salvaged->fd >= 0)
		snprintf(option, SALVAGE_OPTION_SIZE, "/proc/%ld/fd/%d", (long)getpid(), salvaged->fd);
}

/* Whether the process executed another recorded program. \p number: position of the program among those it ran. */
static int is_superseded(const log_output *log, uint64_t process, long number)
{
	char label[64];
	char *path;
	char *next;
	int exists;

	if (log->part == NULL)
		return 0;
	snprintf(label, sizeof(label), "%" PRIu64 "-%ld" PART_EXTENSION, process, number + 1);
	path = modules_join(log->directory, "/", log->part);
	next = path != NULL ? modules_join(path, label, "") : NULL;
	exists = next != NULL && access(next, F_OK) == 0;
	free(path);
	free(next);
	return exists;
}

/*
 * A child that a process made just before it ended has the lock on its log until the child closes what
 * it inherited.
 */
static mprof_status recover(const char *path, mprof_recovery *recovery, mprof_error *error)
{
	const struct timespec pause = {0, LOCK_WAIT_MS * 1000000L / LOCK_ATTEMPTS};
	mprof_status status = mprof_recorder_recover(path, NULL, recovery, error);

	for (int i = 1;
	     i < LOCK_ATTEMPTS && status == MPROF_ERR_IO && error->system_error == EBUSY && !recovery->is_recording;
	     i++) {
		nanosleep(&pause, NULL);
		status = mprof_recorder_recover(path, NULL, recovery, error);
	}
	return status;
}

static void complete_log(salvaged_logs *salvaged, const log_output *log, const char *path, const char *name,
			 long number)
{
	mprof_recovery recovery = {.struct_size = sizeof(recovery)};
	mprof_error error = {.struct_size = sizeof(error)};
	mprof_status status = recover(path, &recovery, &error);

	if (status == MPROF_OK && !recovery.was_complete) {
		/* A program that executes another one cannot close its log. */
		salvaged->logs += !is_superseded(log, recovery.process, number);
		salvaged->events += recovery.events;
		salvaged->lost += recovery.lost_events;
	}
	/* A process that is still running in the background completes its log itself. */
	if (status == MPROF_OK || status == MPROF_ERR_TRUNCATED || recovery.is_recording)
		return;
	/* The log ends with this cause and with the number of lost events, which are printed with its name. */
	if (status == MPROF_ERR_IO &&
	    (error.system_error == ENOSPC || error.system_error == EFBIG || error.system_error == EDQUOT))
		return;
	fprintf(stderr, "mprof: %s: the end of the log cannot be salvaged: %s%s%s\n", name, error.what,
		error.system_error != 0 ? ": " : "", error.system_error != 0 ? strerror(error.system_error) : "");
}

static int is_salvage_file(const log_output *log, const char *name)
{
	size_t length = strlen(name);
	size_t suffix = strlen(SALVAGE_SUFFIX);

	return strncmp(name, log->part, strlen(log->part)) == 0 && length > suffix &&
	       strcmp(name + length - suffix, SALVAGE_SUFFIX) == 0;
}

/* The position of a program among those that its process ran, which the names of all but the first contain. */
static long number_of(const log_output *log, const char *name)
{
	char *end;

	(void)strtol(name + strlen(log->part), &end, 10);
	return *end == '-' ? strtol(end + 1, NULL, 10) : 1;
}

/* Each process that writes a part has a salvage file beside it, except the one that uses the shared memory. */
static void complete_parts(salvaged_logs *salvaged, const log_output *log)
{
	DIR *directory = opendir(log->directory);
	struct dirent *entry;

	while (directory != NULL && (entry = readdir(directory)) != NULL) {
		char *path =
			is_salvage_file(log, entry->d_name) ? modules_join(log->directory, "/", entry->d_name) : NULL;

		if (path != NULL)
			complete_log(salvaged, log, path, entry->d_name, number_of(log, entry->d_name));
		free(path);
	}
	if (directory != NULL)
		closedir(directory);
}

void salvaged_complete(salvaged_logs *salvaged, const log_output *log, const char *file)
{
	char path[SALVAGE_PATH_MAX];

	if (salvaged->fd >= 0) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", salvaged->fd);
		complete_log(salvaged, log, path, log->wanted, 1);
	}
	if (file != NULL && access(file, F_OK) == 0)
		complete_log(salvaged, log, file, file, 1);
	if (log->part != NULL)
		complete_parts(salvaged, log);
	else if (salvage_path_of(log->wanted, path) && access(path, F_OK) == 0)
		complete_log(salvaged, log, path, log->wanted, 1);
}

void salvaged_release(salvaged_logs *salvaged)
{
	if (salvaged->fd >= 0)
		close(salvaged->fd);
	salvaged->fd = -1;
}
