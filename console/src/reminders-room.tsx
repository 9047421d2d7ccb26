// The reminders of an agent: prompts for later.
import { useState } from 'preact/hooks';
import { type RoomProps, Said } from './agent-view.js';
import { useAction, useRead } from './watching.js';
import { refOf, sourceOf } from './words.js';

export function RemindersRoom({ client, agent }: RoomProps) {
  const { gateway } = client.agent(refOf(agent));
  const [looks, setLooks] = useState(0);
  const { value, problem } = useRead(
    (signal) => gateway.listReminders({ signal }),
    [sourceOf(agent), looks, agent.running?.turn_id, agent.last_turn?.turn_id],
  );
  const action = useAction();
  const remove = (id: string): void =>
    action.run(async () => {
      await gateway.deleteReminder({ path: { reminder_id: id } });
      setLooks(looks + 1);
      return 'The reminder is deleted.';
    });
  if (problem !== null && value === null) return <p class="empty">{problem}</p>;
  return (
    <section class="reminders" aria-label="Reminders">
      <ul>
        {value?.reminders.map((one) => (
          <li key={one.reminder_id}>
            <strong>{one.title}</strong> <span>{one.prompt ?? one.send_keys?.sequence}</span>{' '}
            <small>
              {one.paused ? 'paused' : one.delivery_state}
              {one.selection_state === 'blocked' ? ', behind another one' : ''}, due{' '}
              {new Date(one.next_due_at_utc).toLocaleString()}
              {one.interval_seconds === null ? '' : `, every ${one.interval_seconds} s`}
            </small>{' '}
            <button type="button" disabled={action.running} onClick={() => remove(one.reminder_id)}>
              Delete
            </button>
          </li>
        ))}
      </ul>
      {value?.reminders.length === 0 && <p class="empty">No reminders.</p>}
      {problem !== null && <p class="problem">{problem}</p>}
      <Said said={action.said} />
      <NewReminder client={client} agent={agent} done={() => setLooks(looks + 1)} />
    </section>
  );
}

/** Creates a reminder that is kept on disk, before the others. */
function NewReminder({ client, agent, done }: Pick<RoomProps, 'client' | 'agent'> & { done: () => void }) {
  const [prompt, setPrompt] = useState('');
  const [minutes, setMinutes] = useState(5);
  const [repeats, setRepeats] = useState(false);
  const action = useAction();
  const create = (): void =>
    action.run(async () => {
      const seconds = minutes * 60;
      const times = { start_after_seconds: seconds };
      const common = { title: prompt.slice(0, 60), prompt, ranking: 0, ...times };
      const reminder = repeats
        ? { ...common, mode: 'repeat' as const, interval_seconds: seconds }
        : { ...common, mode: 'one_off' as const };
      const { gateway } = client.agent(refOf(agent));
      await gateway.createReminders({ query: { keep: true }, body: { reminders: [reminder] } });
      setPrompt('');
      done();
      return 'The reminder is kept, also over restarts.';
    });
  return (
    <form
      class="write"
      onSubmit={(event) => {
        event.preventDefault();
        create();
      }}
    >
      <h3>Remind it</h3>
      <label>
        Prompt
        <textarea
          rows={2}
          required
          value={prompt}
          onInput={({ currentTarget }) => setPrompt(currentTarget.value)}
        />
      </label>
      <label>
        In minutes
        <input
          type="number"
          min={1}
          max={525_600}
          required
          value={minutes}
          onInput={({ currentTarget }) => setMinutes(currentTarget.valueAsNumber)}
        />
      </label>
      <label>
        <input
          type="checkbox"
          checked={repeats}
          onChange={({ currentTarget }) => setRepeats(currentTarget.checked)}
        />{' '}
        again and again
      </label>
      <button type="submit" disabled={action.running}>
        Create
      </button>
      <Said said={action.said} />
    </form>
  );
}
