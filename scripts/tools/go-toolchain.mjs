import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './run-command.mjs';

/** The oldest Go that compiles everything here; oasdiff asks for it. */
const wanted = '1.26.0';

/**
 * Go as the scripts need it. An older one fetches the newer from Go's module proxy, checked against Go's checksum
 * database: from 1.21 on it knows how, and before that (Debian 12 has 1.19) we take the module apart ourselves.
 * @returns the command to run and the environment to run it in
 * @throws Error when there is no Go at all.
 */
export function goToolchain(say) {
  const version = runCommand('go', ['env', 'GOVERSION']).trim().slice('go'.length);
  if (atLeast(version, wanted)) return { command: 'go', environment: process.env };
  say(`Go ${version} is too old; fetching ${wanted}`);
  if (atLeast(version, '1.21')) {
    return { command: 'go', environment: { ...process.env, GOTOOLCHAIN: `go${wanted}+auto` } };
  }
  return { command: fetchToolchain(), environment: { ...process.env, GOTOOLCHAIN: 'local' } };
}

function fetchToolchain() {
  const [system, machine] = runCommand('go', ['env', 'GOOS', 'GOARCH']).trim().split('\n');
  const module = `golang.org/toolchain@v0.0.1-go${wanted}.${system}-${machine}`;
  const root = JSON.parse(runCommand('go', ['mod', 'download', '-json', module])).Dir;
  // Modules hold no permissions.
  for (const folder of ['bin', join('pkg', 'tool', `${system}_${machine}`)])
    for (const name of readdirSync(join(root, folder))) chmodSync(join(root, folder, name), 0o555);
  return join(root, 'bin', 'go');
}

function atLeast(version, least) {
  const [have, need] = [version, least].map((text) => text.split(/[.a-z]+/).map(Number));
  for (const [place, number] of need.entries()) {
    const own = have[place] ?? 0;
    if (own !== number) return own > number;
  }
  return true;
}
