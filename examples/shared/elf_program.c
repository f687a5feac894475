/* SPDX-License-Identifier: MIT */
/* Reads the file of a program. */
#include "shared/elf_program.h"

#include <elf.h>
#include <string.h>
#include <unistd.h>

/* Programs have about a dozen segments, and a few dozen dynamic entries. */
#define MAX_SEGMENTS 128
#define MAX_DYNAMIC_ENTRIES 4096

/* Read at once from a table of names. Longer than any name that is searched. */
#define PIECE_SIZE 1024

/*
 * The libraries of sanitizers refuse to run unless they are loaded first; those that are linked statically replace
 * memcpy() and others for the recorder as well, and take its copies of stacks for faults of the program.
 */
static const char *const sanitizer_libraries[] = {
	"libasan.so",       "libtsan.so",       "liblsan.so",         "libhwasan.so",
	"libclang_rt.asan", "libclang_rt.tsan", "libclang_rt.hwasan", NULL,
};
static const char *const sanitizer_functions[] = {"__asan_init", "__tsan_init", "__msan_init", "__hwasan_init", NULL};

int elf_program_read_at(const elf_program *program, void *bytes, size_t length, uint64_t offset)
{
	return offset <= INT64_MAX && pread(program->fd, bytes, length, (off_t)offset) == (ssize_t)length;
}

int elf_program_read(elf_program *program, int fd)
{
	program->fd = fd;
	return elf_program_read_at(program, &program->header, sizeof(program->header), 0) &&
	       memcmp(program->header.e_ident, ELFMAG, SELFMAG) == 0;
}

static int read_segment(const elf_program *program, size_t index, ElfW(Phdr) * segment)
{
	return program->header.e_phentsize == sizeof(*segment) && index < program->header.e_phnum &&
	       index < MAX_SEGMENTS &&
	       elf_program_read_at(program, segment, sizeof(*segment),
				   program->header.e_phoff + index * sizeof(*segment));
}

int elf_program_find_segment(const elf_program *program, uint32_t type, ElfW(Phdr) * segment)
{
	for (size_t i = 0; read_segment(program, i, segment); i++)
		if (segment->p_type == type)
			return 1;
	return 0;
}

/* The offset in the file of an address; UINT64_MAX if the file does not contain it. */
static uint64_t offset_of(const elf_program *program, uint64_t address)
{
	ElfW(Phdr) segment;

	for (size_t i = 0; read_segment(program, i, &segment); i++)
		if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
		    address - segment.p_vaddr < segment.p_filesz)
			return segment.p_offset + (address - segment.p_vaddr);
	return UINT64_MAX;
}

int elf_program_find_names(const elf_program *program, elf_program_names *names, int *begins_early)
{
	ElfW(Phdr) dynamic;
	ElfW(Dyn) entry;
	uint64_t address = 0;

	memset(names, 0, sizeof(*names));
	*begins_early = 0;
	if (!elf_program_find_segment(program, PT_DYNAMIC, &dynamic))
		return 0;
	for (size_t i = 0; i < MAX_DYNAMIC_ENTRIES && (i + 1) * sizeof(entry) <= dynamic.p_filesz; i++) {
		if (!elf_program_read_at(program, &entry, sizeof(entry), dynamic.p_offset + i * sizeof(entry)) ||
		    entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag == DT_STRTAB)
			address = entry.d_un.d_ptr;
		else if (entry.d_tag == DT_STRSZ)
			names->length = entry.d_un.d_val;
		*begins_early |= entry.d_tag == DT_PREINIT_ARRAY;
	}
	names->offset = offset_of(program, address);
	return names->length != 0 && names->offset != UINT64_MAX;
}

static void copy_name(char copy[ELF_PROGRAM_NAME_SIZE], const char *name)
{
	const size_t length = strnlen(name, ELF_PROGRAM_NAME_SIZE - 1);

	memcpy(copy, name, length);
	copy[length] = '\0';
}

static int begins_with_any(const char *name, const char *const *starts)
{
	for (; *starts != NULL; starts++)
		if (strncmp(name, *starts, strlen(*starts)) == 0)
			return 1;
	return 0;
}

