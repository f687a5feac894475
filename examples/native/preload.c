/* SPDX-License-Identifier: MIT */
/*
 * Finds out whether a program can load this module. mprof record does the same, more thoroughly, for the program that
 * it starts (record/target.c). Here little stack is used, and memory is never allocated.
 */
#include "preload.h"

#include "shared/sanitizers.h"

#include <alloca.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VARIABLE "LD_PRELOAD="
#define VARIABLE_LENGTH (sizeof(VARIABLE) - 1)
#define MODULE_START "libmprof-"

#define LINKER_SIZE 64
#define MAX_SEGMENTS 128
#define MAX_DYNAMIC_ENTRIES 4096

/* Read at once from a table of names. Longer than any name that is searched. */
#define NAMES_SIZE 1024

/* Of this program; set before main(). */
static char own_linker[LINKER_SIZE];
static ElfW(Ehdr) own_header;

static void copy_base_name(char name[LINKER_SIZE], const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash != NULL ? slash + 1 : path;
	const size_t length = strnlen(base, LINKER_SIZE - 1);

	memcpy(name, base, length);
	name[length] = '\0';
}

/* The first object is the program. */
static int note_program(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	for (ElfW(Half) i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_INTERP)
			copy_base_name(own_linker,
				       (const char *)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr); // NOLINT
	return 1;
}

__attribute__((constructor)) static void note_own_format(void)
{
	Dl_info module;

	(void)dl_iterate_phdr(note_program, NULL);
	if (dladdr(&own_header, &module) != 0)
		memcpy(&own_header, module.dli_fbase, sizeof(own_header));
}

typedef struct program_header {
	int fd;
	ElfW(Ehdr) elf;
} program_header;

static int read_at(const program_header *program, void *bytes, size_t length, uint64_t offset)
{
	return offset <= INT64_MAX && pread(program->fd, bytes, length, (off_t)offset) == (ssize_t)length;
}

static int read_segment(const program_header *program, size_t index, ElfW(Phdr) * segment)
{
	return index < program->elf.e_phnum && index < MAX_SEGMENTS &&
	       read_at(program, segment, sizeof(*segment), program->elf.e_phoff + index * sizeof(*segment));
}

static int find_segment(const program_header *program, uint32_t type, ElfW(Phdr) * segment)
{
	for (size_t i = 0; read_segment(program, i, segment); i++)
		if (segment->p_type == type)
			return 1;
	return 0;
}

/* The offset in the file of an address; UINT64_MAX if the file does not contain it. */
static uint64_t offset_of(const program_header *program, uint64_t address)
{
	ElfW(Phdr) segment;

	for (size_t i = 0; read_segment(program, i, &segment); i++)
		if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
		    address - segment.p_vaddr < segment.p_filesz)
			return segment.p_offset + (address - segment.p_vaddr);
	return UINT64_MAX;
}

static int has_prefix(const char *name, const char *const *prefixes)
{
	for (; *prefixes != NULL; prefixes++)
		if (strncmp(name, *prefixes, strlen(*prefixes)) == 0)
			return 1;
	return 0;
}

/* Whether a table of names, of which each ends with a NUL, has one of a sanitizer. */
static int names_sanitizer(const program_header *program, uint64_t offset, uint64_t length)
{
	char names[NAMES_SIZE + 1];
	uint64_t at = 0;

	while (at < length) {
		const size_t wanted = length - at < NAMES_SIZE ? (size_t)(length - at) : NAMES_SIZE;
		const char *last = names;

		if (!read_at(program, names, wanted, offset + at))
			return 0;
		names[wanted] = '\0';
		for (const char *name = names; name < names + wanted; name += strlen(name) + 1) {
			if (has_prefix(name, sanitizer_libraries) || has_prefix(name, sanitizer_functions))
				return 1;
			last = name;
		}
		/* The last one is read again, as it may be incomplete, unless nothing else was read. */
		at += wanted == NAMES_SIZE && last > names ? (size_t)(last - names) : wanted;
	}
	return 0;
}

