/* SPDX-License-Identifier: MIT */
/**
 * \file export/table_files.h
 * \brief The files of a format that has a file for each table: all of them in a directory, or only one.
 */
#ifndef EXPORT_TABLE_FILES_H
#define EXPORT_TABLE_FILES_H

#include "export/tables.h"
#include "export/targets.h"

typedef struct table_files {
	export_file own[TABLES];
	FILE *streams[TABLES]; /**< NULL for tables that are not exported. */
	export_file *file;     /**< Of the job. */
	int is_directory;
	int is_made; /**< The directory did not exist. */
	int count;   /**< Open files in own. */
} table_files;

/**
 * Opens the files of the job; in a directory, which is made if it does not exist, each is the name of the table with
 * the extension of the format. Returns 0 after a message; then nothing has to be closed.
 */
int table_files_open(table_files *files, const export_job *job, export_file *file);

/** Closes the files, or discards all if not \p is_whole. Returns 0 after a message if one could not be written. */
int table_files_close(table_files *files, int is_whole);

#endif
