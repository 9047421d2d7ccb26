import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { Part } from '../../contract/support/bundle.js';
import { call } from '../../support/http.js';
import { startTalking, type TalkingProgram } from '../../support/talking-program.js';

// The demo that `npm start` runs once everything is built.

const program = fileURLToPath(new URL('../../../dist/programs/demo.js', import.meta.url));

export function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'hd-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  return home;
}

/** With a tmux server below its own folder: one that somebody else runs is left alone. */
export const demoEnvironment = (home: string): NodeJS.ProcessEnv => {
  const { TMUX: _, ...environment } = process.env;
  return { ...environment, TMUX_TMPDIR: home, HOUMAO_DEMO_HOME: home, HOUMAO_DEMO_PORT: '0' };
};

export const runDemo = (home: string, ...args: string[]): TalkingProgram =>
  startTalking(program, demoEnvironment(home), args);

/** On the ports that the documents name, where they are free. */
const runOnUsualPorts = (home: string): TalkingProgram => {
  const { HOUMAO_DEMO_PORT: _, ...environment } = demoEnvironment(home);
  return startTalking(program, environment, []);
};

/** @returns the demo once it serves, with the addresses of its server and the gateways of its two agents. */
export async function startDemo(home: string, ports: 'any' | 'usual' = 'any') {
  const demo = ports === 'any' ? runDemo(home) : runOnUsualPorts(home);
  const said = await demo.saying(/Ctrl-C stops .*\n/);
  const addressOf = (words: RegExp): string =>
    new RegExp(`${words.source} +(http://127\\.0\\.0\\.1:\\d+)`).exec(said)?.[1] ?? '';
  const [server, url, reviewer] = [/Begin here/, /"demo", headless/, /"reviewer", a terminal/].map(addressOf);
  /** As Ctrl-C does. @returns its exit code. */
  const stop = async (): Promise<number | null> => {
    demo.child.kill('SIGINT');
    return demo.ended;
  };
  return { server: server ?? '', url: url ?? '', reviewer: reviewer ?? '', said, stop, output: demo.output };
}

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
          operationId,
          method: method.toUpperCase(),
          path,
          bodies: media ? bodies : [undefined],
          answer: responses['200'].content['application/json'].example,
        };
      }),
    );
}
