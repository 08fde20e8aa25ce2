#!/usr/bin/env bash
# Runs a command in a virtual machine with a kernel of its own: Debian's, under qemu's software emulation. It has the sound
# cards and Bluetooth controllers that a container lacks, and nothing in it can harm this machine.
#
#     Tests/Machine/machine.sh [--seconds N] [--share FOLDER] COMMAND [ARGUMENT...]
#
# The command runs as root in this folder. It sees this machine's files. Its changes are lost afterwards, except in the folder
# $MACHINE_SHARE, which is FOLDER. Its output is printed, and its exit status is the script's; 124 if it took longer than N
# seconds (default 600).
#
# $MACHINE_DISK is the virtual machine's own disk. The command `$MACHINE_SHARE/power-cut` ends the machine as a power cut does,
# and starts it again with that disk and the same command; $MACHINE_BOOT counts the starts from 1.
#
# The kernel is fetched once, and kept in $XDG_CACHE_HOME/earshot-machine.
set -euo pipefail
cd "$(dirname "$0")/../.."

limit=600
share=
while [[ ${1:-} == --* ]]; do
    case $1 in
    --seconds) limit=$2 ;;
    --share) share=$(realpath -m "$2") ;;
    *) break ;;
    esac
    shift 2
done
(($#)) && [[ $1 != --* ]] || {
    echo "usage: $0 [--seconds N] [--share FOLDER] COMMAND [ARGUMENT...]" >&2
    exit 64
}
scripts/install-dependencies.sh machine

cache=${XDG_CACHE_HOME:-$HOME/.cache}/earshot-machine
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
share=${share:-$work/share}
mkdir -p "$share" "$cache"

# Debian's meta package names the current kernel.
current_kernel() { apt-cache depends linux-image-amd64 2>/dev/null | grep -oE 'linux-image-[0-9][^ ]*' | head -n 1; }
kernel_package=$(current_kernel) || true
if [[ -z $kernel_package ]]; then
    # A fresh container has no list of packages.
    if ((EUID == 0)); then apt-get update -qq; else sudo apt-get update -qq; fi || true
    kernel_package=$(current_kernel) || true
fi
[[ -n $kernel_package ]] || {
    echo "There is no kernel package linux-image-amd64 for this system. Try 'apt-get update'." >&2
    exit 69
}
version=${kernel_package#linux-image-}
kernel=$cache/$version

# Unpacks the kernel and its modules, without installing them.
fetch_kernel() {
    local folder=$work/kernel
    mkdir "$folder"
    (cd "$folder" && apt-get download "$kernel_package" >/dev/null 2>&1 && dpkg-deb -x ./*.deb . && rm ./*.deb)
    depmod -b "$folder" "$version"
    rm -rf "$kernel"
    mv "$folder" "$kernel"
}
[[ -e $kernel/lib/modules/$version/modules.dep ]] || fetch_kernel

# The first file system: busybox, the modules that reach this machine's files, and the script that mounts these files.
first=$work/first
mkdir -p "$first"/{bin,modules,proc,sys,dev,below,above,next,kept}
printf '%s\n' "$PWD" >"$first/checkout"
cp /bin/busybox "$first/bin/busybox"
for name in sh mount insmod mkdir uname switch_root; do ln -s busybox "$first/bin/$name"; done
count=100
while read -r module; do
    cp "$module" "$first/modules/$((count++))-${module##*/}"
done < <(for name in virtio_pci 9pnet_virtio 9p overlay; do
    modprobe -d "$kernel" -S "$version" --show-depends "$name"
done | sed -n 's/^insmod \([^ ]*\).*/\1/p' | awk '!known[$0]++')
cat >"$first/init" <<'INIT'
#!/bin/sh
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
for module in /modules/*; do insmod "$module"; done
nine="mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000"
# The files of the host stay as they are; changes go to memory.
$nine,cache=loose,ro files /below
mount -t tmpfs none /above
mkdir /above/new /above/work
mount -t overlay -o lowerdir=/below,upperdir=/above/new,workdir=/above/work none /next
# The machine has an empty folder for temporary files, which would hide a checkout below it. So the checkout is mounted
# there again.
read -r checkout </checkout
case $checkout in
/run/* | /tmp/* | /dev/shm/*) mount --bind "/next$checkout" /kept ;;
*) checkout= ;;
esac
for name in proc sys dev; do mount --move /$name /next/$name; done
for name in run tmp dev/shm; do mkdir -p /next/$name && mount -t tmpfs none /next/$name; done
[ -z "$checkout" ] || { mkdir -p "/next$checkout" && mount --move /kept "/next$checkout"; }
mkdir -p /next/dev/pts /next/machine "/next/lib/modules/$(uname -r)"
mount -t devpts none /next/dev/pts
$nine share /next/machine
$nine,cache=loose,ro modules "/next/lib/modules/$(uname -r)"
exec switch_root /next /bin/bash /machine/inside
INIT
chmod +x "$first/init"
(cd "$first" && find . | cpio --quiet -o -H newc) >"$work/first.cpio"

truncate -s 256M "$work/disk"
mkfs.ext4 -q -E lazy_itable_init=0 "$work/disk"
cat >"$share/power-cut" <<'CUT'
#!/bin/sh
touch /machine/again
echo b >/proc/sysrq-trigger
sleep 60
CUT
chmod +x "$share/power-cut"
cat >"$share/inside" <<INSIDE
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp MACHINE_SHARE=/machine MACHINE_DISK=/disk
read -r MACHINE_BOOT </machine/boot
export MACHINE_BOOT
ip link set lo up
modprobe -a virtio_blk ext4
mkdir -p /disk
mount -t ext4 /dev/vda /disk
cd $(printf %q "$PWD")
$(printf '%q ' "$@") >/machine/output 2>&1 </dev/null
echo \$? >/machine/status
sync
umount /disk
echo o >/proc/sysrq-trigger
sleep 60
INSIDE
rm -f "$share/status"

files() {
    printf '%s\n' -fsdev "local,id=$1,path=$2,security_model=none$3" -device "virtio-9p-pci,fsdev=$1,mount_tag=$1"
}
mapfile -t shares < <(
    files files / ,readonly=on,multidevs=remap
    files share "$share" ""
    files modules "$kernel/lib/modules/$version" ,readonly=on
)
# icount: the machine's clock counts executed instructions. On a busy host the clock slows down too, so no time limit inside
# ends early. While the machine is idle, its clock is the host's.
run_machine() {
    : >"$share/output"
    tail -f -n +1 "$share/output" &
    local tail=$!
    timeout "$1" qemu-system-x86_64 -machine q35 -cpu max -accel tcg -icount shift=2,sleep=on -smp 1 -m 2048 \
        -nographic -vga none -nic none -no-reboot -kernel "$kernel/boot/vmlinuz-$version" -initrd "$work/first.cpio" \
        -append "console=ttyS0 quiet panic=-1 no_timer_check edd=off rdinit=/init" "${shares[@]}" \
        -drive "file=$work/disk,if=virtio,format=raw" \
        >>"$work/console" 2>&1 </dev/null || true
    sleep 1
    kill "$tail"
    wait "$tail" 2>/dev/null || true
}
end=$((SECONDS + limit))
boot=0
: >"$share/again"
while [[ -e $share/again ]] && ((SECONDS < end)); do
    rm "$share/again"
    echo $((++boot)) >"$share/boot"
    run_machine $((end - SECONDS))
done

if [[ ! -s $share/status ]]; then
    echo "The machine ended without a result, or took longer than $limit s. The end of its console:" >&2
    tail -n 20 "$work/console" | tr -cd '[:print:]\n' >&2
    exit 124
fi
exit "$(cat "$share/status")"
