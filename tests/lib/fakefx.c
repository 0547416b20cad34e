/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The in-memory world of the tests of run and journal. */
#include "lib/fakefx.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* --- the world --------------------------------------------------------------------------------- */

void fake_world_init(struct fake_world *world, const struct root *root)
{
	memset(world, 0, sizeof(*world));
	world->root = root;
	world->next_cntlid = 1;
	world->fail_call = world->crash_point = world->outsider_point = world->stop_point = FAKE_NEVER;
	world->verdict = VERDICT_PROVEN;
}

struct fake_ctrl *fake_find(struct fake_world *world, const struct ctrl_id *id)
{
	for (unsigned i = 0; i < world->ctrls; i++) {
		if (ctrl_id_equal(&world->ctrl[i].id, id))
			return &world->ctrl[i];
	}
	return NULL;
}

struct fake_ctrl *fake_connect(struct fake_world *world, const struct ctrl_id *id, bool ours)
{
	struct fake_ctrl *ctrl = &world->ctrl[world->ctrls];

	assert(world->ctrls < FAKE_CTRLS_MAX && !fake_find(world, id));
	world->ctrls++;
	*ctrl = (struct fake_ctrl){ .id = *id,
				    .instance = world->next_instance++,
				    .cntlid = world->next_cntlid++,
				    .state = "live",
				    .ours = ours };
	return ctrl;
}

void fake_disconnect(struct fake_world *world, const struct ctrl_id *id)
{
	struct fake_ctrl *ctrl = fake_find(world, id);

	if (ctrl)
		*ctrl = world->ctrl[--world->ctrls];
}

/* One of the two points of a call. */
static void pass(struct fake_world *world)
{
	unsigned point = world->point++;

	if (point == world->outsider_point) {
		if (world->outsider == FAKE_DISCONNECTS)
			fake_disconnect(world, &world->outsider_id);
		else if (world->outsider == FAKE_CONNECTS && !fake_find(world, &world->outsider_id))
			fake_connect(world, &world->outsider_id, false);
	}
	if (point == world->crash_point)
		longjmp(world->crash, 1);
}

static bool fails(const struct fake_world *world)
{
	return world->point / 2 == world->fail_call;
}

static int fake_observe(void *ctx, const struct step *step, struct observed *ret, struct err *err)
{
	struct fake_world *world = ctx;
	bool failing = fails(world);
	const struct fake_ctrl *ctrl;

	pass(world);
	ctrl = fake_find(world, &step->id);
	*ret = (struct observed){ .instance = -1, .cntlid = -1, .source_on_port = !world->source_gone };
	if (ctrl) {
		ret->there = true;
		ret->live = strcmp(ctrl->state, "live") == 0;
		ret->instance = ctrl->instance;
		ret->cntlid = ctrl->cntlid;
		memcpy(ret->state, ctrl->state, sizeof(ret->state));
	}
	pass(world);
	return failing ? err_set(err, XC_ENVIRONMENT, -EIO, step->id.nqn, "sysfs could not be read") : 0;
}

/*
 * What the journal says on disk, now, must end in the intent of this very step; or at least hold the connect
 * of what is disconnected.
 */
static void check_intent(struct fake_world *world, const struct step *step)
{
	struct journal_data data;
	struct err err = { 0 };
	const struct journal_rec *last;

	world->effects++;
	if (!world->root)
		return;
	if (journal_read(world->root, &data, &err) < 0) {
		world->unwritten++;
		return;
	}
	last = data.records ? &data.rec[data.records - 1] : NULL;
	if (world->disk_full && step->kind == STEP_NVME_DISCONNECT && journal_owns(&data, &step->id))
		;
	else if (!last || data.torn || last->type != JOURNAL_STEP || last->state != JOURNAL_INTENT ||
		 last->kind != step->kind || !ctrl_id_equal(&last->id, &step->id))
		world->unwritten++;
	journal_data_free(&data);
}

static int fake_perform(void *ctx, const struct step *step, enum path_reason *ret_reason, struct err *err)
{
	struct fake_world *world = ctx;
	bool failing = fails(world);
	int code = 0;

	world->failed_otherwise |= failing && world->failure != FAKE_ERROR;
	pass(world);
	check_intent(world, step);
	*ret_reason = PATH_OTHER;
	if (step->kind == STEP_NVME_CONNECT && fake_find(world, &step->id)) {
		code = err_set(err, XC_FAILED, -EALREADY, step->id.nqn, "somebody else connected it");
	} else if (failing && world->failure == FAKE_ERROR) {
		*ret_reason = PATH_NO_ANSWER;
		code = err_set(err, XC_FAILED, -ECONNRESET, step->id.nqn, "no answer");
	} else if (failing && world->failure == FAKE_STOPPED) {
		code = err_set(err, XC_FAILED, -EINTR, step->id.nqn, "stopped by a signal");
	} else if (step->kind == STEP_NVME_CONNECT) {
		fake_connect(world, &step->id, true);
	} else {
		fake_disconnect(world, &step->id);
	}
	if (failing && code == 0) {
		*ret_reason = PATH_TIMEOUT;
		code = err_set(err, XC_TIMEOUT, -ETIMEDOUT, step->id.nqn, "not in time");
	}
	pass(world);
	return code;
}

