#!/bin/bash
# SPDX-License-Identifier: MIT
# "mprof report" prints source lines of native code and inlined functions, from the debug information of the recorded
# build alone.
set -eu
. "$srcdir/tests/tool/support.sh"
. "$srcdir/tests/tool/code.sh"

# expect_lines WHAT: the report of app.mprof has all lines.
expect_lines() {
	mprof report --json app.mprof
	expect_status 0 "$1"
	expect_json "$1" '[.samples[] | [.name, .inlined, .hits, .total_hits]]' \
		'[["inner",true,3,3],["work",false,1,5],["middle",true,1,4],["main",false,0,5]]'
	expect_json "$1" '[.sample_lines[] | [.name, .inlined, .line, .hits]]' \
		"[[\"inner\",true,$(line app.c "LINE INNER"),3],[\"middle\",true,$(line app.c "LINE MIDDLE"),1],$(
		)[\"work\",false,$(line app.c "LINE WORK"),1]]"
	expect_json "$1" '[.sample_lines[].file] | unique' "[\"$work/app.c\"]"
	expect_json "$1" '[.sample_tree | recurse(.[].children) | .[].name]' '["main","work","middle","inner"]'
	expect_json "$1" '.memory.places[] | select(.stack[0] == "inner (inlined)") | .stack' \
		'["inner (inlined)","middle (inlined)","work","main"]'
	expect_json "$1" '.memory.places[] | select(.stack[0] == "inner (inlined)") | .stack_lines' "[$(
		for comment in "LINE INNER" "CALL INNER" "CALL MIDDLE" "CALL WORK"; do
			printf '"%s/app.c:%s" ' "$work" "$(line app.c "$comment")"
		done | sed 's/ $//; s/ /,/g')]"
	expect_json "$1" '[.debug_information[] | [.module, .state]]' "[[\"$work/app\",\"found\"]]"
}

# expect_no_lines WHAT STATE: the report has only what was recorded.
expect_no_lines() {
	mprof report --json app.mprof
	expect_status 0 "$1"
	expect_json "$1" '[.samples[] | [.name, .file, .line, .inlined, .hits, .total_hits]]' \
		'[["work",null,null,false,5,5],["main",null,null,false,0,5]]'
	expect_json "$1" '.sample_lines' '[]'
	expect_json "$1" '[.memory.places[] | [.stack, .stack_lines]] | unique' '[[["work","main"],null]]'
	expect_json "$1" '[.debug_information[].state]' "[$2]"
}

write_app
gcc -g -O2 -o app app.c
make_app_log app app.mprof
expect_lines "gcc"
mprof report --all app.mprof
expect_line out '100.0 % .* work \[app\] \(app.c:[0-9]*\)$'
expect_line out ' inner \(inlined\) \[app\] \(app.c:1\)$'
expect_line out " app.c:$(line app.c "LINE INNER") inner \\(inlined\\) \\[app\\]\$"
expect_line out "^ *inner \\(inlined\\) at app.c:$(line app.c "LINE INNER")\$"
expect_line out "^ *main at app.c:$(line app.c "CALL WORK")\$"
expect_no_line out '^Without lines'
mprof report --all --no-lines app.mprof
expect_no_line out 'inlined|app\.c'

# A function whose symbol was stripped has the name of the debug information.
make_code app.mprof "$work/app" "$(build_id app)" "$(offset app in_work)"
mprof report --json app.mprof
expect_json "a function without a symbol" '[.samples[] | [.kind, .name, .line, .hits]]' "[[\"native\",\"work\",$(
	grep -nF 'void work' app.c | cut -d: -f1),1]]"

# The addresses of a program that is not position-independent do not begin at 0.
gcc -g -O2 -no-pie -o app app.c
make_app_log app app.mprof
expect_lines "without PIE"

if command -v clang >/dev/null; then
	clang -g -O2 -Wl,--build-id -o app app.c
	make_app_log app app.mprof
	expect_lines "clang"
	# Version 5 counts the files of a unit from 0; before, 0 stands for none.
	for version in 4 5; do
		clang -g -gdwarf-$version -O2 -Wl,--build-id -o app app.c
		make_app_log app app.mprof
		expect_lines "clang, version $version"
		expect_json "clang, version $version" '[.samples[].file] | unique' "[\"$work/app.c\"]"
	done
fi

