#!/usr/bin/env bash
# usage: guide_test.sh ASCSAN GUIDE SOURCES PROGRAMS README. What docs/guide.md shows is what happens: its code is the code that is
# built here, its commands say what it claims, and so do those of the README.
set -u
ascsan=$1 guide=$2 sources=$3 programs=$4 readme=$5
failures=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset ASCSAN_OPTIONS
fail() { echo "FAIL $1"; [ ! -f err ] || sed 's/^/    /' err; failures=$((failures + 1)); }

# The cpp blocks of the guide, one file each.
awk '/^```cpp/ {inside = 1; ++n; next} /^```/ {inside = 0} inside {print > ("block" n)}' "$guide"
diff block1 "$sources/add_one.cpp" || fail "the kernel of the guide is not tests/guide/add_one.cpp"
grep -nFxf block2 "$sources/add_one_repaired.cpp" | cut -d: -f2- | diff block2 - ||
  fail "the repair of the guide is not in tests/guide/add_one_repaired.cpp"

# Reports name files from the root of the project, and find them in the current folder or above.
mkdir -p tests/guide && cp "$sources/add_one.cpp" tests/guide/
LC_ALL=C.UTF-8 "$ascsan" run "$programs/add_one" 2>err
[ $? = 1 ] || fail "add_one: exit code"
grep -Eq 'AIV 0 (MTE2 --x--> AIV 0 V|V --x--> AIV 0 MTE2)$' err || fail "add_one: the missing link of load and Adds"
grep -q 'AIV 0 V --x--> AIV 0 MTE3$' err || fail "add_one: the missing link from Adds to store"
for call in 'DataCopy.local' 'Adds' 'DataCopy.out'; do
  line=$(grep -nE "$call" "$sources/add_one.cpp" | cut -d: -f1)
  grep -q "add_one.cpp:$line " err || fail "add_one: the line of $call"
done
tail -n 1 err | grep -Eq '^verdict: [0-9]+ errors .* nothing left unchecked · exit 1$' || fail "add_one: the verdict"
rm err

# The commands of section 4, on the run just made.
grep -oE '^ascsan explain[^#]*' "$guide" | sort -u >commands
[ "$(wc -l <commands)" -ge 3 ] || fail "the guide shows fewer ascsan explain commands than it did"
while read -r command; do
  LC_ALL=C.UTF-8 sh -c "\"\$0\" ${command#ascsan }" "$ascsan" >out 2>err || fail "$command"
done <commands
"$ascsan" explain 2>err | grep -q '^  1  ASC1201-' || fail "ascsan explain: the list"
"$ascsan" explain 1 2>err | grep -q 'ascsan rules ASC1201' || fail "ascsan explain: the rule"
for mark in '<figure' 'marked side-a' 'marked side-b' '"arrows"'; do
  grep -q "$mark" finding.html || fail "the page of the finding has no $mark"
done
rm -f err

"$ascsan" run "$programs/add_one_repaired" 2>err || fail "add_one_repaired is not clean"
for options in check=off:schedule=in_order check=off:schedule=deferred check=off:schedule=random:seed=3; do
  ASCSAN_OPTIONS=$options "$programs/add_one_repaired" 2>err || fail "$options"
done

# Every command of the README that needs no other program or folder than the guide has; suite and fix have tests of their own.
# Names stand for files of this test.
cp "$programs/add_one" my_test
cp "$sources/add_one.cpp" kernel.cpp  # one file, without a build of its own
awk '/^```/ {inside = !inside; next} inside' "$readme" | grep -E '^(ascsan|ASCSAN_OPTIONS)' |
  grep -vE '^ascsan (suite|fix) ' | sed 's/ *#.*//' >commands
[ "$(wc -l <commands)" -ge 8 ] || fail "the README shows fewer commands than it did"
while read -r command; do
  case $command in
    *' rules '* | *' explain'*) expected=0 ;;
    *' lint '*)  # of a program without findings; all its barriers are needed
      expected=0
      command=${command/.\/my_test/$programs/add_one_repaired}
      ;;
    *) expected=1 ;;  # add_one has findings
  esac
  case $command in *'explain ASC1101'*) command=${command/ASC1101/1} ;; esac
  PATH=$(dirname "$ascsan"):$PATH bash -c "$command" >out 2>err
  [ $? = "$expected" ] || fail "README: $command"
  case $command in *kernel.cpp*) grep -q 'kernel.cpp:13 ' err || fail "README: $command, the report" ;; esac
done <commands
rm -f err

# The configuration file of the last section is accepted.
awk '/^```toml/ {inside = 1; next} /^```/ {inside = 0} inside' "$guide" >ascsan.toml
"$ascsan" run --show-options 2>err | grep -q '^fail_on  *warning  *ascsan.toml$' || fail "ascsan.toml"

[ "$failures" = 0 ] && echo "the guide holds"
exit "$failures"
