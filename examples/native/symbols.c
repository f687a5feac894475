/* SPDX-License-Identifier: MIT */
/*
 * Reads the symbol tables of ELF files.
 *
 * The files are read, not mapped: if one is truncated meanwhile, reading fails instead of raising SIGBUS.
 */
#include "symbols.h"

#include "own_memory.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FUNCTION_TYPE(info) ((info)&0xf)

/* Larger than the sum of all below. */
#define RANK_WITHOUT_SIZE 128
#define RANK_GENERATED 64
#define RANK_UNDERSCORE 8
#define RANK_UNDERSCORES_MAX 4

/* More than any linker creates. */
#define MAX_SEGMENTS 256
#define MAX_NOTES 16384
#define TABLE_MAX ((uint64_t)1 << 30)

/* Looks for a build ID in notes, which are aligned to 4 bytes, or to 8. */
static int find_build_id(const unsigned char *notes, size_t length, size_t alignment, file_identity *identity)
{
	const size_t step = alignment == 8 ? 8 : 4;
	ElfW(Nhdr) header;
	size_t at = 0;

	while (length - at >= sizeof(header)) {
		size_t contents;

		memcpy(&header, notes + at, sizeof(header));
		contents = at + sizeof(header) + ((size_t)header.n_namesz + step - 1) / step * step;
		if (contents > length || header.n_descsz > length - contents)
			return 0;
		if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 &&
		    memcmp(notes + at + sizeof(header), "GNU", 4) == 0 && header.n_descsz <= BUILD_ID_SIZE) {
			memcpy(identity->build_id, notes + contents, header.n_descsz);
			identity->build_id_length = header.n_descsz;
			return 1;
		}
		at = contents + ((size_t)header.n_descsz + step - 1) / step * step;
		if (at > length)
			return 0;
	}
	return 0;
}

static void copy_status(file_identity *identity, const struct stat *status)
{
	identity->device = status->st_dev;
	identity->inode = status->st_ino;
	identity->size = status->st_size;
	identity->changed = status->st_mtim.tv_sec;
	identity->changed_ns = status->st_mtim.tv_nsec;
}

/* Whether a part of the module is in a readable segment of it. */
static int is_readable(const struct dl_phdr_info *info, const ElfW(Phdr) * part)
{
	for (ElfW(Half) i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD && (segment->p_flags & PF_R) != 0 && part->p_vaddr >= segment->p_vaddr &&
		    part->p_memsz <= segment->p_memsz &&
		    part->p_vaddr - segment->p_vaddr <= segment->p_memsz - part->p_memsz)
			return 1;
	}
	return 0;
}

void symbols_identify(const struct dl_phdr_info *info, const char *path, file_identity *identity)
{
	struct stat status;

	memset(identity, 0, sizeof(*identity));
	for (ElfW(Half) i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *notes = &info->dlpi_phdr[i];
		const uintptr_t address = info->dlpi_addr + notes->p_vaddr;

		if (notes->p_type == PT_NOTE && is_readable(info, notes) &&
		    // NOLINTNEXTLINE(performance-no-int-to-ptr)
		    find_build_id((const unsigned char *)address, notes->p_memsz, notes->p_align, identity))
			return;
	}
	if (stat(path, &status) == 0)
		copy_status(identity, &status);
}

int symbols_is_same_file(const file_identity *a, const file_identity *b)
{
	if (a->build_id_length != 0 || b->build_id_length != 0)
		return a->build_id_length == b->build_id_length &&
		       memcmp(a->build_id, b->build_id, a->build_id_length) == 0;
	return a->device == b->device && a->inode == b->inode && a->size == b->size && a->changed == b->changed &&
	       a->changed_ns == b->changed_ns;
}

