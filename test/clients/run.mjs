// `npm run test:clients [-- python go java]`: clients for other languages, by the generator of `npm run generate`. Each
// is generated, compiled, and calls a live program of each surface with the stand-in agent.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requireGenerator } from '../../scripts/tools/openapi-generator.mjs';
import { requirePrograms } from '../../scripts/tools/run-command.mjs';
import { liveSurfaces } from '../support/live-surface.mjs';
import { generateClient } from './language.mjs';
import { go } from './languages/go.mjs';
import { java } from './languages/java.mjs';
import { python } from './languages/python.mjs';

process.chdir(resolve(dirname(fileURLToPath(import.meta.url)), '../..'));
const say = (line) => console.log(`clients: ${line}`);
const languages = [python, go, java];
/** The checks of every caller; one that falls silent has failed. */
const checks = {
  gateway: [
    'a prompt is accepted',
    'its record is completed and has the answer',
    'its end is among the events, distinguished by kind',
    'an event of a kind that it does not know is passed over',
    'an unknown request is a typed 404',
    'a broken rule is a typed 422',
    'a reminder is created',
    'the reminder is deleted',
  ],
  'managed-agent': [
    'the agents are listed',
    'its detail is distinguished by transport',
    'a turn runs once, and its record has the answer',
    'what the agent wrote is read as text',
    'an unknown agent is a typed 404',
  ],
};
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

async function call(language, caller, surface, url) {
  const output = await new Promise((resolve) => {
    const options = { env: { ...process.env, ...caller.environment }, timeout: 120_000 };
    execFile(caller.command, [...caller.args, url], options, (_error, stdout, stderr) =>
      resolve(`${stdout}${stderr}`),
    );
  });
  const lines = output.split('\n');
  for (const name of checks[surface])
    count(language, name, lines.includes(`ok ${name}`) ? null : (troubleOf(lines, name) ?? output));
}

const troubleOf = (lines, name) =>
  lines.find((line) => line.startsWith(`failed ${name}: `))?.slice(`failed ${name}: `.length);

async function main(chosen) {
  requirePrograms([...new Set(chosen.flatMap((language) => language.programs))]);
  requireGenerator(say);
  const work = mkdtempSync(join(tmpdir(), 'houmao-clients-'));
  try {
    for (const surface of Object.keys(checks)) await callAll(chosen, surface, work);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function callAll(chosen, surface, work) {
  say(surface);
  const live = await liveSurfaces[surface]('clients');
  try {
    for (const language of chosen) await tryOut(language, surface, work, live.url);
  } finally {
    await live.end();
  }
}

async function tryOut(language, surface, work, url) {
  const client = step(language, 'the client is generated', () => generateClient(language, surface, work));
  const caller =
    client && step(language, 'the client compiles', () => language.compile(client, surface, say));
  if (caller) await call(language, caller, surface, url);
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
