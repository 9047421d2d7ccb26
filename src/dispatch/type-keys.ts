import { type AgentTerminal, TerminalLost } from '../agent/target/agent-terminal.js';
import type { Journal } from '../events/journal.js';
import { firstCodePoints } from '../foundation/code-points.js';
import { parseKeySequence, UnsendableKeys } from '../terminal/key-sequence.js';

const previewLength = 120;

/**
 * Types a sequence into a terminal, and notes that somebody did (docs/decisions.md#key-sequences).
 * @returns why nothing, or not all of it, was typed; null when all was.
 */
export async function typeKeys(
  terminal: AgentTerminal,
  { sequence, literal }: { sequence: string; literal: boolean },
  journal: Journal,
): Promise<string | null> {
  try {
    await terminal.type(parseKeySequence(sequence, { literal }));
  } catch (error) {
    if (error instanceof UnsendableKeys) return error.message;
    if (error instanceof TerminalLost) return 'The terminal was lost while the keys were typed.';
    throw error;
  }
  await journal.write((atUtc) =>
    journal.event(atUtc, {
      kind: 'control_input',
      subjectId: null,
      data: {
        sequence_preview: firstCodePoints(sequence, previewLength),
        escape_special_keys: literal,
        submitted_at_utc: atUtc,
      },
    }),
  );
  return null;
}
