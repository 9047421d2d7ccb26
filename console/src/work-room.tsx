// The agent's work: its question to a person, the answer as it is written, the queue, and a box for the next prompt.
import type { HoumaoClient, Schemas } from '@houmao/sdk/managed-agent';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type AgentViewProps, type RoomProps, Said } from './agent-view.js';
import { GivenPrompts, isGiven } from './given-prompts.js';
import { isAway } from './hosts.js';
import { emptyTranscript, type TurnPassage, type TurnTranscript, withPart } from './transcript.js';
import { WaitingPrompts } from './waiting-prompts.js';
import { problemOf, useAction, useRead } from './watching.js';
import { outcomeWord, refOf, sourceOf, usageOf, withoutRules } from './words.js';

export function WorkRoom(props: AgentViewProps) {
  const { client, agent } = props;
  const turnId = agent.running?.turn_id ?? agent.last_turn?.turn_id ?? null;
  return (
    <div class="work">
      {agent.question !== null && <Question {...props} />}
      {turnId !== null && <Turn key={turnId} client={client} agent={agent} turnId={turnId} now={props.now} />}
      {turnId === null && (
        <p class="empty">{agent.unseen ? 'Its turns are not known yet.' : 'No turn yet.'}</p>
      )}
      {agent.has_gateway && !agent.unseen && !isAway(agent) && <Queue {...props} />}
      {agent.elsewhere !== undefined && (
        <GivenPrompts client={client} place={agent.elsewhere} given={props.given} />
      )}
      <PromptBox {...props} />
    </div>
  );
}

/** The dialog on the agent's screen, with a button for each choice. */
function Question({ client, agent }: RoomProps) {
  const { gateway } = client.agent(refOf(agent));
  const { value, problem } = useRead(
    (signal) => gateway.getDialog({ signal }),
    [sourceOf(agent), agent.question, agent.has_gateway],
  );
  const action = useAction();
  const dialog = value?.dialog ?? null;
  const choose = ({ number, label }: Schemas['DialogChoice']): void =>
    action.run(async () => {
      if (dialog === null) return null;
      const { outcome, detail } = await gateway.answerDialog({
        body: { dialog_id: dialog.dialog_id, choose: number },
      });
      return outcome === 'answered' ? `Answered: ${label}` : detail;
    });
  return (
    <section class="question" aria-label="Question to you">
      <h3>It asks you</h3>
      <pre>{withoutRules(dialog?.text ?? agent.question ?? '')}</pre>
      <div class="choices">
        {dialog?.choices.map((choice) => (
          <button key={choice.number} type="button" disabled={action.running} onClick={() => choose(choice)}>
            {choice.number}. {choice.label}
          </button>
        ))}
      </div>
      {dialog !== null && dialog.choices.length === 0 && (
        <p>Its choices cannot be read. Answer it in the terminal.</p>
      )}
      {problem !== null && <p class="problem">{agent.has_gateway ? problem : noGateway}</p>}
      <Said said={action.said} />
    </section>
  );
}

const noGateway =
  'It can be answered here once a gateway stands beside the agent. Until then, answer it in its terminal.';

/** A turn as it is written. */
function Turn({ client, agent, turnId }: RoomProps & { turnId: string }) {
  const { transcript, problem } = useTranscript(client, agent, turnId);
  const { passages, delivery, usage, ended } = transcript;
  const runs = agent.running?.turn_id === turnId;
  const last = runs ? null : agent.last_turn;
  // Its beginning, until the host of the agent has said the rest.
  const answer = ended === null ? (last?.answer_preview ?? null) : (ended.answer?.text ?? null);
  const spoken = passages.some(({ kind }) => kind === 'text');
  const prompt = runs ? (agent.running?.prompt_preview ?? null) : null;
  return (
    <section class="turn" aria-label="Turn">
      <h3>
        {ended === null && runs ? 'Working' : outcomeWord((ended ?? last)?.outcome ?? null)}{' '}
        <small>{turnId}</small>
      </h3>
      {prompt !== null && <p class="prompt">{prompt}</p>}
      <div class="passages" aria-live="off">
        {passages.map((passage, index) => (
          <PassageOf key={index} passage={passage} />
        ))}
        {!spoken && answer !== null && <p class="text">{answer}</p>}
      </div>
      {ended?.error && <p class="problem">{ended.error.detail}</p>}
      {problem !== null && <p class="problem">{problem}</p>}
      <p class="facts">
        {delivery !== null && (
          <span title={delivery.evidence ?? ''}>
            {delivery.state}
            {delivery.evidence === null ? '' : `: ${delivery.evidence}`}
          </span>
        )}
        <span class="usage">{usageOf(usage ?? ended?.usage ?? null)}</span>
      </p>
    </section>
  );
}

