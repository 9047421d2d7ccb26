// One load on one address, in a process of its own: prints one JSON line. Bounded by time; 127.0.0.1 only.
import autocannon from 'autocannon';

const { url, method, path, body, connections, seconds } = JSON.parse(process.argv[2]);
const result = await autocannon({
  url: url + path,
  method,
  connections,
  duration: seconds,
  ...(body ? { body, headers: { 'content-type': 'application/json' } } : {}),
});
const { average } = result.requests;
console.log(
  JSON.stringify({
    total: result.requests.total,
    perSecond: average,
    p50: result.latency.p50,
    p99: result.latency.p99,
    failed: result.non2xx + result.errors,
  }),
);
