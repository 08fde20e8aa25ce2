# Detection of the network through NetworkManager, wpa_supplicant, iwd and the kernel, with real access points on
# simulated radios.

# The networks as machine-networks prints them.
ship="wifi ${ssid[ship]}"
camp="wifi ${ssid[camp]}"

# watch_networks NAME LOG: records the situations of a machine in $logs/LOG; the process is in $watch.
watch_networks() {
    run_in_machine "$1" "$programs/machine-networks" >"$logs/$2" 2>&1 &
    watch=$!
}

# is_network LOG NETWORK [SOURCE]: whether the latest situation is this one.
is_network() { ends_with "$logs/$1" "\"primary\":\"$2\"" "\"source\":\"${3:-networkManager}\""; }

line_count() { wc -l <"$logs/$1"; }

# since LOG MILLISECONDS: the milliseconds from a time to the latest situation.
since() { echo $(($(tail -n 1 "$logs/$1" | number milliseconds) - $2)); }

# in_time NAME LOG MILLISECONDS LIMIT: a check that the latest situation came within a time after another.
in_time() {
    local took
    took=$(since "$2" "$3")
    if ((took <= $4)); then ok "$1" "${took} ms"; else failed "$1" "${took} ms, and not $4"; fi
}

# event_milliseconds NAME TEXT: the time of the kernel's last Wi-Fi event of a machine, by the clock of
# machine-networks.
event_milliseconds() {
    local offset
    offset=$(($(date +%s%3N) - $(now_milliseconds)))
    grep -F -- "$2" "$logs/$1/events" | tail -n 1 | awk -v o="$offset" '{ sub(":", "", $1); printf "%d\n", $1 * 1000 - o }'
}

# primary_connection NAME: NetworkManager's own answer, and the routes.
primary_connection() {
    in_machine "$1" dbus-send --system --print-reply=literal --dest=org.freedesktop.NetworkManager \
        /org/freedesktop/NetworkManager org.freedesktop.DBus.Properties.Get \
        string:org.freedesktop.NetworkManager string:PrimaryConnection
    in_machine "$1" ip route
}

start_radios 4
start_access_points
check wifi-machine '$(cat "$logs/ann/start"; tail -n 20 "$logs/ann/manager" "$logs/ann/supplicant")' user_machine ann 2
run_in_machine ann iw event -t >"$logs/ann/events" 2>&1 &
events=$!
watch_networks ann networks
check wifi-none '$(cat "$logs/networks")' within 20 is_network networks none

# Networks without internet: there is no default route.
check wifi-joins '$(tail -n 20 "$logs/ann/manager" "$logs/ann/nmcli")' join ann ship
joined=$(now_milliseconds)
check wifi-without-a-default-route '$(cat "$logs/networks"; in_machine ann ip route)' within 10 is_network networks "$ship"
in_time wifi-join-is-seen networks "$joined" 1000
echo "primary connection: $(primary_connection ann)"
check wifi-reaches-the-server '$(in_machine ann ip address)' within 10 reaches ann 10.77.0.1
leave ann
check wifi-leaves '$(cat "$logs/networks")' within 10 is_network networks none
in_time wifi-leave-is-seen networks "$(event_milliseconds ann 'disconnected')" 1000
check wifi-joins-with-a-router '$(tail -n 20 "$logs/ann/nmcli")' join ann ship router
joined=$(now_milliseconds)
check wifi-with-a-router '$(cat "$logs/networks"; in_machine ann ip route)' within 10 is_network networks "$ship"
in_time wifi-join-with-a-router-is-seen networks "$joined" 1000
echo "primary connection: $(primary_connection ann)"

# Join another network, whose SSID is bytes, and come back, without leaving in between.
check wifi-joins-bytes '$(tail -n 20 "$logs/ann/nmcli")' join ann camp
joined=$(now_milliseconds)
check wifi-bytes '$(cat "$logs/networks")' within 10 is_network networks "$camp"
in_time wifi-bytes-are-seen networks "$joined" 1000
join ann ship
check wifi-back '$(cat "$logs/networks")' within 10 is_network networks "$ship"

# The access point disappears with and without notice, and comes back. wpa_supplicant joins it again automatically.
access_point_off ship
check wifi-point-off '$(cat "$logs/networks"; tail -n 5 "$logs/ann/events")' within 20 is_network networks none
in_time wifi-point-off-is-seen networks "$(event_milliseconds ann 'disconnected')" 1000
access_point_on ship
check wifi-point-on '$(cat "$logs/networks"; tail -n 20 "$logs/ann/manager" "$logs/ann/events")' within 60 is_network networks "$ship"
in_time wifi-point-on-is-seen networks "$(event_milliseconds ann 'connected to')" 1000
went=$(now_milliseconds)
access_point_off ship KILL
check wifi-point-silent '$(cat "$logs/networks"; tail -n 5 "$logs/ann/events")' within 30 is_network networks none
in_time wifi-point-silent-is-seen networks "$went" 5000
access_point_on ship
check wifi-point-on-after-silence '$(cat "$logs/networks"; tail -n 20 "$logs/ann/manager")' within 60 is_network networks "$ship"

# Wait longer than NetworkManager keeps a broken connection.
access_point_off ship
sleep 20
access_point_on ship
check wifi-point-on-later '$(cat "$logs/networks"; tail -n 20 "$logs/ann/manager")' within 120 is_network networks "$ship"
in_time wifi-point-on-later-is-seen networks "$(event_milliseconds ann 'connected to')" 1000

