# The advertising interval of a Bluetooth 5 controller for each way to start bluetoothd, and whether `earshot devices` detects which one it
# was. Runs after sharing.sh.

btvirt -l1 >"$logs/btvirt-5" 2>&1 &
within 30 test -e /sys/class/bluetooth/hci3
sleep 1

# interval NAME KIND MINIMUM MAXIMUM OPTIONS...: checks of the interval that the kernel asks of the controller, in milliseconds, and of the
# kind of bluetoothd, experimental or stock.
interval() {
    local name=$1 kind=$2 wanted="$3 $4" seen
    shift 4
    restart_bluetoothd "$@"
    within 30 set_powered 3 true 2>/dev/null
    within 30 is_powered 3
    "$programs/earshot" devices --json >"$logs/devices-$name" 2>&1
    check "devices-$name" '$(tail -n 4 "$logs/devices-$name")' says "$logs/devices-$name" '"name":"hci3"' '"powered":true' "\"bluetoothd\":\"$kind\""
    btmon --index 3 --columns 200 >"$logs/$name" 2>&1 &
    local monitor=$!
    sleep 1
    "$programs/earshot-messages" beacon --eddystone 00112233445566778899:aabbccddeeff --adapter hci3 --seconds 4 >"$logs/beacon" 2>&1
    kill $monitor
    wait $monitor 2>/dev/null
    # The interval that the kernel asks of the controller. bluetoothd's own command comes before, with zeros for values
    # that it leaves open.
    seen=$(sed -nE '/^< HCI Command: LE Set Extended Advertising Param/,$s/^ *(Min|Max) advertising interval: ([0-9]+).*/\2/p' \
        "$logs/$name" | head -n 2 | xargs)
    if [[ $seen == "$wanted" ]]; then ok "$name" "$seen ms"; else failed "$name" "$seen ms; $(tail -n 1 "$logs/beacon")"; fi
}
printf '[LE]\nMinAdvertisementInterval=160\nMaxAdvertisementInterval=240\n' >"$logs/main.conf"
interval interval-experimental experimental 100 150 --experimental
interval interval-stock stock 1280 1280
interval interval-configured stock 100 150 --configfile "$logs/main.conf"
# The advice of `earshot devices`.
printf '[General]\nExperimental = true\n' >"$logs/main.conf"
interval interval-advised experimental 100 150 --configfile "$logs/main.conf"
# bluetoothd is away.
kill $bluetoothd
wait $bluetoothd
"$programs/earshot" devices >"$logs/devices-away" 2>&1
check devices-without-bluetoothd '$(tail -n 4 "$logs/devices-away")' says "$logs/devices-away" 'Bluetooth: none: bluetoothd does not run'
