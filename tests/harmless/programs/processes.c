/* SPDX-License-Identifier: MIT */
/*
 * Programs that start others, in every way, and what they learn of their ends.
 *
 * cases: processes fork | processes vfork | processes spawn | processes system | processes exec | processes exec_at_once
 *        | processes exec_fails | processes threads | processes loader | processes daemon | processes memory
 *        | processes child_signal | processes child_ends | processes execed_closed
 */
#define _GNU_SOURCE
#include "facts.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *self;
static volatile sig_atomic_t children_ended;
static atomic_int is_done;

static void print_status(const char *what, pid_t process)
{
	int status = 0;

	while (waitpid(process, &status, 0) < 0)
		if (errno != EINTR) {
			printf("%s: %s\n", what, strerror(errno));
			return;
		}
	if (WIFSIGNALED(status))
		printf("%s: signal %d\n", what, WTERMSIG(status));
	else
		printf("%s: status %d\n", what, WEXITSTATUS(status));
}

static void print_no_children(void)
{
	printf("%s\n", waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD ? "no children left" : "children are left");
}

static void fork_some(void)
{
	for (int i = 0; i < 20; i++) {
		pid_t process;

		fflush(stdout);
		process = fork();
		if (process == 0) {
			compute_for_us(5000);
			free(malloc(1000));
			if (i % 2 != 0)
				_exit(i);
			exit(i);
		}
		print_status("fork", process);
	}
}

static void vfork_some(void)
{
	for (int i = 0; i < 20; i++) {
		pid_t process;

		fflush(stdout);
		process = vfork();
		if (process == 0) {
			if (i % 2 != 0)
				execl("/bin/sh", "sh", "-c", "exit 3", (char *)NULL);
			else
				execl("/nonexistent", "nonexistent", (char *)NULL);
			_exit(9);
		}
		compute_for_us(2000);
		print_status("vfork", process);
	}
}

static void spawn_some(void)
{
	for (int i = 0; i < 20; i++) {
		char *arguments[] = {"sh", "-c", i % 2 != 0 ? "exit 3" : "kill -9 $$", NULL};
		pid_t process;
		int error = posix_spawn(&process, "/bin/sh", NULL, NULL, arguments, environ);

		if (error != 0)
			printf("spawn: %s\n", strerror(error));
		compute_for_us(2000);
		print_status("spawn", process);
	}
}

static void run_commands(void)
{
	char line[64] = "";
	FILE *pipe;

	fflush(stdout);
	printf("system: %d\n", system("exit 5"));
	fflush(stdout);
	pipe = popen("echo hello; exit 6", "r");
	if (pipe == NULL || fgets(line, sizeof(line), pipe) == NULL)
		printf("popen failed\n");
	else
		printf("popen: %s", line);
	if (pipe != NULL)
		printf("pclose: %d\n", pclose(pipe));
}

static void exec_self(const char *what)
{
	printf("before exec\n");
	fflush(stdout);
	execl(self, self, what, (char *)NULL);
	printf("exec: %s\n", strerror(errno));
}

static void exec_that_fails(void)
{
	for (int i = 0; i < 200; i++) {
		compute_for_us(300);
		execl("/nonexistent", "nonexistent", (char *)NULL);
	}
	printf("exec: %s\n", strerror(errno));
	compute_for_us(100000);
}

/* Calls exec while threads compute. */
static void *compute_always(void *argument)
{
	while (atomic_load(&is_done) == 0)
		compute_for_us(1000);
	return argument;
}

static void fork_beside_threads(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, compute_always, NULL);
	for (int i = 0; i < 30; i++) {
		pid_t process;

		fflush(stdout);
		process = fork();
		if (process == 0) {
			free(malloc(100000));
			_exit(11);
		}
		print_status("fork", process);
	}
	fflush(stdout);
	if (fork() == 0) {
		compute_for_us(1000);
		execl("/bin/sh", "sh", "-c", "exit 12", (char *)NULL);
	}
	print_status("exec in a child", -1);
	atomic_store(&is_done, 1);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

/* Forks while another thread holds the lock of the loader. */
static atomic_int is_inside;

static int stay_inside(struct dl_phdr_info *information, size_t size, void *user)
{
	(void)information;
	(void)size;
	(void)user;
	atomic_store(&is_inside, 1);
	while (atomic_load(&is_done) == 0)
		usleep(1000);
	return 1;
}

