# Programs that begin a discovery at the same time. A bluetoothd without monitors answers only one of them, so our programs take turns. Runs
# after radios.sh.

restart_bluetoothd
# begin_slowly COMMAND: stops the controllers when the rounds of all programs begin, and runs the command meanwhile. The kernel waits up to
# 2 s for a controller.
begin_slowly() {
    local now
    now=$(cut -d ' ' -f 1 /proc/uptime)
    # Rounds begin with each 4 s of the machine's clock; those in low power end after 1.5 s.
    sleep "$(awk -v now="$now" 'BEGIN { printf "%.2f", 7.7 - now % 4 }')"
    kill -STOP $btvirt
    sleep 1
    "$@"
    sleep 0.5
    kill -CONT $btvirt
}
together=()
for number in 1 2 3; do
    "$programs/earshot-messages" beacons --no-ibeacons --low-power --adapter hci0 --json >"$logs/together-$number" 2>&1 &
    together+=($!)
done
sleep 6
begin_slowly true
# The time for which a call waits for its answer, and one round more.
sleep 15
check begin-together '$(grep -h problem "$logs"/together-?)' test -z "$(grep -h '"problem"' "$logs"/together-?)"
kill "${together[@]:1}"
wait "${together[@]:1}"

# A program that takes no part in the turns interferes: ours gets no answer, and begins again on another connection to the bus.
foreign_begin() {
    dbus-send --system --print-reply --dest=org.bluez "$(adapter 0)" org.bluez.Adapter1.StartDiscovery >"$logs/foreign-begin" 2>&1 &
    foreign=$!
}
begin_slowly foreign_begin
check begin-without-answer '$(cat "$logs/together-1" "$logs/foreign-begin")' within 20 says "$logs/together-1" '"problem"' 'no answer'
check begin-again '$(cat "$logs/together-1")' within 20 says "$logs/together-1" '"solved"' 'cannot scan'
wait $foreign
# The adapter rests again, so the program has left no discovery running.
rests() { ! is_discovering 0; }
check begin-leaves-nothing 'bluetoothd goes on to scan' within 10 rests
kill "${together[0]}"
wait "${together[0]}"
restart_bluetoothd --experimental
