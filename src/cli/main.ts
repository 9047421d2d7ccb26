#!/usr/bin/env node
import { isGatewayError } from '@houmao/sdk';
import { CommanderError } from 'commander';
import { LaunchFault } from '../launch/launch-fault.js';
import { UnusableFile } from '../session/file-schema.js';
import { TmuxFault } from '../terminal/tmux.js';
import { managerProgram } from './program.js';
import { CommandFailure } from './terminal-output.js';

/** Exit codes: 0 done, 1 it could not be done, 2 bad usage. */
async function run(): Promise<number> {
  try {
    await managerProgram().parseAsync(process.argv);
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const known =
      error instanceof CommandFailure ||
      error instanceof UnusableFile ||
      error instanceof TmuxFault ||
      error instanceof LaunchFault ||
      isGatewayError(error);
    console.error(
      `houmao-mgr: ${known ? (error as Error).message : ((error as Error).stack ?? String(error))}`,
    );
    return 1;
  }
}

process.exitCode = await run();
