// pidfd_open, which glibc has since 2.36 and Swift's Glibc module leaves out.
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static inline int earshot_pidfd_open(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }
