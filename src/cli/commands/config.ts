import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createHoumaoClient, isHoumaoError } from '@houmao/sdk/managed-agent';
import { listed } from '../../foundation/text.js';
import {
  type Config,
  changeConfig,
  configPath,
  contextNameTrouble,
  here,
  isSetting,
  type SettingName,
  serverUrl,
  settingNames,
  settings,
} from '../config/config-file.js';
import { contextInForce } from '../config/context-in-force.js';
import { textFrom, withHome } from '../flags/options.js';
import { CommandFailure, exitCodes } from '../words/command-failure.js';
import { type Output, table } from '../words/terminal-output.js';

/** The part of the caller that these commands need. */
export interface ConfigCaller {
  readonly environment: NodeJS.ProcessEnv;
  /** The content of config.yaml. @throws {UnusableFile} */
  config(): Config;
}

/** `config show`: every setting, and the context in force. */
export function showConfig(caller: ConfigCaller, output: Output): void {
  const path = configPath(caller.environment);
  const config = caller.config();
  const context = contextInForce({ flag: undefined, environment: caller.environment }, config);
  output.result(
    {
      path,
      exists: existsSync(path),
      context,
      contexts: [...config.contexts].map(([name, each]) => contextValue(name, each, context)),
      settings: Object.fromEntries(settingNames.map((name) => [name, config.settings.get(name) ?? null])),
    },
    [
      existsSync(path) ? path : `${path} (not there: nothing is set)`,
      ...table([
        [
          'context',
          context === null ? `${here} (this machine)` : `${context}  ${config.contexts.get(context)?.server}`,
        ],
        ...settingNames.map((name) => [name, config.settings.get(name) ?? `-  (${settings[name].words})`]),
      ]).map((line) => `  ${line}`),
    ],
  );
}

/** @throws {CommandFailure} for a name that is no setting */
function settingNamed(name: string): SettingName {
  if (isSetting(name)) return name;
  throw new CommandFailure(`${name} is no setting.`, exitCodes.usage, {
    hint: `Settings: ${listed(settingNames)}. Contexts are set by \`houmao-mgr context\`.`,
  });
}

/** `config set`. */
export function setSetting(name: string, value: string, caller: ConfigCaller, output: Output): void {
  const setting = settingNamed(name);
  const read = settings[setting].read(value);
  if ('trouble' in read) throw new CommandFailure(`${name} ${value}: ${read.trouble}`, exitCodes.usage);
  const path = configPath(caller.environment);
  // A number is written as one, as a person would.
  changeConfig(path, (document) => document.set(setting, /^[1-9]\d*$/.test(value) ? Number(value) : value));
  output.result({ path, name: setting, value }, [`${setting} is ${value} (${path})`]);
}

/** `config unset`. */
export function unsetSetting(name: string, caller: ConfigCaller, output: Output): void {
  const setting = settingNamed(name);
  const path = configPath(caller.environment);
  const was = caller.config().settings.get(setting) ?? null;
  if (was !== null) changeConfig(path, (document) => void document.delete(setting));
  output.result({ path, name: setting, value: null }, [
    was === null ? `${setting} was not set (${path})` : `${setting} is not set any more (${path})`,
  ]);
}

/** `context list`. */
export function listContexts(caller: ConfigCaller, output: Output): void {
  const config = caller.config();
  const inForce = contextInForce({ flag: undefined, environment: caller.environment }, config);
  const rows = [...config.contexts].map(([name, { server, tokenFile }]) => [
    name === inForce ? '*' : '',
    name,
    server,
    tokenFile ?? '',
  ]);
  output.result(
    {
      context: inForce,
      contexts: [...config.contexts].map(([name, each]) => contextValue(name, each, inForce)),
    },
    table([
      ['', 'NAME', 'SERVER', 'TOKEN FILE'],
      [inForce === null ? '*' : '', here, 'this machine', ''],
      ...rows,
    ]),
  );
}

