import type { TurnRefusal } from './turn-refusal.js';

/** What an interrupt met. */
export type Met =
  | { readonly met: 'nothing' }
  /** `over`: it has ended by now. `turnId` is null for what a person began in a terminal. */
  | {
      readonly met: 'work';
      readonly turnId: string | null;
      readonly turnIndex: number | null;
      readonly over: boolean;
    };

/** `replayed`: an earlier call with the same key met it. */
export type Interrupted = (Met & { readonly replayed?: true }) | TurnRefusal;
