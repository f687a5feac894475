/* SPDX-License-Identifier: MIT */
/* Where logs go: files, pipes, full disks, memory, functions, gzip. */
#include "io/sink.h"

#include "base/caller_structs.h"
#include "base/failing_allocator.h"

#include <criterion/criterion.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static mprof_allocator allocator;
static char directory[] = "mprof-test-sink-XXXXXX";
static char path[64];

static void set_up(void)
{
	cr_assert(allocator_init(&allocator, NULL));
	cr_assert_not_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/log", directory);
}

static void tear_down(void)
{
	unlink(path);
	rmdir(directory);
}

TestSuite(sink, .init = set_up, .fini = tear_down, .timeout = 60);

static size_t read_file(char *bytes, size_t size)
{
	int fd = open(path, O_RDONLY);
	ssize_t length;

	cr_assert_geq(fd, 0);
	length = read(fd, bytes, size);
	cr_assert_geq(length, 0);
	close(fd);
	return (size_t)length;
}

static void expect_file(const char *expected)
{
	char bytes[256];
	size_t length = read_file(bytes, sizeof(bytes));

	cr_assert_eq(length, strlen(expected), "%zu bytes instead of %zu", length, strlen(expected));
	cr_assert_eq(memcmp(bytes, expected, length), 0);
}

static void put_file(const char *content)
{
	FILE *file = fopen(path, "w");

	cr_assert_not_null(file);
	fputs(content, file);
	fclose(file);
}

Test(sink, path_is_created)
{
	mode_t mask = umask(022);
	struct stat status;
	log_sink self;

	errno = 77;
	cr_assert_eq(sink_descriptor_open_path(&self, &allocator, path, 0644), 0);
	cr_assert(fcntl(self.fd, F_GETFD) & FD_CLOEXEC);
	cr_assert_eq(sink_write(&self, "first", 5), 0);
	expect_file("first");
	cr_assert_eq(sink_write(&self, "second", 6), 0);
	cr_assert_eq(sink_flush(&self), 0);
	cr_assert_eq(sink_finish(&self), 0);
	cr_assert_eq(self.taken, 11);
	cr_assert_not(sink_is_memory(&self));
	cr_assert_eq(sink_close(&self), 0);
	cr_assert_eq(sink_close(&self), 0);
	cr_assert_eq(errno, 77);
	expect_file("firstsecond");
	cr_assert_eq(stat(path, &status), 0);
	cr_assert_eq(status.st_mode & 0777, 0644);
	umask(mask);
}

Test(sink, path_is_truncated)
{
	log_sink self;

	put_file("what was there before");
	cr_assert_eq(sink_descriptor_open_path(&self, &allocator, path, 0644), 0);
	expect_file("");
	cr_assert_eq(sink_write(&self, "new", 3), 0);
	cr_assert_eq(sink_close(&self), 0);
	expect_file("new");
}

Test(sink, path_that_cannot_be)
{
	log_sink self;

	cr_assert_eq(sink_descriptor_open_path(&self, &allocator, directory, 0644), EISDIR);
	cr_assert_eq(sink_close(&self), 0);
	cr_assert_eq(sink_descriptor_open_path(&self, &allocator, "/nonexistent/log", 0644), ENOENT);
	cr_assert_eq(sink_close(&self), 0);
	cr_assert_eq(sink_descriptor_open_path(&self, &allocator, "", 0644), ENOENT);
}

Test(sink, descriptor_is_written_from_where_it_stands_and_not_closed)
{
	log_sink self;
	int fd;

	put_file("0123456789");
	fd = open(path, O_RDWR);
	cr_assert_eq(lseek(fd, 4, SEEK_SET), 4);
	cr_assert_eq(sink_descriptor_open(&self, &allocator, fd), 0);
	cr_assert_eq(sink_write(&self, "ab", 2), 0);
	cr_assert_eq(sink_close(&self), 0);
	expect_file("0123ab6789");
	cr_assert_geq(fcntl(fd, F_GETFD), 0);
	close(fd);
}

/* Gives the descriptor's number to another file, as a program does that closes all descriptors. */
static void replace_descriptor(int fd, const char *other)
{
	int file = open(other, O_CREAT | O_RDWR, 0600);

	cr_assert_geq(file, 0);
	cr_assert_eq(dup2(file, fd), fd);
	cr_assert_eq(write(fd, "other", 5), 5);
	close(file);
}

