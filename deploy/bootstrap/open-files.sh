# A start with fewer open files than Node itself needs would end without a sentence that names the limit, and could take
# the dependencies for missing. In a shell, since Node below about 25 does not come so far.
files=$(ulimit -H -n)
[ "$files" = unlimited ] && exit 0
[ "$files" -ge 64 ] && exit 0
echo "orch-apiserver: only $files files may be open at once; raise the limit (ulimit -n) to 1024 or more [LIMIT_TOO_LOW]" >&2
exit 1
