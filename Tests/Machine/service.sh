# A token service of our own. Needs earshotd: EARSHOTD, or the program of `make server`.

earshotd=${EARSHOTD:-../../Server/.build/release/earshotd}
database=$logs/database

# administer ARGUMENTS...: a command of earshotd.
administer() { "$earshotd" "$@" --database "$database" 2>>"$logs/earshotd.errors"; }

# messages NAME KEY COMMAND ARGUMENTS...: publish or subscribe in the background.
messages() {
    local name=$1 key=$2
    shift 2
    EARSHOT_KEY=$key "$programs/earshot-messages" "$@" --json >"$logs/$name" 2>"$logs/$name.errors" &
    pid=$!
}

# set_up_projects: two projects in an empty database; their keys are $key and $other.
set_up_projects() {
    administer project create museum >"$logs/administration"
    administer project create neighbour >>"$logs/administration"
    key=$(administer key create museum)
    other=$(administer key create neighbour)
}

# start_service NAME: earshotd; NAME is the check that it runs.
start_service() {
    "$earshotd" serve --database "$database" >"$logs/serve" 2>&1 &
    service=$!
    check "$1" '$(tail -n 3 "$logs/serve")' within 60 says "$logs/serve" 'listens at'
}
