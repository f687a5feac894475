/* SPDX-License-Identifier: MIT */
/* What a program is, and whether it can be recorded. */
#include "record/target.h"

#include "common/modules.h"
#include "shared/elf_program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* The names that a program imports, exports or needs, each followed by a NUL. */
typedef struct name_list {
	char *names;
	size_t length;
} name_list;

static int gives_privileges(const char *path)
{
	struct stat file;

	if (geteuid() == 0 || stat(path, &file) != 0)
		return 0;
	if ((file.st_mode & S_ISUID) != 0 && file.st_uid != geteuid())
		return 1;
	/* Without the permission to execute, the bit stands for mandatory locks. */
	if ((file.st_mode & S_ISGID) != 0 && (file.st_mode & S_IXGRP) != 0 && file.st_gid != getegid())
		return 1;
	return getxattr(path, "security.capability", NULL, 0) > 0;
}

static void read_names(const elf_program *program, name_list *list)
{
	elf_program_names table;
	struct stat status;
	int begins_early;

	memset(list, 0, sizeof(*list));
	if (!elf_program_find_names(program, &table, &begins_early) || fstat(program->fd, &status) != 0 ||
	    table.length > (uint64_t)status.st_size)
		return;
	list->names = malloc((size_t)table.length + 1);
	if (list->names == NULL || !elf_program_read_at(program, list->names, (size_t)table.length, table.offset))
		return;
	list->names[table.length] = '\0';
	list->length = (size_t)table.length;
}

/* The first name that begins with \p start and, if \p is_whole, ends with it. */
static const char *find_name(const name_list *list, const char *start, int is_whole)
{
	const size_t length = strlen(start);

	for (size_t at = 0; at < list->length; at += strlen(list->names + at) + 1)
		if (strncmp(list->names + at, start, length) == 0 && (!is_whole || list->names[at + length] == '\0'))
			return list->names + at;
	return NULL;
}

static int has_any(const name_list *list, const char *const *names)
{
	for (; *names != NULL; names++)
		if (find_name(list, *names, 1) != NULL)
			return 1;
	return 0;
}

/* Compares the file with that of this program, which is built as the recorder. */
static void find_obstacle(program_file *file, const elf_program *program)
{
	const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	char linker[ELF_PROGRAM_NAME_SIZE] = "";
	elf_program self;

	if (fd < 0 || !elf_program_read(&self, fd))
		self.header = program->header;
	else
		(void)elf_program_linker(&self, linker);
	if (fd >= 0)
		close(fd);
	switch (elf_program_judge(program, &self.header, linker, file->detail)) {
	case ELF_PROGRAM_OTHER_MACHINE:
		file->obstacle = OBSTACLE_OTHER_MACHINE;
		break;
	case ELF_PROGRAM_OTHER_LIBRARY:
		file->obstacle = OBSTACLE_OTHER_LIBRARY;
		break;
	case ELF_PROGRAM_WITH_SANITIZER:
		file->obstacle = OBSTACLE_SANITIZER;
		break;
	case ELF_PROGRAM_ACCEPTS:
		break;
	}
	/* It has nothing that a recorder could be loaded by. */
	if (file->obstacle != OBSTACLE_OTHER_MACHINE && !elf_program_linker(program, linker))
		file->obstacle = OBSTACLE_STATIC;
}

static void examine(program_file *file, const elf_program *program)
{
	static const char *const hooks[] = {"__cyg_profile_func_enter", NULL};
	static const char *const mono[] = {"mono_jit_init", "mono_jit_init_version", "mono_main", NULL};
	static const char *const reaching[] = {"execve",       "execv",  "execvp",  "execvpe",  "execl",
					       "execlp",       "execle", "fexecve", "system",   "posix_spawn",
					       "posix_spawnp", "popen",  "dlopen",  "execveat", NULL};
	name_list names;

	read_names(program, &names);
	file->is_instrumented = has_any(&names, hooks);
	file->contains_mono = has_any(&names, mono) || find_name(&names, "libmono", 0) != NULL;
	file->can_reach_others = has_any(&names, reaching);
	free(names.names);
}

void program_file_read(program_file *file, const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	elf_program program;

	memset(file, 0, sizeof(*file));
	if (fd < 0) {
		file->can_reach_others = 1;
		return;
	}
	if (!elf_program_read(&program, fd)) {
		file->can_reach_others = 1;
	} else {
		find_obstacle(file, &program);
		if (file->obstacle != OBSTACLE_OTHER_MACHINE)
			examine(file, &program);
	}
	close(fd);
	if (file->obstacle == OBSTACLE_NONE && gives_privileges(path))
		file->obstacle = OBSTACLE_PRIVILEGES;
}

void program_file_explain(const program_file *file, const char *name)
{
	switch (file->obstacle) {
	case OBSTACLE_NONE:
		break;
	case OBSTACLE_STATIC:
		fprintf(stderr, "%s is linked statically, so it loads no recorder", name);
		break;
	case OBSTACLE_PRIVILEGES:
		fprintf(stderr,
			"%s runs with the privileges of its file (set-user-ID, set-group-ID or capabilities), so the "
			"system loads no recorder into it; run mprof with these privileges",
			name);
		break;
	case OBSTACLE_OTHER_MACHINE:
		fprintf(stderr,
			"%s contains code for another processor or word size than mprof, so it cannot load the "
			"recorder",
			name);
		break;
	case OBSTACLE_OTHER_LIBRARY:
		fprintf(stderr,
			"%s uses another C library than mprof (%s%s), so it cannot load the recorder; build libmprof "
			"for that library",
			name, file->detail, strstr(file->detail, "musl") != NULL ? ", of musl" : "");
		break;
	case OBSTACLE_SANITIZER:
		fprintf(stderr,
			"%s is built with a sanitizer (%s), which refuses to share the program with the recorder; "
			"record "
			"a build without it",
			name, file->detail);
		break;
	}
}

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
