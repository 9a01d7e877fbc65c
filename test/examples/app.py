"""A customer's app without an SDK, after docs/protocol.md, with Python's standard library alone.

It serves two actions and a resource of its own:

    BASE_URL=https://<host>/api/env/<environment> APP_KEY=capp_... python3 app.py
"""

import base64
import hashlib
import json
import os
import random
import socket
import ssl
import struct
import sys
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

SUBPROTOCOL = "console-app.v1"
GONE_SECONDS = 15  # The service pings every 5 s; a side that sent nothing for this long is gone.
ACCEPT_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # RFC 6455, section 1.3


class Refused(Exception):
    """The service refuses the key, the address or the manifest: a person has to look."""


class ActionFailed(Exception):
    """Refuses a run with a message that its requester reads."""


class Socket:
    """The client's end of a WebSocket (RFC 6455): text frames, pings, no extensions."""

    def __init__(self, url, key):
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        self.raw = socket.create_connection((parts.hostname, port), timeout=GONE_SECONDS)
        if parts.scheme == "https":
            self.raw = ssl.create_default_context().wrap_socket(self.raw, server_hostname=parts.hostname)
        self.file = self.raw.makefile("rb")
        self.lock = threading.Lock()
        nonce = base64.b64encode(os.urandom(16)).decode()
        self.raw.sendall(
            (
                f"GET {parts.path}/app HTTP/1.1\r\nHost: {parts.netloc}\r\nUpgrade: websocket\r\n"
                f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {nonce}\r\n"
                f"Sec-WebSocket-Protocol: {SUBPROTOCOL}\r\nAuthorization: Bearer {key}\r\n\r\n"
            ).encode()
        )
        status = int(self.file.readline().split()[1])
        headers = {}
        while (line := self.file.readline().strip()) != b"":
            name, _, value = line.partition(b":")
            headers[name.strip().lower()] = value.strip()
        if status != 101:
            body = self.file.read(int(headers.get(b"content-length", 0))).decode()
            if status in (400, 401, 403, 404):
                raise Refused(f"{status} {body}")
            raise ConnectionError(f"{status} {body}")
        accept = base64.b64encode(hashlib.sha1(nonce.encode() + ACCEPT_GUID).digest())
        if headers.get(b"sec-websocket-accept") != accept:
            raise ConnectionError("That is no WebSocket.")

    def send(self, payload, opcode=1):
        length = len(payload)
        if length < 126:
            head = struct.pack("!BB", 0x80 | opcode, 0x80 | length)
        elif length < 65536:
            head = struct.pack("!BBH", 0x80 | opcode, 0x80 | 126, length)
        else:
            head = struct.pack("!BBQ", 0x80 | opcode, 0x80 | 127, length)
        mask = os.urandom(4)
        repeated = (mask * (length // 4 + 1))[:length]
        masked = (int.from_bytes(payload, "big") ^ int.from_bytes(repeated, "big")).to_bytes(length, "big")
        with self.lock:
            self.raw.sendall(head + mask + masked)

    def read(self, length):
        found = self.file.read(length)
        if len(found) < length:
            raise ConnectionError("The connection has ended.")
        return found

    def receive(self):
        """Returns the next text; answers pings meanwhile."""
        text = b""
        while True:
            first, second = self.read(2)
            length = second & 0x7F
            if length == 126:
                (length,) = struct.unpack("!H", self.read(2))
            elif length == 127:
                (length,) = struct.unpack("!Q", self.read(8))
            payload, opcode = self.read(length), first & 0x0F
            if opcode == 8:
                code = struct.unpack("!H", payload[:2])[0] if len(payload) >= 2 else 1005
                if code == 4401:
                    raise Refused("The app's key was revoked.")
                raise ConnectionError(f"closed with {code} {payload[2:].decode()}")
            if opcode == 9:
                self.send(payload, 10)
            elif opcode in (0, 1):
                text += payload
                if first & 0x80:
                    return text.decode()

    def close(self):
        self.raw.close()


class App:
    """Keeps an app connected. `handlers` has a function for each method of the service: params in, result out."""

    def __init__(self, manifest, handlers):
        self.registration = {
            "manifest": manifest,
            "instance": str(uuid.uuid4()),  # Made once, so that it stays over reconnects.
            "startedAt": int(time.time() * 1000),
            "sdk": "example.py/1",
        }
        self.handlers = handlers
        self.answers = {}  # Of runs, until the service has stored them.
        self.lock = threading.Lock()
        self.workers = ThreadPoolExecutor(64)

    def run_once(self, params):
        """Runs an action; the same attempt of the same run is answered as before, and never done twice."""
        key = params["run"]
        with self.lock:
            known = self.answers.get(key)
            if known is None or ("error" in known.get("answer", {}) and known["attempt"] < params["attempt"]):
                known = self.answers[key] = {"attempt": params["attempt"], "done": threading.Event()}
                mine = True
            else:
                mine = False
        if mine:
            known["answer"] = self.answer("action.run", params)
            known["done"].set()
        known["done"].wait()
        return known["answer"]

    def answer(self, method, params):
        handler = self.handlers.get(method)
        if handler is None:
            return {"error": {"code": -32601, "message": f"There is no method {method}."}}
        try:
            return {"result": handler(params)}
        except ActionFailed as failed:
            return {"error": {"code": -32001, "message": str(failed), "data": {"retryable": False}}}
        except Exception as error:  # Its text may reveal the app's inside, so it stays here.
            print(f"{method} failed: {error!r}", file=sys.stderr, flush=True)
            return {"error": {"code": -32603, "message": "The app failed."}}

    def serve(self, link, message):
        answer = self.run_once(message["params"]) if message["method"] == "action.run" else self.answer(message["method"], message["params"])
        try:
            link.send(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}).encode())
        except OSError:
            pass  # The answer of a run is handed in after the reconnect.

    def notified(self, method, params):
        if method == "run.settled":
            with self.lock:
                self.answers.pop(params["run"], None)
        if method == "app.problem":
            print(f"problem {json.dumps(params)}", flush=True)

    def connect(self, url, key):
        """Serves one connection until its end."""
        link = Socket(url, key)
        try:
            link.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "app.register", "params": self.registration}).encode())
            while True:
                message = json.loads(link.receive())
                if "method" in message:
                    if "id" in message:
                        self.workers.submit(self.serve, link, message)
                    else:
                        self.notified(message["method"], message["params"])
                elif message.get("id") == 1:
                    self.registered(link, message)
                elif message.get("id") == 2:
                    for run in message.get("result", {}).get("settled", []):
                        self.notified("run.settled", {"run": run})
        finally:
            link.close()

    def registered(self, link, message):
        if "error" in message:
            raise Refused(json.dumps(message["error"]))
        print(f"online in {message['result']['environment']}", flush=True)
        for warning in message["result"]["warnings"]:
            print(f"warning: {warning}", flush=True)
        with self.lock:
            held = [{"run": run, **kept["answer"]} for run, kept in self.answers.items() if "answer" in kept]
        if held:
            link.send(json.dumps({"jsonrpc": "2.0", "id": 2, "method": "run.answers", "params": {"answers": held}}).encode())

    def stay_connected(self, url, key):
        wait = 0.1
        while True:
            began = time.monotonic()
            try:
                self.connect(url, key)
            except Refused as refused:
                print(f"refused: {refused}", file=sys.stderr, flush=True)
                wait = 30
            except (OSError, ConnectionError) as error:
                print(f"disconnected: {error}", file=sys.stderr, flush=True)
                wait = 0.1 if time.monotonic() - began > 5 else min(wait * 2, 30)
            time.sleep(random.uniform(wait / 2, wait))


