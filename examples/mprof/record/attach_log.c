/* SPDX-License-Identifier: MIT */
/* Writes the log of a process that is sampled from outside: unwinds its stacks, and names its code. */
#include "record/attach_log.h"

#include <mprof/recorder.h>

#include "common/elements.h"
#include "shared/hash.h"
#include "shared/key_map.h"
#include "shared/perf_map.h"
#include "shared/unwind_tables.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/*
 * The code of the process: its programs and libraries with their symbols and unwinding tables, and the names of
 * compiled code that a runtime wrote to a map for perf.
 */

typedef struct attach_file attach_file;

/* What is at an address. */
typedef struct attach_position {
	const attach_file *module; /**< NULL: the code is in no file. */
	uint64_t module_start;     /**< Its first address. */
	uint64_t function_start;   /**< 0 if not known. */
	uint64_t function_size;
	const char *function; /**< NULL if not known. */
} attach_position;

/* Size of a build ID in hexadecimal digits. */
#define BUILD_ID_SIZE 80

#define PATH_SIZE 4096

/* Size of the page of the kernel's own code in programs, which is the same in all of them. */
#define KERNEL_CODE_SIZE 8192

typedef struct symbol {
	uint64_t start, size;
	const char *name;
} symbol;

struct attach_file {
	attach_file *next;
	uint64_t device, inode;
	char *path;
	const uint8_t *bytes; /* NULL if it cannot be read. */
	size_t size;
	int is_mapped;
	const Elf64_Phdr *programs;
	size_t program_count;
	uint64_t memory_size;
	symbol *symbols;
	size_t symbol_count, symbol_capacity;
	char build_id[BUILD_ID_SIZE + 1];
};

/* A mapping of code. */
typedef struct range {
	uint64_t start, end, offset;
	attach_file *file;    /* NULL: code in no file. */
	uint64_t first_start; /* The first address of the module. */
} range;

/* A function that a runtime compiled. */
typedef struct compiled {
	uint64_t start, size;
	char *name;
} compiled;

struct attach_modules {
	pid_t process;
	attach_file *files;
	range *ranges;
	size_t range_count, range_capacity;
	compiled *compiled;
	size_t compiled_count, compiled_capacity;
	perf_map map; /* For perf. */
	int has_expired;
};

/* The path, the build ID and the size in memory of a module. The texts are "" if not known. */
static const char *attach_file_path(const attach_file *file)
{
	return file->path;
}

static const char *attach_file_build_id(const attach_file *file)
{
	return file->build_id;
}

static uint64_t attach_file_size(const attach_file *file)
{
	return file->memory_size;
}

/* Files. */

/* A part of a file; NULL if it is not inside. */
static const void *part_of(const attach_file *file, uint64_t offset, uint64_t size)
{
	return offset <= file->size && size <= file->size - offset ? file->bytes + offset : NULL;
}

static void read_build_id(attach_file *file, const Elf64_Phdr *notes)
{
	const uint8_t *start = part_of(file, notes->p_offset, notes->p_filesz);
	uint64_t at = 0;

	while (start != NULL && at + sizeof(Elf64_Nhdr) <= notes->p_filesz) {
		Elf64_Nhdr note;
		uint64_t name, content;

		memcpy(&note, start + at, sizeof(note));
		name = at + sizeof(note);
		content = name + (((uint64_t)note.n_namesz + 3) & ~UINT64_C(3));
		at = content + (((uint64_t)note.n_descsz + 3) & ~UINT64_C(3));
		if (at > notes->p_filesz)
			return;
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 || memcmp(start + name, "GNU", 4) != 0)
			continue;
		for (uint32_t i = 0; i < note.n_descsz && 2 * i < BUILD_ID_SIZE; i++)
			snprintf(file->build_id + (size_t)2 * i, 3, "%02x", start[content + i]);
	}
}

static void add_symbol(attach_file *file, const Elf64_Sym *read, const char *names, uint64_t names_size)
{
	const unsigned type = ELF64_ST_TYPE(read->st_info);
	void *symbols = file->symbols;

	if ((type != STT_FUNC && type != STT_GNU_IFUNC) || read->st_shndx == SHN_UNDEF || read->st_name >= names_size ||
	    names[read->st_name] == '\0')
		return;
	if (!elements_reserve(&symbols, &file->symbol_capacity, file->symbol_count, sizeof(symbol)))
		return;
	file->symbols = symbols;
	file->symbols[file->symbol_count++] = (symbol){read->st_value, read->st_size, names + read->st_name};
}

