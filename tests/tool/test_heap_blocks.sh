#!/bin/bash
# SPDX-License-Identifier: MIT
# An object whose allocation is not in the log has the call stack of the native memory that it is in at the snapshot.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

"$builddir/tests/tool/record_blocks" blocks.mprof || fail "record_blocks"
mprof check blocks.mprof
expect_status 0 "check"
mprof convert --columns blocks.mprof columns.mprof
expect_status 0 "convert"

# The first column is the object, the second its block, the third what allocated it.
for log in blocks.mprof columns.mprof; do
	while read -r object block method; do
		mprof heap --json --object="$object" "$log"
		expect_status 0 "object $object of $log"
		expect "block of $object" "$(jq -c '.object | [.origin, .native_origin.address, .native_origin.stack]' out)" \
			"[null,$block,$method]"
	done <<-'END'
		0x1010 "0x1000" ["read"]
		0x1040 null null
		0x2010 "0x2000" ["read"]
		0x3010 "0x3000" ["parse"]
		0x4010 null null
		0x5110 "0x5100" ["parse"]
		0x5f00 "0x5000" ["read"]
	END
done
mprof heap --object=0x2010 blocks.mprof
expect_line out '^  memory     in the native block 0x2000 of 64 B, allocated by$'
expect_line out '^    read$'
mprof heap --object=0x4010 blocks.mprof
expect_line out '^  allocated  origin not known: '

for case in 'read {"List":2,"Text":1} 2' 'parse {"Text":2} 2' '* {"List":2,"Text":3} 2'; do
	read -r pattern classes unknown <<<"$case"
	mprof heap --json "--allocated-by=$pattern" blocks.mprof
	expect "allocated by $pattern" "$(jq -cS '.selection.classes | map({(.name): .objects}) | add' out)" "$classes"
	expect "unknown" "$(jq .selection.unknown_origin out)" "$unknown"
done
# No age is known of them.
mprof heap --json --min-age=0 blocks.mprof
expect "ages" "$(jq -c '.selection | [.objects, .unknown_origin]' out)" '[0,7]'
# The limit is that of other memory of the command.
mprof heap --json --allocated-by=read --memory=1 blocks.mprof
expect_status 0 "a small limit"
