import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { nodeEnvironment } from '../../scripts/tools/node-environment.mjs';

export type NodeMajor = '20' | '22' | '24';

/** The result of a command line, whatever its exit code. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A machine that has a Node, npm and tmux and nothing of Houmao: an own home, an own PATH, an own tmux server, empty folders. */
export interface Machine {
  readonly home: string;
  /** An empty folder, where the commands run. */
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Packs the project (its `prepack` builds it where needed) and installs it as users do: `npm i -g`. */
  install(tarball: string): Promise<void>;
  run(program: string, ...args: string[]): Promise<Ended>;
  /** `houmao-mgr <args> --json`; @returns its answer. @throws Error with all that it said, when it fails. */
  manage<Answer>(...args: string[]): Promise<Answer>;
  /** Stops every agent and server of this machine, and removes its folders. */
  remove(): Promise<void>;
}

/** The programs that agents, npm and tmux need, beside Node. No compiler is among them. */
const usual = [
  'sh',
  'bash',
  'env',
  'ls',
  'cat',
  'uname',
  'sed',
  'dirname',
  'readlink',
  'ps',
  'tmux',
  'getconf',
];

/** @param compilers whether the machine has everything that this one has, among it a compiler */
export function newMachine(major: NodeMajor, compilers = false): Machine {
  // Short: the path of a tmux socket has at most 107 characters.
  const root = mkdtempSync(join(tmpdir(), 'm-'));
  const [home, folder, programs, tmux] = ['home', 'empty', 'programs', 't'].map((name) => {
    mkdirSync(join(root, name));
    return join(root, name);
  }) as [string, string, string, string];
  const node = join(
    nodeEnvironment(`node-${major}`, {
      dependencies: { node: `npm:node-${process.platform}-${process.arch}@${major}` },
    }),
    'node',
    'bin',
  );
  symlinkSync(join(node, 'node'), join(programs, 'node'));
  for (const name of ['npm', 'npx', ...(compilers ? [] : usual)])
    symlinkSync(pathOf(name), join(programs, name));
  const prefix = join(home, 'installed');
  const environment: NodeJS.ProcessEnv = {
    ...Object.fromEntries(
      Object.entries(process.env).filter(
        ([name]) => !/^(npm_|HOUMAO_|TMUX|NODE_(ENV|OPTIONS|PATH)|VITEST|CLAUDE|CODEX|GEMINI)/i.test(name),
      ),
    ),
    HOME: home,
    SHELL: '/bin/sh',
    TMUX_TMPDIR: tmux,
    npm_config_prefix: prefix,
    ...(existsSync(join(homedir(), '.npmrc')) && { npm_config_userconfig: join(homedir(), '.npmrc') }),
    PATH: [join(prefix, 'bin'), programs, ...(compilers ? [node, process.env.PATH] : [])].join(delimiter),
  };
  const run = (program: string, ...args: string[]): Promise<Ended> =>
    new Promise((settle) => {
      execFile(program, args, { cwd: folder, env: environment }, (error, stdout, stderr) =>
        settle({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
      );
    });
  const must = async (program: string, ...args: string[]): Promise<Ended> => {
    const ended = await run(program, ...args);
    if (ended.code === 0) return ended;
    throw new Error(`${program} ${args.join(' ')}: ${ended.code}\n${ended.stdout}\n${ended.stderr}`);
  };
  const manage = async <Answer>(...args: string[]): Promise<Answer> =>
    JSON.parse((await must('houmao-mgr', ...args, '--json')).stdout) as Answer;
  return {
    home,
    folder,
    environment,
    run,
    manage,
    install: async (tarball) =>
      void (await must('npm', 'install', '--global', '--no-audit', '--no-fund', tarball)),
    remove: async () => {
      const { agents = [] } = await manage<{ agents?: { agent_name: string }[] }>('agents', 'list').catch(
        () => ({}) as never,
      );
      for (const { agent_name } of agents) await run('houmao-mgr', 'agents', 'stop', agent_name);
      await run('houmao-mgr', 'server', 'stop');
      await run('tmux', 'kill-server');
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The path of a program of this machine. */
const pathOf = (name: string): string =>
  execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();

/** Packs this project into a folder. @returns the tarball's path and its size in bytes */
export function packed(folder: string): { path: string; size: number; files: string[] } {
  const printed = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: resolve('.'),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [{ filename, size, files }] = JSON.parse(printed.slice(printed.indexOf('['))) as [
    { filename: string; size: number; files: { path: string }[] },
  ];
  return { path: join(folder, filename), size, files: files.map(({ path }) => path) };
}
