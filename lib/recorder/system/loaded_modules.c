/* SPDX-License-Identifier: MIT */
/*
 * Reads the loader's list of modules, with their addresses and build IDs.
 *
 * fork() copies the lock of that list as it is. If another thread held it, no thread of the child will ever release it,
 * and dl_iterate_phdr() waits for ever. So children read what is mapped: /proc/self/maps and the ELF headers in memory,
 * without a lock and without allocating anything.
 */
#include "recorder/system/loaded_modules.h"

#include "base/allocator.h"
#include "base/hash_map.h"
#include "base/sort.h"
#include "recorder/system/proc_file.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#if defined(__linux__)
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

#if defined(__linux__)

/* A flag of processes in the system's stat file: made by fork(), and no program executed since. */
#define FORKED_WITHOUT_EXEC 0x40
#define FLAGS_FIELD 9

/* More program headers than modules have. */
#define MAX_HEADERS 64

/* The longest line, and the name in it. */
#define LINE_SIZE (PATH_MAX + 128)

/* Of a module, this much is read to distinguish it from another: headers, usually build ID and first names. */
#define BEGINNING_WORDS 512

static int read_forked(void)
{
	char text[1024];
	const char *cursor;

	if (!proc_file_read("/proc/self/stat", text, sizeof(text)))
		return 0;
	/* The name of the program is in parentheses, and may contain anything. */
	cursor = strrchr(text, ')');
	for (int field = 2; cursor != NULL && field < FLAGS_FIELD; field++)
		cursor = strchr(cursor + 1, ' ');
	return cursor != NULL && (strtoul(cursor + 1, NULL, 10) & FORKED_WITHOUT_EXEC) != 0;
}

int loaded_maps_are_needed(void)
{
	/* The process that the answer is for, times 2, and the answer. Relaxed: nothing else depends on it. */
	static _Atomic uint64_t known;
	const uint64_t process = (uint64_t)getpid();
	uint64_t answer = atomic_load_explicit(&known, memory_order_relaxed);

	if (answer >> 1 != process) {
		answer = process << 1 | (uint64_t)read_forked();
		atomic_store_explicit(&known, answer, memory_order_relaxed);
	}
	return (int)(answer & 1);
}

/* A line of the file. */
typedef struct mapping {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint64_t device; /* Both halves of its number. */
	uint64_t file;   /* The number that it has on the device. */
	int is_readable;
	int is_executable;
	char name[LINE_SIZE];
} mapping;

/* Reads lines from a file, which must be read in order. */
typedef struct line_reader {
	int fd;
	size_t length; /* Of the bytes in the buffer. */
	size_t at;
	char buffer[LINE_SIZE];
} line_reader;

/* Makes a whole line available. Returns NULL at the end; a line that is too long ends the file, too. */
static char *next_line(line_reader *reader)
{
	for (;;) {
		char *line = reader->buffer + reader->at;
		char *end = memchr(line, '\n', reader->length - reader->at);
		ssize_t got;

		if (end != NULL) {
			*end = '\0';
			reader->at = (size_t)(end - reader->buffer) + 1;
			return line;
		}
		memmove(reader->buffer, line, reader->length - reader->at);
		reader->length -= reader->at;
		reader->at = 0;
		do
			got = read(reader->fd, reader->buffer + reader->length,
				   sizeof(reader->buffer) - reader->length);
		while (got < 0 && errno == EINTR);
		if (got <= 0)
			return NULL;
		reader->length += (size_t)got;
	}
}

/* Reads a number and the character after it. Returns 0 if the line continues with something else. */
static int take_number(const char **line, int base, char after, uint64_t *number)
{
	char *end;

	*number = strtoull(*line, &end, base);
	if (end == *line || *end != after)
		return 0;
	*line = end + 1;
	return 1;
}

/* For "start-end rwxp offset device:device inode    name", where all numbers but the inode are hexadecimal. */
static int next_mapping(line_reader *reader, mapping *found)
{
	static const char deleted[] = " (deleted)";
	const char *line = next_line(reader);
	const char *access;
	uint64_t device[2];
	size_t length;

	if (line == NULL || !take_number(&line, 16, '-', &found->start) || !take_number(&line, 16, ' ', &found->end))
		return 0;
	access = line;
	if (strcspn(line, " ") != 4 || line[4] != ' ')
		return 0;
	line += 5;
	if (!take_number(&line, 16, ' ', &found->offset) || !take_number(&line, 16, ':', &device[0]) ||
	    !take_number(&line, 16, ' ', &device[1]) || !take_number(&line, 10, ' ', &found->file))
		return 0;
	found->device = device[0] << 32 | device[1];
	found->is_readable = access[0] == 'r';
	found->is_executable = access[2] == 'x';
	line += strspn(line, " ");
	snprintf(found->name, sizeof(found->name), "%s", line);
	length = strlen(found->name);
	if (length >= sizeof(deleted) && strcmp(found->name + length - (sizeof(deleted) - 1), deleted) == 0)
		found->name[length - (sizeof(deleted) - 1)] = '\0';
	return 1;
}

