#!/bin/bash
# SPDX-License-Identifier: MIT
# Recorded programs that start others, in all ways that there are, which cannot load the recorder: those run as they do
# alone, and the first program is recorded. Needs a compiler and the modules.
set -eu
. "$srcdir/tests/tool/support.sh"

test -z "${MPROF_SANITIZED-}" || skip "a module built with sanitizers cannot be preloaded"
needs_native_sampling

cat >other.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
	const char *preloaded = getenv("LD_PRELOAD");

	printf("other: %s\n", preloaded != NULL ? preloaded : "nothing");
	return 9;
}
END
# "start WAY NAME" starts a program, whose status it returns.
cat >start.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static void execute(const char *way, char *name)
{
	char *arguments[] = {name, NULL};
	char path[256];

	snprintf(path, sizeof(path), "./%s", name);
	if (strcmp(way, "execl") == 0)
		execl(path, name, (char *)NULL);
	else if (strcmp(way, "execle") == 0)
		execle(path, name, (char *)NULL, environ);
	else if (strcmp(way, "execlp") == 0)
		execlp(name, name, (char *)NULL);
	else if (strcmp(way, "execvp") == 0)
		execvp(name, arguments);
	else if (strcmp(way, "execv") == 0)
		execv(path, arguments);
	else if (strcmp(way, "fexecve") == 0)
		fexecve(open(path, O_RDONLY), arguments, environ);
	else if (strcmp(way, "execveat") == 0)
		execveat(open(".", O_RDONLY | O_DIRECTORY), name, arguments, environ, 0);
	_exit(66);
}
int main(int argc, char **argv)
{
	char *arguments[] = {argv[2], NULL};
	char path[256];
	pid_t process = -1;
	int status = 0;

	if (argc != 3)
		return 77;
	snprintf(path, sizeof(path), "./%s", argv[2]);
	if (strcmp(argv[1], "system") == 0)
		return WEXITSTATUS(system(path));
	if (strcmp(argv[1], "posix_spawn") == 0)
		posix_spawn(&process, path, NULL, NULL, arguments, environ);
	else if (strcmp(argv[1], "posix_spawnp") == 0)
		posix_spawnp(&process, argv[2], NULL, NULL, arguments, environ);
	else if ((process = strcmp(argv[1], "execl") == 0 ? vfork() : fork()) == 0)
		execute(argv[1], argv[2]);
	waitpid(process, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 67;
}
END
read -ra compiler <<<"${CC:-cc}"
"${compiler[@]}" -o start start.c 2>compiler.out || skip "the compiler cannot compile: $(cat compiler.out)"
export PATH=$PWD:$PATH
kinds=()
# build NAME COMMAND...: a program that must run alone.
build() {
	"${@:2}" -o "$1" other.c 2>compiler.out && "./$1" >/dev/null 2>&1 || test $? = 9 || return 0
	test ! -x "$1" || kinds+=("$1")
}
build sanitized "${compiler[@]}" -fsanitize=address
build sanitized_statically "${compiler[@]}" -fsanitize=address -static-libasan
build other_word_size "${compiler[@]}" -m32
build other_library musl-gcc
test ${#kinds[@]} -gt 0 || skip "no program refuses the recorder here"

# starts OPTION WAY...
starts() {
	local kind way
	for kind in "${kinds[@]}"; do
		for way in "${@:2}"; do
			rm -f log*
			mprof record "$1" --children -o log.mprof -- ./start "$way" "$kind"
			expect_status 9 "$1 $kind $way"
			expect "$1 $kind $way" "$(cat out)" "other: nothing"
			grep -v '^mprof: ' err >others || true
			test ! -s others || fail "$1 $kind $way: $(cat others)"
			test -e log.mprof || fail "$1 $kind $way: no log"
		done
	done
}

starts --sample execl execle execlp execv execvp fexecve execveat posix_spawn posix_spawnp system
starts --malloc execvp posix_spawn

# What the user preloads is kept.
mkdir libraries
"${compiler[@]}" -shared -fPIC -o libraries/libuser.so -x c /dev/null
for kind in "${kinds[@]}"; do
	test "$kind" = sanitized_statically || continue
	LD_PRELOAD=$PWD/libraries/libuser.so mprof record --malloc -o kept.mprof -- ./start execv "$kind"
	expect "other libraries" "$(cat out)" "other: $PWD/libraries/libuser.so"
done
