#!/bin/bash
# SPDX-License-Identifier: MIT
# mprof record --pid of a program that Mono runs: one that was started with the module and without recording samples
# itself from then on, until the time is over; one without the module is sampled by the kernel, and the names that it
# lacks are explained.
set -eu
. "$srcdir/tests/interop/mono/support.sh"

cat >Spin.cs <<'END'
using System;
using System.IO;
static class Spin {
	static double Hot(int count)
	{
		double sum = 0;
		for (int i = 0; i < count; i++)
			sum += Math.Sqrt(i) * i;
		return sum;
	}
	static void Main(string[] arguments)
	{
		double sum = 0;
		File.WriteAllText(arguments[0] + ".new", "x");
		File.Move(arguments[0] + ".new", arguments[0]);
		while (!File.Exists("end"))
			for (int i = 0; i < 20; i++)
				sum += Hot(10000);
		Console.WriteLine(sum > 0);
	}
}
END
mcs -out:spin.exe Spin.cs || fail "mcs"

for source in timer perf; do
	rm -f end ready
	"$MPROF" record --start-disabled --sample=1000 --sample-source=$source -q -o $source.mprof -- mono spin.exe ready >/dev/null 2>messages &
	recorder=$!
	await test -e ready
	await "$MPROF" control $recorder status >out 2>&1
	process=$(sed -n 's/^pid=//p' out)
	# Until there are samples: how long that takes depends on the machine.
	has_samples() {
		"$MPROF" record --pid="$process" --duration=200ms -o other.mprof 2>err || fail "--pid: $(cat err)"
		test "$("$MPROF" control "$process" status | sed -n 's/^samples=//p')" -ge 5
	}
	await has_samples || fail "no samples after the start: $(cat err)"
	grep -q 'records itself, .*; -o has no effect' err || fail "the message: $(cat err)"
	test ! -e other.mprof || fail "a log of its own"
	"$MPROF" control "$process" status | grep -qx recording=disabled || fail "still recording"
	touch end
	wait $recorder || fail "the program: $(cat messages)"
	"$MPROF" report --json $source.mprof >out
	test "$(jq '[.samples[] | select(.name | endswith("Hot (int)")) | .hits] | add >= 5' out)" = true ||
		fail "$source: $(jq -c '.samples' out)"
done

test "$(uname -sm)" = "Linux x86_64" || exit 0
rm -f end ready
mono spin.exe ready >/dev/null &
process=$!
await test -e ready
"$MPROF" record --pid=$process --duration=300ms -o plain.mprof 2>err && status=0 || status=$?
touch end
wait $process
test $status != 2 || { grep -q 'cannot be sampled' err && exit 0; }
test $status = 0 || fail "status $status: $(cat err)"
grep -q -- '--start-disabled' err || fail "missing names are not explained: $(cat err)"
"$MPROF" check plain.mprof >/dev/null || fail "check"
