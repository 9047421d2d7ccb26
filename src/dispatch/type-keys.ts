import { type AgentTerminal, TerminalLost } from '../agent/target/agent-terminal.js';
import type { Journal } from '../events/journal.js';
import { firstCodePoints } from '../foundation/text.js';
import { type KeySegment, parseKeySequence, UnsendableKeys } from '../terminal/terminal-input.js';

const previewLength = 120;

/** The reason why an agent has nothing to show, to type into or to ask; every route answers with this sentence. */
export const noTerminal = 'The agent runs headless: it has no terminal of its own.';

interface Keys {
  sequence: string;
  literal: boolean;
}

/** The reason why keys did not arrive. */
export interface KeysTrouble {
  /** `unsendable`: nothing was typed. `lost`: it is unknown how much was typed before the terminal was lost. */
  code: 'unsendable' | 'lost';
  /** One sentence for people. */
  detail: string;
}

/**
 * Types a sequence into a terminal and records that as an event, even when it is unknown how much of it arrived
 * (docs/decisions.md#key-sequences).
 * @param notNoted called when the event cannot be stored: the result of the keys is returned all the same, so that the
 *   caller does not type them twice.
 * @returns why nothing, or not all of it, was typed; null when all was.
 */
export async function typeKeys(
  terminal: AgentTerminal,
  keys: Keys,
  journal: Journal,
  notNoted: (error: unknown) => void,
): Promise<KeysTrouble | null> {
  const segments = segmentsOf(keys);
  if (!Array.isArray(segments)) return segments;
  try {
    await terminal.type(segments);
    return null;
  } catch (error) {
    if (!(error instanceof TerminalLost)) throw error;
    return {
      code: 'lost',
      detail: 'The terminal was lost while the keys were typed; what was typed before stays typed.',
    };
  } finally {
    await noteInput(keys, journal).catch(notNoted);
  }
}

function segmentsOf({ sequence, literal }: Keys): KeySegment[] | KeysTrouble {
  try {
    return parseKeySequence(sequence, { literal });
  } catch (error) {
    if (error instanceof UnsendableKeys) return { code: 'unsendable', detail: error.message };
    throw error;
  }
}

const noteInput = ({ sequence, literal }: Keys, journal: Journal): Promise<void> =>
  journal.write((atUtc) =>
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
