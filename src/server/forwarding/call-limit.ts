import type { operations } from '../../../generated/gateway/server/operations.js';

export type GatewayOperation = keyof typeof operations;

/** The limit of calls that wait for nothing: a gateway answers them in milliseconds. */
const usual = 5000;
/** The limit of calls that type, end a turn first, or wait for locks and mail servers. */
const long = 60_000;
/**
 * The limit of calls with files. The gateway itself gives a mail server a second per MiB beside its usual time: 74 s for
 * the largest file that is fetched, and for a message its uploads and 60 s. If this server gave up sooner, the result
 * would be lost.
 */
const withFiles = 180_000;
const limits: Readonly<Partial<Record<GatewayOperation, number>>> = {
  controlPrompt: long,
  sendKeys: long,
  answerDialog: long,
  getMailStatus: long,
  listMail: long,
  peekMail: long,
  readMail: long,
  markMail: long,
  moveMail: long,
  archiveMail: long,
  fetchMailAttachment: withFiles,
  sendMail: withFiles,
  postMail: withFiles,
  replyMail: withFiles,
};

/** Returns how many milliseconds a gateway may take for a call. One that waits gets the usual time on top of its wait. */
export function callLimit(operation: GatewayOperation, query: Readonly<Record<string, unknown>>): number {
  const { wait_seconds: wait } = query;
  if (typeof wait === 'number' && wait > 0) return wait * 1000 + usual;
  return limits[operation] ?? usual;
}
