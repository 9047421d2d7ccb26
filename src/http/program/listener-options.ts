import { execFileSync } from 'node:child_process';
import { type Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { readPort } from '../../foundation/fetch-ports.js';

/** The address on which a surface listens, and the callers it admits besides root and the user who runs it. */
export interface ListenerOptions {
  host: '127.0.0.1' | '0.0.0.0';
  port: number;
  allowedHost: string[];
  allowedOrigin: string[];
  /** Users of this machine, by number. */
  allowedUser: number[];
}

/** Adds the flags of {@link ListenerOptions}. @param defaults null makes `--host` and `--port` required. */
export function addListenerOptions(
  command: Command,
  defaults: Pick<ListenerOptions, 'host' | 'port'> | null,
): Command {
  const required = defaults === null ? ' (required)' : '';
  const host = new Option('--host <host>', `where to listen${required}`).choices(['127.0.0.1', '0.0.0.0']);
  const port = new Option('--port <port>', `port to listen on; 0 takes any free port${required}`).argParser(
    toPort,
  );
  return command
    .configureOutput({
      // Errors begin as every other line of the program does.
      outputError: (text, write) => write(text.replace(/^error:/, `${command.name()}:`)),
    })
    .addOption(defaults ? host.default(defaults.host) : host.makeOptionMandatory())
    .addOption(defaults ? port.default(defaults.port) : port.makeOptionMandatory())
    .option(
      '--allowed-host <name>',
      `another host name that callers may use (repeatable)`,
      (name, all: string[]) => [...all, name.toLowerCase()],
      [],
    )
    .option('--allowed-origin <origin>', 'web origin whose pages may call (repeatable)', toOrigin, [])
    .option(
      '--allowed-user <user>',
      'another user of this machine who may call, by name or number (repeatable)',
      toUser,
      [],
    );
}

export const isUsageError = (error: unknown): error is CommanderError => error instanceof CommanderError;

function toPort(text: string): number {
  const read = readPort(text);
  if ('trouble' in read) throw new InvalidArgumentError(read.trouble);
  return read.port;
}

function toOrigin(text: string, all: string[]): string[] {
  if (!/^https?:\/\/[^/\s]+$/.test(text))
    throw new InvalidArgumentError('It must be scheme://host[:port], without a path.');
  return [...all, text];
}

function toUser(text: string, all: number[]): number[] {
  const found = /^\d{1,10}$/.test(text) ? text : userNumber(text);
  if (found === null) throw new InvalidArgumentError(`There is no user ${text} on this machine.`);
  return [...all, Number(found)];
}

/** @returns null when no user has that name. */
function userNumber(name: string): string | null {
  try {
    return execFileSync('id', ['-u', '--', name], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return null;
  }
}
