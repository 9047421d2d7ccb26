import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { Part } from '../../contract/support/bundle.js';
import { call } from '../../support/http.js';
import { startTalking, type TalkingProgram } from '../../support/talking-program.js';

// What `npm start` runs once everything is built.

const program = fileURLToPath(new URL('../../../dist/programs/demo.js', import.meta.url));

export function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'houmao-demo-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  return home;
}

export const runDemo = (home: string): TalkingProgram =>
  startTalking(program, { ...process.env, HOUMAO_DEMO_HOME: home, HOUMAO_DEMO_PORT: '0' });

/** @returns the demo once it serves, with the addresses of its two agents. */
export async function startDemo(home: string) {
  const demo = runDemo(home);
  const said = await demo.saying(/Ctrl-C stops .*\n/);
  const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
  const [, reviewer = ''] = /Another agent +(http:\/\/127\.0\.0\.1:\d+)/.exec(said) ?? [];
  /** As Ctrl-C does. @returns its exit code. */
  const stop = async (): Promise<number | null> => {
    demo.child.kill('SIGINT');
    return demo.ended;
  };
  return { url, reviewer, said, stop };
}

export const isServed = (url: string): Promise<boolean> =>
  fetch(`${url}/health`).then(
    () => true,
    () => false,
  );

/** An operation of the mailbox or its notifier. */
export interface Sample {
  operationId: string;
  method: string;
  path: string;
  /** All its samples, undefined where it takes none. */
  bodies: unknown[];
  /** The sample of its answer; undefined where it has several. */
  answer: unknown;
}

/** In the order of the page. */
export async function samplesAt(url: string): Promise<Sample[]> {
  const { body } = await call(url, 'GET', '/openapi.json');
  return Object.entries<Part>(body.paths)
    .filter(([path]) => path.startsWith('/v1/mail'))
    .flatMap(([path, item]) =>
      Object.entries<Part>(item).map(([method, { operationId, requestBody, responses }]) => {
        const media = requestBody?.content['application/json'];
        const named = Object.values<Part>(media?.examples ?? {}).map(({ value }) => value);
        const bodies = media?.example === undefined ? named : [media.example];
        return {
          ...{ operationId, method: method.toUpperCase(), path, bodies: media ? bodies : [undefined] },
          answer: responses['200'].content['application/json'].example,
        };
      }),
    );
}
