/* SPDX-License-Identifier: MIT */
/*
 * Interposes the functions that change the actions, the mask and the stack of signals. Signal handlers may call them,
 * so nothing is allocated and no lock is taken here.
 */
#include "program_signals.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define OVERRIDES __attribute__((visibility("default"), no_instrument_function))
#define PER_THREAD static __thread __attribute__((tls_model("initial-exec")))

/* The handler needs a few KiB, and the system up to 11 for the registers of large processors. Unused pages are free. */
#define ALTERNATE_SIZE ((size_t)64 << 10)

/* A reader may use an action until this number of newer ones is set. */
#define WISHES 64

typedef int action_function(int number, const struct sigaction *new_action, struct sigaction *old_action);
typedef int mask_function(int mode, const sigset_t *set, sigset_t *old);
typedef int stack_function(const stack_t *stack, stack_t *old);
typedef void (*simple_handler)(int number);

/* Not declared, depending on the C library and on the standard that is selected. */
simple_handler bsd_signal(int number, simple_handler handler);
#if !defined(__GLIBC__)
simple_handler ssignal(int number, simple_handler handler);
simple_handler sysv_signal(int number, simple_handler handler);
simple_handler __sysv_signal(int number, simple_handler handler);
#endif

/* Looked up when the module is loaded, and constant from then on. */
static action_function *real_action;
static mask_function *real_mask;
static mask_function *real_thread_mask;
static stack_function *real_stack;

static signal_function own_handler;
static int (*is_own)(const siginfo_t *info); /* Whether the sampler caused a signal. */
static _Atomic int own_signal;               /* 0 if no signal is kept. */

/* What the program asked for: the last one that was set. Written before its number is stored with release. */
static struct sigaction wishes[WISHES];
static _Atomic unsigned wish_number;

PER_THREAD volatile sig_atomic_t is_blocked; /* What the thread has asked for. */
PER_THREAD char *own_stack;                  /* NULL if the thread has no alternate stack of the module. */

/* Not a plain cast: ISO C does not define a conversion from an object pointer to a function pointer. */
static void look_up(void *function, const char *name)
{
	void *address = dlsym(RTLD_NEXT, name);

	memcpy(function, &address, sizeof(address));
}

/* Constructors of other libraries that run earlier may change signals, too. */
__attribute__((constructor)) static void look_up_all(void)
{
	if (real_action != NULL)
		return;
	look_up(&real_mask, "sigprocmask");
	look_up(&real_thread_mask, "pthread_sigmask");
	look_up(&real_stack, "sigaltstack");
	look_up(&real_action, "sigaction");
}

static int is_kept(int number)
{
	return number != 0 && number == atomic_load_explicit(&own_signal, memory_order_relaxed);
}

static struct sigaction present_wish(void)
{
	return wishes[atomic_load_explicit(&wish_number, memory_order_acquire) % WISHES];
}

static void set_wish(const struct sigaction *action)
{
	const unsigned number = atomic_load_explicit(&wish_number, memory_order_relaxed) + 1;

	wishes[number % WISHES] = *action;
	atomic_store_explicit(&wish_number, number, memory_order_release);
}

/*
 * Only faults may interrupt the handler. Calls of the system that a signal of the program interrupts are resumed only
 * as the program wishes; the sampler's interrupts none.
 */
static int install(int number, const struct sigaction *wish)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS};
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_sigaction = own_handler;
	action.sa_flags = SA_SIGINFO | SA_ONSTACK | (wish->sa_flags & SA_RESTART);
	sigfillset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		sigdelset(&action.sa_mask, faults[i]);
	return real_action(number, &action, NULL) == 0;
}

int program_signals_keep(int number, signal_function handler, int (*is_caused)(const siginfo_t *info))
{
	struct sigaction before;

	look_up_all();
	if (real_action == NULL || real_mask == NULL || real_thread_mask == NULL || real_stack == NULL ||
	    real_action(number, NULL, &before) != 0)
		return 0;
	set_wish(&before);
	own_handler = handler;
	is_own = is_caused;
	if (!install(number, &before))
		return 0;
	atomic_store(&own_signal, number);
	return 1;
}

/* The mask of the calling thread as the system has it. */
static void block_signal(int number, int mode)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, number);
	(void)real_thread_mask(mode, &set, NULL);
}

void program_signals_release(void)
{
	const int number = atomic_exchange(&own_signal, 0);
	const struct sigaction wish = present_wish();

	if (number == 0)
		return;
	(void)real_action(number, &wish, NULL);
	if (is_blocked)
		block_signal(number, SIG_BLOCK);
	is_blocked = 0;
}

int program_signals_blocks(void)
{
	return is_blocked;
}

void program_signals_inherit(int blocks)
{
	is_blocked = blocks;
}

void program_signals_prepare_exec(void)
{
	const int number = atomic_load(&own_signal);
	const struct sigaction wish = present_wish();

	if (number == 0)
		return;
	if ((wish.sa_flags & SA_SIGINFO) == 0 && wish.sa_handler == SIG_IGN)
		(void)real_action(number, &wish, NULL);
	if (is_blocked)
		block_signal(number, SIG_BLOCK);
}

