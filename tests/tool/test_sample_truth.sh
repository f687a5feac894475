#!/bin/bash
# SPDX-License-Identifier: MIT
# Samples of programs of which the processor time is known: threads that compute in bursts and wait, threads that end
# soon, time in the kernel, threads that block the signal, and a rate that changes. The programs print their own
# processor time, so nothing depends on how fast the machine is. Needs a compiler and the module.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

needs_native_sampling

cat >program.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#define NEVER_INLINE __attribute__((noinline, noclone))
static volatile unsigned long sink;
static double cpu(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1e3 + now.tv_nsec * 1e-6;
}
NEVER_INLINE static void spin(long count)
{
	for (long i = 0; i < count; i++)
		sink += (unsigned long)i;
}
static long per_ms;
static double a_ms, b_ms;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
NEVER_INLINE static void burn_a(double ms)
{
	spin((long)(ms * per_ms));
	sink++;
}
NEVER_INLINE static void burn_b(double ms)
{
	spin((long)(ms * per_ms));
	sink++;
}
static double burst, total;
static void *bursts(void *unused)
{
	double a = 0, b = 0;

	while (a + b < total) {
		double start = cpu(CLOCK_THREAD_CPUTIME_ID), middle;

		burn_a(burst * 0.75);
		middle = cpu(CLOCK_THREAD_CPUTIME_ID);
		burn_b(burst * 0.25);
		b += cpu(CLOCK_THREAD_CPUTIME_ID) - middle;
		a += middle - start;
		poll(NULL, 0, 1);
	}
	pthread_mutex_lock(&lock);
	a_ms += a;
	b_ms += b;
	pthread_mutex_unlock(&lock);
	return unused;
}
static void run_threads(int count, void *(*run)(void *))
{
	pthread_t threads[64];

	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}
static void *one_short(void *unused)
{
	double start = cpu(CLOCK_THREAD_CPUTIME_ID);

	burn_a(burst);
	a_ms += cpu(CLOCK_THREAD_CPUTIME_ID) - start;
	return unused;
}
static void *blocking(void *unused)
{
	unsigned long all = ~0UL;
	double start;

	/* Samples of the time before do not hide that the rest has none. */
	burn_a(burst);
	start = cpu(CLOCK_THREAD_CPUTIME_ID);
	/* Without the C library, so that nobody notices. */
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, 8);
	while (cpu(CLOCK_THREAD_CPUTIME_ID) - start < total)
		spin(100000);
	return unused;
}
static void in_kernel(void)
{
	static char buffer[1 << 18];
	int file = open("/dev/zero", O_RDONLY);

	while (a_ms + b_ms < total) {
		double start = cpu(CLOCK_THREAD_CPUTIME_ID), middle;

		burn_a(0.3);
		middle = cpu(CLOCK_THREAD_CPUTIME_ID);
		if (read(file, buffer, sizeof(buffer)) < 0)
			exit(1);
		b_ms += cpu(CLOCK_THREAD_CPUTIME_ID) - middle;
		a_ms += middle - start;
	}
}
static void wait_for_line(void)
{
	fflush(stdout);
	if (getchar() == EOF)
		exit(1);
}
int main(int argc, char **argv)
{
	double start = cpu(CLOCK_THREAD_CPUTIME_ID);

	burst = argc > 2 ? atof(argv[2]) : 0;
	total = argc > 3 ? atof(argv[3]) : 0;
	spin(20000000);
	per_ms = (long)(20000000 / (cpu(CLOCK_THREAD_CPUTIME_ID) - start));
	if (strcmp(argv[1], "bursts") == 0) {
		run_threads(atoi(argv[4]), bursts);
	} else if (strcmp(argv[1], "short") == 0) {
		while (a_ms < total)
			run_threads(1, one_short);
		burn_b(argc > 4 ? atof(argv[4]) : 0);
	} else if (strcmp(argv[1], "kernel") == 0) {
		in_kernel();
	} else if (strcmp(argv[1], "blocking") == 0) {
		run_threads(1, blocking);
	} else if (strcmp(argv[1], "rates") == 0) {
		start = cpu(CLOCK_THREAD_CPUTIME_ID);
		while ((a_ms = cpu(CLOCK_THREAD_CPUTIME_ID) - start) < total)
			burn_a(1);
		puts("ready");
		wait_for_line();
		start = cpu(CLOCK_THREAD_CPUTIME_ID);
		while ((b_ms = cpu(CLOCK_THREAD_CPUTIME_ID) - start) < total)
			burn_b(1);
	}
	printf("%.3f %.3f %.3f\n", a_ms, b_ms, cpu(CLOCK_PROCESS_CPUTIME_ID));
	return 0;
}
END
read -ra compiler <<<"${CC:-cc}"
"${compiler[@]}" -O1 -pthread -o program program.c || skip "no compiler"

