// One process of its own: sends the same request over some kept-alive connections for some seconds and prints what it
// saw as JSON. Raw sockets, because a client library would take the CPU that the server needs.
// usage: node load-generator.mjs PORT CONNECTIONS SECONDS METHOD PATH [BODY]
import { connect } from 'node:net';

const [port, connections, seconds, method, path, body] = process.argv.slice(2);
const payload =
  body === undefined
    ? ''
    : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
const message = Buffer.from(
  `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${payload}\r\n${body ?? ''}`,
);
const latencies = [];
const statuses = {};

const started = performance.now();
const deadline = started + Number(seconds) * 1000;
await Promise.all(Array.from({ length: Number(connections) }, converse));
const elapsed = (performance.now() - started) / 1000;
latencies.sort((a, b) => a - b);
const at = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))];
console.log(
  JSON.stringify({
    count: latencies.length,
    elapsed,
    statuses,
    p50: at(0.5),
    p99: at(0.99),
    max: latencies.at(-1),
  }),
);

/** One connection: a request, its answer, the next request. */
function converse() {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.setNoDelay(true);
    let sent = 0;
    let received = Buffer.alloc(0);
    const send = () => {
      sent = performance.now();
      socket.write(message);
    };
    socket.on('connect', send);
    socket.on('error', reject);
    socket.on('close', resolve);
    socket.on('data', (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const status = completeAnswer(received);
      if (status === null) return;
      received = Buffer.alloc(0);
      const now = performance.now();
      latencies.push(now - sent);
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (now < deadline) send();
      else socket.end();
    });
  });
}

/** The status of an answer that is here as a whole; null while it is not. */
function completeAnswer(bytes) {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return null;
  const head = bytes.toString('latin1', 0, end);
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
  return bytes.length >= end + 4 + length ? head.slice(9, 12) : null;
}
