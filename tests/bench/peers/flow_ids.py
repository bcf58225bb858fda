# Prints the event id of every request in a file that `mitmdump -w` wrote, one a line, in the order in which they came.
# Those that were not answered 204 are left out.
import sys

from mitmproxy.io import FlowReader

with open(sys.argv[1], "rb") as file:
    for flow in FlowReader(file).stream():
        if flow.response is not None and flow.response.status_code == 204:
            print(flow.request.headers["X-Pozy-Event-Id"])
