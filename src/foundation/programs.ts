import { join } from 'node:path';
import { packageRoot } from './version.js';

/** The file that the build makes of a program, to be run with Node. */
export const programFile = (
  name: 'houmao-gateway' | 'houmao-server' | 'standin-agent' | 'turn-runner',
): string => join(packageRoot, 'dist', 'programs', `${name}.js`);
