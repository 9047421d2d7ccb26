// In place of undici's entry in the bundled programs: what the SDK uses of it. A proxy's tunnel is opened by `connect`, which that entry
// gives to all dispatchers.
import connect from 'undici/lib/api/api-connect.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';

Dispatcher.prototype.connect = connect;

// biome-ignore lint/performance/noBarrelFile: it is an entry of a package
export { default as Agent } from 'undici/lib/dispatcher/agent.js';
export { default as EnvHttpProxyAgent } from 'undici/lib/dispatcher/env-http-proxy-agent.js';
export { fetch } from 'undici/lib/web/fetch/index.js';
export { Request } from 'undici/lib/web/fetch/request.js';
