/* SPDX-License-Identifier: MIT */
/**
 * \file common/name_cut.h
 * \brief Shortens names of methods, functions and classes and keeps the parts that distinguish them.
 */
#ifndef COMMON_NAME_CUT_H
#define COMMON_NAME_CUT_H

#include <stddef.h>

/**
 * Shortens a name to at most \p width characters. Leaves out, as far as necessary: the arguments, the namespaces, text
 * between angle brackets, then the start of the class. The method's own name is shortened last. The caller frees the
 * result; NULL if the name is short enough, or, after output_out_of_memory(), if there is no memory.
 */
char *name_cut(const char *name, size_t width);

/**
 * Shortens a name for a box of a picture to at most \p width of what \p measure counts, with one ellipsis character at
 * most. Leaves out, as far as necessary: the namespaces, the arguments, text between angle brackets, the class. The own
 * name is shortened last; of a place in a module, the start. The caller frees the result; NULL if out of memory. The
 * page of "mprof explore" has the same steps in short_name.js.
 */
char *name_fit(const char *name, size_t width, size_t (*measure)(const char *text));

/** The class of a method, without its namespaces and type arguments: a part of \p name of \p length bytes. */
const char *name_class(const char *name, size_t *length);

/**
 * Prints a name from a log, with control characters escaped: in full, or shortened if standard output is a terminal.
 */
void name_print(const char *name);

/** Control characters around a name that is shortened later; names from a log do not contain them. */
#define NAME_START '\001'
#define NAME_END '\002'

/** Makes name_print() and name_print_text() print names in full, between the characters above. */
void name_print_use_marks(int has_marks);

/** Prints other text of a log, such as a marker: only its start if standard output is a terminal. */
void name_print_text(const char *text);

#endif
