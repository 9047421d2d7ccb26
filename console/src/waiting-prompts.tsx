// A list of prompts that wait somewhere, such as in the queue of an agent, each with the way to take it back.
import { Said } from './agent-view.js';
import type { Action } from './watching.js';

export interface WaitingPrompt {
  readonly id: string;
  readonly text: string;
  /** Why it waits, or what became of it. */
  readonly words: string | undefined;
  /** Whether it can be cancelled. */
  readonly isOpen: boolean;
}

export interface WaitingPromptsProps {
  readonly title: string;
  readonly prompts: readonly WaitingPrompt[];
  /** How many of them wait. */
  readonly waiting: number;
  readonly cancel: (id: string) => void;
  readonly action: Action;
  /** Why the list may be old; null where it is not. */
  readonly problem: string | null;
}

export function WaitingPrompts({ title, prompts, waiting, cancel, action, problem }: WaitingPromptsProps) {
  return (
    <section class="waiting" aria-label={title}>
      <h3>
        {title} <small>{waiting === 0 ? 'nothing waits' : `${waiting} waiting`}</small>
      </h3>
      <ol>
        {prompts.map(({ id, text, words, isOpen }) => (
          <li key={id}>
            <span class="prompt">{text}</span>
            <small>{words}</small>
            {isOpen && (
              <button type="button" disabled={action.running} onClick={() => cancel(id)}>
                Cancel
              </button>
            )}
          </li>
        ))}
      </ol>
      {problem !== null && <p class="problem">{problem}</p>}
      <Said said={action.said} />
    </section>
  );
}
