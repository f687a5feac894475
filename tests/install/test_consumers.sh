#!/bin/bash
# SPDX-License-Identifier: MIT
# Projects that are built with CMake and with Meson find the installed library through mprof.pc, and their program runs.
set -eu

skip() {
	echo "SKIP: $1"
	exit 77
}

fail() {
	echo "FAIL: $1"
	test ! -e "$scratch/log" || cat "$scratch/log"
	exit 1
}

test -z "${MPROF_SANITIZED:-}" || skip "a library with sanitizers needs a program with sanitizers"
for tool in "${PKG_CONFIG:-pkg-config}" cmake meson ninja; do
	command -v "$tool" >/dev/null || skip "$tool is missing"
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=$scratch/root

# This make is not part of the one that runs the tests. Modules stay as they are: other tests load them meanwhile.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
"${MAKE:-make}" -C "$builddir" DESTDIR="$root" install-libLTLIBRARIES install-dist_includeHEADERS \
	install-dist_mprofHEADERS install-pkgconfigDATA >"$scratch/log" 2>&1 || fail "make install-..."
pc_file=$(find "$root" -name mprof.pc)
libdir=$(dirname "${pc_file%/*}")

# The library is moved below another root. A sysroot of pkg-config would move zlib as well.
sed -i "s|^prefix=|prefix=$root|" "$pc_file"
export PKG_CONFIG_PATH=${pc_file%/*}
unset C_INCLUDE_PATH CPATH LIBRARY_PATH

mkdir "$scratch/project"
cd "$scratch/project"
cp "$srcdir/tests/install/consumer.c" .
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.13)
project(consumer C)
find_package(PkgConfig REQUIRED)
pkg_check_modules(MPROF REQUIRED IMPORTED_TARGET mprof)
add_executable(consumer consumer.c)
target_link_libraries(consumer PRIVATE PkgConfig::MPROF)
END
cat >meson.build <<'END'
project('consumer', 'c')
executable('consumer', 'consumer.c', dependencies: dependency('mprof'))
END

export LD_LIBRARY_PATH=$libdir
# The compiler of the build may be several words, which CMake does not take.
unset CC
{ cmake -S . -B cmake && cmake --build cmake; } >"$scratch/log" 2>&1 || fail "building with CMake"
cmake/consumer || fail "the program built with CMake"
{ meson setup meson && ninja -C meson; } >"$scratch/log" 2>&1 || fail "building with Meson"
meson/consumer || fail "the program built with Meson"
for program in cmake/consumer meson/consumer; do
	test ! -e "$libdir/libmprof.so" || ldd $program | grep -q "libmprof.so.0 => $root" ||
		fail "$program does not use the installed library"
done
