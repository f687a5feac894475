#!/bin/bash
# SPDX-License-Identifier: MIT
# Projects that are built with CMake and with Meson find the installed library, and their program runs: by CMake's own
# package and by mprof.pc, with the shared and with the static library.
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

# What was installed before the tests: installing links modules again, and other tests load them meanwhile.
cp -r "$builddir/tests/installed/root" "$root"
pc_file=$(find "$root" -name mprof.pc)
libdir=$(dirname "${pc_file%/*}")
includedir=$(dirname "$(find "$root" -name mprof.h)")

# The library is moved below another root. A sysroot of pkg-config would move zlib as well.
sed -i "s|^prefix=|prefix=$root|" "$pc_file"
export PKG_CONFIG_PATH=${pc_file%/*}
unset C_INCLUDE_PATH CPATH LIBRARY_PATH

kinds=()
test ! -e "$libdir/libmprof.so" || kinds+=(shared)
test ! -e "$libdir/libmprof.a" || kinds+=(static)

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
mkdir package
cat >package/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.13)
project(consumer C)
find_package(mprof ${wanted_version} CONFIG REQUIRED COMPONENTS ${components})
if(NOT mprof_FOUND OR mprof_VERSION VERSION_LESS 0.1)
	message(FATAL_ERROR "mprof ${mprof_VERSION}")
endif()
# Again, as in a subproject.
find_package(mprof CONFIG REQUIRED)
add_executable(consumer ../consumer.c)
target_link_libraries(consumer PRIVATE mprof::mprof)
END
cat >meson.build <<'END'
project('consumer', 'c')
executable('consumer', 'consumer.c', dependencies: dependency('mprof', static: get_option('static')))
END
cat >meson_options.txt <<'END'
option('static', type: 'boolean', value: false)
END

export LD_LIBRARY_PATH=$libdir
# The compiler of the build may be several words, which CMake does not take.
unset CC
{ cmake -S . -B pkg_config && cmake --build pkg_config; } >"$scratch/log" 2>&1 || fail "building with CMake and mprof.pc"
pkg_config/consumer || fail "the program built with CMake and mprof.pc"

# The package is found where it is, below a root that configure had no part in.
version=$(sed -n 's/^#define MPROF_VERSION_STRING "\(.*\)"$/\1/p' "$srcdir/include/mprof/base.h")
package() {
	cmake -S package -B "$1" -DCMAKE_PREFIX_PATH="${libdir%/lib*}" -Dwanted_version="$2" -Dcomponents="$3" >"$scratch/log" 2>&1
}

for kind in "${kinds[@]}"; do
	{ package "cmake_$kind" "$version" "$kind" && cmake --build "cmake_$kind" --verbose; } >>"$scratch/log" 2>&1 ||
		fail "building with CMake's package, $kind"
	grep -q "$includedir" "$scratch/log" || fail "the headers are not those of the package"
	"cmake_$kind/consumer" || fail "the program built with CMake's package, $kind"
	{ meson setup "meson_$kind" -Dstatic="$(test "$kind" = static && echo true || echo false)" &&
		ninja -C "meson_$kind"; } >"$scratch/log" 2>&1 || fail "building with Meson, $kind"
	"meson_$kind/consumer" || fail "the program built with Meson, $kind"
done

for program in pkg_config/consumer {cmake,meson}_shared/consumer; do
	test ! -e "$libdir/libmprof.so" || ldd $program | grep -q "libmprof.so.0 => $root" ||
		fail "$program does not use the installed library"
done
for program in {cmake,meson}_static/consumer; do
	test ! -e "$libdir/libmprof.a" || ! ldd $program | grep -q "libmprof" || fail "$program does not use the static library"
done

# Versions and kinds that are not there are refused.
package cmake_any "${version%.*}" "" || fail "version ${version%.*} is not found"
for wanted in 99.0 "${version%%.*}.99" "$((${version%%.*} + 1)).0"; do
	! package "cmake_$wanted" "$wanted" "" || fail "version $wanted is found, but $version is installed"
done
! package cmake_other "$version" other || fail "a component that does not exist is found"
