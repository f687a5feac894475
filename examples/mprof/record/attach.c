/* SPDX-License-Identifier: MIT */
/* Records a process that runs already, which goes on undisturbed. */
#include "record/record.h"

#include "common/arguments.h"
#include "common/control_connection.h"
#include "record/attach_log.h"
#include "record/log_output.h"
#include "shared/key_map.h"
#include "shared/text.h"
#include "shared/unwind_registers.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/*
 * Samples of all threads of a running process, which the kernel takes: nothing in the process changes.
 */

/* What happens to the process. */
typedef struct attach_client {
	void *user;
	void (*sample)(void *user, const attach_sample *sample);
	void (*name)(void *user, uint32_t thread, const char *name);
	void (*map)(void *user); /**< Code was mapped. */
	void (*lose)(void *user, uint64_t count);
} attach_client;

typedef struct attach_events attach_events;

#if UNWIND_IS_SUPPORTED
#include <asm/perf_regs.h>
#include <dirent.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

/* Copied bytes of a stack: a record has less than 64 KiB. */
#define STACK_BYTES ((uint32_t)32 << 10)
#define MAX_RECORD ((size_t)64 << 10)

/* Sizes of a ring, without its first page. */
#define MAX_RING_BYTES ((size_t)4 << 20)
#define MIN_RING_BYTES ((size_t)128 << 10)

/* New threads that start while those that exist are listed. */
#define MAX_SCANS 16
#define MAX_NEW 4096

/* A smaller ring is read when it has samples, a larger one now and then. */
#define LARGE_RING_BYTES ((size_t)1 << 20)

typedef struct ring {
	struct perf_event_mmap_page *page; /* NULL: no event is open on this processor. */
	size_t size;                       /* Bytes after the first page. */
	int fd;                            /* The first event on the processor. */
	int has_ended;                     /* Its thread has ended. */
} ring;

struct attach_events {
	pid_t process;
	int process_fd;
	uint64_t period_ns;
	const attach_client *client;
	int is_user_only, lacks_thread_inheritance;
	int processors;
	ring *rings;
	struct pollfd *polled;
	key_map threads; /* Those that are followed. */
	int *fds;
	size_t fd_count, fd_capacity;
	uint8_t *record; /* Of MAX_RECORD bytes. */
};

/* The register of the kernel for each number of DWARF. */
static const uint8_t register_bits[REGISTER_COUNT] = {
	PERF_REG_X86_AX,  PERF_REG_X86_DX,  PERF_REG_X86_CX,  PERF_REG_X86_BX,  PERF_REG_X86_SI,  PERF_REG_X86_DI,
	PERF_REG_X86_BP,  PERF_REG_X86_SP,  PERF_REG_X86_R8,  PERF_REG_X86_R9,  PERF_REG_X86_R10, PERF_REG_X86_R11,
	PERF_REG_X86_R12, PERF_REG_X86_R13, PERF_REG_X86_R14, PERF_REG_X86_R15, PERF_REG_X86_IP};

static uint64_t register_mask(void)
{
	uint64_t mask = 0;

	for (size_t i = 0; i < REGISTER_COUNT; i++)
		mask |= UINT64_C(1) << register_bits[i];
	return mask;
}

