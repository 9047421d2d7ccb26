import { expect, test } from 'vitest';
import { scriptedClient } from '../../../../support/jmap/scripted-client.js';
import { type ScriptedServer, scriptedServer } from '../../../../support/jmap/scripted-server.js';

const paths = ({ asked }: ScriptedServer): string[] => asked.map(({ path }) => path);
const fault = (code: string, more: object = {}) =>
  expect.objectContaining({ name: 'MailFault', code, ...more });
const blob = { blobId: 'B 1', mediaType: 'text/plain', sizeBytes: 5 };

test('a download asks for what the server named, whatever its type is called', async () => {
  const server = await scriptedServer();
  server.download = (_asked, answer) => void answer.end('hello');
  expect((await scriptedClient(server).download(blob)).toString()).toBe('hello');
  expect(paths(server)).toEqual(['/jmap', '/download/a/B%201/attachment?accept=text%2Fplain']);
});

test('one that is not whole is none', async () => {
  const server = await scriptedServer();
  // Some versions of Node take the end of a connection for the end of an answer like this one, others do not.
  server.download = (_asked, answer) => void answer.end('hel');
  await expect(scriptedClient(server).download(blob)).rejects.toEqual(
    fault('unreachable', { message: expect.stringMatching(/sent 3 of the 5 bytes of B 1$/) }),
  );
});

test('one that would not fit is not begun, and one that is not there is refused', async () => {
  const server = await scriptedServer();
  const large = { ...blob, sizeBytes: 64 * 1024 * 1024 + 1 };
  await expect(scriptedClient(server).download(large)).rejects.toEqual(fault('server_refused'));
  expect(paths(server)).toEqual([]);
  await expect(scriptedClient(server).download(blob)).rejects.toEqual(fault('server_refused'));
});
