import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readCredential } from '../../../../../src/mail/jmap/client/credential-file.js';
import { temporaryFolder } from '../../../../support/temporary-folder.js';

const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString('base64')}`;

function fileOf(text: string, mode = 0o600): string {
  const path = join(temporaryFolder(), 'credential.json');
  writeFileSync(path, text, { mode });
  // The mode of a new file is cut by the umask.
  chmodSync(path, mode);
  return path;
}

test.each([
  [{ password: 'pä:ss' }, basic('alice:pä:ss'), false],
  [{ credential_ref: 'r', login_identity: 'bob', password: 'p' }, basic('bob:p'), false],
  [{ password: 'p', allow_plain_http: true }, basic('alice:p'), true],
  [{ bearer_token: ' t0ken ' }, 'Bearer t0ken', false],
  [{ bearer_token: 't', allow_plain_http: true }, 'Bearer t', true],
])('%o', (content, authorization, allowPlainHttp) => {
  const credential = readCredential(fileOf(JSON.stringify(content)), 'alice');
  expect(credential).toMatchObject({ authorization, allowPlainHttp });
});

test.each([0o644, 0o660, 0o604, 0o601])('a file of mode %o is not used, and says how to mend it', (mode) => {
  const path = fileOf('{"password":"sesame"}', mode);
  expect(() => readCredential(path, 'alice')).toThrow(`others than its owner can use it; chmod 600 ${path}`);
});

test.each([
  ['no JSON', '{"password": sesame'],
  ['a list', '["sesame"]'],
  ['no secret', '{"login_identity":"sesame"}'],
  ['a blank one', '{"password":" "}'],
  ['one that is no text', '{"password":5,"x":"sesame"}'],
  ['a token of two lines', '{"bearer_token":"sesame\\nsesame"}'],
  ['a token that no header can have', '{"bearer_token":"sesame€"}'],
  ['a login that is no text', '{"password":"sesame","login_identity":7}'],
])('%s is refused, and nothing of it is said', (_what, text) => {
  const path = fileOf(text);
  expect(() => readCredential(path, 'alice')).toThrow(path);
  expect(() => readCredential(path, 'alice')).not.toThrow('sesame');
});

test('a file that is not there, and what is no file', () => {
  const folder = temporaryFolder();
  expect(() => readCredential(join(folder, 'none.json'), 'alice')).toThrow(
    'does not exist; put the credential',
  );
  mkdirSync(join(folder, 'folder'), { mode: 0o700 });
  expect(() => readCredential(join(folder, 'folder'), 'alice')).toThrow(
    expect.objectContaining({ name: 'UnusableFile', reason: expect.stringContaining('(EISDIR)') }),
  );
});
