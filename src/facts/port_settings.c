/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What ports are set to: PCIe link, DCB, pause and the type of service of the RDMA connection manager.
 * Attributes of sysfs and configfs are read here; what comes by netlink or from dumps is in files of its own.
 */
#include "facts/port_settings.h"

#include <errno.h>
#include <string.h>

#include "base/parse.h"
#include "facts/dump_qos.h"
#include "facts/facts.h"
#include "facts/nl_dcb.h"
#include "facts/nl_ethtool.h"
#include "facts/sysfs.h"

#define PCI_DEVICES "sys/bus/pci/devices"
#define RDMA_CM "sys/kernel/config/rdma_cm"
#define LANES_MAX 32 /* enum pcie_link_width */
#define LANES_UNKNOWN 255
#define GTPS_MAX 1000

const struct netdev *port_settings_netdev(const struct topology *topo, unsigned port)
{
	int netdev = topo->port[port].netdev;

	return netdev >= 0 && (unsigned)netdev < topo->netdevs ? &topo->netdev[netdev] : NULL;
}

/* "32.0 GT/s PCIe", "2.5 GT/s"; "Unknown", "Unknown speed": -1 (pci_speed_string, older and newer). */
static int parse_mtps(const char *text, int *ret)
{
	size_t length = strspn(text, "0123456789");
	const char *rest = text + length;
	char whole[8] = "", tenths = '0';
	uint64_t gtps;

	*ret = -1;
	if (strcmp(text, "Unknown") == 0 || strcmp(text, "Unknown speed") == 0)
		return 0;
	if (length >= sizeof(whole))
		return -ERANGE;
	memcpy(whole, text, length);
	if (parse_u64(whole, GTPS_MAX, &gtps) < 0)
		return -EINVAL;
	if (rest[0] == '.' && rest[1] >= '0' && rest[1] <= '9') {
		tenths = rest[1];
		rest += 2;
	}
	if (strcmp(rest, " GT/s PCIe") != 0 && strcmp(rest, " GT/s") != 0)
		return -EINVAL;
	if (gtps > 0 || tenths > '0')
		*ret = (int)gtps * 1000 + (tenths - '0') * 100;
	return 0;
}

/* A file that is not there says nothing; one that makes no sense is a finding. */
static void read_speed(const struct root *root, const char *pci, const char *file, int *ret,
		       struct findings *findings)
{
	char line[64];
	int r = root_line(root, line, sizeof(line), PCI_DEVICES "/%s/%s", pci, file);

	if (r == 0)
		r = parse_mtps(line, ret);
	if (r < 0 && r != -ENOENT)
		sysfs_unreadable(findings, pci, r, PCI_DEVICES "/%s/%s", pci, file);
}

/* No lanes, or 255 (PCIE_LNK_WIDTH_UNKNOWN): the kernel does not know them. */
static void read_width(const struct root *root, const char *pci, const char *file, int *ret,
		       struct findings *findings)
{
	int64_t lanes = 0;
	int r = root_i64(root, &lanes, PCI_DEVICES "/%s/%s", pci, file);

	if (r == 0 && lanes != LANES_UNKNOWN && (lanes < 0 || lanes > LANES_MAX))
		r = -ERANGE;
	if (r == 0 && lanes > 0 && lanes <= LANES_MAX)
		*ret = (int)lanes;
	if (r < 0 && r != -ENOENT)
		sysfs_unreadable(findings, pci, r, PCI_DEVICES "/%s/%s", pci, file);
}

void facts_read_pcie(const struct root *root, const struct port *port, struct pcie_link *ret,
		     struct findings *findings)
{
	char pci[PCI_TEXT_MAX];

	*ret = (struct pcie_link){ .width = -1, .width_max = -1, .mtps = -1, .mtps_max = -1 };
	pci_format(&port->pci, pci);
	read_width(root, pci, "current_link_width", &ret->width, findings);
	read_width(root, pci, "max_link_width", &ret->width_max, findings);
	read_speed(root, pci, "current_link_speed", &ret->mtps, findings);
	read_speed(root, pci, "max_link_speed", &ret->mtps_max, findings);
}

static void read_pcie(const struct root *root, const struct port *port, struct port_settings *ret,
		      struct findings *findings)
{
	struct pcie_link link;

	facts_read_pcie(root, port, &link, findings);
	ret->pcie_width = link.width;
	ret->pcie_width_max = link.width_max;
	ret->pcie_mtps = link.mtps;
	ret->pcie_mtps_max = link.mtps_max;
}

/* OFED's driver has the state of the port itself in sysfs; where it is, it counts, and nothing else does. */
static void read_ofed_trust(const struct root *root, const struct netdev *netdev, struct port_settings *ret,
			    struct findings *findings)
{
	char line[16];
	int r = root_line(root, line, sizeof(line), "sys/class/net/%s/qos/trust", netdev->name);