static int open_event(const attach_events *events, pid_t thread, int processor)
{
	struct perf_event_attr attributes;

	memset(&attributes, 0, sizeof(attributes));
	attributes.size = sizeof(attributes);
	attributes.type = PERF_TYPE_SOFTWARE;
	attributes.config = PERF_COUNT_SW_TASK_CLOCK;
	attributes.sample_period = events->period_ns;
	attributes.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attributes.sample_regs_user = register_mask();
	attributes.sample_stack_user = STACK_BYTES;
	attributes.inherit = 1;
	attributes.inherit_thread = !events->lacks_thread_inheritance;
	attributes.exclude_kernel = events->is_user_only != 0;
	attributes.exclude_hv = 1;
	attributes.comm = attributes.task = attributes.mmap = 1;
	attributes.watermark = 1;
	attributes.wakeup_watermark = MIN_RING_BYTES / 4;
	attributes.use_clockid = 1;
	attributes.clockid = CLOCK_MONOTONIC;
	return (int)syscall(SYS_perf_event_open, &attributes, thread, processor, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Opens an event with as much as the system has and allows. */
static int open_allowed(attach_events *events, pid_t thread, int processor)
{
	int fd = open_event(events, thread, processor);

	if (fd < 0 && errno == EINVAL && !events->lacks_thread_inheritance) {
		events->lacks_thread_inheritance = 1;
		fd = open_event(events, thread, processor);
	}
	if (fd < 0 && (errno == EACCES || errno == EPERM) && !events->is_user_only) {
		events->is_user_only = 1;
		fd = open_event(events, thread, processor);
	}
	return fd;
}

/* Makes the ring of a processor. Its size depends on how much memory this user may lock. */
static int map_ring(ring *ring, int fd)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (size_t size = MAX_RING_BYTES; size >= MIN_RING_BYTES; size /= 2) {
		void *mapped = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

		if (mapped == MAP_FAILED)
			continue;
		ring->page = mapped;
		ring->size = size;
		ring->fd = fd;
		return 1;
	}
	return 0;
}

static int keep_descriptor(attach_events *events, int fd)
{
	if (events->fd_count == events->fd_capacity) {
		const size_t capacity = 2 * events->fd_capacity + 64;
		int *fds = realloc(events->fds, capacity * sizeof(*fds));

		if (fds == NULL)
			return 0;
		events->fds = fds;
		events->fd_capacity = capacity;
	}
	events->fds[events->fd_count++] = fd;
	return 1;
}

/* Follows a thread on one processor. Returns 0 with errno set. */
static int follow_on(attach_events *events, pid_t thread, int processor)
{
	ring *ring = &events->rings[processor];
	int fd = open_allowed(events, thread, processor);
	int is_ready;

	/* A processor may be offline. */
	if (fd < 0)
		return errno == ENODEV || errno == ENXIO;
	is_ready = ring->page == NULL ? map_ring(ring, fd) : ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) == 0;
	if (is_ready && keep_descriptor(events, fd))
		return 1;
	if (ring->page != NULL && ring->fd == fd)
		return 1;
	close(fd);
	return 0;
}

/* Returns 0 with errno set if the system refuses; a thread that has ended is not followed. */
static int follow(attach_events *events, pid_t thread)
{
	if (key_map_add(&events->threads, (uint64_t)thread) < 0) {
		errno = ENOMEM;
		return 0;
	}
	for (int i = 0; i < events->processors; i++) {
		if (!follow_on(events, thread, i))
			return errno == ESRCH;
	}
	return 1;
}

/* A cursor over a record. */
typedef struct cursor {
	const uint8_t *at, *end;
} cursor;

static uint64_t take_word(cursor *from)
{
	uint64_t word = 0;

	if (from->end - from->at >= (ptrdiff_t)sizeof(word)) {
		memcpy(&word, from->at, sizeof(word));
		from->at += sizeof(word);
	} else {
		from->at = from->end;
	}
	return word;
}

/* The registers are in the order of their bits. */
static void take_registers(cursor *from, attach_sample *sample)
{
	sample->has_registers = take_word(from) == PERF_SAMPLE_REGS_ABI_64;
	for (unsigned bit = 0; sample->has_registers && bit < 64; bit++) {
		if ((register_mask() >> bit & 1) == 0)
			continue;
		for (size_t i = 0; i < REGISTER_COUNT; i++) {
			if (register_bits[i] == bit)
				sample->registers[i] = take_word(from);
		}
		if (register_mask() >> bit == 1)
			break;
	}
}

