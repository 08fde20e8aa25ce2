#!/usr/bin/env bash
# Local push, complete: two users on a ship's Wi-Fi without internet, each with a machine, an agent and a desktop; the sample
# SimplePush with its server. Runs in machine.sh, like all.sh. Needs the programs of Samples/SimplePush.
#
#     Tests/Machine/simplepush.sh [FOLDER OF THE PROGRAMS [FOLDER OF THE SAMPLE'S PROGRAMS]]
#
# EARSHOT_KILLS is the number of kills of the provider and of the agent (default 5).
set -uo pipefail
programs=$(cd "${1:-$(dirname "$0")/../../.build/release}" && pwd) || exit 66
sample=$(cd "${2:-$(dirname "$0")/../../Samples/SimplePush/.build/release}" && pwd) || exit 66
cd "$(dirname "$0")" || exit 66
kills=${EARSHOT_KILLS:-5}

# shellcheck source=Tests/Machine/support.sh
source ./support.sh
# shellcheck source=Tests/Machine/access-points.sh
source ./access-points.sh

declare -A bus=() agent=() desktop=() display=([ann]=:7 [ben]=:8)

# as USER COMMAND...: on the user's machine, with the user's folders and desktop.
as() {
    local user=$1 home=$logs/$1/home
    shift
    in_machine "$user" env HOME="$home" XDG_CONFIG_HOME="$home/config" XDG_STATE_HOME="$home/state" XDG_DATA_HOME="$home/data" \
        XDG_RUNTIME_DIR="$logs/$user/run" EARSHOT_AGENT="$programs/earshot-agent" DISPLAY="${display[$user]}" \
        DBUS_SESSION_BUS_ADDRESS="${bus[$user]}" PATH="$logs/bin:$PATH" "$@"
}

# set_up_user USER: folders, a session bus, a desktop, and the two manifests.
set_up_user() {
    local home=$logs/$1/home
    mkdir -p "$home/config/simplepush" "$home/data/earshot/providers" "$logs/$1/run"
    chmod 700 "$logs/$1/run"
    bus[$1]=$(dbus-daemon --session --fork --print-address)
    Xvfb "${display[$1]}" -screen 0 640x400x24 >"$logs/$1/Xvfb" 2>&1 &
    within 60 test -S "/tmp/.X11-unix/X${display[$1]#:}"
    # A notification stays until it is clicked: the machine is slow.
    printf '[urgency_normal]\ntimeout = 0\n[urgency_critical]\ntimeout = 0\n' >"$logs/$1/dunstrc"
    as "$1" dunst -config "$logs/$1/dunstrc" -print >"$logs/$1/dunst" 2>&1 &
    desktop[$1]=$!
    echo "{\"EarshotCommand\": [\"$logs/bin/simplepush-provider\"]}" >"$home/data/earshot/providers/simplepush-provider.json"
    cat >"$home/run-app" <<APP
#!/bin/sh
exec "$logs/bin/simplepush" run --json >>"$logs/$1/app" 2>&1
APP
    chmod +x "$home/run-app"
    echo "{\"UIBackgroundModes\": [\"voip\"], \"EarshotCommand\": [\"$home/run-app\"]}" \
        >"$home/config/simplepush/simplepush.nearby.json"
}

start_agent() {
    as "$1" "$programs/earshot-agent" run >>"$logs/$1/agent" 2>&1 &
    agent[$1]=$!
}

# processes USER COMMAND: the processes of a command on a user's machine.
processes() {
    local process
    for process in $(pgrep -f "^$2"); do
        if [[ $(readlink "/proc/$process/ns/net") == "$(readlink "/proc/${machine[$1]}/ns/net")" ]]; then echo "$process"; fi
    done
}
agent_process() { processes "$1" "$programs/earshot-agent run"; }
provider_process() { processes "$1" "$logs/bin/simplepush-provider"; }

is_active() { has_line "$(as "$1" simplepush settings --json 2>/dev/null)" '"isActive":true'; }
is_inactive() { ! is_active "$1"; }
is_here() { has_line "$(as "$1" simplepush contacts --json 2>/dev/null)" "\"user\":\"$2\"" '"isHere":true'; }