static void expect_other_file(const char *other)
{
	struct stat status;

	cr_assert_eq(stat(other, &status), 0);
	cr_assert_eq(status.st_size, 5);
	unlink(other);
}

Test(sink, file_is_opened_again_if_the_program_closed_it)
{
	char other[80];
	log_sink self;
	int fd;

	snprintf(other, sizeof(other), "%s/other", directory);
	cr_assert_eq(sink_descriptor_open_path(&self, &allocator, path, 0600), 0);
	fd = self.fd;
	cr_assert_eq(sink_write(&self, "first", 5), 0);
	replace_descriptor(fd, other);
	cr_assert_eq(sink_write(&self, "second", 6), 0);
	close(self.fd);
	cr_assert_eq(sink_write(&self, "third", 5), 0);
	cr_assert_eq(sink_close(&self), 0);
	expect_file("firstsecondthird");
	cr_assert_geq(fcntl(fd, F_GETFD), 0);
	expect_other_file(other);
}

Test(sink, file_that_cannot_be_opened_again)
{
	char other[80];
	log_sink self;

	snprintf(other, sizeof(other), "%s/other", directory);
	cr_assert_eq(sink_descriptor_open_path(&self, &allocator, path, 0600), 0);
	cr_assert_eq(sink_write(&self, "first", 5), 0);
	unlink(path);
	put_file("what another program wrote");
	replace_descriptor(self.fd, other);
	cr_assert_eq(sink_write(&self, "second", 6), EBADF);
	cr_assert_eq(sink_close(&self), 0);
	expect_file("what another program wrote");
	expect_other_file(other);
}

Test(sink, descriptor_of_the_caller_that_is_another_file)
{
	char other[80];
	log_sink self;
	int fd;

	put_file("");
	snprintf(other, sizeof(other), "%s/other", directory);
	fd = open(path, O_RDWR);
	cr_assert_eq(sink_descriptor_open(&self, &allocator, fd), 0);
	replace_descriptor(fd, other);
	cr_assert_eq(sink_write(&self, "first", 5), EBADF);
	cr_assert_eq(sink_close(&self), 0);
	expect_other_file(other);
	close(fd);
}

Test(sink, descriptor_that_cannot_be)
{
	log_sink self;
	int fd;

	cr_assert_eq(sink_descriptor_open(&self, &allocator, -1), EBADF);
	put_file("");
	fd = open(path, O_RDONLY);
	cr_assert_eq(sink_descriptor_open(&self, &allocator, fd), EBADF);
	close(fd);
}

Test(sink, full_disk)
{
	log_sink self;

	if (access("/dev/full", W_OK) != 0)
		cr_skip_test("there is no /dev/full");
	cr_assert_eq(sink_descriptor_open_path(&self, &allocator, "/dev/full", 0644), 0);
	cr_assert_eq(sink_write(&self, "bytes", 5), ENOSPC);
	cr_assert_eq(self.taken, 0);
	cr_assert_eq(sink_close(&self), 0);
}