const contextValue = (
  name: string,
  { server, tokenFile }: { server: string; tokenFile: string | null },
  inForce: string | null,
) => ({ name, server, token_file: tokenFile, in_force: name === inForce });

export interface AddContextFlags {
  tokenFile?: string;
  use?: boolean;
}

const answerMilliseconds = 3000;

/** `context add`: names a server, and says whether one answers there now. */
export async function addContext(
  name: string,
  url: string,
  { tokenFile, use = false }: AddContextFlags,
  caller: ConfigCaller,
  output: Output,
): Promise<void> {
  const trouble = contextNameTrouble(name);
  if (trouble !== null) throw new CommandFailure(`The context ${name}: ${trouble}.`, exitCodes.usage);
  const server = serverUrl(url);
  if (server === null)
    throw new CommandFailure(`${url} is no URL such as http://127.0.0.1:9889.`, exitCodes.usage);
  const token = tokenFile === undefined ? null : textFrom('--token-file', tokenFile).trim();
  const path = configPath(caller.environment);
  changeConfig(path, (document) => {
    document.setIn(['contexts', name], {
      server,
      ...(tokenFile !== undefined && { 'token-file': resolve(withHome(tokenFile)) }),
    });
    if (use) document.set('context', name);
  });
  const answer = await answerOf(server, token);
  output.result({ path, name, server, in_use: use, answers: answer.answers }, [
    `${use ? 'In use: the' : 'The'} context ${name} is the server ${server} (${path})`,
    answer.sentence,
    ...(use ? [] : [output.pastable(`Use it         houmao-mgr context use ${name}`)]),
    output.pastable(`For one command houmao-mgr agents list --context ${name}`),
  ]);
}

/** Returns whether a server answers at an address; a refused call is an answer, too. */
async function answerOf(
  server: string,
  token: string | null,
): Promise<{ answers: boolean; sentence: string }> {
  try {
    const client = createHoumaoClient({
      baseUrl: server,
      timeoutMs: answerMilliseconds,
      maxRetries: 0,
      ...(token !== null && { token }),
    });
    await client.getHealth();
    return { answers: true, sentence: 'It answers.' };
  } catch (error) {
    if (!isHoumaoError(error)) throw error;
    if (error.status === 401 || error.status === 403)
      return { answers: true, sentence: 'It answers, and asks for a token.' };
    return { answers: false, sentence: `It does not answer now: ${error.detail}` };
  }
}

/** `context use`. */
export function useContextFromNow(name: string, caller: ConfigCaller, output: Output): void {
  const { contexts } = requireContext(name, caller);
  const path = configPath(caller.environment);
  changeConfig(path, (document) =>
    name === here ? void document.delete('context') : document.set('context', name),
  );
  const server = contexts.get(name)?.server ?? null;
  output.result({ path, context: name === here ? null : name, server }, [
    server === null
      ? 'Commands work on this machine again.'
      : `Commands that can ask a server ask ${server} from now on. ${output.pastable('Back: houmao-mgr context use here')}`,
  ]);
}

/** `context rm`. */
export function removeContext(name: string, caller: ConfigCaller, output: Output): void {
  if (name === here) throw new CommandFailure(`${here} stands for this machine and stays.`, exitCodes.usage);
  const wasInUse = requireContext(name, caller).context === name;
  const path = configPath(caller.environment);
  changeConfig(path, (document) => {
    document.deleteIn(['contexts', name]);
    if (wasInUse) document.delete('context');
  });
  output.result({ path, name, was_in_use: wasInUse }, [
    `The context ${name} is gone${wasInUse ? '; commands work on this machine again' : ''}. Its server and its token file stay as they are.`,
  ]);
}

/** @throws {CommandFailure} when there is no such context */
function requireContext(name: string, caller: ConfigCaller): Config {
  const config = caller.config();
  contextInForce({ flag: name, environment: {} }, config);
  return config;
}
