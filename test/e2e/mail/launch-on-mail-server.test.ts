// A server launches agents with mailboxes on a mail server: Stalwart's management is imitated, the mail behind it is real.
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { checkBrainLaunch } from '../../../src/launch/brain/check-brain-launch.js';
import { createSession } from '../../../src/launch/create-session.js';
import { readManifest } from '../../../src/session/manifest.js';
import { brainOf, launchBody, type Prepared, prepare } from '../../support/brain.js';
import { type Answer, call } from '../../support/http.js';
import { addressAt } from '../../support/jmap/accounts.js';
import { type CyrusServer, cyrusNeed, hasCyrus, startCyrus } from '../../support/jmap/cyrus-server.js';
import {
  type ImitatedStalwart,
  imitatedStalwart,
  managementToken,
} from '../../support/jmap/stalwart-server.js';
import { hostIn } from '../../support/launch-host.js';
import { manage, managerEnvironment } from '../../support/manager.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { standinProgram } from '../../support/test-session.js';

const token = 'HOUMAO_STALWART_MANAGEMENT_BEARER_TOKEN';

describe.each(['0.15', '0.16'] as const)(
  'with the management of Stalwart %s',
  { skip: !hasCyrus, meta: { needs: cyrusNeed } },
  (version) => {
    const folder = temporaryFolder();
    const tmux = ownTmux();
    const environmentFile = join(folder, 'environment-of-a-turn');
    let prepared: Prepared;
    let mail: CyrusServer;
    let stalwart: ImitatedStalwart;
    let url = '';
    /** The environment of the agent's process is written down by the process itself. */
    const writeBrain = (mailbox: object): void => {
      const program = join(folder, 'shows-its-environment');
      writeFileSync(
        program,
        `#!/bin/sh\nenv > ${environmentFile}\nexec ${process.execPath} ${standinProgram} "$@"\n`,
      );
      chmodSync(program, 0o755);
      const brain = brainOf(folder);
      const runtime = { ...brain.runtime, launch_executable: program };
      writeFileSync(prepared.requested.brainPath, stringify({ ...brain, runtime, mailbox }));
    };
    let alpha: Answer;
    let beta: Answer;
    beforeAll(async () => {
      prepared = prepare(folder);
      mail = await startCyrus({});
      stalwart = await imitatedStalwart({ version, mail });
      const own = { HOUMAO_STALWART_BASE_URL: stalwart.url, [token]: managementToken };
      const started = await manage({ ...environment, ...own, HOUMAO_STRICT_RESPONSES: '1' }, [
        ...['server', 'start', '--port', '0', '--json'],
      ]);
      url = JSON.parse(started.stdout).api_base_url;
      writeBrain({ transport: 'stalwart', address: addressAt('alpha'), base_url: stalwart.url });
      alpha = await launch('alpha');
      beta = await launch('beta', { mailbox: { transport: 'stalwart', address: addressAt('beta') } });
    });
    afterAll(async () => {
      for (const name of ['alpha', 'beta']) await ask('POST', `/houmao/agents/${name}/stop`);
      expect((await manage(environment, ['server', 'stop'])).code).toBe(0);
      expect(stalwart.wrong).toEqual([]);
      await stalwart.stop();
      await mail.stop();
    });
    const ask = (method: string, path: string, body?: unknown) => call(url, method, path, body);
    const { PATH, HOME, ...ours } = managerEnvironment(folder);
    const environment = { ...ours, ...tmux.tmux.environment, PATH, HOME };
    const run = (...args: string[]) => manage(environment, [...args, '--json']);
    const launch = (name: string, change: object = {}) =>
      ask('POST', '/houmao/agents/headless/launches', {
        ...launchBody(prepared.requested),
        agent_name: name,
        ...change,
      });

    test('agents get accounts, write to each other, and nothing that they see holds a secret', async () => {
      expect([alpha.status, alpha.body]).toEqual([200, expect.objectContaining({ success: true })]);
      expect(beta.status).toBe(200);
      expect([...stalwart.passwords.keys()]).toEqual(
        expect.arrayContaining([addressAt('alpha'), addressAt('beta')]),
      );
      expect(readManifest(beta.body.manifest_path).launch_plan.mailbox).toMatchObject({
        transport: 'stalwart',
        address: addressAt('beta'),
        principal_id: 'HOUMAO-beta',
        jmap_url: `${stalwart.url}/jmap`,
        management_url: `${stalwart.url}/api`,
      });

      const attached = await ask('POST', '/houmao/agents/alpha/gateway/attach', {});
      expect(attached.status).toBe(200);
      const sent = await ask('POST', '/houmao/agents/alpha/mail/send', {
        schema_version: 1,
        to: [addressAt('beta')],
        subject: 'hello',
        body_content: 'of alpha',
      });
      expect([sent.status, sent.body]).toEqual([200, expect.objectContaining({ operation: 'send' })]);
      const listed = async () => JSON.parse((await run('agents', 'mail', 'list', 'beta')).stdout).messages;
      await expect
        .poll(listed)
        .toMatchObject([{ subject: 'hello', sender: { address: addressAt('alpha') } }]);

      // Both hold their passwords in two files, and nothing else does.
      const begun = await ask('POST', '/houmao/agents/beta/turns', { prompt: 'hello' });
      const turn = await ask('GET', `/houmao/agents/beta/turns/${begun.body.turn_id}?wait_seconds=30`);
      expect(turn.body).toMatchObject({ status: 'completed' });
      const seen = readFileSync(environmentFile, 'utf8');
      expect(seen).toContain('HOUMAO_MANIFEST_PATH=');
      expect(seen).not.toMatch(/HOUMAO_STALWART_MANAGEMENT/);
      expect(tmux.run('show-environment', '-g')).not.toMatch(/HOUMAO_STALWART_MANAGEMENT/);
      const secrets = ['alpha', 'beta'].map((name) => stalwart.passwords.get(addressAt(name)) ?? '');
      const holders = filesBelow(folder).filter((path) =>
        [...secrets, managementToken].some((secret) => readFileSync(path).includes(secret)),
      );
      expect(
        holders
          .map((path) => path.replace(folder, '').replace(/^.*\/(.*?)\/stalwart-/, '$1/stalwart-'))
          .sort(),
      ).toEqual([
        expect.stringMatching(/^mailbox-secrets\/stalwart-alpha-/),
        expect.stringMatching(/^mailbox-secrets\/stalwart-beta-/),
        expect.stringMatching(/^stalwart\/stalwart-alpha-/),
        expect.stringMatching(/^stalwart\/stalwart-beta-/),
      ]);
      for (const path of holders) expect(statSync(path).mode & 0o777).toBe(0o600);
    });

    test('a launch that fails on its last step keeps the account, says so, and the next one uses it', async () => {
      const mine = { [token]: managementToken };
      const own = {
        transport: 'stalwart' as const,
        address: addressAt('gamma'),
        stalwart_base_url: stalwart.url,
      };
      const requested = { ...prepared.requested, agentName: 'gamma', mailbox: own };
      const here = hostIn(folder, mine);
      const make = (complete?: () => void) =>
        createSession({ ...checkBrainLaunch(requested, url, here), tmux: false }, here, complete);
      const failed = make(() => {
        throw new Error('The last step failed.');
      });
      await expect(failed).rejects.toThrow(
        /^The last step failed\. Not removed again: the account gamma@example\.test .* \/.*\.json\.$/,
      );
      const password = stalwart.passwords.get(addressAt('gamma'));
      await make();
      expect(stalwart.passwords.get(addressAt('gamma'))).toBe(password);
    });

    test('a launch that breaks another rule asks the mail server for nothing', async () => {
      const before = stalwart.asked.length;
      const mailbox = { transport: 'stalwart', address: addressAt('delta') };
      expect(await launch('delta', { mailbox, role_name: 'nobody' })).toMatchObject({ status: 422 });
      expect(await launch('alpha', { mailbox })).toMatchObject({ status: 503 });
      expect(stalwart.asked.length).toBe(before);
    });
  },
);

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
