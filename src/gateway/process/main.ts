#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { loadCached } from '../../foundation/cached-script.js';
import { systemClock } from '../../foundation/clock.js';
import { endOnFault } from '../../foundation/program-line.js';
import type * as body from './gateway-process.js';

endOnFault('houmao-gateway', systemClock);
// The build puts the rest of the program beside this file, with its compiled code.
const path = fileURLToPath(new URL('./houmao-gateway.cjs', import.meta.url));
const { main } = loadCached(path) as typeof body;
process.exitCode = await main(process.argv.slice(2), process.env, (script) => loadCached(script));
