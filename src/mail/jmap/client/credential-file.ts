import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { UnusableFile } from '../../../foundation/faults.js';
import { unreadable } from '../../../foundation/system-fault.js';

const Filled = Type.String({ pattern: '\\S' });
// Further fields are left to the author of the file.
const CredentialSchema = Type.Union([
  Type.Object({ bearer_token: Filled, allow_plain_http: Type.Optional(Type.Boolean()) }),
  Type.Object({
    password: Filled,
    login_identity: Type.Optional(Filled),
    allow_plain_http: Type.Optional(Type.Boolean()),
  }),
]);

/** The credential by which a mail server knows an agent. */
export interface Credential {
  /** The value of the `Authorization` header. */
  authorization: string;
  /** Texts that must not appear in any message about a fault: a password or token, and its form in the request. */
  secrets: readonly string[];
  /** Whether it may be sent without TLS to a server on another machine. */
  allowPlainHttp: boolean;
}

/**
 * @param path of a JSON object with a `password` (and a `login_identity`, where it differs from the binding's) or a
 * `bearer_token`. Only its owner may have access to it.
 * @throws {UnusableFile} whose message never contains any of its text.
 */
export function readCredential(path: string, loginIdentity: string): Credential {
  const value = parsed(path, ownText(path));
  if (!Value.Check(CredentialSchema, value))
    throw new UnusableFile(path, 'must be a JSON object with a password or a bearer_token', null);
  const allowPlainHttp = value.allow_plain_http ?? false;
  if ('bearer_token' in value)
    return {
      authorization: `Bearer ${token(path, value.bearer_token)}`,
      secrets: [value.bearer_token.trim()],
      allowPlainHttp,
    };
  return { ...basic(value, loginIdentity), allowPlainHttp };
}

function basic(
  value: Extract<Static<typeof CredentialSchema>, { password: string }>,
  loginIdentity: string,
): Pick<Credential, 'authorization' | 'secrets'> {
  const pair = `${value.login_identity ?? loginIdentity}:${value.password}`;
  const coded = Buffer.from(pair).toString('base64');
  return { authorization: `Basic ${coded}`, secrets: [value.password, coded] };
}

/** Checks a token: a header cannot contain other characters, and code that fails to send one would repeat it in its error. */
function token(path: string, text: string): string {
  const found = text.trim();
  if (!/^[\x21-\x7e]+$/.test(found))
    throw new UnusableFile(path, 'its bearer_token has a character that no token has');
  return found;
}

function parsed(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's error would show a part of the text.
    throw new UnusableFile(path, 'is not valid JSON');
  }
}

/** Checks and reads the file through one handle, so that both concern the same file. */
function ownText(path: string): string {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'the credential file does not exist' : `cannot be read (${code})`;
    throw new UnusableFile(path, reason, 'put the credential of the mailbox there, with mode 0600');
  }
  try {
    const { mode } = fstatSync(file);
    if ((mode & 0o077) !== 0)
      throw new UnusableFile(path, 'others than its owner can use it', `chmod 600 ${path}`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof UnusableFile) throw error;
    throw unreadable(path, error);
  } finally {
    closeSync(file);
  }
}
