import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { runBin, runCommand } from './run-command.mjs';

/** Runs openapi-generator from the project's root. */
export const runGenerator = (...args) => runCommand('java', ['-jar', pinned().jar, 'generate', ...args]);

/** @throws Error when there is no Java, or the jar cannot be had as it is pinned. */
export function requireGenerator(say) {
  requireJava();
  requireJar(say);
}

/** The version that openapitools.json pins. */
export const generatorVersion = () =>
  JSON.parse(readFileSync('openapitools.json', 'utf8'))['generator-cli'].version;

function requireJava() {
  const java = spawnSync('java', ['-version'], { encoding: 'utf8' });
  if (java.status === 0) return;
  throw new Error(
    'Java is absent: generation needs Java 11 or newer (Debian: apt-get install default-jre-headless).',
  );
}

function pinned() {
  const [digest, jar] = readFileSync('scripts/openapi-generator.sha256', 'utf8').trim().split(/\s+/);
  return { digest, jar };
}

/** The npm wrapper fetches the jar that openapitools.json names and checks nothing: the digest is pinned here. */
function requireJar(say) {
  const { digest, jar } = pinned();
  if (!existsSync(jar)) {
    say(`fetching ${jar}`);
    runBin('openapi-generator-cli', 'version');
  }
  const actual = createHash('sha256').update(readFileSync(jar)).digest('hex');
  if (actual === digest) return;
  rmSync(jar);
  throw new Error(`${jar}: SHA-256 is ${actual}, expected ${digest}; removed it, run again`);
}
