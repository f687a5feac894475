/* SPDX-License-Identifier: MIT */
/**
 * \file commands/topics.h
 * \brief Help pages about questions that a profile can answer.
 */
#ifndef TOPICS_H
#define TOPICS_H

#include "common/arguments.h"

/** Prints the page of a topic. Returns 0 if there is no such topic. */
int topics_print(const char *name);

/** Prints the names of the topics, each on a line with what it is about. */
void topics_print_list(void);

/** Offers the names of the topics to a search. */
void topics_offer(nearest_name *nearest);

#endif
