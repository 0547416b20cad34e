/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every unit test needs: cmocka, used as a runner only. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
