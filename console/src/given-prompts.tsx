// The prompts that were given to the fleet here, for an agent of another host, until that host has them.
import type { HoumaoClient, Schemas } from '@houmao/sdk/managed-agent';
import { useEffect, useState } from 'preact/hooks';
import { commandWords } from './hosts.js';
import { WaitingPrompts } from './waiting-prompts.js';
import { pauseAfterFailure, problemOf, useAction, waiting, waitSeconds } from './watching.js';

/** A prompt that was given to the fleet here. */
export interface GivenPrompt {
  readonly commandId: string;
  readonly text: string;
}

type Command = Schemas['FleetCommand'];
const isTaken = ({ state }: Command): boolean => state === 'admitted' || state === 'delivered';
const isOpen = ({ state }: Command): boolean => state === 'accepted' || state === 'admitting';

/** Whether the id of a request is that of a prompt which the fleet keeps until its host takes it. */
export const isGiven = (requestId: string): boolean => requestId.startsWith('fcmd-');

/** The prompts that were given to the fleet here and are in no queue yet, or were never taken. */
export function GivenPrompts({ client, given }: { client: HoumaoClient; given: readonly GivenPrompt[] }) {
  const { commands, problem, learn } = useCommands(client, given);
  const action = useAction();
  const cancel = (commandId: string): void =>
    action.run(async () => {
      const command = await client.cancelFleetCommand({ path: { command_id: commandId } });
      learn(command);
      return `${commandId} is ${command.state}.`;
    });
  const shown = given.flatMap((prompt) => {
    const command = commands.get(prompt.commandId);
    return command === undefined || isTaken(command) ? [] : [{ ...prompt, command }];
  });
  if (shown.length === 0 && action.said === null) return null;
  const prompts = shown.map(({ commandId: id, text, command }) => {
    return { id, text, words: commandWords(command), isOpen: isOpen(command) };
  });
  const count = prompts.filter((prompt) => prompt.isOpen).length;
  return <WaitingPrompts title="With the fleet" waiting={count} {...{ prompts, cancel, action, problem }} />;
}

/** Follows how far commands came, until each is in the queue of its agent or has ended. */
function useCommands(client: HoumaoClient, given: readonly GivenPrompt[]) {
  const [commands, setCommands] = useState<ReadonlyMap<string, Command>>(new Map());
  const [problem, setProblem] = useState<string | null>(null);
  const learn = (command: Command): void =>
    setCommands((known) => new Map(known).set(command.command_id, command));
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const read = async (id: string, query: { wait_until: 'admitted'; wait_seconds?: number }) => {
      const command = await client.getFleetCommand({ path: { command_id: id }, query, signal, ...waiting });
      if (!signal.aborted) learn(command);
      return isOpen(command);
    };
    const follow = async (): Promise<void> => {
      while (!signal.aborted) {
        try {
          const open: string[] = [];
          for (const { commandId } of given)
            if (await read(commandId, { wait_until: 'admitted' })) open.push(commandId);
          setProblem(null);
          // Their host takes them in their order.
          if (open[0] === undefined) return;
          await read(open[0], { wait_until: 'admitted', wait_seconds: waitSeconds });
        } catch (error) {
          if (signal.aborted) return;
          setProblem(problemOf(error));
          await pauseAfterFailure(signal);
        }
      }
    };
    void follow();
    return () => leaving.abort();
  }, [client, given.length]);
  return { commands, problem, learn };
}
