/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals during effects: SIGINT, SIGTERM and SIGHUP ask to stop; they abort a connect in hand
 * and let every other effect finish. The deadline of a connect is a timer whose signal (SIGALRM) interrupts
 * the write that blocks (only a signal to the writer does). SIGPIPE is ignored, SIGCHLD is not.
 *
 * The program has one thread: what interrupts the process interrupts the writer.
 */
#pragma once

#include "base/mem.h"

/*
 * Once: handlers without SA_RESTART, and one timer. A stop signal that was ignored when the program began
 * (nohup, a job in the background) stays so. 0 or -errno.
 */
int fx_signals_setup(void) _must_check_;
bool fx_signals_stop(void); /* a stop was asked for */

/*
 * From now on: interrupt system calls of this thread after seconds (1..), and then every 100 ms, as one
 * signal may come before the call begins to wait. A stop signal starts that at once. 0 or -errno: then
 * nothing is armed.
 */
int fx_signals_arm(int seconds) _must_check_;
/* Ends that. Returns true if the deadline passed while it was armed, before any stop signal. */
bool fx_signals_disarm(void);
