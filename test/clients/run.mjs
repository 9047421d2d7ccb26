// `npm run test:clients [-- python go java]`: clients for other languages, by the generator of `npm run generate`. Each
// is generated, compiled, and calls a live gateway with the stand-in agent.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requireGenerator } from '../../scripts/tools/openapi-generator.mjs';
import { requirePrograms } from '../../scripts/tools/run-command.mjs';
import { launchGateway } from '../torture/gateway.mjs';
import { makeSession } from '../torture/session.mjs';
import { generateClient } from './language.mjs';
import { go } from './languages/go.mjs';
import { java } from './languages/java.mjs';
import { python } from './languages/python.mjs';

process.chdir(resolve(dirname(fileURLToPath(import.meta.url)), '../..'));
const say = (line) => console.log(`clients: ${line}`);
const languages = [python, go, java];
/** What every caller checks; one that falls silent has failed. */
const checks = [
  'a prompt is accepted',
  'its record is completed and has the answer',
  'its end is among the events, told apart by kind',
  'an event of a kind that it does not know is passed over',
  'an unknown request is a typed 404',
  'a broken rule is a typed 422',
  'a reminder is created',
  'the reminder is deleted',
];
const counts = { passed: 0, failed: 0 };

function count(language, name, trouble) {
  if (trouble === null) counts.passed += 1;
  else counts.failed += 1;
  say(`${language.name}: ${name}: ${trouble === null ? 'ok' : `FAILED\n${trouble}`}`);
}

/** @returns what the step gave, or null when it failed. */
function step(language, name, work) {
  try {
    const made = work();
    count(language, name, null);
    return made;
  } catch (error) {
    count(language, name, error.message);
    return null;
  }
}

async function call(language, caller, url) {
  const output = await new Promise((resolve) => {
    const options = { env: { ...process.env, ...caller.environment }, timeout: 120_000 };
    execFile(caller.command, [...caller.args, url], options, (_error, stdout, stderr) =>
      resolve(`${stdout}${stderr}`),
    );
  });
  const lines = output.split('\n');
  for (const name of checks)
    count(language, name, lines.includes(`ok ${name}`) ? null : (troubleOf(lines, name) ?? output));
}

const troubleOf = (lines, name) =>
  lines.find((line) => line.startsWith(`failed ${name}: `))?.slice(`failed ${name}: `.length);

async function main(chosen) {
  requirePrograms([...new Set(chosen.flatMap((language) => language.programs))]);
  requireGenerator(say);
  const session = await makeSession('clients');
  const work = mkdtempSync(join(tmpdir(), 'houmao-clients-'));
  const gateway = launchGateway(session);
  try {
    const url = await gateway.ready;
    if (url === null) throw new Error(`the gateway did not start: ${gateway.stderr()}`);
    try {
      for (const language of chosen) await tryOut(language, work, url);
    } finally {
      await gateway.end('clean');
    }
  } finally {
    session.remove();
    rmSync(work, { recursive: true, force: true });
  }
}

async function tryOut(language, work, url) {
  const client = step(language, 'the client is generated', () => generateClient(language, work));
  const caller = client && step(language, 'the client compiles', () => language.compile(client, say));
  if (caller) await call(language, caller, url);
}

function choose(names) {
  const unknown = names.find((name) => !languages.some((language) => language.name === name));
  if (unknown !== undefined)
    throw new Error(
      `there is no ${unknown} here, only ${languages.map((language) => language.name).join(', ')}`,
    );
  return names.length === 0 ? languages : languages.filter((language) => names.includes(language.name));
}

try {
  await main(choose(process.argv.slice(2)));
} catch (error) {
  counts.failed += 1;
  console.error(`clients: ${error.message}`);
}
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 ? 0 : 1;
