/* SPDX-License-Identifier: MIT */
/* Asks the helper for source lines of native code. */
#include "symbolize/native_lines.h"

#include "common/demangle.h"
#include "common/output.h"
#include "common/text_pool.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct helper_process {
	int fd; /* -1 if the process is not running. */
	pid_t process;
	unsigned failures; /* Number of processes that crashed or did not answer in time. */
	unsigned serial;   /* Number of processes that were started. */
} helper_process;

#ifdef WITH_LIBDW
#include "symbolize/helper.h"
#endif

/* No process is started after this number of failures: a log with many bad files would otherwise take very long. */
#define MAX_FAILURES 3

/* Time for a part of an answer. The first one about a module with gigabytes of debug information takes a second. */
#define ANSWER_MS 10000

/* Whether this program was built with a library that reads debug information. */
static int helper_process_is_supported(void)
{
#ifdef WITH_LIBDW
	return 1;
#else
	return 0;
#endif
}

static void helper_process_init(helper_process *helper)
{
	memset(helper, 0, sizeof(*helper));
	helper->fd = -1;
}

#ifdef WITH_LIBDW
static int start_process(helper_process *helper)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		return 0;
	/* What is buffered would otherwise be written by both processes. */
	(void)fflush(NULL);
	helper->process = fork();
	if (helper->process == 0) {
		close(ends[0]);
		helper_run(ends[1]);
	}
	close(ends[1]);
	if (helper->process < 0) {
		close(ends[0]);
		return 0;
	}
	helper->fd = ends[0];
	helper->serial++;
	return 1;
}
#else
static int start_process(helper_process *helper)
{
	(void)helper;
	return 0;
}
#endif

/* Starts the process unless it is running. Returns 0 if it cannot be started, or if too many processes failed. */
static int helper_process_start(helper_process *helper)
{
	return helper->fd >= 0 || (helper->failures < MAX_FAILURES && start_process(helper));
}

static void helper_process_stop(helper_process *helper)
{
	if (helper->fd < 0)
		return;
	close(helper->fd);
	helper->fd = -1;
	(void)kill(helper->process, SIGKILL);
	(void)waitpid(helper->process, NULL, 0);
}

/* Stops the process because an answer is invalid. */
static void helper_process_fail(helper_process *helper)
{
	helper->failures++;
	helper_process_stop(helper);
}

/* Sends a request; build_id and file have the lengths in it. Returns 0, and stops the process, if it failed. */
static int helper_process_send(helper_process *helper, const lines_request *request, const char *build_id,
			       const char *file)
{
	if (protocol_send(helper->fd, request, sizeof(*request)) &&
	    protocol_send(helper->fd, build_id, request->build_id_length) &&
	    protocol_send(helper->fd, file, request->file_length))
		return 1;
	helper_process_fail(helper);
	return 0;
}

/* Receives a part of an answer. Returns 0, and stops the process, if it ended or did not answer in time. */
static int helper_process_receive(helper_process *helper, void *bytes, size_t length)
{
	if (protocol_receive(helper->fd, bytes, length, protocol_now_ms() + ANSWER_MS))
		return 1;
	helper_process_fail(helper);
	return 0;
}

typedef struct known_module {
	uint64_t id;
	uint32_t number; /* For the process. */
	uint32_t state;  /* A debug_state. */
	uint64_t serial; /* Of the process in which it was opened; 0 before. */
} known_module;

typedef struct known_location {
	uint64_t key;
	uint64_t count;
	native_frame *frames;
} known_location;

struct native_lines {
	const mprof_reader *reader;
	int uses_symbols;
	helper_process helper;
	key_map modules;
	uint32_t module_count;
	key_map locations; /* By ID << 1 | is_return. */
	text_pool texts;
	char *buffer; /* For a text of the process. */
};

int native_lines_is_supported(void)
{
	return helper_process_is_supported();
}

native_lines *native_lines_create(const mprof_reader *reader, int uses_symbols)
{
	native_lines *lines;

	if (!helper_process_is_supported())
		return NULL;
	lines = calloc(1, sizeof(*lines));
	if (lines == NULL) {
		output_out_of_memory();
		return NULL;
	}
	lines->reader = reader;
	lines->uses_symbols = uses_symbols;
	lines->modules.value_size = sizeof(known_module) - sizeof(uint64_t);
	lines->locations.value_size = sizeof(known_location) - sizeof(uint64_t);
	text_pool_init(&lines->texts);
	helper_process_init(&lines->helper);
	lines->buffer = malloc(LINES_MAX_TEXT + 1);
	if (lines->buffer == NULL) {
		output_out_of_memory();
		native_lines_destroy(lines);
		return NULL;
	}
	return lines;
}

