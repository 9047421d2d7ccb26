import type { MenuItem } from './screen-state.js';

const commands: readonly MenuItem[] = [
  { command: '/clear', description: 'Start a new conversation with an empty context' },
  { command: '/exit', description: 'Leave the program' },
  { command: '/new', description: 'Start a new conversation, like /clear' },
  { command: '/quit', description: 'Leave the program, like /exit' },
];

/** Returns the commands that begin like a draft; none once the draft has a blank. */
export function menuOf(draft: string): readonly MenuItem[] {
  return draft.startsWith('/') ? commands.filter(({ command }) => command.startsWith(draft)) : [];
}

export type SlashCommand =
  | { kind: 'new-conversation'; name: string; args: string }
  | { kind: 'leave'; name: string; args: string }
  | { kind: 'unknown'; name: string; args: string };

/** Returns the command in a prompt; null for a prompt to the model, such as one that begins with a path. */
export function commandOf(prompt: string): SlashCommand | null {
  const [, name = '', args = ''] = /^\/([A-Za-z][\w:-]*)(?:\s+([\s\S]*))?$/.exec(prompt.trim()) ?? [];
  if (name === '') return null;
  if (name === 'clear' || name === 'new') return { kind: 'new-conversation', name, args };
  return { kind: name === 'exit' || name === 'quit' ? 'leave' : 'unknown', name, args };
}
