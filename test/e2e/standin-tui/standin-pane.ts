import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { Pane } from '../../../src/terminal/pane.js';
import type { KeyName } from '../../../src/terminal/terminal-input.js';
import { TmuxControl } from '../../../src/terminal/tmux-control.js';
import type { OwnTmux } from '../../support/own-tmux.js';

const program = fileURLToPath(new URL('../../../dist/programs/standin-agent.js', import.meta.url));

// biome-ignore lint/suspicious/noExplicitAny: rows are read at will in assertions
export type AnyRow = Record<string, any>;

export interface StandinPane {
  pane: Pane;
  home: string;
  cwd: string;
  /** The rows of the screen as text, without blank rows. @param history rows above it. */
  rows(history?: number): Promise<string[]>;
  /** The same with the styles. */
  styled(): Promise<string>;
  /** The row of the box; null where there is none. */
  box(): Promise<string | null>;
  /** Until the box is drawn and empty. */
  ready(): Promise<void>;
  shows(text: string): Promise<void>;
  paste(text: string): Promise<boolean>;
  type(text: string): Promise<void>;
  press(...keys: KeyName[]): Promise<void>;
  /** Types a prompt and presses Enter. */
  send(text: string): Promise<void>;
  ledger(): AnyRow[];
  /** The prompts that the agent took. */
  prompts(): string[];
  outcomes(): string[];
  /** `sessions/<pid>.json`; null while there is none. */
  record(): AnyRow | null;
  transcript(): AnyRow[];
  history(): AnyRow[];
}

export interface StandinLaunch {
  args?: string;
  switches?: string;
  /** Of an earlier launch that this one goes on from. */
  world?: { home: string; cwd: string };
}

let sessions = 0;

/** Starts the stand-in in a pane, from a shell that is left when it ends. */
export async function startStandin(
  { tmux, socketPath }: OwnTmux,
  folder: string,
  { args = '', switches = '', world }: StandinLaunch = {},
): Promise<StandinPane> {
  sessions += 1;
  const session = `standin-${sessions}`;
  const home = world?.home ?? mkdtempSync(join(folder, 'home-'));
  const cwd = world?.cwd ?? realpathSync(mkdtempSync(join(folder, 'cwd-')));
  const ledgerPath = join(home, 'ledger.jsonl');
  // A server without a session ends, while the next test may be asking it for one.
  if (!(await tmux.hasSession('kept'))) await tmux.newSession('kept', folder, {});
  const { paneId } = await tmux.newSession(session, cwd, {
    CLAUDE_CONFIG_DIR: home,
    HOUMAO_STANDIN_LEDGER: ledgerPath,
    HOUMAO_STANDIN_TUI: switches,
  });
  const agent = `'${process.execPath}' '${program}' ${args}`;
  await tmux.respawnPane(paneId, cwd, `/bin/sh -c "${agent}; PS1='shell> ' exec /bin/sh"`);
  const control = await TmuxControl.open({
    environment: { PATH: process.env.PATH },
    socketPath,
    session,
    wrote: () => undefined,
    closed: () => undefined,
  });
  onTestFinished(async () => {
    await tmux.killSession(session);
    await control.close();
  });
  const pane = new Pane(control, paneId);
  return paneOf(pane, { home, cwd, ledgerPath });
}

function paneOf(
  pane: Pane,
  { home, cwd, ledgerPath }: { home: string; cwd: string; ledgerPath: string },
): StandinPane {
  const styled = () => pane.capture(0);
  const rows = async (history = 0) =>
    (await pane.capture(history))
      // biome-ignore lint/suspicious/noControlCharactersInRegex: styles are escape sequences.
      .replace(/\u001b\[[\d;:]*m/g, '')
      .replaceAll('\u00a0', ' ')
      .split('\n')
      .map((row) => row.trimEnd())
      .filter((row) => row !== '');
  const box = async () => {
    const all = await rows();
    const last = all.findLastIndex((row) => /^─+$/.test(row));
    const first = all.slice(0, Math.max(0, last)).findLastIndex((row) => /^─+$/.test(row));
    return first === -1 ? null : all.slice(first + 1, last).join('\n');
  };
  const shows = (text: string) => expect.poll(async () => (await rows()).join('\n')).toContain(text);
  const paste = async (text: string) => {
    const file = join(home, 'paste');
    writeFileSync(file, text, { mode: 0o600 });
    await pane.load('houmao-test', file);
    return pane.paste('houmao-test');
  };
  const press = (...keys: KeyName[]) => pane.type(keys.map((key) => ({ key })));
  const ledger = () => linesOf(ledgerPath);
  return {
    pane,
    home,
    cwd,
    rows,
    styled,
    box,
    shows,
    paste,
    press,
    ledger,
    ready: () => expect.poll(box).toBe('❯'),
    type: (text) => pane.type([{ text }]),
    send: (text) => pane.type([{ text }, { key: 'Enter' }]),
    prompts: () => ledger().flatMap(({ prompt }) => (prompt === undefined ? [] : [prompt])),
    outcomes: () => ledger().flatMap(({ outcome }) => (outcome === undefined ? [] : [outcome])),
    record: () => {
      const [name] = namesIn(join(home, 'sessions'));
      return name === undefined ? null : JSON.parse(readFileSync(join(home, 'sessions', name), 'utf8'));
    },
    transcript: () =>
      namesIn(join(home, 'projects')).flatMap((project) =>
        namesIn(join(home, 'projects', project)).flatMap((name) =>
          linesOf(join(home, 'projects', project, name)),
        ),
      ),
    history: () => linesOf(join(home, 'history.jsonl')),
  };
}

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);

function linesOf(path: string): AnyRow[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}
