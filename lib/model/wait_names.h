/* SPDX-License-Identifier: MIT */
/**
 * \file model/wait_names.h
 * \brief The functions and methods in which threads wait, by name.
 */
#ifndef MODEL_WAIT_NAMES_H
#define MODEL_WAIT_NAMES_H

#include <mprof/profile.h>
#include <mprof/reader.h>

/** What a frame of a call stack contributes to the kind of a wait. */
typedef struct wait_role {
	mprof_wait_kind kind; /**< #MPROF_WAIT_NONE: nothing. */
	int is_innermost;     /**< A thread can wait in the function itself. Else kind is why a callee waits. */
} wait_role;

/** The role of a function of native code, by its name and the file that contains it. */
wait_role wait_role_of_function(const char *name, const char *file);

/** The role of a method. Its flags are those of mprof_mapping. \p class_name may be NULL. */
wait_role wait_role_of_method(const char *class_name, const char *name, uint32_t flags);

#endif
