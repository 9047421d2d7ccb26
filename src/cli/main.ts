#!/usr/bin/env node
import { CommanderError } from 'commander';
import { callerOf } from './caller.js';
import { failureOf } from './failure-of.js';
import { asksForJson } from './flags/json-flag.js';
import { managerProgram } from './program.js';
import { CommandFailure, exitCodes } from './words/command-failure.js';
import { failureLine } from './words/failure-words.js';
import { pastable, programName } from './words/program-name.js';

/** @returns the exit code: 0 done, else as the failure says (`exitCodes`). */
async function run(): Promise<number> {
  const [, script = '', ...args] = process.argv;
  const name = programName({ script, directory: process.cwd(), environment: process.env });
  const json = asksForJson(args);
  try {
    await managerProgram(callerOf(process.env, { programName: name }), json).parseAsync(process.argv);
    return 0;
  } catch (error) {
    if (error instanceof CommanderError && (error.exitCode === 0 || !json))
      return error.exitCode === 0 ? 0 : exitCodes.usage;
    const failure = error instanceof CommanderError ? misused(error) : failureOf(error);
    process.stderr.write(failureLine(failure, json, (text) => pastable(text, name)));
    return failure.exitCode;
  }
}

/** What commander refused: people have been told of it in its own words. */
const misused = ({ message, code }: CommanderError): CommandFailure =>
  new CommandFailure(
    code === 'commander.help' ? 'A command is missing.' : message.replace(/^error: /, ''),
    exitCodes.usage,
    { hint: 'houmao-mgr --help' },
  );

process.exitCode = await run();
