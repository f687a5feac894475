/* SPDX-License-Identifier: MIT */
/**
 * \file names.h
 * \brief Names of classes and methods, as the runtime's public functions give them.
 *
 * Classes: "Namespace.Class", "Outer/Inner", "List`1<int>", and short names such as "int" and "object". Methods: name,
 * type arguments if any, and signature, "Add<int> (int,string[])", without the class.
 */
#ifndef NAMES_H
#define NAMES_H

#include "module.h"

/** Flags in MonoProfiler::methods. */
typedef enum method_flag {
	METHOD_DEFINED = 1,
	METHOD_WRAPPER = 2,     /**< Made by the runtime. */
	METHOD_FROM_NATIVE = 4, /**< A wrapper that native code calls. */
	METHOD_ARTIFACT = 8     /**< A wrapper that is there because allocations are profiled. */
} method_flag;

/** Flags in MonoProfiler::classes. */
typedef enum class_flag {
	CLASS_DEFINED = 1,
	CLASS_HANDLES_WANTED = 2,  /**< Handles on its objects are recorded... */
	CLASS_HANDLES_UNWANTED = 4 /**< ...or are not. */
} class_flag;

/** The name of a class; the caller frees it with mono_free(). */
char *names_of_class(MonoClass *klass);

/**
 * Bytes of an object of the class, as allocations tell them, if all are of one size; else 0. Only for classes that have
 * objects or are about to: for others the runtime would have to complete them.
 */
uint32_t names_object_size(MonoClass *klass);

/** Defines a class, whether or not it was defined before. Known classes cost the recorder nothing. */
void names_define_class(MonoProfiler *profiler, MonoClass *klass);

/** Defines a class unless its address was defined before. */
void names_define_class_once(MonoProfiler *profiler, MonoClass *klass);

/** As names_define_class(), for a class that has objects or is about to: the size of its objects is told too. */
void names_define_class_of_objects(MonoProfiler *profiler, MonoClass *klass);

/** Defines a method and its class, whether or not the method was defined before. Returns its flags. */
uint8_t names_define_method(MonoProfiler *profiler, MonoMethod *method);

/** Defines a method and its class unless its address was defined before. Returns its flags. */
uint8_t names_define_method_once(MonoProfiler *profiler, MonoMethod *method);

/**
 * To be called before the runtime frees an image: what was recorded of its classes and methods gets their names, and
 * their addresses mean nothing afterwards.
 */
void names_unload(MonoProfiler *profiler, MonoImage *image);

/** To be called before and after it frees a domain or an image: what was made of several images may go with it. */
void names_forget_shared(MonoProfiler *profiler);

#endif
