/* SPDX-License-Identifier: MIT */
/**
 * \file common/names.h
 * \brief Names by ID. The name of an undefined ID is "#ID".
 */
#ifndef COMMON_NAMES_H
#define COMMON_NAMES_H

#include <mprof/profile.h>

#include <stddef.h>

#define UNDEFINED_NAME_SIZE 16

/** Names of a method. Do not copy it: the names may point into the structure. */
typedef struct method_name {
	uint32_t class_id;
	uint32_t assembly_id;
	uint32_t flags;         /**< Bits of #mprof_method_flag. */
	const char *class_name; /**< "" if the method has no class. */
	const char *name;       /**< "Method (arguments)"; that of a C++ function as in its source. */
	const char *symbol;     /**< As in the log: differs for a C++ function. */
	const char *file;       /**< Source file, NULL if unknown. */
	uint32_t line;          /**< Line in the source file, 0 if unknown. */
	char undefined_class[UNDEFINED_NAME_SIZE];
	char undefined[UNDEFINED_NAME_SIZE];
} method_name;

/** Name of a class. Do not copy it: the name may point into the structure. */
typedef struct class_name {
	uint32_t assembly_id;
	const char *name;
	char undefined[UNDEFINED_NAME_SIZE];
} class_name;

/** Room for an object's address, or its number. */
#define NAMES_OBJECT_SIZE 24

/** The address of an object, such as "0x1f0", or "#496" if the log identifies objects by numbers. Returns \p text. */
const char *names_object(const mprof_reader *reader, uint64_t object, char text[NAMES_OBJECT_SIZE]);

/** What is between a class and its method in names: ".", unless the log states another separator. */
const char *names_separator(const mprof_reader *reader);

/** Looks up a method. Names of defined methods are borrowed from the reader. */
void names_method(const mprof_reader *reader, uint32_t id, method_name *name);
void names_class(const mprof_reader *reader, uint32_t id, class_name *name);

/** The name of a class, NULL for 0, which means no class; the result may point into \p name. */
const char *names_class_or_none(const mprof_reader *reader, uint32_t id, class_name *name);

/** Formats names that consist of several parts, and contains the buffers for them. */
typedef struct name_lookup name_lookup;

/** Returns NULL if out of memory. The reader is borrowed. */
name_lookup *names_create(mprof_reader *reader);
void names_destroy(name_lookup *names);

/**
 * Makes names_full_method(), names_frame() and names_sample() return the names of the source for methods that the
 * compiler made, as of an async method.
 */
void names_use_readable(name_lookup *names);

/**
 * Makes the same functions return the names that functions of C++ and Rust have in the object file, instead of those of
 * the source.
 */
void names_use_symbols(name_lookup *names);

/** Makes them leave out the arguments of methods, if the log states that reports do. */
void names_hide_signatures(name_lookup *names);

/** The method ID that stands for collapsed frames, after names_use_collapsed(). A method may have this ID as well. */
#define NAMES_COLLAPSED UINT32_MAX

/**
 * Makes "[PATTERN]" the name of #NAMES_COLLAPSED and of items of the kind #MPROF_SAMPLE_COLLAPSED. Returns 0 if out of
 * memory.
 */
int names_use_collapsed(name_lookup *names, const char *pattern);

/** Whether a method ID stands for collapsed frames. */
int names_is_collapsed(const name_lookup *names, uint32_t id);

/**
 * "Class.Method (arguments)". The results of this function, names_frame() and names_sample() are valid until the next
 * call of one of them with the same \p names.
 */
const char *names_full_method(name_lookup *names, uint32_t id);

/** The name of a frame of a call stack: the method, or a location in native code; NULL if unknown. */
const char *names_frame(name_lookup *names, const mprof_stack_frame *frame);

/** Whether a method stands for something that the runtime does, such as "[GC]". */
int names_is_runtime_work(const mprof_reader *reader, uint32_t id);

/** The name of a sampled item; that of a module is its file. \p kind: an mprof_sample_kind. NULL if unknown. */
const char *names_sample(name_lookup *names, uint32_t kind, uint32_t id);

/**
 * The name that a function of C++ or Rust has in the object file; NULL if names_sample() returns it, or unknown.
 * Valid as the results of names_sample(), which it leaves valid for the same item.
 */
const char *names_symbol(name_lookup *names, uint32_t kind, uint32_t id);
const char *names_frame_symbol(name_lookup *names, const mprof_stack_frame *frame);

/**
 * The frames of a call stack, the innermost first; valid until the next call with the same \p names. Returns their
 * number, 0 if out of memory.
 */
size_t names_stack(name_lookup *names, uint32_t stack, const mprof_stack_frame **frames);

/** The ID of the call stack of an event of a thread, with the names that generated code had at its counter. */
uint32_t names_stack_at(const name_lookup *names, uint64_t thread, uint32_t stack, uint64_t counter);

/** Names of assemblies by ID. Classes refer to their assembly by this ID. */
typedef struct assembly_names {
	struct assembly_entry {
		uint32_t id;
		const char *name;
	} * entries; /**< Sorted by ID. */
	size_t count;
} assembly_names;

/** The names are borrowed from the profile, which must outlive them. Returns 0 if out of memory. */
int assembly_names_init(assembly_names *names, const mprof_profile *profile);
void assembly_names_release(assembly_names *names);

/** The name of an assembly; NULL if the log does not contain it. */
const char *assembly_names_get(const assembly_names *names, uint32_t id);

#endif
