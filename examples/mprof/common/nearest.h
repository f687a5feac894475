/* SPDX-License-Identifier: MIT */
/**
 * \file common/nearest.h
 * \brief Finds what somebody who mistyped a name may have meant.
 */
#ifndef NEAREST_H
#define NEAREST_H

#include <getopt.h>
#include <stddef.h>
#include <stdint.h>

/** Only this much of a name is compared. */
#define NEAREST_LENGTH 128

typedef struct nearest_name {
	char wanted[NEAREST_LENGTH +
		    1]; /**< In lower case, without the characters that stand for others in patterns. */
	size_t length;
	char *found;   /**< The best so far; NULL if there is none. */
	size_t misses; /**< How far it is off. */
} nearest_name;

void nearest_init(nearest_name *nearest, const char *wanted);

/** Offers a name. \p key is the text that is compared, \p name the one that nearest_name.found gets a copy of. */
void nearest_offer(nearest_name *nearest, const char *key, const char *name);

/** The same, but only names that are likely meant count: those of few mistakes. */
void nearest_offer_word(nearest_name *nearest, const char *key, const char *name);

/** Offers the long options of a command for one that is wrong, which may begin with "--" and have a value. */
void nearest_offer_options(nearest_name *nearest, const struct option *options);

void nearest_release(nearest_name *nearest);

#endif
