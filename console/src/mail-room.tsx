// The mailbox of an agent: its messages, one of them opened, and a note or an answer to it.
import type { Schemas } from '@houmao/sdk/managed-agent';
import { useState } from 'preact/hooks';
import { type RoomProps, Said } from './agent-view.js';
import { useAction, useRead } from './watching.js';
import { ageOf, refOf, sourceOf } from './words.js';

type Message = Schemas['MailMessage'];

export function MailRoom({ client, agent, now }: RoomProps) {
  const bound = client.agent(refOf(agent));
  const [box, setBox] = useState('inbox');
  const [looks, setLooks] = useState(0);
  const [opened, setOpened] = useState<string | null>(null);
  const { value, problem } = useRead(
    (signal) => bound.listAgentMail({ body: { box, limit: 50, include_body: true }, signal }),
    [sourceOf(agent), box, looks],
  );
  if (problem !== null && value === null) return <p class="empty">{problem}</p>;
  const message = value?.messages.find(({ message_ref }) => message_ref === opened) ?? null;
  return (
    <section class="mail" aria-label="Mail">
      <p class="facts">
        <label>
          Box{' '}
          <select value={box} onChange={({ currentTarget }) => setBox(currentTarget.value)}>
            {['inbox', 'sent', 'archive'].map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <button type="button" onClick={() => setLooks(looks + 1)}>
          Look again
        </button>
        <span>{value && `${value.address}: ${value.message_count} shown, ${value.unread_count} unread`}</span>
      </p>
      {problem !== null && <p class="problem">{problem}</p>}
      <ul class="messages">
        {value?.messages.map((one) => (
          <li key={one.message_ref} class={one.unread === true ? 'unread' : ''}>
            <button
              type="button"
              aria-expanded={one.message_ref === opened}
              onClick={() => setOpened(one.message_ref === opened ? null : one.message_ref)}
            >
              <span>{one.sender.address}</span> <strong>{one.subject}</strong>{' '}
              <span class="age">{ageOf(one.created_at_utc, now)}</span>
            </button>
            {one === message && <pre>{one.body_text ?? one.body_preview}</pre>}
          </li>
        ))}
      </ul>
      {value?.messages.length === 0 && <p class="empty">No messages.</p>}
      <Write key={opened ?? ''} agent={bound} answered={message} done={() => setLooks(looks + 1)} />
    </section>
  );
}

interface WriteProps {
  readonly agent: ReturnType<RoomProps['client']['agent']>;
  /** The message that the agent answers; null to write a note to the agent. */
  readonly answered: Message | null;
  readonly done: () => void;
}

/** Writes to the agent as its operator, or, where a message is opened, answers that in the agent's name. */
function Write({ agent, answered, done }: WriteProps) {
  const [subject, setSubject] = useState('');
  const [text, setText] = useState('');
  const action = useAction();
  const send = (): void =>
    action.run(async () => {
      if (answered === null) await agent.postAgentMail({ body: { subject, body_content: text } });
      else await agent.replyAgentMail({ body: { message_ref: answered.message_ref, body_content: text } });
      setText('');
      done();
      return answered === null ? 'The note is in its inbox.' : 'The answer is sent.';
    });
  return (
    <form
      class="write"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <h3>
        {answered === null ? 'Write a note to the agent' : `Answer “${answered.subject}” for the agent`}
      </h3>
      {answered === null && (
        <label>
          Subject
          <input required value={subject} onInput={({ currentTarget }) => setSubject(currentTarget.value)} />
        </label>
      )}
      <label>
        Text
        <textarea
          rows={4}
          required
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <button type="submit" disabled={action.running}>
        {answered === null ? 'Send the note' : 'Send the answer'}
      </button>
      <Said said={action.said} />
    </form>
  );
}
