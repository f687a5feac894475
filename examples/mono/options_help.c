/* SPDX-License-Identifier: MIT */
/**
 * \file options_help.c
 * \brief Prints the module's options.
 */
#include "options.h"

#include <mprof/version.h>

static const char help_what[] =
	"usage: mono --profile=mprof[:OPTION,...] PROGRAM [ARGUMENTS]\n"
	"\n"
	"What to record (default: 'all'; no-WORD leaves one out)\n"
	"  calls            methods entered and left\n"
	"  alloc[=DETAIL]   objects allocated; with stack, caller, objects (addresses), or several: stack+objects\n"
	"  jit              methods compiled\n"
	"  gc               collections and sizes of the heap\n"
	"  exceptions       exceptions thrown\n"
	"  threads          starts and ends of threads\n"
	"  classes          classes loaded\n"
	"  all              all of these, and none of the following\n"
	"  sample[=HZ]      call stacks of threads, HZ times per second of processor time (100)\n"
	"  sample-real[=HZ] call stacks of threads, HZ times per second of real time\n"
	"  heap[=WHEN]      heap snapshots: at each full collection (every-gc), at each Nth (5gc), at the first one\n"
	"                   after an interval (500ms), or only on request (ondemand), which is always possible\n"
	"  summary          the heap's objects by class, at each full collection\n"
	"  free             objects that full collections find dead\n"
	"  moves            objects that collections move\n"
	"  handles[=TYPE]   GC handles, with stacks: all, or normal, pinned, weak or weak-track; class:PATTERN for "
	"those\n"
	"                   on objects of such classes, for instance class:System.Uri or class:My.*\n"
	"  monitor          locks that threads wait for, with stacks\n"
	"  finalizers       finalizers run\n"
	"  counters[=MS]    the runtime's counters, every MS milliseconds (1000)\n"
	"Loaded assemblies, modules and domains, and names of threads, are always recorded.\n"
	"\n"
	"How deep\n"
	"  sample-depth=N   maximum frames of a sample, up to 128 (32)\n"
	"  stack-depth=N    maximum frames of the stack of an allocation, a handle or a monitor, up to 128 (32)\n"
	"\n"
	"Which calls\n"
	"  only=PATTERN     those of methods that match this or another 'only'\n"
	"  not=PATTERN      those of methods that match no 'not'\n"
	"                   PATTERN is a shell pattern for Namespace.Class, or with a colon Namespace.Class:Method;\n"
	"                   assembly:, namespace:, class: or method: before it selects that part: "
	"not=assembly:mscorlib\n"
	"  depth=N          those nested at most N deep\n"
	"  no-wrappers      leave out methods that the runtime generates, such as transitions to native code\n"
	"  all-wrappers     record even those that it generates only because allocations are recorded\n"
	"Calls in precompiled code (on Debian mscorlib and mcs) are not recorded; mono -O=-aot runs without such "
	"code.\n";

static const char help_how[] =
	"\n"
	"Where to and how\n"
	"  output=FILE      the log; %p becomes the process ID, %t the time, %n the program's name, %% a percent sign\n"
	"                   (%n.mprof)\n"
	"  format=FORMAT    mprof2, or for older readers: mono (Mono 2.0 to 2.8: mprof-decoder, emveepee and the "
	"like),\n"
	"                   unity, drop (Mono 1.9) or mail (2007); those cannot hold all that is recorded (mprof2)\n"
	"  gzip[=LEVEL]     compress the log; 1 is fastest, 9 is smallest (no compression; LEVEL 1)\n"
	"  max-size=BYTES   maximum size of the log file; suffixes k, m and g multiply\n"
	"  ring=BYTES       keep the last BYTES of events in memory, and write them at the end and at 'flush'\n"
	"  buffers=N        maximum number of buffers in addition to one per thread (512)\n"
	"  buffer-events=N  events in one buffer (4096)\n"
	"  heap-memory=BYTES\n"
	"                   maximum memory for heap snapshots not written yet (512m); one that needs more is "
	"incomplete\n"
	"  interval=MS      maximum time that an event of a quiet thread stays in memory (1000)\n"
	"  drop             never block the program: lose events when all buffers are full, and count them in the "
	"log\n"
	"\n"
	"Control while the program runs ('mprof control PID enable|disable|flush|heapshot|status|mark TEXT')\n"
	"  start-disabled   record no events until 'enable'\n"
	"  control=PATH     listen on this socket ($XDG_RUNTIME_DIR/mprof/PID.sock, or /tmp/mprof-UID/PID.sock)\n"
	"  no-control       do not listen\n"
	"  port=N           listen also on this TCP port of 127.0.0.1, for connections of this user or root\n"
	"  signal=SIG:DO    run toggle, flush or heapshot on a signal, for instance USR1:heapshot\n"
	"\n"
	"Names of compiled methods for other profilers (with one of these alone nothing else is recorded)\n"
	"  jitdump          jit-PID.dump, in the log's directory: perf record -k mono; perf inject --jit; perf report\n"
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