static void *iterate(void *argument)
{
	dl_iterate_phdr(stay_inside, NULL);
	return argument;
}

static void fork_beside_loader(void)
{
	pthread_t thread;
	pid_t process;

	pthread_create(&thread, NULL, iterate, NULL);
	while (atomic_load(&is_inside) == 0)
		usleep(1000);
	fflush(stdout);
	process = fork();
	if (process == 0) {
		compute_for_us(20000);
		free(malloc(1000));
		_exit(13);
	}
	print_status("fork", process);
	atomic_store(&is_done, 1);
	pthread_join(thread, NULL);
}

/* Like daemon(), but with a pipe by which the first process learns the result. */
static void become_daemon(void)
{
	int ends[2];
	char text[64];
	ssize_t length;
	pid_t process;

	fflush(stdout);
	if (pipe(ends) != 0)
		exit(1);
	process = fork();
	if (process == 0) {
		setsid();
		if (fork() != 0)
			_exit(0);
		close(ends[0]);
		if (chdir("/") != 0)
			_exit(1);
		compute_for_us(30000);
		length = snprintf(text, sizeof(text), "the daemon works, errno %d\n", errno);
		if (write(ends[1], text, (size_t)length) < 0)
			_exit(1);
		_exit(0);
	}
	close(ends[1]);
	print_status("first child", process);
	while ((length = read(ends[0], text, sizeof(text))) > 0)
		fwrite(text, 1, (size_t)length, stdout);
}

static void count_child(int number)
{
	(void)number;
	children_ended++;
}

/* SIGCHLD arrives for the program's own children only. */
static void count_children(void)
{
	pid_t process;

	signal(SIGCHLD, count_child);
	compute_for_us(100000);
	printf("before: %d\n", (int)children_ended);
	fflush(stdout);
	process = fork();
	if (process == 0)
		_exit(0);
	print_status("child", process);
	compute_for_us(50000);
	printf("after: %d\n", (int)children_ended);
}

/* A child that ends in each way. */
static void end_children(void)
{
	for (int i = 0; i < 6; i++) {
		pid_t process;

		fflush(stdout);
		process = fork();
		if (process == 0) {
			compute_for_us(10000);
			if (i == 0)
				abort();
			if (i == 1)
				raise(SIGKILL);
			if (i == 2)
				*(volatile int *)0 = 1;
			if (i == 3)
				raise(SIGTERM);
			if (i == 4)
				pthread_exit(NULL);
			quick_exit(5);
		}
		print_status("child", process);
	}
}

/* A large process forks. */
static void fork_with_memory(void)
{
	const size_t size = (size_t)64 << 20;
	char *memory = malloc(size);

	memset(memory, 1, size);
	fork_some();
	printf("%d\n", memory[size / 2]);
	free(memory);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "fork";

	self = argv[0];
	if (strcmp(what, "fork") == 0)
		fork_some();
	else if (strcmp(what, "vfork") == 0)
		vfork_some();
	else if (strcmp(what, "spawn") == 0)
		spawn_some();
	else if (strcmp(what, "system") == 0)
		run_commands();
	else if (strcmp(what, "exec") == 0) {
		compute_for_us(50000);
		exec_self("execed");
	} else if (strcmp(what, "exec_at_once") == 0)
		exec_self("execed");
	else if (strcmp(what, "execed_closed") == 0) {
		for (int fd = 3; fd < 1024; fd++)
			close(fd);
		compute_for_us(20000);
		exec_self("execed");
	} else if (strcmp(what, "execed") == 0) {
		compute_for_us(50000);
		printf("after exec, next descriptor %d\n", open("/dev/null", O_RDONLY));
		return 14;
	} else if (strcmp(what, "exec_fails") == 0)
		exec_that_fails();
	else if (strcmp(what, "threads") == 0)
		fork_beside_threads();
	else if (strcmp(what, "loader") == 0)
		fork_beside_loader();
	else if (strcmp(what, "daemon") == 0)
		become_daemon();
	else if (strcmp(what, "child_signal") == 0)
		count_children();
	else if (strcmp(what, "child_ends") == 0)
		end_children();
	else if (strcmp(what, "memory") == 0)
		fork_with_memory();
	print_no_children();
	printf("%s: ended well\n", what);
	return 0;
}
