# SPDX-License-Identifier: BSD-2-Clause
#
# Completion for bash: the program itself knows what may come.

_ngxcache()
{
	local current=${COMP_WORDS[COMP_CWORD]} line

	COMPREPLY=()
	while IFS= read -r line; do
		case $line in
		:file)
			compopt -o filenames
			mapfile -t COMPREPLY < <(compgen -f -- "${current#=}") ;;
		:dir)
			compopt -o filenames
			mapfile -t COMPREPLY < <(compgen -d -- "${current#=}") ;;
		--*=*)
			line=${line#*=}
			COMPREPLY+=("${line%%$'\t'*}") ;;
		*)
			COMPREPLY+=("${line%%$'\t'*}") ;;
		esac
	done < <("$1" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}

complete -F _ngxcache ngxcache
