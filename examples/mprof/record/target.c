/* SPDX-License-Identifier: MIT */
/* What a program is, and whether it can be recorded. */
#include "record/target.h"

#include "common/modules.h"
#include "shared/sanitizers.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Programs have about a dozen program headers. */
#define MAX_HEADERS 128

/* Programs have a few dozen entries. */
#define MAX_DYNAMIC_ENTRIES 4096

typedef struct open_program {
	int fd;
	uint64_t size;
	ElfW(Ehdr) header;
	ElfW(Phdr) segments[MAX_HEADERS];
	size_t segment_count;
} open_program;

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

static int read_at(const open_program *program, void *bytes, size_t length, uint64_t offset)
{
	return offset <= program->size && length <= program->size - offset &&
	       pread(program->fd, bytes, length, (off_t)offset) == (ssize_t)length;
}

static const ElfW(Phdr) * find_segment(const open_program *program, uint32_t type)
{
	for (size_t i = 0; i < program->segment_count; i++)
		if (program->segments[i].p_type == type)
			return &program->segments[i];
	return NULL;
}

/* Whether the file has the format of this program's own file. */
static int has_own_format(const open_program *program)
{
	const unsigned char word_size = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
	open_program self = {.fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), .size = sizeof(self.header)};
	int is_same =
		program->header.e_ident[EI_CLASS] == word_size && program->header.e_phentsize == sizeof(ElfW(Phdr));

	if (self.fd < 0)
		return is_same;
	if (read_at(&self, &self.header, sizeof(self.header), 0))
		is_same = is_same && program->header.e_machine == self.header.e_machine &&
			  program->header.e_ident[EI_DATA] == self.header.e_ident[EI_DATA];
	close(self.fd);
	return is_same;
}

static void read_segments(open_program *program)
{
	size_t count = program->header.e_phnum < MAX_HEADERS ? program->header.e_phnum : MAX_HEADERS;

	program->segment_count = 0;
	if (read_at(program, program->segments, count * sizeof(program->segments[0]), program->header.e_phoff))
		program->segment_count = count;
}

/* The offset in the file of an address; UINT64_MAX if the file does not contain it. */
static uint64_t offset_of(const open_program *program, uint64_t address)
{
	for (size_t i = 0; i < program->segment_count; i++) {
		const ElfW(Phdr) *segment = &program->segments[i];

		if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
		    address - segment->p_vaddr < segment->p_filesz)
			return segment->p_offset + (address - segment->p_vaddr);
	}
	return UINT64_MAX;
}

static void read_names(const open_program *program, name_list *list)
{
	const ElfW(Phdr) *dynamic = find_segment(program, PT_DYNAMIC);
	uint64_t address = 0;
	uint64_t length = 0;
	ElfW(Dyn) entry;

	memset(list, 0, sizeof(*list));
	for (size_t i = 0; dynamic != NULL && i < MAX_DYNAMIC_ENTRIES; i++) {
		if (!read_at(program, &entry, sizeof(entry), dynamic->p_offset + i * sizeof(entry)) ||
		    entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag == DT_STRTAB)
			address = entry.d_un.d_ptr;
		else if (entry.d_tag == DT_STRSZ)
			length = entry.d_un.d_val;
	}
	if (length == 0 || length > program->size)
		return;
	list->names = malloc((size_t)length + 1);
	if (list->names == NULL || !read_at(program, list->names, (size_t)length, offset_of(program, address)))
		return;
	list->names[length] = '\0';
	list->length = (size_t)length;
}

/*
 * The names of all symbols, also of those that the program keeps to itself. Empty if it is stripped, or has 65280
 * sections or more, which the header cannot state.
 */
