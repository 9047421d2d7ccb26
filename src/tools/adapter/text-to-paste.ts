import type { ToolName } from './tool-name.js';

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
