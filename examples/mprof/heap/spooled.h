/* SPDX-License-Identifier: MIT */
/**
 * \file heap/spooled.h
 * \brief Makes it possible to read standard input more than once.
 */
#ifndef HEAP_SPOOLED_H
#define HEAP_SPOOLED_H

/**
 * Copies standard input to an unnamed temporary file, which becomes standard input, unless \p path is not "-". Returns
 * the path that can be opened any number of times: \p path for other files; NULL after a message if that failed.
 */
const char *spooled_path(const char *path);

#endif
