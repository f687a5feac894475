# SPDX-License-Identifier: MIT
# Puts the name of its section before each line of what mprof decode and mprof-decoder print; leaves out separators.
/^(Reporting allocations|No allocations reported) / { section = "allocations" }
/^(Reporting execution time|No execution time reported) \(on/ { section = "calls" }
/^Reporting execution time by stack frame/ { section = "tree" }
/^(Reporting|No) jit time/ { section = "compilations" }
/^(Reporting|No) statistical hits/ { section = "samples" }
/^Reporting monitor statistics/ { section = "monitors" }
/^Reporting GC statistics/ { section = "collections" }
/^Reporting allocation summaries/ { section = "summaries" }
/^Reporting heap data/ { section = "heap" }
/^$/ || /^-----/ { next }
{ print section "|" $0 }
