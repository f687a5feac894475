/* SPDX-License-Identifier: MIT */
/* Interposes dl_iterate_phdr(), which takes a lock of the loader, for walks of call stacks. */
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

/*
 * The function that libunwind passes, and no other one, gets an argument that begins with the address it looks for.
 * This is so in all versions and tested at the start. Written before there are other threads.
 */
static visit_function *visit_of_libunwind;
static int disagrees;
static uintptr_t learned;

void module_finder_learn(uintptr_t address)
{
	learned = address;
}

static uintptr_t address_in(const void *user)
{
	uintptr_t address;

	memcpy(&address, user, sizeof(address));
	return address;
}

/* An address to return to is looked up as the one before, which belongs to the call. */
static void compare(visit_function *visit, const void *user)
{
	const uintptr_t address = address_in(user);
	const int agrees = address == learned || address + 1 == learned;

	if (visit_of_libunwind == NULL && agrees)
		visit_of_libunwind = visit;
	else if (visit == visit_of_libunwind && !agrees)
		disagrees = 1;
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

	if (learned != 0)
		compare(visit, user);
	else if (visit == visit_of_libunwind && !disagrees && visit_module_of(address_in(user), visit, user, &result))
		return result;
	real = find_real();
	return real != NULL ? real(visit, user) : 0;
}

#else

void module_finder_learn(uintptr_t address)
{
	(void)address;
}

#endif
