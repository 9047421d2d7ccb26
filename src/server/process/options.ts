import { Command } from 'commander';
import { version } from '../../foundation/version.js';
import { addListenerOptions, type ListenerOptions } from '../../http/program/listener-options.js';
import { addTimingOptions, type TimingOptions } from '../../terminal/tracker/timing-options.js';
import { usualServerPort } from '../directory/server-paths.js';

export interface ServerOptions extends ListenerOptions, TimingOptions {
  /** Left out, it is chosen by host and port. */
  root?: string;
}

/** @throws {CommanderError} also for --help and --version; its `exitCode` says which. */
export function parseServerOptions(argv: readonly string[]): ServerOptions {
  const command = new Command('houmao-server')
    .description('Serves all agents of this host, in terminals and headless, through one API over HTTP.')
    .version(version)
    .option(
      '--root <path>',
      'folder for the files of this server (default: <runtime>/houmao_servers/<host>-<port>)',
    );
  addListenerOptions(command, { host: '127.0.0.1', port: usualServerPort })
    .exitOverride()
    .showHelpAfterError('(houmao-server --help shows every flag)');
  return addTimingOptions(command)
    .parse([...argv], { from: 'user' })
    .opts<ServerOptions>();
}
