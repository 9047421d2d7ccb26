import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { cyrusNeed, hasCyrus, startCyrus } from '../../support/jmap/cyrus-server.js';
import { testFacade } from './facade-suite.js';
import { serverPlace } from './server-place.js';

describe('on a mail server', { skip: !hasCyrus, meta: { needs: cyrusNeed } }, () => {
  const place = serverPlace(startCyrus);
  const { agents } = place;

  test('a fetched attachment is the owner’s alone, keeps its name, and is as the server has it', async () => {
    const { alice, bob } = agents;
    const file = join(alice.session.folder, 'plan.txt');
    writeFileSync(file, 'the plan');
    const mail = { to: [bob.address], subject: 'a plan', body_content: '' };
    await alice.mail('send', {
      ...mail,
      attachments: [{ path: file, label: '../../.ssh/auth\u202etxt.exe' }],
    });
    const [one] = await vi.waitFor(
      async () => {
        const { messages } = (await bob.mail('list', {})).body;
        const found = messages.find(({ subject }: { subject: string }) => subject === 'a plan');
        return [found ?? expect.fail('it is not there')];
      },
      { timeout: 20_000, interval: 20 },
    );
    const of = { message_ref: one.message_ref, attachment_id: one.attachments[0].attachment_id };
    const fetch = async (): Promise<string> => (await bob.mail('attachment', of)).body.path;
    const path = await fetch();
    expect(relative(bob.session.paths.root, path)).toMatch(/^mail-attachments\/[0-9a-f]{16}\/authtxt\.exe$/);
    expect([path, dirname(path)].map((each) => statSync(each).mode & 0o777)).toEqual([0o600, 0o700]);
    writeFileSync(path, 'something else');
    expect(await fetch()).toBe(path);
    expect(readFileSync(path, 'utf8')).toBe('the plan');
    expect(readdirSync(dirname(path))).toEqual(['authtxt.exe']);
    expect((await bob.mail('attachment', of)).body.unchanged).toBe(null);
  });

  testFacade({ ...place, unknownRef: 'stalwart:M000000000000000000000000', strangers: 'refused' });
});
