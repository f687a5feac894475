/* SPDX-License-Identifier: MIT */
/**
 * \file shared/signal_names.h
 * \brief Signals that can have an action in a recorded program. Also used by the module for Mono.
 */
#ifndef SIGNAL_NAMES_H
#define SIGNAL_NAMES_H

/** The usable signals, for messages. */
#define SIGNAL_NAMES "HUP, USR1, USR2, ALRM, VTALRM, URG, IO and RTMIN+N"

/**
 * Returns the number of a signal, given its name or number, if neither the runtime nor the system libraries use it;
 * otherwise 0.
 */
int signal_names_number(const char *name);

#endif
