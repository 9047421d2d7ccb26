import { randomBytes } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { writeFileAtomic } from '../foundation/atomic-file.js';
import { UnusableFile } from '../foundation/unusable-file.js';

const tokenPattern = /^[\w-]{32,512}$/;

/**
 * The token that callers from other machines present: 256 random bits, made at the first start and kept.
 * @throws {UnusableFile} when there is a file that holds no token, or one that others could read. It is left as it is.
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
