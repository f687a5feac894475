/* SPDX-License-Identifier: MIT */
/* The recording options, and how their values are read. */
#include "shared/record_options.h"

#include <mprof/base.h>
#include <mprof/format.h>
#include <mprof/recorder.h>

#include "shared/codec_names.h"
#include "shared/dialects.h"
#include "shared/resolution.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <strings.h>

/* The usable signals, for messages. */
#define SIGNAL_NAMES "HUP, USR1, USR2, ALRM, VTALRM, URG, IO and RTMIN+N"

static int read_number(const char *text, int most)
{
	char *end;
	uintmax_t number;

	errno = 0;
	number = strtoumax(text, &end, 10);
	return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && number <= (uintmax_t)most ? (int)number
													   : -1;
}

/*
 * Returns the number of a signal, given its name or number, if neither the runtime nor the system libraries use it;
 * otherwise 0.
 */
static int signal_names_number(const char *name)
{
	static const struct {
		const char *name;
		int number;
	} signals[] = {
		{"HUP", SIGHUP}, {"USR1", SIGUSR1},     {"USR2", SIGUSR2}, {"ALRM", SIGALRM},
		{"URG", SIGURG}, {"VTALRM", SIGVTALRM}, {"IO", SIGIO},     {"POLL", SIGIO},
	};
	int number;

	if (strncasecmp(name, "SIG", 3) == 0)
		name += 3;
	if (strncasecmp(name, "RTMIN+", 6) == 0) {
		number = read_number(name + 6, SIGRTMAX - SIGRTMIN);
		return number >= 0 ? SIGRTMIN + number : 0;
	}
	number = read_number(name, SIGRTMAX);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		if (strcasecmp(name, signals[i].name) == 0 || number == signals[i].number)
			return signals[i].number;
	}
	return number >= SIGRTMIN ? number : 0;
}

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Most digits of a size in a list, with its suffix. */
#define SIZE_TEXT 24

/* Stores the position after the digits in rest. Returns 0 if there is no digit, or the number is too large. */
static int read_digits(const char *text, uint64_t *number, const char **rest)
{
	char *end;

	errno = 0;
	*number = strtoumax(text, &end, 10);
	*rest = end;
	return text[0] >= '0' && text[0] <= '9' && errno == 0;
}

int record_values_number(const char *text, uint64_t least, uint64_t most, uint64_t *number)
{
	const char *rest;

	return read_digits(text, number, &rest) && *rest == '\0' && *number >= least && *number <= most;
}

/* The shift of a size suffix; -1 if it is not a suffix. */
static int shift_of(const char *suffix)
{
	static const char letters[] = "kmg";
	const char *letter = strchr(letters, tolower((unsigned char)suffix[0]));

	if (suffix[0] == '\0')
		return 0;
	return letter == NULL || suffix[1] != '\0' ? -1 : 10 * (int)(letter - letters + 1);
}

int record_values_size(const char *text, uint64_t least, uint64_t most, uint64_t *size)
{
	const char *suffix;
	uint64_t number;
	int shift = read_digits(text, &number, &suffix) ? shift_of(suffix) : -1;

	if (shift < 0 || number > UINT64_MAX >> 1 >> shift)
		return 0;
	*size = number << shift;
	return *size >= least && *size <= most;
}

/* If the next word of a list separated by + is this one, skips it and returns 1. */
static int skip_word(const char **list, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(*list, word, length) != 0 || ((*list)[length] != '+' && (*list)[length] != '\0'))
		return 0;
	*list += length + ((*list)[length] == '+');
	/* A + at the end joins nothing. */
	return (*list)[0] != '\0' || (*list)[-1] != '+';
}

/* If the next word of a list is "stack:" and a size, skips it and returns 1. */
static int skip_sampled_stack(const char **list, uint64_t *interval)
{
	static const char prefix[] = "stack:";
	const size_t start = sizeof(prefix) - 1;
	const size_t length = strcspn(*list, "+");
	char size[SIZE_TEXT];

	if (strncmp(*list, prefix, start) != 0 || length - start >= sizeof(size))
		return 0;
	snprintf(size, sizeof(size), "%.*s", (int)(length - start), *list + start);
	if (!record_values_size(size, MIN_ALLOCATION_INTERVAL, MAX_ALLOCATION_INTERVAL, interval))
		return 0;
	*list += length + ((*list)[length] == '+');
	return (*list)[0] != '\0' || (*list)[-1] != '+';
}

int record_values_allocation(const char *text, record_allocation *allocation)
{
	do {
		uint64_t interval = 0;

		if (skip_word(&text, "stack") || skip_sampled_stack(&text, &interval)) {
			allocation->has_stacks = 1;
			allocation->interval = interval;
		} else if (skip_word(&text, "caller")) {
			allocation->has_callers = 1;
		} else if (skip_word(&text, "objects") || skip_word(&text, "object")) {
			allocation->has_objects = 1;
		} else {
			return 0;
		}
	} while (*text != '\0');
	return 1;
}

