// scripts/bundle-undici.mjs makes undici.js from these.
export { Agent, EnvHttpProxyAgent, fetch, Request } from 'undici';