void native_lines_destroy(native_lines *lines)
{
	if (lines == NULL)
		return;
	helper_process_stop(&lines->helper);
	for (size_t slot = 0; lines->locations.capacity != 0 && slot <= lines->locations.capacity; slot++) {
		known_location *location = key_map_slot(&lines->locations, slot);

		if (location != NULL)
			free(location->frames);
	}
	key_map_clear(&lines->locations);
	key_map_clear(&lines->modules);
	text_pool_release(&lines->texts);
	free(lines->buffer);
	free(lines);
}

static const char *pool(native_lines *lines, const char *name)
{
	pooled_text *text = text_pool_get(&lines->texts, name);

	if (text == NULL)
		output_out_of_memory();
	return text != NULL ? text->text : NULL;
}

/* Sets the names of a frame from that of the object file. */
static void name_frame(native_lines *lines, native_frame *frame, const char *name)
{
	const char *pooled = pool(lines, name);

	frame->symbol = lines->uses_symbols ? NULL : demangle_symbol(pooled);
	frame->name = frame->symbol != NULL ? demangle_shown(pooled) : pooled;
}

/* Receives a text into the buffer. Returns 0 if the process failed. */
static int receive_text(native_lines *lines, uint32_t length)
{
	if (length > LINES_MAX_TEXT) {
		helper_process_fail(&lines->helper);
		return 0;
	}
	if (!helper_process_receive(&lines->helper, lines->buffer, length))
		return 0;
	lines->buffer[length] = '\0';
	return 1;
}

static int receive_path(native_lines *lines, uint32_t length, const char **path)
{
	if (!receive_text(lines, length))
		return 0;
	*path = length > 0 ? pool(lines, lines->buffer) : NULL;
	return 1;
}

static int receive_frame(native_lines *lines, native_frame *frame)
{
	lines_frame message;

	if (!helper_process_receive(&lines->helper, &message, sizeof(message)) ||
	    !receive_text(lines, message.name_length))
		return 0;
	frame->name = NULL;
	frame->symbol = NULL;
	if (message.name_length > 0)
		name_frame(lines, frame, lines->buffer);
	frame->line = message.line;
	frame->defined_line = message.defined_line;
	frame->is_inlined = message.is_inlined != 0;
	return receive_path(lines, message.file_length, &frame->file) &&
	       receive_path(lines, message.defined_file_length, &frame->defined_file);
}

static int receive_answer(native_lines *lines, lines_answer *answer)
{
	if (!helper_process_receive(&lines->helper, answer, sizeof(*answer)))
		return 0;
	if (answer->state < DEBUG_STATES && answer->count <= LINES_MAX_FRAMES)
		return 1;
	helper_process_fail(&lines->helper);
	return 0;
}

/* Opens a module in the process. Its state is final, also if the process fails: it would fail again. */
static void open_module(native_lines *lines, known_module *module)
{
	lines_request request = {.module = module->number, .wanted = LINES_OPEN};
	lines_answer answer;
	mprof_record record;

	module->state = DEBUG_UNREADABLE;
	module->serial = lines->helper.serial;
	if (mprof_reader_lookup_record(lines->reader, MPROF_RECORD_MODULE, (uint32_t)module->id, &record,
				       sizeof(record)) != MPROF_OK ||
	    record.as.module.build_id[0] == '\0') {
		module->state = DEBUG_NO_BUILD_ID;
		return;
	}
	if (strlen(record.as.module.build_id) > LINES_MAX_TEXT || strlen(record.as.module.file) > LINES_MAX_TEXT)
		return;
	request.build_id_length = (uint32_t)strlen(record.as.module.build_id);
	request.file_length = (uint32_t)strlen(record.as.module.file);
	if (helper_process_send(&lines->helper, &request, record.as.module.build_id, record.as.module.file) &&
	    receive_answer(lines, &answer))
		module->state = answer.state;
}

/* Whether a module is open in the process. Its symbols can be read without debug information, too. */
static int is_open(const known_module *module, lines_wanted wanted)
{
	return module->state == DEBUG_FOUND || (module->state == DEBUG_NONE && wanted == LINES_FRAMES_OR_SYMBOL);
}

