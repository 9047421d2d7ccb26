import { describe, expect, test } from 'vitest';
import { check } from '../../torture/terminal/check.js';
import type { Answer, Facts, RequestSeen, SentPrompt, TurnSeen } from '../../torture/terminal/facts.js';

const at = '2026-01-01T00:00:10.000Z';
const now = Date.parse(at);
const one = 'tagx1x1x';
const other = 'tagx1x2x';

const accepted: Answer = { kind: 'accepted', id: 'r1' };
const sent: Answer = { kind: 'sent', turnId: 't1' };
const refused = (detail: string): Answer => ({
  kind: 'refused',
  status: 409,
  code: 'dispatch_failed',
  detail,
});
const prompt = (more: Partial<SentPrompt> = {}): SentPrompt => ({
  tag: one,
  door: 'request',
  forced: false,
  shape: 'short',
  prompt: `say ${one}`,
  answer: accepted,
  milliseconds: 0,
  ...more,
});
const request = (more: Partial<RequestSeen> = {}): RequestSeen => ({
  id: 'r1',
  prompt: `say ${one}`,
  state: 'completed',
  errorCode: null,
  errorDetail: null,
  waiting: null,
  ...more,
});
const turn = (more: Partial<TurnSeen> = {}): TurnSeen => ({
  id: 't1',
  origin: 'queue',
  requestId: 'r1',
  state: 'ended',
  delivery: 'confirmed',
  evidence: 'a row',
  outcome: 'completed',
  errorCode: null,
  errorDetail: null,
  ...more,
});
const taken = (text: string) => ({ at, pid: 1, prompt: text, text, source: 'typed' });

/** A request that was delivered as it should be. */
const fine: Facts = {
  prompts: [prompt()],
  requests: [request()],
  turns: [turn()],
  events: [],
  reminders: [],
  ledger: [taken(`say ${one}`), { at, pid: 1, done: true, outcome: 'answered' }],
  personKeys: [],
  drafts: [],
  blindMilliseconds: 0,
  interruptsAsked: [],
  shell: '',
  gatewaysKilled: 0,
};
const kinds = (more: Partial<Facts>) => check({ ...fine, ...more }).map(({ kind }) => kind);

test('what went as it should is no violation', () => {
  expect(check(fine)).toEqual([]);
});

describe('said to be delivered, and not taken', () => {
  test.each<[string, Partial<Facts>, number]>([
    ['a request and its turn', {}, 2],
    ['a direct prompt', { prompts: [prompt({ door: 'direct', answer: sent })], requests: [], turns: [] }, 1],
    [
      'a reminder',
      {
        prompts: [prompt({ door: 'reminder' })],
        requests: [],
        turns: [],
        events: [{ kind: 'reminder_completed', subject: 'r1', detail: null }],
      },
      1,
    ],
  ])('%s', (_what, more, times) => {
    expect(kinds({ ...more, ledger: [] })).toEqual(Array(times).fill('false sent'));
  });
});

