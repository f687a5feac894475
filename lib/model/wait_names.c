/* SPDX-License-Identifier: MIT */
/* The tables of functions and methods that wait. */
#include "model/wait_names.h"

#include <string.h>

typedef struct function_role {
	const char *name; /**< Without underscores at its start. */
	wait_role role;
} function_role;

#define CALLER(kind)                                                                                                   \
	{                                                                                                              \
		kind, 0                                                                                                \
	}
#define INNERMOST(kind)                                                                                                \
	{                                                                                                              \
		kind, 1                                                                                                \
	}

/* Functions of the C library. */
static const function_role functions[] = {
	{"accept", INNERMOST(MPROF_WAIT_ACCEPT)},
	{"accept4", INNERMOST(MPROF_WAIT_ACCEPT)},
	{"clock_nanosleep", INNERMOST(MPROF_WAIT_SLEEP)},
	{"connect", INNERMOST(MPROF_WAIT_ACCEPT)},
	{"epoll_pwait", INNERMOST(MPROF_WAIT_POLL)},
	{"epoll_wait", INNERMOST(MPROF_WAIT_POLL)},
	{"fdatasync", INNERMOST(MPROF_WAIT_IO)},
	{"fsync", INNERMOST(MPROF_WAIT_IO)},
	{"futex_abstimed_wait64", INNERMOST(MPROF_WAIT_OTHER)},
	{"futex_abstimed_wait_common", INNERMOST(MPROF_WAIT_OTHER)},
	{"futex_abstimed_wait_common64", INNERMOST(MPROF_WAIT_OTHER)},
	{"futex_abstimed_wait_cancelable64", INNERMOST(MPROF_WAIT_OTHER)},
	{"futex_lock_pi64", INNERMOST(MPROF_WAIT_LOCK)},
	{"futex_wait", INNERMOST(MPROF_WAIT_OTHER)},
	{"lll_lock_wait", INNERMOST(MPROF_WAIT_LOCK)},
	{"lll_lock_wait_private", INNERMOST(MPROF_WAIT_LOCK)},
	{"nanosleep", INNERMOST(MPROF_WAIT_SLEEP)},
	{"poll", INNERMOST(MPROF_WAIT_POLL)},
	{"ppoll", INNERMOST(MPROF_WAIT_POLL)},
	{"pread", INNERMOST(MPROF_WAIT_IO)},
	{"pread64", INNERMOST(MPROF_WAIT_IO)},
	{"preadv", INNERMOST(MPROF_WAIT_IO)},
	{"pselect", INNERMOST(MPROF_WAIT_POLL)},
	{"pthread_clockjoin_ex", INNERMOST(MPROF_WAIT_JOIN)},
	{"pthread_cond_clockwait", INNERMOST(MPROF_WAIT_CONDITION)},
	{"pthread_cond_timedwait", INNERMOST(MPROF_WAIT_CONDITION)},
	{"pthread_cond_wait", INNERMOST(MPROF_WAIT_CONDITION)},
	{"pthread_join", INNERMOST(MPROF_WAIT_JOIN)},
	{"pthread_mutex_lock", CALLER(MPROF_WAIT_LOCK)},
	{"pthread_mutex_lock_full", CALLER(MPROF_WAIT_LOCK)},
	{"pthread_mutex_timedlock", CALLER(MPROF_WAIT_LOCK)},
	{"pthread_rwlock_rdlock", CALLER(MPROF_WAIT_LOCK)},
	{"pthread_rwlock_wrlock", CALLER(MPROF_WAIT_LOCK)},
	{"pthread_timedjoin_np", INNERMOST(MPROF_WAIT_JOIN)},
	{"pwrite", INNERMOST(MPROF_WAIT_IO)},
	{"pwrite64", INNERMOST(MPROF_WAIT_IO)},
	{"pwritev", INNERMOST(MPROF_WAIT_IO)},
	{"read", INNERMOST(MPROF_WAIT_IO)},
	{"readv", INNERMOST(MPROF_WAIT_IO)},
	{"recv", INNERMOST(MPROF_WAIT_IO)},
	{"recvfrom", INNERMOST(MPROF_WAIT_IO)},
	{"recvmsg", INNERMOST(MPROF_WAIT_IO)},
	{"select", INNERMOST(MPROF_WAIT_POLL)},
	{"sem_clockwait", CALLER(MPROF_WAIT_EVENT)},
	{"sem_timedwait", CALLER(MPROF_WAIT_EVENT)},
	{"sem_wait", CALLER(MPROF_WAIT_EVENT)},
	{"send", INNERMOST(MPROF_WAIT_IO)},
	{"sendfile", INNERMOST(MPROF_WAIT_IO)},
	{"sendmsg", INNERMOST(MPROF_WAIT_IO)},
	{"sendto", INNERMOST(MPROF_WAIT_IO)},
	{"sigsuspend", INNERMOST(MPROF_WAIT_OTHER)},
	{"wait4", INNERMOST(MPROF_WAIT_OTHER)},
	{"waitid", INNERMOST(MPROF_WAIT_OTHER)},
	{"waitpid", INNERMOST(MPROF_WAIT_OTHER)},
	{"write", INNERMOST(MPROF_WAIT_IO)},
	{"writev", INNERMOST(MPROF_WAIT_IO)},
};

