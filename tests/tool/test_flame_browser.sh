#!/bin/bash
# SPDX-License-Identifier: MIT
# The script in a flame graph, in a browser without a window: zoom, search, keys, and names that look like scripts.
set -eu
. "$srcdir/tests/tool/support.sh"
needs xmllint
test -z "${MPROF_SANITIZED-}" || skip "a browser runs no code that is instrumented"
browser=$(command -v chromium || command -v chromium-browser) || skip "chromium is not installed"

make_trees shares hostile
make_tree chain long.mprof 30
make_tree chain short.mprof 20

# browse SCRIPT: adds a script to out.svg and loads it; the text that it leaves in the details line is then in the
# variable found. Browsers without a sandbox also run as root.
browse() {
	sed '$d' out.svg >page.svg
	printf '<script><![CDATA[\nvar svg = document.documentElement;\nfunction frame(name) {
		return Array.prototype.filter.call(svg.querySelectorAll(".graph > g"), function (g) {
			return g.querySelector("title").textContent.indexOf(name) === 0; })[0]; }
function click(g) { g.querySelector("rect").dispatchEvent(new MouseEvent("click", {bubbles: true})); }
function press(keys) { keys.forEach(function (key) {
	document.dispatchEvent(new KeyboardEvent("keydown", {key: key})); }); }
function text(name) { return svg.querySelector("." + name).textContent; }
function width(name) { var g = frame(name); return g.style.display === "none" ? "hidden" :
	Math.round(g.querySelector("rect").getAttribute("width")); }
var result = (function () { %s })();
svg.querySelector(".details").textContent = "<" + result + ">";
]]></script>\n</svg>\n' "$1" >>page.svg
	HOME=$work timeout 100 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
		--user-data-dir="$work/browser" --virtual-time-budget=5000 --dump-dom "file://$work/page.svg" \
		>dom 2>browser.log || skip "chromium does not start: $(tail -n 1 browser.log)"
	found=$(sed -nE 's/.*<text class="details"[^>]*>&lt;([^<]*)&gt;<.*/\1/p' dom)
}

# Zoom: a frame gets the whole width, what is beside it disappears, and a reset restores all.
mprof flame --value=wall -o out.svg shares.mprof
browse 'var before = width("Shares.Above"); click(frame("Shares.Above"));
	var zoomed = [width("Shares.Root"), width("Shares.Above"), width("Shares.Most"), text("reset")];
	press(["Escape"]);
	return [before].concat(zoomed, width("Shares.Above"), width("Shares.Most")).join(" ");'
expect "zoom" "$found" "14 1180 1180 hidden Reset zoom 14 1156"

# Search: by typing after a slash; frames below one that matches count once.
browse 'press(["/", "s", "H", "a", "x", "Backspace", "r", "Enter"]);
	var all = text("matches"); press(["/", "b", "e", "l", "o", "w", "Enter"]);
	return [all, text("matches"), svg.querySelectorAll(".found").length].join(" ");'
expect "search" "$found" "4 frames, 100.0 % 1 frame, 0.8 % 1"

# Keys: down to what a frame calls, to its right, and up.
browse 'press(["ArrowDown", "ArrowDown", "ArrowRight"]); var right = text("details");
	press(["ArrowUp"]); return right + " " + text("details");'
expect "keys" "$found" "Shares.Above (): 3 ns (1.2 %), 1 call Shares.Root (): 248 ns (100.0 %), 1 call"

# The frames that are gone are a picture of their own.
mprof flame -o out.svg short.mprof long.mprof
browse 'click(svg.querySelectorAll(".graph")[1].children[25]);
	return [svg.querySelectorAll(".graph").length, text("reset"), svg.querySelectorAll(".parent").length].join(" ");'
expect "two pictures" "$found" "2 Reset zoom 25"

# The script makes frames of the list of small ones, below their callers and with figures like those of the others.
make_tree branches branches.mprof 11
mprof flame --min-share=0 --value=calls -o out.svg branches.mprof
xmllint --xpath '//*[local-name()="g"]/*[local-name()="title"]/text()' out.svg | sed '/^$/d' >titles
mprof flame --value=calls -o out.svg branches.mprof
rows=$(xmllint --xpath 'string(//*[local-name()="metadata"])' out.svg | sed '1,/^$/d' | grep -c ,)
drawn=$(xmllint --xpath 'count(//*[local-name()="g" and @class="graph"]/*)' out.svg)
browse 'var all = svg.querySelectorAll(".graph > g"), outside = 0, last = all[all.length - 1];
	function number(g, name) { return parseFloat(g.querySelector("rect").getAttribute(name)); }
	Array.prototype.forEach.call(all, function (g) {
		if (number(g, "x") < 9.99 || number(g, "x") + number(g, "width") > 1190.01) outside++; });
	var titles = Array.prototype.map.call(all, function (g) { return g.textContent.split("\n")[1]; });
	return [all.length, outside, svg.querySelectorAll(".small, .list, .gray").length, titles[titles.length - 1],
		last.querySelector("title").textContent.split("\n")[0]].join("|");'
expect "small frames" "$(cut -d'|' -f1-3 <<<"$found")" "$((drawn + rows))|0|0"
grep -qxF -- "$(cut -d'|' -f4 <<<"$found")" titles || fail "figures that no frame has: $found"
grep -qF -- "$(cut -d'|' -f5 <<<"$found")" titles || fail "a name that no frame has: $found"

# No name starts a script, whatever is done with it.
for value in wall samples bytes; do
	mprof flame --value=$value --min-share=0 -o out.svg hostile.mprof
	browse 'var alerts = 0; window.alert = function () { alerts++; };
		var all = svg.querySelectorAll(".graph > g");
		all.forEach(function (g) { click(g);
			g.dispatchEvent(new MouseEvent("mouseover", {bubbles: true})); press(["Enter"]); });
		press(["/", "<", "s", "c", "r", "i", "p", "t", "Enter"]);
		return [alerts, svg.querySelectorAll("script").length, all.length > 8,
			svg.querySelectorAll(".found").length > 0].join(" ");'
	expect "hostile names, $value" "$found" "0 2 true true"
done