static void pass_sample(attach_events *events, cursor *from)
{
	attach_sample sample = {0};
	const uint64_t ids = take_word(from);
	uint64_t size;

	sample.thread = (uint32_t)(ids >> 32);
	sample.time = take_word(from);
	take_registers(from, &sample);
	size = take_word(from);
	if (size > 0 && size + sizeof(uint64_t) <= (uint64_t)(from->end - from->at)) {
		sample.stack = from->at;
		from->at += size;
		sample.stack_length = take_word(from);
		sample.stack_length = sample.stack_length < size ? sample.stack_length : size;
	}
	/* Without inherit_thread, child processes are sampled as well. */
	if ((uint32_t)ids == (uint32_t)events->process)
		events->client->sample(events->client->user, &sample);
}

static void take_record(attach_events *events, uint32_t type, cursor from)
{
	const attach_client *client = events->client;
	uint64_t word;

	switch (type) {
	case PERF_RECORD_SAMPLE:
		pass_sample(events, &from);
		break;
	case PERF_RECORD_LOST:
		take_word(&from);
		client->lose(client->user, take_word(&from));
		break;
	case PERF_RECORD_COMM:
		word = take_word(&from);
		if ((uint32_t)word == (uint32_t)events->process && memchr(from.at, '\0', (size_t)(from.end - from.at)))
			client->name(client->user, (uint32_t)(word >> 32), (const char *)from.at);
		break;
	case PERF_RECORD_FORK:
		word = take_word(&from);
		if ((uint32_t)word == (uint32_t)events->process)
			(void)key_map_add(&events->threads, take_word(&from) & UINT32_MAX);
		break;
	case PERF_RECORD_EXIT:
		take_word(&from);
		key_map_remove(&events->threads, take_word(&from) & UINT32_MAX);
		break;
	case PERF_RECORD_MMAP:
		client->map(client->user);
		break;
	default:
		break;
	}
}

/* Copies bytes of a ring, which may continue at its start. */
static void copy_from_ring(const ring *ring, uint64_t offset, void *out, size_t size)
{
	const uint8_t *data = (const uint8_t *)ring->page + sysconf(_SC_PAGESIZE);
	const size_t start = (size_t)(offset & (ring->size - 1));
	const size_t first = size < ring->size - start ? size : ring->size - start;

	memcpy(out, data + start, first);
	memcpy((uint8_t *)out + first, data, size - first);
}

static void read_ring(attach_events *events, ring *ring)
{
	/* Acquire: pairs with the kernel, which stores the head after the records. */
	const uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail;

	while (head - tail >= sizeof(struct perf_event_header)) {
		struct perf_event_header header;
		cursor from;

		copy_from_ring(ring, tail, &header, sizeof(header));
		if (header.size < sizeof(header) || header.size > head - tail)
			break;
		copy_from_ring(ring, tail, events->record, header.size);
		from = (cursor){events->record + sizeof(header), events->record + header.size};
		take_record(events, header.type, from);
		tail += header.size;
	}
	/* Release: the kernel may overwrite the records after they were read. */
	__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
}

static void read_rings(attach_events *events)
{
	for (int i = 0; i < events->processors; i++) {
		if (events->rings[i].page != NULL)
			read_ring(events, &events->rings[i]);
	}
}

/* Lists the threads that are in /proc and not followed. Returns their number, -1 with errno set. */
static int list_new(const attach_events *events, pid_t threads[MAX_NEW])
{
	char path[32];
	struct dirent *entry;
	DIR *tasks;
	int count = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)events->process);
	tasks = opendir(path);
	if (tasks == NULL)
		return errno == ENOENT ? 0 : -1;
	while (count < MAX_NEW && (entry = readdir(tasks)) != NULL) {
		const pid_t thread = (pid_t)atoi(entry->d_name);

		if (thread > 0 && key_map_find(&events->threads, (uint64_t)thread) == NULL)
			threads[count++] = thread;
	}
	closedir(tasks);
	return count;
}

/*
 * Follows the threads that are not followed. Those that inherited events are so once the record of their start was
 * read, which is in a ring before they are listed. Returns the number of the others, -1 with errno set.
 */
