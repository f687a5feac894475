/* SPDX-License-Identifier: MIT */
/**
 * \file names.h
 * \brief Names of what a log tells of by ID. What is not defined is called "#ID".
 */
#ifndef NAMES_H
#define NAMES_H

#include <mprof/profile.h>

#include <stddef.h>

#define UNDEFINED_NAME_SIZE 16

/** A method. Not to be copied: the names may point into it. */
typedef struct method_name {
	uint32_t class_id;
	uint32_t assembly_id;
	uint32_t flags;         /**< Bits of #mprof_method_flag. */
	const char *class_name; /**< "" if it has none. */
	const char *name;       /**< "Method (arguments)". */
	char undefined_class[UNDEFINED_NAME_SIZE];
	char undefined[UNDEFINED_NAME_SIZE];
} method_name;

/** A class. As above. */
typedef struct class_name {
	uint32_t assembly_id;
	const char *name;
	char undefined[UNDEFINED_NAME_SIZE];
} class_name;

void names_method(const mprof_reader *reader, uint32_t id, method_name *name);
void names_class(const mprof_reader *reader, uint32_t id, class_name *name);

/** "Class.Method (arguments)"; valid until the next call. */
const char *names_full_method(const mprof_reader *reader, uint32_t id);

/** Frees what names_full_method() keeps. */
void names_release(void);

/** Assemblies by the ID that classes name them by. */
typedef struct assembly_names {
	struct assembly_entry {
		uint32_t id;
		const char *name;
	} * entries; /**< In order of IDs. */
	size_t count;
} assembly_names;

/** Names are borrowed from the profile. Returns 0 if there is no memory. */
int assembly_names_init(assembly_names *names, const mprof_profile *profile);
void assembly_names_release(assembly_names *names);

/** NULL if the log does not tell. */
const char *assembly_names_get(const assembly_names *names, uint32_t id);

#endif