/* Files may not pass this many bytes from here on; what does not fit is cut, then refused. */
static void limit_files(size_t length)
{
	struct rlimit limit = {length, length};

	signal(SIGXFSZ, SIG_IGN);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

Test(sink, file_ends_with_a_whole_block_when_the_disk_is_full)
{
	log_sink self;

	limit_files(10);
	cr_assert_eq(sink_descriptor_open_path(&self, &allocator, path, 0644), 0);
	cr_assert_eq(sink_write(&self, "block 1", 7), 0);
	cr_assert_eq(sink_write(&self, "block 2", 7), EFBIG);
	expect_file("block 1");
	cr_assert_eq(self.taken, 7);
	cr_assert_eq(sink_close(&self), 0);
	expect_file("block 1");
}

Test(sink, what_others_wrote_is_not_cut)
{
	log_sink self;
	int fd;

	put_file("0123456789abcdef");
	limit_files(10);
	fd = open(path, O_WRONLY);
	cr_assert_eq(lseek(fd, 5, SEEK_SET), 5);
	cr_assert_eq(sink_descriptor_open(&self, &allocator, fd), 0);
	cr_assert_eq(sink_write(&self, "block 1", 7), EFBIG);
	cr_assert_eq(sink_close(&self), 0);
	close(fd);
	expect_file("01234blockabcdef");
}

Test(sink, descriptor_at_the_end_of_a_file_is_cut_to_where_it_was)
{
	log_sink self;
	int fd;

	put_file("header ");
	limit_files(17);
	fd = open(path, O_WRONLY);
	cr_assert_eq(lseek(fd, 0, SEEK_END), 7);
	cr_assert_eq(sink_descriptor_open(&self, &allocator, fd), 0);
	cr_assert_eq(sink_write(&self, "block 1", 7), 0);
	cr_assert_eq(sink_write(&self, "block 2", 7), EFBIG);
	cr_assert_eq(sink_close(&self), 0);
	close(fd);
	expect_file("header block 1");
}

Test(sink, reader_that_went_away_is_an_error_and_not_a_signal)
{
	sigset_t pending;
	sigset_t mask;
	log_sink self;
	int ends[2];

	signal(SIGPIPE, SIG_DFL);
	cr_assert_eq(pipe(ends), 0);
	close(ends[0]);
	cr_assert_eq(sink_descriptor_open(&self, &allocator, ends[1]), 0);
	cr_assert_eq(sink_write(&self, "bytes", 5), EPIPE);
	cr_assert_eq(sink_write(&self, "bytes", 5), EPIPE);
	cr_assert_eq(sink_close(&self), 0);
	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	close(ends[0]);
	cr_assert_eq(sink_descriptor_open(&self, &allocator, ends[1]), 0);
	cr_assert_eq(sink_write(&self, "bytes", 5), EPIPE);
	cr_assert_eq(sink_close(&self), 0);
	/* Nothing is left behind. */
	cr_assert_eq(sigpending(&pending), 0);
	cr_assert_not(sigismember(&pending, SIGPIPE));
	cr_assert_eq(pthread_sigmask(SIG_BLOCK, NULL, &mask), 0);
	cr_assert_not(sigismember(&mask, SIGPIPE));
}

Test(sink, signal_that_was_waiting_stays)
{
	sigset_t pipe_signal;
	sigset_t pending;
	log_sink self;
	int ends[2];

	sigemptyset(&pipe_signal);
	sigaddset(&pipe_signal, SIGPIPE);
	cr_assert_eq(pthread_sigmask(SIG_BLOCK, &pipe_signal, NULL), 0);
	raise(SIGPIPE);
	cr_assert_eq(pipe(ends), 0);
	close(ends[0]);
	cr_assert_eq(sink_descriptor_open(&self, &allocator, ends[1]), 0);
	cr_assert_eq(sink_write(&self, "bytes", 5), EPIPE);
	cr_assert_eq(sink_close(&self), 0);
	cr_assert_eq(sigpending(&pending), 0);
	cr_assert(sigismember(&pending, SIGPIPE));
}

#define SLOW_LENGTH ((size_t)1 << 20)

typedef struct slow_reader {
	int fd;
	size_t length;
	int is_right;
} slow_reader;

static void *read_slowly(void *user)
{
	slow_reader *reader = user;
	uint8_t bytes[4000];
	ssize_t got;

	reader->is_right = 1;
	while ((got = read(reader->fd, bytes, sizeof(bytes))) != 0) {
		/* The signal may come to this thread. */
		if (got < 0 && errno == EINTR)
			continue;
		cr_assert_gt(got, 0);
		for (ssize_t i = 0; i < got; i++) {
			if (bytes[i] != (uint8_t)((reader->length + (size_t)i) * 7 >> 3))
				reader->is_right = 0;
		}
		reader->length += (size_t)got;
		usleep(100);
	}
	return NULL;
}

static void ignore_signal(int number)
{
	(void)number;
}

Test(sink, descriptor_that_does_not_block_and_is_interrupted)
{
	struct sigaction action;
	slow_reader reader = {-1, 0, 0};
	uint8_t *bytes = malloc(SLOW_LENGTH);
	pthread_t thread;
	log_sink self;
	int ends[2];

	/* Without SA_RESTART, so that calls are interrupted. */
	memset(&action, 0, sizeof(action));
	action.sa_handler = ignore_signal;
	sigaction(SIGALRM, &action, NULL);
	cr_assert_eq(pipe(ends), 0);
	cr_assert_eq(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
	reader.fd = ends[0];
	for (size_t i = 0; i < SLOW_LENGTH; i++)
		bytes[i] = (uint8_t)(i * 7 >> 3);
	cr_assert_eq(sink_descriptor_open(&self, &allocator, ends[1]), 0);
	cr_assert_eq(pthread_create(&thread, NULL, read_slowly, &reader), 0);
	ualarm(1000, 1000);
	cr_assert_eq(sink_write(&self, bytes, SLOW_LENGTH / 3), 0);
	cr_assert_eq(sink_write(&self, bytes + SLOW_LENGTH / 3, SLOW_LENGTH - SLOW_LENGTH / 3), 0);
	ualarm(0, 0);
	cr_assert_eq(sink_close(&self), 0);
	close(ends[1]);
	cr_assert_eq(pthread_join(thread, NULL), 0);
	cr_assert_eq(reader.length, SLOW_LENGTH);
	cr_assert(reader.is_right);
	free(bytes);
}

/* What a thread does that writes to a pipe which nobody reads yet. */
typedef struct blocked_writer {
	log_sink sink;
	size_t length;
	int result;
	int is_done;
} blocked_writer;

static int interruptions;

static void count_interruption(int number)
{
	(void)number;
	__atomic_add_fetch(&interruptions, 1, __ATOMIC_SEQ_CST);
}

static void *write_much(void *user)
{
	blocked_writer *writer = user;
	uint8_t *bytes = calloc(1, writer->length);

	writer->result = sink_write(&writer->sink, bytes, writer->length);
	free(bytes);
	__atomic_store_n(&writer->is_done, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

/*
 * Until the signal was handled 200 times; write() cannot return, since the pipe is full. Signals are sent again and
 * again: the thread sanitizer keeps back one that arrives just before write(), until the next one interrupts write().
 */
static void interrupt_often(const blocked_writer *writer, pthread_t thread)
{
	const struct timespec pause = {0, 50000};

	while (__atomic_load_n(&interruptions, __ATOMIC_SEQ_CST) < 200) {
		cr_assert_eq(pthread_kill(thread, SIGUSR1), 0);
		nanosleep(&pause, NULL);
		cr_assert_eq(__atomic_load_n(&writer->is_done, __ATOMIC_SEQ_CST), 0, "error %d", writer->result);
	}
}

Test(sink, write_that_is_interrupted_goes_on)
{
	struct sigaction action;
	blocked_writer writer = {.length = 1 << 20};
	char bytes[4096];
	pthread_t thread;
	size_t length = 0;
	ssize_t got;
	int ends[2];

	/* Without SA_RESTART, so that calls are interrupted. */
	memset(&action, 0, sizeof(action));
	action.sa_handler = count_interruption;
	sigaction(SIGUSR1, &action, NULL);
	cr_assert_eq(pipe(ends), 0);
	/* Not a byte can be written, so that write() is interrupted before it has anything to return. */
	cr_assert_eq(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
	memset(bytes, 0, sizeof(bytes));
	while ((got = write(ends[1], bytes, sizeof(bytes))) > 0)
		length += (size_t)got;
	cr_assert_eq(fcntl(ends[1], F_SETFL, 0), 0);
	cr_assert_eq(sink_descriptor_open(&writer.sink, &allocator, ends[1]), 0);
	cr_assert_eq(pthread_create(&thread, NULL, write_much, &writer), 0);
	interrupt_often(&writer, thread);
	for (length += writer.length; length > 0; length -= (size_t)got) {
		got = read(ends[0], bytes, sizeof(bytes));
		cr_assert_gt(got, 0);
	}
	cr_assert_eq(pthread_join(thread, NULL), 0);
	cr_assert_eq(writer.result, 0);
	cr_assert_eq(sink_close(&writer.sink), 0);
	close(ends[0]);
	close(ends[1]);
}

Test(sink, memory)
{
	failing_allocator memory = {0};
	mprof_allocator counted = failing_allocator_interface(&memory);
	log_sink self;

	sink_open_memory(&self, &counted);
	cr_assert(sink_is_memory(&self));
	for (int i = 0; i < 1000; i++)
		cr_assert_eq(sink_write(&self, "0123456789", 10), 0);
	cr_assert_eq(self.memory_length, 10000);
	cr_assert_eq(memcmp(self.memory + 9990, "0123456789", 10), 0);
	memory.fail_at = memory.requests + 1;
	while (sink_write(&self, "0123456789", 10) == 0)
		;
	cr_assert_eq(self.memory_length % 10, 0);
	cr_assert_eq(self.memory_length, self.taken);
	cr_assert_eq(sink_close(&self), 0);
	cr_assert_eq(memory.blocks, 0);
}

typedef struct calls {
	char text[256];
	int error;
} calls;

static int note_write(void *user, const void *bytes, size_t length)
{
	calls *self = user;

	strcat(self->text, "write ");
	strncat(self->text, bytes, length);
	strcat(self->text, "; ");
	return self->error;
}

static int note_flush(void *user)
{
	strcat(((calls *)user)->text, "flush; ");
	return ((calls *)user)->error;
}

static int note_close(void *user)
{
	strcat(((calls *)user)->text, "close; ");
	return ((calls *)user)->error;
}

Test(sink, functions)
{
	calls seen = {"", 0};
	mprof_sink functions = {sizeof(mprof_sink), note_write, note_flush, note_close, &seen};
	log_sink self;

	sink_open_functions(&self, &allocator, &functions);
	cr_assert_eq(sink_write(&self, "abc", 3), 0);
	cr_assert_eq(sink_flush(&self), 0);
	cr_assert_eq(sink_finish(&self), 0);
	seen.error = EDQUOT;
	cr_assert_eq(sink_write(&self, "def", 3), EDQUOT);
	cr_assert_eq(sink_flush(&self), EDQUOT);
	cr_assert_eq(self.taken, 3);
	cr_assert_eq(sink_close(&self), EDQUOT);
	cr_assert_str_eq(seen.text, "write abc; flush; write def; flush; close; ");
	functions.flush = NULL;
	functions.close = NULL;
	sink_open_functions(&self, &allocator, &functions);
	cr_assert_eq(sink_flush(&self), 0);
	cr_assert_eq(sink_close(&self), 0);
}

#ifdef MPROF_WITH_ZLIB

#include <zlib.h>

/* What can be read of compressed bytes that may be cut. */
static size_t inflate_all(const uint8_t *bytes, size_t length, uint8_t *out, size_t room, int *is_whole)
{
	z_stream stream;
	int result;

	memset(&stream, 0, sizeof(stream));
	cr_assert_eq(inflateInit2(&stream, 15 + 16), Z_OK);
	stream.next_in = (Bytef *)(uintptr_t)bytes;
	stream.avail_in = (uInt)length;
	stream.next_out = out;
	stream.avail_out = (uInt)room;
	result = inflate(&stream, Z_SYNC_FLUSH);
	*is_whole = result == Z_STREAM_END;
	inflateEnd(&stream);
	return room - stream.avail_out;
}

#define PLAIN_LENGTH 300000

static uint8_t plain[PLAIN_LENGTH];
static uint8_t inflated[PLAIN_LENGTH + 1];

/* Half of it does not compress, so that more than one piece is handed on. */
static void fill_plain(void)
{
	uint32_t state = 1;

	for (size_t i = 0; i < PLAIN_LENGTH; i++) {
		state = state * 1664525 + 1013904223;
		plain[i] = (uint8_t)(i < PLAIN_LENGTH / 2 ? state >> 24 : i >> 10);
	}
}

Test(sink, gzip_at_all_levels)
{
	fill_plain();
	for (uint32_t level = 1; level <= 9; level++) {
		failing_allocator memory = {0};
		mprof_allocator counted = failing_allocator_interface(&memory);
		int is_whole;
		log_sink self;

		sink_open_memory(&self, &counted);
		cr_assert_eq(sink_gzip_add(&self, level), 0);
		cr_assert(sink_is_memory(&self));
		for (size_t i = 0; i < PLAIN_LENGTH; i += 30000)
			cr_assert_eq(sink_write(&self, plain + i, 30000), 0);
		cr_assert_eq(sink_finish(&self), 0);
		cr_assert_eq(sink_finish(&self), 0);
		cr_assert_eq(self.taken, PLAIN_LENGTH);
		cr_assert_lt(sink_bottom(&self)->taken, PLAIN_LENGTH * 2 / 3);
		cr_assert_eq(inflate_all(sink_bottom(&self)->memory, sink_bottom(&self)->memory_length, inflated,
					 sizeof(inflated), &is_whole),
			     PLAIN_LENGTH);
		cr_assert(is_whole);
		cr_assert_eq(memcmp(plain, inflated, PLAIN_LENGTH), 0);
		cr_assert_eq(sink_close(&self), 0);
		cr_assert_eq(memory.blocks, 0);
	}
}

Test(sink, gzip_can_be_read_up_to_each_flush)
{
	int is_whole;
	log_sink self;

	fill_plain();
	sink_open_memory(&self, &allocator);
	cr_assert_eq(sink_gzip_add(&self, 6), 0);
	for (size_t i = 0; i < 100000; i += 1000) {
		cr_assert_eq(sink_write(&self, plain + i, 1000), 0);
		cr_assert_eq(sink_flush(&self), 0);
		cr_assert_eq(sink_flush(&self), 0);
		cr_assert_eq(inflate_all(sink_bottom(&self)->memory, sink_bottom(&self)->memory_length, inflated,
					 sizeof(inflated), &is_whole),
			     i + 1000);
		cr_assert_not(is_whole);
	}
	cr_assert_eq(memcmp(plain, inflated, 100000), 0);
	cr_assert_eq(sink_close(&self), 0);
}

/* Members that were ended are a whole file each, whatever follows them. */
Test(sink, gzip_members)
{
	size_t start = 0;
	size_t written = 0;
	int is_whole;
	log_sink self;

	fill_plain();
	sink_open_memory(&self, &allocator);
	cr_assert_eq(sink_gzip_end_member(&self), 0);
	cr_assert_eq(sink_gzip_add(&self, 6), 0);
	cr_assert_eq(sink_gzip_end_member(&self), 0);
	cr_assert_eq(sink_bottom(&self)->memory_length, 0);
	for (int i = 1; i <= 5; i++) {
		cr_assert_eq(sink_write(&self, plain + written, (size_t)i * 1000), 0);
		cr_assert_eq(sink_gzip_end_member(&self), 0);
		/* An empty member has no bytes, also after a flush. */
		cr_assert_eq(sink_gzip_end_member(&self), 0);
		cr_assert_eq(sink_flush(&self), 0);
		cr_assert_eq(inflate_all(sink_bottom(&self)->memory + start, sink_bottom(&self)->memory_length - start,
					 inflated, sizeof(inflated), &is_whole),
			     (size_t)i * 1000);
		cr_assert(is_whole);
		cr_assert_eq(memcmp(plain + written, inflated, (size_t)i * 1000), 0);
		start = sink_bottom(&self)->memory_length;
		written += (size_t)i * 1000;
	}
	cr_assert_eq(sink_finish(&self), 0);
	cr_assert_eq(sink_bottom(&self)->memory_length, start);
	cr_assert_eq(sink_close(&self), 0);
}

static void count_bytes(void *user, const void *bytes, size_t length)
{
	cr_assert_eq(memcmp(bytes, plain, length), 0);
	*(size_t *)user += length;
}

/* The bytes before compression, and only those that were written. */
Test(sink, observer)
{
	size_t seen = 0;
	log_sink self;

	fill_plain();
	sink_open_memory(&self, &allocator);
	cr_assert_eq(sink_gzip_add(&self, 6), 0);
	self.observer = count_bytes;
	self.observer_user = &seen;
	cr_assert_eq(sink_write(&self, plain, 50000), 0);
	cr_assert_eq(sink_write(&self, plain, 7), 0);
	cr_assert_eq(sink_finish(&self), 0);
	cr_assert_eq(seen, 50007);
	cr_assert_eq(sink_close(&self), 0);
}

Test(sink, gzip_without_memory)
{
	for (size_t n = 1;; n++) {
		failing_allocator memory = {.fail_at = n};
		mprof_allocator counted = failing_allocator_interface(&memory);
		log_sink self;
		int error;

		sink_open_memory(&self, &counted);
		error = sink_gzip_add(&self, 6);
		if (error == 0)
			error = sink_write(&self, "bytes", 5);
		if (error == 0)
			error = sink_finish(&self);
		cr_assert(error == 0 || error == ENOMEM);
		cr_assert_eq(sink_close(&self), 0);
		cr_assert_eq(memory.blocks, 0);
		if (error == 0) {
			cr_assert_gt(n, 2);
			return;
		}
		cr_assert_gt(memory.refused, 0);
	}
}

Test(sink, gzip_passes_errors_on)
{
	calls seen = {"", 0};
	mprof_sink functions = {sizeof(mprof_sink), note_write, note_flush, note_close, &seen};
	log_sink self;

	sink_open_functions(&self, &allocator, &functions);
	cr_assert_eq(sink_gzip_add(&self, 1), 0);
	cr_assert_eq(sink_write(&self, "bytes", 5), 0);
	seen.error = ENOSPC;
	cr_assert_eq(sink_flush(&self), ENOSPC);
	cr_assert_eq(sink_close(&self), ENOSPC);
}

#else

Test(sink, gzip_is_refused)
{
	log_sink self;

	cr_assert_not(sink_gzip_is_available());
	sink_open_memory(&self, &allocator);
	cr_assert_eq(sink_gzip_add(&self, 6), ENOTSUP);
	cr_assert_eq(sink_write(&self, "bytes", 5), 0);
	cr_assert_eq(sink_close(&self), 0);
}

#endif