function PassageOf({ passage }: { passage: TurnPassage }) {
  switch (passage.kind) {
    case 'text':
      return <p class="text">{passage.text}</p>;
    case 'reasoning':
      return <p class="reasoning">{passage.text}</p>;
    case 'tool':
      return (
        <p class={passage.failed === true ? 'use failed' : 'use'}>
          <strong>{passage.name}</strong> {passage.summary}
          {passage.result !== null && <small>{passage.result}</small>}
        </p>
      );
    case 'question':
      return (
        <details class="note">
          <summary>Asked a person</summary>
          <pre>{withoutRules(passage.text)}</pre>
        </details>
      );
    case 'note':
      return <p class={passage.bad ? 'problem' : 'note'}>{passage.text}</p>;
  }
}

/** Follows the parts of a turn. They are shown at most once per frame, however fast they come. */
function useTranscript(client: HoumaoClient, agent: RoomProps['agent'], turnId: string) {
  const [transcript, setTranscript] = useState<TurnTranscript>(emptyTranscript);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    let [read, drawing] = [emptyTranscript, 0];
    setProblem(null);
    const draw = (): void => {
      drawing = 0;
      setTranscript(read);
    };
    const follow = async (): Promise<void> => {
      for await (const part of client.agent(refOf(agent)).turn(turnId).stream({ signal })) {
        read = withPart(read, part);
        drawing ||= requestAnimationFrame(draw);
      }
    };
    follow().catch((error: unknown) => signal.aborted || setProblem(problemOf(error)));
    return () => {
      leaving.abort();
      cancelAnimationFrame(drawing);
    };
  }, [client, sourceOf(agent), turnId]);
  return { transcript, problem };
}

/** The waiting requests, in the order in which they will run. */
function Queue({ client, agent }: RoomProps) {
  const { gateway } = client.agent(refOf(agent));
  const waiting = agent.queue?.waiting ?? 0;
  const { value, problem } = useRead(
    (signal) => gateway.listRequests({ query: { state: 'accepted', limit: 100 }, signal }),
    [sourceOf(agent), waiting, agent.queue?.paused, agent.running?.turn_id],
  );
  const action = useAction();
  const cancel = (id: string): void =>
    action.run(async () => {
      const { state } = await gateway.cancelRequest({ path: { request_id: id } });
      return `${id} is ${state}.`;
    });
  const prompts = [...(value?.requests ?? [])]
    .sort((one, other) => (one.queue_position ?? 0) - (other.queue_position ?? 0))
    .map(({ request_id: id, prompt_preview, request_kind, waiting_reason }) => {
      return { id, text: prompt_preview ?? request_kind, words: waiting_reason?.detail, isOpen: true };
    });
  return <WaitingPrompts title="Queue" {...{ prompts, waiting, cancel, action, problem }} />;
}

/** The box for the next prompt. A prompt whose answer was lost is sent again under its key, so that it runs once at most. */
function PromptBox({ client, agent, draft, onDraft, onGiven }: AgentViewProps) {
  const isQueued = isForQueue(agent);
  const action = useAction();
  const [lost, setLost] = useState<{ text: string; key: string } | null>(null);
  const latest = useRef(draft);
  latest.current = draft;
  const send = (): void => {
    const text = draft;
    if (text.trim() === '') return;
    action.run(async () => {
      const options = lost?.text === text ? { idempotencyKey: lost.key } : {};
      try {
        const { said, givenAs } = await submit(client, agent, text, options);
        setLost(null);
        // What was typed meanwhile stays.
        if (latest.current === text) onDraft('');
        if (givenAs !== null) onGiven(givenAs);
        return said;
      } catch (error) {
        const { idempotencyKey } = error as { idempotencyKey?: string | null };
        setLost(idempotencyKey ? { text, key: idempotencyKey } : null);
        throw error;
      }
    });
  };
  return (
    <form
      class="prompt-box"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <label for="prompt">Prompt</label>
      <textarea
        id="prompt"
        rows={3}
        value={draft}
        placeholder={
          isQueued
            ? 'Enter queues it, Shift+Enter begins a line'
            : 'Enter sends it, Shift+Enter begins a line'
        }
        onInput={({ currentTarget }) => onDraft(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      <button type="submit" disabled={action.running || draft.trim() === ''}>
        {isQueued ? 'Queue' : 'Send'}
      </button>
      <Said said={action.said} />
      {lost !== null && <p class="note">It may have arrived. Sent again unchanged, it runs once at most.</p>}
    </form>
  );
}

/** Whether a prompt waits for the agent: in the queue of its gateway, or with the fleet while its host is away. */
const isForQueue = (agent: RoomProps['agent']): boolean => agent.has_gateway || isAway(agent);

async function submit(
  client: HoumaoClient,
  agent: RoomProps['agent'],
  text: string,
  options: { idempotencyKey?: string },
): Promise<{ said: string; givenAs: string | null }> {
  const bound = client.agent(refOf(agent));
  if (!isForQueue(agent)) {
    const { turnId } = await bound.submit(text, options);
    return { said: `Sent as ${turnId}.`, givenAs: null };
  }
  const { requestId } = await bound.gateway.submit(text, options);
  return isGiven(requestId)
    ? { said: `Accepted by the fleet as ${requestId}.`, givenAs: requestId }
    : { said: `Queued as ${requestId}.`, givenAs: null };
}
