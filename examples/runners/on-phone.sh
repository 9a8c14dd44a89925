#!/bin/sh
# A runner of `auspex measure` for an Android phone on adb: prints the milliseconds of each run, one a line.
#   auspex measure net.onnx --runner './on-phone.sh {onnx} {runs}'
# Needs onnxruntime_perf_test for Android in /data/local/tmp (from a build of ONNX Runtime), pushed once:
#   adb push onnxruntime_perf_test libonnxruntime.so /data/local/tmp/
set -e
onnx=$1
runs=$2
threads=${AUSPEX_THREADS:-1}
there=/data/local/tmp
adb push "$onnx" "$there/network.onnx" >/dev/null
# perf_test runs once to warm up; -v prints a line 'iteration:1,time_cost:0.0123' for every run, in seconds.
adb shell "cd $there && LD_LIBRARY_PATH=. ./onnxruntime_perf_test -I -v -x $threads -m times -r $runs network.onnx" |
  awk -F 'time_cost:' '/time_cost:/ { print $2 * 1000 }'
echo "# runtime: onnxruntime_perf_test, $(adb shell getprop ro.product.model)"
adb shell rm "$there/network.onnx"
