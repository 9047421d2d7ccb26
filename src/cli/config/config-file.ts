import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Document, isMap as isMapNode, parseDocument } from 'yaml';
import { writeFileAtomic } from '../../foundation/atomic-file.js';
import { absoluteVariable, homeFolder } from '../../foundation/environment.js';
import { UnusableFile } from '../../foundation/faults.js';
import { exclusively } from '../../foundation/file-lock.js';
import {
  fleetUrlRule,
  fleetUrls,
  hostNamePattern,
  hostNameRule,
  isReplicaCount,
  replicaRule,
} from '../../foundation/host-name.js';
import { makeFolder } from '../../foundation/make-folder.js';
import { unreadable } from '../../foundation/system-fault.js';
import { listed } from '../../foundation/text.js';
import { keepingTexts } from '../../session/keeping.js';
import type { KeepingOptions } from '../../session/keeping-options.js';
import type { ToolName } from '../../tools/adapter/tool-adapter.js';
import { toolNames } from '../../tools/tool-registry.js';

/** A managed-agent server that a person gave a name. */
export interface ServerContext {
  readonly server: string;
  /** The path of a file with the server's token; null where it asks for none, or is asked from its own machine. */
  readonly tokenFile: string | null;
}

/** The name that stands for this machine, whichever context is in use. */
export const here = 'here';

/** The flags of a new agent where its command says nothing else. */
export interface NewAgentDefaults extends KeepingOptions {
  readonly tool?: ToolName;
}

/** The fleet that the server of this machine joins. */
export interface FleetConfig {
  /** The addresses of NATS, with commas between. */
  readonly url: string;
  readonly credentials: string | null;
  readonly ca: string | null;
  readonly hostName: string | null;
  /** On how many NATS servers the fleet is kept; null where that is not said. */
  readonly replicas: number | null;
}

/** The content of config.yaml. */
export interface Config {
  /** The name of the context in use; null for this machine. */
  readonly context: string | null;
  readonly contexts: ReadonlyMap<string, ServerContext>;
  /** The settings that are there, as they were written. */
  readonly settings: ReadonlyMap<SettingName, string>;
  readonly newAgent: NewAgentDefaults;
  /** Null where it joins none. */
  readonly fleet: FleetConfig | null;
}

type Read = { readonly value: string | number | null } | { readonly trouble: string };

interface Setting {
  /** The property of {@link NewAgentDefaults}, named as commander names the flag. */
  readonly property: keyof NewAgentDefaults;
  readonly words: string;
  readonly read: (text: string) => Read;
}

const tool = (text: string): Read =>
  (toolNames as readonly string[]).includes(text)
    ? { value: text }
    : { trouble: `It must be one of ${listed(toolNames)}.` };

/** The settings by name: each has the name and the values of the flag that comes before it. */
export const settings = {
  tool: { property: 'tool', words: 'agent CLI of a new agent', read: tool },
  'retain-days': {
    property: 'retainDays',
    words: 'a new agent deletes finished requests after this many days',
    read: keepingTexts.retain_days,
  },
  'log-size': {
    property: 'logSize',
    words: 'a new agent sets its logs aside at this size',
    read: keepingTexts.log_bytes,
  },
  'log-days': {
    property: 'logDays',
    words: 'a new agent sets its logs aside when their first line is this old',
    read: keepingTexts.log_days,
  },
  'log-files': {
    property: 'logFiles',
    words: 'files aside that a new agent keeps, of each log',
    read: keepingTexts.log_files,
  },
} as const satisfies Record<string, Setting>;
export type SettingName = keyof typeof settings;
export const settingNames = Object.keys(settings) as SettingName[];

export const isSetting = (name: string): name is SettingName => Object.hasOwn(settings, name);

export const emptyConfig: Config = {
  context: null,
  contexts: new Map(),
  settings: new Map(),
  newAgent: {},
  fleet: null,
};

/** Returns the path of config.yaml. @throws {BadEnvironment} */
export const configPath = (environment: NodeJS.ProcessEnv): string =>
  join(
    absoluteVariable(environment, 'XDG_CONFIG_HOME') ?? join(homeFolder(environment), '.config'),
    'houmao',
    'config.yaml',
  );

/** Reads config.yaml; one that is not there says nothing. @throws {UnusableFile} that names the line or the setting. */
export function readConfig(path: string): Config {
  return checked(path, documentAt(path));
}

/**
 * Changes config.yaml and keeps everything else of it, comments included. A link stays a link.
 * @throws {UnusableFile} when the file is faulty, before or after: it is left unchanged then.
 */
export function changeConfig(path: string, change: (document: Document) => void): Config {
  makeFolder(dirname(path), 0o700);
  return exclusively(`${path}.lock`, () => {
    const document = documentAt(path);
    checked(path, document);
    if (!isMapNode(document.contents)) document.contents = document.createNode({});
    change(document);
    const config = checked(path, document);
    writeFileAtomic(existsSync(path) ? realpathSync(path) : path, document.toString(), { mode: 0o600 });
    return config;
  });
}

const remedy = 'correct it, or move it aside';