static void read_symbols(attach_file *file, const Elf64_Shdr *table, const Elf64_Shdr *texts)
{
	const uint8_t *start = part_of(file, table->sh_offset, table->sh_size);
	const char *names = part_of(file, texts->sh_offset, texts->sh_size);

	/* The last text must end. */
	if (start == NULL || names == NULL || texts->sh_size == 0 || names[texts->sh_size - 1] != '\0')
		return;
	for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table->sh_size; at += sizeof(Elf64_Sym)) {
		Elf64_Sym read;

		memcpy(&read, start + at, sizeof(read));
		add_symbol(file, &read, names, texts->sh_size);
	}
}

static int compare_symbols(const void *a, const void *b)
{
	const symbol *first = a, *second = b;

	if (first->start != second->start)
		return first->start < second->start ? -1 : 1;
	return first->size < second->size ? -1 : first->size > second->size;
}

/* Reads the symbols of all functions, or else those that the file exports. */
static void read_sections(attach_file *file, const Elf64_Ehdr *header)
{
	const Elf64_Shdr *sections = part_of(file, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr));
	static const uint32_t types[] = {SHT_SYMTAB, SHT_DYNSYM};

	if (sections == NULL || header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff % 8 != 0)
		return;
	for (size_t t = 0; t < 2 && file->symbol_count == 0; t++) {
		for (unsigned i = 0; i < header->e_shnum; i++) {
			if (sections[i].sh_type == types[t] && sections[i].sh_link < header->e_shnum)
				read_symbols(file, &sections[i], &sections[sections[i].sh_link]);
		}
	}
	if (file->symbol_count > 0)
		qsort(file->symbols, file->symbol_count, sizeof(symbol), compare_symbols);
}

static void read_headers(attach_file *file)
{
	const Elf64_Ehdr *header = part_of(file, 0, sizeof(*header));
	uint64_t first = UINT64_MAX, last = 0;

	if (header == NULL || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
	    header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_phentsize != sizeof(Elf64_Phdr) ||
	    header->e_phoff % 8 != 0)
		return;
	file->programs = part_of(file, header->e_phoff, (uint64_t)header->e_phnum * sizeof(Elf64_Phdr));
	file->program_count = file->programs != NULL ? header->e_phnum : 0;
	for (size_t i = 0; i < file->program_count; i++) {
		const Elf64_Phdr *program = &file->programs[i];

		if (program->p_type == PT_NOTE)
			read_build_id(file, program);
		if (program->p_type != PT_LOAD)
			continue;
		first = program->p_vaddr < first ? program->p_vaddr : first;
		last = program->p_vaddr + program->p_memsz > last ? program->p_vaddr + program->p_memsz : last;
	}
	file->memory_size = last > first ? last - first : 0;
	read_sections(file, header);
}

/* Opens the file of a mapping: the same one, even if another has its name now. */
static int open_mapped(pid_t process, const char *range_name, const char *path, const attach_file *file)
{
	char name[PATH_SIZE + 64];
	struct stat status;
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/map_files/%s", (int)process, range_name);
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd >= 0)
		return fd;
	snprintf(name, sizeof(name), "/proc/%d/root%s", (int)process, path);
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return fd;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_ino == file->inode)
		return fd;
	close(fd);
	return -1;
}

static void map_file(attach_file *file, pid_t process, const char *range_name)
{
	const int fd = open_mapped(process, range_name, file->path, file);
	struct stat status;
	void *bytes;

	if (fd < 0)
		return;
	if (fstat(fd, &status) == 0 && status.st_size > 0) {
		bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (bytes != MAP_FAILED) {
			file->bytes = bytes;
			file->size = (size_t)status.st_size;
			file->is_mapped = 1;
			read_headers(file);
		}
	}
	close(fd);
}

/* The kernel's own code is in this program, too. */
static void use_own_kernel_code(attach_file *file)
{
	file->bytes = (const uint8_t *)getauxval(AT_SYSINFO_EHDR); // NOLINT(performance-no-int-to-ptr)
	if (file->bytes == NULL)
		return;
	file->size = KERNEL_CODE_SIZE;
	read_headers(file);
}

