import { InvalidArgumentError } from 'commander';

/** Reads a whole number in a range, as an option's value. */
export function toInteger(minimum: number, maximum: number) {
  return (text: string): number => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < minimum || number > maximum)
      throw new InvalidArgumentError(`It is a whole number from ${minimum} to ${maximum}.`);
    return number;
  };
}

/** Gathers the values of an option that may be given several times. */
export const collect = (value: string, all: string[]): string[] => [...all, value];
