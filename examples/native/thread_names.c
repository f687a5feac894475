/* SPDX-License-Identifier: MIT */
/* Interposes the functions that name threads, and keeps a list of the threads that have names in the log. */
#include "thread_names.h"

#include "system_calls.h"

#include "shared/cancellation.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OVERRIDES __attribute__((visibility("default"), no_instrument_function))

/* The length of a name in the system, with the NUL. */
#define NAME_SIZE 16

typedef struct named_thread {
	mprof_recorder *recorder; /* NULL while the thread has no name in the log. */
	uint64_t id;
	pthread_t thread;
	char name[NAME_SIZE]; /* As in the log. */
	struct named_thread *next;
} named_thread;

/* The module is loaded at program start, so thread-local variables are reached without a call. */
static __thread __attribute__((tls_model("initial-exec"))) named_thread self;

/* Guards the list and the names in it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static named_thread *threads;

typedef int set_name_function(pthread_t thread, const char *name);

static set_name_function *real_set_name;

/* Not a plain cast: ISO C does not define a conversion from an object pointer to a function pointer. */
static void look_up(void *function, const char *name)
{
	void *address = dlsym(RTLD_NEXT, name);

	memcpy(function, &address, sizeof(address));
}

/* Before threads exist: a thread that is inside the loader may wait for the one that looks up. */
__attribute__((constructor)) static void look_up_all(void)
{
	if (real_set_name == NULL)
		look_up(&real_set_name, "pthread_setname_np");
}

/* Records a name that has changed. Under the lock. */
static void change_name(named_thread *named, const char *name)
{
	if (named->recorder == NULL || strncmp(named->name, name, NAME_SIZE - 1) == 0)
		return;
	strncpy(named->name, name, NAME_SIZE - 1);
	(void)mprof_recorder_set_thread_name(named->recorder, named->id, named->name, strlen(named->name));
}

/* What the system has. */
static void read_own_name(char name[NAME_SIZE])
{
	memset(name, 0, NAME_SIZE);
	(void)syscall(SYS_prctl, PR_GET_NAME, name, 0, 0, 0);
}

static cancellation lock_list(void)
{
	const cancellation before = cancellation_defer();

	pthread_mutex_lock(&lock);
	return before;
}

static void unlock_list(cancellation before)
{
	pthread_mutex_unlock(&lock);
	cancellation_permit(before);
}

/* Under the lock. */
static void unlink_own(void)
{
	named_thread **link = &threads;

	while (*link != NULL && *link != &self)
		link = &(*link)->next;
	if (*link != NULL)
		*link = self.next;
}

void thread_names_begin(mprof_recorder *recorder, uint64_t id)
{
	char name[NAME_SIZE];
	cancellation before = lock_list();

	/* It is in the list if it recorded to an earlier log: after a call of exec that failed, there is a new one. */
	unlink_own();
	self.recorder = recorder;
	self.id = id;
	self.thread = pthread_self();
	self.name[0] = '\0';
	self.next = threads;
	threads = &self;
	/* After it is in the list: a name that another thread sets is either read here or recorded by that thread. */
	read_own_name(name);
	change_name(&self, name);
	unlock_list(before);
}

void thread_names_end(void)
{
	char name[NAME_SIZE];
	cancellation before;

	if (self.recorder == NULL)
		return;
	before = lock_list();
	if (!system_calls_are_restricted()) {
		read_own_name(name);
		change_name(&self, name);
	}
	unlink_own();
	self.recorder = NULL;
	unlock_list(before);
}

void thread_names_forget(void)
{
	static const pthread_mutex_t unlocked = PTHREAD_MUTEX_INITIALIZER;

	lock = unlocked;
	threads = NULL;
	self.recorder = NULL;
}

/* After the program has set a name. */
static void note_name(pthread_t thread, const char *name)
{
	const int saved = errno;
	const cancellation before = lock_list();
	named_thread *named = threads;

	while (named != NULL && !pthread_equal(named->thread, thread))
		named = named->next;
	if (named != NULL)
		change_name(named, name);
	unlock_list(before);
	errno = saved;
}

OVERRIDES int pthread_setname_np(pthread_t thread, const char *name)
{
	int error;

	look_up_all();
	error = real_set_name != NULL ? real_set_name(thread, name) : ENOSYS;
	if (error == 0)
		note_name(thread, name);
	return error;
}

/* The system's function takes four more arguments, whatever the operation needs. */
OVERRIDES int prctl(int operation, ...)
{
	unsigned long arguments[4];
	va_list list;
	long result;

	va_start(list, operation);
	for (int i = 0; i < 4; i++)
		arguments[i] = va_arg(list, unsigned long);
	va_end(list);
	system_calls_see_prctl(operation);
	result = syscall(SYS_prctl, operation, arguments[0], arguments[1], arguments[2], arguments[3]);
	if (result == 0 && operation == PR_SET_NAME && self.recorder != NULL) {
		char name[NAME_SIZE];

		read_own_name(name);
		note_name(pthread_self(), name);
	}
	return (int)result;
}
