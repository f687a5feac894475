/* SPDX-License-Identifier: MIT */
/* Finds a log, the process that writes it and its part, and follows it while the program runs. */
#include "live/growing_log.h"

#include "common/arguments.h"

#include <mprof/reader.h>

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/*
 * The part of a log that a program writes: "log.mprof.RECORD-NUMBER.PROCESS.part".
 */

#define PART_EXTENSION ".part"

/* A program that has been started writes the first block of its log within this time. */
#define START_SECONDS 5

/* What the name of a part contains. */
typedef struct part_name {
	long record; /* The process of mprof record. */
	long process;
} part_name;

/* The name of the log in those of parts lacks the characters that the options of modules cannot contain. */
static int has_prefix(const char *name, const char *log)
{
	for (; *log != '\0'; log++, name++)
		if (*name != (*log == ',' || *log == '%' ? '_' : *log))
			return 0;
	return *name == '.';
}

static int parse_name(const char *name, const char *log, part_name *found)
{
	char *end;

	if (!has_prefix(name, log))
		return 0;
	found->record = strtol(name + strlen(log) + 1, &end, 10);
	if (found->record <= 0 || *end != '-')
		return 0;
	(void)strtoul(end + 1, &end, 16);
	if (*end != '.')
		return 0;
	found->process = strtol(end + 1, &end, 10);
	if (found->process > 0 && *end == '-')
		(void)strtol(end + 1, &end, 10);
	return found->process > 0 && strcmp(end, PART_EXTENSION) == 0;
}

static int is_alive(long process)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/%ld", process);
	return access(path, F_OK) == 0;
}

static int is_child(long process, long parent)
{
	char path[40];
	char line[128];
	long found = 0;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%ld/status", process);
	status = fopen(path, "re");
	if (status == NULL)
		return 0;
	while (found == 0 && fgets(line, sizeof(line), status) != NULL)
		if (strncmp(line, "PPid:", 5) == 0)
			found = strtol(line + 5, NULL, 10);
	fclose(status);
	return found == parent;
}

static int choose_part(const char *folder, const char *log, char *part, size_t size)
{
	DIR *directory = opendir(folder);
	const struct dirent *entry;
	off_t largest = -1;

	while (directory != NULL && (entry = readdir(directory)) != NULL) {
		char path[PATH_MAX];
		struct stat status;
		part_name found;
		off_t rank;

		if (!parse_name(entry->d_name, log, &found) || !is_alive(found.record) ||
		    (size_t)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name) >= sizeof(path) ||
		    stat(path, &status) != 0 || status.st_size == 0)
			continue;
		rank = is_child(found.process, found.record) ? (off_t)1 << 62 : status.st_size;
		if (rank <= largest)
			continue;
		largest = rank;
		snprintf(part, size, "%s", path);
	}
	if (directory != NULL)
		closedir(directory);
	return largest >= 0;
}

/* Whether the path is that of an empty file; \p is_new: whether it was created a short time ago. */
static int is_empty(const char *path, int *is_new)
{
	struct stat status;

	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > 0)
		return 0;
	*is_new = time(NULL) - status.st_mtime <= START_SECONDS;
	return 1;
}

part_search part_log_find(const char *path, char *part, size_t size)
{
	const char *slash = strrchr(path, '/');
	const char *log = slash != NULL ? slash + 1 : path;
	char folder[PATH_MAX];
	int is_new;

	if ((size_t)(log - path) >= sizeof(folder) || !is_empty(path, &is_new))
		return PART_NONE;
	snprintf(folder, sizeof(folder), "%.*s", slash != NULL ? (int)(log - path) : 1, slash != NULL ? path : ".");
	if (choose_part(folder, log, part, size))
		return PART_FOUND;
	return is_new ? PART_SOON : PART_NONE;
}

/*
 * The process that writes a log, which is found by the files that processes have open.
 */

#define PATH_SIZE 96

static int is_number(const char *text)
{
	return text[0] != '\0' && strspn(text, "0123456789") == strlen(text);
}

/* The permissions of a link in /proc/PID/fd are those that the file was opened with. */
static int is_open_for_writing(const char *link)
{
	struct stat status;

	return lstat(link, &status) == 0 && (status.st_mode & S_IWUSR) != 0;
}

