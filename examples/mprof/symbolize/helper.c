/* SPDX-License-Identifier: MIT */
/* The process that reads debug information: sets limits and answers requests. */
#include "symbolize/helper.h"

#include "common/process_limits.h"
#include "symbolize/debug_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Processor time for all modules together: one with a million lines takes a second. */
#define HELPER_SECONDS 60

/* Memory in addition to what the process has at the start: the largest debug information is some gigabytes. */
#define HELPER_BYTES (UINT64_C(8) << 30)

typedef struct module_reader {
	debug_file file;
	debug_units units;
} module_reader;

static void set_limits(void)
{
	process_limit(RLIMIT_CPU, HELPER_SECONDS);
	process_limit_memory(HELPER_BYTES);
	process_limit(RLIMIT_CORE, 0);
	process_limit(RLIMIT_FSIZE, 0);
	/* A log must not make mprof download files. */
	(void)unsetenv("DEBUGINFOD_URLS");
}

static int send_answer(int socket_fd, debug_state state, size_t count)
{
	const lines_answer answer = {.state = (uint32_t)state, .count = (uint32_t)count};

	return protocol_send(socket_fd, &answer, sizeof(answer));
}

static int send_frame(int socket_fd, const debug_frame *frame)
{
	const lines_frame message = {
		.line = frame->line,
		.defined_line = frame->defined_line,
		.is_inlined = frame->is_inlined != 0,
		.name_length = (uint32_t)strlen(frame->name),
		.file_length = (uint32_t)strlen(frame->file),
		.defined_file_length = (uint32_t)strlen(frame->defined_file),
	};

	return protocol_send(socket_fd, &message, sizeof(message)) &&
	       protocol_send(socket_fd, frame->name, message.name_length) &&
	       protocol_send(socket_fd, frame->file, message.file_length) &&
	       protocol_send(socket_fd, frame->defined_file, message.defined_file_length);
}

static int answer_address(int socket_fd, module_reader *reader, const lines_request *request)
{
	static debug_frame frames[LINES_MAX_FRAMES];
	size_t count = 0;

	if (reader->file.dwarf != NULL)
		count = debug_frames_find(&reader->units, reader->file.start + request->offset, frames);
	if (count == 0 && request->wanted == LINES_FRAMES_OR_SYMBOL)
		count = debug_frames_name(&frames[0], debug_file_symbol(&reader->file, request->offset));
	if (!send_answer(socket_fd, DEBUG_FOUND, count))
		return 0;
	for (size_t i = 0; i < count; i++) {
		if (!send_frame(socket_fd, &frames[i]))
			return 0;
	}
	return 1;
}

static int answer_module(int socket_fd, module_reader *reader, const lines_request *request)
{
	char build_id[LINES_MAX_TEXT + 1];
	char path[LINES_MAX_TEXT + 1];
	debug_state state;

	if (request->build_id_length > LINES_MAX_TEXT || request->file_length > LINES_MAX_TEXT ||
	    !protocol_receive(socket_fd, build_id, request->build_id_length, -1) ||
	    !protocol_receive(socket_fd, path, request->file_length, -1))
		return 0;
	build_id[request->build_id_length] = '\0';
	path[request->file_length] = '\0';
	state = debug_file_open(&reader->file, build_id, path);
	if (state == DEBUG_FOUND && !debug_units_read(&reader->units, reader->file.dwarf))
		state = DEBUG_UNREADABLE;
	return send_answer(socket_fd, state, 0);
}

void helper_run(int socket_fd)
{
	static module_reader readers[LINES_MAX_MODULES];
	lines_request request;

	set_limits();
	while (protocol_receive(socket_fd, &request, sizeof(request), -1) && request.module < LINES_MAX_MODULES) {
		module_reader *reader = &readers[request.module];

		if (!(request.wanted == LINES_OPEN ? answer_module(socket_fd, reader, &request)
						   : answer_address(socket_fd, reader, &request)))
			break;
	}
	_exit(0);
}
