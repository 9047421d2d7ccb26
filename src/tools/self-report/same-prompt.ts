import type { ToolName } from '../adapter/tool-name.js';

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
