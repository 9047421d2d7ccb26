import type { CurrentInstance, ExecutionMode, ListenHost } from '../session/current-instance.js';
import { desiredConfigFile } from '../session/gateway-start-files.js';
import { type KeepingChange, readKeeping } from '../session/keeping.js';
import { keepingFlags } from '../session/keeping-options.js';
import type { SessionPaths } from '../session/session-paths.js';
import { commandLineOf } from './live-gateway.js';

/** The settings that a caller requests for the gateway; null keeps the earlier setting, or the default. */
export interface GatewaySettings {
  host: ListenHost | null;
  port: number | null;
  mode: ExecutionMode | null;
  diagnosticLog: boolean | null;
  /** How long requests and logs are kept; what is not named stays as it was. */
  keeping: KeepingChange;
  /** Further flags of `houmao-gateway`, for this start. */
  flags: readonly string[];
}

/** The settings of a gateway that serves now. */
export interface RunningGateway extends Pick<CurrentInstance, 'host' | 'port' | 'execution_mode'> {
  readonly diagnosticLog: boolean;
  readonly keeping: KeepingChange;
  /** The words of its command line; empty if they cannot be read. */
  readonly words: readonly string[];
}

export const runningGateway = (instance: CurrentInstance, paths: SessionPaths): RunningGateway => ({
  ...instance,
  diagnosticLog: desiredConfigFile.read(paths.desiredConfig)?.desired_diagnostic_logging?.enabled ?? false,
  keeping: readKeeping(paths.keeping),
  words: commandLineOf(instance.pid),
});

/** Lists the requested settings that a running gateway does not have, a clause for each; only a restart applies them. */
export function differencesFrom(settings: GatewaySettings, running: RunningGateway): string[] {
  const { host, port, mode, diagnosticLog, keeping, flags } = settings;
  const places = { detached_process: 'in the background', tmux_auxiliary_window: 'in a window' } as const;
  return [
    ...(host === null || host === running.host ? [] : [`it listens on ${running.host}, not ${host}`]),
    // 0 stands for any port.
    ...(port === null || port === 0 || port === running.port
      ? []
      : [`its port is ${running.port}, not ${port}`]),
    ...(mode === null || mode === running.execution_mode
      ? []
      : [`it runs ${places[running.execution_mode]}, not ${places[mode]}`]),
    ...(diagnosticLog === null || diagnosticLog === running.diagnosticLog
      ? []
      : [`it keeps ${running.diagnosticLog ? 'a' : 'no'} diagnostic log`]),
    ...keepingFlags(keeping)
      .filter(([setting, , value]) => running.keeping[setting] !== value)
      .map(([, words]) => `it does not run with ${words.join(' ')}`),
    ...pairsOf(flags)
      .filter(([flag, value]) => !holdsPair(running.words, flag, value))
      .map(([flag, value]) => `it was started without ${flag} ${value}`),
  ];
}

/** The flags that are not kept for the next start: who may call has to be given each time. A release before 0.2.0 did not keep the days. */
const notKept: ReadonlySet<string> = new Set([
  '--allowed-host',
  '--allowed-origin',
  '--allowed-user',
  '--retain-days',
]);

/** Pure: returns the flags of a command line that the next start lacks. @param again the flags of the next start. */
export const flagsLost = (words: readonly string[], again: readonly string[]): string[] =>
  words.flatMap((word, index) => {
    const value = words[index + 1];
    const isLost = notKept.has(word) && value !== undefined && !holdsPair(again, word, value);
    return isLost ? [`${word} ${value}`] : [];
  });

const pairsOf = (flags: readonly string[]): [string, string][] =>
  flags.flatMap((flag, index) =>
    index % 2 === 0 ? [[flag, flags[index + 1] ?? ''] as [string, string]] : [],
  );

const holdsPair = (words: readonly string[], flag: string, value: string): boolean =>
  words.some((word, index) => word === flag && words[index + 1] === value);