static void read_symbol_names(const open_program *program, name_list *list)
{
	ElfW(Shdr) section, names;

	memset(list, 0, sizeof(*list));
	if (program->header.e_shentsize != sizeof(section))
		return;
	for (size_t i = 0; i < program->header.e_shnum; i++) {
		if (!read_at(program, &section, sizeof(section), program->header.e_shoff + i * sizeof(section)))
			return;
		if (section.sh_type != SHT_SYMTAB || section.sh_link >= program->header.e_shnum ||
		    !read_at(program, &names, sizeof(names),
			     program->header.e_shoff + section.sh_link * sizeof(names)) ||
		    names.sh_size > program->size)
			continue;
		list->names = malloc((size_t)names.sh_size + 1);
		if (list->names == NULL || !read_at(program, list->names, (size_t)names.sh_size, names.sh_offset))
			return;
		list->names[names.sh_size] = '\0';
		list->length = (size_t)names.sh_size;
		return;
	}
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

static const char *find_sanitizer(const open_program *program, const name_list *list)
{
	const char *found = NULL;
	name_list symbols;

	for (size_t i = 0; sanitizer_libraries[i] != NULL && found == NULL; i++)
		found = find_name(list, sanitizer_libraries[i], 0);
	if (found != NULL)
		return found;
	/* Some compilers export the functions, others keep them in the program. */
	read_symbol_names(program, &symbols);
	for (size_t i = 0; sanitizer_functions[i] != NULL && found == NULL; i++) {
		const char *function = sanitizer_functions[i];

		if (find_name(list, function, 0) != NULL || find_name(&symbols, function, 1) != NULL)
			found = function;
	}
	free(symbols.names);
	return found;
}

static void set_detail(program_file *file, const char *text)
{
	snprintf(file->detail, sizeof(file->detail), "%s", text);
}

/* Reads the file name of the dynamic linker. Returns 0 if there is none. */
static int read_linker(const open_program *program, char name[64])
{
	const ElfW(Phdr) *segment = find_segment(program, PT_INTERP);
	char path[256] = "";
	const char *slash;

	if (segment == NULL)
		return 0;
	if (segment->p_filesz < sizeof(path))
		(void)read_at(program, path, (size_t)segment->p_filesz, segment->p_offset);
	slash = strrchr(path, '/');
	snprintf(name, 64, "%.63s", slash != NULL ? slash + 1 : path);
	return 1;
}

static void find_obstacle(program_file *file, const open_program *program, const name_list *names)
{
	const char *sanitizer = find_sanitizer(program, names);
	open_program self = {.fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC)};
	struct stat status;
	char linker[64];
	char linker_of_tool[64] = "";

	if (self.fd >= 0) {
		self.size = fstat(self.fd, &status) == 0 ? (uint64_t)status.st_size : 0;
		if (read_at(&self, &self.header, sizeof(self.header), 0))
			read_segments(&self);
		(void)read_linker(&self, linker_of_tool);
		close(self.fd);
	}
	if (!read_linker(program, linker)) {
		file->obstacle = OBSTACLE_STATIC;
	} else if (linker_of_tool[0] != '\0' && strcmp(linker, linker_of_tool) != 0) {
		/* Each C library has a dynamic linker with a name of its own. */
		file->obstacle = OBSTACLE_OTHER_LIBRARY;
		set_detail(file, linker);
	} else if (sanitizer != NULL) {
		file->obstacle = OBSTACLE_SANITIZER;
		set_detail(file, sanitizer);
	}
}

static void examine(program_file *file, open_program *program)
{
	static const char *const hooks[] = {"__cyg_profile_func_enter", NULL};
	static const char *const mono[] = {"mono_jit_init", "mono_jit_init_version", "mono_main", NULL};
	static const char *const reaching[] = {"execve",       "execv",  "execvp",  "execvpe",  "execl",
					       "execlp",       "execle", "fexecve", "system",   "posix_spawn",
					       "posix_spawnp", "popen",  "dlopen",  "execveat", NULL};
	name_list names;

	read_segments(program);
	read_names(program, &names);
	file->is_instrumented = has_any(&names, hooks);
	file->contains_mono = has_any(&names, mono) || find_name(&names, "libmono", 0) != NULL;
	file->can_reach_others = has_any(&names, reaching);
	find_obstacle(file, program, &names);
	free(names.names);
}

void program_file_read(program_file *file, const char *path)
{
	open_program program = {.fd = open(path, O_RDONLY | O_CLOEXEC)};
	struct stat status;

	memset(file, 0, sizeof(*file));
	if (program.fd < 0) {
		file->can_reach_others = 1;
		return;
	}
	program.size = fstat(program.fd, &status) == 0 ? (uint64_t)status.st_size : 0;
	if (!read_at(&program, &program.header, sizeof(program.header), 0) ||
	    memcmp(program.header.e_ident, ELFMAG, SELFMAG) != 0)
		file->can_reach_others = 1;
	else if (!has_own_format(&program))
		file->obstacle = OBSTACLE_OTHER_MACHINE;
	else
		examine(file, &program);
	close(program.fd);
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
