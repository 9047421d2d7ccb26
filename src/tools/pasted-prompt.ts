import type { ToolName } from './adapter/tool-adapter.js';

/** Whether Enter chooses from a list that a word at the end of the text has opened. */
const completesOnEnter: Readonly<Record<ToolName, boolean>> = { claude: false, codex: true, gemini: true };

/**
 * Returns the text that is pasted into the composer for a prompt. If it ends inside a word that these tools complete (a file
 * after `@`, a skill after `$`, a command after `/`), they open a list, and Enter chooses from that instead of sending the
 * prompt: Gemini CLI, if Enter comes too early, turns `/chat list` into `/chat clear`. A blank closes the list, and both tools
 * remove it again. Claude Code sends such a prompt unchanged, and would keep a blank in text that it marks as pasted
 * (docs/decisions.md#text-for-a-terminal).
 */
export function textToPaste(tool: ToolName | null, text: string): string {
  if (tool === null || !completesOnEnter[tool]) return text;
  const endsInWord = text !== '' && text.trimEnd() === text;
  return endsInWord && (text.trimStart().startsWith('/') || /[@$]/.test(lastLineOf(text)))
    ? `${text} `
    : text;
}

/** Returns the last line. The name of a file may have escaped blanks, so the whole line counts. */
const lastLineOf = (text: string): string => text.slice(text.lastIndexOf('\n') + 1);

/**
 * Decides whether a row of the tool's files holds exactly the prompt that was pasted. Both texts are normalized to remove what
 * the tool changes in a pasted text. A part of the prompt, or the prompt with more text, is another prompt.
 *
 * @param typed the text that was pasted.
 * @param row the text of the row.
 */
export function isSamePrompt(tool: ToolName, typed: string, row: string): boolean {
  const comparable = forms[tool];
  const wanted = comparable(typed);
  if (comparable(row) === wanted) return true;
  const pasted = tool === 'claude' ? wrapped.exec(row)?.[2] : undefined;
  return pasted !== undefined && comparable(pasted) === wanted;
}

/** Claude Code marks a longer paste in the row. */
const wrapped = /^\s*<pasted_content id="([0-9a-f]+)">\n([\s\S]*)\n<\/pasted_content id="\1">\s*$/;

const forms: Readonly<Record<ToolName, (text: string) => string>> = {
  // Inside the mark the row keeps text that Claude Code composes (NFC) elsewhere; composing it here makes both equal.
  claude: (text) =>
    withoutInvisible(withoutControls(text).replace(/\u2028/g, '\n'))
      .replace(/\t/g, '    ')
      .normalize('NFC')
      .trim(),
  codex: (text) => withoutControls(text).trim(),
  gemini: (text) => withoutInvisible(withoutControls(withoutDeleted(text))).trim(),
};

/**
 * Replaces carriage returns by line feeds (a terminal sends a line feed as a carriage return; either begins a line) and removes
 * control characters.
 */
const withoutControls = (text: string): string =>
  text
    .replace(/\r/g, '\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the purpose.
    .replace(/\u001b\[[0-?]*[ -/]*[@-~]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');

/** Removes zero width characters, byte order marks, tags, and characters that change the direction of writing. */
const withoutInvisible = (text: string): string => text.replace(/\p{Cf}/gu, '');

/** Applies each DEL as Gemini CLI does, which takes it for the key of that name. */
function withoutDeleted(text: string): string {
  if (!text.includes('\u007f')) return text;
  const kept: string[] = [];
  for (const character of text)
    if (character === '\u007f') kept.pop();
    else kept.push(character);
  return kept.join('');
}
