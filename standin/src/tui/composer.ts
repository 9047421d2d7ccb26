import { composerText, placeholderOf, withoutBidi } from './pasted-text.js';

/** The content of the box. The cursor is at its end. */
export interface BoxDraft {
  /** Contains a placeholder for each large paste. */
  text: string;
  pastes: readonly Paste[];
}

export interface Paste {
  number: number;
  placeholder: string;
  text: string;
}

/** A draft that was sent. */
export interface SentDraft {
  /** The text as the box showed it. */
  display: string;
  /** The text as the agent reads it: large pastes between marks. */
  prompt: string;
  /** Like `prompt`, without marks. */
  text: string;
  pastes: readonly Paste[];
}

export const emptyDraft: BoxDraft = { text: '', pastes: [] };

/** Returns a draft with typed text added. */
export function typed(draft: BoxDraft, text: string): BoxDraft {
  return { ...draft, text: draft.text + composerText(text) };
}

/**
 * Returns a draft with a paste added. @param number the number of the paste, if it needs a placeholder: the first of a session is
 * 1.
 */
export function pasted(draft: BoxDraft, raw: string, number: number): BoxDraft {
  const text = composerText(raw);
  const placeholder = placeholderOf(text, number);
  if (placeholder === null) return { ...draft, text: draft.text + text };
  return { text: draft.text + placeholder, pastes: [...draft.pastes, { number, placeholder, text }] };
}

/** Returns a draft without its last character, or without its last placeholder as a whole. */
export function erased(draft: BoxDraft): BoxDraft {
  const paste = draft.pastes.find(({ placeholder }) => draft.text.endsWith(placeholder));
  if (paste === undefined) return { ...draft, text: Array.from(draft.text).slice(0, -1).join('') };
  const pastes = draft.pastes.filter((each) => each !== paste);
  return { text: draft.text.slice(0, -paste.placeholder.length), pastes };
}

/** Returns a draft without the text of its last line, or without that line if it is empty. */
export function lineCleared(draft: BoxDraft): BoxDraft {
  const start = draft.text.lastIndexOf('\n') + 1;
  const text = draft.text.slice(0, start === draft.text.length ? Math.max(0, start - 1) : start);
  return { text, pastes: draft.pastes.filter(({ placeholder }) => text.includes(placeholder)) };
}

/** Returns a draft without characters that change the direction of writing, and their number outside of placeholders. */
export function reviewed(draft: BoxDraft): { draft: BoxDraft; removed: number } {
  const { text, removed } = withoutBidi(draft.text);
  return { draft: { ...draft, text }, removed };
}

/** @param mark the four hexadecimal digits in the marks of large pastes. */
export function submitted(draft: BoxDraft, mark: string): SentDraft {
  const display = draft.text.trimEnd();
  const pastes = draft.pastes.filter(({ placeholder }) => display.includes(placeholder));
  const parts = partsOf(display, pastes);
  const write = (marked: (text: string) => string) =>
    parts.map((part) => (typeof part === 'string' ? part.normalize('NFC') : marked(part.text))).join('');
  const id = `pasted_content id="${mark}"`;
  return {
    display,
    prompt: write((text) => `\n\n<${id}>\n${text}\n</${id}>\n`),
    text: write((text) => text),
    pastes,
  };
}

function partsOf(display: string, pastes: readonly Paste[]): (string | Paste)[] {
  return display.split(/(\[Pasted text #\d+(?: \+\d+ lines)?\])/).map((part) => {
    const paste = pastes.find(({ placeholder }) => placeholder === part);
    return paste ?? part;
  });
}
