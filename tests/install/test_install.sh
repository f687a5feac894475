#!/bin/bash
# SPDX-License-Identifier: MIT
# What "make install" leaves behind is complete, and a program outside of the tree can be built with it.
set -eu

skip() {
	echo "SKIP: $1"
	exit 77
}

fail() {
	echo "FAIL: $1"
	exit 1
}

test -z "${MPROF_SANITIZED:-}" || skip "a library with sanitizers needs a program with sanitizers"
command -v "${PKG_CONFIG:-pkg-config}" >/dev/null || skip "pkg-config is missing: install pkg-config"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=$(realpath "$builddir/tests/installed/root")

# This make is not part of the one that runs the tests.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES

# A variable of configure, as in the makefile: directory libdir
directory() {
	"${MAKE:-make}" -s -C "$builddir" -f - print-directory <<EOT
include Makefile
print-directory:
	@echo '\$($1)'
EOT
}
libdir=$(directory libdir)
includedir=$(directory includedir)

expected=("$includedir/mprof.h" "$(directory pkgconfigdir)/mprof.pc" "$(directory bindir)/mprof"
	"$libdir/cmake/mprof/mprofConfig.cmake" "$libdir/cmake/mprof/mprofConfigVersion.cmake"
	"$(directory man1dir)/mprof.1" "$(directory bashcompletiondir)/mprof")
for header in "$srcdir"/include/mprof/*.h; do
	expected+=("$includedir/mprof/${header##*/}")
done
shared=no
if test -e "$builddir/lib/.libs/libmprof.so"; then
	shared=yes
	expected+=("$libdir/libmprof.so" "$libdir/libmprof.so.0")
fi
if grep -q "^BUILD_MONO_MODULE_TRUE = *$" "$builddir/Makefile"; then
	expected+=("$libdir/libmono-profiler-mprof.so" "$libdir/libmono-profiler-logging.so")
fi
if grep -q "^BUILD_MODULES_TRUE = *$" "$builddir/Makefile"; then
	expected+=("$(directory pkglibdir)/libmprof-instrument.so")
fi
if grep -q "^HAVE_PAGE_TRUE = *$" "$builddir/Makefile"; then
	expected+=("$(directory pkgdatadir)/explore.html")
fi
man3dir=$(directory man3dir)
expected+=("$man3dir/mprof.3")
for header in "$srcdir"/include/mprof/*.h; do
	header=${header##*/}
	expected+=("$man3dir/mprof_${header%.h}.3")
done
# Each function is found by its name.
while read -r function; do
	expected+=("$man3dir/$function.3")
done < <("$srcdir/tests/abi/list_symbols.sh" "$srcdir/include/mprof")
for document in format dialects; do
	expected+=("$(directory docdir)/$document.md")
done
for file in "${expected[@]}"; do
	test -e "$root$file" || fail "$file is not installed"
done

# The installed files are found by pkg-config alone, and zlib as anywhere. They lie below another root, which it puts in
# front.
PKG_CONFIG_LIBDIR=$root$(directory pkgconfigdir):$("${PKG_CONFIG:-pkg-config}" --variable=pc_path pkg-config)
export PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_LIBDIR
export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
ask() {
	"${PKG_CONFIG:-pkg-config}" "$@" mprof
}

test "$(ask --modversion)" = "$(sed -n 's/^#define MPROF_VERSION_STRING "\(.*\)"$/\1/p' "$srcdir/include/mprof/base.h")" ||
	fail "the version in mprof.pc is not that of mprof/base.h"

# has NAME SYMBOL: whether mprof.pc shows for a part what configure decided.
has() {
	local wanted=no
	grep -q "^#define $2 1$" "$builddir/config.h" && wanted=yes
	test "$(ask --variable="$1")" = $wanted || fail "the variable $1 in mprof.pc is not '$wanted'"
}
has recorder MPROF_WITH_RECORDER
has gzip MPROF_WITH_ZLIB

# build PROGRAM FLAGS...: outside of the tree, as a user would.
cp "$srcdir/tests/install/consumer.c" "$scratch"
build() {
	# shellcheck disable=SC2046 # flags are several words
	(cd "$scratch" && ${CC:-cc} -Wall -Wextra -Werror $(ask --cflags) -o "$1" consumer.c "${@:2}")
}

# Without these a machine that has another copy installed would use that one.
unset C_INCLUDE_PATH CPATH LIBRARY_PATH

if test $shared = yes; then
	# shellcheck disable=SC2046 # flags are several words
	build shared $(ask --libs)
	LD_LIBRARY_PATH=$root$libdir ldd "$scratch/shared" | grep -q "libmprof.so.0 => $root" ||
		fail "the program does not use the installed library"
	LD_LIBRARY_PATH=$root$libdir "$scratch/shared"
fi

if test -e "$root$libdir/libmprof.a"; then
	libraries=$(ask --libs --static)
	# The linker prefers the shared library unless -static is given.
	build static ${libraries/-lmprof/-l:libmprof.a}
	! ldd "$scratch/static" | grep -q libmprof || fail "the static library was not used"
	"$scratch/static"
fi

# The tool starts where it is installed.
LD_LIBRARY_PATH=$root$libdir "$root$(directory bindir)/mprof" --version >/dev/null || fail "mprof --version"
