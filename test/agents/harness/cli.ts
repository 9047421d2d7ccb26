import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type AgentTool, agentPath } from './agent-paths.js';
import { makeHome, type ToolHome } from './homes.js';

export type Row = Readonly<Record<string, unknown>>;

export interface CliResult {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The lines of stdout that are JSON objects. */
  readonly rows: readonly Row[];
  readonly durationMs: number;
}

export interface CliRun {
  readonly child: ChildProcess;
  /** To the process group, as the gateway does it: gemini's outer process ignores a signal of its own. */
  signal(signal: NodeJS.Signals): void;
  readonly result: Promise<CliResult>;
}

/** One CLI with a fresh home and a fresh working directory. */
export interface Bench {
  readonly tool: AgentTool;
  readonly home: ToolHome;
  readonly workingDirectory: string;
  start(args: readonly string[], prompt: string, env?: Readonly<Record<string, string>>): Promise<CliRun>;
  run(args: readonly string[], prompt: string, env?: Readonly<Record<string, string>>): Promise<CliResult>;
}

export async function makeBench(tool: AgentTool, modelUrl: string): Promise<Bench> {
  const root = await mkdtemp(path.join(os.homedir(), `${tool}-`));
  const workingDirectory = await mkdtemp(path.join(root, 'work-'));
  const home = await makeHome(tool, { root, modelUrl, workingDirectory });
  const start: Bench['start'] = (args, prompt, env = {}) =>
    startCli({
      tool,
      args,
      prompt,
      cwd: workingDirectory,
      scratch: root,
      env: { ...cleanEnv(home), ...env },
    });
  return {
    tool,
    home,
    workingDirectory,
    start,
    run: async (args, prompt, env) => (await start(args, prompt, env)).result,
  };
}

/** The sandbox's own environment holds nothing of the caller's; only these go on to a CLI. */
function cleanEnv(home: ToolHome): Record<string, string> {
  const { PATH = '', HOME = '', LANG = '' } = process.env;
  return { PATH, HOME, LANG, TERM: 'tmux-256color', ...home.env, [home.variable]: home.home };
}

interface Start {
  readonly tool: AgentTool;
  readonly args: readonly string[];
  readonly prompt: string;
  readonly cwd: string;
  readonly scratch: string;
  readonly env: NodeJS.ProcessEnv;
}

/** As the gateway spawns a turn: the three standard streams are files, and the child leads a group of its own. */
async function startCli({ tool, args, prompt, cwd, scratch, env }: Start): Promise<CliRun> {
  const dir = await mkdtemp(path.join(scratch, 'turn-'));
  const [stdinFile, stdoutFile, stderrFile] = ['stdin', 'stdout', 'stderr'].map((name) =>
    path.join(dir, name),
  );
  await writeFile(stdinFile!, prompt);
  const files = await Promise.all([open(stdinFile!, 'r'), open(stdoutFile!, 'a'), open(stderrFile!, 'a')]);
  const started = performance.now();
  const stdio = files.map((file) => file.fd);
  const child = spawn(agentPath(tool), [...args], { cwd, env, detached: true, stdio });
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  await Promise.all(files.map((file) => file.close()));
  const collect = async (): Promise<CliResult> => {
    const [exitCode, signal] = await exited;
    const durationMs = Math.round(performance.now() - started);
    const [stdout, stderr] = await Promise.all([
      readFile(stdoutFile!, 'utf8'),
      readFile(stderrFile!, 'utf8'),
    ]);
    return { exitCode, signal, stdout, stderr, rows: rowsOf(stdout), durationMs };
  };
  return { child, signal: (signal) => process.kill(-child.pid!, signal), result: collect() };
}

function rowsOf(stdout: string): readonly Row[] {
  return stdout.split('\n').flatMap((line) => {
    if (!line.startsWith('{')) return [];
    return [JSON.parse(line) as Row];
  });
}
