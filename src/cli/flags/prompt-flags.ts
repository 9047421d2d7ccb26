import type { ServerFlag } from './server-flag.js';

/** Those of `agents prompt`. */
export interface PromptFlags extends ServerFlag {
  model?: string;
  reasoning?: number;
  new?: boolean;
  idempotencyKey?: string;
  /** Seconds. */
  silenceLimit: number;
}

/** The choice of a model, as both surfaces take it with a prompt. */
export function executionOf(flags: PromptFlags) {
  if (flags.model === undefined && flags.reasoning === undefined) return {};
  return {
    execution: {
      model: {
        ...(flags.model === undefined ? {} : { name: flags.model }),
        ...(flags.reasoning === undefined ? {} : { reasoning: { level: flags.reasoning } }),
      },
    },
  };
}
