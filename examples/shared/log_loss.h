/* SPDX-License-Identifier: MIT */
/**
 * \file shared/log_loss.h
 * \brief The line that a recording module prints if the log could not be written whole.
 */
#ifndef SHARED_LOG_LOSS_H
#define SHARED_LOG_LOSS_H

#include <mprof/recorder.h>

/** Prints the cause and the number of lost events, if writing the log of a closed recorder failed. */
void log_loss_print(mprof_recorder *recorder, const char *path);

#endif
