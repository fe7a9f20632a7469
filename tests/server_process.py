"""The server as a process of its own, and what is said to it through a socket."""

import http.client
import json
import signal
import socket
from urllib.parse import urlsplit

from cli_runner import start
from conftest import PATIENCE

SAID = "serving the page, to this machine only; Ctrl-C stops the server\n"
JSON = {"Content-Type": "application/json"}


def read_to_the_end(connection):
    """What the server says until it closes a connection."""
    said = b""
    try:
        while part := connection.recv(65536):
            said += part
    except ConnectionResetError:
        pass  # what was sent has not been read
    return said


class Running:
    """A server that runs, at the address that it has printed."""

    def __init__(self, *words, program=None, opens=False, **options):
        command = () if program else ("play", "--browser", *(() if opens else ("--no-open",)))
        self.process = start(*command, *words, program=program, **options)
        self.address = urlsplit(self.process.stdout.readline().decode().strip())
        self.port, self.path = self.address.port, self.address.path

    def ask(self, kind, headers=JSON, **question):
        return self.request("POST", kind, json.dumps(question).encode(), headers)

    def request(self, method, kind, body=None, headers=JSON):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.request(method, self.path + kind, body, headers)
        answered = connection.getresponse()
        found = answered.status, answered.read()
        connection.close()
        return found

    def says(self, content):
        """Send bytes as they are; return the answer, until the server closes the connection."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as opened:
            try:
                opened.sendall(content)
            except (BrokenPipeError, ConnectionResetError):
                pass  # refused before all was sent
            return read_to_the_end(opened)

    def head(self, *headers):
        lines = [f"POST {self.path}game HTTP/1.1", f"Host: 127.0.0.1:{self.port}", "Content-Type: application/json"]
        return "\r\n".join([*lines, *headers, "", ""]).encode()

    def end(self, number=signal.SIGINT):
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=PATIENCE)
        told = [line for line in err.decode().splitlines(keepends=True) if not line.startswith("compiling ")]
        return self.process.returncode, out, "".join(told)
