#!/bin/sh
# ascsan suite from outside: exit codes and the one line per failure. suite_cli_test.sh ASCSAN LITMUS FOLDER
set -u
ascsan=$1 litmus=$2 folder=$3
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
failed=0

# expect CODE WORDS ARGUMENTS...: the command ends with CODE and says WORDS
expect() {
  code=$1 words=$2
  shift 2
  "$ascsan" suite "$@" >"$work/out" 2>&1
  got=$?
  if [ $got -ne "$code" ] || ! grep -qF -- "$words" "$work/out"; then
    echo "ascsan suite $*: exit $got, expected $code and \"$words\"; it said:"
    head -5 "$work/out"
    failed=1
  fi
}
# copy: a folder like the original, to be changed
copy() {
  rm -rf "$work/copy" && mkdir "$work/copy" && cp "$folder"/*.cpp "$folder/suite.toml" "$work/copy"
}

expect 0 "as expected, 0 failed" "$folder" --program "$litmus" --filter 'r7_*' --out junit="$work/l.xml"
grep -q '<testcase name="r7_no_flag"' "$work/l.xml" || { echo "no test case in the JUnit file"; failed=1; }
expect 0 "0 failed" "$folder" --program="$litmus" --filter=r7_flag --schedule random --seed 7
expect 0 "r7_no_flag aiv 1 ASC1201" "$folder" --filter r7_no_flag --list

# An expectation that the run does not meet: one line, with both sides of the story.
copy && sed -i 's/reader=@add missing="MTE2 -> V"/reader=@load missing="MTE2 -> V"/' "$work/copy/rule_07_wait_flag.cpp"
expect 1 "FAIL r7_no_flag" "$work/copy" --program "$litmus" --filter r7_no_flag
expect 1 "found ASC1201" "$work/copy" --program "$litmus" --filter r7_no_flag --out junit="$work/f.xml"
grep -q '<failure message=' "$work/f.xml" || { echo "no failure in the JUnit file"; failed=1; }
copy && sed -i 's/kernel=r7_flag cores=1 type=aiv expect=clean/kernel=r7_flag cores=1 type=aiv expect=incomplete/' "$work/copy/rule_07_wait_flag.cpp"
expect 1 "an unchecked part" "$work/copy" --program "$litmus" --filter r7_flag

# Expectations and kernels that do not fit together: nothing runs.
copy && sed -i '/kernel=r7_flag /d' "$work/copy/rule_07_wait_flag.cpp"
expect 2 "kernel r7_flag of the program has no expectation" "$work/copy" --program "$litmus"
copy && sed -i 's/kernel=r7_flag /kernel=r7_flug /' "$work/copy/rule_07_wait_flag.cpp"
expect 2 "the program has no kernel r7_flug" "$work/copy" --program "$litmus"
copy && sed -i 's/kernel=r7_flag cores=1/kernel=r7_flag cores=2/' "$work/copy/rule_07_wait_flag.cpp"
expect 2 "kernel r7_flag is type=aiv cores=2 here" "$work/copy" --program "$litmus"
copy && sed -i 's/expect=clean rule=R-7/expect=cleen rule=R-7/' "$work/copy/rule_07_wait_flag.cpp"
expect 2 "expect=cleen is none of" "$work/copy" --program "$litmus"
copy && cp "$work/copy/rule_07_wait_flag.cpp" "$work/copy/rule_07_again.cpp"
expect 2 "has an expectation at" "$work/copy" --program "$litmus"

# Wrong usage.
expect 2 "no folder given"
expect 2 "needs a value" "$folder" --filter
expect 2 "no kernel matches" "$folder" --program "$litmus" --filter 'no_such_*'
expect 2 "no such program" "$folder" --program "$work/nothing"
expect 2 "cannot read" "$work/nowhere" --program "$litmus"
expect 2 "junit=FILE" "$folder" --program "$litmus" --out sarif="$work/x"
expect 2 "takes 1..256" "$folder" --program "$litmus" --jobs 0
copy && printf 'programm = "litmus"\n' >"$work/copy/suite.toml"
expect 2 'write program = "NAME" into it' "$work/copy"
exit $failed