/* The module whose first mapping was found last. */
typedef struct module_headers {
	ElfW(Phdr) programs[MAX_HEADERS];
	struct dl_phdr_info info;
	uint64_t code; /* Where its first executable segment begins, if it is loaded; 0 if there is none. */
	char name[LINE_SIZE];
} module_headers;

/* Not by the address: another thread may unmap it. */
static int read_memory(int memory, uint64_t address, void *to, size_t size)
{
	return pread(memory, to, size, (off_t)address) == (ssize_t)size;
}

/* Reads the headers at the start of a mapping. Returns 0 if no module starts there. */
static int read_headers(int memory, const mapping *first, module_headers *module)
{
	ElfW(Ehdr) header;
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t lowest = UINT64_MAX;

	module->info.dlpi_phnum = 0;
	module->code = 0;
	if (!read_memory(memory, first->start, &header, sizeof(header)) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof(*module->programs) ||
	    header.e_phnum > MAX_HEADERS ||
	    !read_memory(memory, first->start + header.e_phoff, module->programs,
			 header.e_phnum * sizeof(*module->programs)))
		return 0;
	for (int i = header.e_phnum; i-- > 0;) {
		const ElfW(Phdr) *program = &module->programs[i];

		if (program->p_type != PT_LOAD)
			continue;
		lowest = program->p_vaddr & ~(page - 1);
		if ((program->p_flags & PF_X) != 0)
			module->code = program->p_vaddr;
	}
	if (lowest == UINT64_MAX)
		return 0;
	module->info.dlpi_addr = (ElfW(Addr))(first->start - lowest);
	module->info.dlpi_phdr = module->programs;
	module->info.dlpi_phnum = header.e_phnum;
	module->code += module->info.dlpi_addr;
	snprintf(module->name, sizeof(module->name), "%s", first->name);
	return 1;
}

/* The loader has no name for the program and the vDSO. */
static const char *loader_name(const module_headers *module, const mapping *code)
{
	const uint64_t entry = getauxval(AT_ENTRY);

	if (module->name[0] == '[' || (entry >= code->start && entry < code->end))
		return "";
	return module->name;
}

/* What the functions below need; mapped, since the stack of the calling thread may be small. */
typedef struct maps_reading {
	line_reader reader;
	mapping found;
	module_headers module;
	uint64_t beginning[BEGINNING_WORDS];
	int memory; /* The memory of the process as a file. */
} maps_reading;