/* The file of a mapping. NULL if out of memory. */
static attach_file *find_file(attach_modules *modules, uint64_t device, uint64_t inode, const char *path,
			      const char *range_name)
{
	attach_file *file;

	for (file = modules->files; file != NULL; file = file->next) {
		if (file->device == device && file->inode == inode && strcmp(file->path, path) == 0)
			return file;
	}
	file = calloc(1, sizeof(*file));
	if (file == NULL)
		return NULL;
	file->device = device;
	file->inode = inode;
	file->path = strdup(path);
	if (file->path == NULL) {
		free(file);
		return NULL;
	}
	if (inode != 0)
		map_file(file, modules->process, range_name);
	else
		use_own_kernel_code(file);
	file->next = modules->files;
	modules->files = file;
	return file;
}

/* The map of the process. */

static void add_range(attach_modules *modules, const range *added)
{
	void *ranges = modules->ranges;

	if (!elements_reserve(&ranges, &modules->range_capacity, modules->range_count, sizeof(range)))
		return;
	modules->ranges = ranges;
	modules->ranges[modules->range_count++] = *added;
}

/* START-END PERMISSIONS OFFSET DEVICE INODE PATH. \p module: the file and the first address of the module so far. */
static void read_line(attach_modules *modules, char *line, range *module)
{
	char range_name[64], permissions[8];
	unsigned major, minor;
	uint64_t inode;
	range found = {0};
	int path_at = 0;
	const char *path;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%63s %7s %" SCNx64 " %x:%x %" SCNu64 " %n", range_name, permissions, &found.offset, &major,
		   &minor, &inode, &path_at) < 6 ||
	    sscanf(range_name, "%" SCNx64 "-%" SCNx64, &found.start, &found.end) != 2)
		return;
	path = path_at > 0 ? line + path_at : "";
	if (inode != 0 || strcmp(path, "[vdso]") == 0) {
		attach_file *last = module->file;

		if (last == NULL || last->inode != inode || strcmp(last->path, path) != 0 || found.offset == 0)
			module->first_start = found.start;
		module->file = find_file(modules, makedev(major, minor), inode, path, range_name);
		found.file = module->file;
		found.first_start = module->first_start;
	}
	if (permissions[2] == 'x')
		add_range(modules, &found);
}

static void read_maps(attach_modules *modules)
{
	char path[32], line[PATH_SIZE + 256];
	range module = {0};
	FILE *maps;

	modules->range_count = 0;
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)modules->process);
	maps = fopen(path, "re");
	if (maps == NULL)
		return;
	while (fgets(line, sizeof(line), maps) != NULL)
		read_line(modules, line, &module);
	fclose(maps);
}

/* Code that a runtime compiled. */

/* The number of the process in its own namespace, after which the map for perf is named. */
static int inner_number(pid_t process)
{
	char path[32], line[256];
	int number = (int)process;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)process);
	status = fopen(path, "re");
	while (status != NULL && fgets(line, sizeof(line), status) != NULL) {
		if (strncmp(line, "NSpid:", 6) == 0)
			number = atoi(strrchr(line, '\t') + 1);
	}
	if (status != NULL)
		fclose(status);
	return number;
}

static void add_compiled(void *user, const perf_map_entry *entry)
{
	attach_modules *modules = user;
	void *list = modules->compiled;
	compiled added = {.start = entry->start, .size = entry->size};

	if (!elements_reserve(&list, &modules->compiled_capacity, modules->compiled_count, sizeof(added)))
		return;
	modules->compiled = list;
	added.name = strdup(entry->name);
	if (added.name != NULL)
		modules->compiled[modules->compiled_count++] = added;
}

/* Reads what was added to the map for perf. Returns whether there was anything. */
static int read_compiled(attach_modules *modules)
{
	char path[96];
	const size_t before = modules->compiled_count;
	struct stat owner;

	snprintf(path, sizeof(path), "/proc/%d", (int)modules->process);
	if (stat(path, &owner) != 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/root/tmp/perf-%d.map", (int)modules->process,
		 inner_number(modules->process));
	modules->map.path = path;
	modules->map.owner = owner.st_uid;
	(void)perf_map_read(&modules->map, add_compiled, modules);
	return modules->compiled_count > before;
}

