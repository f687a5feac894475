/* SPDX-License-Identifier: MIT */
/*
 * Runs 'mprof import' on changed files of other profilers: it must end by itself, with one of its exit statuses, without
 * a report of a sanitizer, and the log that it writes must be sound. The environment variable MPROF names the tool.
 * MPROF_FUZZ_FACTOR has that many more changes made, MPROF_FUZZ_SEED other ones. MPROF_FUZZ_KEEP names a file that
 * receives each input before it is used. Files that are named are imported as they are.
 */
#include "fuzz_command.h"
#include "fuzz_logs.h"
#include "fuzz_mutate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 65536, CHANGES = 25, STATUS_NO_LOG = 3 };

#define INPUT "in"
#define OUTPUT "out.mprof"

/* A file that is built or changed. */
typedef struct fuzz_file {
	uint8_t bytes[ROOM];
	size_t length;
} fuzz_file;

static void add(fuzz_file *file, const void *bytes, size_t length)
{
	fuzz_require(length <= ROOM - file->length);
	memcpy(file->bytes + file->length, bytes, length);
	file->length += length;
}

static void add_text(fuzz_file *file, const char *text)
{
	add(file, text, strlen(text));
}

/* A number of some bytes, the most significant one first. */
static void add_big(fuzz_file *file, uint64_t number, unsigned int size)
{
	while (size-- > 0)
		add(file, (const uint8_t[]){(uint8_t)(number >> 8 * size)}, 1);
}

/* The least significant byte first. */
static void add_little(fuzz_file *file, uint64_t number, unsigned int size)
{
	for (unsigned int i = 0; i < size; i++)
		add(file, (const uint8_t[]){(uint8_t)(number >> 8 * i)}, 1);
}

static void make_perf_script(fuzz_file *file)
{
	add_text(file,
		 "# captured on    : Sat Nov 28 12:02:01 2026\n#\n"
		 "server 1: x  100/101 [000]  5000.000002000:    1000000 cpu-clock:u: \n"
		 "\t            1010 work(int, char (*)(long))+0x10 (/opt/my server/bin (new))\n"
		 "  server.cc:12\n"
		 "\t            1010 fast (inlined)\n"
		 "\t            3004 main+0x4 (/opt/my server/bin (new))\n\n"
		 "[4] 7  100/102  5000.000003000:    20000 cache-misses:u: \n"
		 "\tffffffff81775b9a elf_load+0x28a ([kernel.kallsyms])\n"
		 "\t    7fdb654f2ad7 [unknown] ([unknown])\n\n"
		 "swapper     0 [001] 5000.000004: PERF_RECORD_LOST lost 17\n"
		 "x 100 [001] 5000.000005: 1 cycles:  55d0 main+0x1 (/bin/x)\n"
		 "x 100/100 5000.000001500: PERF_RECORD_MMAP2 100/101: [0x55c1(0x10) @ 0x10 fe:00 1 2]: r-xp /x\n");
}

static void make_cpuprofile(fuzz_file *file)
{
	add_text(file,
		 "{\"nodes\":[\n"
		 "{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\",\"scriptId\":\"0\",\"url\":\"\","
		 "\"lineNumber\":-1,\"columnNumber\":-1},\"children\":[2,4]},\n"
		 "{\"id\":2,\"callFrame\":{\"functionName\":\"\\u0066\\ud83d\\ude00e\",\"scriptId\":\"7\","
		 "\"url\":\"file:///a/b.js\",\"lineNumber\":9,\"columnNumber\":1},\"hitCount\":1,\"children\":[3],"
		 "\"positionTicks\":[{\"line\":11,\"ticks\":1}]},\n"
		 "{\"id\":3,\"callFrame\":{\"functionName\":\"\",\"scriptId\":\"7\",\"url\":\"file:///a/b.js\","
		 "\"lineNumber\":19,\"columnNumber\":1},\"hitCount\":3,\"children\":[],\"more\":[{\"x\":[1,{}]},null],"
		 "\"positionTicks\":[{\"line\":21,\"ticks\":2},{\"line\":22,\"ticks\":1}]},\n"
		 "{\"id\":4,\"callFrame\":{\"functionName\":\"(idle)\",\"scriptId\":\"0\",\"url\":\"\"}}],\n"
		 "\"startTime\":1000000,\"endTime\":1001000,\n"
		 "\"samples\":[2,3,3,4,3],\"timeDeltas\":[0,100,100,200,-50]}\n");
}

