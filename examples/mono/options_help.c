/* SPDX-License-Identifier: MIT */
/**
 * \file options_help.c
 * \brief Explains the module's options.
 */
#include "options.h"

#include <mprof/version.h>

static const char help_what[] =
	"usage: mono --profile=mprof[:OPTION,...] PROGRAM [ARGUMENTS]\n"
	"\n"
	"What to record (without any of these: 'all'; no-WORD leaves one out)\n"
	"  calls            methods entered and left\n"
	"  alloc[=DETAIL]   objects allocated; with stack, caller, objects (addresses), or stack+objects and the like\n"
	"  jit              methods compiled\n"
	"  gc               collections and sizes of the heap\n"
	"  exceptions       exceptions thrown\n"
	"  threads          starts and ends of threads\n"
	"  classes          classes loaded\n"
	"  all              all of these, and none of the following\n"
	"  sample[=HZ]      where threads are, so many times in a second of processor time (100)\n"
	"  sample-real[=HZ] the same in a second of real time\n"
	"  heap[=WHEN]      heap shots: at each full collection (every-gc), at each Nth (5gc), at the first after so\n"
	"                   many milliseconds (500ms), or only when asked for (ondemand), as they always are\n"
	"  summary          the heap's objects by class, at each full collection\n"
	"  free             objects that full collections find dead\n"
	"  moves            objects that collections move\n"
	"  handles[=TYPE]   GC handles, with stacks: all, or normal, pinned, weak or weak-track; class:PATTERN for "
	"those\n"
	"                   on objects of such classes, for instance class:System.Uri or class:My.*\n"
	"  monitor          locks that threads wait for, with stacks\n"
	"  finalizers       finalizers run\n"
	"  counters[=MS]    the runtime's figures, every so many milliseconds (1000)\n"
	"Loaded assemblies, modules and domains, and names of threads, are always recorded.\n"
	"\n"
	"How deep\n"
	"  sample-depth=N   frames of a sample, up to 128 (32)\n"
	"  stack-depth=N    frames of the stack of an allocation, a handle or a monitor, up to 128 (32)\n"
	"\n"
	"Which calls\n"
	"  only=PATTERN     those of methods that match this or another 'only'\n"
	"  not=PATTERN      those of methods that match no 'not'\n"
	"                   PATTERN, of the shell, is for Namespace.Class, or with a colon Namespace.Class:Method, or\n"
	"                   with assembly:, namespace:, class: or method: in front for that: not=assembly:mscorlib\n"
	"  depth=N          those that are at most so deep in others\n"
	"  no-wrappers      leave out methods that the runtime makes itself, such as transitions to native code\n"
	"  all-wrappers     record even those that it makes only because allocations are recorded\n"
	"Calls in precompiled code (on Debian mscorlib and mcs) cannot be seen; mono -O=-aot does without it.\n";

static const char help_how[] =
	"\n"
	"Where to and how\n"
	"  output=FILE      the log; %p becomes the process, %t the time, %n the program's name, %% a percent sign\n"
	"                   (%n.mprof)\n"
	"  format=FORMAT    mprof2, or for older readers: mono (Mono 2.0 to 2.8: mprof-decoder, emveepee and the "
	"like),\n"
	"                   unity, drop (Mono 1.9) or mail (2007); those cannot hold all that is recorded (mprof2)\n"
	"  gzip[=LEVEL]     compress, 1 is fast and 9 is small (not compressed; LEVEL 1)\n"
	"  max-size=BYTES   most that the log's file may have; k, m and g multiply\n"
	"  ring=BYTES       keep the last so many bytes of events in memory, and write them at the end and at 'flush'\n"
	"  buffers=N        most buffers besides one for each thread (512)\n"
	"  buffer-events=N  events in one buffer (4096)\n"
	"  heap-memory=BYTES\n"
	"                   most memory for heap shots that are not written yet (512m); one that needs more is "
	"incomplete\n"
	"  interval=MS      longest time that an event stays in memory of a quiet thread (1000)\n"
	"  drop             never hold the program up: lose events when all buffers are full, and count them in the "
	"log\n"
	"\n"
	"Control while the program runs ('mprof control PID enable|disable|flush|heapshot|status|mark TEXT')\n"
	"  start-disabled   record no events until 'enable'\n"
	"  control=PATH     listen there ($XDG_RUNTIME_DIR/mprof/PID.sock, or /tmp/mprof-UID/PID.sock)\n"
	"  no-control       do not listen\n"
	"  port=N           listen also to this TCP port of 127.0.0.1, to connections of this user or root\n"
	"  signal=SIG:DO    let a signal do toggle, flush or heapshot, such as USR1:heapshot\n"
	"\n"
	"Names of compiled methods for other profilers (with one of these alone nothing else is recorded)\n"
	"  jitdump          jit-PID.dump beside the log, for: perf record -k mono; perf inject --jit; perf report\n"
	"  perf-map         /tmp/perf-PID.map, for: perf report, perf top\n"
	"  oprofile         through libopagent, if it is installed\n"
	"\n"
	"  quiet            no lines at the start and at the end\n"
	"  quiet-start      no line at the start\n"
	"  help             print this and exit\n";

void options_print_help(FILE *out)
{
	fputs(help_what, out);
	fputs(help_how, out);
	fprintf(out, "\nlibmprof %s\n", mprof_version_get_string());
}
