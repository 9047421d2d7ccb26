import { basename } from 'node:path';
import { unprefixedName } from '../../../src/launch/agent-name.js';
import { readManifest } from '../../../src/session/manifest.js';
import type { TestSession } from '../../support/test-session.js';

/** The agent's name in sentences. */
export const nameOf = ({ paths }: TestSession): string =>
  unprefixedName(readManifest(paths.manifest).agent_name ?? '');
export const idOf = ({ paths }: TestSession): string => basename(paths.root);

/** A path of that agent in a server's API. */
export const pathOf = (session: TestSession, rest: string): string =>
  `/houmao/agents/${idOf(session)}${rest}`;
