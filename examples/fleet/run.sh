#!/bin/bash
# SPDX-License-Identifier: MIT
# Starts ClickHouse with two shards on this machine, loads logs into both, and runs the queries of this directory:
# run.sh DIRECTORY LOG... Each log is loaded as that of a host of its own. The servers end with this script. MPROF names
# the tool, PORT the first of four ports.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mprof=${MPROF:-mprof}
port=${PORT:-19001}
directory=$1
shift
servers=()
trap 'for server in "${servers[@]}"; do kill "$server" 2>/dev/null && wait "$server" || true; done' EXIT

# query SHARD [OPTION...]: runs the statements of standard input.
query() {
	local shard=$1

	shift
	clickhouse-client --host=127.0.0.1 --port=$((port + 2 * shard)) "$@"
}

# start SHARD
start() {
	local path=$directory/shard$1

	mkdir -p "$path"
	cat >"$path/config.xml" <<END
<yandex>
	<logger><level>warning</level><log>$path/log</log><errorlog>$path/errors</errorlog></logger>
	<listen_host>127.0.0.1</listen_host>
	<tcp_port>$((port + 2 * $1))</tcp_port>
	<interserver_http_port>$((port + 2 * $1 + 1))</interserver_http_port>
	<path>$path/data/</path>
	<tmp_path>$path/tmp/</tmp_path>
	<users_config>$path/users.xml</users_config>
	<default_profile>default</default_profile>
	<default_database>default</default_database>
	<mark_cache_size>67108864</mark_cache_size>
	<remote_servers><fleet>
		<shard><replica><host>127.0.0.1</host><port>$port</port></replica></shard>
		<shard><replica><host>127.0.0.1</host><port>$((port + 2))</port></replica></shard>
	</fleet></remote_servers>
</yandex>
END
	cat >"$path/users.xml" <<END
<yandex>
	<profiles><default><max_memory_usage>1000000000</max_memory_usage></default></profiles>
	<users><default><password></password><networks><ip>127.0.0.1</ip></networks>
		<profile>default</profile><quota>default</quota></default></users>
	<quotas><default></default></quotas>
</yandex>
END
	clickhouse-server --config-file="$path/config.xml" >"$path/out" 2>&1 &
	servers+=($!)
	until query "$1" --query='SELECT 1' >/dev/null 2>&1; do
		kill -0 "${servers[-1]}" 2>/dev/null || { tail -n 5 "$path/out" "$path/errors" >&2; exit 1; }
		sleep 0.2
	done
}

tables=$(sed -n 's/^CREATE TABLE \([a-z_]*\) (/\1/p' "$here/schema.sql")
start 0
start 1
for shard in 0 1; do
	query $shard --multiquery <"$here/schema.sql"
	for table in $tables; do
		echo "CREATE TABLE all_$table AS $table ENGINE = Distributed(fleet, default, $table);"
	done | query $shard --multiquery
done

number=0
for log in "$@"; do
	rows=$directory/rows
	# A damaged log has status 1: its table states that it is not complete.
	"$mprof" export --to=clickhouse --host="host$number" --build="$((number % 2 + 1)).0" -o "$rows" "$log" || test $? = 1
	for table in $tables; do
		test "$(wc -l <"$rows/$table.tsv")" -gt 1 || continue
		query $((number % 2)) --query="INSERT INTO $table FORMAT TabSeparatedWithNames" <"$rows/$table.tsv"
	done
	rm -r "$rows"
	number=$((number + 1))
done
# Old servers have no default for joins.
query 0 --join_default_strictness=ALL --multiquery --echo --format=PrettyCompact <"$here/queries.sql"
query 0 --query="SELECT count(), sum(calls), sum(method_ns), sum(allocations), sum(allocated_bytes), sum(samples),
	sum(contended_ns), sum(lost_events) FROM all_logs" >"$directory/totals"
query 0 --query="SELECT sum(calls), sum(self_ns) FROM all_methods" >"$directory/methods"
query 0 --query="SELECT sum(allocations), sum(bytes) FROM all_classes" >"$directory/classes"
