/* SPDX-License-Identifier: MIT */
/* Opens and closes the files of tables. */
#include "export/table_files.h"

#include "common/output.h"
#include "shared/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int report_problem(const char *path, const char *problem)
{
	text_begin_message(path);
	fprintf(stderr, "%s\n", problem);
	return 0;
}

/* Opens the file of a table in the directory. */
static int open_own(table_files *files, const export_job *job, table_id table)
{
	export_file *own = &files->own[files->count];
	const char *directory = files->file->path;
	const char *problem;
	char *path;

	if (asprintf(&path, "%s/%s%s", directory, table_describe(table)->name, job->target->table_extension) < 0)
		return report_problem(directory, strerror(ENOMEM));
	problem = export_file_open(own, path, job->target->file_flags, job->mode);
	if (problem != NULL) {
		report_problem(path, problem);
		free(path);
		return 0;
	}
	files->streams[table] = own->stream;
	files->count++;
	return 1;
}

int table_files_open(table_files *files, const export_job *job, export_file *file)
{
	memset(files, 0, sizeof(*files));
	files->file = file;
	files->is_directory = job->is_directory;
	if (!files->is_directory) {
		files->streams[job->table] = file->stream;
		return 1;
	}
	if (whole_file_is_foreign_link(file->path))
		return report_problem(file->path, "a symbolic link of another user is not followed");
	files->is_made = mkdir(file->path, 0777) == 0;
	if (!files->is_made && errno != EEXIST)
		return report_problem(file->path, strerror(errno));
	for (int table = 0; table < TABLES; table++) {
		if (!open_own(files, job, (table_id)table)) {
			table_files_close(files, 0);
			return 0;
		}
	}
	return 1;
}

int table_files_close(table_files *files, int is_whole)
{
	int is_closed = 1;

	is_whole = is_whole && !output_lacks_memory();
	/* Nothing is replaced if one of the files cannot be written. */
	for (int i = 0; i < files->count; i++) {
		int is_flushed = fflush(files->own[i].stream) == 0;

		is_whole = is_whole && is_flushed && !export_file_has_failed(&files->own[i]);
	}
	for (int i = 0; i < files->count; i++) {
		char *path = (char *)files->own[i].path;
		const char *problem = export_file_close(&files->own[i], is_whole);

		if (problem != NULL) {
			is_closed = report_problem(path, problem);
			is_whole = 0;
		}
		files->file->size += files->own[i].size;
		free(path);
	}
	if (files->is_directory && !is_whole) {
		files->file->size = 0;
		if (files->is_made)
			rmdir(files->file->path);
	}
	return is_closed;
}
