# Devices and beacons by Bluetooth. Runs after radios.sh.

a=0123456789abcdef
b=fedcba9876543210

# Two devices find each other. One stays and is not lost; the other leaves and is lost.
nearby first --medium ble --adapter hci0 --token $a
first=$pid
within 20 says "$logs/first.errors" listening
sleep 2
nearby second --medium ble --adapter hci1 --token $b
second=$pid
within 20 says "$logs/second" '"event":"found"' "$a"
seconds=$(last "$logs/second" '"event":"found"' | number at_s)
if less "${seconds:-99}" 2; then ok found "$seconds s"; else failed found "after ${seconds:-more than 20} s"; fi
check found-by-the-other '$(cat "$logs/first")' within 10 says "$logs/first" '"event":"found"' "$b"
sleep 14
check stays '$(grep lost "$logs/first" "$logs/second")' test -z "$(grep -h '"lost"' "$logs/first" "$logs/second")"
kill -9 $second
wait $second 2>/dev/null
within 20 says "$logs/first" '"event":"lost"' "$b"
heard=$(grep -v '"event":"lost"' "$logs/first" | grep -F "$b" | tail -n 1 | number at_s)
lost=$(last "$logs/first" '"event":"lost"' | number at_s)
silence=$(awk -v a="${lost:-99}" -v b="${heard:-0}" 'BEGIN { print a - b }')
if less "$silence" 10; then ok lost "$silence s after it was last heard"; else failed lost "after $silence s"; fi

# The adapter is switched off and on.
nearby second --medium ble --adapter hci1 --token $b
second=$pid
within 20 says "$logs/first" '"event":"updated"' "$b"
set_powered 0 false
check off '$(tail -n 3 "$logs/first")' within 10 says "$logs/first" '"problem"' 'Bluetooth off'
set_powered 0 true
check on '$(tail -n 3 "$logs/first")' within 10 says "$logs/first" '"solved"' 'Bluetooth off'
lines=$(wc -l <"$logs/second")
sleep 6
check heard-again '$(tail -n 3 "$logs/second")' within 20 says_after "$lines" "$logs/second" "$a"

# An app's handlers learn when the adapter is off, and when the system denies access.
EARSHOT_APP_ID=machine EARSHOT_ADAPTER=hci2 XDG_CONFIG_HOME=$logs/app "$programs/test-app" bluetooth >"$logs/app.lines" 2>"$logs/app.errors" &
app=$!
sleep 2
set_powered 2 false
check power-handler-off '$(cat "$logs/app.lines" "$logs/app.errors")' within 20 says "$logs/app.lines" 'power true'
set_powered 2 true
check power-handler-on '$(cat "$logs/app.lines" "$logs/app.errors")' within 20 says "$logs/app.lines" 'power false'
deny_bluetooth() {
    cat >/etc/dbus-1/system.d/deny.conf <<POLICY
<busconfig><policy context="mandatory"><deny send_destination="org.bluez" send_interface="org.freedesktop.DBus.Properties"/></policy></busconfig>
POLICY
    reload_bus
}
reload_bus() {
    dbus-send --system --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.ReloadConfig >/dev/null
}
deny_bluetooth
check permission-handler '$(cat "$logs/app.lines" "$logs/app.errors")' within 20 says "$logs/app.lines" 'permission true'
rm /etc/dbus-1/system.d/deny.conf
reload_bus
check permission-handler-end '$(cat "$logs/app.lines" "$logs/app.errors")' within 20 says "$logs/app.lines" 'permission false'
kill $app
wait $app 2>/dev/null

# bluetoothd dies and comes back.
kill -9 $bluetoothd
wait $bluetoothd 2>/dev/null
check killed '$(tail -n 3 "$logs/first")' within 10 says "$logs/first" '"problem"' 'no Bluetooth service'
start_bluetoothd --experimental
check restarted '$(tail -n 3 "$logs/first")' within 20 says "$logs/first" '"solved"' 'no Bluetooth service'
lines=$(wc -l <"$logs/second")
sleep 6
check heard-after-restart '$(tail -n 3 "$logs/second")' within 20 says_after "$lines" "$logs/second" "$a"
kill $first $second
wait $first $second
check nothing-left-on-the-air '$(btmgmt --index 0 advinfo 2>&1)' test -z \
    "$(btmgmt --index 0 advinfo 2>/dev/null | grep -E 'instances: *[1-9]')"

