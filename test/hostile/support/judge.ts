import { notImplemented } from '../../../src/gateway/handlers/not-implemented.js';
import { expectClean } from '../../contract/support/clean-answer.js';
import {
  accepts,
  brokenBy,
  type HostileOperation,
  isValidBody,
  isValidQuery,
  isWithinLimits,
} from './contract.js';
import type { HostileRequest } from './hostile-request.js';
import type { HostileAnswer } from './stage.js';

/**
 * Holds an answer against the contract and against what was sent.
 * @throws Error that says what is wrong with it.
 */
export function judge(
  operation: HostileOperation,
  sent: HostileRequest,
  answer: HostileAnswer,
  root: string,
): void {
  const { status, text } = answer;
  const fault = (what: string): Error =>
    new Error(`${operation.operationId} answered ${status}: ${what}: ${text.slice(0, 600)}`);
  const isNo = (status === 501 && isMissing(operation)) || (status === 502 && mailboxRefusal.test(text));
  if (status >= 500 && !isNo) throw fault('a fault');
  if (!operation.statuses.has(status) && !(sent.oddPath && (status === 400 || status === 404)))
    throw fault('a status that the contract does not declare');
  if (answer.headers['content-type'] !== 'application/json; charset=utf-8') throw fault('no JSON');
  if (!/^http-[0-9a-f]+$/.test(String(answer.headers['x-request-id']))) throw fault('no request id');
  if (text.includes(root)) throw fault('a place on the disk');
  expectClean(text);
  const body: unknown = JSON.parse(text);
  if (status >= 400 && Object.keys(body as object).join() !== 'detail') throw fault('no envelope');
  const broken = operation.statuses.has(status) ? brokenBy(operation, status, body) : null;
  if (broken !== null) throw fault(`an answer that breaks the contract (${broken})`);
  const trouble = troubleWith(operation, sent);
  if (trouble !== null && status < 300) throw fault(`taken, although ${trouble}`);
  if (sent.body === null || operation.body === null || sent.oddPath) return;
  if (!isWithinLimits(sent.body)) {
    if (trouble === null && status !== 413 && status !== 422) throw fault('not refused, beyond all limits');
  } else if (trouble === null && Array.isArray((body as { detail?: unknown }).detail))
    throw fault('refused by the walls, although the contract allows it');
}

/** What a mailbox refuses as it is now; what its disk or its databases refuse is a fault. */
const mailboxRefusal =
  /is no mailbox address|has no (?:active )?mailbox here|goes with archived=false|is not in the mailbox of|is no message of|attachments\[\d+\]\.path: |destination_box: |a message here begins with/;

/** What the gateway serves with 501 for an agent with a mailbox. */
const isMissing = (operation: HostileOperation): boolean =>
  notImplemented[operation.operationId as keyof typeof notImplemented]?.on.includes(
    'agents_with_mail_server',
  ) ?? false;

/** @returns why a request must be refused, null when nothing in the contract is against it. */
export function troubleWith(operation: HostileOperation, sent: HostileRequest): string | null {
  if (!isValidQuery(operation, new URLSearchParams(sent.query))) return 'its query breaks the contract';
  const key = sent.headers['Idempotency-Key'];
  const keySchema = operation.parameters.find((one) => one.name === 'Idempotency-Key')?.schema;
  // Blanks around a header's value are no part of it.
  if (key !== undefined && keySchema && !accepts(keySchema, key.trim())) return 'its key breaks the contract';
  if (operation.body === null || sent.body === null) return null;
  const type = sent.headers['Content-Type'] ?? '';
  if (!/^application\/json(?:;|$)/.test(type)) return 'its type is not JSON';
  return isValidBody(operation.body, sent.body) ? null : 'its body breaks the contract';
}
