/* SPDX-License-Identifier: MIT */
/*
 * Interposes the functions that execute another program or end the process at once. Each is interposed, since the C
 * library does not call its own functions by their names. Signal handlers may call them, so nothing is allocated and no
 * lock is taken here.
 */
#include "exec_calls.h"

#include "preload.h"

#include <alloca.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define OVERRIDES __attribute__((visibility("default"), no_instrument_function))

typedef int execve_function(const char *path, char *const *arguments, char *const *variables);
typedef int fexecve_function(int fd, char *const *arguments, char *const *variables);
typedef void exit_function(int status);
typedef int spawn_function(pid_t *process, const char *path, const posix_spawn_file_actions_t *actions,
			   const posix_spawnattr_t *attributes, char *const *arguments, char *const *variables);
typedef int execveat_function(int directory, const char *path, char *const *arguments, char *const *variables,
			      int flags);

/* Looked up when the module is loaded, and constant from then on. */
static execve_function *real_execve;
static execve_function *real_execvpe;
static fexecve_function *real_fexecve;
static execveat_function *real_execveat;
static exit_function *real_exit;
static spawn_function *real_spawn;
static spawn_function *real_spawnp;

static int (*prepare_exec)(int executes);
static void (*cancel_exec)(void);

/* Not a plain cast: ISO C does not define a conversion from an object pointer to a function pointer. */
static void look_up(void *function, const char *name)
{
	void *address = dlsym(RTLD_NEXT, name);

	memcpy(function, &address, sizeof(address));
}

/* Constructors of other libraries that run earlier may execute programs, too. */
__attribute__((constructor)) static void look_up_all(void)
{
	if (real_execve != NULL)
		return;
	look_up(&real_execvpe, "execvpe");
	look_up(&real_fexecve, "fexecve");
	look_up(&real_execveat, "execveat");
	look_up(&real_exit, "_exit");
	look_up(&real_spawn, "posix_spawn");
	look_up(&real_spawnp, "posix_spawnp");
	look_up(&real_execve, "execve");
}

static int prepare(void)
{
	return prepare_exec != NULL && prepare_exec(1);
}

/* The process ends. */
static void prepare_end(void)
{
	if (prepare_exec != NULL)
		(void)prepare_exec(0);
}

/* quick_exit() runs these functions, and then ends the process without calling _exit() by its name. */
static void end_quickly(void)
{
	prepare_end();
}

void exec_calls_set(int (*prepare_)(int executes), void (*cancel)(void))
{
	static int is_registered;

	cancel_exec = cancel;
	prepare_exec = prepare_;
	if (is_registered)
		return;
	is_registered = 1;
	(void)at_quick_exit(end_quickly);
}

/* Called after the program could not be executed. */
static int fail(int is_prepared)
{
	int error = errno;

	if (is_prepared)
		cancel_exec();
	errno = error;
	return -1;
}

/* Programs that cannot be executed, as in a search of PATH by the caller, need no preparation. */
static int is_executable(int directory, const char *path)
{
	int error = errno;
	int is_admitted = faccessat(directory, path, X_OK, AT_EACCESS) == 0;

	errno = error;
	return is_admitted;
}

/*
 * Replaces the variables by a copy without this module, if the program refuses that. On the stack, and only then: a
 * signal handler may run on a small one.
 */
#define REMOVE_MODULE(is_refused, variables)                                                                           \
	do {                                                                                                           \
		if (is_refused)                                                                                        \
			(variables) = preload_remove((variables), alloca(preload_removed_size(variables)));            \
	} while (0)

OVERRIDES int execve(const char *path, char *const *arguments, char *const *variables)
{
	int is_prepared = is_executable(AT_FDCWD, path) && prepare();

	look_up_all();
	errno = ENOSYS;
	REMOVE_MODULE(preload_is_refused_at(AT_FDCWD, path), variables);
	if (real_execve != NULL)
		(void)real_execve(path, arguments, variables);
	return fail(is_prepared);
}

/* Searches PATH if the name has no slash. */
OVERRIDES int execvpe(const char *name, char *const *arguments, char *const *variables)
{
	int is_prepared = (strchr(name, '/') == NULL || is_executable(AT_FDCWD, name)) && prepare();

	look_up_all();
	errno = ENOSYS;
	REMOVE_MODULE(preload_is_refused_by_name(name), variables);
	if (real_execvpe != NULL)
		(void)real_execvpe(name, arguments, variables);
	return fail(is_prepared);
}

OVERRIDES int fexecve(int fd, char *const *arguments, char *const *variables)
{
	int is_prepared = prepare();

	look_up_all();
	errno = ENOSYS;
	REMOVE_MODULE(preload_is_refused(fd), variables);
	if (real_fexecve != NULL)
		(void)real_fexecve(fd, arguments, variables);
	return fail(is_prepared);
}

