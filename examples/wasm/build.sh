#!/bin/bash
# SPDX-License-Identifier: MIT
# Builds libmprof.wasm: the library without its recorder, and the functions of this directory.
#
# build.sh OUTPUT SOURCE...: compiles the sources of the library (paths from the top of the source tree, headers are
# ignored) with WASM_CC and links them with wasm-ld. WASM_CFLAGS replaces the default -O2.
set -eu

output=${1:?the file to write}
shift
read -ra compiler <<<"${WASM_CC:-clang}"
srcdir=$(cd "$(dirname "$0")/../.." && pwd)

missing() {
	echo "make wasm: $1 is missing: install clang, lld, wasi-libc and libclang-rt-14-dev-wasm32" >&2
	exit 1
}

command -v "${compiler[-1]}" >/dev/null || missing "${compiler[-1]}"
command -v wasm-ld >/dev/null || missing wasm-ld
objects=$(dirname "$output")/objects
mkdir -p "$objects"
target=(--target=wasm32-wasi -msimd128)
check=$objects/check.wasm
echo 'int main(void) { return 0; }' >"$objects/check.c"
"${compiler[@]}" "${target[@]}" "$objects/check.c" -o "$check" 2>/dev/null || missing "the C library of WASI"

# The system's random numbers, for the seeds of hash tables, come from the page.
: >"$objects/config.h"
flags=("${target[@]}" -std=c11 -fvisibility=hidden -ffunction-sections -fdata-sections -D_GNU_SOURCE -DMPROF_BUILDING
	-DMPROF_UNSTABLE -DHAVE_GETENTROPY -I"$objects" -I"$srcdir/include" -I"$srcdir/lib" -I"$srcdir/examples" -Wall -Wextra)
read -ra extra <<<"${WASM_CFLAGS:--O2}"

# Files and descriptors do not exist in a page: the linker leaves out the functions that would open them.
sources=()
for source in "$@" "$srcdir"/examples/shared/{function_name,kinds}.c "$srcdir"/examples/wasm/*.c; do
	case $source in
	lib/io/sink* | lib/io/system_* | lib/writer/* | *.h) continue ;;
	# No threads either.
	lib/io/work_queue_posix.c) source=lib/io/work_queue_windows.c ;;
	esac
	sources+=("${source#"$srcdir"/}")
done
compile() {
	local object=$objects/${1//\//_}.o

	"${compiler[@]}" "${flags[@]}" "${extra[@]}" -c "$srcdir/$1" -o "$object"
}
names=()
for source in "${sources[@]}"; do
	compile "$source"
	names+=("$objects/${source//\//_}.o")
done
# The stack comes first in memory, so that overflowing it traps instead of changing data. Without a flag to optimise:
# clang would run wasm-opt if it is installed, and that of Debian 12 does not take SIMD instructions then.
"${compiler[@]}" "${target[@]}" -mexec-model=reactor -Wl,--gc-sections -Wl,--stack-first -Wl,-z,stack-size=1048576 \
	-Wl,--max-memory=4294967296 -Wl,--strip-all -o "$output.new" "${names[@]}"
mv "$output.new" "$output"
