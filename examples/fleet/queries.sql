-- SPDX-License-Identifier: MIT
-- Questions about all hosts, for ClickHouse, chDB and DuckDB. The tables that begin with all_ are those of all shards.

-- Hottest methods over all hosts
SELECT class, name, sum(self_ns) / 1e6 AS self_ms, sum(calls) AS calls, count(DISTINCT host) AS hosts
FROM all_methods GROUP BY class, name ORDER BY self_ms DESC, class, name LIMIT 20;

-- Time per call of each method in two builds: the oldest and the newest
SELECT class, name, before_ns, after_ns FROM (
	SELECT class, name, sum(self_ns) / sum(calls) AS before_ns FROM all_methods
	WHERE calls > 0 AND build = (SELECT min(build) FROM all_logs) GROUP BY class, name
) AS oldest INNER JOIN (
	SELECT class, name, sum(self_ns) / sum(calls) AS after_ns FROM all_methods
	WHERE calls > 0 AND build = (SELECT max(build) FROM all_logs) GROUP BY class, name
) AS newest USING (class, name) ORDER BY after_ns - before_ns DESC, class, name LIMIT 20;

-- Outlier hosts: time in methods per call, compared with the mean of all hosts
SELECT host, sum(method_ns) / sum(calls) AS call_ns, call_ns / (SELECT sum(method_ns) / sum(calls) FROM all_logs) AS of_mean
FROM all_logs WHERE calls > 0 GROUP BY host ORDER BY of_mean DESC, host LIMIT 20;

-- Heap growth: the first and the last complete heap snapshot of each log
SELECT host, log, argMin(bytes, snapshot) AS first_bytes, argMax(bytes, snapshot) AS last_bytes, last_bytes - first_bytes AS growth
FROM all_heap_snapshots WHERE complete GROUP BY host, log, start_us ORDER BY growth DESC, host, log LIMIT 20;

-- Waits for monitors by class
SELECT class, sum(contentions) AS waits, sum(contended_ns) / 1e6 AS wait_ms, count(DISTINCT host) AS hosts
FROM all_monitors GROUP BY class ORDER BY wait_ms DESC, class LIMIT 20;

-- Allocated bytes by class
SELECT name, sum(bytes) AS allocated, sum(allocations) AS objects, count(DISTINCT host) AS hosts
FROM all_classes GROUP BY name ORDER BY allocated DESC, name LIMIT 20;

-- Stops of the world and collections by host
SELECT host, count() AS pauses, quantileExact(0.99)(duration_ns) / 1e6 AS p99_ms, max(duration_ns) / 1e6 AS longest_ms
FROM all_pauses WHERE kind != 'wait' GROUP BY host ORDER BY p99_ms DESC, host LIMIT 20;

-- Completeness: logs whose figures are estimates
SELECT host, build, file, complete, lost_events, limited, valid_bytes, size
FROM all_logs WHERE NOT complete OR lost_events > 0 OR limited ORDER BY host, start_us, log LIMIT 100;
