/** A source of choices that are the same for the same seed. */
export interface SeededRandom {
  /** An integer from `low` to `high`, both included. */
  between(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<T>(values: readonly T[]): T;
}

export function seededRandom(seed: number): SeededRandom;
