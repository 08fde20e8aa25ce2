#!/usr/bin/env bash
# The agent of a user: an app's operations continue after the app's end and after a power cut, and the user gets
# notifications. Runs in machine.sh, like all.sh. Needs earshotd, and Xvfb and dunst for the desktop.
#
#     Tests/Machine/agent.sh [FOLDER OF THE PROGRAMS]
set -uo pipefail
programs=$(cd "${1:-$(dirname "$0")/../../.build/release}" && pwd) || exit 66
cd "$(dirname "$0")" || exit 66

# shellcheck source=Tests/Machine/support.sh
source ./support.sh
# shellcheck source=Tests/Machine/radios.sh
source ./radios.sh
# shellcheck source=Tests/Machine/service.sh
source ./service.sh
[[ -x $earshotd ]] || {
    echo "There is no $earshotd; 'make server' builds it." >&2
    exit 69
}

# The data that survive a power cut: the home, and the service's database.
home=$MACHINE_DISK/home
database=$MACHINE_DISK/database
runtime=$logs/run
socket=$runtime/agent.sock
sample=$programs/background-sample
display=:7
eddystone=00112233445566778899:aabbccddeeff

# install_app NAME KEY: a manifest and the user's consent. The command is the sample with a key; its lines are in $home/NAME.app.
install_app() {
    local folder=$home/config/$1
    mkdir -p "$folder"
    cat >"$folder/run" <<APP
#!/bin/sh
EARSHOT_KEY=$2 exec "$sample" "\$@" >>"$home/$1.app" 2>&1
APP
    chmod +x "$folder/run"
    cat >"$folder/$1.nearby.json" <<MANIFEST
{"UIBackgroundModes": ["bluetooth-central"], "EarshotCommand": ["$folder/run"],
 "EarshotNotification": {"title": "$1", "body": "Near you: {text}"}}
MANIFEST
    echo '{"permission": "granted"}' >"$folder/nearby.json"
}

start_agent() {
    "${as_user[@]}" "$programs/earshot-agent" run --adapter hci1 --claim-time 600 >>"$logs/agent" 2>&1 &
    agent=$!
}

# start_app NAME WORD: the app as its user starts it.
start_app() {
    "${as_user[@]}" EARSHOT_APP_ID="$1" "$home/config/$1/run" "${@:2}" &
    app=$!
}

# The agent's line of JSON about an app.
listed() { "${as_user[@]}" "$programs/earshot-agent" list --json 2>/dev/null | grep -F "\"app\":\"$1\""; }
lists() { has_line "$(listed "$1")" "${@:2}"; }

mkdir -p "$home" "$runtime"
chmod 700 "$runtime"
session_bus=$(dbus-daemon --session --fork --print-address)
# The user's folders and session bus. This is an array, not a function, so that $! is the process of the command itself.
as_user=(env HOME="$home" XDG_CONFIG_HOME="$home/config" XDG_STATE_HOME="$home/state" XDG_RUNTIME_DIR="$runtime"
    EARSHOT_AGENT_SOCKET="$socket" EARSHOT_AGENT="$programs/earshot-agent" DISPLAY=$display
    DBUS_SESSION_BUS_ADDRESS="$session_bus")
