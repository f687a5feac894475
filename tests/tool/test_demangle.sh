#!/bin/bash
# SPDX-License-Identifier: MIT
# Reports and exports contain the names that functions of C++ and Rust have in the source. Names of other schemes,
# damaged names, and names that stand for more text than memory has are printed as they are, and names after them are
# not.
set -eu
. "$srcdir/tests/tool/support.sh"

# show NAME...: prints the names as a report has them, in this order.
show() {
	local samples=() count=$#
	for name; do
		samples+=("$count@$(printf %x $((4096 - count))):$name")
		count=$((count - 1))
	done
	"$builddir/tests/tool/make_code" names.mprof /nonexistent/file "" "${samples[@]}" || fail "make_code"
	mprof report --all --top=0 --no-lines names.mprof
	expect_status 0 "report"
	sed -n '/^Samples$/,/^$/s/^.* %  \(.*\) \[file\]$/\1/p' out
}

# expect_names: each line of the file names is a name of the linker, and after a blank that of the source, or none if the
# name is printed as it is.
expect_names() {
	local linker=() source=()
	while IFS=' ' read -r name plain; do
		linker+=("$name")
		source+=("${plain:-$name}")
	done <names
	show "${linker[@]}" >shown
	printf '%s\n' "${source[@]}" | diff -u - shown >differences || fail "$(cat differences)"
	test "$(wc -l <shown)" = "${#linker[@]}" || fail "names are missing: $(cat out)"
}

cplusplus='_ZN6shapes6circle4drawEi shapes::circle::draw(int)'
cat >other.txt <<END
$cplusplus
main
_start
_D3std5stdio6writeFZv
_Z
_ZN6shapes
_R
_RNvC
_RNvC9999999999999999999999a1b
__RNvC1a1b
RNvC1a1b
END

# Filters are for the names of the source, with and without the type of the result and the parameters, and for those of
# the linker.
"$builddir/tests/tool/make_code" filtered.mprof /nonexistent/file "" 1@1000:_ZN12_GLOBAL__N_13addEi \
	2@2000:_Z4sortIPiEvT_S1_ 4@3000:_ZZ4sortIPiEvT_S1_ENKUliE_clEi 8@4000:_ZN4shop4tillcvbEv \
	16@5000:_ZNK4shop4tilllsEi 32@6000:_ZN4shop4tillclEi 64@7000:sort || fail "make_code"
# expect_matches PATTERN HITS: the samples that the pattern selects.
expect_matches() {
	mprof report --json --no-lines --focus="$1" filtered.mprof
	expect_json "report --focus=$1" '[.sample_tree[].total_hits] | add' "$2"
	mprof export --to=folded --no-lines --focus="$1" -o filtered.txt filtered.mprof
	expect "export --focus=$1" "$(awk '{ sum += $NF } END { print sum }' filtered.txt)" "$2"
	mprof flame --no-lines --focus="$1" -o filtered.svg filtered.mprof
	expect_status 0 "flame --focus=$1"
}
expect_matches '(anonymous namespace)::add' 1
expect_matches '(anonymous namespace)::add(int)' 1
expect_matches 'sort' 64
expect_matches 'sort<?*>' 2
expect_matches 'sort<*>(int?, int?)' 2
expect_matches 'void sort<int?>' 2
expect_matches '*::{lambda(int)#1}::operator()' 4
expect_matches 'shop::till::operator bool' 8
expect_matches 'shop::till::operator<<' 16
expect_matches 'shop::till::operator()' 32
expect_matches 'shop::till::*' 56
expect_matches _ZN4shop4tillclEi 32

# Exports and documents have the names of the source, too, and beside them those of the object file where the format has
# a place for them; with --compiler-names only these.
symbol=_ZN6shapes6circle4drawEi
exported='shapes::circle::draw(int)'
"$builddir/tests/tool/make_code" exported.mprof /nonexistent/file "" 4@1000:$symbol 8@2000:main || fail "make_code"
for format in pprof perfetto speedscope folded firefox callgrind dot otlp sqlite; do
	mprof export --to=$format -o exported.$format exported.mprof
	expect_status 0 "export --to=$format"
	case $format in
	pprof) gzip -dc <exported.$format >content ;;
	*) cp exported.$format content ;;
	esac
	grep -qaF "$exported" content || fail "$format lacks the name of the source"
	case $format in
	pprof | otlp) grep -qaF "$symbol" content || fail "$format lacks the name of the object file" ;;
	*) ! grep -qaF "$symbol" content || fail "$format has the name of the object file" ;;
	esac
	mprof export --to=$format --compiler-names -o - exported.mprof
	expect_status 0 "export --to=$format --compiler-names"
	case $format in
	pprof) gzip -dc <out >content ;;
	*) cp out content ;;
	esac
	grep -qaF "$symbol" content || fail "$format --compiler-names lacks the name"
	! grep -qaF "$exported" content || fail "$format --compiler-names has the name of the source"
