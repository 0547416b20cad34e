/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mounts and swaps as procfs shows them: show_mountinfo and swap_show are the writers, and what they escape
 * (a backslash and three octal digits) is taken back.
 */
#include "facts/mounts.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "facts/sysfs.h"

/* 100000 mounts (fs.mount-max) of overlays with long options. */
#define MOUNTINFO_MAX (256UL << 20)
#define SWAPS_MAX (64UL << 10)

/* --- text ------------------------------------------------------------------------------------- */

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* In place. False if it is not what seq_escape writes. */
static bool unescape(char *text)
{
	char *to = text;

	for (const char *at = text; *at != '\0'; at++) {
		unsigned value;

		if (*at != '\\') {
			*to++ = *at;
			continue;
		}
		if (!is_octal(at[1]) || !is_octal(at[2]) || !is_octal(at[3]))
			return false;
		value = (unsigned)(at[1] - '0') << 6 | (unsigned)(at[2] - '0') << 3 | (unsigned)(at[3] - '0');
		if (value == 0 || value > UCHAR_MAX)
			return false;
		*to++ = (char)value;
		at += 3;
	}
	*to = '\0';
	return true;
}

/* The whole file as one string. */
static int read_text(const struct root *root, char **ret, size_t max, const char *path)
{
	ssize_t length = root_read_all(root, ret, max, "%s", path);

	if (length < 0)
		return (int)length;
	if (memchr(*ret, '\0', (size_t)length)) {
		free(*ret);
		*ret = NULL;
		return -EBADMSG;
	}
	return 0;
}

/* --- mounts ----------------------------------------------------------------------------------- */

/* "259:3" */
static bool is_dev(const char *text)
{
	size_t major = strspn(text, "0123456789");
	size_t minor = text[major] == ':' ? strspn(text + major + 1, "0123456789") : 0;

	return major > 0 && minor > 0 && text[major + 1 + minor] == '\0';
}

/* "36 35 98:0 /root /point rw,noatime master:1 - ext3 /dev/source rw": one blank between fields, also empty
 * ones */
static bool parse_mount(char *line, struct mount *ret)
{
	char *field[6], *more, *source;

	for (size_t i = 0; i < ARRAY_SIZE(field); i++) {
		field[i] = strsep(&line, " ");
		if (!field[i])
			return false;
	}
	do {
		more = strsep(&line, " ");
		if (!more)
			return false;
	} while (strcmp(more, "-") != 0);
	(void)strsep(&line, " "); /* the file system's type */
	source = strsep(&line, " ");
	if (!source || !is_dev(field[2]) || field[3][0] == '\0' || field[4][0] != '/' ||
	    !unescape(field[4]) || !unescape(source))
		return false;
	*ret = (struct mount){ .dev = field[2], .point = field[4], .source = source };
	return true;
}

int mounts_read(const struct root *root, const char *path, struct mounts *ret)
{
	_cleanup_mounts_ struct mounts mounts = MOUNTS_INIT;
	int r = read_text(root, &mounts.text, MOUNTINFO_MAX, path);
	char *at = mounts.text;

	if (r < 0)
		return r;
	while (at && *at != '\0') {
		struct mount *larger = mem_grow(mounts.mount, mounts.count, sizeof(*larger));

		if (!larger)
			return -ENOMEM;
		mounts.mount = larger;
		if (!parse_mount(strsep(&at, "\n"), &mounts.mount[mounts.count]))
			return -EBADMSG;
		mounts.count++;
	}
	*ret = mounts;
	mounts = (struct mounts)MOUNTS_INIT;
	return 0;
}

void mounts_free(struct mounts *mounts)
{
	free(mounts->text);
	free(mounts->mount);
	*mounts = (struct mounts)MOUNTS_INIT;
}

/* --- swaps ------------------------------------------------------------------------------------ */