int record_values_exceptions(const char *text, record_exceptions *exceptions)
{
	do {
		if (skip_word(&text, "stack"))
			exceptions->has_stacks = 1;
		else if (skip_word(&text, "clauses"))
			exceptions->has_clauses = 1;
		else
			return 0;
	} while (*text != '\0');
	return 1;
}

/* The largest number of collections or milliseconds between heap snapshots. */
#define MAX_HEAP_NUMBER 1000000000

/* Converts a number of a unit of time to milliseconds. Returns 0 if it is no unit, or the time is too long. */
static int find_interval(const char *unit, uint64_t number, uint32_t *milliseconds)
{
	static const struct {
		const char *name;
		uint32_t milliseconds;
	} units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"min", 60000}, {"h", 3600000}};

	for (size_t i = 0; i < COUNT_OF(units); i++) {
		if (strcmp(unit, units[i].name) != 0)
			continue;
		*milliseconds = (uint32_t)(number * units[i].milliseconds);
		return number <= MAX_HEAP_NUMBER / units[i].milliseconds;
	}
	return 0;
}

int record_values_heap(const char *text, record_heap *heap)
{
	const char *unit;
	uint64_t number;

	if (strcmp(text, "ondemand") == 0 || strcmp(text, "on-demand") == 0) {
		heap->when = HEAP_ON_DEMAND;
		return 1;
	}
	if (strcmp(text, "every-gc") == 0 || strcmp(text, "every") == 0) {
		heap->when = HEAP_EVERY;
		heap->collections = 1;
		return 1;
	}
	if (!read_digits(text, &number, &unit) || number < 1 || number > MAX_HEAP_NUMBER)
		return 0;
	if (strcmp(unit, "gc") == 0) {
		heap->when = HEAP_EVERY;
		heap->collections = (uint32_t)number;
		return 1;
	}
	heap->when = HEAP_AT_INTERVAL;
	return find_interval(unit, number, &heap->milliseconds);
}

int record_values_handles(const char *text, record_handles *handles)
{
	static const char *const types[] = {"normal", "pinned", "weak", "weak-track"};
	static const char of_class[] = "class:";
	const size_t prefix = sizeof(of_class) - 1;

	if (strncmp(text, of_class, prefix) == 0) {
		handles->class_pattern = text + prefix;
		return text[prefix] != '\0';
	}
	for (size_t i = 0; i < COUNT_OF(types); i++) {
		if (strcmp(text, types[i]) != 0)
			continue;
		handles->type = types[i];
		return 1;
	}
	return 0;
}

static int read_action(const char *word, signal_action *action)
{
	if (strcmp(word, "heapshot") == 0)
		*action = SIGNAL_HEAPSHOT;
	else if (strcmp(word, "toggle") == 0)
		*action = SIGNAL_TOGGLE;
	else if (strcmp(word, "flush") == 0)
		*action = SIGNAL_FLUSH;
	else
		return 0;
	return 1;
}

/* SIGNAL:ACTION, such as USR1:flush. */
static int record_values_signal(const char *text, record_signal *signal)
{
	const char *colon = strchr(text, ':');
	char name[32];

	signal->number = 0;
	if (colon == NULL || !read_action(colon + 1, &signal->action))
		return 0;
	snprintf(name, sizeof(name), "%.*s", (int)(colon - text), text);
	signal->number = signal_names_number(name);
	return signal->number != 0;
}

/* The largest rate that may be requested, per second. */
#define MAX_SAMPLE_HZ 10000

#define TEXT_OF(number) #number
#define TEXT_OF_VALUE(number) TEXT_OF(number)

const char *sample_rate_parse(const char *value, uint32_t start_hz, uint32_t *hz)
{
	uint64_t number;

	if (strcmp(value, "off") == 0 || strcmp(value, "on") == 0) {
		*hz = value[1] == 'n' ? start_hz : 0;
		return NULL;
	}
	if (!record_values_number(value, 1, MAX_SAMPLE_HZ, &number))
		return "sample takes on, off, or a number from 1 to " TEXT_OF_VALUE(MAX_SAMPLE_HZ);
	*hz = (uint32_t)number;
	return NULL;
}

/* One frame remains for MPROF_FRAME_TRUNCATED. */
#define MAX_STACK_DEPTH (MPROF_STACK_MAX - 1)

#define MAX_MILLISECONDS 3600000

/* The help texts state it. */
_Static_assert(MAX_STACK_DEPTH == 249, "help texts: --sample-depth, --stack-depth");

/* The column at which the texts of options begin. */
#define HELP_COLUMN 21

/* The prefix of an option's name in a message. */
#define OPTION "%s"

