# The functions that the tests in this folder share.

logs=$(mktemp -d)
failures=0

ok() { echo "ok $1${2:+ ($2)}"; }

# If $known_limit names a place in the documents, a failed check counts as a known limit, not as a new failure.
known_limit=
failed() {
    if [[ -n $known_limit ]]; then
        echo "known $1: $2 ($known_limit)"
        return
    fi
    echo "FAILED $1: $2"
    failures=$((failures + 1))
}

# check NAME WHY COMMAND...: the check passes if the command succeeds. A command in WHY, '$(…)', runs only if it fails.
check() {
    local name=$1 why=$2
    shift 2
    if "$@"; then
        ok "$name"
    else
        [[ $why != '$('* ]] || eval "why=\"$why\""
        failed "$name" "$why"
    fi
}

# within SECONDS COMMAND...: repeats the command until it succeeds, for at most SECONDS.
within() {
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        ((SECONDS < end)) || return 1
        sleep 0.2
    done
}

# Whether one line of a text has all the texts after it.
has_line() {
    local lines=$1
    shift
    for text in "$@"; do lines=$(grep -F -- "$text" <<<"$lines") || return 1; done
}

# says FILE TEXT...: whether one line of a file has all the texts.
says() {
    local lines
    lines=$(cat "$1" 2>/dev/null)
    shift
    has_line "$lines" "$@"
}

# says_after LINE FILE TEXT...: the same for the lines after a number of lines.
says_after() {
    local lines
    lines=$(tail -n "+$(($1 + 1))" "$2")
    shift 2
    has_line "$lines" "$@"
}

# Whether the last line of a file has all the texts.
ends_with() {
    local lines
    lines=$(tail -n 1 "$1")
    shift
    has_line "$lines" "$@"
}

# The last line of a file with a text.
last() { grep -F -- "$2" "$1" | tail -n 1; }

# The number of a key in a line of JSON.
number() { sed -E "s/.*\"$1\":(-?[0-9.]+).*/\1/"; }

# Whether a comparison of decimal numbers holds: less 1.5 2
less() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }'; }

# The result of a run.
end_run() {
    echo "$failures failed, $SECONDS s after the machine's last start"
    ((failures == 0))
}
