/* SPDX-License-Identifier: MIT */
/* Assigns IDs to native addresses, and writes CODE blocks. */
#include "recorder/native_code.h"

#include "base/array.h"

#include <string.h>

#define PENDING_SIZE (NATIVE_PENDING_MAX * sizeof(mprof_record))

/* A location needs up to three records. There must be room for all of them before its ID is assigned. */
#define RECORDS_AT_ONCE 3

/* Numbers of functions without a symbol have this bit, which no index of a symbol has. */
#define BOUNDS_NUMBER (UINT32_C(1) << 31)

int native_code_init(native_code *code, recorder_shared *shared, recorder_output *output, salvage_journal *journal,
		     int with_symbols)
{
	const mprof_allocator *allocator = &shared->allocator;

	memset(code, 0, sizeof(*code));
	code->shared = shared;
	code->output = output;
	code->journal = journal;
	code->allocator = *allocator;
	hash_map_init(&code->locations, allocator);
	hash_map_init(&code->functions, allocator);
	return native_modules_init(&code->modules, allocator, &shared->counter, with_symbols);
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

static void journal_module(native_code *code, const native_module *module)
{
	const journal_definition stored = {.entry = {.kind = JOURNAL_MODULE, .key = module->start, .id = module->id},
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
	loaded_module left = {.start = stored->entry.key, .end = stored->owner, .base = stored->since};

	/* The journal had the module before it had its ID. */
	if (native_modules_assign(&code->modules, stored->entry.key, stored->entry.id))
		return 1;
	if (stored->name_length < sizeof(left.build_id))
		memcpy(left.build_id, stored->names, stored->name_length);
	return native_modules_recover(&code->modules, &left, journal_source_file(stored), stored->entry.id);
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
		return entry->id > code->location_count || entry->id > NATIVE_LOCATIONS_MAX ||
		       recover_location(code, entry);
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

	if (code->location_count >= NATIVE_LOCATIONS_MAX)
		return 0;
	has_room = array_reserve(&code->allocator, &known, &code->known_capacity, (size_t)code->location_count + 2,
				 sizeof(*code->known));
	code->known = known;
	if (code->pending == NULL)
		code->pending = allocator_allocate(&code->allocator, PENDING_SIZE);
	if (!has_room || code->pending == NULL)
		return 0;
	if (code->pending_count + RECORDS_AT_ONCE > NATIVE_PENDING_MAX)
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
	journal_module(code, module);
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
static int find_function(const native_code *code, native_module *module, uint64_t address, module_function *function)
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
