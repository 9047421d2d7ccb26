import type { NotifyAuth } from './mail-message.js';
import { MailRefusal } from './mail-refusal.js';
import { isBlank, strip } from './python-text.js';

export const authSchemes = ['none', 'shared-token', 'hmac-sha256', 'jws'] as const;

export interface NotifyAuthInput extends Omit<NotifyAuth, 'scheme'> {
  scheme: (typeof authSchemes)[number];
}

/** What authenticates a notice. A token may come without a scheme: a receiver may compare it all the same. @throws {MailRefusal} */
export function notifyAuth(input: NotifyAuthInput, field = 'notify_auth'): NotifyAuth {
  if (input.scheme !== 'none')
    throw new MailRefusal(`${field}.scheme`, `${input.scheme}: verifier not yet supported`);
  const text = (key: 'token' | 'iss' | 'iat' | 'exp'): string | null => {
    const value = input[key];
    if (value !== null && isBlank(value)) throw new MailRefusal(`${field}.${key}`, 'must not be blank');
    return value === null ? null : strip(value);
  };
  return { scheme: 'none', token: text('token'), iss: text('iss'), iat: text('iat'), exp: text('exp') };
}
