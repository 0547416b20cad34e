/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the journal, makes sure that it is root's alone, locks it, reads it. */
#include "apply/journal_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "apply/fx_signals.h"
#include "apply/journal.h"
#include "apply/journal_text.h"
#include "base/clock.h"

#define LOCK_POLL_MS 100
#define PROC_LOCKS_MAX (16UL << 20)

const char *journal_path(const struct root *root, char buf[static JOURNAL_PATH_MAX])
{
	str_format(buf, JOURNAL_PATH_MAX, "%s/" JOURNAL_DIR "/" JOURNAL_FILE, root->path);
	return buf;
}

/*
 * Whoever else can write here could make us disconnect what is not ours; whoever can open it could hold the
 * lock.
 */
static int check_private(const struct root *root, const struct stat *st, const char *what, struct err *err)
{
	if (st->st_uid != root->owner)
		return err_set(err, XC_ENVIRONMENT, -EPERM, what,
			       "%s/%s: belongs to user %u, not to root; look who made it, and remove it",
			       root->path, what, (unsigned)st->st_uid);
	if (st->st_mode & (S_IRWXG | S_IRWXO))
		return err_set(err, XC_ENVIRONMENT, -EPERM, what,
			       "%s/%s: open to others than root; look who changed it, and chmod go-rwx it",
			       root->path, what);
	return 0;
}

int journal_dir_open(const struct root *root, struct err *err)
{
	struct stat st;
	int fd, r;

	if (mkdirat(root->fd, JOURNAL_DIR, 0700) < 0 && errno != EEXIST) {
		r = -errno;
		return err_set(err, XC_ENVIRONMENT, r, JOURNAL_DIR,
			       "%s/" JOURNAL_DIR ": cannot be made: %s%s", root->path, strerror(-r),
			       r == -EACCES || r == -EPERM ? "; run it as root" : "");
	}
	fd = openat(root->fd, JOURNAL_DIR, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	r = fd < 0 || fstat(fd, &st) < 0 ? -errno : 0;
	if (r == -ENOTDIR || r == -ELOOP)
		return err_set(err, XC_ENVIRONMENT, r, JOURNAL_DIR,
			       "%s/" JOURNAL_DIR ": is no directory; look who made it, and remove it",
			       root->path);
	if (r < 0)
		err_set(err, XC_ENVIRONMENT, r, JOURNAL_DIR, "%s/" JOURNAL_DIR ": %s%s", root->path,
			strerror(-r), r == -EACCES ? "; run it as root" : "");
	else
		r = check_private(root, &st, JOURNAL_DIR, err);
	if (r < 0) {
		mem_closep(&fd);
		return r;
	}
	return fd;
}

/* Pid of the process that holds the flock on the directory, from /proc/locks; 0: it does not tell. */
static unsigned lock_holder(const struct root *root, int dir)
{
	_cleanup_free_ char *text = NULL;
	char inode[64], *line, *rest = NULL;
	struct stat st;

	if (fstat(dir, &st) < 0 || root_read_all(root, &text, PROC_LOCKS_MAX, "proc/locks") < 0)
		return 0;
	/* "7: FLOCK  ADVISORY  WRITE 1234 00:19:567 0 EOF", lock_get_status() */
	str_format(inode, sizeof(inode), "%02x:%02x:%lu", major(st.st_dev), minor(st.st_dev),
		   (unsigned long)st.st_ino);
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char kind[16], where[64];
		unsigned pid;

		if (sscanf(line, "%*s %15s %*s %*s %u %63s", kind, &pid, where) == 3 &&
		    strcmp(kind, "FLOCK") == 0 && strcmp(where, inode) == 0)
			return pid;
	}
	return 0;
}

static int lock_refused(const struct root *root, int dir, int wait_s, struct err *err)
{
	unsigned pid = lock_holder(root, dir);
	char who[32] = "", how_long[32] = "";

	if (pid)
		str_format(who, sizeof(who), " (pid %u)", pid);
	if (wait_s > 0)
		str_format(how_long, sizeof(how_long), " after %d s", wait_s);
	return err_set(
		err, XC_TIMEOUT, -ETIME, JOURNAL_DIR,
		"another nvme-partition%s is still at work%s; try again, or give it longer with --wait", who,
		how_long);
}

