// The program of the page: sign-in where a token is needed, then the agents, then the one that is opened.
import { createHoumaoClient, type HoumaoClient, isHoumaoError } from '@houmao/sdk/managed-agent';
import { render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { AgentList } from './agent-list.js';
import { AgentElsewhere, AgentView, isRoom, type Room } from './agent-view.js';
import { HostChooser, OutsideFleet } from './host-chooser.js';
import { agentsOf, type SeenFleet } from './hosts.js';
import { Keys, useKeys } from './keys.js';
import { problemOf, useFleet, useNow, useOverview } from './watching.js';
import { filtered, refOf } from './words.js';

/** The address after `#/`: an agent, the room of it that is shown, and behind `?` the host whose agents are listed. */
interface Place {
  readonly agent: string | null;
  readonly room: Room;
  /** Null for all hosts. */
  readonly host: string | null;
}

const placeIn = (hash: string): Place => {
  const [path = '', query = ''] = hash.split('?');
  const [, agent = '', room = ''] = path.split('/');
  return {
    agent: agent === '' ? null : decodeURIComponent(agent),
    room: isRoom(room) ? room : 'work',
    host: new URLSearchParams(query).get('host'),
  };
};
const hashOf = ({ agent, room, host }: Place): string => {
  const query = host === null ? '' : `?host=${encodeURIComponent(host)}`;
  return agent === null ? `#/${query}` : `#/${encodeURIComponent(agent)}/${room}${query}`;
};

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
  const { value: overview, problem: overviewProblem } = useOverview(client);
  const { value: fleetValue, problem: fleetProblem } = useFleet(client);
  const fleet = fleetValue === 'none' ? null : fleetValue;
  const problem = overviewProblem ?? fleetProblem;
  const now = useNow();
  const place = usePlace();
  const [filter, setFilter] = useState('');
  const [help, setHelp] = useState(false);
  const [drafts, setDrafts] = useState<Readonly<Record<string, string>>>({});
  const filterBox = useRef<HTMLInputElement>(null);
  const [given, setGiven] = useState<Readonly<Record<string, readonly string[]>>>({});
  const isRead = overview !== null && fleetValue !== null;
  const own = overview?.agents ?? [];
  const agents = agentsOf(place.host, own, fleet);
  const shown = filtered(agents, filter);
  const opened = agentsOf(null, own, fleet).find((agent) => refOf(agent) === place.agent) ?? null;
  const waiting = agents.filter(({ state }) => state === 'needs_person');
  const open = (agent: string, room: Room = place.room): void => {
    location.hash = hashOf({ ...place, agent, room });
  };
  const step = (by: 1 | -1): void => {
    const at = shown.findIndex((agent) => refOf(agent) === place.agent);
    const next = shown[at === -1 ? (by === 1 ? 0 : shown.length - 1) : at + by];
    if (next) open(refOf(next));
  };
  const go = (room: Room) => (): void => {
    if (opened) open(refOf(opened), room);
  };
  const listHref = hashOf({ ...place, agent: null });
  const close = (): void => {
    if (help) setHelp(false);
    else location.hash = listHref;
  };
  const openedRef = opened === null ? '' : refOf(opened);
  const Opened = opened?.elsewhere === undefined ? AgentView : AgentElsewhere;
  useKeys({
    '?': () => setHelp(!help),
    '/': () => filterBox.current?.focus(),
    j: () => step(1),
    k: () => step(-1),
    n: () => waiting[0] && open(refOf(waiting[0]), 'work'),
    h: () => document.querySelector<HTMLElement>('.hosts [aria-current]')?.focus(),
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
          {!isRead ? 'Reading the agents…' : sumOf(agents.length, waiting.length)}
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
      {fleet !== null && <OutsideFleet fleet={fleet} now={now} />}
      {help && <Keys hosts={fleet !== null} />}
      <div class="side">
        {fleet !== null && (
          <HostChooser
            fleet={fleet}
            chosen={place.host}
            hrefOf={(host) => hashOf({ ...place, host })}
            now={now}
          />
        )}
        <nav class="agents" aria-label="Agents">
          <AgentList
            agents={shown}
            opened={place.agent}
            hrefOf={(agent) => hashOf({ ...place, agent })}
            now={now}
            all={isRead ? agents.length : null}
            none={noneOf(fleet, place.host)}
          />
        </nav>
      </div>
      <main id="agent" tabIndex={-1}>
        {opened ? (
          <Opened
            key={openedRef}
            client={client}
            agent={opened}
            room={place.room}
            hrefOf={(room) => hashOf({ ...place, room })}
            listHref={listHref}
            now={now}
            draft={drafts[openedRef] ?? ''}
            onDraft={(text) => setDrafts({ ...drafts, [openedRef]: text })}
            given={given[openedRef] ?? []}
            onGiven={(commandId) =>
              setGiven((all) => ({ ...all, [openedRef]: [...(all[openedRef] ?? []), commandId] }))
            }
          />
        ) : (
          <p class="empty">{place.agent === null || !isRead ? 'Choose an agent.' : goneWords}</p>
        )}
      </main>
    </div>
  );
}

/** The sentence for a choice of hosts without agents. */
const noneOf = (fleet: SeenFleet | null, host: string | null) => {
  if (fleet === null || host === null || host === fleet.status.host)
    return (
      <>
        No agents. Launch one: <code>houmao-mgr up</code>
      </>
    );
  return fleet.hosts.some((one) => one.host === host)
    ? `Host ${host} has no agents.`
    : `The fleet has no host ${host}.`;
};

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
