"""What all tests need."""

import os
import signal
import tempfile

# A shell that starts the tests in the background has them ignore Ctrl-C, and so
# would the programs that they start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Nothing that a test learns is kept in the cache of whoever runs it.
os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp(prefix="forebear-tests-")
