import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { nodeEnvironment } from '../../scripts/tools/node-environment.mjs';
import { fileOf, type Release, unpackRelease } from '../support/earlier-releases.js';

const programs = resolve('test/releases/programs');
/** All that an SDK is built of. */
const sources = ['sdk', 'generated', 'tsconfig.base.json', 'LICENSE'];
/** The packages of the project that build it, as the release pins them. */
const builders = ['typescript', '@types/node', 'rolldown'];
/** The steps that come before and after the compiler; a release has some of them. */
const before = ['sdk/scripts/copy-contract.mjs'];
const after = ['sdk/scripts/bundle-undici.mjs'];

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/**
 * Builds the SDK of a release, with nothing else of it and with the packages that it pins, and compiles the programs with it.
 *
 * @returns the folder of the compiled programs; the SDK is built once for each commit and Node
 * @throws Error with what the compiler says, when a program does not fit that SDK
 */
export function programsWithSdkOf(release: Release): string {
  const folder = dirname(nodeEnvironment(`sdk-${release.commit.slice(0, 12)}`, manifestOf(release)));
  const run = (...args: string[]) => {
    execFileSync(process.execPath, args, { cwd: folder, stdio: 'pipe', encoding: 'utf8' });
  };
  const compile = (project: string) => run('node_modules/typescript/bin/tsc', '-p', project);
  const stamp = join(folder, '.built');
  if (!existsSync(stamp)) {
    unpackRelease(release, folder, sources);
    const steps = (scripts: readonly string[]) =>
      scripts.filter((script) => existsSync(join(folder, script))).forEach((script) => void run(script));
    steps(before);
    compile('sdk');
    steps(after);
    mkdirSync(join(folder, 'node_modules/@houmao'), { recursive: true });
    symlinkSync('../../sdk', join(folder, 'node_modules/@houmao/sdk'));
    writeFileSync(stamp, '');
  }
  const target = join(folder, 'programs');
  cpSync(programs, target, { recursive: true });
  writeFileSync(join(target, 'tsconfig.json'), JSON.stringify(settings));
  compile('programs');
  return target;
}

function manifestOf(release: Release) {
  const [project, sdk] = ['package.json', 'sdk/package.json'].map(
    (path): Manifest => JSON.parse(fileOf(release, path)),
  );
  const pinned = { ...project?.dependencies, ...project?.devDependencies };
  const own = builders.flatMap((name) => (pinned[name] === undefined ? [] : [[name, pinned[name]]]));
  return {
    type: 'module',
    dependencies: { ...Object.fromEntries(own), ...sdk?.devDependencies, ...sdk?.dependencies },
  };
}

const settings = { extends: '../tsconfig.base.json', compilerOptions: { sourceMap: false }, include: ['.'] };
