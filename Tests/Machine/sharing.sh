# Several programs on one adapter of Bluetooth 4, which sends one advertisement at a time and takes no new address while it scans.
# Runs after radios.sh. The times of each run and the kinds of runs are in $sharing_seconds and ${sharing_kinds[@]}.

# The seconds of the day, as in btmon's output.
day_seconds() { date -u +%H:%M:%S.%N | seconds_of_day; }
# The same for lines of JSON.
line_seconds() { sed -E 's/.*"time":"[^T]*T([^Z]*)Z".*/\1/' | seconds_of_day; }
seconds_of_day() { awk -F: '{ printf "%.3f\n", $1 * 3600 + $2 * 60 + $3 }'; }

# find_delays FILE TOKEN BEGIN: how long after BEGIN a token was found, and how often it was lost.
find_delays() {
    local found
    found=$(grep '"found"' "$1" | grep -F "$2" | head -n 1 | line_seconds)
    awk -v a="${found:-99999}" -v b="$3" -v c="$(grep '"lost"' "$1" | grep -c -F "$2")" 'BEGIN { printf "%.2f %d\n", a - b, c }'
}

# share_radio NAME SECONDS: four programs that scan and four that broadcast, on hci0; a neighbour and an observer on hci1, and a
# neighbour on hci2. The last program is a beacon, which says when it is in the air.
share_radio() {
    local name=$1 seconds=$2 number file token begin first share least windows count worst lost all=() wanted=() neighbours=()
    btmon --write "$logs/$name.btsnoop" >/dev/null 2>&1 &
    local monitor=$!
    sleep 1
    nearby "$name-observer" --medium ble --adapter hci1 --mode scan
    all+=("$pid")
    for number in 1 2 3 4; do
        nearby "$name-scan-$number" --medium ble --adapter hci0 --mode scan
        all+=("$pid")
    done
    for number in 1 2 3 4; do within 30 says "$logs/$name-scan-$number.errors" listening; done
    sleep 5
    for number in 1 2 3 4; do
        token=$(printf "b$number%.0s" 1 2 3 4 5 6 7 8)
        ((number < 4)) || token=${token::12}
        wanted+=("$token@$(day_seconds)")
        if ((number < 4)); then
            nearby "$name-send-$number" --medium ble --adapter hci0 --mode broadcast --token "$token"
        else
            rm -f "$logs/beacon-fifo"
            mkfifo "$logs/beacon-fifo"
            while read -r line; do echo "$(day_seconds) $line"; done <"$logs/beacon-fifo" >"$logs/$name-claims" &
            "$programs/earshot-messages" beacon --eddystone "00112233445566778899:$token" --adapter hci0 2>"$logs/beacon-fifo" &
            pid=$!
        fi
        all+=("$pid")
        sleep 1
    done
    for number in 1 2; do
        token=$(printf "a$number%.0s" 1 2 3 4 5 6 7 8)
        neighbours+=("$token@$(day_seconds)")
        nearby "$name-neighbour-$number" --medium ble --adapter hci$number --mode broadcast --token "$token"
        all+=("$pid")
        sleep 1
    done
    local start end
    start=$(day_seconds)
    sleep "$seconds"
    end=$(day_seconds)
    kill "${all[@]}"
    wait "${all[@]}" 2>/dev/null
    kill $monitor
    wait $monitor 2>/dev/null
    air() { btmon --columns 200 --time --read "$logs/$name.btsnoop" | ./air.py "$1" "$start" "$end" "$window" "${@:2}"; }
    {
        air hci0 "${wanted[@]}"
        for number in 1 2; do air hci$number "${neighbours[number - 1]}" | head -n 1; done
    } >"$logs/$name.air"
    sed "s/^/$name: /" "$logs/$name.air"

    # Each is on the air within 5 s, and then once in every 4 s, or 9 s.
    worst=0 share=1
    for number in 1 2 3 4; do
        read -r token first _ windows _ <<<"$(sed -n "${number}p" "$logs/$name.air")"
        [[ $first != never ]] || first=9999
        worst=$(awk -v a="$worst" -v b="$first" 'BEGIN { print (a > b ? a : b) }')
        share=$(awk -v a="$share" -v b="$windows" 'BEGIN { print (a < b ? a : b) }')
    done
    # monitors-on-the-air, monitors-foreign-on-the-air
    if less "$worst" 5; then ok "$name-on-the-air" "$worst s"; else failed "$name-on-the-air" "after $worst s"; fi
    if less 0.8 "$share"; then ok "$name-windows" "$share of the windows of $window s"; else failed "$name-windows" "$share"; fi
    share=$(sed -n 's/^anything //p' "$logs/$name.air")
    # On the slow machine, a discovery takes longer to start than a monitor, and nothing is on the air meanwhile.
    case $name in discovery) least=0.5 ;; *) least=0.8 ;; esac
    if less $least "$share"; then ok "$name-air-is-used" "$share of the time"; else failed "$name-air-is-used" "$share"; fi
    # A program that says it is on the air really is.
    begin=${wanted[3]#*@}
    first=$(sed -n '4p' "$logs/$name.air" | cut -d ' ' -f 2)
    count=$(grep 'in the air' "$logs/$name-claims" | head -n 1 | cut -d ' ' -f 1)
    share=$(awk -v a="${count:-99999}" -v b="$begin" -v c="$first" 'BEGIN { printf "%.2f", a - b - c }')
    if less -0.01 "$share" && less "$share" 2; then
        ok "$name-claim" "$share s after it was"
    else
        failed "$name-claim" "$share s after it was: $(cat "$logs/$name-claims")"
    fi
    # Each program that scans finds each neighbour, and loses none. The neighbours' machine finds each of these
    # programs, and loses none.
    worst=0 lost=0
    for number in 1 2; do
        read -r token first _ <<<"$(sed -n "$((6 + number))p" "$logs/$name.air")"
        begin=$(awk -v a="${neighbours[number - 1]#*@}" -v b="$first" 'BEGIN { print a + b }')
        for file in 1 2 3 4; do
            read -r first count <<<"$(find_delays "$logs/$name-scan-$file" "$token" "$begin")"
            worst=$(awk -v a="$worst" -v b="$first" 'BEGIN { print (a > b ? a : b) }')
            lost=$((lost + count))
        done
    done
    if less "$worst" 4; then ok "$name-found" "$worst s"; else failed "$name-found" "after $worst s"; fi
    worst=0
    for number in 1 2 3; do
        read -r token first _ <<<"$(sed -n "${number}p" "$logs/$name.air")"
        begin=$(awk -v a="${wanted[number - 1]#*@}" -v b="$first" 'BEGIN { print a + b }')
        read -r first count <<<"$(find_delays "$logs/$name-observer" "$token" "$begin")"
        worst=$(awk -v a="$worst" -v b="$first" 'BEGIN { print (a > b ? a : b) }')
        lost=$((lost + count))
    done
    if less "$worst" 4; then ok "$name-found-by-neighbour" "$worst s"; else failed "$name-found-by-neighbour" "after $worst s"; fi
    count=$(cat "$logs/$name"-* | grep '"lost"' | cut -c 1-120)
    if ((lost == 0)); then ok "$name-never-lost"; else failed "$name-never-lost" "$count"; fi
    count=$(cat "$logs/$name"-* | grep problem | cut -c 1-200)
    check "$name-no-problem" "$count" test -z "$count"
}

# hold_scan starts another program that scans with hci0; release_scan ends it.
hold_scan() {
    local input=$logs/holder
    [[ -e $input ]] || mkfifo "$input"
    bluetoothctl <"$input" >"$input.lines" 2>&1 &
    holder=$!
    exec 9>"$input"
    # bluetoothctl accepts no commands before it knows the adapters.
    within 20 says "$input.lines" 'Controller 00:AA:01:00:00:00'
    printf 'select 00:AA:01:00:00:00\nscan on\n' >&9
    within 20 says "$input.lines" 'Discovery started'
}
release_scan() {
    kill $holder
    exec 9>&-
    wait $holder
}

for kind in "${sharing_kinds[@]}"; do
    case $kind in
    monitors*) restart_bluetoothd --experimental ;;
    *) restart_bluetoothd ;;
    esac
    case $kind in *-foreign) hold_scan ;; esac
    # With monitors, the turns stop while another program scans, except for a gap in every 8 s.
    case $kind in monitors-foreign) window=9 ;; *) window=4 ;; esac
    share_radio "$kind" "$sharing_seconds"
    case $kind in *-foreign) release_scan ;; esac
done
