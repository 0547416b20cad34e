/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Deletes NVMe controllers from a child, which may stay behind in its write. */
#include "apply/fx_delete.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/clock.h"

#define CLASS_NVME "sys/class/nvme"
#define DELETE "delete_controller"
#define LOOK_MS 10
#define FDS_MAX (1 << 20) /* fs.nr_open, unless somebody raised it */
#define ERRNO_MAX 255	  /* what an exit status holds; the kernel's end at 133 (errno.h) */

static int failed(const struct fx_delete *del, int code, struct err *err)
{
	return err_set(err, XC_FAILED, code, del->portal, "%s: nvme%u could not be disconnected: %s",
		       del->portal, del->instance, strerror(-code));
}

/* --- the child ------------------------------------------------------------------------------ */

/* All from first on. The system call is of Linux 5.9; filters of containers that do not know it say EPERM. */
static void close_from(int first)
{
	struct rlimit limit = { .rlim_cur = FDS_MAX };

	if (syscall(SYS_close_range, (unsigned)first, ~0U, 0) == 0)
		return;
	(void)getrlimit(RLIMIT_NOFILE, &limit);
	for (int fd = first; fd < FDS_MAX && (rlim_t)fd < limit.rlim_cur; fd++)
		(void)close(fd);
}

/*
 * In the child, so async-signal-safe calls alone. It must hold nothing that somebody waits for, and hear
 * nothing: a session of its own, so that no terminal's hangup finds it, and signals are blocked already.
 */
static _Noreturn void write_and_exit(int fd)
{
	ssize_t written;
	int code;

	if (dup2(fd, 0) < 0 || chdir("/") < 0 || setsid() < 0)
		_exit(errno);
	close_from(1);
	written = write(0, "1", 1);
	code = written == 1 ? 0 : written < 0 ? errno : EIO;
	_exit(code > ERRNO_MAX ? EIO : code);
}

static int start_writer(int fd, pid_t *ret)
{
	sigset_t all, before;
	int r = 0;
	pid_t pid;

	(void)sigfillset(&all);
	/* Before the fork: no handler of ours may run in the child, and no signal end it halfway. */
	if (sigprocmask(SIG_SETMASK, &all, &before) < 0)
		return -errno;
	pid = fork();
	if (pid == 0)
		write_and_exit(fd);
	if (pid < 0)
		r = -errno;
	else
		*ret = pid;
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	return r;
}

/* --- begin ---------------------------------------------------------------------------------- */

int fx_delete_read_id(const struct root *dir, struct ctrl_id *ret)
{
	struct ctrl_id id = { 0 };
	char address[512];
	int r;

#define READ(attr, buf) root_line(dir, buf, sizeof(buf), "%s", attr)
	r = READ("transport", id.transport);
	if (r == 0 && strcmp(id.transport, "rdma") != 0)
		r = -EPROTONOSUPPORT;
	if (r == 0)
		r = READ("address", address);
	if (r == 0)
		r = READ("subsysnqn", id.nqn);
	if (r == 0)
		r = READ("hostnqn", id.hostnqn);
	if (r == 0)
		r = READ("hostid", id.hostid);
#undef READ
	if (r == 0)
		r = ctrl_address_parse(address, &id);
	if (r == 0)
		*ret = id;
	return r;
}

/* Whether dir is (still) of the controller id. */
static int check(const struct root *dir, const struct ctrl_id *id, uint64_t inode, struct fx_delete *del,
		 struct err *err)
{
	struct ctrl_id now;
	struct stat st;
	int r = dir->fd < 0 ? dir->fd : 0;

	if (r == 0 && fstat(dir->fd, &st) < 0)
		r = -errno;
	if (r == 0 && inode != 0 && inode != (uint64_t)st.st_ino)
		r = -ESTALE;
	if (r == 0)
		r = fx_delete_read_id(dir, &now);
	if (r == -ENOENT || r == -ENODEV || r == -EPROTONOSUPPORT || (r == 0 && !ctrl_id_equal(&now, id)))
		r = -ESTALE;
	if (r == -ESTALE)
		return err_set(err, XC_REFUSED, r, del->portal,
			       "%s: nvme%u is not (or no longer) the controller of %s from %s; left alone",
			       del->portal, del->instance, id->nqn, id->host_traddr);
	if (r < 0)
		return err_set(err, XC_FAILED, r, del->portal,
			       "%s: what nvme%u is cannot be read: %s; left alone", del->portal,
			       del->instance, strerror(-r));
	return 0;
}

int fx_delete_begin(const struct root *root, const struct ctrl_id *id, unsigned instance, uint64_t inode,
		    struct fx_delete *ret, struct err *err)
{
	_cleanup_delete_ struct fx_delete del = { .dir = -1, .instance = instance };
	_cleanup_close_ int fd = -1;
	struct root dir = *root;
	int r;

