#!/usr/bin/env bash
# A sound card for machines without one: a private PulseAudio server with a null sink, a real sound server that
# ALSA programs play into and record from. The PCM air_in records the sound that the PCM air_out plays; default is both.
#
#     Tests/Support/virtual-sound-card.sh start DIR [--rate HZ] [--format NAME] [--channels N] [--owner PID]
#     eval "$(Tests/Support/virtual-sound-card.sh env DIR)"
#     aplay token.wav
#     Tests/Support/virtual-sound-card.sh stop DIR
#
#     Tests/Support/virtual-sound-card.sh run DIR [OPTIONS] -- COMMAND...     start, run the command on it, stop
#     Tests/Support/virtual-sound-card.sh run DIR -- bash                     the same in another terminal joins the card
#
# start     returns when the card is ready; all its files are in DIR. Defaults: 48000 float32le 1.
#           --owner stops the server when the process PID has ended, in any way.
# env       prints the shell commands that point ALSA and PulseAudio programs at the card.
# run       runs the command on the card that runs in DIR, or on a new one, which it stops at the end.
# stop      ends the server and removes the files that start made; does nothing if no server runs.
#
# Several cards at once are several rooms. The script needs no root, no D-Bus and no desktop; it also works as root.
# Debian packages: pulseaudio pulseaudio-utils libasound2-plugins.
set -euo pipefail

fail() {
    echo "virtual-sound-card: $2" >&2
    exit "$1"
}

usage() {
    sed -n '5,11s/^# \{0,5\}//p' "$0" >&2
    exit 64
}

# The number may belong to another process by now, or to an ended process that its parent has not waited for.
is_running() { [[ -s $dir/pid && $(readlink "/proc/$(<"$dir/pid")/exe") == */pulseaudio ]]; }

write_configuration() {
    cat >"$dir/default.pa" <<END
load-module module-native-protocol-unix socket=$dir/native auth-anonymous=1
# Without norewinds a capture loses up to 0.6 s of its start.
load-module module-null-sink sink_name=air rate=$rate format=$format channels=$channels $channel_map norewinds=1
END
    # Browsers mistake the server's default rate for the card's.
    mkdir -p "$dir/home/.config/pulse"
    echo "default-sample-rate = $rate" >"$dir/home/.config/pulse/daemon.conf"
    # The system's configuration, then the files that it loads (~/.asoundrc has a default too), then the card's.
    cat >"$dir/asound.conf" <<END
</usr/share/alsa/alsa.conf>
@hooks.1 { func load files [ "$dir/pcms.conf" ] errors true }
END
    cat >"$dir/pcms.conf" <<END
pcm.air_out { type asym playback.pcm { type pulse server "unix:$dir/native" device "air" } }
pcm.air_in { type asym capture.pcm { type pulse server "unix:$dir/native" device "air.monitor" } }
pcm.!default { type asym playback.pcm "air_out" capture.pcm "air_in" }
ctl.!default { type pulse server "unix:$dir/native" }
END
    # Programs that play here must neither start another server nor leave a cookie in the user's home directory.
    cat >"$dir/client.conf" <<END
autospawn = no
cookie-file = $dir/cookie
END
}

