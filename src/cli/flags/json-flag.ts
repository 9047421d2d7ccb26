import { Option } from 'commander';
import { Output } from '../words/terminal-output.js';

export interface JsonFlag {
  json?: boolean;
}

export const jsonOption = (): Option => new Option('--json', 'print one JSON object, for programs');

export const outputOf = (flags: JsonFlag): Output => new Output(flags.json ?? false);
