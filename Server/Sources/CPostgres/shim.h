// PostgreSQL's client library. pkg-config says where its header is.
#include <libpq-fe.h>