static int follow_new(attach_events *events)
{
	pid_t threads[MAX_NEW];
	int count = list_new(events, threads);
	int followed = 0;

	if (count > 0)
		read_rings(events);
	for (int i = 0; i < count; i++) {
		if (key_map_find(&events->threads, (uint64_t)threads[i]) != NULL)
			continue;
		if (!follow(events, threads[i]))
			return -1;
		followed++;
	}
	return count < 0 ? -1 : followed;
}

/* Whether time in the kernel has samples, too. */
static int attach_events_include_kernel(const attach_events *events)
{
	return !events->is_user_only;
}

/* The events of threads and processors are many descriptors. */
static void raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}

static void attach_events_close(attach_events *events)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (int i = 0; events->rings != NULL && i < events->processors; i++) {
		if (events->rings[i].page != NULL)
			munmap(events->rings[i].page, page + events->rings[i].size);
	}
	for (size_t i = 0; i < events->fd_count; i++)
		close(events->fds[i]);
	if (events->process_fd >= 0)
		close(events->process_fd);
	key_map_clear(&events->threads);
	free(events->fds);
	free(events->rings);
	free(events->polled);
	free(events->record);
	free(events);
}

/*
 * Starts sampling. \p period_ns: processor time between samples. Returns NULL with errno set if the system does not
 * allow it. \p client is borrowed.
 */
static attach_events *attach_events_open(pid_t process, uint64_t period_ns, const attach_client *client)
{
	attach_events *events = calloc(1, sizeof(*events));
	int error, found = -1;

	if (events == NULL)
		return NULL;
	events->process = process;
	events->process_fd = (int)syscall(SYS_pidfd_open, process, 0);
	events->period_ns = period_ns;
	events->client = client;
	events->processors = (int)sysconf(_SC_NPROCESSORS_CONF);
	events->rings = calloc((size_t)events->processors, sizeof(*events->rings));
	events->polled = calloc((size_t)events->processors + 1, sizeof(*events->polled));
	events->record = malloc(MAX_RECORD);
	errno = ENOMEM;
	raise_descriptor_limit();
	if (events->rings != NULL && events->polled != NULL && events->record != NULL)
		found = follow_new(events);
	for (int i = 0; i < MAX_SCANS && found > 0; i++)
		found = follow_new(events);
	if (found >= 0)
		return events;
	error = errno;
	attach_events_close(events);
	errno = error;
	return NULL;
}

/* Waits until there are samples, for \p milliseconds at most, or until the process ends. Returns whether it ended. */
static int attach_events_wait(attach_events *events, int milliseconds)
{
	nfds_t count = 0;

	events->polled[count++] = (struct pollfd){.fd = events->process_fd, .events = POLLIN};
	for (int i = 0; i < events->processors; i++) {
		const ring *ring = &events->rings[i];

		if (ring->page != NULL && ring->size < LARGE_RING_BYTES && !ring->has_ended)
			events->polled[count++] = (struct pollfd){.fd = ring->fd, .events = POLLIN};
	}
	(void)poll(events->polled, count, milliseconds);
	/* The thread of the first event of a ring has ended; others may still write to the ring. */
	for (nfds_t k = 1; k < count; k++) {
		for (int i = 0; i < events->processors; i++) {
			if ((events->polled[k].revents & POLLHUP) != 0 && events->rings[i].fd == events->polled[k].fd)
				events->rings[i].has_ended = 1;
		}
	}
	if (events->process_fd < 0)
		return kill(events->process, 0) != 0 && errno == ESRCH;
	return (events->polled[0].revents & POLLIN) != 0;
}

/* Passes all that has happened to the client, and follows threads that are new. */
static void attach_events_read(attach_events *events)
{
	read_rings(events);
	(void)follow_new(events);
}

/* Advances to the next thread that is followed. \p thread: 0 at first. Returns 0 after the last one. */
static int attach_events_next_thread(const attach_events *events, uint32_t *thread)
{
	uint64_t next = UINT64_MAX;

	for (size_t i = 0; events->threads.capacity > 0 && i <= events->threads.capacity; i++) {
		const uint64_t *key = key_map_slot(&events->threads, i);

		if (key != NULL && *key > *thread && *key < next)
			next = *key;
	}
	*thread = (uint32_t)next;
	return next != UINT64_MAX;
}

