# Messages by Bluetooth through a token service of our own, from an empty database: devices, then beacons. Runs after radios.sh
# and service.sh.

if [[ ! -x $earshotd ]]; then
    failed messages "there is no $earshotd; 'make server' builds it"
    return
fi
set_up_projects
start_service service

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
