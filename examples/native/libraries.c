/* SPDX-License-Identifier: MIT */
/*
 * Keeps the program and its libraries.
 *
 * dladdr(3) would suffice to find the library at an address, but it waits while another thread runs the constructors of
 * a library, which in turn may wait for the thread that resolves names. So libraries are found by dl_iterate_phdr(3).
 */
#include "libraries.h"

#include "own_memory.h"
#include "symbols.h"

#include "shared/hash.h"
#include "shared/loader.h"

#include <errno.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* User space has addresses of 47 bits unless a program asks for more. Frames of a log have keys of up to 62 bits. */
#define NUMBER_SHIFT 48
#define MAX_NUMBER ((1u << 13) - 1)
#define ADDRESS_MASK ((UINT64_C(1) << NUMBER_SHIFT) - 1)

/* The key of functions in libraries that have no number any more. It is not valid, so they have no name. */
#define NO_KEY 0

#define PROGRAM_FILE "/proc/self/exe"

struct library {
	library *next;
	uintptr_t bias; /* Difference of addresses in memory and in the file. */
	uintptr_t first;
	uintptr_t last; /* Last address of its segments in memory, inclusive. */
	uint32_t number;
	const library *original; /* The same file as it was loaded first, at another address; NULL if this is it. */
	file_identity identity;
	char *path; /* As the loader has it: "" for the program itself. */
	char *name;
	int has_symbols; /* They were read. */
	symbol_table symbols;
};

/* A library as the loader has it. Read under the loader's lock, where nothing may be allocated. */
typedef struct found_library {
	uintptr_t bias;
	uintptr_t first;
	uintptr_t last;
	file_identity identity;
	char path[PATH_MAX];
} found_library;

/* Guarded by libraries_lock, as the symbols are. The rest of a library does not change once it is in the list. */
static library *libraries;
static pthread_mutex_t libraries_lock = PTHREAD_MUTEX_INITIALIZER;

_Atomic int libraries_are_closed;

/* The number of libraries that the loader lists first and that are never closed. Constant once the program runs. */
static size_t permanent_count;

/*
 * Incremented before and after each dlclose(), and the calls of it that have not returned. A library stays where it is
 * while both are unchanged and the second is 0.
 */
static _Atomic uint32_t changes;
static _Atomic uint32_t open_changes;

/* The libraries that this thread found last. */
#define CACHE_SIZE 8

static __thread __attribute__((tls_model("initial-exec"))) struct {
	uint32_t changes; /* The number above for which it is valid. */
	uintptr_t first;  /* 0: not used. */
	uintptr_t last;
	uint64_t distance; /* From the address of a function to its key. */
} cache[CACHE_SIZE];

void libraries_forget(void)
{
	static const pthread_mutex_t unlocked = PTHREAD_MUTEX_INITIALIZER;

	libraries_lock = unlocked;
	libraries = NULL;
	/* The threads of the parent that were in dlclose() do not exist in the child. */
	atomic_store_explicit(&open_changes, 0, memory_order_relaxed);
	atomic_fetch_add_explicit(&changes, 1, memory_order_release);
}

static int count_library(struct dl_phdr_info *info, size_t size, void *user)
{
	(void)info;
	(void)size;
	++*(size_t *)user;
	return 0;
}

void libraries_begin(void)
{
	size_t count = 0;

	if (permanent_count != 0)
		return;
	dl_iterate_phdr(count_library, &count);
	permanent_count = count;
}

static void find_range(const struct dl_phdr_info *info, uintptr_t *first, uintptr_t *last)
{
	*first = UINTPTR_MAX;
	*last = 0;
	for (ElfW(Half) i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD || segment->p_memsz == 0)
			continue;
		*first = start < *first ? start : *first;
		*last = start + segment->p_memsz - 1 > *last ? start + segment->p_memsz - 1 : *last;
	}
}

/* Without /proc, as in a directory that became the root, the program has the name by which it was executed. */
static const char *program_file(void)
{
	return access(PROGRAM_FILE, F_OK) == 0 ? PROGRAM_FILE : (const char *)(uintptr_t)getauxval(AT_EXECFN);
}