static int read_bytes(int fd, uint64_t offset, void *into, size_t length)
{
	unsigned char *at = into;

	while (length > 0) {
		ssize_t got = pread(fd, at, length, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return 0;
		at += got;
		offset += (uint64_t)got;
		length -= (size_t)got;
	}
	return 1;
}

/* Reads a part of a file. The caller frees it; NULL if the file does not have it, or out of memory. */
static void *read_part(int fd, uint64_t offset, uint64_t size)
{
	struct stat status;
	void *part;

	if (fstat(fd, &status) != 0 || size == 0 || size > TABLE_MAX || offset > (uint64_t)status.st_size ||
	    size > (uint64_t)status.st_size - offset)
		return NULL;
	part = own_memory_take(size);
	if (part != NULL && read_bytes(fd, offset, part, size))
		return part;
	own_memory_give(part);
	return NULL;
}

/* Whether the open file is the one that was identified. */
static int is_identified(int fd, const ElfW(Ehdr) * header, const file_identity *identity)
{
	file_identity found;
	struct stat status;
	ElfW(Phdr) * segments;

	memset(&found, 0, sizeof(found));
	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
		return 0;
	copy_status(&found, &status);
	if (header->e_phnum > MAX_SEGMENTS || header->e_phentsize != sizeof(*segments))
		return 0;
	segments = read_part(fd, header->e_phoff, header->e_phnum * sizeof(*segments));
	for (ElfW(Half) i = 0; segments != NULL && found.build_id_length == 0 && i < header->e_phnum; i++) {
		void *notes = segments[i].p_type == PT_NOTE && segments[i].p_filesz <= MAX_NOTES
				      ? read_part(fd, segments[i].p_offset, segments[i].p_filesz)
				      : NULL;

		if (notes != NULL)
			(void)find_build_id(notes, segments[i].p_filesz, segments[i].p_align, &found);
		own_memory_give(notes);
	}
	own_memory_give(segments);
	return symbols_is_same_file(&found, identity);
}

/*
 * The lower, the more likely is a name the one in the source code: lib/recorder/elf_symbols.c has the same order, so
 * that samples and calls have the same names.
 */
static unsigned name_rank(const char *name, const ElfW(Sym) * symbol)
{
	const unsigned binding = symbol->st_info >> 4;
	const unsigned underscores = (unsigned)strspn(name, "_");
	unsigned rank = binding == STB_GLOBAL ? 0 : binding == STB_WEAK ? 1 : 2;

	if (name[0] == '.' || name[0] == '$' || (binding == STB_LOCAL && strchr(name, '.') != NULL))
		rank += RANK_GENERATED;
	if (symbol->st_size == 0)
		rank += RANK_WITHOUT_SIZE;
	return rank + RANK_UNDERSCORE * (underscores < RANK_UNDERSCORES_MAX ? underscores : RANK_UNDERSCORES_MAX);
}

/* Of functions with one address, the one with the best name is the last. */
static int is_before(const function_symbol *a, const function_symbol *b)
{
	if (a->start != b->start)
		return a->start < b->start;
	return a->rank != b->rank ? a->rank > b->rank : a->name > b->name;
}

/* Moves an element down in a heap whose parents start at higher addresses than their children. */
static void sift_down(function_symbol *functions, size_t index, size_t count)
{
	const function_symbol moved = functions[index];

	for (size_t child = 2 * index + 1; child < count; child = 2 * index + 1) {
		child += child + 1 < count && is_before(&functions[child], &functions[child + 1]);
		if (!is_before(&moved, &functions[child]))
			break;
		functions[index] = functions[child];
		index = child;
	}
	functions[index] = moved;
}

/* Sorts by address. qsort() allocates memory by malloc(). */
static void sort_functions(function_symbol *functions, size_t count)
{
	for (size_t i = count / 2; i-- > 0;)
		sift_down(functions, i, count);
	for (size_t left = count; left > 1; left--) {
		const function_symbol last = functions[left - 1];

		functions[left - 1] = functions[0];
		functions[0] = last;
		sift_down(functions, 0, left - 1);
	}
}

/* Keeps the functions of the symbols. */
static void keep_functions(symbol_table *table, const ElfW(Sym) * symbols, size_t count, size_t names_size)
{
	size_t functions = 0;

	for (size_t i = 0; i < count; i++)
		functions += FUNCTION_TYPE(symbols[i].st_info) == STT_FUNC;
	table->functions = own_memory_take((functions > 0 ? functions : 1) * sizeof(*table->functions));
	for (size_t i = 0; table->functions != NULL && i < count; i++) {
		if (FUNCTION_TYPE(symbols[i].st_info) != STT_FUNC || symbols[i].st_shndx == SHN_UNDEF ||
		    symbols[i].st_name >= names_size)
			continue;
		table->functions[table->count++] =
			(function_symbol){symbols[i].st_value, symbols[i].st_size, symbols[i].st_name,
					  name_rank(table->names + symbols[i].st_name, &symbols[i])};
	}
	sort_functions(table->functions, table->count);
}

/* Reads the full symbol table if there is one, else that of exported symbols. */
static void read_tables(symbol_table *table, int fd, const ElfW(Ehdr) * header)
{
	ElfW(Shdr) *sections = header->e_shentsize == sizeof(*sections)
				       ? read_part(fd, header->e_shoff, (uint64_t)header->e_shnum * sizeof(*sections))
				       : NULL;
	const ElfW(Shdr) *chosen = NULL;
	const ElfW(Shdr) *names = NULL;
	ElfW(Sym) *symbols = NULL;

	for (ElfW(Half) i = 0; sections != NULL && i < header->e_shnum; i++) {
		if (sections[i].sh_type == SHT_SYMTAB || (sections[i].sh_type == SHT_DYNSYM && chosen == NULL))
			chosen = &sections[i];
	}
	if (chosen != NULL && chosen->sh_link < header->e_shnum) {
		names = &sections[chosen->sh_link];
		symbols = read_part(fd, chosen->sh_offset, chosen->sh_size);
		table->names = read_part(fd, names->sh_offset, names->sh_size);
	}
	/* The string table must end with NUL, so that every name is terminated. */
	if (symbols != NULL && table->names != NULL && table->names[names->sh_size - 1] == '\0')
		keep_functions(table, symbols, chosen->sh_size / sizeof(*symbols), names->sh_size);
	own_memory_give(symbols);
	own_memory_give(sections);
}

void symbols_read(symbol_table *table, const char *path, const file_identity *identity)
{
	/* O_NONBLOCK: if the path is that of a pipe by now, opening it must not wait. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ElfW(Ehdr) header;

	if (fd < 0)
		return;
	if (read_bytes(fd, 0, &header, sizeof(header)) && memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
	    is_identified(fd, &header, identity))
		read_tables(table, fd, &header);
	close(fd);
}

const char *symbols_find(const symbol_table *table, uintptr_t address)
{
	const function_symbol *function;
	size_t low = 0;
	size_t high = table->count;

	/* Binary search for the last function that starts at or before the address. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->functions[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return NULL;
	function = &table->functions[low - 1];
	if (address != function->start && address - function->start >= function->size)
		return NULL;
	return table->names + function->name;
}

typedef char *demangle_function(const char *name, char *buffer, size_t *length, int *status);

/* The address of __cxa_demangle(); NULL if it was not found. */
static _Atomic(void *) demangler;

void symbols_find_demangler(void)
{
	atomic_store_explicit(&demangler, dlsym(RTLD_DEFAULT, "__cxa_demangle"), memory_order_relaxed);
}

void symbols_load_demangler(void)
{
	void *library;

	if (atomic_load_explicit(&demangler, memory_order_relaxed) != NULL)
		return;
	library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
	if (library != NULL)
		atomic_store_explicit(&demangler, dlsym(library, "__cxa_demangle"), memory_order_relaxed);
}

char *symbols_demangle(const char *name)
{
	void *address = atomic_load_explicit(&demangler, memory_order_relaxed);
	demangle_function *demangle;
	int status = -1;
	char *result;

	if (address == NULL || strncmp(name, "_Z", 2) != 0)
		return NULL;
	memcpy(&demangle, &address, sizeof(demangle));
	result = demangle(name, NULL, NULL, &status);
	return status == 0 ? result : NULL;
}