#else

struct attach_events {
	int unused;
};

static attach_events *attach_events_open(pid_t process, uint64_t period_ns, const attach_client *client)
{
	(void)process;
	(void)period_ns;
	(void)client;
	errno = ENOSYS;
	return NULL;
}

static int attach_events_include_kernel(const attach_events *events)
{
	(void)events;
	return 0;
}

static int attach_events_wait(attach_events *events, int milliseconds)
{
	(void)events;
	(void)milliseconds;
	return 1;
}

static void attach_events_read(attach_events *events)
{
	(void)events;
}

static int attach_events_next_thread(const attach_events *events, uint32_t *thread)
{
	(void)events;
	(void)thread;
	return 0;
}

static void attach_events_close(attach_events *events)
{
	(void)events;
}

#endif

/*
 * The recording.
 */

/* Samples per second, as of other native programs. */
#define DEFAULT_HZ 1000
#define DEFAULT_DEPTH 128

/* How often the rings are read, which have room for a multiple of it. */
#define ROUND_MS 20

/* How often the log is written. */
#define ROUNDS_OF_A_WRITE 10

static volatile sig_atomic_t is_interrupted;

static void interrupt(int signal_number)
{
	(void)signal_number;
	is_interrupted = 1;
}

static void catch_signals(void)
{
	const struct sigaction action = {.sa_handler = interrupt};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Reads a small file of the process. Returns its length, 0 if it cannot be read. */
static size_t read_about(pid_t process, const char *name, char *text, size_t size)
{
	char path[64];
	size_t length;
	FILE *file;

	text[0] = '\0';
	snprintf(path, sizeof(path), "/proc/%d/%s", (int)process, name);
	file = fopen(path, "re");
	if (file == NULL)
		return 0;
	length = fread(text, 1, size - 1, file);
	text[length] = '\0';
	fclose(file);
	return length;
}

/* The value of an option among the words ",sample=500,...", or another value without it. */
static uint64_t value_of(const char *words, const char *option, uint64_t otherwise)
{
	const char *found = strstr(words, option);

	return found != NULL ? strtoull(found + strlen(option), NULL, 10) : otherwise;
}

/* Returns 0 after a message if something is requested that needs a module in the process. */
static int check_options(const record_request *options)
{
	static const char *const known[] = {",sample", ",sample=", ",sample-depth="};

	for (const char *word = options->words; *word == ',';) {
		const size_t length = 1 + strcspn(word + 1, ",");
		int is_known = 0;

		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
			const size_t expected = strlen(known[i]);

			is_known |= i == 0 ? length == expected && memcmp(word, known[i], length) == 0
					   : length > expected && memcmp(word, known[i], expected) == 0;
		}
		if (!is_known) {
			fprintf(stderr,
				"mprof: record: --pid: of a process that runs already only samples are recorded "
				"(--sample, --sample-depth); '--%.*s' needs a program that 'mprof record' starts\n",
				(int)length - 1, word + 1);
			return 0;
		}
		word += length;
	}
	return 1;
}

/* What the system allows users: a high level allows less. */
static int paranoid_level(void)
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int level = -1;

	if (file == NULL || fscanf(file, "%d", &level) != 1)
		level = -1;
	if (file != NULL)
		fclose(file);
	return level;
}

