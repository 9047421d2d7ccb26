import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Row } from '../rows.js';

export type HookEvent = 'UserPromptSubmit' | 'PermissionRequest';

export interface Hook {
  command: string;
  /** The hook is not waited for. */
  async: boolean;
  /** The time after which it is killed. */
  milliseconds: number;
}

export type HooksByEvent = Readonly<Record<HookEvent, readonly Hook[]>>;

const events: readonly HookEvent[] = ['UserPromptSubmit', 'PermissionRequest'];
const usualSeconds = 60;
/** The exit code with which a hook refuses an event. */
const refusal = 2;

/** Commands that the stand-in runs, as Claude Code does, with the event as JSON on their stdin. */
export class Hooks {
  readonly #hooks: HooksByEvent;
  readonly #common: () => Row;

  /** @param common the part of the JSON that all hooks get. */
  constructor(hooks: HooksByEvent, common: () => Row) {
    this.#hooks = hooks;
    this.#common = common;
  }

  /** Runs the hooks of an event at the same time. @returns the reason of one that refused it; null if none did. */
  async run(event: HookEvent, more: Row): Promise<string | null> {
    const input = `${JSON.stringify({ ...this.#common(), hook_event_name: event, ...more })}\n`;
    const ends = await Promise.all(
      this.#hooks[event].map((hook) => {
        const ended = runHook(hook, input);
        return hook.async ? null : ended;
      }),
    );
    return ends.find((refused) => refused !== null) ?? null;
  }
}

/** Reads the hooks of the user's settings and of `--settings`: all of them count. */
export function readHooks(home: string, settings: string | null): HooksByEvent {
  const given = settings === null || settings.trim().startsWith('{') ? settings : textOf(settings);
  const all = [textOf(join(home, 'settings.json')), given].map(hooksIn);
  const of = (event: HookEvent): Hook[] => all.flatMap((each) => each[event] ?? []);
  return { UserPromptSubmit: of('UserPromptSubmit'), PermissionRequest: of('PermissionRequest') };
}

interface Settings {
  hooks?: Partial<Record<HookEvent, { hooks: { command: string; async?: boolean; timeout?: number }[] }[]>>;
}

function hooksIn(text: string | null): Partial<Record<HookEvent, Hook[]>> {
  const { hooks = {} } = JSON.parse(text ?? '{}') as Settings;
  const of = (event: HookEvent): Hook[] =>
    (hooks[event] ?? [])
      .flatMap((group) => group.hooks)
      .map(({ command, async = false, timeout = usualSeconds }) => ({
        command,
        async,
        milliseconds: timeout * 1000,
      }));
  return Object.fromEntries(events.map((event) => [event, of(event)]));
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** Runs a hook. Resolves with its stderr if it refused; null for any other end, also for a command that does not exist. */
function runHook({ command, milliseconds }: Hook, eventLine: string): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', command], {
      timeout: milliseconds,
      killSignal: 'SIGKILL',
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    child.on('error', () => resolve(null));
    // The output is complete when it has closed; a background process of the hook may delay that.
    child.on('exit', (code) => {
      if (code !== refusal) resolve(null);
    });
    child.on('close', () => resolve(said.trim()));
    child.stdin.on('error', () => undefined);
    child.stdin.end(eventLine);
  });
}