int journal_dir_lock(const struct root *root, int dir, int wait_s, struct err *err)
{
	int64_t deadline = clock_ms() + (int64_t)wait_s * 1000;

	while (flock(dir, LOCK_EX | LOCK_NB) < 0) {
		int r = -errno;

		if (r != -EWOULDBLOCK && r != -EINTR)
			return err_set(err, XC_ENVIRONMENT, r, JOURNAL_DIR,
				       "%s/" JOURNAL_DIR ": cannot be locked: %s", root->path, strerror(-r));
		if (fx_signals_stop())
			return err_set(err, XC_FAILED, -EINTR, JOURNAL_DIR,
				       "stopped by a signal while waiting for another nvme-partition");
		if (clock_ms() >= deadline)
			return lock_refused(root, dir, wait_s, err);
		clock_sleep_ms(LOCK_POLL_MS);
	}
	return 0;
}

static int check_file(const struct root *root, int fd, struct err *err)
{
	static const char path[] = JOURNAL_DIR "/" JOURNAL_FILE;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_set(err, XC_ENVIRONMENT, -errno, path, "%s/%s: %s", root->path, path,
			       strerror(errno));
	if (!S_ISREG(st.st_mode) || st.st_nlink != 1)
		return err_set(err, XC_ENVIRONMENT, -EPERM, path,
			       "%s/%s: is no regular file with one name; look who made it, and remove it",
			       root->path, path);
	return check_private(root, &st, path, err);
}

static int open_file(const struct root *root, int dir, int flags, struct err *err)
{
	char path[JOURNAL_PATH_MAX];
	int fd = openat(dir, JOURNAL_FILE,
			O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flags, 0600);
	int r;

	if (fd < 0) {
		r = -errno;
		if (r == -ENOENT && !(flags & O_CREAT))
			return r;
		journal_path(root, path);
		return err_set(err, XC_ENVIRONMENT, r, path, "%s: %s%s", path, strerror(-r),
			       r == -ELOOP ? "; look who made it, and remove it" : "");
	}
	r = check_file(root, fd, err);
	if (r < 0) {
		(void)close(fd);
		return r;
	}
	return fd;
}

int journal_file_open(const struct root *root, int dir, struct err *err)
{
	return open_file(root, dir, 0, err);
}

int journal_file_create(const struct root *root, int dir, struct err *err)
{
	return open_file(root, dir, O_CREAT | O_EXCL, err);
}

int journal_boot_id(const struct root *root, char ret[], struct err *err)
{
	static const char path[] = "proc/sys/kernel/random/boot_id";
	char text[64];
	int r = root_line(root, text, sizeof(text), "%s", path);

	ret[0] = '\0';
	if (r == -ENOENT && !root->live)
		return 0;
	if (r == 0)
		r = parse_uuid(text, ret);
	return r < 0 ? err_set(err, XC_ENVIRONMENT, r, path, "%s/%s: %s", root->path, path, strerror(-r)) : 0;
}

int journal_file_read(const struct root *root, int fd, struct journal_data *ret, char boot_id[],
		      size_t *ret_whole, struct err *err)
{
	_cleanup_free_ char *text = NULL;
	char path[JOURNAL_PATH_MAX], why[128] = "", now[UUID_SIZE];
	struct journal_data data;
	ssize_t length;
	int r = journal_boot_id(root, now, err);

	if (r < 0)
		return r;
	journal_path(root, path);
	length = root_read_fd(fd, &text, JOURNAL_SIZE_MAX);
	if (length == -EFBIG)
		return err_set(err, XC_ENVIRONMENT, -EFBIG, path,
			       "%s: is larger than any journal (64 MiB); look at it, and move it away", path);
	if (length < 0)
		return err_set(err, XC_ENVIRONMENT, (int)length, path, "%s: %s", path,
			       strerror((int)-length));
	r = journal_parse(text, (size_t)length, &data, boot_id, ret_whole, why, sizeof(why));
	if (r < 0)
		return err_set(err, XC_ENVIRONMENT, r, path,
			       "%s: %s; nothing is undone by guessing: use the version that wrote it, or "
			       "disconnect what it lists by hand (nvme disconnect) and remove it",
			       path, why);
	if (boot_id[0] != '\0' && now[0] != '\0' && strcmp(boot_id, now) != 0) {
		journal_data_free(&data);
		data = (struct journal_data){ .readable = true, .other_boot = true };
	}
	*ret = data;
	return 0;
}
