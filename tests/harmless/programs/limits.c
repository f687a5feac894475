/* SPDX-License-Identifier: MIT */
/*
 * Programs at the limits of their resources, and those that close or use all descriptors.
 *
 * cases: limits close_all | limits close_range | limits reuse | limits descriptors | limits threads_and_files
 *        | limits memory | limits locked | limits directory | limits file_size | limits secure
 *        | limits umask
 */
#define _GNU_SOURCE
#include "facts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *compute_and_wait(void *argument)
{
	compute_for_us(500);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return argument;
}

static void limit_to(__rlimit_resource_t which, rlim_t value)
{
	struct rlimit limit;

	getrlimit(which, &limit);
	limit.rlim_cur = value;
	if (setrlimit(which, &limit) != 0)
		printf("setrlimit: %s\n", strerror(errno));
}

static void allocate_some(void)
{
	for (int i = 0; i < 10000; i++)
		free(malloc((size_t)i));
}

/* Files whose numbers were those of the descriptors that were closed contain what the program wrote. */
static void use_files(void)
{
	enum { COUNT = 30 };
	int fds[COUNT];
	int right = 0;

	for (int i = 0; i < COUNT; i++)
		fds[i] = memfd_create("file", MFD_CLOEXEC);
	printf("first file %d, last %d\n", fds[0], fds[COUNT - 1]);
	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < COUNT; i++)
			if (write(fds[i], "content\n", 8) != 8)
				printf("write: %s\n", strerror(errno));
		compute_for_us(5000);
		allocate_some();
	}
	for (int i = 0; i < COUNT; i++) {
		char text[8];

		right += lseek(fds[i], 0, SEEK_END) == 160 && pread(fds[i], text, 8, 152) == 8 &&
			 memcmp(text, "content\n", 8) == 0;
		close(fds[i]);
	}
	printf("%d files are right\n", right);
}

static void use_descriptors(void)
{
	int opened = 0;

	limit_to(RLIMIT_NOFILE, 64);
	while (open("/dev/null", O_RDONLY) >= 0)
		opened++;
	compute_for_us(50000);
	printf("opened %d: %s\n", opened, strerror(errno));
}

/* Descriptors are left for the program, however many threads it has. */
static void use_threads_and_files(void)
{
	enum { THREADS = 60 };
	pthread_t threads[THREADS];
	int opened = 0;

	limit_to(RLIMIT_NOFILE, 80);
	pthread_mutex_lock(&mutex);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, compute_and_wait, NULL);
	compute_for_us(50000);
	for (int i = 0; i < 70; i++)
		opened += open("/dev/null", O_RDONLY) >= 0;
	printf("%d files\n", opened);
	pthread_mutex_unlock(&mutex);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

/* Prints in steps of 64 MiB: recording itself needs some memory. */
static void use_memory(void)
{
	const size_t piece = (size_t)1 << 20;
	size_t pieces = 0;

	limit_to(RLIMIT_AS, (rlim_t)768 << 20);
	while (malloc(piece) != NULL)
		pieces++;
	printf("about %zu MiB\n", (pieces + 40) / 64 * 64);
}

static void use_locked_memory(void)
{
	void *memory;

	limit_to(RLIMIT_MEMLOCK, 1 << 20);
	memory = mmap(NULL, 512 << 10, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	printf("mlock: %s\n", mlock(memory, 512 << 10) == 0 ? "ok" : strerror(errno));
	compute_for_us(50000);
}

/* In another directory, a file of any name keeps what it contains. */
static void change_directory(void)
{
	static const char *const names[] = {"log.mprof", "log.mprof.salvage", "log.mprof.part"};
	char directory[] = "/var/tmp/harmless.XXXXXX";
	pid_t process;

	if (mkdtemp(directory) == NULL || chdir(directory) != 0) {
		printf("no directory\n");
		return;
	}
	for (int i = 0; i < 3; i++) {
		int fd = open(names[i], O_CREAT | O_EXCL | O_WRONLY, 0644);

		if (fd < 0 || write(fd, "mine\n", 5) != 5)
			printf("%s: %s\n", names[i], strerror(errno));
		close(fd);
	}
	compute_for_us(50000);
	allocate_some();
	fflush(stdout);
	process = fork();
	if (process == 0) {
		allocate_some();
		execl("/bin/sh", "sh", "-c", "cat *; ls", (char *)NULL);
		_exit(1);
	}
	waitpid(process, NULL, 0);
	for (int i = 0; i < 3; i++)
		if (unlink(names[i]) != 0)
			printf("%s: %s\n", names[i], strerror(errno));
	printf("%s\n", rmdir(directory) == 0 ? "nothing else is there" : strerror(errno));
}

static volatile sig_atomic_t too_large;

static void count_too_large(int number)
{
	(void)number;
	too_large++;
}

/* Only the program's own writes may exceed the limit. */
static void limit_file_size(void)
{
	struct rlimit limit = {4096, 4096};
	int fd = memfd_create("file", MFD_CLOEXEC);
	char page[4096] = "";

	signal(SIGXFSZ, count_too_large);
	setrlimit(RLIMIT_FSIZE, &limit);
	for (int i = 0; i < 50; i++) {
		compute_for_us(2000);
		allocate_some();
	}
	printf("%zd %d, ", write(fd, page, sizeof(page)), (int)too_large);
	printf("%zd %d\n", write(fd, page, sizeof(page)), (int)too_large);
	signal(SIGXFSZ, SIG_DFL);
	compute_for_us(50000);
	allocate_some();
}

/* A filter of system calls that ends the program at those that only a profiler would make. */
static void secure(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_perf_event_open, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_timer_create, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_memfd_create, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
	};
	const struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};
	pthread_t thread;

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	printf("filter: %s\n", syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0
				       ? "ok"
				       : strerror(errno));
	for (int i = 0; i < 10; i++) {
		pthread_create(&thread, NULL, compute_and_wait, NULL);
		compute_for_us(5000);
		pthread_join(thread, NULL);
	}
}

/* The program's own files have the modes that it asks for. */
static void use_mask(void)
{
	struct stat status;
	int fd;

	umask(0);
	compute_for_us(20000);
	fd = open("/var/tmp", O_TMPFILE | O_RDWR, 0666);
	if (fd >= 0 && fstat(fd, &status) == 0)
		printf("mode %o\n", (unsigned)status.st_mode & 07777);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "close_all";

	compute_for_us(10000);
	if (strcmp(what, "close_all") == 0) {
		for (int fd = 3; fd < 1024; fd++)
			close(fd);
		use_files();
	} else if (strcmp(what, "close_range") == 0) {
		syscall(SYS_close_range, 3, ~0U, 0);
		use_files();
	} else if (strcmp(what, "reuse") == 0) {
		int fd = open("/dev/null", O_RDONLY);

		for (int i = 3; i < 256; i++)
			if (i != fd)
				dup2(fd, i);
		compute_for_us(50000);
		allocate_some();
	} else if (strcmp(what, "descriptors") == 0) {
		use_descriptors();
	} else if (strcmp(what, "threads_and_files") == 0) {
		use_threads_and_files();
	} else if (strcmp(what, "memory") == 0) {
		use_memory();
	} else if (strcmp(what, "locked") == 0) {
		use_locked_memory();
	} else if (strcmp(what, "directory") == 0) {
		change_directory();
	} else if (strcmp(what, "file_size") == 0) {
		limit_file_size();
	} else if (strcmp(what, "secure") == 0) {
		secure();
	} else if (strcmp(what, "umask") == 0) {
		use_mask();
	}
	printf("%s: ended well\n", what);
	return 0;
}