done
mprof export --to=hprof --compiler-names -o - exported.mprof
expect_status 2 "export --to=hprof --compiler-names"
# expect_names_in WHAT FILTER: of the document in out, the name and the symbol of the functions.
expect_names_in() {
	expect_json "$1" "[$2 | \"\(.name) \(.symbol)\"] | sort | join(\";\")" \
		"\"main null;$exported $symbol\""
}
mprof report --json --no-lines exported.mprof
expect_names_in "report" '.samples[]'
mprof top --once --json exported.mprof
expect_names_in "top" '.samples[]'
mprof diff --json exported.mprof exported.mprof
expect_names_in "diff" '.samples[]'
mprof report --csv --no-lines --sections=samples exported.mprof
grep -qF "$exported" out || fail "CSV lacks the name of the source: $(cat out)"
mprof report --all --no-lines --compiler-names exported.mprof
grep -qF "$symbol" out || fail "report --compiler-names lacks the name of the object file"

# Without libiberty, names of Rust are printed as they are: those of the older scheme, too, although they are of C++ also.
if test -n "${MPROF_WITHOUT_LIBIBERTY-}"; then
	cp other.txt names
	printf '%s\n' _RNvCs9ltgdHTiPiY_4shop5count _ZN4shop4sell17he39bdf0230cb3880E >>names
	echo '_ZN6shapes6circle5areasEv shapes::circle::areas()' >>names
	expect_names
	exit
fi

# Names of the compiler: generic functions, constants, closures, implementations of traits, objects of traits, tuples, and
# letters outside of ASCII; then suffixes of the linker's, and the older scheme.
cat >rust.txt <<'END_OF_NAMES'
_RNvCs6xxl1lAjzDf_1a4leaf a::leaf
_RNvNtCs6xxl1lAjzDf_1a6shapes7measure a::shapes::measure
_RINvCs6xxl1lAjzDf_1a7genericINtNtNtNtCsjrHSEGnQ3l9_3std11collections4hash3map7HashMaphReEEB2_ a::generic::<std::collections::hash::map::HashMap<u8, &str>>
_RINvCs6xxl1lAjzDf_1a5konstKj3_Kb1_Kc78_Kan5_EB2_ a::konst::<3, true, 'x', -5>
_RINvCs6xxl1lAjzDf_1a5konstKjffff_Kb0_Kca_Ka7f_EB2_ a::konst::<65535, false, '\n', 127>
_RINvCs6xxl1lAjzDf_1a5applyNCNCNvB2_4mains_00EB2_ a::apply::<a::main::{closure#1}::{closure#0}>
_RINvCs6xxl1lAjzDf_1a6dynargDG_INtNtNtCsgEmfK2I1SDS_4core3ops8function2FnTRL0_hEEp6OutputRL0_hEL_EB2_ a::dynarg::<dyn for<'a> core::ops::function::Fn<(&'a u8,), Output = &'a u8>>
_RINvCs6xxl1lAjzDf_1a3ptrFUKClElEB2_ a::ptr::<unsafe extern "C" fn(i32) -> i32>
_RNvXs_NtCs6xxl1lAjzDf_1a6shapesINtB4_4PairNtB4_6CircleBE_ENtB4_4Area4areaB6_ <a::shapes::Pair<a::shapes::Circle, a::shapes::Circle> as a::shapes::Area>::area
_RNvCs6xxl1lAjzDf_1au15caf_gre_5va0gtg a::café_größe
_RNvCs6xxl1lAjzDf_1au7_1lqs71d a::東京
_RNvCs6xxl1lAjzDf_1a4leaf.llvm.1234 a::leaf
_ZN4shop4sell28_$u7b$$u7b$closure$u7d$$u7d$17he39bdf0230cb3880E shop::sell::{{closure}}
_ZN42_$LT$shop..Till$u20$as$u20$shop..Sells$GT$2go17h34326b2ad315cc28E <shop::Till as shop::Sells>::go
_ZN4shop4sell17he39bdf0230cb3880E.llvm.77 shop::sell
END_OF_NAMES