#define TOOL RECORD_OF_TOOL
#define MONO RECORD_OF_MONO
#define NATIVE RECORD_OF_NATIVE
#define MEMORY RECORD_OF_MEMORY
#define MODULES (MONO | NATIVE | MEMORY)

#define GROUP(part, understood) .group = RECORD_GROUP_##part, .readers = (understood)
#define RANGE(first, last) .syntax = RECORD_NUMBER, .least = (first), .most = (last)
#define SIZE(first) .syntax = RECORD_SIZE, .least = (first), .most = UINT64_MAX >> 1

const record_option record_options[] = {
	{"calls", " enter-leave c ", GROUP(KINDS, TOOL | MONO | NATIVE), .kinds = RECORD_CALLS,
	 .help = "methods entered and left"},
	{"alloc", " allocations a ", GROUP(KINDS, TOOL | MONO), .kinds = RECORD_ALLOCATIONS,
	 .argument = RECORD_VALUE_OR_PLAIN, .syntax = RECORD_ALLOCATION, .value = "DETAIL",
	 .help = "objects allocated; with stack, caller, objects (addresses), or several: stack+objects;\n"
		 "with stack:512k, the stacks of a sample, one for each 512 KiB on average"},
	{"jit", " j ", GROUP(KINDS, TOOL | MONO), .kinds = RECORD_JIT, .help = "methods compiled"},
	{"gc", " g ", GROUP(KINDS, TOOL | MONO), .kinds = RECORD_COLLECTIONS,
	 .help = "collections and sizes of the heap"},
	{"exceptions", " exception ", GROUP(KINDS, TOOL | MONO), .kinds = RECORD_EXCEPTIONS,
	 .argument = RECORD_VALUE_OR_PLAIN, .syntax = RECORD_EXCEPTION, .value = "DETAIL",
	 .help = "exceptions thrown; with stack, clauses (that run because of them) or both: stack+clauses;\n"
		 "as part of the default, with the innermost 8 frames of their call stacks"},
	{"threads", " thread t ", GROUP(KINDS, TOOL | MONO), .kinds = RECORD_THREADS,
	 .help = "starts and ends of threads"},
	{"classes", "", GROUP(KINDS, TOOL | MONO), .kinds = RECORD_CLASSES, .help = "classes loaded"},
	{"all", "", GROUP(KINDS, TOOL | MONO | NATIVE), .kinds = RECORD_ALL,
	 .help = "all of these, and none of the following"},
	{"sample", "", GROUP(KINDS, TOOL | MONO | NATIVE), .kinds = RECORD_SAMPLES, .argument = RECORD_VALUE_OR_PLAIN,
	 RANGE(1, MAX_SAMPLE_HZ), .value = "HZ",
	 .help = "call stacks of threads, HZ times per second of processor time (100; of native programs,\n"
		 "whose default is this option alone, 1000)"},
	{"sample-real", "", GROUP(KINDS, TOOL | MONO), .kinds = RECORD_SAMPLES, .argument = RECORD_VALUE_OR_PLAIN,
	 RANGE(1, MAX_SAMPLE_HZ), .value = "HZ", .help = "call stacks of threads, HZ times per second of real time"},
	{"heap", " heapshot ", GROUP(KINDS, TOOL | MONO), .kinds = RECORD_HEAP, .argument = RECORD_VALUE_OR_PLAIN,
	 .syntax = RECORD_HEAP_WHEN, .value = "WHEN",
	 .help = "heap snapshots: at each full collection (every-gc), at each Nth (5gc), at the first one\n"
		 "after an interval (500ms, 30s, 2m), or only on request (ondemand), which is always possible"},
	{"summary", "", GROUP(KINDS, TOOL | MONO), .kinds = RECORD_SUMMARIES,
	 .help = "the heap's objects by class, at each full collection"},
	{"free", "", GROUP(KINDS, TOOL | MONO), .kinds = RECORD_FREED,
	 .help = "objects that full collections find dead"},
	{"moves", " gcmove ", GROUP(KINDS, TOOL | MONO), .kinds = RECORD_MOVES,
	 .help = "objects that collections move"},
	{"handles", " gchandle ", GROUP(KINDS, TOOL | MONO), .kinds = RECORD_HANDLES, .argument = RECORD_VALUE_OR_PLAIN,
	 .syntax = RECORD_HANDLE, .value = "TYPE",
	 .help = "GC handles, with stacks: all, or normal, pinned, weak or weak-track; class:PATTERN for\n"
		 "those on objects of such classes, for instance class:System.Uri or class:My.*"},
	{"monitor", " monitors ", GROUP(KINDS, TOOL | MONO), .kinds = RECORD_MONITORS,
	 .help = "locks that threads wait for, with stacks"},
	{"finalizers", " finalization ", GROUP(KINDS, TOOL | MONO), .kinds = RECORD_FINALIZERS,
	 .help = "finalizers run"},
	{"counters", " counter ", GROUP(KINDS, TOOL | MONO), .kinds = RECORD_METRICS, .argument = RECORD_VALUE_OR_PLAIN,
	 RANGE(1, MAX_MILLISECONDS), .value = "MS", .help = "the runtime's counters, every MS milliseconds (1000)"},
	{"malloc", "", GROUP(KINDS, TOOL | MEMORY), .kinds = RECORD_MEMORY,
	 .help = "native memory of any program that is linked dynamically: malloc(), free(), new, delete and\n"
		 "their relatives, with stacks; nothing else is recorded then"},

	{"sample-source", "", GROUP(DETAIL, TOOL | MONO | NATIVE), .needs = RECORD_SAMPLES, .argument = RECORD_VALUE,
	 .syntax = RECORD_WORD, .words = " perf timer runtime ", .value = "S",
	 .help = "what interrupts threads for samples by processor time: perf, timer or runtime (the first\n"
		 "of these that the system allows)"},
	{"sample-depth", "", GROUP(DETAIL, TOOL | MONO | NATIVE), .needs = RECORD_SAMPLES, .argument = RECORD_VALUE,
	 RANGE(1, MAX_STACK_DEPTH), .value = "N", .help = "maximum frames of a sample, up to 249 (128)"},
	{"sample-stack", "", GROUP(DETAIL, TOOL | NATIVE), .needs = RECORD_SAMPLES, .argument = RECORD_VALUE,
	 .syntax = RECORD_WORD, .words = " auto fp copy ", .value = "HOW",
	 .help = "of a native program: fp (by frame pointers), copy (unwind a copy), or auto: unwind in\n"
		 "place where the unwinding rules are known from earlier copies (auto)"},
	{"stack-depth", "", GROUP(DETAIL, TOOL | MONO | MEMORY),
	 .needs = RECORD_ALLOCATIONS | RECORD_HANDLES | RECORD_MONITORS | RECORD_EXCEPTIONS | RECORD_MEMORY,
	 .argument = RECORD_VALUE, RANGE(1, MAX_STACK_DEPTH), .value = "N",
	 .help = "maximum frames of the stacks of allocations, handles, monitors and exceptions, up to 249\n"
		 "(32; of native memory 64)"},
	{"malloc-stack", " stack ", GROUP(DETAIL, TOOL | MEMORY), .needs = RECORD_MEMORY, .argument = RECORD_VALUE,
	 .syntax = RECORD_WORD, .words = " unwind frames none ", .value = "HOW",
	 .help = "stacks of native memory: unwind, frames (by frame pointers, which is several times faster\n"
		 "and needs code built with them) or none (unwind)"},
	{"leaks", "", GROUP(DETAIL, TOOL | MEMORY), .needs = RECORD_MEMORY,
	 .help = "which native memory that is not freed the program could not reach any more at its end: a\n"
		 "copy of its memory is searched for pointers after it has ended"},
	{"async", "", GROUP(DETAIL, TOOL | MONO),
	 .needs = RECORD_SAMPLES | RECORD_ALLOCATIONS | RECORD_HANDLES | RECORD_MONITORS | RECORD_EXCEPTIONS,
	 .help = "stacks of async methods that continue after an await: their callers are the methods that\n"
		 "await them, instead of the thread pool; and how long each await takes"},
	{"only", "", GROUP(DETAIL, TOOL | MONO | NATIVE), .argument = RECORD_VALUE, .syntax = RECORD_PATTERN,
	 .value = "PATTERN",
	 .help = "calls of methods that match this or another 'only'; allocations and samples of these and\n"
		 "of what they call. PATTERN is a shell pattern for Namespace.Class, or with a colon\n"
		 "Namespace.Class:Method; assembly:, namespace:, class: or method: before it selects that part"},
	{"not", "", GROUP(DETAIL, TOOL | MONO | NATIVE), .argument = RECORD_VALUE, .syntax = RECORD_PATTERN,
	 .value = "PATTERN", .help = "calls, allocations and samples of methods that match no 'not'"},
	{"depth", "", GROUP(DETAIL, TOOL | MONO | NATIVE), .argument = RECORD_VALUE, RANGE(1, 1000000000), .value = "N",
	 .help = "calls nested at most N deep"},
	{"no-wrappers", "", GROUP(DETAIL, TOOL | MONO),
	 .help = "leave out methods that the runtime generates, such as transitions to native code"},
	{"all-wrappers", "", GROUP(DETAIL, TOOL | MONO),
	 .help = "record even those that it generates only because allocations are recorded"},

	{"output", " out o ", GROUP(LOG, MONO), .argument = RECORD_VALUE, .syntax = RECORD_TEXT, .value = "FILE",
	 .help = "the log (%n.mprof); %p becomes the process ID, %t the time, %n the program's name, %h the\n"
		 "host, %% a percent sign"},
	{"gzip", "", GROUP(LOG, TOOL | MODULES), .argument = RECORD_VALUE_OR_PLAIN, RANGE(1, 9), .value = "LEVEL",
	 .help = "compress the log; 1 is fastest, 9 is smallest (no compression; LEVEL 1)"},
	{"compress", "", GROUP(LOG, TOOL | MODULES), .argument = RECORD_VALUE, .syntax = RECORD_CODEC, .value = "HOW",
	 .help = "compress each block by itself: zstd, zstd:LEVEL, deflate or deflate:LEVEL"},
	{"resolution", "", GROUP(LOG, TOOL | MODULES), .argument = RECORD_VALUE, .syntax = RECORD_RESOLUTION,
	 .value = "TIME",
	 .help = "units of times, such as 100ns or 1us; longer ones make the log smaller (full: 8 to 17 ns)"},
	{"max-size", "", GROUP(LOG, TOOL | MODULES), .argument = RECORD_VALUE, SIZE(UINT64_C(1) << 16),
	 .value = "BYTES", .help = "maximum size of the log; suffixes k, m and g multiply"},
	{"ring", "", GROUP(LOG, TOOL | MODULES), .argument = RECORD_VALUE, SIZE(UINT64_C(1) << 20), .value = "BYTES",
	 .help = "keep the last BYTES of events in memory, and write them at the end and at 'flush'"},
	{"heap-memory", "", GROUP(LOG, TOOL | MONO), .needs = RECORD_HEAP | RECORD_SUMMARIES | RECORD_FREED,
	 .argument = RECORD_VALUE, SIZE(UINT64_C(1) << 20), .value = "BYTES",
	 .help = "maximum memory for heap snapshots not written yet (512m); one that needs more is incomplete"},
	{"no-heap-fields", "", GROUP(LOG, TOOL | MONO), .needs = RECORD_HEAP,
	 .help = "heap snapshots without the names of the fields that refer to objects"},
	{"salvage", "", GROUP(LOG, TOOL | MODULES), .argument = RECORD_VALUE, .syntax = RECORD_TEXT, .value = "FILE",
	 .help = "file for what is not in the log yet, from which 'mprof recover' completes the log if the\n"
		 "program is killed; or no (of mprof record: memory shared with it; of a module: the log's name\n"
		 "and .salvage, none with an older format, or with gzip and without ring)"},
	{"drop", "", GROUP(LOG, TOOL | MODULES),
	 .help = "never block the program: lose events when all buffers are full, and count them in the log"},
	{"buffers", "", GROUP(LOG, TOOL | MODULES), .argument = RECORD_VALUE, RANGE(2, 65536), .value = "N",
	 .help = "maximum number of buffers in addition to one per thread (512)"},
	{"buffer-events", "", GROUP(LOG, MODULES), .argument = RECORD_VALUE, RANGE(128, 1048576), .value = "N",
	 .help = "events in one buffer (4096)"},
	{"interval", "", GROUP(LOG, TOOL | MODULES), .argument = RECORD_VALUE, RANGE(1, MAX_MILLISECONDS),
	 .value = "MS", .help = "maximum time that an event of a quiet thread stays in memory (1000)"},
	{"drain-threads", "", GROUP(LOG, TOOL | MODULES), .argument = RECORD_VALUE, RANGE(1, 64), .value = "N",
	 .help = "threads that convert events when several threads record much (1)"},
	{"format", "", GROUP(LOG, TOOL | MODULES), .argument = RECORD_VALUE, .syntax = RECORD_DIALECT,
	 .value = "DIALECT",
	 .help = "mprof2 (the default), or mono, unity, drop or mail for older readers: those of Mono 2.0 to 2.8\n"
		 "such as mprof-decoder, of Unity, of Mono 1.9 and of 2007; they cannot hold all that is recorded"},

	{"start-disabled", "", GROUP(CONTROL, TOOL | MODULES), .help = "record no events until 'enable'"},
	{"control", "", GROUP(CONTROL, TOOL | MODULES), .argument = RECORD_VALUE, .syntax = RECORD_TEXT,
	 .value = "PATH",
	 .help = "listen on this socket ($XDG_RUNTIME_DIR/mprof/PID.sock, or /tmp/mprof-UID/PID.sock)"},
	{"no-control", "", GROUP(CONTROL, TOOL | MODULES), .help = "do not listen"},
	{"port", "", GROUP(CONTROL, TOOL | MONO), .argument = RECORD_VALUE, RANGE(1024, 65535), .value = "N",
	 .help = "listen also on this TCP port of 127.0.0.1, for connections of this user or root"},
	{"signal", "", GROUP(CONTROL, TOOL | MONO), .argument = RECORD_VALUE, .syntax = RECORD_SIGNAL,
	 .value = "SIG:DO", .help = "run toggle, flush or heapshot on a signal, for instance USR1:heapshot"},

	{"jitdump", "", GROUP(OTHERS, TOOL | MONO),
	 .help = "jit-PID.dump, in the log's directory: perf record -k mono; perf inject --jit; perf report"},
	{"perf-map", "", GROUP(OTHERS, TOOL | MONO), .help = "/tmp/perf-PID.map, for: perf report, perf top"},
	{"oprofile", "", GROUP(OTHERS, TOOL | MONO), .help = "through libopagent, if it is installed"},

	{"quiet", "", GROUP(INTERNAL, MODULES)},
	{"quiet-start", "", GROUP(INTERNAL, MONO)},
	{"help", "", GROUP(INTERNAL, MONO)},
	{"children", "", GROUP(INTERNAL, NATIVE)},
	{"parent", "", GROUP(INTERNAL, NATIVE | MEMORY), .argument = RECORD_VALUE, RANGE(1, INT32_MAX)},
	{"no-samples", "", GROUP(INTERNAL, NATIVE)},
	{"collector", "", GROUP(INTERNAL, NATIVE | MEMORY), .argument = RECORD_VALUE, .syntax = RECORD_TEXT},
	{"failures", "", GROUP(INTERNAL, MONO), .argument = RECORD_VALUE, .syntax = RECORD_TEXT},
	{"final", "", GROUP(INTERNAL, NATIVE | MEMORY), .argument = RECORD_VALUE, .syntax = RECORD_TEXT},
	{"leaks-pipe", "", GROUP(INTERNAL, MEMORY), .argument = RECORD_VALUE, .syntax = RECORD_TEXT},
	{"depth", "", GROUP(INTERNAL, MEMORY), .argument = RECORD_VALUE, RANGE(1, 128)},
};