/* What keeps the kernel from sampling the process. */
static void explain_refusal(pid_t process, int error)
{
	struct stat owner;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", (int)process);
	fprintf(stderr, "mprof: record: process %d cannot be sampled: ", (int)process);
	if (stat(path, &owner) != 0 || error == ESRCH)
		fputs("it has ended\n", stderr);
	else if (error == ENOEXEC)
		fputs("it is a thread of the kernel\n", stderr);
	else if (error == ENOSYS || error == ENOENT || error == EOPNOTSUPP)
		fputs("this system has no perf_event_open() for it (Linux on x86-64 has)\n", stderr);
	else if ((error == EACCES || error == EPERM) && owner.st_uid != geteuid())
		fprintf(stderr, "it belongs to user %u: run 'mprof record --pid' as that user or as root\n",
			(unsigned)owner.st_uid);
	else if (error == EACCES || error == EPERM)
		fprintf(stderr,
			"kernel.perf_event_paranoid is %d: 'sysctl kernel.perf_event_paranoid=2' as root allows it (in "
			"a "
			"container CAP_PERFMON)\n",
			paranoid_level());
	else if (error == EMFILE)
		fputs("too many threads for the limit of open files ('ulimit -n')\n", stderr);
	else
		fprintf(stderr, "%s\n", strerror(error));
}

/* Why the map of a process is empty. */
static int access_error(pid_t process)
{
	char path[32];
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)process);
	maps = fopen(path, "re");
	if (maps == NULL)
		return errno;
	fclose(maps);
	return ENOEXEC;
}

/* A recording under way. */
typedef struct attachment {
	const attach_request *request;
	pid_t process;
	char program[256];
	uint64_t period_ns;
	attach_modules *modules;
	attach_events *events;
	attach_log *log;
	mprof_writer *writer;
	log_output output;
} attachment;

static void take_sample(void *user, const attach_sample *sample)
{
	attach_log_add_sample(((attachment *)user)->log, sample);
}

static void take_name(void *user, uint32_t thread, const char *name)
{
	attach_log_add_name(((attachment *)user)->log, thread, name);
}

static void take_map(void *user)
{
	attach_modules_expire(((attachment *)user)->modules);
}

static void take_loss(void *user, uint64_t count)
{
	attach_log_add_loss(((attachment *)user)->log, count);
}

/* Returns 0 after a message if there is no such process. */
static int find_process(attachment *attached)
{
	const char *text = attached->request->process;
	char *end;
	long number;

	errno = 0;
	number = strtol(text, &end, 10);
	if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || number <= 0 || number > INT32_MAX) {
		fprintf(stderr, "mprof: record: --pid: '%s' is not the number of a process\n", text);
		return 0;
	}
	attached->process = (pid_t)number;
	if (read_about(attached->process, "comm", attached->program, sizeof(attached->program)) == 0) {
		fprintf(stderr, "mprof: record: there is no process %s\n", text);
		return 0;
	}
	attached->program[strcspn(attached->program, "\n")] = '\0';
	return 1;
}

static int has_time_left(uint64_t start, uint64_t duration)
{
	return duration == 0 || now_ns() - start < duration;
}

/* The lines of an answer are for other commands. */
static void ignore_line(void *user, char *line)
{
	(void)user;
	(void)line;
}

/* Sends a command, and takes its answer. Returns the exit status. */
static int command(control_connection *connection, const char *line)
{
	return control_send(connection, line) ? control_receive_answer(connection, ignore_line, NULL) : STATUS_NOTHING;
}

/*
 * A program that was started with the module records itself, to its own log, with the names of its methods: recording
 * is turned on and off. Returns the exit status.
 */
static int control_recording(const attachment *attached, control_connection *connection)
{
	const struct timespec round = {0, ROUND_MS * 1000000};
	const uint64_t start = now_ns();
	int status = command(connection, "enable");

	if (status != STATUS_OK)
		return status;
	if (!attached->request->is_quiet)
		fprintf(stderr,
			"mprof: record: process %d has the module of mprof and records itself, to the log that it was "
			"started with%s\n",
			(int)attached->process, attached->request->output != NULL ? "; -o has no effect" : "");
	while (!is_interrupted && has_time_left(start, attached->request->duration_ns)) {
		if (kill(attached->process, 0) != 0 && errno == ESRCH)
			return STATUS_OK;
		(void)nanosleep(&round, NULL);
	}
	return command(connection, "disable");
}

