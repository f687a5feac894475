/* SPDX-License-Identifier: MIT */
/*
 * Interposes setjmp(), which notes how many calls are open, and longjmp(), which leaves the others. setjmp() returns
 * twice, so the function that takes its place may have no frame of its own when it is called: it is written in
 * assembly, and jumps to the one of the C library.
 */
#include "jumps.h"

#include "shared/hash.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

/* Entries of a thread's table, a power of two. The entry of a buffer may be replaced; then its target is not known. */
#define NOTED_COUNT 256

typedef struct noted_jump {
	const void *buffer; /* The jmp_buf; NULL: not used. */
	jump_target target;
} noted_jump;

/* The table of the calling thread; NULL before it is needed. */
static __thread __attribute__((tls_model("initial-exec"))) noted_jump *noted;

/* Set when the module is loaded, and constant from then on. */
static int (*get_here)(jump_target *here);
static void (*leave_calls)(const jump_target *target);

void jumps_set(int (*get)(jump_target *here), void (*leave)(const jump_target *target))
{
	leave_calls = leave;
	get_here = get;
}

static size_t table_bytes(void)
{
	return NOTED_COUNT * sizeof(noted_jump);
}

void jumps_end_thread(void)
{
	if (noted != NULL)
		munmap(noted, table_bytes());
	noted = NULL;
}

static noted_jump *entry_of(const void *buffer)
{
	return &noted[hash_key((uintptr_t)buffer) & (NOTED_COUNT - 1)];
}

typedef enum jump_function {
	JUMP_SETJMP,
	JUMP_SETJMP_PLAIN,
	JUMP_SIGSETJMP,
	JUMP_LONGJMP,
	JUMP_LONGJMP_PLAIN,
	JUMP_SIGLONGJMP,
	JUMP_LONGJMP_CHECKED,
	JUMP_COUNT
} jump_function;

/* Any thread may find them first; all find the same. */
static _Atomic(void *) real[JUMP_COUNT];

static void *find_real(jump_function function)
{
	static const char *const names[JUMP_COUNT] = {"setjmp",   "_setjmp",    "__sigsetjmp",  "longjmp",
						      "_longjmp", "siglongjmp", "__longjmp_chk"};
	void *address = atomic_load_explicit(&real[function], memory_order_relaxed);

	if (address == NULL) {
		address = dlsym(RTLD_NEXT, names[function]);
		atomic_store_explicit(&real[function], address, memory_order_relaxed);
	}
	return address;
}

/* Before the program runs, since a signal handler may jump. */
__attribute__((constructor)) static void find_all(void)
{
	for (int function = 0; function < JUMP_COUNT; function++)
		(void)find_real((jump_function)function);
}

static void note(const void *buffer)
{
	const int saved = errno;
	jump_target here;

	if (get_here == NULL || !get_here(&here))
		return;
	if (noted == NULL) {
		void *memory = mmap(NULL, table_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		errno = saved;
		if (memory == MAP_FAILED)
			return;
		noted = memory;
	}
	entry_of(buffer)->buffer = buffer;
	entry_of(buffer)->target = here;
}

typedef void longjmp_function(void *buffer, int value);

__attribute__((noreturn)) static void jump(jump_function function, void *buffer, int value)
{
	void *address = find_real(function);
	longjmp_function *real_function;

	if (leave_calls != NULL)
		leave_calls(noted != NULL && entry_of(buffer)->buffer == buffer ? &entry_of(buffer)->target : NULL);
	memcpy(&real_function, &address, sizeof(real_function));
	real_function(buffer, value);
	__builtin_unreachable();
}

#if defined(__x86_64__)

#define OVERRIDES __attribute__((visibility("default"), no_instrument_function, noreturn))

/* Called by the functions below. Returns the function of the C library. */
__attribute__((used, visibility("hidden"))) void *jumps_note(const void *buffer, int function);

void *jumps_note(const void *buffer, int function)
{
	note(buffer);
	return find_real((jump_function)function);
}

/* Keeps the two arguments, and the stack as the caller left it. */
#define DEFINE_SETJMP(name, number)                                                                                    \
	__asm__(".text\n"                                                                                              \
		".globl " name "\n"                                                                                    \
		".type " name ", @function\n" name ":\n"                                                               \
		".cfi_startproc\n"                                                                                     \
		"endbr64\n"                                                                                            \
		"pushq %rdi\n"                                                                                         \
		".cfi_adjust_cfa_offset 8\n"                                                                           \
		"pushq %rsi\n"                                                                                         \
		".cfi_adjust_cfa_offset 8\n"                                                                           \
		"subq $8, %rsp\n"                                                                                      \
		".cfi_adjust_cfa_offset 8\n"                                                                           \
		"movl $" number ", %esi\n"                                                                             \
		"call jumps_note\n"                                                                                    \
		"addq $8, %rsp\n"                                                                                      \
		".cfi_adjust_cfa_offset -8\n"                                                                          \
		"popq %rsi\n"                                                                                          \
		".cfi_adjust_cfa_offset -8\n"                                                                          \
		"popq %rdi\n"                                                                                          \
		".cfi_adjust_cfa_offset -8\n"                                                                          \
		"jmp *%rax\n"                                                                                          \
		".cfi_endproc\n"                                                                                       \
		".size " name ", . - " name "\n")

_Static_assert(JUMP_SETJMP == 0 && JUMP_SETJMP_PLAIN == 1 && JUMP_SIGSETJMP == 2, "the numbers below");
DEFINE_SETJMP("setjmp", "0");
DEFINE_SETJMP("_setjmp", "1");
DEFINE_SETJMP("__sigsetjmp", "2");

// NOLINTBEGIN(bugprone-reserved-identifier, cert-dcl37-c, cert-dcl51-cpp): names of the C library
OVERRIDES void longjmp(void *buffer, int value);
OVERRIDES void _longjmp(void *buffer, int value);
OVERRIDES void siglongjmp(void *buffer, int value);
OVERRIDES void __longjmp_chk(void *buffer, int value);

void longjmp(void *buffer, int value)
{
	jump(JUMP_LONGJMP, buffer, value);
}

void _longjmp(void *buffer, int value)
{
	jump(JUMP_LONGJMP_PLAIN, buffer, value);
}

void siglongjmp(void *buffer, int value)
{
	jump(JUMP_SIGLONGJMP, buffer, value);
}

void __longjmp_chk(void *buffer, int value)
{
	jump(JUMP_LONGJMP_CHECKED, buffer, value);
}
// NOLINTEND(bugprone-reserved-identifier, cert-dcl37-c, cert-dcl51-cpp)

#else

/* Without setjmp(), the targets of jumps are not known: what they leave is found when the next function is called. */
__attribute__((used)) static void (*const unused_note)(const void *) = note;
__attribute__((used)) static void (*const unused_jump)(jump_function, void *, int) = jump;

#endif
