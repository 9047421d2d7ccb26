// The agents of other hosts as tools of programs that speak MCP.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { fleetEngine } from '../../support/fleet/engine.js';
import { alphaAndBeta, fleetHosts } from '../../support/fleet/hosts.js';
import { takenPrompts } from '../recovery/evidence.js';

test('the tools list the agents of all hosts, and prompt one of another host', {
  timeout: 120_000,
}, async () => {
  const engine = fleetEngine('ws1', 'ws2');
  await engine.start();
  const { ws1, ws2 } = await alphaAndBeta(fleetHosts(engine));
  const client = new Client({ name: 'a test', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${ws1.server.url}/mcp`)));
  const call = async (name: string, given: Record<string, unknown> = {}) => {
    const { content } = await client.callTool({ name, arguments: given });
    return content.map((part) => (part.type === 'text' ? part.text : '')).join();
  };
  await expect.poll(() => call('fleet')).toMatch(/^beta@ws2 \(claude, headless\): ready$/m);
  const text = await call('fleet', { name: 'be' });
  expect(text).toMatch(/^host ws1 \(this one\): online$/m);
  expect(text).toMatch(/^host ws2: online$/m);
  expect(text).not.toContain('alpha@ws1');
  expect(await call('fleet', { limit: 1 })).toContain('[cut:');
  expect(await call('prompt', { agent: 'beta@ws2', text: 'hello' })).toContain('You said: hello');
  expect(takenPrompts(ws2.session.ledger).map(({ prompt }) => prompt)).toEqual(['hello']);
  await ws2.away();
  await expect.poll(() => call('fleet')).toMatch(/^host ws2: left, last heard of /m);
  await client.close();
});
