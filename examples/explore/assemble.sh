#!/bin/bash
# SPDX-License-Identifier: MIT
# Writes the page of "mprof explore" as one file: assemble.sh OUTPUT WASM. Scripts are put together in the order below,
# without their imports, exports and comments, and the page's security policy allows them by their hashes only.
set -eu

output=${1:?the file to write}
wasm=${2:?libmprof.wasm}
here=$(cd "$(dirname "$0")" && pwd)

worker_scripts=(../wasm/{bytes,tasks,statuses,names,gzip,view,profile,events,heap_graph,log,module}.js
	log_part.js span_list.js call_reader.js timeline_questions.js heat_questions.js heap_shapes.js heap_tree.js
	heap_questions.js event_questions.js short_name.js frame_nodes.js native_lines.js
	questions.js worker.js)
page_scripts=(host.js dom.js figures.js short_name.js address.js client.js colors.js svg_context.js table.js stack_panel.js flame_layout.js
	box_chart.js flame_graph.js treemap.js time_window.js span_list.js span_painter.js timeline_tracks.js timeline_spans.js timeline_chart.js
	view_tables.js view_overview.js view_methods.js view_flame.js view_timeline.js view_heat.js view_lines.js path_list.js view_heap.js
	view_events.js view_compare.js view_list.js keys.js served_log.js main.js)

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

join_scripts() {
	local script

	for script in "$@"; do
		sed -E -e '/^(import|export) .* from /d' -e 's/^export //' -e '/^[[:space:]]*\/\/ /d' \
			-e '/^[[:space:]]*\/\*\*.*\*\/$/d' -e '/^[[:space:]]*\/\*\*/,/\*\/$/d' "$here/$script"
	done
}

# How frames look, for colors.js: each entry of the list has its line.
print_looks() {
	awk -F'"' '
		function id() { split($1, parts, /[(,]/); return tolower(parts[2]) }
		/^LOOK\(/ { looks = looks (looks == "" ? "" : "] },\n") "\t" id() ": { title: \"" $2 "\", colors: ["; next_color = "" }
		/^COLOR\(/ { looks = looks next_color "\"" $4 "\""; next_color = ", " }
		/^WAITING_METHOD\(/ { methods = methods (methods == "" ? "" : ", ") "\"" $2 "\"" }
		/^WAITING_FUNCTION\(/ { functions = functions (functions == "" ? "" : ", ") "\"" $2 "\"" }
		END {
			print "const frameLookTable = {\n" looks "] },\n};"
			print "const waitingMethodNames = [" methods "];"
			print "const waitingFunctionNames = [" functions "];"
		}' "$here/../mprof/flame/looks.def"
}

# The scripts share one scope.
check_names() {
	local names

	names=$(sed -nE 's/^(async )?(const|let|class|function\*?) ([A-Za-z]+).*/\3/p' "$1" | sort | uniq -d)
	if [[ -n $names ]]; then
		echo "assemble.sh: defined more than once: $names" >&2
		exit 1
	fi
}

# Such texts would end the element that contains the script.
check_script() {
	if grep -niE '</script|<!--|<script' "$1"; then
		echo "assemble.sh: the script above cannot be embedded" >&2
		exit 1
	fi
}

hash_of() {
	local digits

	digits=$(sha256sum "$1" | cut -c1-64 | sed 's/../\\x&/g')
	# shellcheck disable=SC2059  # The format is the bytes of the hash.
	printf "sha256-%s" "$(printf "$digits" | base64)"
}

{
	echo "'use strict';"
	join_scripts "${worker_scripts[@]}"
} >"$directory/WORKER"
{
	echo "'use strict';"
	print_looks
	join_scripts "${page_scripts[@]}"
} >"$directory/SCRIPT"
for bundle in WORKER SCRIPT; do
	check_names "$directory/$bundle"
	check_script "$directory/$bundle"
done
cp "$here/style.css" "$directory/STYLE"
# What is not allowed by a hash is compressed.
gzip -9 -n <"$wasm" | base64 -w 0 >"$directory/MODULE"
gzip -9 -n <"$directory/WORKER" | base64 -w 0 >"$directory/WORKER.gz"
mv "$directory/WORKER.gz" "$directory/WORKER"
hash_of "$directory/SCRIPT" >"$directory/SCRIPT_HASH"
hash_of "$directory/STYLE" >"$directory/STYLE_HASH"

# Each line has at most one text to replace that is long; the hashes are short.
while IFS= read -r line; do
	line=${line//@SCRIPT_HASH@/$(<"$directory/SCRIPT_HASH")}
	line=${line//@STYLE_HASH@/$(<"$directory/STYLE_HASH")}
	if [[ $line =~ ^(.*)@([A-Z]+)@(.*)$ ]]; then
		printf '%s' "${BASH_REMATCH[1]}"
		cat "$directory/${BASH_REMATCH[2]}"
		printf '%s\n' "${BASH_REMATCH[3]}"
	else
		printf '%s\n' "$line"
	fi
done <"$here/page.html" >"$output.new"
mv "$output.new" "$output"
