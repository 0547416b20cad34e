# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# What the lints share; each sources it. Environment: srcdir, builddir, the top directories (default: this
# source tree, the working directory). A lint prints one offence a line on stderr. Exit 0: none, 1: some,
# 77: it cannot be run here.
LC_ALL=C
export LC_ALL
srcdir=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
builddir=$(cd "${builddir:-.}" && pwd)

skip() {
	echo "$(basename "$0"): skipped: $*" >&2
	exit 77
}

need() {
	for tool; do command -v "$tool" >/dev/null || skip "no program $tool"; done
}

# The end of a lint: exit 1 if there are offences.
report() {
	[ -n "$1" ] || exit 0
	printf '%s\n' "$1" | sed "s/^/$(basename "$0"): /" >&2
	exit 1
}

# Files of the project below srcdir, relative to it. Not git's list: a file is looked at before it is added, and
# in a tarball as well. What a build in the source tree makes is left out.
project_files() {
	(
		cd "$srcdir" || exit 1
		for top in .ci autogen.sh configure.ac Makefile.am completions examples man platforms \
			schema src tests; do
			[ ! -e "$top" ] || find "$top" -name platforms_builtin.c -prune -o -type f -print
		done | sort
	)
}

# C files: below the given folders.
c_files() {
	project_files | grep -E "^($(echo "$*" | tr ' ' '|'))/.*\.[ch]$"
}

# Files that are neither data nor C, as a list of words: no name in the project has blanks.
text_files() {
	project_files | grep -vE '\.([ch]|json|root|txt|out|err|list)$' | tr '\n' ' '
}

# Shell scripts: by their first line, by their suffix, and the completion, which has neither.
shell_scripts() {
	# shellcheck disable=SC2046 # a list of words
	(cd "$srcdir" && awk 'FNR > 1 { nextfile }
		FILENAME ~ /\.sh$|^completions\// || /^#! ?\/(usr\/)?bin\/(env )?(ba|da)?sh( |$)/ { print FILENAME }' $(text_files))
}
