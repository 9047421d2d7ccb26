// One agent, opened: its head with what can be done to it, and its rooms.
import type { HoumaoClient } from '@houmao/sdk/managed-agent';
import { StateMark } from './agent-list.js';
import { EventsRoom } from './events-room.js';
import { LogRoom } from './log-room.js';
import { MailRoom } from './mail-room.js';
import { OutputRoom } from './output-room.js';
import { RemindersRoom } from './reminders-room.js';
import { TerminalRoom } from './terminal-room.js';
import { type Action, useAction } from './watching.js';
import { ageOf, type ListedAgent, nameOf, sinceOf } from './words.js';
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
}

export function AgentView(props: AgentViewProps) {
  const { client, agent, room, hrefOf, now } = props;
  return (
    <article aria-label={nameOf(agent)}>
      <Head client={client} agent={agent} now={now} />
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

function Head({ client, agent, now }: RoomProps) {
  const action = useAction();
  const { run, running } = action;
  const bound = client.agent(agent.tracked_agent_id);
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
      <a class="back" href="#/">
        All agents
      </a>
      <h2>{nameOf(agent)}</h2>
      <StateMark state={agent.state} />
      <span class="tool">
        {agent.tool}, {agent.transport === 'tui' ? 'in a terminal' : 'headless'}
      </span>
      <span class="age">{ageOf(sinceOf(agent), now)}</span>
      <span class="actions">
        {turn !== null && (
          <button type="button" disabled={running} onClick={interrupt}>
            Interrupt
          </button>
        )}
        {agent.has_gateway && agent.queue !== null && (
          <button type="button" disabled={running} onClick={() => hold(agent.queue?.paused !== true)}>
            {agent.queue.paused ? 'Resume the queue' : 'Pause the queue'}
          </button>
        )}
        {!agent.has_gateway && (
          <button type="button" disabled={running} onClick={attach}>
            Attach a gateway
          </button>
        )}
        <button type="button" disabled={running} onClick={stop}>
          Stop
        </button>
      </span>
      <Said said={action.said} />
      {agent.detail !== null && <p class="detail">{agent.detail}</p>}
    </header>
  );
}