static void make_heapsnapshot(fuzz_file *file)
{
	add_text(file,
		 "{\"snapshot\":{\"meta\":{\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\",\"edge_count\","
		 "\"trace_node_id\",\"detachedness\"],\"node_types\":[[\"hidden\",\"string\",\"object\","
		 "\"closure\",\"synthetic\"],\"string\",\"number\",\"number\",\"number\",\"number\",\"number\"],\n"
		 "\"edge_fields\":[\"type\",\"name_or_index\",\"to_node\"],\"edge_types\":[[\"context\",\"element\","
		 "\"property\",\"internal\",\"hidden\",\"shortcut\",\"weak\"],\"string_or_number\",\"node\"]},\n"
		 "\"node_count\":6,\"edge_count\":7},\n"
		 "\"nodes\":[4,0,1,0,1,0,0, 4,1,3,0,2,0,0, 2,2,5,100,4,0,1, 1,3,7,50,0,0,0, 2,2,9,200,0,0,2,\n"
		 "3,4,11,64,0,0,0, 2,2,13,32,0,0,0],\n"
		 "\"edges\":[1,0,7, 1,0,14, 6,0,42, 2,5,21, 1,3,28, 6,5,35, 4,2,35],\n"
		 "\"locations\":[14,1,2,3],\n"
		 "\"strings\":[\"\",\"(Global handles)\",\"Cache\",\"the text\",\"work\",\"next\"]}\n");
}

/* A record of a heap dump, whose length is known when it has been built. */
static void add_hprof(fuzz_file *file, unsigned int tag, const fuzz_file *body)
{
	add_big(file, tag, 1);
	add_big(file, 7, 4);
	add_big(file, body->length, 4);
	add(file, body->bytes, body->length);
}

static void add_hprof_name(fuzz_file *file, uint64_t id, const char *name)
{
	static fuzz_file body;

	body.length = 0;
	add_big(&body, id, 8);
	add_text(&body, name);
	add_hprof(file, 1, &body);
}

static void add_hprof_class(fuzz_file *body, uint64_t id, uint64_t base, uint64_t field, unsigned int type)
{
	add_big(body, 0x20, 1);
	add_big(body, id, 8);
	add_big(body, 0, 4);
	add_big(body, base, 8);
	for (int i = 0; i < 5; i++)
		add_big(body, 0, 8);
	add_big(body, 99, 4);
	add_big(body, 0, 2);
	add_big(body, 1, 2);
	add_big(body, 3, 8);
	add_big(body, 2, 1);
	add_big(body, 0x2000, 8);
	add_big(body, 1, 2);
	add_big(body, field, 8);
	add_big(body, type, 1);
}

/* Objects, arrays and roots of a heap dump. */
static void make_hprof_heap(fuzz_file *body)
{
	add_hprof_class(body, 0x100, 0, 3, 2);
	add_hprof_class(body, 0x200, 0x100, 4, 10);
	add_big(body, 0x21, 1);
	add_big(body, 0x2000, 8);
	add_big(body, 0, 4);
	add_big(body, 0x200, 8);
	add_big(body, 12, 4);
	add_big(body, 5, 4);
	add_big(body, 0x3000, 8);
	add_big(body, 0x22, 1);
	add_big(body, 0x3000, 8);
	add_big(body, 0, 4);
	add_big(body, 2, 4);
	add_big(body, 0x100, 8);
	add_big(body, 0x2000, 8);
	add_big(body, 0, 8);
	add_big(body, 0x23, 1);
	add_big(body, 0x4000, 8);
	add_big(body, 0, 4);
	add_big(body, 3, 4);
	add_big(body, 8, 1);
	add_text(body, "xyz");
	add_big(body, 3, 1);
	add_big(body, 0x2000, 8);
	add_big(body, 1, 4);
	add_big(body, 0, 4);
	add_big(body, 1, 1);
	add_big(body, 0x3000, 8);
	add_big(body, 77, 8);
}

static void make_hprof(fuzz_file *file)
{
	static fuzz_file body;

	add(file, "JAVA PROFILE 1.0.2", 19);
	add_big(file, 8, 4);
	add_big(file, UINT64_C(1700000000000), 8);
	add_hprof_name(file, 1, "demo/Base");
	add_hprof_name(file, 2, "[Ldemo/Base;");
	add_hprof_name(file, 3, "next");
	add_hprof_name(file, 4, "count");
	for (unsigned int serial = 1; serial <= 2; serial++) {
		body.length = 0;
		add_big(&body, serial, 4);
		add_big(&body, (uint64_t)0x100 * serial, 8);
		add_big(&body, 0, 4);
		add_big(&body, serial, 8);
		add_hprof(file, 2, &body);
	}
	body.length = 0;
	for (int i = 0; i < 4; i++)
		add_big(&body, i == 0 ? 0x77 : 3, 8);
	add_big(&body, 1, 4);
	add_big(&body, 42, 4);
	add_hprof(file, 4, &body);
	body.length = 0;
	add_big(&body, 1, 4);
	add_big(&body, 1, 4);
	add_big(&body, 1, 4);
	add_big(&body, 0x77, 8);
	add_hprof(file, 5, &body);
	body.length = 0;
	make_hprof_heap(&body);
	add_hprof(file, 0x1c, &body);
	body.length = 0;
	add_hprof(file, 0x2c, &body);
}

