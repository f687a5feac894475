/* SPDX-License-Identifier: MIT */
/**
 * \file main.c
 * \brief Runs the tests of a Criterion program one after the other, each in a child made by fork().
 *
 * It takes the place of Criterion's library, whose headers it shares: with the thread sanitizer, which that library
 * cannot live with (https://github.com/Snaipe/Criterion/issues/274), and where the library is missing for the target,
 * such as with -m32 or another C library. It defines main() and what the macros of Criterion refer to, and prints the
 * same last line. It supports the options of a test that are about how it starts and ends.
 *
 * Criterion offers no supported way to do this. Its embedding interface (criterion_initialize() and
 * criterion_run_all_tests()) lists the tests, but always runs them in processes that BoxFort starts, together with a
 * thread that collects their messages; no option makes it use a plain fork(), and its assertions need that thread.
 * Hence the tests are found where the macros put them, in the sections cr_tst and cr_sts. A release of Criterion that
 * changes what this file relies on does not compile, does not link, or has no tests here; the last is a failure.
 */
#include <criterion/criterion.h>
#include <criterion/logging.h>
#include <criterion/parameterized.h>

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* How the child of a test ends, beside what the test itself asks for. */
#define STATUS_FAILED 97
#define STATUS_SKIPPED 98

/* Seconds for a test that sets no limit: a deadlock shall not last for ever. */
#define DEFAULT_TIMEOUT 300

/* The linker makes the bounds of sections; that of suites may not be there. */
extern struct criterion_test *__start_cr_tst[] __attribute__((weak));
extern struct criterion_test *__stop_cr_tst[] __attribute__((weak));
extern struct criterion_suite *__start_cr_sts[] __attribute__((weak));
extern struct criterion_suite *__stop_cr_sts[] __attribute__((weak));

enum outcome { PASSED, FAILED, CRASHED, SKIPPED, OUTCOME_COUNT };

/* What the child is running. */
static const struct criterion_test *current_test;
static const struct criterion_suite *current_suite;
static void *current_parameter;
static atomic_int expectation_failed;

/* All zero: nothing is reported of an assertion that holds. */
struct criterion_options criterion_options;

/* Ends the child without the destructors of other threads' data: they still run. */
static void end_child(int status)
{
	fflush(NULL);
	_exit(status);
}

void criterion_send_assert(struct criterion_assert_stats *stats)
{
	if (!stats->passed)
		fprintf(stderr, "%s:%u: assertion failed: %s\n", stats->file, stats->line, stats->message);
}

void cr_log(enum criterion_severity severity, const char *format, ...)
{
	va_list arguments;

	(void)severity;
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
}

int cr_asprintf(char **text, const char *format, ...)
{
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vasprintf(text, format, arguments);
	va_end(arguments);
	if (length < 0)
		*text = NULL;
	return length;
}

void cr_asprintf_free(char *text)
{
	free(text);
}

/* The arguments are what the assertion was called with, as strings: the first is the expression. */
char *cr_translate_assert_msg(int number, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, number);
	text = strdup(va_arg(arguments, const char *));
	va_end(arguments);
	return text;
}

void cri_asserts_passed_incr(void)
{
}

void criterion_continue_test(void)
{
	atomic_store(&expectation_failed, 1);
}

void criterion_abort_test(void)
{
	end_child(STATUS_FAILED);
	abort();
}

__attribute__((format(printf, 1, 2))) void criterion_skip_test(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	end_child(STATUS_SKIPPED);
	abort();
}

__attribute__((format(printf, 1, 2))) void criterion_test_die(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	end_child(STATUS_FAILED);
}

void criterion_internal_test_setup(void)
{
	if (current_suite && current_suite->data->init)
		current_suite->data->init();
	if (current_test->data->init)
		current_test->data->init();
}

void criterion_internal_test_main(void (*function)(void))
{
	if (current_test->data->kind_ == CR_TEST_PARAMETERIZED)
		((void (*)(void *))function)(current_parameter);
	else
		function();
}

void criterion_internal_test_teardown(void)
{
	if (current_test->data->fini)
		current_test->data->fini();
	if (current_suite && current_suite->data->fini)
		current_suite->data->fini();
}

static const struct criterion_suite *suite_of(const struct criterion_test *test)
{
	for (struct criterion_suite **suite = __start_cr_sts; suite < __stop_cr_sts; suite++) {
		if (*suite && strcmp((*suite)->name, test->category) == 0)
			return *suite;
	}
	return NULL;
}

static enum outcome judge(const struct criterion_test *test, int status)
{
	int signal = test->data->signal;
	int exit_code = test->data->exit_code;

	if (current_suite && !signal)
		signal = current_suite->data->signal;
	if (current_suite && !exit_code)
		exit_code = current_suite->data->exit_code;
	if (WIFSIGNALED(status))
		return WTERMSIG(status) == signal ? PASSED : CRASHED;
	if (WEXITSTATUS(status) == STATUS_SKIPPED)
		return SKIPPED;
	return WEXITSTATUS(status) == exit_code && !signal ? PASSED : FAILED;
}

static unsigned timeout_of(const struct criterion_test *test)
{
	double timeout = test->data->timeout;

	if (timeout <= 0 && current_suite)
		timeout = current_suite->data->timeout;
	/* Limits are set for programs that run at full speed. */
	return timeout > 0 ? (unsigned)(timeout * 10) + 1 : DEFAULT_TIMEOUT;
}

static enum outcome run_in_child(const struct criterion_test *test)
{
	int status = 0;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (child < 0)
		return CRASHED;
	if (child == 0) {
		alarm(timeout_of(test));
		test->test();
		/* Not _exit(): the sanitizer changes the status when it has found something. */
		exit(atomic_load(&expectation_failed) ? STATUS_FAILED : 0);
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		continue;
	return judge(test, status);
}

static void run(const struct criterion_test *test, unsigned *counts)
{
	static const char *const words[OUTCOME_COUNT] = {"PASS", "FAIL", "CRASH", "SKIP"};
	struct criterion_test_params parameters = {.size = 0, .length = 1};
	enum outcome outcome;

	current_test = test;
	current_suite = suite_of(test);
	if (test->data->disabled || (current_suite && current_suite->data->disabled)) {
		counts[SKIPPED]++;
		return;
	}
	if (test->data->kind_ == CR_TEST_PARAMETERIZED)
		parameters = test->data->param_();
	for (size_t i = 0; i < parameters.length; i++) {
		current_parameter = (char *)parameters.params + i * parameters.size;
		outcome = run_in_child(test);
		counts[outcome]++;
		fprintf(stderr, "[%s] %s::%s\n", words[outcome], test->category, test->name);
	}
	if (parameters.cleanup)
		parameters.cleanup(&parameters);
}

int main(void)
{
	unsigned counts[OUTCOME_COUNT] = {0};

	for (struct criterion_test **test = __start_cr_tst; test < __stop_cr_tst; test++) {
		if (*test)
			run(*test, counts);
	}
	fprintf(stderr, "[====] Synthesis: Tested: %u | Passing: %u | Failing: %u | Crashing: %u | Skipped: %u\n",
		counts[PASSED] + counts[FAILED] + counts[CRASHED], counts[PASSED], counts[FAILED], counts[CRASHED],
		counts[SKIPPED]);
	if (counts[PASSED] + counts[FAILED] + counts[CRASHED] + counts[SKIPPED] == 0) {
		fprintf(stderr, "no tests were found\n");
		return 1;
	}
	return counts[FAILED] || counts[CRASHED];
}
