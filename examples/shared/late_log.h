/* SPDX-License-Identifier: MIT */
/**
 * \file shared/late_log.h
 * \brief The names of logs of processes that outlive "mprof record", such as daemons and their workers.
 *
 * "mprof record" gives logs their names when the program has ended; until then they have those of parts. A process that
 * starts to record later, or ends later, gives its log the final name itself. Both agree by a file in memory, which
 * processes open by a path in /proc: while "mprof record" runs and its size is 0, logs are collected. The file is
 * locked while a log is created or named, and while "mprof record" begins to collect.
 */
#ifndef SHARED_LATE_LOG_H
#define SHARED_LATE_LOG_H

#include <stddef.h>

#define LATE_LOG_ENDED (-1)    /**< Logs are not collected any more. */
#define LATE_LOG_UNLOCKED (-2) /**< Logs are collected, but this process cannot open the file. */

/**
 * Locks the file in memory, so that logs are collected at the earliest after late_log_unlock(). Returns a descriptor,
 * #LATE_LOG_ENDED or #LATE_LOG_UNLOCKED. \p collector: the path in /proc.
 */
int late_log_lock(const char *collector);
void late_log_unlock(int lock);

/**
 * Whether the parent of this process is the one of the file in memory: it waits for the end of this process before it
 * collects logs. Async-signal-safe.
 */
int late_log_is_awaited(const char *collector);

/** Size of a label with the name of a program, in bytes. */
#define LATE_LOG_LABEL_SIZE 128

/**
 * Makes what the name of a log has before its extension if a program has several: "LABEL.PROGRAM", from the label of
 * the process, and the path of its program, whose directory and extension .exe are left out. Without a program, the
 * label alone.
 */
void late_log_label(char text[LATE_LOG_LABEL_SIZE], const char *label, const char *program);

/**
 * Makes the pattern of the final names, "log.%p.PROGRAM.mprof", of the running program, from that of parts,
 * "log.mprof.TOKEN.%p.part". Returns 0 if \p parts is not such a pattern or \p size is too small.
 */
int late_log_pattern(const char *parts, char *pattern, size_t size);

/** Whether a path is that of a part. */
int late_log_is_part(const char *path);

/**
 * Moves a complete part to \p path, or to "log.PID-2.mprof" and so on: no file is replaced. \p path, of \p size bytes,
 * receives the name. Returns 0 if the part was collected meanwhile or cannot be moved.
 */
int late_log_move(const char *part, char *path, size_t size);

#endif
