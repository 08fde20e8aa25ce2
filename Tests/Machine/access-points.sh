# Wi-Fi for the tests in this folder: simulated radios that hear each other, access points, and machines of users. Such a machine
# is a network namespace with a system bus, a NetworkManager and a wpa_supplicant of its own, so that one kernel can have
# several.
#
# Two networks are on the air, with a server's address in each and no router:
#
#     ship  "My Cruise Ship Wi-Fi", 10.77.0.1
#     camp  twelve bytes that are not UTF-8, 10.78.0.1

# The SSIDs as hexadecimal digits, the addresses of the networks, and the radios of the access points.
declare -A ssid=([camp]=43616d7020fffe80c3282200)
ssid[ship]=$(printf 'My Cruise Ship Wi-Fi' | od -An -v -tx1 | tr -d ' \n')
declare -A subnet=([ship]=10.77.0 [camp]=10.78.0)
declare -A point_radio=([ship]=0 [camp]=1)
declare -A point=() machine=() manager=() supplicant=() automatic=()

# The time since the machine started, in milliseconds: the clock of machine-networks.
now_milliseconds() { awk '{ printf "%d\n", $1 * 1000 }' /proc/uptime; }

# start_radios COUNT: wlan0 and so on.
start_radios() { modprobe mac80211_hwsim radios="$1" && ip link set lo up; }

# start_access_points: both are on the air, and this machine is the server in each network.
start_access_points() {
    local name
    for name in ship camp; do
        cat >"$logs/$name.hostapd" <<POINT
interface=wlan${point_radio[$name]}
driver=nl80211
hw_mode=g
channel=$((1 + 5 * point_radio[$name]))
ssid2=${ssid[$name]}
POINT
        access_point_on "$name"
    done
}

# access_point_on NETWORK
access_point_on() {
    local interface=wlan${point_radio[$1]}
    hostapd -t "$logs/$1.hostapd" >>"$logs/$1.point" 2>&1 &
    point[$1]=$!
    within 30 point_is_on "$interface" || return 1
    ip address replace "${subnet[$1]}.1/24" dev "$interface"
}

point_is_on() { iw dev "$1" info | grep -q 'type AP' && iw dev "$1" info | grep -q channel; }

# access_point_off NETWORK [SIGNAL]: it disconnects its stations; with the signal KILL it falls silent without notice.
access_point_off() {
    kill "-${2:-TERM}" "${point[$1]}"
    wait "${point[$1]}" 2>/dev/null
    ip link set "wlan${point_radio[$1]}" down
}