start_server() {
    simplepush-server run --secret-file "$logs/secret" --database "$logs/simplepush.sqlite" >>"$logs/server" 2>&1 &
    server=$!
}

# is_shown USER TEXT: whether a notification had the text.
is_shown() { grep -q -F -- "$2" "$logs/$1/dunst"; }
# shown USER TEXT: how many notifications had exactly this body.
shown() { grep -c -F -- "body: '$2'" "$logs/$1/dunst"; }

mkdir "$logs/bin"
install -m 755 "$sample"/simplepush{,-server,-provider} "$logs/bin"
ln -s "$programs/earshot-agent" "$logs/bin/earshot-push"
PATH=$logs/bin:$PATH
(umask 077 && simplepush-server secret >"$logs/secret")
start_radios 4
start_access_points
start_server
check push-server '$(cat "$logs/server")' within 60 says "$logs/server" 'listening at'
for user in ann ben; do
    if [[ $user == ann ]]; then radio=2; else radio=3; fi
    check "push-machine-$user" '$(tail -n 20 "$logs/$user/start" "$logs/$user/manager")' user_machine $user $radio
    set_up_user $user
    start_agent $user
    check "push-settings-$user" '$(cat "$logs/$user/settings" "$logs/$user/agent")' \
        as $user simplepush settings --host 10.77.0.1 --ssid 'My Cruise Ship Wi-Fi' --user $user --secret-file "$logs/secret"
    check "push-inactive-$user" '$(as $user simplepush settings)' is_inactive $user
    check "push-joins-$user" '$(tail -n 20 "$logs/$user/nmcli")' join $user ship
    joined=$(now_milliseconds)
    check "push-active-$user" '$(tail -n 20 "$logs/$user/agent")' within 30 is_active $user
    echo "active $(($(now_milliseconds) - joined)) ms after the join"
done
check push-here '$(tail -n 5 "$logs/ben/agent" "$logs/server")' within 30 is_here ann ben
check push-no-route '$(in_machine ben ip route)' test -z "$(in_machine ben ip route show default)"

# A text arrives while no app runs.
sent=$(now_milliseconds)
as ann simplepush text ben Dinner at eight >"$logs/ann/text" 2>&1
accepted=$(now_milliseconds)
check push-text '$(cat "$logs/ann/text"; tail -n 20 "$logs/ben/agent" "$logs/ben/dunst")' within 30 is_shown ben 'Dinner at eight'
echo "shown $(($(now_milliseconds) - accepted)) ms after the server's answer, $(($(now_milliseconds) - sent)) ms after the command"
sleep 1
DISPLAY=${display[ben]} import -window root "$MACHINE_SHARE/text.png"
as ben dunstctl close-all

# A call rings, is answered by a click, and is hung up.
as ann simplepush call ben --json >"$logs/ann/call" 2>&1 &
check push-call-rings '$(cat "$logs/ann/call"; tail -n 20 "$logs/ben/agent" "$logs/ben/app" "$logs/ben/dunst")' within 60 is_shown ben Answer
DISPLAY=${display[ben]} import -window root "$MACHINE_SHARE/call.png"
as ben dunstctl action
check push-call-answered '$(cat "$logs/ann/call" "$logs/ben/app")' within 30 says "$logs/ann/call" accepted
as ben simplepush hangup >"$logs/ben/hangup" 2>&1
check push-call-hung-up '$(cat "$logs/ann/call" "$logs/ben/hangup")' within 30 says "$logs/ann/call" ended
pkill -f "$logs/bin/simplepush run"

# Away from the network, the provider's stop has run, with the reason, and nothing arrives. Back on it, the stored
# messages arrive once.
leave ben
check push-leaves '$(tail -n 20 "$logs/ben/agent")' within 10 is_inactive ben
tells_why() { has_line "$(as ben earshot-push log 2>/dev/null)" noNetworkAvailable; }
check push-stop-reason '$(as ben earshot-push log)' within 5 tells_why
as ann simplepush text ben While you were away >>"$logs/ann/text" 2>&1
sleep 5
check push-nothing-arrives '$(tail -n 5 "$logs/ben/dunst")' test "$(shown ben 'While you were away')" = 0
join ben ship
check push-kept '$(tail -n 20 "$logs/ben/agent" "$logs/ben/dunst")' within 30 is_shown ben 'While you were away'

