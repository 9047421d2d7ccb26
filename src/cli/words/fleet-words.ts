// A fleet in words: how a server stands in it, what waits there, and the prompts for hosts as columns.
import type { Schemas } from '@houmao/sdk/managed-agent';
import { previewWords } from './request-words.js';
import { table } from './terminal-output.js';

const plural = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

/** Pure: what a server of a fleet has that waits, in words. */
export const waitingLines = ({
  events_waiting: events,
  commands_waiting: commands,
  mail_waiting: mail,
}: Pick<Schemas['FleetStatus'], 'events_waiting' | 'commands_waiting' | 'mail_waiting'>): string[] => [
  ...(events > 0 ? [`${plural(events, 'event')} of this host: not published yet.`] : []),
  ...(commands > 0
    ? [`${plural(commands, 'prompt')} from the fleet: not in the queue of their agent yet.`]
    : []),
  ...(mail > 0 ? [`${plural(mail, 'message')} for other hosts: not confirmed by them yet.`] : []),
];

/** Pure: how a server stands in its fleet, in words. */
export function statusLines(
  { state, since_utc, detail, host, address, ...waits }: Schemas['FleetStatus'],
  time: (iso: string) => string,
): string[] {
  const since = since_utc === null ? '' : ` since ${time(since_utc)}`;
  const waiting = waitingLines(waits);
  switch (state) {
    case 'none':
      return ['This server is in no fleet. Join one: houmao-mgr fleet join <url>'];
    case 'online':
      return [`${host} is in the fleet at ${address}${since}.`, ...waiting];
    case 'connecting':
      return [`${host} connects to the fleet at ${address}${since}.`, ...waiting];
    case 'refused':
      return [`${host} is refused${since}: ${detail}.`, ...waiting];
    default:
      return [`${host} is offline${since}, and goes on alone: ${detail}.`, ...waiting];
  }
}

/** Pure: prompts for agents of other hosts as columns. */
export const commandTable = (
  commands: readonly Schemas['FleetCommand'][],
  time: (iso: string) => string,
): string[] =>
  table([
    ['COMMAND', 'AGENT', 'STATE', 'GIVEN', 'UNTIL', 'PROMPT'],
    ...commands.map((one) => [
      one.command_id,
      `${one.agent_ref}@${one.host}`,
      one.state,
      time(one.accepted_at_utc),
      one.deadline_at_utc === null ? '' : time(one.deadline_at_utc),
      previewWords(one.prompt_preview ?? ''),
    ]),
  ]);