static int is_log_of(const log_writer *writer, const char *link)
{
	struct stat status;

	return stat(link, &status) == 0 && status.st_dev == writer->device && status.st_ino == writer->inode &&
	       is_open_for_writing(link);
}

/* Looks at the next descriptor of a process. Returns it, or -1 after the last one. */
static int next_descriptor(DIR *directory, const char *process, char *link, size_t size)
{
	const struct dirent *entry;

	while ((entry = readdir(directory)) != NULL) {
		if (!is_number(entry->d_name))
			continue;
		snprintf(link, size, "/proc/%.20s/fd/%.20s", process, entry->d_name);
		return atoi(entry->d_name);
	}
	return -1;
}

static DIR *open_descriptors(const char *process)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), "/proc/%.20s/fd", process);
	return opendir(path);
}

static int find_in_process(log_writer *writer, const char *process)
{
	DIR *directory = open_descriptors(process);
	char link[PATH_SIZE];
	int fd;

	if (directory == NULL)
		return 0;
	while ((fd = next_descriptor(directory, process, link, sizeof(link))) >= 0 && !is_log_of(writer, link))
		;
	closedir(directory);
	writer->fd = fd;
	return fd >= 0;
}

/* Searches for the process that has the open file open for writing. Returns 1 if there is one. */
static int log_writer_find(log_writer *writer, int fd)
{
	const struct dirent *entry;
	struct stat status;
	DIR *processes;

	memset(writer, 0, sizeof(*writer));
	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
		return 0;
	writer->device = status.st_dev;
	writer->inode = status.st_ino;
	processes = opendir("/proc");
	while (processes != NULL && writer->process == 0 && (entry = readdir(processes)) != NULL) {
		if (is_number(entry->d_name) && atoi(entry->d_name) != getpid() &&
		    find_in_process(writer, entry->d_name))
			writer->process = atoi(entry->d_name);
	}
	if (processes != NULL)
		closedir(processes);
	return writer->process != 0;
}

/* Whether the process that was found still has the log open for writing. */
static int log_writer_is_there(const log_writer *writer)
{
	char link[PATH_SIZE];

	if (writer->process == 0)
		return 0;
	snprintf(link, sizeof(link), "/proc/%ld/fd/%d", (long)writer->process, writer->fd);
	return is_log_of(writer, link);
}

static int is_log(const char *link)
{
	mprof_reader *reader = NULL;
	struct stat status;
	mprof_status opened;

	/* A pipe or a device must not be opened: that may wait, or have an effect. */
	if (stat(link, &status) != 0 || !S_ISREG(status.st_mode) || !is_open_for_writing(link))
		return 0;
	opened = mprof_reader_open_path(link, NULL, &reader);
	mprof_reader_destroy(reader);
	return opened == MPROF_OK;
}

/*
 * Finds the log that a process writes: the first regular file that it has open for writing and that starts like a log.
 * Returns the path in /proc of its descriptor, which the caller frees; NULL if there is none, with errno set.
 */
static char *find_log_of(const char *process)
{
	DIR *directory = open_descriptors(process);
	char link[PATH_SIZE];
	int fd;

	if (directory == NULL)
		return NULL;
	while ((fd = next_descriptor(directory, process, link, sizeof(link))) >= 0 && !is_log(link))
		;
	closedir(directory);
	errno = ENOENT;
	return fd >= 0 ? strdup(link) : NULL;
}

/*
 * The log of a process, and copies of standard input where it must be read twice.
 */

/* The log of a process or of a child: that of "mprof record" has none itself. Returns NULL with errno set. */
static char *find_log(const char *process)
{
	char path[64];
	char child[16];
	char *found = find_log_of(process);
	const int error = errno;
	FILE *children;

	if (found != NULL)
		return found;
	snprintf(path, sizeof(path), "/proc/%.20s/task/%.20s/children", process, process);
	children = fopen(path, "re");
	while (children != NULL && found == NULL && fscanf(children, "%15s", child) == 1)
		found = find_log_of(child);
	if (children != NULL)
		fclose(children);
	errno = error;
	return found;
}

