import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { call } from '../../support/http.js';
import { type BehindServer, behindServer } from '../support/behind-server.js';
import { becomeBackend, editManifest } from '../support/edit-manifest.js';
import { type PassedOperation, passedOperations } from '../support/forwarded-operations.js';
import { temporaryRoot } from './temporary-root.js';

// A fault of a gateway that lives is reported with its own status, and its own words.

const mail = passedOperations
  .filter((one) => one.mail && one.operationId !== 'resolveAgentMailbox')
  .map((one) => [one.operationId, one] as const);
/** Paths of the mailbox are shown to those who may read them. */
const ask = (behind: BehindServer, { method, path, body }: PassedOperation) =>
  call(behind.server.url, method, `/houmao/agents/${behind.name}${path}`, body);

describe('a mailbox whose root leads in a circle', () => {
  const root = temporaryRoot();
  const behind = behindServer({
    launch: { mailbox: { root, address: null, principalId: null } },
    prepare: ({ folder, paths }) => {
      const loop = join(folder, 'loop');
      symlinkSync(loop, loop);
      editManifest(paths, ({ launch_plan }) => {
        launch_plan.mailbox.filesystem_root = loop;
      });
    },
  });

  test.each(mail)('%s is 502', async (_id, operation) => {
    const body = JSON.parse(
      JSON.stringify(operation.body ?? null).replace(/"attachments":\[[^\]]*\]/, '"attachments":[]'),
    );
    expect(await ask(behind, { ...operation, body: body ?? undefined })).toMatchObject({
      status: 502,
      body: { detail: expect.stringContaining('ELOOP') },
    });
  });
});

describe('an agent of a backend that cannot be driven', () => {
  const behind = behindServer({ prepare: ({ paths }) => becomeBackend(paths, 'codex_app_server') });

  test('is prompted with a 501', async () => {
    expect(await behind.agent('POST', '/gateway/control/prompt', { prompt: 'hello' })).toMatchObject({
      status: 501,
      body: { detail: { error_code: 'unsupported_backend' } },
    });
  });
});
