/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkroot - builds the directory tree of a fixture from its text manifest
 *
 * usage: mkroot [-f FIXTURES_DIR] DEST NAME
 *
 * DEST is made, or is an empty directory. NAME "base+a+b" applies base.root, base+a.root and base+a+b.root
 * of FIXTURES_DIR (tests/fixtures), in this order. A manifest has one entry a line; a later one for the
 * same path wins:
 *
 *   f PATH VALUE   a file that holds VALUE and a newline; no newline if VALUE ends in \c. Escapes: \n \t
 *                  \\ \xNN
 *   F PATH         a file that holds the "|text" lines that follow, each with a newline, nothing unescaped
 *   s PATH         replaces a text in a file: first "-text" lines, then "+text" lines, each joined by
 *                  newlines. The old text must be there exactly once; it may begin and end within a line
 *   d PATH         a directory
 *   l PATH TARGET  a symbolic link, TARGET as it is
 *   m PATH MODE    chmod, octal
 *   r PATH         removes a file, a link or a whole directory
 *   b NAME         applies another fixture here
 *   # ...          a comment; empty lines are comments too
 *
 * Missing directories above PATH are made. PATH is relative and without ".."; it may lead through links of
 * the tree, so that sys/class/net/IF/mtu names a file, but not out of the tree. A failure leaves the tree
 * half-made.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char fixtures[PATH_MAX], top[PATH_MAX];
static char parent[PATH_MAX]; /* the directory that was checked last; "": none */
static const char *file = "mkroot";
static unsigned int line;

static _Noreturn void __attribute__((format(printf, 1, 2))) die(const char *fmt, ...)
{
	va_list ap;

	if (line)
		fprintf(stderr, "%s:%u: ", file, line);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

/* Makes the directories above PATH and checks that they are in the tree, which is the current directory. */
static void check_path(char *path)
{
	char real[PATH_MAX], *part, *slash;
	size_t len = strlen(top);

	for (part = path;; part = slash + 1) {
		slash = strchrnul(part, '/');
		if (slash == part || !strncmp(part, ".", (size_t)(slash - part)) ||
		    !strncmp(part, "..", (size_t)(slash - part)))
			die("not a path below the tree: %s", path);
		if (!*slash)
			break;
	}
	if ((size_t)(part - path) == strlen(parent) && !strncmp(path, parent, strlen(parent)))
		return;
	for (slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if ((mkdir(path, 0755) && errno != EEXIST) || !realpath(path, real))
			die("%s: %m", path);
		if (strncmp(real, top, len) || (real[len] && real[len] != '/'))
			die("%s leads out of the tree", path);
		*slash = '/';
	}
	snprintf(parent, sizeof(parent), "%.*s", (int)(part - path), path);
}

static FILE *create(const char *path)
{
	FILE *out = unlink(path) && errno != ENOENT ? NULL : fopen(path, "wxe");

	if (!out)
		die("%s: %m", path);
	return out;
}

static void finish(FILE *out)
{
	if (fclose(out))
		die("cannot write: %m");
}

/* The whole text of a file that has no zero byte. */
static char *slurp(const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	FILE *in = fd < 0 ? NULL : fdopen(fd, "r");
	char *text = NULL;
	size_t size = 0;

	if (!in || (getdelim(&text, &size, '\0', in) < 0 && ferror(in)))
		die("%s: %m", path);
	if (!text)
		text = strdup("");
	fclose(in);
	return text;
}

static void put_value(FILE *out, const char *s)
{
	char hex[3] = "", *end;

	for (; *s; s++) {
		if (*s != '\\') {
			fputc(*s, out);
			continue;
		}
		s++;
		if (*s == 'c' && !s[1])
			return;
		if (*s == 'x') {
			memcpy(hex, s + 1, strnlen(s + 1, 2));
			fputc((int)strtoul(hex, &end, 16), out);
			if (end != hex + 2)
				die("\\x needs two hexadecimal digits");
			s += 2;
		} else if (*s == 'n' || *s == 't' || *s == '\\') {
			fputc(*s == 'n' ? '\n' : *s == 't' ? '\t' : '\\', out);
		} else {
			die("unknown escape \\%c", *s ? *s : ' ');
		}
	}
	fputc('\n', out);
}

/* Copies the lines that begin with MARK, without it; BETWEEN: newlines only between them. */
static void take(char **rest, char mark, FILE *out, int between)
{
	for (int n = 0; *rest && **rest == mark; n++, line++) {
		if (between && n)
			fputc('\n', out);
		fputs(strsep(rest, "\n") + 1, out);
		if (!between)
			fputc('\n', out);
	}
}

static void replace(const char *path, char **rest)
{
	char *text = slurp(path), *part[2], *at;
	unsigned int first = line;
	size_t len[2];
	FILE *out;

	for (int i = 0; i < 2; i++) {
		out = open_memstream(&part[i], &len[i]);
		if (!out)
			die("%m");
		take(rest, "-+"[i], out, 1);
		finish(out);
	}
	at = len[0] ? strstr(text, part[0]) : NULL;
	if (!at || strstr(at + 1, part[0])) {
		line = first;
		die("%s: the old text is there %s", path, at ? "more than once" : "not at all");
	}
	out = create(path);
	fprintf(out, "%.*s%s%s", (int)(at - text), text, part[1], at + len[0]);
	finish(out);
	free(text);
	free(part[0]);
	free(part[1]);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static void build(const char *name, int depth);

static void apply(char *entry, char **rest, int depth)
{
	char kind = *entry, *path = entry + 2, *value, *end;
	FILE *out;
	int fd;

	if (!kind || kind == '#')
		return;
	if (!strchr("fFsdlmrb", kind) || entry[1] != ' ' || !*path)
		die("not an entry: %s", entry);
	value = strchr(path, ' ');
	if (kind != 'f' && !value == !!strchr("lm", kind))
		die("%c with a word too %s", kind, value ? "many" : "few");
	if (value)
		*value++ = '\0';
	if (kind == 'b') {
		build(path, depth + 1);
		return;
	}
	check_path(path);
	if (kind == 'f' || kind == 'F') {
		out = create(path);
		kind == 'f' ? put_value(out, value ? value : "") : take(rest, '|', out, 0);
		finish(out);
	} else if (kind == 's') {
		replace(path, rest);
	} else if (kind == 'd') {
		fd = mkdir(path, 0755) && errno != EEXIST ? -1
							  : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0)
			die("%s: %m", path);
		close(fd);
	} else if (kind == 'l') {
		if ((unlink(path) && errno != ENOENT) || symlink(value, path))
			die("%s: %m", path);
	} else if (kind == 'm') {
		fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0 || fchmod(fd, (mode_t)strtoul(value, &end, 8)) || *end)
			die("%s: cannot set mode %s", path, value);
		close(fd);
	} else if (nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS)) {
		die("%s: %m", path);
	}
	if (kind == 'l' || kind == 'r')
		*parent = '\0';
}

