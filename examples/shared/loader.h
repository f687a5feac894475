/* SPDX-License-Identifier: MIT */
/**
 * \file shared/loader.h
 * \brief Visits the loader's list of modules, also in children.
 *
 * fork() copies the lock of the list as it is. If another thread held it, no thread of the child will ever release it,
 * and dl_iterate_phdr() waits for ever.
 */
#ifndef SHARED_LOADER_H
#define SHARED_LOADER_H

#include <link.h>
#include <stddef.h>

/**
 * As dl_iterate_phdr(). Returns 0 without a visit if the lock was held when this process was made: then no module can
 * be loaded or closed here, either.
 */
int loader_visit(int (*visit)(struct dl_phdr_info *module, size_t size, void *user), void *user);

/** In a child made by fork(): the state of the lock is not known. */
void loader_begin_child(void);

#endif
