import { expectClean } from '../../contract/support/clean-answer.js';
import { type HostileContract, type HostileOperation, isWithinLimits } from './contract.js';
import type { HostileRequest } from './hostile-request.js';
import type { HostileAnswer } from './stage.js';
import type { HostileSurface } from './surface.js';

/**
 * Holds an answer against the contract and against what was sent.
 * @param root where everything of the programs is; no refusal may name it.
 * @throws Error that says what is wrong with it.
 */
export function judge(
  { contract, tellsPlaces, mayFail }: HostileSurface,
  operation: HostileOperation,
  sent: HostileRequest,
  answer: HostileAnswer,
  root: string,
): void {
  const { status, text } = answer;
  const fault = (what: string): Error =>
    new Error(`${operation.operationId} answered ${status}: ${what}: ${text.slice(0, 600)}`);
  if (status >= 500 && !mayFail(operation, answer)) throw fault('a fault');
  const declared = operation.statuses.has(status);
  if (!declared && !(sent.oddPath && (status === 400 || status === 404)))
    throw fault('a status that the contract does not declare');
  if (!/^http-[0-9a-f]+$/.test(String(answer.headers['x-request-id']))) throw fault('no request id');
  if (status >= 400 || !tellsPlaces) {
    if (text.includes(root)) throw fault('a place on the disk');
    expectClean(text);
  }
  const trouble = troubleWith(contract, operation, sent);
  if (trouble !== null && status < 300) throw fault(`taken, although ${trouble}`);
  const type = answer.headers['content-type'];
  if (status < 300 && !contract.isJson(operation, status)) {
    if (!textTypes.includes(type ?? '')) throw fault(`no text but ${type}`);
    return;
  }
  if (type !== 'application/json; charset=utf-8') throw fault('no JSON');
  const body: unknown = JSON.parse(text);
  if (status >= 400 && Object.keys(body as object).join() !== 'detail') throw fault('no envelope');
  const broken = declared ? contract.brokenBy(operation, status, body) : null;
  if (broken !== null) throw fault(`an answer that breaks the contract (${broken})`);
  if (sent.body === null || operation.body === null || sent.oddPath) return;
  if (!isWithinLimits(sent.body)) {
    if (trouble === null && status !== 413 && status !== 422) throw fault('not refused, beyond all limits');
  } else if (
    trouble === null &&
    Array.isArray((body as { detail?: unknown }).detail) &&
    !haveOwnRules.has(operation.operationId)
  )
    throw fault('refused by the walls, although the contract allows it');
}

const textTypes = ['text/plain; charset=utf-8', 'text/plain; version=0.0.4; charset=utf-8'];
/** Their handlers name field and rule as the walls do, for what no schema says: kinds of events, addresses, programs. */
const haveOwnRules: ReadonlySet<string> = new Set(['createNotification', 'updateNotification']);

/** @returns why a request must be refused, null when nothing in the contract is against it. */
export function troubleWith(
  { isValidQuery, isValidBody, accepts }: HostileContract,
  operation: HostileOperation,
  sent: HostileRequest,
): string | null {
  if (!isValidQuery(operation, new URLSearchParams(sent.query))) return 'its query breaks the contract';
  const key = sent.headers['Idempotency-Key'];
  const keySchema = operation.parameters.find((one) => one.name === 'Idempotency-Key')?.schema;
  // Blanks around a header's value are no part of it.
  if (key !== undefined && keySchema && !accepts(keySchema, key.trim())) return 'its key breaks the contract';
  if (operation.body === null || sent.body === null) return null;
  if (sent.body.length === 0 && operation.bodyOptional) return null;
  const type = sent.headers['Content-Type'] ?? '';
  if (!/^application\/json(?:;|$)/.test(type)) return 'its type is not JSON';
  return isValidBody(operation.body, sent.body) ? null : 'its body breaks the contract';
}
