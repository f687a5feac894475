/* SPDX-License-Identifier: MIT */
/**
 * \file import/formats.h
 * \brief The list of formats that can be imported.
 */
#ifndef IMPORT_FORMATS_H
#define IMPORT_FORMATS_H

#include "import/import.h"

/** The format with a name. Returns NULL after a message. */
const import_format *formats_find(const char *name);

/** The format of a file that begins with these bytes; NULL if it is in no format. */
const import_format *formats_recognize(const uint8_t *start, size_t length);

void formats_print_list(void);

#endif
