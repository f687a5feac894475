/* SPDX-License-Identifier: MIT */
/**
 * \file record/attach_modules.h
 * \brief The code of a running process: its programs and libraries with their symbols and unwinding tables, and the
 * names of compiled code that a runtime wrote to a map for perf.
 */
#ifndef RECORD_ATTACH_MODULES_H
#define RECORD_ATTACH_MODULES_H

#include "shared/unwind_tables.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct attach_file attach_file;

/** What is at an address. */
typedef struct attach_place {
	const attach_file *module; /**< NULL: the code is in no file. */
	uint64_t module_start;     /**< Its first address. */
	uint64_t function_start;   /**< 0 if not known. */
	uint64_t function_size;
	const char *function; /**< NULL if not known. */
} attach_place;

typedef struct attach_modules attach_modules;

/** Reads what a process has mapped. NULL if out of memory. */
attach_modules *attach_modules_create(pid_t process);
void attach_modules_destroy(attach_modules *modules);

/** Notes that the process has mapped code: it is read again before the next lookup. */
void attach_modules_expire(attach_modules *modules);

/**
 * Reads what the runtime has compiled since, which may be where other code was: then the map expires. Call it now and
 * then.
 */
void attach_modules_refresh(attach_modules *modules);

/** Reads the map again if it has expired. Returns whether addresses may now be in other code. */
int attach_modules_update(attach_modules *modules);

/** Finds what is at an address. Returns 0 if no code is. */
int attach_modules_find(attach_modules *modules, uint64_t address, attach_place *place);

/** Finds the unwinding entry of an address, and that address at its distance from the tables. Returns 0 if none. */
int attach_modules_find_entry(attach_modules *modules, uint64_t address, unwind_entry *entry, uintptr_t *there);

/** The path, the build ID and the size in memory of a module. The texts are "" if not known. */
const char *attach_file_path(const attach_file *file);
const char *attach_file_build_id(const attach_file *file);
uint64_t attach_file_size(const attach_file *file);

/** Whether a module with this text in its name is mapped. */
int attach_modules_has(const attach_modules *modules, const char *name);

/** Whether no code is mapped, or the map cannot be read. */
int attach_modules_are_empty(const attach_modules *modules);

#endif