void program_signals_cancel_exec(void)
{
	const int number = atomic_load(&own_signal);
	const struct sigaction wish = present_wish();

	if (number == 0)
		return;
	(void)install(number, &wish);
	if (is_blocked)
		block_signal(number, SIG_UNBLOCK);
}

/* It is blocked meanwhile, since it could not be removed if it were delivered to a thread that does not block it. */
void program_signals_take_pending(void)
{
	const int number = atomic_load(&own_signal);
	const struct timespec now = {0, 0};
	siginfo_t foreign;
	siginfo_t info;
	sigset_t before;
	sigset_t set;
	int has_foreign = 0;
	int taken;

	if (number == 0)
		return;
	sigemptyset(&set);
	sigaddset(&set, number);
	(void)real_thread_mask(SIG_BLOCK, &set, &before);
	while ((taken = sigtimedwait(&set, &info, &now)) >= 0 || errno == EINTR) {
		if (taken < 0 || is_own(&info))
			continue;
		foreign = info;
		has_foreign = 1;
	}
	if (has_foreign)
		(void)syscall(SYS_rt_tgsigqueueinfo, getpid(), (pid_t)syscall(SYS_gettid), number, &foreign);
	(void)real_thread_mask(SIG_SETMASK, &before, NULL);
}

/* Ends the process when the handler returns, as the signal would have done. */
static void end_process(int number)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = SIG_DFL;
	sigemptyset(&action.sa_mask);
	(void)real_action(number, &action, NULL);
	(void)syscall(SYS_tgkill, getpid(), (pid_t)syscall(SYS_gettid), number);
}

/*
 * The thread has asked to block the signal, so it stays pending: in the thread, or in the process until a thread takes
 * it that does not block it. From then on the signal is blocked here, and the thread has no samples.
 */
static void leave_pending(int number, siginfo_t *info, ucontext_t *context)
{
	const pid_t process = getpid();

	sigaddset(&context->uc_sigmask, number);
	if (info->si_code == SI_TKILL)
		(void)syscall(SYS_rt_tgsigqueueinfo, process, (pid_t)syscall(SYS_gettid), number, info);
	else
		(void)syscall(SYS_rt_sigqueueinfo, process, number, info);
}

static void call_handler(const struct sigaction *wish, int number, siginfo_t *info, void *context)
{
	sigset_t set = wish->sa_mask;
	sigset_t before;

	if ((wish->sa_flags & SA_RESETHAND) != 0) {
		struct sigaction none = *wish;

		none.sa_handler = SIG_DFL;
		none.sa_flags &= ~SA_SIGINFO;
		set_wish(&none);
	}
	/* As in the interrupted code, but for what the program's handler blocks. */
	sigorset(&set, &set, &((ucontext_t *)context)->uc_sigmask);
	if ((wish->sa_flags & SA_NODEFER) == 0)
		sigaddset(&set, number);
	(void)real_thread_mask(SIG_SETMASK, &set, &before);
	if ((wish->sa_flags & SA_SIGINFO) != 0)
		wish->sa_sigaction(number, info, context);
	else
		wish->sa_handler(number);
	(void)real_thread_mask(SIG_SETMASK, &before, NULL);
}

void program_signals_forward(int number, siginfo_t *info, void *context)
{
	const struct sigaction wish = present_wish();
	const int has_function =
		(wish.sa_flags & SA_SIGINFO) != 0 || (wish.sa_handler != SIG_IGN && wish.sa_handler != SIG_DFL);
	const int is_fault = info->si_code > 0;

	if (atomic_load(&own_signal) == 0)
		return;
	if (is_blocked && !is_fault)
		leave_pending(number, info, context);
	else if (is_fault && (is_blocked || !has_function))
		end_process(number);
	else if (has_function)
		call_handler(&wish, number, info, context);
	else if (wish.sa_handler == SIG_DFL)
		end_process(number);
}

OVERRIDES int sigaction(int number, const struct sigaction *new_action, struct sigaction *old_action)
{
	struct sigaction before;

	look_up_all();
	if (!is_kept(number))
		return real_action(number, new_action, old_action);
	before = present_wish();
	if (new_action != NULL) {
		set_wish(new_action);
		(void)install(number, new_action);
	}
	if (old_action != NULL)
		*old_action = before;
	return 0;
}

/* For all functions that set a handler alone. */
static simple_handler set_handler(const char *name, int number, simple_handler handler, int flags)
{
	simple_handler (*real)(int, simple_handler) = NULL;
	struct sigaction before;
	struct sigaction wish;

	if (!is_kept(number)) {
		look_up(&real, name);
		return real != NULL ? real(number, handler) : SIG_ERR;
	}
	memset(&wish, 0, sizeof(wish));
	wish.sa_handler = handler;
	wish.sa_flags = flags;
	sigemptyset(&wish.sa_mask);
	if (flags == SA_RESTART)
		sigaddset(&wish.sa_mask, number);
	(void)sigaction(number, &wish, &before);
	return before.sa_handler;
}