/* Names of symbols that the program keeps to itself. Without 65280 sections or more, which the header cannot state. */
static int has_hidden_sanitizer(const program_header *program)
{
	ElfW(Shdr) section, names;

	for (size_t i = 0; program->elf.e_shentsize == sizeof(section) && i < program->elf.e_shnum; i++) {
		if (!read_at(program, &section, sizeof(section), program->elf.e_shoff + i * sizeof(section)))
			return 0;
		if (section.sh_type == SHT_SYMTAB && section.sh_link < program->elf.e_shnum &&
		    read_at(program, &names, sizeof(names), program->elf.e_shoff + section.sh_link * sizeof(names)))
			return names_sanitizer(program, names.sh_offset, names.sh_size);
	}
	return 0;
}

static int contains_sanitizer(const program_header *program)
{
	ElfW(Phdr) dynamic;
	ElfW(Dyn) entry;
	uint64_t address = 0;
	uint64_t length = 0;
	int begins_early = 0;

	if (!find_segment(program, PT_DYNAMIC, &dynamic))
		return 0;
	for (size_t i = 0; i < MAX_DYNAMIC_ENTRIES && (i + 1) * sizeof(entry) <= dynamic.p_filesz; i++) {
		if (!read_at(program, &entry, sizeof(entry), dynamic.p_offset + i * sizeof(entry)) ||
		    entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag == DT_STRTAB)
			address = entry.d_un.d_ptr;
		else if (entry.d_tag == DT_STRSZ)
			length = entry.d_un.d_val;
		begins_early |= entry.d_tag == DT_PREINIT_ARRAY;
	}
	if (length != 0 && names_sanitizer(program, offset_of(program, address), length))
		return 1;
	/* Sanitizers that are linked statically run before all libraries, as hardly any other program does. */
	return begins_early && has_hidden_sanitizer(program);
}

/* Whether the program has a dynamic linker, and one of another name, as each C library has. */
static int has_other_linker(const program_header *program)
{
	char path[4 * LINKER_SIZE] = "";
	char name[LINKER_SIZE];
	ElfW(Phdr) segment;

	if (!find_segment(program, PT_INTERP, &segment) || segment.p_filesz >= sizeof(path) ||
	    !read_at(program, path, (size_t)segment.p_filesz, segment.p_offset))
		return 0;
	copy_base_name(name, path);
	return own_linker[0] != '\0' && strcmp(name, own_linker) != 0;
}

int preload_is_refused(int fd)
{
	const int saved = errno;
	program_header program = {.fd = fd};
	int is_refused = 0;

	if (read_at(&program, &program.elf, sizeof(program.elf), 0) &&
	    memcmp(program.elf.e_ident, ELFMAG, SELFMAG) == 0) {
		if (program.elf.e_ident[EI_CLASS] != own_header.e_ident[EI_CLASS] ||
		    program.elf.e_machine != own_header.e_machine)
			is_refused = 1;
		else if (program.elf.e_phentsize == sizeof(ElfW(Phdr)))
			is_refused = has_other_linker(&program) || contains_sanitizer(&program);
	}
	errno = saved;
	return is_refused;
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
		struct stat status;
		char path[NAMES_SIZE];

		if (size + length + 2 <= sizeof(path)) {
			memcpy(path, directory, size);
			path[size] = '/';
			memcpy(path + size + (size != 0), name, length + 1);
			if (stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0)
				fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		}
		if (directory[size] == '\0')
			break;
		directory += size + 1;
	}
	return fd;
}

int preload_is_refused_by(const char *name, int searches_path)
{
	const int saved = errno;
	const int fd = searches_path && strchr(name, '/') == NULL ? open_in_path(name)
								  : open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const int is_refused = fd >= 0 && preload_is_refused(fd);

	if (fd >= 0)
		close(fd);
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