static enum proof_verdict fake_prove(void *ctx, const struct step *step, char *why, size_t size)
{
	struct fake_world *world = ctx;
	enum proof_verdict verdict = world->verdict;

	(void)step;
	if (fails(world)) {
		verdict = world->failure == FAKE_LEFTOVER ? VERDICT_MISMATCH : VERDICT_UNKNOWN;
		world->failed_otherwise |= world->failure == FAKE_LEFTOVER;
	}
	pass(world);
	if (verdict != VERDICT_PROVEN)
		str_format(why, size, "%s", verdict == VERDICT_UNKNOWN ? "cannot be read" : "is on mlx5_0");
	pass(world);
	return verdict;
}

static bool fake_stop(void *ctx)
{
	const struct fake_world *world = ctx;

	return world->stop_point != FAKE_NEVER && world->point >= world->stop_point;
}

struct fx fake_fx(struct fake_world *world)
{
	return (struct fx){
		.ctx = world,
		.observe = fake_observe,
		.prove = fake_prove,
		.perform = fake_perform,
		.stop_requested = fake_stop,
	};
}

void fake_step(struct step *step, unsigned i)
{
	memset(step, 0, sizeof(*step));
	step->kind = STEP_NVME_CONNECT;
	step->pci = (struct pci_addr){ .bus = (uint8_t)(0x29 + i) };
	step->role = ROLE_STORAGE;
	str_format(step->id.nqn, sizeof(step->id.nqn), "nqn.2026-01.example:s%u", i);
	str_format(step->id.transport, sizeof(step->id.transport), "rdma");
	str_format(step->id.traddr, sizeof(step->id.traddr), "10.10.%u.2", i + 1);
	str_format(step->id.trsvcid, sizeof(step->id.trsvcid), "4420");
	str_format(step->id.host_traddr, sizeof(step->id.host_traddr), "10.10.%u.1", i + 1);
	str_format(step->id.hostnqn, sizeof(step->id.hostnqn), "nqn.2026-01.example:host");
	str_format(step->id.hostid, sizeof(step->id.hostid), "0d1a2f2c-91f0-4c40-a0e0-4f3f2e1d0c0b");
	str_format(step->rdma_device, sizeof(step->rdma_device), "mlx5_%u", i + 1);
	step->opts = (struct connect_opts){ .nr_io_queues = 16,
					    .queue_size = 128,
					    .keep_alive_tmo = 5,
					    .reconnect_delay = 10,
					    .ctrl_loss_tmo = 600,
					    .tos = CONNECT_UNSET };
	step->timeout_s = 10;
	step->path = (int)i;
}

/* --- a root to write to ------------------------------------------------------------------------ */

void fake_root_open(struct root *root)
{
	const char *tmp = getenv("TMPDIR");
	const char *where = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : tmp ? tmp : "/tmp";
	int fd;

	memset(root, 0, sizeof(*root));
	(void)snprintf(root->path, sizeof(root->path), "%s/nvme-partition-test.XXXXXX", where);
	if (!mkdtemp(root->path))
		abort();
	fd = open(root->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		abort();
	root->fd = fd;
	root->live = true;
	root->owner = getuid();
	fake_root_write(root, "run/.keep", "");
	fake_root_write(root, "proc/sys/kernel/random/boot_id", FAKE_BOOT_ID "\n");
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void fake_root_close(struct root *root)
{
	(void)close(root->fd);
	root->fd = -1;
	if (nftw(root->path, remove_one, 16, FTW_DEPTH | FTW_PHYS) < 0)
		abort();
}

void fake_root_write(const struct root *root, const char *path, const char *text)
{
	char part[256];
	int fd;

	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		(void)snprintf(part, sizeof(part), "%.*s", (int)(slash - path), path);
		(void)mkdirat(root->fd, part, 0700);
	}
	fd = openat(root->fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		abort();
	(void)close(fd);
}

char *fake_root_read(const struct root *root, const char *path)
{
	char *text;

	if (root_read_all(root, &text, 64 << 20, "%s", path) < 0)
		text = strdup("");
	return text;
}
