import { expect, test } from 'vitest';
import type { FacadePlace } from './facade-suite.js';

/** Which calls are refused wherever the mail is, and how. @param untilNow the subjects of what came to Bob. */
export function testRefusals(place: FacadePlace, untilNow: () => Promise<string[]>): void {
  const { agents } = place;
  /** A mail server says in its own words why it does not take it. */
  const stranger = 'nobody@nowhere.invalid';

  const refusals: [string, object, number, string | null][] = [
    ['an unknown recipient', { to: [stranger] }, 502, stranger],
    ['a short name', { to: ['bob'] }, 502, '"bob" is not a mailbox address'],
    ['a file that is not there', { attachments: [{ path: '/no/such/file' }] }, 502, 'attachments[0].path'],
    [
      'a relative file',
      { attachments: [{ path: 'file' }] },
      422,
      'attachments[0].path must be an absolute path.',
    ],
    [
      'a subject of two lines',
      { subject: 'a\nb' },
      422,
      'subject must not contain control characters or line breaks.',
    ],
    ['a scheme that is only reserved', { notify_auth: { scheme: 'jws' } }, 422, null],
  ];
  const refused = place.strangers === 'refused' ? refusals : refusals.slice(1);
  test.each(refused)('%s is refused, and nothing is delivered', async (what, mail, status, words) => {
    const { alice, bob } = agents;
    const answer = await alice.mail('send', { to: [bob.address], subject: what, body_content: '', ...mail });
    const byServer = place.transport === 'stalwart' && words === stranger;
    const code = words === null ? 'validation_failed' : byServer ? 'mailbox_failed' : 'mail_refused';
    expect([answer.status, answer.headers.get('x-houmao-error-code')]).toEqual([status, code]);
    expect(answer.body.detail).toEqual(words === null ? expect.any(Array) : expect.stringContaining(words));
    expect(await untilNow()).not.toContain(what);
    for (const box of ['sent', 'drafts'])
      expect(JSON.stringify((await alice.mail('list', { box })).body.messages)).not.toContain(what);
  });

  test('a reference that names no message, or another transport, is none here', async () => {
    const { bob } = agents;
    expect(await bob.mail('peek', { message_ref: 'non sense' })).toMatchObject({
      status: 422,
      body: { detail: expect.stringMatching(/^message_ref "non sense" names no message; /) },
    });
    const refused = async (operation: Parameters<typeof bob.mail>[0], body: object): Promise<void> => {
      const { status, headers } = await bob.mail(operation, body);
      expect([status, headers.get('x-houmao-error-code')]).toEqual([502, 'mail_refused']);
    };
    await refused('peek', { message_ref: 'pigeon:abc' });
    await refused('read', { message_ref: place.unknownRef });
    await refused('archive', { message_refs: [place.unknownRef] });
    await refused('mark', { message_refs: [place.unknownRef], archived: true, read: false });
    await refused('move', { message_refs: [place.unknownRef], destination_box: '../x' });
    const others = await agents.alice.mail('post', {
      subject: 'for Alice',
      body_content: '',
      reply_policy: 'none',
    });
    const { message_ref } = others.body.message;
    await refused('peek', { message_ref });
    await refused('reply', { message_ref, body_content: '' });
  });
}