const size_t record_options_count = sizeof(record_options) / sizeof(record_options[0]);

static int is_word_of(const char *words, const char *word, size_t length)
{
	for (const char *blank = words; (blank = strchr(blank, ' ')) != NULL; blank++)
		if (length > 0 && strncmp(blank + 1, word, length) == 0 && blank[1 + length] == ' ')
			return 1;
	return 0;
}

const record_option *record_options_find(const char *name, size_t length, unsigned readers)
{
	for (size_t i = 0; i < record_options_count; i++) {
		const record_option *option = &record_options[i];

		if ((option->readers & readers) == 0)
			continue;
		if ((strncmp(option->name, name, length) == 0 && option->name[length] == '\0') ||
		    ((readers & ~(unsigned)TOOL) != 0 && is_word_of(option->aliases, name, length)))
			return option;
	}
	return NULL;
}

/* Formats a message. Returns 0. */
__attribute__((format(printf, 2, 3))) static int complain(char message[RECORD_MESSAGE_SIZE], const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, RECORD_MESSAGE_SIZE, format, arguments);
	va_end(arguments);
	return 0;
}

static void describe_words(const char *words, char text[RECORD_MESSAGE_SIZE])
{
	size_t length = (size_t)snprintf(text, RECORD_MESSAGE_SIZE, "one of");
	const char *separator = " ";

	for (const char *word = words + 1; *word != '\0'; word += strcspn(word, " ") + 1) {
		length += (size_t)snprintf(text + length, RECORD_MESSAGE_SIZE - length, "%s%.*s", separator,
					   (int)strcspn(word, " "), word);
		separator = ", ";
	}
}

