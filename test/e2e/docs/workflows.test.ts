import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { launchBody, prepare } from '../../support/brain.js';
import { startGateway } from '../../support/gateway-process.js';
import { call } from '../../support/http.js';
import { managedHost, type ServerProcess, startManagedServer } from '../../support/managed-server.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { makeSession, type TestSession } from '../../support/test-session.js';

// The workflows as a reader has them: fetched from a surface, saved anywhere, and run against that surface.

const folder = temporaryFolder();
const tmux = ownTmux();
const { requested } = prepare(folder);
const surfaces: Record<string, Pick<ServerProcess, 'url' | 'stop'>> = {};
let session: TestSession;
beforeAll(async () => {
  session = await makeSession({
    mailbox: { root: join(folder, 'mailbox'), address: null, principalId: null },
    environment: { PATH: process.env.PATH ?? '', HOME: folder, HOUMAO_STANDIN_MAIL: '1' },
  });
  surfaces.gateway = await startGateway(session);
  surfaces.server = await startManagedServer(managedHost(folder, tmux), folder);
});
afterAll(async () => {
  for (const surface of Object.values(surfaces)) expect(await surface.stop()).toBe(0);
  session.remove();
});

const served = async (surface: string, name: string): Promise<string> =>
  (await fetch(`${surfaces[surface]!.url}/openapi/workflows/${name}.yaml`)).text();

interface Step {
  readonly stepId: string;
  readonly checks: readonly {
    readonly name: string;
    readonly passed: boolean;
    readonly condition?: string;
  }[];
}

let runs = 0;
/** Runs a workflow. @returns the exit code of `redocly respect`, and the steps that were run, each as its last attempt went. */
async function respect(text: string, inputs: object = {}): Promise<{ code: number; steps: Step[] }> {
  runs += 1;
  const [file, report] = [`workflow-${runs}.yaml`, `report-${runs}.json`];
  writeFileSync(join(folder, file), text);
  const given = ['--input', JSON.stringify(inputs)];
  const child = spawn(resolve('node_modules/.bin/redocly'), ['respect', file, '-J', report, ...given], {
    cwd: folder,
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    stdio: 'ignore',
  });
  const [code] = (await once(child, 'close')) as [number];
  const { files } = JSON.parse(readFileSync(join(folder, report), 'utf8'));
  const [{ executedWorkflows }] = Object.values(files) as [
    { executedWorkflows: { executedSteps: Step[] }[] },
  ];
  const attempts = executedWorkflows.flatMap(({ executedSteps }) => executedSteps);
  return { code, steps: [...new Map(attempts.map((step) => [step.stepId, step])).values()] };
}

/** Returns the checks of a step that did not hold: the conditions of the workflow, the others by name. */
const failedIn = ({ checks }: Pick<Step, 'checks'>): string[] =>
  checks.filter(({ passed }) => !passed).map(({ name, condition }) => condition ?? name);

test.each([
  ['prompt-and-wait', 'gateway', {}],
  ['queue-and-cancel', 'gateway', {}],
  ['interrupt-aimed', 'gateway', {}],
  ['mail-that-wakes', 'gateway', {}],
  ['launch-to-stop', 'server', launchBody(requested)],
])(
  'the workflow %s runs as a surface serves it, and each of its checks holds',
  async (name, surface, inputs) => {
    const text = await served(surface, name);
    const written = parse(text).workflows[0].steps.map(
      (step: { stepId: string; successCriteria: unknown[] }) => ({
        stepId: step.stepId,
        criteria: step.successCriteria.length,
        failed: [],
      }),
    );
    const { code, steps } = await respect(text, inputs);
    expect(
      steps.map((step) => ({
        stepId: step.stepId,
        criteria: step.checks.filter((check) => check.name === 'success criteria check').length,
        failed: failedIn(step),
      })),
    ).toEqual(written);
    expect(code).toBe(0);
  },
);

test('a workflow ends at the step at which the agent fails', async () => {
  const { code, steps } = await respect(await served('gateway', 'prompt-and-wait'), {
    prompt: '[[exit=7]] no',
  });
  expect(code).toBe(1);
  expect(steps.map((step) => [step.stepId, failedIn(step).length > 0])).toEqual([
    ['queue', false],
    ['wait', true],
  ]);
  expect(failedIn(steps[1]!)).toContain("$response.body#/state == 'completed'");
});

test('redocly closes what a then leaves open: components/mail-notifier.yaml says that it is open', async () => {
  const { body: contract } = await call(surfaces.gateway!.url, 'GET', '/openapi.json');
  delete contract.components.schemas.NotifierStatus.then.additionalProperties;
  writeFileSync(join(folder, 'contract.json'), JSON.stringify(contract));
  const text = await served('gateway', 'mail-that-wakes');
  const { code, steps } = await respect(text.replace(/\burl: .*/, 'url: contract.json'));
  expect([code, steps.map(({ stepId }) => stepId)]).toEqual([1, ['switchOn']]);
});
