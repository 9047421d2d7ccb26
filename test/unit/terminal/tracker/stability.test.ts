import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  notStable,
  type StabilityWatch,
  stabilityOf,
  watchStability,
} from '../../../../src/terminal/tracker/stability.js';
import type { Observations } from '../../../../src/terminal/tracker/terminal-state.js';
import { idleState } from '../../../support/terminal/planted-state.js';

const moment = (at: number) => ({ at, date: new Date(Date.UTC(2026, 2, 31) + at) });
const idle: Observations = idleState();
const watch = (observations: Observations, at: number, previous: StabilityWatch | null = null) =>
  watchStability(previous, observations, moment(at));

/** The same observations with one of them changed. */
const changes: readonly (readonly [string, Observations])[] = [
  ['availability', { ...idle, diagnostics: { ...idle.diagnostics, availability: 'unknown' } }],
  ['posture', { ...idle, surface: { ...idle.surface, readyPosture: 'no' } }],
  ['pending input', { ...idle, surface: { ...idle.surface, pendingInput: 'yes' } }],
  ['phase', { ...idle, phase: 'active' }],
  ['result', { ...idle, lastTurn: { ...idle.lastTurn, result: 'success' } }],
  ['source', { ...idle, lastTurn: { ...idle.lastTurn, source: 'explicit_input' } }],
  ['time of the end', { ...idle, lastTurn: { ...idle.lastTurn, updatedAt: new Date(0) } }],
  ['chat context', { ...idle, chatContext: 'degraded' }],
  ['no screen', { ...idle, parsed: null }],
  ['business state', { ...idle, parsed: { ...idle.parsed!, businessState: 'working' } }],
  [
    'conversation',
    { ...idle, parsed: { ...idle.parsed!, text: { ...idle.parsed!.text, conversation: 'x' } } },
  ],
];

describe('stability', () => {
  it('is none before the first look', () => {
    expect(notStable(moment(0).date)).toEqual({
      signature: '',
      stable: false,
      stableForSeconds: 0,
      stableSince: moment(0).date,
    });
  });

  it('counts from the look where everything became what it is', () => {
    const first = watch(idle, 1000);
    const second = watch({ ...idle }, 1900, first);
    expect(stabilityOf(second, moment(1900), 1)).toEqual({
      signature: first.signature,
      stable: false,
      stableForSeconds: 0.9,
      stableSince: moment(1000).date,
    });
    expect(stabilityOf(watch(idle, 2000, second), moment(2000), 1).stable).toBe(true);
  });

  it.each(changes)('begins again with a change of the %s', (_what, changed) => {
    const first = watch(idle, 0);
    const second = watch(changed, 500, first);
    expect(second.signature).not.toBe(first.signature);
    expect(second.since.at).toBe(500);
    expect(watch(idle, 600, second)).toMatchObject({ signature: first.signature, since: { at: 600 } });
  });

  it('goes on while something changes around the conversation, such as a clock in the footer', () => {
    const first = watch(idle, 0);
    const footer = { ...idle.parsed!, text: { ...idle.parsed!.text, normalized: 'x' } };
    expect(watch({ ...idle, parsed: footer }, 500, first)).toMatchObject({
      signature: first.signature,
      since: { at: 0 },
    });
  });

  it('has a SHA-1 that does not depend on how it was come by', () => {
    const { signature } = watch(idle, 0);
    expect(signature).toMatch(/^[0-9a-f]{40}$/);
    expect(watch(structuredClone(idle), 9, watch(changes[10]![1], 5)).signature).toBe(signature);
    const reordered = Object.fromEntries(Object.entries(idle).reverse()) as unknown as Observations;
    expect(watch(reordered, 0).signature).toBe(signature);
  });

  it('does not read a text again that stayed the same', () => {
    const first = watch(idle, 0);
    const planted = { ...first, textDigest: createHash('sha1').update('planted').digest('hex') };
    expect(watch(idle, 1, planted).textDigest).toBe(planted.textDigest);
    expect(watch({ ...idle, phase: 'active' }, 1, planted).textDigest).toBe(planted.textDigest);
    expect(watch(changes[10]![1], 1, planted).textDigest).not.toBe(planted.textDigest);
  });
});