static const char *file_of(const char *path)
{
	return path[0] != '\0' ? path : program_file();
}

static void copy_found(found_library *found, const struct dl_phdr_info *info, uintptr_t first, uintptr_t last)
{
	found->bias = info->dlpi_addr;
	found->first = first;
	found->last = last;
	strncpy(found->path, info->dlpi_name, sizeof(found->path) - 1);
	found->path[sizeof(found->path) - 1] = '\0';
	symbols_identify(info, file_of(found->path), &found->identity);
}

typedef struct library_search {
	uintptr_t address;
	int is_found;
	found_library found;
} library_search;

static int search_library(struct dl_phdr_info *info, size_t size, void *user)
{
	library_search *search = user;
	uintptr_t first;
	uintptr_t last;

	(void)size;
	find_range(info, &first, &last);
	if (search->address < first || search->address > last)
		return 0;
	copy_found(&search->found, info, first, last);
	search->is_found = 1;
	return 1;
}

static char *copy_text(const char *text)
{
	const size_t size = strlen(text) + 1;
	char *copy = own_memory_take(size);

	return copy != NULL ? memcpy(copy, text, size) : NULL;
}

static char *base_name(const char *path)
{
	char program[PATH_MAX];
	const char *slash;

	if (path[0] == '\0') {
		ssize_t length = readlink(PROGRAM_FILE, program, sizeof(program) - 1);

		program[length > 0 ? length : 0] = '\0';
		path = length > 0 ? program : program_file();
	}
	slash = strrchr(path, '/');
	return copy_text(slash != NULL ? slash + 1 : path);
}

/* With the lock. */
static library *find_same(const found_library *found)
{
	library *known = libraries;

	while (known != NULL &&
	       (known->bias != found->bias || known->first != found->first || known->last != found->last ||
		strcmp(known->path, found->path) != 0 || !symbols_is_same_file(&known->identity, &found->identity)))
		known = known->next;
	return known;
}

/* With the lock. */
static const library *find_original(const found_library *found)
{
	const library *known = libraries;

	while (known != NULL &&
	       (known->original != NULL || known->last - known->first != found->last - found->first ||
		strcmp(known->path, found->path) != 0 || !symbols_is_same_file(&known->identity, &found->identity)))
		known = known->next;
	return known;
}

/* With the lock. Returns NULL if out of memory. */
static library *add_library(const found_library *found)
{
	library *added = own_memory_take(sizeof(*added));

	if (added == NULL)
		return NULL;
	added->bias = found->bias;
	added->first = found->first;
	added->last = found->last;
	added->identity = found->identity;
	added->path = copy_text(found->path);
	added->name = base_name(found->path);
	if (added->path == NULL) {
		own_memory_give(added->name);
		own_memory_give(added);
		return NULL;
	}
	added->original = find_original(found);
	for (const library *other = libraries; other != NULL && added->original == NULL; other = other->next) {
		if (other->original == NULL && other->first <= added->last && other->last >= added->first &&
		    other->number >= added->number)
			added->number = other->number + 1;
	}
	added->next = libraries;
	libraries = added;
	return added;
}

/* With the lock. */
static void read_symbols(library *library)
{
	if (library->has_symbols)
		return;
	library->has_symbols = 1;
	symbols_read(&library->symbols, file_of(library->path), &library->identity);
}

static library *know_library(const found_library *found)
{
	library *known;

	pthread_mutex_lock(&libraries_lock);
	known = find_same(found);
	if (known == NULL)
		known = add_library(found);
	pthread_mutex_unlock(&libraries_lock);
	return known;
}

/* The library that is loaded at an address at this time. */
static library *find_loaded(uintptr_t address)
{
	library_search search = {.address = address};

	loader_visit(search_library, &search);
	return search.is_found ? know_library(&search.found) : NULL;
}

library *libraries_find(mprof_key function)
{
	const uintptr_t address = (uintptr_t)(function & ADDRESS_MASK);
	const uint64_t number = function >> NUMBER_SHIFT;
	library *known;

	pthread_mutex_lock(&libraries_lock);
	known = libraries;
	while (known != NULL &&
	       (known->original != NULL || address < known->first || address > known->last || known->number != number))
		known = known->next;
	pthread_mutex_unlock(&libraries_lock);
	return known == NULL && number == 0 ? find_loaded(address) : known;
}

