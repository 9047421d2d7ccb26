// The program of the page: sign-in where a token is needed, then the agents, then the one that is opened.
import { createHoumaoClient, type HoumaoClient, isHoumaoError } from '@houmao/sdk/managed-agent';
import { render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { AgentList } from './agent-list.js';
import { AgentView, isRoom, type Room } from './agent-view.js';
import { Keys, useKeys } from './keys.js';
import { problemOf, useNow, useOverview } from './watching.js';
import { filtered } from './words.js';

/** The address after `#/`: an agent, and the room of it that is shown. */
interface Place {
  readonly agent: string | null;
  readonly room: Room;
}

const placeIn = (hash: string): Place => {
  const [, agent = '', room = ''] = hash.split('/');
  return { agent: agent === '' ? null : decodeURIComponent(agent), room: isRoom(room) ? room : 'work' };
};
const hashOf = (agent: string, room: Room): string => `#/${encodeURIComponent(agent)}/${room}`;

function usePlace(): Place {
  const [place, setPlace] = useState(placeIn(location.hash));
  useEffect(() => {
    const changed = (): void => setPlace(placeIn(location.hash));
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return place;
}

/** The page once the server answers it. */
function Console({ client }: { client: HoumaoClient }) {
  const { value: overview, problem } = useOverview(client);
  const now = useNow();
  const place = usePlace();
  const [filter, setFilter] = useState('');
  const [help, setHelp] = useState(false);
  const [drafts, setDrafts] = useState<Readonly<Record<string, string>>>({});
  const filterBox = useRef<HTMLInputElement>(null);
  const agents = overview?.agents ?? [];
  const shown = filtered(agents, filter);
  const opened = agents.find((agent) => agent.tracked_agent_id === place.agent) ?? null;
  const waiting = agents.filter(({ state }) => state === 'needs_person');
  const open = (id: string, room: Room = place.room): void => {
    location.hash = hashOf(id, room);
  };
  const step = (by: 1 | -1): void => {
    const at = shown.findIndex((agent) => agent.tracked_agent_id === place.agent);
    const next = shown[at === -1 ? (by === 1 ? 0 : shown.length - 1) : at + by];
    if (next) open(next.tracked_agent_id);
  };
  const go = (room: Room) => (): void => {
    if (opened) open(opened.tracked_agent_id, room);
  };
  const close = (): void => {
    if (help) setHelp(false);
    else location.hash = '#/';
  };
  useKeys({
    '?': () => setHelp(!help),
    '/': () => filterBox.current?.focus(),
    j: () => step(1),
    k: () => step(-1),
    n: () => waiting[0] && open(waiting[0].tracked_agent_id, 'work'),
    p: () => document.querySelector<HTMLTextAreaElement>('#prompt')?.focus(),
    w: go('work'),
    t: go('terminal'),
    m: go('mail'),
    r: go('reminders'),
    e: go('events'),
    o: go('output'),
    Escape: close,
  });
  useEffect(() => {
    document.title = waiting.length === 0 ? 'Houmao' : `(${waiting.length}) Houmao`;
  }, [waiting.length]);
  return (
    <div class={opened ? 'console opened' : 'console'}>
      <a class="skip" href="#agent">
        Skip to the agent
      </a>
      <header class="bar">
        <h1>Houmao</h1>
        <p class="sum" role="status">
          {overview === null ? 'Reading the agents…' : sumOf(agents.length, waiting.length)}
        </p>
        <input
          ref={filterBox}
          type="search"
          aria-label="Filter the agents"
          placeholder="Filter ( / )"
          value={filter}
          onInput={({ currentTarget }) => setFilter(currentTarget.value)}
        />
        <button type="button" aria-expanded={help} onClick={() => setHelp(!help)}>
          Keys
        </button>
        <a href="/docs/">API</a>
      </header>
      {problem !== null && (
        <p class="problem" role="alert">
          The server does not answer as it should: {problem} What is shown may be old; the page asks again.
        </p>
      )}
      {help && <Keys />}
      <nav class="agents" aria-label="Agents">
        <AgentList
          agents={shown}
          opened={place.agent}
          hrefOf={(id) => hashOf(id, place.room)}
          now={now}
          all={overview === null ? null : agents.length}
        />
      </nav>
      <main id="agent" tabIndex={-1}>
        {opened ? (
          <AgentView
            key={opened.tracked_agent_id}
            client={client}
            agent={opened}
            room={place.room}
            hrefOf={(room) => hashOf(opened.tracked_agent_id, room)}
            now={now}
            draft={drafts[opened.tracked_agent_id] ?? ''}
            onDraft={(text) => setDrafts({ ...drafts, [opened.tracked_agent_id]: text })}
          />
        ) : (
          <p class="empty">{place.agent === null || overview === null ? 'Choose an agent.' : goneWords}</p>
        )}
      </main>
    </div>
  );
}

const goneWords = 'This agent is no longer there.';

const sumOf = (agents: number, waiting: number): string => {
  const count = agents === 1 ? '1 agent' : `${agents} agents`;
  return waiting === 0 ? count : `${count}, ${waiting} ${waiting === 1 ? 'needs' : 'need'} you`;
};

/** Makes a client, and asks for a token as long as the server refuses it. */
function SignIn() {
  const [client, setClient] = useState<HoumaoClient | null>(null);
  const [why, setWhy] = useState<string | null>(null);
  const [token, setToken] = useState('');
  const enter = (given: string | undefined): void => {
    const made = createHoumaoClient({ baseUrl: location.origin, token: given });
    made.getCurrentInstance({ maxRetries: 0 }).then(
      () => setClient(() => made),
      (error) => {
        const refused = isHoumaoError(error) && (error.status === 401 || error.status === 403);
        setWhy(
          refused ? error.detail : `The server does not answer: ${problemOf(error)} Load the page again.`,
        );
      },
    );
  };
  useEffect(() => enter(undefined), []);
  if (client !== null) return <Console client={client} />;
  if (why === null) return <p class="empty">Opening…</p>;
  return (
    <form
      class="sign-in"
      onSubmit={(event) => {
        event.preventDefault();
        enter(token.trim());
      }}
    >
      <h1>This page needs a token</h1>
      <p role="alert">{why}</p>
      <label for="token">Token</label>
      <input
        id="token"
        type="password"
        autocomplete="current-password"
        required
        pattern="\s*[\w\-]+\s*"
        title="letters, digits, - and _"
        value={token}
        onInput={({ currentTarget }) => setToken(currentTarget.value)}
      />
      <button type="submit">Open the page</button>
      <p>
        It is in the file <code>access-token</code> of the server's root. The page forgets it when it is
        closed or loaded again.
      </p>
    </form>
  );
}

const place = document.querySelector('#console');
if (place) {
  place.replaceChildren();
  render(<SignIn />, place);
}
