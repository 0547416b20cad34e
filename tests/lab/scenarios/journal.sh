# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154,SC2016 # $last and $out are the framework's; eval in checks
# A journal that cannot be trusted or written: one line says so, nothing is changed, nothing of it is lost.
# machine: dgx-h100
# kernels: 6.1 6.12
# seconds: 180

s1=nqn.2026-01.example:s1
dir=/run/nvme-partition
journal=$dir/journal

# stopped SENTENCE TEXT: neither teardown nor connect does anything; both say TEXT, in one line.
stopped() {
	local command
	stat -c '%n %F %a %u' $dir/* >listed
	cp $journal copy
	for command in teardown "connect -n $s1 -a 10.10.3.2"; do
		# shellcheck disable=SC2086 # a list of words
		check "$1: ${command%% *} ends with 6" expect_exit 6 np $command
		check "$1: ${command%% *} says so, in one line" eval 'said "'"$2"'" && [ "$(wc -l <"$out/err")" = 1 ]'
	done
	check "$1: the file is as it was" eval 'cmp copy $journal && stat -c "%n %F %a %u" $dir/* | diff listed -'
	check "$1: no controller was touched" test "$(cat /sys/class/nvme/nvme*/state)" = live
}

snapshot >before
check "a path" expect_exit 0 np connect -n $s1 -a 10.10.1.2 -i 1
cp $journal good
repair() { rm -f $journal && cp good $journal && chmod 600 $journal; }

echo 'It was a dark and stormy night.' >$journal
stopped "garbage" "$journal"
repair
tr '\n' ' ' <good >$journal
stopped "not one line has an end" "$journal"
repair
sed 2d good >$journal
stopped "a line is missing" "$journal"
rm $journal
cp good elsewhere && ln -s "$out/elsewhere" $journal
stopped "a symlink" "$journal"
check "what it leads to is as it was" cmp good elsewhere
repair
chown 65534 $journal
stopped "of another user" "$journal"
repair
chmod 666 $journal
stopped "writable for others" "$journal"
repair
chmod 755 $dir
stopped "the directory is open to others" "$dir"
chmod 700 $dir
repair
printf '{"run":1,"st' >>$journal
check "a line that a crash cut is no obstacle" expect_exit 0 np teardown --dry-run
repair

sed "1s/\"boot_id\":\"[^\"]*/\"boot_id\":\"00000000-0000-4000-8000-000000000000/" good >$journal
cp $journal earlier
check "of an earlier boot: nothing in it is ours" expect_exit 0 np teardown
check "it is set aside, with a finding" json '(.changed | not) and .paths == [] and ([.findings[].check] | index("journal.boot") != null)'
check "nothing of it is lost" cmp earlier $journal.00000000-0000-4000-8000-000000000000
check "and the controller stays" test "$(cat /sys/class/nvme/nvme0/state)" = live
rm $journal.*
repair
check "with the right one it goes" expect_exit 0 np teardown
check "nothing is left" eval 'test ! -e $journal && snapshot | diff before -'

# No room: a file system of one page for the journal, most of it taken by the command line of the connect. The
# journal must be there before the first effect, so it is made room for in advance or not at all.
mount -t tmpfs -o size=4k,mode=700 none $dir
many() { seq "$1" | sed 's/.*/-a 10.10.1.2/' | tr '\n' ' '; }
echo >$dir/filler
check "no room at all: connect ends with 6" expect_exit 6 np connect -n $s1 -a 10.10.1.2 -i 1
check "and says why, and nothing else" eval 'said "make room in /run" && [ "$(grep -vc "No space left" "$out/err")" = 0 ]'
check "and connects nothing" test -z "$(ls /sys/class/nvme)"
rm $dir/filler
check "a stub of a journal is no obstacle" expect_exit 0 np teardown
np connect -n $s1 -a 10.10.1.2 -i 1
room=$((4096 - $(wc -c <$journal)))
np teardown
# shellcheck disable=SC2046 # a list of words
np connect -n $s1 -a 10.10.1.2 $(many $((room / 17))) -i 1 | grep -v '^ '
cp $journal copy
check "a path, and room for hardly another line: $((4096 - $(wc -c <$journal)))" test "$(cat /sys/class/nvme/nvme0/state) $(wc -c <$journal)" ">" "live 4000"
check "teardown cannot write, and ends with 6" expect_exit 6 np teardown
check "saying why, and nothing else" eval 'said "make room in /run" && [ "$(grep -vc "No space left" "$out/err")" = 0 ]'
check "the journal is as it was" cmp copy $journal
check "the controller too" test "$(cat /sys/class/nvme/nvme0/state)" = live
mount -o remount,size=64k $dir
check "with room it goes" expect_exit 0 np teardown
check "nothing is left again" eval 'test ! -e $journal && snapshot | diff before -'
umount $dir
