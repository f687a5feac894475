/* SPDX-License-Identifier: MIT */
/* Names the addresses of native code. */
#include "recorder/tables/native_code.h"

#include "base/allocator.h"
#include "base/hash_map.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

/* The generation of the list. */
static inline uint32_t native_modules_generation(const native_modules *modules)
{
	return atomic_load_explicit(&modules->generation, memory_order_acquire);
}

#ifndef O_PATH
#define O_PATH O_RDONLY
#endif

#define PROGRAM_FILE "/proc/self/exe"

/* Stays of unloaded modules that are kept. They are needed for events that were recorded and not drained yet. */
#define MAX_GONE 4096

/*
 * A key of a function is its address, and in the bits above the number of its module. User space has addresses of 47
 * bits unless a program asks for more; frames of a log have keys of up to 62 bits.
 */
#define NUMBER_SHIFT 48
#define MAX_NUMBER ((UINT32_C(1) << 13) - 1)
#define ADDRESS_MASK ((UINT64_C(1) << NUMBER_SHIFT) - 1)

/* In the journal, of a module whose functions have keys at the addresses of another one. */
#define NO_NUMBER UINT32_MAX

/* Returns 0 if the lock cannot be created. */
static int native_modules_init(native_modules *modules, const mprof_allocator *allocator, const counter_source *source,
			       const mprof_recorder_options *options)
{
	memset(modules, 0, sizeof(*modules));
	if (pthread_mutex_init(&modules->lock, NULL) != 0)
		return 0;
	modules->allocator = *allocator;
	modules->source = source;
	modules->with_symbols = !options->without_symbols;
	modules->with_keys = options->keys_are_functions != 0;
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

static void native_modules_destroy(native_modules *modules)
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

/* Whether the loader's list may have changed since the last update. Cheap if the loader counts changes. */
static int native_modules_have_changed(native_modules *modules)
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

/* Whether the list has been compared since an event: what was loaded after that cannot have contained its address. */
static int native_modules_were_compared_since(native_modules *modules, uint64_t counter)
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
	int is_valid;

	if (modules->is_of_another)
		return 1;
	if (!loaded_list_read(list, &modules->allocator, modules->source))
		return 0;
	pthread_mutex_lock(&modules->lock);
	is_valid = replace_list(modules, list);
	pthread_mutex_unlock(&modules->lock);
	return is_valid;
}

/* Updates the list from the loader's. Returns 0 and changes nothing if out of memory. */
static int native_modules_look(native_modules *modules)
{
	return read_list(modules, &modules->found);
}

/* Updates the list if the loader's has changed; for any thread. Returns 0 and changes nothing if out of memory. */
static int native_modules_update(native_modules *modules)
{
	loaded_list list = {0};
	int is_valid = 1;

	if (native_modules_have_changed(modules))
		is_valid = read_list(modules, &list);
	loaded_list_destroy(&list, &modules->allocator);
	return is_valid;
}

/* With the lock: releases the modules that are no longer loaded and whose functions have no keys. */
static void release_unused(native_modules *modules)
{
	size_t kept = 0;

	for (size_t i = 0; i < modules->known_count; i++)
		modules->known[i]->is_seen = modules->known[i]->has_keys;
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

/* Forgets what is too old to be needed. Modules of native_modules_find() become invalid. */
static void native_modules_trim(native_modules *modules)
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
	for (size_t i = 0; i < modules->known_count; i++)
		modules->known[i]->has_keys = 0;
	release_unused(modules);
}

/* Assigns the ID that the log has for the module that starts at an address. Returns 0 if there is no such module. */
static int native_modules_assign(native_modules *modules, uint64_t start, uint32_t id)
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
static native_module *create_recovered(native_modules *modules, const loaded_module *remaining, const char *file)
{
	native_module *module = allocator_allocate_zeroed(&modules->allocator, sizeof(*module));

	if (module == NULL)
		return NULL;
	module->start = remaining->start;
	module->end = remaining->end;
	module->base = remaining->base;
	module->kind = LOADED_LIBRARY;
	memcpy(module->build_id, remaining->build_id, sizeof(module->build_id));
	elf_symbols_init(&module->symbols, &modules->allocator);
	elf_symbols_init(&module->bounds, &modules->allocator);
	module->loader_name = copy_text(&modules->allocator, file);
	module->file = copy_text(&modules->allocator, file);
	if (module->loader_name != NULL && module->file != NULL)
		return module;
	release_module(&modules->allocator, module);
	return NULL;
}