describe('what the agent took', () => {
  test('twice is doubled; what waited in its queue was taken once', () => {
    expect(kinds({ ledger: [taken(`say ${one}`), taken(`say ${one}`)] })).toEqual(['doubled']);
    const queued = { at, pid: 1, queued: `say ${one}`, text: `say ${one}` };
    expect(kinds({ ledger: [queued, taken(`say ${one}`)] })).toEqual([]);
    expect(kinds({ ledger: [queued] })).toEqual([]);
  });

  test.each([
    ['two prompts in one', `say ${one}say ${other}`, 'merged'],
    ["a prompt and somebody's draft", `say ${one}draftx1x9x mine`, 'merged'],
    ["somebody's draft", 'draftx1x9x mine', 'merged'],
    ['a prompt with more', `say ${one}!`, 'changed'],
    ['half of a prompt', one, 'changed'],
    ['what nobody sent', 'ls', 'changed'],
  ])('%s', (_what, text, kind) => {
    const prompts = [prompt(), prompt({ tag: other, prompt: `say ${other}`, answer: { kind: 'none' } })];
    const ledger = text.includes(one) ? [taken(text)] : [taken(`say ${one}`), taken(text)];
    expect(kinds({ prompts, ledger })).toEqual([kind]);
  });

  test('with what somebody typed in the last moment is no fault of ours; with what was seen before, it is', () => {
    const ledger = [taken(`say ${one}draftx1x9x mine`)];
    const drafts = (ago: number) => [{ at: now - ago, tag: 'draftx1x9x' }];
    expect(kinds({ ledger, drafts: drafts(50) })).toEqual([]);
    expect(kinds({ ledger, drafts: drafts(1000) })).toEqual(['merged']);
    expect(kinds({ ledger, drafts: drafts(1000), blindMilliseconds: 1200 })).toEqual([]);
    expect(kinds({ ledger: [...ledger, taken('draftx1x9x mine')], drafts: drafts(50) })).toEqual(['merged']);
  });

  test('by the Enter of somebody is theirs, whatever it is, but not twice', () => {
    const personKeys = [{ at: now - 100, key: 'Enter' }];
    expect(kinds({ ledger: [taken(`say ${one}`), taken(`draftx1x9x mine`)], personKeys })).toEqual([]);
    expect(kinds({ ledger: [taken(`say ${one}draftx1x9x mine`)], personKeys })).toEqual([]);
    expect(kinds({ ledger: [taken(`say ${one}`), taken(`say ${one}`)], personKeys })).toEqual(['doubled']);
    const requests = [
      request({ state: 'failed', errorCode: 'dispatch_failed', errorDetail: 'It was not delivered.' }),
    ];
    expect(kinds({ requests, turns: [turn({ delivery: 'failed' })], personKeys })).toEqual([]);
  });

  test("by the Enter of somebody stays theirs while it waits in the agent's queue, and nothing else does", () => {
    const mine = 'draftx1x9x mine';
    const later = new Date(now + 60_000).toISOString();
    const personKeys = [{ at: now - 100, key: 'Enter' }];
    const waited = { ...taken(mine), at: later, source: 'queued' };
    const ledger = [taken(`say ${one}`), { at, pid: 1, queued: mine, text: mine }, waited];
    expect(kinds({ ledger, personKeys })).toEqual([]);
    expect(kinds({ ledger: [...ledger.slice(0, 2), { ...waited, source: 'absorbed' }], personKeys })).toEqual(
      [],
    );
    expect(kinds({ ledger })).toEqual(['merged']);
    const typedInto = `say ${one}${mine}`;
    const queued = [
      { at, pid: 1, queued: typedInto, text: typedInto },
      { ...waited, prompt: typedInto, text: typedInto },
    ];
    const drafts = [{ at: now - 50, tag: 'draftx1x9x' }];
    expect(kinds({ ledger: queued, drafts })).toEqual([]);
    expect(kinds({ ledger: queued })).toEqual(['merged']);
    expect(kinds({ ledger: [...ledger.slice(0, 2), { ...waited, source: 'typed' }], personKeys })).toEqual([
      'merged',
    ]);
  });

  test('may lack control characters, and be composed otherwise', () => {
    const odd = `\u0003${one}\u001b[201~ e\u0301`;
    const reported = { prompts: [prompt({ prompt: odd })], requests: [request({ prompt: odd })] };
    expect(kinds({ ...reported, ledger: [taken(`${one} \u00e9`)] })).toEqual([]);
  });

  test('in another order than it was accepted is out of order', () => {
    const prompts = [
      prompt(),
      prompt({ tag: other, prompt: `say ${other}`, answer: { kind: 'accepted', id: 'r2' } }),
    ];
    const requests = [request(), request({ id: 'r2', prompt: `say ${other}` })];
    expect(kinds({ prompts, requests, ledger: [taken(`say ${other}`), taken(`say ${one}`)] })).toEqual([
      'out of order',
    ]);
  });
});

