/* SPDX-License-Identifier: MIT */
/* Keeps the modules of the process, present and recently unloaded, with their symbols. */
#include "recorder/native_modules.h"

#include "base/array.h"
#include "base/hash_index.h"
#include "recorder/elf_bounds.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef O_PATH
#define O_PATH O_RDONLY
#endif

#define PROGRAM_FILE "/proc/self/exe"

/* Stays of unloaded modules that are kept. They are needed for events that were recorded and not drained yet. */
#define MAX_GONE 4096

int native_modules_init(native_modules *modules, const mprof_allocator *allocator, const counter_source *source,
			int with_symbols)
{
	memset(modules, 0, sizeof(*modules));
	if (pthread_mutex_init(&modules->lock, NULL) != 0)
		return 0;
	modules->allocator = *allocator;
	modules->source = source;
	modules->with_symbols = with_symbols;
	return 1;
}

static void release_module(const mprof_allocator *allocator, native_module *module)
{
	if (module->loader_name != NULL)
		allocator_release(allocator, module->loader_name, strlen(module->loader_name) + 1);
	if (module->file != NULL)
		allocator_release(allocator, module->file, strlen(module->file) + 1);
	elf_symbols_destroy(&module->symbols);
	elf_symbols_destroy(&module->bounds);
	allocator_release(allocator, module, sizeof(*module));
}

static void release_stays(const mprof_allocator *allocator, stay_array *array)
{
	allocator_release(allocator, array->stays, array->capacity * sizeof(*array->stays));
	memset(array, 0, sizeof(*array));
}

void native_modules_destroy(native_modules *modules)
{
	/* All zero: it was never initialized. */
	if (modules->source == NULL)
		return;
	for (size_t i = 0; i < modules->known_count; i++)
		release_module(&modules->allocator, modules->known[i]);
	allocator_release(&modules->allocator, modules->known, modules->known_capacity * sizeof(*modules->known));
	modules->known = NULL;
	release_stays(&modules->allocator, &modules->present);
	release_stays(&modules->allocator, &modules->gone);
	loaded_list_destroy(&modules->found, &modules->allocator);
	pthread_mutex_destroy(&modules->lock);
	modules->source = NULL;
}

int native_modules_have_changed(native_modules *modules)
{
	loaded_counts counts;
	int have_changed;

	if (modules->is_of_another)
		return 0;
	counts = loaded_counts_read(modules->source);
	pthread_mutex_lock(&modules->lock);
	have_changed = native_modules_generation(modules) == 0 || !counts.are_known || !modules->counts.are_known ||
		       counts.added != modules->counts.added || counts.removed != modules->counts.removed;
	/* All that are listed are still loaded. */
	if (!have_changed && counts.counter > modules->counts.counter)
		modules->counts.counter = counts.counter;
	pthread_mutex_unlock(&modules->lock);
	return have_changed;
}

int native_modules_were_compared_since(native_modules *modules, uint64_t counter)
{
	int were_compared;

	pthread_mutex_lock(&modules->lock);
	were_compared = modules->counts.counter > counter;
	pthread_mutex_unlock(&modules->lock);
	return were_compared;
}

static char *copy_text(const mprof_allocator *allocator, const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = allocator_allocate(allocator, size);

	if (copy != NULL)
		memcpy(copy, text, size);
	return copy;
}

/* Stores the absolute path of a file in \p path, which has PATH_MAX bytes. Returns 0 if it cannot be determined. */
static int resolve_path(const char *name, char *path)
{
	char link[sizeof("/proc/self/fd/") + 3 * sizeof(int)];
	ssize_t length;
	/* realpath() may call malloc(), which must not be called on this thread. */
	int fd = open(name, O_PATH | O_CLOEXEC);

	if (fd < 0)
		return 0;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, PATH_MAX - 1);
	close(fd);
	path[length > 0 ? length : 0] = '\0';
	return path[0] == '/';
}