	if (r == -ENOENT)
		return;
	ret->trust = TRUST_UNKNOWN;
	if (r == 0 && strcmp(line, "dscp") == 0)
		ret->trust = TRUST_DSCP;
	else if (r == 0 && strcmp(line, "pcp") == 0)
		ret->trust = TRUST_PCP;
	else
		r = r < 0 ? r : -EINVAL;
	if (r < 0) {
		sysfs_unreadable(findings, netdev->name, r, "sys/class/net/%s/qos/trust", netdev->name);
		str_format(ret->dcb_why, sizeof(ret->dcb_why), "/sys/class/net/%s/qos/trust makes no sense",
			   netdev->name);
	}
}

/* The kernel shows an attribute only below a directory that somebody has made (cma_configfs.c, make_cma_dev).
 */
static void tell_no_tos(const struct root *root, const struct rdma_link *link, struct port_settings *ret)
{
	if (!root_exists(root, RDMA_CM))
		str_format(ret->roce_tos_why, sizeof(ret->roce_tos_why),
			   "there is no /" RDMA_CM ": configfs is not mounted, or rdma_cm not loaded");
	else
		str_format(ret->roce_tos_why, sizeof(ret->roce_tos_why),
			   "the kernel shows it once somebody makes /" RDMA_CM "/%s (cma_roce_tos does)",
			   link->name);
}

static void read_roce_tos(const struct root *root, const struct topology *topo, const struct port *port,
			  struct port_settings *ret, struct findings *findings)
{
	const struct rdma_link *link = NULL;
	int64_t tos = -1;
	int r;

	if (port->rdma >= 0 && (unsigned)port->rdma < topo->rdma_links)
		link = &topo->rdma_link[port->rdma];
	if (!link || !sysfs_is_name(link->name)) {
		str_format(ret->roce_tos_why, sizeof(ret->roce_tos_why), "the port has no RDMA device");
		return;
	}
	r = root_i64(root, &tos, RDMA_CM "/%s/ports/%u/default_roce_tos", link->name, link->port);
	if (r == 0 && (tos < 0 || tos > UINT8_MAX))
		r = -ERANGE;
	if (r == 0)
		ret->roce_tos = (int)tos;
	else if (r == -ENOENT)
		tell_no_tos(root, link, ret);
	else
		str_format(ret->roce_tos_why, sizeof(ret->roce_tos_why),
			   "its default_roce_tos below /" RDMA_CM " cannot be read: %s", strerror(-r));
	if (r < 0 && r != -ENOENT && r != -EACCES && r != -EPERM) /* an ordinary user may be kept out */
		sysfs_unreadable(findings, link->name, r, RDMA_CM "/%s/ports/%u/default_roce_tos", link->name,
				 link->port);
}

/* A reason is there if and only if something is unknown, whoever read what. */
static void settle_whys(struct port_settings *ret)
{
	if (ret->pfc >= 0 && ret->trust != TRUST_UNKNOWN)
		ret->dcb_why[0] = '\0';
	else if (ret->dcb_why[0] == '\0')
		str_format(ret->dcb_why, sizeof(ret->dcb_why), DCB_SILENT);
	if (ret->pause_rx >= 0 && ret->pause_tx >= 0)
		ret->pause_why[0] = '\0';
	else if (ret->pause_why[0] == '\0')
		str_format(ret->pause_why, sizeof(ret->pause_why), PAUSE_SILENT);
}

static void set_unknown(struct port_settings *ret)
{
	*ret = (struct port_settings){
		.pcie_width = -1,
		.pcie_width_max = -1,
		.pcie_mtps = -1,
		.pcie_mtps_max = -1,
		.pfc = -1,
		.trust = TRUST_UNKNOWN,
		.pause_rx = -1,
		.pause_tx = -1,
		.roce_tos = -1,
		.lldp = READ_NOT_THERE,
	};
}

int facts_read_port_settings(const struct root *root, const struct topology *topo, const unsigned *storage,
			     unsigned count, struct settings *ret, struct findings *findings, struct err *err)
{
	static const char no_netdev[] = "the port has no network interface";

	(void)err; /* all readers look alike */
	for (unsigned i = 0; i < topo->ports; i++)
		set_unknown(&ret->port[i]);
	if (root->live) {
		nl_read_dcb(topo, storage, count, ret);
		nl_read_pause(topo, storage, count, ret);
	} else {
		dump_read_dcb(root, topo, storage, count, ret, findings);
		dump_read_pause(root, topo, storage, count, ret, findings);
	}
	for (unsigned i = 0; i < count; i++) {
		const struct netdev *netdev = port_settings_netdev(topo, storage[i]);
		const struct port *port = &topo->port[storage[i]];
		struct port_settings *settings = &ret->port[storage[i]];

		read_pcie(root, port, settings, findings);
		if (netdev) {
			read_ofed_trust(root, netdev, settings, findings);
			settle_whys(settings);
		} else {
			str_format(settings->dcb_why, sizeof(settings->dcb_why), no_netdev);
			str_format(settings->pause_why, sizeof(settings->pause_why), no_netdev);
		}
		read_roce_tos(root, topo, port, settings, findings);
	}
	return 0;
}
