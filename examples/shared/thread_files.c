/* SPDX-License-Identifier: MIT */
/* Reads files below /proc/self/task. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "shared/thread_files.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/syscall.h>
#endif

/* Where close_range() is not available, descriptors above are left open. */
#define MAX_FILES 65536

int thread_files_read(pid_t thread, const char *name, char *text, size_t size)
{
	char path[64];
	ssize_t length;
	int file;

	snprintf(path, sizeof(path), "/proc/self/task/%ld/%s", (long)thread, name);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return 0;
	length = read(file, text, size - 1);
	close(file);
	if (length < 0)
		return 0;
	text[length] = '\0';
	return 1;
}

int thread_files_blocks(pid_t thread, int signal_number)
{
	static const char label[] = "\nSigBlk:";
	char status[4096];
	const char *line;

	if (!thread_files_read(thread, "status", status, sizeof(status)))
		return 0;
	line = strstr(status, label);
	return line != NULL && (strtoull(line + sizeof(label) - 1, NULL, 16) >> (signal_number - 1) & 1) != 0;
}

#if defined(SYS_getdents64)
/* An entry as the system writes it. */
struct directory_entry {
	uint64_t inode;
	int64_t offset;
	uint16_t length;
	uint8_t type;
	char name[];
};

static int add_entries(const char *bytes, long count, int (*add)(void *user, pid_t thread), void *user)
{
	for (long at = 0; at < count;) {
		const struct directory_entry *entry = (const void *)(bytes + at);
		long thread = strtol(entry->name, NULL, 10);

		if (thread > 0 && !add(user, (pid_t)thread))
			return 0;
		at += entry->length;
	}
	return 1;
}

int thread_files_list(int (*add)(void *user, pid_t thread), void *user)
{
	_Alignas(8) char bytes[2048];
	int directory = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	long count = -1;

	if (directory < 0)
		return 0;
	while ((count = syscall(SYS_getdents64, directory, bytes, sizeof(bytes))) > 0)
		if (!add_entries(bytes, count, add, user))
			break;
	close(directory);
	return count == 0;
}
#else
int thread_files_list(int (*add)(void *user, pid_t thread), void *user)
{
	(void)add;
	(void)user;
	return 0;
}
#endif

void thread_files_close_all(void)
{
	long limit = sysconf(_SC_OPEN_MAX);

#if defined(SYS_close_range)
	if (syscall(SYS_close_range, 0U, ~0U, 0U) == 0)
		return;
#endif
	for (long file = 0; file < limit && file < MAX_FILES; file++)
		close((int)file);
}
