/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A world in memory behind struct fx: controllers that a run makes and others that an outsider
 * makes, calls that fail, crashes, and a look into the journal at each effect. And a root for tests
 * that write: a directory which counts as live, though it is none.
 */
#pragma once

#include <setjmp.h>

#include "apply/fx.h"
#include "apply/journal.h"

#define FAKE_CTRLS_MAX 64

struct fake_ctrl {
	struct ctrl_id id;
	int instance, cntlid;
	char state[24];
	bool ours; /* the run made it */
};

/* What an outsider does, before or after one call, to the object of one step. */
enum fake_outsider { FAKE_NOBODY, FAKE_CONNECTS, FAKE_DISCONNECTS };

enum fake_failure {
	FAKE_ERROR,    /* observe: -EIO. perform: -ECONNRESET without effect. prove: unknown */
	FAKE_LEFTOVER, /* perform: -ETIMEDOUT, and the controller is there. prove: mismatch. observe: -EIO */
	FAKE_STOPPED,  /* perform: -EINTR without effect. else as FAKE_ERROR */
};

#define FAKE_NEVER UINT32_MAX

struct fake_world {
	const struct root *root; /* whose journal is looked at; NULL: it is not */
	struct fake_ctrl ctrl[FAKE_CTRLS_MAX];
	unsigned ctrls;
	int next_instance;
	int next_cntlid;
	bool source_gone;

	/* Every call of the run is two points, one before it and one after it, counted from 0. */
	unsigned point;
	unsigned fail_call; /* this call fails: point / 2 */
	enum fake_failure failure;
	bool failed_otherwise; /* than in way FAKE_ERROR */
	unsigned crash_point;  /* longjmp to crash from there */
	jmp_buf crash;
	unsigned outsider_point;
	enum fake_outsider outsider;
	struct ctrl_id outsider_id;
	unsigned stop_point; /* from there on a stop is asked for */

	unsigned effects;   /* performed, failed ones included */
	unsigned unwritten; /* of them without a flushed intent before: must stay 0 */
	bool disk_full;	    /* so a disconnect may have but the open record of its connect */
	enum proof_verdict verdict;
};

/* Nothing in it, nothing planned. */
void fake_world_init(struct fake_world *world, const struct root *root);
struct fx fake_fx(struct fake_world *world);
struct fake_ctrl *fake_find(struct fake_world *world, const struct ctrl_id *id);
struct fake_ctrl *fake_connect(struct fake_world *world, const struct ctrl_id *id, bool ours);
void fake_disconnect(struct fake_world *world, const struct ctrl_id *id);

/* Step i of a plan over storage ports: its own portal, path i. */
void fake_step(struct step *step, unsigned i);

#define FAKE_BOOT_ID "6f1d9b3e-7a55-4c61-9d5c-0e2b8f4a1c37"

/* A directory with run/ and a boot id. It is made below /dev/shm where there is one, else below $TMPDIR. */
void fake_root_open(struct root *root);
void fake_root_close(struct root *root); /* removes it */
void fake_root_write(const struct root *root, const char *path, const char *text);
/* Text of a file, "" if it is not there; the caller frees. */
char *fake_root_read(const struct root *root, const char *path);