/* The name of a module's file, as an absolute path where that can be determined. */
static char *copy_file_name(const mprof_allocator *allocator, const char *loader_name, loaded_kind kind)
{
	char path[PATH_MAX];
	ssize_t length;

	if (kind == LOADED_PROGRAM) {
		length = readlink(PROGRAM_FILE, path, sizeof(path) - 1);
		path[length > 0 ? length : 0] = '\0';
		/* Without /proc, as in a directory that became the root, the name by which the program was executed. */
		if (length <= 0)
			snprintf(path, sizeof(path), "%s", (const char *)(uintptr_t)getauxval(AT_EXECFN));
		return copy_text(allocator, path);
	}
	if (kind == LOADED_LIBRARY && loader_name[0] != '/' && strchr(loader_name, '/') != NULL &&
	    resolve_path(loader_name, path))
		return copy_text(allocator, path);
	return copy_text(allocator, kind == LOADED_VDSO && loader_name[0] == '\0' ? "[vdso]" : loader_name);
}

/* A number that almost certainly differs for another file of the same name; 0 if there is no file. */
static uint64_t identify_file(const char *path)
{
	struct stat about;
	uint64_t identity;

	if (stat(path, &about) != 0)
		return 0;
	identity = hash_mix((uint64_t)about.st_dev, (uint64_t)about.st_ino);
	identity = hash_mix(identity, (uint64_t)about.st_size);
	identity = hash_mix(identity, (uint64_t)about.st_mtim.tv_sec);
	identity = hash_mix(identity, (uint64_t)about.st_mtim.tv_nsec);
	return identity | 1;
}

/* A library without a build ID is identified by its file. The program is always the same. */
static int is_identified_by_file(loaded_kind kind, const char *build_id)
{
	return kind == LOADED_LIBRARY && build_id[0] == '\0';
}

static native_module *create_module(const native_modules *modules, const loaded_list *list, const loaded_module *loaded)
{
	const mprof_allocator *allocator = &modules->allocator;
	native_module *module = allocator_allocate_zeroed(allocator, sizeof(*module));

	if (module == NULL)
		return NULL;
	module->start = loaded->start;
	module->end = loaded->end;
	module->base = loaded->base;
	module->kind = loaded->kind;
	memcpy(module->build_id, loaded->build_id, sizeof(module->build_id));
	elf_symbols_init(&module->symbols, allocator);
	elf_symbols_init(&module->bounds, allocator);
	module->loader_name = copy_text(allocator, list->names + loaded->name);
	if (module->loader_name != NULL)
		module->file = copy_file_name(allocator, module->loader_name, module->kind);
	if (module->file == NULL) {
		release_module(allocator, module);
		return NULL;
	}
	if (is_identified_by_file(module->kind, module->build_id))
		module->file_identity = identify_file(module->file);
	return module;
}

/* Whether a known module is the one that was found. */
static int is_same_module(const native_module *known, const loaded_list *list, const loaded_module *loaded)
{
	return known->start == loaded->start && known->end == loaded->end && known->base == loaded->base &&
	       strcmp(known->build_id, loaded->build_id) == 0 &&
	       strcmp(known->loader_name, list->names + loaded->name) == 0 &&
	       (!is_identified_by_file(known->kind, known->build_id) ||
		known->file_identity == identify_file(known->file));
}

