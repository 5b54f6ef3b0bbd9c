# SPDX-License-Identifier: BSD-2-Clause
#
# Completion for fish: the program itself knows what may come.

function __ngxcache_complete
	set -l words (commandline -opc)
	set -l current (commandline -ct)
	set -l program $words[1]
	set -e words[1]
	for line in ($program __complete $words "$current" 2>/dev/null)
		switch $line
			case :file
				__fish_complete_path (string replace -r '^--[^=]*=' '' -- $current)
			case :dir
				__fish_complete_directories (string replace -r '^--[^=]*=' '' -- $current)
			case '*'
				echo $line
		end
	end
end

complete -c ngxcache -f -a '(__ngxcache_complete)'
