/* SPDX-License-Identifier: MIT */
/* Changes what is recorded of a native program while it runs. */
#include "control_kinds.h"

#include "call_gate.h"
#include "sampler.h"

#include "shared/record_options.h"

#include <inttypes.h>
#include <string.h>

/* Owned by the control thread once it runs. */
static mprof_recorder *recorder;
static int has_calls; /* Perhaps only since a command. */
static int may_add_calls;

static void describe_samples(command_reply *reply)
{
	control_reply_add(reply, "sample_hz=%" PRIu32, sampler_rate());
}

static void describe_calls(command_reply *reply)
{
	control_reply_add(reply, "calls=%s", call_gate_selection());
}

static const char *change_calls(const char *value, command_reply *reply)
{
	const char *failure;

	if (!has_calls && !may_add_calls)
		return "older formats have calls only from the start: start the program with --calls";
	failure = call_gate_set(recorder, value);
	if (failure != NULL)
		return failure;
	has_calls = 1;
	describe_calls(reply);
	return native_control_mark("calls", value);
}

static const char *change_samples(const char *value, command_reply *reply)
{
	const uint32_t start_hz = sampler_start_rate();
	const char *failure;
	uint32_t hz;

	if (start_hz == 0)
		return "a native program is sampled only if it was started with --sample";
	failure = sample_rate_parse(value, start_hz, &hz);
	if (failure != NULL)
		return failure;
	sampler_set_rate(hz);
	describe_samples(reply);
	return native_control_mark("sample", value);
}

static const char *list_kinds(void)
{
	if (sampler_start_rate() == 0)
		return has_calls ? "calls" : "";
	return has_calls ? "calls, samples" : "samples";
}

static void add_status(command_reply *reply)
{
	if (sampler_start_rate() != 0)
		describe_samples(reply);
	if (has_calls)
		describe_calls(reply);
}

static int run_command(const char *line, command_reply *reply, const char **failure)
{
	if (strncmp(line, "sample ", 7) == 0)
		*failure = change_samples(line + 7, reply);
	else if (strncmp(line, "calls ", 6) == 0)
		*failure = change_calls(line + 6, reply);
	else
		return 0;
	return 1;
}

const control_module *control_kinds_begin(mprof_recorder *controlled, int calls, int may_add,
					  void (*begin_thread)(void))
{
	static control_module module = {NULL, sampler_enable, list_kinds, add_status, run_command, ", sample, calls"};

	recorder = controlled;
	has_calls = calls;
	may_add_calls = may_add;
	module.begin_thread = begin_thread;
	return &module;
}
