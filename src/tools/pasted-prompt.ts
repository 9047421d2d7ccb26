import type { ToolName } from './adapter/tool-adapter.js';

/** Whether Enter chooses from a list that a word at the end of the text has opened. */
const completesOnEnter: Readonly<Record<ToolName, boolean>> = { claude: false, codex: true, gemini: true };

/**
 * The text with which a prompt goes into the composer. Where it ends inside a word that these tools complete (a file after `@`,
 * a skill after `$`, a command after `/`), they open a list, and Enter chooses from that instead of sending the prompt: Gemini
 * CLI, read too early, makes `/chat clear` of `/chat list`. A blank closes the list, and both cut it off again. Claude Code
 * sends such a prompt as it stands, and keeps a blank in what it marks as pasted (docs/decisions.md#text-for-a-terminal).
 */
export function textToPaste(tool: ToolName | null, text: string): string {
  if (tool === null || !completesOnEnter[tool]) return text;
  const endsInWord = text !== '' && text.trimEnd() === text;
  return endsInWord && (text.trimStart().startsWith('/') || /[@$]/.test(lastLineOf(text)))
    ? `${text} `
    : text;
}

/** The name of a file may have escaped blanks: the whole line counts. */
const lastLineOf = (text: string): string => text.slice(text.lastIndexOf('\n') + 1);

/**
 * Whether a row of the tool's files holds exactly the prompt that was pasted: both are brought to the form in which they no
 * longer differ by what the tool does to a pasted text. A beginning of it, or it with more text, is another prompt.
 *
 * @param typed what was pasted.
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
  // Inside the mark the row keeps what is composed elsewhere; composed it is the same in both places.
  claude: (text) =>
    withoutInvisible(withoutControls(text).replace(/\u2028/g, '\n'))
      .replace(/\t/g, '    ')
      .normalize('NFC')
      .trim(),
  codex: (text) => withoutControls(text).trim(),
  gemini: (text) => withoutInvisible(withoutControls(withoutDeleted(text))).trim(),
};

/** A terminal sends a line feed as a carriage return, and each of both begins a line. */
const withoutControls = (text: string): string =>
  text
    .replace(/\r/g, '\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the purpose.
    .replace(/\u001b\[[0-?]*[ -/]*[@-~]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');

/** Zero width characters, byte order marks, tags, and what turns the direction of writing. */
const withoutInvisible = (text: string): string => text.replace(/\p{Cf}/gu, '');

/** Gemini CLI takes DEL for the key of that name. */
function withoutDeleted(text: string): string {
  if (!text.includes('\u007f')) return text;
  const kept: string[] = [];
  for (const character of text)
    if (character === '\u007f') kept.pop();
    else kept.push(character);
  return kept.join('');
}
