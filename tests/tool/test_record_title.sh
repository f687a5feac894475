#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs that write a title over their arguments, as servers do for lists of processes: the logs of all processes have
# the name of the program. Needs a compiler and the modules.
set -eu
. "$srcdir/tests/tool/support.sh"

test -z "${MPROF_SANITIZED-}" || skip "a module built with sanitizers cannot be preloaded"
needs_native_sampling

cat >server.c <<'END'
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile unsigned long sink;
int main(int argc, char **argv)
{
	int status = 0;

	if (argc != 2)
		return 77;
	memset(argv[0], 0, (size_t)(argv[1] - argv[0]) + strlen(argv[1]));
	strcpy(argv[0], "server: worker process, see /etc/server.conf");
	if (fork() == 0) {
		for (unsigned long i = 0; i < 200000000; i++)
			sink += i;
		free(malloc(100));
		exit(3);
	}
	wait(&status);
	return WEXITSTATUS(status);
}
END
read -ra compiler <<<"${CC:-cc}"
"${compiler[@]}" -o server server.c 2>compiler.out || skip "the compiler cannot compile: $(cat compiler.out)"
for option in --sample --malloc; do
	rm -f log*
	mprof record "$option" --children -o log.mprof -- ./server 0123456789012345678901234567890123456789
	expect_status 3 "$option"
	expect "$option: logs" "$(echo log*.mprof | sed -E 's/[0-9]+/N/g')" "log.N.server.mprof log.mprof"
	for log in log*.mprof; do
		"$MPROF" dump "$log" >dump.out
		expect_line dump.out '^    program: ./server$'
	done
done
