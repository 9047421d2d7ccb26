import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { expect, test } from 'vitest';
import type { FacadePlace } from './facade-suite.js';

/** The fate of files that come with messages, wherever the mail is. @param toBob sends a message of Alice's with more than a text. */
export function testAttachments(
  place: FacadePlace,
  toBob: (subject: string, more: object) => Promise<string>,
): void {
  const { agents } = place;

  test('a message has its files, which are fetched by their ids', async () => {
    const { alice, bob } = agents;
    const file = join(alice.session.folder, 'report.bin');
    const content = randomBytes(200_000);
    writeFileSync(file, content);
    const files = [{ path: file, label: 'The report.bin' }, { path: file }];
    const message_ref = await toBob('with files', { attachments: files });
    const { attachments } = (await bob.mail('peek', { message_ref })).body.message;
    const [first, second] = attachments;
    const fetched = await bob.mail('attachment', {
      message_ref,
      attachment_id: ` ${first.attachment_id} `,
    });
    expect(fetched).toMatchObject({
      status: 200,
      body: {
        operation: 'attachment',
        transport: place.transport,
        address: bob.address,
        message_ref,
        attachment: first,
        size_bytes: content.length,
        sha256: createHash('sha256').update(content).digest('hex'),
      },
    });
    const again = await bob.mail('attachment', { message_ref, attachment_id: second.attachment_id });
    expect(again.body).toMatchObject({ attachment: second, sha256: fetched.body.sha256 });
    expect(attachments.map(({ label }: { label: string }) => label)).toEqual([
      'The report.bin',
      'report.bin',
    ]);
    expect(isAbsolute(fetched.body.path)).toBe(true);
    expect(readFileSync(fetched.body.path).equals(content)).toBe(true);
    expect((await bob.mail('peek', { message_ref })).body.message.read).toBe(false);
    const none = await bob.mail('attachment', { message_ref, attachment_id: 'none' });
    expect([none.status, none.headers.get('x-houmao-error-code')]).toEqual([502, 'mail_refused']);
    expect(none.body.detail).toContain(
      `has no attachment none; it has ${first.attachment_id}, ${second.attachment_id}`,
    );
    const unknown = await bob.mail('attachment', {
      message_ref: place.unknownRef,
      attachment_id: first.attachment_id,
    });
    expect(unknown.status).toBe(502);
    const unnamed = await bob.mail('attachment', { message_ref, attachment_id: ' ' });
    expect(unnamed).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'attachment_id'] }] } });
  });
}
