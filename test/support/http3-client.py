"""Requests over HTTP/3, by aioquic. Reads JSON {port, ca, requests: [{method, path, headers, body?}]}, and prints [{status, body}], status 0 where none came.

The end of each request comes a while behind its head, as it does over networks that lose packets."""

import asyncio
import json
import sys

from aioquic.asyncio.client import connect
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.h3.connection import H3_ALPN, FrameUnexpected, H3Connection
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration

# Seconds. A proxy in Go waits for 200 ms whether a byte or the end comes, and then calls the length unknown.
PATIENCE_OF_GO = 0.4


class Client(QuicConnectionProtocol):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.http = H3Connection(self._quic)
        self.waiting = {}

    def quic_event_received(self, event):
        for received in self.http.handle_event(event):
            answer, whole = self.waiting[received.stream_id]
            if isinstance(received, HeadersReceived):
                answer["status"] = int(dict(received.headers)[b":status"])
            if isinstance(received, DataReceived):
                answer["body"] += received.data.decode("latin1")
            if received.stream_ended and not whole.done():
                whole.set_result(answer)

    async def ask(self, port, method, path, headers, body=""):
        stream = self._quic.get_next_available_stream_id()
        whole = self._loop.create_future()
        answer = {"status": 0, "body": ""}
        self.waiting[stream] = (answer, whole)
        pseudo = [(":method", method), (":scheme", "https"), (":authority", f"localhost:{port}"), (":path", path)]
        lines = [(name.encode(), value.encode()) for name, value in pseudo + [(k, v) for k, v in headers.items()]]
        self.http.send_headers(stream, lines)
        self.transmit()
        await asyncio.sleep(PATIENCE_OF_GO)
        try:
            self.http.send_data(stream, body.encode(), end_stream=True)
        except FrameUnexpected:  # it is answered, and its end is not wanted any more
            pass
        self.transmit()
        await asyncio.wait([whole], timeout=10)
        return answer


async def main(port, ca, requests):
    configuration = QuicConfiguration(is_client=True, alpn_protocols=H3_ALPN, server_name="localhost")
    configuration.load_verify_locations(cafile=ca)
    async with connect("127.0.0.1", port, configuration=configuration, create_protocol=Client) as client:
        print(json.dumps([await client.ask(port, **request) for request in requests]))


asyncio.run(main(**json.load(sys.stdin)))
