import { Option } from 'commander';

export interface JsonFlag {
  json?: boolean;
}

export const jsonOption = (): Option => new Option('--json', 'print one JSON object, for programs');

/** Whether the command line asks for it, also one that cannot be read otherwise. */
export function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end === -1 ? args : args.slice(0, end)).includes('--json');
}
