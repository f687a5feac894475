/* SPDX-License-Identifier: MIT */
/**
 * \file common/nearest.h
 * \brief Finds the name most similar to a mistyped one.
 */
#ifndef NEAREST_H
#define NEAREST_H

#include <getopt.h>
#include <stddef.h>
#include <stdint.h>

/** Only this many bytes of a name are compared. */
#define NEAREST_LENGTH 128

typedef struct nearest_name {
	char wanted[NEAREST_LENGTH + 1]; /**< The typed text in lower case, without wildcards. */
	size_t length;
	int is_start;  /**< The text ended with *: names are compared only up to its length. */
	char *found;   /**< The nearest name so far; NULL if none. */
	size_t misses; /**< Weighted distance of found. */
} nearest_name;

/** Starts a search for \p wanted. Call nearest_release() at the end. */
void nearest_init(nearest_name *nearest, const char *wanted);

/**
 * Offers a candidate. \p key is the text that is compared; \p name is copied to nearest_name.found if it is the
 * nearest.
 */
void nearest_offer(nearest_name *nearest, const char *key, const char *name);

/** Offers a candidate that is considered only if its edit distance is small. */
void nearest_offer_word(nearest_name *nearest, const char *key, const char *name);

/** Offers the long options of a command. The mistyped option may start with "--" and have a value. */
void nearest_offer_options(nearest_name *nearest, const struct option *options);

void nearest_release(nearest_name *nearest);

#endif
