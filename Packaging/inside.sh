#!/usr/bin/env bash
# Runs in the container of test.sh, by systemd: installs packages, uses them, removes them.
#
#     Packaging/inside.sh PART...
set -uo pipefail
cd /packages
export HOME=/root

failed=0
passed=0
check() {
    local name=$1 output status=0
    shift
    output=$("$@" 2>&1) || status=$?
    if ((status == 0)); then
        echo "ok      $name"
        passed=$((passed + 1))
    else
        printf 'FAILED  %s (status %s)\n%s\n' "$name" "$status" "$output"
        failed=$((failed + 1))
    fi
}
apt() { apt-get --quiet --quiet --yes --no-install-recommends -o APT::Sandbox::User=root -o Acquire::Retries=0 "$@" >/dev/null; }
tool() { check "install $* for the tests" apt install "$@"; }
# From the files, with what they depend on.
get() {
    local files=() name
    for name; do files+=("$(echo /packages/"$name"_*.deb)"); done
    check "install $*" apt install "${files[@]}"
}
drop() { check "purge $*" apt purge --auto-remove "$@"; }
# Paths with our name outside of this folder.
left() { find / -xdev \( -path /packages -o -path /proc -o -path /sys -o -path /run -o -path /var/cache \) -prune -o -iname '*earshot*' -print | sort; }
nothing_is_left() {
    local found
    found=$(left)
    [[ -z $found ]] || { echo "$found"; return 1; }
    ! getent passwd earshotd || return 1
    ! systemctl list-unit-files | grep -i earshot
}
finds_all_libraries() { ! ldd "$1" | grep 'not found'; }
a_token_arrives() { earshot encode 0123456789abcdef -o - | earshot decode | grep 0123456789abcdef; }
has_manual() { MANPAGER=cat man "$1" | grep -q "$2"; }
completes() {
    # shellcheck disable=SC2016 # For the other shell.
    bash -c '. /usr/share/bash-completion/bash_completion; _completion_loader earshot
        COMP_WORDS=(earshot "$1"); COMP_CWORD=1; COMP_LINE="earshot $1"; COMP_POINT=${#COMP_LINE}
        _earshot earshot "$1" earshot; printf "%s\n" "${COMPREPLY[@]}" | grep -qx "$2 *"' - "$1" "$2"
}
# Each link of its pages leads to a file, but for those to another package.
links_lead_somewhere() {
    local found
    found=$(cd "/usr/share/doc/$1" && find . -name '*.md' -exec grep -oHE '\]\([^)]+' {} + | sed 's/](//' | while IFS=: read -r page link; do
        case $link in http* | \#* | ../earshot/*) continue ;; esac
        [[ -e ${page%/*}/${link%%#*} ]] || echo "$page: $link"
    done)
    [[ -z $found ]] || { echo "$found"; return 1; }
}
has_copyright() { grep -qi "$2" "/usr/share/doc/$1/copyright"; }
from_document() { awk -v name="$2" '/^```c$/ {getline; inside = index($0, "/* " name ":") == 1} /^```$/ {inside = 0} inside' "documents/$1" >"/tmp/$2"; }

modem() {
    get earshot
    check "it finds its libraries" finds_all_libraries /usr/bin/earshot
    check "encode | decode" a_token_arrives
    tool man-db groff-base bash-completion
    check "man earshot-decode" has_manual earshot-decode SYNOPSIS
    check "bash completes earshot enc" completes enc encode
    check "its copyright names FFTW" has_copyright earshot FFTW
    check "its copyright names swift-argument-parser" has_copyright earshot swift-argument-parser
    check "it has the documents that its help names" ls /usr/share/doc/earshot/README.md /usr/share/doc/earshot/docs/{COMMANDS.md,range.py}
    check "the links of its documents lead to files" links_lead_somewhere earshot
    drop earshot
    check "nothing is left of it" nothing_is_left
}

library() {
    local program
    tool gcc libc6-dev pkg-config valgrind
    get libearshot0 libearshot-dev
    for program in say hear; do
        from_document C.md $program.c
        # shellcheck disable=SC2046 # These are several words.
        check "compile $program.c" gcc -Wall -Wextra -Werror /tmp/$program.c -o /tmp/$program $(pkg-config --cflags --libs earshot)
    done
    check "say | hear" bash -c '/tmp/say | /tmp/hear | grep -q 0123456789abcdef'
    check "valgrind finds nothing to report" bash -c '/tmp/say | valgrind -q --leak-check=full --error-exitcode=9 \
        --suppressions=/usr/share/earshot/valgrind.supp /tmp/hear | grep -q 0123456789abcdef'
    check "its copyright names FFTW" has_copyright libearshot0 FFTW
    tool g++
    # shellcheck disable=SC2046 # These are several words.
    check "compile hear.c with the archive" gcc -Wall -Werror /tmp/hear.c -o /tmp/hear-static $(pkg-config --cflags earshot) \
        "$(pkg-config --variable=libdir earshot)/libearshot.a" -lstdc++ -lm
    drop libearshot0 libearshot-dev
    check "a program with the archive needs no library of ours" bash -c '/tmp/say 2>/dev/null; ldd /tmp/hear-static | grep -v earshot >/dev/null && ! ldd /tmp/hear-static | grep earshot'
    check "nothing is left of it" nothing_is_left
}

as_user() { runuser -u someone -- env XDG_RUNTIME_DIR=/run/user/"$(id -u someone)" DBUS_SESSION_BUS_ADDRESS="unix:path=/run/user/$(id -u someone)/bus" HOME=~someone "$@"; }
nearby() {
    tool dbus-user-session libpam-systemd
    get earshot earshot-nearby
    check "earshot-messages finds its libraries" finds_all_libraries /usr/bin/earshot-messages
    check "earshot-agent finds its libraries" finds_all_libraries /usr/bin/earshot-agent
    check "earshot --help lists nearby" bash -c 'earshot --help | grep -q nearby'
    check "earshot publish runs" bash -c 'earshot publish --help | grep -q USAGE'
    check "its copyright names ICU" has_copyright earshot-nearby UNICODE
    useradd --create-home someone
    systemctl start systemd-logind
    loginctl enable-linger someone
    for _ in {1..100}; do [[ -S /run/user/$(id -u someone)/systemd/private ]] && break; sleep 0.1; done
    check "a user starts the agent" as_user systemctl --user enable --now earshot-agent.socket earshot-agent.service
    check "it is active" as_user systemctl --user is-active earshot-agent.service
    check "earshot agent status" as_user earshot agent status
    check "a user stops the agent" as_user systemctl --user disable --now earshot-agent.socket earshot-agent.service
    loginctl disable-linger someone
    userdel --remove someone 2>/dev/null || { sleep 2; userdel --force --remove someone 2>/dev/null; }
    drop earshot-nearby earshot
    check "nothing is left of it" nothing_is_left
}

as_service() { runuser -u earshotd -- env -C /var/lib/earshotd "$@"; }
waits_for() { for _ in {1..150}; do "$@" >/dev/null 2>&1 && return; sleep 0.1; done; "$@"; }
opens_a_session() { curl -fsS -X POST -H "Authorization: Bearer $1" http://127.0.0.1:8787/v1/devices; }
service() {
    local key
    tool curl
    get earshotd
    check "it finds its libraries" finds_all_libraries /usr/bin/earshotd
    check "it has a user of its own" getent passwd earshotd
    check "the unit is enabled" systemctl is-enabled earshotd
    check "the service runs under its unit" waits_for systemctl is-active earshotd
    check "it runs as its user" test "$(stat -c %U "/proc/$(systemctl show -P MainPID earshotd)")" = earshotd
    check "it has no capability" grep -q 'CapEff:.0000000000000000' "/proc/$(systemctl show -P MainPID earshotd)/status"
    check "a system call filter holds" grep -q 'Seccomp:.2' "/proc/$(systemctl show -P MainPID earshotd)/status"
    check "it answers" curl -fsS http://127.0.0.1:8787/healthz
    check "the operator makes a project" as_service earshotd project create demo --open
    key=$(as_service earshotd key create demo --name phones)
    check "a device opens a session" opens_a_session "$key"
    check "the links of its documents lead to files" links_lead_somewhere earshotd
    check "its exposure is at most 1.5" bash -c "systemd-analyze security earshotd --no-pager | tail -1 | grep -E ': (0|1\.[0-5])'"
    check "its database is in its state folder" test -f /var/lib/earshotd/earshotd.sqlite
    printf '%s\n' 'port 8790' 'database /var/lib/earshotd/other.sqlite' >>/etc/earshotd/earshotd.conf
    check "it restarts with another configuration" systemctl restart earshotd
    check "and reads it" curl -fsS http://127.0.0.1:8790/healthz
    check "with the database that it names" test -f /var/lib/earshotd/other.sqlite
    check "remove earshotd" apt remove earshotd
    check "its configuration stays" grep -q 'port 8790' /etc/earshotd/earshotd.conf
    check "its state stays" test -f /var/lib/earshotd/earshotd.sqlite
    drop earshotd
    check "nothing is left of it" nothing_is_left
}

# The libraries that its INSTALL names, and nothing else of Debian.
tarball() {
    local archive install
    archive=$(echo /packages/earshot-*-linux-*.tar.gz)
    install=$(tar -xzOf "$archive" --wildcards '*/share/doc/earshot/INSTALL')
    # shellcheck disable=SC2046 # These are several words.
    tool $(sed -n 's/^ *apt install //p' <<<"$install")
    check "unpack" tar -xzf "$archive" -C /usr/local --strip-components=1
    for program in earshot earshot-messages earshot-agent earshotd; do
        check "$program finds its libraries" finds_all_libraries /usr/local/bin/$program
        check "$program runs" /usr/local/bin/$program --version
    done
    check "encode | decode" a_token_arrives
    systemctl daemon-reload
    check "start the service" systemctl start earshotd
    check "it answers" waits_for curl -fsS http://127.0.0.1:8787/healthz
    check "stop the service" systemctl stop earshotd
    rm -rf /var/lib/private/earshotd /var/lib/earshotd
    check "remove it as INSTALL says" bash -ec "cd /packages; $(sed -n '/^ *tar -tzf/,$p' <<<"$install")"
    systemctl daemon-reload
    check "nothing is left of it" nothing_is_left
}

from_markdown() { awk -v start="^\`\`\`$2\$" '$0 ~ start && !done {inside = 1; next} /^```$/ && inside {inside = 0; done = 1} inside' "documents/$1"; }

python() {
    tool python3-venv python3-numpy
    check "make an environment" python3 -m venv --system-site-packages /tmp/earth
    check "install the wheel" /tmp/earth/bin/pip install --no-index /packages/earshot-*.whl
    from_markdown python.md python >/tmp/lines.py
    check "the README's first lines" bash -c '/tmp/earth/bin/python /tmp/lines.py | grep -q "profile=.standard"'
    check "the wheel has its licences" bash -c 'ls /tmp/earth/lib/python3*/site-packages/earshot-*.dist-info/licenses/{LICENSE,NOTICE}'
    check "uninstall it" /tmp/earth/bin/pip uninstall --yes earshot
    check "nothing is left of it" nothing_is_left
    rm -rf /tmp/earth
}

npm() {
    tool nodejs
    mkdir -p /tmp/page/node_modules/earshot
    check "unpack" tar -xzf /packages/earshot-*.tgz -C /tmp/page/node_modules/earshot --strip-components=1
    from_markdown npm.md js >/tmp/page/lines.mjs
    check "the README's first lines in node $(node --version)" bash -c 'node /tmp/page/lines.mjs | grep -q 0123456789abcdef'
    check "its main module" bash -c 'cd /tmp/page && node --input-type=module -e "import {Earshot} from \"earshot\"; if (!Earshot.listen) throw 1"'
    check "its declarations" test -f /tmp/page/node_modules/earshot/earshot.d.ts
    rm -rf /tmp/page
}

[[ ! -e /usr/bin/swift && ! -e /opt/swift ]] || { echo "there is Swift here"; exit 70; }
for part; do
    echo "== $part"
    $part
done
echo "$passed passed, $failed failed"
((failed == 0))