/* What the value of an option is, after "is not". */
static void describe_values(const record_option *option, char text[RECORD_MESSAGE_SIZE])
{
	char dialects[DIALECTS_LIST_SIZE];

	switch (option->syntax) {
	case RECORD_NUMBER:
		complain(text, "a number from %" PRIu64 " to %" PRIu64, option->least, option->most);
		return;
	case RECORD_SIZE:
		complain(text, "a number of bytes from %" PRIu64 "k on; k, m and g multiply it", option->least >> 10);
		return;
	case RECORD_WORD:
		describe_words(option->words, text);
		return;
	case RECORD_DIALECT:
		complain(text, "one of %s", dialects_list(dialects));
		return;
	case RECORD_RESOLUTION:
		complain(text, RESOLUTION_VALUES);
		return;
	case RECORD_CODEC:
		complain(text, CODEC_VALUES);
		return;
	case RECORD_ALLOCATION:
		complain(text, "one of stack, stack:BYTES from %dk to %dg, caller, objects, or several joined by +",
			 (int)(MIN_ALLOCATION_INTERVAL >> 10), (int)(MAX_ALLOCATION_INTERVAL >> 30));
		return;
	case RECORD_EXCEPTION:
		complain(text, "stack, clauses, or both joined by +");
		return;
	case RECORD_HEAP_WHEN:
		complain(text, "every-gc, ondemand, or a number with a unit: 5gc, 500ms, 30s or 2m (at least 1ms)");
		return;
	case RECORD_HANDLE:
		complain(text, "one of normal, pinned, weak, weak-track and class:PATTERN");
		return;
	case RECORD_SIGNAL:
		complain(text, "SIGNAL:ACTION, such as USR1:flush; actions are toggle, flush and heapshot");
		return;
	case RECORD_TEXT:
	case RECORD_PATTERN:
		complain(text, "a text");
		return;
	}
}