static void build(const char *name, int depth)
{
	const char *outer_file = file, *plus = name;
	unsigned int outer_line = line;
	char path[PATH_MAX], *text, *rest;

	if (depth > 8 || strchr(name, '/'))
		die("no fixture, or one that needs itself: %s", name);
	do {
		plus = strchrnul(plus + 1, '+');
		if (snprintf(path, sizeof(path), "%s/%.*s.root", fixtures, (int)(plus - name), name) >=
		    (int)sizeof(path))
			die("%s: %s", name, strerror(ENAMETOOLONG));
		text = rest = slurp(path);
		file = path;
		for (line = 1; rest; line++)
			apply(strsep(&rest, "\n"), &rest, depth);
		free(text);
		file = outer_file;
		line = outer_line;
	} while (*plus);
}

int main(int argc, char *argv[])
{
	const char *from = "tests/fixtures", *dest;
	int opt;

	while ((opt = getopt(argc, argv, "f:")) == 'f')
		from = optarg;
	if (opt != -1 || argc - optind != 2 || !*argv[optind + 1])
		errx(2, "usage: mkroot [-f FIXTURES_DIR] DEST NAME");
	dest = argv[optind];
	umask(022);
	if (!realpath(from, fixtures))
		err(1, "%s", from);
	if (mkdir(dest, 0755) && (errno != EEXIST || rmdir(dest) || mkdir(dest, 0755)))
		err(1, "%s", dest);
	if (!realpath(dest, top) || chdir(dest))
		err(1, "%s", dest);
	build(argv[optind + 1], 0);
	return 0;
}
