import { describe, expect, it } from 'vitest';
import { attachIdentityOf, turnHostOf, turnTimeLimitOf } from '../../../src/session/manifest-facts.js';
import type { Manifest } from '../../../src/session/manifest-schema.js';

describe('what a manifest says', () => {
  it('names the session by the first name there is', () => {
    const names = { agent_id: 'id', agent_name: 'name', tmux_session_name: 'tmux' };
    const of = (part: object): string => attachIdentityOf({ runtime: {}, ...part } as Manifest, 'folder');
    expect(of({ ...names, runtime: { session_id: 'session' } })).toBe('session');
    expect(of(names)).toBe('id');
    expect(of({ ...names, agent_id: null })).toBe('name');
    expect(of({ tmux_session_name: 'tmux' })).toBe('tmux');
    expect(of({})).toBe('folder');
  });

  it('runs turns in tmux unless it says otherwise', () => {
    const of = (backend_state: object): string => turnHostOf({ backend_state } as Manifest);
    expect([of({}), of({ turn_host: 'process' }), of({ turn_host: 'x' })]).toEqual([
      'tmux',
      'process',
      'tmux',
    ]);
  });

  it('limits a turn by whole or broken seconds above 0, by nothing else', () => {
    const of = (limit: unknown): number | null =>
      turnTimeLimitOf({ backend_state: { turn_time_limit_seconds: limit } } as unknown as Manifest);
    expect([600, 0.5, 0, -1, '600', Number.POSITIVE_INFINITY, undefined].map(of)).toEqual([
      600,
      0.5,
      ...Array(5).fill(null),
    ]);
  });
});