/* The libraries that may be closed, with their names as in the loader's list. */
typedef struct closing_list {
	size_t index; /* Of the next one in the loader's list. */
	size_t wanted;
	int is_found;
	found_library found;
} closing_list;

static int find_by_index(struct dl_phdr_info *info, size_t size, void *user)
{
	closing_list *list = user;
	uintptr_t first;
	uintptr_t last;

	(void)size;
	if (list->index++ != list->wanted)
		return 0;
	find_range(info, &first, &last);
	copy_found(&list->found, info, first, last);
	list->is_found = 1;
	return 1;
}

/* Their names are read now: when they are needed, the file may be gone. */
void libraries_begin_close(void)
{
	closing_list list = {.wanted = permanent_count, .is_found = 1};
	const int saved = errno;

	while (list.is_found) {
		library *known;

		list.index = 0;
		list.is_found = 0;
		loader_visit(find_by_index, &list);
		known = list.is_found ? know_library(&list.found) : NULL;
		list.wanted++;
		if (known == NULL)
			continue;
		pthread_mutex_lock(&libraries_lock);
		read_symbols(known);
		pthread_mutex_unlock(&libraries_lock);
	}
	atomic_store_explicit(&libraries_are_closed, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&open_changes, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&changes, 1, memory_order_release);
	errno = saved;
}

void libraries_end_close(void)
{
	atomic_fetch_add_explicit(&changes, 1, memory_order_relaxed);
	/* Release: a thread that sees that no call is open sees the number above. */
	atomic_fetch_sub_explicit(&open_changes, 1, memory_order_release);
}

/* The distance from the address of a function of the library to its key. */
static uint64_t distance_to_key(const library *library)
{
	const struct library *original = library->original != NULL ? library->original : library;

	return (uint64_t)original->first - library->first + ((uint64_t)original->number << NUMBER_SHIFT);
}

static size_t cache_index(uintptr_t function)
{
	return hash_key(function >> 12) & (CACHE_SIZE - 1);
}

int libraries_look_up_known(mprof_key *function)
{
	const uintptr_t address = (uintptr_t)*function;
	const size_t index = cache_index(address);

	if (cache[index].changes != atomic_load_explicit(&changes, memory_order_acquire) || cache[index].first == 0 ||
	    address - cache[index].first > cache[index].last - cache[index].first)
		return 0;
	*function += cache[index].distance;
	return 1;
}

/*
 * What is remembered was found while no library was being closed. The function is executing, so its library is loaded,
 * and stays it.
 */
mprof_key libraries_look_up_key(uintptr_t function)
{
	const size_t index = cache_index(function);
	/* Acquire: pairs with the release in libraries_end_close(). */
	const uint32_t open = atomic_load_explicit(&open_changes, memory_order_acquire);
	const uint32_t number = atomic_load_explicit(&changes, memory_order_acquire);
	const int saved = errno;
	const library *found;

	found = find_loaded(function);
	errno = saved;
	if (found == NULL)
		return function;
	if (found->number > MAX_NUMBER)
		return NO_KEY;
	if (open == 0 && atomic_load_explicit(&open_changes, memory_order_acquire) == 0 &&
	    atomic_load_explicit(&changes, memory_order_acquire) == number) {
		cache[index].changes = number;
		cache[index].first = found->first;
		cache[index].last = found->last;
		cache[index].distance = distance_to_key(found);
	}
	return function + distance_to_key(found);
}

mprof_key libraries_get_key(const library *library)
{
	return library->first + distance_to_key(library);
}

const char *libraries_get_name(const library *library)
{
	return library->name != NULL && library->name[0] != '\0' ? library->name : "program";
}

const char *libraries_get_function(library *library, mprof_key function)
{
	pthread_mutex_lock(&libraries_lock);
	read_symbols(library);
	pthread_mutex_unlock(&libraries_lock);
	return symbols_find(&library->symbols, (uintptr_t)(function & ADDRESS_MASK) - library->bias);
}
