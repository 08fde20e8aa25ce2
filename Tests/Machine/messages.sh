# Messages by Bluetooth through a token service of our own, from an empty database: devices, then beacons. Needs earshotd:
# EARSHOTD, or the program of `make server`. Runs behind bluetooth.sh, which starts bluetoothd.

earshotd=${EARSHOTD:-../../Server/.build/release/earshotd}

# administer ARGUMENTS...: a command of earshotd.
administer() { "$earshotd" "$@" --database "$logs/database" 2>>"$logs/earshotd.errors"; }

# messages NAME KEY COMMAND ARGUMENTS...: publish or subscribe in the background.
messages() {
    local name=$1 key=$2
    shift 2
    EARSHOT_KEY=$key "$programs/earshot-messages" "$@" --json >"$logs/$name" 2>"$logs/$name.errors" &
    pid=$!
}

if [[ ! -x $earshotd ]]; then
    failed messages "there is no $earshotd; 'make server' builds it"
    return
fi
administer project create museum >"$logs/administration"
administer project create neighbour >>"$logs/administration"
key=$(administer key create museum)
other=$(administer key create neighbour)
"$earshotd" serve --database "$logs/database" >"$logs/serve" 2>&1 &
service=$!
check service '$(tail -n 3 "$logs/serve")' within 60 says "$logs/serve" 'listens at'

# Two devices of one project by Bluetooth alone, and one of another project.
messages heard "$key" subscribe --medium ble --adapter hci1 --seconds 60
subscriber=$pid
messages foreign "$other" subscribe --medium ble --adapter hci2 --seconds 60
stranger=$pid
sleep 5
messages said "$key" publish hello --medium ble --adapter hci0 --seconds 30
publisher=$pid
check message-found '$(cat "$logs/heard" "$logs/heard.errors" "$logs/said.errors")' within 40 says "$logs/heard" found hello
wait $publisher
check message-lost '$(cat "$logs/heard")' within 30 says "$logs/heard" lost hello
kill $subscriber $stranger
wait $subscriber $stranger
check other-project-hears-nothing '$(cat "$logs/foreign")' test -z "$(grep hello "$logs/foreign")"

# A message at an Eddystone and one at an iBeacon, and one in a public namespace.
eddystone=00112233445566778899:aabbccddeeff
ibeacon=0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0:4660:22136
administer beacon register museum eddystone:$eddystone >>"$logs/administration"
administer beacon attach eddystone:$eddystone --text Welcome >>"$logs/administration"
administer beacon register museum ibeacon:$ibeacon >>"$logs/administration"
administer beacon attach ibeacon:$ibeacon --text Exit >>"$logs/administration"
administer namespace create museum com.example.museum --public >>"$logs/administration"
administer beacon attach eddystone:$eddystone --namespace com.example.museum --text Open >>"$logs/administration"
for kind in "eddystone Welcome" "ibeacon Exit"; do
    read -r kind text <<<"$kind"
    identity=${!kind}
    messages "at-$kind" "$key" subscribe --beacons --adapter hci1 --seconds 60
    subscriber=$pid
    if [[ $kind == eddystone ]]; then
        messages "foreign-$kind" "$other" subscribe --beacons --namespace com.example.museum --adapter hci2 --seconds 60
    else
        messages "foreign-$kind" "$other" subscribe --beacons --adapter hci2 --seconds 60
    fi
    stranger=$pid
    sleep 5
    "$programs/earshot-messages" beacon "--$kind" "$identity" --adapter hci0 --seconds 25 >"$logs/beacon" 2>&1 &
    beacon=$!
    check "$kind-message-found" '$(cat "$logs/at-$kind" "$logs/at-$kind.errors" "$logs/beacon")' \
        within 40 says "$logs/at-$kind" found "$text"
    wait $beacon
    check "$kind-message-lost" '$(cat "$logs/at-$kind")' within 30 says "$logs/at-$kind" lost "$text"
    kill $subscriber $stranger
    wait $subscriber $stranger
    check "$kind-other-project" '$(cat "$logs/foreign-$kind")' test -z "$(grep -E 'Welcome|Exit' "$logs/foreign-$kind")"
done
check public-namespace-is-seen '$(cat "$logs/foreign-eddystone" "$logs/administration")' says "$logs/foreign-eddystone" found Open
kill $service
wait $service
