import type { AgentTerminal } from '../agent/target/agent-terminal.js';
import type { Journal } from '../events/journal.js';
import type { Clock } from '../foundation/clock.js';
import type { TurnTable } from './turn-table.js';

interface LateParts {
  table: TurnTable;
  journal: Journal;
  clock: Clock;
  terminal: AgentTerminal;
  report: (fault: string) => void;
}

/**
 * Removes prompts that ended turns may have left in the composer, including turns of an earlier gateway
 * (docs/decisions.md#submission). Each prompt stays on disk until it can no longer appear.
 */
export class LatePrompts {
  readonly #parts: LateParts;
  readonly #underWay = new Set<string>();

  constructor(parts: LateParts) {
    this.#parts = parts;
  }

  /** Begins the removal of the late prompts for which none is under way yet. */
  look(): void {
    const { table, terminal, clock, report } = this.#parts;
    for (const { turn_id, text, ended_at_utc } of table.latePrompts()) {
      if (this.#underWay.has(turn_id)) continue;
      this.#underWay.add(turn_id);
      const age = Math.max(0, clock.now().getTime() - Date.parse(ended_at_utc));
      terminal
        .removeLate(text, age)
        .then((over) => this.#end(turn_id, over))
        .finally(() => this.#underWay.delete(turn_id))
        .catch((error: Error) =>
          report(`turn ${turn_id}: what it left in the composer could not be removed: ${error.message}`),
        );
    }
  }

  async #end(turnId: string, over: boolean): Promise<void> {
    const { journal, table } = this.#parts;
    if (over) await journal.write(() => table.dropPasted(turnId));
  }
}