/* Of patterns and texts: a comma separates the options of modules, so a value must not contain one. */
static int is_text(const char *value)
{
	return value[0] != '\0' && strchr(value, ',') == NULL;
}

static int is_pattern(const char *value)
{
	return is_text(value) && !is_word_of(" assembly: namespace: class: method: ", value, strlen(value));
}

static int is_valid(const record_option *option, const char *value)
{
	record_allocation allocation;
	record_exceptions exceptions;
	record_handles handles;
	record_signal signal;
	record_heap heap;
	uint64_t number;
	uint32_t codec;
	uint32_t other;

	switch (option->syntax) {
	case RECORD_NUMBER:
		return record_values_number(value, option->least, option->most, &number);
	case RECORD_SIZE:
		return record_values_size(value, option->least, option->most, &number);
	case RECORD_WORD:
		return is_word_of(option->words, value, strlen(value));
	case RECORD_DIALECT:
		return dialects_find(value) != MPROF_DIALECT_DEFAULT;
	case RECORD_RESOLUTION:
		return resolution_parse(value, &other);
	case RECORD_CODEC:
		return codec_names_parse(value, &codec, &other);
	case RECORD_ALLOCATION:
		return record_values_allocation(value, &allocation);
	case RECORD_EXCEPTION:
		return record_values_exceptions(value, &exceptions);
	case RECORD_HEAP_WHEN:
		return record_values_heap(value, &heap);
	case RECORD_HANDLE:
		return record_values_handles(value, &handles) && is_text(value);
	case RECORD_SIGNAL:
		return record_values_signal(value, &signal);
	case RECORD_TEXT:
		return is_text(value);
	case RECORD_PATTERN:
		return is_pattern(value);
	}
	return 0;
}

