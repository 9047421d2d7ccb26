import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isWanted, usualKinds } from '../../../../src/server/notifications/notification.js';

const kinds = ['dialog_shown', 'turn_ended', 'accepted', 'fault'] as const;
const names = ['alpha', 'beta'] as const;
const kind = fc.constantFrom(...kinds);
const name = fc.constantFrom(...names);
const at = Date.parse('2026-03-13T00:00:10Z');
const item = (kind: (typeof kinds)[number] | null, name: string) => {
  const agent = { id: '0', tracked_agent_id: `id-of-${name}`, agent_name: `HOUMAO-${name}` };
  return kind === null
    ? ({ ...agent, event: null, gap: 'it began again' } as const)
    : ({ ...agent, event: { kind, at_utc: '2026-03-13T00:00:10+00:00' }, gap: null } as const);
};
const everything = { events: null, agents: null, since: 0 };

describe('an event', () => {
  test('is wanted where its kind and its agent are named, or none are', () => {
    fc.assert(
      fc.property(
        fc.option(fc.uniqueArray(kind, { minLength: 1 })),
        fc.option(fc.uniqueArray(name, { minLength: 1 })),
        kind,
        name,
        (events, agents, happened, agent) => {
          const wanted = isWanted({ events, agents, since: 0 }, item(happened, agent));
          const byKind = (events ?? usualKinds).includes(happened);
          expect(wanted).toBe(byKind && (agents === null || agents.includes(agent)));
        },
      ),
    );
  });

  test('is found by any name of its agent', () => {
    for (const agent of ['alpha', 'HOUMAO-alpha', ' alpha ', 'id-of-alpha'])
      expect(isWanted({ ...everything, agents: [agent] }, item('turn_ended', 'alpha'))).toBe(true);
    for (const agent of ['ALPHA', 'alph', 'id-of-beta'])
      expect(isWanted({ ...everything, agents: [agent] }, item('turn_ended', 'alpha'))).toBe(false);
  });

  test('counts from the second in which the notification began', () => {
    expect(isWanted({ ...everything, since: at + 999 }, item('turn_ended', 'alpha'))).toBe(true);
    expect(isWanted({ ...everything, since: at + 1000 }, item('turn_ended', 'alpha'))).toBe(false);
  });
});

test('a gap is for everyone who asked for that agent', () => {
  fc.assert(
    fc.property(
      fc.option(fc.uniqueArray(kind, { minLength: 1 })),
      fc.nat(),
      name,
      name,
      (events, since, one, other) => {
        expect(isWanted({ events, agents: [one], since }, item(null, other))).toBe(one === other);
        expect(isWanted({ events, agents: null, since }, item(null, other))).toBe(true);
      },
    ),
  );
});
