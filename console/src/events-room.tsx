// The events of the agent: its latest turns or changes, and every event from now on.
import type { Schemas } from '@houmao/sdk/managed-agent';
import { useEffect, useState } from 'preact/hooks';
import type { RoomProps } from './agent-view.js';
import { problemOf, useRead } from './watching.js';
import { ageOf, type ListedAgent, refOf, sourceOf } from './words.js';

/** The number of events that stay on the page. */
const mostEvents = 500;

export function EventsRoom({ client, agent, now }: RoomProps) {
  const { value, problem } = useRead(
    (signal) => client.agent(refOf(agent)).getAgentHistory({ query: { limit: 50 }, signal }),
    [sourceOf(agent)],
  );
  const { events, lost } = useEvents(client, agent);
  const before = agent.transport === 'headless' ? value?.entries : value?.entries.toReversed();
  return (
    <section class="events" aria-label="Events">
      <h3>
        From now on <small>{events.length === 0 ? 'nothing yet' : ''}</small>
      </h3>
      <ul>
        {events.map((item) => (
          <li key={item.id}>
            <EventLine item={item} now={now} />
          </li>
        ))}
      </ul>
      {lost !== null && <p class="problem">{lost}</p>}
      <h3>Before</h3>
      <ul>
        {before?.map((entry, index) => (
          <li key={index}>
            <span class="age">{ageOf(entry.recorded_at_utc, now)}</span> {entry.summary}
          </li>
        ))}
      </ul>
      {problem !== null && <p class="problem">{problem}</p>}
    </section>
  );
}

type ShownEvent = Pick<Schemas['HostEvent'], 'id' | 'event' | 'gap'>;

function EventLine({ item: { event, gap }, now }: { item: ShownEvent; now: number }) {
  if (event === null) return <span class="problem">{gap}</span>;
  return (
    <details>
      <summary>
        <span class="age">{ageOf(event.at_utc, now)}</span> <strong>{event.kind}</strong> {event.subject_id}
      </summary>
      <pre>{JSON.stringify(event.data, null, 2)}</pre>
    </details>
  );
}

/** Follows the events of one agent, the newest first: those of this host, or of the fleet for an agent of another one. */
function useEvents(client: RoomProps['client'], agent: ListedAgent) {
  const { tracked_agent_id: id, elsewhere } = agent;
  const host = elsewhere?.host;
  const [events, setEvents] = useState<readonly ShownEvent[]>([]);
  const [lost, setLost] = useState<string | null>(null);
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    setEvents([]);
    const follow = async (): Promise<void> => {
      const from = { after: 'latest', signal };
      const items = host === undefined ? client.events(from) : client.fleet.events(from);
      for await (const item of items)
        if (item.tracked_agent_id === id && ('host' in item ? item.host : undefined) === host)
          setEvents((known) => [item, ...known].slice(0, mostEvents));
    };
    follow().catch((error: unknown) => signal.aborted || setLost(problemOf(error)));
    return () => leaving.abort();
  }, [client, id, host]);
  return { events, lost };
}
