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
	METHOD_WRAPPER = 2,    /**< Made by the runtime. */
	METHOD_FROM_NATIVE = 4 /**< A wrapper that native code calls. */
} method_flag;

/** Flag in MonoProfiler::classes. */
#define CLASS_DEFINED 1

/** Defines a class, whether or not it was defined before. Known classes cost the recorder nothing. */
void names_define_class(MonoProfiler *profiler, MonoClass *klass);

/** Defines a class unless its address was defined before. */
void names_define_class_once(MonoProfiler *profiler, MonoClass *klass);

/** Defines a method and its class, whether or not the method was defined before. Returns its flags. */
uint8_t names_define_method(MonoProfiler *profiler, MonoMethod *method);

/** Defines a method and its class unless its address was defined before. Returns its flags. */
uint8_t names_define_method_once(MonoProfiler *profiler, MonoMethod *method);

/** To be called before and after the runtime frees structures: their addresses will have other names. */
void names_forget(MonoProfiler *profiler);

#endif
