import { InvalidArgumentError } from 'commander';
import { readPort } from '../../foundation/fetch-ports.js';

/** Reads a whole number in a range, as an option's value. */
export function toInteger(minimum: number, maximum: number) {
  return (text: string): number => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < minimum || number > maximum)
      throw new InvalidArgumentError(`It is a whole number from ${minimum} to ${maximum}.`);
    return number;
  };
}

/** Reads a port to listen on; 0 means any. */
export function toPort(text: string): number {
  const read = readPort(text);
  if ('trouble' in read) throw new InvalidArgumentError(read.trouble);
  return read.port;
}

/** Gathers the values of an option that may be given several times. */
export const collect = (value: string, all: string[]): string[] => [...all, value];