# A device that only scans sends nothing, and one that only broadcasts does not scan.
watch_air scan-air 0
air_of_scan=$air
watch_air broadcast-air 1
nearby scan --medium ble --adapter hci0 --mode scan --count 1 --seconds 30
scan=$pid
sleep 2
nearby broadcast --medium ble --adapter hci1 --mode broadcast --token $b --seconds 6
wait $scan
status=$?
check one-way "the scan ended with $status: $(cat "$logs/scan")" test $status = 0
wait $pid
kill $air_of_scan $air
wait $air_of_scan $air 2>/dev/null
check scan-only-is-silent '$(grep -n Advertis "$logs/scan-air" | head -n 3)' \
    test -z "$(grep -E 'Advertising: Enabled|Type: Active' "$logs/scan-air")"
check scan-only-scans "btmon saw no scan" grep -q 'Scanning: Enabled' "$logs/scan-air"
check broadcast-only-is-deaf '$(grep -n Scanning "$logs/broadcast-air" | head -n 3)' \
    test -z "$(grep 'Scanning: Enabled' "$logs/broadcast-air")"
check broadcast-only-advertises "btmon saw no advertisement" grep -q 'Advertising: Enabled' "$logs/broadcast-air"

# Tokens change after a silence of random length and with a new address each time, so that an observer cannot tell which token
# follows which.
watch_air rotation-air 2
nearby rotation --medium ble --adapter hci0 --mode scan --seconds 24
scan=$pid
sleep 2
"$programs/machine-rotation" hci2 4 4 >"$logs/rotation-tokens" 2>&1
wait $scan
kill $air
wait $air 2>/dev/null
check rotation-heard '$(cat "$logs/rotation-tokens" "$logs/rotation")' test \
    "$(grep -c '"event":"found"' "$logs/rotation")" = 4
