import type { Credential } from '../../../src/mail/jmap/client/credential-file.js';

export const addressAt = (name: string): string => `${name}@example.test`;

export function credentialOf(address: string, password: string): Credential {
  const coded = Buffer.from(`${address}:${password}`).toString('base64');
  return { authorization: `Basic ${coded}`, secrets: [password, coded], allowPlainHttp: false };
}
