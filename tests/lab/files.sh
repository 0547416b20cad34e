# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034
# Helpers of `prepare` and `run`: where the cache is, and how a tree becomes a part of an initramfs.

cache=${NVME_PARTITION_LAB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/nvme-partition/lab}

# copy_file TREE FILE: the file, links followed, below TREE. Everything goes below usr: the guest's /usr is merged.
copy_file() {
	local to=$2
	case $to in /usr/*|/etc/*) ;; *) to=/usr$to ;; esac
	mkdir -p "$1${to%/*}"
	cp -L "$2" "$1$to"
}

# copy_libraries TREE PROGRAM: the libraries that PROGRAM is linked with.
copy_libraries() {
	local library
	for library in $(ldd "$2" | grep -o '/[^ ]*'); do
		[ -e "$1$library" ] || copy_file "$1" "$library"
	done
}

# copy_program TREE PROGRAM [NAME]: to /usr/bin of the guest, with its libraries.
copy_program() {
	mkdir -p "$1/usr/bin"
	cp -L "$2" "$1/usr/bin/${3:-${2##*/}}"
	copy_libraries "$1" "$2"
}

# pack TREE: a cpio archive, as the kernel wants it, on stdout.
pack() {
	(cd "$1" && find . -mindepth 1 | LC_ALL=C sort | cpio -o -H newc -R 0:0 --quiet)
}
