/* SPDX-License-Identifier: MIT */
/* Reads the loader's list of modules, with their addresses and build IDs. */
#include "recorder/system/loaded_modules.h"

#include "base/checked.h"
#include "base/sort.h"
#include "recorder/system/loaded_maps.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#if defined(__linux__)
#include <sys/auxv.h>
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
