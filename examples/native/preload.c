/* SPDX-License-Identifier: MIT */
/*
 * Finds the program that a call executes, as the system will, and copies environments. Little stack is used, and memory
 * is never allocated.
 */
#include "preload.h"

#include "shared/elf_program.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VARIABLE "LD_PRELOAD="
#define VARIABLE_LENGTH (sizeof(VARIABLE) - 1)
#define MODULE_START "libmprof-"

/* The longest path of a program that is searched for. */
#define PATH_SIZE 1024

/* Of this program; set before main(). */
static char own_linker[ELF_PROGRAM_NAME_SIZE];
static ElfW(Ehdr) own_header;

__attribute__((constructor)) static void note_own_format(void)
{
	elf_program program;
	const int saved = errno;
	const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	Dl_info module;

	if (fd >= 0 && elf_program_read(&program, fd))
		(void)elf_program_linker(&program, own_linker);
	if (fd >= 0)
		close(fd);
	if (dladdr(&own_header, &module) != 0)
		memcpy(&own_header, module.dli_fbase, sizeof(own_header));
	errno = saved;
}

int preload_is_refused(int fd)
{
	const int saved = errno;
	char detail[ELF_PROGRAM_NAME_SIZE];
	elf_program program;
	const int is_refused = elf_program_read(&program, fd) &&
			       elf_program_judge(&program, &own_header, own_linker, detail) != ELF_PROGRAM_ACCEPTS;

	errno = saved;
	return is_refused;
}

/* Opens a program; -1 if it is no file that can be executed. Nothing else is opened, as that might have effects. */
static int open_program(int directory, const char *path)
{
	struct stat status;

	if (fstatat(directory, path, &status, 0) != 0 || !S_ISREG(status.st_mode) ||
	    faccessat(directory, path, X_OK, AT_EACCESS) != 0)
		return -1;
	return openat(directory, path, O_RDONLY | O_CLOEXEC);
}

/* Opens what execvp() would execute; -1 if nothing is found. */
static int open_in_path(const char *name)
{
	const char *directory = getenv("PATH");
	const size_t length = strlen(name);
	int fd = -1;

	directory = directory != NULL ? directory : "/bin:/usr/bin";
	while (fd < 0) {
		const size_t size = strcspn(directory, ":");
		char path[PATH_SIZE];

		if (size + length + 2 <= sizeof(path)) {
			memcpy(path, directory, size);
			path[size] = '/';
			memcpy(path + size + (size != 0), name, length + 1);
			fd = open_program(AT_FDCWD, path);
		}
		if (directory[size] == '\0')
			break;
		directory += size + 1;
	}
	return fd;
}

/* Closes the program. */
static int is_refused_and_close(int fd)
{
	const int is_refused = fd >= 0 && preload_is_refused(fd);

	if (fd >= 0)
		close(fd);
	return is_refused;
}

int preload_is_refused_at(int directory, const char *path)
{
	const int saved = errno;
	const int is_refused = is_refused_and_close(open_program(directory, path));

	errno = saved;
	return is_refused;
}

int preload_is_refused_by_name(const char *name)
{
	const int saved = errno;
	const int is_refused =
		is_refused_and_close(strchr(name, '/') == NULL ? open_in_path(name) : open_program(AT_FDCWD, name));

	errno = saved;
	return is_refused;
}

static int is_preload(const char *variable)
{
	return strncmp(variable, VARIABLE, VARIABLE_LENGTH) == 0;
}

size_t preload_removed_size(char *const *variables)
{
	size_t size = sizeof(*variables);

	for (; variables != NULL && *variables != NULL; variables++)
		size += sizeof(*variables) + (is_preload(*variables) ? strlen(*variables) + 1 : 0);
	return size;
}

static int is_module(const char *path, size_t length)
{
	size_t start = length;

	while (start > 0 && path[start - 1] != '/')
		start--;
	return length - start > sizeof(MODULE_START) - 1 &&
	       memcmp(path + start, MODULE_START, sizeof(MODULE_START) - 1) == 0;
}

/* Copies the variable without modules. Returns the end of the copy, or NULL if nothing would be loaded. */
static char *copy_without_modules(char *copy, const char *variable)
{
	const char *from = variable + VARIABLE_LENGTH;
	char *end = copy + VARIABLE_LENGTH;

	memcpy(copy, VARIABLE, VARIABLE_LENGTH);
	while (*from != '\0') {
		const size_t length = strcspn(from, " :");

		if (length > 0 && !is_module(from, length)) {
			if (end > copy + VARIABLE_LENGTH)
				*end++ = ':';
			memcpy(end, from, length);
			end += length;
		}
		from += length + (from[length] != '\0');
	}
	*end = '\0';
	return end > copy + VARIABLE_LENGTH ? end + 1 : NULL;
}

char *const *preload_remove(char *const *variables, void *memory)
{
	char **copy = memory;
	size_t count = 0;
	char *text;

	while (variables != NULL && variables[count] != NULL)
		count++;
	text = (char *)(copy + count + 1);
	count = 0;
	for (; variables != NULL && *variables != NULL; variables++) {
		if (is_preload(*variables)) {
			char *end = copy_without_modules(text, *variables);

			if (end != NULL) {
				copy[count++] = text;
				text = end;
			}
		} else {
			copy[count++] = *variables;
		}
	}
	copy[count] = NULL;
	return copy;
}
