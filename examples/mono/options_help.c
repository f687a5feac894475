/* SPDX-License-Identifier: MIT */
/* Prints the module's options. */
#include "options_help.h"

#include "shared/record_options.h"

#include <mprof/version.h>

typedef struct help_group {
	record_group group;
	const char *title;
	const char *note; /* After the options. */
} help_group;

static const help_group groups[] = {
	{RECORD_GROUP_KINDS,
	 "What to record (default: sample, alloc, jit, gc, exceptions and threads; no-WORD leaves one out)",
	 "Loaded assemblies, modules and domains, and names of threads, are always recorded.\n"},
	{RECORD_GROUP_DETAIL,
	 "How much of it (only, not, depth and the wrappers without any of these words add calls to the default)",
	 "Calls in precompiled code (on Debian mscorlib and mcs) are not recorded; mono -O=-aot runs without such "
	 "code.\n"},
	{RECORD_GROUP_LOG, "The log", ""},
	{RECORD_GROUP_CONTROL,
	 "Control while the program runs ('mprof control PID COMMAND'; COMMAND is enable, disable, flush, heapshot, "
	 "sample,\nalloc, calls, cost, status or mark)",
	 ""},
	{RECORD_GROUP_OTHERS,
	 "Names of compiled methods for other profilers (with one of these alone nothing else is recorded)",
	 "\n"
	 "  quiet              no lines at the start and at the end\n"
	 "  quiet-start        no line at the start\n"
	 "  help               print this and exit\n"},
};

void options_print_help(FILE *out)
{
	fputs("usage: mono --profile=mprof[:OPTION,...] PROGRAM [ARGUMENTS]\n", out);
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		fprintf(out, "\n%s\n", groups[i].title);
		record_options_print(out, groups[i].group, RECORD_OF_MONO, "");
		fputs(groups[i].note, out);
	}
	fprintf(out, "\nlibmprof %s\n", mprof_version_get_string());
}