# user_machine NAME RADIO: a machine whose only radio is this one. It has the network `NAME-NETWORK` for each of the two, with the
# address that ends in 10 + RADIO, and `NAME-NETWORK-router` with a router that leads nowhere.
user_machine() {
    local name=$1 radio=$2 network
    mkdir -p "$logs/$name/connections"
    cat >"$logs/$name/NetworkManager.conf" <<'MANAGER'
[main]
plugins=keyfile
dns=none
rc-manager=unmanaged
[device]
wifi.scan-rand-mac-address=no
[logging]
level=INFO
MANAGER
    for network in ship camp; do
        connection_file "$name-$network" "$network" "$radio" "" >"$logs/$name/connections/$network.nmconnection"
        connection_file "$name-$network-router" "$network" "$radio" ",${subnet[$network]}.254" \
            >"$logs/$name/connections/$network-router.nmconnection"
    done
    chmod 600 "$logs/$name/connections"/*
    # A read-only sysfs tells NetworkManager that there is no udev.
    unshare --net --mount --propagation private bash -c "
        mount -t tmpfs none /run && mount -t sysfs -o ro none /sys || exit 1
        mount -t tmpfs none /var/lib/NetworkManager || exit 1
        mount -t tmpfs none /etc/NetworkManager || exit 1
        mkdir -p /etc/NetworkManager/system-connections /run/dbus
        cp '$logs/$name/NetworkManager.conf' /etc/NetworkManager/
        cp -p '$logs/$name/connections/'* /etc/NetworkManager/system-connections/
        ip link set lo up
        dbus-daemon --system --fork || exit 1
        exec -a 'machine of $name' sleep infinity" >"$logs/$name/start" 2>&1 &
    machine[$name]=$!
    within 60 in_machine "$name" test -S /run/dbus/system_bus_socket || return 1
    iw phy "$(cat "/sys/class/net/wlan$radio/phy80211/name")" set netns "${machine[$name]}" || return 1
    start_supplicant "$name"
    start_manager "$name"
}

# connection_file ID NETWORK RADIO REST: a connection of NetworkManager; REST follows the address, such as ",ROUTER".
connection_file() {
    local bytes
    bytes=$(sed 's/../0x& /g' <<<"${ssid[$2]}")
    cat <<CONNECTION
[connection]
id=$1
type=wifi
autoconnect=false
[wifi]
ssid=$(printf '%d;' $bytes)
[ipv4]
method=manual
address1=${subnet[$2]}.$((10 + $3))/24$4
[ipv6]
method=disabled
CONNECTION
}

# in_machine NAME COMMAND...
in_machine() {
    local name=$1
    shift
    nsenter --target "${machine[$name]}" --net --mount --wdns="$PWD" -- "$@"
}

# run_in_machine NAME COMMAND... &: the same in the background; $! is the command itself, so that a signal reaches it.
run_in_machine() {
    local name=$1
    shift
    exec nsenter --target "${machine[$name]}" --net --mount --wdns="$PWD" -- "$@"
}

# start_supplicant NAME
start_supplicant() {
    run_in_machine "$1" wpa_supplicant -u -t >>"$logs/$1/supplicant" 2>&1 &
    supplicant[$1]=$!
}

# start_manager NAME: starts NetworkManager, and waits until it knows its radio.
start_manager() {
    run_in_machine "$1" NetworkManager --no-daemon >>"$logs/$1/manager" 2>&1 &
    manager[$1]=$!
    within 60 manager_knows "$1"
}

manager_knows() { in_machine "$1" nmcli -t -f TYPE,STATE device 2>/dev/null | grep -qE '^wifi:(disconnected|conn)'; }

# stop_manager NAME [SIGNAL]
stop_manager() {
    kill "-${2:-TERM}" "${manager[$1]}"
    wait "${manager[$1]}" 2>/dev/null
}

# join NAME NETWORK [router]: returns when NetworkManager has joined the network. From now on it joins this network
# automatically.
join() {
    local connection=$1-$2${3:+-$3}
    automatic "$1" "$connection" && in_machine "$1" nmcli --wait 60 connection up "$connection" >>"$logs/$1/nmcli" 2>&1
}

# leave NAME: leaves the network; NetworkManager joins none automatically any more.
leave() {
    automatic "$1" "" && in_machine "$1" nmcli --wait 60 device disconnect "$(radio_of "$1")" >>"$logs/$1/nmcli" 2>&1
}

# automatic NAME CONNECTION: the only connection that NetworkManager makes automatically; an empty name allows none.
automatic() {
    local old=${automatic[$1]:-}
    [[ $old == "$2" ]] && return
    automatic[$1]=$2
    if [[ -n $old ]]; then in_machine "$1" nmcli connection modify "$old" autoconnect no >>"$logs/$1/nmcli" 2>&1; fi
    if [[ -n $2 ]]; then in_machine "$1" nmcli connection modify "$2" autoconnect yes >>"$logs/$1/nmcli" 2>&1; fi
}

# radio_of NAME: the name of a machine's Wi-Fi interface.
radio_of() { in_machine "$1" ls /sys/class/net | grep '^wlan' | head -n 1; }

# reaches NAME ADDRESS
reaches() { in_machine "$1" ping -c 1 -W 2 "$2" >/dev/null 2>&1; }