# A virtual cable counts only if it has the default route, and then as an unknown network.
in_machine ann ip link add cable0 type veth peer name cable1
in_machine ann ip link set cable0 up
in_machine ann ip link set cable1 up
in_machine ann ip address add 10.79.0.1/24 dev cable0
sleep 3
check wifi-virtual-cable '$(cat "$logs/networks"; in_machine ann nmcli device)' is_network networks "$ship"
in_machine ann ip route add default via 10.79.0.2 dev cable0
check wifi-virtual-default-route '$(cat "$logs/networks"; in_machine ann nmcli device; in_machine ann ip route)' \
    within 10 ends_with "$logs/networks" '"primary":"none"'
in_machine ann ip link delete cable0
check wifi-virtual-cable-gone '$(cat "$logs/networks"; in_machine ann nmcli device; in_machine ann ip route)' within 10 is_network networks "$ship"

# NetworkManager is killed and comes back, which ends the connection and makes it again.
before=$(line_count networks)
killed=$(now_milliseconds)
stop_manager ann KILL
check manager-killed '$(cat "$logs/networks")' within 10 is_network networks "$ship" kernel
in_time manager-killed-is-seen networks "$killed" 1000
start_manager ann
check manager-restarted '$(cat "$logs/networks"; tail -n 20 "$logs/ann/manager")' within 20 says_after "$before" "$logs/networks" networkManager
check manager-joins-again '$(cat "$logs/networks"; tail -n 20 "$logs/ann/manager")' within 60 is_network networks "$ship"
in_time manager-join-is-seen networks "$(event_milliseconds ann 'connected to')" 1000
echo "manager-restart: $(tail -n "+$((before + 1))" "$logs/networks" | tr '\n' ' ')"

# Two machines of users on one network reach each other and the server.
check second-machine '$(cat "$logs/bob/start"; tail -n 20 "$logs/bob/manager")' user_machine bob 3
check second-machine-joins '$(tail -n 20 "$logs/bob/nmcli")' join bob ship
check machines-reach-each-other '$(in_machine bob ip address)' within 10 reaches bob 10.77.0.12
check second-machine-reaches-the-server '$(in_machine bob ip address)' within 10 reaches bob 10.77.0.1
check machine-reaches-the-second '$(in_machine ann ip address)' within 10 reaches ann 10.77.0.13

# Without NetworkManager and its wpa_supplicant, the kernel reports the network.
leave ann
stop_manager ann
kill "${supplicant[ann]}"
wait "${supplicant[ann]}" 2>/dev/null
check kernel-none '$(cat "$logs/networks")' within 10 is_network networks none kernel
cat >"$logs/ann/plain.conf" <<PLAIN
network={
    ssid=${ssid[camp]}
    key_mgmt=NONE
}
PLAIN
in_machine ann ip address add 10.78.0.12/24 dev wlan2
run_in_machine ann wpa_supplicant -i wlan2 -c "$logs/ann/plain.conf" >"$logs/ann/plain" 2>&1 &
plain=$!
check kernel-joins '$(cat "$logs/networks" "$logs/ann/plain"; in_machine ann ip route)' within 30 is_network networks "$camp" kernel
in_time kernel-join-is-seen networks "$(event_milliseconds ann 'connected to')" 1000
kill $plain
wait $plain 2>/dev/null
check kernel-leaves '$(cat "$logs/networks")' within 10 is_network networks none kernel
in_time kernel-leave-is-seen networks "$(event_milliseconds ann 'disconnected')" 1000

# Test iwd only if the system has it.
if [[ -x /usr/libexec/iwd ]]; then
    modprobe -a -q algif_hash algif_skcipher algif_aead cmac hmac sha1_generic sha256_generic sha512_generic ecb cbc \
        des_generic md4 md5 aes_generic arc4 ccm gcm ctr
    in_machine ann mkdir -p /run/iwd
    run_in_machine ann env STATE_DIRECTORY=/run/iwd /usr/libexec/iwd >"$logs/ann/iwd" 2>&1 &
    iwd=$!
    iwd_lists() { in_machine ann iwctl station wlan2 get-networks 2>/dev/null | grep -q Cruise; }
    iwd_scans() {
        in_machine ann iwctl station wlan2 scan >/dev/null 2>&1
        sleep 2
        iwd_lists
    }
    check iwd-sees-the-network '$(cat "$logs/ann/iwd"; in_machine ann iwctl device list)' within 60 iwd_scans
    in_machine ann iwctl --dont-ask station wlan2 connect 'My Cruise Ship Wi-Fi' >>"$logs/ann/iwctl" 2>&1
    in_machine ann ip address add 10.77.0.12/24 dev wlan2
    joined=$(now_milliseconds)
    check iwd-joins '$(cat "$logs/networks" "$logs/ann/iwd" "$logs/ann/iwctl"; in_machine ann ip route)' within 30 is_network networks "$ship" iwd
    in_time iwd-join-is-seen networks "$joined" 1000
    in_machine ann iwctl station wlan2 disconnect >>"$logs/ann/iwctl" 2>&1
    check iwd-leaves '$(cat "$logs/networks" "$logs/ann/iwd")' within 10 ends_with "$logs/networks" '"primary":"none"'
    kill $iwd
    wait $iwd 2>/dev/null
fi

kill $watch $events
wait $watch $events 2>/dev/null
