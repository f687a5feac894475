/* SPDX-License-Identifier: MIT */
/* Keeps the modules of the process, present and recently unloaded, with their symbols. */
#include "recorder/native_modules.h"

#include "base/array.h"
#include "base/hash.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef O_PATH
#define O_PATH O_RDONLY
#endif

#define PROGRAM_FILE "/proc/self/exe"

void native_modules_init(native_modules *modules, const mprof_allocator *allocator, int with_symbols)
{
	memset(modules, 0, sizeof(*modules));
	modules->allocator = *allocator;
	modules->with_symbols = with_symbols;
}

static void release_module(const mprof_allocator *allocator, native_module *module)
{
	if (module->loader_name != NULL)
		allocator_release(allocator, module->loader_name, strlen(module->loader_name) + 1);
	if (module->file != NULL)
		allocator_release(allocator, module->file, strlen(module->file) + 1);
	elf_symbols_destroy(&module->symbols);
	allocator_release(allocator, module, sizeof(*module));
}

static void release_array(const mprof_allocator *allocator, module_array *array)
{
	for (size_t i = 0; i < array->count; i++)
		release_module(allocator, array->modules[i]);
	allocator_release(allocator, array->modules, array->capacity * sizeof(*array->modules));
	memset(array, 0, sizeof(*array));
}

void native_modules_destroy(native_modules *modules)
{
	release_array(&modules->allocator, &modules->present);
	release_array(&modules->allocator, &modules->gone);
	loaded_list_destroy(&modules->found, &modules->allocator);
}

int native_modules_have_changed(const native_modules *modules)
{
	if (modules->is_of_another)
		return 0;
	loaded_counts counts;

	if (modules->generation == 0 || !modules->counts.are_known)
		return 1;
	counts = loaded_counts_read();
	return counts.added != modules->counts.added || counts.removed != modules->counts.removed;
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

static native_module *create_module(const native_modules *modules, const loaded_module *loaded)
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
	module->loader_name = copy_text(allocator, modules->found.names + loaded->name);
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
static int is_same_module(const native_module *known, const native_modules *modules, const loaded_module *loaded)
{
	return known->start == loaded->start && known->end == loaded->end && known->base == loaded->base &&
	       strcmp(known->build_id, loaded->build_id) == 0 &&
	       strcmp(known->loader_name, modules->found.names + loaded->name) == 0 &&
	       (!is_identified_by_file(known->kind, known->build_id) ||
		known->file_identity == identify_file(known->file));
}

static native_module *find_present(const native_modules *modules, uint64_t address)
{
	native_module **present = modules->present.modules;
	size_t low = 0;
	size_t high = modules->present.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (present[middle]->start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && address < present[low - 1]->end ? present[low - 1] : NULL;
}

/* Creates the new list, reusing known modules. Returns 0 and changes nothing if out of memory. */
static int list_found(native_modules *modules, module_array *listed, size_t *created)
{
	const loaded_list *found = &modules->found;
	void *memory = NULL;

	*created = 0;
	if (!array_reserve(&modules->allocator, &memory, &listed->capacity, found->count, sizeof(*listed->modules)))
		return 0;
	listed->modules = memory;
	for (size_t i = 0; i < modules->present.count; i++)
		modules->present.modules[i]->is_seen = 0;
	for (size_t i = 0; i < found->count; i++) {
		const loaded_module *loaded = &found->modules[i];
		native_module *module = find_present(modules, loaded->start);

		if (module == NULL || module->is_seen || !is_same_module(module, modules, loaded)) {
			module = create_module(modules, loaded);
			++*created;
		}
		if (module == NULL)
			break;
		module->is_seen = 1;
		listed->modules[listed->count++] = module;
	}
	if (listed->count == found->count)
		return 1;
	/* Known modules stay where they are. */
	for (size_t i = 0; i < listed->count; i++) {
		if (find_present(modules, listed->modules[i]->start) != listed->modules[i])
			release_module(&modules->allocator, listed->modules[i]);
	}
	listed->count = 0;
	release_array(&modules->allocator, listed);
	return 0;
}

/* Moves the modules that were not found to the list of unloaded ones, where room was reserved before. */
static void move_gone(native_modules *modules, uint64_t counter)
{
	module_array *gone = &modules->gone;

	for (size_t i = 0; i < gone->count; i++)
		release_module(&modules->allocator, gone->modules[i]);
	gone->count = 0;
	for (size_t i = 0; i < modules->present.count; i++) {
		native_module *module = modules->present.modules[i];

		if (module->is_seen)
			continue;
		module->gone_at = counter;
		gone->modules[gone->count++] = module;
	}
}

int native_modules_look(native_modules *modules, uint64_t counter)
{
	module_array listed = {NULL, 0, 0};
	void *gone = modules->gone.modules;
	size_t created;
	int has_room = array_reserve(&modules->allocator, &gone, &modules->gone.capacity, modules->present.count,
				     sizeof(*modules->gone.modules));

	modules->gone.modules = gone;
	if (!has_room || !loaded_list_read(&modules->found, &modules->allocator) ||
	    !list_found(modules, &listed, &created))
		return 0;
	modules->counts = modules->found.counts;
	if (created > 0 || listed.count != modules->present.count) {
		move_gone(modules, counter);
		modules->generation++;
	}
	allocator_release(&modules->allocator, modules->present.modules,
			  modules->present.capacity * sizeof(*modules->present.modules));
	modules->present = listed;
	return 1;
}

void native_modules_clear(native_modules *modules)
{
	for (size_t i = 0; i < modules->present.count; i++)
		release_module(&modules->allocator, modules->present.modules[i]);
	modules->present.count = 0;
	modules->is_of_another = 1;
}

int native_modules_assign(native_modules *modules, uint64_t start, uint32_t id)
{
	native_module *module = find_present(modules, start);

	if (module == NULL || module->start != start)
		return 0;
	module->id = id;
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
	void *listed = modules->present.modules;
	size_t index = modules->present.count;

	if (module == NULL)
		return 0;
	if (!array_reserve(&modules->allocator, &listed, &modules->present.capacity, index + 1,
			   sizeof(*modules->present.modules))) {
		release_module(&modules->allocator, module);
		return 0;
	}
	modules->present.modules = listed;
	for (; index > 0 && modules->present.modules[index - 1]->start > module->start; index--)
		modules->present.modules[index] = modules->present.modules[index - 1];
	modules->present.modules[index] = module;
	modules->present.count++;
	modules->is_of_another = 1;
	modules->generation = 1;
	module->id = id;
	if (is_identified_by_file(module->kind, module->build_id))
		module->file_identity = identify_file(module->file);
	return 1;
}

native_module *native_modules_find(const native_modules *modules, uint64_t address, uint64_t counter, int *is_final)
{
	native_module *module = find_present(modules, address);

	for (size_t i = 0; module == NULL && i < modules->gone.count; i++) {
		native_module *gone = modules->gone.modules[i];

		if (address >= gone->start && address < gone->end && counter < gone->gone_at) {
			*is_final = 0;
			module = gone;
		}
	}
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

static void read_symbols(native_module *module)
{
	const char *path = module->kind == LOADED_PROGRAM ? PROGRAM_FILE : module->file;
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
