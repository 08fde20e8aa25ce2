#!/usr/bin/env bash
# Installs the missing Debian packages for building (default), serving, testing or benchmarking Earshot.
#
#     scripts/install-dependencies.sh [build|all|messages|server|postgres|push|c|python|web|browser|firefox|test|kernels|machine|container|operation|packages|bench]
#
# If no package is missing, it prints nothing and needs no root. Swift itself comes from
# https://www.swift.org/install.
set -euo pipefail

# The modem's Fourier transforms.
modem_packages=(libfftw3-dev pkg-config)
# Sound devices and files.
build_packages=("${modem_packages[@]}" libasound2-dev libsndfile1-dev)
# The sound server, its ALSA plugins, aplay and arecord, a voice, the checkers of manual pages and completions, and a session
# bus, a screen, a notification service, a mouse and a ring tone.
test_packages=(pulseaudio pulseaudio-utils libasound2-plugins alsa-utils espeak-ng mandoc groff-base fish zsh
    dbus xvfb dunst xdotool imagemagick sound-theme-freedesktop sqlite3 systemd python3)
# The D-Bus client, for Bluetooth. `earshot` does not need it.
bluetooth_packages=(libsystemd-dev)
# Foundation's HTTP library, for static linking, and the ciphers of sealed messages.
messages_packages=(libcurl4-openssl-dev libssl-dev)
# Tools to inspect libearshot.so, and to compile the C programs of the tests.
c_packages=(binutils gcc g++ libc6-dev valgrind)
# For the environment in which the wheel is built; pip installs the rest.
python_packages=(python3 python3-venv)
# The C library of WebAssembly and its optimizer. For the tests, node and the compiler that reads the declarations.
web_packages=(wasi-libc binaryen nodejs node-typescript)
# A browser, the sound card that its tests give it, and certificates.
browser_packages=(chromium pulseaudio pulseaudio-utils libasound2-plugins alsa-utils openssl)
# Another browser for the same tests.
firefox_packages=(firefox-esr)
# earshotd's database and hashes. The service has no sound.
server_packages=(pkg-config libsqlite3-dev libssl-dev)
# The client library of its other database, for several services together.
postgres_packages=(libpq-dev)
# That database, which the tests start.
postgres_test_packages=(postgresql)
# The database of SimplePush's server, and another implementation of TLS for its tests.
push_packages=(libsqlite3-dev openssl)
# To compile the kernels for aarch64 and run them.
kernels_packages=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user)
# A virtual machine. For its inside: virtual Bluetooth controllers and their service, a desktop, access points on virtual
# radios, and the services that join them.
machine_packages=(qemu-system-x86 busybox-static cpio e2fsprogs kmod iproute2 bluez bluez-test-tools dbus xvfb dunst imagemagick
    python3 network-manager wpasupplicant hostapd iw iwd iputils-ping)
# A builder of containers that needs no service, and one of base images.
container_packages=(buildah mmdebstrap curl)
# promtool, which is in Prometheus' package of 96 MB, and a proxy. The tests need their programs, not their services.
operation_packages=(prometheus nginx openssl curl python3 python3-yaml)
# Debian's own tools for packages, and a machine to install them on. Some packages of node contain npm; in Debian it is a separate
# package.
packages_packages=(debhelper dpkg-dev devscripts lintian mmdebstrap systemd-container)
command -v npm >/dev/null || packages_packages+=(npm)
# GNU time reports the memory of a program.
bench_packages=(time)

purpose=${1:-build}
case $purpose in
build) packages=("${build_packages[@]}") ;;
all) packages=("${build_packages[@]}" "${bluetooth_packages[@]}") ;;
messages) packages=("${build_packages[@]}" "${bluetooth_packages[@]}" "${messages_packages[@]}") ;;
server) packages=("${server_packages[@]}") ;;
c) packages=("${modem_packages[@]}" "${c_packages[@]}") ;;
python) packages=("${modem_packages[@]}" "${c_packages[@]}" "${python_packages[@]}") ;;
web) packages=("${web_packages[@]}") ;;
browser) packages=("${build_packages[@]}" "${web_packages[@]}" "${browser_packages[@]}") ;;
firefox) packages=("${firefox_packages[@]}") ;;
push) packages=("${build_packages[@]}" "${bluetooth_packages[@]}" "${push_packages[@]}") ;;
postgres) packages=("${server_packages[@]}" "${postgres_packages[@]}") ;;
test)
    packages=("${build_packages[@]}" "${bluetooth_packages[@]}" "${server_packages[@]}" "${postgres_packages[@]}"
        "${postgres_test_packages[@]}" "${test_packages[@]}" "${python_packages[@]}")
    ;;
kernels) packages=("${kernels_packages[@]}") ;;
machine) packages=("${machine_packages[@]}") ;;
container) packages=("${container_packages[@]}") ;;
operation) packages=("${operation_packages[@]}") ;;
packages) packages=("${packages_packages[@]}") ;;
bench) packages=("${build_packages[@]}" "${bench_packages[@]}") ;;
*)
    echo "usage: $0 [build|all|messages|server|postgres|push|c|python|web|browser|firefox|test|kernels|machine|container|operation|packages|bench]" >&2
    exit 64
    ;;
