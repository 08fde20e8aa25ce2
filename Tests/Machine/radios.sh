# Three virtual Bluetooth controllers and the real bluetoothd. The controllers hear each other. Their signal strength is always
# unknown, and they send each advertisement once whenever it begins or a scan begins, not again and again.

adapter() { echo "/org/bluez/hci$1"; }

set_powered() {
    dbus-send --system --print-reply --dest=org.bluez "$(adapter "$1")" org.freedesktop.DBus.Properties.Set \
        string:org.bluez.Adapter1 string:Powered "variant:boolean:$2" >/dev/null
}

# has PROPERTY NUMBER: whether a property of an adapter is true.
has() {
    dbus-send --system --print-reply --dest=org.bluez "$(adapter "$2")" org.freedesktop.DBus.Properties.Get \
        string:org.bluez.Adapter1 string:"$1" 2>/dev/null | grep -q 'boolean true'
}
is_powered() { has Powered "$1"; }
is_discovering() { has Discovering "$1"; }

# start_bluetoothd OPTIONS...
start_bluetoothd() {
    /usr/libexec/bluetooth/bluetoothd --nodetach "$@" >>"$logs/bluetoothd" 2>&1 &
    bluetoothd=$!
    for number in 0 1 2; do within 30 set_powered $number true 2>/dev/null; done
    for number in 0 1 2; do within 30 is_powered $number; done
}
restart_bluetoothd() {
    kill $bluetoothd
    wait $bluetoothd
    start_bluetoothd "$@"
}

# nearby NAME ARGUMENTS...: a device in the background; its lines are in $logs/NAME, its process in $pid.
nearby() {
    local name=$1
    shift
    "$programs/earshot-messages" nearby --json "$@" >"$logs/$name" 2>"$logs/$name.errors" &
    pid=$!
}

# watch_air NAME NUMBER: records btmon's output about a controller in $logs/NAME; its process is in $air. In narrow lines btmon cuts
# the commands' names.
watch_air() {
    btmon --time --columns 200 --index "$2" >"$logs/$1" 2>&1 &
    air=$!
    sleep 1
}

for module in algif_skcipher ecb aes_generic cmac hci_vhci; do modprobe $module; done
btvirt -L -l3 >"$logs/btvirt" 2>&1 &
btvirt=$!
for number in 0 1 2; do within 30 test -e /sys/class/bluetooth/hci$number; done
sleep 1
mkdir -p /run/dbus
dbus-daemon --system --fork
start_bluetoothd --experimental
