# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Runs the graphical programs of Mono 2 on a display of their own. Tests source this file after support.sh.

for program in Xvfb emveepee mprof-heap-viewer; do
	command -v $program >/dev/null || skip "$program is not installed (packages xvfb, mono-profiler)"
done

# exe_of PROGRAM: the path of the program that the script of that name starts.
exe_of() {
	sed -n 's/.*exec mono "\([^"]*\)".*/\1/p' "$(command -v "$1")"
}

# shellcheck disable=SC2034 # for the test
emveepee=$(exe_of emveepee)
# shellcheck disable=SC2034
heap_viewer=$(exe_of mprof-heap-viewer)

gtk=()
for name in gtk gdk glib atk; do
	# Those of GTK# 3 have the same names, and the programs do not use them.
	path=$(find /usr/lib/cli/$name-sharp-2.0 /usr/lib/mono/gac/$name-sharp/2.* -name $name-sharp.dll 2>/dev/null | head -n 1)
	test -n "$path" || skip "GTK# 2 is not installed (package libgtk2.0-cil)"
	gtk+=("-r:$path")
done
mcs -nologo -out:Windows.exe "${gtk[@]}" "$decoder_tests/Windows.cs" || fail "Windows.cs does not compile"

# The programs save the last opened file.
export HOME=$work/home TMPDIR=$work/temporary
mkdir "$HOME" "$TMPDIR"

Xvfb -displayfd 9 -screen 0 1024x768x24 -nolisten tcp 9>display.number 2>xvfb.err &
display_id=$!
trap 'kill $display_id; wait $display_id 2>/dev/null || true; rm -rf "$work"' EXIT
await test -s display.number || fail "no display: $(cat xvfb.err)"
DISPLAY=:$(cat display.number)
export DISPLAY

# windows FILE PROGRAM ARGUMENT... -- STEP...: see Windows.cs. What it prints goes to the file.
windows() {
	local file=$1 status=0
	shift
	timeout 300 mono Windows.exe "$@" >"$file" 2>windows.err || status=$?
	test $status = 0 || fail "windows: status $status: $(cat "$file" windows.err | head -n 40)"
	expect "the last line of what it prints" "$(tail -n 1 "$file")" "done"
}