PARCELS = [
    {"id": f"parcel-{n}", "title": f"Parcel {n}", "fields": {"weight": 100 * n, "city": city}}
    for n, city in enumerate(["Berlin", "Lima", "Berlin", "Oslo"], 1)
]

MANIFEST = {
    "resources": [
        {
            "name": "parcel",
            "source": "app",
            "fields": [{"name": "weight", "type": "number", "sort": True}, {"name": "city", "filter": True}],
        }
    ],
    "actions": [
        {
            "name": "greet",
            "input": {
                "type": "object",
                "additionalProperties": False,
                "required": ["name"],
                "properties": {"name": {"type": "string", "maxLength": 100}},
            },
        },
        {"name": "return_parcel", "resource": "parcel", "danger": "low"},
    ],
}


def run(params):
    if params["action"] == "greet":
        return {"message": f"Hello, {params['input']['name']}."}
    parcel = params["record"]
    if parcel["fields"]["city"] == "Oslo":
        raise ActionFailed(f"{parcel['title']} has left the country.")
    block = {"type": "stat", "title": "Weight", "value": parcel["fields"]["weight"], "unit": "g"}
    return {"message": f"{parcel['title']} comes back.", "blocks": [block]}


def fits(parcel, filters):
    return all(
        parcel["fields"].get(name) in (wanted if isinstance(wanted, list) else [wanted])
        for name, wanted in filters.items()
    )


def list_parcels(params):
    """A page; the cursor is this app's own: how many were shown already."""
    found = [one for one in PARCELS if fits(one, params["filters"]) and (params["q"] or "").lower() in one["title"].lower()]
    sort = params["sort"] or "id"
    found.sort(key=lambda one: one["fields"].get(sort.lstrip("-"), one["id"]), reverse=sort.startswith("-"))
    start = int(params["cursor"] or 0)
    end = start + params["limit"]
    return {"records": found[start:end], "cursor": str(end) if end < len(found) else None}


HANDLERS = {
    "action.run": run,
    "records.list": list_parcels,
    "records.search": lambda params: {
        "records": [one for one in PARCELS if params["q"].lower() in one["title"].lower()][: params["limit"]]
    },
    "records.get": lambda params: {"records": [one for one in PARCELS if one["id"] in params["ids"]]},
}

if __name__ == "__main__":
    App(MANIFEST, HANDLERS).stay_connected(os.environ["BASE_URL"], os.environ["APP_KEY"])
