# SPDX-License-Identifier: MIT
# Prints the references and roots of the last heap snapshot, one per line. Reads "class ID NAME", separated by tabs,
# followed by the lines of "mprof dump --json".
#   references CLASS CLASS NUMBER      root KIND CLASS-OF-THE-FIELDS CLASS NUMBER
#   static NAME-OF-THE-FIELD CLASS NUMBER   thread-static NAME CLASS NUMBER
BEGIN { FS = "\t" }

function field(name,   value)
{
	if (!match($0, "\"" name "\":(\"[^\"]*\"|[0-9]+)"))
		return ""
	value = substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3)
	gsub(/"/, "", value)
	return value
}

function take_references(   list, count, i, addresses)
{
	if (!match($0, /"references":\[[^\]]*/))
		return
	list = substr($0, RSTART + 14, RLENGTH - 14)
	gsub(/"/, "", list)
	count = split(list, addresses, ",")
	for (i = 1; i <= count; i++) {
		owners[references] = owner
		targets[references++] = addresses[i]
	}
}

$1 == "class" { names[$2] = $3; next }
/^{"record":"root"/ { areas[field("id")] = field("class"); fields[field("id")] = field("name"); next }
/^{"block":"heap-data".*"first":true/ { references = roots = 0; split("", classes); next }
/^{"event":"heap-object"/ { owner = field("class"); classes[field("object")] = owner; take_references(); next }
/^{"event":"heap-references"/ { take_references(); next }
/^{"event":"heap-root"/ {
	places[roots] = field("kind") "\t" names[areas[field("root")]]
	paths[roots] = field("kind") "\t" fields[field("root")]
	rooted[roots++] = field("object")
}

END {
	for (i = 0; i < references; i++)
		counts["references\t" names[owners[i]] "\t" names[classes[targets[i]]]]++
	for (i = 0; i < roots; i++) {
		counts["root\t" places[i] "\t" names[classes[rooted[i]]]]++
		counts[paths[i] "\t" names[classes[rooted[i]]]]++
	}
	for (fact in counts)
		print fact "\t" counts[fact]
}
