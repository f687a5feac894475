/* SPDX-License-Identifier: MIT */
/*
 * Takes samples of a running process with events of the kernel.
 *
 * Each thread has an event on each processor, and all events of a processor share a ring: only such events are
 * inherited by the threads that a thread starts. Threads without an inherited event are found in /proc.
 */
#include "record/attach_events.h"

#include "shared/key_map.h"
#include "shared/unwind_registers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if UNWIND_IS_SUPPORTED
#include <asm/perf_regs.h>
#include <dirent.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* Copied bytes of a stack: a record has less than 64 KiB. */
#define STACK_BYTES ((uint32_t)32 << 10)
#define MAX_RECORD ((size_t)64 << 10)

/* Sizes of a ring, without its first page. */
#define MOST_RING_BYTES ((size_t)4 << 20)
#define LEAST_RING_BYTES ((size_t)128 << 10)

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
	attributes.wakeup_watermark = LEAST_RING_BYTES / 4;
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

	for (size_t size = MOST_RING_BYTES; size >= LEAST_RING_BYTES; size /= 2) {
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

static void take_sample(attach_events *events, cursor *from)
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
		take_sample(events, &from);
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

int attach_events_include_kernel(const attach_events *events)
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

attach_events *attach_events_open(pid_t process, uint64_t period_ns, const attach_client *client)
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

int attach_events_wait(attach_events *events, int milliseconds)
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

void attach_events_read(attach_events *events)
{
	read_rings(events);
	(void)follow_new(events);
}

int attach_events_next_thread(const attach_events *events, uint32_t *thread)
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

void attach_events_close(attach_events *events)
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

#else

struct attach_events {
	int unused;
};

attach_events *attach_events_open(pid_t process, uint64_t period_ns, const attach_client *client)
{
	(void)process;
	(void)period_ns;
	(void)client;
	errno = ENOSYS;
	return NULL;
}

int attach_events_include_kernel(const attach_events *events)
{
	(void)events;
	return 0;
}

int attach_events_wait(attach_events *events, int milliseconds)
{
	(void)events;
	(void)milliseconds;
	return 1;
}

void attach_events_read(attach_events *events)
{
	(void)events;
}

int attach_events_next_thread(const attach_events *events, uint32_t *thread)
{
	(void)events;
	(void)thread;
	return 0;
}

void attach_events_close(attach_events *events)
{
	(void)events;
}

#endif
