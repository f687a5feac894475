/* SPDX-License-Identifier: MIT */
/* Detects children made by fork() by a page that the system clears in them. */
#include "recorder/fork_guard.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#ifdef MADV_WIPEONFORK

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static unsigned char *make_page(void)
{
	unsigned char *page = mmap(NULL, page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return NULL;
	if (madvise(page, page_size(), MADV_WIPEONFORK) == 0) {
		*page = 1;
		return page;
	}
	munmap(page, page_size());
	return NULL;
}

#endif

void fork_guard_init(fork_guard *guard)
{
	guard->process = getpid();
	guard->page = NULL;
#ifdef MADV_WIPEONFORK
	guard->page = make_page();
#endif
}

void fork_guard_destroy(fork_guard *guard)
{
#ifdef MADV_WIPEONFORK
	if (guard->page != NULL)
		munmap((void *)(uintptr_t)guard->page, page_size());
#endif
	guard->page = NULL;
}
