import { existsSync, readdirSync } from 'node:fs';
import { createGatewayClient } from '@houmao/sdk';
import { connect } from '@houmao/sdk/node';
import { createFakeGateway, startTestGateway } from '@houmao/sdk/testing';
import { expect, test, vi } from 'vitest';
import { startTestGateway as inBrowsers } from '../../../../sdk/src/testing/test-gateway/web.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';
import { caught } from '../caught.js';

const houmao = new URL('../../../../', import.meta.url).pathname;

test('a real gateway with the stand-in agent answers, and leaves nothing behind', async () => {
  const gateway = await startTestGateway({ houmao });
  const client = createGatewayClient(gateway);
  expect(await client.prompt('Hello')).toContain('You said: Hello');
  const named = await connect({ agent: 'standin', registryRoot: gateway.registryRoot });
  expect((await named.listRequests()).requests).toHaveLength(1);
  // A turn that runs ends with it.
  const turn = await client.control('[[slow=60000]] Wait');
  expect(await turn.record()).toMatchObject({ state: 'running' });

  await gateway.close();
  await gateway[Symbol.asyncDispose]();
  expect(existsSync(gateway.folder)).toBe(false);
  expect(await caught(client.getHealth({ maxRetries: 0 }))).toMatchObject({ errorCode: 'connection_failed' });
});

test('two of them are apart, each with the agent of the name that it was given', async () => {
  const gateways = await Promise.all(['one', 'two'].map((agent) => startTestGateway({ houmao, agent })));
  const names = await Promise.all(
    gateways.map(async (gateway) => (await createGatewayClient(gateway).getStatus()).tmux_session_name),
  );
  for (const gateway of gateways) await gateway.close();
  expect(names).toEqual([expect.stringContaining('HOUMAO-one'), expect.stringContaining('HOUMAO-two')]);
});

test('a fake tells the same events as a real gateway of the same prompts', async () => {
  await using gateway = await startTestGateway({ houmao });
  const fake = createFakeGateway();
  fake.answerPrompts((prompt) => {
    if (prompt.includes('exit')) throw new Error('It was asked to.');
    return 'Done.';
  });
  const reported = async (at: Parameters<typeof createGatewayClient>[0]) => {
    const client = createGatewayClient(at);
    await client.prompt('Hello');
    await caught(client.prompt('[[exit=3]] Hello'));
    await (await client.control('Hello')).answer();
    await caught((await client.control('[[exit=3]] Hello')).answer());
    const interrupt = await client.submitRequest({ body: { kind: 'interrupt', payload: {} } });
    const seen: string[] = [];
    for await (const { kind, data } of client.events() as AsyncIterable<{ kind: string; data: object }>) {
      if (/^(instance|gateway)_/.test(kind)) continue;
      seen.push(`${kind}: ${Object.keys(data).sort()}`);
      const { request_id } = data as { request_id?: string };
      if (kind === 'completed' && request_id === interrupt.request_id) return seen;
    }
    return seen;
  };
  expect(await reported(fake)).toEqual(await reported(gateway));
});

test('a failed launch is reported, and leaves no folder', async () => {
  const folder = temporaryFolder();
  vi.stubEnv('TMPDIR', folder);
  await expect(startTestGateway({ houmao, agent: 'no/name' })).rejects.toThrow(
    /^The stand-in agent could not be launched: /,
  );
  vi.unstubAllEnvs();
  expect(readdirSync(folder)).toEqual([]);
});

test('in a browser it says what to use there', async () => {
  await expect(inBrowsers()).rejects.toThrow(/use createFakeGateway there/);
});
