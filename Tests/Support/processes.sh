# Runs test programs beside each other, and prints the output of each when it ends. To be sourced:
#
#     . Tests/Support/processes.sh
#     process NAME COMMAND … &      prints its whole output if it fails, otherwise a summary
#     wait
#     end_processes 'All tests'     exits with 1 and names those that failed, if any did

logs=$(mktemp -d)
trap 'rm -rf "$logs"; kill $(jobs -p) 2>/dev/null || true' EXIT
touch "$logs/failures"

# A process writes to a file first: a full pipe would lose lines, and lines of several processes would mix.
process() {
    local name=$1 start=$SECONDS
    shift
    local status=0
    # A background job ignores SIGINT, and programs that ignore it at their start continue to do so.
    env --default-signal=INT,QUIT "$@" >"$logs/$name" 2>&1 </dev/null || status=$?
    # A program that ran no test has tested nothing.
    grep -qE 'Test run with [1-9][0-9]* test|[1-9][0-9]* generated' "$logs/$name" || { ((status)) || status=65; }
    ((status == 0)) || echo "$name" >>"$logs/failures"
    {
        flock 9
        printf '\n-- %s: exit %d, %d s\n' "$name" "$status" "$((SECONDS - start))"
        if ((status)); then cat "$logs/$name"; else grep -aE 'skipped|Test run with|generated' "$logs/$name" || true; fi
    } 9>"$logs/lock"
}

end_processes() {
    if [[ -s $logs/failures ]]; then
        printf '\nFailed: %s\n' "$(paste -sd ' ' "$logs/failures")"
        exit 1
    fi
    printf '\n%s passed in %d s.\n' "$1" "$SECONDS"
}
