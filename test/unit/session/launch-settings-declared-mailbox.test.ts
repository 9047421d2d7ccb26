import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseDeclaredMailbox, readDeclaredMailbox } from '../../../src/session/launch-settings.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = temporaryFolder();
const parse = (section: unknown) => parseDeclaredMailbox('/brain.yaml', section);

test('what a section sets is kept, trimmed, and nothing is added to it', () => {
  expect(parse({ transport: 'filesystem' })).toEqual({ transport: 'filesystem' });
  const whole = { transport: 'filesystem', principal_id: ' HOUMAO-a ', address: 'a@houmao.localhost' };
  expect(parse({ ...whole, filesystem_root: '/mail', base_url: 'passed over', other: 7 })).toEqual({
    ...whole,
    principal_id: 'HOUMAO-a',
    filesystem_root: '/mail',
  });
  const server = {
    transport: 'stalwart',
    jmap_url: 'http://127.0.0.1:1/jmap',
    base_url: 'http://127.0.0.1:1',
  };
  expect(parse({ ...server, filesystem_root: '/passed/over' })).toEqual(server);
});

test.each([undefined, null, { transport: 'none' }, { transport: 'none', address: 'unused' }])(
  'no mailbox: %j',
  (section) => {
    expect(parse(section)).toBeNull();
  },
);

test.each([
  ['mailbox', '/mailbox'],
  [[], '/mailbox'],
  [{}, '/mailbox/transport'],
  [{ transport: 'email' }, '/mailbox/transport'],
  [{ transport: 'constructor' }, '/mailbox/transport'],
  [{ transport: 'filesystem', address: ' ' }, '/mailbox/address'],
  [{ transport: 'filesystem', filesystem_root: 7 }, '/mailbox/filesystem_root'],
  [{ transport: 'stalwart', jmap_url: '' }, '/mailbox/jmap_url'],
  [{ transport: 'stalwart', principal_id: null }, '/mailbox/principal_id'],
])('%j is refused, with its field', (section, field) => {
  expect(() => parse(section)).toThrow(`/brain.yaml: field ${field}: must be`);
});

test('a brain manifest that is absent, or says nothing of it, declares none; one that is no YAML is reported by its path', () => {
  const path = join(folder, 'brain.yaml');
  expect(readDeclaredMailbox(path)).toBeNull();
  writeFileSync(path, '');
  expect(readDeclaredMailbox(path)).toBeNull();
  writeFileSync(path, 'mailbox: {transport: filesystem, address: a@b}\n');
  expect(readDeclaredMailbox(path)).toEqual({ transport: 'filesystem', address: 'a@b' });
  writeFileSync(path, 'mailbox: [\n');
  expect(() => readDeclaredMailbox(path)).toThrow(`${path}: cannot be read as YAML`);
});
