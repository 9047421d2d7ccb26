import { InvalidArgumentError } from 'commander';
import { readPort } from '../../foundation/fetch-ports.js';
import { isIsoInstant } from '../../foundation/iso-instant.js';

/** Reads a whole number in a range, as an option's value. */
export function toInteger(minimum: number, maximum: number) {
  return (text: string): number => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < minimum || number > maximum)
      throw new InvalidArgumentError(`It must be a whole number from ${minimum} to ${maximum}.`);
    return number;
  };
}

/** Reads a port to listen on; 0 means any. */
export function toPort(text: string): number {
  const read = readPort(text);
  if ('trouble' in read) throw new InvalidArgumentError(read.trouble);
  return read.port;
}

/** Reads a moment as an option's value, as the contract takes it. */
export function toMoment(text: string): string {
  if (isIsoInstant(text)) return text;
  throw new InvalidArgumentError(
    'It must be an ISO 8601 date, or date and time: 2026-03-13 or 2026-03-13T09:00:00Z.',
  );
}

/** Gathers the values of an option that may be given several times. */
export const collect = (value: string, all: string[]): string[] => [...all, value];
