import type { operations } from '../../../generated/gateway/server/operations.js';

export type GatewayOperation = keyof typeof operations;

/** Where nothing waits, a gateway answers in milliseconds. */
const usual = 5000;
/** Types, ends a turn first, or waits for locks and mail servers. */
const long = 60_000;
const actsLong: ReadonlySet<GatewayOperation> = new Set<GatewayOperation>([
  'controlPrompt',
  'sendKeys',
  'getMailStatus',
  'listMail',
  'peekMail',
  'readMail',
  'sendMail',
  'postMail',
  'replyMail',
  'markMail',
  'moveMail',
  'archiveMail',
]);

/** For how many milliseconds a gateway may take over a call. One that waits gets the usual time on top of its wait. */
export function callLimit(operation: GatewayOperation, query: Readonly<Record<string, unknown>>): number {
  const { wait_seconds: wait } = query;
  if (typeof wait === 'number' && wait > 0) return wait * 1000 + usual;
  return actsLong.has(operation) ? long : usual;
}
