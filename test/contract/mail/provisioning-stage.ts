import { expect } from 'vitest';
import { systemClock } from '../../../src/foundation/clock.js';
import { MailFault } from '../../../src/mail/message/mail-fault.js';
import { managementToken } from '../../support/jmap/stalwart-server.js';

export const password = 'a-password-of-32-characters-long';
/** The agent that gets an account in these tests. */
export const account = {
  address: 'alpha@example.test',
  principalId: 'HOUMAO-alpha',
  loginIdentity: 'alpha@example.test',
};
/** The parts that make accounts on the server there. */
export const partsAt = (url: string, more: object = {}) => ({
  jmapUrl: `${url}/jmap`,
  managementUrl: `${url}/api`,
  clock: systemClock,
  secrets: [password],
  limit: 20_000,
  refusalNotes: null,
  credential: { authorization: `Bearer ${managementToken}`, secrets: [managementToken] },
  ...more,
});
/** The fault with which the work fails; it holds no secret. */
export const faultOf = (work: Promise<unknown>): Promise<MailFault> =>
  work.then(
    () => Promise.reject(new Error('it was done')),
    (error) => {
      expect(error).toBeInstanceOf(MailFault);
      for (const secret of [password, managementToken]) expect(error.message).not.toContain(secret);
      return error;
    },
  );
