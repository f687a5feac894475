/* SPDX-License-Identifier: MIT */
/**
 * \file common/names.h
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
	const char *file;       /**< Of the source, NULL if not known. */
	uint32_t line;          /**< In it, 0 if not known. */
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

/** The name of a class, NULL for 0, which is none; the name may be put into \p name. */
const char *names_class_or_none(const mprof_reader *reader, uint32_t id, class_name *name);

/** A frame of a call chain: the method, or a place in native code; NULL if it is not known. As names_full_method(). */
const char *names_frame(const mprof_reader *reader, const mprof_stack_frame *frame);

/** What samples hit: as above. A module is named by its file. \p kind: an mprof_sample_kind. */
const char *names_sample(const mprof_reader *reader, uint32_t kind, uint32_t id);

/** The frames of a call chain, the innermost first; valid until the next call. Returns how many, 0 without memory. */
size_t names_stack(const mprof_reader *reader, uint32_t stack, const mprof_stack_frame **frames);

/** Frees what the functions above keep. */
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
