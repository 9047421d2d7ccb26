import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AliasIndex, aliasesOf } from '../../../../src/server/directory/agent-directory.js';
import type { ManagedAgent } from '../../../../src/server/directory/managed-agents.js';
import { inOrder } from '../../../../src/server/directory/managed-agents.js';

const bare: ManagedAgent = {
  trackedAgentId: 'x',
  transport: 'tui',
  tool: 'claude',
  sessionName: null,
  terminalId: null,
  runtimeSessionId: null,
  tmuxSessionName: null,
  tmuxWindowName: null,
  manifestPath: null,
  sessionRoot: null,
  agentName: null,
  agentId: null,
};

// Few values, so that agents share some.
const word = fc.constantFrom('alpha', 'beta', 'HOUMAO-alpha', 'HOUMAO-beta', 'Alpha', 'alph', 'gamma');
const anyAgent: fc.Arbitrary<ManagedAgent> = fc.record({
  trackedAgentId: word,
  transport: fc.constantFrom('tui' as const, 'headless' as const),
  tool: fc.constant('claude'),
  sessionName: fc.option(word),
  terminalId: fc.option(word),
  runtimeSessionId: fc.option(word),
  tmuxSessionName: fc.option(word),
  tmuxWindowName: fc.option(word),
  manifestPath: fc.option(word),
  sessionRoot: fc.option(word),
  agentName: fc.option(word),
  agentId: fc.option(word),
});
const anyAgents = fc.uniqueArray(anyAgent, {
  selector: ({ transport, trackedAgentId }) => `${transport} ${trackedAgentId}`,
  maxLength: 8,
});

/** The rule, said without an index. */
const matchingOf = (agents: readonly ManagedAgent[], alias: string): ManagedAgent[] => {
  const isTracked = agents.some(({ trackedAgentId }) => trackedAgentId === alias);
  const called = agents.filter(
    (agent) => isGiven(agent, alias) || (!isTracked && `HOUMAO-${alias}` === agent.agentName),
  );
  // A name that has no prefix is called with one, too, where nobody else has that.
  return called.length > 0 ? called : agents.filter(({ agentName }) => `HOUMAO-${agentName}` === alias);
};
const isGiven = (agent: ManagedAgent, alias: string): boolean =>
  alias === agent.trackedAgentId ||
  alias === agent.sessionName ||
  alias === agent.terminalId ||
  alias === agent.runtimeSessionId ||
  alias === agent.agentId ||
  alias === agent.agentName;

describe('an alias', () => {
  test('leads to the one agent that has it, and to none or several otherwise', () => {
    fc.assert(
      fc.property(anyAgents, word, (agents, alias) => {
        const matching = matchingOf(agents, alias);
        const resolution = new AliasIndex(agents).resolve(alias);
        if (matching.length === 0) expect(resolution).toEqual({ kind: 'none' });
        else if (matching.length === 1) expect(resolution).toEqual({ kind: 'one', agent: matching[0] });
        else expect(resolution).toEqual({ kind: 'ambiguous', agents: inOrder(matching) });
      }),
    );
  });

  test('is found with blanks around it, and a blank one is empty', () => {
    fc.assert(
      fc.property(anyAgents, word, fc.stringMatching(/^[ \t]{0,3}$/), (agents, alias, blanks) => {
        const index = new AliasIndex(agents);
        expect(index.resolve(`${blanks}${alias}${blanks}`)).toEqual(index.resolve(alias));
        expect(index.resolve(blanks)).toEqual({ kind: 'empty' });
      }),
    );
  });

  test('that one agent has twice is not ambiguous', () => {
    const agent = { ...bare, trackedAgentId: 'alpha', agentName: 'HOUMAO-alpha', agentId: 'alpha' };
    expect(new AliasIndex([agent]).resolve('alpha')).toEqual({ kind: 'one', agent });
  });

  test('without its prefix is checked against the names of others', () => {
    const launched = { ...bare, trackedAgentId: 'one', agentName: 'HOUMAO-alpha' };
    const registered = { ...bare, trackedAgentId: 'two', agentName: 'alpha' };
    const index = new AliasIndex([registered, launched]);
    expect(index.resolve('alpha')).toEqual({ kind: 'ambiguous', agents: [launched, registered] });
    expect(index.resolve('HOUMAO-alpha')).toEqual({ kind: 'one', agent: launched });
    expect(new AliasIndex([registered]).resolve('HOUMAO-alpha')).toEqual({ kind: 'one', agent: registered });
  });

  test('that is a tracked id leads to its agent, although the name of another one is the same word without its prefix', () => {
    const named = { ...bare, trackedAgentId: 'one', agentName: 'HOUMAO-mine' };
    const tracked = { ...bare, trackedAgentId: 'mine', agentName: 'HOUMAO-other' };
    const index = new AliasIndex([named, tracked]);
    expect(index.resolve('mine')).toEqual({ kind: 'one', agent: tracked });
    expect(index.resolve('HOUMAO-mine')).toEqual({ kind: 'one', agent: named });
  });

  test('is no tmux session, no path, no other case and no beginning of a name', () => {
    const agent = {
      ...bare,
      agentName: 'HOUMAO-alpha',
      tmuxSessionName: 'HOUMAO-alpha-1',
      sessionRoot: '/r',
    };
    expect([...aliasesOf(agent)].sort()).toEqual(['HOUMAO-alpha', 'alpha', 'x']);
    const index = new AliasIndex([agent]);
    for (const reference of ['HOUMAO-alpha-1', '/r', 'ALPHA', 'alph', 'houmao-alpha'])
      expect(index.resolve(reference)).toEqual({ kind: 'none' });
  });
});

test('agents are listed by transport, then by tracked id, as plain strings', () => {
  fc.assert(
    fc.property(anyAgents, (agents) => {
      const keys = inOrder(agents).map(({ transport, trackedAgentId }) => `${transport} ${trackedAgentId}`);
      expect(keys).toEqual([...keys].sort());
      expect(keys).toHaveLength(agents.length);
    }),
  );
});
