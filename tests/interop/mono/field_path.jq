# SPDX-License-Identifier: MIT
# Follows the named fields of objects in the last heap snapshot of "mprof dump --json", read with -n. Prints the way
# from the static field $root through $fields, and the class of the object there; "?" if there is no such reference.
def named($detail): [$detail.fields // [], $detail.references] | transpose;

reduce inputs as $row ({classes: {}, names: {}, roots: {}, objects: {}};
	if $row.block == "mapping" then
		reduce ($row.classes // [])[] as $class (.; .classes[$class.id | tostring] = $class.name)
	elif $row.block == "heap-data" and .shot != $row.shot then
		.shot = $row.shot | .roots = {} | .objects = {}
	elif $row.record == "root" then
		.names[$row.id | tostring] = $row.kind + " " + $row.name
	elif $row.event == "heap-root" then
		.roots[.names[$row.root | tostring] // ""] = $row.object
	elif $row.event == "heap-object" then
		.last = $row.object | .objects[.last] = {class: $row.class, fields: named($row)}
	elif $row.event == "heap-references" then
		.objects[.last].fields += named($row)
	else . end)
| . as $log
| reduce $fields[] as $field ($log.roots["static " + $root];
	($log.objects[. // ""].fields // []) | map(select(.[0] == $field)) | if length > 0 then .[-1][1] else null end)
| (["static " + $root] + $fields + [$log.classes[$log.objects[. // ""].class | tostring] // "?"]) | join(" -> ")
