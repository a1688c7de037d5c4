# Written by scripts/make_sync.py from the asynchronous client. Changes by hand are lost.
