// The keys of the console. They do nothing while a person types, or with Ctrl, Alt or the command key.
import { useEffect, useRef } from 'preact/hooks';

const meanings = [
  ['j / k', 'next, previous agent'],
  ['n', 'the first agent that needs you'],
  ['/', 'filter the agents'],
  ['h', 'choose a host'],
  ['p', 'write a prompt'],
  ['w t m r e o', 'work, terminal, mail, reminders, events, output'],
  ['Escape', 'leave a field, close the agent'],
  ['?', 'these keys'],
] as const;

/** @param hosts whether there are hosts to choose from */
export const Keys = ({ hosts }: { hosts: boolean }) => (
  <section class="keys" aria-label="Keys">
    <dl>
      {meanings
        .filter(([key]) => hosts || key !== 'h')
        .map(([key, meaning]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
    </dl>
  </section>
);

const typesText = (target: EventTarget | null): target is HTMLElement =>
  target instanceof HTMLElement &&
  (target.closest('.xterm') === null
    ? target.matches('input, textarea, select')
    : target.closest('.typing') !== null);

/** Calls the action of a key. Escape leaves the field in which a person types. */
export function useKeys(actions: Readonly<Record<string, () => void>>): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      // Keys that are typed into an agent's terminal are the agent's.
      if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
      if (typesText(event.target)) {
        if (event.key === 'Escape' && event.target.closest('.xterm') === null) event.target.blur();
        return;
      }
      const action = latest.current[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
}
