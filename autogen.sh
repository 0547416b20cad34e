#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes configure and Makefile.in after a checkout.
set -e
cd "$(dirname "$0")"
exec autoreconf -fi
