/* SPDX-License-Identifier: MIT */
/**
 * \file record/signal_names.h
 * \brief Signals that can be given an action in a program that is recorded. The module for Mono knows them too.
 */
#ifndef SIGNAL_NAMES_H
#define SIGNAL_NAMES_H

/** Those that there are, as a part of a sentence. */
#define SIGNAL_NAMES "HUP, USR1, USR2, ALRM, VTALRM, URG, IO and RTMIN+N"

/**
 * The number of a signal that neither the runtime nor the system's libraries need, by its name or number; 0 if there is
 * no such signal.
 */
int signal_names_number(const char *name);

#endif