esac

# A build without FFTW, `make FFTW=0`, does not need its library.
if [[ ${FFTW:-1} == 0 ]]; then
    wanted=()
    for package in "${packages[@]}"; do [[ $package == libfftw3-dev ]] || wanted+=("$package"); done
    packages=("${wanted[@]}")
fi

is_installed() { [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

# Other systems name the packages differently, so there the script looks for their files.
is_provided() {
    case $1 in
    libasound2-dev) pkg-config --exists alsa ;;
    libfftw3-dev) pkg-config --exists fftw3f ;;
    libsndfile1-dev) pkg-config --exists sndfile ;;
    libcurl4-openssl-dev) pkg-config --exists libcurl ;;
    libsystemd-dev) pkg-config --exists libsystemd ;;
    libsqlite3-dev) pkg-config --exists sqlite3 ;;
    libpq-dev) pkg-config --exists libpq ;;
    libssl-dev) pkg-config --exists libcrypto ;;
    prometheus) command -v promtool ;;
    nginx) PATH=$PATH:/usr/sbin command -v nginx ;;
    python3-yaml) python3 -c 'import yaml' ;;
    postgresql) compgen -G '/usr/lib/postgresql/*/bin/initdb' ;;
    pulseaudio-utils) command -v pactl ;;
    binutils) command -v nm && command -v readelf ;;
    wasi-libc) compgen -G '/usr/lib/wasm32-wasi/libc.a' ;;
    nodejs) command -v node ;;
    node-typescript) command -v tsc ;;
    binaryen) command -v wasm-opt ;;
    libc6-dev) [[ -f /usr/include/stdlib.h ]] ;;
    python3-venv) python3 -c 'import ensurepip, venv' ;;
    libasound2-plugins) compgen -G '/usr/lib*/alsa-lib/libasound_module_pcm_pulse.so' ;;
    gcc-aarch64-linux-gnu | libc6-dev-arm64-cross) command -v aarch64-linux-gnu-gcc ;;
    qemu-user) command -v qemu-aarch64 ;;
    alsa-utils) command -v aplay && command -v arecord ;;
    groff-base) command -v groff ;;
    qemu-system-x86) command -v qemu-system-x86_64 ;;
    busybox-static) command -v busybox ;;
    e2fsprogs) command -v mkfs.ext4 ;;
    iproute2) command -v ip ;;
    bluez) command -v bluetoothctl ;;
    bluez-test-tools) command -v btvirt ;;
    dbus) command -v dbus-daemon && command -v dbus-send ;;
    network-manager) command -v NetworkManager && command -v nmcli ;;
    wpasupplicant) command -v wpa_supplicant ;;
    iwd) command -v iwctl ;;
    iputils-ping) command -v ping ;;
    xvfb) command -v Xvfb ;;
    imagemagick) command -v import ;;
    sound-theme-freedesktop) compgen -G '/usr/share/sounds/freedesktop/stereo/phone-incoming-call.*' ;;
    systemd) command -v systemd-analyze ;;
    systemd-container) command -v systemd-nspawn ;;
    debhelper) command -v dh ;;
    dpkg-dev) command -v dpkg-shlibdeps ;;
    devscripts) command -v hardening-check ;;
    time) [[ -x /usr/bin/time ]] ;;
    *) command -v "$1" ;;
    esac >/dev/null 2>&1
}

if command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; then
    has=is_installed
else
    has=is_provided
fi

missing=()
for package in "${packages[@]}"; do
    $has "$package" || missing+=("$package")
done
((${#missing[@]})) || exit 0

by_hand() {
    echo "Please install these packages by hand, for '$purpose' (the names are Debian's): ${missing[*]}" >&2
    exit 69
}

if [[ $has == is_provided ]]; then
    echo "Packages are missing, and there is no apt-get here." >&2
    by_hand
fi

as_root=()
if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
        echo "Installing packages needs root, and there is no sudo here." >&2
        by_hand
    fi
    as_root=(sudo)
    # Without a terminal no user can type a password.
    [[ -t 0 ]] || as_root=(sudo -n)
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT

apt() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get "$@" </dev/null >>"$log" 2>&1
}

install() { apt install -y --no-install-recommends "${missing[@]}"; }

# Debian starts the services of a package immediately, and at each start of the machine. These two would occupy the
# ports 80 and 9090.
services=()
if [[ $purpose == operation ]] && command -v systemctl >/dev/null; then
    for package in "${missing[@]}"; do
        case $package in prometheus | nginx) services+=("$package") ;; esac
    done
fi
tell_systemd() {
    ((${#services[@]} == 0)) || "${as_root[@]}" systemctl --quiet "$1" "${services[@]}" >>"$log" 2>&1 || true
}

echo "Installing ${missing[*]} ..."
tell_systemd mask
# Fetches the package lists only if the first try fails, because they are absent or old.
status=0
install || { apt update && install; } || status=$?
tell_systemd unmask
tell_systemd disable
if ((status != 0)); then
    tail -n 20 "$log" >&2
    by_hand
fi
