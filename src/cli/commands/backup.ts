import { resolve } from 'node:path';
import { counted, countedWith, listed } from '../../foundation/text.js';
import type { AgentHost } from '../../launch/agent-host.js';
import { unprefixedName } from '../../launch/agent-name.js';
import { readContents } from '../../launch/backup/archive.js';
import { backUpAgents } from '../../launch/backup/backup-session.js';
import { planRestore, type RestoredAgent, restoreAgent } from '../../launch/backup/restore-session.js';
import { type AllFlag, withHome } from '../flags/options.js';
import { CommandFailure, exitCodes } from '../words/command-failure.js';
import type { Output } from '../words/terminal-output.js';
import { agentNames, findAgent } from './find-agent.js';

/** `backup`: saves agents into an archive, while their gateways run. */
export async function backUp(
  file: string,
  names: readonly string[],
  { all = false }: AllFlag,
  host: AgentHost,
  output: Output,
): Promise<void> {
  if (all === names.length > 0)
    throw new CommandFailure('Name agents, or use --all for every agent of this host.', exitCodes.usage);
  const agents = (all ? agentNames(host) : [...new Set(names)]).map((name) => findAgent(name, host));
  const path = resolve(withHome(file));
  for (const { name } of agents) output.progress(`Saving ${unprefixedName(name)}`);
  const saved = await backUpAgents(path, agents, host);
  const secrets = [...new Set(saved.flatMap((agent) => agent.secrets))].sort();
  const mailboxes = saved.flatMap(({ mailbox }) => mailbox ?? []);
  output.result({ file: path, agents: saved }, [
    `Saved ${listed(saved.map(({ agent_name }) => unprefixedName(agent_name)))} in ${path}.`,
    `Left out: access tokens${secrets.length === 0 ? '' : `, the variables ${listed(secrets)}`}${mailboxes.length === 0 ? '' : `, the mailboxes ${listed(mailboxes)}`}, the working directory, and the home of the tool with its conversations.`,
    output.pastable(`Restore it, here or on another machine: houmao-mgr restore ${path}`),
  ]);
}

export interface RestoreFlags {
  as?: string;
  root?: string;
  workdir?: string;
}

/** `restore`: makes the agents of an archive again, with their queues paused. */
export async function restore(
  file: string,
  flags: RestoreFlags,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const path = resolve(withHome(file));
  const contents = await readContents(path);
  const given = (folder: string | undefined): string | null =>
    folder === undefined ? null : resolve(withHome(folder));
  const request = { name: flags.as ?? null, root: given(flags.root), workingDirectory: given(flags.workdir) };
  const restored: RestoredAgent[] = [];
  for (const plan of planRestore(contents, path, request, host)) {
    output.progress(`Restoring ${unprefixedName(plan.name)} in ${plan.paths.root}`);
    restored.push(await restoreAgent(path, contents, plan, request, host));
  }
  output.result(
    { file: path, agents: restored.map(toJson) },
    restored.flatMap((agent) => linesOf(agent).map((line) => output.pastable(line))),
  );
}

const toJson = ({ name, agentId, paths, waiting, ended, reminders, missing, mailbox }: RestoredAgent) => ({
  agent_name: name,
  agent_id: agentId,
  session_root: paths.root,
  queue_paused: true,
  requests_waiting: waiting,
  requests_ended: ended,
  reminders_paused: reminders,
  secrets_missing: missing,
  mailbox_left_out: mailbox,
});

function linesOf({ name, waiting, ended, reminders, missing, mailbox }: RestoredAgent): string[] {
  const short = unprefixedName(name);
  return [
    `Restored ${short}. ${countedWith(waiting, 'request', ['waits', 'wait'])} in its queue, which is paused: the agent that was saved may run them, too.`,
    ...(ended === 0
      ? []
      : [
          `${countedWith(ended, 'request', ['has', 'have'])} failed: what ran when it was saved is not run again.`,
        ]),
    ...(reminders === 0 ? [] : [`${countedWith(reminders, 'reminder', ['is', 'are'])} paused.`]),
    ...(missing.length === 0
      ? []
      : [
          `Not saved, and not set in this shell: ${listed(missing)}. Add ${counted(missing.length, 'variable')} to agent.env in its session.`,
        ]),
    ...(mailbox === null ? [] : [`Its mailbox ${mailbox} stays where it is; this one has none.`]),
    `Bring it back: houmao-mgr agents restart ${short}`,
    `Then have it go on: houmao-mgr agents gateway resume ${short}`,
  ];
}
