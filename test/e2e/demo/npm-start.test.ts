import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { attachGateway } from '../../../src/launch/attach-gateway.js';
import { createSession } from '../../../src/launch/create-session.js';
import type { Part } from '../../contract/support/bundle.js';
import { launchBrowser } from '../../support/browser.js';
import { call } from '../../support/http.js';
import { hostIn } from '../../support/launch-host.js';
import { startTalking } from '../../support/talking-program.js';
import { standinProgram } from '../../support/test-session.js';

// What `npm start` runs once everything is built.

const program = fileURLToPath(new URL('../../../dist/programs/demo.js', import.meta.url));

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'houmao-demo-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  return home;
}

/** @returns the demo once it serves, with the addresses of its two agents. */
async function startDemo(home: string) {
  const demo = startTalking(program, { ...process.env, HOUMAO_DEMO_HOME: home, HOUMAO_DEMO_PORT: '0' });
  const said = await demo.saying(/Ctrl-C stops .*\n/);
  const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
  const [, reviewer = ''] = /Another agent +(http:\/\/127\.0\.0\.1:\d+)/.exec(said) ?? [];
  const stop = async (): Promise<number | null> => {
    demo.child.kill('SIGTERM');
    return demo.ended;
  };
  return { url, reviewer, said, stop };
}

const isServed = (url: string): Promise<boolean> =>
  fetch(`${url}/health`).then(
    () => true,
    () => false,
  );

interface Sample {
  operationId: string;
  method: string;
  path: string;
  bodies: unknown[];
}

/** The operations of the mailbox and its notifier with all of their samples, in the order of the page. */
async function samplesAt(url: string): Promise<Sample[]> {
  const { body } = await call(url, 'GET', '/openapi.json');
  return Object.entries<Part>(body.paths)
    .filter(([path]) => path.startsWith('/v1/mail'))
    .flatMap(([path, item]) =>
      Object.entries<Part>(item).map(([method, { operationId, requestBody }]) => {
        const media = requestBody?.content['application/json'];
        const named = Object.values<Part>(media?.examples ?? {}).map(({ value }) => value);
        const bodies = media?.example === undefined ? named : [media.example];
        return { operationId, method: method.toUpperCase(), path, bodies: media ? bodies : [undefined] };
      }),
    );
}

test('every sample of a mail operation is answered with 200, again after a restart', async () => {
  const home = newHome();
  for (const _start of ['first', 'second']) {
    const { url, stop } = await startDemo(home);
    const samples = await samplesAt(url);
    expect(samples).toHaveLength(13);
    for (const { method, path, bodies } of samples)
      for (const body of bodies) {
        const { status, body: answer } = await call(url, method, path, body);
        expect([method, path, body, status, status === 200 ? null : answer]).toEqual([
          ...[method, path, body, 200, null],
        ]);
      }
    expect(await stop()).toBe(0);
  }
});

test('on the page, Execute is answered with 200 by every mail operation as it stands there', async () => {
  const { url, stop } = await startDemo(newHome());
  const samples = await samplesAt(url);
  const browser = await launchBrowser();
  onTestFinished(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
  await page.goto(`${url}/docs/`);
  const statuses: Record<string, string> = {};
  for (const { operationId } of samples) {
    const block = page.locator(`[id$="-${operationId}"]`).first();
    await block.locator('.opblock-summary-control').click();
    await block.getByRole('button', { name: 'Execute' }).click();
    const status = block.locator('.live-responses-table tbody .response-col_status').first();
    await status.waitFor();
    statuses[operationId] = ((await status.textContent()) ?? '').trim();
  }
  expect(statuses).toEqual(Object.fromEntries(samples.map(({ operationId }) => [operationId, '200'])));
  expect(await stop()).toBe(0);
});

test('the reviewer answers mail by itself; the end of the demo ends both gateways', async () => {
  const { url, reviewer, said, stop } = await startDemo(newHome());
  expect(said).toContain('Ctrl-C stops them.');
  const question = { to: ['reviewer@houmao.localhost'], subject: 'A question', body_content: '' };
  expect((await call(url, 'POST', '/v1/mail/send', question)).status).toBe(200);
  const subjects = async () =>
    (await call(url, 'POST', '/v1/mail/list', {})).body.messages.map(
      (message: { subject: string }) => message.subject,
    );
  await expect.poll(subjects).toEqual(['Re: A question', 'Gateway unread reminder']);
  expect(await Promise.all([url, reviewer].map(isServed))).toEqual([true, true]);
  expect(await stop()).toBe(0);
  expect(await Promise.all([url, reviewer].map(isServed))).toEqual([false, false]);
});

test('gateways that ran before are used, and go on when it ends', async () => {
  const home = newHome();
  const first = await startDemo(home);
  const second = await startDemo(home);
  expect(second).toMatchObject({ url: first.url, reviewer: first.reviewer });
  expect(second.said).toContain('"demo" and "reviewer" ran already and will go on.');
  expect(await second.stop()).toBe(0);
  expect(await isServed(first.url)).toBe(true);
  expect(await first.stop()).toBe(0);
});

test('an agent of an older start, which has no mailbox, is replaced; its files stay', async () => {
  const home = newHome();
  const host = hostIn(home);
  mkdirSync(join(home, 'workspace'));
  const old = await createSession(
    {
      ...{ tool: 'claude', name: 'demo', role: null, roleName: 'default', model: null },
      ...{ reasoningLevel: null, workingDirectory: join(home, 'workspace'), homePath: join(home, 'standin') },
      ...{ executable: standinProgram, environment: { PATH: process.env.PATH ?? '', HOME: home } },
      ...{ toolArguments: [], unattended: false, tmux: false, terminal: false, hooks: false },
      ...{ mailbox: null, turnTimeLimitSeconds: null, startup: { kind: 'none' } },
    },
    host,
  );
  const wish = { host: '127.0.0.1', mode: 'detached_process', diagnosticLog: null, flags: [] } as const;
  const before = await attachGateway(old, { ...wish, port: 0 }, host);
  const { url, said, stop } = await startDemo(home);
  expect(said).toContain(`Its files stay in ${old.root}.`);
  expect(existsSync(old.queue)).toBe(true);
  expect(await isServed(before.url)).toBe(false);
  expect((await call(url, 'GET', '/v1/mail/status')).body.address).toBe('demo@houmao.localhost');
  expect(await stop()).toBe(0);
});
