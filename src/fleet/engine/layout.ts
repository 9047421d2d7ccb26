// The names of everything that a fleet has in NATS: subjects, streams, buckets, and the rights of a host to them.
//
//   houmao.call.<host>           a call of an operation for an agent of that host; the answer comes to the caller's inbox
//   houmao.cmd.<host>.<agent>    a command for an agent, kept in the stream until that host has it (work queue)
//   houmao.evt.<host>            what happened on that host, in its order
//
// One account is one owner, so no subject names the owner.

/** The streams by what they keep. */
export const streams = { commands: 'HOUMAO_CMD', events: 'HOUMAO_EVT' } as const;

/** The KV buckets: the hosts, their agents, which host each of these belongs to, and how far each command is. */
export const buckets = {
  hosts: 'houmao_hosts',
  agents: 'houmao_agents',
  leases: 'houmao_leases',
  commands: 'houmao_commands',
} as const;

export const callSubject = (host: string): string => `houmao.call.${host}`;
export const commandSubject = (host: string, agent: string): string => `houmao.cmd.${host}.${tokenOf(agent)}`;
/** The subjects of all commands for a host. */
export const commandsOf = (host: string): string => `houmao.cmd.${host}.>`;
export const eventSubject = (host: string): string => `houmao.evt.${host}`;
/** The durable consumer by which a host takes its commands. Its name is fixed, so that reconnecting makes no second one. */
export const commandConsumer = (host: string): string => `host-${host}`;
/** The beginning of the subjects on which a host gets answers. No other host may read them. */
export const inboxPrefix = (host: string): string => `_INBOX.${host}`;

/** Returns a text as one token of a subject or key: characters that have a meaning there are written as `=` and their code. */
export const tokenOf = (text: string): string =>
  text.replace(/[^A-Za-z0-9_-]/gu, (character) =>
    [...Buffer.from(character)]
      .map((byte) => `=${byte.toString(16).padStart(2, '0').toUpperCase()}`)
      .join(''),
  );

/** The subjects that a host may publish to and subscribe to; everything else is denied. */
export interface HostRights {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/**
 * Returns the rights of one host: it takes only its own commands and calls, writes only its own record and agents, and deletes no
 * stream. That keeps apart hosts that make mistakes. A hostile one can still create a stream that is missing with a configuration of
 * its own, and empty a bucket by a rollup of all its keys: buckets are copies, which each host writes again.
 */
export function rightsOf(host: string): HostRights {
  const read = [streams.events, ...Object.values(buckets).map((bucket) => `KV_${bucket}`)];
  const api = '$JS.API';
  return {
    publish: [
      ...['houmao.call.*', 'houmao.cmd.*.*', eventSubject(host)],
      ...[
        `$KV.${buckets.hosts}.${host}`,
        `$KV.${buckets.agents}.${host}.*`,
        `$KV.${buckets.leases}.*`,
        `$KV.${buckets.commands}.*`,
      ],
      `${api}.INFO`,
      ...[streams.commands, ...read].flatMap((stream) => [
        `${api}.STREAM.CREATE.${stream}`,
        `${api}.STREAM.INFO.${stream}`,
      ]),
      ...read.flatMap((stream) => [
        `${api}.STREAM.MSG.GET.${stream}`,
        `${api}.DIRECT.GET.${stream}`,
        `${api}.DIRECT.GET.${stream}.>`,
        `${api}.CONSUMER.CREATE.${stream}.>`,
        `${api}.CONSUMER.INFO.${stream}.*`,
        `${api}.CONSUMER.DELETE.${stream}.*`,
        `$JS.FC.${stream}.>`,
      ]),
      // Buckets are watched by consumers that push.
      `${api}.CONSUMER.MSG.NEXT.${streams.events}.*`,
      // Of commands only its own consumer, which filters its own subjects.
      `${api}.CONSUMER.CREATE.${streams.commands}.${commandConsumer(host)}.${commandsOf(host)}`,
      `${api}.CONSUMER.INFO.${streams.commands}.${commandConsumer(host)}`,
      `${api}.CONSUMER.MSG.NEXT.${streams.commands}.${commandConsumer(host)}`,
      `$JS.ACK.${streams.commands}.${commandConsumer(host)}.>`,
      // Answers to calls of other hosts: any number for one call, as long as it takes, so `allow_responses` does not fit.
      `${inboxPrefix('*')}.>`,
    ],
    subscribe: [callSubject(host), `${inboxPrefix(host)}.>`],
  };
}
