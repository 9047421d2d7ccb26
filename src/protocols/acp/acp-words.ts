import type { ContentBlock, PermissionOption, SessionUpdate, ToolKind } from '@agentclientprotocol/sdk';
import type { Schemas } from '@houmao/sdk';

// Prompts, turns and questions of an agent in the words of the Agent Client Protocol, and back. Pure.

/** A block of a prompt that an agent of ours cannot be given. */
export class UnusableBlock extends Error {
  override readonly name = 'UnusableBlock';
}

/** Writes the blocks of a prompt as one text. @throws {UnusableBlock} for pictures and sounds, which the capabilities rule out. */
export const promptText = (blocks: readonly ContentBlock[]): string =>
  blocks.map(blockText).join('\n\n').trim();

function blockText(block: ContentBlock): string {
  if (block.type === 'text') return block.text;
  if (block.type === 'resource_link') return `[${block.title ?? block.name}](${block.uri})`;
  if (block.type === 'resource' && 'text' in block.resource)
    return `${block.resource.uri}:\n\n${block.resource.text}`;
  throw new UnusableBlock(
    `This agent takes text and no ${block.type === 'resource' ? 'binary files' : block.type}.`,
  );
}

/** The text of the message that a client shows so far. */
export interface ShownText {
  readonly message: string;
  /** Whether anything was shown before this message. */
  readonly isLater: boolean;
}

export const nothingShown: ShownText = { message: '', isLater: false };

/**
 * Returns the piece that brings the text of a client to that of the agent. Clients only append: a text that replaces what was shown is
 * appended from where it differs, or whole behind it.
 */
export function appended(
  shown: ShownText,
  { text, position }: Schemas['TextPartData'],
): { piece: string; shown: ShownText } {
  if (position === 'continues') return { piece: text, shown: { ...shown, message: shown.message + text } };
  if (position === 'replaces' && text.startsWith(shown.message))
    return { piece: text.slice(shown.message.length), shown: { ...shown, message: text } };
  const isLater = shown.isLater || shown.message !== '';
  return { piece: isLater ? `\n\n${text}` : text, shown: { message: text, isLater } };
}

/** Returns what a part of a turn shows, besides its text and its questions; null for a part that shows nothing. */
export function updateOf(part: Schemas['TurnPart']): SessionUpdate | null {
  switch (part.kind) {
    case 'reasoning':
      return thought(part.data.text);
    case 'notice':
      return thought(`${part.data.severity}: ${part.data.text}`);
    case 'gap':
      return thought(`Parts of the turn are missing here: ${part.data.detail}`);
    case 'tool_use': {
      const { tool_use_id, name, summary } = part.data;
      return {
        sessionUpdate: 'tool_call',
        toolCallId: tool_use_id ?? part.id,
        title: summary === '' ? name : `${name} ${summary}`,
        kind: toolKind(name),
        status: 'in_progress',
      };
    }
    case 'tool_result': {
      const { tool_use_id, is_error, summary } = part.data;
      if (tool_use_id === null) return null;
      return {
        sessionUpdate: 'tool_call_update',
        toolCallId: tool_use_id,
        status: is_error === true ? 'failed' : 'completed',
        content: [{ type: 'content', content: { type: 'text', text: summary } }],
      };
    }
    default:
      return null;
  }
}

/** Returns a thought of the agent, or a remark of ours beside its answer. */
export const thought = (text: string): SessionUpdate => ({
  sessionUpdate: 'agent_thought_chunk',
  content: { type: 'text', text },
});

export const messageChunk = (
  sessionUpdate: 'agent_message_chunk' | 'user_message_chunk',
  text: string,
): SessionUpdate => ({ sessionUpdate, content: { type: 'text', text } });

/** The tools of Claude Code, Codex and Gemini CLI whose kind their name shows. */
const kinds: ReadonlyArray<readonly [ToolKind, RegExp]> = [
  ['execute', /^(bash|shell|exec_command|local_shell|run_shell_command)$/i],
  ['edit', /^(edit|multiedit|write|notebookedit|apply_patch|replace|write_file)$/i],
  ['read', /^(read|read_file|read_many_files|view_image)$/i],
  [
    'search',
    /^(grep|glob|ls|search_file_content|grep_search|list_directory|web_?search|google_web_search)$/i,
  ],
  ['fetch', /^(webfetch|web_fetch)$/i],
  ['think', /^(task|todowrite|update_plan|write_todos)$/i],
];

export const toolKind = (name: string): ToolKind =>
  kinds.find(([, names]) => names.test(name))?.[0] ?? 'other';

/** Returns the choices of a question as a client offers them; the id of an option is the number of its choice. */
export const permissionOptions = (choices: readonly Schemas['DialogChoice'][]): PermissionOption[] =>
  choices.map(({ number, label }) => ({ optionId: String(number), name: label, kind: optionKind(label) }));

/** A choice counts as a consent only where it says so: clients may choose by the kind. */
function optionKind(label: string): PermissionOption['kind'] {
  const isYes = /^\W*(yes|allow|approve|accept|proceed|ok|always)\b/i.test(label);
  const isLasting =
    /\b(always|don['’]?t ask again|do not ask again|for this session|all edits|never)\b/i.test(label);
  if (isYes) return isLasting ? 'allow_always' : 'allow_once';
  return isLasting ? 'reject_always' : 'reject_once';
}
