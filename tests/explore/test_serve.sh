#!/bin/bash
# SPDX-License-Identifier: MIT
# "mprof explore --serve" serves the page and the log, also while it grows, to who has its token and addresses it by its
# own name; refuses all other requests; answers although other clients are slow; ends with an interrupt.
set -eu
. "$srcdir/tests/tool/support.sh"
test -e "$builddir/examples/explore/explore.html" || skip "the page was not built: see make wasm"

make_logs sample
size=$(stat -c %s sample.mprof)

# serve ARGUMENT...: starts a server that does not inherit the test's own descriptors; its address is in $port and $token.
servers=()
serve() {
	rm -f link
	mkfifo link
	"$MPROF" explore --serve "$@" >"./link" 2>messages 3>&- 4>&- </dev/null &
	server=$!
	servers+=("$server")
	read -r link <"./link" || fail "no link: $(cat messages)"
	[[ $link =~ ^http://127\.0\.0\.1:([0-9]+)/([0-9a-f]{32})/$ ]] || fail "the link is $link"
	port=${BASH_REMATCH[1]}
	token=${BASH_REMATCH[2]}
}
trap 'kill "${servers[@]}" 2>/dev/null || true; rm -rf "$work"' EXIT

# exchange: sends standard input as it is; the answer is in the file "answer".
exchange() {
	exec 9<>"/dev/tcp/127.0.0.1/$port" || fail "no connection"
	cat >&9
	cat <&9 >answer
	exec 9>&-
}

# get TARGET [LINE...]: GET with these lines of the head after the field Host.
get() {
	local target=$1
	shift
	{
		printf 'GET %s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\n' "$target" "$port"
		test $# = 0 || printf '%s\r\n' "$@"
		printf '\r\n'
	} | exchange
}

# refused STATUS WHAT: the answer has this status, and nothing of the page or the log.
refused() {
	expect "$2" "$(head -n 1 answer | cut -d ' ' -f 2)" "$1"
	test "$(stat -c %s answer)" -lt 500 || fail "$2: an answer of $(stat -c %s answer) bytes"
}

body() {
	sed '1,/^\r$/d' answer
}

serve sample.mprof
exec 3<>"/dev/tcp/127.0.0.1/$port"
printf 'GET /%s/ HTTP/1.1\r\nHost: 127.0' "$token" >&3
slow_port=$port

get "/$token/"
expect "the page" "$(head -n 1 answer)" $'HTTP/1.1 200 OK\r'
expect_line answer '^Cache-Control: no-store'
body | grep -q "default-src 'none'; connect-src 'self'; script-src 'sha256-" || fail "the policy of the page"
expect "elements of the log" "$(body | grep -c '^<script type="application/octet-stream" class="served" data-name="[A-Za-z0-9=]*"></script>$')" 1
get "/$token/log/0"
body | cmp - sample.mprof || fail "the log differs"
get "/$token/log/$((size - 7))"
body | cmp - <(tail -c 7 sample.mprof) || fail "the end of the log differs"
get "/$token/log/$size"
expect_line answer '^Mprof-Complete: 1'
expect "bytes after the end" "$(body | wc -c)" 0
get "/$token/names"
expect_line answer '^HTTP/1.1 200 '
get "/$token/log/$((size + 1))"
refused 416 "an offset after the end"

# The token, and nothing else below it.
get /
refused 403 "no token"
get "/${token%?}"
refused 403 "a part of the token"
get "/$(tr 0-9a-f 1-9a-f0 <<<"$token")/"
refused 403 "a wrong token"
get "/${token^^}/x"
refused "$(test "${token^^}" = "$token" && echo 404 || echo 403)" "the token in capitals"
for target in favicon.ico names/ namesx log log/ log/-1 log/0x1 log/1.5 log/99999999999999999999 log/0/ log/0?x ../ ../../etc/passwd \
	log/../../../etc/passwd %2e%2e/etc/passwd /etc/passwd '?' '#'; do
	get "/$token/$target"
	refused 404 "$target"
done
get "/$token"
refused 403 "without the last slash"
get "http://127.0.0.1:$port/$token/"
refused 403 "a target with a host"

# Only this server by its own name, only GET, only HTTP.
printf 'GET /%s/ HTTP/1.1\r\nHost: localhost:%s\r\n\r\n' "$token" "$port" | exchange
expect_line answer '^HTTP/1.1 200 '
for host in "attacker.example:$port" "127.0.0.1" "127.0.0.1:$port.attacker.example" "[::1]:$port" ""; do
	printf 'GET /%s/ HTTP/1.1\r\nHost: %s\r\n\r\n' "$token" "$host" | exchange
	refused 403 "host $host"
done
printf 'GET /%s/ HTTP/1.1\r\n\r\n' "$token" | exchange
refused 400 "no host"
get "/$token/" "Host: 127.0.0.1:$port"
refused 400 "two hosts"
for method in HEAD POST PUT OPTIONS get GETT; do
	printf '%s /%s/ HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nContent-Length: 3\r\n\r\nabc' "$method" "$token" "$port" | exchange
	refused 405 "$method"
done
for line in "GET /$token/" "GET  /$token/ HTTP/1.1" "GET /$token/ HTTP/2" "GET /$token/ HTTP/1.1 x" "" $'GET /\x01 HTTP/1.1'; do
	printf '%s\r\nHost: 127.0.0.1:%s\r\n\r\n' "$line" "$port" | exchange
	refused 400 "the line $line"
done
printf 'GET /%s/ HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nx\0y: z\r\n\r\n' "$token" "$port" | exchange
refused 400 "a byte of zero"
get "/$token/" "X: $(printf %09000d 0)"
refused 431 "a large head"
get "/$(printf %09000d 0)"
refused 431 "a large target"
(exec 9<>"/dev/tcp/127.0.0.2/$port") 2>/dev/null && fail "another address is served"

# More clients at once than there is room for, some of which send nothing.
for i in $(seq 60); do
	(exec 9<>"/dev/tcp/127.0.0.1/$port" && cat <&9 >/dev/null) &
	idle[i]=$!
done
clients=()
for i in $(seq 8); do
	(
		get "/$token/log/0" && body | cmp - sample.mprof
	) 9>&- >/dev/null &
	clients+=($!)
	wait "${clients[-1]}" || fail "client $i"
done
kill "${idle[@]}" 2>/dev/null || true

# The port is taken.
mprof explore --serve="$port" sample.mprof
expect_status 1 "a port in use"
expect_line err "127.0.0.1:$port: Address already in use"
for value in 65536 x -1; do
	mprof explore --serve=$value sample.mprof
	expect_status 2 "port $value"
done
mprof explore --serve -o x.html sample.mprof
expect_status 2 "a file and a server"
mprof explore --serve "$srcdir/README.md" >/dev/null
expect_status 3 "a file that is not a log"

# The client that has sent half a request is refused at last, or had to make room.
port=$slow_port
cat <&3 >answer || true
exec 3>&-
test ! -s answer || refused 408 "a slow client"

kill -INT "$server"
wait "$server" || fail "status $? after an interrupt"
expect_line messages 'until Ctrl-C'

# A log that grows: this shell is the process that writes it. Clients that wait for more take all places meanwhile.
exec 4>growing.mprof
head -c 500 sample.mprof >&4
serve growing.mprof
get "/$token/log/0"
body | cmp - <(head -c 500 sample.mprof) || fail "the start of a growing log"
expect_no_line answer '^Mprof-Complete'
waiting=()
for i in $(seq 40); do
	mkdir "client.$i"
	(cd "client.$i" && get "/$token/log/500" && body | cmp - <(tail -c +501 ../sample.mprof)) 4>&- &
	waiting+=($!)
done
tail -c +501 sample.mprof >&4
for client in "${waiting[@]}"; do
	wait "$client" || fail "what was added"
done
exec 4>&-
get "/$token/log/$size"
expect_line answer '^Mprof-Complete: 1'
kill -TERM "$server"
wait "$server" || fail "status $? after a termination"

# A program that dies before its log has an end: nobody writes it any more.
exec 4>growing.mprof
head -c 500 sample.mprof >&4
serve growing.mprof
exec 4>&-
get "/$token/log/500"
expect_line answer '^Mprof-Complete: 1'
kill -INT "$server"
wait "$server" || fail "status $? after an interrupt"

# Names in the source come as the log does.
"$builddir/tests/tool/make_code" names.mprof /nonexistent/file "" 2@1000:_ZN6shapes6circle4drawEi 1@2000:main || fail "make_code"
serve names.mprof
get "/$token/log/$(stat -c %s names.mprof)"
get "/$token/names"
expect "names" "$(body)" $'_ZN6shapes6circle4drawEi\tshapes::circle::draw(int)'
kill -INT "$server"
wait "$server" || fail "status $? after an interrupt"

serve
get "/$token/"
body | grep -q 'class="served"' && fail "the page without a log fetches one"
get "/$token/log/0"
refused 404 "no log"
kill -INT "$server"
wait "$server"
