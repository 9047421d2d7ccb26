import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hostNamePattern } from '../../../../src/foundation/host-name.js';
import {
  addressAtHome,
  addressOn,
  arrivedMessage,
  hostAddress,
  localPart,
  localsOn,
  refusalNotice,
} from '../../../../src/mail/message/across-hosts.js';
import { parseDocument, renderDocument } from '../../../../src/mail/message/document.js';
import { plainPrincipal } from '../../../../src/mail/message/mail-message.js';
import { isMessageId } from '../../../../src/mail/message/message-id.js';
import { isAddress } from '../../../../src/mail/message/names.js';
import { mailOf } from '../../../support/mail/mail-root.js';

const locals = fc.stringMatching(/^[a-z][a-z0-9-]{0,10}$/);
const hosts = fc.stringMatching(hostNamePattern).filter((host) => isAddress(`a@${host}.houmao.localhost`));

test('an address on a host is that of its mailbox at home, and back', () => {
  fc.assert(
    fc.property(locals, hosts, (local, host) => {
      const address = addressOn({ local, host });
      expect(isAddress(address)).toBe(true);
      expect(hostAddress(address)).toEqual({ local, host });
      expect([localPart(address), hostAddress(addressAtHome(local))]).toEqual([null, null]);
      expect(localPart(addressAtHome(local))).toBe(local);
    }),
  );
});

test.each([
  'a@example.com',
  'a@houmao.localhost',
  'a@ws1.example.com',
  'a@x.ws1.houmao.localhost',
  'ws1.houmao.localhost',
])('%s names no host', (address) => expect(hostAddress(address)).toBeNull());

describe('a message from ws1 to ws2, ws3 and a neighbour', () => {
  const addressee = (name: string, host: string) =>
    plainPrincipal(`${name}@${host}`, addressOn({ local: name, host }));
  const sent = mailOf('alice', ['bob'], {
    to: [addressee('carol', 'ws2'), addressee('gone', 'ws2')],
    cc: [addressee('dave', 'ws3'), plainPrincipal('HOUMAO-bob', 'bob@houmao.localhost')],
    replyTo: [plainPrincipal('HOUMAO-bob', 'bob@houmao.localhost')],
    headers: { 'x-houmao-origin': 'operator', 'x-mine': 1 },
  });
  const arrived = arrivedMessage(sent, {
    from: 'ws1',
    here: 'ws2',
    owners: new Map([['carol@houmao.localhost', 'HOUMAO-carol']]),
    attachments: [],
  });
  const addresses = (principals: { address: string }[]) => principals.map(({ address }) => address);

  test('is for the recipients of each host', () => {
    expect(localsOn(sent, 'ws2')).toEqual(['carol', 'gone']);
    expect(localsOn(sent, 'ws3')).toEqual(['dave']);
  });

  test('has the names of ws2 there, without those who have no mailbox', () => {
    expect(arrived).toMatchObject({
      messageId: sent.messageId,
      threadId: sent.threadId,
      body: sent.body,
      from: { address: 'alice@ws1.houmao.localhost', principalId: 'alice@ws1' },
      to: [{ address: 'carol@houmao.localhost', principalId: 'HOUMAO-carol' }],
    });
    expect(addresses(arrived.cc)).toEqual(['dave@ws3.houmao.localhost', 'bob@ws1.houmao.localhost']);
    expect(addresses(arrived.replyTo)).toEqual(['bob@ws1.houmao.localhost']);
  });

  test('does not speak as the operator of ws2', () => {
    expect(arrived.headers).toEqual({ 'x-mine': 1 });
  });

  test('is a message of the format on either host', () => {
    for (const message of [sent, arrived]) expect(parseDocument(renderDocument(message))).toEqual(message);
  });

  test('comes back as one notice per host, however often it is composed', () => {
    const by = plainPrincipal('HOUMAO-mail', 'HOUMAO-mail@ws1.houmao.localhost');
    const notice = (host: string, now: Date) =>
      refusalNotice(sent, {
        host,
        refused: [{ address: 'gone@ws2.houmao.localhost', detail: 'why' }],
        by,
        now,
      });
    const [first, later, other] = [
      notice('ws2', new Date(0)),
      notice('ws2', new Date(1e12)),
      notice('ws3', new Date(0)),
    ];
    expect(first.messageId).toBe(later.messageId);
    expect(new Set([sent.messageId, first.messageId, other.messageId]).size).toBe(3);
    expect(isMessageId(first.messageId)).toBe(true);
    expect(first).toMatchObject({ to: [sent.from], threadId: sent.threadId, inReplyTo: sent.messageId });
    expect(parseDocument(renderDocument(first))).toEqual(first);
  });
});

test('a message whose only recipient with a mailbox had a copy is to that one', () => {
  const sent = mailOf('alice', ['bob'], {
    to: [plainPrincipal('gone@ws2', 'gone@ws2.houmao.localhost')],
    cc: [plainPrincipal('carol@ws2', 'carol@ws2.houmao.localhost')],
  });
  const owners = new Map([['carol@houmao.localhost', 'HOUMAO-carol']]);
  const { to, cc } = arrivedMessage(sent, { from: 'ws1', here: 'ws2', owners, attachments: [] });
  expect([to.length, cc.length]).toEqual([1, 0]);
});
