/* SPDX-License-Identifier: MIT */
/* Fills error records, and copies them to a caller. */
#include "base/error.h"

#include "base/caller_structs.h"

#include <string.h>

void error_clear(mprof_error *error)
{
	memset(error, 0, sizeof(*error));
	error->struct_size = sizeof(*error);
	error->what = "no error";
}

mprof_status error_set(mprof_error *error, mprof_status status, mprof_severity severity, const char *what)
{
	error_clear(error);
	error->status = status;
	error->severity = severity;
	error->what = what;
	return status;
}

mprof_status error_set_system(mprof_error *error, int system_error, const char *what)
{
	error_set(error, MPROF_ERR_IO, MPROF_SEVERITY_FATAL, what);
	error->system_error = system_error;
	return MPROF_ERR_IO;
}

mprof_status error_copy(const mprof_error *error, mprof_error *out)
{
	return struct_copy_out(out, error, sizeof(*error));
}

const char *mprof_status_get_text(uint32_t status)
{
	switch (status) {
	case MPROF_OK:
		return "success";
	case MPROF_END:
		return "nothing left";
	case MPROF_AGAIN:
		return "more bytes are needed";
	case MPROF_ERR_ARGUMENT:
		return "invalid argument";
	case MPROF_ERR_STATE:
		return "call out of order";
	case MPROF_ERR_MEMORY:
		return "out of memory";
	case MPROF_ERR_IO:
		return "input or output failed";
	case MPROF_ERR_NOT_MPROF:
		return "not an mprof log";
	case MPROF_ERR_TRUNCATED:
		return "the log ends inside a block";
	case MPROF_ERR_MALFORMED:
		return "malformed block";
	case MPROF_ERR_CHECKSUM:
		return "checksum does not match";
	case MPROF_ERR_LIMIT:
		return "a limit is exceeded";
	case MPROF_ERR_UNSUPPORTED:
		return "not supported";
	case MPROF_ERR_UNDEFINED_ID:
		return "ID used before it is defined";
	case MPROF_ERR_REDEFINED_ID:
		return "ID defined twice";
	case MPROF_ERR_NAME:
		return "name that cannot be written";
	case MPROF_ERR_INTERRUPTED:
		return "interrupted";
	}
	return "unknown status";
}
