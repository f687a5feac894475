# SPDX-License-Identifier: MIT
# fish completion for mprof(1): 'mprof complete' prints what can follow.

function __mprof_complete
	set -l words (commandline -opc) (commandline -ct)
	for line in (mprof complete $words[2..-1] 2>/dev/null)
		switch $line
			case ':files'
				__fish_complete_path (string replace -r '^--[a-z-]*=' '' -- (commandline -ct))
			case ':logs'
				__fish_complete_suffix .mprof
			case ':processes'
				__fish_complete_pids
			case ':program *'
				set -l first (string replace ':program ' '' -- $line)
				complete -C (string join ' ' -- (string escape -- $words[(math $first + 1)..-2]) $words[-1])
			case '*'
				echo $line
		end
	end
end

complete -c mprof -f -a '(__mprof_complete)'
