// libsystemd's D-Bus client, sd-bus.
#include <systemd/sd-bus.h>
