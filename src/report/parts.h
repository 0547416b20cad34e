/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of report/ share: look-ups in a struct result, and the rules of the JSON
 * document that hold everywhere (unknown is null).
 */
#pragma once

#include <stdio.h>

#include "base/json.h"
#include "model/result.h"

/* --- parts.c: look-ups; an index that is -1 or out of range gives NULL --- */

const char *report_word(const struct result *result); /* "ok", "refused", ... "deferred" */
const struct port *report_port(const struct result *result, int port);
const struct netdev *report_netdev(const struct result *result, int netdev);
const struct rdma_link *report_rdma(const struct result *result, int rdma);
const struct ctrl *report_ctrl(const struct result *result, int ctrl);

/* The netdev that has the port's netdev as a member: bond, bridge, VRF. */
const struct netdev *report_master(const struct result *result, const struct netdev *netdev);

/* The first of a controller's items in a list sorted by controller, and their number. */
const struct ns *report_nss(const struct result *result, int ctrl, unsigned *ret_count);
const struct queue *report_queues(const struct result *result, int ctrl, unsigned *ret_count);

/* The addresses of a netdev, sorted, as "address/prefix" without a scope. Returns their number. */
#define REPORT_ADDR_MAX (IP_TEXT_MAX + 16)
struct report_addrs {
	const struct netaddr *addr[TOPO_ADDRS_MAX];
	unsigned count;
};
void report_addrs(const struct result *result, const struct netdev *netdev, struct report_addrs *ret);
const char *report_addr(const struct netaddr *addr, char buf[static REPORT_ADDR_MAX]);

/* Flushes. 0 or -errno, also of what was written before: a full disk must not look like success. */
int report_end(FILE *out) _must_check_;

#define REPORT_LOST_CHECK "report.findings" /* the finding that says that findings were lost */

/* Values that may be unknown: empty text, a negative number, no address. */
void report_set_text(struct json *object, const char *key, const char *text);
void report_set_known(struct json *object, const char *key, int64_t value);
void report_set_pci(struct json *object, const char *key, const struct pci_addr *pci);
void report_set_port(struct json *object, const char *key, const struct port *port);
/* NULL: unknown. An empty set is known: "". */
void report_set_cpus(struct json *object, const char *key, const struct cpuset *set);
/* Where an interrupt is. It is never on no CPU: an empty set is unknown. */
void report_set_place(struct json *object, const char *key, const struct cpuset *set);

/* --- json_*.c: parts of the document --- */

struct json *report_json_ports(const struct result *result);
struct json *report_json_bonds(const struct result *result);
struct json *report_json_bandwidth(const struct result *result);
void report_json_paths(const struct result *result, FILE *out);
struct json *report_json_affinity(const struct result *result);
struct json *report_json_offload(const struct result *result);

/* --- text_*.c: sections of the text, as lines for text_align(); nothing to say, no section --- */

void report_text_ports(const struct result *result, FILE *out);
void report_text_bonds(const struct result *result, FILE *out);
void report_text_paths(const struct result *result, FILE *out);
void report_text_cores(const struct result *result, FILE *out);
void report_text_offload(const struct result *result, FILE *out);
void report_text_skipped(const struct result *result, FILE *out);
void report_text_findings(const struct result *result, FILE *out);
