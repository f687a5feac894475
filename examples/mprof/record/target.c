/* SPDX-License-Identifier: MIT */
/* Finds the program to record and determines whether Mono runs it. */
#include "record/target.h"

#include "common/modules.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_program(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

char *target_search_path(const char *name)
{
	const char *variable = getenv("PATH");
	char *directories = modules_join(variable != NULL ? variable : "/usr/local/bin:/usr/bin:/bin", "", "");
	char *rest = directories;
	char *found = NULL;

	while (found == NULL && rest != NULL) {
		const char *directory = strsep(&rest, ":");
		char *path = modules_join(directory[0] != '\0' ? directory : ".", "/", name);

		if (path != NULL && is_program(path))
			found = path;
		else
			free(path);
	}
	free(directories);
	return found;
}

/* Reads the first bytes of a file; returns their number. */
static size_t read_start(const char *path, unsigned char bytes[4])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t got = fd >= 0 ? read(fd, bytes, 4) : -1;

	if (fd >= 0)
		close(fd);
	return got > 0 ? (size_t)got : 0;
}

static int is_assembly(const char *path)
{
	unsigned char bytes[4];

	return read_start(path, bytes) >= 2 && memcmp(bytes, "MZ", 2) == 0;
}

static int is_binary(const char *path)
{
	unsigned char bytes[4];

	return read_start(path, bytes) == 4 && memcmp(bytes, "\177ELF", 4) == 0;
}

static int is_mono(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash != NULL ? slash + 1 : path;

	return strcmp(name, "mono") == 0 || strcmp(name, "mono-sgen") == 0 || strcmp(name, "mono-boehm") == 0;
}

int target_mono_program(char *const *arguments)
{
	int number = 1;

	while (arguments[number] != NULL && arguments[number][0] == '-') {
		/* The only option of mono in common use whose value is a separate argument. */
		if (strcmp(arguments[number], "--config") == 0 && arguments[number + 1] != NULL)
			number++;
		number++;
	}
	return number;
}

/* Mono opens .NET programs, so they need not be executable or in PATH. */
static int find_assembly(record_target *target, const char *program)
{
	if (access(program, R_OK) != 0 || !is_assembly(program))
		return 0;
	target->kind = TARGET_ASSEMBLY;
	target->path = strdup(program);
	return target->path != NULL;
}

int target_find(record_target *target, char *const *arguments)
{
	const char *program = arguments[0];

	memset(target, 0, sizeof(*target));
	target->subject = program;
	if (find_assembly(target, program))
		return 0;
	if (strchr(program, '/') != NULL) {
		if (access(program, F_OK) != 0)
			return errno;
		if (!is_program(program))
			return EACCES;
		target->path = modules_join(program, "", "");
	} else {
		target->path = target_search_path(program);
	}
	if (target->path == NULL)
		return modules_lacked_memory() ? ENOMEM : ENOENT;
	if (is_mono(program)) {
		int number = target_mono_program(arguments);

		target->kind = TARGET_MONO;
		target->subject = arguments[number] != NULL ? arguments[number] : program;
	} else if (is_assembly(target->path)) {
		target->kind = TARGET_ASSEMBLY;
	} else if (is_binary(target->path)) {
		target->kind = TARGET_BINARY;
		program_file_read(&target->file, target->path);
	} else {
		target->kind = TARGET_SCRIPT;
	}
	return 0;
}

int target_read_interpreter(const record_target *target, char *path, size_t size)
{
	char line[256] = "";
	const char *start = line + 2;
	int fd = open(target->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t length = fd >= 0 ? read(fd, line, sizeof(line) - 1) : -1;

	if (fd >= 0)
		close(fd);
	if (length < 3 || memcmp(line, "#!", 2) != 0)
		return 0;
	start += strspn(start, " \t");
	return (size_t)snprintf(path, size, "%.*s", (int)strcspn(start, " \t\r\n"), start) < size;
}

void target_release(record_target *target)
{
	free(target->path);
	target->path = NULL;
}
