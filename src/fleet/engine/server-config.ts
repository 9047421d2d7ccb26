// The configuration of the NATS server of a fleet, as text in its own format. Pure.
import { rightsOf } from './layout.js';

/** A host, and the public half of its key (an nkey of a user, `U…`). */
export interface HostKey {
  readonly name: string;
  readonly publicKey: string;
}

/** Where the server listens. @see listenAddress */
export interface EngineAddress {
  readonly host: string;
  /** -1 for any free one. */
  readonly port: number;
}

/** The settings of the server besides its hosts. Paths are those of its machine, absolute. */
export interface EngineSettings {
  readonly listen: EngineAddress;
  /** The streams are kept in the folder `jetstream` of this one. */
  readonly storeFolder: string;
  /** The files by which connections are encrypted; null for plain ones. */
  readonly tls: { readonly certificate: string; readonly key: string } | null;
  /** The file of its log; null for its standard error. */
  readonly log: string | null;
  /** The folder in which it says where it listens, once it does; null for none. */
  readonly portsFolder: string | null;
  /** A file with its hosts ({@link hostsText}), relative to the configuration; null where they stand in the same text. */
  readonly hostsFile: string | null;
}

/** The port of a NATS server that is given none. */
export const usualEnginePort = 4222;
/** The first version that keeps leases for a time (a KV entry with a TTL). */
export const oldestEngine = '2.11.0';
/** The largest message; NATS advises against more than 8 MB. */
export const largestMessageBytes = 8 * 1024 * 1024;
const largestLogBytes = 10 * 1024 * 1024;
/** The logs that are kept when one is full. */
const keptLogs = 3;

/**
 * Parses an address to listen on: `10.0.0.5`, `nats.example:4222`, `[::1]:4222`. @returns null for anything else, and for port 0, by
 * which NATS means its usual one
 */
export function listenAddress(text: string): EngineAddress | null {
  const [, six, other, port = `${usualEnginePort}`] =
    /^(?:\[([\da-fA-F:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = six ?? other;
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535) return null;
  return { host, port: Number(port) };
}

/** Returns the settings as the server reads them. Everything that it writes is on disk before it says so. */
export function settingsText(settings: EngineSettings): string {
  const { listen, storeFolder, tls, log, portsFolder, hostsFile } = settings;
  return `host: ${quoted(listen.host)}
port: ${listen.port}
max_payload: ${largestMessageBytes}
jetstream {
  store_dir: ${quoted(storeFolder)}
  # The usual two minutes would lose what was acknowledged when the power fails.
  sync_interval: always
}
${tls === null ? '' : `tls {\n  cert_file: ${quoted(tls.certificate)}\n  key_file: ${quoted(tls.key)}\n}\n`}${
  log === null
    ? ''
    : `log_file: ${quoted(log)}\nlogfile_size_limit: ${largestLogBytes}\nlogfile_max_num: ${keptLogs}\n`
}${portsFolder === null ? '' : `ports_file_dir: ${quoted(portsFolder)}\n`}${
  hostsFile === null ? '' : `include ${quoted(hostsFile)}\n`
}`;
}

/** Returns the one account of a fleet with its hosts, each with its rights and no others; there is no way in without a key. */
export const hostsText = (hosts: readonly HostKey[]): string => `accounts {
  HOUMAO {
    jetstream: enabled
    users: [
${hosts.map(hostText).join('')}    ]
  }
}
`;

function hostText({ name, publicKey }: HostKey): string {
  const { publish, subscribe } = rightsOf(name);
  return `      # ${name}
      {
        nkey: ${publicKey}
        permissions: {
          publish: { allow: ${listText(publish)} }
          subscribe: { allow: ${listText(subscribe)} }
        }
      }
`;
}

const listText = (subjects: readonly string[]): string =>
  `[\n${subjects.map((subject) => `            ${quoted(subject)}\n`).join('')}          ]`;

/** Writes a text so that the server reads it unchanged. */
const quoted = (text: string): string =>
  `"${text.replace(/["\\]/g, '\\$&').replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a path may contain them.
    /[\u0000-\u001f\u007f]/g,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )}"`;