/* "/dev/dm-3    partition   8388604   0   -2": blanks and tabs, as many as make columns */
static bool parse_swap(char *line, struct swap *ret)
{
	char *path = strsep(&line, " \t"), *type;

	if (!line)
		return false;
	line += strspn(line, " \t");
	type = strsep(&line, " \t");
	ret->path = path;
	ret->file = strcmp(type, "file") == 0;
	return path[0] != '\0' && (ret->file || strcmp(type, "partition") == 0) && unescape(path);
}

int swaps_read(const struct root *root, struct swaps *ret)
{
	_cleanup_swaps_ struct swaps swaps = { 0 };
	int r = read_text(root, &swaps.text, SWAPS_MAX, "proc/swaps");
	char *at = swaps.text;

	if (r < 0)
		return r;
	(void)strsep(&at, "\n"); /* the head */
	while (at && *at != '\0') {
		struct swap *larger = mem_grow(swaps.swap, swaps.count, sizeof(*larger));

		if (!larger)
			return -ENOMEM;
		swaps.swap = larger;
		if (!parse_swap(strsep(&at, "\n"), &swaps.swap[swaps.count]))
			return -EBADMSG;
		swaps.count++;
	}
	*ret = swaps;
	swaps = (struct swaps){ 0 };
	return 0;
}

void swaps_free(struct swaps *swaps)
{
	free(swaps->text);
	free(swaps->swap);
	*swaps = (struct swaps){ 0 };
}

/* --- mount namespaces ------------------------------------------------------------------------- */

bool mount_process_ended(int code)
{
	return code == -ENOENT || code == -ESRCH || code == -EINVAL;
}

bool mount_process_denied(struct mount_processes *processes, pid_t pid, int code)
{
	if (code != -EACCES && code != -EPERM)
		return false;
	if (processes->denied++ == 0) {
		processes->denied_pid = pid;
		processes->denied_code = code;
	}
	return true;
}

int mount_ns_read(const struct root *root, const char *process, uint64_t *ret)
{
	char text[64], *end;
	int r = root_link(root, text, sizeof(text), "proc/%s/ns/mnt", process);

	*ret = 0;
	if (r < 0)
		return r;
	end = strrchr(text, ']'); /* "mnt:[4026531841]" */
	if (!str_starts(text, "mnt:[") || !end || end[1] != '\0')
		return -EBADMSG;
	*end = '\0';
	return parse_u64(text + strlen("mnt:["), UINT64_MAX, ret) < 0 || *ret == 0 ? -EBADMSG : 0;
}

static int compare_processes(const void *a, const void *b)
{
	const struct mount_process *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static int add_process(const struct root *root, const char *name, pid_t pid,
		       struct mount_processes *processes)
{
	struct mount_process *larger;
	uint64_t ns;
	int r = mount_ns_read(root, name, &ns);

	if (mount_process_ended(r))
		return 0;
	if (r < 0)
		return mount_process_denied(processes, pid, r) ? 0 : r;
	larger = mem_grow(processes->process, processes->count, sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	processes->process = larger;
	processes->process[processes->count++] = (struct mount_process){ .ns = ns, .pid = pid };
	return 0;
}

int mount_processes_read(const struct root *root, struct mount_processes *ret)
{
	_cleanup_mount_processes_ struct mount_processes processes = { 0 };
	_cleanup_names_ struct names names = NAMES_INIT;
	int r = root_list(root, &names, "proc");

	for (size_t i = 0; i < names.count && r == 0; i++) {
		unsigned pid;

		if (sysfs_numbered(names.name[i], "", &pid) && pid <= INT_MAX)
			r = add_process(root, names.name[i], (pid_t)pid, &processes);
	}
	if (r < 0)
		return r;
	if (processes.count > 1)
		qsort(processes.process, processes.count, sizeof(*processes.process), compare_processes);
	*ret = processes;
	processes = (struct mount_processes){ 0 };
	return 0;
}

void mount_processes_free(struct mount_processes *processes)
{
	free(processes->process);
	*processes = (struct mount_processes){ 0 };
}