/* The content of a buffer of Mono's profiler, each of whose events begins with its type and a difference of time. */
static const uint8_t mono_events[] = {
	0x02, 1, 2,    8,    4,    'a', 's',  0,                           /* An image, with its name. */
	0x02, 1, 1,    16,   8,    'C', 0,                                 /* A class of it. */
	0x02, 1, 8,    24,   32,   16,                                     /* Its vtable. */
	0x02, 1, 5,    0x00, 't',  0,                                      /* A thread. */
	0x43, 1, 10,   0x80, 0x10, 20,  'f',  '(', ')', 0,                 /* A compiled method. */
	0x23, 2, 0,                                                        /* Enter. */
	0x10, 1, 24,   8,    32,   1,   0,                                 /* An allocation with a call stack. */
	0x11, 1, 0,    0,    0x31, 1,   2,    8,   16,  0x11, 1,  5,    0, /* A collection that moves an object. */
	0x84, 1, 8,    1,    0,                                            /* An exception. */
	0x14, 1, 0,    0,    0,    8,                                      /* Its clause. */
	0x05, 1, 1,    8,                                                  /* A wait for a monitor. */
	0x41, 1, 1,    5,    8,                                            /* A handle. */
	0x06, 1, 0x26, 1,    8,    24,  32,   0,   1,   8,    16, 0x36, 1, 1, 0, 8, 0x16, 1, /* A heap snapshot. */
	0x46, 1, 0,    16,   0,    0,   'r',  0,                                             /* An area of roots. */
	0x47, 1, 1,    0x80, 0x20, 's', 0,                                                   /* A symbol. */
	0x07, 1, 0,    1,    4,    1,   0,                                                   /* A sample. */
	0x28, 1, 1,    1,    'c',  0,   0,    0,   0,   1, /* A counter, and its value. */
	0x18, 1, 1,    0,    7,    0,   0x13, 2,   0,      /* Leave. */
};

static void make_mlpd(fuzz_file *file)
{
	add_little(file, 0x4d505a01, 4);
	add(file, (const uint8_t[]){3, 0, 17, 8}, 4);
	add_little(file, UINT64_C(1700000000000), 8);
	add_little(file, 1000, 8);
	add_little(file, 0, 8);
	add_little(file, 4711, 4);
	add_little(file, 0, 2);
	for (int i = 0; i < 3; i++) {
		add_little(file, 4, 4);
		add_text(file, "text");
	}
	for (uint64_t thread = 1; thread <= 2; thread++) {
		add_little(file, 0x4d504c01, 4);
		add_little(file, sizeof(mono_events), 4);
		add_little(file, 2000 * thread, 8);
		add_little(file, 0x10000, 8);
		add_little(file, 0x20000, 8);
		add_little(file, 0x7000 * thread, 8);
		add_little(file, 0x30000, 8);
		add(file, mono_events, sizeof(mono_events));
	}
}

typedef struct fuzz_format {
	const char *option;
	void (*make)(fuzz_file *file);
	int is_text;
} fuzz_format;

static const fuzz_format formats[] = {
	{"--from=perf-script", make_perf_script, 1},
	{"--from=mlpd", make_mlpd, 0},
	{"--from=cpuprofile", make_cpuprofile, 1},
	{"--from=heapsnapshot", make_heapsnapshot, 1},
	{"--from=hprof", make_hprof, 0},
};

/* Replaces a part of a file, if there is room. */
static void replace(fuzz_file *file, size_t from, size_t until, const uint8_t *bytes, size_t length)
{
	if (file->length - (until - from) + length > ROOM)
		return;
	memmove(file->bytes + from + length, file->bytes + until, file->length - until);
	memcpy(file->bytes + from, bytes, length);
	file->length = file->length - (until - from) + length;
}

/* Repeats a part of a file elsewhere. */
static void repeat(fuzz_file *file)
{
	uint8_t copy[512];
	const size_t from = fuzz_random_below(file->length);
	size_t length = 1 + fuzz_random_below(sizeof(copy));
	const size_t to = fuzz_random_below(file->length);

	if (length > file->length - from)
		length = file->length - from;
	memcpy(copy, file->bytes + from, length);
	replace(file, to, to, copy, length);
}