typedef struct method_role {
	const char *class_name; /**< NULL: any class. */
	const char *start;      /**< What the name of the method starts with. */
	mprof_wait_kind kind;
} method_role;

/* Methods of the class library of Mono and .NET. Native code waits for them. */
static const method_role methods[] = {
	{NULL, "__icall_wrapper_mono_monitor_enter", MPROF_WAIT_LOCK},
	{"System.Threading.Monitor", "Enter", MPROF_WAIT_LOCK},
	{"System.Threading.Monitor", "ReliableEnter", MPROF_WAIT_LOCK},
	{"System.Threading.Monitor", "TryEnter", MPROF_WAIT_LOCK},
	{"System.Threading.Monitor", "try_enter", MPROF_WAIT_LOCK},
	{"System.Threading.Monitor", "Monitor_wait", MPROF_WAIT_CONDITION},
	{"System.Threading.Monitor", "ObjWait", MPROF_WAIT_CONDITION},
	{"System.Threading.Monitor", "Wait", MPROF_WAIT_CONDITION},
	{"System.Threading.WaitHandle", "", MPROF_WAIT_EVENT},
	{"System.Threading.Thread", "Join", MPROF_WAIT_JOIN},
	{"System.Threading.Thread", "Sleep", MPROF_WAIT_SLEEP},
	{"System.Net.Sockets.Socket", "Accept", MPROF_WAIT_ACCEPT},
	{"System.Net.Sockets.Socket", "Connect", MPROF_WAIT_ACCEPT},
	{"System.Net.Sockets.Socket", "Poll", MPROF_WAIT_POLL},
	{"System.Net.Sockets.Socket", "Select", MPROF_WAIT_POLL},
	{"System.Net.Sockets.Socket", "Receive", MPROF_WAIT_IO},
	{"System.Net.Sockets.Socket", "Send", MPROF_WAIT_IO},
};

static const wait_role no_role = {MPROF_WAIT_NONE, 0};

/* Programs have functions with such names, too: only those of the C library wait for certain. */
static int is_c_library(const char *file)
{
	static const char *const starts[] = {"libc.", "libc-", "libpthread.", "libpthread-", "ld-musl-"};
	const char *slash = strrchr(file, '/');
	const char *name = slash != NULL ? slash + 1 : file;

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		if (strncmp(name, starts[i], strlen(starts[i])) == 0)
			return 1;
	}
	return 0;
}

wait_role wait_role_of_function(const char *name, const char *file)
{
	/* The C library names its functions for its own use "__NAME" and "__GI___NAME", and symbols have versions. */
	size_t length;

	if (name == NULL || file == NULL || !is_c_library(file))
		return no_role;
	if (strncmp(name, "__GI_", 5) == 0)
		name += 5;
	name += strspn(name, "_");
	if (strncmp(name, "libc_", 5) == 0)
		name += 5;
	length = strcspn(name, "@");
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (strncmp(name, functions[i].name, length) == 0 && functions[i].name[length] == '\0')
			return functions[i].role;
	}
	return no_role;
}

wait_role wait_role_of_method(const char *class_name, const char *name, uint32_t flags)
{
	if (name == NULL)
		return no_role;
	if ((flags & MPROF_METHOD_FLAG_RUNTIME) != 0)
		return strcmp(name, "[waiting for lock]") == 0 ? (wait_role){MPROF_WAIT_LOCK, 0} : no_role;
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		const method_role *method = &methods[i];

		if (strncmp(name, method->start, strlen(method->start)) == 0 &&
		    (method->class_name == NULL || (class_name != NULL && strcmp(class_name, method->class_name) == 0)))
			return (wait_role){method->kind, 0};
	}
	return no_role;
}