static int find_process(log_source *source, const char *process)
{
	char *link = find_log(process);
	ssize_t length;

	if (link == NULL) {
		fprintf(stderr, "mprof: top: process %s: %s\n", process,
			errno == ENOENT ? "it does not exist, or has no log open for writing; a log in a ring buffer "
					  "is not a file"
					: strerror(errno));
		return 0;
	}
	snprintf(source->path, sizeof(source->path), "%s", link);
	length = readlink(link, source->name, sizeof(source->name) - 1);
	if (length < 0)
		snprintf(source->name, sizeof(source->name), "%s", link);
	else
		source->name[length] = '\0';
	free(link);
	return 1;
}

static int copy_input(int fd)
{
	static char bytes[1 << 16];
	ssize_t count;

	while ((count = read(STDIN_FILENO, bytes, sizeof(bytes))) > 0) {
		for (ssize_t done = 0; done < count;) {
			const ssize_t written = write(fd, bytes + done, (size_t)(count - done));

			if (written < 0)
				return 0;
			done += written;
		}
	}
	return count == 0;
}

/* The copy has no name, so that nothing of it remains however this program ends. */
static int spool_input(log_source *source)
{
	const char *directory = getenv("TMPDIR");
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/mprof-top.XXXXXX", directory != NULL ? directory : "/tmp");
	source->spool = mkstemp(path);
	if (source->spool >= 0)
		unlink(path);
	if (source->spool < 0 || !copy_input(source->spool)) {
		fprintf(stderr, "mprof: -: %s\n", strerror(errno));
		return 0;
	}
	snprintf(source->path, sizeof(source->path), "/proc/self/fd/%d", source->spool);
	return 1;
}

int log_source_find(log_source *source, const char *argument, int is_whole)
{
	source->spool = -1;
	snprintf(source->name, sizeof(source->name), "%s", argument);
	snprintf(source->path, sizeof(source->path), "%s", argument);
	if (strcmp(argument, "-") == 0)
		return !is_whole || spool_input(source);
	if (strspn(argument, "0123456789") == strlen(argument) && argument[0] != '\0' && access(argument, F_OK) != 0)
		return find_process(source, argument);
	return 1;
}

void log_source_release(log_source *source)
{
	if (source->spool >= 0)
		close(source->spool);
}

/*
 * Requests that the program writes what it has recorded. They never wait for the program.
 */

static void flush_requests_close(flush_requests *requests)
{
	if (requests->connection.fd >= 0)
		control_disconnect(&requests->connection);
	requests->connection.fd = -1;
}

static void note_ring(void *user, char *line)
{
	/* A flush would end the recording in the ring buffer: it writes what the buffer has. */
	if (strncmp(line, "ring_bytes=", 11) == 0)
		*(int *)user = 1;
}

/* Connects to a process, if it accepts commands and does not keep its log in a ring buffer. */
static void flush_requests_open(flush_requests *requests, pid_t process)
{
	char text[24];
	int has_ring = 0;

	memset(requests, 0, sizeof(*requests));
	snprintf(text, sizeof(text), "%ld", (long)process);
	if (!control_connect_quietly(&requests->connection, text)) {
		requests->connection.fd = -1;
		return;
	}
	if (!control_send(&requests->connection, "status") ||
	    control_receive_answer(&requests->connection, note_ring, &has_ring) != 0 || has_ring)
		flush_requests_close(requests);
}

/* Returns 1 if the answer is complete. Closes the connection if the program refused or is gone. */
static int receive_answer(flush_requests *requests)
{
	static const char done[] = "DONE\n";
	control_connection *connection = &requests->connection;
	ssize_t count = recv(connection->fd, connection->received + connection->length,
			     sizeof(connection->received) - connection->length, MSG_DONTWAIT);

	if (count == 0) {
		flush_requests_close(requests);
		return 0;
	}
	if (count > 0)
		connection->length += (size_t)count;
	if (connection->length == 0 || connection->received[connection->length - 1] != '\n')
		return 0;
	if (connection->length != sizeof(done) - 1 || memcmp(connection->received, done, sizeof(done) - 1) != 0) {
		flush_requests_close(requests);
		return 0;
	}
	connection->length = 0;
	return 1;
}