/* What the library was built without. */
static int check_support(const record_option *option, const char *value, const char *prefix,
			 char message[RECORD_MESSAGE_SIZE])
{
	uint32_t codec;
	uint32_t level;

	if (strcmp(option->name, "gzip") == 0 && !mprof_version_has_feature(MPROF_FEATURE_GZIP))
		return complain(message,
				"%sgzip: libmprof was built without zlib; compress the log with gzip afterwards",
				prefix);
	if (option->syntax != RECORD_CODEC || value == NULL || !codec_names_parse(value, &codec, &level) ||
	    codec_names_is_supported(codec))
		return 1;
	return complain(
		message,
		"%s%s: libmprof was built without %s; compress the log with 'mprof convert --compress' of another "
		"build",
		prefix, option->name, codec == MPROF_CODEC_ZSTD ? "libzstd" : "zlib");
}

/* Whether a value of RECORD_SIGNAL that is invalid is so because of the signal. */
static int names_action(const char *value)
{
	record_signal signal = {.action = SIGNAL_FLUSH};
	char usual[32];

	snprintf(usual, sizeof(usual), "USR1%s", value + strcspn(value, ":"));
	return value[0] != ':' && record_values_signal(usual, &signal);
}

int record_options_check(const record_option *option, const char *value, const char *prefix,
			 char message[RECORD_MESSAGE_SIZE])
{
	char values[RECORD_MESSAGE_SIZE];

	if (value == NULL && option->argument == RECORD_VALUE)
		return complain(message, "option '%s%s' needs a value: '%s%s=VALUE'", prefix, option->name, prefix,
				option->name);
	if (value != NULL && option->argument == RECORD_PLAIN)
		return complain(message, "option '%s%s' has no value", prefix, option->name);
	if (!check_support(option, value, prefix, message))
		return 0;
	if (value == NULL || is_valid(option, value))
		return 1;
	if (option->syntax == RECORD_PATTERN && value[0] != '\0' && strchr(value, ',') == NULL)
		return complain(message, "%s%s: '%s' has no pattern after the colon", prefix, option->name, value);
	if (strchr(value, ',') != NULL)
		return complain(message, "%s%s: '%s' has a comma, which the module's options cannot contain", prefix,
				option->name, value);
	if (value[0] == '\0' && (option->syntax == RECORD_TEXT || option->syntax == RECORD_PATTERN))
		return complain(message, "%s%s: '' is empty", prefix, option->name);
	if (option->syntax == RECORD_SIGNAL && names_action(value))
		return complain(message, "%s%s: %.*s cannot be used; the signals are " SIGNAL_NAMES, prefix,
				option->name, (int)strcspn(value, ":"), value);
	describe_values(option, values);
	return complain(message, "%s%s: '%.60s' is not %s", prefix, option->name, value, values);
}

