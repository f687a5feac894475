/* SPDX-License-Identifier: MIT */
/**
 * \file shared/dialects.h
 * \brief Dialects that can be written, by name. Also used by the recording modules.
 */
#ifndef SHARED_DIALECTS_H
#define SHARED_DIALECTS_H

#include <mprof/format.h>

/** Size that suffices for the text of dialects_list(), in bytes. */
#define DIALECTS_LIST_SIZE 128

/** Returns the dialect with this name; #MPROF_DIALECT_DEFAULT if no dialect with this name can be written. */
mprof_dialect dialects_find(const char *name);

/** Lists the names of all dialects that can be written, the newest first, separated by ", ". Returns \p text. */
char *dialects_list(char text[DIALECTS_LIST_SIZE]);

/**
 * Whether a dialect is of an earlier version of the format than the default one, and so cannot represent everything.
 */
int dialects_is_older(mprof_dialect dialect);

#endif