	fx_nvme_portal(id, del.portal);
	if (!root->live)
		return err_set(err, XC_ENVIRONMENT, -EROFS, del.portal, "%s: a tree is never disconnected",
			       del.portal);
	del.dir = root_openat(root, O_PATH | O_DIRECTORY, CLASS_NVME "/nvme%u", instance);
	if (del.dir < 0 && del.dir != -ENOENT)
		return failed(&del, del.dir, err);
	dir.fd = del.dir;
	r = check(&dir, id, inode, &del, err);
	if (r < 0)
		return r;
	fd = root_openat(&dir, O_WRONLY | O_NOCTTY, DELETE);
	/* The first write takes the attribute away (nvme_sysfs_delete, device_remove_file_self). */
	if (fd < 0 && fd != -ENOENT && fd != -ENODEV)
		return failed(&del, fd, err);
	r = fd < 0 ? 0 : start_writer(fd, &del.child);
	if (r < 0)
		return failed(&del, r, err);
	*ret = del;
	del.dir = -1;
	del.child = 0;
	return 0;
}

/* --- afterwards ------------------------------------------------------------------------------ */

/* Takes the child's exit status, if it has one. */
static void reap(struct fx_delete *del)
{
	int status;
	pid_t pid;

	if (del->child == 0)
		return;
	pid = waitpid(del->child, &status, WNOHANG);
	if (pid == 0 || (pid < 0 && errno == EINTR))
		return;
	/*
	 * ECHILD: whoever started us ignores SIGCHLD, which is inherited, and the kernel keeps no status. Nor
	 * is there one of a child that was killed. Then the directory alone tells.
	 */
	if (pid == del->child && WIFEXITED(status))
		del->code = -WEXITSTATUS(status);
	del->child = 0;
}

static bool is_dead(const struct fx_delete *del)
{
	/* Every controller has that file, and a directory that was removed has none. */
	return faccessat(del->dir, "transport", F_OK, 0) < 0 && (errno == ENOENT || errno == ENODEV);
}

/* Somebody deletes it: the kernel says so, or lets its files go. */
static bool is_leaving(const struct fx_delete *del)
{
	const struct root dir = { .fd = del->dir, .live = true };
	char state[32];
	int r = root_line(&dir, state, sizeof(state), "state");

	return r == 0 ? ctrl_state_is_gone(state) : r == -ENOENT || r == -ENODEV;
}

enum removal fx_delete_poll(struct fx_delete *del, struct err *err)
{
	reap(del);
	if (is_dead(del))
		return REMOVAL_GONE;
	switch (-del->code) {
	case 0:
	case EINTR:
	case ENOENT:
	case ENODEV:
		/* Still written; or the write came back at once, as somebody else's was first. */
		return REMOVAL_PENDING;
	case EBUSY: /* nvme_sysfs_delete: it has never been started */
		return is_leaving(del) ? REMOVAL_PENDING : REMOVAL_BUSY;
	}
	if (is_leaving(del))
		return REMOVAL_PENDING;
	(void)failed(del, del->code, err);
	return REMOVAL_FAILED;
}

void fx_delete_close(struct fx_delete *del)
{
	if (!del)
		return;
	reap(del); /* one that still writes is nobody's child once this process has ended */
	if (del->dir >= 0)
		(void)close(del->dir);
	del->dir = -1;
	del->child = 0;
}

int fx_delete_wait(const struct root *root, const struct ctrl_id *id, unsigned instance, int timeout_ms,
		   struct err *err)
{
	_cleanup_delete_ struct fx_delete del = FX_DELETE_INIT;
	int64_t deadline = clock_ms() + timeout_ms;
	int r = fx_delete_begin(root, id, instance, 0, &del, err);

	if (r < 0)
		return r;
	for (;;) {
		bool late = clock_ms() >= deadline;

		switch (fx_delete_poll(&del, err)) {
		case REMOVAL_GONE:
			return 0;
		case REMOVAL_FAILED:
			return del.code;
		case REMOVAL_BUSY:
			return err_set(err, XC_FAILED, -EBUSY, del.portal,
				       "%s: nvme%u could not be disconnected: it is still being connected; "
				       "try again later",
				       del.portal, instance);
		case REMOVAL_PENDING:
			break;
		}
		if (late)
			return err_set(err, XC_TIMEOUT, -ETIMEDOUT, del.portal,
				       "%s: nvme%u is still being deleted after %d s; the kernel goes on "
				       "with it",
				       del.portal, instance, timeout_ms / 1000);
		clock_sleep_ms(LOOK_MS);
	}
}
