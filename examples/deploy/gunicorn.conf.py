"""For those who run gunicorn themselves. `respondent serve` has the same settings built in and needs no file.

gunicorn --config gunicorn.conf.py "respondent.server:app('/srv/deniable/deniable.db', proxy_hops=1)"
"""

from respondent.server import SETTINGS

bind = "127.0.0.1:8000"
workers = SETTINGS["workers"]
threads = SETTINGS["threads"]
worker_class = SETTINGS["worker_class"]  # answers broken requests without logging who sent them
accesslog = None  # who called, when and from where is never recorded
loglevel = "error"  # gunicorn's warnings name the caller's address
control_socket_disable = True
forwarded_allow_ips = ""  # only the app's proxy_hops says which proxies are trusted
