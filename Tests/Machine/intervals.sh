# How often a controller of Bluetooth 5 sends, as bluetoothd is started. Runs behind sharing.sh.

btvirt -l1 >"$logs/btvirt-5" 2>&1 &
within 30 test -e /sys/class/bluetooth/hci3
sleep 1

# interval NAME MINIMUM MAXIMUM OPTIONS...: a check of the interval that the kernel asks of the controller, in milliseconds.
interval() {
    local name=$1 wanted="$2 $3" seen
    shift 3
    restart_bluetoothd "$@"
    within 30 set_powered 3 true 2>/dev/null
    within 30 is_powered 3
    btmon --index 3 --columns 200 >"$logs/$name" 2>&1 &
    local monitor=$!
    sleep 1
    "$programs/earshot-messages" beacon --eddystone 00112233445566778899:aabbccddeeff --adapter hci3 --seconds 4 >"$logs/beacon" 2>&1
    kill $monitor
    wait $monitor 2>/dev/null
    # What the kernel asks of the controller; bluetoothd's own command comes before, with zeros where it has no wish.
    seen=$(sed -nE '/^< HCI Command: LE Set Extended Advertising Param/,$s/^ *(Min|Max) advertising interval: ([0-9]+).*/\2/p' \
        "$logs/$name" | head -n 2 | xargs)
    if [[ $seen == "$wanted" ]]; then ok "$name" "$seen ms"; else failed "$name" "$seen ms; $(tail -n 1 "$logs/beacon")"; fi
}
printf '[LE]\nMinAdvertisementInterval=160\nMaxAdvertisementInterval=240\n' >"$logs/main.conf"
interval interval-experimental 100 150 --experimental
interval interval-stock 1280 1280
interval interval-configured 100 150 --configfile "$logs/main.conf"
