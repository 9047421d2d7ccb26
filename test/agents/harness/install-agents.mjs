// Installs the pinned real CLIs of the agents tier outside the project tree and says where their executables are.
//
//   node test/agents/harness/install-agents.mjs      prints progress, then the paths as JSON
//   import { installAgents } from './install-agents.mjs'
//
// Each CLI has a prefix of its own, named by tool and version: a new pin never touches an old one. The prefix is
// made under a temporary name and renamed when complete, so an interrupted or a parallel install leaves nothing
// half done under the final name. Install scripts never run: the native binaries come as packages.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, constants, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** @typedef {'claude' | 'codex' | 'gemini'} Tool */
/** @typedef {Record<Tool, string>} AgentPaths */

/** @type {Record<Tool, { name: string, version: string }>} */
export const AGENTS = {
  claude: { name: '@anthropic-ai/claude-code', version: '2.1.330' },
  codex: { name: '@openai/codex', version: '0.169.0' },
  gemini: { name: '@google/gemini-cli', version: '0.61.0' },
};

const STAMP = '.installed.json';

/** Where the CLIs are installed by default. */
export function defaultAgentsDir() {
  if (process.env.HOUMAO_AGENTS_DIR) return path.resolve(process.env.HOUMAO_AGENTS_DIR);
  const cache = process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache');
  const key = JSON.stringify([AGENTS, process.platform, process.arch]);
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 12);
  return path.join(cache, 'houmao-agents', hash);
}

/**
 * Installs what is missing and returns the executables.
 * @param {{ dir?: string, log?: (line: string) => void }} [options]
 * @returns {Promise<{ dir: string, paths: AgentPaths }>}
 */
export async function installAgents({ dir = defaultAgentsDir(), log = console.log } = {}) {
  await mkdir(dir, { recursive: true });
  const tools = /** @type {Tool[]} */ (Object.keys(AGENTS));
  const found = await Promise.all(tools.map((tool) => installOne(dir, tool, log)));
  const paths = /** @type {AgentPaths} */ (Object.fromEntries(tools.map((tool, i) => [tool, found[i]])));
  return { dir, paths };
}

/** @param {string} dir @param {Tool} tool @param {(line: string) => void} log */
async function installOne(dir, tool, log) {
  const { name, version } = AGENTS[tool];
  const prefix = path.join(dir, `${tool}-${version}`);
  const wanted = `${name}@${version}`;
  if ((await stampOf(prefix)) === wanted) {
    log(`agents: ${tool} ${version} is there`);
    return executableOf(prefix, tool);
  }
  const started = Date.now();
  const partial = `${prefix}.partial-${process.pid}`;
  log(`agents: installing ${tool} ${version} ...`);
  try {
    await rm(partial, { recursive: true, force: true });
    await mkdir(partial, { recursive: true });
    await npmInstall(partial, wanted);
    await executableOf(partial, tool);
    await writeFile(path.join(partial, STAMP), `${JSON.stringify({ package: wanted })}\n`);
    await publish(partial, prefix, wanted);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  log(`agents: ${tool} ${version} installed in ${((Date.now() - started) / 1000).toFixed(1)} s`);
  return executableOf(prefix, tool);
}

/** Gives the finished prefix its name; a parallel run that was faster has made the same thing. */
async function publish(partial, prefix, wanted) {
  try {
    await rename(partial, prefix);
  } catch (error) {
    if ((await stampOf(prefix)) !== wanted) throw error;
  }
}

/** @param {string} prefix */
async function stampOf(prefix) {
  try {
    return JSON.parse(await readFile(path.join(prefix, STAMP), 'utf8')).package;
  } catch {
    return undefined;
  }
}

/**
 * The engine check is off because claude's package asks for a newer Node for its wrapper only, and the wrapper is
 * not used. Optional packages are asked for by name of the option: the native binaries are optional dependencies.
 */
function npmInstall(prefix, wanted) {
  const args = ['install', '--ignore-scripts', '--no-save', '--no-package-lock', '--no-audit', '--no-fund'];
  args.push('--loglevel=error', '--engine-strict=false', '--include=optional', '--prefix', prefix, wanted);
  return new Promise((resolve, reject) => {
    const child = spawn('npm', args, { cwd: prefix, stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr = (stderr + text).slice(-4000);
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(undefined);
      else reject(new Error(`npm install ${wanted} ended with ${code}:\n${stderr.trim()}`));
    });
  });
}

/** @param {string} prefix @param {Tool} tool */
async function executableOf(prefix, tool) {
  const modules = path.join(prefix, 'node_modules');
  const finders = { claude: claudeBinary, codex: codexBinary, gemini: geminiEntry };
  const file = await finders[tool](modules);
  await access(file, constants.X_OK);
  return file;
}

async function claudeBinary(modules) {
  const musl = isMusl() ? '-musl' : '';
  return path.join(modules, `@anthropic-ai/claude-code-${process.platform}-${process.arch}${musl}`, 'claude');
}

async function codexBinary(modules) {
  const vendor = path.join(modules, `@openai/codex-${process.platform}-${process.arch}`, 'vendor');
  const [triple] = await readdir(vendor);
  return path.join(vendor, String(triple), 'bin', 'codex');
}

/** The JS entry under its own name; its `#!/usr/bin/env node` finds the Node that is first in PATH. */
async function geminiEntry(modules) {
  return path.join(modules, '.bin', 'gemini');
}

function isMusl() {
  return process.platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime;
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { paths } = await installAgents();
  console.log(JSON.stringify(paths, null, 2));
}
