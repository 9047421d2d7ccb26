import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Somebody at a shell of a machine of its own, as far as its network and home go. */
export interface Newcomer {
  readonly home: string;
  /** Where the project is that the documents tell of. */
  readonly checkout: string;
  /** Everything that was shown so far. */
  output(): string;
  /** Types a command into the one shell. @returns its exit code and what it showed, errors included. */
  run(command: string): Promise<{ code: number; shown: string }>;
  /** Types a command into a shell of its own, and goes on when it has shown this. @throws Error when it ends before. */
  begin(command: string, until: RegExp): Promise<void>;
  /** Ctrl-C in each shell where a command still runs; waits for their ends. @returns their exit codes. */
  interrupt(): Promise<number[]>;
  leave(): Promise<void>;
}

/** The time that no command of a document needs, however busy the machine is. */
const commandMilliseconds = 120_000;
const mark = '--newcomer-done--';

/**
 * In this folder, with a network that has nothing but its own loopback, so that every address in a document is free; where `claude`
 * is the stand-in agent.
 */
export function newcomerIn(folder: string): Newcomer {
  const home = join(dirname(folder), 'home');
  const bin = join(home, 'bin');
  for (const path of [bin, join(home, 'project')]) mkdirSync(path, { recursive: true });
  symlinkSync(join(folder, 'dist/programs/standin-agent.js'), join(bin, 'claude'));
  // As `npm install --global` leaves it.
  symlinkSync(join(folder, 'dist/programs/houmao-mgr.js'), join(bin, 'houmao-mgr'));
  const env = {
    PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: home,
    TMUX_TMPDIR: home,
    TMPDIR: process.env.TMPDIR,
    LANG: 'C.UTF-8',
    NO_UPDATE_NOTIFIER: '1',
    NODE_DISABLE_COMPILE_CACHE: '1',
  };
  let output = '';
  const shell = spawn('unshare', ['--net', 'bash'], { cwd: folder, env, stdio: ['pipe', 'pipe', 'inherit'] });
  const looks = new Set<() => void>();
  const hear = (text: string): void => {
    output += text;
    for (const look of looks) look();
  };
  shell.stdout.setEncoding('utf8').on('data', hear);
  shell.stdin.write('exec 2>&1\nip link set lo up\n');
  const ended = once(shell, 'close');

  const heard = (after: number, pattern: RegExp, command: string): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const late = () => reject(new Error(`${command} goes on and on: ${output.slice(after)}`));
      const limit = setTimeout(late, commandMilliseconds);
      const look = (): void => {
        const found = pattern.exec(output.slice(after));
        if (!found) return;
        looks.delete(look);
        clearTimeout(limit);
        resolve(found);
      };
      looks.add(look);
      void ended.then(() => reject(new Error(`the shell has ended: ${output.slice(after)}`)));
      look();
    });
  const run: Newcomer['run'] = async (command) => {
    const after = output.length;
    // The shell's own input has the commands that follow.
    shell.stdin.write(`{ ${command}\n} </dev/null\nprintf '\\n%s %s\\n' '${mark}' "$?"\n`);
    const [, code] = await heard(after, new RegExp(`^${mark} (\\d+)\\n`, 'm'), command);
    const text = output.slice(after);
    return { code: Number(code), shown: text.slice(0, text.indexOf(mark)).trim() };
  };
  const begun: number[] = [];
  return {
    home,
    checkout: folder,
    output: () => output,
    run,
    begin: async (command, until) => {
      const after = output.length;
      // A session of its own is what another terminal would give it.
      shell.stdin.write(`setsid ${command.replace(/\s#.*$/, '')} & echo "begun $!"\n`);
      const [, pid] = await heard(after, /^begun (\d+)\n/m, command);
      begun.push(Number(pid));
      await heard(after, until, command);
    },
    interrupt: async () => {
      const codes: number[] = [];
      for (const pid of begun.splice(0)) {
        const { code, shown } = await run(`kill -INT -- -${pid}; wait ${pid}`);
        if (shown.includes('No such process')) throw new Error(shown);
        codes.push(code);
      }
      return codes;
    },
    leave: async () => {
      shell.stdin.end('exit\n');
      await ended;
    },
  };
}