Xvfb $display -screen 0 800x400x24 >"$logs/Xvfb" 2>&1 &
screen=$!
within 60 test -S /tmp/.X11-unix/X${display#:}
# A notification stays until it is clicked: the machine is slow.
printf '[urgency_normal]\ntimeout = 0\n' >"$logs/dunstrc"
"${as_user[@]}" dunst -config "$logs/dunstrc" -print >"$logs/dunst" 2>&1 &
desktop=$!

# Two apps of two projects. Both are killed, then the agent, then the machine.
if ((MACHINE_BOOT == 1)); then
    set_up_projects
    administer beacon register museum "eddystone:$eddystone" >>"$logs/administration"
    administer beacon attach "eddystone:$eddystone" --text Welcome >>"$logs/administration"
    echo "$key $other" >"$MACHINE_DISK/keys"
    start_service agent-service
    install_app museum "$key"
    install_app neighbour "$other"
    # These files are on the disk now. The programs themselves must write theirs to the disk.
    sync
    start_agent
    start_app museum on
    first=$app
    start_app neighbour on
    second=$app
    check agent-runs '$(listed museum; tail -n 5 "$logs/agent" "$home/museum.app")' \
        within 60 lists museum '"status":"active"' "\"running\":[$first]"
    check agent-runs-both '$(listed neighbour)' within 60 lists neighbour '"status":"active"'
    kill -9 $first $second
    wait $first $second 2>/dev/null
    check agent-goes-on '$(listed museum)' within 20 lists museum '"status":"active"' '"running":[]'
    kill -9 $agent
    wait $agent 2>/dev/null
    start_agent
    check agent-restored '$(listed museum; tail -n 5 "$logs/agent")' within 60 lists museum '"status":"active"' '"running":[]'
    check agent-restored-both '$(listed neighbour)' within 60 lists neighbour '"status":"active"'
    # The next start of the machine adds these.
    echo $failures >"$MACHINE_SHARE/failures"
    exec "$MACHINE_SHARE/power-cut"
fi
read -r failures <"$MACHINE_SHARE/failures"
read -r key other <"$MACHINE_DISK/keys"
start_service agent-service-after-power-cut
start_agent
check agent-after-power-cut '$(listed museum; tail -n 5 "$logs/agent")' \
    within 60 lists museum '"status":"active"' '"running":[]'
check agent-after-power-cut-both '$(listed neighbour)' within 60 lists neighbour '"status":"active"'

# With two subscriptions it takes less than a tenth of the processor: 100 of the 1,000 ticks of 10 s.
ticks() { awk '{ print $14 + $15 }' "/proc/$agent/stat"; }
before=$(ticks)
sleep 10
spent=$(($(ticks) - before))
if ((spent < 100)); then ok agent-takes-little "$spent ticks in 10 s"; else failed agent-takes-little "$spent ticks in 10 s"; fi

# A publisher and a beacon come near. The user sees a notification, and a click starts the app, which gets each message
# once.
messages agent-publisher "$key" publish hello --medium ble --adapter hci0 --seconds 90
publisher=$pid
check agent-notifies '$(cat "$logs/dunst"; listed museum; tail -n 5 "$logs/agent")' within 60 says "$logs/dunst" 'Near you: hello'
"$programs/earshot-messages" beacon --eddystone "$eddystone" --adapter hci2 --seconds 90 >"$logs/beacon" 2>&1 &
beacon=$!
check agent-notifies-of-a-beacon '$(cat "$logs/dunst"; listed museum)' within 60 says "$logs/dunst" 'Near you: Welcome'
DISPLAY=$display import -window root "$MACHINE_SHARE/desktop.png"
check agent-leaves-the-app-to-the-user '$(cat "$home/museum.app")' lists museum '"running":[]'
"${as_user[@]}" dunstctl action
check agent-click-starts '$(cat "$logs/dunst" "$home/museum.app"; tail -n 5 "$logs/agent")' within 60 says "$home/museum.app" 'found hello'
check agent-click-beacon '$(cat "$home/museum.app")' within 20 says "$home/museum.app" 'found Welcome'
sleep 5
check agent-tells-once '$(cat "$home/museum.app")' test "$(grep -c 'found hello' "$home/museum.app")" = 1
check agent-other-project '$(listed neighbour; cat "$home/neighbour.app")' test -z \
    "$(grep -h found "$home/neighbour.app"; listed neighbour | grep -v '"waiting":0')"

# Another user's process is refused, even if the socket's folder lets it through.
chmod 755 "$logs" "$runtime"
chmod 666 "$socket"
setpriv --reuid 65534 --regid 65534 --clear-groups /usr/bin/python3 -c \
    'import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.settimeout(30); s.recv(1)' \
    "$socket" >"$logs/stranger" 2>&1
check agent-refuses-another-user '$(cat "$logs/stranger"; tail -n 3 "$logs/agent")' within 10 \
    says "$logs/agent" 'refused a connection of another user (65534)'
chmod 600 "$socket"
chmod 700 "$runtime"

# The agent refuses operations that the manifest does not declare. Operations that the user withdraws or ends stop.
echo '{"permission": "denied"}' >"$home/config/museum/nearby.json"
withdrawn=$EPOCHREALTIME
check agent-permission-withdrawn '$(listed museum)' within 5 lists museum '"status":"inactive"'
echo "withdrawn: seen $(awk -v a="$withdrawn" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }') s later"
"${as_user[@]}" "$programs/earshot-agent" stop neighbour
check agent-stopped '$(listed neighbour)' test -z "$(listed neighbour)"
install_app undeclared "$key"
sed -i 's/"bluetooth-central"//' "$home/config/undeclared/undeclared.nearby.json"
start_app undeclared on
sleep 10
check agent-undeclared '$(listed undeclared)' test -z "$(listed undeclared)"
kill $app
museum=$(listed museum | sed -E 's/.*"running":\[([0-9]*)\].*/\1/')
kill ${museum:+"$museum"} $publisher $beacon
wait $publisher $beacon $app 2>/dev/null
kill $agent $desktop $screen $service
wait $agent $desktop $screen $service 2>/dev/null

end_run