describe('an end', () => {
  const failed = { state: 'failed', errorCode: 'dispatch_failed', errorDetail: 'It was not delivered.' };
  const notDelivered = turn({ delivery: 'failed', outcome: 'failed' });

  test('as failed says the truth: it was not taken, or nobody can tell', () => {
    const requests = [request(failed)];
    expect(kinds({ requests, turns: [notDelivered], ledger: [] })).toEqual([]);
    expect(kinds({ requests, turns: [turn({ delivery: 'unconfirmed' })] })).toEqual([]);
    expect(kinds({ requests, turns: [notDelivered] })).toEqual([
      'taken though failed',
      'taken though failed',
    ]);
  });

  test.each<[string, Partial<RequestSeen>]>([
    ['failed without a code', { ...failed, errorCode: null }],
    ['failed without a sentence', { ...failed, errorDetail: null }],
    ['waits without a reason', { state: 'accepted' }],
    ['never ends', { state: 'running' }],
  ])('that is none is a loss: %s', (_what, more) => {
    expect(kinds({ requests: [request(more)], turns: [], ledger: [] })).toEqual(['lost']);
  });

  test('is not needed of what waits for a reason', () => {
    const requests = [request({ state: 'accepted', waiting: 'The TUI is not submit-ready.' })];
    expect(kinds({ requests, turns: [], ledger: [] })).toEqual([]);
    expect(kinds({ requests, turns: [] })).toEqual(['taken though failed']);
  });

  test('is stored of each request that was accepted, and of each turn', () => {
    expect(kinds({ requests: [], turns: [] })).toEqual(['lost']);
    expect(kinds({ turns: [turn({ delivery: 'handed_over' })] })).toEqual(['lost']);
  });

  test('of a direct prompt that was refused is not that it was taken, unless that was left open', () => {
    const reported = { requests: [], turns: [] };
    const direct = (answer: Answer) => ({ ...reported, prompts: [prompt({ door: 'direct', answer })] });
    expect(kinds(direct(refused('It was not delivered.')))).toEqual(['taken though failed']);
    expect(kinds(direct(refused('It is not known whether the agent took the prompt.')))).toEqual([]);
    expect(kinds({ ...direct(refused('It was not delivered.')), ledger: [] })).toEqual([]);
    expect(kinds({ ...direct(refused('')), ledger: [] })).toEqual(['lost']);
    expect(kinds(direct({ kind: 'none' }))).toEqual([]);
  });

  test('of a reminder is reported, unless its gateway was killed', () => {
    const reported = { prompts: [prompt({ door: 'reminder' })], requests: [], turns: [], ledger: [] };
    expect(kinds(reported)).toEqual(['lost']);
    expect(kinds({ ...reported, reminders: ['r1'] })).toEqual([]);
    expect(kinds({ ...reported, gatewaysKilled: 1 })).toEqual([]);
  });
});

describe('a dialog', () => {
  const dialog = { at, pid: 1, dialog: 'permission', key: 'Enter', answer: 'Yes' };
  const answered = (more: object, who: Partial<Facts> = {}) =>
    kinds({ ledger: [taken(`say ${one}`), { ...dialog, ...more }], ...who });

  test('is answered by people only', () => {
    expect(answered({})).toEqual(['dialogs answered']);
    expect(answered({}, { personKeys: [{ at: now - 100, key: 'Enter' }] })).toEqual([]);
    expect(answered({}, { personKeys: [{ at: now - 100, key: '1' }] })).toEqual(['dialogs answered']);
    expect(answered({}, { personKeys: [{ at: now - 60_000, key: 'Enter' }] })).toEqual(['dialogs answered']);
  });

  test('may get the Escape of an interrupt that was asked for', () => {
    const asked = { interruptsAsked: [now - 1000] };
    expect(answered({ key: 'Escape', answer: null }, asked)).toEqual([]);
    expect(answered({ key: 'Escape', answer: null })).toEqual(['dialogs answered']);
    expect(answered({}, asked)).toEqual(['dialogs answered']);
  });
});

test('a shell gets nothing of ours', () => {
  expect(kinds({ shell: `rest of ${one}` })).toEqual(['shell fed']);
  expect(kinds({ shell: 'draftx1x9x mine\r' })).toEqual([]);
});
