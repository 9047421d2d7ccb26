#!/usr/bin/env node
import { parseArguments, type StandinOptions } from '../arguments.js';
import { main } from '../main.js';
import { runTui } from './run-tui.js';

// A reader that has gone must not cause a stack trace.
process.stdout.on('error', () => process.exit(1));
process.stderr.on('error', () => undefined);

const parsed = parseArguments(process.argv.slice(2));
if (parsed.ok && wantsScreen(parsed.options) && process.stdin.isTTY) runTui(parsed.options, process.env);
else await main(parsed);

function wantsScreen({ print, help, version }: StandinOptions): boolean {
  return !print && !help && !version;
}
