// The output of the processes of a headless agent's latest turn.
import { isHoumaoError } from '@houmao/sdk/managed-agent';
import type { RoomProps } from './agent-view.js';
import { useRead } from './watching.js';
import { refOf, sourceOf } from './words.js';

/** The answer where a file is empty: it has no last part. */
const noSuchPart = 416;
/** The end of a file that is shown, in bytes. */
const shownBytes = 64 * 1024;

export function OutputRoom({ client, agent }: RoomProps) {
  const turnId = agent.running?.turn_id ?? agent.last_turn?.turn_id ?? null;
  if (agent.transport === 'tui')
    return <p class="empty">An agent in a terminal prints there. Its records are under Work and Events.</p>;
  if (agent.unseen) return <p class="empty">Its turns are not known yet.</p>;
  if (turnId === null) return <p class="empty">No turn yet.</p>;
  return (
    <section class="output" aria-label="Output">
      <FileOf client={client} agent={agent} turnId={turnId} name="stderr" />
      <FileOf client={client} agent={agent} turnId={turnId} name="stdout" />
    </section>
  );
}

interface FileProps extends Pick<RoomProps, 'client' | 'agent'> {
  readonly turnId: string;
  readonly name: 'stdout' | 'stderr';
}

function FileOf({ client, agent, turnId, name }: FileProps) {
  const bound = client.agent(refOf(agent));
  const { value, problem } = useRead(
    (signal) => {
      const call = { path: { turn_id: turnId }, headers: { Range: `bytes=-${shownBytes}` }, signal };
      const text = name === 'stdout' ? bound.getTurnStdout(call) : bound.getTurnStderr(call);
      return text.catch((error: unknown) => {
        if (isHoumaoError(error) && error.status === noSuchPart) return '';
        throw error;
      });
    },
    [sourceOf(agent), turnId, agent.running === null],
  );
  return (
    <>
      <h3>
        {name} <small>{turnId}, at most the last 64 KiB</small>
      </h3>
      {problem === null ? <pre>{value === '' ? '(empty)' : value}</pre> : <p class="problem">{problem}</p>}
    </>
  );
}
