import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect } from 'vitest';
import { takenPrompts } from '../e2e/recovery/evidence.js';
import { manage, managerEnvironment, type Ran } from '../support/manager.js';
import { ownTmux } from '../support/own-tmux.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { standinProgram } from '../support/test-session.js';

/** One host on which both implementations manage agents: the same registry, runtime root and tmux server. */
export function olderStage() {
  const folder = temporaryFolder();
  const bin = join(folder, 'bin');
  const work = join(folder, 'work');
  const ledger = join(folder, 'ledger');
  for (const path of [bin, work]) mkdirSync(path);
  writeStandin(bin, ledger);
  // The older implementation starts a tool by a login shell, whose PATH is that of this file.
  writeFileSync(join(folder, '.profile'), `PATH='${bin}':$PATH\n`);
  const { PATH = '', ...own } = managerEnvironment(folder);
  const host = { PATH: [bin, PATH].join(delimiter), HOME: folder };
  const window = ownTmux(host);
  const environment: NodeJS.ProcessEnv = { ...own, ...window.tmux.environment, ...host };
  const ours = (...args: string[]): Promise<Ran> => manage(environment, ['agents', ...args]);
  const older = (...args: string[]): Promise<Ran> =>
    new Promise((resolve) => {
      const program = join(process.env.HOUMAO_OLDER_PROGRAMS ?? '', 'houmao-mgr');
      const options = { env: environment, cwd: folder };
      execFile(program, ['--print-json', ...args], options, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
      );
    });
  const answerOf = async (args: readonly string[], ran: Promise<Ran>) => {
    const { code, stdout, stderr } = await ran;
    expect([args, code, code === 0 ? '' : stderr]).toEqual([args, 0, '']);
    return JSON.parse(stdout);
  };
  return {
    folder,
    work,
    window,
    /** `houmao-mgr agents` of this release. */
    ours,
    /** Its answer; it must succeed. */
    reported: (...args: string[]) => answerOf(args, ours(...args, '--json')),
    /** `houmao-mgr` of the older implementation. */
    older,
    /** Its answer; it must succeed. */
    olderReported: (...args: string[]) => answerOf(args, older(...args)),
    /** The prompts that the agents of the folder took, in their order. */
    taken: () => takenPrompts(ledger),
    sessions: () => window.run('list-sessions', '-F', '#{session_name}').split('\n'),
    /** The implementation that runs the gateway of a session. */
    gatewayOf(root: string): 'ours' | 'older' {
      const pid = readFileSync(join(root, 'gateway/run/gateway.pid'), 'utf8').trim();
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('python') ? 'older' : 'ours';
    },
  };
}

/**
 * The stand-in as `claude`: the older implementation knows a tool by the name of its process. It takes no variable of ours for an
 * agent, so the script has it.
 */
function writeStandin(bin: string, ledger: string): void {
  const node = join(bin, 'as-process');
  mkdirSync(node);
  symlinkSync(realpathSync(process.execPath), join(node, 'claude'));
  const script = `#!/bin/sh\nHOUMAO_STANDIN_LEDGER='${ledger}' exec '${join(node, 'claude')}' '${standinProgram}' "$@"\n`;
  writeFileSync(join(bin, 'claude'), script, { mode: 0o755 });
}