/* What the samples lack, which only a module in the process could add. */
static void explain_runtime(const attachment *attached)
{
	char map[64];

	snprintf(map, sizeof(map), "/proc/%d/root/tmp/perf-%d.map", (int)attached->process, (int)attached->process);
	if (attached->request->is_quiet || access(map, R_OK) == 0 ||
	    !(attached->program[0] == '\0' || strstr(attached->program, "mono") != NULL ||
	      attach_modules_has(attached->modules, "libmonosgen") ||
	      attach_modules_has(attached->modules, "/mono-sgen")))
		return;
	fputs("mprof: record: compiled methods of Mono have no names here: start the program with 'mprof record "
	      "--start-disabled -- mono ...', which --pid then turns on, or with --perf-map\n",
	      stderr);
}

static mprof_status write_session(const attachment *attached, uint32_t hz)
{
	char pid[12], rate[24], period[24], arguments[4096];
	const size_t length = read_about(attached->process, "cmdline", arguments, sizeof(arguments));
	const mprof_property properties[] = {
		{"program", attached->program},
		{"pid", pid},
		{"recorder", "mprof record --pid"},
		{"arguments", arguments},
		{"counter", "CLOCK_MONOTONIC, nanoseconds"},
		{"sample_hz", rate},
		{"sample_clock", "processor"},
		{"sample_source", "perf"},
		{"sample_period_ns", period},
		{"sample_scope", attach_events_include_kernel(attached->events) ? "all" : "user"},
		{"sample_stack", "copy"}};

	for (size_t i = 0; i + 1 < length; i++)
		arguments[i] = (char)(arguments[i] == '\0' ? ' ' : arguments[i]);
	snprintf(pid, sizeof(pid), "%d", (int)attached->process);
	snprintf(rate, sizeof(rate), "%" PRIu32, hz);
	snprintf(period, sizeof(period), "%" PRIu64, attached->period_ns);
	return mprof_writer_write_session(attached->writer, properties, sizeof(properties[0]),
					  sizeof(properties) / sizeof(properties[0]));
}

/* Names of the threads that exist; the kernel reports later ones. */
static void name_threads(attachment *attached)
{
	char name[64], path[64];

	for (uint32_t thread = 0; attach_events_next_thread(attached->events, &thread);) {
		snprintf(path, sizeof(path), "task/%" PRIu32 "/comm", thread);
		if (read_about(attached->process, path, name, sizeof(name)) == 0)
			continue;
		name[strcspn(name, "\n")] = '\0';
		attach_log_add_name(attached->log, thread, name);
	}
}

static mprof_status open_log(attachment *attached, uint32_t hz)
{
	mprof_writer_options options;
	mprof_status status;

	mprof_writer_options_init(&options, sizeof(options));
	options.runtime = "native";
	options.intro_flags = MPROF_INTRO_FLAG_STATISTICAL;
	options.counters_per_second = 1e9;
	status = attached->output.stdout_fd >= 0
			 ? mprof_writer_open_fd(attached->output.stdout_fd, &options, &attached->writer)
			 : mprof_writer_open_path(attached->output.wanted, &options, &attached->writer);
	return status == MPROF_OK ? write_session(attached, hz) : status;
}

/* Records until the process ends, the time is over, or an interrupt. */
static mprof_status run(attachment *attached)
{
	const uint64_t start = now_ns();
	uint64_t before = start;
	mprof_status status = MPROF_OK;
	int has_ended = 0;

	for (unsigned round = 1; status == MPROF_OK && !has_ended && !is_interrupted &&
				 has_time_left(start, attached->request->duration_ns);
	     round++) {
		const uint64_t read_from = now_ns();

		has_ended = attach_events_wait(attached->events, ROUND_MS);
		attach_events_read(attached->events);
		if (round % ROUNDS_OF_A_WRITE == 0)
			status = attach_log_write(attached->log, before);
		before = read_from;
	}
	attach_events_read(attached->events);
	return status == MPROF_OK ? attach_log_write(attached->log, UINT64_MAX) : status;
}

