# A real sound card of the kernel: sound played on one device of snd-aloop is recorded from the other.

modprobe snd-aloop pcm_substreams=2
within 10 test -e /dev/snd/controlC0
"$programs/earshot" listen --device hw:0,1 --seconds 12 --json >"$logs/listen" 2>"$logs/listen.errors" &
listener=$!
sleep 2
"$programs/earshot" broadcast 0123456789abcdef --device hw:0,0 --count 2 --interval 3 -q >"$logs/broadcast" 2>&1
wait "$listener"
check sound-card "listen printed $(wc -l <"$logs/listen") lines; $(tail -n 1 "$logs/listen.errors")" \
    says "$logs/listen" '"token":"0123456789abcdef"'