/* Of functions at the same address, the last one counts: memory is used again. */
static const compiled *find_compiled(const attach_modules *modules, uint64_t address)
{
	for (size_t i = modules->compiled_count; i-- > 0;) {
		if (address - modules->compiled[i].start < modules->compiled[i].size)
			return &modules->compiled[i];
	}
	return NULL;
}

/*
 * Reads what the runtime has compiled since, which may be where other code was: then the map expires. Call it now and
 * then.
 */
static void attach_modules_refresh(attach_modules *modules)
{
	const size_t before = modules->compiled_count;

	if (!read_compiled(modules))
		return;
	for (size_t added = before; added < modules->compiled_count; added++) {
		const compiled *new = &modules->compiled[added];

		for (size_t i = 0; i < before && !modules->has_expired; i++)
			modules->has_expired = modules->compiled[i].start < new->start + new->size &&new->start <
					       modules->compiled[i].start + modules->compiled[i].size;
	}
}

attach_modules *attach_modules_create(pid_t process)
{
	attach_modules *modules = calloc(1, sizeof(*modules));

	if (modules == NULL)
		return NULL;
	modules->process = process;
	read_maps(modules);
	(void)read_compiled(modules);
	return modules;
}

void attach_modules_destroy(attach_modules *modules)
{
	while (modules != NULL && modules->files != NULL) {
		attach_file *file = modules->files;

		modules->files = file->next;
		if (file->is_mapped)
			munmap((void *)file->bytes, file->size);
		free(file->symbols);
		free(file->path);
		free(file);
	}
	for (size_t i = 0; modules != NULL && i < modules->compiled_count; i++)
		free(modules->compiled[i].name);
	if (modules != NULL) {
		free(modules->compiled);
		free(modules->ranges);
	}
	free(modules);
}

void attach_modules_expire(attach_modules *modules)
{
	modules->has_expired = 1;
}

/* Reads the map again if it has expired. Returns whether addresses may now be in other code. */
static int attach_modules_update(attach_modules *modules)
{
	if (!modules->has_expired)
		return 0;
	modules->has_expired = 0;
	read_maps(modules);
	return 1;
}

