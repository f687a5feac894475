/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/system/loaded_maps.h
 * \brief Finds the modules of a process without the loader.
 *
 * fork() copies the lock of the loader's list as it is. If another thread held it, no thread of the child will ever
 * release it, and dl_iterate_phdr() waits for ever. So children read what is mapped.
 */
#ifndef RECORDER_SYSTEM_LOADED_MAPS_H
#define RECORDER_SYSTEM_LOADED_MAPS_H

#include <link.h>
#include <stddef.h>
#include <stdint.h>

/** Whether the process was made by fork() and has not executed a program since. Any thread. */
int loaded_maps_are_needed(void);

/** A number that changes when a module is mapped or unmapped. Any thread. */
uint64_t loaded_maps_digest(void);

/**
 * Calls \p visit for each module, as dl_iterate_phdr() does, but without the counts of modules: \p size shows that. The
 * name of the program is "", and that of the vDSO is "".
 */
void loaded_maps_visit(int (*visit)(struct dl_phdr_info *module, size_t size, void *user), void *user);

#endif
