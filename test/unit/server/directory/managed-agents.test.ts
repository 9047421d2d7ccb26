import fc from 'fast-check';
import { expect, test } from 'vitest';
import { managedAgents, type Sources } from '../../../../src/server/directory/managed-agents.js';
import type { RegistryRecord } from '../../../../src/session/registry-record.js';

const word: fc.Arbitrary<string> = fc.constantFrom('a', 'b', 'c');
const root = (name: string): string => `/sessions/${name}`;
const moment = fc.integer({ min: 0, max: 9 }).map((minute) => `2026-01-01T00:0${minute}:00+00:00`);

const anyRecord: fc.Arbitrary<RegistryRecord> = fc
  .record({
    session: word,
    tmux: word,
    backend: fc.constantFrom('claude_headless', 'local_interactive'),
    moment,
  })
  .map(({ session, tmux, backend, moment: published_at }) => ({
    schema_version: 2,
    agent_name: `HOUMAO-${session}`,
    agent_id: session,
    generation_id: session,
    published_at,
    lease_expires_at: '2030-01-01T00:00:00+00:00',
    identity: { backend, tool: 'claude' },
    runtime: { manifest_path: `${root(session)}/manifest.json`, session_root: root(session) },
    terminal: { kind: 'tmux', session_name: tmux },
  }));
const anyRegistration = fc
  .record({ session_name: word, manifest: fc.option(word), tmux_session_name: fc.option(word) })
  .map(({ session_name, manifest, tmux_session_name }) => ({
    session_name,
    tool: 'claude',
    terminal_id: null,
    observed_tool_version: null,
    manifest_path: manifest && `${root(manifest)}/manifest.json`,
    session_root: null,
    agent_name: null,
    agent_id: null,
    tmux_session_name,
    tmux_window_name: null,
  }));
const anyAuthority = word.map((name) => ({
  tracked_agent_id: name,
  backend: 'claude_headless',
  tool: 'claude',
  tmux_session_name: name,
  manifest_path: `${root(name)}/manifest.json`,
  session_root: root(name),
  agent_def_dir: null,
  agent_name: null,
  agent_id: null,
  created_at_utc: 'then',
  updated_at_utc: 'then',
}));
const anySources: fc.Arbitrary<Sources> = fc
  .record({
    registrations: fc.uniqueArray(anyRegistration, { selector: ({ session_name }) => session_name }),
    authorities: fc.uniqueArray(anyAuthority, { selector: ({ tracked_agent_id }) => tracked_agent_id }),
    records: fc.uniqueArray(anyRecord, { selector: ({ agent_id }) => agent_id }),
    alive: fc.uniqueArray(word),
  })
  .map(({ alive, ...sources }) => ({
    ...sources,
    manifestOf: () => null,
    isAlive: (session) => alive.includes(session),
  }));

test('no agent is listed twice, and each by a name of its own', () => {
  fc.assert(
    fc.property(anySources, (sources) => {
      const keys = managedAgents(sources).map(
        ({ transport, trackedAgentId }) => `${transport} ${trackedAgentId}`,
      );
      expect(keys).toEqual([...new Set(keys)].sort());
    }),
  );
});

test('a terminal is listed exactly while its tmux session lives; a headless agent in any case', () => {
  fc.assert(
    fc.property(anySources, (sources) => {
      const agents = managedAgents(sources);
      const terminals = agents.filter(({ transport }) => transport === 'tui');
      for (const { tmuxSessionName } of terminals) expect(sources.isAlive(tmuxSessionName ?? '')).toBe(true);
      for (const { session_name, tmux_session_name } of sources.registrations)
        if (sources.isAlive(tmux_session_name ?? session_name))
          expect(terminals.some(({ trackedAgentId }) => trackedAgentId === session_name)).toBe(true);
      const others = sources.records.filter(({ identity }) => identity.backend === 'claude_headless');
      const known = [...sources.authorities.map(({ session_root }) => session_root)].concat(
        others.flatMap(({ runtime }) => runtime.session_root ?? []),
      );
      for (const path of known)
        expect(agents).toContainEqual(expect.objectContaining({ transport: 'headless', sessionRoot: path }));
      for (const { tracked_agent_id } of sources.authorities)
        expect(agents).toContainEqual(
          expect.objectContaining({ transport: 'headless', trackedAgentId: tracked_agent_id }),
        );
    }),
  );
});

test('the order in which records are read changes nothing', () => {
  fc.assert(
    fc.property(anySources, (sources) => {
      // Of two with the same moment either may count.
      fc.pre(
        new Set(sources.records.map(({ published_at }) => published_at)).size === sources.records.length,
      );
      const turned = { ...sources, records: [...sources.records].reverse() };
      expect(managedAgents(turned)).toEqual(managedAgents(sources));
    }),
  );
});