/* Receives the answer to the latest request, and sends the next one. */
static void flush_requests_update(flush_requests *requests, uint64_t now_ns)
{
	static const char request[] = "flush\n";

	if (requests->connection.fd < 0)
		return;
	if (requests->is_pending) {
		if (!receive_answer(requests))
			return;
		requests->is_pending = 0;
		requests->served_ns = requests->sent_ns;
	}
	if (send(requests->connection.fd, request, sizeof(request) - 1, MSG_NOSIGNAL | MSG_DONTWAIT) !=
	    (ssize_t)sizeof(request) - 1) {
		flush_requests_close(requests);
		return;
	}
	requests->is_pending = 1;
	requests->sent_ns = now_ns;
}

/*
 * The log.
 */

#define SEARCH_INTERVAL_NS UINT64_C(1000000000)
#define OPEN_INTERVAL_MS 50

static volatile sig_atomic_t is_interrupted;

static void note_signal(int number)
{
	(void)number;
	is_interrupted = 1;
}

void growing_log_catch_signals(void)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = note_signal;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

int growing_log_is_interrupted(void)
{
	return is_interrupted;
}

uint64_t growing_log_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void growing_log_sleep(unsigned milliseconds)
{
	struct timespec time = {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000};

	if (!is_interrupted)
		nanosleep(&time, NULL);
}

static void search_writer(growing_log *log)
{
	if (log_writer_find(&log->writer, log->input.fd))
		flush_requests_open(&log->flushes, log->writer.process);
	log->next_search_ns = growing_log_clock() + SEARCH_INTERVAL_NS;
}

int growing_log_open(growing_log *log, const char *path, int waits)
{
	part_search search;

	memset(log, 0, sizeof(*log));
	log->path = path;
	log->waits_forever = waits;
	log->flushes.connection.fd = -1;
	while (waits && strcmp(path, "-") != 0 && access(path, F_OK) != 0 && !is_interrupted)
		growing_log_sleep(OPEN_INTERVAL_MS);
	/* While mprof record runs the program, its log may have the name of a part. */
	while ((search = part_log_find(path, log->part, sizeof(log->part))) == PART_SOON && !is_interrupted)
		growing_log_sleep(OPEN_INTERVAL_MS);
	if (input_open_growing(&log->input, search == PART_FOUND ? log->part : path) != STATUS_OK)
		return STATUS_NOTHING;
	log->input.name = path;
	if (log->input.is_file)
		search_writer(log);
	return STATUS_OK;
}

/* Whether the writer of a file is gone. Bytes that it has written before may still be unread. */
static int is_writer_gone(growing_log *log)
{
	if (log_writer_is_there(&log->writer))
		return 0;
	if (log->waits_forever && growing_log_clock() < log->next_search_ns)
		return 0;
	/* Another process may have inherited the descriptor. */
	flush_requests_close(&log->flushes);
	search_writer(log);
	return log->writer.process == 0 && !log->waits_forever;
}

static int is_shorter_than_read(const growing_log *log)
{
	struct stat status;
	off_t position = lseek(log->input.fd, 0, SEEK_CUR);

	return fstat(log->input.fd, &status) == 0 && position > status.st_size;
}

void growing_log_update(growing_log *log)
{
	if (log->is_finished || log->input.is_over)
		return;
	if (!log->input.is_file) {
		log->is_finished = log->input.is_source_over;
	} else if (is_shorter_than_read(log)) {
		input_failed(&log->input, log->input.reached, MPROF_ERR_TRUNCATED,
			     "the file was truncated or replaced while it was read");
		return;
	} else {
		log->is_finished = is_writer_gone(log);
		if (!log->is_finished)
			flush_requests_update(&log->flushes, growing_log_clock());
	}
	if (log->is_finished)
		(void)mprof_reader_finish(log->input.reader);
}

void growing_log_wait(growing_log *log, unsigned milliseconds)
{
	struct pollfd source = {log->input.fd, POLLIN, 0};

	if (log->is_finished || log->input.is_over || is_interrupted)
		return;
	/* A file is always ready. */
	if (log->input.is_file)
		growing_log_sleep(milliseconds);
	else
		(void)poll(&source, 1, (int)milliseconds);
}

int growing_log_status(const growing_log *log)
{
	if (growing_log_is_interrupted())
		return STATUS_OK;
	return log->input.status != STATUS_OK && log->input.reached == 0 ? STATUS_NOTHING : log->input.status;
}

void growing_log_close(growing_log *log)
{
	flush_requests_close(&log->flushes);
	input_close(&log->input);
}