# right NAME [SECONDS]: after a disturbance, Ben's provider is active and the server can reach him within SECONDS
# (default 5). A machine that has to join again gets more time.
number=0
right() {
    check "push-$1-active" '$(tail -n 20 "$logs/ben/agent")' within "${2:-5}" is_active ben
    check "push-$1-here" '$(tail -n 20 "$logs/ben/agent" "$logs/server")' within "${2:-5}" is_here ann ben
    number=$((number + 1))
    as ann simplepush text ben "Number $number." >>"$logs/ann/text" 2>&1
    check "push-$1-text" '$(tail -n 5 "$logs/ann/text" "$logs/ben/dunst" "$logs/ben/agent")' within 20 is_shown ben "Number $number."
}
access_point_off ship
check push-point-off '$(tail -n 20 "$logs/ben/agent")' within 20 is_inactive ben
access_point_on ship
for user in ann ben; do within 120 reaches $user 10.77.0.1; done
right point
kill -9 $server
wait $server 2>/dev/null
start_server
within 60 says "$logs/server" 'listening at'
right server
stop_manager ben KILL
start_manager ben
within 60 reaches ben 10.77.0.1
right manager
for ((round = 1; round <= kills; round++)); do
    kill -9 "$(provider_process ben)"
    right "provider-$round" 5
    kill -9 "$(agent_process ben)"
    start_agent ben
    right "agent-$round" 5
    # The user reads the notifications. A desktop with fifty open notifications takes seconds for the next one.
    as ben dunstctl close-all
    check "push-one-provider-$round" '$(provider_process ben)' test "$(provider_process ben | wc -l)" = 1
done
sleep 5
wrong=
for ((n = 1; n <= number; n++)); do
    count=$(shown ben "Number $n.")
    ((count == 1)) || wrong+=" $n was shown $count times;"
done
check push-all-once "$wrong" test -z "$wrong"
echo "$number texts through $((2 * kills)) kills"

# Another user cannot read a configuration, nor speak with the agent.
chmod 755 "$logs" "$logs/ben" "$logs/ben/home" "$logs/ben/home/config" "$logs/ben/home/config/earshot"
stranger() {
    setpriv --reuid 65534 --regid 65534 --clear-groups env XDG_CONFIG_HOME="$logs/ben/home/config" XDG_STATE_HOME="$logs/ben/home/state" \
        XDG_RUNTIME_DIR="$logs/ben/run" EARSHOT_AGENT_SOCKET="$logs/ben/run/earshot/agent.sock" EARSHOT_APP_ID=simplepush "$@" 2>&1
}
# REASON COMMAND …: the stranger's command fails with the reason. A program that setpriv cannot start was not refused.
is_refused() {
    local reason=$1
    shift
    ! stranger "$@" >"$logs/refusal" && grep -q "$reason" "$logs/refusal" && ! grep -q '^setpriv' "$logs/refusal"
}
configuration=$(basename "$logs/ben/home/config/earshot/push"/*.json .json)
check push-configuration-is-private '$(cat "$logs/refusal")' is_refused 'Permission denied' cat "$logs/ben/home/config/earshot/push/$configuration.json"
check push-agent-is-private '$(cat "$logs/refusal")' is_refused 'Cannot ask the earshot-agent at .*: permission denied' "$programs/earshot-agent" list
check push-disable-is-private '$(cat "$logs/refusal")' is_refused 'Cannot list .*: permission denied' earshot-push disable "$configuration"
check push-remove-is-private '$(cat "$logs/refusal")' is_refused 'Cannot list .*: permission denied' earshot-push remove "$configuration"
stranger simplepush settings --ssid Other --host 10.9.9.9 --user ben --insecure >"$logs/stranger"
check push-still-right '$(cat "$logs/stranger"; as ben earshot-push list)' is_active ben

end_run
