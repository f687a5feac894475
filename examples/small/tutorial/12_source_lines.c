/* SPDX-License-Identifier: MIT */
/*
 * 12: record source files and lines, and read them back.
 *
 * A method's description may contain the file and line of its source. An editor looks them up by the ID of an event.
 *
 *     ./12_source_lines lines.mprof
 */
#include <mprof/reader.h>
#include <mprof/recorder.h>

#include <stdio.h>
#include <string.h>

enum { METHOD_MAIN = 1, LINE = 42 };

static int record(const char *path)
{
	mprof_description description;
	mprof_recorder *recorder;
	mprof_thread *thread;
	int failed;

	if (mprof_recorder_open_path(path, NULL, &recorder, NULL) != MPROF_OK)
		return 1;
	mprof_description_init(&description, sizeof(description));
	description.name = "main";
	description.name_length = strlen(description.name);
	description.source_file = "12_source_lines.c";
	description.source_file_length = strlen(description.source_file);
	description.source_line = LINE;
	failed = mprof_recorder_define_method(recorder, METHOD_MAIN, &description) != MPROF_OK ||
		 mprof_recorder_attach(recorder, 0, &thread) != MPROF_OK;
	if (!failed) {
		mprof_thread_enter_method(thread, METHOD_MAIN);
		mprof_thread_leave_method(thread, METHOD_MAIN);
		mprof_thread_detach(thread);
	}
	failed = mprof_recorder_close(recorder) != MPROF_OK || failed;
	mprof_recorder_destroy(recorder);
	return failed;
}

int main(int argc, char **argv)
{
	mprof_reader *reader = NULL;
	mprof_mapping method;
	mprof_block block;

	if (argc != 2 || record(argv[1]) != 0 || mprof_reader_open_path(argv[1], NULL, &reader) != MPROF_OK)
		return 1;
	mprof_block_init(&block, sizeof(block));
	while (mprof_reader_next_block(reader, &block) == MPROF_OK)
		continue;
	for (uint32_t id = 1; mprof_reader_lookup_method(reader, id, &method, sizeof(method)) == MPROF_OK; id++)
		printf("%s is at %s:%u\n", method.name, method.source_file, method.source_line);
	mprof_reader_destroy(reader);
	return 0;
}