/* Finds the first name in a table that begins as one of a list. Each name ends with a NUL. */
static int find_name(const elf_program *program, const elf_program_names *table, const char *const *starts,
		     char found[ELF_PROGRAM_NAME_SIZE])
{
	char piece[PIECE_SIZE + 1];
	uint64_t at = 0;

	while (at < table->length) {
		const size_t wanted = table->length - at < PIECE_SIZE ? (size_t)(table->length - at) : PIECE_SIZE;
		const char *last = piece;

		if (!elf_program_read_at(program, piece, wanted, table->offset + at))
			return 0;
		piece[wanted] = '\0';
		for (const char *name = piece; name < piece + wanted; name += strlen(name) + 1) {
			last = name;
			if (!begins_with_any(name, starts))
				continue;
			copy_name(found, name);
			return 1;
		}
		/* The last one is read again, as it may be incomplete, unless nothing else was read. */
		at += wanted == PIECE_SIZE && last > piece ? (size_t)(last - piece) : wanted;
	}
	return 0;
}

/* The names of symbols that the program keeps to itself. The header cannot state 65280 sections or more. */
static int find_symbol_names(const elf_program *program, elf_program_names *table)
{
	ElfW(Shdr) section, names;

	for (size_t i = 0; program->header.e_shentsize == sizeof(section) && i < program->header.e_shnum; i++) {
		if (!elf_program_read_at(program, &section, sizeof(section),
					 program->header.e_shoff + i * sizeof(section)))
			return 0;
		if (section.sh_type != SHT_SYMTAB || section.sh_link >= program->header.e_shnum ||
		    !elf_program_read_at(program, &names, sizeof(names),
					 program->header.e_shoff + section.sh_link * sizeof(names)))
			continue;
		table->offset = names.sh_offset;
		table->length = names.sh_size;
		return 1;
	}
	return 0;
}

static int find_sanitizer(const elf_program *program, char found[ELF_PROGRAM_NAME_SIZE])
{
	elf_program_names table;
	int begins_early;

	if (elf_program_find_names(program, &table, &begins_early) &&
	    (find_name(program, &table, sanitizer_libraries, found) ||
	     find_name(program, &table, sanitizer_functions, found)))
		return 1;
	/*
	 * Some compilers do not export the functions. Sanitizers that are linked statically run before all libraries,
	 * which hardly any other program does.
	 */
	return begins_early && find_symbol_names(program, &table) &&
	       find_name(program, &table, sanitizer_functions, found);
}

int elf_program_linker(const elf_program *program, char name[ELF_PROGRAM_NAME_SIZE])
{
	char path[4 * ELF_PROGRAM_NAME_SIZE] = "";
	const char *slash;
	ElfW(Phdr) segment;

	if (!elf_program_find_segment(program, PT_INTERP, &segment))
		return 0;
	if (segment.p_filesz < sizeof(path))
		(void)elf_program_read_at(program, path, (size_t)segment.p_filesz, segment.p_offset);
	slash = strrchr(path, '/');
	copy_name(name, slash != NULL ? slash + 1 : path);
	return 1;
}

elf_program_obstacle elf_program_judge(const elf_program *program, const ElfW(Ehdr) * own, const char *own_linker,
				       char detail[ELF_PROGRAM_NAME_SIZE])
{
	detail[0] = '\0';
	if (program->header.e_ident[EI_CLASS] != own->e_ident[EI_CLASS] ||
	    program->header.e_ident[EI_DATA] != own->e_ident[EI_DATA] || program->header.e_machine != own->e_machine)
		return ELF_PROGRAM_OTHER_MACHINE;
	if (elf_program_linker(program, detail) && own_linker[0] != '\0' && strcmp(detail, own_linker) != 0)
		return ELF_PROGRAM_OTHER_LIBRARY;
	return find_sanitizer(program, detail) ? ELF_PROGRAM_WITH_SANITIZER : ELF_PROGRAM_ACCEPTS;
}