OVERRIDES int execveat(int directory, const char *path, char *const *arguments, char *const *variables, int flags)
{
	/* With an empty path, the descriptor is that of the program. */
	int is_prepared = (path[0] == '\0' || is_executable(directory, path)) && prepare();

	look_up_all();
	errno = ENOSYS;
	REMOVE_MODULE(path[0] != '\0' ? preload_is_refused_at(directory, path) : preload_is_refused(directory),
		      variables);
	if (real_execveat != NULL)
		(void)real_execveat(directory, path, arguments, variables, flags);
	return fail(is_prepared);
}

OVERRIDES int execv(const char *path, char *const *arguments)
{
	return execve(path, arguments, environ);
}

OVERRIDES int execvp(const char *name, char *const *arguments)
{
	return execvpe(name, arguments, environ);
}

/* These make a process of their own, so nothing of this one ends. */
OVERRIDES int posix_spawn(pid_t *process, const char *path, const posix_spawn_file_actions_t *actions,
			  const posix_spawnattr_t *attributes, char *const *arguments, char *const *variables)
{
	look_up_all();
	REMOVE_MODULE(preload_is_refused_at(AT_FDCWD, path), variables);
	return real_spawn != NULL ? real_spawn(process, path, actions, attributes, arguments, variables) : ENOSYS;
}

OVERRIDES int posix_spawnp(pid_t *process, const char *name, const posix_spawn_file_actions_t *actions,
			   const posix_spawnattr_t *attributes, char *const *arguments, char *const *variables)
{
	look_up_all();
	REMOVE_MODULE(preload_is_refused_by_name(name), variables);
	return real_spawnp != NULL ? real_spawnp(process, name, actions, attributes, arguments, variables) : ENOSYS;
}

/* The number of arguments before the final NULL. */
static size_t count_arguments(const char *first, va_list rest)
{
	size_t count = 0;

	for (const char *argument = first; argument != NULL; argument = va_arg(rest, const char *))
		count++;
	return count;
}

/* Copies \p count arguments and the final NULL. */
static void copy_arguments(const char **arguments, size_t count, const char *first, va_list rest)
{
	arguments[0] = first;
	for (size_t i = 1; i <= count; i++)
		arguments[i] = va_arg(rest, const char *);
}

/* On the stack, since these functions may be called in a signal handler; the C library does the same. */
#define COLLECT_ARGUMENTS(arguments, count, first)                                                                     \
	const char **arguments;                                                                                        \
	va_list rest;                                                                                                  \
	size_t count;                                                                                                  \
	va_start(rest, first);                                                                                         \
	count = count_arguments(first, rest);                                                                          \
	va_end(rest);                                                                                                  \
	arguments = alloca((count + 1) * sizeof(*(arguments)));                                                        \
	va_start(rest, first);                                                                                         \
	copy_arguments(arguments, count, first, rest)

OVERRIDES int execl(const char *path, const char *first, ...)
{
	COLLECT_ARGUMENTS(arguments, count, first);
	va_end(rest);
	return execve(path, (char *const *)arguments, environ);
}

OVERRIDES int execlp(const char *name, const char *first, ...)
{
	COLLECT_ARGUMENTS(arguments, count, first);
	va_end(rest);
	return execvpe(name, (char *const *)arguments, environ);
}

OVERRIDES int execle(const char *path, const char *first, ...)
{
	char *const *variables;

	COLLECT_ARGUMENTS(arguments, count, first);
	variables = va_arg(rest, char *const *);
	va_end(rest);
	return execve(path, (char *const *)arguments, variables);
}

/* Does not run the destructors, as exit() does. */
OVERRIDES void _exit(int status)
{
	look_up_all();
	prepare_end();
	if (real_exit != NULL)
		real_exit(status);
	for (;;)
		(void)syscall(SYS_exit_group, status);
}

OVERRIDES void _Exit(int status)
{
	_exit(status);
}

/* Redirects standard input, output and error to /dev/null, which must be the device. Returns 0 or -1. */
static int silence_descriptors(void)
{
	struct stat status;
	int fd = open("/dev/null", O_RDWR);

	if (fd < 0)
		return -1;
	if (fstat(fd, &status) != 0 || !S_ISCHR(status.st_mode) || status.st_rdev != makedev(1, 3)) {
		close(fd);
		errno = ENODEV;
		return -1;
	}
	(void)dup2(fd, STDIN_FILENO);
	(void)dup2(fd, STDOUT_FILENO);
	(void)dup2(fd, STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
	return 0;
}

/* The function of the C library ends the first process without calling _exit() by its name. This one does the same. */
OVERRIDES int daemon(int keeps_directory, int keeps_descriptors)
{
	pid_t process = fork();

	if (process > 0)
		_exit(0);
	if (process < 0 || setsid() < 0)
		return -1;
	if (!keeps_directory)
		(void)!chdir("/");
	return keeps_descriptors ? 0 : silence_descriptors();
}
