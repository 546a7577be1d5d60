#!/usr/bin/env bash
# usage: install_test.sh BUILD PROJECT KERNEL COMPILER. The build is installed elsewhere, a user's project finds it as a package,
# and the installed command runs the user's program. Nothing of the build or source tree is needed for that.
set -eu
build=$1 project=$2 kernel=$3 compiler=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset ASCSAN_OPTIONS
cmake --install "$build" --prefix "$work/prefix" >"$work/log" || { cat "$work/log"; exit 1; }
cp "$kernel" "$work/kernel.cpp"
cmake -S "$project" -B "$work/user" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$work/prefix" -DKERNEL="$work/kernel.cpp" \
  >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
cmake --build "$work/user" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
! grep -rqF "$build" "$work/prefix/lib/cmake" || { echo "the package names the build folder"; exit 1; }
cd "$work"
code=0
"$work/prefix/bin/ascsan" run "$work/user/user" 2>"$work/log" || code=$?
if ! grep -q "^error ASC1201" "$work/log" || [ "$code" != 1 ]; then
  cat "$work/log"
  echo "exit code $code"
  exit 1
fi
# ascsan_add_kernel: library, test program and a test that runs under the command.
ctest --test-dir "$work/user" --output-on-failure >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
grep -q "100% tests passed, 0 tests failed out of 1" "$work/log" || { cat "$work/log"; echo "scale_test did not run"; exit 1; }
code=0
(cd "$work" && "$work/prefix/bin/ascsan" run "$work/user/scale_test" racy 2>"$work/log" >"$work/out") || code=$?
grep -q "^error ASC1201" "$work/log" && [ "$code" = 1 ] || { cat "$work/log" "$work/out"; echo "exit code $code"; exit 1; }

# What run has kept is explained, with the page of the rule, by the installed command alone.
(cd "$work" && "$work/prefix/bin/ascsan" explain ASC1201 >"$work/log" 2>&1) || { cat "$work/log"; exit 1; }
grep -q "scale.cpp:13" "$work/log" && grep -q "ascsan rules ASC1201" "$work/log" || { cat "$work/log"; exit 1; }
"$work/prefix/bin/ascsan" rules ASC1201 | grep -q "^Good$" || { echo "rules ASC1201 shows no page"; exit 1; }

"$work/prefix/bin/ascsan" doctor | grep "^ok  *headers  *$work/prefix/share/ascsan/include$" ||
  { echo "doctor does not find the installed headers"; exit 1; }
