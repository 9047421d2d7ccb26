import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { type Answer, compareAnswers } from '../../../scripts/gate/answered-statuses.mjs';
import { answerRules } from './answer-rules.js';

/**
 * Compares the answers that the documents promise with those of gateways and servers in the contract tests. A program
 * that starts a run of all contract tests asks for it (`HOUMAO_TEST_STATUSES=check`): some of them provoke only some of it.
 */
export default function setup({ provide }: TestProject): (() => void) | undefined {
  if (process.env.HOUMAO_TEST_STATUSES !== 'check') {
    provide('answersFolder', null);
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), 'answers-'));
  provide('answersFolder', folder);
  return () => {
    const answers = answersIn(folder);
    rmSync(folder, { recursive: true });
    const { promises, findings } = compareAnswers(documents(), answers, answerRules);
    const { elsewhere } = answerRules;
    const gone = elsewhere.filter(({ test }) => !existsSync(test)).map(({ test }) => `there is no ${test}`);
    const all = [...findings, ...gone];
    console.log(
      `statuses: ${promises} promised, ${elsewhere.length} of them held elsewhere, ${answers.length} answers`,
    );
    if (all.length === 0) return;
    process.exitCode = 1;
    console.error(`\nThe documents and the answers differ:\n${all.map((each) => `  ${each}`).join('\n')}`);
  };
}

const answersIn = (folder: string): Answer[] =>
  readdirSync(folder).flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Answer),
  );

const documents = () =>
  Object.fromEntries(
    readdirSync('generated').map((name) => [
      name,
      JSON.parse(readFileSync(`generated/${name}/openapi.json`, 'utf8')),
    ]),
  );