# Each pair has the type of the last one twice.
pairs=$(tr -d '\n' <<'END'
_RINvC1a1bTmmETB7_B7_ETBb_Bb_ETBj_Bj_ETBr_Br_ETBz_Bz_ETBH_BH_ETBP_BP_ETBX_BX_ETB15_B15_ETB1d_B1d_ETB1n_B1n_ETB
1x_B1x_ETB1H_B1H_ETB1R_B1R_ETB21_B21_ETB2b_B2b_ETB2l_B2l_ETB2v_B2v_ETB2F_B2F_ETB2P_B2P_ETB2Z_B2Z_ETB39_B39_ETB
3j_B3j_ETB3t_B3t_ETB3D_B3D_ETB3N_B3N_ETB3X_B3X_ETB47_B47_ETB4h_B4h_ETB4r_B4r_ETB4B_B4B_ETB4L_B4L_ETB4V_B4V_ETB
55_B55_ETB5f_B5f_ETB5p_B5p_ETB5z_B5z_ETB5J_B5J_ETB5T_B5T_ETB63_B63_ETB6d_B6d_ETB6n_B6n_ETB6x_B6x_ETB6H_B6H_ETB
6R_B6R_ETB71_B71_ETB7b_B7b_ETB7l_B7l_ETB7v_B7v_ETB7F_B7F_EE
END
)

# repeat TEXT COUNT
repeat() {
	local text
	printf -v text '%*s' "$2" ''
	printf '%s' "${text// /$1}"
}

cat other.txt rust.txt >names
cat >>names <<END
$pairs
_RINvC1a1b$(repeat R 3000)mE
_RINvC1a1bB8_E
_RINvC1a1bTB9_EE
_RNvC1a5000$(repeat b 5000)
_ZN$(repeat 1a 3000)Ev
_Z1f$(repeat P 4000)i
_RNvCs6xxl1lAjzDf_1a5after a::after
END
expect_names

# What rustc makes of a program.
if ! command -v rustc >/dev/null || ! rustc --version >/dev/null 2>&1; then
	exit
fi
cat >app.rs <<'END'
use std::hint::black_box;
pub trait Area { fn area(&self) -> u64; }
pub struct Circle(u64);
pub struct Pair<A, B>(A, B);
impl Circle { #[inline(never)] pub fn new(radius: u64) -> Circle { Circle(black_box(radius + 7)) } }
impl Area for Circle { #[inline(never)] fn area(&self) -> u64 { black_box(self.0) } }
impl<A: Area, B: Area> Area for Pair<A, B> {
    #[inline(never)] fn area(&self) -> u64 { black_box(self.0.area() + self.1.area()) }
}
#[inline(never)] fn fixed<const COUNT: usize, const SIGN: i8>() -> u64 { black_box(COUNT as u64 + SIGN as u64) }
#[inline(never)] fn apply<F: Fn(u64) -> u64>(f: F) -> u64 { black_box(f(2)) }
#[inline(never)] fn größe(x: u64) -> u64 { black_box(x) }
fn main() {
    let sum = Pair(Circle::new(1), Circle(2)).area() + fixed::<3, -5>() + apply(|x| black_box(x + 1)) + größe(1);
    std::process::exit((black_box(sum) & 1) as i32);
}
END

# expect_program WHAT NAME...: the names of the program's functions are among those shown, and all are readable.
expect_program() {
	local names what=$1
	mapfile -t names < <(nm app | awk '$3 ~ /^(_R|_ZN).*app/ { print $3 }')
	show "${names[@]}" >shown
	shift
	for name; do
		grep -qxF -- "$name" shown || fail "$what: $name is not among $(cat shown)"
	done
	expect_no_line shown '^_'
}

if rustc -O -C symbol-mangling-version=v0 -o app app.rs 2>rustc.txt; then
	expect_program "newer names" "app::main" "<app::Circle>::new" "<app::Circle as app::Area>::area" "app::größe" \
		"<app::Pair<app::Circle, app::Circle> as app::Area>::area" "app::fixed::<3, -5>" \
		"app::apply::<app::main::{closure#0}>"
fi
# Later compilers have to be asked twice for the older ones.
if rustc -O -C symbol-mangling-version=legacy -o app app.rs 2>rustc.txt ||
	RUSTC_BOOTSTRAP=1 rustc -O -Z unstable-options -C symbol-mangling-version=legacy -o app app.rs 2>rustc.txt; then
	expect_program "older names" "app::main" "app::Circle::new" "<app::Circle as app::Area>::area" "app::fixed" \
		"<app::Pair<A,B> as app::Area>::area" "app::apply"
fi
