/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files below netlink/ of a tree, as iproute2 prints them with -json: one array of objects each.
 * A missing file means "nothing there"; one that cannot be read or parsed means "unknown".
 */
#pragma once

#include "base/json.h"
#include "base/root.h"
#include "model/finding.h"
#include "model/topology.h"

#define DUMP_MAX (32 << 20) /* bytes: the CM_IDs of TOPO_CM_IDS_MAX queues fit */
#define DUMP_WHY_SIZE 160

/* READ_OK: *ret is an array (json_free). READ_FAILED: why says it, with the file's name. */
enum read_state dump_read(const struct root *root, const char *name, struct json **ret,
			  char why[static DUMP_WHY_SIZE]);

/* The same of a file that is one object: not iproute2's. */
enum read_state dump_read_object(const struct root *root, const char *name, struct json **ret,
				 char why[static DUMP_WHY_SIZE]);

/* dump_read, with a finding for READ_FAILED; NULL if there is nothing to parse. */
struct json *dump_read_or_note(const struct root *root, const char *name, struct findings *findings);

/*
 * Entries of one file that are not what iproute2 prints are left out and counted: one finding
 * a file, however many there are.
 */
struct dump_odd {
	const char *name; /* of the file */
	size_t first;
	const char *what; /* the first of them lacks */
	unsigned count;
};

void dump_odd_add(struct dump_odd *odd, size_t index, const char *what);
void dump_odd_report(const struct dump_odd *odd, struct findings *findings);

/* An interface by its name, or "ifN" as iproute2 prints one whose name it does not know. 0: none or unknown.
 */
int dump_ifindex(const struct topology *topo, const struct json *object, const char *key);

/* True if the array of strings holds word. */
bool dump_has_word(const struct json *array, const char *word);
