-- SPDX-License-Identifier: MIT
-- The tables of "mprof export --to=clickhouse" on each shard. The columns are in the order of the files.
-- "make update-tables" writes this file.

CREATE TABLE logs (
	log Int64,
	host String,
	build String,
	start_us Int64,
	end_us Nullable(Int64),
	file Nullable(String),
	program Nullable(String),
	runtime Nullable(String),
	dialect Nullable(String),
	version Nullable(Int64),
	tool Nullable(String),
	complete UInt8,
	valid_bytes Nullable(Int64),
	size Nullable(Int64),
	lost_events Nullable(Int64),
	limited UInt8,
	left_out Nullable(Int64),
	counters_per_second Nullable(Float64),
	events Nullable(Int64),
	wall_ns Nullable(Int64),
	calls Nullable(Int64),
	method_ns Nullable(Int64),
	samples Nullable(Int64),
	allocations Nullable(Int64),
	allocated_bytes Nullable(Int64),
	freed_objects Nullable(Int64),
	freed_bytes Nullable(Int64),
	jit_methods Nullable(Int64),
	jit_ns Nullable(Int64),
	collections Nullable(Int64),
	gc_ns Nullable(Int64),
	exceptions Nullable(Int64),
	contentions Nullable(Int64),
	contended_ns Nullable(Int64),
	handles_alive Nullable(Int64)
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(toDateTime(intDiv(start_us, 1000000)))
ORDER BY (host, start_us, log);

CREATE TABLE properties (
	log Int64,
	host String,
	build String,
	start_us Int64,
	key Nullable(String),
	value Nullable(String)
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(toDateTime(intDiv(start_us, 1000000)))
ORDER BY (host, start_us, log);

CREATE TABLE damage (
	log Int64,
	host String,
	build String,
	start_us Int64,
	offset Nullable(Int64),
	what Nullable(String)
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(toDateTime(intDiv(start_us, 1000000)))
ORDER BY (host, start_us, log);

CREATE TABLE losses (
	log Int64,
	host String,
	build String,
	start_us Int64,
	cause Nullable(String),
	events Nullable(Int64)
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(toDateTime(intDiv(start_us, 1000000)))
ORDER BY (host, start_us, log);

CREATE TABLE methods (
	log Int64,
	host String,
	build String,
	start_us Int64,
	method_id Nullable(Int64),
	class Nullable(String),
	name Nullable(String),
	assembly Nullable(String),
	wrapper UInt8,
	file Nullable(String),
	line Nullable(Int64),
	calls Nullable(Int64),
	total_ns Nullable(Int64),
	self_ns Nullable(Int64),
	jit_ns Nullable(Int64),
	samples Nullable(Int64),
	samples_total Nullable(Int64)
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(toDateTime(intDiv(start_us, 1000000)))
ORDER BY (host, start_us, log);

CREATE TABLE classes (
	log Int64,
	host String,
	build String,
	start_us Int64,
	class_id Nullable(Int64),
	name Nullable(String),
	assembly Nullable(String),
	allocations Nullable(Int64),
	bytes Nullable(Int64),
	freed Nullable(Int64),
	freed_bytes Nullable(Int64),
	exceptions Nullable(Int64),
	load_ns Nullable(Int64),
	exception_texts Nullable(Int64),
	exception_text_ns Nullable(Int64),
	exception_text Nullable(String)
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(toDateTime(intDiv(start_us, 1000000)))
ORDER BY (host, start_us, log);

CREATE TABLE threads (
	log Int64,
	host String,
	build String,
	start_us Int64,
	thread Nullable(String),
	name Nullable(String),
	events Nullable(Int64),
	self_ns Nullable(Int64),
	wall_ns Nullable(Int64),
	cpu_ns Nullable(Int64),
	ready_ns Nullable(Int64),
	samples Nullable(Int64),
	lost_events Nullable(Int64),
	process Nullable(Int64),
	names Nullable(Int64),
	former_name Nullable(String)
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(toDateTime(intDiv(start_us, 1000000)))
ORDER BY (host, start_us, log);

CREATE TABLE call_tree (
	log Int64,
	host String,
	build String,
	start_us Int64,
	node Nullable(Int64),
	parent Nullable(Int64),
	method_id Nullable(Int64),
	method Nullable(String),
	compilation UInt8,
	calls Nullable(Int64),
	total_ns Nullable(Int64),
	self_ns Nullable(Int64),
	allocations Nullable(Int64),
	bytes Nullable(Int64)
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(toDateTime(intDiv(start_us, 1000000)))
ORDER BY (host, start_us, log);

CREATE TABLE samples (
	log Int64,
	host String,
	build String,
	start_us Int64,
	kind Nullable(String),
	name Nullable(String),
	module Nullable(String),
	inlined UInt8,
	hits Nullable(Int64),
	total Nullable(Int64)
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(toDateTime(intDiv(start_us, 1000000)))
ORDER BY (host, start_us, log);

CREATE TABLE sample_tree (
	log Int64,
	host String,
	build String,
	start_us Int64,
	node Nullable(Int64),
	parent Nullable(Int64),
	kind Nullable(String),
	name Nullable(String),
	module Nullable(String),
	inlined UInt8,
	hits Nullable(Int64),
	total Nullable(Int64)
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(toDateTime(intDiv(start_us, 1000000)))
ORDER BY (host, start_us, log);

CREATE TABLE allocation_sites (
	log Int64,
	host String,
	build String,
	start_us Int64,
	class_id Nullable(Int64),
	class Nullable(String),
	caller Nullable(String),
	stack Nullable(String),
	allocations Nullable(Int64),
	bytes Nullable(Int64),
	samples Nullable(Int64),
	allocations_error Nullable(Int64),
	bytes_error Nullable(Int64)
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(toDateTime(intDiv(start_us, 1000000)))
ORDER BY (host, start_us, log);

CREATE TABLE memory_sites (
	log Int64,
	host String,
	build String,
	start_us Int64,
	stack Nullable(String),
	allocations Nullable(Int64),
	bytes Nullable(Int64),
	frees Nullable(Int64),
	live Nullable(Int64),
	live_bytes Nullable(Int64),
	peak_bytes Nullable(Int64),
	temporaries Nullable(Int64),
	lifetime_ns Nullable(Int64),
	unreachable Nullable(Int64),
	unreachable_bytes Nullable(Int64),
	indirect Nullable(Int64),
	indirect_bytes Nullable(Int64),
	interior Nullable(Int64),
	interior_bytes Nullable(Int64),
	unsearched Nullable(Int64),
	unsearched_bytes Nullable(Int64),
	is_searched UInt8
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(toDateTime(intDiv(start_us, 1000000)))
ORDER BY (host, start_us, log);

CREATE TABLE collections (
	log Int64,
	host String,
	build String,
	start_us Int64,
	number Nullable(Int64),
	generation Nullable(Int64),
	start_ns Nullable(Int64),
	duration_ns Nullable(Int64),
	mark_ns Nullable(Int64),
	sweep_ns Nullable(Int64),
	pause_ns Nullable(Int64),
	finished UInt8,
	name Nullable(String),
	cause Nullable(String),
	pinned_objects Nullable(Int64),
	pinned_bytes Nullable(Int64)
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(toDateTime(intDiv(start_us, 1000000)))
ORDER BY (host, start_us, log);

CREATE TABLE pauses (
	log Int64,
	host String,
	build String,
	start_us Int64,
	kind Nullable(String),
	start_ns Nullable(Int64),
	duration_ns Nullable(Int64),
	finished UInt8,
	thread Nullable(String),
	collection Nullable(Int64),
	generation Nullable(Int64),
	class Nullable(String),
	holder Nullable(String),
	stack Nullable(String)
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(toDateTime(intDiv(start_us, 1000000)))
ORDER BY (host, start_us, log);

CREATE TABLE monitors (
	log Int64,
	host String,
	build String,
	start_us Int64,
	class_id Nullable(Int64),
	class Nullable(String),
	contentions Nullable(Int64),
	acquired Nullable(Int64),
	failures Nullable(Int64),
	contended_ns Nullable(Int64),
	unfinished Nullable(Int64)
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(toDateTime(intDiv(start_us, 1000000)))
ORDER BY (host, start_us, log);

CREATE TABLE monitor_sites (
	log Int64,
	host String,
	build String,
	start_us Int64,
	class_id Nullable(Int64),
	class Nullable(String),
	stack Nullable(String),
	contentions Nullable(Int64),
	contended_ns Nullable(Int64),
	failures Nullable(Int64),
	unfinished Nullable(Int64)
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(toDateTime(intDiv(start_us, 1000000)))
ORDER BY (host, start_us, log);

CREATE TABLE exception_sites (
	log Int64,
	host String,
	build String,
	start_us Int64,
	class_id Nullable(Int64),
	class Nullable(String),
	stack Nullable(String),
	count Nullable(Int64),
	texts Nullable(Int64),
	text_ns Nullable(Int64),
	text Nullable(String)
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(toDateTime(intDiv(start_us, 1000000)))
ORDER BY (host, start_us, log);

CREATE TABLE metrics (
	log Int64,
	host String,
	build String,
	start_us Int64,
	section Nullable(String),
	name Nullable(String),
	thread Nullable(String),
	unit Nullable(String),
	count Nullable(Int64),
	first Nullable(Int64),
	last Nullable(Int64),
	minimum Nullable(Int64),
	maximum Nullable(Int64),
	first_real Nullable(Float64),
	last_real Nullable(Float64),
	minimum_real Nullable(Float64),
	maximum_real Nullable(Float64),
	last_ns Nullable(Int64)
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(toDateTime(intDiv(start_us, 1000000)))
ORDER BY (host, start_us, log);

CREATE TABLE marks (
	log Int64,
	host String,
	build String,
	start_us Int64,
	time_ns Nullable(Int64),
	thread Nullable(String),
	text Nullable(String)
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(toDateTime(intDiv(start_us, 1000000)))
ORDER BY (host, start_us, log);

CREATE TABLE event_types (
	log Int64,
	host String,
	build String,
	start_us Int64,
	type Nullable(Int64),
	form Nullable(String),
	name Nullable(String),
	category Nullable(String),
	count Nullable(Int64),
	unmatched Nullable(Int64),
	errors Nullable(Int64),
	unfinished Nullable(Int64),
	spans Nullable(Int64),
	without_self Nullable(Int64),
	total_ns Nullable(Int64),
	self_ns Nullable(Int64),
	min_ns Nullable(Int64),
	p50_ns Nullable(Int64),
	p90_ns Nullable(Int64),
	p99_ns Nullable(Int64),
	max_ns Nullable(Int64)
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(toDateTime(intDiv(start_us, 1000000)))
ORDER BY (host, start_us, log);

CREATE TABLE spans (
	log Int64,
	host String,
	build String,
	start_us Int64,
	type Nullable(Int64),
	form Nullable(String),
	name Nullable(String),
	category Nullable(String),
	thread Nullable(String),
	stack_number Nullable(Int64),
	start_ns Nullable(Int64),
	duration_ns Nullable(Int64),
	unfinished UInt8
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(toDateTime(intDiv(start_us, 1000000)))
ORDER BY (host, start_us, log);

CREATE TABLE lines (
	log Int64,
	host String,
	build String,
	start_us Int64,
	kind Nullable(String),
	id Nullable(Int64),
	name Nullable(String),
	file Nullable(String),
	line Nullable(Int64),
	samples Nullable(Int64),
	samples_total Nullable(Int64),
	allocations Nullable(Int64),
	bytes Nullable(Int64)
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(toDateTime(intDiv(start_us, 1000000)))
ORDER BY (host, start_us, log);

CREATE TABLE sample_kinds (
	log Int64,
	host String,
	build String,
	start_us Int64,
	type Nullable(Int64),
	unit Nullable(Int64),
	name Nullable(String),
	unit_name Nullable(String),
	source Nullable(String),
	period Nullable(Int64),
	samples Nullable(Int64),
	weight Nullable(Int64),
	without_weight Nullable(Int64),
	without_stack Nullable(Int64)
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(toDateTime(intDiv(start_us, 1000000)))
ORDER BY (host, start_us, log);

CREATE TABLE sample_groups (
	log Int64,
	host String,
	build String,
	start_us Int64,
	type Nullable(Int64),
	cpu Nullable(Int64),
	thread Nullable(String),
	mode Nullable(Int64),
	samples Nullable(Int64),
	weight Nullable(Int64)
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(toDateTime(intDiv(start_us, 1000000)))
ORDER BY (host, start_us, log);

CREATE TABLE heap_snapshots (
	log Int64,
	host String,
	build String,
	start_us Int64,
	snapshot Nullable(Int64),
	number Nullable(Int64),
	time_ns Nullable(Int64),
	complete UInt8,
	objects Nullable(Int64),
	bytes Nullable(Int64),
	references Nullable(Int64),
	roots Nullable(Int64),
	synthetic_objects Nullable(Int64),
	process Nullable(Int64)
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(toDateTime(intDiv(start_us, 1000000)))
ORDER BY (host, start_us, log);

CREATE TABLE heap_snapshot_classes (
	log Int64,
	host String,
	build String,
	start_us Int64,
	snapshot Nullable(Int64),
	class_id Nullable(Int64),
	class Nullable(String),
	objects Nullable(Int64),
	bytes Nullable(Int64)
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(toDateTime(intDiv(start_us, 1000000)))
ORDER BY (host, start_us, log);

CREATE TABLE handles (
	log Int64,
	host String,
	build String,
	start_us Int64,
	class_id Nullable(Int64),
	class Nullable(String),
	type Nullable(String),
	created Nullable(Int64),
	alive Nullable(Int64),
	deleted Nullable(Int64)
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(toDateTime(intDiv(start_us, 1000000)))
ORDER BY (host, start_us, log);

CREATE TABLE processes (
	log Int64,
	host String,
	build String,
	start_us Int64,
	number Nullable(Int64),
	system_id Nullable(Int64),
	parent Nullable(Int64),
	name Nullable(String),
	command Nullable(String),
	threads Nullable(Int64),
	has_start UInt8,
	start_ns Nullable(Int64),
	has_end UInt8,
	end_ns Nullable(Int64),
	events Nullable(Int64),
	samples Nullable(Int64),
	lost Nullable(Int64),
	cpu_ns Nullable(Int64)
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(toDateTime(intDiv(start_us, 1000000)))
ORDER BY (host, start_us, log);

CREATE TABLE timelines (
	log Int64,
	host String,
	build String,
	start_us Int64,
	thread Nullable(String),
	name Nullable(String),
	kind Nullable(String),
	process Nullable(Int64),
	system_thread Nullable(Int64),
	parent Nullable(String),
	clock Nullable(Int64),
	rank Nullable(Int64),
	is_ended UInt8,
	events Nullable(Int64)
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(toDateTime(intDiv(start_us, 1000000)))
ORDER BY (host, start_us, log);

CREATE TABLE clocks (
	log Int64,
	host String,
	build String,
	start_us Int64,
	id Nullable(Int64),
	name Nullable(String),
	kind Nullable(String),
	stated_millihertz Nullable(Int64),
	measured_millihertz Nullable(Int64),
	drift_ppb Nullable(Int64),
	pairs Nullable(Int64),
	backward Nullable(Int64),
	residual_ns Nullable(Int64),
	uncertainty_ns Nullable(Int64),
	has_drift UInt8,
	has_residual UInt8
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(toDateTime(intDiv(start_us, 1000000)))
ORDER BY (host, start_us, log);

CREATE TABLE histograms (
	log Int64,
	host String,
	build String,
	start_us Int64,
	section Nullable(String),
	name Nullable(String),
	thread Nullable(String),
	unit Nullable(String),
	count Nullable(Int64),
	buckets Nullable(Int64),
	min_above Nullable(Int64),
	min Nullable(Int64),
	p50_above Nullable(Int64),
	p50 Nullable(Int64),
	p90_above Nullable(Int64),
	p90 Nullable(Int64),
	p99_above Nullable(Int64),
	p99 Nullable(Int64),
	max_above Nullable(Int64),
	max Nullable(Int64),
	min_above_real Nullable(Float64),
	min_real Nullable(Float64),
	p50_above_real Nullable(Float64),
	p50_real Nullable(Float64),
	p90_above_real Nullable(Float64),
	p90_real Nullable(Float64),
	p99_above_real Nullable(Float64),
	p99_real Nullable(Float64),
	max_above_real Nullable(Float64),
	max_real Nullable(Float64),
	last_ns Nullable(Int64)
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(toDateTime(intDiv(start_us, 1000000)))
ORDER BY (host, start_us, log);

CREATE TABLE messages (
	log Int64,
	host String,
	build String,
	start_us Int64,
	severity Nullable(Int64),
	source Nullable(String),
	count Nullable(Int64),
	is_rest UInt8,
	first_ns Nullable(Int64),
	last_ns Nullable(Int64),
	thread Nullable(String),
	text Nullable(String)
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(toDateTime(intDiv(start_us, 1000000)))
ORDER BY (host, start_us, log);

CREATE TABLE waits (
	log Int64,
	host String,
	build String,
	start_us Int64,
	kind Nullable(String),
	name Nullable(String),
	stack Nullable(String),
	is_rest UInt8,
	count Nullable(Int64),
	unfinished Nullable(Int64),
	total_ns Nullable(Int64),
	min_ns Nullable(Int64),
	p50_ns Nullable(Int64),
	p90_ns Nullable(Int64),
	p99_ns Nullable(Int64),
	max_ns Nullable(Int64)
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(toDateTime(intDiv(start_us, 1000000)))
ORDER BY (host, start_us, log);

CREATE TABLE gc_generations (
	log Int64,
	host String,
	build String,
	start_us Int64,
	collection Nullable(Int64),
	name Nullable(String),
	before Nullable(Int64),
	after Nullable(Int64),
	capacity Nullable(Int64),
	has_before UInt8,
	has_after UInt8,
	has_capacity UInt8
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(toDateTime(intDiv(start_us, 1000000)))
ORDER BY (host, start_us, log);

CREATE TABLE thread_states (
	log Int64,
	host String,
	build String,
	start_us Int64,
	thread Nullable(String),
	state Nullable(String),
	count Nullable(Int64),
	total_ns Nullable(Int64),
	priority Nullable(Int64),
	has_priority UInt8,
	is_rest UInt8
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(toDateTime(intDiv(start_us, 1000000)))
ORDER BY (host, start_us, log);

CREATE TABLE code_ranges (
	log Int64,
	host String,
	build String,
	start_us Int64,
	id Nullable(Int64),
	kind Nullable(Int64),
	method Nullable(Int64),
	has_end UInt8,
	name Nullable(String),
	address Nullable(String),
	size Nullable(Int64),
	start_ns Nullable(Int64),
	end_ns Nullable(Int64),
	process Nullable(Int64)
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(toDateTime(intDiv(start_us, 1000000)))
ORDER BY (host, start_us, log);
