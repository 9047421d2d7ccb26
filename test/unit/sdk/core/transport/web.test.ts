import { expect, test } from 'vitest';
import { createTransport } from '../../../../../sdk/dist/core/transport/web.js';
import { answerJson, serve } from '../../local-server.js';

test('elsewhere than in Node, the platform’s own fetch is used', async () => {
  const server = await serve((_, res) => answerJson(res, 200, { fine: true }));
  const transport = createTransport();
  const response = await transport.fetch(new transport.Request(`${server.url}/health`));
  expect(await response.json()).toEqual({ fine: true });
});
