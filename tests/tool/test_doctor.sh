#!/bin/bash
# SPDX-License-Identifier: MIT
# "mprof doctor" reports whether recording works, and what is missing.
set -eu
. "$srcdir/tests/tool/support.sh"

hide_mono
PATH=$work/programs mprof doctor
expect_status 1 "doctor without mono"
expect_line out '^missing  mono: '
expect_line out 'install Mono'
if test -z "${MPROF_WITHOUT_LIBDW-}"; then
	expect_line out '^ok       lines: '
else
	expect_line out '^optional lines: '
fi
if test -z "${MPROF_WITHOUT_LIBIBERTY-}"; then
	expect_line out '^ok       names: '
else
	expect_line out '^optional names: '
fi

test -z "${MPROF_SANITIZED-}" || skip "mono cannot load a module built with sanitizers"
needs mono
module_directory=${MONO_MODULE_DIR:-$builddir/examples/mono/.libs}
test -e "$module_directory/libmono-profiler-mprof.so" || skip "the module for Mono was not built"
mkdir none
export MPROF_MODULE_DIR="$work/none:$module_directory"
mprof doctor
expect_status 0 "doctor"
expect_line out '^ok       mono: Mono JIT compiler version'
expect_line out '^ok       module: .*/libmono-profiler-mprof.so$'
expect_line out '^ok       loading: '
expect_line out '^Mono programs can be recorded'

# Under which names mono finds the module by itself.
for name in mprof logging; do
	LD_LIBRARY_PATH=$module_directory:$builddir/lib/.libs mprof doctor
	expect_line out "^ok       name: mono --profile=$name\$"
	if ! ldconfig -p 2>/dev/null | grep -q "libmono-profiler-$name"; then
		env -u LD_LIBRARY_PATH "$MPROF" doctor >out
		expect_line out "^optional name: mono --profile=$name\$"
		expect_line out 'run ldconfig'
	fi
done

# Without MPROF_MODULE_DIR, the tool finds the module that was built with it.
if test -z "${MONO_MODULE_DIR-}"; then
	unset MPROF_MODULE_DIR
	mprof doctor
	expect_status 0 "doctor where it was built"
	expect_line out "^ok       module: $module_directory/libmono-profiler-mprof.so\$"
	expect_line out "^ok       module: $builddir/examples/native/.libs/libmprof-instrument.so\$"
	cp -L "$builddir/examples/mprof/.libs/mprof" elsewhere
	LD_LIBRARY_PATH=$builddir/lib/.libs MPROF=$work/elsewhere mprof doctor
	! grep -q '^missing  module' out || expect_line out 'make install'
fi

# Sockets of programs that are gone are removed, and nothing else.
if command -v python3 >/dev/null; then
	mkdir -p run/mprof
	python3 - <<'END'
import os, socket
def bind(name):
    made = socket.socket(socket.AF_UNIX)
    made.bind("run/mprof/" + name)
    return made
for name in ("999999999.sock", "other.sock", "999999998.sock"):
    bind(name)
os.chdir("run/mprof")
os.utime("other.sock", (0, 0))
open("999999997.sock", "w").close()
END
	XDG_RUNTIME_DIR=$work/run mprof doctor
	expect_status 0 "doctor with sockets"
	# Those of tests that run meanwhile may be counted as well: there is more than one directory.
	expect_line out '^removed  sockets: [0-9]+ of programs that are gone$'
	expect "files beside the sockets" "$(cd run/mprof && echo *)" "999999997.sock other.sock"
fi

# A module that cannot be loaded
echo 'not a library' >none/libmono-profiler-mprof.so
MPROF_MODULE_DIR=$work/none mprof doctor
expect_status 1 "doctor with a file that is not a module"
expect_line out '^missing  loading: '