/* A module that is open in the process; NULL if it does not have what is wanted. */
static known_module *find_module(native_lines *lines, uint32_t id, lines_wanted wanted)
{
	known_module *module = id != 0 ? key_map_put(&lines->modules, id) : NULL;

	if (module == NULL) {
		if (id != 0)
			output_out_of_memory();
		return NULL;
	}
	if (module->serial != 0 && !is_open(module, wanted))
		return NULL;
	if (!helper_process_start(&lines->helper)) {
		module->state = DEBUG_UNREADABLE;
		return NULL;
	}
	if (module->serial == 0) {
		if (lines->module_count == LINES_MAX_MODULES) {
			module->state = DEBUG_UNREADABLE;
			return NULL;
		}
		module->number = lines->module_count++;
	}
	if (module->serial != lines->helper.serial)
		open_module(lines, module);
	return is_open(module, wanted) ? module : NULL;
}

static int has_recorded_name(const native_lines *lines, uint32_t function)
{
	mprof_record record;

	return mprof_reader_lookup_record(lines->reader, MPROF_RECORD_FUNCTION, function, &record, sizeof(record)) ==
		       MPROF_OK &&
	       record.as.function.name[0] != '\0';
}

/* Uses the recorded name for the function that is not inlined. */
static void use_recorded_name(native_lines *lines, native_frame *frame, uint32_t function)
{
	mprof_record record;

	if (mprof_reader_lookup_record(lines->reader, MPROF_RECORD_FUNCTION, function, &record, sizeof(record)) !=
		    MPROF_OK ||
	    record.as.function.name[0] == '\0')
		return;
	name_frame(lines, frame, record.as.function.name);
}

static void ask_frames(native_lines *lines, known_module *module, uint64_t offset, lines_wanted wanted,
		       known_location *location)
{
	const lines_request request = {.offset = offset, .module = module->number, .wanted = wanted};
	native_frame frames[LINES_MAX_FRAMES];
	lines_answer answer;

	if (!helper_process_send(&lines->helper, &request, NULL, NULL) || !receive_answer(lines, &answer)) {
		module->state = DEBUG_UNREADABLE;
		return;
	}
	for (uint32_t i = 0; i < answer.count; i++) {
		if (!receive_frame(lines, &frames[i])) {
			module->state = DEBUG_UNREADABLE;
			return;
		}
	}
	location->frames = answer.count > 0 ? malloc(answer.count * sizeof(*frames)) : NULL;
	if (location->frames == NULL) {
		if (answer.count > 0)
			output_out_of_memory();
		return;
	}
	memcpy(location->frames, frames, answer.count * sizeof(*frames));
	location->count = answer.count;
}

static void find_frames(native_lines *lines, int is_return, known_location *location)
{
	mprof_record record;
	known_module *module;
	lines_wanted wanted;
	uint64_t offset;

	if (mprof_reader_lookup_record(lines->reader, MPROF_RECORD_LOCATION, (uint32_t)(location->key >> 1), &record,
				       sizeof(record)) != MPROF_OK)
		return;
	wanted = has_recorded_name(lines, record.as.location.function) ? LINES_FRAMES : LINES_FRAMES_OR_SYMBOL;
	module = find_module(lines, record.as.location.module, wanted);
	if (module == NULL)
		return;
	offset = record.as.location.offset;
	/* The call, since what follows it may belong to another line or function. */
	if (is_return && offset > 0)
		offset--;
	ask_frames(lines, module, offset, wanted, location);
	if (location->count > 0)
		use_recorded_name(lines, &location->frames[location->count - 1], record.as.location.function);
}

size_t native_lines_find(native_lines *lines, uint32_t location, int is_return, const native_frame **frames)
{
	const uint64_t key = (uint64_t)location << 1 | (is_return != 0);
	known_location *known;

	*frames = NULL;
	if (lines == NULL)
		return 0;
	known = key_map_find(&lines->locations, key);
	if (known == NULL) {
		known = key_map_put(&lines->locations, key);
		if (known == NULL) {
			output_out_of_memory();
			return 0;
		}
		find_frames(lines, is_return, known);
	}
	*frames = known->frames;
	return (size_t)known->count;
}

int native_lines_get_state(const native_lines *lines, uint32_t module, debug_state *state)
{
	const known_module *known = lines != NULL ? key_map_find(&lines->modules, module) : NULL;

	if (known == NULL)
		return 0;
	*state = (debug_state)known->state;
	return 1;
}
