import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { type HostCredential, hostsFileName, prepareCredentials } from '../../../fleet/engine/credentials.js';
import {
  type EngineAddress,
  type EngineSettings,
  hostsText,
  settingsText,
  usualEnginePort,
} from '../../../fleet/engine/server-config.js';
import { writeFileAtomic } from '../../../foundation/atomic-file.js';
import { counted, listed } from '../../../foundation/text.js';
import type { AgentHost } from '../../../launch/agent-host.js';
import { withHome } from '../../flags/options.js';
import { CommandFailure, exitCodes } from '../../words/command-failure.js';
import { type Output, quoted } from '../../words/terminal-output.js';

export interface CredentialsFlags {
  host?: string[];
  /** A folder; without it, keys go to {@link usualFleetFolder}, and the configuration to standard output. */
  out?: string;
  listen?: EngineAddress;
  store?: string;
  tlsCert?: string;
  tlsKey?: string;
}

/** Returns the folder of keys, and of the NATS server of `fleet up`, where none is named. */
export const usualFleetFolder = ({ runtimeRoot }: Pick<AgentHost, 'runtimeRoot'>): string =>
  join(runtimeRoot, 'houmao_fleet');

/** Returns the command by which a host joins. @param url of the NATS server */
export const joinCommand = (url: string, { name, file }: Pick<HostCredential, 'name' | 'file'>): string =>
  `houmao-mgr fleet join ${quoted(url)} --credentials ${quoted(file)} --host-name ${name}`;

/** Returns a host and its key in the form for programs. */
export const credentialObject = ({ name, publicKey, file, isNew }: HostCredential): object => ({
  name,
  public_key: publicKey,
  credentials_file: file,
  made: isNew,
});

/**
 * `fleet credentials`: keys of hosts, and the configuration for all of them. A key that is there stays, and so does a configuration
 * that was written before: only the list of hosts is made again.
 */
export function makeCredentials(flags: CredentialsFlags, host: AgentHost, output: Output): void {
  const { host: names = [], out, tlsCert, tlsKey } = flags;
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw new CommandFailure('--tls-cert and --tls-key go together.', exitCodes.usage);
  const folder = out === undefined ? usualFleetFolder(host) : resolve(withHome(out));
  const file = join(folder, 'nats-server.conf');
  if (out !== undefined) refuseIdleSettings(flags, file);
  if (names.length === 0 && !existsSync(join(folder, hostsFileName)))
    throw new CommandFailure('Name the hosts of the fleet, each with --host <name>.', exitCodes.usage);
  const settings = settingsOf(flags, folder);
  const hosts = prepareCredentials(folder, names);
  const made = hosts.filter(({ isNew }) => isNew);
  const kept = hosts.filter(({ isNew }) => !isNew).map(({ name }) => name);
  for (const one of made) output.progress(`Made the key of ${one.name}: ${one.file}`);
  if (kept.length > 0) output.progress(`Kept the ${counted(kept.length, 'key')} of ${listed(kept)}`);
  const value = { folder, hosts: hosts.map(credentialObject) };
  if (out === undefined) {
    const configuration = `${settingsText(settings)}${hostsText(hosts)}`;
    if (isOpen(settings)) output.progress(unencrypted);
    output.result({ ...value, configuration_file: null, configuration }, configuration.trimEnd().split('\n'));
    return;
  }
  const isKept = existsSync(file);
  if (!isKept)
    writeFileAtomic(file, settingsText({ ...settings, hostsFile: hostsFileName }), { mode: 0o644 });
  if (!isKept && isOpen(settings)) output.progress(unencrypted);
  output.result({ ...value, configuration_file: file, configuration: null }, [
    isKept
      ? `${file} stays as it is; ${join(folder, hostsFileName)} has all ${counted(hosts.length, 'host')} now`
      : `The configuration: ${file}, with the hosts in ${join(folder, hostsFileName)}`,
    ...(isKept
      ? ['A NATS server that runs with it lets them in after: nats-server --signal reload']
      : [`Start it: nats-server -c ${quoted(file)}`]),
    ...made.map(
      ({ name, file: key }) =>
        `On ${name}, with ${key} copied there: ${joinCommand(isKept ? 'URL' : urlOf(settings), { name, file: basename(key) })}`,
    ),
  ]);
}

/**
 * Settings of a configuration that exists are its owner's, who may have changed them since.
 * @throws {CommandFailure} where flags ask for others
 */
function refuseIdleSettings({ listen, store, tlsCert }: CredentialsFlags, file: string): void {
  const given = [listen && '--listen', store && '--store', tlsCert && '--tls-cert'].filter(
    Boolean,
  ) as string[];
  if (given.length === 0 || !existsSync(file)) return;
  throw new CommandFailure(
    `${file} is there already, and is not changed: ${listed(given)} would have no effect.`,
    exitCodes.usage,
    {
      errorCode: 'configuration_exists',
      hint: 'Change it in an editor, or move it aside to have another one written.',
    },
  );
}

const settingsOf = (flags: CredentialsFlags, folder: string): EngineSettings => ({
  listen: flags.listen ?? { host: '127.0.0.1', port: usualEnginePort },
  storeFolder: flags.store ?? folder,
  tls:
    flags.tlsCert === undefined || flags.tlsKey === undefined
      ? null
      : { certificate: flags.tlsCert, key: flags.tlsKey },
  log: null,
  portsFolder: null,
  hostsFile: null,
});

const isOpen = ({ listen, tls }: EngineSettings): boolean =>
  tls === null && !['127.0.0.1', 'localhost', '::1'].includes(listen.host);

const unencrypted =
  'Other machines can reach this NATS server, and connections are not encrypted: add --tls-cert and --tls-key';

/** An address of all networks is none to connect to: a person puts the name of the machine there. */
function urlOf({ listen: { host, port }, tls }: EngineSettings): string {
  const name = ['0.0.0.0', '::'].includes(host) ? 'MACHINE' : host;
  return `${tls === null ? 'nats' : 'tls'}://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