addresses=$(grep -A 2 'LE Set Random' "$logs/rotation-air" | grep -oE '([0-9A-F]{2}:){5}[0-9A-F]{2}')
check rotation-changes-address "$addresses" test "$(sort -u <<<"$addresses" | wc -l)" -ge 4
check each-address-once "$addresses" test -z "$(sort <<<"$addresses" | uniq -d)"
# The time from each end of advertising to its next start, without the last end: at most 2 s, plus a margin for a slow machine.
# Three times below 0.1 s happen by chance once in ten million runs.
gaps=$(awk '/LE Set Advertise Enable/ && /Command/ { split($NF, t, ":"); at = t[1] * 3600 + t[2] * 60 + t[3] }
    /Advertising: Disabled/ { off = at }
    /Advertising: Enabled/ { if (off) { count++; if (at - off > gap) gap = at - off }; off = 0 }
    END { printf "%.4f %d\n", gap, count }' "$logs/rotation-air")
read -r gap count <<<"$gaps"
if ((count == 3)) && less 0.1 "$gap" && less "$gap" 2.5; then
    ok rotation-is-silent-between "$gap s at most, $count times"
else
    failed rotation-is-silent-between "$gap s, $count times"
fi

# Several programs scan with one adapter. bluetoothd offers monitors with --experimental; without it, programs use
# discovery.
several() {
    nearby "several-a-$1" --medium ble --adapter hci0 --mode scan
    local first=$pid
    sleep 1.7
    nearby "several-b-$1" --medium ble --adapter hci0 --mode scan
    local second=$pid
    nearby "several-c-$1" --medium ble --adapter hci1 --mode broadcast --token $b
    local third=$pid
    sleep 30
    kill $first $second $third
    wait $first $second $third
    check "several-$1" '$(cat "$logs"/several-?-'"$1"' | cut -c 1-110)' test \
        "$(cat "$logs/several-a-$1" "$logs/several-b-$1" | grep -c found)/$(cat "$logs/several-a-$1" "$logs/several-b-$1" | grep -c lost)" = 2/0
    updates=$(grep -c updated "$logs/several-a-$1")
    if ((updates >= 5)); then ok "several-$1-heard" "$updates times in 30 s"; else failed "several-$1-heard" "$updates times"; fi
}
several monitors
kill $bluetoothd
wait $bluetoothd
start_bluetoothd
several discovery
# Another program holds the scan: the device is heard less often, but is not lost.
bluetoothctl_input=$logs/bluetoothctl
mkfifo "$bluetoothctl_input"
bluetoothctl <"$bluetoothctl_input" >"$logs/bluetoothctl.lines" 2>&1 &
foreign=$!
exec 9>"$bluetoothctl_input"
# bluetoothctl accepts no commands before it knows the adapters.
within 20 says "$bluetoothctl_input.lines" 'Controller 00:AA:01:00:00:00'
printf 'select 00:AA:01:00:00:00\nscan on\n' >&9
check foreign-scan-begins '$(tail -n 5 "$bluetoothctl_input.lines")' within 20 says "$bluetoothctl_input.lines" 'Discovery started'
nearby foreign-a --medium ble --adapter hci0 --mode scan
first=$pid
sleep 6
nearby foreign-b --medium ble --adapter hci1 --mode broadcast --token $b
second=$pid
sleep 45
check foreign-scan '$(cut -c 1-110 "$logs/foreign-a"; tail -n 5 "$logs/bluetoothctl.lines")' test \
    "$(grep -c found "$logs/foreign-a")/$(grep -c lost "$logs/foreign-a")" = 1/0
# Without our programs the adapter scans again, so the other program held the scan.
kill $first $second
wait $first $second
check foreign-scan-is-held '$(tail -n 5 "$logs/bluetoothctl.lines")' within 10 is_discovering 0
kill $foreign
exec 9>&-
wait $foreign
kill $bluetoothd
wait $bluetoothd
start_bluetoothd --experimental

# Two devices find each other by sound alone.
nearby sound-a --device hw:0,1,1 --playback hw:0,0,0 --medium audio --token $a
first=$pid
nearby sound-b --device hw:0,1,0 --playback hw:0,0,1 --medium audio --token $b
second=$pid
check sound-alone '$(tail -n 2 "$logs/sound-a")' within 30 says "$logs/sound-a" '"event":"found"' '"media":["audio"]' "$b"
check sound-alone-by-the-other '$(tail -n 2 "$logs/sound-b")' within 30 says "$logs/sound-b" '"event":"found"' "$a"
kill $first $second
wait $first $second

# Sound and Bluetooth together: a device that is heard on both counts as one, and is lost when both have lost it.
nearby both-a --device hw:0,1,1 --playback hw:0,0,0 --adapter hci0 --medium audio,ble --token $a
first=$pid
nearby both-b --device hw:0,1,0 --playback hw:0,0,1 --adapter hci1 --medium audio,ble --token $b
second=$pid
both='"media":["audio","ble"]'
check both-media '$(tail -n 2 "$logs/both-a")' within 30 says "$logs/both-a" "$both" "$b"
# Here the listening adapter is switched off, because the kernel does not tell a virtual controller to stop advertising.
set_powered 0 false
check bluetooth-away '$(tail -n 4 "$logs/both-a" | cut -c 1-160)' within 30 ends_with "$logs/both-a" '"media":["audio"]' "$b"
set_powered 0 true
lines=$(wc -l <"$logs/both-a")
check bluetooth-back '$(tail -n 2 "$logs/both-a")' within 30 says_after "$lines" "$logs/both-a" "$both"
kill -9 $second
wait $second 2>/dev/null
nearby both-b --adapter hci1 --medium ble --token $b
second=$pid
check sound-away '$(tail -n 4 "$logs/both-a" | cut -c 1-160)' within 60 ends_with "$logs/both-a" '"media":["ble"]' "$b"
kill $second
wait $second
nearby both-b --device hw:0,1,0 --playback hw:0,0,1 --adapter hci1 --medium audio,ble --token $b
second=$pid
lines=$(wc -l <"$logs/both-a")
check sound-back '$(tail -n 2 "$logs/both-a")' within 30 says_after "$lines" "$logs/both-a" "$both"
check one-device '$(grep found "$logs/both-a")' test "$(grep -c '"event":"found"' "$logs/both-a")" = 1
check never-lost '$(grep lost "$logs/both-a")' test -z "$(grep '"event":"lost"' "$logs/both-a")"
kill $first $second
wait $first $second