function documentAt(path: string): Document {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return parseDocument('');
    throw unreadable(path, error);
  }
  const document = parseDocument(text, { prettyErrors: true });
  const [fault] = document.errors;
  // Its message also has the line, with a mark below it.
  if (fault) throw new UnusableFile(path, `is no YAML: ${fault.message.split('\n')[0]}`, remedy);
  return document;
}

function checked(path: string, document: Document): Config {
  const read = configOf(document.toJS() as unknown);
  if ('trouble' in read) throw new UnusableFile(path, read.trouble, remedy);
  return read.config;
}

type Checked = { readonly config: Config } | { readonly trouble: string };

/** Pure: checks the content of config.yaml. */
export function configOf(content: unknown): Checked {
  if (content === null || content === undefined) return { config: emptyConfig };
  if (!isMap(content)) return { trouble: 'its content must be settings, such as `tool: claude`' };
  const known = ['context', 'contexts', 'fleet', ...settingNames];
  const unknown = Object.keys(content).find((name) => !known.includes(name));
  if (unknown !== undefined) return { trouble: `${unknown} is no setting; there are ${listed(known)}` };
  const contexts = new Map<string, ServerContext>();
  const given = content.contexts ?? {};
  if (!isMap(given)) return { trouble: 'contexts must be names, each with a `server`' };
  for (const [name, value] of Object.entries(given)) {
    const context = contextOf(name, value);
    if (typeof context === 'string') return { trouble: context };
    contexts.set(name, context);
  }
  const fleet = fleetOf(content.fleet ?? null);
  if (typeof fleet === 'string') return { trouble: fleet };
  const context = content.context ?? null;
  if (context !== null && (typeof context !== 'string' || !(context === here || contexts.has(context))))
    return { trouble: `context is ${String(context)}, and contexts has none of that name` };
  const values = new Map<SettingName, string>();
  const newAgent: Record<string, unknown> = {};
  for (const name of settingNames) {
    const value = content[name];
    if (value === undefined || value === null) continue;
    const { read, property } = settings[name];
    const found = read(String(value));
    if ('trouble' in found) return { trouble: `${name} is ${String(value)}. ${found.trouble}` };
    values.set(name, String(value));
    // The flag, too, says `never` for a value that means none.
    newAgent[property] = found.value ?? 'never';
  }
  return {
    config: { context: context === here ? null : context, contexts, settings: values, newAgent, fleet },
  };
}

const fleetSettings = ['url', 'credentials', 'ca', 'host-name', 'replicas'];

/** Returns what is wrong, as a text, for a fleet that cannot be joined. */
function fleetOf(value: unknown): FleetConfig | string | null {
  if (value === null) return null;
  if (!isMap(value)) return 'fleet must have a `url`';
  const unknown = Object.keys(value).find((name) => !fleetSettings.includes(name));
  if (unknown !== undefined) return `fleet has ${unknown}; there are ${listed(fleetSettings)}`;
  const { url, credentials = null, ca = null, 'host-name': hostName = null, replicas = null } = value;
  if (!(typeof url === 'string' && fleetUrls(url) !== null)) return `the url of fleet ${fleetUrlRule}`;
  for (const [name, path] of [
    ['credentials', credentials],
    ['ca', ca],
  ] as const)
    if (path !== null && (typeof path !== 'string' || path === ''))
      return `the ${name} of fleet must be a path`;
  if (hostName !== null && !(typeof hostName === 'string' && hostNamePattern.test(hostName)))
    return `the host-name of fleet must have ${hostNameRule}`;
  if (replicas !== null && !(typeof replicas === 'number' && isReplicaCount(replicas)))
    return `the replicas of fleet ${replicaRule}`;
  return { url, credentials, ca, hostName, replicas } as FleetConfig;
}

const contextName = /^[A-Za-z0-9][\w.-]{0,63}$/;

/** Pure: returns the reason why a context may not have this name; null when it may. */
export function contextNameTrouble(name: string): string | null {
  if (name === here) return `${here} stands for this machine`;
  return contextName.test(name)
    ? null
    : 'a name has letters, digits, dots, dashes and underscores, at most 64, and begins with a letter or a digit';
}

/** Returns what is wrong, as a text, for a context that cannot be used. */
function contextOf(name: string, value: unknown): ServerContext | string {
  const trouble = contextNameTrouble(name);
  if (trouble !== null) return `the context ${name}: ${trouble}`;
  if (!isMap(value)) return `the context ${name} must have a \`server\``;
  const { server, 'token-file': tokenFile = null, ...others } = value;
  const [other] = Object.keys(others);
  if (other !== undefined) return `the context ${name} has ${other}; there are server and token-file`;
  const url = typeof server === 'string' ? serverUrl(server) : null;
  if (url === null) return `the server of the context ${name} must be a URL such as http://127.0.0.1:9889`;
  if (tokenFile !== null && (typeof tokenFile !== 'string' || tokenFile === ''))
    return `the token-file of the context ${name} must be a path`;
  return { server: url, tokenFile };
}

/** Returns the address of a server in its shortest form; null for a text that is none. */
export function serverUrl(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? text.replace(/\/+$/, '') : null;
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
