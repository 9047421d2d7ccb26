#!/usr/bin/env -S node --
import { CommanderError } from 'commander';
import { callerOf } from './caller.js';
import { failureOf } from './failures.js';
import { asksForJson } from './flags/options.js';
import { managerProgram } from './program.js';
import { exitCodes, failureLine } from './words/command-failure.js';
import { painted, pastable, programName, wantsColours } from './words/terminal-output.js';

/** @returns the exit code: 0 for success, that of a program the command ran, or that of the failure (`exitCodes`). */
async function run(): Promise<number> {
  const [, script = '', ...args] = process.argv;
  const name = programName({ script, directory: process.cwd(), environment: process.env });
  const json = asksForJson(args);
  const surroundings = {
    programName: name,
    errorWindow: process.stderr.isTTY ? process.stderr : null,
    outputWindow: process.stdout.isTTY ? process.stdout : null,
    isColoured: wantsColours(process.stdout.isTTY, process.env),
  };
  try {
    await managerProgram(callerOf(process.env, surroundings), json).parseAsync(process.argv);
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
    const failure = failureOf(error);
    const line = failureLine(failure, json, (text) => pastable(text, name));
    const isPainted = !json && wantsColours(process.stderr.isTTY, process.env);
    process.stderr.write(isPainted ? painted(line, [{ pattern: /^houmao-mgr:/, format: 'red' }]) : line);
    return failure.exitCode;
  }
}

// The reader of the output, such as `head`, has read enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});
process.exitCode = await run();