static const range *find_range(const attach_modules *modules, uint64_t address)
{
	size_t low = 0, high = modules->range_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (modules->ranges[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && address < modules->ranges[low - 1].end ? &modules->ranges[low - 1] : NULL;
}

/* The address in the file's own terms, as its symbols have it. Returns 0 if no program header has it. */
static int address_in_file(const range *range, uint64_t address, uint64_t *inside)
{
	const uint64_t offset = address - range->start + range->offset;

	for (size_t i = 0; i < range->file->program_count; i++) {
		const Elf64_Phdr *program = &range->file->programs[i];

		if (program->p_type == PT_LOAD && (program->p_flags & PF_X) != 0 &&
		    offset - program->p_offset < program->p_filesz) {
			*inside = offset - program->p_offset + program->p_vaddr;
			return 1;
		}
	}
	return 0;
}

/* The function that contains an address; of one without a size, the code up to the next function is its own. */
static const symbol *find_symbol(const attach_file *file, uint64_t inside)
{
	size_t low = 0, high = file->symbol_count;
	const symbol *found;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (file->symbols[middle].start <= inside)
			low = middle + 1;
		else
			high = middle;
	}
	found = low > 0 ? &file->symbols[low - 1] : NULL;
	return found != NULL && (found->size == 0 || inside - found->start < found->size) ? found : NULL;
}

/* Finds what is at an address. Returns 0 if no code is. */
static int attach_modules_find(attach_modules *modules, uint64_t address, attach_position *position)
{
	const range *range = find_range(modules, address);
	const compiled *code;
	uint64_t inside;

	memset(position, 0, sizeof(*position));
	if (range == NULL)
		return 0;
	if (range->file != NULL) {
		const symbol *found =
			address_in_file(range, address, &inside) ? find_symbol(range->file, inside) : NULL;

		position->module = range->file;
		position->module_start = range->first_start;
		if (found != NULL) {
			position->function = found->name;
			position->function_start = address - (inside - found->start);
			position->function_size = found->size;
		}
		return 1;
	}
	code = find_compiled(modules, address);
	if (code == NULL && read_compiled(modules))
		code = find_compiled(modules, address);
	if (code != NULL) {
		position->function = code->name;
		position->function_start = code->start;
		position->function_size = code->size;
	}
	return 1;
}

/* Finds the unwinding entry of an address, and that address at its distance from the tables. Returns 0 if none. */
static int attach_modules_find_entry(attach_modules *modules, uint64_t address, unwind_entry *entry, uintptr_t *there)
{
	const range *range = find_range(modules, address);
	const attach_file *file = range != NULL ? range->file : NULL;
	const Elf64_Phdr *index = NULL;
	unwind_segment segment = {0};
	uint64_t inside;

	if (file == NULL || !address_in_file(range, address, &inside))
		return 0;
	for (size_t i = 0; i < file->program_count; i++) {
		if (file->programs[i].p_type == PT_GNU_EH_FRAME)
			index = &file->programs[i];
	}
	if (index == NULL || part_of(file, index->p_offset, index->p_filesz) == NULL)
		return 0;
	for (size_t i = 0; i < file->program_count; i++) {
		const Elf64_Phdr *program = &file->programs[i];

		if (program->p_type != PT_LOAD || index->p_offset - program->p_offset >= program->p_filesz)
			continue;
		segment.index = file->bytes + index->p_offset;
		segment.start = file->bytes + program->p_offset;
		segment.end = part_of(file, program->p_offset, program->p_filesz);
		segment.end = segment.end != NULL ? segment.end + program->p_filesz : file->bytes + file->size;
		/* The tables have distances, so addresses are moved by as much as the tables are. */
		segment.address = (uintptr_t)segment.start + (uintptr_t)(inside - program->p_vaddr);
	}
	*there = segment.address;
	return segment.index != NULL && unwind_tables_find_in(&segment, entry);
}

int attach_modules_has(const attach_modules *modules, const char *name)
{
	for (const attach_file *file = modules->files; file != NULL; file = file->next) {
		if (strstr(file->path, name) != NULL)
			return 1;
	}
	return 0;
}

int attach_modules_are_empty(const attach_modules *modules)
{
	return modules->range_count == 0;
}

/*
 * The log.
 */

/* A power of two. Addresses with the same slot replace each other. */
#define CACHED_ROWS 1024

/* Records of one block, and samples of one. */
enum { MAX_RECORDS = 4096, MAX_SAMPLES = 4096 };

typedef struct cached_row {
	uint64_t address; /* 0 if the slot is not used. */
	int is_signal_frame;
	unwind_row row;
} cached_row;

typedef struct taken_sample {
	uint64_t time;
	uint32_t thread, stack;
} taken_sample;

typedef struct thread_name {
	uint32_t thread;
	char *name;
} thread_name;

typedef struct id_entry {
	uint64_t key, id;
} id_entry;

/* Definitions that are not written yet. */
typedef struct record_list {
	mprof_record *records;
	size_t count, capacity;
	uint32_t last_id;
} record_list;

enum { MODULES, FUNCTIONS, LOCATIONS, STACKS, LISTS };

struct attach_log {
	mprof_writer *writer;
	attach_modules *code;
	size_t limit;
	cached_row *rows;
	record_list lists[LISTS];
	key_map modules, functions, locations, stacks;
	taken_sample *samples;
	size_t sample_count, sample_capacity;
	thread_name *names;
	size_t name_count, name_capacity;
	uint64_t taken, lost, lost_written, truncated;
	int lacks_memory;
};

attach_log *attach_log_create(attach_modules *modules, size_t limit)
{
	attach_log *log = calloc(1, sizeof(*log));

	if (log == NULL)
		return NULL;
	log->code = modules;
	log->limit = limit < MPROF_STACK_MAX ? limit : MPROF_STACK_MAX - 1;
	log->modules.value_size = log->functions.value_size = sizeof(uint64_t);
	log->locations.value_size = log->stacks.value_size = sizeof(uint64_t);
	log->rows = calloc(CACHED_ROWS, sizeof(*log->rows));
	if (log->rows != NULL)
		return log;
	free(log);
	return NULL;
}

void attach_log_set_writer(attach_log *log, mprof_writer *writer)
{
	log->writer = writer;
}

void attach_log_destroy(attach_log *log)
{
	if (log == NULL)
		return;
	for (size_t i = 0; i < LISTS; i++)
		free(log->lists[i].records);
	for (size_t i = 0; i < log->name_count; i++)
		free(log->names[i].name);
	key_map_clear(&log->modules);
	key_map_clear(&log->functions);
	key_map_clear(&log->locations);
	key_map_clear(&log->stacks);
	free(log->names);
	free(log->samples);
	free(log->rows);
	free(log);
}

/* A new record of a kind, with the next ID. NULL if out of memory. */
static mprof_record *add_record(attach_log *log, int list, uint32_t kind)
{
	record_list *records = &log->lists[list];
	void *array = records->records;
	mprof_record *record;

	if (!elements_reserve(&array, &records->capacity, records->count, sizeof(*record))) {
		log->lacks_memory = 1;
		return NULL;
	}
	records->records = array;
	record = &records->records[records->count++];
	memset(record, 0, sizeof(*record));
	record->kind = kind;
	record->id = ++records->last_id;
	return record;
}

/* The entry of a key, whose ID is 0 if it is new. NULL if out of memory. */
static id_entry *entry_of(attach_log *log, key_map *map, uint64_t key)
{
	id_entry *entry = key_map_put(map, key);

	log->lacks_memory |= entry == NULL;
	return entry;
}

static uint32_t module_of(attach_log *log, const attach_position *position)
{
	id_entry *entry = entry_of(log, &log->modules, hash_key((uintptr_t)position->module) ^ position->module_start);
	mprof_record *record;

	if (position->module == NULL || entry == NULL)
		return 0;
	if (entry->id == 0 && (record = add_record(log, MODULES, MPROF_RECORD_MODULE)) != NULL) {
		entry->id = record->id;
		record->as.module.address = position->module_start;
		record->as.module.size = attach_file_size(position->module);
		record->as.module.file = attach_file_path(position->module);
		record->as.module.build_id = attach_file_build_id(position->module);
	}
	return (uint32_t)entry->id;
}

static uint32_t function_of(attach_log *log, const attach_position *position, uint32_t module)
{
	id_entry *entry = position->function != NULL
				  ? entry_of(log, &log->functions,
					     position->function_start ^ hash_key((uintptr_t)position->function))
				  : NULL;
	mprof_record *record;

	if (entry == NULL)
		return 0;
	if (entry->id == 0 && (record = add_record(log, FUNCTIONS, MPROF_RECORD_FUNCTION)) != NULL) {
		entry->id = record->id;
		record->as.function.module = module;
		record->as.function.offset = position->function_start - (module != 0 ? position->module_start : 0);
		record->as.function.size = position->function_size;
		record->as.function.name = position->function;
	}
	return (uint32_t)entry->id;
}

/* \p is_exact: the address is that of an interruption, not a return address, which may be after its function. */
static uint32_t location_of(attach_log *log, uint64_t address, int is_exact)
{
	id_entry *entry = entry_of(log, &log->locations, address << 1 | (is_exact != 0));
	attach_position position;
	mprof_record *record;

	if (entry == NULL)
		return 0;
	if (entry->id != 0)
		return (uint32_t)entry->id;
	(void)attach_modules_find(log->code, is_exact ? address : address - 1, &position);
	record = add_record(log, LOCATIONS, MPROF_RECORD_LOCATION);
	if (record == NULL)
		return 0;
	entry->id = record->id;
	record->as.location.module = module_of(log, &position);
	record->as.location.function = function_of(log, &position, record->as.location.module);
	record->as.location.offset = address - (record->as.location.module != 0 ? position.module_start : 0);
	return (uint32_t)entry->id;
}

/* Location 0 is a frame that is not known. */
static uint32_t stack_of(attach_log *log, uint32_t caller, uint32_t location)
{
	id_entry *entry = entry_of(log, &log->stacks, (uint64_t)caller << 32 | location);
	mprof_record *record;

	if (entry == NULL)
		return caller;
	if (entry->id == 0 && (record = add_record(log, STACKS, MPROF_RECORD_STACK)) != NULL) {
		entry->id = record->id;
		record->as.stack = (mprof_stack_record){.caller = caller, .target = location, .is_native = 1};
	}
	return (uint32_t)entry->id;
}

/* The rules at an address; NULL if its module has none. */
static const cached_row *find_row(attach_log *log, uint64_t address)
{
	cached_row *row = &log->rows[hash_key(address) & (CACHED_ROWS - 1)];
	unwind_entry entry;
	uintptr_t there;

	if (row->address == address)
		return row;
	row->address = 0;
	if (!attach_modules_find_entry(log->code, address, &entry, &there) ||
	    !unwind_rules_compute(&entry, there, &row->row))
		return NULL;
	row->address = address;
	row->is_signal_frame = entry.is_signal_frame;
	return row;
}

/* A frame pointer leads to that of the caller and the return address. Compiled code of runtimes has no tables. */
static int leave_by_frame_pointer(unwind_frame *frame)
{
	const uint64_t pointer = frame->registers[REGISTER_FRAME];
	const uint64_t at = pointer - frame->stack_start;
	uint64_t saved[2];

	if (pointer < frame->registers[REGISTER_STACK] || at > frame->stack_length ||
	    frame->stack_length - at < sizeof(saved))
		return 0;
	memcpy(saved, frame->stack + at, sizeof(saved));
	frame->registers[REGISTER_FRAME] = saved[0];
	frame->registers[REGISTER_ADDRESS] = saved[1];
	frame->registers[REGISTER_STACK] = pointer + sizeof(saved);
	return 1;
}

/* Replaces the registers by those of the caller. Returns 0 if that cannot be done. */
static int leave(attach_log *log, unwind_frame *frame, int *is_exact)
{
	const uint64_t address = frame->registers[REGISTER_ADDRESS] - !*is_exact;
	const cached_row *row = find_row(log, address);
	attach_position position;
	uint64_t base;

	if (row != NULL) {
		const int is_signal_frame = row->is_signal_frame;

		if (!unwind_rules_base(&row->row, frame, &base) ||
		    (base <= frame->registers[REGISTER_STACK] && !is_signal_frame) ||
		    !unwind_rules_apply(&row->row, base, frame))
			return 0;
		*is_exact = is_signal_frame;
		return 1;
	}
	*is_exact = 0;
	return attach_modules_find(log->code, address, &position) && leave_by_frame_pointer(frame);
}

/* The ID of the call stack of a sample. */
static uint32_t unwind(attach_log *log, const attach_sample *sample)
{
	uint32_t locations[MPROF_STACK_MAX];
	unwind_frame frame = {.stack = sample->stack, .stack_length = sample->stack_length};
	size_t count = 0;
	int is_exact = 1, is_whole = 0;
	uint32_t stack;

	memcpy(frame.registers, sample->registers, sizeof(frame.registers));
	frame.stack_start = frame.registers[REGISTER_STACK];
	while (sample->has_registers && count < log->limit) {
		if (frame.registers[REGISTER_ADDRESS] == 0) {
			is_whole = 1;
			break;
		}
		locations[count++] = location_of(log, frame.registers[REGISTER_ADDRESS], is_exact);
		if (!leave(log, &frame, &is_exact))
			break;
	}
	stack = is_whole ? 0 : stack_of(log, 0, 0);
	log->truncated += !is_whole;
	while (count-- > 0)
		stack = stack_of(log, stack, locations[count]);
	return stack;
}

/* Addresses are looked up again; definitions that were made before remain. */
static void forget_addresses(attach_log *log)
{
	memset(log->rows, 0, CACHED_ROWS * sizeof(*log->rows));
	key_map_clear(&log->locations);
	log->locations.value_size = sizeof(uint64_t);
}

void attach_log_add_sample(attach_log *log, const attach_sample *sample)
{
	void *samples = log->samples;

	if (attach_modules_update(log->code))
		forget_addresses(log);
	if (!elements_reserve(&samples, &log->sample_capacity, log->sample_count, sizeof(taken_sample))) {
		log->lost++;
		return;
	}
	log->samples = samples;
	log->samples[log->sample_count++] = (taken_sample){sample->time, sample->thread, unwind(log, sample)};
	log->taken++;
}

void attach_log_add_name(attach_log *log, uint32_t thread, const char *name)
{
	void *names = log->names;
	char *copy = strdup(name);

	if (copy == NULL || !elements_reserve(&names, &log->name_capacity, log->name_count, sizeof(thread_name))) {
		free(copy);
		log->lacks_memory = 1;
		return;
	}
	log->names = names;
	log->names[log->name_count].thread = thread;
	log->names[log->name_count].name = copy;
	log->name_count++;
}

void attach_log_add_loss(attach_log *log, uint64_t count)
{
	log->lost += count;
}

static mprof_status write_definitions(attach_log *log)
{
	static const uint32_t blocks[LISTS] = {MPROF_BLOCK_CODE, MPROF_BLOCK_CODE, MPROF_BLOCK_CODE,
					       MPROF_BLOCK_STACKS};
	mprof_status status = MPROF_OK;

	for (size_t i = 0; i < LISTS; i++) {
		record_list *list = &log->lists[i];

		for (size_t at = 0; at < list->count && status == MPROF_OK; at += MAX_RECORDS) {
			const size_t count = list->count - at < MAX_RECORDS ? list->count - at : MAX_RECORDS;

			status = mprof_writer_write_records(log->writer, blocks[i], 0, list->records + at,
							    sizeof(mprof_record), count);
		}
		list->count = 0;
	}
	return status;
}

static mprof_status write_names(attach_log *log)
{
	mprof_status status = MPROF_OK;

	for (size_t i = 0; i < log->name_count; i++) {
		if (status == MPROF_OK)
			status = mprof_writer_write_thread_name(log->writer, log->names[i].thread, log->names[i].name,
								strlen(log->names[i].name));
		free(log->names[i].name);
	}
	log->name_count = 0;
	return status;
}

/* Those before a time come first, by thread and time. */
static uint64_t sorted_before;

static int compare_samples(const void *a, const void *b)
{
	const taken_sample *first = a, *second = b;
	const int is_first_later = first->time >= sorted_before, is_second_later = second->time >= sorted_before;

	if (is_first_later != is_second_later)
		return is_first_later - is_second_later;
	if (first->thread != second->thread)
		return first->thread < second->thread ? -1 : 1;
	return first->time < second->time ? -1 : first->time > second->time;
}

static mprof_status write_samples(attach_log *log, size_t total)
{
	static mprof_event block[MAX_SAMPLES];
	mprof_status status = MPROF_OK;

	for (size_t first = 0, count; first < total && status == MPROF_OK; first += count) {
		const taken_sample *start = &log->samples[first];

		for (count = 0; first + count < total && count < MAX_SAMPLES; count++) {
			if (start[count].thread != start->thread)
				break;
			block[count] = (mprof_event){
				.kind = MPROF_EVENT_SAMPLE, .counter = start[count].time, .value = start[count].stack};
		}
		status = mprof_writer_write_samples(log->writer, start->thread, start->time, block, count);
	}
	return status;
}

static mprof_status write_losses(attach_log *log)
{
	uint64_t losses[] = {0, log->lost - log->lost_written};

	log->lost_written = log->lost;
	return losses[1] > 0 ? mprof_writer_write_losses(log->writer, 0, losses, 2) : MPROF_OK;
}

mprof_status attach_log_write(attach_log *log, uint64_t before)
{
	size_t total = 0;
	mprof_status status;

	attach_modules_refresh(log->code);
	sorted_before = before;
	if (log->sample_count > 0)
		qsort(log->samples, log->sample_count, sizeof(taken_sample), compare_samples);
	while (total < log->sample_count && log->samples[total].time < before)
		total++;
	status = log->lacks_memory ? MPROF_ERR_MEMORY : write_definitions(log);
	if (status == MPROF_OK)
		status = write_names(log);
	if (status == MPROF_OK)
		status = write_samples(log, total);
	if (status == MPROF_OK)
		status = write_losses(log);
	memmove(log->samples, log->samples + total, (log->sample_count - total) * sizeof(taken_sample));
	log->sample_count -= total;
	return status == MPROF_OK ? mprof_writer_flush(log->writer) : status;
}

uint64_t attach_log_samples(const attach_log *log)
{
	return log->taken;
}

uint64_t attach_log_lost(const attach_log *log)
{
	return log->lost;
}

uint64_t attach_log_truncated(const attach_log *log)
{
	return log->truncated;
}
