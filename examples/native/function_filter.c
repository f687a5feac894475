/* SPDX-License-Identifier: MIT */
/* Matches the names of functions with patterns, once for each function. */
#include "function_filter.h"

#include "demangler.h"

#include "shared/cancellation.h"
#include "shared/hash.h"
#include "shared/key_map.h"
#include "shared/source_name.h"

#include <errno.h>
#include <fnmatch.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Entries of a thread's cache, a power of two. */
#define KNOWN_FUNCTIONS 1024

typedef struct function_pattern {
	struct function_pattern *next;
	int is_only;
	int is_of_module; /* Matched with the name of the program or library. */
	char text[];
} function_pattern;

typedef struct function_entry {
	uint64_t function;
	uint64_t result; /* Of match_function(). */
} function_entry;

_Atomic int function_filter_has_patterns;

/* Constant once calls are recorded. */
static function_pattern *patterns;

/*
 * The pattern of a command, in addition to those above; NULL for none. Owner: the control thread. It stores the pattern
 * with relaxed order and then the number of the change with release; a thread that calls loads that with acquire, so it
 * uses a pattern that is at least as new. Earlier patterns are not freed: a thread may be using them.
 */
static _Atomic(const function_pattern *) selection;
static _Atomic uint32_t changes;

/* The functions looked up so far. Guarded by functions_lock. */
static key_map functions = {.value_size = sizeof(function_entry) - sizeof(uint64_t)};
static pthread_mutex_t functions_lock = PTHREAD_MUTEX_INITIALIZER;

typedef struct known_function {
	mprof_key function; /* 0 if the entry is unused. */
	uint64_t result;    /* Of match_function(). */
} known_function;

#define CACHE_SIZE (KNOWN_FUNCTIONS * sizeof(known_function))

/*
 * The thread's cache, or NULL. Not in thread-local memory, which the C library takes from the stack of each thread:
 * stacks may be smaller than this.
 */
static __thread known_function *known __attribute__((tls_model("initial-exec")));

/* Returns NULL if out of memory. */
static function_pattern *make_pattern(int is_only, const char *text, size_t length)
{
	static const char *const prefixes[] = {"method:", "class:", "assembly:"};
	function_pattern *pattern = calloc(1, sizeof(*pattern) + length + 1);

	if (pattern == NULL)
		return NULL;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		size_t prefix = strlen(prefixes[i]);

		if (length < prefix || strncmp(text, prefixes[i], prefix) != 0)
			continue;
		pattern->is_of_module = i > 0;
		text += prefix;
		length -= prefix;
		break;
	}
	memcpy(pattern->text, text, length);
	pattern->is_only = is_only;
	return pattern;
}

static int add_pattern(int is_only, const char *text, size_t length)
{
	function_pattern *pattern = make_pattern(is_only, text, length);

	if (pattern == NULL)
		return 0;
	pattern->next = patterns;
	patterns = pattern;
	atomic_store_explicit(&function_filter_has_patterns, 1, memory_order_relaxed);
	return 1;
}

static int read_patterns(const char *words)
{
	while (words != NULL && *words != '\0') {
		size_t length = strcspn(words, ",");
		int is_valid = 1;

		if (strncmp(words, "only=", 5) == 0)
			is_valid = add_pattern(1, words + 5, length - 5);
		else if (strncmp(words, "not=", 4) == 0)
			is_valid = add_pattern(0, words + 4, length - 4);
		if (!is_valid)
			return 0;
		words += length + (words[length] == ',');
	}
	return 1;
}

/* Patterns are for the readable names of C++ functions, too. */
static void find_demangler(void)
{
	const function_pattern *pattern = patterns;

	while (pattern != NULL && pattern->is_of_module)
		pattern = pattern->next;
	if (pattern != NULL)
		demangler_load();
}

int function_filter_begin_log(const char *words)
{
	/* Its keys may have other meanings. Release: pairs with the acquire in function_filter_look_up(). */
	atomic_fetch_add_explicit(&changes, 1, memory_order_release);
	/* A child of fork() has the patterns of its parent. */
	if (patterns != NULL)
		return 1;
	if (!read_patterns(words))
		return 0;
	find_demangler();
	return 1;
}

int function_filter_select(const char *text)
{
	function_pattern *pattern = text != NULL ? make_pattern(1, text, strlen(text)) : NULL;

	if (text != NULL && pattern == NULL)
		return 0;
	if (pattern != NULL && !pattern->is_of_module)
		demangler_load();
	atomic_store_explicit(&selection, pattern, memory_order_relaxed);
	/* Release: pairs with the acquire in function_filter_look_up(). */
	atomic_fetch_add_explicit(&changes, 1, memory_order_release);
	atomic_store_explicit(&function_filter_has_patterns, patterns != NULL || pattern != NULL, memory_order_relaxed);
	return 1;
}

