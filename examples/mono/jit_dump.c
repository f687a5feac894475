/* SPDX-License-Identifier: MIT */
/* Writes the jitdump format of perf, version 1: tools/perf/Documentation/jitdump-specification.txt of Linux. */
#include "jit_dump.h"

#include "output_file.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define MAGIC 0x4a695444
#define VERSION 1
#define RECORD_CODE_LOAD 0
#define RECORD_CODE_CLOSE 3

typedef struct file_header {
	uint32_t magic;
	uint32_t version;
	uint32_t size;
	uint32_t machine; /* ELF machine number. */
	uint32_t padding;
	uint32_t process;
	uint64_t time;
	uint64_t flags;
} file_header;

typedef struct record_header {
	uint32_t id;
	uint32_t size; /* Size of the whole record, in bytes. */
	uint64_t time;
} record_header;

/* Followed by the name with its NUL, and the code. */
typedef struct code_load {
	record_header header;
	uint32_t process;
	uint32_t thread;
	uint64_t load_address;
	uint64_t address;
	uint64_t size;
	uint64_t index; /* Unique for each record. */
} code_load;

static struct {
	int fd;
	char path[PATH_MAX];
	void *marker;
	size_t marker_size;
	uint64_t loads;
} dump = {.fd = -1};

/* Nanoseconds of the clock that "perf record -k mono" uses. */
static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* The machine number in the ELF header of the running program, which has the byte order of this machine. */
static uint32_t machine(void)
{
	uint16_t number = 0;
	FILE *file = fopen("/proc/self/exe", "rbe");

	if (file == NULL)
		return 0;
	if (fseek(file, 18, SEEK_SET) != 0 || fread(&number, sizeof(number), 1, file) != 1)
		number = 0;
	fclose(file);
	return number;
}

static void close_after_error(int error)
{
	fprintf(stderr, "mprof: cannot write %s: %s; code compiled from now on is missing in it\n", dump.path,
		strerror(error));
	close(dump.fd);
	dump.fd = -1;
}

static int write_header(void)
{
	file_header header = {.magic = MAGIC, .version = VERSION, .size = sizeof(header)};

	header.machine = machine();
	header.process = (uint32_t)getpid();
	header.time = now();
	return output_file_write(dump.fd, &(struct iovec){&header, sizeof(header)}, 1);
}

/* perf finds the file by this executable mapping, which it records like all others. */
static int map_marker(void)
{
	long size = sysconf(_SC_PAGESIZE);
	void *marker;

	dump.marker_size = size > 0 ? (size_t)size : 4096;
	marker = mmap(NULL, dump.marker_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, dump.fd, 0);
	dump.marker = marker == MAP_FAILED ? NULL : marker;
	return dump.marker != NULL;
}

int jit_dump_open(const char *directory)
{
	int length = snprintf(dump.path, sizeof(dump.path), "%s/jit-%ld.dump", directory, (long)getpid());

	if (length < 0 || (size_t)length >= sizeof(dump.path)) {
		fprintf(stderr, "mprof: cannot write a jitdump to %s: %s\n", directory, strerror(ENAMETOOLONG));
		return 0;
	}
	dump.fd = output_file_create(dump.path);
	if (dump.fd < 0) {
		fprintf(stderr, "mprof: cannot write %s: %s\n", dump.path, strerror(errno));
		return 0;
	}
	if (!write_header()) {
		close_after_error(errno);
		return 0;
	}
	if (!map_marker()) {
		fprintf(stderr, "mprof: cannot map %s as code: %s; perf would not find the file\n", dump.path,
			strerror(errno));
		close(dump.fd);
		dump.fd = -1;
		(void)unlink(dump.path);
		return 0;
	}
	return 1;
}

void jit_dump_code(const void *start, size_t size, const char *name)
{
	size_t name_size = strlen(name) + 1;
	code_load load = {.header = {.id = RECORD_CODE_LOAD}};
	struct iovec parts[3];

	if (dump.fd < 0 || size > UINT32_MAX - sizeof(load) - name_size)
		return;
	load.header.size = (uint32_t)(sizeof(load) + name_size + size);
	load.header.time = now();
	load.process = (uint32_t)getpid();
	load.thread = (uint32_t)syscall(SYS_gettid);
	load.address = (uintptr_t)start;
	load.load_address = load.address;
	load.size = size;
	load.index = dump.loads++;
	parts[0] = (struct iovec){&load, sizeof(load)};
	parts[1] = (struct iovec){(void *)(uintptr_t)name, name_size};
	parts[2] = (struct iovec){(void *)(uintptr_t)start, size};
	if (!output_file_write(dump.fd, parts, 3))
		close_after_error(errno);
}

void jit_dump_close(void)
{
	record_header end = {.id = RECORD_CODE_CLOSE, .size = sizeof(end)};

	if (dump.fd < 0)
		return;
	end.time = now();
	if (!output_file_write(dump.fd, &(struct iovec){&end, sizeof(end)}, 1)) {
		close_after_error(errno);
		return;
	}
	close(dump.fd);
	dump.fd = -1;
}
