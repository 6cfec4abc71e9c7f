"""What all tests need."""

import atexit
import os
import shutil
import signal
import tempfile

from hypothesis import settings

# A shell that starts the tests in the background has them ignore Ctrl-C, and so
# would the programs that they start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
for kind in (getattr(signal, "SIGHUP", signal.SIGTERM), signal.SIGTERM):  # as nohup has it
    if signal.getsignal(kind) is signal.SIG_IGN:
        signal.signal(kind, signal.SIG_DFL)

# Times of single examples tell how busy the machine is, and nothing else.
# .ci/run asks for the thorough profile.
settings.register_profile("quick", deadline=None, max_examples=50)
settings.register_profile("thorough", deadline=None, max_examples=75)
settings.load_profile("quick")

# Nothing that a test learns is kept in the cache of whoever runs it, and nothing of Dask stays.
folder = tempfile.mkdtemp(prefix="forebear-tests-")
atexit.register(shutil.rmtree, folder, ignore_errors=True)
os.environ["XDG_CACHE_HOME"] = os.environ["DASK_TEMPORARY_DIRECTORY"] = folder
