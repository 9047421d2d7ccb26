// The names of everything that a fleet has in NATS: subjects, streams, buckets, and the rights of a host to them.
//
//   houmao.call.<host>           a call of an operation for an agent of that host; the answer comes to the caller's inbox
//   houmao.cmd.<host>.<agent>    a command for an agent, kept in the stream until that host has it (work queue)
//   houmao.evt.<host>            what happened on that host, in its order
//   houmao.mail.<host>.<from>    mail for that host, and what became of its own at another one, kept until that host has it (work queue)
//
// One account is one owner, so no subject names the owner.

/** The streams by what they keep. */
export const streams = { commands: 'HOUMAO_CMD', events: 'HOUMAO_EVT', mail: 'HOUMAO_MAIL' } as const;

/** The object store with the files of mail, and with documents that are too large for a message. */
export const filesBucket = 'houmao_files';

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
export const mailSubject = (host: string, from: string): string => `houmao.mail.${host}.${from}`;
/** The subjects of all mail for a host. */
export const mailOf = (host: string): string => `houmao.mail.${host}.*`;
/** Returns the host that a message of the mail stream comes from. No other host may publish on its subject. */
export const mailSender = (subject: string): string => subject.split('.')[3] ?? '';
/** The durable consumer by which a host takes its commands, or its mail. Its name is fixed, so that reconnecting makes no second one. */
export const hostConsumer = (host: string): string => `host-${host}`;
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
  const files = `OBJ_${filesBucket}`;
  const read = [streams.events, files, ...Object.values(buckets).map((bucket) => `KV_${bucket}`)];
  const queues = { [streams.commands]: commandsOf(host), [streams.mail]: mailOf(host) };
  const consumer = hostConsumer(host);
  const api = '$JS.API';
  return {
    publish: [
      ...['houmao.call.*', 'houmao.cmd.*.*', eventSubject(host), mailSubject('*', host)],
      ...[
        `$KV.${buckets.hosts}.${host}`,
        `$KV.${buckets.agents}.${host}.*`,
        `$KV.${buckets.leases}.*`,
        `$KV.${buckets.commands}.*`,
        `$O.${filesBucket}.C.*`,
        `$O.${filesBucket}.M.*`,
      ],
      `${api}.INFO`,
      ...[...Object.keys(queues), ...read].flatMap((stream) => [
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
      // An object that could not be stored whole, or was taken, is removed again.
      `${api}.STREAM.PURGE.${files}`,
      // Buckets are watched by consumers that push.
      ...[streams.events, files].map((stream) => `${api}.CONSUMER.MSG.NEXT.${stream}.*`),
      // Of commands and mail only its own consumers, which filter its own subjects.
      ...Object.entries(queues).flatMap(([stream, own]) => [
        `${api}.CONSUMER.CREATE.${stream}.${consumer}.${own}`,
        `${api}.CONSUMER.INFO.${stream}.${consumer}`,
        `${api}.CONSUMER.MSG.NEXT.${stream}.${consumer}`,
        `$JS.ACK.${stream}.${consumer}.>`,
      ]),
      // Answers to calls of other hosts: any number for one call, as long as it takes, so `allow_responses` does not fit.
      `${inboxPrefix('*')}.>`,
    ],
    subscribe: [callSubject(host), `${inboxPrefix(host)}.>`],
  };
}
