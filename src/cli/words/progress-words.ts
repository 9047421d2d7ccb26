import type { Schemas } from '@houmao/sdk';

/** `0:07`, `12:34`, `1:02:03`. */
export function elapsedWords(elapsedMs: number): string {
  const seconds = Math.floor(elapsedMs / 1000);
  const two = (part: number): string => String(part).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const clock = hours === 0 ? String(minutes) : `${hours}:${two(minutes)}`;
  return `${clock}:${two(seconds % 60)}`;
}

/** How a request that is waited for stands, in a word or two. */
export function standing({ state, turn, queue_position }: Schemas['RequestRecord']): string {
  if (turn?.state === 'running') return turnStanding(turn);
  if (state !== 'accepted') return state === 'running' ? 'starting' : state;
  return queue_position === null ? 'waiting' : `waiting, place ${queue_position + 1} in the queue`;
}

/** The same of a turn. */
export const turnStanding = ({
  state,
  delivery,
}: Pick<Schemas['TurnRecord'], 'state' | 'delivery'>): string => {
  if (state !== 'running') return state;
  return delivery.state === 'confirmed' ? 'running' : `running, prompt ${delivery.state.replace('_', ' ')}`;
};