/* The index of the last module that starts at or before an address, plus 1. */
static size_t count_up_to(const stay_array *present, uint64_t address)
{
	size_t low = 0;
	size_t high = present->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (present->stays[middle].module->start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static module_stay *find_present(const native_modules *modules, uint64_t address)
{
	size_t count = count_up_to(&modules->present, address);

	return count > 0 && address < modules->present.stays[count - 1].module->end ? &modules->present.stays[count - 1]
										    : NULL;
}

/* Returns the known module that was found, or a new one; NULL if out of memory. */
static native_module *know_module(native_modules *modules, const loaded_list *list, const loaded_module *loaded)
{
	void *known = modules->known;
	native_module *module;

	for (size_t i = modules->known_count; i > 0; i--) {
		if (is_same_module(modules->known[i - 1], list, loaded))
			return modules->known[i - 1];
	}
	if (!array_reserve(&modules->allocator, &known, &modules->known_capacity, modules->known_count + 1,
			   sizeof(*modules->known)))
		return NULL;
	modules->known = known;
	module = create_module(modules, list, loaded);
	if (module != NULL)
		modules->known[modules->known_count++] = module;
	return module;
}

/* The stay of a module that was found: the one it has, or a new one. Returns 0 if out of memory. */
static int list_module(native_modules *modules, const loaded_list *list, const loaded_module *loaded,
		       stay_array *listed)
{
	const module_stay *stay = find_present(modules, loaded->start);
	native_module *module;

	if (stay != NULL && !stay->module->is_seen && is_same_module(stay->module, list, loaded)) {
		stay->module->is_seen = 1;
		listed->stays[listed->count++] = *stay;
		return 1;
	}
	module = know_module(modules, list, loaded);
	if (module == NULL)
		return 0;
	listed->stays[listed->count++] = (module_stay){
		.module = module, .since = modules->counts.counter, .first = list->counts.counter, .until = UINT64_MAX};
	return 1;
}

/* Makes room for the new list, and for the stays that end. */
static int reserve_stays(native_modules *modules, stay_array *listed, size_t count)
{
	void *stays = NULL;
	void *gone = modules->gone.stays;
	int has_room = array_reserve(&modules->allocator, &gone, &modules->gone.capacity,
				     modules->gone.count + modules->present.count, sizeof(*listed->stays)) &&
		       array_reserve(&modules->allocator, &stays, &listed->capacity, count, sizeof(*listed->stays));

	modules->gone.stays = gone;
	listed->stays = stays;
	return has_room;
}

/* Ends the stays of the modules that were not found. Returns 1 if there are any. */
static int end_stays(native_modules *modules, uint64_t counter)
{
	const size_t before = modules->gone.count;

	for (size_t i = 0; i < modules->present.count; i++) {
		module_stay *stay = &modules->present.stays[i];

		if (stay->module->is_seen)
			continue;
		stay->module->has_left = 1;
		stay->last = modules->counts.counter;
		stay->until = counter;
		modules->gone.stays[modules->gone.count++] = *stay;
	}
	return modules->gone.count > before;
}

/* With the lock. */
static int replace_list(native_modules *modules, const loaded_list *list)
{
	stay_array listed = {NULL, 0, 0};
	int has_changed;

	/* Another thread has read it later. */
	if (native_modules_generation(modules) != 0 && list->counts.counter <= modules->counts.counter)
		return 1;
	for (size_t i = 0; i < modules->present.count; i++)
		modules->present.stays[i].module->is_seen = 0;
	if (!reserve_stays(modules, &listed, list->count))
		return 0;
	for (size_t i = 0; i < list->count; i++) {
		if (!list_module(modules, list, &list->modules[i], &listed)) {
			release_stays(&modules->allocator, &listed);
			return 0;
		}
	}
	has_changed = end_stays(modules, list->counts.counter);
	has_changed |= listed.count != modules->present.count || native_modules_generation(modules) == 0;
	for (size_t i = 0; !has_changed && i < listed.count; i++)
		has_changed = listed.stays[i].module != modules->present.stays[i].module;
	modules->counts = list->counts;
	if (has_changed)
		atomic_fetch_add_explicit(&modules->generation, 1, memory_order_release);
	release_stays(&modules->allocator, &modules->present);
	modules->present = listed;
	return 1;
}

static int read_list(native_modules *modules, loaded_list *list)
{
	int is_well;

	if (modules->is_of_another)
		return 1;
	if (!loaded_list_read(list, &modules->allocator, modules->source))
		return 0;
	pthread_mutex_lock(&modules->lock);
	is_well = replace_list(modules, list);
	pthread_mutex_unlock(&modules->lock);
	return is_well;
}

int native_modules_look(native_modules *modules)
{
	return read_list(modules, &modules->found);
}

int native_modules_update(native_modules *modules)
{
	loaded_list list = {0};
	int is_well = 1;

	if (native_modules_have_changed(modules))
		is_well = read_list(modules, &list);
	loaded_list_destroy(&list, &modules->allocator);
	return is_well;
}

/* With the lock: releases the modules of which no stay is left. */
static void release_unused(native_modules *modules)
{
	size_t kept = 0;

	for (size_t i = 0; i < modules->known_count; i++)
		modules->known[i]->is_seen = 0;
	for (size_t i = 0; i < modules->present.count; i++)
		modules->present.stays[i].module->is_seen = 1;
	for (size_t i = 0; i < modules->gone.count; i++)
		modules->gone.stays[i].module->is_seen = 1;
	for (size_t i = 0; i < modules->known_count; i++) {
		if (modules->known[i]->is_seen)
			modules->known[kept++] = modules->known[i];
		else
			release_module(&modules->allocator, modules->known[i]);
	}
	modules->known_count = kept;
}

void native_modules_trim(native_modules *modules)
{
	stay_array *gone = &modules->gone;

	pthread_mutex_lock(&modules->lock);
	if (gone->count > MAX_GONE) {
		memmove(gone->stays, gone->stays + (gone->count - MAX_GONE / 2), MAX_GONE / 2 * sizeof(*gone->stays));
		gone->count = MAX_GONE / 2;
		release_unused(modules);
	}
	pthread_mutex_unlock(&modules->lock);
}

void native_modules_clear(native_modules *modules)
{
	modules->present.count = 0;
	modules->gone.count = 0;
	modules->is_of_another = 1;
	release_unused(modules);
}

int native_modules_assign(native_modules *modules, uint64_t start, uint32_t id)
{
	const module_stay *stay = find_present(modules, start);

	if (stay == NULL || stay->module->start != start)
		return 0;
	stay->module->id = id;
	return 1;
}

/*
 * The file is read by its path, since the program and the vDSO of this process are not those of the process that ended.
 */
static native_module *create_recovered(native_modules *modules, const loaded_module *left, const char *file)
{
	native_module *module = allocator_allocate_zeroed(&modules->allocator, sizeof(*module));

	if (module == NULL)
		return NULL;
	module->start = left->start;
	module->end = left->end;
	module->base = left->base;
	module->kind = LOADED_LIBRARY;
	memcpy(module->build_id, left->build_id, sizeof(module->build_id));
	elf_symbols_init(&module->symbols, &modules->allocator);
	elf_symbols_init(&module->bounds, &modules->allocator);
	module->loader_name = copy_text(&modules->allocator, file);
	module->file = copy_text(&modules->allocator, file);
	if (module->loader_name != NULL && module->file != NULL)
		return module;
	release_module(&modules->allocator, module);
	return NULL;
}

int native_modules_recover(native_modules *modules, const loaded_module *left, const char *file, uint32_t id)
{
	native_module *module = create_recovered(modules, left, file);
	void *known = modules->known;
	void *listed = modules->present.stays;
	size_t index = modules->present.count;
	int has_room;

	if (module == NULL)
		return 0;
	has_room = array_reserve(&modules->allocator, &listed, &modules->present.capacity, index + 1,
				 sizeof(*modules->present.stays)) &&
		   array_reserve(&modules->allocator, &known, &modules->known_capacity, modules->known_count + 1,
				 sizeof(*modules->known));
	modules->present.stays = listed;
	modules->known = known;
	if (!has_room) {
		release_module(&modules->allocator, module);
		return 0;
	}
	modules->known[modules->known_count++] = module;
	for (; index > 0 && modules->present.stays[index - 1].module->start > module->start; index--)
		modules->present.stays[index] = modules->present.stays[index - 1];
	modules->present.stays[index] = (module_stay){.module = module, .until = UINT64_MAX};
	modules->present.count++;
	modules->is_of_another = 1;
	atomic_store_explicit(&modules->generation, 1, memory_order_release);
	module->id = id;
	if (is_identified_by_file(module->kind, module->build_id))
		module->file_identity = identify_file(module->file);
	return 1;
}

/*
 * With the lock. A module that was seen loaded before and after the event contained the address. Otherwise it was
 * loaded or unloaded at about that time, which only counts if no other module can have been at the address.
 */
static native_module *find_among_gone(const native_modules *modules, const module_stay *present, uint64_t address,
				      uint64_t counter)
{
	const stay_array *gone = &modules->gone;
	native_module *possible = NULL;
	int possible_count = 0;

	if (present != NULL && counter >= present->first)
		return present->module;
	if (present != NULL && counter >= present->since) {
		possible = present->module;
		possible_count = 1;
	}
	for (size_t i = gone->count; i > 0 && gone->stays[i - 1].until > counter; i--) {
		const module_stay *stay = &gone->stays[i - 1];

		if (address < stay->module->start || address >= stay->module->end || counter < stay->since)
			continue;
		if (counter >= stay->first && counter <= stay->last)
			return stay->module;
		possible_count += stay->module != possible;
		possible = stay->module;
	}
	return possible_count == 1 ? possible : NULL;
}

/* Whether a module that was unloaded contained the address. */
static int has_left(const native_modules *modules, uint64_t address)
{
	for (size_t i = 0; i < modules->known_count; i++) {
		const native_module *module = modules->known[i];

		if (module->has_left && address >= module->start && address < module->end)
			return 1;
	}
	return 0;
}

native_module *native_modules_find(native_modules *modules, uint64_t address, uint64_t counter, int *is_final)
{
	const module_stay *present;
	native_module *module;

	pthread_mutex_lock(&modules->lock);
	present = find_present(modules, address);
	module = present != NULL ? present->module : NULL;
	if (has_left(modules, address)) {
		*is_final = 0;
		module = find_among_gone(modules, present, address, counter);
	}
	pthread_mutex_unlock(&modules->lock);
	return module;
}

/* Adds the symbols of a file of debug information, which is found by its build ID. */
static void add_debug_file(native_module *module)
{
	char path[sizeof("/usr/lib/debug/.build-id/") + ELF_BUILD_ID_TEXT + sizeof("/.debug")];

	if (strlen(module->build_id) <= 2)
		return;
	snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%.2s/%s.debug", module->build_id, module->build_id + 2);
	elf_symbols_add_file(&module->symbols, path, module->build_id);
}

/* The file of the program itself, even if its path leads to another one by now. */
static const char *path_of(const native_module *module)
{
	return module->kind == LOADED_PROGRAM && access(PROGRAM_FILE, F_OK) == 0 ? PROGRAM_FILE : module->file;
}

static void read_symbols(native_module *module)
{
	const char *path = path_of(module);
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	if (module->kind == LOADED_VDSO) {
		/* The section table is after the end of its segment, in the same page. */
		elf_symbols_add_memory(&module->symbols, (const void *)(uintptr_t)module->start,
				       (size_t)((module->end + page - 1) / page * page - module->start));
	} else if (!is_identified_by_file(module->kind, module->build_id)) {
		if (!elf_symbols_add_file(&module->symbols, path, module->build_id))
			add_debug_file(module);
	} else if (module->file_identity == identify_file(path)) {
		elf_symbols_add_file(&module->symbols, path, "");
	}
	elf_symbols_sort(&module->symbols);
}

const elf_symbol *native_modules_function(const native_modules *modules, native_module *module, uint64_t address)
{
	if (!modules->with_symbols)
		return NULL;
	if (!module->has_symbols) {
		module->has_symbols = 1;
		read_symbols(module);
	}
	return elf_symbols_find(&module->symbols, address - module->base);
}

static void read_bounds(native_module *module)
{
	const char *path = path_of(module);

	if (module->kind == LOADED_VDSO)
		return;
	if (!is_identified_by_file(module->kind, module->build_id))
		elf_bounds_read(&module->bounds, path, module->build_id);
	else if (module->file_identity == identify_file(path))
		elf_bounds_read(&module->bounds, path, "");
}

const elf_symbol *native_modules_bounds(const native_modules *modules, native_module *module, uint64_t address)
{
	if (!modules->with_symbols)
		return NULL;
	if (!module->has_bounds) {
		module->has_bounds = 1;
		read_bounds(module);
	}
	return elf_symbols_find(&module->bounds, address - module->base);
}
