/* SPDX-License-Identifier: MIT */
/* Gives logs their names after "mprof record" has ended. */
#include "shared/late_log.h"
#include "shared/program_name.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOG_EXTENSION ".mprof"
#define PART_EXTENSION ".part"
#define PART_PATTERN_END ".%p" PART_EXTENSION
#define MAX_NUMBER 1000

/*
 * A process that has dropped its privileges may not open the file, and one that has used up its descriptors cannot, but
 * both find that "mprof record" runs.
 */
static int is_running(const char *collector, int error)
{
	const char *descriptor = strstr(collector, "/fd/");
	char process[64];

	if (error == ENOENT || descriptor == NULL || (size_t)(descriptor - collector) >= sizeof(process))
		return 0;
	memcpy(process, collector, (size_t)(descriptor - collector));
	process[descriptor - collector] = '\0';
	return access(process, F_OK) == 0;
}

int late_log_lock(const char *collector)
{
	struct stat status;
	int fd = open(collector, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return is_running(collector, errno) ? LATE_LOG_UNLOCKED : LATE_LOG_ENDED;
	while (flock(fd, LOCK_SH) != 0 && errno == EINTR)
		continue;
	if (fstat(fd, &status) == 0 && status.st_size == 0)
		return fd;
	close(fd);
	return LATE_LOG_ENDED;
}

void late_log_unlock(int lock)
{
	if (lock >= 0)
		close(lock);
}

int late_log_is_awaited(const char *collector)
{
	static const char processes[] = "/proc/";
	const size_t length = sizeof(processes) - 1;

	return strncmp(collector, processes, length) == 0 && strtol(collector + length, NULL, 10) == (long)getppid();
}

static int ends_with(const char *text, size_t length, const char *end)
{
	const size_t end_length = strlen(end);

	return length > end_length && memcmp(text + length - end_length, end, end_length) == 0;
}

int late_log_is_part(const char *path)
{
	return ends_with(path, strlen(path), PART_EXTENSION);
}

void late_log_label(char text[LATE_LOG_LABEL_SIZE], const char *label, const char *program)
{
	static const char extension[] = ".exe";
	const char *slash = strrchr(program, '/');
	const char *name = slash != NULL ? slash + 1 : program;
	size_t length = strlen(name);
	size_t at;

	if (ends_with(name, length, extension))
		length -= sizeof(extension) - 1;
	at = (size_t)snprintf(text, LATE_LOG_LABEL_SIZE, "%.60s%s", label, length > 0 ? "." : "");
	/* Percent signs are those of patterns, and the options of modules are separated by commas. */
	for (size_t i = 0; i < length && at + 1 < LATE_LOG_LABEL_SIZE; i++)
		text[at++] = (char)(strchr("%,", name[i]) != NULL ? '_' : name[i]);
	text[at] = '\0';
}

int late_log_pattern(const char *parts, char *pattern, size_t size)
{
	char label[LATE_LOG_LABEL_SIZE];
	size_t length = strlen(parts);
	int created;

	if (!ends_with(parts, length, PART_PATTERN_END))
		return 0;
	length -= sizeof(PART_PATTERN_END) - 1;
	while (length > 0 && parts[length - 1] != '.' && parts[length - 1] != '/')
		length--;
	if (length < 2 || parts[length - 1] != '.')
		return 0;
	length--;
	if (ends_with(parts, length, LOG_EXTENSION))
		length -= sizeof(LOG_EXTENSION) - 1;
	late_log_label(label, "%p", program_short_name());
	created = snprintf(pattern, size, "%.*s.%s%s", (int)length, parts, label, LOG_EXTENSION);
	return created > 0 && (size_t)created < size;
}

int late_log_move(const char *part, char *path, size_t size)
{
	size_t length = strlen(path);

	if (ends_with(path, length, LOG_EXTENSION))
		length -= sizeof(LOG_EXTENSION) - 1;
	/* A link, unlike a new name, does not replace a file. */
	for (int number = 2; link(part, path) != 0; number++) {
		char label[32];
		const int added = snprintf(label, sizeof(label), "-%d%s", number, LOG_EXTENSION);

		if (errno != EEXIST || number > MAX_NUMBER || length + (size_t)added >= size)
			return 0;
		memcpy(path + length, label, (size_t)added + 1);
	}
	(void)unlink(part);
	return 1;
}
