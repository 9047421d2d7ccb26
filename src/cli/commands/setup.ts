import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { installFailure, installProgress, npmEnvironment, stillEverySeconds } from '#install-progress';
import {
  findSqlite,
  needsCompiledSqlite,
  ownSqliteFolder,
  requireSqlite,
} from '../../foundation/open-database.js';
import { findProgram } from '../../foundation/programs.js';
import { compiledSqlite, version } from '../../foundation/version.js';
import { CommandFailure } from '../words/command-failure.js';
import type { Output } from '../words/terminal-output.js';

/** `setup`: makes SQLite ready for this Node, and says where it is. */
export async function setUp(environment: NodeJS.ProcessEnv, output: Output): Promise<void> {
  await readySqlite(environment, output);
  const folder = requireSqlite();
  output.result({ version, node: process.versions.node, sqlite: folder }, [
    `Houmao ${version} is ready on Node ${process.versions.node}; SQLite: ${folder}`,
  ]);
}

/**
 * Compiles SQLite where this Node has no ready-made one and it was not compiled before, and says so first: it takes minutes.
 *
 * @throws {CommandFailure} with the reason, the remedy and the path of everything that npm printed
 */
export async function readySqlite(environment: NodeJS.ProcessEnv, output: Output): Promise<void> {
  if (findSqlite() !== null || !needsCompiledSqlite(process.versions.node)) return;
  const npm = findProgram('npm', environment.PATH ?? '', process.cwd());
  if (npm === null)
    throw new CommandFailure(
      `SQLite is not compiled for Node ${process.versions.node}, and npm, which compiles it, was not found in PATH.`,
      1,
      {
        errorCode: 'sqlite_missing',
        hint: 'Add npm to PATH, or use Node 22.14 or newer, which needs no compiling.',
      },
    );
  output.progress(
    `SQLite is compiled for Node ${process.versions.node}, once: it takes one to five minutes and needs a C++ compiler (Node 22.14 and newer need neither)`,
  );
  await compileInto(ownSqliteFolder(), npm, environment, output);
}

/** Compiles in a folder beside `target` and renames it: a folder of that name is whole, however many commands do this at once. */
async function compileInto(
  target: string,
  npm: string,
  environment: NodeJS.ProcessEnv,
  output: Output,
): Promise<void> {
  mkdirSync(dirname(target), { recursive: true });
  const work = mkdtempSync(`${target}.`);
  try {
    const description = {
      private: true,
      dependencies: { 'better-sqlite3': compiledSqlite },
      allowScripts: { 'better-sqlite3': true },
    };
    writeFileSync(join(work, 'package.json'), JSON.stringify(description));
    const { code, log } = await runNpm(npm, work, environment, output);
    if (code !== 0) {
      const file = `${target}.log`;
      writeFileSync(file, log);
      throw new CommandFailure(installFailure(log, file), 1, { errorCode: 'sqlite_missing' });
    }
    rmSync(target, { recursive: true, force: true });
    renameSync(work, target);
    rmSync(`${target}.log`, { force: true });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Runs npm with the Node that runs this program. The flags outweigh those of an npm or npx that called this program. */
async function runNpm(
  npm: string,
  folder: string,
  environment: NodeJS.ProcessEnv,
  output: Output,
): Promise<{ code: number | null; log: string }> {
  const began = performance.now();
  const { heard, still } = installProgress((line) => output.progress(line));
  const seconds = () => Math.round((performance.now() - began) / 1000);
  const timer = setInterval(() => still(seconds()), stillEverySeconds * 1000);
  const flags = [
    '--foreground-scripts',
    '--ignore-scripts=false',
    '--dry-run=false',
    '--no-audit',
    '--no-fund',
  ];
  const child = spawn(npm, ['install', '--prefix', folder, '--global=false', ...flags], {
    cwd: folder,
    env: {
      ...npmEnvironment(environment, process.execPath),
      PATH: [dirname(process.execPath), environment.PATH].join(delimiter),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  try {
    return await outputOf(child, heard);
  } finally {
    clearInterval(timer);
  }
}

async function outputOf(
  child: ChildProcess,
  heard: (text: string) => void,
): Promise<{ code: number | null; log: string }> {
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      log += text;
      heard(text);
    });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, log };
}
