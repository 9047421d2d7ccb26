import { randomBytes } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeFileAtomic } from '../foundation/atomic-file.js';
import { UnusableFile } from '../foundation/faults.js';
import type { SessionPaths } from './session-paths.js';

/** Decides whether a reference is a plain file name, so that it leads to no other folder. */
const isName = (ref: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._@+-]*$/.test(ref) && !ref.includes('..');

/** Returns the path where a host keeps the credential of a mailbox on a mail server. Each session of the agent has a copy. */
export const durableCredential = (runtimeRoot: string, ref: string): string =>
  join(runtimeRoot, 'mailbox-credentials', 'stalwart', `${ref}.json`);

/** Returns the path where launches record that a mail server refused their credential. */
export const durableRefusal = (runtimeRoot: string, ref: string): string =>
  `${durableCredential(runtimeRoot, ref)}.refused`;

/**
 * Returns the files with which a session's mailbox is opened. The refusal note is removed with the session's copy when another
 * mailbox replaces this one.
 */
export const sessionCredentials = (paths: SessionPaths) => ({
  credentialFile: (ref: string): string => sessionCredential(paths, ref),
  refusalNote: (ref: string): string => `${copyOf(paths, ref)}.refused`,
});

const copyOf = ({ mailSecrets }: Pick<SessionPaths, 'mailSecrets'>, ref: string): string =>
  join(mailSecrets, `${ref}.json`);

/**
 * Returns the file with the credential of a session's mailbox. When the host's own file differs, the session's copy is renewed
 * first, so that a password changed there works at once.
 * @throws {UnusableFile} for a reference that is no file name, a host's file that other users can use, or a copy that cannot be
 * written.
 */
export function sessionCredential({ root, mailSecrets }: SessionPaths, ref: string): string {
  const copy = copyOf({ mailSecrets }, ref);
  if (!isName(ref))
    throw new UnusableFile(mailSecrets, `credential_ref ${JSON.stringify(ref)} is not a file name`);
  // <runtime root>/sessions/<backend>/<session>
  const durable = durableCredential(dirname(dirname(dirname(root))), ref);
  if (!existsSync(durable)) return copy;
  if ((statSync(durable).mode & 0o077) !== 0)
    throw new UnusableFile(durable, 'others than its owner can use it', `chmod 600 ${durable}`);
  try {
    const text = readFileSync(durable, 'utf8');
    if (!existsSync(copy) || readFileSync(copy, 'utf8') !== text) writeFileAtomic(copy, text);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UnusableFile(durable, `cannot be copied to ${copy} (${code})`);
  }
  return copy;
}

const tokenPattern = /^[\w-]{32,512}$/;

/**
 * Returns the token that callers from other machines present: 256 random bits, made at the first start and kept.
 * @throws {UnusableFile} when the file holds no token, or other users could read it. It is left as it is.
 */
export function accessToken(path: string): string {
  const status = lstatSync(path, { throwIfNoEntry: false });
  if (!status) {
    const token = randomBytes(32).toString('base64url');
    writeFileAtomic(path, `${token}\n`, { durable: true });
    return token;
  }
  if (!status.isFile()) throw new UnusableFile(path, 'it is not a regular file; delete it and start again');
  if ((status.mode & 0o077) !== 0)
    throw new UnusableFile(
      path,
      'others could read this token; delete it and start again (callers then need the new one), or chmod 600 it',
    );
  const token = readFileSync(path, 'utf8').trim();
  if (!tokenPattern.test(token)) throw new UnusableFile(path, 'it holds no token; delete it and start again');
  return token;
}
