/* SPDX-License-Identifier: MIT */
/* Interposes dl_iterate_phdr(), which takes a lock of the loader, in walks of call stacks. */
#include "module_finder.h"

#include <config.h>

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#define OVERRIDES __attribute__((visibility("default")))

typedef int visit_function(struct dl_phdr_info *module, size_t size, void *user);
typedef int iterate_function(visit_function *visit, void *user);

#if defined(WITH_LIBUNWIND) && defined(HAVE__DL_FIND_OBJECT)

/* Walks in which libunwind calls functions of the program do not exist: this is set for its own calls alone. */
static __thread __attribute__((tls_model("initial-exec"))) int is_walking;

/*
 * What libunwind passes is its own: it has begun with the address it looks for in all versions, and this is tested at
 * the start. Written before there are other threads.
 */
static uintptr_t learned;
static int agreements;
static int disagreements;

void module_finder_learn(uintptr_t address)
{
	learned = address;
}

void module_finder_begin(void)
{
	is_walking = agreements > 0 && disagreements == 0;
}

void module_finder_end(void)
{
	is_walking = 0;
}

static uintptr_t address_in(const void *user)
{
	uintptr_t address;

	memcpy(&address, user, sizeof(address));
	return address;
}

/* An address to return to is looked up as the one before, which belongs to the call. */
static void compare(const void *user)
{
	const uintptr_t address = address_in(user);

	if (address == learned || address + 1 == learned)
		agreements++;
	else
		disagreements++;
}

/* The program headers of a loaded file are in its first pages. Returns 0 if they are not. */
static int describe(const struct dl_find_object *found, struct dl_phdr_info *module)
{
	const char *start = found->dlfo_map_start;
	const size_t size = (size_t)((const char *)found->dlfo_map_end - start);
	ElfW(Ehdr) header;

	if (size < sizeof(header))
		return 0;
	memcpy(&header, start, sizeof(header));
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof(ElfW(Phdr)) ||
	    header.e_phoff > size || header.e_phnum > (size - header.e_phoff) / sizeof(ElfW(Phdr)))
		return 0;
	memset(module, 0, sizeof(*module));
	module->dlpi_addr = found->dlfo_link_map->l_addr;
	module->dlpi_name = found->dlfo_link_map->l_name;
	module->dlpi_phdr = (const ElfW(Phdr) *)(const void *)(start + header.e_phoff);
	module->dlpi_phnum = header.e_phnum;
	return 1;
}

/* Returns 0 if only the loader can answer. \p *result receives what the caller returns. */
static int visit_module_of(uintptr_t address, visit_function *visit, void *user, int *result)
{
	struct dl_find_object found;
	struct dl_phdr_info module;

	*result = 0;
	/* Lock-free, and safe in signal handlers. */
	if (_dl_find_object((void *)address, &found) != 0)
		return 1;
	if (!describe(&found, &module))
		return 0;
	*result = visit(&module, offsetof(struct dl_phdr_info, dlpi_adds), user);
	return 1;
}

/* Any thread may find it first; all find the same. */
static iterate_function *find_real(void)
{
	static _Atomic(void *) real;
	void *address = atomic_load_explicit(&real, memory_order_relaxed);
	iterate_function *function;

	if (address == NULL) {
		address = dlsym(RTLD_NEXT, "dl_iterate_phdr");
		atomic_store_explicit(&real, address, memory_order_relaxed);
	}
	memcpy(&function, &address, sizeof(function));
	return function;
}

OVERRIDES int dl_iterate_phdr(visit_function *visit, void *user)
{
	iterate_function *real;
	int result;

	if (is_walking && visit_module_of(address_in(user), visit, user, &result))
		return result;
	if (learned != 0)
		compare(user);
	real = find_real();
	return real != NULL ? real(visit, user) : 0;
}

#else

void module_finder_learn(uintptr_t address)
{
	(void)address;
}

void module_finder_begin(void)
{
}

void module_finder_end(void)
{
}

#endif
