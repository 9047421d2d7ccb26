import type { Command } from 'commander';
export function addMailbox(_program: Command, _environment: NodeJS.ProcessEnv): void {}
