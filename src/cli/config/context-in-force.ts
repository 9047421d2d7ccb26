import { listed } from '../../foundation/text.js';
import { CommandFailure, exitCodes } from '../words/command-failure.js';
import { type Config, here } from './config-file.js';

/** The ways to name a context, the strongest first. */
export interface NamedContext {
  /** `--context`. */
  readonly flag: string | undefined;
  /** The environment of the program. */
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * Pure: returns the name of the context in force; null for this machine. The context in use (`context use`) is a person's: inside the
 * session of an agent, only a context that the command or its environment names counts.
 * @throws {CommandFailure} when none has the name
 */
export function contextInForce({ flag, environment }: NamedContext, config: Config): string | null {
  const named = flag ?? (environment.HOUMAO_CONTEXT || undefined);
  if (named === undefined) return environment.HOUMAO_MANIFEST_PATH ? null : config.context;
  if (named === here) return null;
  if (config.contexts.has(named)) return named;
  const known = [...config.contexts.keys()];
  throw new CommandFailure(
    flag === undefined
      ? `HOUMAO_CONTEXT is ${named}, and there is no such context.`
      : `There is no context ${named}.`,
    exitCodes.usage,
    {
      hint: known.length > 0 ? `Contexts: ${listed(known)}` : undefined,
      remedies: [['add it', `houmao-mgr context add ${named} <url>`]],
    },
  );
}
