#!/bin/bash
# SPDX-License-Identifier: MIT
# "mprof info" prints a summary of a log.
set -eu
. "$srcdir/tests/tool/support.sh"
needs_compression
needs jq

make_logs sample full mail gzip open empty

mprof info --json sample.mprof
expect_status 0 "info"
expect_json info '[.dialect, .version, .runtime, .complete]' '["mprof2",2,"test \"runtime\"",true]'
expect_json info '.size == .valid_bytes and .size == .file_size' true
expect_json info .size "$(stat -c %s sample.mprof)"
expect_json info '[.start_time_us, .end_time_us, .counters_per_second]' '[1700000000000000,1700000001000000,1000000000]'
expect_json info '[.threads, .classes, .methods, .lost_events]' '[2,5,7,7]'
expect_json info .flags $((0x1190))
expect_json info '[.blocks | .intro, .mapping, .loaded, .events, .statistical, .directives, .end]' '[1,1,2,2,1,1,1]'
expect_json info '[.blocks | .unloaded, ."heap-data", ."heap-summary", .session, .thread, .lost]' '[0,0,0,1,1,1]'
expect_json info '.blocks | add' 12
expect_json info '[.events | ."method-enter", ."method-leave", .allocation, .exception]' '[9,9,20,1]'
expect_json info '[.events | ."gc-start", ."gc-end", ."gc-resize", ."gc-mark-start", .sample]' '[2,2,1,1,3]'
expect_json info '.events | add' 52

mprof info sample.mprof
expect_status 0 "info as text"
expect_line out '^state +complete'
expect_line out '^lost +7 events'
expect_line out 'method-enter +9$'

mprof info --json mail.mprof
expect_status 0 "info of the mail's format"
expect_json mail '[.dialect, .version, .threads, .events."method-enter"]' '["mail",1,2,9]'

# Options may follow the file; standard input can be a file.
mprof info gzip.mprof --json
expect_status 0 "info of a compressed log"
expect_json gzip '[.dialect, .compressed, .complete]' '["mprof2",true,true]'
expect_json gzip .size "$(stat -c %s sample.mprof)"
expect_json gzip .file_size "$(stat -c %s gzip.mprof)"
for log in sample gzip; do
	"$MPROF" info --json - <"$log.mprof" >out
	expect_json "standard input" '[.complete, .size]' "[true,$(stat -c %s sample.mprof)]"
	cat "$log.mprof" | "$MPROF" info --json - >out
	expect_json "pipe" '[.complete, .size, .events."method-enter"]' "[true,$(stat -c %s sample.mprof),9]"
done

# Compressed blocks and the index are stated; both are missing in the log that they are made from.
mprof info --json sample.mprof
expect_json sample '.packed, .index' '{"codecs":[],"blocks":0,"bytes":0,"unpacked_bytes":0}
{"blocks":0,"complete":false}'
mprof convert --dialect=mprof2 --index --compress=deflate full.mprof packed.mprof
mprof info --json packed.mprof
expect_status 0 "info of compressed blocks"
expect_json packed '[.packed.codecs, .packed.blocks > 0, .packed.bytes < .packed.unpacked_bytes]' '[["deflate"],true,true]'
expect_json packed '.packed.bytes < .size' true
expect_json packed '[.index.blocks == .blocks.index, .index.complete]' '[true,true]'
mprof info packed.mprof
expect_line out '^compressed +[0-9]+ of [0-9]+ blocks with deflate: .* instead of '
expect_line out '^index +complete, INDEX blocks: 1$'
head -c -1 packed.mprof >cut.mprof
mprof info --json cut.mprof
expect_status 1 "info of a log with an index without its last byte"
expect_json cut .index.complete false

mprof info --json open.mprof
expect_status 1 "info of a log that was not closed"
expect_json open '[.complete, .valid_bytes == .size, (.damage | length)]' '[false,true,1]'
expect_line err "^mprof: open.mprof: offset $(stat -c %s open.mprof): .*END"

mprof info --json empty.mprof
expect_status 0 "info of a log without events"
expect_json empty '[.complete, .threads, (.events | add)]' '[true,0,0]'
