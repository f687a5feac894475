/* SPDX-License-Identifier: MIT */
/**
 * \file record/claim.h
 * \brief Claims the path of a log, so that no existing file is overwritten and no two runs use the same path.
 */
#ifndef RECORD_CLAIM_H
#define RECORD_CLAIM_H

typedef enum claim_result {
	CLAIM_MADE,      /**< An empty file was created. */
	CLAIM_EMPTY,     /**< There is an empty file, or one that may be replaced, or the path cannot be created. */
	CLAIM_EXISTS,    /**< A file exists. */
	CLAIM_BUSY,      /**< A file exists, and another program is writing a log to it. */
	CLAIM_NO_MEMORY, /**< Out of memory. */
} claim_result;

/**
 * Claims this path. A file that is not empty can be claimed only with \p replaces. Errors other than that of an
 * existing file are left to the program that opens the log.
 */
claim_result claim_path(const char *path, int replaces);

/**
 * Claims this path or, if it exists, the first free one of "log.2.mprof", "log.3.mprof" and so on. \p path is allocated
 * text; if another path is claimed, it is freed and replaced. Returns CLAIM_MADE, CLAIM_EMPTY or CLAIM_NO_MEMORY.
 */
claim_result claim_numbered(char **path);

/** Whether a program is writing a log to the path. */
int claim_is_busy(const char *path);

/**
 * Locks the file at a claimed path, as a writer of a log does, so that no other run claims it. Returns a descriptor,
 * or -1. Only for a path that no module opens.
 */
int claim_lock(const char *path);

/** Removes a claimed file if it is still empty. */
void claim_release(const char *path);

/** "log.LABEL.mprof" for "log.mprof". The caller frees it; NULL if out of memory. */
char *claim_labelled_name(const char *path, const char *label);

/** The extension of logs. */
#define LOG_EXTENSION ".mprof"

#endif
