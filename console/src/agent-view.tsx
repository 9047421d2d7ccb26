// One agent, opened: its head with what can be done to it, and its rooms.
import type { HoumaoClient } from '@houmao/sdk/managed-agent';
import { useRef } from 'preact/hooks';
import { StateMark } from './agent-list.js';
import { EventsRoom } from './events-room.js';
import { isAway, knownAge } from './hosts.js';
import { LogRoom } from './log-room.js';
import { MailRoom } from './mail-room.js';
import { OutputRoom } from './output-room.js';
import { RemindersRoom } from './reminders-room.js';
import { TerminalRoom } from './terminal-room.js';
import { type Action, useAction, useFollowed, waiting, waitSeconds } from './watching.js';
import { ageOf, type ListedAgent, nameOf, refOf, sinceOf, sourceOf } from './words.js';
import { WorkRoom } from './work-room.js';

const rooms = ['work', 'terminal', 'mail', 'reminders', 'events', 'output', 'log'] as const;
export type Room = (typeof rooms)[number];
export const isRoom = (word: string): word is Room => (rooms as readonly string[]).includes(word);

const titles: Readonly<Record<Room, string>> = {
  work: 'Work',
  terminal: 'Terminal',
  mail: 'Mail',
  reminders: 'Reminders',
  events: 'Events',
  output: 'Output',
  log: 'Log',
};

/** The part of a room's properties that every room has. */
export interface RoomProps {
  readonly client: HoumaoClient;
  readonly agent: ListedAgent;
  readonly now: number;
}

export interface AgentViewProps extends RoomProps {
  readonly room: Room;
  readonly hrefOf: (room: Room) => string;
  /** The prompt that was begun and not sent. */
  readonly draft: string;
  readonly onDraft: (text: string) => void;
  /** The ids of the prompts for it that were given to the fleet here, the oldest first. */
  readonly given: readonly string[];
  readonly onGiven: (commandId: string) => void;
  /** The address of the list without an agent. */
  readonly listHref: string;
  /** Why the host of an agent elsewhere does not answer now; left out while it does. */
  readonly hostProblem?: string | null | undefined;
}

/** An agent of another host as that sees it; as the fleet knows it while that does not answer. */
export function AgentElsewhere(props: AgentViewProps) {
  const { client, agent } = props;
  const reference = refOf(agent);
  const { value, problem } = useFollowed(
    (after, signal) =>
      client.agent(reference).getAgentOverview({
        query: after === undefined ? {} : { after, wait_seconds: waitSeconds },
        signal,
        ...waiting,
      }),
    [client, sourceOf(agent)],
  );
  const { state, detail, elsewhere } = agent;
  // A host that comes or goes is asked again; until it answers, the agent is shown as it was.
  const latest = useRef(value);
  latest.current = value ?? latest.current;
  const seen = latest.current === null ? agent : { ...latest.current.agent, elsewhere };
  const known = problem === null ? seen : { ...seen, state, detail };
  return <AgentView {...props} agent={known} hostProblem={problem} />;
}

export function AgentView(props: AgentViewProps) {
  const { client, agent, room, hrefOf, now, listHref, hostProblem } = props;
  return (
    <article aria-label={nameOf(agent)}>
      <Head client={client} agent={agent} now={now} listHref={listHref} hostProblem={hostProblem} />
      <nav class="rooms" aria-label="Parts of the agent">
        {rooms.map((one) => (
          <a key={one} href={hrefOf(one)} aria-current={one === room ? 'page' : undefined}>
            {titles[one]}
          </a>
        ))}
      </nav>
      <RoomOf {...props} />
    </article>
  );
}

function RoomOf(props: AgentViewProps) {
  switch (props.room) {
    case 'work':
      return <WorkRoom {...props} />;
    case 'terminal':
      return <TerminalRoom {...props} />;
    case 'mail':
      return <MailRoom {...props} />;
    case 'reminders':
      return <RemindersRoom {...props} />;
    case 'events':
      return <EventsRoom {...props} />;
    case 'output':
      return <OutputRoom {...props} />;
    case 'log':
      return <LogRoom {...props} />;
  }
}

/** Shows the result of an action. */
export const Said = ({ said }: Pick<Action, 'said'>) =>
  said === null ? null : (
    <p class={said.bad ? 'said problem' : 'said'} role={said.bad ? 'alert' : 'status'}>
      {said.text}
    </p>
  );

type HeadProps = RoomProps & Pick<AgentViewProps, 'listHref' | 'hostProblem'>;

function Head({ client, agent, now, listHref, hostProblem = null }: HeadProps) {
  const action = useAction();
  const { run, running } = action;
  // Its host takes none of this while it is away.
  const blocked = running || isAway(agent);
  const bound = client.agent(refOf(agent));
  const turn = agent.running;
  const interrupt = (): void =>
    run(async () => {
      if (turn === null) return 'No turn runs.';
      await bound.turn(turn.turn_id, turn.request_id).interrupt();
      return `Turn ${turn.turn_id} is interrupted.`;
    });
  const hold = (paused: boolean): void =>
    run(async () => {
      await bound.gateway.updateQueue({ body: { paused } });
      return paused ? 'The queue is paused: it takes prompts and starts none.' : 'The queue goes on.';
    });
  const attach = (): void =>
    run(async () => {
      await bound.gateway.attach({ body: { execution_mode: 'detached_process' }, timeoutMs: 30_000 });
      return 'A gateway stands beside the agent now.';
    });
  const stop = (): void => {
    if (!confirm(`Stop ${nameOf(agent)}? Its turn ends; what waits stays on disk.`)) return;
    run(async () => (await bound.stopAgent({ timeoutMs: 60_000 })).detail);
  };
  return (
    <header class="head">
      <a class="back" href={listHref}>
        All agents
      </a>
      <h2>{nameOf(agent)}</h2>
      <StateMark agent={agent} />
      <span class="tool">
        {agent.tool}, {agent.transport === 'tui' ? 'in a terminal' : 'headless'}
      </span>
      <span class="age">{knownAge(agent, now) ?? ageOf(sinceOf(agent), now)}</span>
      <span class="actions">
        {turn !== null && (
          <button type="button" disabled={blocked} onClick={interrupt}>
            Interrupt
          </button>
        )}
        {agent.has_gateway && agent.queue !== null && (
          <button type="button" disabled={blocked} onClick={() => hold(agent.queue?.paused !== true)}>
            {agent.queue.paused ? 'Resume the queue' : 'Pause the queue'}
          </button>
        )}
        {!agent.has_gateway && (
          <button type="button" disabled={blocked} onClick={attach}>
            Attach a gateway
          </button>
        )}
        <button type="button" disabled={blocked} onClick={stop}>
          Stop
        </button>
      </span>
      <Said said={action.said} />
      {hostProblem !== null && (
        <p class="detail problem" role="alert">
          {hostProblem}
        </p>
      )}
      {agent.detail !== null && <p class="detail">{agent.detail}</p>}
    </header>
  );
}