# The caller may wait until every process has closed the caller's descriptors. The server stays, so it must close them.
close_inherited() {
    local path number
    for path in "/proc/$BASHPID/fd/"*; do
        number=${path##*/}
        # Bash reads this script through descriptor 255, which no other program inherits.
        ((number <= 2 || number == 255)) || eval "exec $number>&-"
    done
}

print_env() {
    cat <<END
export ALSA_CONFIG_PATH=$dir/asound.conf
export PULSE_SERVER=unix:$dir/native
export PULSE_CLIENTCONFIG=$dir/client.conf
END
}

start() {
    command -v pulseaudio >/dev/null || fail 69 "pulseaudio is not installed (scripts/install-dependencies.sh test)"
    command -v pactl >/dev/null || fail 69 "pactl is not installed (scripts/install-dependencies.sh test)"
    ! is_running || fail 75 "a server already runs in $dir; stop it, or name another DIR"
    # Removes the files that a crashed server left, and no other files.
    [[ ! -e $dir/default.pa ]] || stop
    mkdir -p "$dir"
    [[ -z $(ls -A "$dir") ]] || fail 73 "$dir is not empty; name another DIR"
    mkdir "$dir/home"
    write_configuration

    # This server stays apart from the desktop's own sound server and bus. As a background job without a terminal, in
    # a process group of its own, it does not receive the user's Ctrl-C.
    (
        close_inherited
        exec env -u XDG_RUNTIME_DIR -u XDG_CONFIG_HOME -u DBUS_SESSION_BUS_ADDRESS -u PULSE_SERVER -u DISPLAY \
            HOME="$dir/home" PULSE_RUNTIME_PATH="$dir/pulse" \
            setsid pulseaudio --daemonize=no --system=false --disallow-exit=true --use-pid-file=false \
            --exit-idle-time=-1 -n -F "$dir/default.pa"
    ) </dev/null >"$dir/log" 2>&1 &
    local server=$!
    echo $server >"$dir/pid"

    # The server is ready when it lists the sink. That usually takes 0.15 s; a busy machine
    # gets a hundred times as much.
    local deadline=$((SECONDS + 15))
    until [[ -S $dir/native ]] && (eval "$(print_env)" && timeout 5 pactl list short sinks) 2>/dev/null |
        grep -q '\bair\b'; do
        local reason=
        kill -0 $server 2>/dev/null || reason='ended at its start'
        ((SECONDS < deadline)) || reason='did not answer within 15 s'
        if [[ -n $reason ]]; then
            tail -n 20 "$dir/log" >&2
            stop
            fail 69 "the sound server in $dir $reason; the lines above, if any, are its log"
        fi
        sleep 0.02
    done

    if [[ -n $owner ]]; then
        (
            close_inherited
            is_ours() { is_running && [[ $(<"$dir/pid") == "$server" ]]; }
            while is_ours && kill -0 "$owner"; do sleep 0.5; done
            ! is_ours || stop
        ) </dev/null >/dev/null 2>&1 &
    fi
}

stop() {
    if is_running; then
        local server
        server=$(<"$dir/pid")
        kill "$server" 2>/dev/null || true
        for _ in {1..100}; do
            is_running || break
            sleep 0.02
        done
        ! is_running || kill -9 "$server" 2>/dev/null || true
    fi
    if [[ -e $dir/default.pa ]]; then
        rm -rf "${dir:?}"/{pid,native,pulse,home,log,cookie,asound.conf,pcms.conf,client.conf,default.pa}
    fi
    rmdir "$dir" 2>/dev/null || true
}

(($# >= 2)) || usage
action=$1 dir=$2
shift 2

rate=48000 format=float32le channels=1 owner=''
while (($#)); do
    case $1 in
    --rate) rate=${2:?} && shift 2 ;;
    --format) format=${2:?} && shift 2 ;;
    --channels) channels=${2:?} && shift 2 ;;
    --owner) owner=${2:?} && shift 2 ;;
    --) shift && break ;;
    *) usage ;;
    esac
done
# With more than one channel, PulseAudio's usual order applies.
channel_map=''
[[ $channels != 1 ]] || channel_map='channel_map=mono'

dir=$(realpath -m "$dir")
# The path is written to files with three grammars, and a Unix socket's name holds 107 bytes.
[[ $dir =~ ^[A-Za-z0-9/._+-]+$ ]] || fail 64 "'$dir' has characters other than letters, digits and / . _ + -; name another DIR"
((${#dir} < 100)) || fail 64 "'$dir' is too long for a socket: ${#dir} characters, 99 at most; name a shorter DIR"

case $action in
start) start ;;
stop) stop ;;
env)
    is_running || fail 66 "no server runs in $dir; start one first"
    print_env
    ;;
run)
    (($#)) || usage
    if ! is_running; then
        start
        trap stop EXIT
        printf 'virtual sound card in %s; in another terminal: %q run %q -- bash\n' "$dir" "$(realpath "$0")" "$dir" >&2
    fi
    eval "$(print_env)"
    "$@"
    ;;
*) usage ;;
esac
