import type { Schemas } from '@houmao/sdk';
import { countedWith } from '../../foundation/text.js';
import type { TimeWords } from './local-time.js';
import { reasonWords } from './obstacle-words.js';
import { type Output, table } from './terminal-output.js';

type RequestRecord = Schemas['RequestRecord'];

/**
 * Reports each step once: queued, waiting and why, running, delivered.
 *
 * @param name as the operator named it
 * @param server the flag that leads to the same server, with a blank before it; empty when none is needed
 */
export function announce(
  before: RequestRecord | null,
  now: RequestRecord,
  name: string,
  server: string,
  output: Output,
): void {
  if (before === null && now.state !== 'cancelled') output.progress(`Queued as ${now.request_id}`);
  if (now.waiting_reason && now.waiting_reason.detail !== before?.waiting_reason?.detail)
    output.progress(`Waiting: ${reasonWords(now.waiting_reason, name, server)}`);
  if (runs(now) && !(before && runs(before))) output.progress(`Running as ${now.turn?.turn_id}`);
  const delivery = now.turn?.delivery;
  if (delivery?.state === 'confirmed' && before?.turn?.delivery.state !== 'confirmed')
    output.progress(`Delivered: ${delivery.evidence}`);
}

/**
 * Returns whether a request runs. In a terminal the request is completed when the agent has the prompt, and the turn continues.
 */
const runs = ({ state, turn }: RequestRecord): boolean => state === 'running' || turn?.state === 'running';

/** Describes the result of an interrupt. */
export function interruptWords({ result, state, error }: RequestRecord): string {
  if (result?.outcome === 'stopped') {
    // A server that stops a turn for us does not report the signal.
    return `Turn ${result.turn_id} was interrupted${result.signal === null ? '' : ` (${result.signal})`}.`;
  }
  if (error) return `The interrupt failed (${error.code}): ${error.detail}`;
  return result?.outcome === 'no_op' ? 'Nothing was running.' : `The interrupt is ${state}.`;
}

/** Lists the waiting requests before they are adopted or discarded; no lines when none waits. */
export const waitingLines = ({ requests, next_cursor }: Schemas['RequestList']): string[] => {
  const count = next_cursor === null ? requests.length : `${requests.length} or more`;
  return requests.length === 0
    ? []
    : [
        `${countedWith(count, 'request', ['waits', 'wait'])}:`,
        ...requests.map((one) => `  ${one.request_id}  ${previewOf(one)}`),
      ];
};

/** Describes the decision about requests of earlier instances. */
export function reconciledWords(settled: Schemas['ReconcileResult']): string {
  const { adopted, discarded, managed_agent_instance_epoch: epoch } = settled;
  const done =
    adopted + discarded === 0
      ? 'No request of an earlier instance waits'
      : `Adopted ${adopted}, discarded ${discarded}`;
  return `${done}; new requests are accepted (epoch ${epoch}).`;
}

/** Prints a list of requests as columns. */
export const requestTable = (requests: readonly RequestRecord[], time: TimeWords): string[] =>
  table([
    ['REQUEST', 'STATE', 'TURN', 'ACCEPTED', 'PROMPT'],
    ...requests.map((one) => [
      one.request_id,
      one.state,
      turnNews(one),
      time(one.accepted_at_utc),
      previewOf(one),
    ]),
  ]);

/** Returns the state of the turn, when it differs from that of the request. */
function turnNews({ state, turn }: RequestRecord): string {
  const news = turn && (turn.outcome ?? turn.state);
  return news && news !== state ? news : '';
}

const shortPreview = 60;
const inOneLine = (text: string): string => text.replace(/\s+/g, ' ');

const previewOf = ({ prompt_preview, request_kind }: RequestRecord): string =>
  previewWords(prompt_preview ?? `(${request_kind})`);

/** Shortens the beginning of a prompt to a cell of a table. */
export function previewWords(prompt: string): string {
  const preview = inOneLine(prompt);
  return preview.length > shortPreview ? `${preview.slice(0, shortPreview)}…` : preview;
}

/** Prints `12 input tokens, 3 output tokens, claude-opus-4-6`; for the whole conversation when the agent reports only that. */
export function usageWords({ model, scope, amounts }: Schemas['TurnUsage']): string {
  const reported = ['input_tokens', 'output_tokens'].filter((name) => amounts[name] !== undefined);
  const tokens = reported.map((name) => `${amounts[name]} ${name.replace('_', ' ')}`).join(', ');
  const counted = tokens && scope === 'conversation' ? `${tokens} in this conversation` : tokens;
  return [counted, model ?? ''].filter((part) => part !== '').join(', ');
}

/** Prints the labels of a prompt: `ticket=HOU-1, team=core`. */
export const labelWords = (metadata: RequestRecord['metadata']): string =>
  Object.entries(metadata ?? {})
    .map(([key, value]) => `${key}=${inOneLine(value)}`)
    .join(', ');

/** Prints one request with its details; its answer comes last, after an empty line. */
export function requestLines(one: RequestRecord, name: string, server: string, time: TimeWords): string[] {
  const { turn, waiting_reason } = one;
  const error = one.error ?? turn?.error;
  const rows: [string, string | null | undefined][] = [
    ['accepted', time(one.accepted_at_utc)],
    ['started', one.started_at_utc && time(one.started_at_utc)],
    ['finished', one.finished_at_utc && time(one.finished_at_utc)],
    ['waiting', waiting_reason && reasonWords(waiting_reason, name, server)],
    ['turn', turn && `${turn.turn_id}, delivery ${turn.delivery.state}, ${turn.outcome ?? turn.state}`],
    ['used', turn?.usage && usageWords(turn.usage)],
    ['error', error && `${error.detail} (${error.code})`],
    ['replaced by', one.superseded_by],
    ['not sent', one.not_sent],
    ['result', one.result && interruptWords(one)],
    ['metadata', labelWords(one.metadata)],
    ['prompt', one.prompt_preview && inOneLine(one.prompt_preview)],
  ];
  const known = rows.flatMap(([name, value]) => (value ? [[name, value]] : []));
  const answer = turn?.answer?.text;
  return [
    `${one.request_id}  ${one.state}`,
    ...table(known).map((line) => `  ${line}`),
    ...(answer ? ['', answer] : []),
  ];
}
