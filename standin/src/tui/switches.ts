/** The misbehaviour of the stand-in in a terminal. Times are milliseconds. */
export interface Switches extends NumberSwitches, FlagSwitches {
  sessionFile: SessionFileFault;
}

type NumberSwitches = Readonly<Record<keyof typeof numberSwitches, number | null>>;
type FlagSwitches = Readonly<Record<keyof typeof flagSwitches, boolean>>;

export type SessionFileFault =
  | { kind: 'none' | 'missing' | 'read-only' | 'contradicting' }
  | { kind: 'late'; ms: number };

const numberSwitches = {
  dropEnter: 'drop-enter',
  enterAsNewline: 'enter-as-newline',
  swallowPaste: 'swallow-paste',
  deafStart: 'deaf-start',
  deafAfterTurn: 'deaf-after-turn',
  lateEcho: 'late-echo',
  slowDraw: 'slow-draw',
  permissionLate: 'permission-late',
  crashToShell: 'crash-to-shell',
  longOutput: 'long-output',
} as const;
const flagSwitches = {
  clock: 'clock',
  permissionEarly: 'permission-early',
  redraw: 'redraw',
  trustDialog: 'trust-dialog',
  noAlternateScreen: 'no-alternate-screen',
} as const;
const sessionFile = 'session-file=missing|late:MS|read-only|contradicting';

/** Every switch with the form of its value. */
export const switchNames: readonly string[] = [
  ...Object.values(numberSwitches).map((name) => `${name}=N`),
  ...Object.values(flagSwitches),
  sessionFile,
];

export type ParsedSwitches = { ok: true; switches: Switches } | { ok: false; message: string };

/** @param text names with values, between commas; `''` for none. */
export function parseSwitches(text: string): ParsedSwitches {
  const given = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  let switches: Switches = quiet();
  for (const part of given) {
    const more = readSwitch(part);
    if (more === null) return { ok: false, message: refusal(part) };
    switches = { ...switches, ...more };
  }
  return { ok: true, switches };
}

function quiet(): Switches {
  const all = <K extends string, V>(keys: object, value: V) =>
    Object.fromEntries(Object.keys(keys).map((key) => [key, value])) as Record<K, V>;
  return {
    ...all<keyof typeof numberSwitches, null>(numberSwitches, null),
    ...all<keyof typeof flagSwitches, false>(flagSwitches, false),
    sessionFile: { kind: 'none' },
  };
}

function readSwitch(part: string): Partial<Switches> | null {
  const [name = '', value] = part.split(/=(.*)/s);
  if (name === 'session-file') return sessionFileSwitch(value ?? '');
  if (value === undefined) return keyed(flagSwitches, name, true);
  return /^\d{1,9}$/.test(value) ? keyed(numberSwitches, name, Number(value)) : null;
}

function sessionFileSwitch(value: string): Partial<Switches> | null {
  const ms = /^late:(\d{1,9})$/.exec(value)?.[1];
  if (ms !== undefined) return { sessionFile: { kind: 'late', ms: Number(ms) } };
  if (value === 'missing' || value === 'read-only' || value === 'contradicting')
    return { sessionFile: { kind: value } };
  return null;
}

function keyed(
  names: Readonly<Record<string, string>>,
  name: string,
  value: unknown,
): Partial<Switches> | null {
  const key = Object.keys(names).find((each) => names[each] === name);
  return key === undefined ? null : { [key]: value };
}

function refusal(part: string): string {
  return `Error: HOUMAO_STANDIN_TUI knows no '${part}'. It takes ${switchNames.join(', ')}.`;
}
