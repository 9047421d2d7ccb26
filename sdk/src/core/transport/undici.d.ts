// undici.js is made of these by scripts/bundle-undici.mjs.
export { Agent, EnvHttpProxyAgent, fetch, Request } from 'undici';