# near WHAT FOUND TRUE TOLERANCE
near() {
	awk -v found="$2" -v true="$3" -v tolerance="$4" 'BEGIN { exit !(found - true <= tolerance && true - found <= tolerance) }' ||
		fail "$1: $2, not $3 +- $4"
}
# calculate EXPRESSION
calculate() {
	awk "BEGIN { printf \"%.3f\n\", $1 }"
}

# records OPTION... -- ARGUMENT...: then times.a, times.b and times.all are the program's own processor times in ms.
records() {
	mprof record -q --force -o log.mprof "$@"
	expect_status 0 "$*"
	take_times out
	"$MPROF" report --json --all log.mprof >report.json 2>/dev/null || "$MPROF" report --json log.mprof >report.json
	"$MPROF" report --all log.mprof >report.txt
}
take_times() {
	read -r true_a true_b true_all < <(tail -n 1 "$1")
}
# of FUNCTION KEY: hits or time of the function and its callees.
of() {
	jq "[.samples[] | select(.name == \"$1\") | .$2] | add // 0" report.json
}
ms_of() {
	calculate "$(of "$1" estimated_total_ns) / 1e6"
}
sampling() {
	jq -r ".session.sampling.$1" report.json
}
# The standard deviation of the share of a among the samples, in percent.
share_deviation() {
	calculate "100 * sqrt(0.1875 / $1)"
}

# Bursts, which are sampled where they compute and never where they wait. The tick is in step with some of the work.
for source in perf timer; do
	for burst in 0.4 6; do
		records --sample=1000 --sample-source=$source -- ./program bursts $burst 300 4
		used=$(sampling source)
		a=$(of burn_a total_hits)
		b=$(of burn_b total_hits)
		test "$a" -gt 0 && test "$b" -gt 0 || fail "$source, $burst ms: $a and $b samples"
		more=0
		test "$used" = perf || more=15
		near "$source, $burst ms: share of the longer part" "$(calculate "100 * $a / ($a + $b)")" \
			"$(calculate "100 * $true_a / ($true_a + $true_b)")" \
			"$(calculate "5 * $(share_deviation $((a + b))) + $more")"
		test "$used" = perf || continue
		near "$source, $burst ms: time" "$(ms_of burn_a)" "$true_a" "$(calculate "5 * sqrt($true_a) + 0.05 * $true_a")"
	done
done

# Threads that end soon.
for source in perf timer; do
	records --sample=1000 --sample-source=$source -- ./program short 1.5 400
	test "$(sampling source)" = perf || continue
	near "short threads" "$(ms_of burn_a)" "$true_a" "$(calculate "5 * sqrt($true_a) + 0.15 * $true_a")"
done
# The main thread has samples.
records --sample=100 -- ./program short 0.2 20 100
if test "$(sampling source)" = perf; then
	test "$(sampling short_threads_ns)" -gt 10000000 || fail "shortest threads: $(jq -c .session.sampling report.json)"
	expect_line report.txt "\(threads that ended before their first sample\)$"
fi

# Time in the kernel has samples, or is stated.
records --sample=1000 -- ./program kernel 0 400
case $(sampling scope) in
user)
	near "time in the kernel" "$(calculate "$(sampling kernel_ns) / 1e6")" "$(calculate "$true_all - $true_a")" \
		"$(calculate "6 * sqrt($true_all) + 0.2 * $true_all")"
	;;
all)
	near "time of read" "$(ms_of read)" "$true_b" "$(calculate "6 * sqrt($true_b) + 0.1 * $true_b")"
	;;
esac

# A thread that blocks all signals. It has no samples from then on; nothing is added to others.
records --sample=1000 -- ./program blocking 4 200
if test "$(sampling source)" = perf; then
	near "a thread that blocks signals" "$(calculate "$(sampling blocking_threads_ns) / 1e6")" 200 15
	expect_line report.txt "\(threads that block the signal, without samples\)$"
fi

# changes FROM TO: each sample counts by the rate of its time.
answers() {
	"$MPROF" control $recorder sample "$1" >control.out 2>control.err
}
is_ready() {
	grep -q ready rates.out
}
changes() {
	mkfifo go
	"$MPROF" record -q --force --sample="$1" -o log.mprof -- ./program rates 0 800 <go >rates.out 2>err &
	recorder=$!
	exec 3>go
	rm go
	await is_ready || fail "rates: $(cat err)"
	answers "$2" || fail "control sample $2: $(cat control.err)"
	echo >&3
	exec 3>&-
	wait $recorder || fail "rates: $(cat err)"
	take_times rates.out
	"$MPROF" report --json log.mprof >report.json
	test "$(sampling source)" = perf || return 0
	near "from $1 to $2 Hz: time before" "$(ms_of burn_a)" "$true_a" "$(calculate "5 * sqrt($true_a * 1000 / $1)")"
	near "from $1 to $2 Hz: time after" "$(ms_of burn_b)" "$true_b" "$(calculate "5 * sqrt($true_b * 1000 / $2)")"
}
changes 2000 200
changes 100 1500
