// A deterministic model server for 127.0.0.1: Anthropic Messages, OpenAI Responses and Gemini generateContent.
// Every answer repeats the user's last text; what else should happen is asked for in that text (see prompt.ts).
// Fidelity to the real APIs is what the pinned CLIs accept. Not faked: thinking blocks, images, websockets, OAuth.
import { createHash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { anthropic } from './anthropic.js';
import type { Answer, ModelApi, ModelCall } from './api.js';
import { gemini } from './gemini.js';
import { type Json, obj } from './json.js';
import { openai } from './openai.js';
import { type Directives, instanceOf, readDirectives, replyTo, tokensOf } from './prompt.js';

/** One request. `status`, `aborted` and `durationMs` are filled in when its answer is over. */
export interface LoggedRequest {
  readonly serial: number;
  readonly method: string;
  readonly path: string;
  readonly api: ModelApi['name'] | undefined;
  /** The credential as it came, to prove that only the fake one is ever sent. */
  readonly credential: string | undefined;
  readonly bodyBytes: number;
  readonly model: string | undefined;
  readonly reasoning: Json | undefined;
  /** The first 2,000 characters of the user's last text. */
  readonly text: string | undefined;
  readonly textLength: number;
  /** {@link digestOf} all of it: shows that a long one came unchanged. */
  readonly textDigest: string | undefined;
  /** Entries of the conversation sent with it: a resumed one has more than a new one. */
  readonly conversationLength: number;
  /** The first 200 characters of everything the user has said in the conversation, oldest first. */
  readonly userTexts: readonly string[];
  /** The instructions that are not from the user. */
  readonly instructions: string;
  /** The tools on offer; one of a namespace as `<namespace>.<name>`. */
  readonly toolNames: readonly string[];
  /** A call that the CLI makes for itself (a title, a choice of model), not the user's turn. */
  readonly side: boolean;
  status: number | undefined;
  /** The client hung up before the answer was complete. */
  aborted: boolean;
  durationMs: number | undefined;
}

export interface FakeModel {
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  readonly url: string;
  /** The newest 2,000 requests, oldest first; also `GET /_ctl/log`. */
  readonly log: readonly LoggedRequest[];
  /** The requests of users' turns whose last text contains this. */
  turns(text: string): readonly LoggedRequest[];
  /** Resolves with the first such request as soon as it is there, before it is answered. */
  turn(text: string): Promise<LoggedRequest>;
  close(): Promise<void>;
}

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const MAX_LOG = 2000;
const MAX_LOGGED_TEXT = 2000;
const MAX_BODY_BYTES = 64 * 1024 * 1024;
const KEEP_ALIVE_MS = 500;

export async function startFakeModel(port = 0): Promise<FakeModel> {
  const state: State = { log: [], arrivals: new EventEmitter(), failures: new Map(), serial: 0 };
  state.arrivals.setMaxListeners(0);
  const server = http.createServer((req, res) => {
    handle(state, req, res).catch((error: unknown) => fail(res, error));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const turns = (text: string) =>
    state.log.filter((entry) => entry.api !== undefined && !entry.side && entry.text?.includes(text));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    log: state.log,
    turns,
    async turn(text) {
      for (;;) {
        const [found] = turns(text);
        if (found) return found;
        await once(state.arrivals, 'request');
      }
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

interface State {
  readonly log: LoggedRequest[];
  readonly arrivals: EventEmitter;
  /** How often a prompt with `[[status=NxK]]` was refused so far. */
  readonly failures: Map<string, number>;
  serial: number;
}

async function handle(state: State, req: http.IncomingMessage, res: http.ServerResponse): Promise<void> {
  const url = new URL(req.url ?? '/', 'http://127.0.0.1');
  if (url.pathname === '/_ctl/log') return sendJson(res, 200, state.log);
  const raw = await readBody(req);
  const body = parse(raw);
  const api = req.method === 'POST' ? apiOf(url.pathname) : undefined;
  const call = api?.readCall(body, url);
  const { serial } = record(state, req, res, { url, bytes: raw.length, api, call });
  if (api && call) return answerCall(state, res, api, call, serial);
  if (req.method === 'POST' && url.pathname.endsWith('/count_tokens')) {
    return sendJson(res, 200, { input_tokens: tokensOf(body.messages) });
  }
  if (req.method === 'POST' && url.pathname.endsWith(':countTokens')) {
    return sendJson(res, 200, { totalTokens: tokensOf(body.contents ?? body) });
  }
  if (req.method === 'GET' && url.pathname.endsWith('/models')) return sendJson(res, 200, MODELS);
  if (req.method === 'HEAD') return void res.writeHead(200).end();
  const message = `fake: no route ${req.method} ${url.pathname}`;
  return sendJson(res, 404, { error: { type: 'not_found_error', message } });
}

const MODELS = {
  object: 'list',
  data: [{ id: 'fake-model', type: 'model', object: 'model', display_name: 'Fake' }],
  has_more: false,
  models: [],
};

function apiOf(pathname: string): ModelApi | undefined {
  if (pathname.endsWith('/messages')) return anthropic;
  if (pathname.endsWith('/responses')) return openai;
  return /\/models\/[^:]+:(generateContent|streamGenerateContent)$/.test(pathname) ? gemini : undefined;
}

async function readBody(req: http.IncomingMessage): Promise<Buffer> {
  if (req.headers['content-encoding'] !== undefined)
    throw new Error('fake: encoded bodies are not understood');
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of req) {
    length += (part as Buffer).length;
    if (length > MAX_BODY_BYTES) throw new Error(`fake: more than ${MAX_BODY_BYTES} bytes`);
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts);
}

function parse(raw: Buffer): Json {
  return raw.length === 0 ? {} : obj(JSON.parse(raw.toString('utf8')));
}

interface Arrival {
  readonly url: URL;
  readonly bytes: number;
  readonly api: ModelApi | undefined;
  readonly call: ModelCall | undefined;
}

function record(
  state: State,
  req: http.IncomingMessage,
  res: http.ServerResponse,
  arrival: Arrival,
): LoggedRequest {
  const { url, bytes, api, call } = arrival;
  const started = performance.now();
  const entry: LoggedRequest = {
    serial: ++state.serial,
    method: req.method ?? '',
    path: url.pathname,
    api: api?.name,
    credential: credentialOf(req),
    bodyBytes: bytes,
    model: call?.model,
    reasoning: call?.reasoning,
    text: call?.text.slice(0, MAX_LOGGED_TEXT),
    textLength: call?.text.length ?? 0,
    textDigest: call && digestOf(call.text),
    conversationLength: call?.conversationLength ?? 0,
    userTexts: call?.userTexts ?? [],
    instructions: call?.instructions ?? '',
    toolNames: call?.toolNames ?? [],
    side: call?.schema !== undefined,
    status: undefined,
    aborted: false,
    durationMs: undefined,
  };
  state.log.push(entry);
  if (state.log.length > MAX_LOG) state.log.shift();
  res.once('close', () => {
    entry.status = res.headersSent ? res.statusCode : undefined;
    entry.aborted = !res.writableFinished;
    entry.durationMs = Math.round(performance.now() - started);
  });
  state.arrivals.emit('request');
  return entry;
}

function credentialOf(req: http.IncomingMessage): string | undefined {
  const { authorization } = req.headers;
  const key = req.headers['x-api-key'] ?? req.headers['x-goog-api-key'];
  return authorization?.replace(/^Bearer /, '') ?? key?.toString();
}

async function answerCall(
  state: State,
  res: http.ServerResponse,
  api: ModelApi,
  call: ModelCall,
  serial: number,
): Promise<void> {
  // A call that the CLI makes for itself gets a valid answer at once, or a test's delay would hit the wrong request.
  const asked = readDirectives(call.schema ? '' : call.text);
  const status = failureStatus(state, call.text, asked);
  if (status !== undefined) return sendJson(res, status, api.errorBody(status));
  const answer = answerTo(call, asked, serial);
  if (call.stream) return sendStream(res, api, call, answer, asked);
  await pause(res, asked.delayMs);
  if (asked.die) return void res.destroy();
  if (!res.destroyed) sendJson(res, 200, api.wholeAnswer(call, answer));
}

function failureStatus(state: State, text: string, asked: Directives): number | undefined {
  if (!asked.failure) return undefined;
  const failures = state.failures.get(text) ?? 0;
  if (failures >= asked.failure.tries) return undefined;
  state.failures.set(text, failures + 1);
  return asked.failure.status;
}

function answerTo(call: ModelCall, asked: Directives, serial: number): Answer {
  const known = call.toolNames.length === 0 || call.toolNames.includes(asked.tool?.name ?? '');
  const text = call.schema
    ? JSON.stringify(instanceOf(call.schema))
    : replyTo(call.text, serial, asked.words);
  return {
    serial,
    text,
    tool: known && !call.afterTool ? asked.tool : undefined,
    inputTokens: asked.inputTokens ?? call.inputTokens,
    outputTokens: tokensOf(text),
  };
}

async function sendStream(
  res: http.ServerResponse,
  api: ModelApi,
  call: ModelCall,
  answer: Answer,
  asked: Directives,
): Promise<void> {
  const stream = api.streamAnswer(call, answer);
  res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  res.flushHeaders();
  send(res, stream.opening);
  await pause(res, asked.delayMs, () => send(res, stream.keepAlive));
  if (asked.die) return void res.destroy();
  for (const delta of stream.deltas) {
    send(res, delta);
    await pause(res, asked.dripMs);
  }
  send(res, stream.closing);
  res.end();
}

function send(res: http.ServerResponse, text: string): void {
  if (text !== '' && !res.destroyed) res.write(text);
}

/** Waits, but not longer than the client stays; `tick` keeps the connection busy meanwhile. */
async function pause(res: http.ServerResponse, ms: number, tick?: () => void): Promise<void> {
  const end = performance.now() + ms;
  for (let left = ms; left > 0 && !res.destroyed; left = end - performance.now()) {
    await sleep(Math.min(KEEP_ALIVE_MS, left));
    if (left > KEEP_ALIVE_MS) tick?.();
  }
}

function sendJson(res: http.ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function fail(res: http.ServerResponse, error: unknown): void {
  if (res.headersSent) res.destroy();
  else sendJson(res, 500, { error: { message: String(error) } });
}