# Units whose functions are in files of their own.
if gcc -g -gsplit-dwarf -O2 -o app app.c 2>/dev/null; then
	make_app_log app app.mprof
	expect_lines "split debug information"
	expect_json "split debug information" '[.samples[].file] | unique' "[\"$work/app.c\"]"
	rm -f ./*.dwo
fi

# Symbols that are compressed in a section of the stripped file.
if command -v xz >/dev/null; then
	gcc -O2 -o app app.c
	make_code app.mprof "$work/app" "$(build_id app)" "$(offset app in_work),$(offset app after_work)"
	objcopy -S --keep-symbol=work --keep-symbol=main app symbols
	strip app
	mprof report --json app.mprof
	expect_json "a stripped file" '[.samples[].name]' "[\"$work/app\"]"
	xz --check=crc32 symbols
	objcopy --add-section .gnu_debugdata=symbols.xz app
	mprof report --json app.mprof
	expect_json "compressed symbols" '[.samples[] | [.name, .hits, .total_hits]]' '[["work",1,1],["main",0,1]]'
	expect_json "compressed symbols" '[.debug_information[].state]' '["none"]'
fi

gcc -g -O2 -o app app.c
make_app_log app app.mprof
objcopy --only-keep-debug app app.debug
strip app
objcopy --add-gnu-debuglink=app.debug app
expect_lines "a separate file"
mv app.debug elsewhere.debug
expect_no_lines "a separate file that is missing" '"none"'

write_app 1
gcc -g -O2 -o app app.c
expect_no_lines "another build" '"rebuilt"'
mprof report --all app.mprof
expect "the title" "$(grep -A1 '^Without lines' out | tail -n 1)" "  $work/app: rebuilt since the recording"
rm app
expect_no_lines "a missing file" '"no file"'
mkfifo app
expect_no_lines "a pipe" '"no file"'
rm app

write_app
gcc -g -O2 -o app app.c
make_code app.mprof "$work/app" "" "5@$(offset app in_inner):work,$(offset app after_work):main"
expect_no_lines "a log without a build ID" '"no build id"'

# Names of C++ are those of the source in text, and those of the linker in JSON.
if command -v g++ >/dev/null; then
	cat >app.cc <<'END'
namespace shapes {
template <typename T> struct box {
	T value;
	__attribute__((always_inline)) T get() const
	{
		__asm__ volatile("nop\n in_get: nop"); // GET
		return value;
	}
};
__attribute__((noinline)) int use(const box<int> &given) { return given.get(); }
}
int main() { return shapes::use(shapes::box<int>{0}); }
END
	g++ -g -O2 -o app app.cc
	make_code app.mprof "$work/app" "$(build_id app)" "$(offset app in_get):_ZN6shapes3useERKNS_3boxIiEE"
	mprof report --json app.mprof
	expect_json "C++" '[.samples[].name]' '["shapes::box<int>::get() const","shapes::use(shapes::box<int> const&)"]'
	expect_json "C++" '[.samples[].symbol]' '["_ZNK6shapes3boxIiE3getEv","_ZN6shapes3useERKNS_3boxIiEE"]'
	mprof report --all app.mprof
	expect_line out ' app.cc:6 shapes::box<int>::get\(\) const \(inlined\) \[app\]$'
	expect_line out ' shapes::use\(shapes::box<int> const&\) \[app\] \(app.cc:10\)$'
fi

# The newer names of Rust.
if test -z "${MPROF_WITHOUT_LIBIBERTY-}" && command -v rustc >/dev/null && rustc --version >/dev/null 2>&1; then
	cat >app.rs <<'END'
#![allow(named_asm_labels)]
use std::arch::asm;
mod shapes {
    pub struct Circle { pub radius: u64 }
    impl Circle {
        #[inline(always)]
        pub fn area(&self) -> u64 {
            unsafe { super::asm!("nop", "in_area: nop"); }
            self.radius * self.radius
        }
    }
    #[inline(never)]
    pub fn measure(circle: &Circle) -> u64 { circle.area() }
}
fn main() {
    let circle = shapes::Circle { radius: std::env::args().count() as u64 };
    std::process::exit((shapes::measure(&circle) & 1) as i32);
}
END
	if rustc -g -O -C symbol-mangling-version=v0 -C link-arg=-Wl,--build-id -o app app.rs 2>rust.txt; then
		make_code app.mprof "$work/app" "$(build_id app)" \
			"$(offset app in_area):$(nm app | awk '$3 ~ /^_R.*measure$/ { print $3; exit }')"
		mprof report --all app.mprof
		expect_line out ' app.rs:8 <app::shapes::Circle>::area \(inlined\) \[app\]$'
		expect_line out ' app::shapes::measure \[app\] \(app.rs:13\)$'
	fi
fi
