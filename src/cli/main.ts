#!/usr/bin/env node
import { isGatewayError } from '@houmao/sdk';
import { isHoumaoError } from '@houmao/sdk/managed-agent';
import { CommanderError } from 'commander';
import { BadEnvironment } from '../foundation/bad-environment.js';
import { systemFaultOf } from '../foundation/system-fault.js';
import { UnusableFile } from '../foundation/unusable-file.js';
import { LaunchFault, LaunchRefused } from '../launch/launch-fault.js';
import { MailFault } from '../mail/message/mail-fault.js';
import { MailRefusal } from '../mail/message/mail-refusal.js';
import { TmuxFault } from '../terminal/tmux-fault.js';
import { launchWords } from './flags/launch-options.js';
import { managerProgram } from './program.js';
import { CommandFailure, exitCodes } from './words/terminal-output.js';

/** Exit codes: 0 done, 2 bad usage, else as the failure says (`exitCodes`). */
async function run(): Promise<number> {
  try {
    await managerProgram(process.env).parseAsync(process.argv);
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    console.error(`houmao-mgr: ${wordsFor(error as Error)}`);
    return error instanceof CommandFailure ? error.exitCode : exitCodes.failed;
  }
}

/** What went wrong, in a sentence; with a stack where that is a fault of this program. */
function wordsFor(error: Error): string {
  if (error instanceof LaunchRefused) return launchWords(error.trouble);
  const known = [
    ...[CommandFailure, UnusableFile, TmuxFault, LaunchFault, BadEnvironment, MailFault, MailRefusal],
  ];
  const answered = isGatewayError(error) || isHoumaoError(error);
  if (answered || known.some((kind) => error instanceof kind)) return error.message;
  return systemFaultOf(error, 'this machine') ?? error.stack ?? String(error);
}

process.exitCode = await run();
