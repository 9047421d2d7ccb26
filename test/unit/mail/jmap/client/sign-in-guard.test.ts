import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { JmapClient } from '../../../../../src/mail/jmap/client/jmap-client.js';
import { refusalMemory } from '../../../../../src/mail/jmap/client/sign-in-guard.js';
import { credentialOf } from '../../../../support/jmap/accounts.js';
import { json, scriptedServer, sessionValue } from '../../../../support/jmap/scripted-server.js';
import { type ImitatedStalwart, imitatedStalwart } from '../../../../support/jmap/stalwart-server.js';
import { temporaryFolder } from '../../../../support/temporary-folder.js';
import { VirtualClock } from '../../../../support/virtual-clock.js';

const folder = temporaryFolder();
let server: ImitatedStalwart;
let clock: VirtualClock;
let counter = 0;
beforeEach(async () => {
  server = await imitatedStalwart({ version: '0.16' });
  clock = new VirtualClock('2026-03-19T08:00:00Z');
});
afterEach(() => server.stop());

const clientAt = (url: string, password: string, note: string | null = null): JmapClient =>
  new JmapClient({
    jmapUrl: `${url}/jmap`,
    clock,
    refusals: refusalMemory(note),
    credential: () => credentialOf('alice', password),
  });

test('agents whose passwords are wrong ask every five minutes of a day, and their host is not banned', async () => {
  const agents = Array.from({ length: 5 }, (_, at) => clientAt(server.url, `wrong ${at}`));
  for (let passed = 0; passed < 24 * 60; passed += 5) {
    for (const agent of agents)
      await expect(agent.document()).rejects.toMatchObject({ code: 'unauthorized' });
    clock.pass(5 * 60_000);
  }
  expect(server.wrongPasswords).toBe(25);
});

test('a ban is reported as that, and is not asked about again and again', async () => {
  server.wrongPasswords = 100;
  const agent = clientAt(server.url, 'wrong');
  await expect(agent.document()).rejects.toMatchObject({
    code: 'server_refused',
    message: expect.stringMatching(
      /refuses every login from here \(429: Too Many Authentication Attempts, .*\): it blocks the address of this host/,
    ),
  });
  clock.pass(60_000);
  const { length } = server.asked;
  await expect(agent.document()).rejects.toThrow(
    /\(403: Forbidden\).*; the server is not asked again before 2026-03-19T08:03:00Z/,
  );
  await expect(agent.document()).rejects.toThrow(/403/);
  expect(server.asked.length).toBe(length);
});

test('a refusal is noted for every program of the host, without the credential, until it is replaced', async () => {
  counter += 1;
  const note = join(folder, `${counter}.refused`);
  const scripted = await scriptedServer();
  scripted.session = ({ authorization }, answer) =>
    authorization === credentialOf('alice', 'right').authorization
      ? json(answer, 200, sessionValue)
      : json(answer, 401, {});
  await expect(clientAt(scripted.url, 'sesame', note).document()).rejects.toThrow(`or ${note} removed`);
  const text = readFileSync(note, 'utf8');
  for (const secret of credentialOf('alice', 'sesame').secrets) expect(text).not.toContain(secret);
  expect(statSync(note).mode & 0o777).toBe(0o600);
  await expect(clientAt(scripted.url, 'sesame', note).document()).rejects.toThrow(/does not accept the/);
  expect(scripted.asked.length).toBe(1);
  // Another password is shown at once, and the right one ends it.
  await expect(clientAt(scripted.url, 'other', note).document()).rejects.toThrow(/does not accept the/);
  await clientAt(scripted.url, 'right', note).document();
  expect([scripted.asked.length, existsSync(note)]).toEqual([3, false]);
});

test('a note that cannot be read or written stays as it is, and the program remembers by itself', async () => {
  counter += 1;
  const note = join(folder, `${counter}.refused`);
  writeFileSync(note, 'somebody else wrote this');
  const agent = clientAt(server.url, 'wrong', note);
  for (let times = 0; times < 3; times += 1)
    await expect(agent.document()).rejects.toMatchObject({ code: 'unauthorized' });
  expect([server.wrongPasswords, readFileSync(note, 'utf8')]).toEqual([1, 'somebody else wrote this']);
  const nowhere = clientAt(server.url, 'wrong', join(note, 'below-a-file'));
  for (let times = 0; times < 3; times += 1)
    await expect(nowhere.document()).rejects.toMatchObject({ code: 'unauthorized' });
  expect(server.wrongPasswords).toBe(2);
});