/* What the log has. Returns the exit status. */
static int finish(attachment *attached, mprof_status status)
{
	mprof_error error = {.struct_size = sizeof(error), .what = mprof_status_get_text(status)};
	const char *name = attached->output.stdout_fd >= 0 ? "-" : attached->output.wanted;
	const uint64_t truncated = attach_log_truncated(attached->log);
	const uint64_t samples = attach_log_samples(attached->log);
	char number[TEXT_NUMBER_SIZE];
	mprof_writer_stats stats = {.struct_size = sizeof(stats)};

	if (status == MPROF_OK)
		status = mprof_writer_close(attached->writer);
	if (status != MPROF_OK) {
		mprof_writer_get_error(attached->writer, &error);
		text_begin_message(name);
		fprintf(stderr, "%s\n",
			status != MPROF_ERR_MEMORY && error.system_error != 0 ? strerror(error.system_error)
									      : mprof_status_get_text(status));
		return STATUS_DAMAGED;
	}
	mprof_writer_get_stats(attached->writer, &stats);
	if (attached->request->is_quiet)
		return STATUS_OK;
	fprintf(stderr, "mprof: %s: %" PRIu64 " bytes, %" PRIu64 " events, %" PRIu64 " lost\n", name, stats.bytes,
		stats.events, attach_log_lost(attached->log));
	if (samples == 0)
		fprintf(stderr, "mprof: %s: no samples: the process did not run\n", name);
	else if (truncated > 0)
		fprintf(stderr, "mprof: %s: of %s samples not all callers were found\n", name,
			text_count(number, truncated));
	if (samples > 0 && attached->output.stdout_fd < 0)
		fprintf(stderr, "mprof: next: mprof report %s\n", name);
	return STATUS_OK;
}

/* Samples the process. Returns the exit status. */
static int sample_process(attachment *attached, const record_request *options)
{
	const uint64_t hz = value_of(options->words, ",sample=", DEFAULT_HZ);
	const attach_client client = {attached, take_sample, take_name, take_map, take_loss};
	const log_output_options log_options = {0, attached->request->replaces};
	mprof_status status;
	int result;

	attached->period_ns = UINT64_C(1000000000) / hz;
	attached->modules = attach_modules_create(attached->process);
	attached->log = attached->modules != NULL
				? attach_log_create(attached->modules,
						    (size_t)value_of(options->words, ",sample-depth=", DEFAULT_DEPTH))
				: NULL;
	if (attached->log == NULL) {
		fprintf(stderr, "mprof: record: %s\n", strerror(ENOMEM));
		return STATUS_NOTHING;
	}
	if (attach_modules_are_empty(attached->modules)) {
		explain_refusal(attached->process, access_error(attached->process));
		return STATUS_USAGE;
	}
	attached->events = attach_events_open(attached->process, attached->period_ns, &client);
	if (attached->events == NULL) {
		explain_refusal(attached->process, errno);
		return STATUS_USAGE;
	}
	result = log_output_init(&attached->output, attached->request->output, attached->program, &log_options);
	if (result >= 0)
		return result;
	explain_runtime(attached);
	name_threads(attached);
	status = open_log(attached, (uint32_t)hz);
	attach_log_set_writer(attached->log, attached->writer);
	result = finish(attached, status == MPROF_OK ? run(attached) : status);
	if (mprof_writer_destroy(attached->writer) != MPROF_OK && result == STATUS_OK)
		result = STATUS_DAMAGED;
	return result;
}

int attach_record(const attach_request *request, const record_request *options)
{
	attachment attached = {.request = request, .output.stdout_fd = -1, .output.lock_fd = -1};
	control_connection connection;
	int status;

	if (!check_options(options) || !find_process(&attached))
		return STATUS_USAGE;
	catch_signals();
	if (control_connect_quietly(&connection, request->process)) {
		status = control_recording(&attached, &connection);
		control_disconnect(&connection);
		return status;
	}
	status = sample_process(&attached, options);
	if (attached.events != NULL)
		attach_events_close(attached.events);
	attach_log_destroy(attached.log);
	attach_modules_destroy(attached.modules);
	log_output_release(&attached.output);
	return status;
}