/* Returns NULL if the system refuses. */
static maps_reading *begin_reading(void)
{
	maps_reading *reading =
		mmap(NULL, sizeof(*reading), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (reading == MAP_FAILED)
		return NULL;
	reading->memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	reading->reader.fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	return reading;
}

static void end_reading(maps_reading *reading)
{
	if (reading->memory >= 0)
		close(reading->memory);
	if (reading->reader.fd >= 0)
		close(reading->reader.fd);
	munmap(reading, sizeof(*reading));
}

/* Visits the modules that have code as stated by their headers. A file that is only mapped as data has none. */
static void visit_mappings(maps_reading *reading, int (*visit)(struct dl_phdr_info *module, size_t size, void *user),
			   void *user)
{
	module_headers *module = &reading->module;
	const mapping *found = &reading->found;

	while (next_mapping(&reading->reader, &reading->found)) {
		const int is_start =
			found->is_readable && found->name[0] != '\0' && (found->offset == 0 || found->name[0] == '[');

		if (is_start && (module->info.dlpi_phnum == 0 || strcmp(module->name, found->name) != 0))
			(void)read_headers(reading->memory, found, module);
		if (module->info.dlpi_phnum == 0 || !found->is_executable || module->code < found->start ||
		    module->code >= found->end)
			continue;
		module->info.dlpi_name = loader_name(module, found);
		if (visit(&module->info, offsetof(struct dl_phdr_info, dlpi_adds), user) != 0)
			return;
		module->info.dlpi_phnum = 0;
	}
}

/*
 * Calls visit for each module, as dl_iterate_phdr() does, but without the counts of modules: size shows that. The
 * name of the program is "", and that of the vDSO is "".
 */
static void loaded_maps_visit(int (*visit)(struct dl_phdr_info *module, size_t size, void *user), void *user)
{
	const int saved = errno;
	maps_reading *reading = begin_reading();

	if (reading != NULL && reading->memory >= 0 && reading->reader.fd >= 0)
		visit_mappings(reading, visit, user);
	if (reading != NULL)
		end_reading(reading);
	errno = saved;
}

/* Adds what begins at a mapping. A module may be loaded in the place and from the name of another one. */
static uint64_t mix_beginning(maps_reading *reading, uint64_t digest, uint64_t start)
{
	if (!read_memory(reading->memory, start, reading->beginning, sizeof(reading->beginning)))
		return hash_mix(digest, 0);
	for (size_t i = 0; i < BEGINNING_WORDS; i++)
		digest = hash_mix(digest, reading->beginning[i]);
	return digest;
}

static uint64_t digest_mappings(maps_reading *reading)
{
	const mapping *found = &reading->found;
	uint64_t digest = 0;
	uint64_t start = 0; /* Of the file that was found last. */
	uint64_t device = 0;
	uint64_t file = 0;

	while (next_mapping(&reading->reader, &reading->found)) {
		if (found->name[0] != '/')
			continue;
		if (found->offset == 0 && found->is_readable && (found->device != device || found->file != file)) {
			start = found->start;
			device = found->device;
			file = found->file;
		}
		if (!found->is_executable)
			continue;
		digest = hash_mix_text(hash_mix(hash_mix(digest, found->start), found->end), found->name);
		digest = hash_mix(hash_mix(digest, found->device), found->file);
		if (found->device == device && found->file == file)
			digest = mix_beginning(reading, digest, start);
	}
	return digest;
}

/* A number that changes when a module is mapped or unmapped. Any thread. */
static uint64_t loaded_maps_digest(void)
{
	const int saved = errno;
	maps_reading *reading = begin_reading();
	uint64_t digest = 0;

	if (reading != NULL && reading->reader.fd >= 0)
		digest = digest_mappings(reading);
	if (reading != NULL)
		end_reading(reading);
	errno = saved;
	return digest;
}

#else

int loaded_maps_are_needed(void)
{
	return 0;
}

static void loaded_maps_visit(int (*visit)(struct dl_phdr_info *module, size_t size, void *user), void *user)
{
	(void)visit;
	(void)user;
}

static uint64_t loaded_maps_digest(void)
{
	return 0;
}

#endif

/* Maximum length of the notes of one segment. */
#define MAX_NOTES 65536
/* How often the list is read again because it has grown meanwhile. */
#define MAX_ATTEMPTS 16

/* Copies what the loader reports about a module. */
typedef ElfW(Phdr) segment_header;

static void copy_counts(loaded_counts *counts, const struct dl_phdr_info *info, size_t size)
{
	if (size < offsetof(struct dl_phdr_info, dlpi_subs) + sizeof(info->dlpi_subs))
		return;
	counts->are_known = 1;
	counts->added = info->dlpi_adds;
	counts->removed = info->dlpi_subs;
}

typedef struct counts_reading {
	loaded_counts counts;
	const counter_source *source;
} counts_reading;

/* Only for the first module: the counts are the same for all of them. */
static int visit_counts(struct dl_phdr_info *info, size_t size, void *user)
{
	counts_reading *reading = user;

	reading->counts.counter = counter_read(reading->source);
	copy_counts(&reading->counts, info, size);
	return 1;
}

/* The number that changes with what is mapped takes the place of the counts. */
static loaded_counts read_map_counts(const counter_source *source)
{
	loaded_counts counts = {.are_known = 1, .counter = counter_read(source)};

	counts.added = loaded_maps_digest();
	return counts;
}

loaded_counts loaded_counts_read(const counter_source *source)
{
	counts_reading reading = {.source = source};

	if (loaded_maps_are_needed())
		reading.counts = read_map_counts(source);
	else
		dl_iterate_phdr(visit_counts, &reading);
	return reading.counts;
}

/* Determines the address range of a module. Returns 0 if it has none. */
static int find_addresses(const struct dl_phdr_info *info, loaded_module *module)
{
	module->base = info->dlpi_addr;
	module->start = UINT64_MAX;
	module->end = 0;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const segment_header *segment = &info->dlpi_phdr[i];
		uint64_t start = (uintptr_t)(info->dlpi_addr + segment->p_vaddr);

		if (segment->p_type != PT_LOAD)
			continue;
		if (start < module->start)
			module->start = start;
		if (start + segment->p_memsz > module->end)
			module->end = start + segment->p_memsz;
	}
	return module->start < module->end;
}