static int matches_pattern(const function_pattern *pattern, const char *library, const char *name)
{
	char *demangled;
	int is_match;

	if (pattern->is_of_module)
		return fnmatch(pattern->text, library, 0) == 0;
	if (fnmatch(pattern->text, name, 0) == 0)
		return 1;
	demangled = demangler_read(name);
	is_match = demangled != NULL && source_name_matches(pattern->text, demangled);
	free(demangled);
	return is_match;
}

/* A function without a name matches no pattern for names. */
static int match_patterns(const char *library, const char *name)
{
	const function_pattern *selected = atomic_load_explicit(&selection, memory_order_relaxed);
	int has_only = 0;
	int is_admitted = 0;

	if (selected != NULL && (library == NULL || !matches_pattern(selected, library, name)))
		return 0;
	for (const function_pattern *pattern = patterns; pattern != NULL; pattern = pattern->next) {
		has_only |= pattern->is_only;
		if (library == NULL || !matches_pattern(pattern, library, name))
			continue;
		if (!pattern->is_only)
			return 0;
		is_admitted = 1;
	}
	return is_admitted || !has_only;
}

/*
 * Bit 0: whether calls of a function are recorded. The rest is the number of the change that this is valid for. Returns
 * 0 if the recorder is closed.
 */
static int match_function(mprof_recorder *recorder, mprof_key function, uint32_t change, uint64_t *result)
{
	const char *library;
	const char *name;

	if (mprof_recorder_get_function_name(recorder, function, &name, &library) != MPROF_OK)
		return 0;
	*result = (uint64_t)change << 1 | (uint64_t)match_patterns(library, name != NULL ? name : "");
	return 1;
}

/* Returns 0 if the function was not looked up since the change. */
static int find_function(mprof_key function, uint32_t change, uint64_t *result)
{
	const function_entry *entry;

	pthread_mutex_lock(&functions_lock);
	entry = key_map_find(&functions, function);
	if (entry != NULL)
		*result = entry->result;
	pthread_mutex_unlock(&functions_lock);
	return entry != NULL && *result >> 1 == change;
}

/* If out of memory, the function is matched again the next time. */
static void store_function(mprof_key function, uint64_t result)
{
	function_entry *entry;

	pthread_mutex_lock(&functions_lock);
	entry = key_map_put(&functions, function);
	if (entry != NULL)
		entry->result = result;
	pthread_mutex_unlock(&functions_lock);
}

int function_filter_find_known(mprof_key function, int *is_recorded)
{
	const size_t index = hash_key(function) & (KNOWN_FUNCTIONS - 1);
	/* Acquire: pairs with the release in function_filter_select(). */
	const uint32_t change = atomic_load_explicit(&changes, memory_order_acquire);

	*is_recorded = 0;
	if (known == NULL)
		return 0;
	*is_recorded = (int)(known[index].result & 1);
	return known[index].function == function && known[index].result >> 1 == change;
}

static void make_cache(void)
{
	void *memory = mmap(NULL, CACHE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	known = memory != MAP_FAILED ? memory : NULL;
}

void function_filter_end_thread(void)
{
	if (known != NULL)
		munmap(known, CACHE_SIZE);
	known = NULL;
}

int function_filter_look_up(mprof_recorder *recorder, mprof_key function)
{
	known_function uncached = {0, 0};
	known_function *entry = &uncached;
	/* Acquire: pairs with the release in function_filter_select(). */
	const uint32_t change = atomic_load_explicit(&changes, memory_order_acquire);
	uint64_t result = 0;
	cancellation before;
	int saved = errno;
	int is_known;

	if (known == NULL)
		make_cache();
	if (known != NULL)
		entry = &known[hash_key(function) & (KNOWN_FUNCTIONS - 1)];
	if (entry->function == function && entry->result >> 1 == change)
		return (int)(entry->result & 1);
	before = cancellation_defer();
	/* Two threads may match the same function, with the same result. */
	is_known = find_function(function, change, &result);
	if (!is_known && match_function(recorder, function, change, &result)) {
		store_function(function, result);
		is_known = 1;
	}
	if (is_known)
		*entry = (known_function){function, result};
	cancellation_permit(before);
	errno = saved;
	return is_known && (result & 1);
}

void function_filter_begin_child(void)
{
	static const pthread_mutex_t unlocked = PTHREAD_MUTEX_INITIALIZER;

	functions_lock = unlocked;
	functions = (key_map){.value_size = functions.value_size};
}