/* Replaces a number of a text by another one. */
static void change_written_number(fuzz_file *file)
{
	const char *const texts[] = {"-1",  "1e400", "9007199254740993",    "99999999999999999999",
				     "0.5", "",      "18446744073709551615"};
	size_t from = fuzz_random_below(file->length);
	size_t until;
	char text[32];

	while (from < file->length && (file->bytes[from] < '0' || file->bytes[from] > '9'))
		from++;
	for (until = from; until < file->length && file->bytes[until] >= '0' && file->bytes[until] <= '9';)
		until++;
	if (fuzz_random_below(3) == 0)
		snprintf(text, sizeof(text), "%s", texts[fuzz_random_below(sizeof(texts) / sizeof(*texts))]);
	else
		snprintf(text, sizeof(text), "%llu", (unsigned long long)fuzz_random_number());
	replace(file, from, until, (const uint8_t *)text, strlen(text));
}

/* Replaces a number of a binary file, of 1 to 8 bytes in either order, or as it is in a file of Mono's profiler. */
static void change_number(fuzz_file *file)
{
	static fuzz_file number;
	const size_t from = fuzz_random_below(file->length);
	const unsigned int size = 1U << fuzz_random_below(4);
	uint64_t value = fuzz_random_number();
	size_t until = from;

	number.length = 0;
	switch (fuzz_random_below(3)) {
	case 0:
		add_big(&number, value, size);
		break;
	case 1:
		add_little(&number, value, size);
		break;
	default:
		for (; value > 127; value >>= 7)
			add_little(&number, value | 128, 1);
		add_little(&number, value, 1);
		while (until < file->length && (file->bytes[until] & 128) != 0)
			until++;
		replace(file, from, until < file->length ? until + 1 : until, number.bytes, number.length);
		return;
	}
	until = from + number.length < file->length ? from + number.length : file->length;
	replace(file, from, until, number.bytes, number.length);
}

static void change(fuzz_file *file, int is_text)
{
	for (uint64_t changes = 1 + fuzz_random_below(4); changes > 0 && file->length > 0; changes--) {
		switch (fuzz_random_below(6)) {
		case 0:
			file->length = fuzz_damage(file->bytes, file->length);
			break;
		case 1:
			repeat(file);
			break;
		case 2:
			if (is_text)
				file->bytes[fuzz_random_below(file->length)] =
					(uint8_t) "{}[]:,\"\\\n\t ()/+-0x"[fuzz_random_below(18)];
			else
				change_number(file);
			break;
		default:
			if (is_text)
				change_written_number(file);
			else
				change_number(file);
			break;
		}
	}
}

static void write_file(const char *path, const fuzz_file *input)
{
	FILE *file = fopen(path, "wb");

	fuzz_require(file != NULL && fwrite(input->bytes, 1, input->length, file) == input->length &&
		     fclose(file) == 0);
}

static void import(const char *tool, const char *option, const char *path)
{
	const char *const arguments[] = {tool, "import", option, "-o", OUTPUT, path, NULL};
	const char *const check[] = {tool, "check", OUTPUT, NULL};

	if (fuzz_command_run(arguments, FUZZ_MAX_STATUS) != STATUS_NO_LOG)
		(void)fuzz_command_run(check, 0);
}

static unsigned long fuzz_format_files(const char *tool, const fuzz_format *format, int changes)
{
	static fuzz_file good;
	static fuzz_file changed;
	const char *kept = getenv("MPROF_FUZZ_KEEP");

	good.length = 0;
	format->make(&good);
	for (int i = 0; i <= changes; i++) {
		changed = good;
		if (i > 0)
			change(&changed, format->is_text);
		write_file(INPUT, &changed);
		if (kept != NULL)
			write_file(kept, &changed);
		import(tool, format->option, INPUT);
		/* All of the file that is not changed is read. */
		fuzz_require(i > 0 || access(OUTPUT, F_OK) == 0);
	}
	return (unsigned long)changes + 1;
}

int main(int count, char **arguments)
{
	const char *tool = fuzz_command_tool();
	char directory[] = "/tmp/mprof-fuzz-import.XXXXXX";
	int changes = CHANGES;
	unsigned long inputs = 0;

	if (getenv("MPROF_FUZZ_FACTOR") != NULL)
		changes *= atoi(getenv("MPROF_FUZZ_FACTOR"));
	if (getenv("MPROF_FUZZ_SEED") != NULL)
		fuzz_random_seed(strtoull(getenv("MPROF_FUZZ_SEED"), NULL, 10));
	if (count > 1) {
		for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
			import(tool, formats[i].option, arguments[1]);
		return 0;
	}
	fuzz_require(mkdtemp(directory) != NULL && chdir(directory) == 0);
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		inputs += fuzz_format_files(tool, &formats[i], changes);
	unlink(INPUT);
	unlink(OUTPUT);
	unlink(FUZZ_MESSAGES);
	fuzz_require(chdir("/") == 0 && rmdir(directory) == 0);
	printf("%lu inputs\n", inputs);
	return 0;
}
