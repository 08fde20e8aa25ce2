// libsystemd's D-Bus client, sd-bus.
#include <systemd/sd-bus.h>
// Lines for the journal.
#include <systemd/sd-journal.h>