int record_signals_add(record_signals *signals, const char *value, const char *prefix,
		       char message[RECORD_MESSAGE_SIZE])
{
	record_signal signal;

	if (!record_values_signal(value, &signal))
		return complain(message, "%ssignal: '%.60s' is invalid", prefix, value);
	/* Compared by number: a signal may have several names. */
	for (unsigned i = 0; i < signals->count; i++)
		if (signals->list[i].number == signal.number)
			return complain(message, "%ssignal: %.*s already has an action", prefix,
					(int)strcspn(value, ":"), value);
	if (signals->count == MAX_SIGNAL_ACTIONS)
		return complain(message, "%ssignal: at most %d signals can have an action", prefix, MAX_SIGNAL_ACTIONS);
	signals->list[signals->count++] = signal;
	return 1;
}

int record_combination_check(const record_combination *combination, const char *prefix,
			     char message[RECORD_MESSAGE_SIZE])
{
	const record_allocation *allocation = &combination->allocation;

	if (combination->has_ring && combination->has_codec)
		return complain(message, OPTION "ring and " OPTION "compress exclude each other: use " OPTION "gzip",
				prefix, prefix, prefix);
	if (combination->has_ring && combination->has_max_size)
		return complain(message,
				OPTION "ring and " OPTION "max-size exclude each other: " OPTION
				       "ring already limits the size",
				prefix, prefix, prefix);
	for (unsigned i = 0; i < combination->signals.count; i++)
		if (combination->signals.list[i].action == SIGNAL_HEAPSHOT && !combination->has_heap)
			return complain(message,
					OPTION "signal: the action heapshot needs " OPTION "heap or " OPTION
					       "heap=ondemand",
					prefix, prefix, prefix);
	if (allocation->interval != 0 && allocation->has_callers)
		return complain(message,
				OPTION "alloc=stack:BYTES and " OPTION
				       "alloc=caller exclude each other: a call stack contains the "
				       "caller",
				prefix, prefix);
	/*
	 * Readers scale allocations with call stacks by the interval in the session metadata, which older formats do
	 * not have. They would treat a caller without a call stack as a separate call site.
	 */
	if (allocation->interval != 0 && combination->is_older)
		return complain(message, OPTION "alloc=stack:BYTES needs " OPTION "format=mprof2", prefix, prefix);
	return 1;
}

/* Prints text, whose further lines begin at the same column. */
static void print_text(FILE *out, const char *text)
{
	for (;;) {
		size_t length = strcspn(text, "\n");

		fprintf(out, "%.*s\n", (int)length, text);
		if (text[length] == '\0')
			return;
		text += length + 1;
		fprintf(out, "%*s", HELP_COLUMN, "");
	}
}

void record_options_print(FILE *out, record_group group, unsigned readers, const char *prefix)
{
	for (size_t i = 0; i < record_options_count; i++) {
		const record_option *option = &record_options[i];
		const int is_optional = option->argument == RECORD_VALUE_OR_PLAIN;
		int width;

		if (option->group != group || (option->readers & readers) == 0)
			continue;
		width = fprintf(out, "  %s%s", prefix, option->name);
		if (option->argument != RECORD_PLAIN)
			width += fprintf(out, "%s=%s%s", is_optional ? "[" : "", option->value, is_optional ? "]" : "");
		if (width >= HELP_COLUMN) {
			fputc('\n', out);
			width = 0;
		}
		fprintf(out, "%*s", HELP_COLUMN - width, "");
		print_text(out, option->help);
	}
}

void record_options_check_words(const char *words, record_reader reader, void (*report)(const char *message))
{
	char message[RECORD_MESSAGE_SIZE];

	while (words != NULL && *words != '\0') {
		const size_t length = strcspn(words, ",");
		const size_t name = strcspn(words, "=,");
		const record_option *option = record_options_find(words, name, reader);
		char value[RECORD_MESSAGE_SIZE];

		if (option == NULL && length > 0) {
			complain(message, "unknown option '%.*s'", (int)(name < 60 ? name : 60), words);
			report(message);
		} else if (option != NULL && length - name < sizeof(value)) {
			snprintf(value, sizeof(value), "%.*s", (int)(length - name), words + name);
			if (!record_options_check(option, value[0] == '=' ? value + 1 : NULL, "", message))
				report(message);
		}
		words += length + (words[length] == ',');
	}
}

const char *record_options_value(const char *words, const char *name, size_t *length)
{
	const size_t name_length = strlen(name);
	const char *found = NULL;

	for (const char *word = words; word != NULL; word = strchr(word, ',')) {
		word += word[0] == ',';
		if (strncmp(word, name, name_length) == 0 && memchr("=,", word[name_length], 3) != NULL)
			found = word + name_length + (word[name_length] == '=');
	}
	*length = found != NULL ? strcspn(found, ",") : 0;
	return found;
}
