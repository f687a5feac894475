# SPDX-License-Identifier: MIT
# Reads the last heap snapshot of "mprof dump --json" (with -n), and computes sets of its objects in the simplest way:
# prints [objects, bytes, retained bytes] of the objects of the class $class, of those that refer to one of them, and of
# those that they refer to.
def reached($heap; $without):
	{done: {}, next: [$heap.roots[] | select($without[.] | not)]} |
	until(.next == [];
		reduce .next[] as $object ({done, next: []};
			if .done[$object] or $without[$object] or ($heap.objects[$object] | not) then .
			else .done[$object] = true | .next += $heap.objects[$object].references end)) |
	.done;

def sum($heap; $set): [$set | keys_unsorted[] | $heap.objects[.].size] | add // 0;

def figures($heap; $all; $set):
	[($set | length), sum($heap; $set), sum($heap; $all) - sum($heap; reached($heap; $set))];

reduce inputs as $row ({classes: {}, roots: [], objects: {}};
	if $row.block == "mapping" then
		reduce ($row.classes // [])[] as $class (.; .classes[$class.id | tostring] = $class.name)
	elif $row.block == "heap-data" and .shot != $row.shot then
		.shot = $row.shot | .roots = [] | .objects = {}
	elif $row.event == "heap-root" then
		.roots += [$row.object]
	elif $row.event == "heap-object" then
		.last = $row.object |
		.objects[.last] = {class: $row.class, size: $row.value, references: ($row.references // [])}
	elif $row.event == "heap-references" then
		.objects[.last].references += $row.references
	else . end)
| . as $heap
| reached($heap; {}) as $all
| [$heap.objects | to_entries[] | select($heap.classes[.value.class | tostring] == $class) | {(.key): true}] | add // {}
| . as $set
| ([$heap.objects | to_entries[] | select(any(.value.references[]; $set[.])) | {(.key): true}] | add // {}) as $before
| ([$set | keys_unsorted[] | $heap.objects[.].references[] | select($heap.objects[.]) | {(.): true}] | add // {}) as $after
| figures($heap; $all; $set), figures($heap; $all; $before), figures($heap; $all; $after)
