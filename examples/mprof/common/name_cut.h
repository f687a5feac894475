/* SPDX-License-Identifier: MIT */
/**
 * \file common/name_cut.h
 * \brief Shortens names of methods, functions and classes so that what tells them apart stays.
 */
#ifndef NAME_CUT_H
#define NAME_CUT_H

#include <stddef.h>

/**
 * A name of at most \p width characters that stands for a longer one. Leaves out, as far as it must: the arguments, the
 * namespaces, what is between angle brackets, then the start of the class. The method's own name goes last. To be freed;
 * NULL if the name is short enough, or there is no memory.
 */
char *name_cut(const char *name, size_t width);

/** Prints a name from a log, with control characters escaped: in full, or cut if standard output is a terminal. */
void name_print(const char *name);

/** Prints other text of a log, such as a remark: the start of it if standard output is a terminal. */
void name_print_text(const char *text);

#endif
