// The prompts that the fleet keeps for an agent of another host, until that has them in its queue.
import type { HoumaoClient, Schemas } from '@houmao/sdk/managed-agent';
import { useEffect, useState } from 'preact/hooks';
import { commandWords } from './hosts.js';
import { WaitingPrompts } from './waiting-prompts.js';
import { pause, pauseAfterFailure, problemOf, useAction, waiting, waitSeconds } from './watching.js';
import type { OtherPlace } from './words.js';

type Command = Schemas['FleetCommand'];
const isTaken = ({ state }: Command): boolean => state === 'admitted' || state === 'delivered';
const isOpen = ({ state }: Command): boolean => state === 'accepted' || state === 'admitting';

/** Whether the id of a request is that of a prompt which the fleet keeps until its host takes it. */
export const isGiven = (requestId: string): boolean => requestId.startsWith('fcmd-');

export interface GivenPromptsProps {
  readonly client: HoumaoClient;
  readonly place: Pick<OtherPlace, 'host' | 'reference'>;
  /** The ids of those that were given here, the oldest first. */
  readonly given: readonly string[];
}

/** The prompts that wait for the host of an agent, those of other people too, and those that were given here and never taken. */
export function GivenPrompts({ client, place, given }: GivenPromptsProps) {
  const { commands, unlisted, problem, learn } = useCommands(client, place, given);
  const action = useAction();
  const cancel = (commandId: string): void =>
    action.run(async () => {
      const command = await client.cancelFleetCommand({ path: { command_id: commandId } });
      learn(command);
      return `${commandId} is ${command.state}.`;
    });
  const shown = commands.filter((command) => !isTaken(command));
  if (shown.length === 0 && action.said === null) return null;
  const prompts = shown.map((command) => ({
    id: command.command_id,
    text: command.prompt_preview ?? command.command_id,
    words: commandWords(command),
    isOpen: isOpen(command),
  }));
  const count = prompts.filter((prompt) => prompt.isOpen).length + unlisted;
  return <WaitingPrompts title="With the fleet" waiting={count} {...{ prompts, cancel, action, problem }} />;
}

/** Follows the prompts that wait for a host, and how those that were given here ended. */
function useCommands(
  client: HoumaoClient,
  { host, reference }: GivenPromptsProps['place'],
  given: readonly string[],
) {
  const [commands, setCommands] = useState<readonly Command[]>([]);
  const [unlisted, setUnlisted] = useState(0);
  const [problem, setProblem] = useState<string | null>(null);
  const learn = (command: Command): void =>
    setCommands((known) => known.map((one) => (one.command_id === command.command_id ? command : one)));
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const read = (command_id: string, seconds = 0): Promise<Command> =>
      client.getFleetCommand({
        path: { command_id },
        query: { wait_until: 'admitted', wait_seconds: seconds },
        signal,
        ...waiting,
      });
    const agent = reference.slice(0, -host.length - 1);
    const list = async (): Promise<readonly Command[]> => {
      const query = { host, agent, limit: 200 };
      const { commands: open, total } = await client.listFleetCommands({ query, signal, ...waiting });
      const others = given.filter((id) => !open.some(({ command_id }) => command_id === id));
      const known = [...open, ...(await Promise.all(others.map((id) => read(id))))];
      setUnlisted(total - known.filter(isOpen).length);
      return known;
    };
    const follow = async (): Promise<void> => {
      while (!signal.aborted) {
        try {
          const found = await list();
          if (signal.aborted) return;
          setCommands(found);
          setProblem(null);
          // Their host takes them in their order.
          const first = found.find(isOpen);
          if (first) await read(first.command_id, waitSeconds);
          else await pause(waitSeconds * 1000, signal);
        } catch (error) {
          if (signal.aborted) return;
          setProblem(problemOf(error));
          await pauseAfterFailure(signal);
        }
      }
    };
    void follow();
    return () => leaving.abort();
  }, [client, reference, given.length]);
  return { commands, unlisted, problem, learn };
}
