import { systemClock } from '../../../src/foundation/clock.js';
import { JmapTransport } from '../../../src/mail/jmap/jmap-transport.js';
import { mailRefs } from '../../../src/mail/jmap/mail/email-ref.js';
import type { TwoMailboxes } from '../mail/transport-conformance.js';
import { addressAt, credentialOf } from './accounts.js';
import { otherClient } from './other-client.js';

/** A mail server of a test, of whatever make. */
export interface TestMailServer {
  readonly jmapUrl: string;
  /** From now on nobody gets an answer, until {@link back}. */
  away(): Promise<void> | void;
  back(): Promise<void> | void;
  stop(): Promise<void>;
}

const passwordOf = (name: string): string => `${name}-pw`;

/** Alice and Bob on one mail server. @param start it, with these passwords by address. @param unknownId of no message there. */
export async function twoMailboxes(
  start: (users: Readonly<Record<string, string>>) => Promise<TestMailServer>,
  { unknownId, strangers }: Pick<TwoMailboxes, 'strangers'> & { unknownId: string },
): Promise<TwoMailboxes> {
  const addresses = { alice: addressAt('alice'), bob: addressAt('bob') };
  const server = await start({
    [addresses.alice]: passwordOf('alice'),
    [addresses.bob]: passwordOf('bob'),
  });
  const open = (name: 'alice' | 'bob', limit?: number): JmapTransport =>
    new JmapTransport({
      jmapUrl: server.jmapUrl,
      credential: () => credentialOf(addresses[name], passwordOf(name)),
      owner: { address: addresses[name], principalId: `HOUMAO-${name}` },
      clock: systemClock,
      ...(limit !== undefined && { limit }),
    });
  const ofBob = mailRefs({ jmapUrl: server.jmapUrl, address: addresses.bob });
  const [alice, bob] = [open('alice'), open('bob')];
  const bobElsewhere = await otherClient(server, addresses.bob, passwordOf('bob'));
  return {
    alice,
    bob,
    addresses,
    unknownRef: ofBob.message(unknownId),
    strangers,
    comeToBob: async (subject, at) => {
      const head = [`From: ${addresses.alice}`, `To: ${addresses.bob}`, `Subject: ${subject}`];
      const id = await bobElsewhere.bringIn(`${head.join('\r\n')}\r\n\r\ntext ${subject}\r\n`, at);
      return ofBob.message(id);
    },
    whileAway: async (work) => {
      await server.away();
      const impatient = { alice: open('alice', 500), bob: open('bob', 500) };
      try {
        await work({ ...impatient, code: 'unreachable' });
      } finally {
        for (const transport of Object.values(impatient)) transport.close();
        await server.back();
      }
    },
    close: async () => {
      for (const transport of [alice, bob]) transport.close();
      await server.stop();
    },
  };
}
