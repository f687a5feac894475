/* SPDX-License-Identifier: MIT */
/* Formats names of native functions, as mprof_reader_format_location() does for locations in them. */
#include "shared/function_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

size_t function_name_format(const mprof_reader *reader, uint32_t function, char *text, size_t size)
{
	mprof_record found;
	mprof_record module;
	const char *file = "";
	int length;

	if (mprof_reader_lookup_record(reader, MPROF_RECORD_FUNCTION, function, &found, sizeof(found)) != MPROF_OK)
		return 0;
	if (found.as.function.name[0] == '\0' &&
	    mprof_reader_lookup_record(reader, MPROF_RECORD_MODULE, found.as.function.module, &module,
				       sizeof(module)) == MPROF_OK) {
		const char *slash = strrchr(module.as.module.file, '/');

		file = slash != NULL ? slash + 1 : module.as.module.file;
	}
	if (found.as.function.name[0] != '\0')
		length = snprintf(text, size, "%s", found.as.function.name);
	else
		length = snprintf(text, size, "%s%s0x%" PRIx64, file, file[0] != '\0' ? "+" : "",
				  found.as.function.offset);
	return length < 0 ? 0 : (size_t)length;
}