/* Whether a range of addresses is in a readable segment of the module. */
static int is_readable(const struct dl_phdr_info *info, const segment_header *piece)
{
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const segment_header *segment = &info->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD && (segment->p_flags & PF_R) != 0 &&
		    piece->p_vaddr >= segment->p_vaddr && piece->p_memsz <= segment->p_memsz &&
		    piece->p_vaddr - segment->p_vaddr <= segment->p_memsz - piece->p_memsz)
			return 1;
	}
	return 0;
}

static void find_build_id(const struct dl_phdr_info *info, loaded_module *module)
{
	module->build_id[0] = '\0';
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const segment_header *notes = &info->dlpi_phdr[i];

		if (notes->p_type == PT_NOTE && notes->p_memsz <= MAX_NOTES && is_readable(info, notes) &&
		    elf_build_id_find((const uint8_t *)(uintptr_t)(info->dlpi_addr + notes->p_vaddr),
				      (size_t)notes->p_memsz, notes->p_align, module->build_id))
			return;
	}
}

static loaded_kind module_kind(const loaded_module *module, const char *name)
{
#if defined(__linux__)
	uint64_t vdso = getauxval(AT_SYSINFO_EHDR);

	if (vdso != 0 && vdso >= module->start && vdso < module->end)
		return LOADED_VDSO;
#endif
	(void)module;
	return name[0] == '\0' ? LOADED_PROGRAM : LOADED_LIBRARY;
}

typedef struct list_reading {
	loaded_list *list;
	const counter_source *source;
} list_reading;

/*
 * Runs under the loader's lock, so the module stays loaded. Nothing is allocated here: an allocator may need the
 * loader's lock while it holds its own. Modules that do not fit are only counted.
 */
static int visit_module(struct dl_phdr_info *info, size_t size, void *user)
{
	const list_reading *reading = user;
	loaded_list *list = reading->list;
	const char *name = info->dlpi_name != NULL ? info->dlpi_name : "";
	size_t name_size = strlen(name) + 1;
	size_t name_at = list->names_length;
	loaded_module *module;

	if (list->count == 0 && !list->counts.are_known)
		list->counts.counter = counter_read(reading->source);
	copy_counts(&list->counts, info, size);
	list->count++;
	list->names_length += name_size;
	if (list->count > list->capacity || list->names_length > list->names_capacity)
		return 0;
	module = &list->modules[list->count - 1];
	/* A module without addresses is removed when the list is complete. */
	if (!find_addresses(info, module))
		module->end = 0;
	module->name = name_at;
	module->kind = module_kind(module, name);
	memcpy(list->names + name_at, name, name_size);
	find_build_id(info, module);
	return 0;
}

static int compare_modules(const void *a, const void *b)
{
	const loaded_module *first = a;
	const loaded_module *second = b;

	return (first->start > second->start) - (first->start < second->start);
}

/* Sorts the list by address. */
static void sort_modules(loaded_list *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (list->modules[i].end != 0)
			list->modules[kept++] = list->modules[i];
	}
	list->count = kept;
	if (kept > 0)
		sort_in_place(list->modules, kept, sizeof(*list->modules), compare_modules);
}

static int reserve_modules(loaded_list *list, const mprof_allocator *allocator, size_t count, size_t names_length)
{
	void *modules = list->modules;
	void *names = list->names;
	int has_room = array_reserve(allocator, &modules, &list->capacity, count, sizeof(*list->modules)) &&
		       array_reserve(allocator, &names, &list->names_capacity, names_length, 1);

	list->modules = modules;
	list->names = names;
	return has_room;
}

static void read_list(list_reading *reading)
{
	if (!loaded_maps_are_needed()) {
		dl_iterate_phdr(visit_module, reading);
		return;
	}
	/* Read first: a module that is mapped meanwhile changes them. */
	reading->list->counts = read_map_counts(reading->source);
	loaded_maps_visit(visit_module, reading);
}

int loaded_list_read(loaded_list *list, const mprof_allocator *allocator, const counter_source *source)
{
	list_reading reading = {list, source};

	for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
		list->counts.are_known = 0;
		list->count = 0;
		list->names_length = 0;
		read_list(&reading);
		if (list->count <= list->capacity && list->names_length <= list->names_capacity) {
			sort_modules(list);
			return 1;
		}
		if (!reserve_modules(list, allocator, list->count, list->names_length))
			break;
	}
	list->count = 0;
	return 0;
}

void loaded_list_destroy(loaded_list *list, const mprof_allocator *allocator)
{
	allocator_release(allocator, list->modules, list->capacity * sizeof(*list->modules));
	allocator_release(allocator, list->names, list->names_capacity);
	memset(list, 0, sizeof(*list));
}