/*
 * Adds a module of a process that has ended, with its file, its number and its ID in the log. After this, the list is
 * that of the process, and the loader is not asked. Returns 0 if there is no memory.
 */
static int native_modules_recover(native_modules *modules, const loaded_module *remaining, const char *file,
				  uint32_t number, uint32_t id)
{
	native_module *module = create_recovered(modules, remaining, file);
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
	module->number = number;
	module->has_keys = 1;
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

/*
 * The module of an address that was recorded at a counter. NULL if there was none, or if it is open which of several.
 * Valid until native_modules_trim(). is_final is set to 0 if the result differs for another counter.
 */
static native_module *native_modules_find(native_modules *modules, uint64_t address, uint64_t counter, int *is_final)
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

/* With the lock. Does nothing the second time. */
static void know_symbols(native_module *module)
{
	if (module->has_symbols)
		return;
	module->has_symbols = 1;
	read_symbols(module);
}

/* The function at an address of the module, or NULL. The first call reads the file. Any thread. */
static const elf_symbol *native_modules_function(native_modules *modules, native_module *module, uint64_t address)
{
	if (!modules->with_symbols)
		return NULL;
	pthread_mutex_lock(&modules->lock);
	know_symbols(module);
	pthread_mutex_unlock(&modules->lock);
	return elf_symbols_find(&module->symbols, address - module->base);
}

/* Whether a module is another one that was loaded at other addresses. */
static int is_same_file(const native_module *a, const native_module *b)
{
	return a->end - a->start == b->end - b->start && strcmp(a->build_id, b->build_id) == 0 &&
	       a->file_identity == b->file_identity && strcmp(a->loader_name, b->loader_name) == 0;
}

/* With the lock. The functions of a module that is loaded again keep their keys, wherever it is loaded. */
static void number_module(native_modules *modules, native_module *module)
{
	if (module->has_keys)
		return;
	module->has_keys = 1;
	for (size_t i = 0; i < modules->known_count && module->original == NULL; i++) {
		native_module *other = modules->known[i];

		if (other == module || !other->has_keys || other->original != NULL)
			continue;
		if (is_same_file(other, module))
			module->original = other;
		else if (other->start < module->end && other->end > module->start && other->number >= module->number)
			module->number = other->number + 1;
	}
	/* The journal has another number. */
	if (module->original != NULL || module->number != 0)
		atomic_fetch_add_explicit(&modules->generation, 1, memory_order_release);
}

int native_modules_follow(native_modules *modules)
{
	if (!native_modules_update(modules))
		return 0;
	if (!modules->with_keys)
		return 1;
	pthread_mutex_lock(&modules->lock);
	for (size_t i = 0; i < modules->present.count; i++)
		number_module(modules, modules->present.stays[i].module);
	/* When the names are needed, the file may be gone. */
	for (size_t i = 0; i < modules->known_count && modules->with_symbols; i++) {
		if (modules->known[i]->has_left)
			know_symbols(modules->known[i]);
	}
	pthread_mutex_unlock(&modules->lock);
	return 1;
}

/* The key of the first address of a module whose functions have keys. */
static mprof_key module_key(const native_module *module)
{
	const native_module *original = module->original != NULL ? module->original : module;

	return (uint64_t)original->number << NUMBER_SHIFT | original->start;
}

int native_modules_find_key(native_modules *modules, uint64_t address, mprof_key *key, uint64_t *first, uint64_t *last)
{
	const module_stay *stay;

	*key = address;
	*first = address;
	*last = address;
	if (!native_modules_update(modules))
		return 0;
	pthread_mutex_lock(&modules->lock);
	stay = find_present(modules, address);
	if (stay != NULL) {
		number_module(modules, stay->module);
		*first = stay->module->start;
		*last = stay->module->end - 1;
		*key = module_key(stay->module) + (address - stay->module->start);
	}
	pthread_mutex_unlock(&modules->lock);
	if (*key >> NUMBER_SHIFT > MAX_NUMBER)
		*key = 0;
	return 1;
}

/* The module of a key that was used before. */
static native_module *find_numbered(native_modules *modules, mprof_key key)
{
	const uint64_t address = key & ADDRESS_MASK;
	native_module *found = NULL;

	pthread_mutex_lock(&modules->lock);
	for (size_t i = 0; i < modules->known_count && found == NULL; i++) {
		native_module *module = modules->known[i];

		if (module->has_keys && module->original == NULL && module->number == key >> NUMBER_SHIFT &&
		    address >= module->start && address < module->end)
			found = module;
	}
	pthread_mutex_unlock(&modules->lock);
	return found;
}

/* The module of a key; NULL if there is none. \p shared is NULL on other threads than the writer thread. */
static native_module *module_of_key(native_modules *modules, mprof_key key, recorder_shared *shared)
{
	native_module *module = find_numbered(modules, key);
	mprof_key found;
	uint64_t first;
	uint64_t last;

	if (module != NULL || key >> NUMBER_SHIFT != 0)
		return module;
	if (shared != NULL)
		recorder_begin_blocking(shared);
	(void)native_modules_find_key(modules, key, &found, &first, &last);
	if (shared != NULL)
		recorder_end_blocking(shared);
	return find_numbered(modules, key);
}

/* The symbol of the function at an address; NULL if the module has none. */
static const char *function_name(native_modules *modules, native_module *module, uint64_t address)
{
	const elf_symbol *symbol = native_modules_function(modules, module, address);

	return symbol != NULL && (symbol->has_size || symbol->start == address - module->base)
		       ? elf_symbols_name(&module->symbols, symbol)
		       : NULL;
}

/* The name of a module without its directory. */
static const char *module_name(const native_module *module)
{
	const char *slash = strrchr(module->file, '/');
	const char *name = slash != NULL ? slash + 1 : module->file;

	return name[0] != '\0' ? name : "program";
}

void native_modules_name_key(native_modules *modules, mprof_key key, const char **module, const char **function)
{
	native_module *found = module_of_key(modules, key, NULL);

	*module = found != NULL ? module_name(found) : NULL;
	*function = found != NULL ? function_name(modules, found, key & ADDRESS_MASK) : NULL;
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

/* The bounds of the function at an address of the module, or NULL. It has no name. The first call reads the file. */
static const elf_symbol *native_modules_bounds(const native_modules *modules, native_module *module, uint64_t address)
{
	if (!modules->with_symbols)
		return NULL;
	if (!module->has_bounds) {
		module->has_bounds = 1;
		read_bounds(module);
	}
	return elf_symbols_find(&module->bounds, address - module->base);
}

/* Maximum number of locations: 176 MiB of memory, 264 MiB while the table grows. Further addresses have none. */
#define MAX_LOCATIONS (UINT32_C(1) << 22)

/* Number of pending records at which a block is written. */
#define MAX_PENDING 256

#define PENDING_SIZE (MAX_PENDING * sizeof(mprof_record))

/* A location needs up to three records. There must be room for all of them before its ID is assigned. */
#define RECORDS_AT_ONCE 3

/* Numbers of functions without a symbol have this bit, which no index of a symbol has. */
#define BOUNDS_NUMBER (UINT32_C(1) << 31)

int native_code_init(native_code *code, recorder_shared *shared, recorder_output *output, salvage_journal *journal,
		     const mprof_recorder_options *options)
{
	const mprof_allocator *allocator = &shared->allocator;

	memset(code, 0, sizeof(*code));
	code->shared = shared;
	code->output = output;
	code->journal = journal;
	code->allocator = *allocator;
	hash_map_init(&code->locations, allocator);
	hash_map_init(&code->functions, allocator);
	return native_modules_init(&code->modules, allocator, &shared->counter, options);
}

void native_code_destroy(native_code *code)
{
	native_modules_destroy(&code->modules);
	hash_map_destroy(&code->locations);
	hash_map_destroy(&code->functions);
	allocator_release(&code->allocator, code->known, code->known_capacity * sizeof(*code->known));
	allocator_release(&code->allocator, code->pending, code->pending != NULL ? PENDING_SIZE : 0);
	code->known = NULL;
	code->pending = NULL;
}

/* Both call the loader. */
static int modules_have_changed(native_code *code)
{
	int have_changed;

	recorder_begin_blocking(code->shared);
	have_changed = native_modules_have_changed(&code->modules);
	recorder_end_blocking(code->shared);
	return have_changed;
}

static void read_modules(native_code *code)
{
	recorder_begin_blocking(code->shared);
	/* If out of memory, addresses in modules that were loaded since have no module. */
	(void)native_modules_look(&code->modules);
	recorder_end_blocking(code->shared);
}

/* With the lock. */
static void journal_module(native_code *code, const native_module *module)
{
	const uint32_t number = module->original == NULL ? module->number : NO_NUMBER;
	const journal_definition stored = {
		.entry = {.kind = JOURNAL_MODULE, .key = module->start, .id = module->id, .flags = number},
		.owner = module->end,
		.since = module->base,
		.name_length = (uint32_t)strlen(module->build_id),
		.source_file_length = (uint32_t)strlen(module->file)};

	salvage_journal_append_definition(code->journal, &stored, module->build_id, module->file);
}

/* The whole list, since what is not in it any more is gone. */
static void journal_modules(native_code *code)
{
	native_modules *modules = &code->modules;

	if (code->journal->area == NULL)
		return;
	pthread_mutex_lock(&modules->lock);
	code->journaled = native_modules_generation(modules);
	salvage_journal_append(code->journal, &(journal_entry){.kind = JOURNAL_NO_MODULES});
	for (size_t i = 0; i < modules->present.count; i++)
		journal_module(code, modules->present.stays[i].module);
	pthread_mutex_unlock(&modules->lock);
}

/* Updates the list of modules. Pending records are written first: they refer to modules that may be released now. */
static void look_at_modules(native_code *code)
{
	if (modules_have_changed(code)) {
		native_code_write(code);
		native_modules_trim(&code->modules);
		read_modules(code);
	}
	/* Another thread may have updated it. */
	if (code->journaled != native_modules_generation(&code->modules))
		journal_modules(code);
	code->is_current = 1;
}

void native_code_follow_modules(native_code *code)
{
	if (code->journal->area != NULL)
		look_at_modules(code);
}

static void journal_location(native_code *code, uint64_t key, uint32_t location)
{
	salvage_journal_append(code->journal, &(journal_entry){.kind = JOURNAL_LOCATION,
							       .key = key,
							       .id = location,
							       .flags = code->known[location].module});
}

void native_code_write_journal(native_code *code)
{
	const hash_map_entry *entry;
	size_t slot = 0;

	journal_modules(code);
	while ((entry = hash_map_next(&code->functions, &slot)) != NULL)
		salvage_journal_append(
			code->journal,
			&(journal_entry){.kind = JOURNAL_FUNCTION, .key = entry->key, .id = (uint32_t)entry->value});
	slot = 0;
	while ((entry = hash_map_next(&code->locations, &slot)) != NULL)
		journal_location(code, entry->key, (uint32_t)entry->value);
	if (code->locations.has_zero)
		journal_location(code, 0, (uint32_t)code->locations.zero);
}

static int recover_module(native_code *code, const journal_definition *stored)
{
	loaded_module remaining = {.start = stored->entry.key, .end = stored->owner, .base = stored->since};

	/* The journal had the module before it had its ID. */
	if (native_modules_assign(&code->modules, stored->entry.key, stored->entry.id))
		return 1;
	if (stored->name_length < sizeof(remaining.build_id))
		memcpy(remaining.build_id, stored->names, stored->name_length);
	return native_modules_recover(&code->modules, &remaining, journal_source_file(stored), stored->entry.flags,
				      stored->entry.id);
}

/* Its module is looked up again. */
static int recover_location(native_code *code, const journal_entry *entry)
{
	void *known = code->known;

	if (!array_reserve(&code->allocator, &known, &code->known_capacity, (size_t)entry->id + 1,
			   sizeof(*code->known)))
		return 0;
	code->known = known;
	code->known[entry->id] = (known_location){.module = entry->flags};
	return hash_map_put(&code->locations, entry->key, entry->id);
}

int native_code_recover(native_code *code, const journal_entry *entry)
{
	switch (entry->kind) {
	case JOURNAL_NO_MODULES:
		native_modules_clear(&code->modules);
		return 1;
	case JOURNAL_MODULE:
		return recover_module(code, (const journal_definition *)(const void *)entry);
	case JOURNAL_FUNCTION:
		return entry->id > code->function_count || hash_map_put(&code->functions, entry->key, entry->id);
	case JOURNAL_LOCATION:
		return entry->id > code->location_count || entry->id > MAX_LOCATIONS || recover_location(code, entry);
	default:
		return 1;
	}
}

uint32_t native_code_generation(native_code *code)
{
	/* Before the first native address there is nothing to compare. */
	if (!code->is_current && code->location_count > 0)
		look_at_modules(code);
	return native_modules_generation(&code->modules);
}

int native_code_describe(native_code *code, mprof_key key, int is_class, mprof_description *description)
{
	native_module *module = module_of_key(&code->modules, key, code->shared);
	const uint64_t address = key & ADDRESS_MASK;

	if (module == NULL || (is_class && key != module_key(module)))
		return 0;
	description->name = is_class ? module_name(module) : function_name(&code->modules, module, address);
	if (description->name == NULL) {
		snprintf(code->unnamed, sizeof(code->unnamed), "%s+0x%" PRIx64, module_name(module),
			 address - module->start);
		description->name = code->unnamed;
	}
	description->name_length = strlen(description->name);
	description->class_key = is_class ? 0 : module_key(module);
	return 1;
}

static native_module *find_module_of_address(native_code *code, uint64_t address, uint64_t counter, int *is_final)
{
	native_module *module;

	if (!code->is_current)
		look_at_modules(code);
	module = native_modules_find(&code->modules, address, counter, is_final);
	if (module == NULL && !native_modules_were_compared_since(&code->modules, counter) &&
	    modules_have_changed(code)) {
		look_at_modules(code);
		module = native_modules_find(&code->modules, address, counter, is_final);
	}
	return module;
}

/* Reserves memory for one more location and its records. Returns 0 if out of memory. */
static int location_reserve(native_code *code)
{
	void *known = code->known;
	int has_room;

	if (code->location_count >= MAX_LOCATIONS)
		return 0;
	has_room = array_reserve(&code->allocator, &known, &code->known_capacity, (size_t)code->location_count + 2,
				 sizeof(*code->known));
	code->known = known;
	if (code->pending == NULL)
		code->pending = allocator_allocate(&code->allocator, PENDING_SIZE);
	if (!has_room || code->pending == NULL)
		return 0;
	if (code->pending_count + RECORDS_AT_ONCE > MAX_PENDING)
		native_code_write(code);
	return 1;
}

static void add_pending_record(native_code *code, const mprof_record *record)
{
	code->pending[code->pending_count++] = *record;
}

/* A name, or "" if the log cannot contain it. */
static const char *writable_name(const native_code *code, const char *name)
{
	return recorder_name_is_writable(code->shared, name, strlen(name)) ? name : "";
}

static void define_module(native_code *code, native_module *module)
{
	module->id = ++code->module_count;
	pthread_mutex_lock(&code->modules.lock);
	journal_module(code, module);
	pthread_mutex_unlock(&code->modules.lock);
	add_pending_record(code, &(mprof_record){
					 .kind = MPROF_RECORD_MODULE,
					 .id = module->id,
					 .as.module.address = module->start,
					 .as.module.size = module->end - module->start,
					 .as.module.file = writable_name(code, module->file),
					 .as.module.build_id = writable_name(code, module->build_id),
				 });
}

/* A function in a module. */
typedef struct module_function {
	const elf_symbol *symbol;
	const char *name; /* "": it is not known. */
	uint32_t number;
} module_function;

/*
 * Finds the function at an address: by its symbol, else by its bounds. A symbol without a size, as assembly code may
 * have, is not that of the functions after it. Returns 0 if there is none.
 */
static int find_function(native_code *code, native_module *module, uint64_t address, module_function *function)
{
	const elf_symbol *symbol = native_modules_function(&code->modules, module, address);
	const elf_symbol *bounds = NULL;

	if (symbol == NULL || !symbol->has_size)
		bounds = native_modules_bounds(&code->modules, module, address);
	if (bounds != NULL && (symbol == NULL || bounds->start > symbol->start))
		*function = (module_function){bounds, "", (uint32_t)(bounds - module->bounds.symbols) | BOUNDS_NUMBER};
	else if (symbol != NULL)
		*function = (module_function){symbol, elf_symbols_name(&module->symbols, symbol),
					      (uint32_t)(symbol - module->symbols.symbols)};
	else
		return 0;
	return 1;
}

/* The ID of the function at an address, 0 if unknown. The module must have an ID. */
static uint32_t function_id(native_code *code, native_module *module, uint64_t address)
{
	module_function function;
	const uint64_t *known;
	uint64_t key;
	uint64_t start;

	if (!find_function(code, module, address, &function))
		return 0;
	key = (uint64_t)module->id << 32 | function.number;
	known = hash_map_get(&code->functions, key);
	if (known != NULL)
		return (uint32_t)*known;
	start = function.symbol->start + module->base;
	/* The symbols of a module may have wrong addresses. */
	if (start < module->start || start >= module->end || writable_name(code, function.name) != function.name ||
	    !hash_map_put(&code->functions, key, code->function_count + 1))
		return 0;
	code->function_count++;
	salvage_journal_append(code->journal,
			       &(journal_entry){.kind = JOURNAL_FUNCTION, .key = key, .id = code->function_count});
	add_pending_record(code, &(mprof_record){
					 .kind = MPROF_RECORD_FUNCTION,
					 .id = code->function_count,
					 .as.function.module = module->id,
					 .as.function.offset = start - module->start,
					 .as.function.size = function.symbol->has_size
								     ? function.symbol->end - function.symbol->start
								     : 0,
					 .as.function.name = function.name,
				 });
	return code->function_count;
}

static uint32_t define_location(native_code *code, native_module *module, uint64_t key, known_location location)
{
	uint64_t address = key >> 1;
	uint32_t function = 0;

	if (!hash_map_put(&code->locations, key, code->location_count + 1))
		return 0;
	code->known[++code->location_count] = location;
	journal_location(code, key, code->location_count);
	if (module != NULL)
		function = function_id(code, module, address - (key & 1));
	add_pending_record(code, &(mprof_record){
					 .kind = MPROF_RECORD_LOCATION,
					 .id = code->location_count,
					 .as.location.module = location.module,
					 .as.location.function = function,
					 .as.location.offset = module != NULL ? address - module->start : address,
				 });
	return code->location_count;
}

/* The location of an address in a module among those that the address has had; 0 if there is none. */
static uint32_t find_location(const native_code *code, const uint64_t *newest, uint32_t module)
{
	uint32_t location = newest != NULL ? (uint32_t)*newest : 0;

	while (location != 0 && code->known[location].module != module)
		location = code->known[location].previous;
	return location;
}

uint32_t native_code_location(native_code *code, uint64_t address, int is_return, uint64_t counter, int *is_final)
{
	const uint64_t key = address << 1 | (is_return != 0);
	const uint64_t *newest = hash_map_get(&code->locations, key);
	known_location location = {0};
	int is_valid = 1;
	native_module *module;
	uint32_t found;

	if (newest != NULL && code->is_current &&
	    code->known[*newest].generation == native_modules_generation(&code->modules))
		return (uint32_t)*newest;
	if (!location_reserve(code))
		return 0;
	location.generation = native_modules_generation(&code->modules);
	module = find_module_of_address(code, address - (key & 1), counter, &is_valid);
	if (module != NULL && module->id == 0)
		define_module(code, module);
	location.module = module != NULL ? module->id : 0;
	if (!is_valid) {
		*is_final = 0;
		location.generation = 0;
	}
	found = find_location(code, newest, location.module);
	if (found == 0) {
		location.previous = newest != NULL ? (uint32_t)*newest : 0;
		return define_location(code, module, key, location);
	}
	code->known[found].generation = location.generation;
	return found;
}

void native_code_write(native_code *code)
{
	output_write_records(code->output, MPROF_BLOCK_CODE, code->pending, code->pending_count);
	code->pending_count = 0;
	code->is_current = 0;
}
