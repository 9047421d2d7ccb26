import type { ReasoningChoice } from './tool-adapter.js';

/** The presets of a model, weakest first, and what turns reasoning off, if anything does. */
export interface ReasoningLadder {
  presets: readonly [string, ...string[]];
  off: string | null;
  /** Why level 0 is refused, in words for the answer; only used when `off` is null. */
  offRefusal: string;
}

/**
 * Position 1 is the first preset; positions past the top mean the top; 0 asks for "off"
 * (docs/decisions.md#model-and-reasoning).
 */
export function ladderChoice(ladder: ReasoningLadder, level: number): ReasoningChoice {
  if (!Number.isInteger(level) || level < 0) {
    return { ok: false, reason: `A reasoning level is a whole number from 0, not ${level}.` };
  }
  if (level === 0) {
    return ladder.off === null ? { ok: false, reason: ladder.offRefusal } : { ok: true, preset: ladder.off };
  }
  const preset = ladder.presets[Math.min(level, ladder.presets.length) - 1] ?? ladder.presets[0];
  return { ok: true, preset };
}

/** @throws Error for a level that admission should have refused. */
export function requiredPreset(choice: ReasoningChoice): string {
  if (!choice.ok) throw new Error(choice.reason);
  return choice.preset;
}
