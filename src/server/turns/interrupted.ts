import type { TurnRefusal } from './turn-refusal.js';

/** How an interrupt is asked for. */
export interface InterruptAim {
  /** Under which the same call stops nothing again; null without one. */
  readonly key: string | null;
  /** The one turn that is to be stopped; null for whichever runs. */
  readonly ifTurn: string | null;
}

export const whicheverRuns: InterruptAim = { key: null, ifTurn: null };

/** Whether an interrupt that meets nothing leaves no trace. */
export const isOpen = ({ key, ifTurn }: InterruptAim): boolean => key === null && ifTurn === null;

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