OVERRIDES simple_handler signal(int number, simple_handler handler)
{
	return set_handler("signal", number, handler, SA_RESTART);
}

OVERRIDES simple_handler bsd_signal(int number, simple_handler handler)
{
	return set_handler("bsd_signal", number, handler, SA_RESTART);
}

OVERRIDES simple_handler ssignal(int number, simple_handler handler)
{
	return set_handler("ssignal", number, handler, SA_RESTART);
}

OVERRIDES simple_handler sysv_signal(int number, simple_handler handler)
{
	return set_handler("sysv_signal", number, handler, (int)(SA_RESETHAND | SA_NODEFER));
}

OVERRIDES simple_handler __sysv_signal(int number, simple_handler handler)
{
	return set_handler("__sysv_signal", number, handler, (int)(SA_RESETHAND | SA_NODEFER));
}

OVERRIDES int sigignore(int number)
{
	int (*real)(int) = NULL;

	if (is_kept(number))
		return set_handler("signal", number, SIG_IGN, 0) == SIG_ERR ? -1 : 0;
	look_up(&real, "sigignore");
	return real != NULL ? real(number) : -1;
}

/* The set that the system gets, and what the thread has asked for from then on. */
static const sigset_t *without_own(int number, int mode, const sigset_t *set, sigset_t *less)
{
	if (set == NULL)
		return NULL;
	if (sigismember(set, number) != 1) {
		if (mode == SIG_SETMASK)
			is_blocked = 0;
		return set;
	}
	if (mode == SIG_UNBLOCK) {
		is_blocked = 0;
		return set;
	}
	is_blocked = 1;
	*less = *set;
	sigdelset(less, number);
	return less;
}

static int change_mask(mask_function *real, int mode, const sigset_t *set, sigset_t *old)
{
	const int number = atomic_load_explicit(&own_signal, memory_order_relaxed);
	const int was_blocked = is_blocked;
	sigset_t less;
	int result;

	if (number == 0)
		return real(mode, set, old);
	/* Noted before the system's mask changes: a signal that arrives meanwhile is treated as before or as after. */
	result = real(mode, without_own(number, mode, set, &less), old);
	if (result != 0)
		is_blocked = was_blocked;
	else if (old != NULL && was_blocked)
		sigaddset(old, number);
	return result;
}

OVERRIDES int sigprocmask(int mode, const sigset_t *set, sigset_t *old)
{
	look_up_all();
	return change_mask(real_mask, mode, set, old);
}

OVERRIDES int pthread_sigmask(int mode, const sigset_t *set, sigset_t *old)
{
	look_up_all();
	return change_mask(real_thread_mask, mode, set, old);
}

OVERRIDES int sighold(int number)
{
	sigset_t set;

	sigemptyset(&set);
	return sigaddset(&set, number) != 0 ? -1 : sigprocmask(SIG_BLOCK, &set, NULL);
}

OVERRIDES int sigrelse(int number)
{
	sigset_t set;

	sigemptyset(&set);
	return sigaddset(&set, number) != 0 ? -1 : sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void set_own_stack(void)
{
	stack_t stack;

	memset(&stack, 0, sizeof(stack));
	stack.ss_sp = own_stack;
	stack.ss_size = ALTERNATE_SIZE;
	(void)real_stack(&stack, NULL);
}

void program_signals_begin_thread(void)
{
	stack_t present;
	void *memory;

	if (own_stack != NULL || real_stack == NULL || real_stack(NULL, &present) != 0 ||
	    (present.ss_flags & SS_DISABLE) == 0)
		return;
	memory = mmap(NULL, ALTERNATE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return;
	own_stack = memory;
	set_own_stack();
}

static int is_own_stack(const stack_t *stack)
{
	return own_stack != NULL && stack->ss_sp == own_stack && (stack->ss_flags & SS_DISABLE) == 0;
}

void program_signals_end_thread(void)
{
	stack_t present;
	stack_t none;

	if (own_stack == NULL || real_stack(NULL, &present) != 0)
		return;
	/* A handler of the program that runs on it may end the thread. */
	if ((present.ss_flags & SS_ONSTACK) != 0)
		return;
	memset(&none, 0, sizeof(none));
	none.ss_flags = SS_DISABLE;
	if (is_own_stack(&present))
		(void)real_stack(&none, NULL);
	(void)munmap(own_stack, ALTERNATE_SIZE);
	own_stack = NULL;
}

/* The program's alternate stack takes precedence over that of the module, which it does not see. */
OVERRIDES int sigaltstack(const stack_t *stack, stack_t *old)
{
	stack_t present;
	int result;

	look_up_all();
	if (own_stack == NULL)
		return real_stack(stack, old);
	memset(&present, 0, sizeof(present));
	result = real_stack(stack, &present);
	if (result != 0)
		return result;
	if (stack != NULL && (stack->ss_flags & SS_DISABLE) != 0)
		set_own_stack();
	if (is_own_stack(&present)) {
		memset(&present, 0, sizeof(present));
		present.ss_flags = SS_DISABLE;
	}
	if (old != NULL)
		*old = present;
	return 0;
}
