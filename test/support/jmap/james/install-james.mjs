import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requirePrograms, runCommand } from '../../../../scripts/tools/run-command.mjs';

const pom = join(dirname(fileURLToPath(import.meta.url)), 'pom.xml');

/**
 * Fetches Apache James with Maven, once for each state of its pom.xml, into the user's cache or `HOUMAO_MAIL_SERVERS_DIR`. It gets
 * its final name when it is complete: one that was interrupted leaves nothing half done under it.
 * @returns the folder with its jars
 * @throws Error that names what to install, when Java or Maven is absent.
 */
export function installJames(say) {
  requirePrograms(['java']);
  const folder = join(
    cache(),
    `james-${createHash('sha256').update(readFileSync(pom)).digest('hex').slice(0, 12)}`,
  );
  if (existsSync(folder)) return folder;
  requirePrograms(['mvn']);
  say('fetching Apache James (about 120 MB)');
  const partial = `${folder}.partial-${process.pid}`;
  mkdirSync(partial, { recursive: true });
  try {
    const goal = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${partial}`];
    runCommand('mvn', ['--quiet', '--batch-mode', '--file', pom, ...goal]);
    // A run beside this one may have been faster, and made the same.
    if (!existsSync(folder)) renameSync(partial, folder);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
  return folder;
}

function cache() {
  const { HOUMAO_MAIL_SERVERS_DIR: own, XDG_CACHE_HOME: caches } = process.env;
  return own ? resolve(own) : join(caches || join(homedir(), '.cache'), 'houmao-mail-servers');
}
